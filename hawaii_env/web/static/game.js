// The page of a game: the map, the decision, the log, and the rules at hand.

import { LogList, hidden } from "./log.js";
import { Board } from "./board.js";
import { Decision } from "./decision.js";
import {
  announce,
  die,
  download,
  fill,
  h,
  icon,
  plural,
  remember,
  setting,
  sleep,
  slug,
  svgElement,
  toast,
} from "./dom.js";
import { ServerError, get, getText, post } from "./requests.js";
import {
  boardAsText,
  cardBlock,
  choiceBlock,
  hasCards,
  pieceBlock,
  spaceBlock,
  spaceName,
  victoryBlock,
} from "./info.js";
import { reference, ruleBlock, ruled, ruleLabel, showRules } from "./ruled.js";
import { sideDoes, sideTitle, sideWhose } from "./levels.js";
import { glide } from "./moves.js";
import { noteBlock } from "./note.js";
import { Picture } from "./picture.js";
import { Playback, SPEEDS } from "./playback.js";
import { busy } from "./start.js";
import { Chat } from "./chat.js";
import { End } from "./end.js";
import { Guide } from "./guide.js";
import { People } from "./people.js";
import { Turn } from "./turn.js";

/** The space that a thing on the map stands on, or is. */
const placeOf = (thing) => thing?.dataset.place ?? thing?.dataset.space ?? "";

const MOST_NAMED = 6; // most spaces that a message names

export async function gamePage(main, id, signal) {
  const page = new GamePage(main, id, signal);
  await page.open();
}

class GamePage {
  constructor(main, id, signal) {
    Object.assign(this, {
      main,
      id,
      signal,
      snapshot: null,
      sending: false,
      asking: null, // the pending answer to a question before a choice is sent
      given: 0, // counter of the events that end such a wait
      drawn: "",
      focusNext: false,
      ahead: null, // a choice in progress, not sent: its actions, and the choices, status and picture after them
      base: null, // the picture without it
    });
    const failed = (error) => {
      toast(error.message);
      // Errors that are not answers of the server go to the console as well.
      if (!(error instanceof ServerError)) throw error;
    };
    this.play = new Playback(id, signal, (...shown) => this.drawn_(...shown), failed);
    this.play.speed = setting("speed", "normal") in SPEEDS ? setting("speed", "normal") : "normal";
    Object.assign(this, {
      people: new People(this),
      chat: new Chat(this),
      guide: new Guide(this),
      end: new End(this),
      decision: new Decision(this),
      turn: new Turn(this),
    });
    this.build();
  }

  // The page

