"""The board as text for a terminal: a map of letters, then who stands where."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hawaii_env.maori_wars.pictures.names import PHASE_NAMES, STRUCTURE_NAMES, counted, level_of, month
from hawaii_env.maori_wars.pictures.scene import Group, Scene
from hawaii_env.terminal import columns as terminal_columns
from hawaii_env.terminal import fold
from hawaii_env.texts import count

__all__ = ["board", "board_text"]

_TERRAIN = {"clear": ".", "rough": "%", "mountain": "^"}
_STRUCTURES = {"settlement": "S", "fort": "F", "village": "V", "pa": "P", "town": "T"}
_SIDES = {"maori": "m", "queenite": "q", "british": "b", "neutral": "n"}
_KEY = (
    "T town, S settlement, F fort, V village, P pā; m Māori, b British, q Queenites, n neutral; * leader, ! Disrupted; "
    ". clear, % bush, ^ mountain, ~ sea or lake."
)


def _cell(scene: Scene, at: str, wide: int) -> str:
    """Return what a hex holds, in so many letters."""
    board = scene.rules.board
    groups = scene.units(at)
    units = [group for group in groups if not group.is_leader]
    structure = scene.structures.get(at)
    said = "" if structure is None else _STRUCTURES[structure.kind.rpartition("_")[2]]
    if units:
        said += _SIDES[units[0].side] + (str(sum(group.count for group in units)) if wide > 3 else "")
    elif structure is not None and wide > 1:
        said += _SIDES[structure.side]
    if wide > 3:
        said += "*" * (len(groups) > len(units)) + "!" * any(group.disrupted for group in units)
    return (said or _TERRAIN[board.terrain(at)])[:wide]


def _map(scene: Scene, territories: tuple[str, ...]) -> Iterator[str]:
    """Draw the theatre: a column of letters for each column of hexes, even ones half a row lower if there is room."""
    board = scene.rules.board
    inside = {at for at in board.land if board.territory(at) in territories}
    columns = range(min(int(at[:2]) for at in inside), max(int(at[:2]) for at in inside) + 1)
    rows = range(min(int(at[2:]) for at in inside), max(int(at[2:]) for at in inside) + 1)
    room = terminal_columns() - 2
    wide = min(9, max(1, room // len(columns)))
    halves = (0, 1) if len(rows) <= 12 else (None,)
    step = 1 if wide > 2 else 4 // wide  # where columns are narrow, some have no number
    numbered = [column for column in columns if column % step == 1 % step]
    yield " " * wide * (numbered[0] - columns[0]) + "".join(f"{column:02}".ljust(wide * step) for column in numbered)
    for row in rows:
        for half in halves:
            line = ""
            for column in columns:
                at = f"{column:02}{row:02}"
                if half is not None and (column + 1) % 2 != half:
                    line += " " * wide
                elif at in inside:
                    line += _cell(scene, at, wide).ljust(wide)
                else:
                    line += ("~" if at in board.ocean or at in board.lake else " ").ljust(wide)
            yield f"{line.rstrip():{room - 2}}{row:02}" if half != 1 else line.rstrip()


def _group(scene: Scene, group: Group) -> str:
    return counted(scene.rules, group.kind, group.count) + (" (Disrupted)" if group.disrupted else "")


def _wrapped(head: str, said: str) -> list[str]:
    return fold(f"{head}: {said}", rest="    ")


def _places(scene: Scene, territories: tuple[str, ...]) -> Iterator[str]:
    """Return a line for each hex with something in it, territory by territory, and for the bush of each."""
    board = scene.rules.board
    for territory in territories:
        yield f"{board.map.territories[territory].name}:"
        for at in sorted({*scene.structures, *scene.groups} & board.map.hexes.keys()):
            if board.territory(at) != territory:
                continue
            structure = scene.structures.get(at)
            parts: list[str] = []
            if structure is not None:
                kind = "town" if structure.kind == "town" else STRUCTURE_NAMES[structure.kind]
                taken = " (taken)" if (structure.kind, structure.side) == ("town", "maori") else ""
                parts.append(kind + taken + (" (Disrupted)" if structure.disrupted else ""))
            parts += [_group(scene, group) for group in scene.units(at)]
            name = board.hex_name(at)
            yield from _wrapped(f"  {at}{f' {name}' if name != at else ''}", ", ".join(parts))
        if scene.units(territory):
            yield from _wrapped("  in the bush", ", ".join(_group(scene, group) for group in scene.units(territory)))


def board_text(view: Any, rules: Any) -> str:
    """Return a position, a view as a table, as lines of text."""
    scenario, scene = rules.scenarios[view["scenario"]], Scene(view, rules)
    territories = tuple(name for name in rules.board.territories if name in scenario.theatre)
    half = {"maori": "Māori", "british": "British"}[view["half"]]
    when = f"turn {view['turn']} of {scenario.turns}, {month(scenario.first, view['turn'])}"
    phase = PHASE_NAMES[view["phase"]]
    lines = [
        f"Maori Wars: {scenario.name}",
        f"{when[:1].upper()}{when[1:]}, {half} half: {phase.lower()}",
    ]
    marker = view["marker"]
    points = "0" if not marker else f"{count(abs(marker), 'point')} for {'Māori' if marker < 0 else 'the British'}"
    lines += [f"Victory points: {points} ({level_of(rules, marker)})", "", *_map(scene, territories)]
    lines += ["", _KEY, "", *_places(scene, territories), ""]
    for owner, name in (("maori", "Māori"), ("british", "British")):
        held = [counted(rules, kind, n) for kind, n in view["boxes"][owner].items()]
        lines += _wrapped(f"Box, {name}", ", ".join(held) or "empty")
    lines += [f"Chits in the cup: {len(view['cup'])}"]
    if scene.target:
        lines.append(f"Combat: {rules.board.hex_name(scene.target)} ({scene.target}) is attacked")
    return "\n".join(part for line in lines for part in fold(line))


def board(state: Any, player: int | None = None) -> str:
    """Return a position as lines of text."""
    text = board_text(state.view(player).to_dict(), state.game.ruleset)
    outcome = state.outcome()
    if outcome is None:
        return text
    winner = "A tie" if outcome.winner is None else f"{('Māori', 'The British')[outcome.winner]} won"
    return "\n".join([text, "", *fold(f"{winner}: {outcome.reason}")])
