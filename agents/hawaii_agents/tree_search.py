"""Monte Carlo tree search in plain Python, for any game: the reference that explains the compiled one.

It uses only `hawaii_env.game.State`: any number of players, chance nodes, simultaneous turns. One simulation descends
the tree and adds one position to it:

1. *Down.* At a decision, the action with the greatest ``Q + c * P * sqrt(N) / (1 + n)`` is taken: ``Q`` is the mean of
   what it brought the player who decides (of an action not yet tried, the mean of the position), ``P`` its prior
   (uniform unless a `prior` is given), ``n`` how often it was tried, ``N`` how often the position was reached. At a
   chance node the outcome is drawn by its probability; outcomes of equal effect share a child.
2. *Value.* The new position is valued by a random game to its end, or by `evaluate`: one number a player. The end of a
   game has its returns.
3. *Up.* The vector is added to each position of the path, and to each action its player's part: max^n, in which every
   player looks to its own return. With two players and returns that sum to zero this is minimax.

In a simultaneous turn each acting player chooses by its own statistics, as if the others did not choose now (decoupled
UCT). That finds dominant actions; it need not find an equilibrium, so the action played there is drawn by the visits
and not the most visited one.

Where something is hidden, simulations go through several positions drawn from what the player can know
(`State.resample`), and all players choose by statistics kept for what they know (information set MCTS), so nobody
answers an order that they have not seen.
"""

from __future__ import annotations

import math
import random
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Annotated, TypeAlias

from hawaii_env.agent_options import Count, Flag, Given, Real, Seed, Sims, Time, checked
from hawaii_env.agents import BaseAgent, Clock
from hawaii_env.errors import OptionError
from hawaii_env.game import CHANCE, SIMULTANEOUS, Game, State
from hawaii_env.texts import show_value

__all__ = ["Evaluate", "Prior", "PythonSearch", "SearchResult"]

Evaluate = Callable[[State], Sequence[float]]
"""Values a position at a decision: each player's expected return, between the game's least and greatest."""

Prior = Callable[[State, Sequence[int], int], Sequence[float]]
"""Called with a position, the legal actions of a player, and the player: a weight of 0 or more for each action, not all
0.
"""


@dataclass(frozen=True)
class SearchResult:
    """The result of a search.

    Attributes:
        player: the player who chooses.
        action: the action to play: the most visited; in a simultaneous turn, drawn by the visits.
        visits: legal action -> simulations that chose it, including those of a reused tree.
        values: legal action -> mean return of the player in them; nan for an untried action.
        value: mean return of each player over all of them.
        line: the principal variation in words: at each position the most visited action or outcome.
        simulations: simulations of this search.
        reused: earlier simulations of the position.
    """

    player: int
    action: int
    visits: dict[int, int]
    values: dict[int, float]
    value: list[float]
    line: list[str]
    simulations: int
    reused: int


class _Arms:
    """The actions of one player at one position, with what is known of them."""

    __slots__ = ("actions", "priors", "totals", "visits")

    def __init__(self, actions: list[int], weights: Sequence[float]) -> None:
        self.actions = actions
        if len(weights) != len(actions) or not all(0 <= w < math.inf for w in weights) or not sum(weights) > 0:
            raise OptionError(f"a prior gives {len(actions)} weights of 0 or more, not all 0; not {list(weights)!r}")
        whole = sum(weights)
        self.priors = [weight / whole for weight in weights]
        self.visits = [0] * len(actions)
        self.totals = [0.0] * len(actions)

    def select(self, c: float, reached: int, mean: float) -> int:
        """Return the index of the action with the greatest upper bound; the first of equals."""
        scale = c * math.sqrt(max(reached, 1))
        best, best_bound = 0, -math.inf
        for i, n in enumerate(self.visits):
            bound = (self.totals[i] / n if n else mean) + scale * self.priors[i] / (1 + n)
            if bound > best_bound:
                best, best_bound = i, bound
        return best


_Known: TypeAlias = dict[tuple[int, bytes], _Arms]
"""In games with hidden information: the arms of a player by what that player knows, so that nobody chooses by what they
may not see.
"""


