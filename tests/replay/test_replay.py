"""The replay page: what stands in it, its narration, its values, and what it refuses."""

from __future__ import annotations

import argparse
import base64
import json
import re
import zlib
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from moves import play, walk
from refusals import refuses, refuses_each
from toy import ToyGame

import hawaii_env
from hawaii_env import agents, records
from hawaii_env.cli.rules import write_template
from hawaii_env.command_line import add_arguments
from hawaii_env.errors import OptionError, RecordError
from hawaii_env.game import Chance, Decision, State
from hawaii_env.hawaii1795 import Game as Hawaii
from hawaii_env.hawaii1795.ruleset import Ruleset
from hawaii_env.narration import narration_of, steps
from hawaii_env.render.picture import render_svg
from hawaii_env.render.text import text_log
from hawaii_env.replay import Page, make_valuer, replay_page
from hawaii_env.replay.cli import REPLAY, run_replay
from hawaii_env.replay.page import Frames, cut

GAME = Hawaii()


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game of several months with battles."""
    path = tmp_path_factory.mktemp("replay") / "game.jsonl"
    hawaii_env.play(GAME, "random", seed=26, record=path)
    return path


def data_of(path: Path) -> dict[str, Any]:
    text = path.read_text(encoding="utf-8")
    packed = re.search(r'id="data">([^<]*)</script>', text)
    assert packed is not None
    return json.loads(zlib.decompress(base64.b64decode(packed[1])))


def pictures_of(data: dict[str, Any]) -> list[str]:
    """The pictures, put together as the page does it."""
    pieces, found, last = data["pictures"]["pieces"], [], []
    for head, tail, numbers in data["pictures"]["frames"]:
        last = [*last[:head], *numbers, *last[len(last) - tail :]]
        found.append("".join(pieces[number] for number in last))
    return found


def test_the_page_holds_every_position(record: Path, tmp_path: Path) -> None:
    page = replay_page(record, tmp_path / "game.html", value="none")
    found = records.read(record)
    assert page == Page(tmp_path / "game.html", len(found.events), 0, (tmp_path / "game.html").stat().st_size)
    data = data_of(page.path)
    shown: list[str] = []
    follower = records.follow(found, GAME)
    shown.append(render_svg(follower.state, events=[]))
    recent: list[Any] = []
    for event, state in follower.feed(found.events):
        recent = [*recent[-40:], event]
        shown.append(render_svg(state, events=recent))
    assert pictures_of(data) == shown
    assert len(data["lines"]) == len(found.events)
    for (text, player, kind), event in zip(data["lines"], found.events, strict=True):
        assert text
        assert (player >= 0) == isinstance(event, Decision)
        assert kind & 3 == (2 if not isinstance(event, Decision) else 0 if event.forced else 1)
    assert data["values"] == []
    assert page.bytes < 400_000


@pytest.mark.slow
def test_the_page_is_made_alike_each_time(record: Path, tmp_path: Path) -> None:
    pages = [replay_page(record, tmp_path / f"{name}.html", value=Sure(0)).path for name in "ab"]
    assert pages[0].read_bytes() == pages[1].read_bytes()


def test_nothing_is_fetched(record: Path, tmp_path: Path) -> None:
    text = replay_page(record, tmp_path / "game.html", value="none").path.read_text(encoding="utf-8")
    assert "default-src 'none'" in text
    assert re.search(r"@media \(prefers-color-scheme: dark\) \{\n\.map \{", text)  # light pages have light maps
    around = re.sub(r'id="data">[^<]*<', "<", text)
    outside = set(re.findall(r"\b(?:https?:)?//[a-z][\w.]+/[\w/.]+", around)) - {"http://www.w3.org/2000/svg"}
    assert not outside
    assert not re.search(r"<link|<img|\bimport\b|@import|url\(|\bfetch\(|XMLHttp|eval\(", around)


def test_words_from_a_record_cannot_become_markup(tmp_path: Path) -> None:
    toy, evil = ToyGame(), '</script><img src=x onerror=alert(1)>{{DATA}}"'
    path = tmp_path / "evil.jsonl"
    hawaii_env.play(toy, "random", seed=1, record=path)
    lines = path.read_text(encoding="utf-8").splitlines()
    header = {**json.loads(lines[0]), "players": [evil] * 3}
    path.write_text("\n".join([json.dumps(header), *lines[1:], ""]), encoding="utf-8")
    text = replay_page(path, tmp_path / "evil.html", game=toy, value="none").path.read_text(encoding="utf-8")
    assert "<img" not in text
    assert text.count("</script>") == 2
    assert "&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;{{DATA}}&quot;" in text


@pytest.mark.parametrize("seed", range(4))
def test_headings_are_the_narrators(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "game.jsonl"
    hawaii_env.play(GAME, "random", seed=seed, record=path)
    log, narration = text_log(GAME, boards=False), narration_of(GAME)
    told: list[str] = []
    headings: list[str] = []
    chapters: list[str] = []
    scenes = battles = 0
    follower = records.follow(records.read(path), GAME)
    for events, before, after in steps(follower.feed(records.read(path).events), follower.state):
        told += log.feed([(event, after) for event in events])
        for event, line in zip(events, narration.narrate(events, before, after), strict=True):
            headings += [line.heading] if line.heading else []
            chapters += [line.chapter] if line.chapter else []
            scenes += line.scene is not None
            battles += getattr(event, "kind", "") == "advantage" and "kamehameha" in event.text
            assert line.inside or line.scene is None
            if getattr(event, "kind", "") in ("advantage", "hit_die") or event.text.startswith("fire "):
                assert line.inside, event
    wanted = [line.replace("'", "’") for line in told if re.match(r"[A-Z][a-zʻ]+: (Kamehameha|Allies)", line)]
    assert [text.replace("ʻ", "’") for text in headings if text != "Set-up"] == [t.replace("ʻ", "’") for t in wanted]
    months = [text for text in chapters if text != "Set-up"]
    assert months == list(dict.fromkeys(text.split(":")[0] for text in wanted))
    assert 0 < scenes <= battles


def account(start: State, *choices: int | str) -> list[tuple[str, bool]]:
    """What is said of a game that goes on from a position with these faces and actions, and whether pieces are lost by
    it.
    """
    state = start.for_search()
    state.start_trace()
    narration, told = narration_of(GAME), list[tuple[str, bool]]()
    for choice in choices:
        before, seen = state.clone(), len(state.trace or [])
        play(state, choice)
        told += [(line.text, line.lost) for line in narration.narrate((state.trace or [])[seen:], before, state)]
    return told


def battle(kamehameha: list[str], allied: list[str], at: str = "maui", **more: Any) -> State:
    """Kamehameha's invasion of a space, where he is to fire."""
    return GAME.position(
        turn="april",
        half="kamehameha",
        phase="fire",
        field=at,
        fleet_moves=0,
        units={"kamehameha": {at: kamehameha, "kona": ["warrior_2"]}, "allied": {at: allied, "waikiki": ["kalani"]}},
        battle={
            "kind": "invasion",
            "advantage": "kamehameha",
            "turn_side": "kamehameha",
            "firing": "kamehameha",
            **more,
        },
    )


