"""Compiled functions for games and agents of any package.

Mark functions with `rule`, and pass those that Python calls to `EntryPoints`, one for each job:

```python
from hawaii_env.core import EntryPoints, rule


@rule
def count(values, most):
    n = 0
    for value in values:
        n += value <= most
    return n


ENTRIES = EntryPoints("mygame", "counting", (count,))


def few(values):
    entries = ENTRIES.compile_now(lambda: {"count": (values, 1)})  # example arguments, whose types are compiled
    return entries.count(values, 1)
```

Under ``HAWAII_ENV_PLAIN=1`` (`INTERPRETED`) the same functions run as ordinary Python.
"""

from __future__ import annotations

from hawaii_env.core.jit import INTERPRETED, EntryPoints, rule

__all__ = ["INTERPRETED", "EntryPoints", "rule"]
