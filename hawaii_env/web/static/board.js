// The map: pointing at, selecting and targeting pieces and spaces, and scrolling.

import { announce, fill, h, plural, shape } from "./dom.js";
import { drawMarks } from "./marks.js";
import { Zoom } from "./zoom.js";

const MOST_IN_BUBBLE = 6;

/** A key for an element of the map, to find it again in the next picture. */
function nameOf(element) {
  const { space, piece, place, card, side } = element.dataset;
  return card ? `card ${card}` : piece ? `piece ${side} ${place} ${piece}` : `space ${space}`;
}

const DRAGGED = 6; // pixels of movement after which a press is not a click
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const middle = (element) => {
  const { left, top, width, height } = element.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
};

export class Board {
  /**
   * @param page callbacks of the map: choices(), the actions that may be chosen now, or []; label(action); act(action);
   *   begun(), the choice of several decisions in progress, or null; letGo(), which cancels it;
   *   settled(), which waits for pending answers and drawings, and returns false if the position has changed by then;
   *   markOf(choice), the text on its space;
   *   look(element, picture);
   *   refuse(things, subject, reach), which says why nothing can be done there;
   *   narrowed(actions), called when the selection has changed; turn, if whole turns are entered by clicks
   */
  constructor(page) {
    Object.assign(this, { page, picture: null, selected: null, subject: null, picked: "", drag: null, cursor: null });
    this.asked = false;
    this.map = h("div", {
      class: "map",
      tabIndex: 0,
      role: "group",
      "aria-label": "Map. Arrow keys move between choices, Enter selects one. Every choice is also a button.",
    });
    this.beside = h("div", {
      class: "beside",
      tabIndex: 0,
      role: "group",
      "aria-label": "Beside the map",
      hidden: true,
    });
    this.bubble = h("div", { class: "bubble", role: "group", "aria-label": "What you clicked", hidden: true });
    this.zoom = new Zoom(this.map, () => {
      this.placeBubble();
      this.drawMarks();
    });
    this.open = h(
      "button",
      { type: "button", class: "open-beside", hidden: true, "aria-expanded": "false", onclick: () => this.unfold() },
      "Tracks",
    );
    this.element = h(
      "div",
      { class: "map-box" },
      this.map,
      this.beside,
      this.bubble,
      this.open,
    );
    for (const part of [this.map, this.beside]) {
      part.addEventListener("click", (event) => this.clicked(event));
      part.addEventListener("pointerdown", (event) => this.pressed(event));
      part.addEventListener("pointerover", (event) => {
        if (event.pointerType === "mouse" && !this.drag) this.look(event.target);
      });
    }
    this.element.addEventListener("keydown", (event) => this.typed(event));
    this.map.addEventListener("scroll", () => this.placeBubble());
  }

  get svg() {
    return this.picture?.svg ?? null;
  }

  /** Show a picture; the selection stays if it is still possible. */
  show(picture) {
    const first = !this.zoom.begun;
    const { scrollLeft, scrollTop } = first ? {} : this.map;
    this.picture = picture;
    fill(this.beside, picture.beside);
    this.beside.hidden = this.open.hidden = !picture.beside;
    this.element.classList.toggle("has-beside", Boolean(picture.beside));
    picture.svg.setAttribute("preserveAspectRatio", picture.beside ? "xMidYMid meet" : "xMidYMin meet");
    // The first picture is measured before it is attached, so that the layout happens once; a battle must be attached.
    if (first && !picture.querySelector(".battle")) this.zoom.measure(picture);
    fill(this.map, picture.svg);
    if (!this.zoom.begun || !first) this.zoom.measure(picture);
    if (first) this.zoom.middle();
    else Object.assign(this.map, { scrollLeft, scrollTop });
    this.mark();
    if (first) this.follow();
  }

  /** On small screens, panels beside the map lie over it. */
  unfold() {
    const shown = this.element.classList.toggle("unfolded");
    this.open.setAttribute("aria-expanded", String(shown));
  }

