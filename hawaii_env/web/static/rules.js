// Every card, section and ruling on one page.

import { fill, h } from "./dom.js";
import { cardBlock, reference, ruleBlock, sideName } from "./info.js";
import { sideWithin } from "./levels.js";

export function rulesPage(main) {
  const setup = reference();
  const cards = (side) =>
    Object.entries(setup.cards)
      .filter(([, card]) => card.side === side)
      .map(([id]) => cardBlock(id));
  fill(
    main,
    h(
      "div",
      { class: "reading" },
      h("h1", {}, "Cards and rules"),
      h(
        "p",
        { class: "soft" },
        `Ruleset ${setup.ruleset}. Section titles are ours; the text of the rulebook is not repeated here.`,
      ),
      setup.sides
        .map(({ id }) => id)
        .filter((side) => cards(side).length)
        .map((side) =>
          h("section", {}, h("h2", {}, `Cards of ${sideWithin(side)}`), h("div", { class: "cards" }, cards(side))),
        ),
      h(
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
                ["Piece", "Side", "How many", "Strength", "What it can"].map((t) => h("th", { scope: "col" }, t)),
              ),
            ),
            h(
              "tbody",
              {},
              setup.pieces.map((p) =>
                h(
                  "tr",
                  {},
                  h("th", { scope: "row" }, p.name),
                  h("td", {}, sideName(p.side)),
                  h("td", {}, String(p.count)),
                  h("td", {}, p.strength ? `${p.strength}${p.plus ? "+" : ""}` : "–"),
                  h(
                    "td",
                    {},
                    [
                      p.type === "leader" && "leader",
                      p.elite && "elite",
                      p.gunpowder && "gunpowder",
                      p.pike && "pikes",
                      p.type === "canoe" && "carries two units and two leaders",
                    ]
                      .filter(Boolean)
                      .join(", ") || "–",
                  ),
                ),
              ),
            ),
          ),
        ),
      ),
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