def test_every_loss_is_narrated() -> None:
    both = ["kamehameha", "warrior_2", "canoe"]
    told = account(battle(both, ["maui_warrior", "oahu_warrior/panicked"]), "fire kamehameha", 4, "panic oahu_warrior")
    assert told[-1] == ("Warriors of Oʻahu in panic a second time: lost", True)
    told = account(battle(both, ["maui_warrior", "oahu_warrior/panicked"]), "fire kamehameha", 4, "panic maui_warrior")
    assert told[-1] == ("Warriors of Maui in panic", False)
    told = account(battle(both, ["kaiana"]), "fire warrior_2", 6)
    assert told[1:3] == [("Die 6: a unit is lost", False), ("Kaʻiana lost, for good", True)]


@pytest.mark.slow
def test_the_narration_of_losses_is_complete() -> None:
    """Counted from the texts, as many pieces are lost as have left the map, and no other ones."""
    assert sum(map(losses_are_complete, range(12))) > 0


def losses_are_complete(seed: int) -> int:
    """The pieces of a game that nobody chose to lose."""
    narration, silent = narration_of(GAME), 0

    def away(state: State) -> Counter[str]:
        view = state.view()
        return Counter([*view.box["kamehameha"], *view.box["allied"], *(text.split(":")[1] for text in view.dead)])

    for before, events, state in walk(GAME, seed):
        came = sum(event.text.split()[0] in ("recruit", "place") for event in events if isinstance(event, Decision))
        told = 0
        for event, line in zip(events, narration.narrate(events, before, state), strict=True):
            own, _, more = line.text.partition("Lost, with no way out: ")
            told += line.lost and ("lost" in own or not more) and not isinstance(event, Chance)
            told += isinstance(event, Decision) and event.text.startswith("home ")
            counts = [int(part.split(" × ")[0]) if " × " in part else 1 for part in more.split(", ") if part]
            told, silent = told + sum(counts), silent + sum(counts)
        assert told - came == away(state).total() - away(before).total(), events
    return silent


