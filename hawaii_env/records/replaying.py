"""Playing game records again: what a record says and what the game does must agree, event by event."""

from __future__ import annotations

import json
import os
import reprlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from hawaii_env import games
from hawaii_env.errors import GameOverError, HawaiiError, IllegalActionError, RecordError
from hawaii_env.game import CHANCE, SIMULTANEOUS, Chance, Decision, Event, Game, Outcome, State
from hawaii_env.records.reading import Record, bad, read
from hawaii_env.records.writing import ending, event_line

__all__ = ["Follower", "Replay", "follow", "game_of", "replay", "verify"]


@dataclass(frozen=True)
class Replay:
    """The result of `verify`.

    Attributes:
        record: the record.
        state: the last position, in the explicit mode, with its trace.
        seed_checked: True when the dice were rolled again from the seed and fell alike.
    """

    record: Record
    state: State
    seed_checked: bool

    @property
    def outcome(self) -> Outcome | None:
        """The end of the game."""
        agreement = self.record.agreement
        return self.state.outcome() if agreement is None else agreement.outcome


def game_of(record: Record) -> Game:
    """Return the game that a record was played by.

    Raises:
        RecordError: the game is unknown here, or its ruleset or action table is another one by now.
    """
    name: str = record.header["game"]
    if games.get(name) is None:
        raise bad(record.path, 1, f"unknown game {name!r}; available: {', '.join(games.list_games())}")
    try:
        game = games.load_game(name, **record.header["params"])
    except (HawaiiError, TypeError, ValueError, KeyError, AttributeError, RecursionError, OSError) as error:
        raise bad(record.path, 1, f"the game cannot be made from its parameters: {error}") from error
    return game


def _check_game(record: Record, game: Game) -> None:
    header = record.header
    if header["game"] != game.name:
        raise bad(record.path, 1, f"a record of {header['game']!r}, not of {game.name!r}")
    if header["agents"] != list(game.agents):
        raise bad(record.path, 1, f"the agents are {header['agents']}, not {list(game.agents)}")
    if header["ruleset"]["hash"] != game.ruleset_hash:
        raise bad(
            record.path,
            1,
            f"played by the ruleset {header['ruleset']['name']!r} with hash {header['ruleset']['hash']}; this one has "
            f"hash {game.ruleset_hash}",
        )
    if header["action_table"] != game.action_table_hash:
        raise bad(
            record.path, 1, "played with another action table: the numbers of its actions mean something else here"
        )
    theirs, ours = header["params"], dict(game.params)
    if theirs != ours:
        short = reprlib.Repr()
        short.maxlevel = 1  # a ruleset's content would fill the message
        raise bad(record.path, 1, f"played with the parameters {short.repr(theirs)}, not {short.repr(ours)}")


def _same(recorded: Event, found: Event) -> bool:
    """Return True if a record's event is the state's; who may know it, and when, is not compared."""
    return event_line(0, recorded) == event_line(0, found)


class _Player:
    """Feeds a record's events to a state, and compares what the state notes with them."""

    def __init__(self, record: Record, state: State) -> None:
        self.record = record
        self.state = state
        self.next = 0  # the next event of the record
        self.matched = 0  # how much of the state's trace has been compared
        self.found: list[Event] = []  # the record's events as the state has them, who may know them and when included

    @property
    def line(self) -> int:
        return self.next + 2

    def bad(self, message: str) -> RecordError:
        return bad(self.record.path, self.line, message)

    def compare(self) -> None:
        """Compare what the state has noted with the record."""
        trace = cast("list[Event]", self.state.trace)
        events = self.record.events
        while self.matched < len(trace) and self.next < len(events):
            if not _same(events[self.next], trace[self.matched]):
                raise self.bad(
                    f"the record says {_described(events[self.next])}; the game does {_described(trace[self.matched])}"
                )
            self.next += 1
            self.found.append(trace[self.matched])
            self.matched += 1

    def missing(self) -> Event | None:
        """Return the first event of the game that should stand after the record's last, or None."""
        return next(iter(cast("list[Event]", self.state.trace)[self.matched :]), None)

    def joint(self) -> dict[int, int]:
        """Gather the choices of a simultaneous turn from the events that come next."""
        chosen: dict[int, int] = {}
        for ahead, player in enumerate(self.state.acting_players):
            # Forced choices of the others may stand between: the state notes them, and they are compared after.
            for event in self.record.events[self.next : self.next + self.state.game.num_players]:
                if isinstance(event, Decision) and event.player == player and not event.forced:
                    chosen[player] = event.action
                    break
            else:
                raise self.bad(f"player {player} chooses here as well, and choice {ahead + 1} is missing")
        return chosen

    def step(self) -> None:
        """Play the next event that is the players' or the dice's."""
        event = self.record.events[self.next]
        state = self.state
        if state.is_terminal:
            raise self.bad(f"the game is over, yet the record goes on with {_described(event)}")
        player = state.current_player
        try:
            if player == CHANCE:
                if not isinstance(event, Chance):
                    raise self.bad(f"the dice are to be rolled, yet the record has {_described(event)}")
                state.apply_chance(event.outcome)
            elif player == SIMULTANEOUS:
                state.apply_joint(self.joint())
            else:
                if not isinstance(event, Decision) or event.player != player or event.forced:
                    raise self.bad(f"{state.game.agents[player]} decides here, yet the record has {_described(event)}")
                state.apply(event.action)
        except (IllegalActionError, GameOverError) as error:
            raise self.bad(str(error)) from error


def _described(event: Event) -> str:
    if isinstance(event, Decision):
        return f"player {event.player}: {event.text!r} (action {event.action}{', forced' if event.forced else ''})"
    return f"{event.kind}: {event.text!r} (outcome {event.outcome}{', forced' if event.forced else ''})"


