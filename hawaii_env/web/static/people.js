// The players: names, presence, resignation, draws, stand-ins for people who have left, invitations to free seats; and
// title and sound when it is one's turn.

import { announce, fill, h, lasts, plural, remember, setting, toast } from "./dom.js";
import { ask, show } from "./dialog.js";
import { levelsOf, seatName, seatTitle, sideDoes, sideTitle, sideWhose } from "./levels.js";
import { sideName } from "./info.js";
import { reference } from "./ruled.js";
import { busy } from "./start.js";

const TITLE = document.title;
let audio = null;

/** Two short notes. Browsers allow them after the first click or key. */
function chime() {
  try {
    audio ??= new AudioContext();
    audio.resume();
    [
      [0, 523],
      [0.16, 784],
    ].forEach(([after, pitch]) => {
      const tone = audio.createOscillator();
      const loud = audio.createGain();
      const begin = audio.currentTime + after;
      tone.frequency.value = pitch;
      loud.gain.setValueAtTime(0.0001, begin);
      loud.gain.exponentialRampToValueAtTime(0.18, begin + 0.03);
      loud.gain.exponentialRampToValueAtTime(0.0001, begin + 0.4);
      tone.connect(loud).connect(audio.destination);
      tone.start(begin);
      tone.stop(begin + 0.45);
    });
  } catch {
    // A browser without sound plays none.
  }
}

/** A field with a link, and a button that copies it; both are shown once there is a link. */
function linkField(label) {
  const field = h("input", { type: "text", readOnly: true, "aria-label": label, class: "link" });
  const copy = async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      toast("Copied.");
    } catch {
      toast("Select the link and copy it.");
    }
  };
  field.hidden = true;
  const button = h("button", { type: "button", hidden: true, onclick: copy }, "Copy");
  const show = (token) => {
    field.value = `${location.origin}/#/join/${token}`;
    field.hidden = button.hidden = false;
  };
  return { show, parts: [field, button] };
}

export class People {
  /** @param page the game's page: id, signal, snapshot, send, fetch */
  constructor(page) {
    Object.assign(this, { page, drawn: "", turn: null, chosen: null });
    this.players = h("ul", { class: "players" });
    this.notice = h("section", {
      class: "panel notice",
      role: "status",
      "aria-label": "News of the players",
      hidden: true,
    });
    this.menu = h("div", { class: "row" });
    this.watchers = h("ul", { class: "watchers", "aria-label": "Watchers" });
    this.name = h("input", { type: "text", maxLength: 40, id: "my-name", size: 14, autocomplete: "nickname" });
    this.sound = h("input", {
      type: "checkbox",
      id: "sound",
      checked: setting("sound", "off") === "on",
      onchange: () => {
        remember("sound", this.sound.checked ? "on" : "off");
        if (this.sound.checked) chime();
      },
    });
    const keep = h("button", { type: "submit" }, "Set name");
    this.naming = h(
      "form",
      {
        class: "row",
        onsubmit: (event) => {
          event.preventDefault();
          busy(keep, async () => {
            await this.call(this.name.value);
            toast("Name set.");
          });
        },
      },
      h("label", { htmlFor: "my-name" }, "My name"),
      this.name,
      keep,
    );
    this.element = h(
      "section",
      { class: "panel people", "aria-label": "Players" },
      this.players,
      h(
        "details",
        {},
        h("summary", { "aria-label": "Menu: resign, name, sound" }, "Menu"),
        this.menu,
        this.watchers,
        this.naming,
        h("p", { class: "check" }, this.sound, h("label", { htmlFor: "sound" }, "A sound when it is my turn")),
      ),
    );
    page.signal.addEventListener(
      "abort",
      () => {
        document.title = TITLE;
        clearInterval(this.clock);
      },
      { once: true },
    );
    this.clock = setInterval(() => this.count(), 1000);
  }