def test_the_reason_of_a_die_is_narrated() -> None:
    both, warriors = ["kamehameha", "warrior_2", "canoe"], ["maui_warrior", "oahu_warrior"]
    assert account(battle(both, warriors), "fire kamehameha", 3)[:2] == [
        ("Kamehameha to fire, 3 dice: elite column", False),
        ("Die 3: panic, by the elite column", False),
    ]
    told = account(battle(both, ["pike", "oahu_warrior"]), "fire warrior_2", 4, 5)
    assert [text for text, _ in told[:3]] == [
        "Warriors of Hawaiʻi (2) to fire, 2 dice",
        "Die 4: panic, but the pikes cancel the first of a round",
        "Die 5: panic",
    ]
    guns = battle(["musketeer", "vancouver", "canoe"], ["thunderers"], guns=True)
    told = account(guns, "fire musketeer", 5)
    assert [text for text, _ in told] == [
        "Musketeers of Hawaiʻi to fire, 2 dice: gunpowder fires first",
        "Die 5: no effect: a panic, but elite units ignore it",
    ]
    told = account(battle(both, warriors, earthworks=True), "fire warrior_2", 4)
    assert told[1][0] == "Die 4: no effect: a panic, but behind earthworks they ignore it"


def test_a_broken_off_game_is_shown_as_far_as_it_went(record: Path, tmp_path: Path) -> None:
    lines = record.read_text(encoding="utf-8").splitlines()
    cut_off = tmp_path / "cut.jsonl"
    cut_off.write_text("\n".join(lines[:60]) + '\n{"n": 60, "ev', encoding="utf-8")
    data = data_of(replay_page(cut_off, tmp_path / "cut.html", value="none").path)
    assert data["result"] == "Broken off: the record has no end"
    assert len(data["lines"]) == 59
    assert len(data["pictures"]["frames"]) == 60


def test_a_game_from_a_position(tmp_path: Path, record: Path) -> None:
    positions = (state.clone() for _, state in records.replay(record, GAME) if state.current_player >= 0)
    state = next(islice(positions, 60, None))
    path = tmp_path / "from.jsonl"
    hawaii_env.play(GAME, "random", seed=2, record=path, start=state)
    data = data_of(replay_page(path, tmp_path / "from.html", value="none").path)
    assert pictures_of(data)[0] == render_svg(state, events=[])


def test_another_game_with_simultaneous_turns(tmp_path: Path) -> None:
    toy = ToyGame()
    path = tmp_path / "toy.jsonl"
    end = hawaii_env.play(toy, "random", seed=1, record=path)
    data = data_of(replay_page(path, tmp_path / "toy.html", game=toy, value="playouts:games=5").path)
    assert [side["name"] for side in data["sides"]] == ["Red", "Green", "Blue"]
    assert len({side["letter"] for side in data["sides"]}) == 3
    assert data["chapters"] == data["scenes"] == []
    (values,) = data["values"]
    assert all(len(point) == 4 for point in values["points"])
    assert values["points"][-1][1:] == end.returns()
    refuses(RecordError, ("unknown game 'tides'", lambda: replay_page(path, tmp_path / "toy.html")))


