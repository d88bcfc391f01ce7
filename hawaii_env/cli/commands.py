"""The ``hawaii`` command: watch games, look at the rules, fuzz the engine, check records.

It uses rich for colour where it is installed, and plain text otherwise. Errors that are the user's go to stderr in one
line, with exit status 2; a check that fails has exit status 1.

One file: a command is a table of arguments and a short function.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

from hawaii_env import games
from hawaii_env._command import restore
from hawaii_env._version import __version__
from hawaii_env.arena import cli as arena_cli
from hawaii_env.cli.completion import SHELLS
from hawaii_env.cli.rules import add_rules_arguments, run_rules
from hawaii_env.command_line import (
    LOAD,
    PLAIN,
    SEED,
    Argument,
    Parser,
    add_arguments,
    add_game_arguments,
    argument,
    count,
    describe,
    game_named,
    game_of,
    integer,
    label,
    named,
    own_commands,
    refuse_flags,
    variants,
)
from hawaii_env.core.jit import interpret
from hawaii_env.errors import HawaiiError, OptionError, RecordError
from hawaii_env.game import Game
from hawaii_env.games import load_code
from hawaii_env.terminal import TOGETHER, Output, Printer, say
from hawaii_env.texts import count as plural

__all__ = ["main"]


IS = f"{TOGETHER}={TOGETHER}"
"""An equals sign at which no line breaks."""

STYLES = (
    (r"^Game .*$", "bold underline"),
    (r"^[A-Z].* won: .*$", "bold green"),
    (r"^[A-Z].*A tie: .*$", "bold yellow"),
    (r"^  -+$", "dim"),
)
"""Styles of the lines of games that are printed."""


def _printer(arguments: argparse.Namespace, game: str) -> Printer:
    spec = games.get(game)
    return Printer(arguments.plain, (*STYLES, *(() if spec is None else spec.log_styles)))


def _load_agents(arguments: argparse.Namespace) -> None:
    from hawaii_env import agents

    for path in arguments.load:
        agents.load_file(path)


# hawaii demo


def _kind(game: Game) -> str:
    """Return the kind of a game, as "long scenario", or its title, with how many play if that may differ."""
    spec = games.find(game.name)
    values = label(game)
    listed = [option.name.replace("_", " ") for option in spec.options if option.values is not None]
    if not listed:
        return f"{spec.title}, {values[0]} players" if values else spec.title
    return ", ".join(f"{value} {name}" for value, name in zip(values, listed, strict=True))


def _demo(arguments: argparse.Namespace) -> int:
    spec = games.find(arguments.game)
    if arguments.agents is None or (arguments.agents == "random" and arguments.games == 1):
        interpret()  # a game takes less time than loading machine code
    arguments.agents = arguments.agents or spec.demo_agent
    from hawaii_env.env.aec import GameEnv

    _load_agents(arguments)
    game = game_of(arguments)
    out, env = _printer(arguments, game.name), GameEnv(game)
    seed = int.from_bytes(os.urandom(4), "big") if arguments.seed is None else arguments.seed
    wins = dict.fromkeys(game.agents, 0)
    decisions = 0
    for number in range(arguments.games):
        outcome, made = _demo_game(arguments, game, seed + number, number, out, env)
        decisions += made
        if outcome["winner"] is not None:
            wins[outcome["winner"]] += 1
    env.close()
    ties = arguments.games - sum(wins.values())
    tally = ", ".join(f"{agent}{TOGETHER}{won}" for agent, won in wins.items())
    out.line(f"{plural(arguments.games, 'game')}, {plural(decisions, 'decision')}. Won: {tally}; tied{TOGETHER}{ties}.")
    if not arguments.quiet:
        others = [name for name in games.list_games() if name != game.name]
        shows = f"`hawaii demo --game {others[0]}` shows another game, " if others else ""
        out.line(f"Next: `hawaii serve` lets you play in a browser, {shows}`hawaii agents` lists who can play.")
    return 0


def _demo_game(
    arguments: argparse.Namespace, game: Game, seed: int, number: int, out: Any, env: Any
) -> tuple[dict[str, Any], int]:
    """Play and print one game of ``hawaii demo``; return its outcome and the number of decisions."""
    from hawaii_env import agents
    from hawaii_env.records import Follower
    from hawaii_env.render.text import text_log
    from hawaii_env.supervision import Supervisor

    supervisor = Supervisor(game)
    for seat, agent in enumerate(agents.listed_agents(arguments.agents, game)):
        supervisor.make(seat, agent, seed + seat)
    options: dict[str, Any] = {"trace": True, "players": supervisor.names}
    if arguments.record:
        options["record"] = Path(arguments.record) / f"{'-'.join([game.name, *label(game)])}-{seed}.jsonl"
    env.reset(seed=seed, options=options)
    names = ", ".join(f"{agent}{IS}{name}" for agent, name in zip(game.agents, supervisor.names, strict=True))
    out.line(f"Game {number + 1} of {arguments.games}: {_kind(game)}, seed {seed}, {names}")
    legend = games.find(arguments.game).legend
    if arguments.boards and legend and not number and not arguments.quiet:
        out.line(f"Legend: {legend}")
    log, follower, seen, decisions = text_log(game, arguments.boards), Follower(game), 0, 0
    outcome: dict[str, Any] = {}
    for agent in env.agent_iter():
        _, _, terminated, truncated, info = env.last(observe=False)
        trace = env.game_state.trace or []
        if len(trace) > seen and not arguments.quiet:
            out.lines(log.feed(follower.feed(trace[seen:])))
            seen = len(trace)
        if terminated or truncated:
            outcome = info["outcome"]
            env.step(None)
            continue
        env.step(supervisor.choose(env.possible_agents.index(agent), env.game_state))
        decisions += 1
    for seat in range(game.num_players):
        supervisor.finish(seat, env.game_state)
    supervisor.close()
    if arguments.quiet:
        out.line(f"  {outcome['winner'] or 'a tie'}: {outcome['reason']}")
    else:
        out.lines([*log.end(env.game_state), ""])
    return outcome, decisions


# hawaii warm


def _warm(arguments: argparse.Namespace) -> int:
    from hawaii_env.core import cache as code_cache
    from hawaii_env.core import jit
    from hawaii_env.warm import warm

    started = time.perf_counter()
    if jit.INTERPRETED:
        say("Interpreted mode (HAWAII_ENV_PLAIN) compiles nothing.")
        return 0
    try:
        for name in games.list_games() if arguments.game is None else [arguments.game]:
            warm(games.load_game(name))
    except KeyboardInterrupt:
        raise KeyboardInterrupt("stopped; compiled code is kept, and the same command resumes") from None
    where = code_cache.root() if code_cache.folder() else f"{code_cache.root()}, which cannot be written"
    say(f"Compiled in {time.perf_counter() - started:.1f} s; cache: {where}")
    return 0


# hawaii fuzz


def _fuzz(arguments: argparse.Namespace) -> int:
    from hawaii_env.fuzz import fuzz, replay_failure

    if arguments.replay:
        found = replay_failure(arguments.replay)
        if found is None:
            say(f"{arguments.replay}: everything holds")
            return 0
        say(found)
        return 1
    kinds = variants(arguments)
    for number, game in enumerate(kinds):
        share = arguments.games // len(kinds) + (number < arguments.games % len(kinds))
        if not share:
            continue
        report = fuzz(game, share, arguments.seed, arguments.out, arguments.jobs, arguments.every)
        rate = report.games / max(report.seconds, 1e-9)
        say(
            f"{', '.join(label(game)) or game.name}: {plural(report.games, 'game')} in {report.seconds:.1f} s "
            f"({rate:,.0f} a second), seeds from {arguments.seed}"
        )
        if report.checked:
            wins = ", ".join(f"{agent}{TOGETHER}{won}" for agent, won in zip(game.agents, report.wins, strict=False))
            say(
                f"  {report.checked:,} of them checked in Python: {report.decisions / report.checked:.0f} decisions a "
                f"game, at most {report.longest}; won: {wins}; tied{TOGETHER}{report.wins[-1]}"
            )
        if report.failure is not None:
            say(f"FAILED: {report.failure}")
            return 1
    say("no violation")
    return 0


# hawaii record


def _record(arguments: argparse.Namespace) -> int:
    from hawaii_env import records
    from hawaii_env.render.text import text_log

    game = None
    if arguments.record_command == "show" or len(arguments.files) < 50:
        interpret()
    if arguments.rules:
        first = arguments.files[0]
        if arguments.record_command == "export":
            from hawaii_env.integrations.offline import record_files

            first = record_files(arguments.files)[0]
        header = records.read(first).header
        game = games.load_game(header["game"], **{**header["params"], "rules": arguments.rules})
    if arguments.record_command == "verify":
        failed = 0
        for path in arguments.files:
            try:
                found = records.verify(path, game, partial=arguments.partial)
            except RecordError as error:
                failed += 1
                print(f"BAD {error}", file=sys.stderr)
                continue
            outcome = found.outcome
            ended = outcome.reason if outcome is not None else "broken off"
            dice = "dice agree with the seed" if found.seed_checked else "no seed to check the dice by"
            print(f"ok  {path}: {plural(len(found.record.events), 'event')}, {ended}; {dice}")
        return 1 if failed else 0
    if arguments.record_command == "export":
        return _export(arguments, game)
    record = records.read(arguments.files[0])
    header = record.header
    out = _printer(arguments, header["game"])
    seed = "not shown" if record.seed is None else record.seed
    about = f"Game {header['game']}, ruleset {header['ruleset']['name']}, seed {seed}, hawaii_env {header['library']}"
    seats = zip(header["agents"], header["players"] or (), strict=False)
    out.line(", ".join([about, *(f"{agent}{IS}{player}" for agent, player in seats)]))
    game = records.game_of(record) if game is None else game
    log = text_log(game, arguments.boards, records.follow(record, game).state)
    state = None
    for event, state in records.replay(record, game):
        out.lines(log.feed([(event, state)]))
    if state is not None:
        out.lines(log.end(state))
    if record.result is None:
        out.line(f"  broken off: {record.stopped or 'the record has no end'}")
    elif record.agreement is not None:
        winner = record.agreement.outcome.winner
        won = "" if winner is None else f", {header['agents'][winner]} wins"
        out.line(f"  ended: {record.result['reason']}{won}")
    return 0


def _export(arguments: argparse.Namespace, game: Game | None) -> int:
    """Write decisions of records for offline learning."""
    from hawaii_env.render.picture import need

    options: dict[str, Any] = {"game": game, "only": arguments.only, "partial": arguments.partial}
    need("pyarrow", "hawaii record export", "pyarrow", "offline")
    if arguments.parquet is not None:
        from hawaii_env.integrations import parquet

        made = parquet.export(arguments.files, arguments.parquet, raw=arguments.raw, **options)
        print(
            f"{made.path}: {plural(made.decisions, 'decision')} of {plural(made.games, 'game')}, "
            f"{made.bytes / 1e6:.2f} MB"
        )
        return 0
    if arguments.raw:
        raise OptionError("--raw goes with --parquet: a Minari data set has the environment's observations")
    need("minari", "hawaii record export --minari", "minari", "offline")
    from hawaii_env.integrations import minari

    dataset = minari.export(arguments.files, arguments.minari, **options)
    say(
        f"{dataset.spec.dataset_id}: {plural(dataset.total_steps, 'decision')} in "
        f"{plural(dataset.total_episodes, 'episode')}"
    )
    print(f"  in {dataset.spec.data_path}")
    return 0


# hawaii dataset


def _dataset(arguments: argparse.Namespace) -> int:
    from hawaii_env.render.picture import need

    need("pyarrow", "hawaii dataset", "pyarrow", "offline")
    from hawaii_env.integrations import dataset

    names = ("games", "agents", "seed", "shard", "load", "processes", "progress")
    made = dataset.make(arguments.out, game_of(arguments), **{name: getattr(arguments, name) for name in names})
    size = sum(one.bytes for one in made.shards) / 1e6
    say(
        f"{arguments.out}: {plural(made.decisions, 'decision')} of {plural(made.games, 'game')} in "
        f"{plural(len(made.shards), 'file')}, {size:.1f} MB; README.md is its datasheet"
    )
    return 0


# hawaii agents


def _agents(arguments: argparse.Namespace) -> int:
    from hawaii_env import agents

    _load_agents(arguments)
    out = Printer(arguments.plain, ((r"^[a-z][\w.-]*(?=,)", "bold"), (r"^  (strength|options|extra):", "cyan")))
    if arguments.game is not None:
        games.find(arguments.game)
    for name in agents.known(arguments.game):
        try:
            about = agents.describe(name)
        except OptionError as error:
            out.line(str(error))
            continue
        titles = [spec.title if (spec := games.get(game)) else game for game in about.games]
        out.line(f"{name}, {' / '.join(titles) or 'any game'}")
        out.line(f"  {about.text}")
        out.line(f"  strength: {about.strength or 'not measured'}")
        if about.extra:
            out.line(f'  extra: {about.extra} (pip install "hawaii-env[{about.extra}]")')
        options = (f"{key}={value}" if value else key for key, value in about.options.items())
        out.line(f"  options: {', '.join(options) or 'none'}")
    out.line(f"An agent with options is written {TOGETHER.join(['as', 'mcts:sims=1000,c=1.4.'])}")
    return 0


# hawaii completion


def _completion(arguments: argparse.Namespace) -> int:
    from hawaii_env.cli.completion import completion_script

    print(completion_script(_parser(_EVERY), arguments.shell))
    return 0


_EVERY = "*"


_NO_BOARDS = argument("--no-boards", dest="boards", action="store_false", help="do not print boards")
_RULES = argument("--rules", metavar="FOLDER", help="the ruleset that the game was played by: a folder, or a name")
_DEMO = (
    argument("--games", type=count, default=1, help="how many games (default: %(default)s)"),
    argument(
        "--seed", type=integer, help="seed of the first game; later games use the following numbers (default: random)"
    ),
    argument(
        "--agents", metavar="AGENTS", help="one agent, or one per side, separated by commas (default: a fast one)"
    ),
    argument("--record", metavar="FOLDER", help="folder for a record of each game"),
    argument("--quiet", action="store_true", help="print one line per game"),
    *(LOAD, _NO_BOARDS, PLAIN),
)
_FUZZ = (
    argument("--games", type=count, default=1000, help="how many games (default: %(default)s)"),
    argument("--out", default="fuzz", metavar="FOLDER",
        help="folder for the record of a failure (default: %(default)s)"),
    argument("--jobs", type=count, default=1, help="processes (default: %(default)s)"),
    argument("--every", type=count, default=100, help="also check every n-th game in Python (default: %(default)s)"),
    argument("--replay", metavar="FILE", help="replay the record of a failure, with all checks"),
    SEED,
)  # fmt: skip
_RECORD = {
    "verify": ("replay records, and compare every line", (
        argument("files", nargs="+", metavar="FILE", help="records"),
        argument("--partial", action="store_true", help="accept records of aborted games"),
    )),
    "show": ("print a record", (argument("files", nargs=1, metavar="FILE", help="a record"), _NO_BOARDS, PLAIN)),
    "export": ("write their decisions for offline learning", (
        argument("files", nargs="+", metavar="FILE", help="records, or folders of them"),
        argument("--only", metavar="NAME", help="only decisions of the player with this name"),
        argument("--raw", action="store_true", help="observations unscaled, as integers (--parquet)"),
        argument("--partial", action="store_true", help="include aborted games"),
    )),
}  # fmt: skip
_DATASET = (
    argument("out", metavar="FOLDER", help="the data set; the same command resumes it"),
    argument("--games", dest="games", type=count, default=100_000, help="how many games (default: %(default)s)"),
    argument("--agents", metavar="SPECS", help="agents (default: the public opponents of the game's track)"),
    argument("--shard", type=count, default=1000, help="games per file (default: %(default)s)"),
    argument("--seed", type=integer, default=0, help="seed from which all others derive (default: %(default)s)"),
    argument("--processes", type=count, help="worker processes (default: the cores)"),
    argument("--no-progress", dest="progress", action="store_false", help="no progress on standard error"),
    LOAD,
)
_ANIMATE = (
    argument("record", metavar="FILE", help="a game record"),
    argument("-o", "--out", metavar="FILE.gif", help="the animation (default: the record's name with .gif)"),
    argument("--width", type=integer, default=800, help="width in pixels (default: %(default)s)"),
    argument("--frames", type=integer, default=120, help="maximum number of pictures (default: %(default)s)"),
    argument("--milliseconds", type=integer, default=900, help="time of each picture (default: %(default)s)"),
    argument("--colours", type=integer, default=128, help="colours (default: %(default)s)"),
    argument("--every", action="store_true", help="show every event"),
)
_DECLARED = (
    games.Command(
        name="replay", help="a recorded game as a page for the browser",
        arguments="hawaii_env.replay.cli:REPLAY", run="hawaii_env.replay.cli:run_replay",
        example="runs/game.jsonl -o game.html",
    ),
    games.Command(
        name="benchmark", help="measure an agent on a track, or verify a result",
        arguments="hawaii_env.benchmark.cli:BENCHMARK", run="hawaii_env.benchmark.cli:run_benchmark",
        example="ppo --track puzzles --out runs/puzzles",
    ),
    games.Command(
        name="exact", help="solve a small game, and measure agents against best responses",
        arguments="hawaii_env.exact.cli:EXACT", run="hawaii_env.exact.cli:run_exact",
        example="atoll --years 2 --agents random",
    ),
)  # fmt: skip
"""Commands whose modules are imported only if they are wanted."""

EXAMPLES = {
    "demo": "--seed 7 --no-boards",
    "warm": "",
    "fuzz": "--games 200 --seed 7",
    "rules": "",
    "rules new": "my_rules",
    "rules check": "my_rules",
    "record verify": "runs/*.jsonl",
    "record show": "runs/game.jsonl",
    "record export": "runs --parquet decisions.parquet",
    "animate": "runs/game.jsonl -o game.gif",
    "serve": "--agent mcts:sims=2000",
    "agents": "",
    "dataset": "runs/data --games 2000",
    "bot check": "'python3 my_bot.py'",
    "bot schema": "",
    "tournament": "random mcts:sims=50 one-ply --pairs 20 --out runs/league",
    "match": "mcts:sims=50 random --pairs 50",
    "ladder": "runs/league --report",
    "completion": "bash",
}
"""An example of each command, for its help: its arguments."""

_COMPLETION = (
    "Prints the script; a shell completes the command once it has loaded it. Put it where the shell looks, as "
    "~/.local/share/bash-completion/completions/hawaii, _hawaii in a folder of zsh's fpath, or "
    "~/.config/fish/completions/hawaii.fish."
)


def _parser(wanted: str | None, game: str = games.DEFAULT) -> argparse.ArgumentParser:
    """Return the parser.

    Args:
        wanted: the command that is going to be parsed, or `_EVERY` for all arguments of all commands.
        game: the game whose options are arguments.
    """
    # Last, so that no option of a game takes the place of a command's own.
    playing: list[tuple[argparse.ArgumentParser, bool]] = []

    def game_arguments(parser: argparse.ArgumentParser, several: bool = False) -> None:
        playing.append((parser, several))

    parser = Parser(prog="hawaii", description="Board wargames as reinforcement-learning environments.")
    parser.add_argument("--version", action="version", version=f"hawaii_env {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    def add(name: str, help: str, run: Any, *table: Argument, **settings: Any) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=help, **settings)
        add_arguments(made, *table, run=run)
        return made

    game_arguments(add("demo", "play whole games, and print them", _demo, *_DEMO))
    add("warm", "compile the rules now", _warm, argument("--game", metavar="GAME", help="which game (default: all)"))
    game_arguments(add("fuzz", "play random games, and check everything that must hold", _fuzz, *_FUZZ), several=True)
    add_rules_arguments(add("rules", "show a ruleset and its rulings; make or check a ruleset folder", run_rules))
    declared = [*(("hawaii_env", command) for command in _DECLARED), *own_commands()]
    for owner, command in declared:
        if command.name in commands.choices:
            raise OptionError(f"{owner}: there is a command {command.name!r} already")
        own = commands.add_parser(command.name, help=command.help)
        if wanted in (command.name, _EVERY):
            _add_declared(own, f"{owner}: command {command.name!r}", command, wanted)
    kinds = add("record", "check, show or export game records", _record).add_subparsers(
        dest="record_command", metavar=" | ".join(_RECORD), required=True
    )
    for name, (help, table) in _RECORD.items():
        add_arguments(kinds.add_parser(name, help=help), *table, _RULES)
    where = kinds.choices["export"].add_mutually_exclusive_group(required=True)
    where.add_argument("--parquet", metavar="OUT", help="one table, a row per decision")
    where.add_argument("--minari", metavar="ID", help="a Minari data set, one episode per game and player")
    add("animate", "a recorded game as an animated GIF", _animate, *_ANIMATE)
    _add_larger(add, wanted, game, game_arguments)
    arena_cli.add_commands(commands, game_arguments, game_of)
    shell = argument("shell", choices=SHELLS, help="which shell")
    add("completion", "print a script that completes this command in a shell", _completion, shell,
        description=_COMPLETION)  # fmt: skip
    for each, several in playing:
        add_game_arguments(each, game, several)
    describe(parser, {**EXAMPLES, **{command.name: command.example for _, command in declared}})
    return parser


def _add_declared(parser: argparse.ArgumentParser, what: str, command: games.Command, wanted: str | None) -> None:
    """Add the arguments of a declared command: they may name what only the rules know, so others start without them."""
    if command.interpreted:
        interpret()
    try:
        table = load_code(f"{what}: arguments", command.arguments)
        add_arguments(parser, *([] if callable(table) else table), run=load_code(f"{what}: run", command.run))
        if callable(table):
            table(parser)
    except OptionError:
        if wanted != _EVERY:  # whose completion goes without the arguments of what is not installed
            raise


def _add_larger(add: Callable[..., argparse.ArgumentParser], wanted: str | None, game: str, playing: Any) -> None:
    """Add the commands whose modules are imported only if they are wanted."""
    serving = add("serve", "play and watch in a browser", None)
    if wanted in ("serve", _EVERY):
        from hawaii_env.web.server import add_serve_arguments, run_serve

        add_serve_arguments(serving, game)
        serving.set_defaults(run=run_serve)
    add("agents", "list the agents: game, options, strength", _agents,
        argument("--game", metavar="GAME", help="only agents for this game (default: all)"), LOAD, PLAIN)  # fmt: skip
    collecting = add("dataset", "play games between agents, and write their decisions as Parquet", _dataset, *_DATASET)
    playing(collecting)
    trying = add("bot", "test your bot, in any language", None)
    if wanted in ("bot", _EVERY):
        from hawaii_env.bots.check import add_bot_arguments, run_bot

        add_bot_arguments(trying, playing)
        trying.set_defaults(run=lambda arguments: run_bot(arguments, lambda: game_of(arguments)))


def _animate(arguments: argparse.Namespace) -> int:
    from hawaii_env.render.animate import animate

    settings = {name: getattr(arguments, name) for name in ("width", "frames", "milliseconds", "colours", "every")}
    interpret()
    made = animate(arguments.record, arguments.out or Path(arguments.record).with_suffix(".gif"), **settings)
    print(f"{made.path}: {plural(made.frames, 'picture')}, {made.bytes / 1e6:.2f} MB")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    stdout, stderr = Output(sys.stdout), Output(sys.stderr)
    status = 0
    try:
        restore()
        with contextlib.redirect_stdout(cast(Any, stdout)), contextlib.redirect_stderr(cast(Any, stderr)):
            try:
                status = _run(list(sys.argv[1:] if arguments is None else arguments))
            finally:
                stdout.flush()  # here, where an error of it can still be reported
    except BrokenPipeError:
        # The reader of a pipe has had enough (hawaii demo | head).
        stdout.give_up()
        return 0
    except HawaiiError as error:
        return _failed(str(error))
    except (OSError, sqlite3.Error) as error:
        if stdout.failed is None:
            what = getattr(error, "strerror", None) or str(error) or type(error).__name__
            where = getattr(error, "filename", None)
            return _failed(what if where is None else f"{where}: {what}")
    except ModuleNotFoundError as error:
        if "pip install" not in str(error):  # which says that an extra is missing
            raise
        return _failed(str(error))
    except SystemExit:  # argparse's, which keeps silent about errors of its output
        if stdout.failed is None:
            raise
    except KeyboardInterrupt as stop:
        _failed(str(stop) or "stopped; nothing is half written, and the same command begins again")
        return 130
    if stdout.failed is None:
        return status
    stdout.give_up()
    return _failed(f"standard output cannot be written: {stdout.failed.strerror}")


def _failed(text: str) -> int:
    with contextlib.suppress(OSError):
        print(f"hawaii: {text}", file=Output(sys.stderr))
    return 2


def _run(given: list[str]) -> int:
    parser = _parser(next((text for text in given if not text.startswith("-")), None), game_named(given))
    parsed, unknown = parser.parse_known_args(given)
    if unknown:
        refuse_flags(getattr(parsed, "game", None), unknown)
        named(parser, parsed).error(f"unrecognized arguments: {' '.join(unknown)}")
    if parsed.command is None:
        parser.print_help()
        return 0
    return parsed.run(parsed)
