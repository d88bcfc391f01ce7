"""Hawaii, 1795: Kamehameha of Hawai'i against the chiefs of Maui and O'ahu.

| Property           | Value                                                                     |
|--------------------|---------------------------------------------------------------------------|
| Import             | ``from hawaii_env import hawaii1795_v1``                                  |
| Id                 | ``hawaii_env:hawaii1795-v1``                                              |
| Actions            | Discrete, masked                                                          |
| Agents             | 2: ``kamehameha_0``, ``allied_1``                                         |
| Parallel API       | no: one agent decides at a time                                           |
| Observation        | perfect information; the dice and decks are chance                        |
| Action space       | ``Discrete(991)``                                                         |
| Observation space  | ``Dict``: ``"observation"`` float32[2035], ``"action_mask"`` int8[991]    |
| Rewards            | at the end: +1, -1, or 0 for a tie; -1 for an illegal action              |

## Description

A card-driven wargame of the wars that united the Hawaiian islands (Decision Games, 2018), played by the printed rules
and, where components are not public, by a ruleset of data that can be replaced (``hawaii rules``). Everything is open;
the cards and the dice are chance.

The map has seven spaces: Kona and Hilo on Hawai'i, Maui, Moloka'i, Waikiki and Ko'olau on O'ahu, and Kaua'i. Kamehameha
begins on Hawai'i, the Allies on Maui and O'ahu; Kaua'i is neutral until a card calls it to a side. Some forty pieces
are leaders, warriors, musketeers, cannon, pikes and the canoes that carry them; a piece's strength is the number of its
dice.

Kamehameha wins when a month begins and he occupies Kona, Hilo and four of the other five spaces, or at once when both
Allied chiefs are eliminated. The Allies win when their half of a month begins and they occupy Kona or Hilo and two of
Maui, Moloka'i, Waikiki and Ko'olau, or at once when Kamehameha is eliminated. After November it is a tie.

Each turn is a month of two halves: Kamehameha's, then the Allies'. In a half a player draws a card of his own nine,
recruits what it allows, marches and sails, fights at sea and then on land. In a battle units fire one by one; a hit
eliminates a unit, or panics one that is not elite.

One decision is small: a piece to recruit, a march, a fleet's canoe, its pick-up, its cargo, its destination, the unit
that fires next, the unit that is lost. So one player decides many times running, and in battles the players take turns
quickly. A decision with one legal choice is made by the engine and not asked. A random game asks about 160 decisions.

## Action Space

``Discrete(991)``: a flat table, the same in every game. Every action has a text, as ``recruit warrior_2 kona``,
``march pike kona hilo``, ``fleet kona``, ``pickup hilo``, ``embark kamehameha``, ``sail waikiki``, ``fire vancouver``,
``lose warrior_1``, ``retreat maui``, ``done``. ``env.game.action_text(action)`` gives the text,
``env.game.parse_action(env.game_state, text)`` the action; ``reset(options={"texts": True})`` puts the texts of all
legal actions, and the phase, into the infos. The action mask, int8, is ``observation["action_mask"]`` and
``info["action_mask"]``: 1 for the legal actions, usually four or five, and all zero for the agent that is not to act.

`env` follows PettingZoo's classic environments: an illegal action of the table ends the game with -1 for its player, 0
for the other and a warning. `raw_env`, and ``illegal="raise"``, raise `IllegalActionError` instead, which names the
action, the phase and the rule; nothing changes. Anything else (outside the table, a float, a bool, None) raises in
both.

## Observation Space

``{"observation": float32[2035], "action_mask": int8[991]}`` in this order. All values are from 0 to 1. A category is
one value a choice, all 0 but one; small numbers are steps ("1 or more", "2 or more", ...). Sides are mine and the
enemy's. ``env.game.split_observation(observation)`` returns the named parts as views: ``pieces`` [39, 30], ``spaces``
[7, 12], ``cards`` [18, 5], ``battle`` [20], the ruleset's numbers (``counts``, ``kinds``, ``lists``, ``results``,
``numbers``, ``digest``), and the rest of the position. The observation is complete: two positions that look alike play
alike, and so do two rulesets.

``env.game.action_factors`` has the parts of each action (verb, piece, place, marks) as an array of indices. Arrays are
fresh at each call. ``env.state()`` is both agents' vectors, one after the other.

## Starting State

The long game begins in January with the few pieces of the set-up; the Allied player first places his on O'ahu. The
short game begins in March with more pieces, some placed by either player. ``reset(seed=...)`` takes an integer of 0 or
more: the same seed, the same cards and dice, in every process and mode. ``reset()`` takes the first seed from the
operating system; later ones continue with the generator of the game before. ``reset(options={"state": state})`` starts
from any position.

## Rewards

Zero until the end; then +1 for the winner and -1 for the loser, or 0 for both after a tie. Each agent gets it exactly
once, with its last ``env.last()``. A player who loses by an illegal action gets -1, and the other 0.

## Episode End

The game terminates when Kamehameha or both chiefs are eliminated, when a side occupies what it needs, or after November
(a tie). ``info["outcome"]`` then holds ``winner`` (an agent or None) and ``reason`` with its section of the rulebook.
It is truncated after ``game.max_decisions`` decisions, a limit of the environment far beyond any real game. Then each
agent takes ``step(None)`` once.

## Version History

* v1: First version.
"""

from __future__ import annotations

from hawaii_env.env.entries import entries
from hawaii_env.hawaii1795.spec import SPEC

__all__ = ["env", "raw_env"]

env, raw_env, _ = entries(SPEC)
