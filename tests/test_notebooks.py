"""The notebooks: some kept with their outputs; each runs from top to bottom and shows its pictures.

All but the first are marked slow: they train, search and play hundreds of games, together for four minutes.
HAWAII_ENV_NOTEBOOKS names a folder in which the executed notebooks are kept, in the form in which they are committed.
"""

from __future__ import annotations

import copy
import json
import os
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
EXTRAS = set(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"])
PICTURES = {"image/png", "image/gif", "image/svg+xml"}
# Pictures that each shows at least.
WANTED = {
    "1_quickstart": 3, "2_battle_odds": 4, "3_train_ppo": 3, "4_tournament": 4, "5_search": 3, "6_what_decides": 6,
    "7_heiau": 4, "8_aloha": 3, "9_maori_wars": 7,
}  # fmt: skip


SHOWN = {"1_quickstart", "3_train_ppo", "7_heiau", "9_maori_wars"}
"""Notebooks that are committed with their outputs."""

METADATA = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"}}  # fmt: skip
"""Without the interpreter's version, which changes with who saved a notebook."""

notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def cells(path: Path) -> list[dict[str, Any]]:
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def test_there_are_those_that_are_promised() -> None:
    assert {path.stem for path in NOTEBOOKS} == set(WANTED)
    listed = re.findall(r"\]\((\w+\.ipynb)\)", (ROOT / "notebooks/README.md").read_text(encoding="utf-8"))
    assert listed == [path.name for path in NOTEBOOKS]


@notebook
def test_is_kept_with_outputs_or_without(path: Path) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    assert (data["nbformat"], data["nbformat_minor"]) == (4, 5)
    assert data["metadata"] == METADATA
    assert not any(cell["metadata"] for cell in data["cells"])
    code = [cell for cell in data["cells"] if cell["cell_type"] == "code"]
    outputs = [output for cell in code for output in cell["outputs"]]
    if path.stem in SHOWN:
        assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
        assert sum(bool(PICTURES & set(output.get("data", {}))) for output in outputs) >= WANTED[path.stem]
        assert not any(output.get("name") == "stderr" for output in outputs)
    else:
        assert not outputs and not any(cell["execution_count"] for cell in code)


@notebook
def test_says_first_what_it_needs(path: Path) -> None:
    first = "".join(cells(path)[0]["source"])
    assert first.startswith("# ")
    asked = re.search(r'pip install -e (?:\.|"\.\[([\w,]+)\]")', first)
    assert asked is not None
    assert set(filter(None, (asked[1] or "").split(","))) <= EXTRAS


@notebook
def test_explains_between_the_code(path: Path) -> None:
    kinds = [cell["cell_type"] for cell in cells(path)]
    assert kinds.count("markdown") * 2 >= kinds.count("code")


def as_committed(read: Any) -> Any:
    """Return an executed notebook without times, versions and what was written to standard error."""
    kept = copy.deepcopy(read)
    kept.metadata = METADATA
    for cell in kept.cells:
        cell.metadata = {}
        cell.outputs = [output for output in cell.get("outputs", []) if output.get("name") != "stderr"]
        if cell.cell_type != "code":
            del cell["outputs"]
    return kept


@pytest.mark.slow
@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in NOTEBOOKS])
def test_runs_from_top_to_bottom(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ipykernel")
    nbformat: Any = pytest.importorskip("nbformat")
    nbclient: Any = pytest.importorskip("nbclient")
    read = nbformat.read(path, as_version=4)
    nbformat.validate(read)
    # In a folder of its own: some write records and pictures.
    monkeypatch.setenv("NOTEBOOK_MINUTES", os.environ.get("NOTEBOOK_MINUTES", "0.1"))  # of training, in those that ask
    settings = {"kernel_name": "python3", "timeout": 1800, "resources": {"metadata": {"path": str(tmp_path)}}}
    try:
        nbclient.NotebookClient(read, **settings).execute()
    finally:
        if kept := os.environ.get("HAWAII_ENV_NOTEBOOKS"):
            Path(kept).mkdir(parents=True, exist_ok=True)
            nbformat.write(as_committed(read), Path(kept) / path.name)
    outputs = [output for cell in read.cells for output in cell.get("outputs", [])]
    pictures = [output for output in outputs if PICTURES & set(output.get("data", {}))]
    assert len(pictures) >= WANTED[path.stem]
    told = "".join(output.text for output in outputs if output.output_type == "stream" and output.name == "stderr")
    told = re.sub(
        r"^hawaii_env: (first run, compiling|compiling|another process compiles).*\n", "", told, flags=re.MULTILINE
    )  # the first game of a fresh machine
    assert not told, told
