"""The commands ``hawaii tournament``, ``hawaii match`` and ``hawaii ladder``.

The commands work for any game: `add_commands` gets functions that add a game's options and make the game.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hawaii_env.arena.schedule import FORMATS
from hawaii_env.command_line import LOAD, PLAIN, add_arguments, argument, count, integer, positive
from hawaii_env.errors import OptionError
from hawaii_env.game import Game
from hawaii_env.terminal import Printer
from hawaii_env.texts import count as plural
from hawaii_env.texts import number

if TYPE_CHECKING:
    from hawaii_env.arena.ratings import Ratings
    from hawaii_env.arena.result import By, GameResult, Standing
    from hawaii_env.arena.store import Store

__all__ = ["add_commands"]


_REPORT = argument("--report", action="store_true", help="write FOLDER/report: HTML and Markdown with charts")
_BY = argument(
    "--by",
    choices=("places", "shares"),
    default="places",
    help="what to rate with more than two players: places, or only shares of the victory (default: %(default)s)",
)
_OUT = "folder of games and records; a tournament that is there already continues (default: {})"
_PLAY = (
    argument("--seed", type=integer, default=0, help="seed from which all others derive (default: %(default)s)"),
    argument("--seconds", type=positive, help="the clock for each decision (default: none)"),
    argument("--grace", type=float, default=10.0,
        help="seconds by which an agent may overrun its clock over a whole game (default: %(default)g)"),
    argument("--limit", type=positive, default=300.0,
        help="seconds for a decision without a clock, and for making an agent (default: %(default)g)"),
    argument("--memory", type=positive,
        help="GiB that a process may allocate (default: the machine's divided by the processes)"),
    argument("--processes", type=count, help="worker processes (default: the cores)"),
    argument("--ray", metavar="ADDRESS", help="play on a Ray cluster; 'local' starts one here"),
    argument("--no-progress", dest="progress", action="store_false", help="no progress on standard error"),
    *(LOAD, PLAIN, _REPORT),
)  # fmt: skip
_TOURNAMENT = (
    argument("agents", nargs="*", metavar="AGENT",
        help="an agent such as mcts:sims=9, or label=agent; without any, those in the folder continue"),
    argument("--format", choices=FORMATS, default="round-robin",
        help="everybody against everybody, the first against the others, or, of two players, rounds "
        "(default: %(default)s)"),
    argument("--pairs", type=count, default=10,
        help="pairs of games of each two agents, or of a Swiss round; meetings of each table (default: %(default)s)"),
    argument("--rounds", type=count, help="rounds of a Swiss tournament (default: log2 of the agents)"),
    argument("--meets", type=count, metavar="N",
        help="in games of more than two: only as many tables as let every two agents sit together N times "
        "(default: all tables)"),
    argument("--out", default="tournament", metavar="FOLDER", help=_OUT.format("%(default)s")),
    _BY,
)  # fmt: skip
_MATCH = (
    argument("agents", nargs="+", metavar="AGENT", help="two agents, such as mcts:sims=9, or label=agent"),
    argument("--pairs", type=count, default=100, help="maximum number of pairs of games (default: %(default)s)"),
    argument("--sprt", nargs=2, type=float, metavar=("ELO0", "ELO1"),
        help="stop as soon as it is clear whether the first agent's lead is ELO0 or ELO1"),
    argument("--alpha", type=float, default=0.05, help="the test's error for ELO0 (default: %(default)s)"),
    argument("--beta", type=float, default=0.05, help="the test's error for ELO1 (default: %(default)s)"),
    argument("--out", metavar="FOLDER", help=_OUT.format("no folder")),
)  # fmt: skip
_LADDER = (
    argument("folder", metavar="FOLDER", help="the folder of a tournament"),
    argument("--verify", action="store_true", help="replay every record before it counts"),
    *(_REPORT, _BY, PLAIN),
)


def add_commands(
    commands: Any,
    game_arguments: Callable[[argparse.ArgumentParser], None],
    make_game: Callable[[argparse.Namespace], Game],
) -> None:
    """Add the commands to a parser.

    Args:
        commands: result of `ArgumentParser.add_subparsers`.
        game_arguments: function that adds the options of the game to a command.
        make_game: function that makes the game from the parsed options.
    """
    tournament = commands.add_parser(
        "tournament",
        help="play agents against each other, and rank them",
        description="Plays agents against each other in pairs of games with the sides swapped and the same cards "
        "(of more players, in as many games as there are seats), and ranks them. What is in the folder already is not "
        "played again, so a killed tournament continues, and more agents can join.",
    )
    match = commands.add_parser(
        "match",
        help="play two agents against each other",
        description="Plays two agents in pairs of games with the sides swapped; for games of two players.",
    )
    for parser, table, run in ((tournament, _TOURNAMENT, _tournament), (match, _MATCH, _match)):
        add_arguments(parser, *table, *_PLAY, run=run, make_game=make_game)
        game_arguments(parser)
    ladder = commands.add_parser("ladder", help="print the ranking of a tournament's folder")
    add_arguments(ladder, *_LADDER, run=_ladder)


# Output


def _percent(share: float) -> str:
    return "–" if math.isnan(share) else f"{number(100 * share, 1)}%"


def _speed(rate: float) -> str:
    if math.isnan(rate):
        return "–"
    return f"{rate / 1000:,.0f}k" if rate >= 100_000 else f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}"


def _cells(standing: Standing, columns: Sequence[str], sides: Sequence[str]) -> list[str]:
    """Return a player's results in the columns of `_columns`."""
    cells = {
        "score": _percent(standing.score),
        "place": number(standing.place, 2),
        "points": number(standing.points, 1),
        "W/T/L": f"{standing.wins}/{standing.ties}/{standing.losses}",
        "dec./s": _speed(standing.decisions_per_second),
        "faults": str(standing.forfeits or "–"),
        **{_side(side): _percent(score) for side, score in zip(sides, standing.seat_scores, strict=False)},
    }
    return [cells.get(column, "–") for column in columns]


