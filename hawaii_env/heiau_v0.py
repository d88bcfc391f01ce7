"""Heiau Diplomacy: sealed orders for two to six players on the islands of Hawai'i.

| Property           | Value                                                                                    |
|--------------------|------------------------------------------------------------------------------------------|
| Import             | ``from hawaii_env import heiau_v0``                                                      |
| Id                 | ``hawaii_env:heiau-v0``                                                                  |
| Actions            | Discrete, masked                                                                         |
| Agents             | 2 to 6, by scenario: ``sunrise_0``, ``sunset_1`` in ``race``                             |
| Parallel API       | yes: `parallel_env`, in which all enter at once                                          |
| Observation        | imperfect information: orders are sealed, and in two scenarios starts are hidden         |
| Action space       | ``Discrete(331)``                                                                        |
| Observation space  | ``Dict``: ``"observation"`` float32, ``"action_mask"`` int8[331]                         |
| Rewards            | at the end, -1 to 1, zero-sum: (n x share - 1) / (n - 1); -1 for an illegal action       |

## Description

A variant of Diplomacy by B.A. Knight, L.G.K. Duquesne, B.S. Baker and M.F. O'Neill (2004). Armies march, boat bunches
go by water and burn their boats when they turn inland, and in some scenarios Europeans come with a fleet each. Who owns
nine of the 17 heiaus at the end of a Fall turn wins. The printed map is not public: the one that is played was
reconstructed.

All powers enter their orders unseen; when all are in, they are revealed and resolved at once. An order is entered in
one or two small steps: ``move kaiwi``; ``support puna``, then ``to kalae``. The AEC environment asks agent after agent,
and shows none what others have entered.

## Arguments

``` python
heiau_v0.env(scenario="race", render_mode=None, last_year=20, posts_win=False, scoring="draw_size",
             discrete_start="kona_coast", assignment="fixed", rules=None, illegal="lose")
```

``scenario``: ``race`` or ``duel`` for two; ``discrete``, ``triangle`` or ``clans`` for three; ``heart`` or ``wings``
for four; ``kamaainas`` or ``haole`` for five; ``discovery`` or ``two_haoles`` for six.

``last_year``: without a winner the game is a draw after Fall of that year (R-23).

``posts_win``: trading posts count among the nine (R-21).

``scoring``: a draw is shared by ``"draw_size"`` (equally by who owns something), ``"solo"`` (equally by all) or
``"sum_of_squares"``.

``discrete_start``: Sunrise's first start in ``discrete``, ``"kona_coast"`` or ``"kona_kailua"`` (R-02).

``assignment``: ``"fixed"``, agents named by their powers; or ``"random"``: ``player_0`` and so on, chance says who
plays which power (R-24).

``rules``: None for the shipped ruleset, or a folder that replaces its files.

``illegal``: ``"lose"`` or ``"raise"``, which is `raw_env`'s default: an action of the table that is not legal ends the
game, or raises `IllegalActionError`.

## Version History

* v0: First version.
"""

from __future__ import annotations

import os
from typing import Any, Literal

from hawaii_env.env.aec import GameEnv
from hawaii_env.env.parallel import ParallelGameEnv
from hawaii_env.heiau import Game

__all__ = ["env", "parallel_env", "raw_env"]

Illegal = Literal["raise", "lose"]
Rules = str | os.PathLike[str] | None


class raw_env(GameEnv):
    """The AEC environment, in which an illegal action raises; the module's docstring describes it.

    Args:
        scenario, last_year, posts_win, scoring, discrete_start, assignment, rules: the game's; see there.
        render_mode, illegal: see `hawaii_env.env.aec.GameEnv`.

    Raises:
        OptionError: an unknown scenario or option.
        RulesetError: a ruleset folder that does not hold.
    """

    metadata: dict[str, Any] = {**GameEnv.metadata, "name": "heiau_v0"}  # noqa: RUF012  PettingZoo keeps it on the class

    def __init__(
        self,
        scenario: str = "race",
        render_mode: str | None = None,
        last_year: int = 20,
        posts_win: bool = False,
        scoring: str = "draw_size",
        discrete_start: str = "kona_coast",
        assignment: str = "fixed",
        rules: Rules = None,
        illegal: Illegal = "raise",
    ) -> None:
        game = Game(scenario, last_year, posts_win, scoring, discrete_start, assignment, rules)
        super().__init__(game, render_mode=render_mode, illegal=illegal, name="heiau_v0")


def env(
    scenario: str = "race",
    render_mode: str | None = None,
    last_year: int = 20,
    posts_win: bool = False,
    scoring: str = "draw_size",
    discrete_start: str = "kona_coast",
    assignment: str = "fixed",
    rules: Rules = None,
    illegal: Illegal = "lose",
) -> raw_env:
    """Return the AEC environment, in which an illegal action loses the game; arguments and errors are those of
    `raw_env`.
    """
    return raw_env(scenario, render_mode, last_year, posts_win, scoring, discrete_start, assignment, rules, illegal)


def parallel_env(
    scenario: str = "race",
    render_mode: str | None = None,
    last_year: int = 20,
    posts_win: bool = False,
    scoring: str = "draw_size",
    discrete_start: str = "kona_coast",
    assignment: str = "fixed",
    rules: Rules = None,
    illegal: Illegal = "lose",
) -> ParallelGameEnv:
    """Return the parallel environment, in which all enter at once; arguments and errors are those of `raw_env`."""
    game = Game(scenario, last_year, posts_win, scoring, discrete_start, assignment, rules)
    return ParallelGameEnv(game, render_mode=render_mode, illegal=illegal, name="heiau_v0")
