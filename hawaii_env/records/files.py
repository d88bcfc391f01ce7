"""Game records: one JSON object a line, written as the game goes, replayed exactly.

The first line is the header: format and version, the game with its parameters, the hashes of its ruleset and of its
action table, the players, the seed. Each further line is one event, a decision or a chance outcome, with its text; the
last is the result. See docs/records.md for every field.

A record holds outcomes, so it replays without a generator; the generator's state is never in it. The seed is (unless
``show_seed=False``): with it, whoever reads the record of a game *still going on* can roll its future dice, so leave it
out where players may read along.
"""

from __future__ import annotations

import json
import os
import reprlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from hawaii_env import games
from hawaii_env._arguments import check_kind, check_list, check_path, check_text
from hawaii_env._version import __version__
from hawaii_env.errors import GameOverError, HawaiiError, IllegalActionError, OptionError, RecordError
from hawaii_env.game import CHANCE, SIMULTANEOUS, Chance, Decision, Event, Game, Outcome, State, check_seed
from hawaii_env.records.form import EVENTS, FORMAT, VERSION, Agreement, Header, problem

__all__ = [
    "FORMAT",
    "VERSION",
    "Agreement",
    "Follower",
    "Record",
    "RecordWriter",
    "Replay",
    "ending",
    "follow",
    "game_of",
    "read",
    "replay",
    "verify",
    "visible",
]


def visible(events: Sequence[Event], state: State, player: int) -> list[Event]:
    """Return the events of a game that stands at `state` which `player` (an index or SPECTATOR) may know of now.

    Whoever shows a game that is going on, as a record, a log or a page, shows these. The file that a `RecordWriter`
    writes holds everything.
    """
    check_kind("state", state, State)
    return [event for event in check_list("events", events) if state.may_see(event, player)]


def _dump(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(", ", ": "))


def _event_line(number: int, event: Event) -> dict[str, Any]:
    if isinstance(event, Decision):
        return {
            "n": number,
            "event": "decision",
            "player": event.player,
            "action": event.action,
            "text": event.text,
            "forced": event.forced,
        }
    return {
        "n": number,
        "event": "chance",
        "kind": event.kind,
        "outcome": event.outcome,
        "text": event.text,
        "forced": event.forced,
    }


