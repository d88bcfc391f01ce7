// The first page: a new game, one's games, saves, a record from a file.

import { add, fill, h, lasts, plural, remember, setting, toast } from "./dom.js";
import { get, post } from "./requests.js";
import { ask } from "./dialog.js";
import { rulesName, sideName, tellCompiling, victoryBlock } from "./info.js";
import { reference, ruled } from "./ruled.js";
import { levelsOf, seatName, sideDoes, sideTitle } from "./levels.js";

let ids = 0;

export function field(label, control, note) {
  control.id ||= `f${++ids}`;
  return h(
    "div",
    { class: "field" },
    h("label", { htmlFor: control.id }, ruled(label)),
    control,
    note ? h("p", { class: "soft" }, note) : null,
  );
}

/** The sides of a game with certain options. */
function sidesOf(options) {
  const { seating, sides } = reference();
  for (const [name, made] of Object.entries(seating)) {
    const found = made[String(options[name])];
    if (found) return found;
  }
  return sides;
}

/** Selects for the player of each side in a game with certain options: people, levels, and all agents. */
export function seatFields(options = {}) {
  const setup = reference();
  const sides = sidesOf(options);
  const agents = setup.agents.map(({ agent }) => agent);
  const usual = setup.levels.length
    ? `level ${setup.level}`
    : `agent ${agents.includes(setup.hint) ? setup.hint : agents[0]}`;
  const selects = sides.map((side, number) => {
    const select = h(
      "select",
      { class: side.id, name: side.id },
      h("option", { value: "me" }, "me, at this screen"),
      h("option", { value: "guest" }, "somebody by an invitation link"),
      setup.levels.length
        ? h(
            "optgroup",
            { label: "The computer, by level" },
            setup.levels.map(({ number: n, name }) => h("option", { value: `level ${n}` }, `level ${n}: ${name}`)),
          )
        : null,
      agents.length
        ? h(
            "optgroup",
            { label: setup.levels.length ? "The computer, other agents" : "The computer" },
            setup.agents.map(({ agent, name }) => h("option", { value: `agent ${agent}` }, name)),
          )
        : null,
    );
    select.value = number === 0 ? "me" : usual;
    return select;
  });
  const read = (options = {}) =>
    selects.map(({ value }) => {
      if (value.startsWith("agent ")) return { kind: "agent", agent: value.slice(6) };
      if (value.startsWith("level ")) {
        const level = levelsOf(options).find(({ number }) => number === Number(value.slice(6)));
        return { kind: "agent", agent: level.agent };
      }
      return { kind: value };
    });
  const note = h("p", { class: "soft seat-note", "aria-live": "polite" });
  const tell = () => {
    const kinds = read().map((seat) => seat.kind);
    const about = selects
      .filter(({ value }) => value.startsWith("agent "))
      .map(({ value }) => setup.agents.find((a) => a.agent === value.slice(6)))
      .filter((a) => a.about)
      .map((a) => `${a.name}: ${a.about}`);
    const text = kinds.every((k) => k === "agent")
      ? kinds.length === 2
        ? "You watch two agents play."
        : "You watch the agents play."
      : kinds.every((k) => k === "me")
        ? kinds.length === 2
          ? "Two people at this screen, in turn."
          : "All at this screen, in turn."
        : kinds.includes("guest")
          ? kinds.includes("me")
            ? kinds.filter((k) => k === "guest").length === 1
              ? "You get a link for the other player."
              : "You get a link for each of the others."
            : "Choose yourself for one side."
          : "";
    note.textContent = [text, ...new Set(about)].filter(Boolean).join(" ");
  };
  selects.forEach((select) => select.addEventListener("change", tell));
  tell();
  const box = h(
    "fieldset",
    { class: "seats" },
    h("legend", {}, "Who plays"),
    sides.map((side, number) => field(side.name, selects[number])),
    note,
    setup.trying.length
      ? h("p", { class: "soft" }, "More agents are offered here once the server has tried them.")
      : null,
  );
  return { box, read };
}