def _start(record: Record, game: Game) -> State:
    text = record.header["start"]
    if text is None:
        return game.initial_state(chance="explicit", trace=True)
    try:
        state = game.state_from_json(json.dumps(text)).explicit()
    except HawaiiError as error:
        raise bad(record.path, 1, f"the position to start from: {error}") from error
    state.start_trace()
    return state


def replay(record: Record | str | os.PathLike[str], game: Game | None = None) -> Iterator[tuple[Event, State]]:
    """Play a record again, and yield each event with the position that followed it.

    The positions are one and the same object, which continues; clone it to keep one. Events that the state took by
    itself come with the position after all of them.

    Args:
        record: a record or the path of one, which is verified first.
        game: the game, where it is not to be made from the header (a ruleset folder that has moved).

    Raises:
        RecordError: as `verify`, but a record without a result is played as far as it goes.
    """
    if not isinstance(record, Record):
        record = read(record)
    yield from follow(record, game).feed(record.events)


def follow(record: Record, game: Game | None = None, partial: bool = True) -> Follower:
    """Return a follower that stands where a record begins, for those who want the first position, too; feed it
    `record.events`.

    Args:
        record: the record, which is verified.
        game: as for `replay`.
        partial: as for `verify`.

    Raises:
        RecordError: as `verify`.
    """
    game = verify(record, game, partial).state.game
    start = None if record.header["start"] is None else _start(record, game)
    return Follower(game, start, path=record.path)


class Follower:
    """Follows a game that is going on: plays its events, as they come, on a position in the explicit mode.

    Narrations need the positions in between, and a game in the sampled mode goes past its chance nodes at
    once.

    Args:
        game: the game.
        state: the position that the game starts from; None is a new game.
        path: what errors say the events are from; they count lines as in a record.
    """

    def __init__(
        self,
        game: Game,
        state: State | None = None,
        path: str | os.PathLike[str] = "the game",
    ) -> None:
        if state is None:
            state = game.initial_state(chance="explicit", trace=True)
        else:
            state = state.explicit()
            state.start_trace()
        self._player = _Player(Record(Path(path), {}, [], None, None, False), state)
        self._yielded = 0

    @property
    def state(self) -> State:
        """The position after the events that were fed."""
        return self._player.state

    def feed(self, events: Sequence[Event]) -> Iterator[tuple[Event, State]]:
        """Play further events, and yield each with the position that followed it, as `replay` does.

        The choices of a simultaneous turn must be fed together.

        Raises:
            RecordError: an event that the game does not do.
        """
        player = self._player
        player.record.events.extend(events)
        while True:
            player.compare()
            while self._yielded < player.next:
                self._yielded += 1
                yield player.found[self._yielded - 1], player.state
            if player.next >= len(player.record.events):
                return
            player.step()


def _check_end(player: _Player) -> None:
    record, state, line = player.record, player.state, player.line
    if record.result is None:
        return
    try:
        ended = ending(state, record.agreement)
    except RecordError as error:
        raise bad(record.path, line, str(error)) from None
    if ended is None:
        raise bad(record.path, line, "the record has a result, but the game is not over")
    outcome, returns = ended
    missing = player.missing()
    if missing is not None:
        raise player.bad(f"events are missing: {_described(missing)} comes before the result")
    recorded = (record.result["winner"], record.result["reason"], [float(value) for value in record.result["returns"]])
    found = (outcome.winner, outcome.reason, returns)
    if recorded != found:
        raise bad(record.path, line, f"the record says {recorded}; the game ended {found}")


def _play(record: Record, state: State) -> _Player:
    """Play a record on a traced position, and compare every event."""
    player = _Player(record, state)
    player.compare()
    while player.next < len(record.events):
        player.step()
        player.compare()
    return player


def _rolled(record: Record, game: Game) -> _Player:
    """Play a record with the dice of its seed."""
    seed = cast(int, record.seed)
    if record.header["start"] is None:
        return _play(record, game.initial_state(seed=seed, trace=True))
    return _play(record, _start(record, game).clone(seed=seed, trace=True))


def verify(record: Record | str | os.PathLike[str], game: Game | None = None, partial: bool = False) -> Replay:
    """Replay a record with the engine, and compare every event, every text and the result.

    Where the record shows its seed, the dice are rolled again from it: a die that the generator did not roll is found.

    Args:
        record: a record or the path of one.
        game: the game, where it is not to be made from the header.
        partial: True accepts a record without a result (a game broken off), and checks what there is.

    Raises:
        RecordError: the first line that is wrong, and what is wrong with it.
    """
    if not isinstance(record, Record):
        record = read(record)
    if not record.complete and not partial:
        why = f": {record.stopped}" if record.stopped else ""
        cut = " (its last line is cut off)" if record.cut else ""
        raise bad(
            record.path,
            len(record.events) + 2,
            f"the record has no result: the game was broken off{why}{cut}; partial=True (--partial) checks what there "
            "is",
        )
    game = game_of(record) if game is None else game
    _check_game(record, game)
    rolled, fault = None, None
    if record.seed is not None:
        try:
            rolled = _rolled(record, game)
        except RecordError as error:
            fault = error  # of the dice, unless the record is wrong with its own dice, too
    over = rolled is not None and rolled.state.is_terminal and record.result is not None
    player = cast(_Player, rolled) if over else _play(record, _start(record, game))
    _check_end(player)
    if fault is not None:
        raise RecordError(f"{fault} (rolled again from the seed {record.seed})") from fault
    state = player.state
    if over:
        state = state.explicit()
        state.trace = player.state.trace
    return Replay(record, state, record.seed is not None)
