// Cards, pieces, spaces and rules as text.

import { h, svgElement } from "./dom.js";
import { blocks, plain, reference, ruleBlock, ruleLabel, ruled } from "./ruled.js";

/** Show that the server is still compiling, in words for everybody. */
export function tellCompiling(note) {
  const { trying } = reference();
  note.hidden = !trying.length;
  note.textContent =
    "The computer is still getting ready. You can play at once; until then it thinks longer, and there are no hints.";
  return note;
}

export const hasCards = () => Object.keys(reference().cards).length > 0;
/** The title of the page of rules. */
export const rulesName = () => (hasCards() ? "Cards and rules" : "Rules");

export const sideName = (side) => reference().names[side] ?? side;
export const spaceName = (id) => reference().spaces.find((space) => space.id === id)?.name ?? id;

/** A card; `label` says what it does now. */
export function cardBlock(id, label = "") {
  const card = reference().cards[id];
  if (!card) return null;
  return h(
    "article",
    { class: `card-text ${card.side}` },
    h(
      "h3",
      {},
      card.sign ? svgElement(card.sign) : null, // not all games have signs
      ` ${card.number} · ${card.title}`,
      label ? h("span", { class: "soft at-once" }, ` ${label}`) : null,
    ),
    h("p", {}, card.text),
    h("p", { class: "soft" }, card.facts),
    ruleList(card.rules),
  );
}

/** Sections and rulings by title; a click opens one. */
function ruleList(ids) {
  if (!ids?.length) return null;
  return h(
    "div",
    { class: "rule-list" },
    ids.map((id) => h("details", {}, h("summary", {}, ruleLabel(id)), ruleBlock(id, true))),
  );
}

/** The meaning of a choice, with the card that it plays and the rules behind it. */
export function choiceBlock(action) {
  const { card } = action;
  return [h("h3", {}, `${action.group} ${action.label}`.trim()), card ? cardBlock(card) : null, ruleList(action.rules)];
}

/** The summary of the rules, as elements. */
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

/** A group of equal pieces on the map. */
export function pieceBlock(data) {
  const found =
    reference().pieces.find((p) => p.kind === data.pieceKind && (p.side === data.side || p.side === "neutral")) ??
    reference().pieces.find((p) => p.kind === data.pieceKind);
  if (!found) return null;
  const marks = (data.piece ?? "")
    .split("/")
    .slice(1)
    .map((mark) => reference().marks[mark] ?? `This one came from ${spaceName(mark)}.`);
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

/** A space and its content, read from the picture. */
export function spaceBlock(id, svg) {
  const space = reference().spaces.find((s) => s.id === id);
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

/** How to win, one paragraph for each side. */
export function victoryBlock() {
  return Object.values(reference().victory).map((text) => h("p", {}, ruled(text)));
}

/** The whole board as text: read from the picture if the game names the places of its pieces, else `text`. */
export function boardAsText(svg, text) {
  if (!reference().places) return h("pre", { class: "board-text-plain" }, text);
  const { places, spaces } = reference();
  const rows = spaces.map((space) => [space.name, `[data-place="${space.id}"], [data-place="sea/${space.id}"]`]);
  rows.push(...Object.entries(places).map(([place, name]) => [name, `[data-place="${place}"]`]));
  return h(
    "dl",
    { class: "board-text" },
    rows.map(([name, selector]) => {
      const pieces = [...svg.querySelectorAll(".piece")].filter((piece) => piece.matches(selector));
      if (!pieces.length && Object.values(reference().places).includes(name)) return null;
      const words = pieces.map((piece) => {
        const where = piece.dataset.place.startsWith("sea/") ? " (at sea)" : "";
        return `${sideName(piece.dataset.side)}: ${piece.querySelector("title")?.textContent}${where}`;
      });
      return [h("dt", {}, name), h("dd", {}, words.join("; ") || "empty")];
    }),
  );
}
