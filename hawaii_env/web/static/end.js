// The end of a game: the result and its reason, the curve of chances, rematch, replay, record.

import { download, fill, h, shape, slug, toast } from "./dom.js";
import { get, getText } from "./requests.js";
import { sideDoes, sideTitle, sideWhose, sideWithin } from "./levels.js";
import { sideName } from "./info.js";
import { reference, ruled } from "./ruled.js";
import { busy } from "./start.js";

const WIDE = 320,
  HIGH = 120,
  LEFT = 30,
  FOOT = 4;
const TURNS = 3; // number of turning points to show
const LEAST = 0.08; // smallest change of the chances that counts as one

/** A line on what happened between two positions, and when: losses, the start of a battle, or else the last event. */
function told(events, { from, n }) {
  const seen = events.slice(from, n).filter((event) => !(event.forced && ["done", "pass"].includes(event.kind)));
  const event =
    seen.findLast((one) => one.lost) ?? seen.findLast((one) => one.scene !== null) ?? seen.at(-1) ?? events[n - 1];
  const chapter = events.slice(0, n).findLast((one) => one.chapter !== null)?.chapter;
  return `${chapter ? `${chapter}. ` : ""}${event?.scene ?? event?.text ?? ""}`;
}

const percent = (share) => `${Math.round(share * 100)}%`;

export class End {
  /** @param page the game's page: id, signal, snapshot, play, pause */
  constructor(page) {
    Object.assign(this, { page, asked: false, curve: null });
    this.element = h("section", { class: "panel chances", "aria-label": "How the chances went", hidden: true });
  }

  /** The side whose chances are shown: one's own, else the first. */
  get side() {
    const mine = this.page.snapshot.seats.map((seat, n) => (seat.you ? n : -1)).filter((n) => n >= 0);
    return mine.length === 1 ? mine[0] : 0;
  }

  /** The result in one line, and its reason. */
  heading() {
    const { result, seats } = this.page.snapshot;
    const mine = seats.filter((seat) => seat.you);
    const reason = result.agreed ? "" : `: ${result.reason}`;
    if (result.winner === null) return `${result.agreed ? "A draw, as you agreed" : "A tie"}${reason}`;
    const { side, you } = seats[result.winner];
    if (mine.length === 1) return `${you ? "You have won" : `You have lost to ${sideWithin(side)}`}${reason}`;
    return `${sideTitle(side)} ${sideDoes(side, "has", "have")} won${reason}`;
  }

  why() {
    const { result, seats } = this.page.snapshot;
    if (!result.agreed) return result.why;
    if (result.agreed.kind === "draw") return "Both sides agreed on a draw.";
    const seat = seats[result.agreed.player];
    const alone = seat.you && seats.filter((s) => s.you).length === 1;
    return `${alone ? "You" : seat.name || sideTitle(seat.side)} resigned.`;
  }

  /** Places and points, if there are more than two players, or points. */
  places() {
    const {
      standing: { places, scores },
      seats,
    } = this.page.snapshot;
    const points = (n) => scores?.[n] ?? 0;
    const order = seats.map((seat, n) => n).sort((a, b) => places[a] - places[b] || points(b) - points(a));
    return h(
      "ol",
      { class: "places" },
      order.map((n) => h("li", { value: places[n] }, sideName(seats[n].side), scores ? `: ${scores[n]}` : "")),
    );
  }

  /** The panel in place of the decision. */
  words() {
    const { snapshot } = this.page;
    const { seats, result } = snapshot;
    const playing = seats.some((seat) => seat.you);
    const again = (swap) => (event) =>
      busy(event.currentTarget, async () => {
        location.hash = `#/game/${(await this.page.post("rematch", { swap })).id}`;
      });
    const both = seats.filter((seat) => seat.you).length === seats.length || !playing;
    return [
      h(
        "h2",
        { id: "question", tabIndex: -1, class: result.winner === null ? "" : seats[result.winner].side },
        ruled(this.heading()),
      ),
      h("p", {}, ruled(`The game is over. ${this.why()}`)),
      seats.length > 2 || snapshot.standing.scores ? this.places() : null,
      snapshot.next && playing && !both
        ? h(
            "p",
            { class: "next" },
            "There is a rematch: ",
            h("a", { href: `#/game/${snapshot.next}` }, "go there"),
            ".",
          )
        : null,
      h(
        "div",
        { class: "row" },
        this.page.may("rematch")
          ? [
              h("button", { type: "button", class: "primary rematch", onclick: again(false) }, "Rematch"),
              h(
                "button",
                { type: "button", class: "swap", onclick: again(true) },
                both ? "Rematch, sides changed" : "Rematch, other side",
              ),
            ]
          : null,
        h("a", { class: "button", href: "#/" }, "New game"),
      ),
    ];
  }

  /** Ways to save and share the game. */
  keep() {
    const { id } = this.page;
    const address = `${location.origin}/replay/${id}`;
    return [
      h("h2", {}, "The whole game"),
      h(
        "div",
        { class: "row" },
        h("a", { class: "button replay", href: `/replay/${id}`, target: "_blank", rel: "noopener" }, "Replay"),
        h(
          "button",
          {
            type: "button",
            onclick: async () => {
              try {
                await navigator.clipboard.writeText(address);
                toast("The link to the replay is copied. Anyone with the link can see this game.");
              } catch {
                toast(`The replay is at ${address}`);
              }
            },
          },
          "Copy its link",
        ),
        h(
          "button",
          {
            type: "button",
            onclick: (event) =>
              busy(event.currentTarget, async () =>
                download(
                  `${slug(reference().title)}.html`,
                  await getText(`/replay/${id}`, this.page.signal),
                  "text/html",
                ),
              ),
          },
          "Download the replay",
        ),
      ),
    ];
  }

