"""Rules of what a browser may do in a game, with the reasons for refusals.

A snapshot of a game lists the refusals, so that the page can hide or grey what is not possible. If a browser sends the
request anyway, it gets the same reason.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from hawaii_env.web.steps import hides
from hawaii_env.web.store import WATCHER
from hawaii_env.web.strings import guide_of, strings_of

if TYPE_CHECKING:
    from hawaii_env.web.service import Service
    from hawaii_env.web.table import Table

__all__ = ["ACTIONS", "OF_SEATS", "Asker", "Presence", "Refusal", "refused", "why"]

SEEN = 20_000  # most visits that are remembered


class Refusal(NamedTuple):
    """The reason why a browser may not do something.

    Attributes:
        status: the HTTP status.
        code: one word for programs to read.
        message: sentence for people to read.
    """

    status: int
    code: str
    message: str


OVER = Refusal(422, "illegal", "the game is over")
WATCHING = Refusal(403, "seat", "you have no side in this game")
ELSEWHERE = Refusal(403, "seat", "this is not your side")
NOT_YOUR_TURN = Refusal(403, "turn", "it is not your turn")
STOOD_IN = Refusal(422, "illegal", "an agent plays for you")
NOTHING_TO_ENTER = Refusal(422, "illegal", "you have nothing to enter now")
NO_OFFER = Refusal(422, "illegal", "no draw is offered")


class Presence:
    """Visits of browsers to the games of a server: who is present, and who has left.

    Args:
        patience: seconds after which an agent may play for somebody.
    """

    def __init__(self, patience: float) -> None:
        self.patience = patience
        self._began: float = time.monotonic()
        self._seen: OrderedDict[tuple[str, str], float] = OrderedDict()

    def visit(self, game: str, session: str) -> None:
        """Record that a browser looks at a game."""
        now = time.monotonic()
        self._seen.setdefault((game, ""), now)
        self._seen[game, session] = now
        self._seen.move_to_end((game, session))
        while len(self._seen) > SEEN:
            self._seen.popitem(last=False)

    def gone(self, game: str, session: str | None) -> float:
        """Return the seconds since a browser last looked at a game. If it never did, or is None, count from the first
        visit of anybody, or from the start of the server.
        """
        first = self._seen.get((game, ""), self._began)
        return time.monotonic() - self._seen.get((game, session or ""), first)

    def absent(self, game: str, table: Table, mine: Sequence[int], members: Mapping[int, str]) -> list[int]:
        """Return the seats of people who have been away so long that an agent may play for them."""
        return [
            seat
            for seat in range(table.game.num_players)
            if seat not in mine and table.agent_of(seat) is None and self.gone(game, members.get(seat)) > self.patience
        ]


class Asker:
    """A browser at a game, with the facts that refusals depend on.

    Args:
        service: the games of the server.
        game: id of the game.
        table: the game's table.
        seats: the browser's seats.
        session: digest of the browser.
    """

    def __init__(self, service: Service, game: str, table: Table, seats: Sequence[int], session: str) -> None:
        self.service: Service = service
        self.game: str = game
        self.table: Table = table
        self.session: str = session
        self.count: int = table.game.num_players
        self.own: list[int] = [seat for seat in seats if seat < self.count]
        self.takes_part: bool = any(seat <= WATCHER for seat in seats)

    @cached_property
    def members(self) -> dict[int, str]:
        """Return the browsers at the game, by seat."""
        return self.service.store.members(self.game)

    @cached_property
    def absent(self) -> list[int]:
        """Return the seats that an agent may take over because their owners are away."""
        return self.service.presence.absent(self.game, self.table, self.own, self.members)

    @cached_property
    def turn(self) -> int | None:
        """Return the seat that is to act now, or None."""
        return self.service.my_seat(self.table, self.own)

    @property
    def people(self) -> bool:
        """Return True if no agent plays a seat now."""
        return all(self.table.agent_of(seat) is None for seat in range(self.count))

    @cached_property
    def undo(self) -> str | None:
        """Return why nothing can be taken back, or None."""
        return self.table.why_no_undo(self.session, lambda state: strings_of(self.table.game).chance(state)["card"])


Why = Callable[[Asker, int], Refusal | None]


def _first(*found: Refusal | bool | str | None) -> Refusal | None:
    """Return the first refusal that applies; each follows its condition."""
    return next((one for one in found if isinstance(one, Refusal)), None)


def _open(asker: Asker) -> Refusal | None:
    return OVER if asker.table.over else None


def _takes_part(asker: Asker) -> Refusal | None:
    """Refuse spectators; the starter of a game between agents is not one."""
    return None if asker.takes_part else WATCHING


def _playing(asker: Asker) -> Refusal | None:
    return None if asker.own else WATCHING


def _mine(asker: Asker, seat: int) -> Refusal | None:
    return _playing(asker) or (None if seat in asker.own else ELSEWHERE)


def _act(asker: Asker, _: int) -> Refusal | None:
    seat, whole = asker.turn, Refusal(422, "illegal", "this turn must be entered as a whole")
    return _why_not(asker, 0) or (whole if seat is not None and asker.table.turn(seat) else None)


def _why_not(asker: Asker, _: int) -> Refusal | None:
    return _first(_open(asker), asker.turn is None and NOT_YOUR_TURN)


def _enter(asker: Asker, seat: int) -> Refusal | None:
    found = _open(asker) or _mine(asker, seat)
    if found is not None:
        return found
    turn = asker.table.turn(seat)
    return _first(
        asker.table.agent_of(seat) is not None and STOOD_IN,
        (turn is None or seat not in turn.players) and NOTHING_TO_ENTER,
    )


def _take_back(asker: Asker, seat: int) -> Refusal | None:
    nothing = Refusal(422, "illegal", "you have entered nothing that can be taken back")
    return _enter(asker, seat) or (None if asker.table.entered(seat) else nothing)


def _chance(asker: Asker, _: int) -> Refusal | None:
    return _takes_part(asker) or _first(
        not asker.table.by_hand and Refusal(403, "dice", "the server rolls the dice of this game"),
        _open(asker),
        not asker.table.at_chance and Refusal(422, "illegal", "no die or card is due"),
    )


def _undo(asker: Asker, _: int) -> Refusal | None:
    played = [seat for seat in asker.own if asker.table.agent_of(seat) is None]
    return _first(
        _open(asker), _playing(asker), not played and STOOD_IN, asker.undo and Refusal(422, "illegal", asker.undo)
    )


def _undo_turn(asker: Asker, _: int) -> Refusal | None:
    return _undo(asker, 0) or _first(
        asker.table.undo_turn(asker.session) < 2
        and Refusal(422, "illegal", "there is only one decision to take back, not a whole turn")
    )


def _retry(asker: Asker, _: int) -> Refusal | None:
    return (
        _open(asker)
        or _takes_part(asker)
        or _first(asker.table.problem is None and Refusal(422, "illegal", "no agent has failed in this game"))
    )


def _hint(asker: Asker, _: int) -> Refusal | None:
    later = Refusal(503, "hint", "hints are still being prepared; try again in a few minutes")
    nobody = later if asker.service.trying else Refusal(404, "hint", "this server has no agent for hints")
    return _first(asker.service.hint is None and nobody, _open(asker), asker.turn is None and NOT_YOUR_TURN)


def _resign(asker: Asker, seat: int) -> Refusal | None:
    found = _open(asker) or _mine(asker, seat)
    if found is not None or asker.count == 2:
        return found
    return STOOD_IN if asker.table.agent_of(seat) is not None else asker.service.no_agent()


def _two_people(asker: Asker) -> Refusal | None:
    """Return why two people cannot agree on a draw here, or None."""
    return _first(
        _open(asker),
        _playing(asker),
        asker.count != 2 and Refusal(422, "illegal", f"a draw needs two sides; this game has {asker.count}"),
        not asker.people and Refusal(422, "illegal", "a draw needs two people; an agent plays here"),
    )


def _offer(asker: Asker, _: int) -> Refusal | None:
    offered = Refusal(422, "illegal", "a draw has already been offered")
    return _two_people(asker) or (None if asker.table.data.get("offer") is None else offered)


def _accept(asker: Asker, _: int) -> Refusal | None:
    offer = asker.table.data.get("offer")
    return _two_people(asker) or _first(
        offer is None and NO_OFFER, offer in asker.own and Refusal(422, "illegal", "you have offered the draw yourself")
    )


def _decline(asker: Asker, _: int) -> Refusal | None:
    return _accept(asker, 0)


def _withdraw(asker: Asker, _: int) -> Refusal | None:
    theirs = Refusal(422, "illegal", "the other side has offered the draw")
    offer = asker.table.data.get("offer")
    return _two_people(asker) or _first(offer is None and NO_OFFER, offer not in asker.own and theirs)


def _name(asker: Asker, _: int) -> Refusal | None:
    alone = Refusal(422, "illegal", "you play every side, so nobody else would see a name")
    return _playing(asker) or (alone if len(asker.own) == asker.count else None)


def _stand_in(asker: Asker, _: int) -> Refusal | None:
    present = Refusal(409, "present", "nobody has been away long enough")
    return _playing(asker) or _open(asker) or (None if asker.absent else present) or asker.service.no_agent()


def _back(asker: Asker, _: int) -> Refusal | None:
    stood_in = any(asker.table.each("stand_ins")[seat] is not None for seat in asker.own)
    return _open(asker) or _playing(asker) or (None if stood_in else Refusal(422, "illegal", "no agent plays for you"))


def _rematch(asker: Asker, _: int) -> Refusal | None:
    if not asker.table.over or not asker.takes_part:
        return _takes_part(asker) or Refusal(409, "open", "the game is not over")
    store, begun = asker.service.store, asker.table.data.get("next")
    if begun is None or store.game(begun) is None or asker.session in store.members(begun).values():
        return None
    # Otherwise one player could start any number of games, each with a seat for the other.
    return Refusal(409, "left", "a rematch has been started, and you have no seat in it")


def _invite(asker: Asker, seat: int) -> Refusal | None:
    free = asker.table.data["seats"][seat]["kind"] == "human" and seat not in asker.members
    return _takes_part(asker) or (None if free else Refusal(409, "seats", "that seat is taken"))


def _chat(asker: Asker, _: int) -> Refusal | None:
    others = {session for seat, session in asker.members.items() if seat < asker.count} - {asker.session}
    return _playing(asker) or (None if others else Refusal(409, "alone", "nobody else is here to read it"))


def _whisper(asker: Asker, seat: int) -> Refusal | None:
    nobody = Refusal(409, "seats", "nobody else has that seat")
    return _chat(asker, seat) or (nobody if asker.members.get(seat, asker.session) == asker.session else None)


def _unwatch(asker: Asker, _: int) -> Refusal | None:
    nobody = Refusal(409, "seats", "nobody watches this game by a link")
    return _takes_part(asker) or (None if max(asker.members, default=0) > WATCHER else nobody)


def _save(asker: Asker, _: int) -> Refusal | None:
    # A seat with a stand-in still belongs to its owner.
    others = any(seat["kind"] == "human" and n not in asker.own for n, seat in enumerate(asker.table.data["seats"]))
    if not hides(asker.table.game) or asker.table.over or not others:
        return None
    return Refusal(409, "hidden", "a game with hidden information can be saved only when it is over")


def _replay(asker: Asker, _: int) -> Refusal | None:
    return None if asker.table.over else Refusal(404, "open", "the game is not over; its replay will be available then")


def _advice(asker: Asker, _: int) -> Refusal | None:
    none = Refusal(404, "advice", "this game has no guide")
    return _playing(asker) or _open(asker) or (none if guide_of(asker.table.game) is None else None)


ACTIONS: Mapping[str, Why] = {
    "act": _act, "why_not": _why_not, "chance": _chance, "undo": _undo, "undo_turn": _undo_turn, "retry": _retry,
    "hint": _hint,
    "offer": _offer, "accept": _accept, "decline": _decline, "withdraw": _withdraw, "name": _name,
    "stand_in": _stand_in, "back": _back, "rematch": _rematch, "leave": lambda asker, seat: None, "save": _save,
    "watch": lambda asker, seat: _takes_part(asker), "unwatch": _unwatch, "chat": _chat,
    "replay": _replay, "curve": _replay, "advice": _advice,
}  # fmt: skip
"""Actions of a browser in a game, each with a function that returns its refusal or None."""

OF_SEATS: Mapping[str, Why] = {
    "enter": _enter, "take_back": _take_back, "typed": _enter, "resign": _resign, "invite": _invite,
    "whisper": _whisper, "mute": _whisper,
}  # fmt: skip
"""Actions of a browser with a particular seat."""


def refused(asker: Asker) -> dict[str, str]:
    """Return what a browser may not do now, and why. The keys are names of `ACTIONS`, or of `OF_SEATS` followed by the
    seat: ``"resign 0"``.
    """
    found = {what: why(asker, what) for what in ACTIONS}
    found |= {f"{what} {seat}": why(asker, what, seat) for what in OF_SEATS for seat in range(asker.count)}
    return {what: refusal.message for what, refusal in found.items() if refusal is not None}


def why(asker: Asker, what: str, seat: int | None = None) -> Refusal | None:
    """Return why a browser may not do something now, with a seat or without, or None if it may."""
    if seat is None:
        return ACTIONS[what](asker, 0)
    return OF_SEATS[what](asker, seat) if seat < asker.count else ELSEWHERE
