"""Sphinx's settings for the documentation site: ``sphinx-build -W --keep-going -b dirhtml docs FOLDER``, or ``make
docs``.

The pages are Markdown that a forge shows as it stands; the site adds the API from docstrings, search and links. Nothing
is fetched while it is built, and a built page loads nothing from elsewhere.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

# Docstrings are wanted, not machine code: importing in interpreted mode compiles nothing.
os.environ.setdefault("HAWAII_ENV_PLAIN", "1")
HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE), str(ROOT), str(ROOT / "agents")]

import site_parts  # noqa: E402  beside this file

from hawaii_env import __version__  # noqa: E402

project = "hawaii_env"
author = "The hawaii_env contributors"
copyright = author
release = version = __version__
language = "en"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["_build", "**/__pycache__"]
nitpicky = False  # types of other libraries have no page here; links between pages are checked all the same

# Markdown as the forge reads it: links to files, headings as anchors.
myst_heading_anchors = 4
myst_links_external_new_tab = False

# Docstrings: Markdown with the headings of Google's style.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True, "show-inheritance": True}
# What an extra brings and this environment lacks is imitated; its classes then have no base in the page. RLlib always
# is: it needs an environment of its own.
EXTRAS = (
    "PIL",
    "fastapi",
    "matplotlib",
    "minari",
    "open_spiel",
    "pyarrow",
    "pygame",
    "pyspiel",
    "ray",
    "resvg_py",
    "safetensors",
    "sb3_contrib",
    "scipy",
    "stable_baselines3",
    "starlette",
    "supersuit",
    "tensordict",
    "torch",
    "torchrl",
)
autodoc_mock_imports = ["ray.rllib", *(name for name in EXTRAS if find_spec(name) is None)]
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False

html_theme = "furo"
html_title = "hawaii_env"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options: dict[str, Any] = {
    "light_css_variables": {"color-brand-primary": "#8c2f1b", "color-brand-content": "#8c2f1b"},
    "dark_css_variables": {"color-brand-primary": "#f0a58f", "color-brand-content": "#f0a58f"},
}
pygments_style = "friendly"
pygments_dark_style = "monokai"
# A signature says `Game`; the abstract one and a game of that name are both meant, and either page tells more.
suppress_warnings = ["ref.python"]
linkcheck_ignore = [r"http://127\.0\.0\.1.*"]


def setup(app: Any) -> None:
    """Connect what Sphinx lacks."""
    site_parts.setup(app, ROOT)
