"""The texts that a page can show over whole games: sentences for people, without identifiers and engine texts."""

from __future__ import annotations

import ast
import base64
import json
import random
import re
import zlib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from hawaii_env import load_agent, load_game
from hawaii_env.agents import known
from hawaii_env.errors import HawaiiError
from hawaii_env.games import find
from hawaii_env.render.picture import render_svg
from hawaii_env.render.text import render_text
from hawaii_env.replay import replay_page
from hawaii_env.texts import spell
from hawaii_env.web import Settings
from hawaii_env.web.participants import Participants
from hawaii_env.web.service import Service
from hawaii_env.web.snapshots import Snapshots
from hawaii_env.web.strings import contrast, guide_of, side_ids, side_style, strings_of, turns_of
from hawaii_env.web.table import Table

CODE = re.compile(r"[A-Za-z0-9]_[A-Za-z0-9]|\b[a-z]+-\d|(?<!King)/[A-Z]|\b\w+:\w+=")
"""Identifiers, versions of rulesets, pieces with their marks, agent strings."""

VALUES = frozenset(
    [
        *("action", "actions", "agent", "by_hand", "card", "colour", "dash", "dice", "draws", "head", "held", "id"),
        *("kind", "line", "n", "scenario", "stand_in"),
        *("name", "names", "path", "phase", "phases", "place", "places", "player", "rules", "sections", "side"),
        *("starts", "steps", "typed", "whose"),
    ]
)
"""Keys of the server's answers that the page reads and does not show, where their parent is no text of its own."""

SHOWN_NAMES = ("pieces", "spaces", "sides", "subjects")
"""Lists whose entries' names are shown."""


def texts(found: Any, key: str = "", within: str = "") -> Iterator[str]:
    """Yield the texts of an answer that are shown."""
    if isinstance(found, dict):
        for name, value in found.items():
            if name == "text" and within == "actions":  # the engine's, which only scripts read
                continue
            if name not in VALUES or (name == "name" and within in SHOWN_NAMES):
                yield from texts(value, name, key or within)
    elif isinstance(found, list | tuple):
        at = 1 if key == "choices" and found and not isinstance(found[0], list | tuple | dict) else 0
        for value in found[at:]:
            yield from texts(value, key, key)
    elif isinstance(found, str):
        yield found


def spelled(text: str) -> bool:
    """Return True if names of Hawaiʻi have their ʻokina and kahakō; apostrophes of other words are as they are."""
    return spell(text) == text.replace("'", "’")


def shown(table: Table, strings: Any) -> Iterator[str]:
    """Yield the texts of a position: question, choices, what is at hand, picture."""
    state, player = table.state, max(0, table.state.current_player)
    if table.at_chance:
        yield from texts(strings.chance(state))
        return
    yield from texts(strings.status(state, player))
    yield from texts(strings.at_hand(state, table.trace[-20:], player))
    if turns_of(strings) is None:
        yield from texts(strings.actions(state, player), "actions", "actions")
    yield from render_text(state, player).split("\n")
    if len(table.trace) % 8 == 0:
        svg = render_svg(state, legal=turns_of(strings) is None, events=table.trace[-8:], player=player)
        yield from re.findall(r"<(?:text|tspan|title)[^>]*>([^<]+)<", svg)


@cache
def written() -> set[str]:
    """Return the texts that stand in the page's scripts and in the server's refusals: toasts, dialogs, buttons."""
    found = set[str]()
    package = Path(str(resources.files("hawaii_env")))
    for script in (*package.glob("web/static/*.js"), *package.glob("*/static/*.js")):
        source = re.sub(r"(?m)^\s*(//|\*|/\*).*$", "", script.read_text(encoding="utf-8"))
        for text in re.findall(r'"([^"\n]*)"|`([^`]*)`', source):
            said = re.sub(r"\$\{[^{}]*\}", "…", "".join(text))
            if re.match(r"[A-Z…][^ ]* [a-z…]", said):  # a sentence, and no class, selector or path
                found.add(said)
    for module in package.glob("web/*.py"):
        for call in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") in ("Problem", "Refusal", "ThinkError"):
                strings = [one.value for part in call.args for one in ast.walk(part) if isinstance(one, ast.Constant)]
                found.update(one for one in strings if isinstance(one, str) and " " in one)
    assert len(found) > 100
    return found


