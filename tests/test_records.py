"""Game records: written as the game goes, read after a kill, replayed exactly, and not to be tampered with."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from pettingzoo.utils.wrappers import OrderEnforcingWrapper
from refusals import refuses, refuses_each
from toy import ToyGame

import hawaii_env
from hawaii_env import records
from hawaii_env.env.aec import GameEnv
from hawaii_env.env.recording import RecordGames
from hawaii_env.env.single_agent import SingleAgentEnv
from hawaii_env.errors import OptionError, RecordError
from hawaii_env.game import Chance, Decision, Game
from hawaii_env.hawaii1795 import Game as Hawaii
from hawaii_env.integrations import offline
from hawaii_env.records.form import json_schema, schema_text

GAMES: dict[str, Callable[[], Game]] = {
    "tides": ToyGame,
    "long": Hawaii,
    "short": lambda: Hawaii(scenario="short", sea_victor="assault", final_check=True),
}


@pytest.fixture(params=list(GAMES))
def game(request: pytest.FixtureRequest) -> Game:
    return GAMES[request.param]()


@pytest.fixture
def toy() -> ToyGame:
    return ToyGame()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "game.jsonl"


@pytest.fixture
def written(toy: ToyGame, path: Path) -> list[str]:
    """The lines of a finished record of the toy game, in `path`."""
    hawaii_env.play(toy, "random", seed=3, record=path)
    return path.read_text(encoding="utf-8").splitlines()


def rewrite(path: Path, lines: list[str]) -> None:
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def change(line: str, **values: Any) -> str:
    return json.dumps({**json.loads(line), **values})


def line_of(lines: list[str], **values: Any) -> int:
    """Index of the first line with these values."""
    return next(i for i, line in enumerate(lines) if values.items() <= json.loads(line).items())


def test_records_replay_exactly(game: Game, tmp_path: Path) -> None:
    for seed in range(5):
        path = tmp_path / f"{seed}.jsonl"
        end = hawaii_env.play(game, "random", seed=seed, record=path)
        found = records.verify(path, game)
        assert found.seed_checked
        assert found.state.to_json() == end.to_json()
        assert found.state.trace == end.trace == found.record.events
        assert found.outcome == end.outcome()
        assert found.record.complete


def test_the_header_says_what_was_played(game: Game, path: Path) -> None:
    hawaii_env.play(game, "random", seed=2**70, record=path)
    header = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    assert header["format"] == "hawaii_env.record"
    assert header["version"] == records.VERSION == 2
    assert header["game"] == game.name
    assert header["params"] == game.params
    assert header["agents"] == list(game.agents)
    assert header["ruleset"] == {"name": game.ruleset_name, "hash": game.ruleset_hash}
    assert header["action_table"] == game.action_table_hash
    assert header["seed"] == 2**70


def test_the_game_is_made_from_the_header(path: Path) -> None:
    game = GAMES["short"]()
    hawaii_env.play(game, "random", seed=1, record=path)
    assert records.game_of(records.read(path)).params == game.params
    assert records.verify(path).record.complete


def test_every_event_is_on_the_disk_before_the_next(toy: ToyGame, path: Path) -> None:
    state = toy.initial_state(seed=1, trace=True)
    writer = records.RecordWriter(path, toy, seed=1)
    while not state.is_terminal:
        writer.update(state)
        read = records.read(path)
        assert read.events == state.trace
        assert not read.complete
        players = state.acting_players
        if len(players) == 1 and state.current_player >= 0:
            state.apply(state.legal_actions()[0])
        else:
            state.apply_joint({player: state.legal_actions(player)[0] for player in players})
    writer.finish(state)
    assert records.verify(path, toy).seed_checked


def test_readable_after_a_kill(path: Path) -> None:
    program = f"""
        import os, signal, sys
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from toy import ToyGame
        from hawaii_env.env.aec import GameEnv
        env = GameEnv(ToyGame())
        env.reset(seed=1, options={{"record": {str(path)!r}}})
        for _ in range(5):
            observation, *_ = env.last()
            env.step(int(observation["action_mask"].argmax()))
        os.kill(os.getpid(), signal.SIGKILL)
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], env=environment, check=False)
    record = records.read(path)
    assert sum(isinstance(event, Decision) and not event.forced for event in record.events) >= 3
    refuses(RecordError, ("broken off", lambda: records.verify(path, ToyGame())))
    assert records.verify(path, ToyGame(), partial=True).seed_checked


