"""``hawaii serve``: the arguments of the command, and the server's process."""

from __future__ import annotations

import argparse
import ipaddress
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hawaii_env.errors import OptionError
from hawaii_env.render.picture import need

__all__ = ["add_serve_arguments", "default_database", "run_serve"]

NOT_OFFERED = ("bot", "python_search", "rllib", "sb3")
"""Agents that are offered only where they are named: a bot needs its command, a saved model its file, and the search in Python is mcts, slower."""

HINTS = ("champion", "guided", "ppo", "mcts", "mcts:values=game", "one-ply")
"""Agents for hints where none is named, the best first."""


def default_database() -> Path:
    """Where games are kept where nothing is said: ``$XDG_DATA_HOME/hawaii_env/games.sqlite``, else under ``~/.local/share``."""
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "hawaii_env" / "games.sqlite"


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"a number above 0 is wanted, not {text!r}")
    return value


def add_serve_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``hawaii serve`` to a parser."""
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default: %(default)s: this machine alone)"
    )
    parser.add_argument("--port", type=int, default=1795, help="port (default: %(default)s)")
    parser.add_argument("--database", metavar="FILE", help=f"where the games are kept (default: {default_database()})")
    parser.add_argument(
        "--agent", action="append", default=[], metavar="SPEC",
        help="offer this opponent, too, as mcts:sims=2000; may be given several times",
    )  # fmt: skip
    parser.add_argument("--only", action="store_true", help="offer the agents of --agent alone")
    parser.add_argument(
        "--hint", action="append", default=[], metavar="SPEC", help="who gives hints (default: the first that works of "
        + ", ".join(HINTS) + ")",
    )  # fmt: skip
    parser.add_argument(
        "--load", action="append", default=[], metavar="FILE", help="a Python file that registers agents"
    )
    parser.add_argument("--rules", metavar="FOLDER", help="play by this ruleset")
    parser.add_argument(
        "--seconds", type=_positive, default=1.0, help="an agent's time for a decision (default: %(default)s)"
    )
    parser.add_argument("--workers", type=int, default=1, help="processes in which agents think (default: %(default)s)")
    parser.add_argument(
        "--name", action="append", default=[], metavar="HOST",
        help="a host name by which browsers reach the server; plain addresses and localhost need none",
    )  # fmt: skip
    parser.add_argument(
        "--https", action="store_true", help="a proxy before the server speaks HTTPS: cookies go over that alone"
    )


def run_serve(arguments: argparse.Namespace) -> int:
    """Serve until interrupted; return the exit status.

    Raises:
        OptionError: an argument that cannot be.
        MissingExtraError: FastAPI or uvicorn is not installed.
    """
    for module in ("fastapi", "uvicorn"):
        need(module, "hawaii serve", module, "web")
    uvicorn: Any = need("uvicorn", "hawaii serve", "uvicorn", "web")
    from hawaii_env import agents
    from hawaii_env.web.app import create_app
    from hawaii_env.web.settings import Settings

    if not 0 < arguments.port < 65536:
        raise OptionError(f"--port: 1 to 65535, not {arguments.port}")
    for path in arguments.load:
        agents.load_file(path)
    for spec in (*arguments.agent, *arguments.hint):
        name, _ = agents.parse_spec(spec)
        if name not in agents.known():
            raise OptionError(f"there is no agent {name!r}; known are: {', '.join(agents.known())}")
    if arguments.only and not arguments.agent:
        raise OptionError("--only needs an --agent")
    named: list[str] = arguments.agent
    offered: dict[str, None] = dict.fromkeys([*named, *([] if arguments.only else _known(agents.known()))])
    database = Path(arguments.database) if arguments.database else default_database()
    database.parent.mkdir(parents=True, exist_ok=True)
    settings = Settings(
        database=str(database), agents=tuple(offered), hints=tuple(arguments.hint) or tuple(h for h in HINTS if h.partition(":")[0] in agents.known()),
        load=tuple(arguments.load), rules=arguments.rules, hosts=tuple(name.lower() for name in arguments.name), secure=arguments.https,
        seconds=arguments.seconds, workers=arguments.workers,
    )  # fmt: skip
    print("Trying the agents (the first time they are compiled) ...", flush=True)
    app = create_app(settings, tell=lambda text: print(f"  {text}", file=sys.stderr, flush=True))
    host = f"[{arguments.host}]" if ":" in arguments.host else arguments.host
    service = app.state.service
    print(f"Opponents: {', '.join(service.agents)}. Hints: {service.hint or 'none'}. Games: {database}")
    print(f"Open http://{host}:{arguments.port}/ in a browser; Ctrl-C ends.", flush=True)
    if not _here(arguments.host):
        print(
            "Others in the network can reach this server; whoever has an invitation link can take a seat.", flush=True
        )
    uvicorn.run(
        app, host=arguments.host, port=arguments.port, log_level="warning", access_log=False, server_header=False,
        proxy_headers=False, limit_concurrency=500, timeout_keep_alive=10, timeout_graceful_shutdown=3, ws="none",
    )  # fmt: skip
    return 0


def _known(names: Iterable[str]) -> list[str]:
    """The agents that are offered without being named."""
    return [name for name in names if name not in NOT_OFFERED]


def _here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
