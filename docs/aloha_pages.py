"""Generated pages of ALOHA: cards and numbers, actions, observation, rulings, the environment."""

from __future__ import annotations

import inspect
import tomllib
from collections import Counter
from collections.abc import Callable

from hawaii_env import aloha_v0
from hawaii_env.aloha import Game
from hawaii_env.aloha.observation import PLAYER_FIELDS
from hawaii_env.aloha.pictures.names import amounts, island_name, okina
from hawaii_env.aloha.rules.actions import CODEC
from hawaii_env.aloha.rules.names import CARDS, ISLANDS, SETS
from hawaii_env.aloha.ruleset import RULINGS, load_ruleset, sources

__all__ = ["PAGES"]

NOTE = "<!-- Written by docs/generate.py from code and data; do not edit. -->\n"
TITLE = "ALOHA"
KINDS = {"event": "ordinary", "calamity": "calamity", "calamity_opponents": "calamity on opponents"}
PART_MEANINGS = {
    "observer": "the observer's index",
    "stage": "Prologue, Chapters I to III, Epilogue",
    "phase": "in the order of `Game`'s phases",
    "migration": "while an amount is chosen: the island left, the island gone to",
    "deck": "card numbers that are left in the chapter's deck",
    "face_up": "a slot each: card number; ordinary, calamity on opponents; Active islands 5; receives 5; pays 5",
    "players": "clockwise from the observer: "
    + ", ".join(name if n == 1 else f"{name} {n}" for name, n in PLAYER_FIELDS),
}