def test_a_last_line_cut_off_is_left_out(toy: ToyGame, path: Path, written: list[str]) -> None:
    whole = path.read_bytes()
    for cut in range(len(whole) - 2, len(whole) - len(written[-1]) - len(written[-2]), -7):
        path.write_bytes(whole[:cut])
        record = records.read(path)
        assert record.result is None
        refuses(RecordError, ("no result", lambda: records.verify(path, toy)))
        assert records.verify(path, toy, partial=True).record.events == record.events


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b'{"format": "hawaii_env.record"', "first line is not whole"),
        (b"\xc5", "first line is not whole"),
        (b" \r\n\n", "empty"),
        (b"{}", "not a game record"),
        (b"{}\n\n{}\n", "not a game record"),
        (b"hello\n", "not a game record"),
        (b"[1]\n", "not a game record"),
        (b'{"format": "pgn"}\n', "not a game record"),
        (b"\xff\xfe\x00\n\n", "not UTF-8"),
        (b"[" * 100_000 + b"\n", "nested too deeply"),
        (b'{"format": "pgn", "format": "hawaii_env.record"}\n', "line 1: .*'format' stands twice"),
        (b'{"format": "hawaii_env.record"}\n', "version None"),
        (b'{"format": "hawaii_env.record", "version": true}\n', "version True"),
        (
            b'{"format": "hawaii_env.record", "version": 3, "library": "9.9"}\n',
            r"version 3 \(written by hawaii_env '9.9'\)",
        ),
        (b'{"format": "hawaii_env.record", "version": 1}\n', "version 1 "),
        (b'{"format": "hawaii_env.record", "version": 2}\n', "'game' is missing"),
        (
            b'{"format": "hawaii_env.record", "version": 2, "library": "\\uD83d"}\n',
            r"line 1: \\ud83d is half of a pair",
        ),
    ],
)
def test_foreign_files(path: Path, content: bytes, message: str) -> None:
    path.write_bytes(content)
    refuses(RecordError, (message, lambda: records.read(path)))


VERDICTS: dict[str, tuple[Callable[[bytes], bytes], str | None]] = {
    "as written": (lambda raw: raw, None),
    "byte order mark": (lambda raw: b"\xef\xbb\xbf" + raw, None),
    "lines of Windows": (lambda raw: raw.replace(b"\n", b"\r\n"), None),
    "no last newline": (lambda raw: raw[:-1], None),
    "blank lines at the end": (lambda raw: raw + b"\n \r\n\t\n", None),
    "blank line in between": (lambda raw: raw.replace(b"\n", b"\n\n", 1), "line 2: not JSON"),
    "doubled key of the header": (
        lambda raw: raw.replace(b'"seed"', b'"seed": 9, "seed"', 1),
        "line 1: .*'seed' stands",
    ),
    "doubled key of an event": (lambda raw: raw.replace(b'"n": 1,', b'"n": 1, "n": 1,', 1), "line 2: .*'n' stands"),
    "doubled key of the end": (
        lambda raw: raw[:-1].replace(b'"winner"', b'"winner": 0, "winner"', 1),
        "'winner' stands twice",
    ),
    "NaN": (lambda raw: raw.replace(b'"options": {}', b'"options": {"a": NaN}', 1), "line 1: .*NaN"),
    "infinity": (lambda raw: raw.replace(b'"options": {}', b'"options": {"a": -1e999}', 1), "line 1: .*-1e999"),
    "half a letter": (lambda raw: raw.replace(b'"seed"', b'"\\uDC00": 1, "seed"', 1), r"line 1: .*\\udc00 is half"),
    "no UTF-8": (lambda raw: raw.replace(b'"seed"', b'"\xff', 1), "not UTF-8"),
    "null character": (lambda raw: raw.replace(b'"n": 1,', b'"n": 1,\0', 1), "line 2: not JSON"),
    "another die": (lambda raw: raw.replace(b'"seed": 3', b'"seed": 4', 1), "rolled again from the seed 4"),
    "another end": (lambda raw: raw.replace(b'"reason": "', b'"reason": "x', 1), "the record says"),
}
"""Records of one finished game, and what is wrong with each."""


