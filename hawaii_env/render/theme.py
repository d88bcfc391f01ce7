"""Light and dark: each colour of a picture's ground, and its counterpart on dark pages.

Drawings name light colours alone. `darkened` puts the dark ones in their places, and so does the style sheet
``web/static/picture.css`` on pages. Colours of pieces, which keep theirs, are not in the table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from hawaii_env.render.relief import SEA

__all__ = ["DARK", "darkened", "style_sheet"]

DARK: Mapping[str, str] = {
    # sea: deep, shelf, shoal, coasts
    "#8DBDCD": "#12303C", "#A2CBD6": "#173A47", "#C0DFE3": "#214E5C", "#5E7F86": "#7FA7B2",
    "#8FC1CF": "#1D4352",
    # land, and the mountains on it
    "#F2CF9E": "#5E4A2E", "#D6DFEF": "#3C4A63", "#F3E69C": "#5C5528", "#CFE0AE": "#44552F", "#DCE4DC": "#3A4744",
    "#D9E4CF": "#44523A", "#E3D6E8": "#4E4058", "#EBDDBB": "#514A37", "#A08A5C": "#7D6F4E", "#8A744A": "#C9B27F",
    "#8A7A52": "#6E664C", "#4A3B22": "#0A0E0C", "#FFF9E6": "#A39A78", "#7D6440": "#D3B987", "#FFF9E7": "#2A2317",
    "#F2E0B6": "#5E5436", "#D5E0B4": "#44553A", "#CDBFA8": "#4E463A", "#A8967A": "#6E6250",
    "#6E5B43": "#CDB690", "#7A5A32": "#C79B62", "#6E5A36": "#C9B27F",
    "#E3DFD0": "#2B312D", "#587C84": "#7FA7B2", "#EBE3BF": "#55543A", "#BBCF9C": "#34492F", "#9DB982": "#2A3F24",
    "#CDBFA6": "#4A443A", "#94856E": "#8B8170", "#FBF9F2": "#D8D5CC", "#5B5536": "#D8D2AE", "#8A4B2A": "#E0A06E",
    "#8FC0D1": "#1D4352", "#5B9DB6": "#4C8DA6", "#F7FCFD": "#CBE6EF",
    # letters and what surrounds them
    "#24414C": "#E5EEEE", "#24303A": "#F1EDDF", "#4F6B75": "#A9BEC4", "#46616B": "#A9BEC4", "#4C5A61": "#B9C3C4",
    "#5C7480": "#A9BEC4", "#1D5566": "#BFE3EE", "#6B4A2C": "#E6C7A2", "#B4471F": "#FFB36B", "#A8321F": "#FFB36B",
    "#E9F4F4": "#12242B", "#B7DAE1": "#0E2832", "#F3E9CF": "#2A2619", "#F5F0DA": "#1B201C", "#3E7F92": "#6FA9BC",
    # paper, panels, lines
    "#FBF8EF": "#20262A", "#F1EBDA": "#2B3338", "#B9AE93": "#5A6268", "#E9F1F0": "#172329", "#DDE3E3": "#263238",
    "#C3D6DA": "#2C4650", "#E4EEEF": "#223840", "#EAF5F6": "#234552", "#34606F": "#5B8FA1", "#1F5568": "#8FC6D6",
    # sides and resources as letters and heads
    "#A93A22": "#CB5F45", "#123A5E": "#5B8CBB", "#22312E": "#8FA79B", "#4A5A60": "#8FA3AA",
    "#8A5A12": "#C08A3A", "#1F6F54": "#3F9E7C", "#B3366B": "#D6639A", "#8C2F1B": "#D0684F", "#3A4FA0": "#7A8FE0",
    "#5C6B70": "#8A9BA1",
}  # fmt: skip
"""Dark counterparts of light colours."""

_PROPERTIES = ("fill", "stroke")


def darkened(svg: str) -> str:
    """Return a drawing in the colours of dark pages."""
    return re.sub(
        rf'\b({"|".join(_PROPERTIES)})="(#[0-9A-F]{{6}})"',
        lambda found: f'{found[1]}="{DARK.get(found[2], found[2])}"',
        svg,
    )


def style_sheet() -> str:
    """Return ``web/static/picture.css``, which dark pages alone apply: no page lets a picture bring its own rules."""
    pairs = [(what, light, dark) for light, dark in DARK.items() for what in _PROPERTIES]
    rules = [f'[{what}="{light}"] {{ {what}: {dark}; }}' for what, light, dark in pairs]
    return "".join(f"{rule}\n" for rule in [f".map {{ background: {DARK[SEA]}; }}", *rules])
