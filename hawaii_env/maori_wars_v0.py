"""Maori Wars: two players on the North Island of New Zealand, 1845 to 1871, hex by hex.

| Property           | Value                                                                          |
|--------------------|--------------------------------------------------------------------------------|
| Import             | ``from hawaii_env import maori_wars_v0``                                       |
| Id                 | ``hawaii_env:maori_wars-v0``                                                   |
| Actions            | Discrete, masked                                                               |
| Agents             | 2: ``maori_0``, ``british_1``                                                  |
| Parallel API       | no: one agent decides at a time                                                |
| Observation        | perfect information; chits and dice are chance                                 |
| Action space       | ``Discrete(415)`` in ``taranaki``, to ``Discrete(2815)`` in ``campaign``       |
| Observation space  | ``Dict``: ``"observation"`` float32[2322] to [28722], ``"action_mask"`` int8   |
| Rewards            | at the end 1, -1, or 0 for a tie; graded with ``levels=True``                  |

## Description

A game of the New Zealand Wars (Legion Wargames, 2018), played by the printed rules and, where components are not
public, by reconstructed data that can be replaced. Stacks move over the hexes of a scenario's theatre; pā and
settlements are stormed, bombarded, built; chits turn combats; raiders come out of the bush; neutrals are won by talks.
Nine points, or the last village or settlement, decide at once.

A move is two or three decisions: the hex it begins in, the piece, the hex it ends in. One player decides many times
running. A decision with one legal choice is made by the engine and not asked. A random game of ``taranaki`` asks about
150 decisions, one of ``campaign`` 1,000.

## Arguments

``scenario``: ``"taranaki"`` (4 turns, 37 hexes), ``"flagstaff"`` (4, 103), ``"waikato"`` (6, 205) or ``"campaign"``
(18, 517). ``levels``: True grades wins. ``rules``: a ruleset folder.

## Action Space

A flat table of 208 + leaders + 5N actions for N hexes; sizes are attributes of the game. Every action has a text, as
``from 1134``, ``unit warrior``, ``to 1034``, ``target 1133``, ``with se all``, ``advance se``, ``done``. The last 5N
actions are five planes over the hexes of the observation.

`env` follows PettingZoo's classic environments: an illegal action of the table ends the game with -1 for its player, 0
for the other and a warning. `raw_env` raises IllegalActionError instead.

## Observation Space

55 planes over the N hexes, then 287 values. ``env.game.split_observation(observation)`` returns the named parts;
``env.game.to_grid(planes)`` lays planes out for convolutions, ``env.game.neighbours`` is the graph.

## Rewards

At the end 1 for the winner, -1 for the loser, 0 for a tie. With ``levels=True`` a minor victory counts 1/3, a major one
2/3, a decisive one 1.

## Version History

* v0: First version.
"""

from __future__ import annotations

from hawaii_env.env.entries import entries
from hawaii_env.maori_wars.spec import SPEC

__all__ = ["env", "raw_env"]

env, raw_env, _ = entries(SPEC)