  /** The time left to the players to act, and who watches; null if there is neither. */
  row(watchers) {
    const { limit, seats } = this.page.snapshot;
    const since = limit && seats.filter((seat) => seat.since !== null).map((seat) => seat.since);
    const until = since?.length ? Math.min(...since) + limit + this.ahead : null;
    if (until === null && !watchers) return null;
    const time = until === null ? null : h("strong", { class: "time", "data-until": until });
    return h("li", { class: "watching" }, time, time && watchers ? " · " : "", watchers || null);
  }

  /** Show the time left to players whose turn is limited. */
  count() {
    for (const span of this.players.querySelectorAll(".time"))
      span.textContent = `${lasts(Number(span.dataset.until) - Date.now() / 1000)} left`;
  }

  async post(path, body = {}, still = undefined) {
    await this.page.post(path, body, still);
    await this.page.fetch({});
  }

  async call(name) {
    remember("name", name.trim());
    await this.post("name", { name }, () => true);
  }

  draw() {
    const { snapshot } = this.page;
    if (!snapshot) return;
    this.tell();
    const { seats, offer, away, absent, result, refused, limit, watching } = snapshot;
    if (limit) this.ahead = Date.now() / 1000 - snapshot.time; // seconds ahead of the server's clock
    // If all enter at once, several players are to act.
    const left = result ? [] : (snapshot.entering?.left ?? [snapshot.player]);
    const key = JSON.stringify([seats, offer, away, absent, result, refused, left, watching]);
    if (key === this.drawn) return;
    this.drawn = key;
    if (result) this.element.querySelector("details").open = false;
    fill(
      this.players,
      seats.map((seat, n) =>
        h(
          "li",
          { class: `${seat.side}${left.includes(n) ? " to-move" : ""}` },
          h("span", { class: "side-name" }, sideName(seat.side)),
          h("span", { class: "who", title: seatTitle(seat) }, seatName(seat)),
          away.includes(n) && !result && seat.joined && !seat.stand_in ? h("span", { class: "gone" }, "away") : null,
          left.includes(n) ? h("span", { class: "unseen" }, ", to decide") : null,
        ),
      ),
      this.row(this.page.may("watch") ? watching.length && plural(watching.length, "watcher") : "You watch"),
    );
    this.count();
    fill(this.notice, this.notices());
    this.notice.hidden = !this.notice.childElementCount;
    const mine = seats.map((seat, n) => (seat.you ? n : -1)).filter((n) => n >= 0);
    const both = mine.length === seats.length;
    this.element.querySelector("details").hidden = !this.page.may("watch");
    this.naming.hidden = !this.page.may("name");
    if (document.activeElement !== this.name)
      // The server isolates names that are written from right to left.
      this.name.value = (seats.find((seat) => seat.you)?.name ?? setting("name", "")).replace(/[\u2068\u2069]/g, "");
    fill(
      this.menu,
      mine
        .filter((seat) => this.page.may(`resign ${seat}`))
        .map((seat) =>
          h(
            "button",
            { type: "button", class: "resign", onclick: () => this.resign(seat, mine.length > 1) },
            mine.length > 1
              ? `${sideTitle(seats[seat].side)} ${sideDoes(seats[seat].side, "resigns", "resign")}`
              : "Resign",
          ),
        ),
      this.page.may("offer")
        ? h(
            "button",
            { type: "button", class: "offer", onclick: (event) => this.offer(event.currentTarget, both) },
            both ? "Agree on a draw" : "Offer a draw",
          )
        : null,
      this.page.may("watch")
        ? h(
            "button",
            { type: "button", class: "watch", onclick: (event) => busy(event.currentTarget, () => this.letWatch()) },
            "Let others watch",
          )
        : null,
      !result ? null : h("p", { class: "soft" }, "The game is over."),
    );
    fill(this.watchers, watching.map((one, n) => this.watcherRow(one, n)));
    this.watchers.hidden = !watching.length;
    this.players.classList.toggle("many", seats.length > 2);
  }

