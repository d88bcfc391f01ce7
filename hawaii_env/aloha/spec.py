"""The declaration of ALOHA."""

from __future__ import annotations

from hawaii_env.games import GameSpec, Level, Option

__all__ = ["SPEC"]


def _slips(epsilon: float) -> str:
    return f"epsilon-greedy:base=aloha-greedy,epsilon={epsilon:g}"


LEVELS = (
    Level(number=1, name="Beginner", about="acts without a plan", agent="random"),
    Level(number=2, name="Easy", about="knows what scores, and often forgets it", agent=_slips(0.5)),
    Level(number=3, name="Medium", about="knows what scores, and makes mistakes", agent=_slips(0.2)),
    Level(number=4, name="Hard", about="takes what is worth most, one decision ahead", agent="aloha-greedy"),
    Level(number=5, name="Expert", about="tries out what may come of each choice", agent="aloha-search:sims=100"),
)
"""The levels, the weakest first. Each beats the one before it: docs/benchmarks/aloha.md has the matches."""

SPEC = GameSpec(
    name="aloha",
    title="ALOHA, the Spirit of Hawaii",
    game="hawaii_env.aloha:Game",
    tracks="hawaii_env.aloha",
    ruleset="hawaii_env.aloha.ruleset:Ruleset",
    environments={"aloha_v0": "hawaii_env.aloha_v0"},
    players=(2, 4),
    options=(
        Option(name="players", meaning="number of players", default=2, choices=(2, 3, 4)),
        Option(
            name="turn_order",
            meaning="R-05: who has most Action tokens left acts next (most_left), or one action each in turn (rounds)",
            default="most_left",
            choices=("most_left", "rounds"),
        ),
        Option(
            name="reward",
            meaning="reward at the end: for the victory (win), the place (rank) or the difference in points (margin)",
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
    log_styles=(
        (r"^[A-Z][a-z].*:$", "bold"),
        (r"\bRed\b", "red"),
        (r"\bYellow\b", "yellow"),
        (r"\bGreen\b", "green"),
        (r"\bBlue\b", "bright_blue"),
    ),
    narration="hawaii_env.aloha.narration:AlohaNarration",
    strings="hawaii_env.aloha.strings:AlohaStrings",
    guide="hawaii_env.aloha.guide:AlohaGuide",
    levels=LEVELS,
    demo_agent="aloha-greedy",
    legend="12+2: Pure Hawaiian tokens and Action tokens of a player on an island; card: who holds the island's card; "
    "*: who has the King/Queen token. Numbered lines are the cards that can be taken.",
    level=2,
)
