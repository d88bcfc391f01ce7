"""The generated pages of docs/reference are those that code and data give now."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"


def _generator() -> Any:
    spec = importlib.util.spec_from_file_location("docs_generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["actions.md", "observation.md", "cards.md", "pieces.md", "rulings.md", "phases.md"])
def test_generated_page_is_fresh(name: str) -> None:
    page = _generator().PAGES[name]()
    written = (DOCS / "reference" / name).read_text(encoding="utf-8")
    assert written == page, f"docs/reference/{name} is stale: run python docs/generate.py"


def test_every_generated_page_is_tested() -> None:
    assert sorted(_generator().PAGES) == sorted(p.name for p in (DOCS / "reference").glob("*.md"))
