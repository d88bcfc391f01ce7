// The present decision: the question, the choices, a hint, and undo.

import { BAR, die, fill, h, plural } from "./dom.js";
import { cardBlock, sideName, tellCompiling } from "./info.js";
import { reference, ruled } from "./ruled.js";
import { busy } from "./start.js";
import { sideDoes, sideTitle } from "./levels.js";

const MANY = 16; // choices in a group above which numbered ones are set closest

const heading = (text, side) => h("h2", { id: "question", tabIndex: -1, class: side ?? "" }, text);

/** The agent that suggests a choice, and its reasons; without probabilities, a description of how it plays. */
export function hintBox({ name, about }, why = []) {
  const said = why.length ? why.join(", and ") : about && `it ${about}`;
  return h(
    "p",
    { class: "hint-box", role: "status" },
    h("strong", {}, `${name} suggests this`),
    said ? `: ${said}.` : ".",
  );
}

export class Decision {
  constructor(page) {
    Object.assign(this, { page, hint: null });
    this.element = h("section", { class: "panel decision", "aria-labelledby": "question" });
    this.element.addEventListener("keydown", (event) => this.arrows(event));
  }

  draw() {
    const { snapshot, status } = this.page;
    const seat = snapshot.player >= 0 ? snapshot.seats[snapshot.player] : null;
    const parts = [];
    if (!this.page.play.atEnd) {
      parts.push(...this.meanwhile());
    } else if (snapshot.result) {
      parts.push(...this.page.end.words());
    } else if (snapshot.problem) {
      parts.push(
        heading("The computer player stopped"),
        h("p", { role: "alert" }, snapshot.problem),
        h("button", { type: "button", class: "primary", onclick: () => this.page.send("retry") }, "Ask it again"),
        // A player who enters their own turn does not wait for it.
        this.page.turn.open ? this.page.turn.words() : null,
      );
    } else if (snapshot.chance) {
      parts.push(...this.fall(snapshot.chance));
    } else if (this.page.turn.open) {
      parts.push(...this.page.turn.words());
    } else if (snapshot.yours) {
      parts.push(
        heading(ruled(status.question), seat?.side),
        h("p", { class: "soft help" }, ruled(status.help)),
        this.choices(),
      );
    } else if (snapshot.waiting) {
      parts.push(
        heading(`${sideTitle(seat.side)} ${sideDoes(seat.side, "thinks", "think")} …`),
        h("p", { class: "soft thinking" }, status.question),
        tellCompiling(h("p", { class: "soft compiling" })),
        h("div", { class: "row after" }, this.undoBlock()),
      );
    } else if (snapshot.entering) {
      parts.push(...this.page.turn.idle());
    } else {
      parts.push(
        heading(seat ? `${sideName(seat.side)} to decide` : status.question),
        h(
          "p",
          { class: `soft${seat?.agent && !this.page.play.paused ? " thinking" : ""}` },
          seat?.agent
            ? "They play on while you watch."
            : seat?.joined
              ? snapshot.seats.some(({ you }) => you)
                ? "The other player is thinking."
                : "They are thinking."
              : "Nobody has taken that seat yet.",
        ),
        h("div", { class: "row after" }, this.undoBlock()),
      );
    }
    fill(this.element, parts);
    this.fit();
  }

  /** Set many choices closer if they do not fit; texts beside them shrink first. */
  fit() {
    const { element } = this;
    const { dock } = this.page;
    const bar = matchMedia(BAR).matches;
    const bottom = (one) => one.getBoundingClientRect().bottom;
    const fits = () =>
      bar ? bottom(element) + dock.scrollTop <= bottom(dock) + 1 : element.scrollHeight <= element.clientHeight + 1;
    element.classList.remove("dense", "filled", "denser", "tight");
    this.foldGoals(false);
    if (!bar && matchMedia("(max-height: 480px)").matches) return;
    for (const step of ["dense", "filled", "denser"]) if (!fits()) element.classList.add(step);
    if (!bar && !fits()) this.foldGoals(true);
    if (!bar && !fits()) element.classList.add("tight");
  }

  /** Fold the last targets that are only numbers, at most a quarter of all choices; the map shows them. */
  foldGoals(on) {
    const goals = this.element.querySelector(".goals"),
      more = this.element.querySelector(".more");
    if (!goals) return;
    const [summary, folded] = more.children;
    goals.append(...folded.children);
    const most = on ? Math.floor(this.element.querySelectorAll(".choice").length / 4) : 0;
    const last = most ? [...goals.children].slice(-most) : [];
    folded.append(...last);
    more.hidden = !last.length;
    summary.textContent = `${last.length} more, shown on the map`;
  }

