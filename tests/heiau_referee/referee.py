"""[Calendar, Winter, Haole, Two Haoles] A whole game: ask what may be done, tell what was done. Section 6."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

from .adjudication import Result, adjudicate
from .board import Board, Unit, Units, space_of
from .orders import Order, legal_orders, line, steps
from .scenarios import BALLOTS, EUROPEANS, scenario

T = TypeVar("T")

BOARD = Board()


@dataclass(frozen=True)
class Ask:
    """One decision of a power, or a draw: the texts of the choices. `power`: None for chance."""

    power: str | None
    options: tuple[str, ...]


Flow = Generator[Ask, str, T]


def ask(power: str | None, options: Iterable[str]) -> Flow[str]:
    """Section 6.5: a decision with one legal choice is taken and not asked."""
    choices = tuple(options)
    if len(choices) == 1:
        return choices[0]
    return (yield Ask(power, choices))


class Referee:
    """[Calendar] One game.

    Attributes:
        powers: in index order.
        player_of: the player's index of each power, once it is known (R-24).
        units, owners, posts, unbuilt: what stands where.
        dislodged: unit, the space of its attacker or None, and where it may go; who can go nowhere is not asked, nor
            shown any more.
        last: the last movement phase: unit, order, units and result.
        shares: each power's share of the victory, once the game is over.
    """

    def __init__(
        self,
        scenario_name: str = "race",
        last_year: int = 20,
        posts_win: bool = False,
        scoring: str = "draw_size",
        discrete_start: str = "kona_coast",
        assignment: str = "fixed",
        start: dict[str, Any] | None = None,
    ) -> None:
        """Options: section 6.8. `start`: a position in the form of `position()`, for tests."""
        self.name, self.last_year, self.posts_win = scenario_name, last_year, posts_win
        self.scoring, self.discrete_start, self.assignment = scoring, discrete_start, assignment
        self.powers = list(scenario(scenario_name))
        self.player_of = {power: index for index, power in enumerate(self.powers)}
        self.year, self.season, self.phase = 1, "spring", ""
        self.units: Units = {}
        self.owners: dict[str, str] = {}
        self.posts: set[str] = set()
        self.unbuilt = {power for power in self.powers if power in EUROPEANS}
        self.dislodged: list[tuple[Unit, str | None, list[str]]] = []
        self.contested: set[str] = set()
        self.last: tuple[Units, dict[str, Order], Result] | None = None
        self.hidden = False
        self.votes: list[dict[str, str]] = []
        self.shares: dict[str, Fraction] = {}
        self.node: Ask | None = None
        self.flow = self.game() if start is None else self.game_from(start)
        self.go_on(None)

    # From outside

    def go_on(self, answer: str | None) -> None:
        """To the next question."""
        try:
            self.node = next(self.flow) if answer is None else self.flow.send(answer)
        except StopIteration:
            self.node, self.phase = None, "over"

    def answer(self, text: str) -> None:
        """Take one of `options`."""
        assert text in self.options(), (text, self.phase, self.options())
        self.go_on(text)

    def options(self) -> tuple[str, ...]:
        """The choices of who is asked; none when the game is over."""
        return () if self.node is None else self.node.options

    @property
    def decider(self) -> int | str:
        """The player who is asked, `chance` or `over`."""
        if self.node is None:
            return "over"
        return "chance" if self.node.power is None else self.player_of[self.node.power]

    def hides_from(self, power: str | None) -> bool:
        """[Haole] Whether the start is hidden from this power, None for somebody who only looks on."""
        return self.hidden and (power is None or power in EUROPEANS)

    def seen(self, power: str | None) -> Units:
        """The units that a power sees."""
        hides = self.hides_from(power)
        if self.phase == "ballot" and not hides:  # a native who votes again is shown no board
            return {}
        return {space: unit for space, unit in self.units.items() if not (hides and unit.power not in EUROPEANS)}

    def position(self, power: str | None) -> dict[str, Any]:
        """The position as a power knows it, in the form of section 6.8."""
        seen = self.seen(power)
        units = {name: [seen[s].text() for s in BOARD.in_order(seen) if seen[s].power == name] for name in self.powers}
        asked = self.phase == "retreats"
        second = self.phase == "ballot" and self.hides_from(power)  # of which they do not know
        return {
            "year": self.year,
            "season": self.season,
            "phase": "orders" if second else self.phase,
            "units": {name: texts for name, texts in units.items() if texts},
            "owners": {} if self.hides_from(power) else dict(self.owners),
            "posts": BOARD.in_order(self.posts),
            "unbuilt": [name for name in self.powers if name in self.unbuilt],
            "dislodged": [
                {"unit": unit.text(), "power": unit.power, "from": source}
                for unit, source, refuges in self.dislodged
                if asked and refuges
            ],
            "contested": BOARD.in_order(self.contested) if asked else [],
        }

    def report(self) -> list[dict[str, Any]]:
        """Section 4.5: the last movement phase, order by order in table order."""
        if self.last is None:
            return []
        units, orders, result = self.last
        return [
            {
                "power": units[space].power,
                "order": line(units[space], orders[space], units),
                "success": result.success[space],
                "dislodged": space in result.dislodged,
                "burned": space in result.burned,
            }
            for space in BOARD.in_order(units)
        ]

    # The order of play

    def game(self) -> Flow[None]:
        """Section 6.1, from the beginning."""
        yield from self.set_up()
        yield from self.years("orders")

    def game_from(self, start: dict[str, Any]) -> Flow[None]:
        """From a position."""
        self.year, self.season = start["year"], start["season"]
        for power, texts in start["units"].items():
            self.put(power, (tuple(text.split(" ")) for text in texts))
        self.owners = dict(start["owners"])
        self.posts, self.unbuilt = set(start["posts"]), set(start["unbuilt"])
        self.contested = set(start["contested"])
        for told in start["dislodged"]:
            kind, place = told["unit"].split(" ")
            unit = Unit(kind, told["power"], place)
            self.dislodged.append((unit, told["from"], self.refuges(unit, told["from"])))
        yield from self.years(start["phase"])

    def put(self, power: str, units: Iterable[tuple[str, ...]]) -> None:
        """Units onto the board."""
        for kind, place in units:
            self.units[space_of(place)] = Unit(kind, power, place)

    def years(self, phase: str) -> Flow[None]:
        """Year after year, until a Fall ends the game."""
        while True:
            if phase == "orders":
                yield from self.orders()
            if phase != "adjustments":
                yield from self.retreats()
                if self.season == "spring":
                    self.season, phase = "fall", "orders"
                    continue
                self.own()
                if self.is_over():
                    return
            yield from self.winter()
            self.year, self.season, phase = self.year + 1, "spring", "orders"

    # Set-up

    def set_up(self) -> Flow[None]:
        """Section 6.3: who plays which power, ballots, units."""
        start = scenario(self.name)
        if self.name == "two_haoles":
            yield from self.vote(self.powers)
            yield from self.assign()
        else:
            yield from self.assign()
        if self.name == "haole":
            yield from self.vote(self.powers)
        if self.votes:
            natives = [power for power in self.powers if power not in EUROPEANS]
            self.hidden = True
            for power in set(self.powers) - set(natives):  # their first orders, for all that they know
                self.put(power, start[power])
            if self.level():
                yield from self.vote(natives)
            if self.level():
                self.phase = "setup"
                chosen = yield from ask(None, BALLOTS)
            else:
                chosen = Counter(self.votes[-1].values()).most_common(1)[0][0]
            start = {**start, **scenario(chosen)}
        if self.name == "discrete":
            start["sunrise"] = [("B", self.discrete_start), ("B", "puna")]
        for power in self.powers:
            self.put(power, start[power])
        for space, unit in self.units.items():
            if space in BOARD.heiaus:
                self.owners[space] = unit.power

    def level(self) -> bool:
        """The last ballot has no majority."""
        votes = Counter(self.votes[-1].values())
        return votes["heart"] == votes["wings"]

    def vote(self, powers: list[str]) -> Flow[None]:
        """A ballot, each vote unseen by the others."""
        self.phase = "ballot"
        given: dict[str, str] = {}
        for power in powers:
            text = yield from ask(power, [f"vote {name}" for name in BALLOTS])
            given[power] = text.split()[1]
        self.votes.append(given)

    def assign(self) -> Flow[None]:
        """R-24: player after player draws one of the powers left."""
        if self.assignment == "fixed":
            return
        self.phase = "assignment"
        left = list(self.powers)
        drawn: dict[str, int] = {}
        for player in range(len(self.powers)):
            power = yield from ask(None, left)
            left.remove(power)
            drawn[power] = player
        self.player_of = drawn

    # Movement and retreats

    def orders(self) -> Flow[None]:
        """Section 6.5: power after power, unit after unit; then all are resolved."""
        self.phase = "orders"
        entered: dict[str, Order] = {}
        for power in self.powers:
            seen = self.seen(power)
            for space in BOARD.in_order(seen):
                if seen[space].power == power:
                    entered[space] = yield from self.enter(power, seen, seen[space])
        self.hidden = False
        result = adjudicate(BOARD, self.units, entered)
        self.last = (self.units, entered, result)
        for space in result.posts:
            power = self.units[space].power
            self.posts.add(space)
            self.owners[space] = power
            self.unbuilt.discard(power)
        self.units, self.contested = result.units, result.contested
        self.dislodged = [
            (unit, source, self.refuges(unit, source))
            for unit, source in (result.dislodged[space] for space in BOARD.in_order(result.dislodged))
        ]

    def enter(self, power: str, seen: Units, unit: Unit) -> Flow[Order]:
        """One order, in one step or two."""
        sites: set[str] = set()
        if power in self.unbuilt:
            sites = {space for space in BOARD.spaces if BOARD.is_coastal(space)} - set(BOARD.heiaus) - self.posts
        by_steps = {steps(order): order for order in legal_orders(BOARD, seen, unit, sites)}
        first = yield from ask(power, dict.fromkeys(texts[0] for texts in by_steps))
        if (first,) in by_steps:
            return by_steps[(first,)]
        second = yield from ask(power, [texts[1] for texts in by_steps if texts[0] == first])
        return by_steps[first, second]

    def refuges(self, unit: Unit, source: str | None) -> list[str]:
        """Section 4.6: where a dislodged unit may go."""
        closed = set(self.units) | self.contested | {source}
        return sorted(place for place in BOARD.reach(unit) if space_of(place) not in closed)

    def retreats(self) -> Flow[None]:
        """Section 4.6: chosen at once; R-16."""
        gone: dict[str, list[Unit]] = {}
        self.phase = "retreats"
        for power in self.powers:
            for unit, _, refuges in self.dislodged:
                if unit.power == power and refuges:
                    text = yield from ask(power, [*(f"retreat {place}" for place in refuges), "disband"])
                    if text != "disband":
                        place = text.split()[1]
                        going = unit.army() if unit.kind == "B" and place in BOARD.inland_of(unit) else unit
                        gone.setdefault(space_of(place), []).append(Unit(going.kind, power, place))
        for space, arrived in gone.items():
            if len(arrived) == 1:
                self.units[space] = arrived[0]
        self.dislodged, self.contested = [], set()

    # The end of a year

    def own(self) -> None:
        """Section 6.1: who owns what after Fall."""
        for space in [*BOARD.heiaus, *self.posts]:
            if space in self.units:
                self.owners[space] = self.units[space].power

    def centres(self, power: str, posts: bool = True) -> list[str]:
        """The heiaus, and posts, that a power owns."""
        owned = [space for space, owner in self.owners.items() if owner == power]
        return BOARD.in_order(owned if posts else set(owned) & set(BOARD.heiaus))

    def is_over(self) -> bool:
        """Section 6.4; notes the shares."""
        most = {power: len(self.centres(power, self.posts_win)) for power in self.powers}
        best = [power for power in self.powers if most[power] == max(most.values())]
        held_by = {unit.power for unit in self.units.values()}
        still_in = [power for power in self.powers if power in held_by or self.centres(power)]
        if max(most.values()) >= 9 and len(best) == 1:
            self.shares = {power: Fraction(power == best[0]) for power in self.powers}
        elif len(still_in) == 1:
            self.shares = {power: Fraction(power == still_in[0]) for power in self.powers}
        elif not still_in or self.year >= self.last_year:
            self.shares = self.draw()
        return bool(self.shares)

    def draw(self) -> dict[str, Fraction]:
        """Section 6.6."""
        owned = {power: len(self.centres(power)) for power in self.powers}
        weight = dict.fromkeys(self.powers, 1)
        if self.scoring == "draw_size" and any(owned.values()):
            weight = {power: int(owned[power] > 0) for power in self.powers}
        elif self.scoring == "sum_of_squares" and any(owned.values()):
            weight = {power: owned[power] ** 2 for power in self.powers}
        return {power: Fraction(weight[power], sum(weight.values())) for power in self.powers}

    def winter(self) -> Flow[None]:
        """Section 6.2: all decide on the position after Fall."""
        self.phase = "adjustments"
        built: list[tuple[str, str]] = []
        removed: list[str] = []
        for power in self.powers:
            own = [space for space in BOARD.in_order(self.units) if self.units[space].power == power]
            counted = [space for space in own if self.units[space].kind != "F"]
            need = len(self.centres(power)) - len(counted)
            sites = [space for space in self.centres(power) if space not in self.units]
            for _ in range(need):
                text = yield from ask(power, [*(f"build {space}" for space in sites), "done"])
                if text == "done":
                    break
                sites.remove(text.split()[1])
                built.append((power, text.split()[1]))
            for _ in range(-need):
                text = yield from ask(power, [f"remove {space}" for space in counted])
                counted.remove(text.split()[1])
                removed.append(text.split()[1])
        for space in removed:
            del self.units[space]
        for power, space in built:
            self.units[space] = Unit("A", power, space)

    def returns(self) -> list[Fraction]:
        """Section 6.6, player by player."""
        count = len(self.powers)
        found = [Fraction(0)] * count
        for power, share in self.shares.items():
            found[self.player_of[power]] = (count * share - 1) / (count - 1)
        return found
