// Playback of the game: pictures by event, stepped through at a chosen speed.

import { sleep, svgElement } from "./dom.js";
import { get } from "./requests.js";
import { reference } from "./ruled.js";

export const SPEEDS = { slow: 2, normal: 1, fast: 0.35, instant: 0 };

/** Events without a visible change, shown together with the next one. */
const quiet = (event) => event.partial || ["done", "pass"].includes(event.kind);

export class Playback {
  /**
   * @param id the game
   * @param signal stops everything
   * @param onShow called with what is shown: (svg element, number of events, events since the last call, the moment:
   *   scene, cards, note)
   * @param onFail called with the error if a moment cannot be shown
   */
  constructor(id, signal, onShow, onFail) {
    Object.assign(this, {
      id,
      signal,
      onShow,
      onFail,
      events: [],
      epoch: -1,
      version: -1,
      yours: false,
      shown: -1,
      speed: "normal",
      paused: false,
      told: 0,
    });
    this.moments = new Map();
    this.drawing = null; // settled when the present picture is drawn
    this.wake = new AbortController();
    this.stepping = false;
  }

  get atEnd() {
    return this.shown >= this.events.length;
  }

  /** Take in a snapshot; true if events were taken back. */
  take(snapshot) {
    const back = this.epoch !== -1 && snapshot.epoch !== this.epoch;
    this.events.length = Math.min(this.events.length, snapshot.first);
    this.events.push(...snapshot.events);
    if (back) this.moments.clear();
    this.epoch = snapshot.epoch;
    this.version = snapshot.version;
    if (snapshot.moment) this.moments.set(this.key(this.events.length), Promise.resolve(snapshot.moment));
    this.yours = snapshot.yours;
    if (back) this.told = Math.min(this.told, this.events.length);
    return back;
  }

  // In the last picture the legal choices are ringed, so it differs from the picture of the same moment later.
  key(n) {
    return n === this.events.length ? `${n}/${this.version}` : `${n}`;
  }

  moment(n) {
    const key = this.key(n);
    if (!this.moments.has(key)) {
      const wanted = get(`/api/games/${this.id}/moments/${n}`, this.signal);
      wanted.catch(() => this.moments.delete(key));
      this.moments.set(key, wanted);
      if (this.moments.size > 80) this.moments.delete(this.moments.keys().next().value);
    }
    return this.moments.get(key);
  }

  show(n) {
    const drawn = this.draw(n);
    this.drawing = drawn.catch(() => {});
    return drawn;
  }

  async draw(n) {
    this.shown = Math.max(0, Math.min(n, this.events.length));
    const wanted = this.shown;
    const { svg, ...moment } = await this.moment(wanted);
    if (this.signal.aborted || this.shown !== wanted) return;
    const fresh = this.shown > this.told ? this.events.slice(this.told, this.shown) : [];
    this.told = Math.max(this.told, this.shown);
    await this.onShow(svgElement(svg), this.shown, fresh, moment);
  }

  /** The duration of the animation of the next events, in milliseconds. */
  time(events) {
    return events.length
      ? Math.max(...events.map((event) => reference().times[event.kind] ?? 150)) * SPEEDS[this.speed]
      : 0;
  }

  /** True if nothing is shown between two events: quiet ones, forced ones, and those entered at the same time. */
  within(n) {
    const after = this.events[n];
    return quiet(this.events[n - 1]) || Boolean(after?.forced || after?.together);
  }

  /** The number of events after the next moment that has a picture of its own. */
  next(from = this.shown) {
    let n = from + 1;
    while (n < this.events.length && this.within(n)) n += 1;
    return Math.min(n, this.events.length);
  }

  previous(from = this.shown) {
    let n = from - 1;
    while (n > 0 && this.within(n)) n -= 1;
    return Math.max(n, 0);
  }

  /** Go to a moment, or on in the same direction to the next one that has a picture of its own. */
  slide(n) {
    return this.jump(n < this.shown ? this.previous(n + 1) : this.next(n - 1));
  }

  /** Run a function that shows moments, and report its errors, unless the page has been left. */
  async showing(work) {
    try {
      await work();
    } catch (error) {
      if (!this.signal.aborted) this.onFail(error);
    }
  }

  /** Step on to the end, at the chosen speed; do nothing if it is stepping already. */
  run() {
    return this.showing(() => this.step());
  }

  async step() {
    if (this.stepping) return;
    this.stepping = true;
    try {
      while (!this.atEnd && !this.paused && !this.signal.aborted) {
        if (!SPEEDS[this.speed]) {
          await this.show(this.events.length);
          continue;
        }
        const from = this.shown;
        const to = this.next();
        if (this.next(to) > to) this.moment(this.next(to)).catch(() => {});
        await this.show(to);
        // No wait is needed after the last picture: it is the one for the decision.
        if (this.shown < this.events.length) await sleep(this.time(this.events.slice(from, to)), this.wake.signal);
      }
    } finally {
      this.stepping = false;
    }
  }

  /** End the wait before the next step. */
  hurry() {
    this.wake.abort();
    this.wake = new AbortController();
  }

  jump(n) {
    this.hurry();
    return this.showing(() => this.show(n));
  }
}
