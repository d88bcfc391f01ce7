"""Actions as text, and back [7.2]: verb, piece with its marks, places, in the order of play."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hawaii_env.errors import IllegalActionError
from hawaii_env.texts import show_value

from .rules.actions import CANOE_NAMES, CODEC
from .rules.cards import card_of
from .rules.names import N_NUMBERS


def action_texts(ids: tuple[str, ...]) -> tuple[str, ...]:
    """Return the text of every action; held events go by their cards' ids, and by deck and number where both decks use
    one id.
    """
    texts = list(CODEC.texts)
    for side in (0, 1):
        for number in range(1, N_NUMBERS + 1):
            name = ids[card_of(side, number)]
            if ids.count(name) == 1:
                texts[CODEC.action("play", side, number - 1)] = f"play {name}"
    return tuple(texts)


def _canoe_as_any(text: str) -> str:
    words = ["canoe" if word in CANOE_NAMES else word for word in text.split()]
    return " ".join(words)


def _shortened(text: str) -> set[str]:
    """Return shorter ways to say an action: a piece without its marks, any canoe as `canoe`, a fleet without its
    canoe.
    """
    plain = _canoe_as_any(" ".join(word.split("/")[0] for word in text.split()))
    short = {plain}
    words = plain.split()
    if words[0] == "fleet":
        short.add(f"fleet canoe {words[-1]}")
        short.add(f"fleet {words[-1]}")
    if words[0] == "play":
        short.add(text)
    return short


def parse(
    texts: tuple[str, ...],
    legal: list[int],
    text: Any,
    phase: str,
    section: str,
    canoe_of: Callable[[int], str] | None = None,
) -> int:
    """Return the legal action that a text names: exactly, or as the only one that a shorter text fits.

    Args:
        canoe_of: the kind of canoe that an action moves, asked where a text names a kind and the action says `canoe`.

    Raises:
        IllegalActionError: none or several fit.
    """
    if not isinstance(text, str):
        raise IllegalActionError(f"an action's text is a string, not {show_value(text)}")
    wanted = " ".join(text.split()).lower()
    for action in legal:
        if texts[action] == wanted:
            return action
    found = [a for a in legal if wanted in _shortened(texts[a])]
    kinds = [word for word in wanted.split() if word in CANOE_NAMES[1:]]
    if not found and len(kinds) == 1 and canoe_of is not None:
        # A canoe named by its kind where the action says `canoe`, because no kinds collide.
        found = [a for a in legal if _canoe_as_any(wanted) in _shortened(texts[a]) and canoe_of(a) == kinds[0]]
    if len(found) == 1:
        return found[0]
    shown = ", ".join(texts[a] for a in (found or legal)[:12])
    if found:
        raise IllegalActionError(f"{wanted!r} is ambiguous in phase {phase} {section}: {shown}")
    raise IllegalActionError(f"{wanted!r} is not legal in phase {phase} {section}; legal are: {shown}")
