"""The registry of games and their declarations.

A game is found by its name through the entry-point group ``hawaii_env.games``; each entry names a `GameSpec`:

    [project.entry-points."hawaii_env.games"]
    mygame = "mypackage.spec:SPEC"

or, within one process, through `register`. All code for any game (records, pictures, replay, web, command line,
OpenSpiel, RLlib, Minari) uses only this registry. A spec names code as ``module:attribute``, loaded on first use:
reading the registry imports no game.
"""

from __future__ import annotations

import contextlib
import importlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from operator import attrgetter
from typing import Any, TypeAlias

from hawaii_env._arguments import check_text
from hawaii_env.errors import ArgumentError, OptionError
from hawaii_env.game import Game
from hawaii_env.texts import show_value, suggest

__all__ = [
    "COMMANDS",
    "DEFAULT",
    "ENTRY_POINTS",
    "Command",
    "GameSpec",
    "Level",
    "Option",
    "check_spec",
    "find",
    "get",
    "list_games",
    "load_code",
    "load_game",
    "register",
    "shipped",
]

DEFAULT = "hawaii1795"
"""The default game."""

COMMANDS = "hawaii_env.commands"
ENTRY_POINTS = "hawaii_env.games"
"""The group of entry points in which installed packages name their games."""

Code: TypeAlias = "str | Callable[..., Any] | None"
"""A part of a game: ``module:attribute``, loaded on first use, or, in a spec that one process registers, the object
itself.
"""

PARTS = ("game", "picture", "board", "text_log", "narration", "strings", "guide")
"""The parts of a spec that name code."""

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_COMMAND = re.compile(r"[a-z][a-z0-9-]*")


@dataclass(frozen=True, kw_only=True)
class Option:
    """An option of a game: a keyword argument of its `Game`.

    Attributes:
        name: the argument.
        meaning: its effect, in a line.
        default: its default value.
        choices: its allowed values, or None if they are not a short list. They have the type of the argument.
        values: names code that returns the allowed values if they depend on the game's data: ``values(**options) ->
            list``, given the other options; shells complete them, and ``hawaii fuzz`` plays each of ``all``.
        metavar: the name of its value on the command line, for example ``FOLDER``, which shells complete.
        local: True if only the user who runs a program may choose it, for example a local folder; a browser never may.
    """

    name: str
    meaning: str
    default: Any = None
    choices: tuple[Any, ...] | None = None
    values: Code = None
    metavar: str | None = None
    local: bool = False

    def read(self, text: str) -> Any:
        """Return the value of a command-line text.

        Raises:
            OptionError: not one of the choices, or not a number although the default is one.
        """
        if self.choices is not None:
            for choice in self.choices:
                if str(choice) == text:
                    return choice
            allowed = ", ".join(map(str, self.choices))
            raise OptionError(f"{self.name}: expected one of {allowed}, not {show_value(text)}")
        if isinstance(self.default, bool):
            if text.lower() not in ("true", "false"):
                raise OptionError(f"{self.name}: expected true or false, not {show_value(text)}")
            return text.lower() == "true"
        if isinstance(self.default, int):
            try:
                return int(text)
            except ValueError:
                raise OptionError(f"{self.name}: expected an integer, not {show_value(text)}") from None
        return text


