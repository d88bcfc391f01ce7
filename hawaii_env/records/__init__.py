"""Game records [docs/records.md]: one JSON object a line, written as the game goes, replayed exactly.

The first line is the header: format and version, the game with its parameters, the hashes of its ruleset and of its
action table, the players, the seed. Each further line is one event, a decision or a chance outcome, with its text; the
last is the result.
"""

from hawaii_env.records.form import FORMAT, VERSION, Agreement
from hawaii_env.records.reading import Record, parse, read
from hawaii_env.records.replaying import Follower, Replay, follow, game_of, replay, verify
from hawaii_env.records.writing import RecordWriter, check_players, ending, visible

__all__ = [
    "FORMAT",
    "VERSION",
    "Agreement",
    "Follower",
    "Record",
    "RecordWriter",
    "Replay",
    "check_players",
    "ending",
    "follow",
    "game_of",
    "parse",
    "read",
    "replay",
    "verify",
    "visible",
]
