"""What ALOHA declares of itself to whatever serves any game."""

from __future__ import annotations

from hawaii_env.games import GameSpec, Option

__all__ = ["SPEC"]

SPEC = GameSpec(
    name="aloha",
    title="ALOHA, the Spirit of Hawaii",
    game="hawaii_env.aloha:Game",
    environments={"aloha_v0": "hawaii_env.aloha_v0"},
    players=(2, 4),
    options=(
        Option(name="players", meaning="how many play", default=2, choices=(2, 3, 4)),
        Option(
            name="turn_order",
            meaning="R-05: who has most Action tokens left acts next, or one action each, again and again",
            default="most_left",
            choices=("most_left", "rounds"),
        ),
        Option(
            name="reward",
            meaning="for the victory, for the place, or for the difference in points",
            default="win",
            choices=("win", "rank", "margin"),
        ),
        Option(
            name="rules",
            meaning="a ruleset: a folder that replaces files of the shipped one",
            metavar="FOLDER",
            local=True,
        ),
    ),
    picture="hawaii_env.aloha.pictures:draw",
    board="hawaii_env.aloha.pictures:board",
    styles=(
        (r"(?m)\A.*$", "bold"),
        (r"\bRed\b", "red"),
        (r"\bYellow\b", "yellow"),
        (r"\bGreen\b", "green"),
        (r"\bBlue\b", "bright_blue"),
    ),
    story="hawaii_env.aloha.story:AlohaStory",
)
