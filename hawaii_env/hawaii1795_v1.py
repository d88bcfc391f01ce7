"""Hawaii, 1795, with the second edition of the observation; the games are those of `hawaii_env.hawaii1795_v0`.

| Property           | Value                                                                     |
|--------------------|---------------------------------------------------------------------------|
| Import             | ``from hawaii_env import hawaii1795_v1``                                  |
| Id                 | ``hawaii_env:hawaii1795-v1``                                              |
| Actions            | Discrete, masked                                                          |
| Agents             | 2: ``kamehameha_0``, ``allied_1``                                         |
| Parallel API       | no: one agent decides at a time                                           |
| Observation        | perfect information; the dice and decks are chance                        |
| Action space       | ``Discrete(991)``                                                         |
| Observation space  | ``Dict``: ``"observation"`` float32[2971], ``"action_mask"`` int8[991]    |
| Rewards            | at the end: +1, -1, or 0 for a tie; -1 for an illegal action              |

The game, its actions and their table, rewards, the end of an episode and the arguments are those of `hawaii1795_v0`:
one seed is one game in both, and a record of one is a record of the other. What agents are shown is another thing.

## Observation Space

``{"observation": float32[2971], "action_mask": int8[991]}`` in this order. All values are from 0 to 1. A category is one
value a choice, all 0 but one; small numbers are steps ("1 or more", "2 or more", ...); nothing packs two things into one
value. Sides are mine and the enemy's. ``env.game.split_observation(observation)`` gives the named parts as views:
``pieces`` [39, 52], ``spaces`` [7, 15], ``cards`` [18, 18], ``battle`` [36], the ruleset's numbers (``kinds``,
``lists``, ``results``, ``numbers``, ``digest``), and the rest of the position. It is complete: two views of one game
never look alike, but for the count of decisions, and neither do two rulesets whose rules differ.

``env.game.action_factors`` says what each action is made of (verb, piece, place, marks), as an array of indices.

## Version History

* v1: The observation in tokens and flags; the games are v0's.
"""

from __future__ import annotations

import os
from typing import Any, Literal

from hawaii_env.env.aec import GameEnv
from hawaii_env.hawaii1795 import Game

__all__ = ["env", "raw_env"]


class raw_env(GameEnv):
    """The environment, in which an illegal action raises; the module's docstring describes it.

    Args:
        scenario, rules, final_check, sea_victor: the game's; see `hawaii_env.hawaii1795_v0`.
        render_mode, illegal: see `hawaii_env.env.aec.GameEnv`.

    Raises:
        OptionError: an unknown scenario or option.
        RulesetError: a ruleset folder that does not hold.
    """

    metadata: dict[str, Any] = {**GameEnv.metadata, "name": "hawaii1795_v1"}  # noqa: RUF012  PettingZoo keeps it on the class

    def __init__(
        self,
        scenario: str = "long",
        render_mode: str | None = None,
        rules: str | os.PathLike[str] | None = None,
        final_check: bool = False,
        sea_victor: str = "repulsed",
        illegal: Literal["raise", "lose"] = "raise",
    ) -> None:
        game = Game(scenario, rules, final_check, sea_victor, observation="v1")
        super().__init__(game, render_mode=render_mode, illegal=illegal, name="hawaii1795_v1")


def env(
    scenario: str = "long",
    render_mode: str | None = None,
    rules: str | os.PathLike[str] | None = None,
    final_check: bool = False,
    sea_victor: str = "repulsed",
    illegal: Literal["raise", "lose"] = "lose",
) -> raw_env:
    """Return the environment, in which an illegal action loses the game; the module's docstring describes it.

    Raises:
        OptionError: an unknown scenario or option.
        RulesetError: a ruleset folder that does not hold.
    """
    return raw_env(scenario, render_mode, rules, final_check, sea_victor, illegal)
