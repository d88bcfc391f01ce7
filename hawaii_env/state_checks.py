"""Checks of single positions for the fuzzer: the promises of `hawaii_env.game` for every state."""

from __future__ import annotations

import copy
import itertools
import pickle
import random
from collections.abc import Sequence
from typing import cast

import numpy as np

from hawaii_env._arguments import check_kind
from hawaii_env.errors import GameOverError, HawaiiError, IllegalActionError
from hawaii_env.game import CHANCE, SIMULTANEOUS, SPECTATOR, Outcome, State

__all__ = [
    "check_chance",
    "check_knowledge",
    "check_observations",
    "check_refusals",
    "check_round_trips",
    "check_state",
    "choose_all",
    "play_all",
    "require",
    "secret_json",
]


def require(condition: bool, message: str) -> None:
    """Raise AssertionError with this message unless a condition holds."""
    # Not an assert statement: the checks stay in python -O.
    if not condition:
        raise AssertionError(message)


def secret_json(state: State) -> str:
    """Return the complete position as text."""
    return state.to_json(secrets=True)


def _go_on(state: State, choose: random.Random, steps: int) -> str:
    """Play a few random decisions, and return the resulting position."""
    for _ in range(steps):
        if state.is_terminal:
            break
        if state.current_player == CHANCE:
            state.apply_chance(choose.choice(state.chance_outcomes())[0])
        else:
            play_all(state, choose_all(state, choose))
    return secret_json(state)


def choose_all(state: State, choose: random.Random) -> dict[int, int]:
    """Return a random action of each player who decides now."""
    return {player: choose.choice(state.legal_actions(player)) for player in state.acting_players}


def play_all(state: State, chosen: dict[int, int]) -> None:
    """Apply the actions of all players who decide now."""
    if state.current_player == SIMULTANEOUS:
        state.apply_joint(chosen)
    else:
        state.apply(chosen[state.current_player])


def check_state(state: State) -> None:
    """Check the game's invariants and the promises of `State` in a position.

    Raises:
        AssertionError: a check failed; the message says which.
    """
    game = check_kind("state", state, State).game
    game.invariants(state)
    returns = state.returns()
    require(len(returns) == game.num_players, f"{len(returns)} returns")
    require(all(game.min_return <= value <= game.max_return for value in returns), f"the returns are {returns}")
    require(game.utility != "zero_sum" or abs(sum(returns)) < 1e-9, f"a zero-sum game whose returns are {returns}")
    if state.is_terminal:
        require(state.current_player == -4, f"the game is over, and player {state.current_player} decides")
        outcome = state.outcome()
        if outcome is None:
            raise AssertionError("the game is over without an outcome")
        _check_outcome(outcome, returns)
    else:
        require(not any(returns), f"the returns before the end are {returns}")
        require(state.outcome() is None, "there is an outcome before the end")
    require(
        state.sealed_turn is None or game.dynamics == "sealed",
        f"a sealed turn in a game whose dynamics are {game.dynamics!r}",
    )
    acting = set(state.acting_players)
    if not state.is_terminal and state.current_player != CHANCE:
        require(bool(acting), f"nobody decides in phase {state.phase}")
    for player in range(game.num_players):
        legal = state.legal_actions(player)
        if player in acting:
            require(len(legal) > 1, f"{len(legal)} legal actions in phase {state.phase}")
            require(all(a < b for a, b in itertools.pairwise(legal)), f"legal actions out of order: {legal}")
            require(legal[0] >= 0 and legal[-1] < game.num_actions, f"legal actions outside the table: {legal}")
            require(all(type(action) is int for action in legal), f"legal actions that are not ints: {legal}")
        else:
            require(not legal, f"player {player} does not decide, but may {legal}")
        mask = state.legal_mask(None, player)
        require(mask.dtype == np.int8 and mask.shape == (game.num_actions,), f"the mask is {mask.dtype}{mask.shape}")
        require(
            np.flatnonzero(mask).tolist() == legal and set(mask.tolist()) <= {0, 1}, "the mask is not the legal actions"
        )


