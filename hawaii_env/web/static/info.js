// Cards, pieces, spaces, rule sections and rulings, told in words.

import { show } from "./dialog.js";
import { h, svgElement } from "./dom.js";

let setup = null;

export function useSetup(data) {
  setup = data;
}
export const reference = () => setup;

/** Say that the server still compiles, in words that need no knowledge of it. */
export function tellCompiling(note) {
  const { trying } = setup;
  note.hidden = !trying.length;
  note.textContent =
    "The computer is still getting ready. You can play at once; until then it thinks longer, and hints wait.";
  return note;
}

export const hasCards = () => Object.keys(setup.cards).length > 0;
/** What the page of rules is called. */
export const rulesName = () => (hasCards() ? "Cards and rules" : "Rules");

export const sideName = (side) => setup.names[side] ?? side;
export const spaceName = (id) => setup.spaces.find((space) => space.id === id)?.name ?? id;

/** A card; `label` says what it does here. */
export function cardBlock(id, label = "") {
  const card = setup.cards[id];
  if (!card) return null;
  return h(
    "article",
    { class: `card-text ${card.side}` },
    h(
      "h3",
      {},
      card.sign ? svgElement(card.sign) : null, // some games have none
      ` ${card.number} · ${card.title}`,
      label ? h("span", { class: "soft at-once" }, ` ${label}`) : null,
    ),
    h("p", {}, card.text),
    h("p", { class: "soft" }, card.facts),
    ruleList(card.rules),
  );
}

/** Sections and rulings by their titles, each to be opened. */
function ruleList(ids) {
  if (!ids?.length) return null;
  return h(
    "div",
    { class: "rule-list" },
    ids.map((id) => h("details", {}, h("summary", {}, ruleLabel(id)), ruleBlock(id, true))),
  );
}

/** What a choice means, with the card that it plays and the rules behind it. */
export function choiceBlock(action) {
  const { card } = action;
  return [h("h3", {}, `${action.group} ${action.label}`.trim()), card ? cardBlock(card) : null, ruleList(action.rules)];
}

// A section, or what the rulebook calls one, in brackets, or a ruling.
const REFERENCE = /\[([^\][]{1,40})\]|R-\d\d/g;

const sectionsOf = (id) => Object.keys(setup.sections).filter((key) => key === id || key.startsWith(`${id} `));

/** The numbers in a reference, as "5.1, R-07", that are known here. */
const known = (numbers) =>
  numbers.split(/,\s*/).filter((id) => setup.rulings[id] || sectionsOf(id).length || paragraphsOf(id).length);

/** A text whose numbers of rules are buttons that open their paragraphs. */
export function ruled(text) {
  const parts = [];
  let at = 0;
  for (const match of text.matchAll(REFERENCE)) {
    const ids = known(match[1] ?? match[0]);
    if (!ids.length) continue;
    parts.push(text.slice(at, match.index));
    const onclick = (event) => {
      event.stopPropagation();
      show({ title: "By the rules", seen: "Close", body: ids.map((id) => ruleBlock(id)) });
    };
    at = match.index + match[0].length;
    // A stop after it stays in its line.
    const [stop] = text.slice(at).match(/^[.,;:)]*/);
    parts.push(h("span", { class: "kept" }, h("button", { type: "button", class: "ref", onclick }, match[0]), stop));
    at += stop.length;
  }
  return [...parts, text.slice(at)];
}

/** The blocks of the rules in our own words: of one line each, lists and tables whole. */
const blocks = () => setup.text.split(/\n{2,}/).filter((block) => block && !block.startsWith("!["));

