"""A distribution of three games, found by its entry points: what is installed beside hawaii_env and knows nothing of
pages and pictures.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hawaii_env import games

__all__ = ["GAMES", "installed"]

TESTS = Path(__file__).parent
GAMES = {"tides": ["--rounds", "3"], "lagoon": ["--option", "rounds=1"], "highest_die": []}
"""Three players with a simultaneous turn; four with hidden hands and sealed orders; two, the example of
docs/new_game.md.
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder on the path with a distribution that has three games."""
    folder = tmp_path_factory.mktemp("site")
    info = folder / "three_games-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: three-games\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(
        "[hawaii_env.games]\ntides = toy:TIDES\nlagoon = toy:LAGOON\nhighest_die = highest_die:SPEC\n", encoding="utf-8"
    )
    page = (TESTS.parent / "docs" / "new_game.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    code = "".join(block for block in blocks if "class HighestDie" in block or "SPEC = GameSpec" in block)
    (folder / "highest_die.py").write_text(code.replace("games.register(SPEC)\n", ""), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(TESTS))
        patch.syspath_prepend(str(folder))
        patch.setenv("PYTHONPATH", os.pathsep.join([str(folder), str(TESTS), os.environ.get("PYTHONPATH", "")]))
        patch.setattr(games, "_registered", {})
        found = (games._installed, games._loaded)  # pyright: ignore[reportPrivateUsage]
        for cache in found:
            cache.cache_clear()
        importlib.invalidate_caches()
        yield folder
    sys.modules.pop("highest_die", None)
    for cache in found:
        cache.cache_clear()