@pytest.mark.parametrize("kind", VERDICTS)
def test_everybody_who_reads_a_record_says_the_same_of_it(
    kind: str, toy: ToyGame, path: Path, written: list[str]
) -> None:
    alter, wrong = VERDICTS[kind]
    assert written
    data = alter(path.read_bytes())
    path.write_bytes(data)
    readers: list[Callable[[], Any]] = [
        lambda: records.verify(path, toy).record,
        lambda: records.verify(path, toy, partial=True).record,
        lambda: records.verify(records.parse(data, path), toy).record,
        lambda: (list(records.replay(path, toy)), records.read(path))[1],
        lambda: records.follow(records.read(path), toy).state and records.read(path),
        lambda: next(offline.played(path, toy)).record,
    ]
    with contextlib.suppress(UnicodeDecodeError):
        text = data.decode()
        readers.append(lambda: records.verify(records.parse(text, path), toy).record)
    for read in readers:
        if wrong is None:
            assert read() == records.read(path) and read().complete and not read().cut
        else:
            refuses(RecordError, (wrong, read))


@pytest.mark.skipif(os.name != "posix", reason="pipes with names")
def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    refuses_each(
        RecordError,
        "pipe or a device|levels of symbolic",
        records.read,
        [tmp_path / "pipe", tmp_path / "zero", tmp_path / "loop"],
    )


def test_no_file(tmp_path: Path) -> None:
    refuses(
        RecordError,
        ("no file", lambda: records.read(tmp_path / "missing.jsonl")),
        ("cannot be read", lambda: records.read(tmp_path)),
    )


def test_tampering_is_found_in_its_line(toy: ToyGame, path: Path, written: list[str]) -> None:
    keep = line_of(written, event="decision", forced=False)
    die = line_of(written, event="chance", n=6)
    forced = line_of(written, event="decision", forced=True)
    last = len(written) - 1
    tampered: list[tuple[int, str, str]] = [
        (keep, change(written[keep], text="bid 9"), "the record says"),
        (keep, change(written[keep], action=7), "not legal|the game does|do not choose"),
        (keep, change(written[keep], player=2), "missing|the game does"),
        (keep, change(written[keep], action=True), "wrong type"),
        (keep, change(written[keep], comment="x"), "unknown field 'comment'"),
        (die, change(written[die], outcome=2), "the record says"),
        (die, change(written[die], outcome=9), "not a face"),
        (die, change(written[die], kind="storm"), "the record says"),
        (forced, change(written[forced], forced=False), "counts|the game does"),
        (last, change(written[last], winner=0), "the record says"),
        (last, change(written[last], returns=[1.0, -0.5, -0.5]), "the record says"),
        (last, change(written[last], reason="because"), "the record says"),
        (last, change(written[last], decisions=3), "counts"),
        (2, "not json", "not JSON"),
        (2, '{"event": "party"}', "none of decision, chance"),
    ]
    for index, line, message in tampered:
        rewrite(path, [*written[:index], line, *written[index + 1 :]])
        with pytest.raises(RecordError, match=message) as error:
            records.verify(path, toy)
        assert f"{path}, line " in str(error.value)


def test_missing_added_and_swapped_lines(toy: ToyGame, path: Path, written: list[str]) -> None:
    for lines, message in [
        (written[:4] + written[5:], "event 4 is missing"),
        ([*written, written[-2]], "after the end"),
        ([*written[:3], written[4], written[3], *written[5:]], "is missing"),
        ([*written[:-2], written[-1]], "counts"),
        ([written[0], change(written[-1], events=0, decisions=0)], "not over"),
    ]:
        rewrite(path, lines)
        refuses(RecordError, (message, lambda: records.verify(path, toy)))


