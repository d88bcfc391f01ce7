// The map: pieces and spaces that are pointed at, selected and targeted, and where it is scrolled to.

import { announce, fill, h, plural, shape } from "./dom.js";
import { drawMarks } from "./marks.js";
import { Zoom } from "./zoom.js";

const MOST_IN_BUBBLE = 6;

/** What an element of the map is, so that it is known again in the next picture. */
function nameOf(element) {
  const { space, piece, place, card, side } = element.dataset;
  return card ? `card ${card}` : piece ? `piece ${side} ${place} ${piece}` : `space ${space}`;
}

const DRAGGED = 6; // pixels after which a press is no click
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const middle = (element) => {
  const { left, top, width, height } = element.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
};

export class Board {
  /**
   * @param page what the map asks: choices() the actions that may be chosen now, [] where none; label(action);
   *   act(action); begun(), the choice of several decisions that is begun, or null, and letGo(), which gives it up;
   *   settled(), which waits for what is being answered and drawn, and is false where the position is another one then;
   *   markOf(choice), what is written on its space;
   *   look(element, picture);
   *   refuse(things, subject, reach), which says why nothing can be done there;
   *   narrowed(actions) where the selection has changed; turn, where whole turns are entered by
   *   clicks
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

  /** Show a picture; what was selected stays so where it can still be chosen. */
  show(picture) {
    const first = !this.zoom.begun;
    const { scrollLeft, scrollTop } = first ? {} : this.map;
    this.picture = picture;
    fill(this.beside, picture.beside);
    this.beside.hidden = this.open.hidden = !picture.beside;
    this.element.classList.toggle("has-beside", Boolean(picture.beside));
    picture.svg.setAttribute("preserveAspectRatio", picture.beside ? "xMidYMid meet" : "xMidYMin meet");
    // The first one is measured before it is there, so that it is laid out once; a battle must be there.
    if (first && !picture.querySelector(".battle")) this.zoom.measure(picture);
    fill(this.map, picture.svg);
    if (!this.zoom.begun || !first) this.zoom.measure(picture);
    if (first) this.zoom.middle();
    else Object.assign(this.map, { scrollLeft, scrollTop });
    this.mark();
    if (first) this.follow();
  }

  /** Where there is little room, what stands beside the map lies over it. */
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

  /** What a point of the picture means, the nearest first: an element, and the space that it stands on or names. */
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
   * A click only selects; but on a space, where a piece is selected that can go there, it is the target. What only
   * begins a choice is taken up at once: nothing is sent yet.
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

  /** Give up what was begun, and take up another thing instead if it can be. */
  async again(things) {
    const names = things.map(nameOf),
      reach = this.reach();
    this.page.letGo();
    const now = names.map((name) => this.find(name)).filter(Boolean);
    if (now.some((one) => [...this.actionsOf(one)].some((action) => this.opens(action)))) await this.take(now);
    else if (things.length) this.page.refuse(things, this.taken, reach);
  }

  /** What is taken up: the spaces where it can go, and the actions that are begun with it. */
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
   * Take up a piece, or with a space all that stands there: decisions that only begin a choice, as far as they name it.
   */
  async take(things) {
    const names = things.map(nameOf),
      taken = new Set();
    [this.taken] = things;
    this.select(null);
    for (let first = true; ; first = false) {
      // The first decision may name the space; then it is the thing itself.
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
    // Nowhere to go yet: it is asked who goes.
    if (source && !goals && open.length && open.length <= MOST_IN_BUBBLE)
      this.select(new Set(open.map((choice) => choice.action)), source);
  }

  // Dragging: a press on what is taken up, and one where it is let go

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
    // A finger that drags a piece does not move the map, also after the picture under it was replaced.
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
      this.element.setPointerCapture(pointerId); // the picture that a finger lies on is replaced
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

  /** What is dragged, under the pointer. */
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
    if (things.at(-1) && nameOf(things.at(-1)) === nameOf(from.at(-1))) return; // where it was: it stays taken up
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

  // By keys

  async typed(event) {
    const way = ARROWS[event.key];
    if (event.target !== this.map || this.page.turn?.open || !(way || event.key === "Enter")) return;
    if (this.page.choices().length) event.preventDefault(); // else an arrow moves the map
    const name = this.cursor && nameOf(this.cursor);
    if (!(await this.page.settled())) return;
    if (this.cursor && !this.cursor.isConnected) this.cursor = this.find(name) ?? null;
    if (way) this.step(way);
    else if (this.cursor) await this.press(this.cursor);
  }

  /** Let go of everything that is taken up or selected. */
  release() {
    if (this.page.turn?.open) this.page.turn.select(null);
    else if (!this.page.letGo()) this.select(null);
  }

  /** Point at the next thing that can be chosen in a direction. */
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

  /** The selection as the picture and the bubble show it. */
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

  /** Ring what an action speaks of. */
  point(action) {
    if (!this.picture) return;
    for (const element of this.picture.querySelectorAll("[data-actions]")) {
      element.classList.toggle(
        "pointed",
        action !== null && element.dataset.actions.split(" ").includes(String(action)),
      );
    }
  }

  // The choices beside what was clicked

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
    const all = (selector) => [...this.svg.querySelectorAll(selector)];
    const battle = all(".battle"),
      arrows = moved ? all(".arrow.last, .arrow") : [];
    const lit = this.page.turn?.open
      ? all(".turn-ring.subject")
      : this.page.choices().length
        ? all(".piece.legal:not(.box *), .space.legal")
        : [];
    // At first, where nothing on the map may be chosen yet, one's own pieces.
    const own = this.asked ? [] : this.page.own().flatMap((side) => all(`.piece[data-side="${CSS.escape(side)}"]`));
    // Who is asked looks at what may be chosen.
    const targets = [battle, lit, arrows, own].find((found) => found.length) ?? [];
    // One's own units all count where orders are given to each of them, and at the first decision.
    const enough = !this.asked || this.page.turn?.open ? "every" : "some";
    this.asked ||= lit.length > 0;
    if (targets.length && !targets[enough]((target) => this.sees(target))) this.center(...targets);
  }

  sees(target) {
    const box = target.getBoundingClientRect(),
      frame = this.map.getBoundingClientRect();
    return box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom;
  }

  /** Scroll a map that is larger than its window to elements that are out of sight. */
  center(...targets) {
    if (targets.every((target) => this.sees(target))) return;
    const frame = this.map.getBoundingClientRect(),
      points = targets.map(middle);
    const all = (n) => points.map((at) => at[n]);
    const between = (n) => (Math.min(...all(n)) + Math.max(...all(n))) / 2;
    const wide = (n) => Math.max(...all(n)) - Math.min(...all(n));
    let [x, y] = [between(0), between(1)];
    // Where they do not fit, the one in their midst is seen, and not what lies between them.
    if (wide(0) > frame.width || wide(1) > frame.height) {
      const far = ([u, v]) => Math.hypot(u - x, v - y);
      [x, y] = points.reduce((best, at) => (far(at) < far(best) ? at : best));
    }
    this.map.scrollBy({ left: x - frame.left - frame.width / 2, top: y - frame.top - frame.height / 2 });
  }
}
