"""Players for comparisons: each looks at the referee alone, and drives games where others seldom get."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from .data import ISLANDS
from .referee import Player, Referee

Policy = Callable[[Referee, random.Random], str]
"""What who decides answers."""


def weighted(weights: Mapping[str, float]) -> Policy:
    """A verb by weight (1 where none is given), then any answer with it."""

    def choose(referee: Referee, rng: random.Random) -> str:
        by_verb: dict[str, list[str]] = {}
        for text in referee.options():
            by_verb.setdefault(text.split()[0], []).append(text)
        verbs = list(by_verb)
        return rng.choice(by_verb[rng.choices(verbs, [weights.get(verb, 1.0) for verb in verbs])[0]])

    return choose


def uniform(referee: Referee, rng: random.Random) -> str:
    """Any answer."""
    return rng.choice(referee.options())


def last(referee: Referee, rng: random.Random) -> str:
    """The last answer that there is: all tokens migrate, the last card is chosen."""
    return referee.options()[-1]


def calamities(referee: Referee, rng: random.Random) -> str:
    """Plays calamities on opponents, then other cards, so that more are drawn."""
    options = referee.options()
    if referee.phase == "action":
        cards = [text for text in options if text.startswith("event")]
        numbers = [referee.face_up[int(text.split()[1]) - 1] for text in cards]
        harsh = [
            text
            for text, number in zip(cards, numbers, strict=True)
            if number is not None and referee.card(number).kind == "calamity_opponents"
        ]
        return rng.choice(harsh or cards or options)
    return rng.choice(options)


def starve(referee: Referee, rng: random.Random) -> str:
    """Leaves islands in one group and gathers on few, pays with tokens, keeps Action tokens where nobody is."""
    options = referee.options()
    assert referee.decider is not None
    player = referee.players[referee.decider]
    if referee.phase == "amount":
        return options[-1]
    elsewhere = [text for text in options if text.startswith(("take ", "warrior ")) and player.present(text.split()[1])]
    paid = [text for text in options if text.startswith("event")]
    fled = [
        text
        for text in options
        if text.startswith("migrate") and player.present(text.split()[2]) and rng.random() < 0.7
    ]
    to_votes = [text for text in options if text.startswith("convert")]
    return rng.choice(fled or (paid if rng.random() < 0.5 else []) or elsewhere or to_votes or options)


def best_by(value: Callable[[Referee, int], float]) -> Policy:
    """One decision ahead by a value of the position that follows; an amount is looked through."""

    def choose(referee: Referee, rng: random.Random) -> str:
        assert referee.decider is not None
        me = referee.decider
        options = referee.options()
        if len(options) > 12:
            options = rng.sample(options, 12)
        worth: dict[str, float] = {}
        for text in options:
            after = referee.copy()
            after.answer(text)
            if after.phase == "amount":
                after.answer(rng.choice(after.options()))
            worth[text] = value(after, me) + 1e-6 * rng.random()
        return max(options, key=lambda text: worth[text])

    return choose


def holdings(referee: Referee, player: Player) -> float:
    """Roughly what a player's things are worth in points."""
    islands = sum(
        player.tokens[island] > max(other.tokens[island] for other in referee.players if other is not player)
        for island in ISLANDS
    )
    tracks = player.tracks
    return (
        player.points + 1.5 * islands + player.hawaiian / 3 + tracks["commerce"] / 3 + tracks["aloha"] / 4
        + tracks["warrior"] / 4 + tracks["vote"] / 2
    )  # fmt: skip


def greed(referee: Referee, me: int) -> float:
    """More than the others."""
    own, *others = sorted(range(len(referee.players)), key=lambda index: index != me)
    return holdings(referee, referee.players[own]) - max(holdings(referee, referee.players[i]) for i in others)


def spite(referee: Referee, me: int) -> float:
    """Little for the others, whatever it costs."""
    return -sum(holdings(referee, player) for index, player in enumerate(referee.players) if index != me)


def likeness(referee: Referee, me: int) -> float:
    """Everybody as level as can be, on islands, tracks and in points."""
    own, total = referee.players[me], 0
    for index, other in enumerate(referee.players):
        if index != me:
            total -= sum(abs(own.tokens[island] - other.tokens[island]) for island in ISLANDS)
            total -= sum(abs(own.tracks[track] - other.tracks[track]) for track in own.tracks)
            total -= 3 * abs(own.points - other.points) + abs(own.action_count - other.action_count)
            total -= 5 * abs(own.hawaiian - other.hawaiian)
    return total


POLICIES: dict[str, Policy] = {
    "uniform": uniform,
    "last": last,
    "verbs": weighted({}),
    "hoards": weighted({"migrate": 0.1, "warrior": 0.3, "done": 0.05}),
    "arms": weighted({"warrior": 20.0, "migrate": 0.3}),
    "converts": weighted({"done": 0.01, "event": 3.0}),
    "stops": weighted({"done": 50.0}),
    "calamities": calamities,
    "starves": starve,
    "greedy": best_by(greed),
    "spiteful": best_by(spite),
    "seeks ties": best_by(likeness),
}


def fall(referee: Referee, rng: random.Random, bias: str) -> int:
    """An outcome of chance. `calamity`: these cards first; `level`: dice that are alike, so that rolls are repeated;
    else any.
    """
    outcomes = list(referee.outcomes())
    if bias == "calamity" and referee.phase == "event":
        harsh = [number for number in outcomes if referee.card(number).kind != "event"]
        return rng.choice(harsh if harsh and rng.random() < 0.7 else outcomes)
    if bias == "level" and referee.phase == "die" and rng.random() < 0.7:
        return 2 if sum(referee.dice_of()) % 2 else 3
    return rng.choice(outcomes)
