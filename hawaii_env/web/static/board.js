// The map: pieces and spaces that are pointed at, selected and targeted, and where it is scrolled to.

import { announce, fill, h, plural } from "./dom.js";
import { Zoom } from "./zoom.js";

const MOST_IN_BUBBLE = 6;

/** What an element of the map is, so that it is known again in the next picture. */
function nameOf(element) {
  const { space, piece, place, card, side } = element.dataset;
  return card ? `card ${card}` : piece ? `piece ${side} ${place} ${piece}` : `space ${space}`;
}

export class Board {
  /**
   * @param page what the map asks: choices() the actions that may be chosen now, [] where none; label(action);
   *   act(action); look(element, svg);
   *   narrowed(actions) where the selection has changed; turn, where whole turns are entered by clicks
   */
  constructor(page) {
    Object.assign(this, { page, svg: null, selected: null, subject: null, picked: "" });
    this.map = h("div", {
      class: "map",
      tabIndex: 0,
      role: "group",
      "aria-label": "Map. Every choice on it is also a button of the decision.",
    });
    this.bubble = h("div", { class: "bubble", role: "group", "aria-label": "What you clicked", hidden: true });
    this.zoom = new Zoom(this.map, () => this.placeBubble());
    this.element = h(
      "div",
      { class: "map-box" },
      this.map,
      this.bubble,
      h("div", { class: "zoomer" }, this.zoom.buttons()),
    );
    this.map.addEventListener("click", (event) => this.clicked(event));
    this.map.addEventListener("pointerover", (event) => {
      if (event.pointerType === "mouse") this.look(event.target);
    });
    this.map.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      if (this.page.turn?.open) this.page.turn.select(null);
      else this.select(null);
    });
    this.map.addEventListener("scroll", () => this.placeBubble());
  }

  /** Show a picture; what was selected stays so where it can still be chosen. */
  show(svg) {
    const { scrollLeft, scrollTop } = this.map;
    fill(this.map, svg);
    this.svg = svg;
    Object.assign(this.map, { scrollLeft, scrollTop });
    svg.setAttribute("preserveAspectRatio", "xMidYMin meet");
    this.mark();
  }

  // Looking

  look(target) {
    const element = target.closest?.(
      "[data-piece], [data-card], path[data-space], .label[data-space], .cell, .place-name",
    );
    if (element && this.svg) this.page.look(element, this.svg);
  }

  // Selecting, then targeting

  /** The legal actions that an element names: those that begin with it, or, as `targets`, those that only end there. */
  actionsOf(element, what = "actions") {
    const named = element.dataset[what]?.split(" ").map(Number) ?? [];
    const legal = new Set(this.page.choices().map((choice) => choice.action));
    return new Set(named.filter((action) => legal.has(action)));
  }

  /** A click only selects; but on a space, where a piece is selected that can go there, it is the target. */
  clicked(event) {
    this.look(event.target);
    if (this.page.turn?.open) return this.page.turn.clicked(event, this.svg);
    let element = event.target.closest?.("[data-actions], [data-targets]");
    const label = event.target.closest?.(".label[data-space]");
    if (label) element = this.svg.querySelector(`path.space[data-space="${CSS.escape(label.dataset.space)}"]`);
    const found = element ? this.actionsOf(element) : null;
    const ends = element ? this.actionsOf(element, "targets") : new Set();
    if (!found?.size && !ends.size) return this.select(null);
    if (element.matches(".button"))
      return found.size === 1 ? this.page.act([...found][0]) : this.select(found, element);
    if (this.selected && this.picked === nameOf(element)) return this.select(null);
    const isSpace = element.matches("path.space");
    const both =
      this.selected && isSpace && this.subject
        ? new Set([...found, ...ends].filter((action) => this.selected.has(action)))
        : new Set();
    if (both.size === 1) return this.page.act([...both][0]);
    const wanted = both.size ? both : found;
    this.select(wanted.size ? wanted : null, wanted.size ? element : null);
  }

  select(actions, element = null) {
    this.selected = actions;
    this.picked = element ? nameOf(element) : "";
    this.subject = element && !element.matches("path.space") ? element : null;
    this.anchor = element;
    this.mark();
    this.page.narrowed(actions);
    if (actions) announce(`${plural(actions.size, "choice")}`);
  }

  /** The selection as the picture and the bubble show it. */
  mark() {
    if (!this.svg) return;
    if (this.selected && !this.anchor?.isConnected) {
      this.anchor =
        [...this.svg.querySelectorAll("[data-actions]")].find((element) => nameOf(element) === this.picked) ?? null;
      if (!this.anchor) this.selected = null;
    }
    this.svg.classList.toggle("narrowed", Boolean(this.selected));
    for (const element of this.svg.querySelectorAll("[data-actions], [data-targets]")) {
      const { actions = "", targets = "" } = element.dataset;
      const found = `${actions} ${targets}`.split(" ").filter(Boolean).map(Number);
      element.classList.toggle("chosen", Boolean(this.selected) && found.some((action) => this.selected.has(action)));
      element.classList.toggle("picked", Boolean(this.selected) && element === this.anchor);
    }
    this.fillBubble();
  }

  /** Ring what an action speaks of. */
  point(action) {
    if (!this.svg) return;
    for (const element of this.svg.querySelectorAll("[data-actions]")) {
      element.classList.toggle(
        "pointed",
        action !== null && element.dataset.actions.split(" ").includes(String(action)),
      );
    }
  }

  // The choices beside what was clicked

  fillBubble() {
    const open = Boolean(this.selected && this.anchor);
    this.bubble.hidden = !open;
    if (!open) return;
    const choices = this.page.choices().filter((choice) => this.selected.has(choice.action));
    const goes = this.subject && this.svg.querySelector("path.space.chosen");
    fill(
      this.bubble,
      h(
        "button",
        {
          type: "button",
          class: "quiet close",
          "aria-label": "Let go",
          title: "Let go",
          onclick: () => this.select(null),
        },
        "×",
      ),
      choices.length <= MOST_IN_BUBBLE
        ? choices.map((choice) =>
            h(
              "button",
              { type: "button", class: "choice-here", onclick: () => this.page.act(choice.action) },
              `${choice.group} ${choice.label}`.trim(),
            ),
          )
        : h("p", {}, goes ? "Click where it goes, or choose from the list." : "Choose from the list."),
    );
    this.placeBubble();
  }

  /**
   * Ask at a point of the picture which of some choices is meant: each with `label` and `act`; without a point,
   * nothing.
   */
  offer(point, choices = [], close = () => {}) {
    this.bubble.hidden = !point;
    this.anchor = null;
    if (!point || !this.svg) return;
    const quiet = { type: "button", class: "quiet close", "aria-label": "Let go", title: "Let go", onclick: close };
    fill(
      this.bubble,
      h("button", quiet, "×"),
      choices.map(({ label, act }) => h("button", { type: "button", class: "choice-here", onclick: act }, label)),
    );
    const at = new DOMPoint(...point).matrixTransform(this.svg.getScreenCTM());
    const box = { left: at.x - 14, width: 28, top: at.y - 14, bottom: at.y + 14, height: 28 };
    this.anchor = { getBoundingClientRect: () => box, isConnected: true };
    this.placeBubble();
  }

  placeBubble() {
    if (this.bubble.hidden || !this.anchor) return;
    const box = this.anchor.getBoundingClientRect(),
      frame = this.element.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.bubble;
    const middle = box.left + box.width / 2 - frame.left;
    const below = box.bottom - frame.top + 8,
      above = box.top - frame.top - height - 8;
    // Large shapes, as islands, have it in their middle.
    const top = box.height > frame.height / 3 ? box.top + box.height / 2 - frame.top : above >= 4 ? above : below;
    this.bubble.style.left = `${Math.max(4, Math.min(frame.width - width - 4, middle - width / 2))}px`;
    this.bubble.style.top = `${Math.max(4, Math.min(frame.height - height - 4, top))}px`;
  }

  /** Where the map is larger than its window: go where something happens, or to what can be chosen. */
  follow(moved) {
    if (this.zoom.by <= 1 || !this.svg) return;
    const target =
      this.svg.querySelector(".battle") ??
      (moved ? this.svg.querySelector(".arrow.last, .arrow") : null) ??
      (this.page.choices().length ? this.svg.querySelector(".piece.legal, .space.legal") : null);
    if (target) this.center(target);
  }

  /** Scroll a map that is larger than its window to an element that is out of sight. */
  center(target) {
    const box = target.getBoundingClientRect(),
      frame = this.map.getBoundingClientRect();
    if (box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom)
      return;
    this.map.scrollBy({
      left: box.left + box.width / 2 - frame.left - frame.width / 2,
      top: box.top + box.height / 2 - frame.top - frame.height / 2,
    });
  }
}
