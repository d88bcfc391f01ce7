"""The numbers of Hawaii, 1795: their form, their files, what makes one wrong. See docs/rulesets.md."""

from .loading import (
    DATA,
    RULINGS,
    SEA_VICTOR,
    TABLE_FIELDS,
    TABLES,
    PlainTables,
    Ruleset,
    load_ruleset,
    load_rulings,
    plain_tables,
    read_folder,
)

__all__ = [
    "DATA",
    "RULINGS",
    "SEA_VICTOR",
    "TABLES",
    "TABLE_FIELDS",
    "PlainTables",
    "Ruleset",
    "load_ruleset",
    "load_rulings",
    "plain_tables",
    "read_folder",
]