class RecordWriter:
    """Writes one game's record, a line an event, each on the disk before the next is played.

    Args:
        path: the file; it must not exist yet. Its folder is made.
        game: the game that is played.
        seed: the seed that the state was made with, or None where it is not known.
        players: who plays, one name a player; None where it is not known.
        start: the position that the game starts from, where that is no new game.
        options: anything of JSON's types that the reader should know (clock, event, adapter).
        show_seed: False leaves the seed out, for games that players may read along.

    Raises:
        RecordError: the file exists or cannot be written, or there are more or fewer players than the game has.
        OptionError: an argument that cannot be.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        game: Game,
        *,
        seed: int | None = None,
        players: Sequence[str] | None = None,
        start: State | None = None,
        options: Mapping[str, Any] | None = None,
        show_seed: bool = True,
    ) -> None:
        self.path: Path = check_path("path", path)
        self.game = check_kind("game", game, Game)
        self._events = 0
        self._decisions = 0
        self._seen = 0
        self._ended = False
        names = None if players is None else [check_text("players", name) for name in check_list("players", players)]
        if names is not None and len(names) != game.num_players:
            raise RecordError(f"players: {game.name} has {game.num_players}, and {len(names)} were named")
        header = {
            "format": FORMAT,
            "version": VERSION,
            "game": game.name,
            "params": dict(game.params),
            "agents": list(game.agents),
            "players": names,
            "ruleset": {"name": game.ruleset_name, "hash": game.ruleset_hash},
            "action_table": game.action_table_hash,
            "seed": check_seed(seed) if show_seed and seed is not None else None,
            "start": None
            if start is None
            else json.loads(check_kind("start", start, State).explicit().to_json(secrets=True)),
            "options": dict(check_kind("options", {} if options is None else options, Mapping)),
            "library": __version__,
        }
        try:
            json.dumps(header, ensure_ascii=False, allow_nan=False).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise OptionError(f"options: values of JSON's types are wanted: {error}") from None
        if os.path.lexists(self.path):
            raise RecordError(f"{self.path} exists; a record is never overwritten")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # Stays open while the game goes on; close() and the context manager end it.
            self._file: IO[str] | None = open(self.path, "x", encoding="utf-8", newline="\n")  # noqa: SIM115
        except OSError as error:
            raise RecordError(f"{self.path} cannot be written: {error.strerror}") from error
        self._write(header)

    def _write(self, data: Mapping[str, Any]) -> None:
        if self._file is None:
            raise RecordError(f"{self.path} is closed")
        try:
            self._file.write(_dump(data) + "\n")
            self._file.flush()
        except OSError as error:
            raise RecordError(f"{self.path} cannot be written: {error.strerror}") from error

    def add(self, event: Event) -> None:
        """Write one event."""
        if not isinstance(event, Event):
            raise OptionError(f"event: a Decision or a Chance is wanted, not {event!r}")
        self._events += 1
        if isinstance(event, Decision) and not event.forced:
            self._decisions += 1
        self._write(_event_line(self._events, event))

    def update(self, state: State) -> None:
        """Write the events that the state's trace has gained since the last call.

        Raises:
            RecordError: the state has no trace.
        """
        trace = check_kind("state", state, State).trace
        if trace is None:
            raise RecordError("the state is not traced: make it with initial_state(trace=True), or call start_trace()")
        while self._seen < len(trace):
            self.add(trace[self._seen])
            self._seen += 1

    def finish(self, state: State, agreement: Agreement | None = None) -> None:
        """Write what is left of a finished game and its result, and close the file.

        Args:
            state: the last position.
            agreement: how the players ended the game, where its rules have not.

        Raises:
            RecordError: the game is not over and nothing was agreed, or it is over and something was.
        """
        self.update(state)
        ended = ending(state, agreement)
        if ended is None:
            raise RecordError("the game is not over; stop() ends the record of a game that is broken off")
        outcome, returns = ended
        line: dict[str, Any] = {"event": "result"}
        if agreement is not None:
            line = {"event": "agreed", "kind": agreement.kind, "player": agreement.player}
        self._write(
            {
                **line,
                "winner": outcome.winner,
                "reason": outcome.reason,
                "returns": returns,
                "events": self._events,
                "decisions": self._decisions,
            }
        )
        self._ended = True
        self.close()

    def stop(self, reason: str) -> None:
        """Write that the game was broken off, and why, and close the file."""
        check_kind("reason", reason, str)
        # An agent's error may hold half of a surrogate pair.
        reason = reason.encode("utf-8", "backslashreplace").decode()
        self._write({"event": "stopped", "reason": reason, "events": self._events, "decisions": self._decisions})
        self._ended = True
        self.close()

    def close(self) -> None:
        """Close the file. A record closed without a result reads as broken off."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> RecordWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if error is not None and not self._ended and self._file is not None:
            self.stop(f"{type(error).__name__}: {error}")
        self.close()


def ending(state: State, agreement: Agreement | None = None) -> tuple[Outcome, list[float]] | None:
    """Return how a game ended, and each player's result; None where it goes on.

    Args:
        state: the last position.
        agreement: what the players agreed on, or None.

    Raises:
        RecordError: the game is over by its rules, and yet something was agreed.
    """
    outcome = check_kind("state", state, State).outcome()
    if agreement is None:
        return None if outcome is None else (outcome, [float(value) for value in state.returns()])
    if outcome is not None:
        raise RecordError(f"the game is over by its rules ({outcome.reason}): nothing is left to be agreed")
    check_kind("agreement", agreement, Agreement)
    return agreement.outcome, agreement.returns


@dataclass(frozen=True)
class Record:
    """A record as it was read: nothing in it has been replayed.

    Attributes:
        path: the file.
        header: the first line.
        events: decisions and chance outcomes in their order; event i stands in line i + 2 of the file.
        result: the line of the result, or of what was agreed; None when the game was not played to its end.
        stopped: why the game was broken off, where the record says so.
        cut: True when the last line was only partly written (its writer was killed); that piece is left out.
        agreement: how the players ended the game, where its rules have not.
    """

    path: Path
    header: dict[str, Any]
    events: list[Event]
    result: dict[str, Any] | None
    stopped: str | None
    cut: bool
    agreement: Agreement | None = None

    @property
    def complete(self) -> bool:
        """True when the record has a result."""
        return self.result is not None

    @property
    def seed(self) -> int | None:
        """The seed, where the record shows it."""
        return self.header["seed"]