  build() {
    this.board = new Board({
      choices: () => this.choices(),
      own: () => this.snapshot.seats.filter((seat) => seat.you).map((seat) => seat.side),
      act: (action) => this.act(action),
      begun: () => this.ahead,
      settled: () => this.settled(),
      markOf: (choice) => choice.mark ?? (this.ahead ? null : this.guide.marks[choice.action]?.mark),
      letGo: () => this.letGo(),
      look: (element, picture) => this.look(element, picture),
      refuse: (things, subject, reach) => this.refuse(things, subject, reach).catch((error) => toast(error.message)),
      narrowed: (actions) => {
        this.frame.classList.toggle("narrowed", Boolean(actions));
        this.panels();
      },
      turn: this.turn,
    });
    this.now = h("p", { class: "now" });
    this.slider = h("input", {
      type: "range",
      min: 0,
      max: 0,
      value: 0,
      "aria-label": "Moment of the game",
      oninput: () => {
        this.pause(true);
        this.play.slide(Number(this.slider.value));
      },
    });
    const buttons = () => [this.legendButton(), this.board.zoom.buttons()];
    const step = (label, sign, onclick) =>
      h("button", { type: "button", class: "icon", "aria-label": label, title: label, onclick }, icon(sign));
    this.pauseButton = step("Pause", "pause", () => this.pause(!this.play.paused));
    this.speed = h(
      "select",
      {
        "aria-label": "Speed",
        onchange: () => {
          this.play.speed = this.speed.value;
          remember("speed", this.speed.value);
          this.play.hurry();
        },
      },
      Object.keys(SPEEDS).map((name) => h("option", { value: name }, name)),
    );
    this.speed.value = this.play.speed;
    const controls = h(
      "div",
      { class: "controls", role: "group", "aria-label": "Playback" },
      step("Step back", "back", () => {
        this.pause(true);
        this.play.jump(this.play.previous());
      }),
      this.pauseButton,
      step("Step forward", "forward", () => {
        this.pause(true);
        this.play.jump(this.play.next());
      }),
      this.slider,
      step("To the present", "end", () => {
        this.pause(false);
        this.play.jump(this.play.events.length);
      }),
      this.speed,
      h("span", { class: "zooms" }, buttons()),
    );
    this.boardText = h("div", {});
    const about = { role: "group", "aria-label": "About what you point at", tabIndex: 0 }; // it may scroll
    this.infoBody = h("div", { class: "info-body", ...about });
    this.chips = h("div", { class: "chips", role: "group", "aria-label": "Rules at hand" });
    const close = h(
      "button",
      {
        type: "button",
        class: "quiet close",
        "aria-label": "Close",
        onclick: () => {
          this.info.classList.remove("looked");
        },
      },
      "×",
    );
    this.info = h(
      "section",
      { class: "panel info", "aria-labelledby": "at-hand" },
      h("div", { class: "info-head" }, h("h2", { id: "at-hand" }, "At hand"), this.chips, close),
      this.infoBody,
    );
    this.note = h("section", { class: "panel note", "aria-label": "In this position", hidden: true });
    this.log = new LogList(
      () => this.sides,
      (n) => {
        this.pause(true);
        this.play.jump(n);
      },
    );
    this.tools = h("div", { class: "tools row" });
    this.waitingFor = h("div", { class: "banner" });
    this.away = h("div", { class: "banner away" });
    // On small screens the choices are a bar at the bottom, which can be folded.
    const fold = h(
      "button",
      {
        type: "button",
        class: "fold quiet",
        "aria-expanded": "true",
        "aria-controls": "dock",
        onclick: () => this.fold(fold),
      },
      "Fold",
    );
    this.when = h("p", { class: "when" });
    this.dock = h(
      "div",
      { class: "dock", id: "dock" },
      h("div", { class: "dock-head" }, this.when, h("span", { class: "zoomer" }, buttons()), fold),
      this.people.notice,
      this.decision.element,
      this.note,
      this.end.element,
      this.guide.element,
      this.info,
    );
    this.frame = h(
      "div",
      { class: "game" },
      h("h1", { class: "unseen" }, `A game of ${reference().title}`),
      h(
        "section",
        { class: "board", "aria-label": "The board" },
        this.away,
        this.waitingFor,
        this.board.element,
        this.now,
        controls,
      ),
      h(
        "aside",
        { class: "side", "aria-label": "The game" },
        this.people.element,
        this.dock,
        this.chat.element,
        h(
          "section",
          { class: "panel told", "aria-labelledby": "what-happened" },
          h("h2", { id: "what-happened" }, "What happened"),
          this.log.element,
        ),
      ),
      h(
        "section",
        { class: "under", "aria-label": "Record" },
        this.tools,
        h("details", { class: "in-words" }, h("summary", {}, "The board in words"), this.boardText),
      ),
    );
    fill(this.main, this.frame);
    const letGo = (event) => {
      if (event.key === "Escape" && !document.querySelector("dialog[open]")) this.board.release();
    };
    window.addEventListener("keydown", letGo, { signal: this.signal });
  }

  fold(button) {
    const folded = this.frame.classList.toggle("folded");
    button.setAttribute("aria-expanded", String(!folded));
    button.textContent = folded ? "Unfold" : "Fold";
  }

  async open() {
    await this.fetch({ moment: true });
    const watching = this.snapshot.seats.every((seat) => seat.agent);
    const fresh = watching && !this.snapshot.result && this.snapshot.count <= 60;
    this.play.told = fresh ? 0 : this.play.events.length;
    await this.play.show(fresh ? 0 : this.play.events.length);
    this.poll();
    this.play.run();
  }

  // The server

  /** Request news.
      @param wait seconds to wait for it
      @param moment whether to include the picture of the present */
  async fetch({ wait = 0, moment = false }) {
    const known =
      this.play.epoch === -1
        ? ""
        : `&after=${this.play.events.length}&epoch=${this.play.epoch}&version=${this.play.version}`;
    const shown = Math.max(0, this.play.shown);
    const { heard } = this.chat;
    const query = `wait=${wait}${known}&shown=${shown}&heard=${heard}&moment=${moment}`;
    this.takeIn(await get(`/api/games/${this.id}?${query}`, this.signal), heard);
  }