def replayed(page: Snapshots, table: Table, folder: Path) -> Iterator[str]:
    """Yield the texts of the replay of a game between agents."""
    levels = find(table.game.name).levels
    agents = [levels[n % len(levels)].agent for n in range(table.game.num_players)]
    table.data["seats"] = [{"kind": "agent", "agent": agent} for agent in agents]
    record, out = folder / "record.jsonl", folder / "page.html"
    record.write_text(page.record_of(table, table.trace), encoding="utf-8")
    replay_page(record, out, value="none")
    html = out.read_text(encoding="utf-8")
    packed = re.findall(r"[A-Za-z0-9+/=]{3000,}", html)
    data = json.loads(zlib.decompress(base64.b64decode(max(packed, key=len))))
    assert not any(agent in json.dumps(data) for agent in agents if ":" in agent)
    del data["pictures"], data["fonts"]
    yield from texts(data)
    head = re.sub(r"(?s)<(script|style).*?</\1>", "", html)
    yield from (text.strip() for text in re.findall(r">([^<>]+)<", head))


def snapshot(page: Snapshots, table: Table, seat: int) -> Iterator[str]:
    """Yield the texts that a snapshot brings to a seat: what is refused and why, what Undo takes back, how it ended."""
    told = page.shown("game", table, [seat], "me")
    for name in table.game.params:  # the start page tells options in words of its own
        told.pop(name, None)
    yield from texts(told)
    yield from texts(Participants(page.service, page).snapshot("game", table, [seat], "me"))


def typed(strings: Any, turn: dict[str, Any], own: Any, player: int, draw: random.Random) -> Iterator[str]:
    """Yield what is said of typed texts that can be no entries."""
    example, places = turn["typed"], list(turn["places"])
    named = [one["name"] for one in turn["subjects"]]
    goal = draw.choice(places)
    for text in (example, "x", f"{draw.choice(named)} - {goal}", f"A {goal} - {draw.choice(places)}", f"build {goal}"):
        try:
            strings.read(own, player, text)
        except HawaiiError as error:
            yield re.sub(r"'[^']*'", "", str(error))  # what was typed is told as it was typed


def edited(game: Any, strings: Any, reference: Any, view: dict[str, Any], draw: random.Random) -> Iterator[str]:
    """Yield what the editor says of positions that cannot be: those with one entry of another kind or place."""
    given = {key: value for key, value in view.items() if key not in ("box", "winner", "reason") and value is not None}
    sides, kinds = [*given["units"]], [one["kind"] for one in reference["pieces"]]
    spaces, cards, phases = [one["id"] for one in reference["spaces"]], [*reference["cards"]], reference["phases"]
    for _ in range(40):
        position = json.loads(json.dumps(given))
        inside, key = position, draw.choice([*position])
        while isinstance(inside[key], dict) and inside[key] and draw.random() < 0.8:
            inside, key = inside[key], draw.choice([*inside[key]])
        kind, side, space = draw.choice(kinds), draw.choice(sides), draw.choice(spaces)
        there = position["units"].setdefault(side, {}).setdefault(space, [])
        change = draw.randrange(6)
        if change == 0:
            inside[key] = draw.choice([9, [], {}, "x", kind, f"{kind}/{space}", True])
        elif change == 1:
            there += [kind] * draw.choice((1, 9))
        elif change == 2:
            there.append(f"{kind}/{draw.choice(['marched', 'carried', 'panicked', 'turned', *spaces])}")
        elif change == 3:
            position["phase"] = draw.choice(phases)
        elif change == 4:
            position[draw.choice(("held", "dead"))] = [draw.choice([*cards, f"{side}:{kind}"])]
        else:
            position["card"] = draw.choice(cards)
        try:
            game.position(**position)
        except HawaiiError as error:
            yield re.sub(r"(not?) '.*", r"\1", strings.error_text(str(error)))  # what was typed


def check_choices(state: Any, strings: Any, reference: dict[str, Any]) -> None:
    """Check that each choice has words of its own, and that rules and cards are ones of the reference."""
    player = max(0, state.current_player)
    cards, found = strings.at_hand(state, (), player)["cards"], strings.actions(state, player)
    assert sorted(one["action"] for one in found) == state.legal_actions()
    assert len({(one["group"], one["label"]) for one in found}) == len(found), [one["text"] for one in found]
    status = strings.status(state, player)
    assert status["question"] and status["rules"]
    for rule in {*status["rules"], *(rule for one in found for rule in one["rules"])}:
        assert rule in reference["rulings"] or any(key.startswith(rule) for key in reference["sections"]), rule
    assert all(one["card"] in reference["cards"] for one in (*cards, *found) if one.get("card"))