def test_dice_that_the_seed_does_not_roll_are_found(toy: ToyGame, path: Path, written: list[str]) -> None:
    rewrite(path, [change(written[0], seed=4), *written[1:]])
    refuses(RecordError, ("rolled again from the seed 4", lambda: records.verify(path, toy)))
    rewrite(path, [change(written[0], seed=None), *written[1:]])
    assert not records.verify(path, toy).seed_checked


def test_another_game_ruleset_table_or_parameters(toy: ToyGame, path: Path, written: list[str]) -> None:
    for values, message in [
        ({"game": "chess"}, "a record of 'chess'"),
        ({"agents": ["a_0"], "players": None}, "the agents are"),
        ({"agents": ["a_0"]}, "3 players for 1 agents"),
        ({"agents": [], "players": []}, "no agents"),
        ({"ruleset": {"name": "reconstructed-3", "hash": "00"}}, "ruleset 'reconstructed-3' with hash 00"),
        ({"ruleset": {"hash": "00"}}, "field 'ruleset' has the wrong"),
        ({"action_table": "00"}, "another action table"),
        ({"params": {"rounds": 5}}, "with the parameters"),
        ({"start": {"round": 9}}, "position to start from"),
    ]:
        rewrite(path, [change(written[0], **values), *written[1:]])
        refuses(RecordError, (message, lambda: records.verify(path, toy)))
    rewrite(path, written)
    refuses(RecordError, (r"unknown game 'tides'; available: .*hawaii1795", lambda: records.verify(path)))
    rewrite(path, [change(written[0], game="hawaii1795"), *written[1:]])
    refuses(RecordError, ("cannot be made from its parameters", lambda: records.verify(path)))


@pytest.mark.parametrize(
    ("event", "field"), [("chance", "kind"), ("chance", "text"), ("decision", "text"), ("result", "reason")]
)
def test_half_of_a_surrogate_pair_is_no_text(path: Path, written: list[str], event: str, field: str) -> None:
    number = line_of(written, event=event)
    rewrite(path, [*written[:number], change(written[number], **{field: "ti\ud800de"}), *written[number + 1 :]])
    with pytest.raises(RecordError, match=rf"line {number + 1}: \\ud800 is half of a pair") as refused:
        records.read(path)
    str(refused.value).encode()  # what is said of it is text
    whole = change(written[number], **{field: "ti🌊de"})  # json.dumps escapes both halves
    assert "\\ud83c" in whole
    rewrite(path, [*written[:number], whole, *written[number + 1 :]])
    assert records.read(path).complete