  takeIn(snapshot, heard) {
    const changed =
      !this.snapshot ||
      snapshot.version !== this.snapshot.version ||
      snapshot.problem !== this.snapshot.problem ||
      JSON.stringify(snapshot.seats) !== JSON.stringify(this.snapshot.seats);
    // A choice in progress belongs to the previous position, whose picture stays until the new one is drawn.
    if (snapshot.version !== this.snapshot?.version) this.ahead = null;
    const back = this.play.take(snapshot);
    this.snapshot = snapshot;
    this.people.draw();
    this.chat.take(snapshot, heard);
    if (!changed) return;
    if (!this.turn.open) this.board.select(null);
    this.decision.hint = null;
    this.slider.max = this.play.events.length;
    if (back) {
      this.log.clear();
      this.play.jump(this.play.events.length);
    } else if (this.play.atEnd && this.play.shown >= 0) {
      this.play.jump(this.play.events.length);
    }
    this.panels();
    // Without a first picture there is nothing to continue from.
    if (this.play.shown >= 0) this.play.run();
  }

  async poll() {
    let failures = 0;
    while (!this.signal.aborted) {
      try {
        // Spectators ask again soon, because agents play on only as far as is shown.
        const watching = this.snapshot.seats.every((seat) => seat.agent) && !this.snapshot.result;
        const busyHere = watching || !this.play.atEnd;
        if (this.snapshot.result && this.play.atEnd) await sleep(5000, this.signal);
        // Tell people at once that the server is back.
        await this.fetch({ wait: failures ? 0 : busyHere ? 1 : 15 });
        failures = 0;
        fill(this.away);
        if (busyHere) await sleep(400, this.signal);
      } catch (error) {
        if (this.signal.aborted) return;
        failures += 1;
        if (error.status === 404) {
          const told = this.may("watch") ? error.message : "You are no longer watching this game.";
          fill(this.away, h("p", { role: "alert" }, told));
          return;
        }
        const told = error.code === "away" ? "The server does not answer" : error.message;
        fill(this.away, h("p", {}, `${told}; trying again …`));
        await sleep(Math.min(10000, 700 * failures), this.signal);
      }
    }
  }

  /** Send a request about this game in its shown version. If the game has changed, fetch it, and repeat the request
      while `still` returns true, since agents may play faster than one clicks. */
  async post(path, body = {}, still = () => false) {
    for (let tries = 0; ; tries += 1) {
      try {
        return await post(`/api/games/${this.id}/${path}`, { version: this.play.version, ...body });
      } catch (error) {
        if (error.code !== "stale") throw error;
        await this.fetch({}).catch(() => {});
        if (tries === 3 || !still()) throw error;
      }
    }
  }

  async send(path, body = {}, still = undefined) {
    if (this.sending) return;
    this.sending = true;
    this.given += 1;
    this.decision.element.setAttribute("aria-busy", "true");
    this.focusNext ||= this.decision.element.contains(document.activeElement);
    try {
      await this.post(path, body, still);
      await this.fetch({});
    } catch (error) {
      if (this.signal.aborted) return;
      toast(error.message);
      await this.fetch({}).catch(() => {});
    } finally {
      this.sending = false;
      this.decision.element.removeAttribute("aria-busy");
      this.panels();
    }
  }

  pause(on) {
    this.play.paused = on;
    fill(this.pauseButton, icon(on ? "play" : "pause"));
    this.pauseButton.setAttribute("aria-label", on ? "Continue" : "Pause");
    this.pauseButton.title = on ? "Continue" : "Pause";
    this.play.hurry();
    this.panels();
    if (!on) this.play.run();
  }

  // Display