def test_bad_input_is_rejected(record: Path, tmp_path: Path) -> None:
    refuses_each(
        OptionError,
        r"ends in \.html",
        lambda name: replay_page(record, tmp_path / name, value="none"),
        ("game.txt", "game"),
    )
    refuses(RecordError, ("no file", lambda: replay_page(tmp_path / "none.jsonl", tmp_path / "game.html")))
    lines = record.read_text(encoding="utf-8").splitlines()
    bad = tmp_path / "bad.jsonl"
    index = next(i for i, line in enumerate(lines) if '"hit_die"' in line)
    changed = {**json.loads(lines[index]), "text": "hit 6: everybody"}
    bad.write_text("\n".join([*lines[:index], json.dumps(changed), *lines[index + 1 :], ""]), encoding="utf-8")
    refuses(
        RecordError,
        (f"line {index + 1}: the record says", lambda: replay_page(bad, tmp_path / "game.html", value="none")),
    )
    (tmp_path / "file").write_text("")
    refuses(
        OptionError, ("cannot be written", lambda: replay_page(record, tmp_path / "file" / "game.html", value="none"))
    )
    assert not list(tmp_path.glob("*.html")) + list(tmp_path.glob(".*"))


# Values


class Sure(agents.RandomAgent):
    """Thinks that player 0 has half won."""

    name = "sure"
    answer: Any = 0.5

    def value(self, state: State) -> Any:
        return self.answer


class Searcher(agents.RandomAgent):
    """Looks like an agent with a tree."""

    name = "searcher"

    def __init__(self) -> None:
        super().__init__(0)
        self.search: Any = None

    def think(self, state: State) -> None:
        self.search = type("Tree", (), {"value": -0.25})


class Networked(agents.RandomAgent):
    """Looks like an agent with a network, which always likes its own side."""

    name = "networked"

    class policy:
        @staticmethod
        def evaluate(observation: Any, legal: Sequence[int]) -> tuple[Any, float]:
            assert observation.shape == (GAME.observation_size,) and len(legal)
            return np.ones(len(legal)) / len(legal), 1.75


def first_decision(player: int) -> State:
    for seed in range(20):
        state = GAME.initial_state(seed=seed).for_search()
        for _ in range(300):
            if state.is_terminal:
                break
            if state.current_player == player:
                return state
            if state.current_player < 0:
                state.apply_chance(state.chance_outcomes()[0][0])
            else:
                state.apply(state.legal_actions()[-1])
    raise AssertionError


def test_agents_that_value_positions() -> None:
    state = first_decision(1)
    for agent, wanted in ((Sure(), [0.5, -0.5]), (Searcher(), [-0.25, 0.25]), (Networked(), [-1.0, 1.0])):
        valuer = make_valuer(agent, GAME)
        assert valuer is not None
        assert valuer.label == agent.name
        assert valuer.values(state) == wanted
    assert make_valuer(valuer, GAME) is valuer
    assert valuer.values(first_decision(0)) == [1.0, -1.0]


def test_one_number_a_player() -> None:
    agent, toy = Sure(), ToyGame()
    state = toy.initial_state(seed=1).for_search()
    state.apply_chance(1) if state.current_player == -1 else None
    agent.answer = np.array([0.5, 0.0, -0.5])
    valuer = make_valuer(agent, toy)
    assert valuer is not None
    assert valuer.values(state) == [0.5, 0.0, -0.5]
    for wrong in (0.5, [0.1, 0.2], [float("nan"), 0.0, 0.0]):
        agent.answer = wrong
        refuses(OptionError, ("one finite number a player", lambda: valuer.values(state)))


def test_playouts_are_fewer_where_games_are_long(monkeypatch: pytest.MonkeyPatch) -> None:
    short = make_valuer("playouts", GAME)
    assert short is not None and short.label.startswith("100 ")  # at most
    assert short.values(first_decision(0)) and short.label.startswith("100 ")
    monkeypatch.setattr("hawaii_env.replay.values._Playouts.DECISIONS", 2000)
    valuer, again = (make_valuer("playouts", GAME, seed=3) for _ in range(2))
    assert valuer is not None and again is not None
    values = valuer.values(first_decision(0))
    assert values is not None and len(values) == 2
    assert 4 <= int(valuer.label.split()[0]) < 100
    assert again.values(first_decision(0)) == values  # by the seed, not by the clock


