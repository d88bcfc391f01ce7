// Guidance beside the game: a player's aims, the dangers for its chiefs, and a confirmation before a choice that puts
// one at stake.

import { fill, focusQuestion, h, remember, setting, sleep } from "./dom.js";
import { get } from "./requests.js";
import { rulesName, victoryBlock } from "./info.js";
import { reference, ruled } from "./ruled.js";
import { sideWithin } from "./levels.js";
import { ask } from "./dialog.js";
import { tour } from "./tour.js";

const PATIENCE = 2500; // longest time in milliseconds that a choice waits for its warning
const MARKS = { done: ["✓", "done"], open: ["○", "to do"], aim: ["→", "aim"], danger: ["!", "danger"] };

/** Guidance is open in the first game; later one opens it oneself. */
const guided = () => setting("guide", "on") === "on";

export class Guide {
  /** @param page the game's page: id, signal, snapshot, play */
  constructor(page) {
    Object.assign(this, { page, version: -1, asked: null, marks: {}, around: false, tour: null, led: 0 });
    this.body = h("div", {}, h("p", { class: "soft thinking" }, "Looking at the position"));
    this.warn = h("input", {
      type: "checkbox",
      id: "warn",
      checked: setting("warn", "on") === "on",
      onchange: () => remember("warn", this.warn.checked ? "on" : "off"),
    });
    this.element = h(
      "details",
      {
        class: "panel guide",
        hidden: true,
        open: guided() && !matchMedia("(max-width: 700px)").matches,
        ontoggle: () => {
          if (this.ready) remember("guide", this.element.open ? "on" : "off");
          this.draw();
        },
      },
      h("summary", {}, "What matters now"),
      this.body,
      h(
        "p",
        { class: "check", hidden: !reference().guide?.warns },
        this.warn,
        h("label", { htmlFor: "warn" }, reference().guide?.warns),
      ),
    );
    // Opening the panel while it is built is not the user's choice.
    sleep(50).then(() => {
      this.ready = true;
    });
  }

  /** True if choices wait for a warning. */
  get warns() {
    return Boolean(reference().guide?.warns) && this.warn.checked;
  }

  /** True if there is something to show to a spectator. */
  get wanted() {
    return Boolean(this.page.snapshot) && this.page.may("advice");
  }

  draw() {
    const { snapshot, play } = this.page;
    this.element.hidden = !this.wanted;
    if (snapshot && play.shown >= 0) this.welcome();
    if (snapshot) this.lead();
    if (snapshot?.result && setting("guide", "") === "") remember("guide", "off");
    if (!this.wanted || !play.atEnd || this.version === snapshot.version) return;
    // While an agent plays, every moment is a different position.
    const next = snapshot.seats[snapshot.player];
    if (!snapshot.yours && (!next || next.agent || next.stand_in)) return;
    if (!this.element.open && !(snapshot.yours && this.warns)) return;
    this.version = snapshot.version;
    this.marks = {};
    this.asked = this.load(snapshot.version);
  }

  async load(version) {
    try {
      const found = await get(`/api/games/${this.page.id}/advice?version=${version}`, this.page.signal);
      if (found.version !== this.page.snapshot.version) return null;
      fill(this.body, this.told(found));
      this.marks = found.marks ?? {};
      this.page.board.drawMarks();
      return found;
    } catch {
      // The game has changed, or the server has no advice now: ask again for the next position.
      if (this.version === version) this.version = -1;
      return null;
    }
  }

  /** Start the first game with how it is won, and then with a guide through the first turn. */
  async welcome() {
    const { snapshot } = this.page;
    const mine = snapshot.seats.find((seat) => seat.you);
    if (!guided() || !mine || snapshot.result || setting("welcomed", "")) return;
    remember("welcomed", "yes");
    const around = await ask({
      title: `Your first game: you play ${sideWithin(mine.side)}`,
      body: [
        h("h3", {}, "How to win"),
        Object.keys(reference().victory).length ? victoryBlock() : reference().short.map((text) => h("p", {}, text)),
        h(
          "p",
          { class: "soft" },
          `“${rulesName()}”, above, has all the rules`,
          reference().guide ? "; “What matters now” follows the game." : ".",
        ),
      ],
      yes: "Show me around",
      no: "Begin",
    });
    this.around = around;
    if (!around) focusQuestion();
    this.lead();
  }

  /** Begin the guide through the first turn as soon as there is one: what it points at is not there before. Each
      choice leads on by a step. */
  lead() {
    const { snapshot, play, signal } = this.page;
    if (snapshot.result) this.tour?.end();
    if (!snapshot.yours || !play.atEnd) return;
    if (this.around) this.tour = tour(signal);
    else if (snapshot.count !== this.led) this.tour?.go(true);
    Object.assign(this, { around: false, led: snapshot.count });
  }

  told(found) {
    return h(
      "div",
      { class: "guide-body" },
      found.sections.map((section) =>
        h(
          "section",
          {},
          h("h3", {}, section.title),
          h(
            "ul",
            {},
            section.lines.map((line) => {
              const [sign, said] = MARKS[line.mark] ?? ["", ""];
              return h(
                "li",
                { class: line.mark },
                h("span", { class: "mark", "aria-hidden": "true" }, sign),
                h("span", {}, said ? h("span", { class: "unseen" }, `${said}: `) : null, ruled(line.text)),
              );
            }),
          ),
        ),
      ),
    );
  }

  /** True if a choice may be sent; asks first if it puts a chief at stake. */
  async allows(action) {
    if (!this.warns || !this.page.snapshot.yours) return true;
    this.draw();
    const { version } = this.page.snapshot;
    const found = await Promise.race([this.asked, sleep(PATIENCE, this.page.signal)]);
    const warning = found?.version === version ? found.warnings[action] : null;
    if (!warning) return true;
    return ask({
      title: reference().guide.warning,
      body: h("p", {}, ruled(warning.text)),
      yes: "Do it anyway",
      no: "Choose something else",
      danger: true,
    });
  }
}