@dataclass(frozen=True, kw_only=True)
class Level:
    """An opponent of the page, chosen by strength.

    Attributes:
        number: 1 is the weakest.
        name: the name for people.
        about: a few words about it, such as "makes few mistakes".
        agent: agent string of the agent that plays it.
        others: other agent strings for values of options, for example ``{"scenario=short": "rule-of-thumb"}``; the
            first match counts.
    """

    number: int
    name: str
    about: str
    agent: str
    others: Mapping[str, str] = field(default_factory=dict[str, str])

    def agent_for(self, options: Mapping[str, Any]) -> str:
        """Return the agent string of this level in a game with these options."""
        for case, agent in self.others.items():
            name, _, value = case.partition("=")
            if str(options.get(name)) == value:
                return agent
        return self.agent


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command of ``hawaii`` that a game adds, or another distribution by an entry point of `COMMANDS`.

    Attributes:
        name: the command.
        help: its effect, in a line.
        arguments: names a table of arguments (`hawaii_env.command_line.argument`), or code that adds them to an
            ``argparse`` parser.
        run: names code that runs it: takes the parsed arguments, returns the exit status.
        example: arguments as an example, for its help.
        interpreted: True uses interpreted mode, for a command that is faster than loading machine code.
    """

    name: str
    help: str
    arguments: str | Callable[..., Any]
    run: str | Callable[..., int]
    example: str = ""
    interpreted: bool = False


def load_code(what: str, place: Any) -> Any:
    """Return the object that ``module:attribute`` names, or the argument itself if it is not a string; `what` names its
    purpose in an error.

    Raises:
        OptionError: it cannot be imported.
    """
    if not isinstance(place, str):
        return place
    module, _, attribute = place.partition(":")
    try:
        return attrgetter(attribute)(importlib.import_module(module))
    except (ImportError, AttributeError) as error:
        raise OptionError(f"{what} = {place!r} cannot be loaded: {error}") from error


@dataclass(frozen=True, kw_only=True)
class GameSpec:
    """The declaration of a game. Names of code are ``module:attribute``; an attribute of a class has a dot.

    Attributes:
        name: the game's short name, `Game.name`.
        title: its name for people.
        game: its `hawaii_env.game.Game` class.
        ruleset: its `hawaii_env.rulesets.Ruleset` class; None for a game without ruleset files.
        environments: PettingZoo ids with their module, for example ``{"hawaii1795_v1": "hawaii_env.hawaii1795_v1"}``;
            the last is the newest.
        parallel: True if these modules also have ``parallel_env``.
        players: the minimum and maximum number of players.
        options: the keyword arguments of the `Game`, each with its meaning.
        picture: draws a position, see `hawaii_env.render.picture.SvgDrawer`; None shows the view as text.
        board: draws a position as text as a player knows it: ``board(state, player=None) -> str``; None shows the view.
        styles: patterns (regular expressions) with rich's styles, for coloured text.
        log_styles: the same for the lines of the text log.
        text_log: writes a game's log for a terminal: ``text_log(game, boards) -> TextLog``; see
            `hawaii_env.render.text`.
        narration: writes a game's log for the page and the replay page: ``narration(game) -> Narration``; see
            `hawaii_env.narration`.
        strings: the texts of the page of ``hawaii serve``: ``strings(game) -> Strings``; see `hawaii_env.web.strings`.
            None: the texts of the game's actions and phases.
        guide: the page's advice: ``guide(game) -> Guide``; see `hawaii_env.web.strings`.
        levels: the page's opponents by strength, the weakest first; `level` is the number of the default.
        level: see `levels`.
        demo_agent: the agent of ``hawaii demo``.
        legend: a legend for the text board, in a sentence or two.
        static: name of a package whose folder ``static`` has the game's optional files for the page: ``editor.js``,
            which exports ``editorPage(main, argument, signal)``, ``style.css``, and their imports.
        tracks: name of a package whose folder ``tracks`` has the benchmark suites, ``TRACK.toml`` each; see
            `hawaii_env.benchmark.suites`.
        commands: additional commands of ``hawaii``.
    """

    name: str
    title: str
    game: str | Callable[..., Game]
    ruleset: Code = None
    environments: Mapping[str, str] = field(default_factory=dict[str, str])
    parallel: bool = False
    players: tuple[int, int] = (2, 2)
    options: tuple[Option, ...] = ()
    picture: Code = None
    board: Code = None
    styles: tuple[tuple[str, str], ...] = ()
    log_styles: tuple[tuple[str, str], ...] = ()
    text_log: Code = None
    narration: Code = None
    strings: Code = None
    guide: Code = None
    levels: tuple[Level, ...] = ()
    level: int = 1
    demo_agent: str = "random"
    legend: str = ""
    static: str | None = None
    tracks: str | None = None
    commands: tuple[Command, ...] = ()

    def load(self, part: str) -> Any:
        """Return the code that a part (``"game"``, ``"picture"``, ...) names, or None if the game has none.

        Raises:
            OptionError: it cannot be imported; the message names game, part and place.
        """
        return self.code(part, getattr(self, part))

    def code(self, part: str, place: Any) -> Any:
        """Return the object that ``module:attribute`` names, or the argument itself if it is not a string; `part` names
        it in an error. Raises as `load`.
        """
        return load_code(f"game {self.name!r}: {part}", place)

    def values_of(self, option: Option, options: Mapping[str, Any] | None = None) -> list[Any]:
        """Return the allowed values of an option, given the others."""
        others = {name: value for name, value in (options or {}).items() if name != option.name}
        return list(self.code(f"option {option.name!r}: values", option.values)(**others))

    def level_of(self, agent: str, options: Mapping[str, Any]) -> Level | None:
        """Return the level of an agent in a game with these options, or None."""
        return next((level for level in self.levels if agent == level.agent_for(options)), None)

    def agent_name(self, agent: str, options: Mapping[str, Any]) -> str:
        """Return the name of an agent for people: its level's in a game with these options, else its agent string in
        words, as "Rule of thumb", "MCTS (sims 50)".
        """
        level = self.level_of(agent, options)
        if level is not None:
            return level.name
        name, _, given = agent.partition(":")
        words = name.upper() if name in ("mcts", "ppo") else re.sub(r"[-_]+", " ", name).strip().capitalize()
        return f"{words} ({re.sub('[=_-]+', ' ', given).replace(',', ', ')})" if given else words

    def option(self, name: str) -> Option:
        """Return the option of a name.

        Raises:
            ArgumentError: the game does not have it; the message names those that it has.
        """
        for option in self.options:
            if option.name == name:
                return option
        known = ", ".join(sorted(option.name for option in self.options)) or "none"
        hint = suggest(name, (option.name for option in self.options))
        raise ArgumentError(f"{self.name} has no option {name!r}; it takes: {known}{hint}")

    def make(self, **options: Any) -> Game:
        """Return the game with these options.

        Raises:
            ArgumentError: an option that the game does not have.
            OptionError: a value that the game does not allow, or a game that does not match its spec.
        """
        for key in options:
            try:
                self.option(key)
            except ArgumentError as error:
                raise ArgumentError(f"got an unexpected keyword argument {show_value(key)}: {error}") from None
        game = self.load("game")(**options)
        _check_game(self, game)
        return game


def _check_game(spec: GameSpec, game: Any) -> None:
    """Check that a game matches its spec.

    Raises:
        OptionError: it does not; the message names the field.
    """
    where = f"game {spec.name!r}: {type(game).__name__}"
    if not isinstance(game, Game):
        raise OptionError(f"{where} is not a hawaii_env.game.Game")
    # What a property of the class makes when first asked for is not made here.
    if missing := [name for name in Game.__annotations__ if not hasattr(type(game), name) and not hasattr(game, name)]:
        raise OptionError(f"{where} lacks {missing[0]!r}")
    fewest, most = spec.players
    declared = {option.name for option in spec.options}
    for wrong, what in (
        (game.name != spec.name, f" is called {game.name!r}: the names must agree"),
        (
            not fewest <= game.num_players <= most or len(game.agents) != game.num_players,
            f" has {game.num_players} players and {len(game.agents)} agents; declared are {fewest} to {most} players",
        ),
        (
            sum(part.size for part in game.observation_parts) != game.observation_size,
            f": the observation's parts do not make its {game.observation_size} values",
        ),
        *((True, f": {name!r} is an option without a parameter") for name in sorted(declared - set(game.params))),
        *((True, f": {name!r} is a parameter that no option declares") for name in sorted(set(game.params) - declared)),
    ):
        if wrong:
            raise OptionError(f"{where}{what}")


_registered: dict[str, GameSpec] = {}


def register(spec: GameSpec) -> None:
    """Register a game under its name in this process.

    Raises:
        OptionError: the spec is incomplete, or another game has its name.
    """
    check_spec(spec)
    if _registered.get(spec.name, spec) != spec or (spec.name in _installed() and _loaded(spec.name) != spec):
        raise OptionError(f"there is another game {spec.name!r} already")
    _registered[spec.name] = spec


@cache
def _installed() -> dict[str, EntryPoint]:
    """Return the games of installed packages. Searching all installed packages takes milliseconds."""
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=ENTRY_POINTS):
        other = found.setdefault(point.name, point)
        if other.value != point.value:
            raise OptionError(f"two packages have a game {point.name!r}: {other.value} and {point.value}")
    return found


@cache
def _loaded(name: str) -> GameSpec:
    point = _installed()[name]
    try:
        spec = point.load()
    except Exception as error:
        # Somebody else's package: any error in it names it, and harms no other game.
        raise OptionError(f"game {name!r} ({point.value}) cannot be loaded: {type(error).__name__}: {error}") from error
    check_spec(spec)
    if spec.name != name:
        raise OptionError(f"the entry point {name!r} ({point.value}) brings a game {spec.name!r}: the names must agree")
    return spec


def list_games() -> list[str]:
    """Return the names of all registered games, sorted. No game is imported."""
    return sorted({*_registered, *_installed()})


def shipped() -> list[GameSpec]:
    """Return the specs of the games of this distribution, sorted by name.

    Games that cannot be loaded are skipped, for example if the installed version differs from the imported one; `find`
    raises the reason.
    """
    found: list[GameSpec] = []
    for name, point in sorted(_installed().items()):
        if point.value.startswith("hawaii_env."):
            with contextlib.suppress(OptionError):
                found.append(_loaded(name))
    return found


def find(name: str) -> GameSpec:
    """Return the spec of the game of this name.

    Raises:
        OptionError: there is no such game, or its spec cannot be loaded or is incomplete.
    """
    check_text("name", name)
    if name in _registered:
        return _registered[name]
    if name not in _installed():
        known = list_games()
        raise OptionError(f"there is no game {name!r}; available: {', '.join(known)}{suggest(name, known)}")
    return _loaded(name)


def get(name: str) -> GameSpec | None:
    """Return the spec of the game of this name, or None if it is not registered."""
    check_text("name", name)
    return find(name) if name in _registered or name in _installed() else None


def load_game(game: str | Game, /, **options: Any) -> Game:
    """Return the `Game` of a name with these options, for stepping single states.

    >>> import hawaii_env
    >>> state = hawaii_env.load_game("aloha", players=3).initial_state(seed=1)
    >>> state.apply(state.legal_actions()[0])

    Args:
        game: the name of a game (`list_games`). A `Game` is returned unchanged.
        options: the game's options, for example ``scenario="short"``; `GameSpec.options` describes them.

    Raises:
        OptionError: an unknown game, or a value that the game does not allow.
        ArgumentError: an option that the game does not have, or options beside a `Game`.
    """
    if isinstance(game, str):
        return find(game).make(**options)
    if not isinstance(game, Game):
        raise OptionError(f"game: expected the name of a game or a Game, not {show_value(game)}")
    if options:
        raise ArgumentError(
            f"got an unexpected keyword argument {', '.join(map(repr, options))}: options go with the name of a game, "
            "not with a Game"
        )
    return game


def check_spec(spec: object) -> None:
    """Check a spec without loading its code.

    Raises:
        OptionError: no `GameSpec`, or a field that is missing or has the wrong form; the message names it.
    """
    if not isinstance(spec, GameSpec):
        raise OptionError(f"a game is declared by a GameSpec, not by {show_value(spec)}")
    if not _NAME.fullmatch(spec.name):
        raise OptionError(f"a game's name is lower-case letters, digits and '_', a letter first; not {spec.name!r}")
    if not spec.title:
        raise OptionError(f"game {spec.name!r}: title is missing")
    parts = {part: getattr(spec, part) for part in PARTS}
    parts |= {f"option {option.name!r}: values": option.values for option in spec.options}
    for command in spec.commands:
        if not _COMMAND.fullmatch(command.name) or not command.help:
            raise OptionError(
                f"game {spec.name!r}: a command has a name in lower case and a line of help, not {show_value(command)}"
            )
        parts |= {f"command {command.name!r}: {part}": getattr(command, part) for part in ("arguments", "run")}
    for part, place in parts.items():
        if callable(place) or (place is None and part != "game" and not part.startswith("command")):
            continue
        if not isinstance(place, str) or not re.fullmatch(r"[\w.]+:[\w.]+", place):
            raise OptionError(f"game {spec.name!r}: {part} is named as 'module:attribute', not {place!r}")
    (fewest, most), numbers = spec.players, [level.number for level in spec.levels]
    names = [option.name for option in spec.options]
    for wrong, what in (
        (not 1 <= fewest <= most, f"players are the fewest and the most, not {spec.players}"),
        (
            numbers != list(range(1, len(numbers) + 1)) or (numbers and spec.level not in numbers),
            f"levels are numbered from 1, and level is one of them; not {numbers} and {spec.level}",
        ),
        *((names.count(name) > 1, f"option {name!r} stands twice") for name in names),
        *((not option.meaning, f"option {option.name!r} has no meaning") for option in spec.options),
    ):
        if wrong:
            raise OptionError(f"game {spec.name!r}: {what}")
