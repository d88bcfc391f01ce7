"""The benchmark: tracks of frozen opponents, and results that can be verified.

```python
from hawaii_env import benchmark

result = benchmark.run_track("my-agent", "aloha", "runs/aloha", load=["my_bot.py"])
print(result.scores.held_out)
assert not benchmark.verify("runs/aloha", load=["my_bot.py"]).problems
```

A track is a *suite* (`suites`): a TOML file of a game package with scenarios and opponents. The arena plays its cells
(`running`), `form` has the fields of a result, `verifying` checks one.
"""

from hawaii_env.benchmark.form import Result, read_result
from hawaii_env.benchmark.running import run_track
from hawaii_env.benchmark.suites import Suite, load_suite, tracks
from hawaii_env.benchmark.verifying import Verification, verify

__all__ = ["Result", "Suite", "Verification", "load_suite", "read_result", "run_track", "tracks", "verify"]
