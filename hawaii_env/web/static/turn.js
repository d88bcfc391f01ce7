// A sealed turn that is entered as a whole: click units, then their targets; arrows show the orders, which can be
// changed until all players have entered theirs. The server lists the decisions and the clicks for each.

import { announce, fill, h, plural, shape, toast } from "./dom.js";
import { ask } from "./dialog.js";
import { sideName, spaceName } from "./info.js";
import { ruled } from "./ruled.js";
import { hintBox } from "./decision.js";
import { busy } from "./start.js";

const NEAR = 46; // distance from a place's middle within which a click selects it, in units of the picture

const spaceOf = (place) => place?.split("/")[0];

export class Turn {
  /** @param page the game's page: id, signal, snapshot, play, board, fetch, panels */
  constructor(page) {
    Object.assign(this, {
      page,
      data: null,
      draft: {},
      before: [],
      chosen: null,
      path: [],
      group: null,
      stamp: 0,
      changing: false,
    });
    this.typed = h("input", { type: "text", id: "typed", maxLength: 120, autocomplete: "off", spellcheck: false });
    this.said = h("p", { class: "typed-error", role: "alert" });
  }

  /** True if a turn is being entered here. */
  get open() {
    return Boolean(this.data && this.page.snapshot?.entering && this.page.play.atEnd);
  }

  /** What this seat has already entered, or null. */
  get sent() {
    return this.page.snapshot?.entering?.sent[this.data?.seat] ?? null;
  }

  /** The button of the present or last subject, which keeps the focus. */
  get current() {
    const { last } = this;
    return (last && this.page.decision.element.querySelector(`[data-subject="${CSS.escape(last)}"]`)) || null;
  }

  get editing() {
    return this.open && !this.sent && !this.page.sending;
  }

  /** Take in the decisions of a turn; choices for the same turn stay. */
  take(data) {
    const same = data && this.data && data.turn === this.data.turn && data.seat === this.data.seat;
    this.data = data;
    if (!same) {
      Object.assign(this, { draft: {}, before: [], chosen: null, path: [], group: null, last: null, changing: false });
      this.typed.value = "";
      fill(this.said);
      if (data) this.draft = this.kept();
    }
    if (data && this.sent && !Object.keys(this.draft).length) this.draft = this.readBack(this.sent);
    this.draw();
  }

  // The draft, stored in this window so that it survives a reload

  get key() {
    return `turn.${this.page.id}.${this.data.turn}.${this.data.seat}`;
  }

  kept() {
    try {
      return JSON.parse(sessionStorage.getItem(this.key)) ?? {};
    } catch {
      return {};
    }
  }

  keep() {
    try {
      sessionStorage.setItem(this.key, JSON.stringify(this.draft));
    } catch {
      // private windows may refuse; the draft is then lost with the page
    }
  }

  /** The choices that a list of actions consists of. */
  readBack(actions) {
    const found = {},
      left = [...actions];
    for (const subject of this.data.subjects) {
      const best = subject.options
        .map(({ actions: own }, n) => ({ own, n }))
        .filter(({ own }) => own.length && own.every((action) => left.includes(action)))
        .filter(({ own }) => subject.options[0].actions.length === 0 || own.every((action, k) => left[k] === action))
        .sort((a, b) => b.own.length - a.own.length)[0];
      if (!best) continue;
      found[subject.id] = best.n;
      for (const action of best.own) left.splice(left.indexOf(action), 1);
    }
    return found;
  }

  // Choices

  optionOf(subject) {
    const n = this.draft[subject.id] ?? subject.usual;
    return n === null || n === undefined ? null : (subject.options[n] ?? null);
  }

  get counted() {
    return this.data.subjects.filter((subject) => this.optionOf(subject)?.counts).length;
  }

  /** What must be done before the turn can be sent, or "". */
  get missing() {
    const open = this.data.subjects.filter((subject) => !this.optionOf(subject)).length;
    if (open) return `${plural(open, "decision")} left`;
    if (this.counted < this.data.least) return `${this.data.least - this.counted} more to choose`;
    return "";
  }

  choose(subject, n) {
    const before = this.optionOf(subject),
      option = subject.options[n],
      kept = { ...this.draft };
    if (option.counts && !before?.counts && this.counted >= this.data.most) {
      // If only one may be chosen, the last click counts.
      const other = this.data.most === 1 && this.data.subjects.find((one) => this.optionOf(one)?.counts);
      if (!other) return toast(`You can choose at most ${this.data.most}: take one back first.`);
      delete this.draft[other.id];
    }
    this.before.push({ ...kept });
    this.draft[subject.id] = n;
    this.keep();
    announce(`${subject.name}: ${option.text}`);
    this.select(null);
  }

