"""Ctrl-C before the ``hawaii`` command starts: ends the process at once, without a traceback.

This module is imported before all others, which takes part of a second. `restore` is called when the command begins.
"""

from __future__ import annotations

import os
import signal
import sys
import threading

__all__ = ["is_command", "restore"]


def is_command() -> bool:
    """Return True if this process runs the installed ``hawaii`` command, or ``python -m hawaii_env``."""
    folder, name = os.path.split(os.path.abspath(sys.argv[0] if sys.argv else ""))
    installed = name in ("hawaii", "hawaii.exe") and folder == os.path.dirname(os.path.abspath(sys.executable))
    return installed or (sys.argv[:1] == ["-m"] and "hawaii_env" in sys.orig_argv)


def restore() -> None:
    """Let Ctrl-C raise KeyboardInterrupt again."""
    if ENDS_AT_ONCE and signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)


ENDS_AT_ONCE = (
    is_command()
    and threading.current_thread() is threading.main_thread()
    and signal.getsignal(signal.SIGINT) is signal.default_int_handler
)
"""True if Ctrl-C ended the process at once until `restore` was called."""

if ENDS_AT_ONCE:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
