// The first page: a new game, one's games, saved ones, a record from a file.

import { add, fill, get, h, plural, post, remember, setting, toast } from "./dom.js";
import { reference, sideName, victoryBlock } from "./info.js";
import { levelsOf, seatName } from "./levels.js";

let ids = 0;

export function field(label, control, note) {
  control.id ||= `f${++ids}`;
  return h("div", { class: "field" }, h("label", { htmlFor: control.id }, label), control, note ? h("p", { class: "soft" }, note) : null);
}

/** Selects that say who plays each side: people, levels, and every agent there is. */
export function seatFields(first = "me") {
  const setup = reference();
  const agents = setup.agents.map((agent) => agent.spec);
  const usual = setup.levels.length ? `level ${setup.level}` : `agent ${agents.includes(setup.hint) ? setup.hint : agents[0]}`;
  const selects = setup.sides.map((side, number) => {
    const select = h("select", { class: side.id, name: side.id },
      h("option", { value: "me" }, "me, at this screen"),
      h("option", { value: "guest" }, "somebody by an invitation link"),
      setup.levels.length ? h("optgroup", { label: "The computer, by level" }, setup.levels.map(({ number: n, name }) => h("option", { value: `level ${n}` }, `level ${n}: ${name}`))) : null,
      h("optgroup", { label: "The computer, by agent" }, agents.map((spec) => h("option", { value: `agent ${spec}` }, spec))));
    select.value = number === 0 ? first : usual;
    return select;
  });
  const read = (scenario = "long") => selects.map(({ value }) => {
    if (value.startsWith("agent ")) return { kind: "agent", agent: value.slice(6) };
    if (value.startsWith("level ")) return { kind: "agent", agent: levelsOf(scenario).find(({ number }) => number === Number(value.slice(6))).spec };
    return { kind: value };
  });
  const note = h("p", { class: "soft seat-note", "aria-live": "polite" });
  const tell = () => {
    const kinds = read().map((seat) => seat.kind);
    const about = selects.filter(({ value }) => value.startsWith("agent ")).map(({ value }) => setup.agents.find((a) => a.spec === value.slice(6))).filter((a) => a.about).map((a) => `${a.spec}: ${a.about}`);
    const text = kinds.every((k) => k === "agent") ? "You watch two agents play." : kinds.every((k) => k === "me") ? "Two people at this screen, in turn."
      : kinds.includes("guest") ? (kinds.includes("me") ? "You get a link for the other player." : "Choose yourself for one side.") : "";
    note.textContent = [text, ...new Set(about)].filter(Boolean).join(" ");
  };
  selects.forEach((select) => select.addEventListener("change", tell));
  tell();
  const box = h("fieldset", { class: "seats" }, h("legend", {}, "Who plays"),
    setup.sides.map((side, number) => field(side.name, selects[number])), note);
  return { box, read };
}

/** A group of radio buttons; `choices` are [value, label, a few words]. */
function radios(name, legend, choices, chosen, kind = "choice pills") {
  const box = h("fieldset", { class: kind }, h("legend", {}, legend), choices.map(([value, label, about]) => {
    const input = h("input", { type: "radio", name, value, id: `${name}-${value}`, checked: value === chosen });
    return h("label", { htmlFor: input.id }, input, h("span", {}, label, about ? h("small", {}, about) : null));
  }));
  return { box, get value() { return box.querySelector("input:checked").value; } };
}