  select(subject, path = [], group = null) {
    Object.assign(this, { chosen: subject, path, group });
    if (subject) this.last = subject.place ?? subject.id;
    this.page.frame.classList.toggle("narrowed", Boolean(subject)); // its orders are shown above "At hand"
    this.page.board.offer(null);
    this.draw();
    const ring = this.page.board.svg?.querySelector(".turn-ring.picked");
    if (ring && this.page.board.zoom.by > 1) this.page.board.center(ring);
    this.page.panels();
  }

  /** The options that match the clicks so far. */
  get fitting() {
    if (!this.chosen) return [];
    return this.chosen.options.filter(
      (option) =>
        this.path.every((place, k) => option.path[k] === place || spaceOf(option.path[k]) === place) &&
        (!this.group || option.group === this.group) &&
        (!this.path.length || option.path.length > this.path.length),
    );
  }

  // Clicks on the map

  /** The place that a click selects: that of a piece, else the nearest. */
  placeAt(event, svg) {
    const piece = event.target.closest?.(".piece[data-place]");
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    let best = null,
      least = NEAR;
    for (const [place, [x, y]] of Object.entries(this.data.places)) {
      if (piece && spaceOf(place) !== piece.dataset.place) continue;
      const away = Math.hypot(point.x - x, point.y - y);
      if (away < least || (piece && !best)) [best, least] = [place, away];
    }
    return best;
  }

  clicked(event, svg) {
    if (!this.editing) return;
    const place = this.placeAt(event, svg);
    if (!place) return this.select(null);
    const here = this.data.subjects.find((subject) => spaceOf(subject.place) === spaceOf(place));
    if (!this.chosen) {
      if (!here) return this.refuse(`You have nothing to decide in ${spaceName(spaceOf(place))}`, { place });
      // Of two options, one of which is to do nothing, a click chooses the other.
      if (here.options.length === 2 && !here.options[0].actions.length)
        return this.choose(here, this.optionOf(here) === here.options[1] ? 0 : 1);
      return this.select(here);
    }
    const k = this.path.length;
    let found = this.fitting.filter((option) => option.path[k] === place);
    if (!found.length) found = this.fitting.filter((option) => spaceOf(option.path[k]) === spaceOf(place));
    if (!found.length) {
      if (here && here !== this.chosen) return this.select(here);
      const reach = [...new Set(this.fitting.map((option) => spaceOf(option.path[k])).filter(Boolean))];
      const where = reach.length ? ` It can go to or help ${reach.map(spaceName).join(", ")}.` : "";
      const why = `${this.chosen.name} has no order that names ${spaceName(spaceOf(place))}`;
      this.refuse(why, { place: this.chosen.place ?? "" }, place, this.path.at(-1), where);
      return this.select(null);
    }
    this.target(place, found, here);
  }

  /** Show why a click gives no order, with the game's own reason. */
  refuse(why, thing, to = "", via = "", where = "") {
    const say = (own) => toast(ruled(own ? `${why}: ${own}.${where}` : `${why}.${where} ${this.page.rulesNow()}`));
    this.page.whyNot(thing, to, [], via).then(say, (error) => toast(error.message));
  }

  /** A place that is next in one or more options: choose the option, continue, or ask which. */
  target(place, found, here) {
    const k = this.path.length + 1;
    const whole = found.filter((option) => option.path.length === k),
      more = found.filter((option) => option.path.length > k);
    if (whole.length === 1 && !more.length) return this.choose(this.chosen, this.chosen.options.indexOf(whole[0]));
    const groups = [...new Set(more.map((option) => option.group))];
    const next = [...this.path, spaceOf(place)];
    if (!whole.length && groups.length === 1) return this.select(this.chosen, next, groups[0]);
    const offers = whole.map((option) => ({
      label: `${option.group} ${option.label}`.trim(),
      act: () => this.choose(this.chosen, this.chosen.options.indexOf(option)),
    }));
    for (const group of groups) {
      offers.push({ label: `${group} …`, act: () => this.select(this.chosen, next, group) });
    }
    if (here && here !== this.chosen) {
      offers.push({ label: `Order ${here.name.toLowerCase()}`, act: () => this.select(here) });
    }
    this.page.board.offer(this.data.places[place], offers, () => this.select(null));
  }

  // The picture