def _check_outcome(outcome: Outcome, returns: Sequence[float]) -> None:
    """Check that an outcome's lists fit each other and the returns."""
    lengths = {len(outcome.shares), len(outcome.places), len(returns), len(outcome.scores or returns)}
    require(len(lengths) == 1, f"an outcome for {sorted(lengths)} players: {outcome}")
    require(abs(sum(outcome.shares) - 1) < 1e-9 and min(outcome.shares) >= 0, f"shares do not sum to 1: {outcome}")
    require(min(outcome.places) == 1 and max(outcome.places) <= len(returns), f"places that cannot be: {outcome}")
    for one, other in itertools.combinations(range(len(returns)), 2):
        if outcome.places[one] > outcome.places[other]:
            one, other = other, one
        require(outcome.shares[one] >= outcome.shares[other], f"a worse place has the greater share: {outcome}")
        require(returns[one] >= returns[other] - 1e-9, f"a worse place has the greater return: {outcome}, {returns}")
    if outcome.winner is not None:
        require(outcome.places[outcome.winner] == 1, f"the winner is not in the first place: {outcome}")


def check_observations(state: State) -> None:
    """Check observations, views and texts of a position."""
    game = state.game
    for player in range(game.num_players):
        vector = state.observation(player)
        require(vector.dtype == np.float32 and vector.shape == (game.observation_size,), "the observation's form")
        require(
            bool(((vector >= game.observation_low) & (vector <= game.observation_high)).all()),
            "observation values out of bounds at "
            f"{np.flatnonzero((vector < game.observation_low) | (vector > game.observation_high)).tolist()}",
        )
        raw = state.observation(player, raw=True)
        require(raw.dtype == game.raw_dtype and raw.shape == vector.shape, "the raw observation's form")
        within = (raw >= game.raw_low) & (raw <= game.raw_high)
        require(bool(within.all()), f"raw observation values out of bounds at {np.flatnonzero(~within).tolist()}")
        parts = game.split_observation(vector)
        require(
            len(parts) == len(game.observation_parts) and sum(part.size for part in parts.values()) == vector.size,
            "the named parts are not the observation",
        )
        require(bool(((raw != 0) == (vector != 0)).all()), "raw and scaled observation are zero in different places")
        out = np.full(game.observation_size, np.nan, np.float32)
        state.observation(player, out=out)
        require(bool((out == vector).all()), "observation(out=...) differs")
        mask = np.full(game.num_actions, 7, np.int8)
        state.legal_mask(mask, player)
        require(bool((mask == state.legal_mask(None, player)).all()), "legal_mask(out=...) differs")
        texts = [game.action_text(action) for action in state.legal_actions(player)]
        require(len(set(texts)) == len(texts), f"two actions of one text: {texts}")
        for action, text in zip(state.legal_actions(player), texts, strict=True):
            require(game.parse_action(state, text) == action, f"{text!r} does not parse back to action {action}")


def check_round_trips(state: State, choose: random.Random) -> None:
    """Check that copies of every kind equal this position and continue as it does."""
    game = state.game
    whole = secret_json(state)
    copies = {
        "clone()": state.clone(),
        "deepcopy": copy.deepcopy(state),
        "pickle": cast(State, pickle.loads(pickle.dumps(state))),
        "JSON": game.state_from_json(whole),
    }
    seed = choose.getrandbits(32)
    on: dict[str, str] = {}
    for name, copied in copies.items():
        require(secret_json(copied) == whole, f"{name} differs from the original")
        on[name] = _go_on(copied, random.Random(seed), 8)
    require(len(set(on.values())) == 1, f"copies go on differently: {on}")
    require(secret_json(state) == whole, "playing on with a copy has changed the original")
    everything = state.explicit()
    require(everything.chance == "explicit" and everything.trace is None, "explicit() has a generator or a trace")
    require(
        secret_json(game.state_from_json(secret_json(everything))) == secret_json(everything),
        "explicit()'s JSON does not come back",
    )
    for player in (*range(game.num_players), SPECTATOR):
        check_knowledge(state, player, choose)
    if game.information == "perfect":
        seen = {state.to_json(player=player) for player in (*range(game.num_players), SPECTATOR)}
        require(len(seen) == 1, f"{game.name} declares perfect information, and players see different things")


