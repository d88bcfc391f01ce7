"""Every reader of every game, fed with input that was altered: documented errors alone, in bounded time and memory.

Some of each in the default suite, for 20 s a reader in nightly runs.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import resource
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, cast

import mutations
import pytest
from web.conftest import Running, settings

import hawaii_env
from hawaii_agents import network, weights
from hawaii_env import agents, arena, games, records
from hawaii_env.arena.store import FILE, Store, load_games
from hawaii_env.bots import protocol
from hawaii_env.bots.agent import SubprocessAgent, read_manifest
from hawaii_env.bots.process import BotProcess
from hawaii_env.errors import HawaiiError
from hawaii_env.game import Game
from hawaii_env.web import store as web_store

GAMES = [spec.name for spec in games.shipped()]
SECONDS = float(os.environ.get("HAWAII_ENV_FUZZ_SECONDS", "20"))
"""Seconds of a reader in a nightly run."""


class Reader(NamedTuple):
    """A reader: input as it should be, what reads it, and the errors that may come."""

    good: list[Any]
    read: Callable[[Any], Any]
    errors: tuple[type[Exception], ...] = (HawaiiError,)
    close: Callable[[], Any] = bool


def positions_of(game: Game, seeds: int = 2) -> list[Any]:
    """Positions along random games, each eleventh."""
    rng, found = random.Random(1795), []
    for seed in range(seeds):
        state = game.initial_state(seed=seed)
        for number in range(300):
            if state.is_terminal:
                break
            if number % 11 == 0:
                found.append(state.clone())
            chosen = {player: rng.choice(state.legal_actions(player)) for player in state.acting_players}
            state.apply_joint(chosen) if len(chosen) > 1 else state.apply(*chosen.values())
    return found


def play_on(state: Any) -> Any:
    """Use a position that was taken: one that cannot be fails here, not only in compiled code."""
    for _ in range(3):
        if state.is_terminal:
            break
        assert state.to_json(secrets=True) and state.view() and str(state)
        players = state.acting_players
        if not players:
            state.apply_chance(state.chance_outcomes()[0][0])
        elif len(players) > 1:
            state.apply_joint({player: state.legal_actions(player)[0] for player in players})
        else:
            state.apply(state.legal_actions()[0])
    return state


def of_positions(game: Game, folder: Path) -> Reader:
    good = [json.loads(state.to_json(secrets=True)) for state in positions_of(game)]
    return Reader(
        good,
        lambda given: play_on(
            game.state_from_json(cast(str, given) if isinstance(given, bytes) else json.dumps(given))
        ),
    )


def of_views(game: Game, folder: Path) -> Reader:
    good = [state.view().to_dict() for state in positions_of(game)]

    def read(given: Any) -> Any:
        return play_on(game.position(**given)) if isinstance(given, dict) else game.state_from_json(given)

    return Reader(good, read)


def of_pickles(game: Game, folder: Path) -> Reader:
    """The texts in pickles: what else an altered pickle does is Python's."""
    found = [state.__reduce__() for state in positions_of(game, 1)]
    restore, known = found[0][0], found[0][1][0]

    def read(given: Any) -> Any:
        data = given if isinstance(given, bytes) else json.dumps(given).encode()
        return play_on(restore(known, data, None))

    return Reader([values[1] for _, values in found], read)


def of_records(game: Game, folder: Path) -> Reader:
    path = folder / "game.jsonl"
    hawaii_env.play(game, "random", seed=4, record=path)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    def read(given: Any) -> Any:
        data = given if isinstance(given, bytes) else "\n".join(map(json.dumps, given)).encode()
        path.write_bytes(data)
        with contextlib.suppress(HawaiiError):
            list(records.replay(path))
        return records.verify(records.parse(data), partial=True)

    return Reader([lines], read)


def of_rulesets(game: Game, folder: Path) -> Reader:
    kind = games.find(game.name).load("ruleset")
    files = [path.read_bytes() for name in kind.models if (path := kind.folder / "data" / name).stat().st_size < 9000]

    def read(given: Any) -> Any:
        if isinstance(given, bytes):
            name = random.Random(len(given)).choice(list(kind.models))
            (folder / name).write_bytes(given)
            try:
                return kind.load(folder)
            finally:
                (folder / name).unlink()
        return kind.load(given)

    return Reader([kind.load().content, *files], read)