ELEMENT = re.compile(r'<(?:g|path|circle) [^>]*class="(?:piece|space)[^>]*>')


def refused(state: Any, player: int, strings: Any, draw: random.Random) -> Iterator[tuple[dict[str, str], str]]:
    """Yield things of a position with which nothing can be done, and pieces with a space that they cannot go to."""
    turns = turns_of(strings)
    if turns is not None:
        turn = turns.turn(state, player)
        taken = {one["place"].partition("/")[0] for one in turn["subjects"] if one["place"]}
        for place in turn["places"]:
            if place.partition("/")[0] not in taken:
                yield {"place": place}, ""
        for one in turn["subjects"] if state.phase != "adjustments" else ():
            named = {place.partition("/")[0] for option in one["options"] for place in option["path"]}
            goals = [place for place in turn["places"] if place.partition("/")[0] not in named]
            if one["place"] and goals:
                yield {"place": one["place"]}, draw.choice(goals)
        return
    svg = render_svg(state, legal=True, events=[], player=player)
    found = [dict(re.findall(r'data-(\w[\w-]*)="([^"]*)"', tag)) for tag in ELEMENT.findall(svg)]
    lit = {one.get("space") for one in found if "actions" in one or "targets" in one}
    dark = [one["space"] for one in found if "space" in one and one["space"] not in lit]
    side = side_ids(state.game)[player]
    for one in found if any("actions" in one for one in found) else ():  # what is asked is answered on the map
        place = one.get("place", one.get("space", ""))
        if {"actions", "targets"} & set(one) or place in lit or one.get("side", side) != side:
            continue
        thing = {"piece": one.get("piece", ""), "side": one.get("side", ""), "place": place}
        yield thing, draw.choice(dark) if dark and "piece" in one and draw.random() < 0.5 else ""


@pytest.mark.parametrize(
    ("name", "options", "most", "share"),
    [
        ("hawaii1795", {"scenario": "short"}, 999, 0.05), ("heiau", {}, 999, 0.05), ("aloha", {}, 999, 0.1),
        ("maori_wars", {}, 999, 0.05),
        *(pytest.param(*kind, marks=pytest.mark.slow) for kind in (
            ("hawaii1795", {}, 999, 0.15), ("heiau", {"scenario": "discovery"}, 300, 0.15),
            ("aloha", {"players": 4}, 999, 0.15), ("maori_wars", {"scenario": "waikato"}, 200, 0.15),
        )),
    ],
)  # fmt: skip
def test_no_text_of_a_page_is_code(name: str, options: dict[str, Any], most: int, share: float, tmp_path: Path) -> None:
    """Check the texts of a game; what is costly to ask is asked of a share of the positions."""
    draw, service = random.Random(7), Service(Settings(game=name, workers=0))
    game = service.game(options)
    strings, engine, asked = strings_of(game), set[str](), None
    told = strings.reference()
    found = set(texts(told))
    seats = [{"kind": "human", "agent": None}] * game.num_players
    data = {"game": name, "ruleset": [game.ruleset_name, game.ruleset_hash], "dice": "hand", "start": None}
    table = Table(game, {**data, "seats": seats, **game.params})
    turns, guide, page = turns_of(strings), guide_of(game), Snapshots(service)
    early: list[str] = []
    for level in find(name).levels:
        found |= {level.name, level.about, find(name).agent_name(level.agent, game.params)}
    if guide is not None:
        found |= {guide.warns, guide.warning, guide.offer}
    whys: set[str] = set()
    while not table.over and len(table.trace) < most:
        found.update(shown(table, strings))
        if share < 0.15 and not early and len(table.trace) >= 40:
            early = [*replayed(page, table, tmp_path)]
        if table.at_chance:
            table.apply_chance(draw.choice([outcome for outcome, _ in table.state.chance_outcomes()]))
            continue
        player = table.state.current_player
        if turns is None:
            check_choices(table.state, strings, told)
        fresh = turns is None or (table.state.sealed_turn, player) != asked
        asked = table.state.sealed_turn, player
        if fresh and draw.random() < share:
            own = table.state.for_search(player)
            found.update(snapshot(page, table, player))
            if told.get("starts"):
                found.update(edited(game, strings, told, own.view().to_dict(), draw))
            if guide is not None:
                found.update(texts(guide.advice(own, player)))
            whys.update(strings.why_not(own, player, *one) for one in refused(own, player, strings, draw))
            if turns is not None:
                turn = turns.turn(own, player)
                found.update(texts(turn), typed(turns, turn, own, player, draw))
        action = draw.choice(table.state.legal_actions())
        engine.add(game.action_text(action))
        before = table.state.clone()
        table.play(action)
        found.add(strings.undo_text(before, table.trace[-1]))
    found.update(text for line in table.log.lines for text in texts(line) if text not in ("True", "False"))
    if guide is not None and table.over:
        found.add(guide.why(table.state))
    found.update(snapshot(page, table, 0), written(), early or replayed(page, table, tmp_path))
    service.store.close()
    # Each reason why nothing can be done with a thing of the map names its rules.
    assert len(whys) > 3
    known = set(told["sections"]) | set(told["rulings"])
    assert [why for why in whys if not known.issuperset(re.split(", ", why.rpartition("[")[2].rstrip("]")))] == []
    found |= whys
    assert len(found) > 150
    assert [text for text in found if not spelled(text)] == []
    assert [text for text in found if CODE.search(text)] == []
    # A choice of one word may read as the engine's.
    assert [text for text in found if " " in text and text.rpartition(": ")[2] in engine] == []


