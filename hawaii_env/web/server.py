"""``hawaii serve``: arguments of the command, and the process of the server."""

from __future__ import annotations

import argparse
import contextlib
import errno
import ipaddress
import logging
import os
import socket
import sys
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hawaii_env import games
from hawaii_env.command_line import LOAD, add_arguments, add_game_arguments, argument, chosen, integer, positive
from hawaii_env.errors import OptionError
from hawaii_env.render.picture import need
from hawaii_env.texts import describe_error, show, show_value

if TYPE_CHECKING:
    from hawaii_env.web.settings import Settings

__all__ = [
    "OneLine", "add_serve_arguments", "default_database", "listen", "log_to", "players_for", "run_serve", "server_of",
]  # fmt: skip

NOT_OFFERED = ("bot", "python_search", "rllib", "sb3")
"""Agents that are offered only if they are named: a bot needs its command, a saved model its file, and the search in
Python is a slower mcts.
"""

LOOPBACK = "127.0.0.1,::1"

HEAD_SIZE = 16 * 1024
"""Most bytes of the head of a request; browsers send a few hundred."""

HINTS = ("champion", "guided", "ppo", "mcts", "mcts:values=game", "one-ply")
"""Default agents for hints, best first; the strongest of the game's levels comes before them."""


def default_database(game: str = games.DEFAULT) -> Path:
    """Return the default path of the database: ``$XDG_DATA_HOME/hawaii_env/games.sqlite``, else under
    ``~/.local/share``. A game other than the default one has a file of its own, ``GAME.sqlite``.
    """
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "hawaii_env" / f"{'games' if game == games.DEFAULT else game}.sqlite"


def rate(text: str) -> str:
    """Parse a rate in the notation of the library ``limits``; raise argparse's error if it is invalid."""
    try:
        limits = need("limits", "hawaii serve", "limits", "web").parse_many(text)
    except ValueError:
        limits = []
    if not limits or any(limit.amount < 1 for limit in limits):
        raise argparse.ArgumentTypeError(f"expected a rate such as 200/5 seconds, not {show_value(text)}")
    return text


def networks(text: str) -> tuple[str, ...]:
    """Parse addresses and networks separated by commas."""
    found = tuple(filter(None, map(str.strip, text.split(","))))
    try:
        for network in found:
            ipaddress.ip_network(network)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return found


def add_serve_arguments(parser: argparse.ArgumentParser, game: str = games.DEFAULT) -> None:
    """Add the arguments of ``hawaii serve`` to a parser.

    Args:
        parser: the parser.
        game: name of the game to serve.
    """
    add_arguments(
        parser,
        argument("--host", default="127.0.0.1",
            help="address to listen on (default: %(default)s: this machine only)"),
        argument("--port", type=lambda text: integer(text, 1, 65535), default=1795,
            help="port (default: %(default)s)"),
        argument("--database", metavar="FILE", help=f"where the games are kept (default: {default_database(game)})"),
        argument("--agent", action="append", default=[], metavar="AGENT",
            help="also offer this opponent, such as mcts:sims=2000; may be repeated"),
        argument("--only", action="store_true", help="offer only the agents of --agent"),
        argument("--hint", action="append", default=[], metavar="AGENT",
            help=f"agent that gives hints (default: the first that works of {', '.join(HINTS)})"),
        argument("--seconds", type=positive, default=1.0,
            help="an agent's time for a decision (default: %(default)s)"),
        argument("--workers", type=integer, default=1,
            help="processes in which agents think (default: %(default)s)"),
        argument("--name", action="append", default=[], metavar="HOST",
            help="a host name by which browsers reach the server; plain addresses and localhost need none"),
        argument("--https", action="store_true",
            help="browsers use an HTTPS proxy: send cookies over HTTPS only"),
        argument("--trust-proxy", nargs="?", type=networks, const=networks(LOOPBACK), default=(), metavar="ADDRESSES",
            help="count requests by X-Forwarded-For if they come through a proxy of these addresses or networks, "
            f"separated by commas (without any: {LOOPBACK})"),
        argument("--rate", type=rate, default="200/5 seconds",
            help="requests allowed per address (default: %(default)s)"),
        argument("--heavy-rate", type=rate, default="40/20 seconds",
            help="of these, expensive ones: new games, saves, records, hints, the editor (default: %(default)s)"),
        argument("--session-days", type=positive, default=30.0, metavar="DAYS",
            help="days without a visit after which a browser's seats and saves are deleted (default: %(default)g)"),
        argument("--security-log", metavar="FILE",
            help="log of rejected requests, at most 4 MB (default: security.log beside the database)"),
        LOAD,
    )  # fmt: skip
    add_game_arguments(parser, game, local=True)