  // Looking

  look(target) {
    const element = target.closest?.(
      "[data-piece], [data-card], path[data-space], .label[data-space], .cell, .place-name",
    );
    if (element && this.picture) this.page.look(element, this.picture);
  }

  // Selecting, then targeting

  /** The legal actions that an element names: those that begin with it, or, as `targets`, those that only end there. */
  actionsOf(element, what = "actions") {
    const named = element.dataset[what]?.split(" ").map(Number) ?? [];
    const legal = new Set(this.page.choices().map((choice) => choice.action));
    return new Set(named.filter((action) => legal.has(action)));
  }

  /** What a point of the picture refers to, the nearest first: an element, and the space that it stands on or names. */
  things(target) {
    const element = target?.closest?.("[data-actions], [data-targets], [data-place], [data-space]");
    if (!element) return [];
    const { place, space } = element.dataset;
    const on = this.picture.querySelector(`path.space[data-space="${CSS.escape(place ?? space ?? "")}"]`);
    return on && on !== element ? [element, on] : [element];
  }

  /** All actions that an element names. */
  named(element) {
    return new Set([...this.actionsOf(element), ...this.actionsOf(element, "targets")]);
  }

  async clicked(event) {
    if (this.dragged) return;
    this.look(event.target);
    if (this.page.turn?.open) return this.page.turn.clicked(event, this.svg);
    const { target, clientX, clientY } = event;
    if (!(await this.page.settled())) return;
    await this.press(target.isConnected ? target : document.elementFromPoint(clientX, clientY));
  }

  /**
   * A click only selects, unless a selected piece can go to the clicked space: then the space is its target. A decision
   * that only begins a choice is made at once, as nothing is sent yet.
   */
  async press(target) {
    const things = this.things(target);
    const element = things.find((one) => this.named(one).size) ?? null;
    if (!element) {
      if (this.page.begun()) return this.again(things);
      if (things.length) this.page.refuse(things, this.subject, this.reach());
      return this.select(null);
    }
    const found = this.actionsOf(element),
      ends = this.actionsOf(element, "targets");
    if (found.size === 1 && this.opens([...found][0])) return this.take(things);
    if (element.matches(".button"))
      return found.size === 1 ? this.page.act([...found][0]) : this.select(found, element);
    if (this.selected && this.picked === nameOf(element)) return this.select(null);
    const isSpace = element.matches("path.space");
    if (this.page.begun() && isSpace && found.size === 1) return this.page.act([...found][0]);
    const both =
      this.selected && isSpace && this.subject
        ? new Set([...found, ...ends].filter((action) => this.selected.has(action)))
        : new Set();
    if (both.size === 1) return this.page.act([...both][0]);
    const wanted = both.size ? both : found;
    this.select(wanted.size ? wanted : null, wanted.size ? element : null);
  }

  opens(action) {
    return Boolean(this.page.choices().find((choice) => choice.action === action)?.opens);
  }

  /** Cancel a choice in progress, and begin one with another thing if possible. */
  async again(things) {
    const names = things.map(nameOf),
      reach = this.reach();
    this.page.letGo();
    const now = names.map((name) => this.find(name)).filter(Boolean);
    if (now.some((one) => [...this.actionsOf(one)].some((action) => this.opens(action)))) await this.take(now);
    else if (things.length) this.page.refuse(things, this.taken, reach);
  }

  /** The choice in progress: the spaces where it can end, and the actions that it has begun. */
  reach() {
    if (!this.page.begun() && !this.subject) return {};
    const fits = (space) =>
      [...this.named(space)].some((action) => this.page.begun() || this.selected?.has(action));
    const spaces = this.picture.querySelectorAll("path.space").filter(fits);
    return { spaces: [...new Set(spaces.map((space) => space.dataset.space))], actions: this.page.begun()?.actions };
  }

  find(name) {
    return this.picture.querySelectorAll("[data-piece], [data-space], [data-card]").find((one) => nameOf(one) === name);
  }