  async drawn_(svg, n, fresh, moment) {
    this.when.textContent = moment.when;
    const before = this.board.picture,
      picture = new Picture(svg);
    Object.assign(this, { ahead: null, base: picture });
    this.board.show(picture);
    this.turn.take(moment.turn ?? null);
    if (fresh.length && fresh.length < 12) glide(before, picture, this.play.time(fresh) * 0.8);
    this.slider.value = n;
    const last = this.play.events[n - 1];
    this.tellNow(this.play.events.slice(0, n).findLast((event) => !hidden(event)));
    const told = fresh.filter((event) => !hidden(event));
    if (told.length) announce(told.map((event) => event.text).join(". "));
    this.log.show(this.play.events, n);
    this.end.moment(n);
    fill(this.boardText, boardAsText(picture, moment.text));
    this.drawNote(moment, n);
    this.drawInfo(moment, `${n}/${this.play.version}`);
    this.panels();
    this.board.follow(reference().moves.includes(last?.kind));
  }

  /** The button that shows and hides the legend of a map that has one. */
  legendButton() {
    const toggle = () => {
      const shown = this.frame.classList.toggle("keyed");
      if (shown) this.board.element.querySelector(".legend")?.scrollIntoView({ block: "nearest", inline: "nearest" });
      else this.board.follow();
      for (const button of this.frame.querySelectorAll(".legend-button"))
        button.setAttribute("aria-pressed", String(shown));
    };
    const label = { "aria-label": "Legend", title: "Legend", "aria-pressed": "false" };
    return h("button", { type: "button", class: "icon legend-button", ...label, onclick: toggle }, "?");
  }

  /** The choices that can be made now, following a choice in progress if there is one. */
  choices() {
    if (!this.play.atEnd || !this.snapshot?.yours) return [];
    return this.ahead?.choices ?? this.snapshot.actions;
  }

  get status() {
    return this.ahead?.status ?? this.snapshot.status;
  }

  /** Begin or continue a choice of several decisions without sending it; false if it is complete, so that it must
      be sent. */
  async begin(actions, version) {
    const { given } = this;
    const found = await this.post("ahead", { actions, version });
    if (given !== this.given || version !== this.play.version) return true; // cancelled, or the game has changed
    if (found.whole) return false;
    const { svg, ...rest } = found;
    this.ahead = { ...rest, actions };
    this.board.select(null);
    this.board.show(new Picture(svgElement(svg)));
    this.board.follow();
    this.panels();
    announce(`${this.status.question} ${plural(this.ahead.choices.length, "choice")}`);
    return true;
  }

  /** Wait until questions are answered and pictures drawn; false if the position has changed by then. */
  async settled() {
    const { version } = this.play;
    if (this.sending) return false;
    while (this.asking) await this.asking;
    await this.play.drawing;
    return !this.sending && version === this.play.version;
  }

  /** Cancel a choice in progress, or about to start; false if there is none. */
  letGo() {
    this.given += 1;
    if (!this.ahead) return false;
    this.ahead = null;
    this.board.select(null);
    this.board.show(this.base);
    this.panels();
    return true;
  }

  /** Take back the last decision of the choice in progress. */
  async back() {
    const actions = this.ahead.actions.slice(0, -1);
    if (!actions.length || !(await this.begin(actions, this.play.version))) this.letGo();
  }

  /** True if an action is possible now: the server lists those that are not. */
  may(what) {
    return !(what in this.snapshot.refused);
  }

  get sides() {
    return this.snapshot.seats.map((seat) => seat.side);
  }

  tellNow(last) {
    fill(
      this.now,
      last
        ? [last.die ? die(last.die, 30, this.sides[last.whose]) : null, h("span", {}, ruled(last.text))]
        : h("span", {}, "Start of the game."),
    );
  }

  /** The note on this position, and the events of its scene. */
  drawNote({ note, scene }, n) {
    const events = scene === null ? [] : this.play.events.slice(scene, n).filter((event) => !hidden(event));
    // At the end of the game show the result and its reason; the last battle is one step back.
    const ended = Boolean(this.snapshot.result) && n === this.play.events.length;
    this.note.hidden = ended || (!note && !events.length);
    this.frame.classList.toggle("in-scene", !this.note.hidden);
    this.frame.classList.toggle("over", ended);
    if (this.note.hidden) return;
    fill(
      this.note,
      noteBlock(
        note ?? { title: events.find((event) => event.scene)?.scene ?? "", facts: [], table: null },
        events,
        this.sides,
      ),
    );
    const lines = this.note.querySelector(".so-far");
    if (lines) lines.scrollTop = lines.scrollHeight;
  }