@dataclass(frozen=True)
class Replay:
    """What `verify` found.

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
        """How the game ended."""
        agreement = self.record.agreement
        return self.state.outcome() if agreement is None else agreement.outcome


def _bad(path: Path, line: int, message: str) -> RecordError:
    return RecordError(f"{path}, line {line}: {message}")


def _lines(path: Path) -> tuple[list[str], bool]:
    """Return the whole lines, and whether a last one was cut off."""
    try:
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise RecordError(f"there is no file {path}") from None
    except OSError as error:
        raise RecordError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        # A cut in the middle of a letter is a cut last line; anything else is no text at all.
        raw = path.read_bytes()
        if b"\n" not in raw[error.start :]:
            text = raw[: error.start].decode("utf-8") + " "
        else:
            raise RecordError(f"{path} is no game record: it is not UTF-8 text") from None
    if not text:
        raise RecordError(f"{path} is no game record: it is empty")
    lines = text.split("\n")
    rest = lines.pop()
    return lines, bool(rest)


def _check_header(path: Path, header: dict[str, Any]) -> None:
    wrong = problem(header, Header)
    if wrong is not None:
        raise _bad(path, 1, wrong)
    if not header["agents"]:
        raise _bad(path, 1, "there are no agents")
    if header["players"] is not None and len(header["players"]) != len(header["agents"]):
        raise _bad(path, 1, f"{len(header['players'])} players for {len(header['agents'])} agents")


def _parse(path: Path, line: int, text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _bad(path, line, f"not JSON: {error}") from None
    if not isinstance(data, dict):
        raise _bad(path, line, "not a JSON object")
    _check_unicode(path, line, text, data)
    return cast("dict[str, Any]", data)


def _check_unicode(path: Path, line: int, text: str, data: Any) -> None:
    """Refuse half of a surrogate pair, which JSON can escape and no file, page or terminal can show."""
    if "\\u" in text:
        try:
            json.dumps(data, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            half = ascii(error.object[error.start])[1:-1]
            raise _bad(path, line, f"{half} is half of a pair, and no text") from None


def read(path: str | os.PathLike[str]) -> Record:
    """Read a record, whole or broken off, and check its form.

    Raises:
        RecordError: no file, no record, a newer version, a line that is no event, lines missing or out of order.
    """
    path = check_path("path", path)
    lines, cut = _lines(path)
    if not lines:
        raise RecordError(f"{path} is no game record: its first line is not whole")
    try:
        header = json.loads(lines[0])
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or cast("dict[str, Any]", header).get("format") != FORMAT:
        raise RecordError(f'{path} is no game record: its first line has no "format": "{FORMAT}"')
    header = cast("dict[str, Any]", header)
    _check_unicode(path, 1, lines[0], header)
    version = header.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise _bad(path, 1, f"the version is {version!r:.80}, not a number from 1")
    if version > VERSION:
        raise _bad(
            path,
            1,
            f"the record has version {version} (written by hawaii_env {header.get('library')}); this hawaii_env, "
            f"{__version__}, reads versions up to {VERSION}",
        )
    _check_header(path, header)

    events: list[Event] = []
    decisions = 0
    result: dict[str, Any] | None = None
    stopped: str | None = None
    agreement: Agreement | None = None
    for number, text in enumerate(lines[1:], 2):
        if result is not None or stopped is not None:
            raise _bad(path, number, "there is a line after the end")
        data = _parse(path, number, text)
        kind = data.get("event")
        if not isinstance(kind, str) or kind not in EVENTS:
            raise _bad(path, number, f"the event is {kind!r}, none of {', '.join(EVENTS)}")
        wrong = problem(data, EVENTS[kind])
        if wrong is not None:
            raise _bad(path, number, wrong)
        if kind in ("decision", "chance"):
            if data["n"] != len(events) + 1:
                raise _bad(path, number, f"event {len(events) + 1} is missing; this is event {data['n']}")
            if kind == "decision":
                events.append(Decision(data["player"], data["action"], data["text"], data["forced"]))
                decisions += not data["forced"]
            else:
                events.append(Chance(data["kind"], data["outcome"], data["text"], data.get("forced", False)))
            continue
        if data["events"] != len(events) or data["decisions"] != decisions:
            raise _bad(
                path,
                number,
                f"the end counts {data['events']} events and {data['decisions']} decisions; there are {len(events)} "
                f"and {decisions}",
            )
        if kind == "stopped":
            stopped = data["reason"]
            continue
        result = data
        if kind == "agreed":
            try:
                agreement = Agreement(data["kind"], data["player"], len(header["agents"]))
            except RecordError as error:
                raise _bad(path, number, str(error)) from None
    return Record(path, header, events, result, stopped, cut, agreement)


def game_of(record: Record) -> Game:
    """Return the game that a record was played by.

    Raises:
        RecordError: the game is unknown here, or its ruleset or action table is another one by now.
    """
    name: str = check_kind("record", record, Record).header["game"]
    if games.get(name) is None:
        raise _bad(record.path, 1, f"unknown game {name!r}; known are: {', '.join(games.names())}")
    try:
        game = games.make(name, **record.header["params"])
    except (HawaiiError, TypeError, ValueError, KeyError, AttributeError, RecursionError, OSError) as error:
        raise _bad(record.path, 1, f"the game cannot be made from its parameters: {error}") from error
    return game


def _check_game(record: Record, game: Game) -> None:
    check_kind("game", game, Game)
    header = record.header
    if header["game"] != game.name:
        raise _bad(record.path, 1, f"a record of {header['game']!r}, not of {game.name!r}")
    if header["agents"] != list(game.agents):
        raise _bad(record.path, 1, f"the agents are {header['agents']}, not {list(game.agents)}")
    if header["ruleset"]["hash"] != game.ruleset_hash:
        raise _bad(
            record.path,
            1,
            f"played by the ruleset {header['ruleset']['name']!r} with hash {header['ruleset']['hash']}; this one has "
            f"hash {game.ruleset_hash}",
        )
    if header["action_table"] != game.action_table_hash:
        raise _bad(
            record.path, 1, "played with another action table: the numbers of its actions mean something else here"
        )
    theirs, ours = (
        {name: value for name, value in params.items() if name not in game.shown_by}
        for params in (header["params"], game.params)
    )
    if theirs != ours:
        short = reprlib.Repr()
        short.maxlevel = 1  # a ruleset's content would fill the message
        raise _bad(record.path, 1, f"played with the parameters {short.repr(theirs)}, not {short.repr(ours)}")


def _same(told: Event, found: Event) -> bool:
    """Whether a record's event is the state's; who may know it, and when, is the state's alone to say."""
    return _event_line(0, told) == _event_line(0, found)