def _side(name: str) -> str:
    return re.sub(r"_\d+$", "", name)  # "kamehameha_0" is PettingZoo's form of a name


def _columns(sides: Sequence[str], found: Collection[Standing]) -> list[str]:
    """Return the columns: with two players the place would repeat the score; points are shown if games have them."""
    place = ["place"] if len(sides) > 2 else []
    points = ["points"] if not all(math.isnan(standing.points) for standing in found) else []
    faults = ["faults"] if any(standing.forfeits for standing in found) else []
    return ["score", *place, *points, "W/T/L", *map(_side, sides), "dec./s", *faults]


def _fit(results: Sequence[GameResult], store: Store, by: By) -> Ratings | None:
    """Rate the games; return None if a library is missing."""
    from hawaii_env.arena import ratings

    anchors = [player.key for player in store.players() if player.agent.partition(":")[0] == "random"]
    seated = {key for result in results for key in result.seats}
    anchor = next((key for key in sorted(anchors, key=lambda key: key != "random") if key in seated), None)
    try:
        return ratings.fit(results, anchor=anchor, by=by)
    except ModuleNotFoundError as error:
        print(f"hawaii: no ratings: {error}", file=sys.stderr)
        return None


def _show(out: Printer, results: Sequence[GameResult], store: Store, title: str, by: By = "places") -> Ratings | None:
    """Print the ranking and the cross-table."""
    from hawaii_env.arena.result import standings

    sides = store.meta()["agents"]
    names = [player.key for player in store.players()]
    found = {standing.player: standing for standing in standings(results, names, by)}
    fitted = _fit(results, store, by) if results else None
    columns = _columns(sides, found.values())
    ranking: list[str] = []
    if fitted is not None:
        ranking = [row.player for row in fitted.table]
        rows = []
        for place, row in enumerate(fitted.table, 1):
            known = row.player != fitted.anchor and not math.isnan(row.low)
            elo = [
                number(row.elo, 0) + (f" [{number(row.low, 0)}, {number(row.high, 0)}]" if known else "")
            ] * fitted.goodness.fits
            rows.append([f"{place}. {row.player}", *elo, *_cells(found[row.player], columns, sides)])
        columns = ["agent", *["Elo [95%]"] * fitted.goodness.fits, *columns]
    else:
        ranking = [key for key, standing in found.items() if standing.games]
        rows = [[f"{i}. {key}", *_cells(found[key], columns, sides)] for i, key in enumerate(ranking, 1)]
        columns = ["agent", *columns]
    rows += [[key, *["–"] * (len(columns) - 1)] for key in found if key not in ranking]
    out.table(title, columns, rows)
    if len(ranking) > 1:
        out.line()
        against = _against(results, by)
        out.table(
            "Score of the row against the column" if len(sides) == 2 else "How often the row came before the column",
            ["agent", *(str(i) for i in range(1, len(ranking) + 1))],
            [[f"{i}. {a}", *(against.get((a, b), "–") for b in ranking)] for i, a in enumerate(ranking, 1)],
        )
    if fitted is not None and len(ranking) > 2:
        out.line()
        out.line(fitted.verdict)
        if nash := fitted.nash():
            shares = [f"{name} {_percent(mass)}" for name, mass in zip(ranking, nash.mass, strict=True) if mass]
            out.line(f"Nash average of the scores: {', '.join(shares)}.")
    if fitted is not None:
        ties = sum(max(result.shares) < 1 and result.forfeit is None for result in results)
        out.line()
        anchored = "" if fitted.anchor is None or not fitted.goodness.fits else f"Elo: {fitted.anchor} is 0. "
        shared = "ties" if len(sides) == 2 else "shared victories"
        out.line(
            f"{plural(len(results), 'game')}, {_percent(ties / len(results))} {shared}. {anchored}"
            f"The first seat ({sides[0]}) is worth {number(fitted.side.value, 0, sign=True)} Elo"
            + (
                "."
                if math.isnan(fitted.side.low)
                else f" [{number(fitted.side.low, 0)}, {number(fitted.side.high, 0)}]."
            )
        )
        if len(sides) > 2:
            what = "places" if by == "places" else "the victory and its shares alone"
            out.line(f"Score: the mean share of the victory. Elo: of {what}.")
        for warning in fitted.warnings:
            out.line(f"Note: {warning}")
    return fitted


