"""Arguments of commands: tables of them, and those that choose a game (``--game NAME``, its options as flags or as
``--option NAME=VALUE``).
"""

from __future__ import annotations

import argparse
import contextlib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib.metadata import entry_points
from typing import Any, NoReturn, TypeAlias

from hawaii_env import games
from hawaii_env.errors import OptionError
from hawaii_env.game import Game
from hawaii_env.games import GameSpec
from hawaii_env.texts import show_value, suggest

__all__ = [
    "JSON",
    "LOAD",
    "PLAIN",
    "RULES",
    "SEED",
    "Argument",
    "Parser",
    "add_arguments",
    "add_game_arguments",
    "argument",
    "chosen",
    "count",
    "describe",
    "game_named",
    "game_of",
    "integer",
    "label",
    "named",
    "own_commands",
    "positive",
    "refuse_flags",
    "variants",
]

ALL = "all"
"""The value that means every value of an option, for commands that play several games."""

_DEST = "option_"


_Commands: TypeAlias = argparse._SubParsersAction  # pyright: ignore[reportPrivateUsage, reportMissingTypeArgument]
Argument: TypeAlias = tuple[tuple[str, ...], dict[str, Any]]


class Parser(argparse.ArgumentParser):
    """A parser whose errors suggest the intended word."""

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        if action.option_strings and arg_strings == ["--"]:  # which argparse would leave out
            raise argparse.ArgumentError(action, "expected a value, not '--'")
        return super()._get_values(action, arg_strings)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]

    def error(self, message: str) -> NoReturn:
        """Print the usage and an error, and exit."""
        found = re.match(r"(?:argument .*: invalid choice: |unrecognized arguments: )'?([^'\s=]+)", message)
        known = [*self._option_string_actions, *(str(one) for each in self._actions for one in each.choices or ())]
        super().error(message + (suggest(found[1], known) if found else ""))


def _commands(parser: argparse.ArgumentParser) -> Iterator[_Commands]:
    """Return the choice of a command, if the parser has one."""
    yield from (action for action in parser._actions if isinstance(action, _Commands))  # pyright: ignore[reportPrivateUsage]


def describe(parser: argparse.ArgumentParser, examples: Mapping[str, str]) -> None:
    """Give each command a description, which is its line in the list of commands, and an example by its name."""
    for commands in _commands(parser):
        for listed in commands._choices_actions:  # pyright: ignore[reportPrivateUsage]
            made, text = commands.choices[listed.dest], str(listed.help)
            made.description = made.description or f"{text[0].upper()}{text[1:]}."
            example = examples.get(made.prog.partition(" ")[2])
            made.epilog = None if example is None else f"Example: {made.prog} {example}".rstrip()
            describe(made, examples)


def named(parser: argparse.ArgumentParser, parsed: argparse.Namespace) -> argparse.ArgumentParser:
    """Return the parser of the command that was given."""
    for commands in _commands(parser):
        if name := getattr(parsed, commands.dest, None):
            return named(commands.choices[name], parsed)
    return parser


def argument(*names: str, **settings: Any) -> Argument:
    """Return an entry of a table of arguments, in the form of `argparse.ArgumentParser.add_argument`."""
    return names, settings


def add_arguments(parser: argparse.ArgumentParser, *table: Argument, **defaults: Any) -> None:
    """Add a table of arguments to a parser, and set its other defaults."""
    for names, settings in table:
        parser.add_argument(*names, **settings)
    parser.set_defaults(**defaults)


def integer(text: str, least: int = 0, most: float = math.inf) -> int:
    """Return an argument as an integer between two bounds; raise an error that argparse prints."""
    if not re.fullmatch(r"\d+", text) or not least <= int(text) <= most:
        bounds = f"of {least} or more" if most == math.inf else f"from {least} to {most}"
        raise argparse.ArgumentTypeError(f"expected an integer {bounds}, not {show_value(text)}")
    return int(text)


def count(text: str) -> int:
    """Return an argument as an integer of at least 1; raise an error that argparse prints."""
    return integer(text, 1)