def test_parameters_that_differ_are_listed_without_a_rulesets_content(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    rules = Path(__file__).with_name("reconstructed-1")
    hawaii_env.play(Hawaii("short", rules), "random", seed=1, record=path)
    with pytest.raises(
        RecordError, match=r"with the parameters .*'scenario': 'short'.*, not .*'scenario': 'long'"
    ) as error:
        records.verify(path, Hawaii("long", rules))
    assert len(str(error.value).replace(str(path), "")) < 300


def test_a_record_is_never_overwritten(toy: ToyGame, path: Path, written: list[str]) -> None:
    refuses(RecordError, ("exists", lambda: records.RecordWriter(path, toy)))
    assert path.read_text(encoding="utf-8").splitlines() == written


def test_a_folder_that_cannot_be(toy: ToyGame, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    refuses(RecordError, ("cannot be written", lambda: records.RecordWriter(tmp_path / "file" / "game.jsonl", toy)))


def test_a_game_that_crashes_leaves_its_reason(toy: ToyGame, path: Path) -> None:
    state = toy.initial_state(seed=1, trace=True)

    def crash() -> None:
        raise RuntimeError("the power went off")

    writer = records.RecordWriter(path, toy, seed=1)
    writer.update(state)
    with pytest.raises(RuntimeError), writer:
        crash()
    record = records.read(path)
    assert record.stopped == "RuntimeError: the power went off"
    refuses(
        RecordError,
        ("power went off", lambda: records.verify(path, toy)),
        ("closed", lambda: writer.add(Chance("tide", 1, "tide 1"))),
    )


def test_an_unfinished_game_has_no_result(toy: ToyGame, path: Path) -> None:
    state = toy.initial_state(seed=1, trace=True)
    with records.RecordWriter(path, toy) as writer:
        refuses(
            RecordError,
            ("not over", lambda: writer.finish(state)),
            ("not traced", lambda: writer.update(toy.initial_state(seed=1))),
        )


def test_the_generator_is_never_in_it(game: Game, path: Path) -> None:
    state = game.initial_state(seed=5, trace=True)
    start = game.initial_state(seed=6)
    with records.RecordWriter(path, game, seed=5, show_seed=False, start=start) as writer:
        writer.update(state)
    text = path.read_text(encoding="utf-8")
    assert '"seed": null' in text
    secret = set(json.loads(start.to_json(secrets=True))) - set(json.loads(start.to_json())) - {"decisions"}
    assert secret
    assert not any(f'"{name}"' in text for name in secret)


def test_replay_yields_the_positions(game: Game, path: Path) -> None:
    end = hawaii_env.play(game, "random", seed=8, record=path)
    steps = [(event, state.clone().is_terminal) for event, state in records.replay(path, game)]
    assert [event for event, _ in steps] == end.trace
    assert steps[-1][1]
    assert not steps[0][1]


def test_a_follower_follows_a_game_that_goes_on(game: Game) -> None:
    end = hawaii_env.play(game, "random", seed=8)
    trace = end.trace or []
    follower = records.Follower(game)
    told = [event for event, _ in follower.feed(trace[:9])]
    told += [event for event, _ in follower.feed(trace[9:])]
    assert told == trace
    assert follower.state.to_json() == end.to_json()
    refuses(RecordError, ("over", lambda: list(follower.feed(trace[:1]))))


def test_the_documented_example_is_a_record(tmp_path: Path) -> None:
    guide = (Path(__file__).parent.parent / "docs" / "records.md").read_text(encoding="utf-8")
    example = guide.split("```json\n", 1)[1].split("```", 1)[0]
    fields = [json.loads(line) for line in example.splitlines()]
    path = tmp_path / "game.jsonl"
    hawaii_env.play(Hawaii(), "random", seed=1795, record=path)
    real = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for event in (None, "decision", "chance", "result"):
        shown = next(line for line in fields if line.get("event") == event)
        assert list(shown) == list(next(line for line in real if line.get("event") == event))


# Games that their players ended


def agreed(game: Game, path: Path, agreement: records.Agreement, decisions: int = 12) -> None:
    """Record a game of some decisions, which then ends by agreement."""
    state = game.initial_state(seed=4, trace=True)
    with records.RecordWriter(path, game, seed=4) as writer:
        for _ in range(decisions):
            state.apply(state.legal_actions()[0])
        writer.finish(state, agreement)


@pytest.mark.parametrize(
    ("kind", "player", "winner", "returns"),
    [("resignation", 0, 1, [-1.0, 1.0]), ("resignation", 1, 0, [1.0, -1.0]), ("draw", None, None, [0.0, 0.0])],
)
def test_games_ended_by_agreement_verify(
    kind: str, player: int | None, winner: int | None, returns: list[float], path: Path
) -> None:
    game = GAMES["short"]()
    agreed(game, path, records.Agreement(kind, player, 2))
    found = records.verify(path)
    assert found.seed_checked
    assert found.record.complete
    assert not found.state.is_terminal
    assert found.record.agreement == records.Agreement(kind, player, 2)
    assert found.outcome is not None
    assert found.outcome.winner == winner
    line = json.loads(path.read_text(encoding="utf-8").splitlines()[-1])
    assert (line["event"], line["winner"], line["returns"]) == ("agreed", winner, returns)
    # What the agreement says is what it must say.
    lines = path.read_text(encoding="utf-8").splitlines()
    for values, message in [
        ({"winner": 0 if winner else 1}, "the record says"),
        ({"returns": returns[::-1] if winner is not None else [1.0, -1.0]}, "the record says"),
        ({"reason": "a better game"}, "the record says"),
        ({"kind": "resignation" if kind == "draw" else "draw"}, "resigns|everybody's"),
        ({"kind": "party"}, "field 'kind' has the wrong"),
        ({"player": 2}, "resigns|everybody's"),
        ({"event": "result"}, "unknown field 'kind'"),
        ({"decisions": 1}, "counts"),
    ]:
        rewrite(path, [*lines[:-1], change(lines[-1], **values)])
        refuses(RecordError, (message, lambda: records.verify(path)))
    rewrite(path, [*lines[:-3], change(lines[-1], events=len(lines) - 4, decisions=json.loads(lines[-1])["decisions"])])
    refuses(RecordError, (r"events are missing|counts", lambda: records.verify(path)))


def test_what_the_rules_have_ended_is_not_agreed(toy: ToyGame, path: Path, written: list[str]) -> None:
    draw = {"event": "agreed", "kind": "draw", "player": None, "winner": None, "reason": "draw by agreement"}
    last = json.loads(written[-1])
    line = {**draw, "returns": [0.0, 0.0, 0.0], "events": last["events"], "decisions": last["decisions"]}
    rewrite(path, [*written[:-1], json.dumps(line)])
    refuses(RecordError, (r"line \d+: the game is over by its rules", lambda: records.verify(path, toy)))
    end = hawaii_env.play(toy, "random", seed=3)
    with (
        records.RecordWriter(path.with_name("over.jsonl"), toy) as writer,
        pytest.raises(RecordError, match="over by its rules"),
    ):
        writer.finish(end, records.Agreement("draw", None, 3))


@pytest.mark.parametrize(
    ("kind", "player", "players"),
    [("party", None, 2), ("draw", 0, 2), ("resignation", None, 2), ("resignation", 2, 2), ("resignation", 0, 3)],
)
def test_agreements_that_cannot_be(kind: str, player: int | None, players: int) -> None:
    refuses(RecordError, ("", lambda: records.Agreement(kind, player, players)))


# The last card of a deck


@pytest.fixture
def with_last_cards(path: Path) -> Path:
    """A record of a game that reaches November, where either deck has one card."""
    game = GAMES["short"]()
    for seed in range(100):
        at = path.with_name(f"{seed}.jsonl")
        hawaii_env.play(game, "random", seed=seed, record=at)
        if sum(event.forced for event in records.read(at).events if isinstance(event, Chance)) == 2:
            return at
    raise AssertionError("no game went on to November")


def test_a_record_holds_the_last_card(with_last_cards: Path) -> None:
    found = records.verify(with_last_cards)
    drawn = [event for event in found.record.events if isinstance(event, Chance) and event.kind == "card"]
    assert [event.forced for event in drawn] == [False] * 16 + [True] * 2
    assert sorted(event.text for event in drawn) == sorted(
        f"{side} draws {card}"
        for side, cards in zip(("kamehameha", "allied"), (Hawaii().card_ids[:9], Hawaii().card_ids[9:]), strict=True)
        for card in cards
    )
    events = found.record.events
    assert [event for event, _ in records.replay(with_last_cards)] == events
    assert found.state.trace == events and found.seed_checked


def test_the_last_card_is_never_left_out(with_last_cards: Path) -> None:
    body = [json.loads(line) for line in with_last_cards.read_text(encoding="utf-8").splitlines()]
    shorter = [line for line in body if not (line.get("event") == "chance" and line["forced"])]
    for n, line in enumerate(shorter):
        line |= {"n": n} if "n" in line else {"events": len(shorter) - 2} if "events" in line else {}
    rewrite(with_last_cards, [json.dumps(line) for line in shorter])
    refuses(RecordError, (r"the game does card: .*forced", lambda: records.verify(with_last_cards)))


# The form


def test_the_published_schema_is_fresh() -> None:
    path = Path(__file__).parent.parent / "docs" / "schema" / "record.schema.json"
    assert path.read_text(encoding="utf-8") == schema_text(), (
        "stale: python -m hawaii_env.records.form > docs/schema/record.schema.json"
    )


def test_the_schema_agrees_with_the_reader(toy: ToyGame, tmp_path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    hawaii_env.play(toy, "random", seed=3, record=tmp_path / "toy.jsonl")
    hawaii_env.play(Hawaii(), "random", seed=3, record=tmp_path / "hawaii.jsonl")
    with records.RecordWriter(tmp_path / "stopped.jsonl", toy) as writer:
        writer.stop("no time")
    agreed(GAMES["short"](), tmp_path / "agreed.jsonl", records.Agreement("draw", None, 2))
    kinds: set[str] = set()
    for path in sorted(tmp_path.glob("*.jsonl")):
        for number, text in enumerate(path.read_text(encoding="utf-8").splitlines()):
            line = json.loads(text)
            validator.validate(line)
            kinds.add(line.get("event", "header"))
            if number > 3 and kinds >= {"decision", "chance"}:
                continue
            for key in line:
                shorter = {k: v for k, v in line.items() if k != key}
                for wrong in (shorter, {**line, key: -1.5}, {**line, "more": 1}):
                    assert not validator.is_valid(wrong), wrong
    assert kinds == {"header", "decision", "chance", "result", "agreed", "stopped"}


WRONG = [
    None,
    True,
    -1,
    2**70,
    1.5,
    float("nan"),
    "",
    "x",
    [],
    [1],
    [None],
    ["x", "y", "z", "w"],
    {},
    {"name": 1},
    "\ud800",
]


@pytest.mark.parametrize("name", ["tides", pytest.param("short", marks=pytest.mark.slow)])
def test_no_edited_line_gets_past_or_breaks_the_reader(name: str, path: Path) -> None:
    """Every field of every kind of line, with values of every type: verify names the file, or the change was none."""
    game = GAMES[name]()
    lengths = {seed: len(hawaii_env.play(game, "random", seed=seed).trace or ()) for seed in range(6)}
    hawaii_env.play(game, "random", seed=min(lengths, key=lambda seed: lengths[seed]), record=path)
    lines = path.read_text(encoding="utf-8").splitlines()
    chosen = [0, line_of(lines, event="decision"), line_of(lines, event="chance"), len(lines) - 1]
    told = ("players", "options", "library", "name", "seed")  # what the game itself cannot contradict
    for index in chosen:
        line = json.loads(lines[index])
        for key in line:
            for wrong in WRONG:
                rewrite(path, [*lines[:index], change(lines[index], **{key: wrong}), *lines[index + 1 :]])
                caught = False
                try:
                    records.verify(path, game)
                except RecordError as error:
                    caught = str(path) in str(error)
                assert caught or key in told or line[key] == wrong, f"{key}: {wrong!r} got past"
        for wrong in WRONG:
            for part in ("scenario", "rules", "rounds", "sea_victor"):
                if index == 0:
                    rewrite(path, [change(lines[0], params={**line["params"], part: wrong}), *lines[1:]])
                    with pytest.raises(RecordError) if wrong != line["params"].get(part, 0) else nullcontext():
                        records.verify(path, None if name == "short" else game)


def test_players_are_as_many_as_the_game_has(toy: ToyGame, path: Path) -> None:
    refuses(
        OptionError,
        ("players: expected one name for each", lambda: records.RecordWriter(path, toy, players=["random"])),
    )
    assert not path.exists()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"path": None}, "path: expected a path, not None"),
        ({"path": "a\0b"}, "path: expected a path"),
        ({"game": None}, "game: expected a Game"),
        ({"seed": "x"}, "a seed is an integer"),
        ({"seed": 1.5}, "a seed is an integer"),
        ({"seed": -1}, "a seed is an integer"),
        ({"players": "abc"}, "players: expected a list, not 'abc'"),
        ({"players": 5}, "players: expected a list"),
        ({"players": ["a", "b", 3]}, "players: expected a string, not 3"),
        ({"players": ["a", "b", "\ud800"]}, "players: expected a string"),
        ({"options": 5}, "options: expected a Mapping"),
        ({"options": {"a": object()}}, "options: expected values of JSON's types"),
        ({"options": {"a": float("nan")}}, "options: expected values of JSON's types"),
        ({"options": {"a": "\ud800"}}, "options: expected values of JSON's types"),
    ],
)
def test_arguments_that_cannot_be_are_named(toy: ToyGame, path: Path, given: dict[str, Any], message: str) -> None:
    refuses(OptionError, (message, lambda: records.RecordWriter(**{"path": path, "game": toy, **given})))
    assert not path.exists()


