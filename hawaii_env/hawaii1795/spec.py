"""Declaration of Hawaii, 1795 for the modules that serve any game."""

from __future__ import annotations

from hawaii_env.games import Command, GameSpec, Level, Option

__all__ = ["SPEC"]


def _slips(epsilon: float) -> str:
    return f"epsilon-greedy:base=rule-of-thumb,epsilon={epsilon:g}"


def _level(number: int, name: str, about: str, agent: str, short: str) -> Level:
    return Level(number=number, name=name, about=about, agent=agent, others={"scenario=short": short})


LEVELS = (
    _level(1, "Beginner", "moves without much of a plan", _slips(0.9), _slips(0.9)),
    _level(2, "Easy", "has plans, and often forgets them", _slips(0.4), _slips(0.55)),
    _level(3, "Medium", "has plans, and makes mistakes", _slips(0.15), _slips(0.35)),
    _level(4, "Hard", "knows the odds of its battles", "rule-of-thumb", _slips(0.2)),
    _level(5, "Expert", "makes few mistakes", "ppo", "rule-of-thumb"),
    _level(6, "Champion", "looks ahead before it moves", "champion", "champion"),
)
"""The levels, the weakest first: docs/benchmarks/levels.md has the matches of each with the one before it."""

SPEC = GameSpec(
    name="hawaii1795",
    title="Hawaii, 1795",
    game="hawaii_env.hawaii1795:Game",
    ruleset="hawaii_env.hawaii1795.ruleset:Ruleset",
    environments={"hawaii1795_v1": "hawaii_env.hawaii1795_v1"},
    options=(
        Option(
            name="scenario",
            meaning="long (eleven turns from January), short (nine turns from March), or another of the ruleset's",
            default="long",
            values="hawaii_env.hawaii1795.ruleset:Ruleset.scenario_names",
        ),
        Option(
            name="rules",
            metavar="FOLDER",
            local=True,
            meaning="a ruleset: a folder that replaces files of the shipped one",
        ),
        Option(
            name="final_check",
            meaning="R-08: check Kamehameha's occupation once more after November",
            default=False,
            choices=(False, True),
        ),
        Option(
            name="sea_victor",
            meaning="R-18: an attacker who wins a sea battle before a garrisoned space goes home (repulsed) or fights "
            "the garrison (assault)",
            default="repulsed",
            choices=("repulsed", "assault"),
        ),
    ),
    picture="hawaii_env.hawaii1795.pictures:draw",
    board="hawaii_env.hawaii1795.pictures:board",
    styles=(
        (r"\A.*(\n  (?! ).*)*", "bold"),
        (r"(?m)^-+$", "dim"),
        (r"\b(Kamehameha|John Young|Royal Guard|Vancouver’s cannon|warriors \([12]\))", "red"),
        (
            r"\b(Kalanikūpule|Kaʻiana(’s warriors)?|Thunderers|Brown’s cannon|(Oʻahu|Maui) [a-z]+|Allies)\b",
            "bright_blue",
        ),
        (r"\bKauaʻi (warriors|canoes?)\b", "yellow"),
        (r"\bpanicked\b", "reverse"),
        (r"(?m)^(held|battle|fleet|retreat|recruits to come|gone for good):.*(\n  (?! ).*)*$", "bold"),
    ),
    log_styles=(
        (r"^[A-Z][a-zʻ]+: (Kamehameha|Allies).*$", "bold"),
        (r"\b(elimination|lost)\b", "red"),
        (r"\b(panic|panics)\b", "yellow"),
    ),
    narration="hawaii_env.hawaii1795.narration:HawaiiNarration",
    strings="hawaii_env.hawaii1795.strings:HawaiiStrings",
    guide="hawaii_env.hawaii1795.guide:HawaiiGuide",
    levels=LEVELS,
    demo_agent="rule-of-thumb",
    legend="a row is a space, a column a side. 2 × warriors (2): two units of strength 2; in brackets what "
    "happened to them; box: units that can be recruited.",
    level=2,
    static="hawaii_env.hawaii1795",
    tracks="hawaii_env.hawaii1795",
    commands=(
        Command(
            name="odds",
            help="odds of a battle, exact where it is small enough",
            arguments="hawaii_env.hawaii1795.battles.odds_cli:ODDS",
            run="hawaii_env.hawaii1795.battles.odds_cli:run_odds",
            example="4xwarrior_2 2xoahu_warrior --space kona",
        ),
    ),
)
