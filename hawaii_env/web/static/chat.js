// Chat between the people at a game, to all or to one; beside the game, folded to one line.

import { BAR, announce, fill, h, toast } from "./dom.js";
import { sideName } from "./info.js";
import { busy } from "./start.js";

export class Chat {
  /** @param page the game's page: id, signal, snapshot, may, post, fetch */
  constructor(page) {
    Object.assign(this, { page, heard: 0, unread: 0, muted: "", drawn: "" });
    this.summary = h("summary", {}, "Chat");
    this.list = h("ol", { class: "messages", tabIndex: 0, "aria-label": "Messages" });
    this.to = h("select", { "aria-label": "To whom", onchange: () => this.drawMute() });
    this.text = h("input", { type: "text", maxLength: 300, "aria-label": "Message", autocomplete: "off" });
    this.send = h("button", { type: "submit" }, "Send");
    this.mute = h("button", { type: "button", class: "quiet", onclick: () => busy(this.mute, () => this.setMute()) });
    this.form = h(
      "form",
      {
        class: "row",
        onsubmit: (event) => {
          event.preventDefault();
          if (this.text.value.trim()) busy(this.send, () => this.write());
        },
      },
      this.to,
      this.text,
      this.send,
      this.mute,
    );
    this.element = h(
      "details",
      { class: "panel chat", hidden: true, ontoggle: () => this.read() },
      this.summary,
      this.list,
      this.form,
    );
  }

  async write() {
    const seat = this.to.value === "" ? null : Number(this.to.value);
    const may = () => (seat === null ? this.page.may("chat") : this.page.may(`whisper ${seat}`));
    await this.page.post("chat", { text: this.text.value, seat }, may);
    this.text.value = "";
    await this.page.fetch({});
    this.text.focus();
  }

  async setMute() {
    const seat = this.heardFrom;
    const on = !this.page.snapshot.muted.includes(seat);
    await this.page.post("mute", { seat, on }, () => this.page.may(`mute ${seat}`));
    toast(on ? "Their messages are now hidden." : "Their messages are shown again.");
    await this.page.fetch({});
  }

  /** Take in the messages of a snapshot: those that came since the last one.
      @param after the message after which the snapshot was asked for */
  take({ chat, muted, seats, refused }, after) {
    if (JSON.stringify(muted) !== this.muted) {
      // The list is now a different one.
      const first = this.muted === "";
      this.muted = JSON.stringify(muted);
      if (!first && this.heard) {
        this.heard = 0;
        this.list.replaceChildren();
        return void this.page.fetch({}).catch(() => {});
      }
    }
    // Messages requested before the list was cleared do not belong to it; all of them are requested again.
    const news = after > this.heard ? [] : chat.filter(({ at }) => at > this.heard);
    for (const message of news) this.list.append(this.line(message, seats));
    if (news.length) {
      const first = !this.heard;
      this.heard = news.at(-1).at;
      this.list.scrollTop = this.list.scrollHeight;
      const others = news.filter(({ you }) => !you);
      if (!this.element.open) this.unread += others.length;
      if (!first && others.length) this.tell(`${sideName(seats[others.at(-1).seat].side)}: ${others.at(-1).text}`);
    }
    const to = seats.map((_, n) => n).filter((n) => !(`whisper ${n}` in refused));
    this.form.hidden = "chat" in refused;
    this.element.hidden = this.form.hidden && !this.heard;
    const drawn = JSON.stringify(to);
    if (drawn !== this.drawn) {
      this.drawn = drawn;
      const kept = this.to.value;
      fill(
        this.to,
        h("option", { value: "" }, "to all"),
        to.map((n) => h("option", { value: n }, `to ${sideName(seats[n].side)}`)),
      );
      this.to.value = to.includes(Number(kept)) ? kept : "";
    }
    this.drawMute();
    this.read();
  }

  /** Announce a new message; on a phone the panel may be out of sight. */
  tell(text) {
    const seen = this.element.open || !matchMedia(BAR).matches;
    (seen ? announce : toast)(text);
  }

  /** The person whom the button mutes: the addressee, or the only other one. */
  get heardFrom() {
    const others = [...this.to.options].slice(1);
    const { value } = others.length === 1 ? others[0] : this.to;
    return value === "" ? null : Number(value);
  }

  drawMute() {
    const seat = this.heardFrom;
    const { muted, seats } = this.page.snapshot;
    this.mute.hidden = seat === null;
    if (seat !== null)
      this.mute.textContent = `${muted.includes(seat) ? "Hear" : "Mute"} ${sideName(seats[seat].side)}`;
  }

  /** Mark the messages as read while the panel is open. */
  read() {
    if (this.element.open) this.unread = 0;
    const last = this.list.lastElementChild?.textContent ?? "";
    fill(
      this.summary,
      "Chat",
      this.unread ? h("strong", { class: "unread" }, ` ${this.unread} new`) : null,
      this.element.open || !last ? null : h("span", { class: "soft" }, ` ${last}`),
    );
  }

  line({ at, seat, to, text }, seats) {
    const { side } = seats[seat];
    const private_ = to === null ? "" : ` to ${sideName(seats[to].side)} alone`;
    return h(
      "li",
      { class: to === null ? "" : "alone", title: new Date(at * 1000).toLocaleString() },
      h("strong", {}, `${sideName(side)}${private_}: `),
      text,
    );
  }
}