  /**
   * Begin a choice with a piece, or with all pieces on a space: make the decisions that only begin it and name them.
   */
  async take(things) {
    const names = things.map(nameOf),
      taken = new Set();
    [this.taken] = things;
    this.select(null);
    for (let first = true; ; first = false) {
      // If the first decision names the space, the space itself is the subject.
      const next = (first ? names : names.slice(0, 1))
        .map((name) => this.find(name))
        .map((element) => (element ? [...this.actionsOf(element)] : []))
        .find((actions) => actions.length === 1 && !taken.has(actions[0]) && this.opens(actions[0]));
      if (!next) break;
      taken.add(next[0]);
      const before = this.page.begun();
      await this.page.act(next[0]);
      if (!this.page.begun() || this.page.begun() === before) return;
    }
    const open = this.page.choices().filter((choice) => choice.opens);
    const goals = this.page.choices().length - open.length;
    const source = this.find(names.at(-1));
    // No target is possible yet: first ask which piece goes.
    if (source && !goals && open.length && open.length <= MOST_IN_BUBBLE)
      this.select(new Set(open.map((choice) => choice.action)), source);
  }

  // Dragging from a subject to its target

  pressed(event) {
    this.dragged = false;
    if (event.button || !this.picture || this.drag) return;
    const things = this.things(event.target);
    // A finger on anything else moves the map.
    if (event.pointerType === "touch" && !things[0]?.matches(".piece")) return;
    const can = this.page.turn?.open ? things.length : things.some((one) => this.named(one).size);
    const { clientX: x, clientY: y, target } = event;
    this.drag = { x, y, target, things, pans: !can && this.zoom.by > 1, can, taken: null, ghost: null };
    const ends = new AbortController();
    const { signal } = ends;
    // While a finger drags a piece, the map does not scroll, even after the picture under it was replaced.
    if (can) target.addEventListener("touchmove", (moved) => moved.preventDefault(), { passive: false });
    window.addEventListener("pointermove", (moved) => this.moved(moved), { signal });
    for (const name of ["pointerup", "pointercancel"])
      window.addEventListener(
        name,
        (up) => {
          ends.abort();
          this.released(up);
        },
        { signal },
      );
  }

  moved({ clientX: x, clientY: y, pointerId }) {
    const { drag } = this;
    if (!this.dragged && Math.hypot(x - drag.x, y - drag.y) < DRAGGED) return;
    if (!this.dragged && drag.can) {
      this.element.setPointerCapture(pointerId); // the picture under the finger is replaced
      drag.taken = this.takeUp(drag);
      drag.ghost = this.ghost(drag.things[0]);
    }
    this.dragged = true;
    if (drag.pans) this.map.scrollBy(drag.x - x, drag.y - y);
    if (drag.pans) Object.assign(drag, { x, y });
    if (drag.ghost) Object.assign(drag.ghost.style, { left: `${x}px`, top: `${y}px` });
  }

  async takeUp({ target, things, x, y }) {
    if (this.page.turn?.open) return this.page.turn.clicked({ target, clientX: x, clientY: y }, this.svg);
    if (!(await this.page.settled())) return;
    if (this.page.begun() && !things.some((one) => this.named(one).size)) return this.again(things);
    if (!this.selected || this.picked !== nameOf(things.find((one) => this.named(one).size))) await this.press(target);
  }

  /** The dragged thing, under the pointer. */
  ghost(element) {
    if (!element.matches(".piece")) return null;
    const { width, height } = element.getBoundingClientRect(),
      box = element.getBBox();
    const copy = element.cloneNode(true);
    copy.removeAttribute("transform");
    const svg = shape("svg", { viewBox: `${box.x} ${box.y} ${box.width} ${box.height}`, width, height }, copy);
    svg.setAttribute("font-family", this.svg.getAttribute("font-family") ?? "");
    const ghost = h("div", { class: "ghost", "aria-hidden": "true" }, svg);
    document.body.append(ghost);
    return ghost;
  }