def positive(text: str) -> float:
    """Return an argument as a number above 0 and below a million; raise an error that argparse prints."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"expected a number above 0, not {show_value(text)}")
    return value


SEED = argument("--seed", type=integer, default=0, help="seed of the first game (default: %(default)s)")
LOAD = argument("--load", action="append", default=[], metavar="FILE", help="a Python file that registers agents")
PLAIN = argument("--plain", action="store_true", help="no colour")
RULES = argument("--rules", metavar="FOLDER", help="a ruleset: a folder that replaces files of the shipped one")
JSON = argument("--json", action="store_true", help="print the odds as one line of JSON")


def game_named(given: Sequence[str]) -> str:
    """Return the game that a command line names, before it is parsed: its options are arguments."""
    for n, text in enumerate(given):
        if text == "--game" and n + 1 < len(given):
            return given[n + 1]
        if text.startswith("--game="):
            return text.partition("=")[2]
    return games.DEFAULT


def add_game_arguments(
    parser: argparse.ArgumentParser, name: str = games.DEFAULT, several: bool = False, local: bool = False
) -> None:
    """Add ``--game``, ``--option`` and the flags of a game's options to a parser.

    Args:
        parser: the parser. What it has already stays: an option whose flag is taken is given by ``--option``.
        name: the game.
        several: True takes ``all`` for options whose values are known.
        local: True adds the flags of those options alone that a browser may not choose.

    Raises:
        OptionError: there is no such game.
    """
    spec = games.find(name)
    add_arguments(
        parser,
        argument("--game", metavar="GAME", default=name, help="which game (default: %(default)s)"),
        argument("--option", action="append", default=[], metavar="NAME=VALUE",
            help="an option of the game, may be given several times"),
    )  # fmt: skip
    taken = {text for action in parser._actions for text in action.option_strings}  # pyright: ignore[reportPrivateUsage]
    for option in spec.options:
        flag = "--" + option.name.replace("_", "-")
        if flag in taken or (local and not option.local):
            continue
        dest = _DEST + option.name
        if option.default is False:
            parser.add_argument(flag, dest=dest, action="store_const", const="True", help=option.meaning)
            continue
        text = option.meaning + (", or all" if several and option.values else "")
        text += "" if option.default is None else f" (default: {option.default})"
        choices = None if option.choices is None else [str(choice) for choice in option.choices]
        metavar = None if choices else option.metavar or ("N" if isinstance(option.default, int) else "NAME")
        action = parser.add_argument(flag, dest=dest, choices=choices, metavar=metavar, help=text.replace("%", "%%"))
        if option.values is not None:
            action.known = lambda option=option: [*spec.values_of(option), *([ALL] if several else [])]  # pyright: ignore[reportAttributeAccessIssue]


def refuse_flags(name: str | None, unknown: Sequence[str]) -> None:
    """Report an unknown flag that is an option of other games than the one played.

    Args:
        name: the game; None if the command plays none.
        unknown: what is left of the command line.

    Raises:
        OptionError: a flag of another game's option.
    """
    if name is None:
        return
    spec = games.find(name)
    for flag in (text.partition("=")[0] for text in unknown if text.startswith("--")):
        option = flag[2:].replace("-", "_")
        others = [other.name for other in _loadable() if any(option == own.name for own in other.options)]
        if others and spec.name not in others:
            raise OptionError(
                f"{flag}: {spec.name} has no option {option!r}, {', '.join(others)} "
                f"{'have' if others[1:] else 'has'} it; "
                f"the game is chosen by --game, options of {spec.name} are "
                f"{', '.join(own.name for own in spec.options)}"
            )


def _loadable() -> Iterator[GameSpec]:
    """Return the specs of all games that can be loaded."""
    for name in games.list_games():
        with contextlib.suppress(OptionError):
            yield games.find(name)


def _given(arguments: argparse.Namespace, spec: GameSpec) -> dict[str, str]:
    """Return the game's options that were given, as text."""
    found = {
        option.name: getattr(arguments, _DEST + option.name)
        for option in spec.options
        if getattr(arguments, _DEST + option.name, None) is not None
    }
    for text in arguments.option:
        name, equals, value = text.partition("=")
        if not equals:
            raise OptionError(f"--option: expected NAME=VALUE, not {show_value(text)}")
        found[spec.option(name).name] = value
    return found


def chosen(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options that were given on the command line.

    Raises:
        OptionError: an option or a value that the game does not have.
    """
    spec = games.find(arguments.game)
    return {name: spec.option(name).read(text) for name, text in _given(arguments, spec).items()}


def game_of(arguments: argparse.Namespace) -> Game:
    """Return the game that the command line names. Raises as `chosen`, and where the game refuses a value."""
    return games.load_game(arguments.game, **chosen(arguments))


def variants(arguments: argparse.Namespace) -> list[Game]:
    """Return the games that the command line names: several, where an option is ``all``."""
    spec = games.find(arguments.game)
    given = _given(arguments, spec)
    listed = {name: text for name, text in given.items() if spec.option(name).values}
    for name, text in listed.items():
        rest = {other: spec.option(other).read(given[other]) for other in given if other != name}
        values = spec.values_of(spec.option(name), rest) if ALL not in rest.values() else ()
        known = [*map(str, values), ALL]
        if values and text == ALL:
            return [spec.make(**{**rest, name: value}) for value in values]
        if values and text not in known:
            what = f"expected one of {', '.join(known)}, not {show_value(text)}"
            raise OptionError(f"--{name.replace('_', '-')}: {what}{suggest(text, known)}")
    return [game_of(arguments)]


def label(game: Game) -> tuple[str, ...]:
    """Return what distinguishes games of one kind: the values of those options whose values are a list, as
    ``("long",)``; without such options, how many play, if that may differ.
    """
    spec = games.get(game.name)
    if spec is None:
        return ()
    listed = tuple(str(game.params[o.name]) for o in spec.options if o.values is not None)
    fewest, most = spec.players
    return listed or ((str(game.num_players),) if fewest < most else ())


def own_commands() -> Iterator[tuple[str, games.Command]]:
    """Return the commands of games and other distributions, with their owners.

    For games that cannot be loaded, `games.find` raises the reason; a command that cannot be loaded raises it when run.
    """
    for spec in _loadable():
        yield from ((f"game {spec.name!r}", command) for command in spec.commands)
    for point in entry_points(group=games.COMMANDS):
        try:
            command = point.load()
        except Exception as error:  # somebody else's package, whose errors harm no other command
            refuse = partial(_refuse, f"command {point.name!r} ({point.value}) cannot be loaded: {error}")
            command = games.Command(name=point.name, help="cannot be loaded", arguments=refuse, run=refuse)
        yield point.value, command


def _refuse(reason: str, _: object) -> NoReturn:
    raise OptionError(reason)
