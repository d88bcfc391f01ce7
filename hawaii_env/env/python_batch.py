"""Batch of any game, stepped in Python."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from hawaii_env.core.batch import (
    ACT,
    ILLEGAL,
    LOSE,
    MAX_EMPTY,
    RESET,
    TRUNCATED,
    Arrays,
    no_choice,
)
from hawaii_env.core.rng import below, draw_words, policy_words
from hawaii_env.game import SIMULTANEOUS, TERMINAL, Game, State
from hawaii_env.pools import Draws, begin_game

__all__ = ["PythonBatch"]


class PythonBatch:
    """`BatchBackend` of any game in Python: slow; the reference for compiled ones.

    Players of a simultaneous turn decide one after the other, as in `hawaii_env.env.aec.GameEnv`.

    Args:
        games: one for each environment.
        draws: see `BatchBackend.set_draws`.
    """

    def __init__(self, games: Sequence[Game], draws: Draws | None = None) -> None:
        self.games: list[Game] = list(games)
        self._draws: Draws | None = draws
        self.reason_texts: list[str] = [""]
        self.serial = True
        self._reasons = {"": 0}
        n = len(self.games)
        self._states: list[State | None] = [None] * n
        self._seeds: list[int | None] = [None] * n
        self._words: list[list[int]] = [[0, 0, 0, 0] for _ in range(n)]
        self._draw_words: list[list[int]] = [[0, 0, 0, 0] for _ in range(n)]
        self._joint: list[list[int]] = [[] for _ in range(n)]  # players of a simultaneous turn who have not decided yet
        self._chosen: list[dict[int, int]] = [{} for _ in range(n)]
        self._asked: list[int] = [TERMINAL] * n  # the players to act, as in `to_play`
        self._legal: list[list[int]] = [[] for _ in range(n)]  # the legal actions, as in the masks

    def game(self, lane: int) -> Game:
        """See `BatchBackend.game`."""
        return self.games[lane]

    def set_draws(self, draws: Draws | None) -> None:
        """See `BatchBackend.set_draws`."""
        self._draws = draws

    def write_views(self, out: Arrays, ops: NDArray[np.int8], memory: NDArray[np.int32]) -> None:
        """See `BatchBackend.write_views`."""
        for lane in np.flatnonzero(ops).tolist():
            for player in range(self.games[lane].num_players):
                row = out.views[lane, player]
                self._state(lane).observation(player, row, raw=row.dtype != np.float32)

    def seed(self, lanes: Sequence[int], seeds: Sequence[int]) -> None:
        """See `BatchBackend.seed`."""
        for lane, seed, words in zip(lanes, seeds, draw_words(seeds).tolist() if seeds else [], strict=True):
            self._seeds[lane] = seed
            self._words[lane] = policy_words(seed)
            self._draw_words[lane] = words

    def get(self, lane: int) -> State:
        """See `BatchBackend.get`."""
        return self._state(lane).clone()

    def known(self, lane: int, player: int) -> State:
        """See `BatchBackend.known`."""
        return self._state(lane).for_search(player)

    def put(self, lanes: Sequence[int], states: Sequence[State], seeds: Sequence[int | None]) -> None:
        """See `BatchBackend.put`."""
        for lane, state, seed in zip(lanes, states, seeds, strict=True):
            self._states[lane] = state.clone(seed=seed)
            self._seeds[lane] = None
            self.games[lane] = state.game

    def _state(self, lane: int) -> State:
        state = self._states[lane]
        assert state is not None
        return state

    def _ask(self, lane: int) -> int:
        """Return the player to act now, or TERMINAL."""
        player = self._joint[lane][0] if self._joint[lane] else self._state(lane).current_player
        if player == SIMULTANEOUS:
            self._joint[lane] = list(self._state(lane).acting_players)
            self._chosen[lane] = {}
            player = self._joint[lane][0]
        self._asked[lane] = player
        return player

    def illegal(self, ops: NDArray[np.int8], actions: NDArray[np.int64]) -> int:
        """See `BatchBackend.illegal`."""
        for lane, (op, action) in enumerate(zip(ops.tolist(), actions.tolist(), strict=True)):
            if op == ACT and action not in self._legal[lane]:
                return lane
        return -1

    def legal(self, out: Arrays) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """See `BatchBackend.legal`."""
        listed = [list(legal) for legal in self._legal]
        counts = np.array([len(legal) for legal in listed], np.int64)
        return counts, np.array([action for legal in listed for action in legal], np.int64)

    def sample(self, out: Arrays, actions: NDArray[np.int64], start: int, stop: int) -> None:
        """See `BatchBackend.sample`."""
        for lane in range(start, stop):
            legal = self._legal[lane]
            actions[lane] = legal[below(self._words[lane], len(legal))] if legal else 0

    def _random(self, lane: int) -> int:
        legal = self._state(lane).legal_actions(self._asked[lane])
        return legal[below(self._words[lane], len(legal))]

    def run(
        self, out: Arrays, ops: NDArray[np.int8], actions: NDArray[np.int64], same_step: bool, start: int, stop: int
    ) -> None:
        """See `BatchBackend.run`."""
        commands, chosen = ops[start:stop].tolist(), actions[start:stop].tolist()
        moved = np.flatnonzero(ops[start:stop]) + start  # SKIP is 0
        out.rewards[moved] = 0.0
        out.terminations[moved] = out.truncations[moved] = False
        raw = out.observations.dtype != np.float32
        lanes, legal = moved.tolist(), self._legal
        before, asking = [legal[lane] for lane in lanes], []
        try:
            for lane in lanes:
                op = commands[lane - start]
                if op == ACT:
                    self._act(lane, out, chosen[lane - start])
                    self._play_on(lane, out, same_step, learner_acted=True)
                elif op == LOSE:
                    out.lengths[lane] += 1
                    out.rewards[lane, self._asked[lane]] = -1.0
                    self._end(lane, out, ILLEGAL, None, same_step)
                else:
                    if op == RESET:
                        self._begin(lane)
                    self._clear(lane, out)
                    self._play_on(lane, out, same_step, learner_acted=False)
                over, asked = out.over[lane], self._asked[lane]
                state = self._state(lane)
                viewer = max(int(out.viewers[lane]), 0) if over else asked
                state.observation(viewer, out.observations[lane], raw=raw)
                legal[lane] = [] if over else state.legal_actions(asked)
                asking.append(TERMINAL if over else asked)
        finally:  # if a game fails, the environments before it have moved
            seen = lanes[: len(asking)]
            out.to_play[seen] = asking
            # Only the few that were legal are cleared: there may be 20,000 actions.
            _write_masks(out.masks, seen, before[: len(seen)], 0)
            _write_masks(out.masks, seen, [legal[lane] for lane in seen], 1)

    def _begin(self, lane: int) -> None:
        seed, self._seeds[lane] = self._seeds[lane], None
        before = self._states[lane]
        for _ in range(MAX_EMPTY):
            start = None
            if self._draws is not None:
                self.games[lane], start = self._draws.draw(self._draw_words[lane])
            before, seed = begin_game(self.games[lane], start, before, seed), None
            if not before.is_terminal:
                self._states[lane] = before
                return
        raise no_choice(lane)

    def _clear(self, lane: int, out: Arrays) -> None:
        """Clear the statistics for a new game."""
        self._joint[lane] = []
        self._chosen[lane] = {}
        out.over[lane] = False
        out.lengths[lane] = 0
        out.returns[lane] = 0.0

    def _act(self, lane: int, out: Arrays, action: int) -> None:
        out.lengths[lane] += 1
        joint = self._joint[lane]
        if not joint:
            self._state(lane).apply(action)
            return
        self._chosen[lane][joint.pop(0)] = action
        if not joint:
            self._state(lane).apply_joint(self._chosen[lane])

    def _play_on(self, lane: int, out: Arrays, same_step: bool, learner_acted: bool) -> None:
        """Let random players act until another player must decide or the game ends."""
        empty = 0
        while True:
            if self._state(lane).is_terminal or out.lengths[lane] >= out.limits[lane]:
                if learner_acted:
                    self._finish(lane, out, same_step)
                    return
                # A game that ends before the learner has had a choice does not count.
                empty += 1
                if empty > MAX_EMPTY:
                    raise no_choice(lane, f"player {out.viewers[lane]}")
                self._begin(lane)
                self._clear(lane, out)
                continue
            asked = self._ask(lane)
            if not out.auto[lane] or asked == out.viewers[lane]:
                return
            self._act(lane, out, self._random(lane))

    def _finish(self, lane: int, out: Arrays, same_step: bool) -> None:
        state = self._state(lane)
        outcome = state.outcome()
        if outcome is None:
            out.truncations[lane] = True
            self._end(lane, out, TRUNCATED.format(out.limits[lane]), None, same_step)
        else:
            out.rewards[lane, : state.game.num_players] = state.returns()
            self._end(lane, out, outcome.reason, outcome.winner, same_step)

    def _end(self, lane: int, out: Arrays, reason: str, winner: int | None, same_step: bool) -> None:
        out.terminations[lane] = not out.truncations[lane]
        out.returns[lane] += out.rewards[lane]
        out.episode_lengths[lane] = out.lengths[lane]
        out.episode_returns[lane] = out.returns[lane]
        out.episode_winners[lane] = -1 if winner is None else winner
        if reason not in self._reasons:
            self._reasons[reason] = len(self.reason_texts)
            self.reason_texts.append(reason)
        out.episode_reasons[lane] = self._reasons[reason]
        out.over[lane] = True
        self._joint[lane] = []
        if same_step:
            row = out.final_observations[lane]
            self._state(lane).observation(max(int(out.viewers[lane]), 0), row, raw=row.dtype != np.float32)
            self._begin(lane)
            self._clear(lane, out)
            self._play_on(lane, out, same_step, learner_acted=False)

    def playouts(
        self, state: State, seeds: NDArray[np.uint64], firsts: NDArray[np.int64], limit: int,
        returns: NDArray[np.float32], lengths: NDArray[np.int64], finished: NDArray[np.bool_],
    ) -> None:  # fmt: skip
        """See `BatchBackend.playouts`."""
        for k, seed in enumerate(seeds.tolist()):
            copy, words, n = state.clone(seed=seed), policy_words(seed), 0
            while not copy.is_terminal and n < limit:
                if copy.current_player == SIMULTANEOUS:
                    legal = {player: copy.legal_actions(player) for player in copy.acting_players}
                    copy.apply_joint({player: some[below(words, len(some))] for player, some in legal.items()})
                    n += len(legal)
                else:
                    some = copy.legal_actions()
                    copy.apply(int(firsts[k]) if n == 0 and firsts[k] >= 0 else some[below(words, len(some))])
                    n += 1
            returns[k] = copy.returns()
            lengths[k] = n
            finished[k] = copy.is_terminal


def _write_masks(masks: NDArray[np.int8], lanes: list[int], actions: list[list[int]], value: int) -> None:
    """Write a value into the environments' masks at the actions listed for each environment."""
    counts = [len(some) for some in actions]
    rows = np.repeat(np.array(lanes, np.int64), counts)
    masks[rows, np.fromiter(chain.from_iterable(actions), np.int64, len(rows))] = value