class _Node:
    """One position of the tree: a decision (of one or several players), a chance node, or an end."""

    __slots__ = ("arms", "children", "outcomes", "players", "reach", "shared", "state", "totals", "visits")

    def __init__(self, state: State, prior: Prior | None, known: _Known | None) -> None:
        self.state = state
        self.shared = known is not None
        self.visits = 0
        self.totals = [0.0] * state.game.num_players
        self.children: dict[tuple[int, ...], _Node] = {}  # by the actions of `players`, or by the outcome
        self.players = tuple(state.acting_players)
        self.arms: list[_Arms] = []
        for player in self.players:
            key = None if known is None else (player, state.key(player=player))
            arms = None if known is None or key is None else known.get(key)
            if arms is None:
                actions = state.legal_actions(player)
                arms = _Arms(actions, [1.0] * len(actions) if prior is None else prior(state, actions, player))
                if known is not None and key is not None:
                    known[key] = arms
            self.arms.append(arms)
        self.outcomes: list[int] = []
        self.reach: list[float] = []  # cumulative probabilities
        if state.current_player == CHANCE:
            chances = state.chance_outcomes(merged=True)
            self.outcomes = [outcome for outcome, _ in chances]
            self.reach = list(accumulate(probability for _, probability in chances))

    def step(self, c: float, rng: random.Random) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Choose where to go: the key of the child, and the indices of the players' arms."""
        if self.outcomes:
            return tuple(rng.choices(self.outcomes, cum_weights=self.reach)), ()
        chosen = tuple(
            arms.select(
                c,
                sum(arms.visits) if self.shared else self.visits,
                self.totals[player] / self.visits if self.visits else 0.0,
            )
            for player, arms in zip(self.players, self.arms, strict=True)
        )
        return tuple(arms.actions[i] for arms, i in zip(self.arms, chosen, strict=True)), chosen

    def after(self, key: tuple[int, ...]) -> State:
        """Return the position of a child's key."""
        state = self.state.clone()
        if self.outcomes:
            state.apply_chance(key[0])
        elif state.current_player == SIMULTANEOUS:
            state.apply_joint(dict(zip(self.players, key, strict=True)))
        else:
            state.apply(key[0])
        return state

    def words(self, key: tuple[int, ...]) -> str:
        """Return a child's key in words."""
        if self.outcomes:
            return self.state.chance_text(key[0])
        return " | ".join(self.state.game.action_text(action) for action in key)

    def below(self) -> Iterator[_Node]:
        """Yield this node and all beneath it, nearest first."""
        waiting: deque[_Node] = deque([self])
        while waiting:
            node = waiting.popleft()
            yield node
            waiting.extend(node.children.values())