  draw() {
    const { svg } = this.page.board;
    svg?.querySelector(".draft")?.remove();
    svg?.classList.toggle("entering", this.open && (this.editing ? Object.keys(this.draft).length > 0 : true));
    if (!svg || !this.open) return;
    const layer = shape("g", { class: "draft" });
    for (const subject of this.data.subjects) {
      const arrow = this.optionOf(subject)?.arrow;
      if (arrow) layer.append(this.arrow(arrow));
    }
    if (this.editing) {
      for (const subject of this.data.subjects) {
        if (!subject.place) continue;
        const kind = subject === this.chosen ? "picked" : this.optionOf(subject) ? "subject" : "subject open";
        layer.append(this.ring(subject.place, kind, 20));
      }
      const k = this.path.length;
      for (const place of new Set(this.fitting.map((option) => option.path[k]).filter(Boolean)))
        if (place !== this.chosen.place) layer.append(this.ring(place, "goal", 15));
      for (const place of this.path) layer.append(this.ring(place, "via", 18));
    }
    svg.insertBefore(layer, svg.querySelector(".place-names")); // keep the names readable
  }

  arrow({ kind, line, head, dash }) {
    const { colour } = this.data;
    const made = shape("g", { class: `arrow ${kind} entered`, fill: "none" });
    made.append(
      shape("path", { d: line, class: "halo" }),
      shape("path", { d: line, stroke: colour, "stroke-width": 3.4, "stroke-dasharray": dash }),
    );
    if (head) made.append(shape("path", { d: head, fill: colour, stroke: "#fff", "stroke-width": 1 }));
    return made;
  }

  ring(place, kind, r) {
    const [x, y] = this.data.places[place] ?? [-99, -99];
    return shape("circle", { cx: x, cy: y, r, class: `turn-ring ${kind}`, "data-ring": place });
  }

  // The panel

  words() {
    const { snapshot } = this.page;
    const seat = snapshot.seats[this.data.seat];
    const heading = h(
      "h2",
      { id: "question", tabIndex: -1, class: seat.side },
      `${sideName(seat.side)}: ${this.data.question}`,
    );
    if (this.sent) return [heading, ...this.waiting()];
    // The subject with open orders fills the panel; one click leads back to the others.
    const shown = this.chosen ? [this.chosen] : this.data.subjects;
    return [
      heading,
      this.chosen ? null : h("p", { class: "soft help" }, this.data.help),
      this.data.counted
        ? h("p", { class: "counted" }, `${this.counted} of ${this.data.most} ${this.data.counted}`)
        : null,
      h("ul", { class: "subjects" }, shown.map((subject) => this.row(subject))),
      this.advised?.draft === JSON.stringify(this.draft) ? hintBox(this.advised.found) : null,
      this.chosen ? null : this.typing(),
      h("div", { class: "row foot" }, this.sendButton(), this.undoButton(), this.hintButton(), this.others()),
    ];
  }

  row(subject) {
    const option = this.optionOf(subject),
      open = subject === this.chosen;
    const button = h(
      "button",
      {
        type: "button",
        class: `subject${option ? "" : " undecided"}${subject.id in this.draft ? " decided" : ""}`,
        "aria-expanded": String(open),
        "data-subject": subject.place ?? subject.id,
        onclick: () => this.select(open ? null : subject),
      },
      h("span", { class: "order" }, option && !open ? option.text : subject.name),
      h("span", { class: "code" }, open ? "All orders" : option ? option.code : "to decide"),
    );
    return h("li", {}, button, open ? this.options() : null);
  }

  /** The options of the open subject, as buttons in groups. */
  options() {
    const groups = new Map();
    for (const option of this.fitting) groups.set(option.group, [...(groups.get(option.group) ?? []), option]);
    return h(
      "div",
      { class: "options" },
      this.path.length
        ? h(
            "p",
            { class: "row" },
            "Click where it goes, or choose.",
            h("button", { type: "button", class: "quiet", onclick: () => this.select(this.chosen) }, "Show all"),
          )
        : null,
      [...groups].map(([group, options]) =>
        h(
          "div",
          {
            class: `group${options.length < 4 ? " short" : ""}`,
            role: "group",
            "aria-label": group || "Orders",
          },
          group ? h("h3", {}, group) : null,
          h(
            "div",
            { class: "choices" },
            options.map((option) =>
              h(
                "button",
                {
                  type: "button",
                  class: "choice",
                  "data-text": option.code || option.text,
                  onclick: () => this.choose(this.chosen, this.chosen.options.indexOf(option)),
                },
                option.label,
              ),
            ),
          ),
        ),
      ),
    );
  }

