"""Agents in processes of their own: answers, failures, agents that never come back."""

from __future__ import annotations

import asyncio
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from arena import bad_bots
from arena.test_arena_faults import BOTS, SHARED, linux, reasons_of
from refusals import refuses

from hawaii_env import agents
from hawaii_env.agents import RandomAgent
from hawaii_env.hawaii1795 import Game
from hawaii_env.web.think import (
    MESSAGE_LENGTH,
    PRINTED,
    Hint,
    Mind,
    Task,
    Thinker,
    ThinkError,
    _chances,
    _Output,
    _work,
)

from .conftest import run

BOT = """
import sys
import time
from hawaii_env.agents import BaseAgent, register

class Sleeper(BaseAgent):
    def act(self, state, legal_actions, clock=None):
        time.sleep(600)

class Wrong(BaseAgent):
    def act(self, state, legal_actions, clock=None):
        return -7

class Dying(BaseAgent):
    def act(self, state, legal_actions, clock=None):
        import os
        os._exit(3)

class Chatty(BaseAgent):
    def act(self, state, legal_actions, clock=None):
        import os, subprocess, sys
        print("a word of Python's")
        os.write(2, b"a word of C's" + bytes([10, 255, 10]))
        for _ in range(200):
            os.write(1, b"x" * 10_000)
        subprocess.run([sys.executable, "-c", "print('y' * 100_000)"], check=True)
        return legal_actions[0]

class Shouting(BaseAgent):
    def act(self, state, legal_actions, clock=None):
        raise RuntimeError("no " * 100_000)

class Peeking(BaseAgent):
    def act(self, state, legal_actions, clock=None):
        assert state.chance == "explicit" and "generators" not in state.to_json(secrets=True)
        assert 0 < clock.seconds <= 5
        return legal_actions[-1]

class Eating(BaseAgent):
    def act(self, state, legal_actions, clock=None):
        eaten = []
        while len(eaten) < 10_000:  # 1.25 TiB, none of it written to
            eaten.append(bytearray(2**27))

for bot in (Sleeper, Wrong, Dying, Chatty, Shouting, Peeking, Eating):
    register(bot.name, bot)
"""


def task(spec: str, hint: bool = False, seconds: float = 0.2) -> Task:
    game = Game()
    state = game.initial_state(seed=1).for_search()
    return Task(
        f"g/{state.current_player}",
        spec,
        game.name,
        dict(game.params),
        state.to_json(),
        state.current_player,
        seconds,
        hint,
    )