def table(head: list[str], rows: list[list[object]]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def cards_page() -> str:
    """Event cards, Royal Family cards, the scoring chart, and where values come from."""
    rules = load_ruleset()
    counts = Counter(source.split()[0] for *_, source in sources(rules))
    text = (
        f"{NOTE}# {TITLE}: cards and numbers\n\nRuleset `{rules.name}`, hash `{rules.hash}`: {counts['printed']} "
        f"values printed, {counts['ruling']} by a ruling, {counts['reconstructed']} reconstructed. **The event cards, "
        "all votes, and the chart of the chapters are reconstructed**: they were designed for this project, and are "
        "not the published ones. A folder with a file of the same name replaces them.\n"
    )
    for stage, chapter in zip(("Chapter I", "Chapter II", "Chapter III"), rules.chapters, strict=True):
        rows: list[list[object]] = [
            [
                number,
                okina(card.title),
                KINDS[card.kind],
                ", ".join(island_name(rules, island) for island in card.islands),
                amounts(card.receives) or "-",
                amounts(card.pays) or "-",
                okina(card.text),
            ]
            for number, card in sorted(chapter.items())
        ]
        text += f"\n## {stage}\n\n" + table(
            ["no.", "card", "kind", "islands", "receives", "pays", "what happened"], rows
        )
    rows = []
    for name in SETS:
        cards = getattr(rules.royal, name)
        rows.append(
            [
                name,
                okina(cards.monarch.title),
                cards.monarch.votes,
                f"{okina(cards.island.title)} ...",
                cards.island.votes,
            ]
        )
    text += f"\n## Royal Family cards\n\n{len(CARDS)} cards. Titles are printed, votes reconstructed.\n\n" + table(
        ["set", "monarch", "votes", "five island cards", "votes each"], rows
    )
    rows = [
        [
            island_name(rules, name),
            amounts(getattr(rules.board.islands, name).take),
            amounts(getattr(rules.board.islands, name).take_chapter_3 or getattr(rules.board.islands, name).take),
        ]
        for name in ISLANDS
    ]
    text += "\n## What an Action takes\n\n" + table(["island", "Chapters I and II", "Chapter III"], rows)
    score = rules.scoring
    rows = []
    for resource in ("hawaiian", "commerce", "aloha"):
        for stage in ("chapter_1", "chapter_2", "chapter_3"):
            rows.append(
                [
                    resource,
                    stage,
                    *(", ".join(map(str, row)) for row in getattr(getattr(score, stage).majority, resource)),
                ]
            )
    per = score.epilogue.tokens_for_a_point
    text += (
        f"\n## Scoring\n\nPrinted: King Kamehameha I {score.prologue.monarch}, each chief {score.prologue.island}; "
        f"Governor {score.epilogue.governor}, each Island Representative {score.epilogue.island}. Reconstructed: "
        f"monarchs of Chapters I and II {score.chapter_1.monarch} and {score.chapter_2.monarch}, their island cards "
        f"{score.chapter_1.island} and {score.chapter_2.island}; at the end a point for {per.hawaiian} Pure Hawaiian "
        f"tokens, {per.commerce} Commerce, {per.aloha} Aloha; "
        "and points for first, second ... place in a resource:\n\n"
        + table(["resource", "stage", "2 players", "3 players", "4 players"], rows)
    )
    return text


def actions_page() -> str:
    """The action table."""
    rows: list[list[object]] = []
    for first, last, family, one, other in CODEC.rows():
        numbers = f"{first}" if first == last else f"{first} - {last}"
        rows.append([numbers, family.verb, family.size, f"`{one}`", f"`{other}`", family.when])
    every: list[list[object]] = [[index, f"`{text}`"] for index, text in enumerate(CODEC.texts)]
    return (
        f"{NOTE}# {TITLE}: the action table\n\n{CODEC.size} in all, flat, the same for any ruleset and number of "
        f"players. SHA-256 of the texts: `{CODEC.hash}`.\n\n"
        + table(["index", "verb", "how many", "first", "last", "when"], rows)
        + "\n## All of them\n\n"
        + table(["index", "text"], every)
    )


def observation_page() -> str:
    """The observation's parts."""
    game, rows, offset = Game(players=4), list[list[object]](), 0
    for part in game.observation_parts:
        shape = " x ".join(map(str, part.shape)).replace("4 x 55", "players x 55")
        rows.append([offset, shape, f"`{part.name}`", PART_MEANINGS[part.name]])
        offset += part.size
    sizes = ", ".join(str(Game(players=n).observation_size) for n in (2, 3, 4))
    offset, fields = 0, list[list[object]]()
    for name, number in PLAYER_FIELDS:
        top = game.raw_high[118 + offset : 118 + offset + number].max()
        fields.append([offset, number, name, f"0 - {top}"])
        offset += number
    return (
        f"{NOTE}# {TITLE}: the observation\n\n{sizes} values with two, three and four players, in named parts; "
        "`game.split_observation(vector)` gives them by name. Raw values are int8; the float32 observation is the raw "
        "value divided by its greatest. Everything is open. Points above 127, which a ruleset of your own may give, "
        "show as 127.\n\n"
        + table(["offset", "shape", "part", "meaning"], rows)
        + "\n## Of each player\n\n"
        + table(["offset", "values", "meaning", "raw, with four players"], fields)
    )


def rulings_page() -> str:
    """Rulings."""
    rulings = tomllib.loads(RULINGS.read_text(encoding="utf-8"))["rulings"]
    parts = [
        f'<a id="aloha-{r["id"].lower()}"></a>\n\n## {r["id"]}\n\n[{", ".join(r["sections"])}] {r["question"]}\n\n'
        + f"**Played:** {r['choice']}\n\n*Why:* {r['reason']}\n\n"
        + (f"*Another reading is played with the option* `{r['option']}`.\n\n" if "option" in r else "")
        + f"*Test:* `{r['test']}`\n"
        for r in rulings
    ]
    return (
        f"{NOTE}# {TITLE}: rulings\n\nWhere the rulebook is silent or can be read in two ways, one reading was "
        "chosen.\n\n" + "\n".join(parts)
    )


FORM = (
    ("Pure Hawaiian tokens", "ones and fives, change is made", "their worth alone is counted", "SU"),
    (
        "Action tokens in the Prologue",
        "two lie on the island",
        "two actions are counted, wherever the tokens are",
        "P2",
    ),
    ("a migration", "one move", "two decisions: from where to where, then how many", "C2m"),
    ("a choice of one", "the player makes it", "the engine makes it, and records it as forced", "-"),
    ("a deck", "shuffled", "chance among the cards left; no order is stored", "C2e"),
    ("the first player", "by any means", "a chance node, all alike", "SU"),
    ("dice", "white and black ones, and one with four sides", "six-sided ones, one chance node each", "P3"),
)


def deviations_page() -> str:
    """This engine beside the printed game."""
    rules = load_ruleset()
    rulings = tomllib.loads(RULINGS.read_text(encoding="utf-8"))["rulings"]
    read: list[list[object]] = [
        [
            f"[{r['id']}](aloha_rulings.md#aloha-{r['id'].lower()})",
            ", ".join(r["sections"]),
            okina(r["question"]),
            okina(" ".join(r["choice"].split())),
            f"option `{r['option']}`" if "option" in r else "-",
        ]
        for r in rulings
    ]
    kinds = ("printed", "ruling", "reconstructed")
    found = [(file, source.split()[0]) for file, _, _, source in sources(rules)]
    counts: list[list[object]] = [
        [f"`{file}`", *(found.count((file, kind)) for kind in kinds)] for file in dict.fromkeys(f for f, _ in found)
    ]
    counts.append(["all", *(sum(kind == one for _, kind in found) for one in kinds)])
    what: list[list[object]] = [
        ["event cards", "that there are events, calamities, and calamities on opponents; one deck a Chapter, four face up",
            "every card: title, islands, what is received and paid"],
        ["Royal Family cards", "the four sets, their names", "the votes on them"],
        ["scoring", "the Prologue; Governor and Representatives",
            "the cards and majorities of the Chapters; points for tokens at the end"],
        ["set-up, islands", "all numbers", "-"],
    ]  # fmt: skip
    return (
        f"{NOTE}# {TITLE}: this engine and the printed game\n\nWhat is played here and what stands on the table differ "
        "in three ways: where the rulebook leaves a question open, one reading was chosen; what only the printed "
        "components say was designed anew; and a program asks in another form than a rulebook does.\n\n"
        "## Readings that were chosen\n\n"
        + table(["ruling", "paragraph", "question", "played here", "otherwise playable by"], read)
        + f"\n## What is reconstructed\n\nSet `{rules.name}`. These values are **not the published ones**, which are not "
        "public: [all of them](aloha_cards.md). A folder with files of the same names replaces them, "
        '`Game(rules="folder")`.\n\n'
        + table(["about", "printed", "reconstructed"], what)
        + "\nHow many values of each file come from where:\n\n"
        + table(["file", *kinds], counts)
        + "\n## In form, not in rule\n\n"
        + table(["about", "at the table", "here", "paragraph"], [list(row) for row in FORM])
    )


def environment_page() -> str:
    """The environment's page: its module's docstring."""
    text = (inspect.getdoc(aloha_v0) or "").replace("``` python", "```text")
    rows: list[list[object]] = []
    for n in (2, 3, 4):
        game = Game(players=n)
        rows.append([n, ", ".join(f"`{agent}`" for agent in game.agents), game.observation_size, game.max_decisions])
    return (
        f"{NOTE}# The environment `aloha_v0`\n\nThe docstring of the module `hawaii_env.aloha_v0`.\n\n{text}\n\n## By "
        "players\n\n" + table(["players", "agents", "observation", "most decisions of a game"], rows)
    )


PAGES: dict[str, Callable[[], str]] = {
    "reference/aloha_environment.md": environment_page,
    "reference/aloha_cards.md": cards_page,
    "reference/aloha_actions.md": actions_page,
    "reference/aloha_observation.md": observation_page,
    "reference/aloha_rulings.md": rulings_page,
    "reference/aloha_deviations.md": deviations_page,
}