/** A group of radio buttons; `choices` are [value, label, description]. */
function radios(name, legend, choices, chosen, kind = "choice pills") {
  const box = h(
    "fieldset",
    { class: kind },
    h("legend", {}, legend),
    choices.map(([value, label, about]) => {
      const input = h("input", { type: "radio", name, value, id: `${name}-${value}`, checked: value === chosen });
      return h("label", { htmlFor: input.id }, input, h("span", {}, label, about ? h("small", {}, about) : null));
    }),
  );
  return {
    box,
    get value() {
      return box.querySelector("input:checked").value;
    },
  };
}

/** The opponent, its level, and one's side; "more" offers every agent for every side. */
function opponentFields(options) {
  const setup = reference();
  const levels = levelsOf(options());
  let sides = sidesOf(options());
  const two = sides.length === 2;
  const known = (name, choices, otherwise) => {
    const kept = setting(name, otherwise);
    return choices.some(([value]) => value === kept) ? kept : otherwise;
  };
  const whom = [
    ...(levels.length ? [["computer", "The computer"]] : []),
    ["friend", two ? "A friend, by link" : "Friends, by links"],
    ["here", two ? "Two here" : "All here"],
    ["more", "More …"],
  ];
  const opponent = radios("opponent", "Against", whom, known("opponent", whom, whom[0][0]));
  const strengths = levels.map(({ number, name }) => [String(number), [h("b", {}, String(number)), " ", name]]);
  const level = levels.length
    ? radios("level", "Level", strengths, known("level", strengths, String(setup.level)), "choice pills levels")
    : null;
  const about = h("p", { class: "soft level-about", "aria-live": "polite" });
  level?.box.append(about);
  const asked = () => {
    const choices = [...sides.map(({ id, name }) => [id, name]), ["lot", "by lot"]];
    return radios("side", "My side", choices, known("side", choices, choices[0][0]));
  };
  let side = asked();
  let seats = seatFields(options());
  const name = h("input", { type: "text", maxLength: 40, value: setting("name", ""), autocomplete: "nickname" });
  const naming = field("My name", name, "Shown to the other players. Optional.");
  const limit = h("select", { id: "limit" }, LIMITS.map(([value, label]) => h("option", { value }, label)));
  const limiting = field("Each turn may last", limit, "After that the computer plays for the player whose turn it is.");
  const box = h("div", {}, opponent.box, level?.box, side.box, seats.box, naming, limiting);
  const show = () => {
    const { value } = opponent;
    const now = sidesOf(options());
    if (now !== sides) {
      // The number of players, or the sides, have changed.
      sides = now;
      const [before, others] = [side.box, seats.box];
      [side, seats] = [asked(), seatFields(options())];
      before.replaceWith(side.box);
      others.replaceWith(seats.box);
      opponent.box.querySelector("label[for=opponent-friend] span").textContent =
        sides.length === 2 ? "A friend, by link" : "Friends, by links";
      opponent.box.querySelector("label[for=opponent-here] span").textContent =
        sides.length === 2 ? "Two here" : "All here";
    }
    if (level) level.box.hidden = value !== "computer";
    side.box.hidden = value === "here" || value === "more";
    seats.box.hidden = value !== "more";
    naming.hidden = value !== "friend";
    limiting.hidden = value !== "friend" && !(value === "more" && seats.read().some(({ kind }) => kind === "guest"));
    if (level)
      about.textContent = `It ${levels.find(({ number }) => String(number) === level.value).about}.`.replace(
        "It the",
        "It is the",
      );
  };
  box.addEventListener("change", show);
  show();
  const read = () => {
    show();
    remember("opponent", opponent.value);
    if (opponent.value === "more") return seats.read(options());
    if (opponent.value === "here") return sides.map(() => ({ kind: "me" }));
    remember("side", side.value);
    const mine =
      side.value === "lot"
        ? Math.floor(Math.random() * sides.length)
        : sides.findIndex(({ id }) => id === side.value);
    if (opponent.value === "friend") return sides.map((_, n) => ({ kind: n === mine ? "me" : "guest" }));
    remember("level", level.value);
    const { agent } = levelsOf(options()).find(({ number }) => String(number) === level.value);
    return sides.map((_, n) => (n === mine ? { kind: "me" } : { kind: "agent", agent }));
  };
  return {
    box,
    read,
    show,
    limit: () => (limiting.hidden ? null : Number(limit.value) || null),
    name: () => {
      remember("name", name.value.trim());
      return name.value.trim() || null;
    },
  };
}

