// A game: the map, what is to be decided, what has happened, and what the rules say to it.

import { ServerError, announce, die, download, fill, get, getText, h, icon, plural, post, remember, setting, sleep, toast } from "./dom.js";
import { boardAsText, cardBlock, choiceBlock, pieceBlock, reference, ruleBlock, ruleLabel, sideName, spaceBlock, victoryBlock } from "./info.js";
import { glide } from "./moves.js";
import { Playback, SPEEDS } from "./playback.js";
import { busy } from "./start.js";
import { End } from "./end.js";
import { Guide } from "./guide.js";
import { seatName } from "./levels.js";
import { People } from "./people.js";

export async function gamePage(main, id, signal) {
  const page = new GamePage(main, id, signal);
  await page.open();
}

class GamePage {
  constructor(main, id, signal) {
    Object.assign(this, { main, id, signal, snapshot: null, selected: null, hint: null, sending: false, drawn: "", focusNext: false });
    this.play = new Playback(id, signal, (svg, n, fresh) => this.drawn_(svg, n, fresh));
    this.play.speed = setting("speed", "normal") in SPEEDS ? setting("speed", "normal") : "normal";
    Object.assign(this, { people: new People(this), guide: new Guide(this), end: new End(this) });
    this.build();
  }

  // The page

  build() {
    this.map = h("div", { class: "map", tabIndex: 0, role: "group", "aria-label": "Map. Every choice on it is also a button under “Your decision”." });
    this.zoom = matchMedia("(max-width: 700px)").matches ? 2 : 1;
    this.map.addEventListener("click", (event) => this.clicked(event));
    this.map.addEventListener("pointerover", (event) => this.hovered(event));
    this.now = h("p", { class: "now" });
    this.slider = h("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "Moment of the game", oninput: () => { this.pause(true); this.play.jump(Number(this.slider.value)); } });
    const step = (label, sign, onclick) => h("button", { type: "button", class: "icon", "aria-label": label, title: label, onclick }, icon(sign));
    this.pauseButton = step("Pause", "pause", () => this.pause(!this.play.paused));
    this.speed = h("select", { "aria-label": "Speed", onchange: () => { this.play.speed = this.speed.value; remember("speed", this.speed.value); this.play.hurry(); } },
      Object.keys(SPEEDS).map((name) => h("option", { value: name }, name)));
    this.speed.value = this.play.speed;
    this.zoomText = h("span", { class: "soft zoom" });
    const controls = h("div", { class: "controls", role: "group", "aria-label": "Playback" },
      step("Step back", "back", () => { this.pause(true); this.play.jump(this.play.previous()); }),
      this.pauseButton,
      step("Step forward", "forward", () => { this.pause(true); this.play.jump(this.play.next()); }),
      this.slider,
      step("To the present", "end", () => { this.pause(false); this.play.jump(this.play.events.length); }),
      this.speed,
      step("Map smaller", "minus", () => this.setZoom(this.zoom / 1.25)),
      step("Map larger", "plus", () => this.setZoom(this.zoom * 1.25)));
    this.boardText = h("div", {});
    this.decision = h("section", { class: "panel decision", "aria-labelledby": "question" });
    this.info = h("section", { class: "panel info", "aria-label": "At hand" });
    this.log = h("ol", { class: "log", tabIndex: 0, "aria-label": "What happened" });
    this.tools = h("div", { class: "tools row" });
    this.waitingFor = h("div", { class: "banner" });
    fill(this.main, h("div", { class: "game" }, h("h1", { class: "unseen" }, "A game of Hawaii, 1795"),
      h("section", { class: "board", "aria-label": "The board" }, this.waitingFor, this.map, this.now, controls),
      h("aside", { class: "side", "aria-label": "The game" }, this.people.element, this.decision, this.end.element, this.guide.element, this.info),
      h("section", { class: "under", "aria-label": "Record" },
        h("div", { class: "panel" }, h("h2", {}, "What happened"), this.log), this.tools,
        h("details", { class: "in-words" }, h("summary", {}, "The board in words"), this.boardText))));
    this.map.addEventListener("keydown", (event) => { if (event.key === "Escape") this.select(null); });
    this.decision.addEventListener("keydown", (event) => this.arrows(event));
  }

  async open() {
    await this.fetch({});
    const watching = this.snapshot.seats.every((seat) => seat.agent);
    const fresh = watching && !this.snapshot.result && this.snapshot.count <= 60;
    this.play.told = fresh ? 0 : this.play.events.length;
    this.listed = 0;
    this.setZoom(this.zoom);
    await this.play.show(fresh ? 0 : this.play.events.length);
    this.poll();
    this.run();
  }

  // The server

  async fetch({ wait = 0 }) {
    const known = this.play.epoch === -1 ? "" : `&after=${this.play.events.length}&epoch=${this.play.epoch}&version=${this.play.version}`;
    const shown = Math.max(0, this.play.shown);
    const snapshot = await get(`/api/games/${this.id}?wait=${wait}${known}&shown=${shown}`, this.signal);
    this.takeIn(snapshot);
  }

  takeIn(snapshot) {
    const changed = !this.snapshot || snapshot.version !== this.snapshot.version || snapshot.problem !== this.snapshot.problem
      || JSON.stringify(snapshot.seats) !== JSON.stringify(this.snapshot.seats);
    const back = this.play.take(snapshot);
    this.snapshot = snapshot;
    this.people.draw();
    if (!changed) return;
    this.selected = null;
    this.hint = null;
    this.slider.max = this.play.events.length;
    if (back) {
      this.relist();
      this.play.jump(this.play.events.length);
    } else if (this.play.atEnd && this.play.shown >= 0) {
      this.play.jump(this.play.events.length);
    }
    this.panels();
    // Before the first picture there is nothing to go on from.
    if (this.play.shown >= 0) this.run();
  }

  async poll() {
    let failures = 0;
    while (!this.signal.aborted) {
      try {
        // Who watches asks again soon: agents play on as far as is shown.
        const watching = this.snapshot.seats.every((seat) => seat.agent) && !this.snapshot.result;
        const busyHere = watching || !this.play.atEnd;
        if (this.snapshot.result && this.play.atEnd) await sleep(5000, this.signal);
        // Who was away is told at once that the server is back.
        await this.fetch({ wait: failures ? 0 : busyHere ? 1 : 15 });
        if (failures) {
          fill(this.waitingFor);
          this.panels();
        }
        failures = 0;
        if (busyHere) await sleep(400, this.signal);
      } catch (error) {
        if (this.signal.aborted) return;
        failures += 1;
        if (error.status === 404) {
          fill(this.waitingFor, h("p", {}, error.message));
          return;
        }
        fill(this.waitingFor, h("p", {}, `${error instanceof ServerError ? error.message : "The server does not answer"}; trying again …`));
        await sleep(Math.min(10000, 700 * failures), this.signal);
      }
    }
  }

  async send(path, body = {}) {
    if (this.sending) return;
    this.sending = true;
    this.decision.setAttribute("aria-busy", "true");
    this.focusNext = this.decision.contains(document.activeElement);
    try {
      await post(`/api/games/${this.id}/${path}`, { version: this.play.version, ...body });
      await this.fetch({});
    } catch (error) {
      if (this.signal.aborted) return;
      toast(error.message);
      await this.fetch({}).catch(() => {});
    } finally {
      this.sending = false;
      this.decision.removeAttribute("aria-busy");
      this.panels();
    }
  }

  run() {
    this.play.run().catch((error) => {
      toast(error.message);
      // What is no answer of the server's belongs into the browser's console as well.
      if (!(error instanceof ServerError)) throw error;
    });
  }

  pause(on) {
    this.play.paused = on;
    fill(this.pauseButton, icon(on ? "play" : "pause"));
    this.pauseButton.setAttribute("aria-label", on ? "Go on" : "Pause");
    this.pauseButton.title = on ? "Go on" : "Pause";
    this.play.hurry();
    if (!on) this.run();
  }

  // What is shown

  async drawn_(svg, n, fresh) {
    const { scrollLeft, scrollTop } = this.map;
    const before = this.svg;
    fill(this.map, svg);
    this.svg = svg;
    if (fresh.length && fresh.length < 12) glide(before, svg, this.play.time(fresh) * 0.8);
    Object.assign(this.map, { scrollLeft, scrollTop });
    svg.setAttribute("preserveAspectRatio", "xMidYMin meet");
    this.slider.value = n;
    const last = this.play.events[n - 1];
    const told = fresh.filter((event) => !(event.forced && ["done", "pass"].includes(event.kind)));
    this.tellNow(last, told);
    if (told.length) announce(told.map((event) => event.text).join(". "));
    this.extendLog(n);
    this.end.moment(n);
    fill(this.boardText, boardAsText(svg));
    this.applySelection();
    this.panels();
    this.follow(last);
  }

  tellNow(last) {
    fill(this.now, last ? [last.die ? die(last.die, 30) : null, h("span", {}, last.text)]
      : h("span", {}, "The game begins."));
  }

  /** On a small screen the map is wider than the window: go where something happens. */
  follow(last) {
    if (this.zoom <= 1 || !this.svg) return;
    const battle = this.svg.querySelector(".battle");
    const target = battle ?? (last && ["march", "sail", "recruit", "place", "home", "retreat", "battle"].includes(last.kind) ? this.svg.querySelector(".arrow.last, .arrow") : null)
      ?? (this.snapshot?.yours && this.play.atEnd ? this.svg.querySelector(".piece.legal, .space.legal") : null);
    if (!target) return;
    const box = target.getBoundingClientRect();
    const frame = this.map.getBoundingClientRect();
    if (box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom) return;
    this.map.scrollBy({ left: box.left + box.width / 2 - frame.left - frame.width / 2, top: box.top + box.height / 2 - frame.top - frame.height / 2 });
  }

  setZoom(zoom) {
    this.zoom = Math.min(4, Math.max(1, zoom));
    this.map.style.setProperty("--zoom", String(this.zoom));
    this.map.classList.toggle("zoomed", this.zoom > 1);
  }

  relist() {
    this.log.replaceChildren();
    this.listed = 0;
  }

  extendLog(n) {
    const follow = this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < 60;
    for (let i = this.listed; i < n; i += 1) {
      const event = this.play.events[i];
      if (event.forced && ["done", "pass"].includes(event.kind)) continue;
      const who = event.player < 0 ? "chance" : ["kamehameha", "allied"][event.player];
      this.log.append(h("li", { class: who, "data-n": event.n },
        h("button", { type: "button", class: `moment${event.kind === "card" ? " card-drawn" : ""}`, onclick: () => { this.pause(true); this.play.jump(event.n); } },
          event.die ? die(event.die, 16) : null, event.text)));
    }
    this.listed = Math.max(this.listed, n);
    if (follow) this.log.scrollTop = this.log.scrollHeight;
  }

  panels() {
    if (!this.snapshot || this.play.shown < 0) return;
    for (const part of [this.people, this.guide, this.end]) part.draw();
    const key = JSON.stringify([this.snapshot.version, this.play.atEnd, this.snapshot.problem, this.snapshot.seats, [...(this.selected ?? [])], this.hint, this.sending, this.play.paused, this.snapshot.waiting]);
    if (key === this.drawn) return;
    this.drawn = key;
    const hadFocus = this.decision.contains(document.activeElement);
    this.drawDecision();
    if (this.focusNext || hadFocus) {
      if (!this.sending && this.play.atEnd) {
        this.decision.querySelector("h2")?.focus({ preventScroll: true });
        this.focusNext = false;
      } else {
        this.focusNext = true;
      }
    }
    this.drawTools();
    this.drawBanner();
    const at = `${this.snapshot.status.card} ${this.snapshot.status.held}`;
    if (this.play.atEnd && at !== this.informed) {
      this.informed = at;
      this.showDefaultInfo();
    }
  }

  drawBanner() {
    const free = this.snapshot.seats.find((seat) => !seat.joined);
    if (!free) {
      if (this.waitingFor.querySelector(".invitation")) fill(this.waitingFor);
      return;
    }
    if (this.waitingFor.querySelector(".invitation")) return;
    const field = h("input", { type: "text", readOnly: true, "aria-label": "Invitation link", class: "link" });
    const show = (token) => { field.value = `${location.origin}/#/join/${token}`; };
    let kept = null;
    try { kept = JSON.parse(sessionStorage.getItem(`invitation.${this.id}`)); } catch { kept = null; }
    if (kept) show(kept.token);
    const fresh = async () => {
      const made = await post(`/api/games/${this.id}/invitations`);
      try { sessionStorage.setItem(`invitation.${this.id}`, JSON.stringify({ side: made.side, token: made.invitation })); } catch { /* it is shown all the same */ }
      show(made.invitation);
    };
    fill(this.waitingFor, h("div", { class: "invitation" },
      h("p", {}, `${free.side === "allied" ? "The Allies’" : "Kamehameha’s"} seat is free. Whoever opens this link first takes it:`),
      h("div", { class: "row" }, field,
        h("button", { type: "button", onclick: async () => { field.select(); try { await navigator.clipboard.writeText(field.value); toast("Copied."); } catch { toast("Select the link and copy it."); } } }, "Copy"),
        h("button", { type: "button", class: "quiet", onclick: (event) => busy(event.currentTarget, fresh) }, kept ? "New link" : "Make a link"))));
  }

  drawDecision() {
    const { snapshot } = this;
    const { status } = snapshot;
    const seat = snapshot.player >= 0 ? snapshot.seats[snapshot.player] : null;
    const parts = [];
    const heading = (text, side) => h("h2", { id: "question", tabIndex: -1, class: side ?? "" }, text);
    if (!this.play.atEnd) {
      const mover = this.play.events[this.play.shown]?.player;
      const text = this.play.paused ? "Looking back" : mover >= 0 && !snapshot.seats[mover].you ? `${sideName(snapshot.seats[mover].side)} ${mover === 1 ? "move" : "moves"} …` : "It happens …";
      parts.push(heading(text),
        h("div", { class: "row" }, h("button", { type: "button", class: "primary", onclick: () => { this.pause(false); this.play.jump(this.play.events.length); } }, this.play.paused ? "Back to the present" : "Skip to the end")));
      fill(this.decision, parts);
      return;
    }
    if (snapshot.result) {
      parts.push(...this.end.words());
    } else if (snapshot.problem) {
      parts.push(heading("The computer player stopped"), h("p", { role: "alert" }, snapshot.problem), h("button", { type: "button", class: "primary", onclick: () => this.send("retry") }, "Ask it again"));
    } else if (snapshot.chance) {
      parts.push(heading(snapshot.chance.question), h("p", {}, snapshot.chance.kind === "card" ? "Draw a card, and say which." : "Roll the die, and say what it shows."),
        h("div", { class: snapshot.chance.kind === "card" ? "choices column" : "choices dice" }, snapshot.chance.outcomes.map((outcome) => {
          const show = snapshot.chance.kind === "card" ? () => this.inform(cardBlock(outcome.text.split(" ").at(-1))) : undefined;
          return h("button", { onpointerenter: show, onfocus: show, type: "button", class: "choice", title: outcome.text, "data-outcome": outcome.outcome, "aria-label": snapshot.chance.kind === "card" ? `Card ${outcome.label}` : `${outcome.label}`, onclick: () => this.send("chance", { outcome: outcome.outcome }) },
            snapshot.chance.kind === "card" ? outcome.label : die(outcome.outcome, 34), snapshot.chance.kind === "card" ? null : h("span", {}, outcome.label));
        })),
        h("div", { class: "row after" }, h("button", { type: "button", onclick: () => this.send("chance", { outcome: null }) }, snapshot.chance.kind === "card" ? "Draw it for us" : "Roll it for us")));
    } else if (snapshot.yours) {
      parts.push(heading(status.question, seat?.side), h("p", { class: "soft" }, status.help), this.choices());
    } else if (snapshot.waiting) {
      parts.push(heading(`${sideName(seat.side)} (${seatName(seat, snapshot.scenario)}) think${seat.side === "allied" ? "" : "s"} …`), h("p", { class: "soft thinking" }, status.question));
    } else {
      parts.push(heading(seat ? `${sideName(seat.side)} to decide` : status.question), h("p", { class: `soft${seat?.agent && !this.play.paused ? " thinking" : ""}` }, seat?.agent ? "They play on while you watch." : seat?.joined ? "The other player is thinking." : "Nobody has taken that seat yet."));
    }
    const chips = status.rules.filter((rule, n, all) => all.indexOf(rule) === n);
    if (!snapshot.result && chips.length) {
      parts.push(h("div", { class: "chips", role: "group", "aria-label": "Rules at hand" }, chips.map((rule) => h("button", {
        type: "button", class: "chip", onclick: () => this.inform(ruleBlock(rule)), onfocus: () => this.inform(ruleBlock(rule)), onpointerenter: () => this.inform(ruleBlock(rule)), title: ruleLabel(rule),
      }, rule.startsWith("R-") ? rule : `[${rule}]`))));
    }
    fill(this.decision, parts);
  }

  choices() {
    const { snapshot } = this;
    const groups = new Map();
    for (const action of snapshot.actions) {
      if (this.selected && !this.selected.has(action.action)) continue;
      groups.set(action.group, [...(groups.get(action.group) ?? []), action]);
    }
    const chance = new Map((this.hint?.chances ?? []).map((entry) => [entry.action, entry.probability]));
    const button = (action) => {
      const share = chance.get(action.action);
      const advised = this.hint?.action === action.action;
      return h("button", {
        type: "button", class: `choice${advised ? " advised" : ""}${action.group ? "" : " plain"}`, "data-action": action.action, title: action.text,
        onclick: () => this.act(action.action), onpointerenter: () => this.point(action.action), onpointerleave: () => this.point(null), onfocus: () => this.point(action.action), onblur: () => this.point(null),
      }, action.label, share !== undefined ? h("span", { class: "share" }, ` ${Math.round(share * 100)} %`) : null, advised ? h("span", { class: "unseen" }, " (hint)") : null);
    };
    const plain = groups.get("") ?? [];
    groups.delete("");
    const made = [...groups].map(([group, actions], n) => h("div", { class: "group", role: "group", "aria-labelledby": `group-${n}` },
      h("h3", { id: `group-${n}` }, group), h("div", { class: "choices" }, actions.map(button))));
    const parts = [];
    if (this.selected) {
      parts.push(h("p", { class: "row" }, `${plural(this.selected.size, "choice")} for what you clicked.`, h("button", { type: "button", class: "quiet", onclick: () => this.select(null) }, "Show all")));
    }
    parts.push(...made);
    if (plain.length) parts.push(h("div", { class: "choices end" }, plain.map(button)));
    const tools = [h("button", { type: "button", class: "undo", disabled: !snapshot.undo, title: snapshot.undo ? `Take back: ${snapshot.undo}` : "Nothing to take back: a die was rolled since", onclick: () => this.send("undo") }, "Undo")];
    if (snapshot.undo_turn > 1) tools.push(h("button", { type: "button", class: "undo-turn", title: `Take back ${snapshot.undo_turn} decisions`, onclick: () => this.send("undo", { turn: true }) }, "Undo the turn"));
    if (reference().hint) tools.push(h("button", { type: "button", class: "hint", onclick: (event) => this.getHint(event.currentTarget) }, "Hint"));
    parts.push(h("div", { class: "row after" }, tools));
    if (this.hint) parts.push(this.hintWords());
    return parts;
  }

  hintWords() {
    const { hint, snapshot } = this;
    const name = (action) => { const found = snapshot.actions.find((a) => a.action === action); return found ? `${found.group} ${found.label}`.trim() : `${action}`; };
    const rows = hint.chances.slice(0, 5).map((entry) => {
      const bar = h("span", { class: "bar-of", "aria-hidden": "true" });
      bar.style.width = `${Math.max(2, entry.probability * 100)}%`;
      return h("li", {}, h("span", {}, `${name(entry.action)}`), h("span", { class: "share" }, `${Math.round(entry.probability * 100)} %`), bar);
    });
    return h("div", { class: "hint-box", role: "status" },
      h("p", {}, h("strong", {}, `${hint.agent}: `), name(hint.action), hint.expects !== null ? `. It expects you to score ${Math.round(hint.expects * 100)} %.` : ""),
      rows.length ? h("ol", { class: "bars" }, rows) : h("p", { class: "soft" }, "This agent gives no probabilities."));
  }

  async getHint(button) {
    await busy(button, async () => {
      button.textContent = "Thinking …";
      try {
        const found = await post(`/api/games/${this.id}/hint`, { version: this.play.version });
        if (found.version === this.play.version) this.hint = found;
      } finally {
        button.textContent = "Hint";
      }
    });
    this.panels();
  }

  drawTools() {
    if (this.tools.childElementCount && this.toolsUndo === this.snapshot.undo && this.toolsYours === this.snapshot.yours) return;
    this.toolsUndo = this.snapshot.undo;
    this.toolsYours = this.snapshot.yours;
    const name = h("input", { type: "text", maxLength: 80, "aria-label": "Name of the save", placeholder: "Name of the save", size: 16 });
    const save = h("button", { type: "submit" }, "Save");
    fill(this.tools,
      this.snapshot.undo && !this.snapshot.yours ? h("button", { type: "button", class: "undo", onclick: () => this.send("undo") }, `Undo: ${this.snapshot.undo}`) : null,
      h("form", { class: "row save", onsubmit: (event) => { event.preventDefault(); busy(save, async () => { await post(`/api/games/${this.id}/saves`, { name: name.value.trim() || `${this.snapshot.status.month}, ${new Date().toLocaleString()}` }); name.value = ""; toast("Saved. You find it under Games."); }); } }, name, save),
      h("button", { type: "button", class: "record", onclick: async () => { try { download("hawaii-1795.jsonl", await getText(`/api/games/${this.id}/record`)); } catch (error) { toast(error.message); } } }, "Download the record"),
      h("a", { class: "button", href: `#/edit/${this.id}` }, "Edit this position"));
  }

  // The map

  actionsOf(target) {
    const element = target.closest?.("[data-actions]");
    if (!element || !this.play.atEnd || !this.snapshot.yours) return null;
    const legal = new Set(this.snapshot.actions.map((action) => action.action));
    return new Set(element.dataset.actions.split(" ").map(Number).filter((action) => legal.has(action)));
  }

  clicked(event) {
    this.hovered(event);
    const found = this.actionsOf(event.target);
    if (!found?.size) return this.select(null);
    // A second click narrows the first: the unit, then the space where it goes.
    const both = this.selected ? new Set([...found].filter((action) => this.selected.has(action))) : found;
    const next = both.size ? both : found;
    if (next.size === 1) return this.act([...next][0]);
    this.select(next);
  }

  select(actions) {
    this.selected = actions;
    this.applySelection();
    this.panels();
    if (actions) announce(`${plural(actions.size, "choice")}`);
  }

  applySelection() {
    if (!this.svg) return;
    this.svg.classList.toggle("narrowed", Boolean(this.selected));
    for (const element of this.svg.querySelectorAll("[data-actions]")) {
      const found = element.dataset.actions.split(" ").map(Number);
      element.classList.toggle("chosen", Boolean(this.selected) && found.some((action) => this.selected.has(action)));
    }
  }

  point(action) {
    if (!this.svg) return;
    for (const element of this.svg.querySelectorAll("[data-actions]")) {
      element.classList.toggle("pointed", action !== null && element.dataset.actions.split(" ").includes(String(action)));
    }
    if (action !== null) {
      const found = this.snapshot.actions.find((a) => a.action === action);
      if (found) this.inform(choiceBlock(found));
    }
  }

  async act(action) {
    if (!this.sending && await this.guide.allows(action)) this.send("actions", { action });
  }

  hovered(event) {
    const element = event.target.closest?.("[data-piece], [data-card], path[data-space]");
    if (!element || !this.svg) return;
    if (element.dataset.card) this.inform(cardBlock(element.dataset.card));
    else if (element.dataset.piece) this.inform(pieceBlock(element.dataset));
    else this.inform(spaceBlock(element.dataset.space, this.svg));
  }

  inform(block) {
    if (block) fill(this.info, h("h2", {}, "At hand"), block);
  }

  showDefaultInfo() {
    const { card, held } = this.snapshot.status;
    fill(this.info, h("h2", {}, "At hand"),
      card ? [h("p", { class: "soft" }, "The card in effect:"), cardBlock(card)] : null,
      held.length ? [h("p", { class: "soft" }, "Held:"), held.map(cardBlock)] : null,
      h("details", { class: "goal" }, h("summary", {}, "How to win"), victoryBlock()),
      h("p", { class: "soft" }, "Point at a piece, a space, a card, a choice or a rule to read about it."));
  }

  /** Arrow keys go through the choices. */
  arrows(event) {
    if (!["ArrowDown", "ArrowUp"].includes(event.key) || event.target.matches("input, select")) return;
    const all = [...this.decision.querySelectorAll("button:not([disabled])")];
    const at = all.indexOf(document.activeElement);
    const next = all[(at + (event.key === "ArrowDown" ? 1 : at < 0 ? 0 : -1) + all.length) % all.length];
    if (next) {
      next.focus();
      event.preventDefault();
    }
  }
}