  typing() {
    this.typed.placeholder = this.data.typed;
    const button = h("button", { type: "submit" }, "Enter");
    return h(
      "form",
      {
        class: "typing",
        onsubmit: (event) => {
          event.preventDefault();
          const text = this.typed.value.trim();
          if (text) busy(button, () => this.read(text));
        },
      },
      h("div", { class: "row" }, h("label", { htmlFor: "typed" }, "Or type"), this.typed, button),
      this.said,
    );
  }

  async read(text) {
    fill(this.said);
    try {
      const found = await this.page.post("typed", { seat: this.data.seat, text });
      this.typed.value = "";
      this.choose(this.data.subjects[found.subject], found.option);
      this.typed.focus();
    } catch (error) {
      fill(this.said, error.message);
    }
  }

  sendButton() {
    const { missing } = this;
    const button = h(
      "button",
      { type: "button", class: "primary send", disabled: Boolean(missing) },
      missing || this.data.send,
    );
    button.addEventListener("click", async () => {
      // If fewer are chosen than allowed, it may be by mistake.
      const left = this.data.least < this.data.most ? this.data.most - this.counted : 0;
      const asked = {
        title: `${this.data.send}?`,
        text: `${this.counted} of ${this.data.most} ${this.data.counted}: the rest is lost.`,
        yes: this.data.send,
        no: "Keep choosing",
      };
      if (left && !(await ask(asked))) return;
      await busy(button, () => this.send(this.actions()));
    });
    return button;
  }

  /** Take back the last choice that is not sent. */
  undoButton() {
    const back = () => {
      this.draft = this.before.pop();
      this.keep();
      this.select(null);
    };
    return h("button", { type: "button", class: "undo", disabled: !this.before.length, onclick: back }, "Undo");
  }

  hintButton() {
    if (!this.page.may("hint")) return null;
    const button = h("button", { type: "button", class: "hint" }, "Suggest");
    button.addEventListener("click", () =>
      busy(button, async () => {
        const found = await this.page.post("hint");
        if (!this.editing || !found.actions) return;
        this.draft = this.readBack(found.actions);
        this.advised = { found, draft: JSON.stringify(this.draft) };
        this.keep();
        this.select(null);
      }),
    );
    return button;
  }

  actions() {
    const made = this.data.subjects.flatMap((subject) => this.optionOf(subject).actions);
    return this.counted < this.data.most ? [...made, ...this.data.end] : made;
  }

  async send(actions) {
    const { seat, turn } = this.data;
    Object.assign(this, { chosen: null, path: [], group: null });
    this.page.focusNext = true; // the button that had the focus is disabled
    // Others may enter theirs at this moment.
    await this.page.send("turn", { seat, actions }, () => this.page.snapshot.entering?.turn === turn);
    this.draw();
  }

  /** The panel while others have not entered theirs. */
  waiting() {
    const button = h("button", { type: "button", class: "change" }, "Change");
    button.addEventListener("click", () => busy(button, () => this.send([])));
    return [
      h("p", { class: "thinking" }, "You have entered yours; nobody sees them until all players have."),
      h(
        "ul",
        { class: "subjects sent" },
        this.data.subjects.map((subject) => h("li", {}, this.optionOf(subject)?.text ?? "")),
      ),
      h("div", { class: "row foot" }, button, this.others()),
    ];
  }

  /** The panel for people with nothing to enter, and for spectators. */
  idle() {
    const { seats, status } = this.page.snapshot;
    return [
      h("h2", { id: "question", tabIndex: -1 }, status.when),
      h(
        "p",
        { class: "soft" },
        seats.some((seat) => seat.you) ? "You have nothing to enter in this turn." : "The players are entering theirs.",
      ),
      h("div", { class: "row foot" }, this.others()),
    ];
  }

  /** The players who have not entered theirs. */
  others() {
    const { entering, seats } = this.page.snapshot;
    const left = entering.left.filter((seat) => !seats[seat].you).map((seat) => sideName(seats[seat].side));
    return left.length ? h("span", { class: "soft waits" }, `Waiting for ${left.join(", ")}`) : null;
  }

  get stampNow() {
    return JSON.stringify([
      this.open,
      this.data?.turn,
      this.data?.seat,
      this.draft,
      this.chosen?.id,
      this.path,
      this.group,
      this.sent,
      this.page.snapshot?.entering?.left,
    ]);
  }
}