def _against(results: Iterable[GameResult], by: By) -> dict[tuple[str, str], str]:
    """Return the share of games in which each player came before each other one, a tie counting half."""
    from hawaii_env.arena.result import comparisons, counted

    values: dict[tuple[str, str], list[float]] = {}
    for game in map(counted, results):
        for p, q, value in comparisons(game, by):
            if game.seats[p] != game.seats[q]:
                values.setdefault((game.seats[p], game.seats[q]), []).append(value)
                values.setdefault((game.seats[q], game.seats[p]), []).append(1 - value)
    return {pair: f"{100 * sum(found) / len(found):.0f}%" for pair, found in values.items()}


def _report(out: Printer, results: Sequence[GameResult], store: Store, title: str, fitted: Ratings | None) -> None:
    from hawaii_env.arena import report

    if fitted is None:
        raise OptionError("there is nothing to report: no games are rated")
    meta = store.meta()
    shown = {key: meta[key] for key in ("game", "params", "ruleset", "seed", "seconds") if key in meta}
    written = report.write(
        *(results, store.folder / "report"),
        title=title,
        meta=shown,
        seat_names=meta["agents"],
        ratings=fitted,
        anchor=fitted.anchor,
    )
    out.line(f"Report: {written.html}")


# The commands


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    names = ("pairs", "seed", "seconds", "grace", "limit", "memory", "processes", "out", "load", "ray", "progress")
    return {name: getattr(arguments, name) for name in names}


def _missing(out: Printer, folder: Path, void: int) -> None:
    if void:
        out.line(
            f"{plural(void, 'game')} could not be played, through no fault of an agent: see {folder / 'faults.log'}"
        )