@pytest.mark.parametrize("name", ["hawaii1795", "heiau", "aloha", "maori_wars"])
def test_the_rules_of_a_game_are_text_with_numbers_that_are_known(name: str) -> None:
    game: Any = load_game(name)
    ruleset = game.ruleset
    text = re.sub(r"!?\[[^]]*\]\([^)]*\)", "", ruleset.rules_text())
    assert "{{" not in text
    assert CODE.search(text) is None
    assert spelled(text)
    reference = strings_of(load_game(name)).reference()
    sections = {key.split(" ")[0] for key in reference["sections"]} | set(reference["sections"])
    named = {one for found in re.findall(r"\[([^]]+)\]", text) for one in re.split(r",\s*", found)}
    named |= set(re.findall(r"R-\d\d", text))
    assert len(named) > 8
    assert [one for one in named if one not in sections and one not in reference["rulings"]] == []


@pytest.mark.parametrize("name", ["hawaii1795", "heiau", "aloha", "maori_wars"])
def test_marks_of_sides_stand_out_in_both_themes(name: str) -> None:
    """At 3:1 or more, from all grounds of a page, whatever an option makes of the seats."""
    sheet = resources.files("hawaii_env.web").joinpath("static/style.css").read_text(encoding="utf-8")
    grounds = [re.findall(r"--(?:sheet|sheet-2|ground): (#\w{6})", part) for part in sheet.split("@media (prefers")[:2]]
    names = ("duel", "discovery", "two_haoles") if name == "heiau" else (None,)
    style = side_style(*(load_game(name, **({"scenario": one} if one else {})) for one in names))
    for colours, behind in zip((style.split(":root")[0], style.partition("@media")[2]), grounds, strict=True):
        for one in re.findall(r"--side: (#\w{6})", colours):
            for ground in behind:
                assert contrast(one, ground) >= 3, (one, ground)


@pytest.mark.parametrize("name", ["hawaii1795", "heiau", "aloha", "maori_wars"])
def test_agents_have_names(name: str, serve: Any) -> None:
    """A level its own, what no level plays that of its agent, nothing twice."""
    spec = find(name)
    with serve(game=name, agents=tuple(known(load_game(name)))) as server:
        setup = server.browser().get("/api/setup")
    shown = [*(level["name"] for level in setup["levels"]), *(agent["name"] for agent in setup["agents"])]
    assert len({*shown}) == len(shown) > 5
    assert [one for one in shown if CODE.search(one)] == []
    for level in spec.levels:
        for agent in (level.agent, *level.others.values()):
            assert not CODE.search(spec.agent_name(agent, {}))
            assert load_agent(agent, seed=1)
    assert spec.agent_name("mcts:sims=50,values=game", {}) == "MCTS (sims 50, values game)"
    assert spec.agent_name(spec.levels[0].agent, {}) == spec.levels[0].name
