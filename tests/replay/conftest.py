"""A browser for the tests of the replay page."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, headless; skipped where Playwright or a browser is missing. HAWAII_ENV_CHROMIUM names another one."""
    api = pytest.importorskip("playwright.sync_api")
    names = ("chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("HAWAII_ENV_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    with api.sync_playwright() as playwright:
        if path is None and not os.path.exists(playwright.chromium.executable_path):
            pytest.skip("there is no Chromium")
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        launched = playwright.chromium.launch(executable_path=path, args=arguments)
        yield launched
        launched.close()
