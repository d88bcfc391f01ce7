"""Measure the server under load: 200 players, and each kind of greedy or hostile client beside a few good ones.

    python experiments/load.py                             # some fifteen minutes; writes docs/benchmarks/server.md
    python experiments/load.py --minutes 2 --seconds 20    # shorter
    python experiments/load.py --only polls,records        # these alone

Each case has a server of its own, `hawaii serve` with its defaults, and clients with addresses of their own
(127.1.0.0/16 the good ones, 127.2.0.0/16 the others: Linux). A good client opens the page, begins a game, looks at each
position, its picture and its log, and decides after a while. Figures are times of its requests, from the first byte
sent to the last one read, without those that wait for news; a refused or broken request is a failure. Clients take
processor time, too, on the same cores.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import studies
from machine import machine, machine_sentence

from hawaii_agents.training import runs
from hawaii_env import load_game, records
from hawaii_env.texts import parse_json

OUT = studies.ROOT / "docs" / "benchmarks" / "server.md"
FAILED = (OSError, EOFError, TimeoutError, ValueError, asyncio.IncompleteReadError)


class Client:
    """One browser, with one connection.

    Args:
        port: port of the server.
        address: address of the client.
        pause: mean seconds between its decisions.
    """

    def __init__(self, port: int, address: str, pause: float = 0.0) -> None:
        self.port, self.address, self.pause = port, address, pause
        self.cookie = ""
        self.wire: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.times: list[float] = []
        self.failures: Counter[str] = Counter()

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Open a connection."""
        return await asyncio.open_connection("127.0.0.1", self.port, local_addr=(self.address, 0), limit=2**24)

    def head(self, method: str, path: str, size: int, *more: str) -> bytes:
        """Return the head of a request."""
        lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {size}", f"Cookie: {self.cookie}"]
        return "\r\n".join([*lines, "Content-Type: application/json", *more, "", ""]).encode()

    async def ask(self, method: str, path: str, body: Any = None, limit: float = 60.0) -> tuple[int, bytes]:
        """Return the status and body of an answer. If the connection was closed, open it again, as browsers do."""
        sent = b"" if body is None else json.dumps(body).encode()
        request, kept = self.head(method, path, len(sent)) + sent, self.wire is not None
        try:
            async with asyncio.timeout(limit):
                try:
                    return await self._ask(request)
                except (ConnectionError, asyncio.IncompleteReadError):
                    self.close()
                    if not kept:
                        raise
                    return await self._ask(request)
        except BaseException:
            self.close()
            raise

    async def _ask(self, request: bytes) -> tuple[int, bytes]:
        self.wire = self.wire or await self.open()
        reader, writer = self.wire
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        lines = [line.partition(": ") for line in head.split("\r\n")[1:]]
        fields = {name.lower(): value for name, _, value in lines}
        if "set-cookie" in fields:
            self.cookie = fields["set-cookie"].partition(";")[0]
        size = fields.get("content-length")
        answer = await (_chunks(reader) if size is None else reader.readexactly(int(size)))
        if fields.get("connection") == "close":
            self.close()
        return int(head.split()[1]), answer

    async def timed(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request, record its time, and return the answer, or None if it has none."""
        start = time.monotonic()
        try:
            status, answer = await self.ask(method, path, body)
        except FAILED as error:
            self.failures[type(error).__name__] += 1
            return None
        finally:
            self.times.append(time.monotonic() - start)
        if status == 409:  # the game has gone on
            return {}
        if status >= 300:
            self.failures[str(status)] += 1
            return None
        return parse_json(answer) if answer.startswith(b"{") else {}

    def close(self) -> None:
        """Close the connection."""
        if self.wire is not None:
            self.wire[1].transport.abort()
            self.wire = None

    async def rest(self) -> None:
        """Wait as long as a player thinks."""
        await asyncio.sleep(min(random.expovariate(1 / self.pause), 5 * self.pause))

    async def play(self, seats: Sequence[str]) -> None:
        """Play games until stopped."""
        try:
            await self.timed("GET", "/")
            while True:
                await self.timed("GET", "/api/setup")
                await self.timed("GET", "/api/games")
                listed = [{"kind": s} if s == "me" else {"kind": "agent", "agent": s} for s in seats]
                made = await self.timed("POST", "/api/games", {"seats": listed})
                if made and "id" in made:
                    await self._play(f"/api/games/{made['id']}")
                await self.rest()
        finally:
            self.close()

    async def _play(self, game: str) -> None:
        version = after = epoch = -1
        while True:
            state = await self.timed("GET", f"{game}?version={version}&after={max(after, 0)}&epoch={epoch}")
            if not state:
                await self.rest()
                return
            version, after, epoch = state["version"], state["count"], state["epoch"]
            if state["result"] is not None:
                await self.timed("GET", f"{game}/record")
                return
            await self.timed("GET", f"{game}/moments/{state['count']}")
            if state["yours"] and state["actions"]:
                await self.rest()
                action = random.choice(state["actions"])["action"]
                await self.timed("POST", f"{game}/actions", {"version": version, "action": action})
            else:
                with suppress(*FAILED):
                    await self.ask("GET", f"{game}?version={version}&wait=10")


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    parts: list[bytes] = []
    while size := int(await reader.readline(), 16):
        parts.append(await reader.readexactly(size))
        await reader.readline()
    await reader.readline()
    return b"".join(parts)


# Greedy and hostile clients


@dataclass
class Attack:
    """State of an attack.

    Attributes:
        port: port of the server.
        record: text of a long record.
        players: number of players in the record's game.
        answered: counts of the statuses of its answers.
    """

    port: int
    record: str
    players: int
    answered: Counter[str] = field(default_factory=Counter[str])

    def client(self, number: int) -> Client:
        """Return a client with the address of that number."""
        return Client(self.port, f"127.2.{number // 250}.{number % 250 + 1}")

    async def ask(self, client: Client, method: str, path: str, body: Any = None, limit: float = 60.0) -> Any:
        """Send a request, count the answer, and return it; after a refusal, wait a little."""
        try:
            status, answer = await client.ask(method, path, body, limit)
        except FAILED as error:
            self.answered[type(error).__name__] += 1
            await asyncio.sleep(0.05)
            return None
        self.answered[str(status)] += 1
        if status >= 400:
            await asyncio.sleep(0.2)
            return None
        return parse_json(answer) if answer.startswith(b"{") else {}

    def seats(self) -> list[dict[str, str]]:
        """Return seats that all belong to the client."""
        return [{"kind": "me"}] * self.players

    async def upload(self, client: Client, text: str) -> str | None:
        """Load a record; return the game's id."""
        made = await self.ask(client, "POST", "/api/records", {"record": text, "seats": self.seats()})
        return made and made.get("id")

    async def long_game(self, client: Client) -> str:
        """Load the long record until the server takes it; return the game's id."""
        while True:
            if game := await self.upload(client, self.record):
                return game

    async def hold(self, number: int, first: bytes, then: bytes = b"", every: float = 1.0, read: bool = True) -> None:
        """Keep a connection open that sends something at first, and more at intervals."""
        while True:
            with suppress(*FAILED):
                client = self.client(number)
                reader, writer = await client.open()
                if not read:
                    reader._transport.pause_reading()  # type: ignore[attr-defined]
                try:
                    writer.write(first)
                    while not reader.at_eof() and not writer.is_closing():
                        if not then:
                            await reader.read(65536)
                        await asyncio.sleep(every)
                        writer.write(then)
                finally:
                    writer.transport.abort()
            self.answered["closed"] += 1
            await asyncio.sleep(0.2)


async def together(*tasks: Awaitable[Any]) -> None:
    """Run functions at the same time."""
    async with asyncio.TaskGroup() as group:
        for task in tasks:
            group.create_task(_run(task))


async def _run(task: Awaitable[Any]) -> None:
    await task


async def long_records(attack: Attack) -> None:
    """One address loads long records, four at a time, and looks at what it has loaded."""

    async def one() -> None:
        client = attack.client(0)
        while True:
            if game := await attack.upload(client, attack.record):
                await attack.ask(client, "GET", f"/api/games/{game}")

    await together(*(one() for _ in range(4)))


async def small_records(attack: Attack) -> None:
    """Ten addresses load records that have just begun."""
    text = "\n".join(attack.record.splitlines()[:3]) + "\n"

    async def one(number: int) -> None:
        client = attack.client(number)
        while True:
            await attack.upload(client, text)

    await together(*(one(number) for number in range(10)))


async def new_games(attack: Attack) -> None:
    """Ten addresses begin game after game, and look at all that they have."""

    async def one(number: int) -> None:
        client, mine = attack.client(number), list[str]()
        while True:
            made = await attack.ask(client, "POST", "/api/games", {"seats": attack.seats()})
            mine += [made["id"]] if made else []
            for game in mine[-20:]:
                await attack.ask(client, "GET", f"/api/games/{game}")
            await attack.ask(client, "GET", "/api/games")

    await together(*(one(number) for number in range(10)))


async def replays(attack: Attack) -> None:
    """Four addresses ask for replays and curves of many long games, and go away before they are made."""

    async def one(number: int) -> None:
        client, mine = attack.client(number), list[str]()
        while True:
            game = await attack.upload(client, attack.record)
            mine += [game] if game else []
            for game in mine:
                for path in (f"/replay/{game}", f"/api/games/{game}/curve"):
                    with suppress(*FAILED):
                        await attack.ask(client, "GET", path, limit=1.0)
            await asyncio.sleep(0.2)

    await together(*(one(number) for number in range(4)))


async def saves(attack: Attack) -> None:
    """Four addresses save a long game again and again, load the copies, and forget them."""

    async def one(number: int) -> None:
        client = attack.client(number)
        game = await attack.long_game(client)
        while True:
            state = await attack.ask(client, "GET", f"/api/games/{game}")
            body = {"version": state and state["version"], "name": "x" * 80}
            if made := await attack.ask(client, "POST", f"/api/games/{game}/saves", body):
                if loaded := await attack.ask(client, "POST", "/api/load", {"save": made["id"]}):
                    state = await attack.ask(client, "GET", f"/api/games/{loaded['id']}")
                    body = {"version": state and state["version"]}
                    await attack.ask(client, "POST", f"/api/games/{loaded['id']}/leave", body)
                await attack.ask(client, "POST", f"/api/saves/{made['id']}/delete", {})

    await together(*(one(number) for number in range(4)))


async def half_open(attack: Attack) -> None:
    """Eleven addresses hold fifty connections each with half a head."""
    first = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    await together(*(attack.hold(number, first) for number in range(11) for _ in range(50)))


async def slow_bodies(attack: Attack) -> None:
    """Eleven addresses hold fifty connections each whose body comes byte by byte."""
    first = Client(0, "").head("POST", "/api/games", 60_000) + b"{"
    await together(*(attack.hold(number, first, b" ") for number in range(11) for _ in range(50)))


async def huge_heads(attack: Attack) -> None:
    """Eleven addresses send heads that do not end, fifty each."""
    first, line = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n", b"X: " + b"x" * 8000 + b"\r\n"
    await together(*(attack.hold(number, first, line, 0.1) for number in range(11) for _ in range(50)))


async def unread(attack: Attack) -> None:
    """Eleven addresses ask for much in fifty connections each, and read nothing."""
    first = Client(0, "").head("GET", "/static/game.js", 0) * 40
    await together(*(attack.hold(number, first, b" ", read=False) for number in range(11) for _ in range(50)))


async def polls(attack: Attack) -> None:
    """Thirty addresses wait for news in twenty requests each."""

    async def one(number: int) -> None:
        first = attack.client(number)
        made = None
        while made is None:
            made = await attack.ask(first, "POST", "/api/games", {"seats": attack.seats()})
        clients = [attack.client(number) for _ in range(20)]
        for client in clients:
            client.cookie = first.cookie

        async def wait(client: Client) -> None:
            while True:
                state = await attack.ask(client, "GET", f"/api/games/{made['id']}")
                if state:
                    await attack.ask(client, "GET", f"/api/games/{made['id']}?version={state['version']}&wait=20")

        await together(*map(wait, clients))

    await together(*map(one, range(30)))


async def flood(attack: Attack) -> None:
    """Twenty addresses ask for pictures as fast as they may."""

    async def one(number: int) -> None:
        client = attack.client(number)
        game = await attack.long_game(client)
        n = 0
        while True:
            n = (n + 7) % 400
            await attack.ask(client, "GET", f"/api/games/{game}/moments/{n}")

    await together(*map(one, range(20)))


KINDS = (
    long_records,
    small_records,
    new_games,
    replays,
    saves,
    half_open,
    slow_bodies,
    huge_heads,
    unread,
    polls,
    flood,
)
ATTACKS: dict[str, Callable[[Attack], Awaitable[None]]] = {do.__name__: do for do in KINDS}


# Runs


class Server:
    """`hawaii serve` in a process of its own, from a checkout."""

    def __init__(self, game: str, folder: str, root: Path = studies.ROOT, **environment: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        run = "import sys; from hawaii_env.cli import main; sys.exit(main())"
        command = [sys.executable, "-c", run, "serve", "--game", game, "--port", str(self.port)]
        self.log = Path(folder) / "log"
        with self.log.open("w") as log:
            self.child = subprocess.Popen(
                [*command, "--database", str(Path(folder) / "games.sqlite")], stdout=log, stderr=log, cwd=root,
                env={**os.environ, "PYTHONPATH": f"{root}:{root / 'agents'}", **environment},
            )  # fmt: skip
        start = time.monotonic()
        while not self._answers():
            if self.child.poll() is not None or time.monotonic() - start > 120:
                raise SystemExit(f"the server does not answer: {self.log.read_text()[-2000:]}")
            time.sleep(0.01)
        self.start = time.monotonic() - start

    def _answers(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=5) as wire:
            wire.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            return wire.recv(100).startswith(b"HTTP/1.1 200")
        return False

    def resident(self) -> float:
        """Return the memory of the server's main process in MB."""
        with suppress(OSError):
            for line in Path(f"/proc/{self.child.pid}/status").read_text(encoding="utf-8").splitlines():
                if line.startswith("VmRSS"):
                    return int(line.split()[1]) / 1000
        return math.nan

    def used(self) -> float:
        """Return the processor time of the server's main process in seconds."""
        with suppress(OSError):
            words = Path(f"/proc/{self.child.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
        return math.nan

    def close(self) -> None:
        """End the server."""
        self.child.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            self.child.wait(10)
        self.child.kill()


def long_record(name: str, games: int = 8) -> tuple[str, int]:
    """Return the longest record of some random games, and the number of its players."""
    game = load_game(name)
    played = []
    for seed in range(games):
        state, draw = game.initial_state(seed=seed, trace=True), random.Random(seed)
        while not state.is_terminal:
            player = state.acting_players[0]
            state.apply(draw.choice(list(state.legal_actions(player))))
        played.append(state)
    longest = max(played, key=lambda state: len(state.trace or ()))
    with tempfile.TemporaryDirectory(prefix="hawaii-") as folder:
        path = Path(folder) / "record.jsonl"
        with records.RecordWriter(path, game, players=["random"] * game.num_players) as writer:
            writer.finish(longest)
        return path.read_text(encoding="utf-8"), game.num_players


def percentile(times: Sequence[float], share: float) -> float:
    """Return the time that a given share of all requests did not exceed."""
    return sorted(times)[min(len(times) - 1, math.ceil(share * len(times)) - 1)] if times else math.nan


async def case(name: str, clients: int, seconds: float, pause: float, options: Any) -> dict[str, Any]:
    """Return the figures of good clients during an attack; `name` "none" runs without one."""
    with tempfile.TemporaryDirectory(prefix="hawaii-") as folder:
        server = Server(options.game, folder)
        try:
            before, used = os.getloadavg(), server.used()
            attack = Attack(server.port, options.record, options.players)
            good = [Client(server.port, f"127.1.{n // 250}.{n % 250 + 1}", pause) for n in range(clients)]
            tasks: list[asyncio.Task[Any]] = []
            if name in ATTACKS:
                tasks.append(asyncio.create_task(_run(ATTACKS[name](attack))))
                await asyncio.sleep(2)
            end, most = time.monotonic() + seconds, 0.0
            for n, client in enumerate(good):
                seats = ["me" if not at or n % 2 else "random" for at in range(options.players)]
                tasks.append(asyncio.create_task(client.play(seats)))
                await asyncio.sleep(min(pause, 0.2 * seconds) / clients)
            while time.monotonic() < end:
                await asyncio.sleep(0.5)
                most = max(most, server.resident())
            after, spent = os.getloadavg(), server.used() - used
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            server.close()
        times = [time for client in good for time in client.times]
        failures = sum((client.failures for client in good), Counter[str]())
        return {
            "name": name, "clients": clients, "start": server.start, "requests": len(times),
            "failures": dict(failures), "answered": dict(attack.answered), "memory": most, "used": spent / seconds,
            "load": [round(before[0], 1), round(after[0], 1)],
            **{f"p{share}": percentile(times, share / 100) for share in (50, 95, 99, 100)},
        }  # fmt: skip


def row(found: dict[str, Any]) -> str:
    """Return a line of the table."""
    cells = [
        found["name"].replace("_", " "), found["clients"], found["requests"], sum(found["failures"].values()),
        *(f"{1000 * found[f'p{share}']:.0f}" for share in (50, 95, 99, 100)), f"{found['memory']:.0f}",
        f"{100 * found['used']:.0f}", " to ".join(map(str, found["load"])),
    ]  # fmt: skip
    return "| " + " | ".join(map(str, cells)) + " |"


def page(found: Sequence[dict[str, Any]], options: Any) -> str:
    """Return the page of the results."""
    titles = ["case", "clients", "requests", "failed", "p50", "p95", "p99", "max", "MB", "% of a core", "load average"]
    lines = [
        "# The server under load",
        "",
        "Made by `python experiments/load.py`: `hawaii serve` with its defaults, players each with an address, and",
        "each kind of greedy or hostile client beside eight good ones. Times are those of the good clients'",
        "requests in ms; clients and server share the cores.",
        "",
        machine_sentence(machine()),
        f"Game: {options.game}; a long record has {len(options.record) // 1000} KB.",
        "",
        "| " + " | ".join(titles) + " |",
        "| --- |" + " ---: |" * (len(titles) - 1),
        *map(row, found),
        "",
    ]
    lines += [f"- **{name.replace('_', ' ')}**: {(do.__doc__ or '').strip()}" for name, do in ATTACKS.items()]
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10.0, help="of the players (default: 10)")
    parser.add_argument("--seconds", type=float, default=30.0, help="of each attack (default: 30)")
    parser.add_argument("--clients", type=int, default=200, help="players (default: 200)")
    parser.add_argument("--pause", type=float, default=5.0, help="mean seconds between decisions (default: 5)")
    parser.add_argument("--game", default="hawaii1795", help="the game (default: hawaii1795)")
    parser.add_argument("--only", default="", metavar="NAMES", help=f"of: players, {', '.join(ATTACKS)}")
    parser.add_argument("--out", type=Path, help="file to write (default: docs/benchmarks/server.md, of all cases)")
    options = parser.parse_args(arguments)
    names = list(filter(None, options.only.split(","))) or ["players", *ATTACKS]
    if unknown := set(names) - {"players", *ATTACKS}:
        parser.error(f"--only: there is no {', '.join(sorted(unknown))}")

    def work() -> None:
        options.record, options.players = long_record(options.game)
        found: list[dict[str, Any]] = []
        for name in names:
            alone = name == "players"
            given = (options.clients, 60 * options.minutes, options.pause) if alone else (8, options.seconds, 0.5)
            found.append(asyncio.run(case(name, *given, options)))
            print(row(found[-1]), found[-1]["failures"], found[-1]["answered"], flush=True)
        if options.out or not options.only:
            runs.write_text(options.out or OUT, page(found, options))

    return studies.finish(work)


if __name__ == "__main__":
    sys.exit(main())
