"""The action table: small steps that make orders, retreats, adjustments and ballots."""

from __future__ import annotations

from functools import cache

from hawaii_env.codec import Codec, Family
from hawaii_env.heiau.rules.board import Board

from .orders import BOATS

__all__ = [
    "BUILD", "DISBAND", "DONE", "NAMES", "REMOVE", "RETREAT", "STAY", "TO", "VOTE", "Actions", "Step", "actions_of",
]  # fmt: skip

STAY, TO, RETREAT, DISBAND, BUILD, REMOVE, DONE, VOTE = range(7, 15)
"""Kinds of action beside the verbs of orders, HOLD to POST."""

NAMES = (
    "hold", "move", "via", "support", "convoy", "boats", "post", "stay", "to", "retreat", "disband", "build",
    "remove", "done", "vote",
)  # fmt: skip
"""The families by their kind: verbs of orders first, then the others."""

Step = tuple[int, int]
"""An action decoded: its kind (HOLD ... VOTE) and its space, place, coast or choice; -1 where it has none."""


class Actions:
    """The table of a board: encoding and decoding by what a step is about.

    Args:
        board: the board.
        choices: the scenarios that ballots choose between.

    Attributes:
        codec: families, texts and hash.
        steps: what each action means.
    """

    def __init__(self, board: Board, choices: tuple[str, ...]) -> None:
        coastal = [s for s, kind in enumerate(board.kind) if kind == "coast"]
        open_seas = [s for s, kind in enumerate(board.kind) if kind == "sea" and not board.oceans >> s & 1]
        ports = [p for s in coastal for p in (board.bare[s], *board.coasts[s])] + [board.bare[s] for s in open_seas]
        stands = [s for s in range(len(board.spaces)) if not board.oceans >> s & 1]
        coasts = tuple(dict.fromkeys(board.places[p].partition("/")[2] for of in board.coasts for p in of))
        spaces = list(range(len(board.spaces)))
        every = list(range(len(board.places)))

        def names(of: list[int]) -> list[str]:
            return [board.spaces[s] for s in of]

        marks = ("", *(f"/{coast}" for coast in coasts))
        self.codec: Codec = Codec(
            hold=Family("hold", when="orders: the unit stays"),
            move=Family("move", board.places, when="orders: the unit goes there by itself; without a coast for armies"),
            via=Family("via", [board.places[p] for p in ports], when="orders: the unit goes there by convoy"),
            support=Family("support", names(spaces), when="orders, first half: the unit there is supported"),
            convoy=Family("convoy", names(coastal), when="orders, first half: the unit there is convoyed"),
            stay=Family("stay", when="orders, second half: supported to stay"),
            to=Family("to", names(spaces), when="orders, second half: supported or convoyed to there"),
            boats=Family(
                "boats",
                marks,
                text=lambda i: f"boats{marks[i]}",
                when="orders: an army builds boats, on that coast where there are several",
            ),
            post=Family("post", when="orders: a fleet builds its trading post"),
            retreat=Family("retreat", board.places, when="retreats: the dislodged unit goes there"),
            disband=Family("disband", when="retreats: the dislodged unit is disbanded"),
            build=Family("build", names(coastal), when="adjustments: an army there"),
            remove=Family("remove", names(stands), when="adjustments: the unit there"),
            done=Family("done", when="adjustments: no more builds"),
            vote=Family("vote", choices, when="ballot"),
        )
        meaning: dict[str, list[int]] = {
            "move": every, "via": ports, "support": spaces, "convoy": coastal, "to": spaces, "retreat": every,
            "build": coastal, "remove": stands, "boats": list(range(len(marks))), "vote": list(range(len(choices))),
        }  # fmt: skip
        self.choices = choices
        self.steps: list[Step] = []
        self._at: dict[Step, int] = {}
        for kind, name in sorted(enumerate(NAMES), key=lambda entry: self.codec.block(entry[1])[0]):
            for value in meaning.get(name, [-1]):
                self._at[kind, value] = len(self.steps)
                self.steps.append((kind, value))
        self._coast_mark: dict[int, int] = {
            p: 1 + coasts.index(name.partition("/")[2]) if "/" in name else 0 for p, name in enumerate(board.places)
        }

    def of(self, kind: int, value: int = -1) -> int:
        """Return the action of a kind and its space, place, mark or choice."""
        return self._at[kind, value]

    def find(self, kind: int, value: int) -> int:
        """Return the action of a kind and value, or -1 if no action has them."""
        return self._at.get((kind, value), -1)

    def boats(self, place: int) -> int:
        """Return the action that builds boats in a place."""
        return self._at[BOATS, self._coast_mark[place]]


@cache
def actions_of(board: Board, choices: tuple[str, ...]) -> Actions:
    """Return the table of a board, made once."""
    return Actions(board, choices)