  panels() {
    if (!this.snapshot || this.play.shown < 0) return;
    for (const part of [this.people, this.guide, this.end]) part.draw();
    // Show the playback while somebody looks back, and when the game is over.
    const { result, seats } = this.snapshot;
    this.frame.classList.toggle("in-playback", Boolean(result) || this.play.paused || !seats.some((seat) => seat.you));
    const key = JSON.stringify([
      this.snapshot.version,
      this.play.atEnd,
      this.snapshot.problem,
      this.snapshot.seats,
      [...(this.board.selected ?? [])],
      this.ahead?.actions,
      this.decision.hint,
      this.sending,
      this.play.paused,
      this.snapshot.waiting,
      this.turn.stampNow,
    ]);
    if (key === this.drawn) return;
    this.drawn = key;
    const hadFocus = this.decision.element.contains(document.activeElement);
    this.decision.draw();
    this.showQuestion();
    if (this.focusNext || hadFocus) {
      if (!this.sending && this.play.atEnd) {
        (this.turn.current ?? this.decision.element.querySelector("h2"))?.focus({ preventScroll: true });
        this.focusNext = false;
      } else {
        this.focusNext = true;
      }
    }
    this.drawChips();
    this.drawTools();
    this.people.drawInvitation();
  }

  /** Scroll a new question into view, wherever the last one was. */
  showQuestion() {
    const asked = JSON.stringify([this.play.events.length, this.ahead?.actions]);
    if (!this.snapshot.yours || !this.play.atEnd || asked === this.shownFor) return;
    this.shownFor = asked;
    for (let part = this.decision.element; part !== this.frame; part = part.parentElement) part.scrollTop = 0;
  }

  /** The rules for the present question. */
  drawChips() {
    const rules = this.play.atEnd && !this.snapshot.result ? [...new Set(this.snapshot.status.rules)] : [];
    if (this.chips.dataset.rules === rules.join(" ")) return;
    this.chips.dataset.rules = rules.join(" ");
    fill(
      this.chips,
      rules.map((rule) => {
        const tell = () => this.inform(ruleBlock(rule));
        const onclick = () => showRules([rule]); // there may be no room for them here
        const title = ruleLabel(rule);
        const seen = { onfocus: tell, onpointerenter: tell };
        const brief = title.slice(title.indexOf(" ") + 1); // the rule itself shows its number
        return h("button", { type: "button", class: "chip", onclick, title, ...seen }, brief);
      }),
    );
  }

  /** Grey out what is refused, with the reason. */
  grey(button, what) {
    const why = this.snapshot.refused[what];
    button.disabled = Boolean(why);
    button.title = why ?? "";
  }

  drawTools() {
    for (const [what, button] of Object.entries(this.keeping ?? {})) this.grey(button, what);
    if (this.keeping) return;
    const name = h("input", {
      type: "text",
      maxLength: 80,
      "aria-label": "Name of the save",
      placeholder: "Name of the save",
      size: 16,
    });
    const save = h("button", { type: "submit" }, "Save");
    const record = h(
      "button",
      {
        type: "button",
        class: "record",
        onclick: async () => {
          try {
            download(`${slug(reference().title)}.jsonl`, await getText(`/api/games/${this.id}/record`));
          } catch (error) {
            toast(error.message);
          }
        },
      },
      "Download the record",
    );
    this.keeping = { save };
    this.drawTools();
    fill(
      this.tools,
      h(
        "form",
        {
          class: "row save",
          onsubmit: (event) => {
            event.preventDefault();
            busy(save, async () => {
              const called = name.value.trim() || `${this.snapshot.status.when}, ${new Date().toLocaleString()}`;
              await this.post("saves", { name: called }, () => true);
              name.value = "";
              toast("Saved. You can find it under Games.");
            });
          },
        },
        name,
        save,
      ),
      record,
      reference().editor ? h("a", { class: "button", href: `#/edit/${this.id}` }, "Edit this position") : null,
    );
  }

  // At hand

  point(action) {
    this.board.point(action);
    const found = this.choices().find((a) => a.action === action);
    if (found) this.inform(choiceBlock(found));
  }

  async act(action) {
    if (this.sending || this.asking) return;
    // The answer applies to the position of the click, whatever has happened meanwhile.
    const { version } = this.play;
    const before = this.ahead?.actions ?? [];
    this.asking = this.ready(action, before, version);
    const may = await this.asking;
    this.asking = null;
    if (may) await this.send("actions", { action, before, version });
  }

