"""What Hawaii, 1795 declares of itself to whatever serves any game."""

from __future__ import annotations

from hawaii_env.games import GameSpec, Option

__all__ = ["SPEC"]

SPEC = GameSpec(
    name="hawaii1795",
    title="Hawaii, 1795",
    game="hawaii_env.hawaii1795:Game",
    environments={"hawaii1795_v0": "hawaii_env.hawaii1795_v0"},
    options=(
        Option(name="scenario", meaning="scenario: long, short, another of the ruleset's", default="long"),
        Option(
            name="rules",
            meaning="a ruleset: a folder that replaces files of the shipped one, or the name of an earlier one, as reconstructed-2",
        ),
        Option(
            name="final_check",
            meaning="R-08: Kamehameha's occupation counts after November, too",
            default=False,
            choices=(False, True),
        ),
        Option(
            name="sea_victor",
            meaning="R-18: what the victor of a sea battle does before a garrisoned space",
            default="repulsed",
            choices=("repulsed", "assault"),
        ),
    ),
    picture="hawaii_env.hawaii1795.pictures:draw",
    board="hawaii_env.hawaii1795.pictures:board",
    styles=(
        (r"(?m)\A.*$", "bold"),
        (r"(?m)^-+$", "dim"),
        (r"\b(kamehameha|john_young|royal_guard|vancouver|warrior_[12])\b|\bKamehameha\b", "red"),
        (r"\b(kalani|kaiana|thunderers|brown|kaiana_warriors|oahu_\w+|maui_\w+)\b|\bAllies\b", "bright_blue"),
        (r"\bkauai_\w+", "yellow"),
        (r"/panicked\b", "reverse"),
        (r"(?m)^(held|battle|fleet|retreat|recruits to come|gone for good):.*$", "bold"),
    ),
    narrator="hawaii_env.hawaii1795.pictures:HawaiiNarrator",
    story="hawaii_env.hawaii1795.story:HawaiiStory",
)