def of_bots(game: Game, folder: Path) -> Reader:
    state = game.initial_state(seed=1)
    player = state.acting_players[0]
    legal = state.legal_actions(player)
    bot = SubprocessAgent("true")
    bot._asked = 1  # pyright: ignore[reportPrivateUsage]

    class Process:
        shown = staticmethod(BotProcess.shown)

        def fail(self, kind: Any, what: str) -> Exception:
            return kind("bot", what)

    good = [
        {"type": "action", "action": legal[0], "id": 1}, {"type": "action", "text": game.action_text(legal[-1])},
        {"type": "ready", "protocol": 1, "name": "x", "want": ["view", "state"]},
    ]  # fmt: skip

    def read(given: Any) -> Any:
        line = given if isinstance(given, bytes) else json.dumps(given).encode()
        with contextlib.suppress(ValueError):
            protocol.parse(line)
        return bot._chosen(cast(Any, Process()), line, state, legal)  # pyright: ignore[reportPrivateUsage]

    return Reader(good, read)


def of_manifests(game: Game, folder: Path) -> Reader:
    path = folder / "bot.toml"
    good = (
        b'command = ["true", "x"]\nname = "x"\nseconds = 1.5\nmemory_mb = 100\ngrace = 0\nlog = "log"\n[env]\nA = "b"\n'
    )

    def read(given: Any) -> Any:
        path.write_bytes(given)
        return SubprocessAgent(**read_manifest(path))

    return Reader([good], read)


def of_agents(game: Game, folder: Path) -> Reader:
    good = [
        b"random:seed=5",
        b"epsilon-greedy:base=random,epsilon=0.5",
        b"mcts:sims=9,c=1.4",
        b"bot:command=true,seconds=1",
    ]
    return Reader(good, lambda given: agents.load_agent(given.decode("utf-8", "surrogateescape")))


def of_policies(game: Game, folder: Path) -> Reader:
    path = folder / "policy.safetensors"
    data = min(
        Path(weights.__file__).parent.glob("weights/*.safetensors"), key=lambda path: path.stat().st_size
    ).read_bytes()
    head = 8 + int.from_bytes(data[:8], "little")

    def read(given: bytes) -> Any:
        path.write_bytes(given + data[head:])
        return network.Policy.load(path, game)

    return Reader([data[:head]], read)


def of_tournaments(game: Game, folder: Path) -> Reader:
    arena.play_match(game, "random", "random:seed=1", pairs=1, processes=1, out=folder / "whole")
    good = (folder / "whole" / FILE).read_bytes()

    def read(given: bytes) -> Any:
        for path in folder.glob("results.sqlite*"):
            path.unlink()
        (folder / FILE).write_bytes(given)
        with Store(folder) as found:
            assert [found.rounds(), found.tables(), found.players()]
        return load_games(folder)

    return Reader([good], read)


def of_servers(game: Game, folder: Path) -> Reader:
    path = folder / "games.sqlite"
    made = web_store.Store(str(path))
    made.add_game("g" * 20, {"game": game.name, "seats": []}, [(0, "s")], most=9)
    made.close()
    good = path.read_bytes()

    def read(given: bytes) -> Any:
        for old in folder.glob("games.sqlite*"):
            old.unlink()
        path.write_bytes(given)
        opened = web_store.Store(str(path))
        try:
            return opened.game("g" * 20), opened.events("g" * 20), opened.games_of("s")
        finally:
            opened.close()

    return Reader([good], read)


