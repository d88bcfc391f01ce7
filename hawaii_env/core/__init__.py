"""Compiled functions for games and agents of any package, made and cached as the rules here are.

Mark functions with `rule`, and give those that Python calls to `EntryPoints`, one for each job:

```python
from hawaii_env.core import EntryPoints, rule


@rule
def count(values, most):
    n = 0
    for value in values:
        n += value <= most
    return n


DOORS = EntryPoints("mygame", "counting", (count,))


def few(values):
    doors = DOORS.compile_now(lambda: {"count": (values, 1)})  # example arguments: the types that it is compiled for
    return doors.count(values, 1)
```

Under ``HAWAII_ENV_PLAIN=1`` (`INTERPRETED`) the same functions run as ordinary Python.
"""

from __future__ import annotations

from hawaii_env.core.jit import INTERPRETED, EntryPoints, rule

__all__ = ["INTERPRETED", "EntryPoints", "rule"]
