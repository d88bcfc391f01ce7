"""What a position holds, and the options that it is played by."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from hawaii_env.heiau.adjudicator import Sight
from hawaii_env.heiau.rules.actions import Actions
from hawaii_env.heiau.rules.board import Board, Unit
from hawaii_env.heiau.rules.orders import Order
from hawaii_env.heiau.ruleset.loading import Scenario

__all__ = ["CHANCE_PHASES", "SEALED_PHASES", "Options", "Record", "Report"]

SEALED_PHASES = ("ballot", "orders", "retreats", "adjustments")
CHANCE_PHASES = ("assignment", "setup")


@dataclass(frozen=True)
class Options:
    """What is the same in all positions of a game.

    Attributes:
        board, actions: the board and its action table.
        scenario: the scenario.
        starts: the scenarios between which the ballot chooses, in its order; else empty.
        victory: heiaus that win [Background].
        last_year: the last year that is played [R-23].
        posts_win: whether posts count for victory [R-21].
        scoring: how a draw is shared.
        random_powers: whether chance says who plays which power [R-24].
    """

    board: Board
    actions: Actions
    scenario: Scenario
    starts: tuple[Scenario, ...]
    victory: int
    last_year: int
    posts_win: bool
    scoring: str
    random_powers: bool

    @property
    def powers(self) -> int:
        """Number of powers."""
        return len(self.scenario.powers)

    @property
    def late(self) -> bool:
        """True where powers are assigned after the ballots [Two Haoles]."""
        return len(self.scenario.ballot) > 0 and len(self.scenario.europeans) > 1


class Report(NamedTuple):
    """What became of one order of the last movement phase: public [4.5 of the design].

    Attributes:
        unit: the unit as the phase began.
        order: its order.
        source: the kind of the unit that it supported or convoyed, as the phase began; -1 where there was none.
        success, dislodged, burned: see `adjudication.Resolution`.
    """

    unit: Unit
    order: Order
    source: int
    success: bool
    dislodged: bool
    burned: bool


@dataclass
class Record:
    """One position. Mappings are replaced and never changed, so that copies share them; lists belong to one record.

    Attributes:
        year, season, phase: when it is; season 0 is Spring, 1 Fall.
        units: by space, in table order.
        owners: the owner of each heiau or post that has one, by space.
        posts: mask of the spaces with a post.
        unbuilt: powers whose post is unbuilt.
        dislodged: units that may retreat, by the space where they stood, with the space that they cannot go to, or -1.
        contested: mask of contested spaces, in retreats.
        last: reports of the last movement phase, in table order.
        ballots, second: votes by power (-1 not known), empty before they are counted.
        setup: the start that the ballot has chosen, an index of `Options.starts`; -1 not known, or no ballot.
        assignment: the power of each player, as far as it is drawn.
        entered: actions of the running sealed turn, by power.
        chosen: of those, the orders that are whole, by power.
        half: the first half of an order that waits for its second, by power; -1 none.
        queue: powers that have still to enter something, in the order of asking.
        shares, reason: how the game ended.
        firsts: the first actions of units, kept for the phase.
        sights: what can be ordered, kept for the phase: as all see it, and as Europeans do while starts are hidden.
    """

    year: int = 1
    season: int = 0
    phase: str = "orders"
    units: dict[int, Unit] = field(default_factory=dict[int, Unit])
    owners: dict[int, int] = field(default_factory=dict[int, int])
    posts: int = 0
    unbuilt: frozenset[int] = frozenset()
    dislodged: dict[int, tuple[Unit, int]] = field(default_factory=dict[int, "tuple[Unit, int]"])
    contested: int = 0
    last: tuple[Report, ...] = ()
    ballots: tuple[int, ...] = ()
    second: tuple[int, ...] = ()
    setup: int = -1
    assignment: tuple[int, ...] = ()
    entered: list[list[int]] = field(default_factory=list["list[int]"])
    chosen: list[list[Order]] = field(default_factory=list["list[Order]"])
    half: list[int] = field(default_factory=list[int])
    queue: list[int] = field(default_factory=list[int])
    shares: tuple[float, ...] = ()
    reason: str = ""
    firsts: dict[int, list[int]] = field(default_factory=dict[int, "list[int]"])
    sights: dict[bool, Sight] = field(default_factory=dict[bool, Sight])

    def copy(self) -> Record:
        """Return a copy that shares what never changes."""
        other = object.__new__(Record)
        other.__dict__.update(self.__dict__)
        other.entered = [list(steps) for steps in self.entered]
        other.chosen = [list(orders) for orders in self.chosen]
        other.half, other.queue = list(self.half), list(self.queue)
        return other
