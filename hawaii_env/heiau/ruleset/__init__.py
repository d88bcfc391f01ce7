"""The ruleset of Heiau Diplomacy as data: the map (reconstructed but for printed names), the scenarios (printed), the
rulings.
"""

from .loading import (
    DATA,
    FILES,
    RULINGS,
    Power,
    Ruleset,
    Scenario,
    Space,
    load_ruleset,
    load_rulings,
    read_unit,
    scenario_names,
)

__all__ = [
    "DATA",
    "FILES",
    "RULINGS",
    "Power",
    "Ruleset",
    "Scenario",
    "Space",
    "load_ruleset",
    "load_rulings",
    "read_unit",
    "scenario_names",
]