  /** True if a choice may be sent: not if it only begins one, or was cancelled meanwhile. Never fails. */
  async ready(action, before, version) {
    const { given } = this;
    try {
      const { opens } = this.choices().find((choice) => choice.action === action) ?? {};
      if (opens && (await this.begin([...before, action], version))) return false;
      return (await this.guide.allows(action)) && given === this.given;
    } catch (error) {
      if (this.signal.aborted) return false;
      toast(error.message);
      await this.fetch({}).catch(() => {});
      return false;
    }
  }

  look(element, picture) {
    const { card, piece, space } = element.dataset;
    this.inform(card ? cardBlock(card) : piece ? pieceBlock(element.dataset) : spaceBlock(space, picture), true);
  }

  /** Say why nothing can be done with a thing on the map, or why a subject that can reach some spaces cannot go
      there: the game's own reason, else the rules for the question.
      @param reach the `spaces` where the subject can go, and the `actions` of the choice in progress */
  async refuse([thing], subject = null, { spaces = [], actions = [] } = {}) {
    const { snapshot } = this;
    if (!snapshot || !this.play.atEnd || snapshot.result) return;
    const called = (one) =>
      one.querySelector("title")?.textContent || spaceName(one.dataset.space ?? one.dataset.place);
    const decider = snapshot.seats[snapshot.player]?.side;
    const side = thing?.dataset.side;
    let why;
    if (!snapshot.yours) why = "It is not your turn.";
    else if (subject && thing && placeOf(thing) !== placeOf(subject))
      why = `${called(subject)} cannot go to ${spaceName(placeOf(thing))} now.`;
    else if (subject) why = `${called(subject)} cannot go there now.`;
    else if (side && side !== decider && this.sides.includes(side))
      why = `${sideWhose(side)} ${called(thing)}: ${sideTitle(decider)} ${sideDoes(decider, "decides", "decide")} now.`;
    else why = `${called(thing)} is not an answer to the question: ${this.status.question}.`;
    const own = snapshot.yours ? await this.whyNot((subject ?? thing).dataset, subject && placeOf(thing), actions) : "";
    const goals = spaces.slice(0, MOST_NAMED).map(spaceName).join(", ");
    const more = goals ? ` It can go to ${goals}${spaces.length > MOST_NAMED ? " and others" : ""}.` : "";
    if (!own) return toast(ruled(`${why}${more} ${this.rulesNow()}`));
    const about = subject ? why.replace(/ now\.$/, "") : called(thing);
    toast(ruled(`${about}: ${own}.${more}`));
  }

  /** The game's reason why a thing cannot be chosen, or cannot go to a space; "" if it has none.
      @param via place that was clicked in between, if an order names two */
  async whyNot({ piece = "", side = "", place, space = "" }, to, actions = [], via = "") {
    const thing = { piece, side, place: place ?? space, via };
    return (await this.post("why_not", { actions, thing, to: to || "" })).why;
  }

  /** The rules for the present question, in the notation of texts. */
  rulesNow() {
    const { rules } = this.status;
    return [...new Set(rules)].map((rule) => (rule.startsWith("R-") ? rule : `[${rule}]`)).join(" ");
  }

  /** Describe the thing that is pointed at, until the position changes. */
  inform(block, looked = false) {
    if (!block) return;
    fill(this.infoBody, block);
    this.infoBody.scrollTop = 0;
    this.info.classList.add("reading");
    if (looked) this.info.classList.add("looked");
  }

  /** Update the panel "At hand" after the position, unless somebody is reading it. */
  drawInfo({ cards }, position) {
    if (position === this.informed || this.infoBody.contains(document.activeElement)) return;
    this.informed = position;
    this.info.classList.remove("looked", "reading");
    this.infoBody.scrollTop = 0;
    fill(
      this.infoBody,
      cards.map(({ label, card }) => cardBlock(card, label)),
      Object.keys(reference().victory).length
        ? h("details", { class: "goal" }, h("summary", {}, "How to win"), victoryBlock())
        : null,
      h(
        "p",
        { class: "soft" },
        `Point at a piece, a space, ${hasCards() ? "a card, " : ""}a choice or a rule to read about it.`,
      ),
    );
  }
}
