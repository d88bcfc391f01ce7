"""What the training scripts share: settings, logs, opponents, the ladder, curves. Only NumPy is needed here; the
scripts bring torch.

Importing it makes this package's agents known by name where the distribution is not installed, as in a fresh checkout.
"""

from collections.abc import Callable
from importlib import import_module

from hawaii_env import agents
from hawaii_env.agents import Agent


def _maker(place: str) -> Callable[..., Agent]:
    module, _, name = place.partition(":")

    def make(**parameters: object) -> Agent:
        """An agent of this package's, imported when it is first made."""
        return getattr(import_module(module), name)(**parameters)

    return make


for _name, _place in (
    ("ppo", "hawaii_agents.ppo:PPOAgent"),
    ("rule-of-thumb", "hawaii_agents.hawaii1795.rule_of_thumb:RuleOfThumbAgent"),
):
    if _name not in agents.known():
        agents.register(_name, _maker(_place))
