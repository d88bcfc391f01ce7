// Helpers: elements, messages, settings of this browser.

/** True if the choices are a bar at the bottom; the same query is in style.css. */
export const BAR = "(max-width: 980px) and (orientation: portrait)";

/** Make an element: h("button", {type: "button", onclick: f, class: "x", "data-n": 1}, "text", child, ...). */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "class") element.className = value;
    else if (key in element && !key.startsWith("aria") && !key.startsWith("data") && key !== "list")
      element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  add(element, children);
  return element;
}

/** Append children, flat; strings become text, never markup. */
export function add(element, children) {
  for (const child of [children].flat(9)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

/** Replace the children of an element. */
export function fill(element, ...children) {
  element.replaceChildren();
  return add(element, children);
}

/** Focus the present question, if there is one. */
export const focusQuestion = () => document.querySelector("#question")?.focus({ preventScroll: true });

let toastTimer = 0;

/** Show a message for some seconds. */
export function toast(text) {
  const box = document.getElementById("toast");
  fill(box, h("p", {}, text));
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => box.replaceChildren(), 6000);
}

/** Announce a text to screen readers. */
export function announce(text) {
  document.getElementById("live").textContent = text;
}

/** A setting of this browser. */
export function setting(name, fallback) {
  try {
    return localStorage.getItem(`hawaii.${name}`) ?? fallback;
  } catch {
    return fallback;
  }
}

export function remember(name, value) {
  try {
    localStorage.setItem(`hawaii.${name}`, value);
  } catch {
    // private windows may refuse; the setting is then lost with the page
  }
}

/** Wait; stop early if the signal aborts. */
export function sleep(milliseconds, signal) {
  return new Promise((done) => {
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        done();
      },
      { once: true },
    );
  });
}

/** An SVG document as an element of this page. */
export function svgElement(text) {
  return document.adoptNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement);
}

const ICONS = {
  back: "M15 5L7 12l8 7z",
  forward: "M9 5l8 7-8 7z",
  pause: "M7 5h4v14H7zM13 5h4v14h-4z",
  play: "M7 4l13 8-13 8z",
  end: "M5 5l9 7-9 7zM15 5h4v14h-4z",
  minus: "M5 11h14v2H5z",
  plus: "M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z",
};

/** An element of a drawing. */
export function shape(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) if (value !== "") element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** A small icon for a button. */
export const icon = (name) =>
  shape(
    "svg",
    { viewBox: "0 0 24 24", width: 20, height: 20, "aria-hidden": "true" },
    shape("path", { d: ICONS[name], fill: "currentColor" }),
  );

const PIPS = {
  1: [[12, 12]],
  2: [
    [7, 7],
    [17, 17],
  ],
  3: [
    [7, 7],
    [12, 12],
    [17, 17],
  ],
  4: [
    [7, 7],
    [17, 7],
    [7, 17],
    [17, 17],
  ],
  5: [
    [7, 7],
    [17, 7],
    [12, 12],
    [7, 17],
    [17, 17],
  ],
  6: [
    [7, 6],
    [17, 6],
    [7, 12],
    [17, 12],
    [7, 18],
    [17, 18],
  ],
};

/** A die showing a face, in the colour of its side if it has one. */
export function die(face, size = 22, side = "") {
  return shape(
    "svg",
    { viewBox: "0 0 24 24", width: size, height: size, class: `die ${side}`.trim(), "aria-hidden": "true" },
    shape("rect", { x: 1.5, y: 1.5, width: 21, height: 21, rx: 4.5 }),
    ...(PIPS[face] ?? []).map(([x, y]) => shape("circle", { cx: x, cy: y, r: 2.2 })),
  );
}

/** A title as a file name. */
export const slug = (title) =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");

/** Offer a text as a download. */
export function download(name, text, type = "application/jsonl") {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** A time in words. */
export const lasts = (seconds) => {
  const [size, unit] = [
    [86400, "day"],
    [3600, "h"],
    [60, "min"],
    [1, "s"],
  ].find(([least]) => seconds >= 1.5 * least || least === 1);
  const n = Math.max(0, Math.round(seconds / size));
  return unit === "day" ? plural(n, unit) : `${n} ${unit}`;
};

export const plural = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;
