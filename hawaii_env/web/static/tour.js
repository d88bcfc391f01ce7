// A guide through the first turn: five steps that each point at a part of the page.

import { BAR, fill, focusQuestion, h } from "./dom.js";
import { reference } from "./ruled.js";

/** The targets of a step, of which the first that exists is used, and its text. */
const steps = () => [
  [
    [".map-box"],
    reference().enters
      ? "The map. Your units are ringed: click one, then where it goes. Arrows show your orders."
      : "The map. Rings mark your choices: click a piece, then where it goes.",
  ],
  [
    ["#question", ".decision"],
    reference().enters
      ? "Your decisions. Others enter theirs at the same time, and nobody sees them until all are in."
      : "The current question. It changes as soon as you have chosen.",
  ],
  [
    [".decision .subjects", ".decision .choices", ".decision"],
    "All your choices, as buttons. Point at one to read what it means and which rule applies.",
  ],
  [
    [".decision .hint", ".decision .foot", ".decision"],
    "Not sure? This shows, beside the choices, what a good player would do here.",
  ],
  [
    [".dock .info", ".told", ".decision"],
    "Explanations and rules appear here, with the log of the game below.",
  ],
];

/** Start the guide through the page; return functions to go on and to end it. */
export function tour(signal) {
  const all = steps();
  const box = h("div", { class: "tour", role: "dialog", "aria-label": "The first turn", tabIndex: -1 });
  let now = -1,
    target = null;
  const end = () => {
    if (!box.isConnected) return;
    target?.classList.remove("toured");
    box.remove();
    scrollTo(0, 0); // the last step may have scrolled down
    focusQuestion();
  };
  const go = (chosen = false) => {
    if (now >= 0 && !box.isConnected) return;
    target?.classList.remove("toured");
    now += 1;
    if (now === all.length) return end();
    const [selectors, text] = all[now];
    const last = now === all.length - 1;
    target = selectors.map((selector) => document.querySelector(selector)).find((found) => found && visible(found));
    fill(
      box,
      h("p", {}, h("strong", {}, `${now + 1} of ${all.length} `), text),
      h(
        "div",
        { class: "row" },
        h("button", { type: "button", class: "primary", onclick: () => go() }, last ? "Begin" : "Next"),
        last ? null : h("button", { type: "button", class: "quiet", onclick: end }, "Skip"),
      ),
    );
    target?.classList.add("toured");
    place(box, target);
    if (!chosen) box.querySelector("button").focus({ preventScroll: true });
  };
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") end();
  });
  signal.addEventListener("abort", end, { once: true });
  if (matchMedia(BAR).matches) document.querySelector(".dock-head").after(box);
  else document.body.append(box);
  go();
  return { go, end };
}

const visible = (element) => {
  const box = element.getBoundingClientRect();
  return box.width > 0 && box.height > 0 && box.top < innerHeight;
};

/** Beside a thing, where there is room: left of it, else under or above it, on the map in its sea, never out of the
    window. Where the choices are a bar at the lower edge it stands in that, above them, and covers nothing. */
function place(box, target) {
  if (box.closest(".dock")) return target?.scrollIntoView({ block: "center" });
  const { offsetWidth: width, offsetHeight: height } = box;
  const page = { left: 0, right: innerWidth, top: 0, bottom: 0 };
  const { left, right, top, bottom } = target?.getBoundingClientRect() ?? page;
  const within = (at, most) => Math.max(8, Math.min(at, most - 8));
  const beside = left - width - 12 >= 8;
  const under = bottom + height + 20 <= innerHeight;
  const inside = !beside && !under && bottom - top > innerHeight / 2;
  const x = beside ? left - width - 12 : inside ? left + 16 : within((left + right - width) / 2, innerWidth - width);
  const above = inside ? bottom - height - (bottom - top) * 0.18 : top - height - 12;
  const y = beside ? top : under ? bottom + 12 : above;
  Object.assign(box.style, { left: `${x}px`, top: `${within(y, innerHeight - height)}px` });
}