def test_playouts_value_positions() -> None:
    state = first_decision(0)
    valuer = make_valuer("playouts:games=20", GAME, seed=3)
    assert valuer is not None
    values = valuer.values(state)
    assert values is not None
    assert values == valuer.values(state)
    assert sum(values) == pytest.approx(0)
    assert "20 random games" in valuer.label
    assert make_valuer("none", GAME) is make_valuer(None, GAME) is None


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("random", "does not say what a position is worth"),
        ("nobody", "there is no agent 'nobody'"),
        ("playouts:games=0", "games: expected an integer of 1 or more"),
        ("playouts:sims=3", "no parameter 'sims'"),
    ],
)
def test_values_that_are_none(spec: str, message: str) -> None:
    refuses(OptionError, (message, lambda: make_valuer(spec, GAME)))


# Frames


def test_documents_are_cut_and_joined() -> None:
    text = "<svg a=\">\"><!-- <x> --><g><path d='/>'/><g><t>1 &lt; 2</t></g></g><r/>tail</svg>\n"
    for depth in range(5):
        assert "".join(cut(text, depth)) == text
    assert cut("<a><b><c/></b><b/></a>", 1) == ["<a>", "<b>", "<c/></b>", "<b/>", "</a>"]
    frames = Frames()
    texts = ["<a><b/><c/><d/></a>", "<a><b/><x/><d/></a>", "<a></a>", "", "<a><b/><c/><d/></a>", "<a><b/><c/><d/></a>"]
    for each in texts:
        frames.add(each)
    assert pictures_of({"pictures": frames.data()}) == texts
    assert len(frames) == 6
    assert frames.data()["frames"][-1] == [5, 0, []]


# The command


def run(*words: str) -> int:
    parser = argparse.ArgumentParser()
    add_arguments(parser, *REPLAY)
    return run_replay(parser.parse_args(words))


def test_the_command(record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(record.read_bytes())
    assert run(str(copy), "--value", "none") == 0
    steps = len(records.read(record).events)
    assert re.fullmatch(rf".*copy\.html: {steps + 1} positions, 0\.\d\d MB\n", capsys.readouterr().out)
    (tmp_path / "bot.py").write_text(
        "from hawaii_env import agents\n"
        "class Sure(agents.RandomAgent):\n"
        "    def value(self, state):\n"
        "        return 0.5\n"
        "agents.register('replay-sure', Sure)\n"
    )
    out = tmp_path / "folder" / "page.html"
    assert run(str(copy), "-o", str(out), "--load", str(tmp_path / "bot.py"), "--value", "replay-sure") == 0
    assert "valued" in capsys.readouterr().out
    (values,) = data_of(out)["values"]
    assert values["label"] == "Replay sure"
    assert {tuple(point[1:]) for point in values["points"][:-1]} == {(0.5, -0.5)}
    asked = ("--value", "playouts:games=2", "--value", "replay-sure", "--value", "none")
    assert run(str(copy), "-o", str(out), "--quiet", *asked) == 0
    assert [opinion["label"] for opinion in data_of(out)["values"]] == [
        "2 random games from each position",
        "Replay sure",
    ]
    assert data_of(out)["values"][1] == values


def test_the_command_shows_a_game_of_another_ruleset(tmp_path: Path) -> None:
    """A ruleset that is not the shipped one stands in the record with all its content."""
    rules = tmp_path / "rules"
    write_template(Ruleset, rules)
    text = (rules / "ruleset.toml").read_text(encoding="utf-8")
    (rules / "ruleset.toml").write_text(re.sub(r'(?m)^name = "[^"]*"', 'name = "mine"', text), encoding="utf-8")
    hawaii_env.play(Hawaii(rules=str(rules)), "random", seed=1, record=tmp_path / "game.jsonl")
    assert run(str(tmp_path / "game.jsonl"), "--value", "none", "--quiet") == 0
    assert "ruleset mine" in (tmp_path / "game.html").read_text(encoding="utf-8")