/** Plain words of Markdown: links, weight and code are not shown as such. */
const plain = (text) =>
  text
    .replace(/\[([^\]]+)\]\([^)]*\)/g, "$1")
    .replace(/\*\*([^*]+)\*\*/g, "$1")
    .replace(/\*([^*]+)\*/g, "$1")
    .replace(/`([^`]+)`/g, "$1")
    .replace(/\s*\n\s*/g, " ");

/** The paragraphs, items and rows of the rules that name a number. */
function paragraphsOf(id) {
  const named = (text) =>
    [...text.matchAll(REFERENCE)].some((match) => (match[1] ?? match[0]).split(/,\s*/).includes(id));
  return blocks()
    .flatMap((block) => (block.startsWith("|") ? block.split("\n") : block.split(/\n(?=- |\d+\. )/)))
    .filter((text) => !text.startsWith("#") && named(plain(text)))
    .map((text) =>
      plain(text)
        .replace(/^(- |\d+\. )/, "")
        .replace(/^\| | \|$/g, "")
        .replace(/ \| /g, ": "),
    );
}

/** The rules in our own words, as elements. */
export function rulesText() {
  const cells = (row) => row.replace(/^\| *| *\|$/g, "").split(/ *\| */);
  return blocks().map((block) => {
    if (block.startsWith("## ")) return h("h2", {}, plain(block.slice(3)));
    if (block.startsWith("|")) {
      const [head, , ...rows] = block.split("\n").map(cells);
      const row = (tag, each) => h("tr", {}, each.map((cell) => h(tag, {}, ruled(plain(cell)))));
      return h(
        "div",
        { class: "scroll", tabIndex: 0, role: "region", "aria-label": plain(head.join(", ")) },
        h("table", {}, h("thead", {}, row("th", head)), h("tbody", {}, rows.map((each) => row("td", each)))),
      );
    }
    const items = block.split(/\n(?=- |\d+\. )/);
    const mark = /^(- |\d+\. )/;
    if (items.every((item) => mark.test(item)))
      return h(
        block.startsWith("- ") ? "ul" : "ol",
        {},
        items.map((item) => h("li", {}, ruled(plain(item.replace(mark, ""))))),
      );
    return h("p", {}, ruled(plain(block)));
  });
}

/** A rule by its number: a section's title, or a ruling with its question and its answer. */
export function ruleBlock(id, untitled = false) {
  const ruling = setup.rulings[id];
  if (ruling) {
    return h(
      "article",
      { class: "rule" },
      untitled ? null : h("h3", {}, `${id} · ${ruling.title}`),
      ruling.question ? h("p", {}, ruling.question) : null,
      h("p", {}, h("strong", {}, "Played: "), ruling.choice),
      h("p", { class: "soft" }, `Why: ${ruling.reason}`),
    );
  }
  const titles = sectionsOf(id).map((key) => setup.sections[key]);
  const told = paragraphsOf(id);
  const related = Object.entries(setup.rulings).filter(([, r]) => r.sections.includes(id));
  return h(
    "article",
    { class: "rule" },
    untitled ? null : h("h3", {}, `Section ${id} · ${titles.join("; ") || "of the rulebook"}`),
    told.map((text) => h("p", {}, text)),
    related.length
      ? h(
          "ul",
          {},
          related.map(([key, r]) => h("li", {}, h("strong", {}, `${key} ${r.title}. `), r.choice)),
        )
      : told.length
        ? null
        : h("p", { class: "soft" }, "No ruling of ours: played as it is printed."),
  );
}

export function ruleLabel(id) {
  if (setup.rulings[id]) return `${id} ${setup.rulings[id].title}`;
  const found = Object.entries(setup.sections).find(([key]) => key === id || key.startsWith(`${id} `));
  return found ? `[${id}] ${found[1]}` : `[${id}]`;
}

/** A group of equal pieces on the map. */
export function pieceBlock(data) {
  const found =
    setup.pieces.find((p) => p.kind === data.pieceKind && (p.side === data.side || p.side === "neutral")) ??
    setup.pieces.find((p) => p.kind === data.pieceKind);
  if (!found) return null;
  const marks = (data.piece ?? "")
    .split("/")
    .slice(1)
    .map((mark) => setup.marks[mark] ?? `This one came from ${spaceName(mark)}.`);
  const count = Number(data.count ?? 1);
  return h(
    "article",
    { class: "rule" },
    h("h3", {}, `${count > 1 ? `${count} × ` : ""}${found.name} (${sideName(data.side)})`),
    h(
      "ul",
      {},
      [...found.facts, ...marks].map((fact) => h("li", {}, ruled(fact))),
    ),
    ruleList(found.rules),
  );
}

/** A space with what stands in it, read from the picture. */
export function spaceBlock(id, svg) {
  const space = setup.spaces.find((s) => s.id === id);
  if (!space) return null;
  const here = [...svg.querySelectorAll(`.piece[data-place="${CSS.escape(id)}"]`)].map((piece) => {
    return h(
      "li",
      {},
      `${sideName(piece.dataset.side)}: ${piece.querySelector("title")?.textContent ?? piece.dataset.piece}`,
    );
  });
  return h(
    "article",
    { class: "rule" },
    h("h3", {}, space.title),
    space.facts.map((text) => h("p", {}, ruled(text))),
    here.length ? h("ul", {}, here) : h("p", { class: "soft" }, "Nobody is here."),
    ruleList(space.rules),
  );
}

/** How the game is won, a paragraph a side. */
export function victoryBlock() {
  return Object.values(setup.victory).map((text) => h("p", {}, ruled(text)));
}

/** The whole board in words: read from the picture where the game names the places of its pieces, else `text`. */
export function boardAsText(svg, text) {
  if (!setup.places) return h("pre", { class: "board-text-plain" }, text);
  const rows = setup.spaces.map((space) => [space.name, `[data-place="${space.id}"], [data-place="sea/${space.id}"]`]);
  rows.push(...Object.entries(setup.places).map(([place, name]) => [name, `[data-place="${place}"]`]));
  return h(
    "dl",
    { class: "board-text" },
    rows.map(([name, selector]) => {
      const pieces = [...svg.querySelectorAll(".piece")].filter((piece) => piece.matches(selector));
      if (!pieces.length && Object.values(setup.places).includes(name)) return null;
      const words = pieces.map((piece) => {
        const where = piece.dataset.place.startsWith("sea/") ? " (at sea)" : "";
        return `${sideName(piece.dataset.side)}: ${piece.querySelector("title")?.textContent}${where}`;
      });
      return [h("dt", {}, name), h("dd", {}, words.join("; ") || "empty")];
    }),
  );
}