/** Whom one plays, how strong, which side; "more" has every agent for either side. */
function opponentFields(scenario) {
  const setup = reference();
  const levels = levelsOf(scenario());
  const known = (name, choices, otherwise) => { const kept = setting(name, otherwise); return choices.some(([value]) => value === kept) ? kept : otherwise; };
  const whom = [
    ...(levels.length ? [["computer", "The computer"]] : []), ["friend", "A friend, by link"], ["here", "Two here"], ["more", "More …"],
  ];
  const opponent = radios("opponent", "Against", whom, known("opponent", whom, whom[0][0]));
  const strengths = levels.map(({ number, name }) => [String(number), [h("b", {}, String(number)), " ", name]]);
  const level = levels.length ? radios("level", "Level", strengths, known("level", strengths, String(setup.level)), "choice pills levels") : null;
  const about = h("p", { class: "soft level-about", "aria-live": "polite" });
  level?.box.append(about);
  const sides = [...setup.sides.map(({ id, name }) => [id, name]), ["lot", "by lot"]];
  const side = radios("side", "My side", sides, known("side", sides, sides[0][0]));
  const name = h("input", { type: "text", maxLength: 40, value: setting("name", ""), autocomplete: "nickname" });
  const naming = field("My name", name, "The other player sees it. It may stay empty.");
  const seats = seatFields();
  const box = h("div", {}, opponent.box, level?.box, side.box, seats.box, naming);
  const show = () => {
    const { value } = opponent;
    if (level) level.box.hidden = value !== "computer";
    side.box.hidden = value === "here" || value === "more";
    seats.box.hidden = value !== "more";
    naming.hidden = value !== "friend";
    if (level) about.textContent = `It ${levels.find(({ number }) => String(number) === level.value).about}.`.replace("It the", "It is the");
  };
  box.addEventListener("change", show);
  show();
  const read = () => {
    remember("opponent", opponent.value);
    if (opponent.value === "more") return seats.read(scenario());
    if (opponent.value === "here") return setup.sides.map(() => ({ kind: "me" }));
    remember("side", side.value);
    const mine = side.value === "lot" ? Math.floor(Math.random() * setup.sides.length) : setup.sides.findIndex(({ id }) => id === side.value);
    if (opponent.value === "friend") return setup.sides.map((_, n) => ({ kind: n === mine ? "me" : "guest" }));
    remember("level", level.value);
    const { spec } = levelsOf(scenario()).find(({ number }) => String(number) === level.value);
    return setup.sides.map((_, n) => (n === mine ? { kind: "me" } : { kind: "agent", agent: spec }));
  };
  return { box, read, name: () => { remember("name", name.value.trim()); return name.value.trim() || null; } };
}

export function diceField() {
  const select = h("select", { name: "dice" }, h("option", { value: "server" }, "the page rolls them"), h("option", { value: "hand" }, "we roll them and draw the cards ourselves"));
  return { box: field("Dice and cards", select, "With the printed game on your table choose the second: the page then asks for each die and card."), read: () => select.value };
}

/** Go to a new game; its invitations are kept for the page that shows them. */
export function enter(made) {
  for (const [side, token] of Object.entries(made.invitations ?? {})) {
    try { sessionStorage.setItem(`invitation.${made.id}`, JSON.stringify({ side, token })); } catch { /* shown again on demand */ }
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

const when = (seconds) => new Date(seconds * 1000).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });

function players(seats, scenario) {
  return seats.map((seat) => `${sideName(seat.side)}: ${seatName(seat, scenario)}`).join(", ");
}

function newGame() {
  const setup = reference();
  const scenario = h("fieldset", { class: "choice" }, h("legend", {}, "Scenario"), Object.entries(setup.scenarios).map(([id, name], n) => {
    const input = h("input", { type: "radio", name: "scenario", value: id, checked: n === 0, id: `scenario-${id}` });
    const months = id === "long" ? "January to November" : id === "short" ? "March to November" : "";
    return h("label", { htmlFor: input.id }, input, h("span", {}, name, months ? h("small", {}, months) : null));
  }));
  const opponent = opponentFields(() => scenario.querySelector("input:checked").value);
  const guide = h("input", { type: "checkbox", id: "guide", checked: setting("guide", "on") === "on" });
  const dice = diceField();
  const final = h("input", { type: "checkbox", id: "final-check" });
  const victor = h("select", {}, h("option", { value: "repulsed" }, "may not land where a garrison stayed"), h("option", { value: "assault" }, "fights the garrison on landing"));
  const button = h("button", { class: "primary" }, "Begin");
  return h("form", {
    class: "sheet", "aria-labelledby": "new-game",
    onsubmit: (event) => {
      event.preventDefault();
      if (guide.checked !== (setting("guide", "on") === "on")) remember("guide", guide.checked ? "on" : "off");
      busy(button, async () => enter(await post("/api/games", {
        scenario: scenario.querySelector("input:checked").value, seats: opponent.read(), dice: dice.read(), final_check: final.checked, sea_victor: victor.value,
        name: opponent.name(),
      })));
    },
  }, h("h1", { id: "new-game" }, "A new game"), opponent.box, scenario,
    h("div", { class: "check field" }, guide, h("label", { htmlFor: "guide" }, "Guide me: what I want, what threatens my chiefs, how one wins")),
    h("details", {}, h("summary", {}, "Dice, and other readings of the rules"), dice.box,
      h("div", { class: "field check" }, final, h("label", { htmlFor: "final-check" }, "Kamehameha’s occupation is looked at once more after November [R-08]")),
      field("The victor of a sea battle [R-18]", victor)),
    h("div", { class: "row" }, button));
}

