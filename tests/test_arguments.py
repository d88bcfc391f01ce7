"""Arguments of the wrong kind are refused with an error of ours that names them, and nothing has happened."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import gymnasium
import numpy as np
import pytest
from refusals import refuses

import hawaii_env
from hawaii_agents.hawaii1795.search import Search
from hawaii_env import agents, fuzz, games, hawaii1795_v1, make_batch, records, rollouts
from hawaii_env.codec import Codec, Family
from hawaii_env.env.aec import GameEnv
from hawaii_env.env.checker import check_aec
from hawaii_env.env.opponents import OpponentPlayer
from hawaii_env.env.vector import BatchEnv
from hawaii_env.env.versus import Versus
from hawaii_env.errors import HawaiiError
from hawaii_env.game import Outcome
from hawaii_env.hawaii1795 import Game, battles
from hawaii_env.hawaii1795.pictures.picture import svg
from hawaii_env.integrations import offline, saved
from hawaii_env.render.picture import render_svg

GAME: Any = Game()
OBSERVATIONS = np.zeros((2, GAME.observation_size), np.float32)


@cache
def state() -> Any:
    return GAME.initial_state(seed=1)


def started_batch() -> BatchEnv:
    batch = make_batch(GAME, 2)
    batch.reset(seed=1)
    return batch


def started_versus() -> Versus:
    versus = Versus(GAME, 2)
    versus.reset()
    return versus


TWO: Any = np.array([1, 2])
CODEC = Codec(go=Family("go", ["x", "y"]))

BAD: dict[str, tuple[Callable[[], object], str]] = {
    "play's seed": (lambda: hawaii_env.play(GAME, "random", seed="0"), "a seed is an integer"),  # type: ignore[arg-type]
    "play's agents": (lambda: hawaii_env.play(GAME, None), "agents: expected a list"),  # type: ignore[arg-type]
    "play's game": (lambda: hawaii_env.play(None, "random"), "game: expected the name of a game or a Game"),  # type: ignore[arg-type]
    "a record's path": (lambda: records.read(None), "path: expected a path"),  # type: ignore[arg-type]
    "a mask's room": (lambda: state().legal_mask(1), r"out: expected int8\[991\], not 1"),
    "an observation's room": (lambda: state().observation(0, out=1), r"out: expected float32\[2035\], not 1"),
    "an observer": (lambda: state().observation("x"), "player: expected an integer from"),
    "a player": (lambda: state().legal_actions("x"), "player: expected an integer from"),
    "a viewer": (lambda: state().view(2), "player: an index from 0 to 1"),
    "a batch's games": (lambda: make_batch(None, 2), "games: expected a list"),  # type: ignore[arg-type]
    "a batch's size": (lambda: make_batch("hawaii1795", 2**31), "num_envs: expected an integer from 1 to 1048576"),
    "actions": (lambda: rollouts.step_many(state(), True), "actions: expected a list"),  # type: ignore[arg-type]
    "a reset's options": (lambda: hawaii1795_v1.env().reset(options={"colour": 1}), "'colour' is unknown"),
    "a batch's options": (lambda: make_batch(GAME, 2).reset(options={"colour": 1}), "'colour' is unknown"),
    "a gymnasium reset's options": (
        lambda: gymnasium.make("hawaii_env/Hawaii1795-v1").reset(options={"colour": 1}),
        "'colour' is unknown",
    ),
    "a seed of a clone": (lambda: state().clone(seed="x"), "a seed is an integer"),
    "a JSON": (lambda: GAME.state_from_json(None), "state: expected a string"),
    "an agent string": (lambda: agents.parse_agent(None), "agent: expected a string"),  # type: ignore[arg-type]
    "specs": (lambda: agents.split_agents(1), "text: expected a string"),  # type: ignore[arg-type]
    "an agent's name": (lambda: agents.register(None, agents.RandomAgent), "name: expected a string"),  # type: ignore[arg-type]
    "an agent": (lambda: hawaii_env.play(GAME, [1, 2]), "agents: expected a string or an agent"),  # type: ignore[list-item]
    "a file of agents": (lambda: agents.load_file(None), "path: expected a Python file"),  # type: ignore[arg-type]
    "a clock": (lambda: agents.Clock("1"), "seconds: expected a number above 0"),  # type: ignore[arg-type]
    "play's seconds": (lambda: hawaii_env.play(GAME, "random", seconds="1"), "seconds: expected a number above 0"),  # type: ignore[arg-type]
    "play's start": (lambda: hawaii_env.play(GAME, "random", start=1), "start: expected a State"),  # type: ignore[arg-type]
    "an agent's masks": (lambda: agents.RandomAgent(1).act_batch(OBSERVATIONS, None), "masks: expected int8"),  # type: ignore[arg-type]
    "fuzz's game": (lambda: fuzz.fuzz(None, 1), "game: expected a Game"),  # type: ignore[arg-type]
    "fuzz's games": (lambda: fuzz.fuzz(GAME, 2**63, out=None), "games: expected an integer from"),
    "fuzz's jobs": (lambda: fuzz.fuzz(GAME, 1, jobs=2**31, out=None), "jobs: expected an integer from"),
    "fuzz's seed": (lambda: fuzz.fuzz(GAME, 1, seed=-1, out=None), "seed: expected an integer of 0 or more"),
    "fuzz's position": (lambda: fuzz.check_state(None), "state: expected a State"),  # type: ignore[arg-type]
    "fuzz's actions": (lambda: fuzz.check_game(GAME, 1, True), "actions: expected a list"),  # type: ignore[arg-type]
    "an event": (lambda: state().may_see(None, 0), "event: expected a Decision or a Chance"),
    "many playouts": (lambda: rollouts.playouts(state(), 2**31), "n: expected an integer from"),
    "many playouts an action": (
        lambda: rollouts.action_values(state(), 2**27),
        "n, for each action,: expected an integer from",
    ),
    "many threads": (lambda: rollouts.playouts(state(), 1, threads=2**31), "threads: expected an integer from"),
    "an environment's game": (lambda: GameEnv(None), "game: expected a Game"),  # type: ignore[arg-type]
    "an agent of an environment": (lambda: hawaii1795_v1.env().observation_space([]), "there is no agent"),  # type: ignore[arg-type]
    "the position of a text": (lambda: GAME.parse_action(None, "done"), "state: expected a State"),
    "the position of invariants": (lambda: GAME.invariants(None), "state: expected a State"),
    "an observation": (lambda: GAME.split_observation(None), "observation: expected an array"),
    "shares": (lambda: Outcome.of(None, "x"), "shares: expected a list"),  # type: ignore[arg-type]
    "players of an outcome": (lambda: Outcome.won_by(0, 2**31, "x"), "num_players: expected an integer from"),
    "a winner": (lambda: Outcome.won_by(2, 2, "x"), "winner: expected an integer from"),
    "an array without a dimension": (lambda: make_batch(np.array("x"), 2), "games: expected a list"),  # type: ignore[arg-type]
    "an environment's index": (lambda: started_batch().reason(None), "env_index: expected an integer"),  # type: ignore[arg-type]
    "a room for actions": (lambda: started_batch().sample_actions(1), r"out: expected int64\[2\]"),  # type: ignore[arg-type]
    "an array of seeds": (lambda: make_batch(GAME, 2).reset(seed=np.array("x")), "seed"),  # type: ignore[arg-type]
    "a vector environment's options": (
        lambda: gymnasium.make_vec("hawaii_env/Hawaii1795-v1", num_envs=2).reset(options=1),  # type: ignore[arg-type]
        "options is a mapping",
    ),
    "units": (lambda: battles.battle_odds(None, ["pike"]), "attackers: expected a list of at least one unit"),  # type: ignore[arg-type]
    "the game of odds": (
        lambda: battles.battle_odds(["warrior_1"], ["oahu_warrior"], game=1),  # type: ignore[arg-type]
        "game: expected a Game",
    ),  # type: ignore[arg-type]
    "a policy": (
        lambda: battles.battle_odds(["warrior_1"], ["oahu_warrior"], policy=None),  # type: ignore[arg-type]
        "policy: expected a list",
    ),  # type: ignore[arg-type]
    "a role": (lambda: battles.die_chances(role=None), "role: expected an integer from 0 to 1"),  # type: ignore[arg-type]
    "the position of odds": (lambda: battles.odds_of(None), "state: expected a State"),  # type: ignore[arg-type]
    "a game's name": (lambda: games.find([]), "name: expected a string"),  # type: ignore[arg-type]
    "an illegal option that is an array": (lambda: hawaii1795_v1.raw_env(illegal=TWO), "illegal: expected one of"),
    "a render mode that is an array": (lambda: hawaii1795_v1.env(render_mode=TWO), "render_mode is None or one of"),
    "a sea victor that is an array": (lambda: Game(sea_victor=TWO), "sea_victor: expected one of"),
    "a chance mode that is an array": (lambda: GAME.initial_state(chance=TWO), "chance: expected one of"),
    "a mode of beginning again": (lambda: make_batch(GAME, 2, autoreset_mode=TWO), "autoreset_mode is one of"),
    "fuzz's seeds": (lambda: GAME.fuzz_batch(1), "seeds: expected a list"),
    "fuzz's seed of actions": (lambda: GAME.fuzz_actions(None), "a seed is an integer"),
    "orders of a batch": (
        lambda: started_batch().runner.run(np.zeros(1, np.int8), np.zeros(2, np.int64)),
        r"ops: expected int8\[2\]",
    ),
    "actions of a batch's orders": (
        lambda: started_batch().runner.check(None),  # type: ignore[arg-type]
        r"actions: expected int64\[2\]",
    ),  # type: ignore[arg-type]
    "a learner's actions": (lambda: started_versus().step(None), "actions: expected an integer array"),  # type: ignore[arg-type]
    "active lanes": (lambda: started_versus().step(np.zeros(2, np.int64), active=1), r"active: expected bool\[2\]"),  # type: ignore[arg-type]
    "a learner's games": (lambda: started_versus().reset([5]), "env_index: expected an integer from 0 to 1"),
    "an outcome's index": (lambda: started_versus().outcome(-9), "env_index: expected an integer from 0 to 1"),
    "an opponent's seeds": (lambda: OpponentPlayer("random", 1), "seeds: expected a Mapping"),  # type: ignore[arg-type]
    "a family": (lambda: CODEC.action("none"), "family: expected one of go"),
    "a family's block": (lambda: CODEC.block([]), "family: expected one of go"),  # type: ignore[arg-type]
    "an action's family": (lambda: CODEC.family_of(None), "an action is an integer"),  # type: ignore[arg-type]
    "a battle's kind": (lambda: battles.battle_odds(["warrior_1"], ["pike"], kind=TWO), "kind: expected one of"),
    "a battle's space": (lambda: battles.battle_odds(["warrior_1"], ["pike"], space=TWO), "space: expected one of"),
    "a battle's position": (lambda: battles.engine_frequencies(None), "state: expected a State"),  # type: ignore[arg-type]
    "fighters' position": (lambda: battles.fighters_of(None), "state: expected a State"),  # type: ignore[arg-type]
    "a search's game": (lambda: Search(None), "game: expected a Game"),  # type: ignore[arg-type]
    "a search's constant": (lambda: Search(GAME, c="x"), "c: expected a number"),  # type: ignore[arg-type]
    "a picture's width": (lambda: render_svg(state(), width="x"), "width: expected an integer from"),  # type: ignore[arg-type]
    "records": (lambda: offline.record_files(None), "paths: expected a list"),  # type: ignore[arg-type]
    "a saved model": (lambda: saved.sb3(1), "path: expected a path"),  # type: ignore[arg-type]
    "a search's seconds": (lambda: agents.load_agent("mcts:seconds=x"), "seconds: expected a number above 0, not 'x'"),
    "a search's weights": (lambda: Search(GAME, 1), "tensors: expected a Mapping"),  # type: ignore[arg-type]
    "many dice": (lambda: battles.hit_chances(2**31, 0.5), "dice: expected an integer from 0 to 1000"),
    "a die's chance": (lambda: battles.hit_chances(2, 2), "chance: expected a number from 0 to 1"),
    "a drawing's event": (lambda: svg(state().view(), events=[1]), "events: expected a Decision or a Chance"),  # type: ignore[list-item]
    "a drawing's ruleset": (lambda: svg(state().view(), ruleset=1), "ruleset: expected a Ruleset"),
    "a checker's environment": (lambda: check_aec(lambda: 1), "what make.. makes: expected a GameEnv"),
    "an action's text": (lambda: GAME.parse_action(state(), None), "an action's text is a string"),
}


@pytest.mark.parametrize("name", BAD)
def test_wrong_arguments_are_named(name: str) -> None:
    call, message = BAD[name]
    before = state().to_json(secrets=True)
    refuses(HawaiiError, (message, lambda: call()))
    assert state().to_json(secrets=True) == before