def test_half_a_letter_is_written_as_text(toy: ToyGame, path: Path) -> None:
    with records.RecordWriter(path, toy) as writer:
        writer.stop("an agent said \ud800")
    assert records.read(path).stopped == "an agent said \\ud800"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk_is_reported(toy: ToyGame, path: Path) -> None:
    writer = records.RecordWriter(path, toy)
    with open("/dev/full", "w", encoding="utf-8") as full:
        writer.close()
        writer._file = full  # pyright: ignore[reportPrivateUsage]
        refuses(RecordError, ("cannot be written: No space left", lambda: writer.add(Chance("tide", 1, "tide 1"))))
        writer._file = None  # pyright: ignore[reportPrivateUsage]
        refuses(OSError, ("space", lambda: full.close()))


# RecordGames


def play_out(env: Any) -> None:
    for agent in env.agent_iter():
        _, _, terminated, truncated, info = env.last()
        env.step(None if terminated or truncated else int(info["action_mask"].argmax()))
        assert agent in env.possible_agents


@pytest.mark.parametrize("wrapped", [False, True])
def test_record_games_records_every_game(game: Game, tmp_path: Path, wrapped: bool) -> None:
    inner: Any = GameEnv(game)
    names = [f"bot {i}" for i in range(game.num_players)]
    env = RecordGames(OrderEnforcingWrapper(inner) if wrapped else inner, tmp_path / "games", players=names)
    env.reset(seed=7)
    play_out(env)
    env.reset()
    play_out(env)
    env.reset(seed=9, options={"players": names[::-1]})
    env.step(int(env.last()[4]["action_mask"].argmax()))
    env.close()
    assert [path.name for path in env.records] == [f"{game.name}-00000{n}.jsonl" for n in (1, 2, 3)]
    first = records.verify(env.records[0], game)
    assert first.seed_checked and first.record.seed == 7 and first.record.header["players"] == names
    assert records.verify(env.records[1], game).record.seed is None
    third = records.verify(env.records[2], game, partial=True).record
    assert third.header["players"] == names[::-1] and not third.complete and third.events
    again = RecordGames(GameEnv(game), tmp_path / "games", every=2)
    for _ in range(3):
        again.reset()
    again.close()
    assert [path.name[-7:-6] for path in again.records] == ["4", "5"]