@pytest.mark.parametrize("answer", [2.7, "3", True, None, np.array([3])], ids=repr)
def test_what_is_no_action_is_not_made_one(answer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    given = task("random", hint=True)
    monkeypatch.setattr(RandomAgent, "act", lambda self, state, legal, clock=None: answer)
    with pytest.raises(ThinkError, match=r"^agent 'random' illegal action "):
        Mind().think(given)


@pytest.fixture
def bots(tmp_path: Path) -> str:
    path = tmp_path / "bots.py"
    path.write_text(BOT)
    return str(path)


@pytest.mark.slow
def test_a_process_answers_survives_and_is_stopped(bots: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What agents print and say has a cap, and so has their memory."""
    thinker = Thinker(1, [bots], grace=120.0, warm=("hawaii1795", dict(Game().params)))
    try:
        game = "hawaii1795", dict(Game().params)
        assert run(thinker.probe("peeking", *game)) == ""
        refuses(ThinkError, ("there is no agent 'nobody'", lambda: run(thinker.probe("nobody", *game))))

        async def all_of_it() -> None:
            found = await thinker.think(task("peeking"))
            assert found.action in Game().initial_state(seed=1).legal_actions()
            with pytest.raises(ThinkError, match=r"^agent 'wrong' illegal action -7$"):
                await thinker.think(task("wrong"))
            for _ in range(2):
                assert (await thinker.think(task("chatty", seconds=30))).action >= 0
            with pytest.raises(ThinkError, match=r"RuntimeError: no no ") as shouted:
                await thinker.think(task("shouting"))
            assert len(str(shouted.value)) < MESSAGE_LENGTH + 10
            if sys.platform.startswith("linux"):
                with pytest.raises(ThinkError, match=r"^agent 'eating' .*MemoryError"):
                    await thinker.think(task("eating"))
            thinker.grace = 0.1
            with pytest.raises(ThinkError, match=r"^agent 'sleeper' has not answered within"):
                await thinker.think(task("sleeper"))
            thinker.grace = 120.0
            with pytest.raises(ThinkError, match=r"^agent 'dying' ended its process"):
                await thinker.think(task("dying"))
            # The next decision starts another process.
            assert (await thinker.think(task("random:seed=3"))).action >= 0

        run(all_of_it())
        # The worker's own thread ends the process, too, when the server does.
        worker = cast(Any, thinker)._workers[0]
        join, worker._process.join = worker._process.join, lambda: (worker.stop(), join())
    finally:
        thinker.close()
    told = capsys.readouterr().err
    assert "a word of Python's\n" in told
    assert "a word of C's\n\\xff\n" in told
    assert told.count("the rest of this hour is not shown") == 1
    assert PRINTED / 2 < len(told) < PRINTED + 200


LASTING: dict[str, Any] = {**bad_bots.LASTING, **bad_bots.DEATHS, **bad_bots.CODE, **bad_bots.IMPORTED}
del LASTING["record"], LASTING["in_record"]  # the page's processes write none
"""Misbehaviour after which a process is replaced, by kind."""


@linux
@pytest.mark.parametrize(
    "kinds",
    [
        (*SHARED, "abort"),
        pytest.param((*LASTING,), marks=pytest.mark.slow),
    ],
    ids=["some", "lasting"],
)
def test_misbehaviour_is_the_fault_of_its_agent_alone_on_the_page(
    kinds: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other games' agents go on: in the same process, unless it had to be replaced."""
    monkeypatch.setenv("HAWAII_ENV_PLAIN", "1")
    thinker = Thinker(1, [str(BOTS)])
    worker = cast(Any, thinker)._workers[0]
    expected = reasons_of({**SHARED, **LASTING})
    other = replace(task("greedy"), key="other/0")

    async def all_of_it() -> None:
        action = (await thinker.think(other)).action
        for what in kinds:
            before, thinker.grace = worker._process.pid, 0.5 if what == "stopped" else 120.0
            with pytest.raises(ThinkError) as caught:
                await thinker.think(task(f"does:what={what}"))
            assert str(caught.value).startswith(f"agent 'does:what={what}' "), what
            assert any(text in str(caught.value) for text in (expected[what], "ended its process", "was stopped"))
            assert (await thinker.think(other)).action == action, what
            assert worker._process.pid == before or what in LASTING, what

    try:
        run(all_of_it())
    finally:
        thinker.close()


def test_what_agents_print_is_shown_again_in_an_hour(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [0.0]
    monkeypatch.setattr("hawaii_env.web.think.time.monotonic", lambda: now[0])
    output = _Output(most=4)
    for text in (b"ab", b"cdef", b"gh"):
        now[0] += 1
        output.write(text)
    now[0] += 3600
    output.write(b"ij")
    told = capsys.readouterr().err
    assert told.startswith("abcd\n...")
    assert told.endswith("not shown\nij")


def test_a_process_is_ready_once_the_rules_are_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []

    class Pipe:
        def send(self, answer: Any) -> None:
            told.append(answer)

        def recv(self) -> Any:
            raise EOFError

    monkeypatch.setattr(Mind, "probe", lambda _, *asked: told.append(asked))
    _work(Pipe(), Mind(), ("hawaii1795", {"scenario": "long"}))
    assert told == [("random", "hawaii1795", {"scenario": "long"}), ("ready", None, False)]
    told.clear()
    _work(Pipe(), Mind(), None)
    assert told == [("ready", None, False)]

    def fails(_: Mind, *asked: Any) -> str:
        raise ThinkError("no rules here")

    told.clear()
    monkeypatch.setattr(Mind, "probe", fails)
    _work(Pipe(), Mind(), ("hawaii1795", {}))
    assert told == [("error", "ThinkError: no rules here", True)]


def test_an_agents_description_is_one_sentence() -> None:
    class Wordy(RandomAgent):
        """Plays `well`, mostly. Not always."""

    agents.register("web-wordy", Wordy)
    game = Game()
    assert Mind().probe("web-wordy", game.name, dict(game.params)) == "Plays well, mostly."


def test_one_that_sleeps_does_not_stop_the_server() -> None:
    async def ticks() -> int:
        thinker = Thinker(0, grace=0.1)

        class Slow:
            name = "slow"

            def act(self, state: object, legal_actions: list[int], clock: object) -> int:
                time.sleep(0.6)
                return legal_actions[0]

        assert thinker._mind is not None
        thinker._mind._agents[("g/1", "slow")] = Slow()  # type: ignore[assignment]
        waiting = asyncio.create_task(thinker.think(task("slow", seconds=0.1)))
        count = 0
        while not waiting.done():
            await asyncio.sleep(0.01)
            count += 1
        with pytest.raises(ThinkError, match="not answered"):
            waiting.result()
        thinker.close()
        return count

    assert run(ticks()) >= 3


def test_a_mind_keeps_the_agents_of_a_game(bots: str) -> None:
    mind = Mind()
    first = mind.think(task("random:seed=5"))
    agent = mind._agents[(task("random").key, "random:seed=5")]
    mind.think(task("random:seed=5"))
    assert mind._agents[(task("random").key, "random:seed=5")] is agent
    assert isinstance(first, Hint)
    assert first.chances == {}


def test_probabilities_of_a_search_and_of_a_network() -> None:
    state = Game().initial_state(seed=1)
    legal = state.legal_actions()
    visits = np.arange(1, len(legal) + 1)
    search = SimpleNamespace(search=SimpleNamespace(actions=legal, visits=visits, means=visits / 10.0))
    chances, value = _chances(search, state, legal, None, legal[-1])
    assert sum(chances.values()) == pytest.approx(1)
    assert chances[legal[-1]] == max(chances.values())
    assert value == pytest.approx(len(legal) / 10)
    # A search of plans may take another action than the one tried most often: what it expects is of that.
    assert _chances(search, state, legal, None, legal[0]) == (chances, pytest.approx(0.1))
    assert _chances(search.search, state, legal, None, legal[0]) == (chances, pytest.approx(0.1))
    search.search.means = np.full(len(legal), np.nan)  # nothing was played: it had no choice
    assert _chances(search, state, legal, None, legal[0]) == (chances, None)
    network = SimpleNamespace(
        policy=SimpleNamespace(evaluate=lambda seen, actions: (np.ones(len(actions), np.float32), 3.0))
    )
    chances, value = _chances(network, state, legal, None, legal[0])
    assert chances == pytest.approx(dict.fromkeys(legal, 1 / len(legal)))
    assert value == 1.0
    assert _chances(SimpleNamespace(search=lambda state: None), state, legal, None, legal[0]) == ({}, None)
