"""Generated pages of ALOHA: cards and numbers, actions, observation, rulings, the environment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from page_parts import (
    NOTE,
    action_tables,
    deviations_opening,
    docstring,
    form_part,
    rulings_text,
    sources_table,
    table,
)

from hawaii_env import aloha_v0
from hawaii_env.aloha import Game
from hawaii_env.aloha.observation import PLAYER_FIELDS
from hawaii_env.aloha.pictures.names import amounts, island_name, okina
from hawaii_env.aloha.rules.actions import CODEC
from hawaii_env.aloha.rules.names import CARDS, ISLANDS, SETS
from hawaii_env.aloha.ruleset import Ruleset

__all__ = ["PAGES"]

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


def cards_page() -> str:
    """Event cards, Royal Family cards, the scoring chart, and where values come from."""
    rules = Ruleset.load()
    counts = Counter(value.source.split()[0] for value in rules.provenance)
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
    return (
        f"{NOTE}# {TITLE}: the action table\n\n{CODEC.size} in all, flat, the same for any ruleset and number of "
        f"players. SHA-256 of the texts: `{CODEC.hash}`.\n\n" + action_tables(CODEC, CODEC.texts)
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
    return (
        f"{NOTE}# {TITLE}: rulings\n\nWhere the rulebook is silent or can be read in two ways, one reading was "
        "chosen.\n\n" + rulings_text(Ruleset.rulings(), "aloha-", "Played")
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
    rules = Ruleset.load()
    what: list[list[object]] = [
        ["event cards", "events, calamities, calamities on opponents; one deck a Chapter, four face up",
            "every card: title, islands, what is received and paid"],
        ["Royal Family cards", "the four sets, their names", "the votes on them"],
        ["scoring", "the Prologue; Governor and Representatives",
            "the cards and majorities of the Chapters; points for tokens at the end"],
        ["set-up, islands", "all numbers", "-"],
    ]  # fmt: skip
    title, words = f"{TITLE}: this engine and the printed game", ("paragraph", "question", "question")
    return (
        deviations_opening(title, Ruleset.rulings(), "aloha_rulings.md#aloha-", words, clean=okina)
        + f"\n## What is reconstructed\n\nSet `{rules.name}`. These values are **not the published ones**, which are "
        "not public: [all of them](aloha_cards.md). A folder with files of the same names replaces them, "
        '`Game(rules="folder")`.\n\n'
        + table(["about", "printed", "reconstructed"], what)
        + "\nHow many values of each file come from where:\n\n"
        + sources_table([(value.file, value.source) for value in rules.provenance])
        + "\n"
        + form_part("paragraph", FORM)
    )


def environment_page() -> str:
    """The environment's page: its module's docstring."""
    rows: list[list[object]] = []
    for n in (2, 3, 4):
        game = Game(players=n)
        rows.append([n, ", ".join(f"`{agent}`" for agent in game.agents), game.observation_size, game.max_decisions])
    return (
        f"{NOTE}# The environment `aloha_v0`\n\nThe docstring of the module `hawaii_env.aloha_v0`.\n\n"
        + docstring(aloha_v0)
        + "\n\n## By players\n\n"
        + table(["players", "agents", "observation", "most decisions of a game"], rows)
    )


PAGES: dict[str, Callable[[], str]] = {
    "reference/aloha_environment.md": environment_page,
    "reference/aloha_cards.md": cards_page,
    "reference/aloha_actions.md": actions_page,
    "reference/aloha_observation.md": observation_page,
    "reference/aloha_rulings.md": rulings_page,
    "reference/aloha_deviations.md": deviations_page,
}