const LIMITS = [
  ["", "as long as they like"],
  [300, "5 minutes"],
  [1800, "half an hour"],
  [86400, "a day"],
  [3 * 86400, "three days"],
  [7 * 86400, "a week"],
];

export function diceField() {
  const select = h(
    "select",
    { name: "dice" },
    h("option", { value: "server" }, "the page rolls them"),
    h("option", { value: "hand" }, "we roll them and draw the cards ourselves"),
  );
  return {
    box: field(
      "Dice and cards",
      select,
      "If you play on a printed board, choose the second: the page then asks for each die and card.",
    ),
    read: () => select.value,
  };
}

/** Open a new game; its invitations are stored for the page that shows them. */
export function enter(made) {
  if (Object.keys(made.invitations ?? {}).length) {
    try {
      sessionStorage.setItem(`invitation.${made.id}`, JSON.stringify(made.invitations));
    } catch {
      /* shown again on demand */
    }
  }
  location.hash = `#/game/${made.id}`;
}

export async function busy(button, work) {
  button.disabled = true;
  try {
    return await work();
  } catch (error) {
    toast(error.message);
  } finally {
    button.disabled = false;
  }
}

/** Leave a game as it is now; an entry of the list has no version. */
async function leave(id) {
  // A game that was stored by another version can be left, too.
  const { version } = await get(`/api/games/${id}`).catch(() => ({ version: 0 }));
  await post(`/api/games/${id}/leave`, { version });
}

const when = (seconds) => new Date(seconds * 1000).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });

function players(seats) {
  return seats.map((seat) => `${sideName(seat.side)}: ${seatName(seat)}`).join(", ");
}

/** The players to act and how long they have taken; one's own turns come first in the list. */
const asked = ({ seats, over }) => (over ? [] : seats.filter(({ since }) => since !== null));
const myTurns = (game) => asked(game).filter(({ you }) => you);

function turnWords(game) {
  if (game.over) return "finished";
  const waits = asked(game),
    own = myTurns(game);
  if (!waits.length) return "";
  const since = Math.min(...(own.length ? own : waits).map((seat) => seat.since));
  const time = lasts(Date.now() / 1000 - since);
  const left = game.limit ? `, ${lasts(Math.max(0, since + game.limit - Date.now() / 1000))} left` : "";
  if (own.length) return h("strong", { class: "mine" }, `your turn for ${time}${left}`);
  const [{ side }] = waits;
  const one = `${sideTitle(side)} ${sideDoes(side, "decides", "decide")}`;
  return `${waits.length > 1 ? `${waits.length} sides decide` : one}, for ${time}${left}`;
}

/**
 * The options of a game: those that change the sides, those shown at once (boxes), further ones (more), and a function
 * that reads them all.
 */
function optionFields() {
  const first = [],
    boxes = [],
    more = [],
    readers = {};
  for (const { name, label, kind, choices, value } of reference().options) {
    const id = name.replaceAll("_", "-");
    if (kind === "radios") {
      const box = h(
        "fieldset",
        { class: name in reference().seating ? "choice pills" : "choice" },
        h("legend", {}, ruled(label)),
        choices.map(([one, said, about], n) => {
          const checked = value === undefined ? n === 0 : one === value;
          const input = h("input", { type: "radio", name, value: one, checked, id: `${id}-${one}` });
          return h("label", { htmlFor: input.id }, input, h("span", {}, said, about ? h("small", {}, about) : null));
        }),
      );
      (name in reference().seating ? first : boxes).push(box);
      readers[name] = () => choices.find(([one]) => String(one) === box.querySelector("input:checked").value)[0];
    } else if (kind === "check") {
      const input = h("input", { type: "checkbox", id, checked: value });
      more.push(h("div", { class: "field check" }, input, h("label", { htmlFor: id }, ruled(label))));
      readers[name] = () => input.checked;
    } else if (kind === "select") {
      const select = h(
        "select",
        { id },
        choices.map(([one, said]) => h("option", { value: String(one) }, said)),
      );
      if (value !== undefined) select.value = String(value);
      (name in reference().seating ? first : more).push(field(label, select));
      readers[name] = () => choices.find(([one]) => String(one) === select.value)[0];
    } else {
      const input = h("input", { id, type: kind, value });
      more.push(field(label, input));
      readers[name] = () => (kind === "number" ? Number(input.value) : input.value);
    }
  }
  const read = () => Object.fromEntries(Object.entries(readers).map(([name, one]) => [name, one()]));
  return { first, boxes, more, read };
}