class PythonSearch(BaseAgent):
    """Monte Carlo tree search for any game, in plain Python: clear but slow.

    It is anytime: it stops at the first of its limits, and has an answer after one simulation. The same seed, the same
    positions and a limit of simulations alone give the same actions.

    Args:
        sims: simulations per decision; None: only the time counts.
        seconds: seconds per decision; a clock passed to `act` also applies.
        c: weight of exploration, for returns in -1 ... 1; scaled to the game's range of returns.
        evaluate: values positions instead of random games.
        prior: weighs the actions.
        reuse: True keeps results of earlier decisions for the position; not with hidden information.
        draws: with hidden information, the number of full positions sampled from what the player can know; simulations
            use them in turn.
        seed: of its random numbers; None takes one from the operating system.

    Raises:
        OptionError: a limit that cannot be, or none.
    """

    name = "python_search"
    simulations_option = "sims"

    @checked
    def __init__(
        self,
        sims: Sims = 1000,
        seconds: Time = None,
        c: Annotated[float, Real(least=0)] = 1.5,
        evaluate: Annotated[Evaluate | None, Given("a function of a position")] = None,
        prior: Annotated[Prior | None, Given("a function of a position, actions and a player")] = None,
        reuse: Annotated[bool, Flag()] = True,
        seed: Annotated[int | None, Seed()] = None,
        draws: Annotated[int, Count()] = 16,
    ) -> None:
        if sims is None and seconds is None:
            raise OptionError("a search needs a limit: sims or seconds")
        self.sims: int | None = sims
        self.seconds: float | None = seconds
        self.c: float = c
        self.evaluate: Evaluate | None = evaluate
        self.prior: Prior | None = prior
        self.reuse: bool = reuse
        self.draws: int = draws
        self._known: _Known | None = None
        self._rng = random.Random(seed)
        self._root: _Node | None = None
        self.result: SearchResult | None = None
        """The last search's result, or None."""

    def begin(self, game: Game, player: int) -> None:
        """Forget the tree of the previous game."""
        super().begin(game, player)
        self._root = None

    def act(self, state: State, legal_actions: Sequence[int], clock: Clock | None = None) -> int:
        """Search from the position and return an action; see `Agent.act`."""
        player = self.player if state.current_player == SIMULTANEOUS else state.current_player
        self.result = self.search(state, clock, player)
        return self.result.action

    def search(self, state: State, clock: Clock | None = None, player: int | None = None) -> SearchResult:
        """Search from a position, which does not change.

        Args:
            state: a position at a decision, in the explicit mode.
            clock: an additional time limit.
            player: the player to act; required in a simultaneous turn.

        Raises:
            OptionError: the position has a generator, or nobody's decision, or not this player's.
        """
        if state.chance != "explicit":
            raise OptionError("a search is handed State.for_search(): this position has a generator")
        if player is None:
            player = state.current_player
        if player not in state.acting_players:
            raise OptionError(f"player {player} has no decision here; acting are {list(state.acting_players)}")
        started = time.perf_counter()
        if state.game.information == "perfect" and state.game.dynamics != "sealed":
            roots, self._known = [self._find(state) or _Node(state.clone(), self.prior, None)], None
        else:
            self._known = {}
            drawn = [state.resample(player, seed=self._rng.getrandbits(62)) for _ in range(self.draws)]
            roots = [_Node(position, self.prior, self._known) for position in drawn]
        root = self._root = roots[0]
        reused = root.visits
        done = 0
        while done == 0 or not self._enough(done, started, clock):
            self._simulate(roots[done % len(roots)])
            done += 1
        result = self._result(root, player, done, reused)
        if not self.reuse or self._known is not None:
            self._root = None
        return result

    def _enough(self, done: int, started: float, clock: Clock | None) -> bool:
        if self.sims is not None and done >= self.sims:
            return True
        spent = time.perf_counter() - started
        # Another simulation takes about as long as those before; twice that is left, because random games vary.
        near = 2.0 * spent / done
        return (self.seconds is not None and spent + near > self.seconds) or (clock is not None and near > clock.left)

    def _find(self, state: State) -> _Node | None:
        """Return the position's node in the tree of the decision before, or None."""
        if self._root is None or self._root.state.game != state.game:
            return None
        legal = [state.legal_actions(player) for player in state.acting_players]
        for node in self._root.below():
            # Positions are compared where cheaper things agree.
            alike = node.players == tuple(state.acting_players) and [arms.actions for arms in node.arms] == legal
            if alike and node.state == state:
                return node
        return None

    # One simulation

    def _simulate(self, root: _Node) -> None:
        path: list[tuple[_Node, tuple[int, ...]]] = []
        node, fresh = root, False
        game = root.state.game
        c = self.c * (game.max_return - game.min_return) / 2
        # A new chance node is gone through at once, so that what is valued is a decision or an end.
        while not node.state.is_terminal and (not fresh or node.outcomes):
            key, chosen = node.step(c, self._rng)
            path.append((node, chosen))
            child = node.children.get(key)
            if child is None:
                child = node.children[key] = _Node(node.after(key), self.prior, self._known)
                fresh = True
            node = child
        value = self._value(node.state)
        path.append((node, ()))
        for node, chosen in path:
            node.visits += 1
            for player, part in enumerate(value):
                node.totals[player] += part
            for player, arms, i in zip(node.players, node.arms, chosen, strict=False):
                arms.visits[i] += 1
                arms.totals[i] += value[player]

    def _value(self, state: State) -> Sequence[float]:
        if state.is_terminal:
            return state.returns()
        if self.evaluate is not None:
            value = self.evaluate(state)
            if len(value) != state.game.num_players:
                raise OptionError(f"evaluate gives {state.game.num_players} values, not {show_value(value)}")
            return value
        rng = self._rng
        state = state.clone(seed=rng.getrandbits(62))  # with dice of its own
        for _ in range(state.game.max_decisions):
            if state.is_terminal:
                break
            chosen = {player: rng.choice(state.legal_actions(player)) for player in state.acting_players}
            if state.current_player == SIMULTANEOUS:
                state.apply_joint(chosen)
            else:
                state.apply(chosen[state.current_player])
        return state.returns()

    # What was found

    def _result(self, root: _Node, player: int, done: int, reused: int) -> SearchResult:
        arms = root.arms[root.players.index(player)]
        if root.state.current_player == SIMULTANEOUS:
            (action,) = self._rng.choices(arms.actions, weights=arms.visits)
        else:
            means = [total / n if n else -math.inf for total, n in zip(arms.totals, arms.visits, strict=True)]
            action = arms.actions[max(range(len(means)), key=lambda i: (arms.visits[i], means[i]))]
        line: list[str] = []
        node = root
        while node.children:
            key = max(node.children, key=lambda k: node.children[k].visits)
            line.append(node.words(key))
            node = node.children[key]
        tried = zip(arms.actions, arms.totals, arms.visits, strict=True)
        return SearchResult(
            player=player,
            action=action,
            visits=dict(zip(arms.actions, arms.visits, strict=True)),
            values={action: total / n if n else math.nan for action, total, n in tried},
            value=[total / root.visits for total in root.totals],
            line=line,
            simulations=done,
            reused=reused,
        )