def run_serve(arguments: argparse.Namespace) -> int:
    """Serve until interrupted; return the exit status.

    Raises:
        OptionError: an argument is invalid.
        MissingExtraError: FastAPI or uvicorn is not installed.
    """
    for module in ("fastapi", "uvicorn", "limits"):
        need(module, "hawaii serve", module, "web")
    from hawaii_env import agents
    from hawaii_env.web.app import create_app
    from hawaii_env.web.settings import Settings

    for path in arguments.load:
        agents.load_file(path)
    for text in (*arguments.agent, *arguments.hint):
        agents.describe(agents.parse_agent(text)[0])
    if arguments.only and not arguments.agent:
        raise OptionError("--only needs an --agent")
    database = Path(arguments.database) if arguments.database else default_database(arguments.game)
    settings = Settings(
        database=str(database),
        agents=(*arguments.agent, *(() if arguments.only else ("random",))),
        levels=not arguments.only,
        load=tuple(arguments.load),
        game=arguments.game,
        options=_local(arguments),
        hosts=tuple(name.lower() for name in arguments.name),
        secure=arguments.https,
        seconds=arguments.seconds,
        workers=arguments.workers,
        rate=arguments.rate,
        heavy_rate=arguments.heavy_rate,
        session_days=arguments.session_days,
        trusted=arguments.trust_proxy,
    )
    sockets = listen(arguments.host, arguments.port)
    try:
        log_to(Path(arguments.security_log or database.with_name("security.log")), later=not arguments.security_log)
        app = create_app(
            settings,
            report=lambda text: print(text, file=sys.stderr, flush=True),
            players=lambda: players_for(arguments),  # importing all agents takes too long to do at once
        )
        host = f"[{arguments.host}]" if ":" in arguments.host else arguments.host
        url, path = f"http://{host}:{arguments.port}/", app.state.service.store.path
        print(f"Open {url} in a browser; Ctrl-C stops the server. Games: {path}")
        print("Trying the agents; those that work will be offered as opponents.", flush=True)
        if not _here(arguments.host):
            print(
                "Other machines on the network can reach this server. Anybody with an invitation link can take a seat.",
                flush=True,
            )
        # uvicorn shuts down cleanly, then raises Ctrl-C again.
        with contextlib.suppress(KeyboardInterrupt):
            server_of(app, settings).run(sockets=sockets)
    finally:
        for each in sockets:
            each.close()
    return 0


def players_for(arguments: argparse.Namespace) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the agents to offer as opponents, and those for hints: named ones, and installed ones that can play the
    game with the server's options.
    """
    from hawaii_env import agents

    known = agents.known(games.load_game(arguments.game, **_local(arguments)))
    offered = (name for name in known if not arguments.only and name not in NOT_OFFERED)
    strongest = [level.agent for level in games.find(arguments.game).levels[-1:]]
    hints = arguments.hint or [hint for hint in (*strongest, *HINTS) if agents.parse_agent(hint)[0] in known]
    return tuple(dict.fromkeys([*arguments.agent, *offered])), tuple(hints)


def server_of(app: Any, settings: Settings) -> Any:
    """Return uvicorn's server for an application, with the limits of the settings.

    Args:
        app: application made by `hawaii_env.web.create_app`.
        settings: settings that it was made with.
    """
    uvicorn: Any = need("uvicorn", "hawaii serve", "uvicorn", "web")
    from hawaii_env.web.connections import protocol

    class Server(uvicorn.Server):
        async def shutdown(self, sockets: Any = None) -> None:
            app.state.service.end_waiting()
            await super().shutdown(sockets)

    return Server(
        uvicorn.Config(
            app,
            http=protocol(settings, app.state.journal),
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            h11_max_incomplete_event_size=HEAD_SIZE,
            timeout_keep_alive=10,
            timeout_graceful_shutdown=3,
        )
    )


def listen(host: str, port: int) -> list[socket.socket]:
    """Return sockets that listen on every address of a host name.

    Raises:
        OptionError: the host has no address here, or the port is taken.
    """
    made: list[socket.socket] = []
    try:
        # Ignore protocol numbers and socket types, but not repeated addresses.
        found = {info[4][:2]: info[0] for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}
        for address, family in found.items():
            # asyncio disables Nagle's algorithm only if the protocol is named.
            made.append(socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP))
            if os.name == "posix":
                made[-1].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                made[-1].setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            made[-1].bind(address)
            made[-1].listen(1024)
    except (OSError, UnicodeError) as error:
        for each in made:
            each.close()
        taken = isinstance(error, OSError) and error.errno == errno.EADDRINUSE
        reason = "another program uses it" if taken else getattr(error, "strerror", None) or error
        raise OptionError(f"the server cannot listen on port {port} of {host}: {reason}") from error
    return made


class OneLine(logging.Formatter):
    """A formatter that writes each message on one line."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        """Return the line of a record, without its traceback."""
        return show(super().formatMessage(record))


def log_to(security: Path, later: bool = False) -> None:
    """Write the security log to a file of limited size, and other messages to standard error at a limited rate.

    Args:
        security: the file; with older ones beside it, 4 MB at most.
        later: True opens the file at the first entry.

    Raises:
        OptionError: the file cannot be written.
    """
    from hawaii_env.web.security import Throttle

    class Private(RotatingFileHandler):
        def _open(self) -> Any:
            return open(
                self.baseFilename, self.mode, encoding="utf-8", opener=lambda p, flags: os.open(p, flags, 0o600)
            )

        def handleError(self, record: logging.LogRecord) -> None:
            """Ignore errors: a full disk must not stop the server, nor fill the terminal."""

    try:
        file = Private(security, maxBytes=1_000_000, backupCount=3, delay=later)
    except (OSError, ValueError) as error:
        raise OptionError(f"--security-log {security}: cannot be written: {describe_error(error)}") from error
    rest = logging.StreamHandler()
    rest.setFormatter(OneLine("%(asctime)s %(levelname)s %(message)s"))
    for name, handler, level in (
        ("hawaii_env.web.security", file, logging.INFO),
        ("hawaii_env.web", rest, logging.WARNING),
        ("uvicorn", rest, logging.WARNING),
    ):
        handler.addFilter(Throttle())
        logger = logging.getLogger(name)
        logger.handlers[:] = [handler]
        logger.setLevel(level)
        logger.propagate = False


def _local(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options of the game that the server sets.

    Raises:
        OptionError: an option is not for the server to set.
    """
    given, spec = chosen(arguments), games.find(arguments.game)
    for name in given:
        if not spec.option(name).local:
            raise OptionError(f"--option {name}: players choose it on the page when they start a game")
    return given


def _here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