/** The scenario that a record's first line names; undefined where it is no record, which the server will say. */
function scenarioOf(record) {
  try {
    return JSON.parse(record.slice(0, record.indexOf("\n"))).params.scenario;
  } catch {
    return undefined;
  }
}

function loadRecord() {
  const seats = seatFields();
  const dice = diceField();
  const file = h("input", { type: "file", accept: ".jsonl,application/jsonl" });
  const button = h("button", {}, "Load the record");
  return h("details", { class: "sheet" }, h("summary", {}, "Go on from a record"),
    h("form", {
      onsubmit: (event) => {
        event.preventDefault();
        if (!file.files.length) return toast("Choose a file first.");
        busy(button, async () => {
          const record = await file.files[0].text();
          enter(await post("/api/records", { record, seats: seats.read(scenarioOf(record)), dice: dice.read() }));
        });
      },
    }, field("File (.jsonl)", file, "A game that this page or “hawaii demo --record” wrote. It goes on where the record ends; a finished one can be looked through."), seats.box, dice.box, h("div", { class: "row" }, button)));
}

function inShort() {
  return h("section", { class: "sheet", "aria-labelledby": "in-short" }, h("h2", { id: "in-short" }, "The game in short"),
    h("p", {}, "Hawaiʻi in 1795: Kamehameha comes with canoes and cannon against the chiefs of Oʻahu and Maui. Each month he moves first, then the Allies. A half begins with a card; recruits come, units march, fleets sail, and where enemies meet they fight."),
    victoryBlock(), h("p", {}, "Else the game is a tie after November [5.3]."),
    h("p", { class: "soft" }, "Nobody needs to know the rules by heart: what can be done is marked on the map and listed beside it, and whatever you point at tells what it is and which rule it goes by. ", h("a", { href: "#/rules" }, "Cards and rules"), " has all of it on one page."));
}

function list(title, id, rows) {
  return h("section", { class: "sheet", "aria-labelledby": id }, h("h2", { id }, title), h("ul", { class: "games" }, rows));
}

export async function startPage(main, signal) {
  const mine = h("div", {});
  fill(main, h("div", { class: "columns" }, h("div", {}, newGame()), h("div", {}, mine, inShort(), loadRecord())));
  const refresh = async () => {
    const { games, saves } = await get("/api/games", signal);
    mine.replaceChildren();
    if (!games.length && !saves.length) {
      add(mine, h("section", { class: "sheet" }, h("h2", {}, "Your games"), h("p", { class: "soft" }, "None yet. A game is kept on the server as it goes; this browser finds it here again.")));
    }
    if (games.length) {
      add(mine, list(`Your games (${games.length})`, "my-games", games.map((game) => h("li", {},
        h("div", {}, h("a", { href: `#/game/${game.id}` }, `${reference().scenarios[game.scenario] ?? game.scenario}`), game.over ? " · finished" : "",
          h("p", { class: "soft" }, `${players(game.seats, game.scenario)}. ${when(game.updated)}`)),
        h("button", {
          class: "quiet", "aria-label": `Leave the game of ${when(game.updated)}`,
          onclick: () => { if (confirm("Leave this game? It is deleted where nobody else plays in it.")) post(`/api/games/${game.id}/leave`).then(refresh, (e) => toast(e.message)); },
        }, "Leave")))));
    }
    if (saves.length) {
      add(mine, list(`Saved (${saves.length})`, "my-saves", saves.map((save) => h("li", {},
        h("div", {}, h("strong", {}, save.name), h("p", { class: "soft" }, `${save.where}. ${when(save.created)}`)),
        h("div", { class: "row" },
          h("button", { "aria-label": `Load ${save.name}`, onclick: (e) => busy(e.currentTarget, async () => enter(await post("/api/load", { save: save.id }))) }, "Load"),
          h("button", { class: "quiet", "aria-label": `Delete ${save.name}`, onclick: () => post(`/api/saves/${save.id}/delete`).then(refresh, (e) => toast(e.message)) }, "Delete"))))));
    }
    if (games.length || saves.length) add(mine, logout(refresh));
  };
  await refresh();
}

/** The end of a session: this browser, whoever sits at it, finds nothing of these games again. */
function logout(refresh) {
  return h("p", { class: "soft" }, `The server forgets a browser that has not come for ${plural(reference().session_days, "day")}, with its saved games and its seats. `,
    h("button", {
      type: "button", class: "quiet",
      onclick: () => { if (confirm("Log out? Your games that nobody else plays in and your saved games are deleted.")) post("/api/logout").then(refresh, (e) => toast(e.message)); },
    }, "Log out"));
}

export { plural };
