// Notes on choices, written on the spaces that they name: points that are left, odds.

import { shape } from "./dom.js";

const NAMES = ".place-name, .label text";
const NAME = 3; // weight of a covered name, relative to covered pieces

/** The area of the intersection of two boxes. */
const overlap = (one, other) =>
  Math.max(0, Math.min(one.right, other.right) - Math.max(one.left, other.left)) *
  Math.max(0, Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top));

/** Boxes in a space for a mark: its middle, or below its content, best first. */
function* spots({ x, y, width, height }, wide, high, stands) {
  const [middle, low, upper] = [y + (height - high) / 2, y + height - high, y];
  for (const top of stands ? [low, upper, middle] : [middle, low, upper])
    for (const part of [0, 0.25, -0.25, 0.45, -0.45]) {
      const left = x + width * (0.5 + part) - wide / 2;
      yield { left, top, right: left + wide, bottom: top + high };
    }
}

/** Draw the marks of spaces where each covers the least of names, other marks and pieces.
    @param unit of the picture in pixels of the screen
    @param markOf(space), the text, or nothing */
export function drawMarks(svg, unit, markOf) {
  svg.querySelector("g.marks")?.remove();
  const marked = [...svg.querySelectorAll("path.space[data-actions]")].map((space) => [space, markOf(space)]);
  const onScreen = svg.getScreenCTM(); // null while the map is hidden
  if (!onScreen || !marked.some(([, mark]) => mark)) return;
  const { a, d, e, f } = onScreen;
  const boxes = (selector) =>
    [...svg.querySelectorAll(selector)].map((element) => {
      const { left, top, right, bottom } = element.getBoundingClientRect();
      return { left: (left - e) / a, top: (top - f) / d, right: (right - e) / a, bottom: (bottom - f) / d };
    });
  const names = boxes(NAMES);
  const layer = shape("g", { class: "marks" });
  for (const [space, mark] of marked.filter(([, text]) => text)) {
    const [wide, high] = [(7 * mark.length + 9) * unit, 16 * unit];
    const pieces = boxes(`[data-place="${CSS.escape(space.dataset.space)}"]`);
    const sum = (spot, others) => others.reduce((all, other) => all + overlap(spot, other), 0);
    const worth = (spot, order) => NAME * sum(spot, names) + sum(spot, pieces) + order * unit;
    const [best] = [...spots(space.getBBox(), wide, high, pieces.length)]
      .map((spot, order) => [spot, worth(spot, order)])
      .reduce((one, other) => (other[1] < one[1] ? other : one));
    names.push(best);
    layer.append(
      shape("rect", { x: best.left, y: best.top, width: wide, height: high, rx: high / 2 }),
      shape(
        "text",
        { x: best.left + wide / 2, y: best.top + 12.4 * unit, "font-size": 12.5 * unit, "text-anchor": "middle" },
        mark,
      ),
    );
  }
  svg.append(layer);
}