/** The title of a game in a list: the value of its first option with several choices, else the game. */
function nameOf(game) {
  const first = reference().options.find(({ name, kind }) => kind === "radios" || name === "scenario");
  if (!first) return reference().title;
  const label = first.choices.find(([value]) => value === game[first.name])?.[1] ?? String(game[first.name]);
  return Number(label) ? `${label} ${first.label.toLowerCase()}` : label;
}

function newGame() {
  const options = optionFields();
  const { guide: guidance, by_hand: byHand } = reference();
  const opponent = opponentFields(options.read);
  const guide = h("input", { type: "checkbox", id: "guide", checked: setting("guide", "on") === "on" });
  const dice = diceField();
  const button = h("button", { class: "primary" }, "Begin");
  return h(
    "form",
    {
      class: "sheet",
      "aria-labelledby": "new-game",
      onchange: () => opponent.show(),
      onsubmit: (event) => {
        event.preventDefault();
        if (guide.checked !== (setting("guide", "on") === "on")) remember("guide", guide.checked ? "on" : "off");
        busy(button, async () =>
          enter(
            await post("/api/games", {
              seats: opponent.read(),
              dice: dice.read(),
              ...options.read(),
              name: opponent.name(),
              limit: opponent.limit(),
            }),
          ),
        );
      },
    },
    h("h1", { id: "new-game" }, "A new game"),
    tellCompiling(h("p", { class: "soft compiling", role: "status" })),
    options.first,
    opponent.box,
    options.boxes,
    guidance ? h("div", { class: "check field" }, guide, h("label", { htmlFor: "guide" }, guidance.offer)) : null,
    byHand || options.more.length
      ? h(
          "details",
          {},
          h("summary", {}, byHand ? "Dice, and other readings of the rules" : "Other readings of the rules"),
          byHand ? dice.box : null,
          options.more,
        )
      : null,
    h("div", { class: "row" }, button),
  );
}

/** The options named in the first line of a record; none if it is not a record, which the server will report. */
function optionsOf(record) {
  try {
    return JSON.parse(record.slice(0, record.indexOf("\n"))).params;
  } catch {
    return {};
  }
}

function loadRecord() {
  let seats = seatFields();
  const dice = diceField();
  const file = h("input", {
    type: "file",
    accept: ".jsonl,application/jsonl",
    onchange: async () => {
      if (!file.files.length) return;
      const made = seatFields(optionsOf(await file.files[0].text()));
      seats.box.replaceWith(made.box);
      seats = made;
    },
  });
  const button = h("button", {}, "Load the record");
  return h(
    "details",
    { class: "sheet" },
    h("summary", {}, "Continue from a record"),
    h(
      "form",
      {
        onsubmit: (event) => {
          event.preventDefault();
          if (!file.files.length) return toast("Choose a file first.");
          busy(button, async () => {
            const record = await file.files[0].text();
            enter(await post("/api/records", { record, seats: seats.read(optionsOf(record)), dice: dice.read() }));
          });
        },
      },
      field(
        "File (.jsonl)",
        file,
        "A game recorded by this page or “hawaii demo --record”. It continues where the record ends; you can " +
          "review a finished one.",
      ),
      seats.box,
      reference().by_hand ? dice.box : null,
      h("div", { class: "row" }, button),
    ),
  );
}