  /** The panel while something other than the present is shown. */
  meanwhile() {
    const { snapshot, play } = this.page;
    const mover = play.events[play.shown]?.player;
    const text = play.paused
      ? "Looking back"
      : mover >= 0 && !snapshot.seats[mover].you
        ? `${sideTitle(snapshot.seats[mover].side)} ${sideDoes(snapshot.seats[mover].side, "moves", "move")} …`
        : "Playing …";
    return [
      heading(text),
      h(
        "div",
        { class: "row" },
        h(
          "button",
          {
            type: "button",
            class: "primary",
            onclick: () => {
              this.page.pause(false);
              play.jump(play.events.length);
            },
          },
          play.paused ? "Back to the present" : "Skip to the end",
        ),
      ),
    ];
  }

  /** The die or card that is entered by hand. */
  fall(chance) {
    return [
      heading(chance.question, chance.side),
      h("p", {}, chance.help),
      h(
        "div",
        { class: chance.card ? "choices column" : "choices dice" },
        chance.outcomes.map((outcome) => {
          const show = chance.card ? () => this.page.inform(cardBlock(outcome.card)) : undefined;
          return h(
            "button",
            {
              onpointerenter: show,
              onfocus: show,
              type: "button",
              class: "choice",
              "data-outcome": outcome.outcome,
              "aria-label": chance.card ? `Card ${outcome.label}` : `${sideName(chance.side)}: ${outcome.label}`,
              onclick: () => this.page.send("chance", { outcome: outcome.outcome }),
            },
            chance.card ? outcome.label : [die(outcome.outcome, 34, chance.side), h("span", {}, outcome.label)],
          );
        }),
      ),
      h(
        "div",
        { class: "row after" },
        h("button", { type: "button", onclick: () => this.page.send("chance", { outcome: null }) }, chance.draw),
        this.undoBlock(),
      ),
    ];
  }

  choices() {
    const { snapshot } = this.page;
    const groups = new Map();
    for (const action of this.page.choices()) {
      if (this.page.board.selected && !this.page.board.selected.has(action.action)) continue;
      groups.set(action.group, [...(groups.get(action.group) ?? []), action]);
    }
    const chance = new Map((this.hint?.chances ?? []).map((entry) => [entry.action, entry.probability]));
    const button = (action, brief = false) => {
      const share = chance.get(action.action);
      const advised = this.hint?.action === action.action;
      return h(
        "button",
        {
          type: "button",
          class: `choice${advised ? " advised" : ""}${action.group ? "" : " plain"}`,
          "data-action": action.action,
          "data-text": action.text,
          title: brief || action.label.length > 24 ? action.label : null, // the label may be cut off
          "aria-label": brief ? action.label : null,
          onclick: () => this.page.act(action.action),
          onpointermove: (event) => this.moved(event, action.action),
          onpointerleave: () => {
            this.pointed = null;
            this.page.board.point(null);
          },
          onfocus: () => this.page.point(action.action),
          onblur: () => this.page.board.point(null),
        },
        brief ? [short(action), action.mark ? h("span", { class: "share" }, action.mark) : null] : action.label,
        share !== undefined ? h("span", { class: "share" }, ` ${Math.round(share * 100)}%`) : null,
        advised ? h("span", { class: "unseen" }, " (hint)") : null,
      );
    };
    const plain = groups.get("") ?? [];
    groups.delete("");
    const short = ({ brief, label }) => brief ?? label;
    const isNumber = (action) => /^\d+$/.test(short(action));
    const long = (actions) => actions.length > 8 && actions.some(({ label }) => label.length > 40);
    const list = (actions) => {
      if (actions.length > MANY && actions.some(isNumber) && actions.some(({ brief }) => brief)) return goals(actions);
      const kind = actions.every(({ label }) => /^\d+$/.test(label)) ? "numbers" : long(actions) ? "long" : "";
      return h("div", { class: `choices ${kind}` }, actions.map((action) => button(action)));
    };
    // Targets with a name, or with somebody on them, come first.
    const goals = (actions) => [
      h("div", { class: "choices brief" }, actions.filter((one) => !isNumber(one)).map((one) => button(one, true))),
      h("div", { class: "choices numbers goals" }, actions.filter(isNumber).map((one) => button(one, true))),
      h("details", { class: "more", hidden: true }, h("summary", {}), h("div", { class: "choices numbers" })),
    ];
    const large = ([, actions]) => actions.length > MANY;
    const inOrder = [...groups].sort((one, other) => large(one) - large(other));
    const made = inOrder.map(([group, actions], n) =>
      h(
        "div",
        {
          class: `group${actions.length < 4 ? " short" : ""}`,
          role: "group",
          "aria-labelledby": `group-${n}`,
        },
        h("h3", { id: `group-${n}` }, group),
        list(actions),
        this.hintWords(actions),
      ),
    );
    const parts = [];
    if (this.page.board.selected) {
      parts.push(
        h(
          "p",
          { class: "row" },
          `${plural(this.page.board.selected.size, "choice")} for what you clicked.`,
          h("button", { type: "button", class: "quiet", onclick: () => this.page.board.select(null) }, "Show all"),
        ),
      );
    }
    parts.push(...made);
    const tools = [this.undoBlock()];
    if (this.page.may("hint") && !this.page.ahead)
      tools.push(
        h("button", { type: "button", class: "hint", onclick: (event) => this.getHint(event.currentTarget) }, "Hint"),
      );
    else if (reference().trying.length && !this.page.ahead)
      tools.push(h("button", { type: "button", disabled: true, title: snapshot.refused.hint }, "Hint: not ready yet"));
    // At the bottom, however long the list is.
    parts.push(h("div", { class: "row foot" }, plain.map((one) => button(one)), tools, this.hintWords(plain)));
    return parts;
  }

