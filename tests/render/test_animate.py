"""Animations of recorded games."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from refusals import refuses

import hawaii_env
from hawaii_env.cli import main
from hawaii_env.errors import OptionError
from hawaii_env.game import SIMULTANEOUS, Decision
from hawaii_env.hawaii1795 import Game
from hawaii_env.records import Follower, RecordWriter, game_of, read, replay
from hawaii_env.render.animate import _moments, _partial, _thinned, animate
from tests.toy import ToyGame

pytest.importorskip("resvg_py", reason="the extra render")
Image: Any = pytest.importorskip("PIL.Image", reason="the extra render")

GAME = Game()


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("records") / "game.jsonl"
    state = GAME.initial_state(seed=7, trace=True)
    with RecordWriter(path, GAME, seed=7) as writer:
        while not state.is_terminal:
            state.apply(state.legal_actions()[state.decisions % len(state.legal_actions())])
        writer.finish(state)
    return path


def test_an_animation_is_small_and_has_its_frames(record: Path, tmp_path: Path) -> None:
    made = animate(record, tmp_path / "deep" / "game.gif", width=320, frames=8, milliseconds=100, colours=32)
    assert made.path == tmp_path / "deep" / "game.gif"
    with Image.open(made.path) as gif:
        assert gif.is_animated and gif.n_frames == made.frames == 8
        assert gif.size == (320, 221)
        assert gif.info["loop"] == 0 and gif.info["duration"] == 100
        gif.seek(7)
        assert gif.info["duration"] == 400
    assert made.seconds == pytest.approx(1.1)
    assert made.bytes == made.path.stat().st_size < 300_000


def test_moments_show_moves_and_whole_volleys(record: Path) -> None:
    found = read(record)
    moments = list(_moments(replay(found, game_of(found)), every=False))
    some = list(_moments(replay(found, game_of(found)), every=True))
    assert 10 < len(moments) < len(some)
    assert moments[-1][0].is_terminal and some[-1][0].is_terminal
    for _, events in moments:
        last = events[-1]
        if isinstance(last, Decision):
            assert last.text.split()[0] not in ("fleet", "pickup", "embark", "fire", "done")
        else:
            assert last.kind in ("card", "event", "hit_die")
    # Of each volley that hit, one picture; the dice before its last are in that picture's events.
    volleys = sum(isinstance(event, Decision) and event.text.startswith("fire ") for event in found.events)
    ends = [events[-1] for _, events in moments]
    shown = sum(getattr(event, "kind", "") == "hit_die" or event.text.split()[0] in ("lose", "panic") for event in ends)
    assert 0 < shown <= volleys


def test_a_move_of_several_decisions_is_one_picture(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    hawaii_env.play("maori_wars", ["random", "random"], seed=1, record=path)
    found = read(path)
    game = game_of(found)
    moments = list(_moments(replay(found, game), False, _partial(found, game)))
    ends = [events[-1].text.split()[0] for _, events in moments]
    assert {"to", "chit"} <= {*ends} and not {"from", "stack", "carry"} & {*ends}


def test_thinning_keeps_both_ends() -> None:
    assert _thinned(range(100), 4) == [0, 33, 66, 99]
    assert _thinned(range(3), 4) == [0, 1, 2]


@pytest.mark.parametrize(
    "wrong", [{"frames": 1}, {"colours": 300}, {"milliseconds": 0}, {"width": 3}, {"frames": True}]
)
def test_odd_arguments(record: Path, tmp_path: Path, wrong: dict[str, Any]) -> None:
    refuses(OptionError, (next(iter(wrong)), lambda: animate(record, tmp_path / "a.gif", **wrong)))
    assert not (tmp_path / "a.gif").exists()


def test_the_command(record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["animate", str(record), "-o", str(tmp_path / "a.gif"), "--frames", "2", "--width", "100"]) == 0
    assert "2 pictures" in capsys.readouterr().out
    assert main(["animate", str(record), "-o", str(tmp_path / "a.mp4")]) == 2
    assert ".gif" in capsys.readouterr().err
    assert main(["animate", str(tmp_path / "none.jsonl"), "-o", str(tmp_path / "b.gif")]) == 2
    assert "none.jsonl" in capsys.readouterr().err


def test_games_without_a_picture_are_animated_too() -> None:
    game = ToyGame()
    state = game.initial_state(seed=1, trace=True)
    while not state.is_terminal:
        first = {player: state.legal_actions(player)[0] for player in state.acting_players}
        if state.current_player == SIMULTANEOUS:
            state.apply_joint(first)
        else:
            state.apply(first[state.current_player])
    found = list(_moments(Follower(game).feed(list(state.trace or ())), every=False))
    assert found and found[-1][0].is_terminal