  /** What must be answered, or should be known. */
  notices() {
    const { snapshot } = this.page;
    const { seats, offer, absent, result } = snapshot;
    const parts = [];
    if (result) return parts;
    const act = (label, path, body, kind = "", still = undefined) => {
      const onclick = (event) => busy(event.currentTarget, () => this.post(path, body, still));
      return h("button", { type: "button", class: kind, onclick }, label);
    };
    if (this.page.may("withdraw")) {
      parts.push(
        h("p", {}, "You have offered a draw. The offer stands until the other side moves."),
        h("div", { class: "row" }, act("Withdraw it", "draw", { accept: false })),
      );
    } else if (this.page.may("accept")) {
      const { name, side } = seats[offer];
      parts.push(
        h("p", {}, name ? `${name} offers a draw.` : `${sideTitle(side)} ${sideDoes(side, "offers", "offer")} a draw.`),
        h(
          "div",
          { class: "row" },
          act("Accept the draw", "draw", { accept: true }, "primary"),
          act("Decline", "draw", { accept: false }),
        ),
      );
    }
    if (this.page.may("back")) {
      parts.push(
        h("p", {}, "The computer plays for you."),
        h("div", { class: "row" }, act("Take my seat back", "back", {}, "primary", () => this.page.may("back"))),
      );
    }
    if (absent.length) {
      const levels = levelsOf(snapshot);
      const agents = levels.length
        ? levels.map(({ agent, number, name }) => [agent, `level ${number}, ${name}`])
        : reference().agents.map(({ agent, name }) => [agent, name]);
      const choose = h(
        "select",
        {
          "aria-label": "Who plays for them",
          onchange: () => {
            this.chosen = choose.value;
          },
        },
        agents.map(([value, label]) => h("option", { value }, label)),
      );
      // Keep the selection, whatever else has changed.
      choose.value = this.chosen ?? (levels[2] ?? levels[0])?.agent ?? agents[0][0];
      parts.push(
        h(
          "p",
          {},
          seats[absent[0]].joined
            ? `${seats[absent[0]].name || "The other player"} has left. You can wait (the game is saved under ` +
                "Games) or let the computer play for them until they return."
            : "Nobody has joined yet. You can wait, or let the computer play until they join.",
        ),
        h(
          "div",
          { class: "row" },
          choose,
          h(
            "button",
            {
              type: "button",
              class: "stand-in",
              onclick: (event) => busy(event.currentTarget, () => this.post("stand_in", { agent: choose.value })),
            },
            "Let the computer play",
          ),
        ),
      );
    }
    return parts;
  }

  /** Somebody who watches through a link, with a button to remove them. */
  watcherRow({ seat, name }, n) {
    const called = name ?? `Watcher ${n + 1}`;
    const still = () => this.page.snapshot.watching.some((one) => one.seat === seat);
    const remove = async () => {
      const text = `${called} can no longer see this game. The link becomes invalid: make a new one for others.`;
      if (!(await ask({ title: "Remove this watcher?", text, yes: "Remove", no: "Keep", danger: true }))) return;
      await this.post("unwatch", { seat }, still);
    };
    const onclick = (event) => busy(event.currentTarget, remove);
    const label = `Remove ${called}`;
    const button = h("button", { type: "button", class: "quiet", "aria-label": label, onclick }, "Remove");
    return h("li", {}, h("span", {}, called), this.page.may("unwatch") ? button : null);
  }

  /** A link to watch the game. */
  async letWatch() {
    const made = await this.page.post("watch", {}, () => true);
    const link = linkField("Link for watchers");
    link.show(made.invitation);
    const told = "Anyone with this link sees all public information, but cannot act. Earlier links become invalid.";
    const body = [h("p", {}, told), h("div", { class: "row" }, link.parts)];
    await show({ title: "A link to watch", body, seen: "Close" });
  }

