// Modal dialogs: a question that must be answered first, or a message.

import { focusQuestion, h } from "./dom.js";

/** Ask; true if the answer is yes. Escape, and leaving the page, answer no. */
export function ask({ title, text, body = null, yes, no = "Cancel", danger = false }) {
  const said = body ? h("div", { id: "ask-text" }, body) : h("p", { id: "ask-text" }, text);
  return open_(title, said, danger ? "ask danger" : "ask", (dialog) => [
    // The safe answer comes first, and has the focus.
    h("button", { type: "button", class: "no", onclick: () => dialog.close("no") }, no),
    h("button", { type: "button", class: danger ? "yes" : "primary yes", onclick: () => dialog.close("yes") }, yes),
  ]);
}

/** Show something that must be seen once. */
export function show({ title, body, seen = "Continue" }) {
  return open_(title, h("div", { id: "ask-text" }, body), "ask wide", (dialog) => [
    h("button", { type: "button", class: "primary yes", onclick: () => dialog.close("yes") }, seen),
  ]);
}

function open_(title, body, kind, buttons) {
  return new Promise((answer) => {
    const dialog = h(
      "dialog",
      { class: kind, "aria-labelledby": "ask-title", "aria-describedby": "ask-text" },
      h("h2", { id: "ask-title" }, title),
      body,
    );
    dialog.append(h("div", { class: "row" }, buttons(dialog)));
    const away = () => dialog.close("no");
    window.addEventListener("hashchange", away, { once: true });
    dialog.addEventListener("close", () => {
      window.removeEventListener("hashchange", away);
      dialog.remove();
      // The element that had the focus may have been replaced meanwhile.
      if (document.activeElement === document.body) focusQuestion();
      answer(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector(":scope > .row button").focus(); // not the number of a rule in the text
    dialog.scrollTop = 0; // show the heading, whatever has the focus
  });
}
