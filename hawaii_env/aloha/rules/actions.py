"""The action table: 105 actions, the same whatever the data and however many play."""

from __future__ import annotations

from hawaii_env.codec import Codec, Family

from .names import ISLANDS, SLOTS

__all__ = [
    "AMOUNT_OF", "CODEC", "CONVERT_TOKEN", "CONVERT_TRACK", "DONE", "EVENT_AT", "KING_TO", "MIGRATE", "N_ACTIONS",
    "PASS", "SETTLE_ON", "TAKE", "WARRIOR_FROM", "WARRIOR_ONE",
]  # fmt: skip

_OTHERS = ("1st", "2nd", "3rd", "4th")


def _migrate(start: int, other: int) -> str:
    return f"migrate {ISLANDS[start]} {ISLANDS[other + (other >= start)]}"


CODEC = Codec(
    settle=Family("settle", ISLANDS, when="`settle`: an island that nobody has settled on"),
    migrate=Family("migrate", ISLANDS, _OTHERS, text=_migrate, when="`prologue_action`, `action`"),
    amount=Family("amount", [str(n) for n in range(1, 31)], when="`amount`: how many tokens migrate"),
    warrior=Family("warrior", when="`prologue_action`"),
    warrior_from=Family(
        "warrior", ISLANDS, when="`action`, Chapters I and II: the island that the Action token is taken from"
    ),
    king=Family("king", ISLANDS, when="`king`: where the King/Queen token goes"),
    take=Family("take", ISLANDS, when="`action`: what the island gives"),
    event=Family("event", [str(slot) for slot in range(1, SLOTS + 1)], ISLANDS, when="`action`: the card in that slot"),
    convert_token=Family(
        "convert", ISLANDS, ("commerce", "aloha"), when="`convert`: a Pure Hawaiian token of that island"
    ),
    convert_track=Family(
        "convert", ("commerce", "aloha"), text=lambda i: f"convert {('commerce', 'aloha')[i]} vote", when="`convert`"
    ),
    done=Family("done", when="`convert`: always legal"),
    **{"pass": Family("pass", when="`action`: only when nothing else is legal, hence always forced")},
)
"""The families in the order of the table."""

N_ACTIONS = CODEC.size
SETTLE_ON = CODEC.block("settle")[0]
MIGRATE = CODEC.block("migrate")[0]
AMOUNT_OF = CODEC.block("amount")[0] - 1  # AMOUNT_OF + n
WARRIOR_ONE = CODEC.block("warrior")[0]
WARRIOR_FROM = CODEC.block("warrior_from")[0]
KING_TO = CODEC.block("king")[0]
TAKE = CODEC.block("take")[0]
EVENT_AT = CODEC.block("event")[0]
CONVERT_TOKEN = CODEC.block("convert_token")[0]
CONVERT_TRACK = CODEC.block("convert_track")[0]
DONE = CODEC.block("done")[0]
PASS = CODEC.block("pass")[0]
