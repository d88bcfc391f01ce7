"""Heiau Diplomacy: sealed orders for two to six players on the islands of Hawai'i.

| Property           | Value                                                                                    |
|--------------------|------------------------------------------------------------------------------------------|
| Import             | ``from hawaii_env import heiau_v0``                                                      |
| Id                 | ``hawaii_env:heiau-v0``                                                                  |
| Actions            | Discrete, masked                                                                         |
| Agents             | 2 to 6, by scenario: ``sunrise_0``, ``sunset_1`` in ``race``                             |
| Parallel API       | yes: `parallel_env`, in which all players enter at once                                  |
| Observation        | imperfect information: orders are sealed, and in two scenarios starts are hidden         |
| Action space       | ``Discrete(331)``                                                                        |
| Observation space  | ``Dict``: ``"observation"`` float32, ``"action_mask"`` int8[331]                         |
| Rewards            | at the end, -1 to 1, zero-sum: (n x share - 1) / (n - 1); -1 for an illegal action       |

## Description

A variant of Diplomacy by B.A. Knight, L.G.K. Duquesne, B.S. Baker and M.F. O'Neill (2004). Armies march, boat bunches
go by water and burn their boats when they turn inland, and in some scenarios Europeans come with a fleet each. A power
that owns nine of the 17 heiaus at the end of a Fall turn wins. The printed map is not public; the map here is
reconstructed.

All powers enter their orders unseen; when all are in, they are revealed and resolved at once. An order is entered in
one or two small steps: ``move kaiwi``; ``support puna``, then ``to kalae``. The AEC environment asks one agent after
the other, and shows nobody what others have entered.

## Version History

* v0: First version.
"""

from __future__ import annotations

from hawaii_env.env.entries import entries
from hawaii_env.heiau.spec import SPEC

__all__ = ["env", "parallel_env", "raw_env"]

env, raw_env, parallel_env = entries(SPEC)
