"""Pictures of a set of positions, held against PNGs that were looked at by eye.

After a change that is meant: ``HAWAII_ENV_SNAPSHOTS=write python -m pytest tests/render/test_snapshots.py``, and look
at them.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hawaii_env.game import Chance, Decision, Event
from hawaii_env.hawaii1795.pictures import svg
from hawaii_env.render.picture import rasterize

pytest.importorskip("resvg_py", reason="the extra render")
Image = pytest.importorskip("PIL.Image", reason="the extra render")

HERE = Path(__file__).parent
POSITIONS: dict[str, Any] = json.loads((HERE / "positions.json").read_text(encoding="utf-8"))
WIDTH = 500


def events_of(rows: list[list[Any]]) -> list[Event]:
    return [Decision(row[1], 0, row[2]) if row[0] == "decision" else Chance(row[1], row[2], row[3]) for row in rows]


def picture(name: str) -> np.ndarray[Any, Any]:
    entry = POSITIONS[name]
    return rasterize(svg(entry["view"], entry["legal"], events=events_of(entry["events"])), WIDTH)


def difference(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> tuple[float, float]:
    """The mean difference of a channel, and the share of pixels that differ clearly."""
    apart = np.abs(one.astype(np.int16) - other.astype(np.int16))
    return float(apart.mean()), float((apart.max(axis=2) > 64).mean())


@pytest.mark.parametrize("name", POSITIONS)
def test_picture_is_as_it_was(name: str) -> None:
    path, now = HERE / "snapshots" / f"{name}.png", picture(name)
    if os.environ.get("HAWAII_ENV_SNAPSHOTS") == "write":
        # Few colours keep the files small; the tolerance below covers them.
        Image.fromarray(now).quantize(256, kmeans=2, dither=Image.Dither.NONE).save(path, optimize=True)
    with Image.open(path) as file:
        before = np.asarray(file.convert("RGB"))
    assert before.shape == now.shape
    mean, share = difference(before, now)
    assert mean < 3.0 and share < 0.002, f"{name}: mean difference {mean:.2f}, {share:.2%} of the pixels differ clearly"


def test_one_counter_more_or_less_is_noticed() -> None:
    entry = json.loads(json.dumps(POSITIONS["start"]))
    there = entry["view"]["units"]["kamehameha"]["kona"]
    entry["view"]["units"]["kamehameha"]["kona"] = [text for text in there if text != "kamehameha"]
    changed = rasterize(svg(entry["view"], entry["legal"], events=events_of(entry["events"])), WIDTH)
    _, share = difference(changed, picture("start"))
    assert share > 0.002


def test_every_snapshot_has_a_position() -> None:
    assert {path.stem for path in (HERE / "snapshots").glob("*.png")} == set(POSITIONS)
    assert sum(path.stat().st_size for path in (HERE / "snapshots").glob("*.png")) < 600_000
