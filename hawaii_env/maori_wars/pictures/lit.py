"""Legal actions by what they name, so that hexes, pieces and territories can be lit and clicked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hawaii_env.maori_wars.board import neighbours
from hawaii_env.maori_wars.pictures.scene import Group, Scene
from hawaii_env.maori_wars.rules.names import SIDES

__all__ = ["Lit", "acts_of"]

_HEX_VERBS = ("from", "to", "target", "place", "build")
_SIDE_VERBS = ("go", "counter", "with", "advance")


class Lit:
    """The legal actions by what they name.

    Attributes:
        hexes: actions by hex; those that name a side stand at the hex across it, `stack` at that of the stack, and the
            raid that begins at its target.
        pieces: by kind and condition, or leader; they are meant in `place`, or anywhere if it is None.
        territories: by territory; a hunt, and to stay, stand at that of the piece.
    """

    def __init__(self, legal: Mapping[int, str] | None, scene: Scene) -> None:
        self.hexes: dict[str, list[int]] = {}
        self.pieces: dict[str, list[int]] = {}
        self.territories: dict[str, list[int]] = {}
        focus = scene.middle
        self.place: str | None = scene.spoken_of
        for action, words in ((action, text.split()) for action, text in (legal or {}).items()):
            verb, what = words[0], words[1] if len(words) > 1 else ""
            if verb in _HEX_VERBS:
                self.hexes.setdefault(what, []).append(action)
            elif verb in _SIDE_VERBS and focus is not None:
                self.hexes.setdefault(neighbours(focus)[SIDES.index(what)], []).append(action)
            elif verb in ("unit", "carry"):
                self.pieces.setdefault(what, []).append(action)
            elif verb == "territory":
                self.territories.setdefault(what, []).append(action)
            elif verb == "stack" and self.place is not None:
                self.hexes.setdefault(self.place, []).append(action)
            elif scene.view["step"] == "raid_more" and scene.target is not None:
                self.hexes.setdefault(scene.target, []).append(action)
            elif scene.view["step"] in ("bush_act", "hunt_more") and self.place is not None:
                self.territories.setdefault(self.place, []).append(action)

    def of_group(self, place: str, group: Group) -> Sequence[int]:
        """Return the actions of a group of pieces of a place."""
        if self.place not in (None, place):
            return ()
        return self.pieces.get(f"{group.kind}{'/disrupted' * group.disrupted}", ())


def acts_of(actions: Sequence[int] | None) -> str:
    """Return actions as an attribute of what can be clicked."""
    return f' data-actions="{" ".join(map(str, actions))}"' if actions else ""