function inShort() {
  const { short } = reference();
  if (!short.length) return null;
  return h(
    "section",
    { class: "sheet", "aria-labelledby": "in-short" },
    h("h2", { id: "in-short" }, "The game in short"),
    short.map((text) => (text === null ? victoryBlock() : h("p", {}, ruled(text)))),
    h(
      "p",
      { class: "soft" },
      "You do not need to know the rules by heart: legal choices are marked on the map and listed beside it. " +
        "Point at anything to see what it is and which rule applies. ",
      h("a", { href: "#/rules" }, rulesName()),
      " has all of it on one page.",
    ),
  );
}

function list(title, id, rows) {
  return h(
    "section",
    { class: "sheet", "aria-labelledby": id },
    h("h2", { id }, title),
    h("ul", { class: "games" }, rows),
  );
}

export async function startPage(main, signal) {
  const mine = h("div", {});
  fill(main, h("div", { class: "columns" }, h("div", {}, newGame()), h("div", {}, mine, inShort(), loadRecord())));
  const refresh = async () => {
    const { games, saves } = await get("/api/games", signal);
    mine.replaceChildren();
    if (!games.length && !saves.length) {
      add(
        mine,
        h(
          "section",
          { class: "sheet" },
          h("h2", {}, "Your games"),
          h(
            "p",
            { class: "soft" },
            "None yet. The server saves games as you play; this browser lists them here.",
          ),
        ),
      );
    }
    if (games.length) {
      add(
        mine,
        list(
          `Your games (${games.length})`,
          "my-games",
          games
            .sort((a, b) => myTurns(b).length - myTurns(a).length)
            .map((game) =>
            h(
              "li",
              {},
              h(
                "div",
                {},
                h("a", { href: `#/game/${game.id}` }, nameOf(game)),
                game.seats.some(({ you, kind }) => you || kind === "agent") ? "" : " · you watch",
                " · ",
                turnWords(game),
                h("p", { class: "soft" }, `${players(game.seats)}. ${when(game.updated)}`),
              ),
              h(
                "button",
                {
                  class: "quiet",
                  "aria-label": `Leave the game of ${when(game.updated)}`,
                  onclick: async () => {
                    const asked = { title: "Leave this game?", text: "It is deleted if nobody else plays in it." };
                    if (await ask({ ...asked, yes: "Leave it", danger: true }))
                      leave(game.id).then(refresh, (e) => toast(e.message));
                  },
                },
                "Leave",
              ),
            ),
          ),
        ),
      );
    }
    if (saves.length) {
      add(
        mine,
        list(
          `Saved (${saves.length})`,
          "my-saves",
          saves.map((save) =>
            h(
              "li",
              {},
              h(
                "div",
                {},
                h("strong", {}, save.name),
                h("p", { class: "soft" }, `${save.where}. ${when(save.created)}`),
              ),
              h(
                "div",
                { class: "row" },
                h(
                  "button",
                  {
                    "aria-label": `Load ${save.name}`,
                    onclick: (e) =>
                      busy(e.currentTarget, async () => enter(await post("/api/load", { save: save.id }))),
                  },
                  "Load",
                ),
                h(
                  "button",
                  {
                    class: "quiet",
                    "aria-label": `Delete ${save.name}`,
                    onclick: () => post(`/api/saves/${save.id}/delete`).then(refresh, (e) => toast(e.message)),
                  },
                  "Delete",
                ),
              ),
            ),
          ),
        ),
      );
    }
    if (games.length || saves.length) add(mine, logout(refresh));
  };
  await refresh();
  // When the window gets the focus, update whose turn it is.
  addEventListener("focus", () => refresh().catch(() => {}), { signal });
}

/** Log out: nobody at this browser can return to these games. */
function logout(refresh) {
  return h(
    "p",
    { class: "soft" },
    `After ${plural(reference().session_days, "day")} without a visit, the server deletes this browser’s saved ` +
      "games and seats. ",
    h(
      "button",
      {
        type: "button",
        class: "quiet",
        onclick: async () => {
          const text = "This deletes your saved games and the games in which nobody else plays.";
          if (await ask({ title: "Log out?", text, yes: "Log out", danger: true }))
            post("/api/logout").then(refresh, (e) => toast(e.message));
        },
      },
      "Log out",
    ),
  );
}

export { plural };
