"""Hawaii, 1795, as it was first: the ruleset ``reconstructed-3`` and the first edition of the observation.

| Property           | Value                                                                     |
|--------------------|---------------------------------------------------------------------------|
| Import             | ``from hawaii_env import hawaii1795_v0``                                  |
| Id                 | ``hawaii_env:hawaii1795-v0``                                              |
| Actions            | Discrete, masked                                                          |
| Agents             | 2: ``kamehameha_0``, ``allied_1``                                         |
| Parallel API       | no: one agent decides at a time                                           |
| Observation        | perfect information; the dice and decks are chance                        |
| Action space       | ``Discrete(991)``                                                         |
| Observation space  | ``Dict``: ``"observation"`` float32[639], ``"action_mask"`` int8[991]     |
| Rewards            | at the end: +1, -1, or 0 for a tie; -1 for an illegal action              |

It stays as it is, for what was trained and measured with it; what is new should use `hawaii_env.hawaii1795_v1`. The
rules, the actions and their table, rewards, the end of an episode and the arguments are the same. With ``rules`` of the
same name one seed is one game in both, and a record of one is a record of the other.

## Observation Space

``{"observation": float32[639], "action_mask": int8[991]}`` in this order. The vector is made of named parts with
offsets, scaled into the bounds of its ``Box``: the pieces and their places, the cards, the phase with all that is
pending, who observes, who decides (``hawaii_env.hawaii1795.observation``). It is complete: it differs wherever anything
public differs. Arrays are fresh at each call and the caller's own. ``env.state()`` is both agents' vectors, one behind
the other.

## Arguments

Those of `hawaii_env.hawaii1795_v1`, but that ``rules=None`` means ``"reconstructed-3"``.

## Version History

* v0: First version.
"""

from __future__ import annotations

import os
from typing import Any, Literal

from hawaii_env.env.aec import GameEnv
from hawaii_env.hawaii1795 import Game
from hawaii_env.hawaii1795.spec import SPEC

__all__ = ["env", "raw_env"]

OPTIONS = SPEC.environment_options["hawaii1795_v0"]
"""What sets this version apart: the ruleset that is played where none is named, and the observation."""


class raw_env(GameEnv):
    """The environment, in which an illegal action raises; the module's docstring describes it.

    Args:
        scenario, rules, final_check, sea_victor: the game's; see `hawaii_env.hawaii1795_v1`.
        render_mode, illegal: see `hawaii_env.env.aec.GameEnv`.

    Raises:
        OptionError: an unknown scenario or option.
        RulesetError: a ruleset folder that does not hold.
    """

    metadata: dict[str, Any] = {**GameEnv.metadata, "name": "hawaii1795_v0"}  # noqa: RUF012  PettingZoo keeps it on the class

    def __init__(
        self,
        scenario: str = "long",
        render_mode: str | None = None,
        rules: str | os.PathLike[str] | None = None,
        final_check: bool = False,
        sea_victor: str = "repulsed",
        illegal: Literal["raise", "lose"] = "raise",
    ) -> None:
        own = OPTIONS if rules is None else {**OPTIONS, "rules": rules}
        game = Game(scenario, final_check=final_check, sea_victor=sea_victor, **own)
        super().__init__(game, render_mode=render_mode, illegal=illegal, name="hawaii1795_v0")


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
