// What the browser shows of a game: pictures by event, stepped through at a chosen speed.

import { sleep, svgElement } from "./dom.js";
import { get } from "./requests.js";
import { reference } from "./ruled.js";

export const SPEEDS = { slow: 2, normal: 1, fast: 0.35, instant: 0 };

/** Events that change nothing that can be seen, and are told with the one that follows. */
const quiet = (event) => event.partial || ["done", "pass"].includes(event.kind);

export class Playback {
  /**
   * @param id the game
   * @param signal ends everything
   * @param onShow called with what is shown: (svg element, number of events, those shown since the last time, the
   *   moment: scene, cards, note)
   * @param onFail called with the error where a moment cannot be shown
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
    this.drawing = null; // settled when what is shown is drawn
    this.wake = new AbortController();
    this.stepping = false;
  }

  get atEnd() {
    return this.shown >= this.events.length;
  }

  /** Take in what the server told; true where something was taken back. */
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

  // The last picture has its legal choices ringed, so that it is another one than the same picture later.
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

  /** How long the events that are shown next may move, in milliseconds. */
  time(events) {
    return events.length
      ? Math.max(...events.map((event) => reference().times[event.kind] ?? 150)) * SPEEDS[this.speed]
      : 0;
  }

  /** Whether nothing stands between two events: quiet ones, forced ones, and what was entered at the same time. */
  within(n) {
    const after = this.events[n];
    return quiet(this.events[n - 1]) || Boolean(after?.forced || after?.together);
  }

  /** The number of events after the next moment worth a picture. */
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

  /** Go to a moment, or on from it in the same direction to one that is worth a picture. */
  slide(n) {
    return this.jump(n < this.shown ? this.previous(n + 1) : this.next(n - 1));
  }

  /** Do something that shows moments, and say where it fails; a page that is left has nothing to say. */
  async showing(work) {
    try {
      await work();
    } catch (error) {
      if (!this.signal.aborted) this.onFail(error);
    }
  }

  /** Step on until the end, at the chosen speed; does nothing where it is stepping already. */
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
        // The last picture is what a person decides by: no need to wait after it.
        if (this.shown < this.events.length) await sleep(this.time(this.events.slice(from, to)), this.wake.signal);
      }
    } finally {
      this.stepping = false;
    }
  }

  /** End the wait for the next step. */
  hurry() {
    this.wake.abort();
    this.wake = new AbortController();
  }

  jump(n) {
    this.hurry();
    return this.showing(() => this.show(n));
  }
}