def _tournament(arguments: argparse.Namespace) -> int:
    from hawaii_env.arena.store import Store
    from hawaii_env.arena.tournament import run_tournament

    out = Printer(arguments.plain)
    entries: list[Any] = arguments.agents
    if not entries:
        with Store(arguments.out) as store:
            entries = list(store.players())
    options = _options(arguments)
    found = run_tournament(
        *(arguments.make_game(arguments), entries),
        format=arguments.format,
        rounds=arguments.rounds,
        meets=arguments.meets,
        **options,
    )
    with Store(found.folder) as store:
        title = f"Ranking of {found.folder.name}"
        fitted = _show(out, found.results, store, title, arguments.by)
        _missing(out, found.folder, found.void)
        forfeits = sum(result.forfeit is not None for result in found.results)
        if forfeits:
            out.line(f"{plural(forfeits, 'game was', 'games were')} forfeited: see {found.folder / 'faults.log'}")
        out.line(f"{plural(found.played, 'game')} played now; all {len(found.results):,} are in {found.folder}")
        if arguments.report:
            _report(out, found.results, store, title, fitted)
    return 1 if found.void else 0


def _match(arguments: argparse.Namespace) -> int:
    from hawaii_env.arena.store import Store
    from hawaii_env.arena.tournament import only_two, play_match

    if arguments.report and arguments.out is None:
        raise OptionError("--report needs --out FOLDER, where the report is written")
    out = Printer(arguments.plain)
    test = None
    if arguments.sprt is not None:
        from hawaii_env.arena.ratings import Sprt

        test = Sprt(*arguments.sprt, alpha=arguments.alpha, beta=arguments.beta)
    game = arguments.make_game(arguments)
    if game.num_players == 2 and len(arguments.agents) != 2:
        raise OptionError(f"a match is between two agents; {len(arguments.agents)} were named")
    only_two("an SPRT" if test is not None else "a match", game)
    found = play_match(game, *arguments.agents, sprt=test, **_options(arguments))
    sides = list(game.agents)
    columns = _columns(sides, found.standings)
    rows = [[standing.player, *_cells(standing, columns, sides)] for standing in found.standings]
    out.table(" against ".join(player.key for player in found.players), ["agent", *columns], rows)
    out.line()
    a = found.players[0].key
    if found.pair_scores:
        try:
            from hawaii_env.arena.ratings import elo_of_score
            from hawaii_env.arena.sprt import mean_interval

            mean, low, high = mean_interval([score / 2 for score in found.pair_scores])
            elos = " to ".join(number(elo_of_score(end), 0, sign=True) for end in (low, high))
            out.line(
                f"{a} scores {_percent(mean)} [{_percent(low)}, {_percent(high)}] over "
                f"{plural(len(found.pair_scores), 'pair')}: {number(elo_of_score(mean), 0, sign=True)} Elo [{elos}]"
            )
        except ModuleNotFoundError as error:
            print(f"hawaii: no interval: {error}", file=sys.stderr)
    ties = sum(max(result.shares) < 1 for result in found.results)
    if found.results:
        out.line(f"{plural(len(found.results), 'game')}, {_percent(ties / len(found.results))} ties")
    if test is not None:
        out.line(f"SPRT: {test.describe()}")
    _missing(out, found.folder, found.void)
    if arguments.out is not None:
        if any(result.forfeit is not None for result in found.results):
            out.line(f"Forfeits are explained in {found.folder / 'faults.log'}")
        with Store(found.folder) as store:
            if arguments.report:
                fitted = _fit(found.results, store, "places") if found.results else None
                _report(out, found.results, store, " against ".join(p.key for p in found.players), fitted)
    return 1 if found.void else 0


def _ladder(arguments: argparse.Namespace) -> int:
    from hawaii_env.arena.store import Store

    out = Printer(arguments.plain)
    with Store(arguments.folder) as store:
        good, bad = store.verify() if arguments.verify else store.counted()
        results = [row.result() for row in good]
        title = f"Ranking of {store.folder.name}"
        fitted = _show(out, results, store, title, arguments.by)
        for row, wrong in bad:
            out.line(f"Not counted: {row.pairing} rotation {row.rotation}: {wrong}")
        if arguments.verify:
            out.line(f"{plural(len(good), 'record')} replayed.")
        if arguments.report:
            _report(out, results, store, title, fitted)
    return 1 if bad else 0
