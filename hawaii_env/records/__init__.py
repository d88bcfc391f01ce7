"""Records of games [docs/records.md]: their form and their files."""

from .files import (
    FORMAT,
    VERSION,
    Agreement,
    Follower,
    Record,
    RecordWriter,
    Replay,
    ending,
    follow,
    game_of,
    read,
    replay,
    verify,
    visible,
)

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
