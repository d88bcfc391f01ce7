"""Several processes that train one network: each has its own environments, and gradients are averaged at each step.

All have the same weights at any time, so they exchange only sums. The processes meet through a file, without network
addresses or ports.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from hawaii_env.errors import HawaiiError


class Team:
    """One process of a run; a team of one does nothing.

    Args:
        rank: its number; 0 leads: it evaluates, and writes the log and the policies.
        size: the number of processes.
        meeting: a file that does not exist yet, the same for all of them.
    """

    def __init__(self, rank: int = 0, size: int = 1, meeting: str = "") -> None:
        self.rank: int = rank
        self.size: int = size
        self._sums: torch.Tensor | None = None
        if size > 1:
            os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")  # all processes are on this machine
            torch.distributed.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=size)

    @property
    def leads(self) -> bool:
        """True if this process writes."""
        return self.rank == 0

    def total(self, *values: float) -> list[float]:
        """Return the sums of numbers over all processes."""
        return self._reduced(np.array(values, np.float64), "SUM").tolist()

    def most(self, value: float) -> float:
        """Return the greatest of the processes' numbers."""
        return float(self._reduced(np.array([value], np.float64), "MAX")[0])

    def either(self, flags: NDArray[np.bool_]) -> None:
        """Set each flag that some process has set."""
        if self.size > 1:
            flags |= self._reduced(flags.astype(np.uint8), "MAX").astype(np.bool_)

    def _reduced(self, values: NDArray[Any], how: str) -> NDArray[Any]:
        if self.size > 1:
            torch.distributed.all_reduce(torch.from_numpy(values), getattr(torch.distributed.ReduceOp, how))
        return values

    def leaders(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the leader's numbers."""
        values = values.copy()
        if self.size > 1:
            torch.distributed.broadcast(torch.from_numpy(values), 0)
        return values

    def mean_gradients(self, parameters: Sequence[torch.nn.Parameter]) -> None:
        """Give each process the mean of all gradients."""
        if self.size == 1:
            return
        own = [one.grad for one in parameters if one.grad is not None]
        n = sum(one.numel() for one in own)
        if self._sums is None or len(self._sums) != n:
            self._sums = torch.empty(n)
        torch.cat([one.reshape(-1) for one in own], out=self._sums)
        torch.distributed.all_reduce(self._sums)
        self._sums /= self.size
        at = 0
        for one in own:
            one.copy_(self._sums[at : at + one.numel()].view_as(one))
            at += one.numel()

    def wait(self) -> None:
        """Wait until all processes have called this."""
        if self.size > 1:
            torch.distributed.barrier()

    def leave(self) -> None:
        """Leave the team."""
        if self.size > 1:
            torch.distributed.destroy_process_group()


@contextmanager
def gathered(size: int, work: Callable[..., object], *arguments: Any) -> Iterator[Team]:
    """Yield the leader's place in a team; the others run ``work(team, *arguments)`` in processes of their own.

    Raises:
        HawaiiError: one of them has failed.
    """
    if size == 1:
        yield Team()
        return
    with tempfile.TemporaryDirectory() as folder:
        meeting, context = str(Path(folder) / "meeting"), multiprocessing.get_context("spawn")
        others = [
            context.Process(target=_take_part, args=(rank, size, meeting, work, arguments), daemon=True)
            for rank in range(1, size)
        ]
        for process in others:
            process.start()
        team = Team(0, size, meeting)
        try:
            yield team
        except RuntimeError as error:  # what a peer's end looks like from here
            raise HawaiiError(f"processes={size}: {error}") from error
        team.leave()
        for process in others:
            process.join()
            if process.exitcode:
                raise HawaiiError(f"processes={size}: one has failed with status {process.exitcode}")


def _take_part(rank: int, size: int, meeting: str, work: Callable[..., object], arguments: tuple[Any, ...]) -> None:
    try:
        team = Team(rank, size, meeting)
        work(team, *arguments)
        team.leave()
    except HawaiiError:  # the leader has the same, and says it
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
