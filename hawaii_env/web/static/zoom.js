// Zoom of a map that is larger than its window: by buttons, and by two fingers.

import { h, icon } from "./dom.js";

const LARGEST = 4; // times the whole picture, or twice what can be read

export class Zoom {
  /**
   * @param map the element that scrolls; --zoom is the width of the picture in it, relative to its own
   * @param changed called after each change
   */
  constructor(map, changed = () => {}) {
    Object.assign(this, { map, changed, by: 1, readable: 0, fit: { scale: 1, width: 1, height: 0 } });
    new ResizeObserver(() => this.picture && this.measure(this.picture)).observe(map);
    let from = 0,
      before = 1;
    const apart = ([one, other]) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
    map.addEventListener(
      "touchstart",
      (event) => {
        if (event.touches.length === 2) [from, before] = [apart(event.touches), this.by];
      },
      { passive: true },
    );
    map.addEventListener(
      "touchmove",
      (event) => {
        if (event.touches.length !== 2 || !from) return;
        event.preventDefault();
        this.chosen = true;
        this.set((before * apart(event.touches)) / from);
      },
      { passive: false },
    );
  }

  /**
   * Fit the zoom to a picture. The first picture is large enough to be read, even if only a part of it is visible; a
   * picture with panels around its board is treated so only on small screens.
   */
  measure({ svg, readable, beside }) {
    const { width, height } = svg.viewBox.baseVal,
      { clientWidth, clientHeight } = this.map;
    if (!clientWidth || !width) return;
    const scale = Math.min(clientWidth / width, clientHeight / height),
      fit = { scale, width: (scale * width) / clientWidth, height: scale * height };
    Object.assign(this, { picture: { svg, readable, beside }, fit, readable: readable / scale });
    if (this.chosen || (this.begun && !readable)) return this.set(this.by);
    this.begun = true;
    const narrow = matchMedia("(max-width: 700px), (max-height: 480px)").matches;
    const battle = svg.querySelector(".battle"); // must be visible as a whole
    const most = battle ? clientWidth / (scale * battle.getBBox().width) : Infinity;
    this.set(Math.min(narrow || beside ? this.readable : 1, most));
  }

  set(by) {
    const { map } = this,
      before = this.by;
    const x = map.scrollLeft + map.clientWidth / 2,
      y = map.scrollTop + map.clientHeight / 2;
    this.by = Math.min(Math.max(LARGEST, 2 * this.readable), Math.max(1, by));
    map.style.setProperty("--zoom", String(this.by * this.fit.width));
    map.style.setProperty("--tall", `${this.by * this.fit.height}px`);
    map.classList.toggle("zoomed", this.by > 1);
    const grown = this.by / before;
    Object.assign(map, { scrollLeft: x * grown - map.clientWidth / 2, scrollTop: y * grown - map.clientHeight / 2 });
    this.changed();
  }

  /** Scroll to the middle of the picture. */
  middle() {
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = this.map;
    if (this.by > 1) this.map.scrollTo((scrollWidth - clientWidth) / 2, (scrollHeight - clientHeight) / 2);
  }

  /** The user zooms; keep that size from now on. */
  choose(by) {
    this.chosen = true;
    this.set(this.by * by);
  }

  buttons() {
    const button = (label, sign, by) =>
      h(
        "button",
        { type: "button", class: "icon", "aria-label": label, title: label, onclick: () => this.choose(by) },
        icon(sign),
      );
    return [button("Map smaller", "minus", 0.8), button("Map larger", "plus", 1.25)];
  }
}
