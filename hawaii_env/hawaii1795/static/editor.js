// The position editor: pieces are dragged or tapped to their places, a form has all the rest; the server says whether
// the position can be.

import { announce, fill, h, svgElement } from "/static/dom.js";
import { get, post } from "/static/requests.js";
import { sideName, spaceName } from "/static/info.js";
import { reference } from "/static/ruled.js";
import { Placing } from "./placing.js";
import { busy, diceField, enter, field, seatFields } from "/static/start.js";
import { Zoom } from "/static/zoom.js";

// What belongs to a moment within a half-turn, and is left to the server where the moment changes.
const MOMENT = [
  "battle",
  "retreat",
  "fleet",
  "field",
  "window",
  "then",
  "setup",
  "bonuses",
  "events_played",
  "recruits",
  "homes",
  "decks",
  "dealt",
  "decider",
  "card",
  "fleet_moves",
];
const DERIVED = ["box", "winner", "reason"];
const PHASES = {
  card: "a card is drawn",
  recruiting: "recruiting",
  movement: "movement",
  window: "a held card may be played",
  home: "pieces go home",
  withdrawal: "withdrawal",
  pickup: "fleet: pick-up",
  cargo: "fleet: cargo",
  sail: "fleet: sailing",
  approach: "which landing first",
  launch: "war fleet or not",
  commit: "composing a war fleet",
  battle_order: "which battle first",
  fire: "battle: fire",
  loss: "battle: a loss",
  panic: "battle: a panic",
  canoe_loss: "canoes lost",
  retreat: "retreat",
  event: "a card’s die",
  sighting: "sighting die",
  advantage: "advantage dice",
  hit_die: "battle: a die",
};

export async function editorPage(main, game, signal) {
  const loaded = game ? await get(`/api/games/${game}/position`, signal) : null;
  new Editor(main, loaded?.scenario ?? "long", loaded?.position ?? structuredClone(reference().starts.long));
}

class Editor {
  constructor(main, scenario, position) {
    Object.assign(this, { main, scenario, position, past: [] });
    this.problem = h("div", { role: "alert", class: "problem" });
    this.preview = h("div", {
      class: "map preview",
      tabIndex: 0,
      role: "group",
      "aria-label":
        "The position. Pieces are dragged, or tapped and then their place; “Numbers” does the same without a " +
        "pointer.",
    });
    this.placing = new Placing(
      this.preview,
      (piece, place) => this.place(piece, place),
      (piece) => this.tellPicked(piece),
    );
    this.zoom = new Zoom(this.preview);
    this.hand = h("p", { class: "hand", role: "status" });
    this.all = h("input", { type: "checkbox", id: "all-of-a-kind" });
    this.question = h("p", { class: "now" });
    this.moment = h("div", {});
    this.form = h("div", {});
    this.data = h("textarea", {
      rows: 16,
      spellcheck: false,
      class: "data",
      id: "position-data",
      onchange: () => this.readData(),
    });
    this.seats = seatFields();
    this.dice = diceField();
    this.begin = h(
      "button",
      { type: "button", class: "primary", onclick: () => busy(this.begin, () => this.start()) },
      "Start a game from here",
    );
    this.back = h("button", { type: "button", onclick: () => this.takeBack() }, "Take back");
    fill(
      main,
      h(
        "div",
        { class: "editor" },
        h(
          "div",
          { class: "work" },
          h("h1", {}, "Position editor"),
          this.hand,
          h("div", { class: "preview-box" }, this.preview, h("div", { class: "zoomer" }, this.zoom.buttons())),
          this.question,
          this.problem,
          h(
            "div",
            { class: "row" },
            this.back,
            h(
              "div",
              { class: "check" },
              this.all,
              h("label", { htmlFor: "all-of-a-kind" }, "move all of a kind together"),
            ),
            h(
              "button",
              {
                type: "button",
                onclick: () =>
                  this.change(() => {
                    this.position = structuredClone(reference().starts[this.scenario] ?? reference().starts.long);
                  }),
              },
              "Back to the scenario’s start",
            ),
            h(
              "button",
              {
                type: "button",
                onclick: () =>
                  this.change(() => {
                    this.position.units = {};
                    this.position.dead = [];
                  }),
              },
              "Clear the map",
            ),
          ),
          h(
            "details",
            { class: "panel numbers-panel" },
            h("summary", {}, "Numbers: how many of each piece stand where"),
            this.form,
          ),
          h(
            "details",
            { class: "panel" },
            h("summary", {}, "The position as data"),
            h(
              "p",
              { class: "soft" },
              "Everything, including what the form does not show: a battle, a loading fleet, marks of pieces " +
                "(warrior_2/panicked). As in game.position(...).",
            ),
            h("label", { htmlFor: "position-data" }, "JSON"),
            this.data,
          ),
        ),
        h(
          "aside",
          { class: "side", "aria-label": "When, and who plays" },
          this.moment,
          h("section", { class: "panel" }, this.seats.box, this.dice.box, h("div", { class: "row" }, this.begin)),
        ),
      ),
    );
    this.tellPicked(null);
    this.draw();
    this.check();
  }

