"""ALOHA, the Spirit of Hawaii: two to four players, points, an election.

| Property           | Value                                                                          |
|--------------------|--------------------------------------------------------------------------------|
| Import             | ``from hawaii_env import aloha_v0``                                            |
| Id                 | ``hawaii_env:aloha-v0``                                                        |
| Actions            | Discrete, masked                                                               |
| Agents             | 2 to 4: ``red_0``, ``yellow_1``, ``green_2``, ``blue_3``                       |
| Parallel API       | no: one agent decides at a time                                                |
| Observation        | perfect information; the first player, event cards and dice are chance         |
| Action space       | ``Discrete(105)``                                                              |
| Observation space  | ``Dict``: ``"observation"`` float32[118 + 55 a player], ``"action_mask"`` int8[105] |
| Rewards            | at the end, summing to 0: 1 for a sole winner, -1/(n-1) for the others         |

## Description

A game of managing resources through the history of the islands (N. and B. Brooks, 2011), played by the printed rules
and, where components are not public, by reconstructed data that can be replaced. Players settle on an island each and
migrate, fight for the monarchy, then through three chapters use Action tokens on the islands where they are present:
for Commerce, Aloha, warriors, Pure Hawaiian tokens, or one of four event cards. In the end they convert resources into
votes and elect a Governor. Most points win.

One player often decides several times running: the player with most Action tokens left acts next. A migration is two
decisions, from where to where and how many. A decision with one legal choice is made by the engine and not asked. A
random game of two asks about 67 decisions.

## Action Space

``Discrete(105)``: a flat table, the same in every game. Every action has a text, as ``settle maui``, ``migrate maui
oahu``, ``amount 8``, ``warrior kauai``, ``king molokai``, ``take oahu``, ``event 2 maui``, ``convert maui aloha``,
``convert aloha vote``, ``done``.

`env` follows PettingZoo's classic environments: an illegal action of the table ends the game with -1 for its player, 0
for the others and a warning. `raw_env` raises IllegalActionError instead.

## Observation Space

118 common values, then 55 for each player, clockwise from the observer. ``env.game.split_observation(observation)``
returns the named parts as views.

## Rewards

``win``: with k winners of n players, ((1/k if winner else 0) - 1/n) n/(n-1). ``rank``: (players behind - players ahead)
/ (n-1), ties broken as printed. ``margin``: the mean difference in points from the others, cut at 20 and divided by it.

## Version History

* v0: First version.
"""

from __future__ import annotations

from hawaii_env.aloha.spec import SPEC
from hawaii_env.env.entries import entries

__all__ = ["env", "raw_env"]

env, raw_env, _ = entries(SPEC)