def test_record_games_gives_way_to_a_path_and_to_other_writers(
    toy: ToyGame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = RecordGames(GameEnv(toy), tmp_path)
    env.reset(options={"record": tmp_path / "mine.jsonl"})
    assert env.records == [] and (tmp_path / "mine.jsonl").exists()
    # Another process takes number 1 after the wrapper has looked.
    real, taken = Path.exists, tmp_path / "tides-000001.jsonl"
    looks: list[Path] = []

    def exists(path: Path) -> bool:
        if path == taken and not looks:
            looks.append(path)
            taken.write_text("")
            return False
        return real(path)

    monkeypatch.setattr(Path, "exists", exists)
    env.reset()
    assert env.records == [tmp_path / "tides-000002.jsonl"] and taken.read_text() == ""
    env.close()


def test_record_games_raises(toy: ToyGame, tmp_path: Path) -> None:
    refuses_each(
        OptionError,
        "keeps no trace",
        lambda env: RecordGames(env, tmp_path),  # pyright: ignore[reportArgumentType]
        (SingleAgentEnv(toy), toy, None),
    )
    refuses_each(
        OptionError,
        lambda arguments: next(iter(arguments)),
        lambda arguments: RecordGames(GameEnv(toy), **{"folder": tmp_path, **arguments}),  # pyright: ignore[reportArgumentType]
        ({"players": ["a"]}, {"players": "abc"}, {"every": 0}, {"every": True}, {"folder": 3}),
    )
    (tmp_path / "file").write_text("")
    refuses(RecordError, ("cannot be written", lambda: RecordGames(GameEnv(toy), tmp_path / "file").reset()))
    refuses(
        OptionError,
        ("options is a mapping", lambda: RecordGames(GameEnv(toy), tmp_path).reset(options=3)),  # pyright: ignore[reportArgumentType]
    )
