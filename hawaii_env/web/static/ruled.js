// Numbers of rules in texts, as links to their paragraphs: in games, on the page of rules, in replays.

import { show } from "./dialog.js";
import { h } from "./dom.js";

/** The constant part of a game's data: `sections`, `rulings` and `text`, the rules. */
let setup = null;

export function useSetup(data) {
  setup = data;
}
export const reference = () => setup;

// A section in brackets, or the rulebook's word for one, or a ruling.
const REFERENCE = /\[([^\][]{1,40})\]|R-\d\d/g;

const sectionsOf = (id) => Object.keys(setup.sections).filter((key) => key === id || key.startsWith(`${id} `));

/** The known numbers in a reference such as "5.1, R-07". */
const known = (numbers) =>
  numbers.split(/,\s*/).filter((id) => setup.rulings[id] || sectionsOf(id).length || paragraphsOf(id).length);

export const showRules = (ids) =>
  show({ title: "By the rules", seen: "Close", body: ids.map((id) => ruleBlock(id)) });

/** A text in which numbers of rules are buttons that open their paragraphs. */
export function ruled(text) {
  const parts = [];
  let at = 0;
  for (const match of text.matchAll(REFERENCE)) {
    const ids = known(match[1] ?? match[0]);
    if (!ids.length) continue;
    parts.push(text.slice(at, match.index));
    const onclick = (event) => {
      event.stopPropagation();
      showRules(ids);
    };
    at = match.index + match[0].length;
    // Keep a following full stop on the same line.
    const [stop] = text.slice(at).match(/^[.,;:)]*/);
    parts.push(h("span", { class: "kept" }, h("button", { type: "button", class: "ref", onclick }, match[0]), stop));
    at += stop.length;
  }
  return [...parts, text.slice(at)];
}

/** The blocks of the summary of the rules: single lines, and whole lists and tables. */
export const blocks = () => setup.text.split(/\n{2,}/).filter((block) => block && !block.startsWith("!["));

/** Markdown as plain text: without links, emphasis and code. */
export const plain = (text) =>
  text
    .replace(/\[([^\]]+)\]\([^)]*\)/g, "$1")
    .replace(/\*\*([^*]+)\*\*/g, "$1")
    .replace(/\*([^*]+)\*/g, "$1")
    .replace(/`([^`]+)`/g, "$1")
    .replace(/\s*\n\s*/g, " ");

/** The paragraphs, items and rows of the rules that contain a number. */
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

/** A rule by its number: a section with its title, or a ruling with its question and answer. */
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
          related.map(([key, { title, choice }]) =>
            h("li", {}, h("strong", {}, `${key} ${title}`.replace(/[^.?!]$/, "$&."), " "), choice),
          ),
        )
      : told.length
        ? null
        : h("p", { class: "soft" }, "No ruling: played as printed."),
  );
}

export function ruleLabel(id) {
  if (setup.rulings[id]) return `${id} ${setup.rulings[id].title}`;
  const found = Object.entries(setup.sections).find(([key]) => key === id || key.startsWith(`${id} `));
  return found ? `[${id}] ${found[1]}` : `[${id}]`;
}
