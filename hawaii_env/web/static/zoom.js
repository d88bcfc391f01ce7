// A map that is larger than its window: by buttons, and by two fingers.

import { h, icon } from "./dom.js";

const LARGEST = 4;

export class Zoom {
  /**
   * @param map the element that scrolls; the picture in it is as wide as --zoom says
   * @param changed called after each change
   */
  constructor(map, changed = () => {}) {
    Object.assign(this, { map, changed, by: 1 });
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
        this.set((before * apart(event.touches)) / from);
      },
      { passive: false },
    );
  }

  /** Small screens begin with a part of the map, whose pieces a finger can hit. */
  begin(small = 1.8) {
    this.set(matchMedia("(max-width: 700px), (max-height: 480px)").matches ? small : 1);
  }

  set(by) {
    const { map } = this,
      before = this.by;
    const x = map.scrollLeft + map.clientWidth / 2,
      y = map.scrollTop + map.clientHeight / 2;
    this.by = Math.min(LARGEST, Math.max(1, by));
    map.style.setProperty("--zoom", String(this.by));
    map.classList.toggle("zoomed", this.by > 1);
    const grown = this.by / before;
    Object.assign(map, { scrollLeft: x * grown - map.clientWidth / 2, scrollTop: y * grown - map.clientHeight / 2 });
    this.changed();
  }

  buttons() {
    const button = (label, sign, by) =>
      h(
        "button",
        { type: "button", class: "icon", "aria-label": label, title: label, onclick: () => this.set(this.by * by) },
        icon(sign),
      );
    return [button("Map smaller", "minus", 0.8), button("Map larger", "plus", 1.25)];
  }
}