  /** What is sent. */
  get wanted() {
    const made = { ...this.position };
    for (const key of DERIVED) delete made[key];
    for (const [key, value] of Object.entries(made)) if (value === null) delete made[key];
    return made;
  }

  changeMoment(key, value) {
    this.change(() => {
      this.position[key] = value;
      for (const name of MOMENT) delete this.position[name];
    });
  }

  changed() {
    this.draw();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.check(), 150);
  }

  /** Change the position so that it can be taken back. */
  change(how) {
    this.past.push([this.scenario, structuredClone(this.position)]);
    how();
    this.changed();
  }

  takeBack() {
    const before = this.past.pop();
    if (!before) return;
    [this.scenario, this.position] = before;
    this.changed();
  }

  // Placing by hand

  /** The name of a piece with how many stand together. */
  nameOf(piece) {
    const found = reference().pieces.find(
      (entry) => entry.kind === piece.pieceKind && [piece.side, "neutral"].includes(entry.side),
    ) ?? { name: piece.pieceKind };
    return found.name;
  }

  tellPicked(piece) {
    this.hand.textContent = piece
      ? `${this.nameOf(piece)} (${sideName(piece.side)}): tap where it goes, a space, its recruit box or ` +
        "“gone for good”. Each tap moves one."
      : "Drag a piece to where it stands, or tap it and then its place. Pieces in the recruit boxes are not in play.";
  }

  /** Move a piece of the picture to a space, "box" or "dead". */
  place(piece, to) {
    const { side, pieceKind: kind, piece: text, place: from, count } = piece;
    const kauai = kind.startsWith("kauai_");
    const owner = kauai ? (this.position.kauai ?? "neutral") : side;
    const many = this.all.checked ? Number(count) : 1;
    this.change(() => {
      const units = (this.position.units ??= {}),
        dead = (this.position.dead ??= []);
      for (let n = 0; n < many; n += 1) {
        const there = from === "dead" ? dead : (units[side]?.[from] ?? []);
        const at = from === "dead" ? dead.indexOf(`${kauai ? "neutral" : side}:${kind}`) : there.indexOf(text);
        if (at >= 0) there.splice(at, 1);
        if (units[side]?.[from] && !units[side][from].length) delete units[side][from];
        // What stands nowhere is in its box; pieces of Kauaʻi have none.
        if (to === "dead" || (to === "box" && kauai)) dead.push(`${kauai ? "neutral" : side}:${kind}`);
        else if (to !== "box") ((units[owner] ??= {})[to] ??= []).push(kind);
      }
    });
    announce(
      `${this.nameOf(piece)}: ${to === "box" ? "recruit box" : to === "dead" ? "gone for good" : spaceName(to)}`,
    );
  }

  readData() {
    try {
      const found = JSON.parse(this.data.value);
      if (!found || typeof found !== "object" || Array.isArray(found)) throw new Error("expected a table { ... }");
      this.change(() => {
        this.position = found;
      });
    } catch (error) {
      fill(this.problem, h("p", {}, `The data are not JSON: ${error.message}`));
    }
  }

  async check() {
    const wanted = JSON.stringify(this.wanted);
    this.begin.disabled = true;
    try {
      const found = await post("/api/positions", { scenario: this.scenario, position: this.wanted, sketch: true });
      if (wanted !== JSON.stringify(this.wanted)) return;
      const { scrollLeft, scrollTop } = this.preview;
      const svg = svgElement(found.svg);
      fill(this.preview, svg);
      this.zoom.measure({ svg, readable: Number(svg.dataset.readable) });
      Object.assign(this.preview, { scrollLeft, scrollTop });
      this.placing.redrawn();
      this.question.textContent = found.question;
      this.question.hidden = Boolean(found.problem);
      if (found.problem) return this.tellProblem(found.problem);
      fill(this.problem);
      if (this.position.phase === "movement" && this.position.fleet_moves === undefined) {
        // A half that has come to movement has the fleet moves of its card.
        this.position.fleet_moves = reference().cards[found.position.card]?.fleets ?? 0;
        return this.changed();
      }
      this.begin.disabled = false;
    } catch (error) {
      if (wanted === JSON.stringify(this.wanted)) this.tellProblem(error.message);
    }
  }

  tellProblem(text) {
    fill(this.problem, h("p", {}, h("strong", {}, "This position is impossible. "), text));
  }

  async start() {
    enter(
      await post("/api/games", {
        scenario: this.scenario,
        seats: this.seats.read({ scenario: this.scenario }),
        dice: this.dice.read(),
        position: this.wanted,
      }),
    );
  }

  // The form

  select(label, options, value, onchange) {
    const control = h(
      "select",
      { onchange: () => onchange(control.value) },
      options.map(([id, text]) => h("option", { value: id }, text)),
    );
    control.value = value;
    return field(label, control);
  }

  draw() {
    const setup = reference();
    const { position } = this;
    const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
    const phases = setup.phases
      .map((id) => [id, PHASES[id] ?? id])
      .sort((a, b) => Object.keys(PHASES).indexOf(a[0]) - Object.keys(PHASES).indexOf(b[0]));
    const cards = Object.entries(setup.cards).filter(([, card]) => card.side === position.half);
    const focused = document.activeElement?.id;
    fill(
      this.moment,
      h(
        "fieldset",
        { class: "grid panel" },
        h("legend", {}, "When"),
        this.select("Scenario", Object.entries(setup.scenarios), this.scenario, (value) =>
          this.change(() => {
            this.scenario = value;
          }),
        ),
        this.select(
          "Month",
          setup.months.map((m) => [m, capital(m)]),
          position.turn,
          (value) => this.changeMoment("turn", value),
        ),
        this.select(
          "Half of",
          setup.sides.map((s) => [s.id, s.name]),
          position.half,
          (value) => this.changeMoment("half", value),
        ),
        this.select("Phase", phases, position.phase, (value) => this.changeMoment("phase", value)),
        this.select(
          "Card in effect",
          [["", "the usual one"], ...cards.map(([id, card]) => [id, `${card.number} ${card.title}`])],
          position.card ?? "",
          (value) =>
            this.change(() => {
              if (value) position.card = value;
              else delete position.card;
              delete position.decks;
              delete position.dealt;
            }),
        ),
        field(
          "Fleet moves left",
          this.number("fleet-moves", position.fleet_moves ?? 0, 0, 39, (n) =>
            this.change(() => {
              position.fleet_moves = n;
            }),
          ),
        ),
        this.select(
          "Kauaʻi stands with",
          [["neutral", "nobody"], ...setup.sides.map((s) => [s.id, s.name])],
          position.kauai ?? "neutral",
          (value) => this.turnKauai(value),
        ),
        h(
          "div",
          { class: "field" },
          h("span", { class: "label" }, "Held cards"),
          Object.entries(setup.cards)
            .filter(([, card]) => card.holds)
            .map(([id, card], n) =>
              h(
                "div",
                { class: "check" },
                h("input", {
                  type: "checkbox",
                  id: `held-${n}`,
                  checked: (position.held ?? []).includes(id),
                  onchange: (e) =>
                    this.change(() => {
                      position.held = (position.held ?? []).filter((c) => c !== id);
                      if (e.target.checked) position.held.push(id);
                      delete position.decks;
                    }),
                }),
                h("label", { htmlFor: `held-${n}` }, `${card.title} (${sideName(card.side)})`),
              ),
            ),
        ),
      ),
    );
    fill(
      this.form,
      ["kamehameha", "allied", "neutral"].map((side) => this.table(side)),
    );
    this.back.disabled = !this.past.length;
    if (focused) document.getElementById(focused)?.focus();
    if (document.activeElement !== this.data) this.data.value = JSON.stringify(this.wanted, null, 1);
  }

  number(id, value, min, max, onchange, label) {
    return h("input", {
      type: "number",
      id,
      min,
      max,
      value,
      inputMode: "numeric",
      "aria-label": label,
      onchange: (event) => onchange(Math.max(min, Math.min(max, Math.trunc(Number(event.target.value)) || 0))),
    });
  }

  /** The side under which a kind's pieces are listed. */
  owner(side) {
    return side === "neutral" ? (this.position.kauai ?? "neutral") : side;
  }

  pieces(side, place) {
    return this.position.units?.[this.owner(side)]?.[place] ?? [];
  }

  here(side, kind, place) {
    return this.pieces(side, place).filter((text) => text.split("/")[0] === kind);
  }

  set(side, kind, place, n) {
    this.change(() => {
      const places = ((this.position.units ??= {})[this.owner(side)] ??= {});
      const rest = (places[place] ?? []).filter((text) => text.split("/")[0] !== kind);
      const own = this.here(side, kind, place).slice(0, n);
      while (own.length < n) own.push(kind);
      places[place] = [...rest, ...own];
      if (!places[place].length) delete places[place];
    });
  }

  turnKauai(value) {
    this.change(() => {
      const units = (this.position.units ??= {});
      const from = units[this.position.kauai ?? "neutral"] ?? {};
      const to = (units[value] ??= {});
      for (const [place, pieces] of Object.entries(from)) {
        const moving = pieces.filter((text) => text.startsWith("kauai_"));
        if (!moving.length) continue;
        from[place] = pieces.filter((text) => !text.startsWith("kauai_"));
        if (!from[place].length) delete from[place];
        to[place] = [...(to[place] ?? []), ...moving];
      }
      this.position.kauai = value;
    });
  }

  table(side) {
    const setup = reference();
    const kinds = setup.pieces.filter((piece) => piece.side === side && piece.count);
    const title = side === "neutral" ? "Kauaʻi" : sideName(side);
    const dead = this.position.dead ?? [];
    const rows = kinds.map((piece) => {
      const everywhere = Object.values(this.position.units?.[this.owner(side)] ?? {})
        .flat()
        .filter((text) => text.split("/")[0] === piece.kind).length;
      const gone = dead.filter(
        (text) => text.split(":").pop() === piece.kind && (text.split(":")[0] === side || !text.includes(":")),
      ).length;
      const left = piece.count - everywhere - gone;
      return h(
        "tr",
        { class: left < 0 ? "too-many" : "" },
        h(
          "th",
          { scope: "row" },
          piece.name,
          piece.strength && !piece.name.endsWith(")") ? ` (${piece.strength}${piece.plus ? "+" : ""})` : "",
        ),
        setup.spaces.map((space) =>
          h(
            "td",
            {},
            this.number(
              `n-${side}-${piece.kind}-${space.id}`,
              this.here(side, piece.kind, space.id).length,
              0,
              39,
              (n) => this.set(side, piece.kind, space.id, n),
              `${piece.name} at ${space.name}`,
            ),
          ),
        ),
        h(
          "td",
          { class: "left" },
          left < 0 ? `${-left} too many` : side === "neutral" ? (left ? `${left} gone` : "–") : String(left),
        ),
      );
    });
    return h(
      "fieldset",
      { class: side },
      h("legend", {}, title),
      h(
        "div",
        { class: "scroll", tabIndex: 0, role: "region", "aria-label": `Pieces of ${title}` },
        h(
          "table",
          { class: "numbers" },
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              h("th", { scope: "col" }, "Piece"),
              setup.spaces.map((space) => h("th", { scope: "col" }, space.name)),
              h("th", { scope: "col" }, side === "neutral" ? "Rest" : "In the box"),
            ),
          ),
          h("tbody", {}, rows),
        ),
      ),
    );
  }
}