  async resign(seat, several) {
    const { seats } = this.page.snapshot;
    const { side } = seats[seat];
    const who = several ? `${sideTitle(side)} ${sideDoes(side, "resigns", "resign")}` : "You resign";
    const then =
      seats.length > 2
        ? "the game continues: the computer plays in your place until you take your seat back."
        : "the other side has won. This cannot be taken back.";
    const yes = await ask({
      title: "Resign?",
      text: `${who}, and ${then}`,
      yes: "Resign",
      no: "Play on",
      danger: true,
    });
    const still = () => this.page.may(`resign ${seat}`);
    if (yes) await this.post("resign", { seat }, still).catch((error) => toast(error.message));
  }

  async offer(button, both) {
    if (
      both &&
      !(await ask({
        title: "A draw?",
        text: "The game ends without a winner. This cannot be taken back.",
        yes: "Agree on a draw",
        no: "Play on",
      }))
    )
      return;
    await busy(button, () => this.post("draw", { accept: true }));
  }

  /** Show in the title, and by sound, whose turn it is. */
  tell() {
    const { snapshot, play } = this.page;
    const alone = snapshot.seats.every((seat) => seat.you);
    const due = (snapshot.yours || (snapshot.chance && snapshot.seats.some((seat) => seat.you))) && play.atEnd;
    const offered = snapshot.offer !== null && !snapshot.seats[snapshot.offer].you;
    const ended = Boolean(snapshot.result);
    document.title = ended
      ? `The game is over · ${TITLE}`
      : offered
        ? `A draw is offered · ${TITLE}`
        : due && !alone
          ? `● Your turn · ${TITLE}`
          : TITLE;
    const turn = ended ? "over" : offered ? "offer" : due ? "mine" : play.atEnd ? "theirs" : this.turn;
    // What is there when the page opens is not news.
    if (this.turn !== null && turn !== this.turn && turn !== "theirs" && !alone) {
      if (this.sound.checked) chime();
      if (turn !== "mine") announce(ended ? "The game is over." : "A draw is offered.");
    }
    this.turn = turn;
  }

  /** The links to free seats, above the map. */
  drawInvitation() {
    const { waitingFor, snapshot } = this.page;
    const free = snapshot.seats.map((seat, n) => ({ ...seat, n })).filter(({ n }) => this.page.may(`invite ${n}`));
    const shown = free.map(({ side }) => side).join(" ");
    if ((waitingFor.querySelector(".invitation")?.dataset.side ?? "") === shown) return;
    if (!free.length) return void fill(waitingFor);
    const several = free.length > 1;
    fill(
      waitingFor,
      h(
        "div",
        { class: "invitation", "data-side": shown },
        h(
          "p",
          {},
          several
            ? "These seats are free. The first person to open a link takes its seat:"
            : `${sideWhose(free[0].side)} seat is free. The first person to open this link takes it:`,
        ),
        free.map((seat) => this.invitationRow(seat, several)),
      ),
    );
  }

  invitationRow({ side, n }, named) {
    const { show, parts } = linkField(named ? `Invitation link to ${sideWhose(side)} seat` : "Invitation link");
    const key = `invitation.${this.page.id}`;
    const kept = () => {
      try {
        return JSON.parse(sessionStorage.getItem(key)) ?? {};
      } catch {
        return {};
      }
    };
    const known = kept()[side];
    if (known) show(known);
    const fresh = async () => {
      const made = await this.page.post("invitations", { seat: n }, () => this.page.may(`invite ${n}`));
      try {
        sessionStorage.setItem(key, JSON.stringify({ ...kept(), [side]: made.invitation }));
      } catch {
        /* the link is shown anyway */
      }
      show(made.invitation);
    };
    return h(
      "div",
      { class: "row" },
      named ? h("span", { class: "link-side" }, sideName(side)) : null,
      parts,
      h(
        "button",
        { type: "button", class: "quiet", onclick: (event) => busy(event.currentTarget, fresh) },
        known ? "New link" : "Make a link",
      ),
    );
  }
}