  async released({ clientX: x, clientY: y, type }) {
    const { drag } = this;
    this.drag = null;
    drag.ghost?.remove();
    if (type !== "pointerup") return;
    if (!drag.taken && this.dragged && drag.things[0]?.matches(".piece")) this.page.refuse(drag.things);
    if (!drag.taken) return;
    await drag.taken;
    const target = document.elementFromPoint(x, y);
    if (this.page.turn?.open) return this.page.turn.clicked({ target, clientX: x, clientY: y }, this.svg);
    if (this.map.contains(target) || this.beside.contains(target)) this.drop(this.things(target), drag.things);
  }

  drop(things, from) {
    if (things.at(-1) && nameOf(things.at(-1)) === nameOf(from.at(-1))) return; // not moved: it stays selected
    for (const element of things) {
      const fit = [...this.named(element)].filter((action) => this.page.begun() || this.selected?.has(action));
      if (fit.length === 1) return this.page.act(fit[0]);
      if (fit.length) return this.select(new Set(fit), element);
    }
    if (!this.page.begun() && !this.selected) return;
    const reach = this.reach();
    this.page.letGo();
    this.select(null);
    this.page.refuse(things, from[0], reach);
  }

  // Keyboard

  async typed(event) {
    const way = ARROWS[event.key];
    if (event.target !== this.map || this.page.turn?.open || !(way || event.key === "Enter")) return;
    if (this.page.choices().length) event.preventDefault(); // otherwise arrow keys scroll the map
    const name = this.cursor && nameOf(this.cursor);
    if (!(await this.page.settled())) return;
    if (this.cursor && !this.cursor.isConnected) this.cursor = this.find(name) ?? null;
    if (way) this.step(way);
    else if (this.cursor) await this.press(this.cursor);
  }

  /** Clear the selection, and cancel a choice in progress. */
  release() {
    if (this.page.turn?.open) this.page.turn.select(null);
    else if (!this.page.letGo()) this.select(null);
  }

