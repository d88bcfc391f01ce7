// All cards (if the game has any), sections and rulings on one page.

import { fill, h } from "./dom.js";
import { cardBlock, rulesName, rulesText, sideName } from "./info.js";
import { reference, ruleBlock } from "./ruled.js";

export function rulesPage(main) {
  const setup = reference();
  const decks = [...new Set(Object.values(setup.cards).map((card) => card.deck))];
  const cards = (deck) =>
    Object.entries(setup.cards)
      .filter(([, card]) => card.deck === deck)
      .map(([id]) => cardBlock(id));
  fill(
    main,
    h(
      "div",
      { class: "reading" },
      h("h1", {}, rulesName()),
      h("p", { class: "soft" }, "In our own words, with the numbers of the current ruleset."),
      h("section", { class: "rules-text" }, rulesText()),
      decks.map((deck) => h("section", {}, h("h2", {}, deck), h("div", { class: "cards" }, cards(deck)))),
      setup.pieces.length ? piecesTable(setup.pieces) : null,
      h(
        "section",
        {},
        h("h2", {}, "Rulings"),
        h("p", { class: "soft" }, "Where the rulebook is silent or contradicts itself."),
        Object.keys(setup.rulings).map((id) =>
          h("details", {}, h("summary", {}, `${id} ${setup.rulings[id].title}`), ruleBlock(id)),
        ),
      ),
      h(
        "section",
        {},
        h("h2", {}, "Sections of the rulebook"),
        h(
          "ul",
          {},
          Object.entries(setup.sections).map(([id, title]) => h("li", {}, h("strong", {}, id), ` ${title}`)),
        ),
      ),
    ),
  );
}

function piecesTable(pieces) {
  // Columns that are empty for all pieces are left out.
  const columns = [
    ["Side", (p) => sideName(p.side)],
    ["How many", (p) => p.count],
    ["Strength", (p) => (p.strength ? `${p.strength}${p.plus ? "+" : ""}` : null)],
    ["Abilities", (p) => p.can.join(p.can.some((text) => text.endsWith(".")) ? " " : ", ")],
  ].filter(([, told]) => pieces.some(told));
  return h(
    "section",
    {},
    h("h2", {}, "Pieces"),
    h(
      "div",
      { class: "scroll", tabIndex: 0, role: "region", "aria-label": "Pieces" },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["Piece", ...columns.map(([title]) => title)].map((t) => h("th", { scope: "col" }, t)),
          ),
        ),
        h(
          "tbody",
          {},
          pieces.map((p) =>
            h(
              "tr",
              {},
              h("th", { scope: "row" }, p.name),
              columns.map(([, told]) => h("td", {}, String(told(p) || "–"))),
            ),
          ),
        ),
      ),
    ),
  );
}