def check_knowledge(state: State, player: int, choose: random.Random) -> None:
    """Check that all methods show one player (an index or SPECTATOR) the same of a position."""
    game = state.game
    shown, view = state.to_json(player=player), state.view(player)
    search = state.for_search(player)
    require(search.chance == "explicit" and search.trace is None, "for_search() has a generator or a trace")
    again = game.state_from_json(shown)
    by_hand = game.position(**view.to_dict())
    drawn = state.resample(player, seed=choose.getrandbits(32))
    for name, other in (
        ("for_search()", search),
        ("the JSON without secrets", again),
        ("position(**view)", by_hand),
        ("resample()", drawn),
    ):
        require(other.view(player) == view, f"{name} is another position to player {player}")
        require(other.to_json(player=player) == shown, f"{name} is another JSON to player {player}")
        if player >= 0:
            require(
                bool((other.observation(player) == state.observation(player)).all()), f"{name} is observed differently"
            )
            if player in state.acting_players:
                require(other.legal_actions(player) == state.legal_actions(player), f"{name} has other legal actions")
    require(search.to_json() == again.to_json(), "for_search() and the JSON without secrets are two positions")


def check_refusals(state: State, choose: random.Random) -> None:
    """Check that illegal calls raise, and change nothing."""
    whole = secret_json(state)
    game = state.game
    kinds: type[HawaiiError] | tuple[type[HawaiiError], ...] = (
        (GameOverError, IllegalActionError) if state.is_terminal else IllegalActionError
    )
    legal = {action for player in state.acting_players for action in state.legal_actions(player)}
    illegal = [
        action for action in choose.sample(range(game.num_actions), min(6, game.num_actions)) if action not in legal
    ]
    for action in (*illegal, -1, game.num_actions, 10**12, 1.0, True, None, "0"):
        try:
            state.apply(cast(int, action))
        except kinds:
            continue
        except Exception as error:
            raise AssertionError(f"apply({action!r}) raises {type(error).__name__}: {error}") from error
        raise AssertionError(f"apply({action!r}) raises nothing")
    for outcome in (-1, 10**6, True, 1.0, None):
        try:
            state.apply_chance(cast(int, outcome))
        except (GameOverError, IllegalActionError):
            continue
        except Exception as error:
            raise AssertionError(f"apply_chance({outcome!r}) raises {type(error).__name__}: {error}") from error
        raise AssertionError(f"apply_chance({outcome!r}) raises nothing")
    require(secret_json(state) == whole, "a refused call has changed the position")


def check_chance(state: State, choose: random.Random, steps: int = 6) -> None:
    """Play a copy on by explicit chance, and check its chance nodes."""
    game, search = state.game, state.for_search()
    for _ in range(steps):
        while search.current_player == CHANCE:
            outcomes = search.chance_outcomes()
            values = [outcome for outcome, _ in outcomes]
            require(len(set(values)) == len(values) > 0, f"chance outcomes {values}")
            require(
                min(values) >= 0 and max(values) < game.max_chance_outcomes,
                f"chance outcomes {values}; max_chance_outcomes is {game.max_chance_outcomes}",
            )
            require(
                abs(sum(p for _, p in outcomes) - 1) < 1e-9 and all(p > 0 for _, p in outcomes), f"chances {outcomes}"
            )
            merged, alike = dict(search.chance_outcomes(merged=True)), dict(search.merge_outcomes(outcomes))
            require(
                merged.keys() == alike.keys() and all(abs(merged[o] - p) < 1e-9 for o, p in alike.items()),
                f"merged outcomes {merged}; of the positions that they lead to {alike}",
            )
            texts = [search.chance_text(value) for value in values]
            require(len(set(texts)) == len(texts), f"two outcomes of one text: {texts}")
            check_state(search)
            search.apply_chance(choose.choice(values))
        if search.is_terminal:
            return
        play_all(search, choose_all(search, choose))