def of_requests(game: Game, folder: Path) -> Reader:
    """Bodies of requests: every answer is one of the interface, and no fault of the server."""
    server = Running(settings(game=game.name, database=str(folder / "games.sqlite"), levels=False, rate="99999/second"))
    me, rng = server.browser(), random.Random(7)
    begun = me.post("/api/games", {"seats": [{"kind": "me"}] * game.num_players}, 201)["id"]
    version = me.state(begun)["version"]
    hawaii_env.play(game, "random", seed=4, record=folder / "game.jsonl")
    record = (folder / "game.jsonl").read_text(encoding="utf-8")
    view = game.initial_state(seed=1).view().to_dict()
    seats = [{"kind": "me"}] + [{"kind": "agent", "agent": "random"}] * (game.num_players - 1)
    bodies: dict[str, Any] = {
        "/api/games": {"seats": seats, "position": view, "name": "x"},
        "/api/positions": {"position": view, "sketch": True},
        "/api/records": {"record": record, "seats": seats}, "/api/join": {"invitation": "x" * 43, "name": "x"},
        **{f"/api/games/{begun}/{name}": {"version": version, **body} for name, body in (
            ("actions", {"action": 1}), ("turn", {"seat": 0, "turn": 1, "actions": [1]}),
            ("typed", {"seat": 0, "text": "x"}),
            ("chance", {"outcome": 1}), ("undo", {"turn": True}), ("saves", {"name": "x"}), ("name", {"name": "x"}),
            ("draw", {"accept": True}), ("hint", {}), ("stand_in", {"agent": "random"}), ("invitations", {"seat": 1}),
        )},
    }  # fmt: skip

    def read(given: Any) -> Any:
        body = given if isinstance(given, bytes) else json.dumps(given).encode()
        keys = set(given) if isinstance(given, dict) else set()
        path = max(bodies, key=lambda one: (len(keys & set(bodies[one])), rng.random()))
        answer = me.client.post(path, content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code < 500 and isinstance(answer.json(), dict), (
            path,
            answer.status_code,
            answer.text[:300],
        )

    return Reader(list(bodies.values()), read, close=server.stop)


GAMES_READERS = {
    "positions": of_positions, "views": of_views, "pickles": of_pickles, "records": of_records,
    "rulesets": of_rulesets, "bots": of_bots, "requests": of_requests,
}  # fmt: skip
"""Readers that are a game's."""

OTHER_READERS = {
    "manifests": of_manifests, "agents": of_agents, "policies": of_policies, "tournaments": of_tournaments,
    "servers": of_servers,
}  # fmt: skip


def altered(good: Any, rng: random.Random) -> Any:
    """Input that was altered: a document, or bytes."""
    if isinstance(good, bytes):
        return rng.choice(mutations.BROKEN) if rng.random() < 0.1 else mutations.damage(good, rng)
    kind = rng.random()
    if kind < 0.75:
        return mutations.alter(good, rng)
    if kind < 0.8:
        return rng.choice(mutations.BROKEN)
    if isinstance(good, list):  # lines
        text = "\n".join(map(json.dumps, good))
        return mutations.damage(text.encode(), rng)
    return mutations.damage(json.dumps(good).encode(), rng) if kind < 0.95 else mutations.doubled(good, rng).encode()


def attack(reader: Reader, seconds: float, count: int, seed: int) -> None:
    """Feed a reader, for some seconds or so many times."""
    rng, end, n = random.Random(seed), time.monotonic() + seconds, 0
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    while time.monotonic() < end and n < count:
        n += 1
        given = altered(rng.choice(reader.good), rng)
        began, told = time.process_time(), 0
        try:
            reader.read(given)
        except reader.errors as error:
            told = len(str(error))
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            shown = repr(given)
            raise AssertionError(f"{type(error).__name__}: {error} at {place}, of {shown[:2000]}") from error
        assert time.process_time() - began < 10 and told < 20_000, repr(given)[:2000]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 600_000  # KiB


def pairs() -> list[Any]:
    found = [(name, game) for name in GAMES_READERS for game in GAMES]
    return found + [(name, GAMES[0]) for name in OTHER_READERS]


def attack_named(name: str, game: str, folder: Path, seconds: float, count: int, seed: int) -> None:
    reader = {**GAMES_READERS, **OTHER_READERS}[name](hawaii_env.load_game(game), folder)
    try:
        attack(reader, seconds, count, seed)
    finally:
        reader.close()


@pytest.mark.parametrize(("name", "game"), pairs())
def test_altered_input_raises_documented_errors(name: str, game: str, tmp_path: Path) -> None:
    attack_named(name, game, tmp_path, 0.3, 8, 1)


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "game"), pairs())
def test_much_altered_input_raises_documented_errors(name: str, game: str, tmp_path: Path) -> None:
    seed = int.from_bytes(os.urandom(4))
    print(f"seed {seed}")
    attack_named(name, game, tmp_path, SECONDS, 10**9, seed)
