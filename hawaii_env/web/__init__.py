"""Web server to play in the browser: ``hawaii serve``. Needs the extra ``web``; the rest of the library does not import
it.

`create_app` builds the server as an ASGI application; `Settings` holds its configuration. See docs/play.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hawaii_env.web.app import create_app
    from hawaii_env.web.settings import Settings

__all__ = ["Settings", "create_app"]


def __getattr__(name: str) -> Any:
    # Import FastAPI only when the server is used.
    if name == "create_app":
        from hawaii_env.web.app import create_app

        return create_app
    if name == "Settings":
        from hawaii_env.web.settings import Settings

        return Settings
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
