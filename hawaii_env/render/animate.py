"""A recorded game as an animated picture: ``hawaii animate game.jsonl -o game.gif``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from hawaii_env._arguments import check_count
from hawaii_env.errors import OptionError
from hawaii_env.game import Chance, Decision, Event, Game, State
from hawaii_env.narration import narration_of, steps
from hawaii_env.records import Record, follow, game_of, read, replay
from hawaii_env.render.picture import need, render_image
from hawaii_env.texts import write_bytes

__all__ = ["Animation", "animate"]

# What a picture of its own is worth; choices within a move (pick-up, cargo) and single dice are left out unless asked
# for.
_STEPS = ("sail", "march", "recruit", "place", "home", "play", "battle", "retreat", "launch")
RECENT = 40  # events that a picture is shown: more than any volley or fleet move has


@dataclass(frozen=True)
class Animation:
    """The result of `animate`.

    Attributes:
        path: the file.
        frames: pictures in it.
        bytes: its size.
        seconds: how long it runs.
    """

    path: Path
    frames: int
    bytes: int
    seconds: float


def _key_event(event: Event) -> bool:
    """Return True if a picture follows this event. Events of games that are not known to this list all count."""
    if isinstance(event, Chance):
        return event.kind not in ("hit_die", "advantage", "sighting")
    verb = event.text.split()[0]
    return verb in _STEPS or verb not in (
        "done",
        "pass",
        "fleet",
        "pickup",
        "embark",
        "approach",
        "commit",
        "fire",
        "lose",
        "panic",
    )


def _partial(record: Record, game: Game) -> set[int]:
    """Return the numbers of a record's events, from 0, that the game's narration tells with the next one."""
    follower, narration = follow(record, game), narration_of(game)
    stepped = steps(follower.feed(record.events), follower.state)
    lines = [line for events, before, after in stepped for line in narration.narrate(events, before, after)]
    return {number for number, line in enumerate(lines) if line.partial}


def _moments(
    events: Iterable[tuple[Event, State]], every: bool, partial: Set[int] = frozenset()
) -> Iterator[tuple[State, list[Event]]]:
    """Yield the positions to show, each with what happened before it; each volley of a battle once, with all its dice,
    and none after the events whose numbers are in `partial`.
    """
    recent: list[Event] = []
    held: tuple[State, list[Event]] | None = None  # a volley that may continue
    last_view: Any = None
    for number, (event, state) in enumerate(events):
        fired = isinstance(event, Decision) and event.text.startswith("fire ")
        if held is not None and (fired or (isinstance(event, Chance) and event.kind == "advantage")):
            yield held
            held = None
        recent = [*recent[-RECENT:], event]
        die = isinstance(event, Chance) and event.kind == "hit_die"
        loss = isinstance(event, Decision) and event.text.split()[0] in ("lose", "panic")
        view = state.view()
        if view == last_view and not die:
            continue
        idle = number in partial or (isinstance(event, Decision) and event.forced and view == last_view)
        if every or (_key_event(event) and not idle):
            if held is not None:
                yield held
                held = None
            yield state.clone(), list(recent)
            last_view = view
        elif die or loss:
            held = state.clone(), list(recent)
            last_view = view
    if held is not None:
        yield held


def _thinned(moments: Sequence[Any], most: int) -> list[Any]:
    """Return at most so many moments, evenly, the first and the last among them."""
    if len(moments) <= most:
        return list(moments)
    return [moments[round(number * (len(moments) - 1) / (most - 1))] for number in range(most)]


def _palette(image: Any, moments: Sequence[tuple[State, list[Event]]], colours: int) -> Any:
    """Return one palette for the whole animation, from a few of its pictures, side by side."""
    samples = [render_image(state, 500, events=events) for state, events in moments]
    sheet = image.new("RGB", (500 * len(samples), max(sample.height for sample in samples)))
    for number, sample in enumerate(samples):
        sheet.paste(sample, (500 * number, 0))
    return sheet.quantize(colours, method=image.Quantize.MEDIANCUT, kmeans=2)


def animate(
    record: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    width: int = 800,
    frames: int = 120,
    milliseconds: int = 900,
    every: bool = False,
    colours: int = 128,
) -> Animation:
    """Make an animated GIF of a recorded game.

    Args:
        record: the record.
        out: the file to write; its name ends in ``.gif``.
        width: width in pixels.
        frames: pictures at most, 2 or more; a longer game is thinned out evenly.
        milliseconds: how long each stands; the last stands four times as long. GIF knows hundredths of a second.
        every: True shows every event, not only moves, cards, recruits and volleys.
        colours: colours of the GIF, 2 to 256; one palette for all pictures.

    Raises:
        OptionError: an argument that cannot be.
        RecordError: the record does not replay.
        MissingExtraError: resvg-py or Pillow is not installed.
    """
    path = Path(out)
    if path.suffix != ".gif":
        raise OptionError(f"an animation's name ends in .gif, not {path.name!r}")
    for name, value, *bounds in (
        ("frames", frames, 2, 10_000),
        ("milliseconds", milliseconds, 20, 60_000),
        ("colours", colours, 2, 256),
    ):
        check_count(name, value, *bounds)
    image = need("PIL.Image", "an animation", "Pillow")
    found = read(record)
    game = game_of(found)
    partial = set[int]() if every else _partial(found, game)
    moments = list(_moments(replay(found, game), every, partial))
    if not moments:
        raise OptionError(f"{found.path} has no event to show")
    shown = _thinned(moments, frames)
    palette = _palette(
        image, [shown[number] for number in sorted({0, len(shown) // 3, len(shown) * 2 // 3, len(shown) - 1})], colours
    )
    pictures: list[Any] = []
    for state, events in shown:
        # No dithering: flat colours stay flat, and only what has changed takes room.
        pictures.append(render_image(state, width, events=events).quantize(palette=palette, dither=image.Dither.NONE))
    times = [milliseconds] * (len(pictures) - 1) + [4 * milliseconds]
    made, rest = BytesIO(), pictures[1:]
    pictures[0].save(made, "GIF", save_all=True, append_images=rest, duration=times, loop=0, optimize=True, disposal=1)
    write_bytes(path, made.getvalue())
    return Animation(path, len(pictures), path.stat().st_size, sum(times) / 1000)