  /** Point at the next selectable thing in a direction. */
  step([right, down]) {
    const all = this.picture.querySelectorAll("[data-actions]").filter((one) => this.named(one).size);
    if (!all.length) return;
    const [x, y] = this.cursor?.isConnected ? middle(this.cursor) : middle(this.map);
    const far = (one) => {
      const [u, v] = middle(one),
        along = (u - x) * right + (v - y) * down;
      return along > 2 ? along + 2 * Math.abs((u - x) * down + (v - y) * right) : Infinity;
    };
    const next = this.cursor?.isConnected ? all.reduce((best, one) => (far(one) < far(best) ? one : best)) : all[0];
    if (this.cursor?.isConnected && far(next) === Infinity) return;
    this.cursor?.classList.remove("pointed");
    this.cursor = next;
    next.classList.add("pointed");
    if (this.map.contains(next)) this.center(next);
    const named = this.named(next);
    const said = this.page.choices().filter((choice) => named.has(choice.action));
    announce(said.map((choice) => `${choice.group} ${choice.label}`.trim()).join("; "));
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

  /** Show the selection in the picture and in the bubble. */
  mark() {
    if (!this.svg) return;
    if (this.selected && !this.anchor?.isConnected) {
      this.anchor =
        this.picture.querySelectorAll("[data-actions]").find((element) => nameOf(element) === this.picked) ?? null;
      if (!this.anchor) this.selected = null;
    }
    for (const part of this.picture.parts) part.classList.toggle("narrowed", Boolean(this.selected));
    for (const element of this.picture.querySelectorAll("[data-actions], [data-targets]")) {
      const { actions = "", targets = "" } = element.dataset;
      const found = `${actions} ${targets}`.split(" ").filter(Boolean).map(Number);
      element.classList.toggle("chosen", Boolean(this.selected) && found.some((action) => this.selected.has(action)));
      element.classList.toggle("picked", Boolean(this.selected) && element === this.anchor);
    }
    this.drawMarks();
    this.fillBubble();
  }

  drawMarks() {
    if (!this.svg) return;
    const unit = Math.max(1, 1 / (this.zoom.fit.scale * this.zoom.by));
    drawMarks(this.svg, unit, (space) => {
      const named = this.actionsOf(space);
      const choice = !this.page.turn?.open && this.page.choices().find(({ action }) => named.has(action));
      return choice && this.page.markOf(choice);
    });
  }

  /** Ring the things that an action names. */
  point(action) {
    if (!this.picture) return;
    for (const element of this.picture.querySelectorAll("[data-actions]")) {
      element.classList.toggle(
        "pointed",
        action !== null && element.dataset.actions.split(" ").includes(String(action)),
      );
    }
  }

  // Choices beside the clicked thing

  fillBubble() {
    const open = Boolean(this.selected && this.anchor);
    if (this.bubble.contains(document.activeElement)) this.map.focus({ preventScroll: true });
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
          "aria-label": "Deselect",
          title: "Deselect",
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
   * Ask at a point of the picture which of some choices is meant, each with `label` and `act`. Without a point, do
   * nothing.
   */
  offer(point, choices = [], close = () => {}) {
    this.bubble.hidden = !point;
    this.anchor = null;
    if (!point || !this.svg) return;
    const quiet = { type: "button", class: "quiet close", "aria-label": "Deselect", title: "Deselect", onclick: close };
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
    // Large shapes, such as islands, have the mark in their middle.
    const top = box.height > frame.height / 3 ? box.top + box.height / 2 - frame.top : above >= 4 ? above : below;
    this.bubble.style.left = `${Math.max(4, Math.min(frame.width - width - 4, middle - width / 2))}px`;
    this.bubble.style.top = `${Math.max(4, Math.min(frame.height - height - 4, top))}px`;
  }

  /** If the map is larger than its window, scroll to where something happens or can be chosen. */
  follow(moved) {
    if (this.zoom.by <= 1 || !this.svg) return;
    const all = (selector) => [...this.svg.querySelectorAll(selector)];
    const battle = all(".battle"),
      arrows = moved ? all(".arrow.last, .arrow") : [];
    const lit = this.page.turn?.open
      ? all(".turn-ring.subject")
      : this.page.choices().length
        ? all(".piece.legal:not(.box *), .space.legal")
        : [];
    // At the start, when nothing on the map can be chosen yet, show one's own pieces.
    const own = this.asked ? [] : this.page.own().flatMap((side) => all(`.piece[data-side="${CSS.escape(side)}"]`));
    // When a decision is due, show what can be chosen.
    const targets = [battle, lit, arrows, own].find((found) => found.length) ?? [];
    // Show all of one's units if each of them gets orders, and at the first decision.
    const enough = !this.asked || this.page.turn?.open ? "every" : "some";
    this.asked ||= lit.length > 0;
    if (targets.length && !targets[enough]((target) => this.sees(target))) this.center(...targets);
  }

  sees(target) {
    const box = target.getBoundingClientRect(),
      frame = this.map.getBoundingClientRect();
    return box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom;
  }

  /** Scroll a map that is larger than its window to elements outside it. */
  center(...targets) {
    if (targets.every((target) => this.sees(target))) return;
    const frame = this.map.getBoundingClientRect(),
      points = targets.map(middle);
    const all = (n) => points.map((at) => at[n]);
    const between = (n) => (Math.min(...all(n)) + Math.max(...all(n))) / 2;
    const wide = (n) => Math.max(...all(n)) - Math.min(...all(n));
    let [x, y] = [between(0), between(1)];
    // If they do not fit, show the one closest to their centre, rather than the space between them.
    if (wide(0) > frame.width || wide(1) > frame.height) {
      const far = ([u, v]) => Math.hypot(u - x, v - y);
      [x, y] = points.reduce((best, at) => (far(at) < far(best) ? at : best));
    }
    this.map.scrollBy({ left: x - frame.left - frame.width / 2, top: y - frame.top - frame.height / 2 });
  }
}
