"""Make the fonts of the pictures: small parts of Fira Sans and Alegreya, under ``hawaii_env/render/data``.

    npm pack @fontsource/fira-sans@5.3.0 && mkdir fira && tar xf fontsource-fira-sans-5.3.0.tgz -C fira
    npm pack @fontsource/alegreya@5.3.0 && mkdir alegreya && tar xf fontsource-alegreya-5.3.0.tgz -C alegreya
    python -m pip install fonttools
    python docs/make_fonts.py fira/package/files alegreya/package/files

A part holds the letters of English and Hawaiian and what the pictures need besides, so that they look alike on machines
without fonts.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from pathlib import Path
from typing import Any

TARGET = Path(__file__).resolve().parent.parent / "hawaii_env" / "render" / "data"
LETTERS = "".join(map(chr, range(0x20, 0x7F))) + "\u00a0·×–—‘’“”ʻāēīōūĀĒĪŌŪä…½•±"
FONTS = {
    "FiraSans-Regular.ttf": (1, "fira-sans-{}-400-normal.woff"),
    "FiraSans-Bold.ttf": (1, "fira-sans-{}-700-normal.woff"),
    "Alegreya-Bold.ttf": (2, "alegreya-{}-700-normal.woff"),
}


def main() -> None:
    """Read the folders named on the command line, and write the fonts."""
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    merge: Any = importlib.import_module("fontTools.merge")
    subset: Any = importlib.import_module("fontTools.subset")
    tt: Any = importlib.import_module("fontTools.ttLib")
    for name, (folder, pattern) in FONTS.items():
        with tempfile.TemporaryDirectory() as work:
            parts: list[str] = []
            for script in ("latin", "latin-ext"):
                font = tt.TTFont(Path(sys.argv[folder]) / pattern.format(script))
                font.flavor = None
                options = subset.Options()
                options.layout_features = ["kern", "liga"]
                options.hinting = False
                options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14, 16, 17]
                cutter = subset.Subsetter(options)
                cutter.populate(text=LETTERS)
                cutter.subset(font)
                parts.append(f"{work}/{script}.ttf")
                font.save(parts[-1])
            whole = merge.Merger().merge(parts)
        missing = [letter for letter in LETTERS if ord(letter) not in whole.getBestCmap()]
        if missing:
            raise SystemExit(f"{name} lacks {missing}")
        whole.save(TARGET / name)
        print(f"{name}: {(TARGET / name).stat().st_size} bytes")


if __name__ == "__main__":
    main()