  /** Undo, with what it takes back or why nothing can be; null for spectators. */
  undoBlock() {
    const { snapshot } = this.page;
    if (snapshot.entering || !snapshot.seats.some((seat) => seat.you)) return null;
    if (this.page.ahead)
      return h("button", { type: "button", class: "undo", onclick: () => this.page.back() }, "Back");
    return [
      h(
        "button",
        {
          type: "button",
          class: "undo",
          disabled: !this.page.may("undo"),
          "aria-describedby": "undo-words",
          onclick: () => this.page.send("undo"),
        },
        "Undo",
      ),
      this.page.may("undo_turn")
        ? h(
            "button",
            {
              type: "button",
              class: "undo-turn",
              title: `Take back ${snapshot.undo_turn} decisions`,
              onclick: () => this.page.send("undo", { turn: true }),
            },
            "Undo the turn",
          )
        : null,
      h(
        "span",
        { class: "soft undo-words", id: "undo-words", title: snapshot.undo },
        snapshot.refused.undo ?? snapshot.undo,
      ),
    ];
  }

  /** The reasons for a suggested choice; null if it is not among these. */
  hintWords(actions) {
    const { hint } = this;
    if (!hint || !actions.some(({ action }) => action === hint.action)) return null;
    const share = hint.chances.find(({ action }) => action === hint.action)?.probability;
    const why = [
      share === undefined ? null : `it would choose this ${Math.round(share * 100)} times in 100`,
      hint.expects === null ? null : `it estimates your chances at ${Math.round(hint.expects * 100)}%`,
    ].filter(Boolean);
    return hintBox(hint, why);
  }

  async getHint(button) {
    await busy(button, async () => {
      button.textContent = "Thinking …";
      try {
        const found = await this.page.post("hint");
        if (found.version === this.page.play.version) this.hint = found;
      } finally {
        button.textContent = "Hint";
      }
    });
    this.page.panels();
  }

  /** Ignore a choice that has appeared under a resting pointer. */
  moved({ clientX, clientY }, action) {
    const rests = this.rest?.x === clientX && this.rest.y === clientY;
    this.rest = { x: clientX, y: clientY };
    if (rests || this.pointed === action) return;
    this.pointed = action;
    this.page.point(action);
  }

  /** Move through the choices with the arrow keys. */
  arrows(event) {
    if (!["ArrowDown", "ArrowUp"].includes(event.key) || event.target.matches("input, select")) return;
    const all = [...this.element.querySelectorAll("button:not([disabled])")].filter((one) => one.checkVisibility());
    const at = all.indexOf(document.activeElement);
    const next = all[(at + (event.key === "ArrowDown" ? 1 : at < 0 ? 0 : -1) + all.length) % all.length];
    if (next) {
      next.focus();
      event.preventDefault();
    }
  }
}
