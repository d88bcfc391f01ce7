// The log of a game: its events in order, under headings.

import { fill, h } from "./dom.js";
import { lineWords } from "./note.js";

/** Events that need not be shown: choices without an alternative, and parts that are described with the whole. */
export const hidden = (event) => event.partial || (event.forced && ["done", "pass"].includes(event.kind));

export class LogList {
  /**
   * @param sides returns the ids of the sides, by player
   * @param onMoment called with the number of the event that is clicked
   */
  constructor(sides, onMoment) {
    Object.assign(this, { sides, onMoment, listed: 0, chapter: "", heads: [] });
    this.element = h("ol", { class: "log", tabIndex: 0, "aria-label": "What happened" });
    Object.assign(this, { atEnd: true, touched: -Infinity });
    const touch = () => (this.touched = performance.now());
    for (const kind of ["wheel", "touchmove", "pointerdown", "keydown"])
      this.element.addEventListener(kind, touch, { passive: true });
    this.element.addEventListener("scroll", () => {
      // A list scrolls by itself, too, when its height or place changes.
      if (performance.now() - this.touched > 1000) return;
      const { scrollHeight, scrollTop, clientHeight } = this.element;
      touch();
      this.atEnd = scrollHeight - scrollTop - clientHeight < 40;
    });
    // When the height of the list changes, keep the marked line in view, or the end.
    new ResizeObserver(() => this.keep()).observe(this.element);
  }

  clear() {
    this.element.replaceChildren();
    Object.assign(this, { listed: 0, chapter: "", heads: [] });
  }

  /** Show the events up to the n-th, and mark it. */
  show(events, n) {
    const list = this.element;
    const follow = this.atEnd;
    for (let i = this.listed; i < n; i += 1) this.add(events[i]);
    this.listed = Math.max(this.listed, n);
    list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const shown = [...list.querySelectorAll("li[data-n]")].findLast((item) => Number(item.dataset.n) <= n);
    if (n < this.listed && shown) shown.setAttribute("aria-current", "true");
    else this.atEnd = follow;
    this.keep();
  }

  /** Scroll to the marked line, or to the end if it was the last. */
  keep() {
    const marked = this.element.querySelector("[aria-current]");
    if (marked) {
      const { offsetTop, clientHeight } = this.element;
      this.element.scrollTop = Math.max(0, marked.offsetTop - offsetTop - clientHeight / 2);
    } else if (this.atEnd) this.end();
  }

  /** Scroll to the end, so that no line is cut off under the chapter, which stays at the top. */
  end() {
    const list = this.element;
    list.style.setProperty("--rest", "0px"); // no padding while measuring
    const above = list.querySelector(".chapter")?.offsetHeight ?? 0,
      from = list.scrollHeight - list.clientHeight;
    if (from > 0) {
      const whole = [...list.children].find((line) => !line.matches(".chapter") && line.offsetTop - above >= from);
      if (whole) list.style.setProperty("--rest", `${whole.offsetTop - above - from}px`);
    }
    list.scrollTop = list.scrollHeight;
  }

  add(event) {
    const head = (kind, tag, text) => this.heads.push(h("li", { class: `head ${kind}` }, h(tag, {}, text)));
    if (event.chapter) {
      this.chapter = event.chapter;
      head("chapter", "h3", event.chapter);
    }
    if (event.heading && event.heading !== event.chapter) {
      // The chapter stays at the top.
      head(
        "half",
        "h4",
        event.heading.startsWith(`${this.chapter}: `) ? event.heading.slice(this.chapter.length + 2) : event.heading,
      );
    }
    if (event.scene && event.scene !== event.heading) head("scene", "h5", event.scene);
    if (hidden(event)) return; // a heading waits for its first line
    this.element.append(...this.heads.splice(0));
    const who = this.sides()[event.player] ?? "chance";
    const button = h("button", {
      type: "button",
      class: `moment${event.kind === "card" ? " card-drawn" : ""}${event.lost ? " lost" : ""}`,
      onclick: () => this.onMoment(event.n),
    });
    fill(button, lineWords(event, this.sides()));
    this.element.append(h("li", { class: `${who}${event.inside ? " inside" : ""}`, "data-n": event.n }, button));
  }
}