class _Player:
    """Feeds a record's events to a state, and compares what the state notes with them."""

    def __init__(self, record: Record, state: State) -> None:
        self.record = record
        self.state = state
        self.next = 0  # the next event of the record
        self.matched = 0  # how much of the state's trace has been compared

    @property
    def line(self) -> int:
        return self.next + 2

    def bad(self, message: str) -> RecordError:
        return _bad(self.record.path, self.line, message)

    def compare(self) -> None:
        """Compare what the state has noted with the record."""
        trace = cast("list[Event]", self.state.trace)
        events = self.record.events
        while self.matched < len(trace) and self.next < len(events):
            if _same(events[self.next], trace[self.matched]):
                self.next += 1
            elif not self._left_out(trace[self.matched]):
                raise self.bad(
                    f"the record says {_words(events[self.next])}; the game does {_words(trace[self.matched])}"
                )
            self.matched += 1

    def _left_out(self, event: Event) -> bool:
        """Records of version 1 do not have what chance could do in one way only."""
        return self.record.header.get("version") == 1 and isinstance(event, Chance) and event.forced

    def missing(self) -> Event | None:
        """The first event of the game that should stand after the record's last, or None."""
        rest = cast("list[Event]", self.state.trace)[self.matched :]
        return next((event for event in rest if not self._left_out(event)), None)

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
            raise self.bad(f"the game is over, yet the record goes on with {_words(event)}")
        player = state.current_player
        try:
            if player == CHANCE:
                if not isinstance(event, Chance):
                    raise self.bad(f"the dice are to be rolled, yet the record has {_words(event)}")
                state.apply_chance(event.outcome)
            elif player == SIMULTANEOUS:
                state.apply_joint(self.joint())
            else:
                if not isinstance(event, Decision) or event.player != player or event.forced:
                    raise self.bad(f"{state.game.agents[player]} decides here, yet the record has {_words(event)}")
                state.apply(event.action)
        except (IllegalActionError, GameOverError) as error:
            raise self.bad(str(error)) from error


def _words(event: Event) -> str:
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
        raise _bad(record.path, 1, f"the position to start from: {error}") from error
    state.start_trace()
    return state


