// The note on a scene of the game, such as a battle: title, facts, a table with the row in use, and the events so far.

import { ruled } from "./ruled.js";
import { die, h } from "./dom.js";

/** A table: caption, columns, rows (label, cells, now), and the column where the last die fell. */
function tableBlock({ caption, columns, rows, at }) {
  const cell = (text, row, n) =>
    h("td", { class: row.now && n === at ? "fell" : "", "aria-current": row.now && n === at ? "true" : null }, text);
  return h(
    "table",
    { class: "results" },
    h("caption", {}, ruled(caption)),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("td", {}),
        columns.map((text, n) => h("th", { scope: "col", class: n === at ? "fell" : "" }, text)),
      ),
    ),
    h(
      "tbody",
      {},
      rows.map((row) =>
        h(
          "tr",
          { class: row.now ? "now-row" : "" },
          h("th", { scope: "row" }, row.label, row.now ? h("span", { class: "unseen" }, " (in use)") : null),
          row.cells.map((text, n) => cell(text, row, n)),
        ),
      ),
    ),
  );
}

/** The steps of a scene, with the running one marked. */
function stepsBlock(steps) {
  return h(
    "ol",
    { class: "steps", "aria-label": "Step by step" },
    steps.map(({ label, text, state }) =>
      h(
        "li",
        { class: state, "aria-current": state === "running" ? "step" : null },
        h("strong", {}, label),
        text ? ` ${text}` : "",
      ),
    ),
  );
}

/** A line of a log. */
export function lineWords(event, sides) {
  return [event.die ? die(event.die, 16, sides[event.whose]) : null, h("span", {}, event.text)];
}

/**
 * The note of a position.
 * @param note title, facts, steps, table
 * @param events the scene's events so far
 * @param sides ids of the sides, by player
 */
export function noteBlock(note, events, sides) {
  return [
    h("h2", {}, ruled(note.title)),
    note.steps?.length ? stepsBlock(note.steps) : null,
    note.table ? tableBlock(note.table) : null,
    note.facts.length
      ? h(
          "ul",
          { class: "facts" },
          note.facts.map((text) => h("li", {}, ruled(text))),
        )
      : null,
    events.length
      ? h(
          "ol",
          { class: "so-far", "aria-label": `${note.title}: what happened` },
          events.map((event) => h("li", { class: event.lost ? "lost" : "" }, lineWords(event, sides))),
        )
      : null,
  ];
}