  draw() {
    const over = Boolean(this.page.snapshot?.result);
    this.element.hidden = !over;
    if (!over || this.asked) return;
    this.asked = true;
    this.load();
  }

  async load() {
    fill(
      this.element,
      this.keep(),
      h("h2", {}, "How the chances went"),
      h("p", { class: "soft thinking" }, "The positions are being evaluated"),
    );
    try {
      this.curve = await get(`/api/games/${this.page.id}/curve`, this.page.signal);
      this.show();
    } catch (error) {
      if (this.page.signal.aborted) return;
      fill(
        this.element,
        this.keep(),
        h("h2", {}, "How the chances went"),
        h("p", { class: "soft" }, error.message),
        h("button", { type: "button", onclick: () => this.load() }, "Try again"),
      );
    }
  }

  /** The moments at which the chances changed most, in the order of play. */
  turns(points) {
    const { events } = this.page.play;
    return points
      .slice(1)
      .map(([n, score], at) => ({ n, from: points[at][0], change: score - points[at][1] }))
      .filter(({ change }) => Math.abs(change) >= LEAST)
      .sort((a, b) => Math.abs(b.change) - Math.abs(a.change))
      .slice(0, TURNS)
      .sort((a, b) => a.n - b.n)
      .map((turn) => ({ ...turn, text: told(events, turn) }));
  }

  show() {
    const { label, points: all } = this.curve;
    const { snapshot, play } = this.page;
    const side = this.side;
    const points = all.map(([n, ...scores]) => [n, scores[side]]);
    if (points.length < 2) {
      fill(
        this.element,
        this.keep(),
        h("h2", {}, "How the chances went"),
        h("p", { class: "soft" }, label ? "The game is too short." : "No agent here can evaluate this game."),
      );
      return;
    }
    const last = Math.max(1, play.events.length);
    this.x = (n) => LEFT + ((WIDE - LEFT) * n) / last;
    const y = (score) => FOOT + (HIGH - 2 * FOOT) * (1 - score);
    const line = points.map(([n, score]) => `${this.x(n).toFixed(1)},${y(score).toFixed(1)}`).join(" ");
    this.marker = shape("line", { class: "now-line", y1: FOOT, y2: HIGH - FOOT, x1: this.x(last), x2: this.x(last) });
    const whose = sideWhose(snapshot.seats[side].side);
    const picture = shape(
      "svg",
      {
        viewBox: `0 0 ${WIDE} ${HIGH}`,
        class: `curve ${snapshot.seats[side].side}`,
        role: "img",
        "aria-label": this.described(points, whose),
      },
      ...[0, 0.5, 1].flatMap((score) => [
        shape("line", { class: score === 0.5 ? "even" : "edge", x1: LEFT, x2: WIDE, y1: y(score), y2: y(score) }),
        shape(
          "text",
          { x: LEFT - 4, y: y(score) + (score === 1 ? 8 : score ? 3.5 : 0), "text-anchor": "end" },
          `${score * 100}`,
        ),
      ]),
      shape("polygon", {
        class: "under-line",
        points: `${this.x(points[0][0])},${y(0)} ${line} ${this.x(points.at(-1)[0])},${y(0)}`,
      }),
      shape("polyline", { class: "line", points: line }),
      this.marker,
    );
    picture.addEventListener("click", (event) => {
      const box = picture.getBoundingClientRect();
      const n = Math.round(((((event.clientX - box.left) / box.width) * WIDE - LEFT) / (WIDE - LEFT)) * last);
      this.go(Math.max(0, Math.min(last, n)));
    });
    const turns = this.turns(points);
    fill(
      this.element,
      this.keep(),
      h("h2", {}, "How the chances went"),
      h(
        "p",
        { class: "soft" },
        `${whose} chance in percent as the computer estimates it; a tie counts as half. Click to go there.`,
      ),
      picture,
      turns.length
        ? [
            h("h3", {}, "Where the game turned"),
            h(
              "ol",
              { class: "turns" },
              turns.map(({ n, change, text }) =>
                h(
                  "li",
                  {},
                  h(
                    "button",
                    { type: "button", class: "quiet", onclick: () => this.go(n) },
                    h(
                      "span",
                      { class: change > 0 ? "up" : "down" },
                      `${change > 0 ? "+" : "−"}${percent(Math.abs(change))}`,
                    ),
                    ` ${text}`,
                  ),
                ),
              ),
            ),
          ]
        : null,
    );
    this.moment(play.shown);
  }

  described(points, whose) {
    const scores = points.map(([, score]) => score);
    const told = [
      `${percent(scores[0])} at the start`,
      `at most ${percent(Math.max(...scores))}`,
      `at least ${percent(Math.min(...scores))}`,
      `${percent(scores.at(-1))} at the end`,
    ];
    return `Curve of ${whose} chances: ${told.join(", ")}.`;
  }

  go(n) {
    this.page.pause(true);
    this.page.play.jump(n);
  }

  /** Mark the moment that is shown now. */
  moment(n) {
    if (!this.marker) return;
    for (const key of ["x1", "x2"]) this.marker.setAttribute(key, this.x(Math.max(0, n)));
  }
}