def replay(record: Record | str | os.PathLike[str], game: Game | None = None) -> Iterator[tuple[Event, State]]:
    """Play a record again, and yield each event with the position that followed it.

    The positions are one and the same object, which goes on; clone it to keep one. Events that the state took by itself
    come with the position after all of them.

    Args:
        record: a record or the path of one.
        game: the game, where it is not to be made from the header (a ruleset folder that has moved).

    Raises:
        RecordError: at the first event that the game does not do; the message names its line.
    """
    if not isinstance(record, Record):
        record = read(record)
    yield from follow(record, game).feed(record.events)


def follow(record: Record, game: Game | None = None) -> Follower:
    """Return a follower that stands where a record begins, for those who want the first position, too; feed it
    `record.events`.

    Args:
        record: the record.
        game: as for `replay`.

    Raises:
        RecordError: the game is unknown, or another one than the record's.
    """
    check_kind("record", record, Record)
    game = game_of(record) if game is None else game
    _check_game(record, game)
    start = None if record.header["start"] is None else _start(record, game)
    return Follower(game, start, path=record.path, version=record.header["version"])


class Follower:
    """Follows a game that is going on: plays its events, as they come, on a position in the explicit mode.

    Whoever tells a game needs the positions in between, and a game in the sampled mode goes past its chance nodes at
    once.

    Args:
        game: the game.
        state: the position that the game starts from; None is a new game.
        path: what errors say the events are from; they count lines as in a record.
        version: of the format that the events were written in.
    """

    def __init__(
        self,
        game: Game,
        state: State | None = None,
        path: str | os.PathLike[str] = "the game",
        version: int = VERSION,
    ) -> None:
        if state is None:
            state = check_kind("game", game, Game).initial_state(chance="explicit", trace=True)
        else:
            state = check_kind("state", state, State).explicit()
            state.start_trace()
        self._player = _Player(Record(check_path("path", path), {"version": version}, [], None, None, False), state)
        self._told = 0

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
        events = check_list("events", events)
        if not all(isinstance(event, Event) for event in events):
            raise OptionError(f"events: Decisions and Chances are wanted, not {events!r:.80}")
        player.record.events.extend(events)
        while True:
            player.compare()
            while self._told < player.next:
                self._told += 1
                yield player.record.events[self._told - 1], player.state
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
        raise _bad(record.path, line, str(error)) from None
    if ended is None:
        raise _bad(record.path, line, "the record has a result, but the game is not over")
    outcome, returns = ended
    missing = player.missing()
    if missing is not None:
        raise player.bad(f"events are missing: {_words(missing)} comes before the result")
    told = (record.result["winner"], record.result["reason"], [float(value) for value in record.result["returns"]])
    found = (outcome.winner, outcome.reason, returns)
    if told != found:
        raise _bad(record.path, line, f"the record says {told}; the game ended {found}")


def _check_seed(record: Record, game: Game) -> None:
    """Roll the dice again from the seed: they must fall as the record has them."""
    seed = cast(int, record.seed)
    if record.header["start"] is None:
        state = game.initial_state(seed=seed, trace=True)
    else:
        state = _start(record, game).clone(seed=seed, trace=True)
    player = _Player(record, state)
    player.compare()
    while player.next < len(record.events):
        player.step()
        player.compare()


def verify(path: str | os.PathLike[str], game: Game | None = None, partial: bool = False) -> Replay:
    """Replay a record with the engine, and compare every event, every text and the result.

    Where the record shows its seed, the dice are rolled again from it as well: a die that the generator did not roll is
    found.

    Args:
        path: the record.
        game: the game, where it is not to be made from the header.
        partial: True accepts a record without a result (a game broken off), and checks what there is.

    Raises:
        RecordError: the first line that is wrong, and what is wrong with it.
    """
    record = read(path)
    if not record.complete and not partial:
        why = f": {record.stopped}" if record.stopped else ""
        cut = " (its last line is cut off)" if record.cut else ""
        raise _bad(
            record.path,
            len(record.events) + 2,
            f"the record has no result: the game was broken off{why}{cut}; partial=True (--partial) checks what there "
            "is",
        )
    game = game_of(record) if game is None else game
    _check_game(record, game)
    player = _Player(record, _start(record, game))
    player.compare()
    while player.next < len(record.events):
        player.step()
        player.compare()
    _check_end(player)
    seed_checked = False
    if record.seed is not None:
        try:
            _check_seed(record, game)
        except RecordError as error:
            raise RecordError(f"{error} (rolled again from the seed {record.seed})") from error
        seed_checked = True
    return Replay(record, player.state, seed_checked)
