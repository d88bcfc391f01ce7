"""The declaration of Maori Wars."""

from __future__ import annotations

from hawaii_env.games import Command, GameSpec, Level, Option

__all__ = ["SPEC"]

LEVELS = (
    Level(number=1, name="Beginner", about="acts without a plan", agent="random"),
    Level(
        number=2, name="Easy", about="often acts without a plan", agent="epsilon-greedy:base=maori-greedy,epsilon=0.5"
    ),
    Level(
        number=3, name="Medium", about="weighs moves and combats", agent="epsilon-greedy:base=maori-greedy,epsilon=0.2"
    ),
    Level(number=4, name="Hard", about="plays each choice out to its end", agent="maori-greedy"),
    Level(number=5, name="Expert", about="plays on to the end of the turn", agent="maori-search"),
)
"""The levels, the weakest first."""

SPEC = GameSpec(
    name="maori_wars",
    title="Maori Wars",
    game="hawaii_env.maori_wars:Game",
    tracks="hawaii_env.maori_wars",
    ruleset="hawaii_env.maori_wars.ruleset:Ruleset",
    environments={"maori_wars_v0": "hawaii_env.maori_wars_v0"},
    options=(
        Option(
            name="scenario",
            meaning="scenario of the ruleset: taranaki, flagstaff, waikato or campaign",
            default="taranaki",
            values="hawaii_env.maori_wars.ruleset:Ruleset.scenario_names",
        ),
        Option(
            name="rules",
            meaning="a ruleset: a folder that replaces files of the shipped one",
            metavar="FOLDER",
            local=True,
        ),
        Option(
            name="levels",
            meaning="grade wins: a minor victory counts 1/3, a major one 2/3",
            default=False,
            choices=(False, True),
        ),
    ),
    picture="hawaii_env.maori_wars.pictures:draw",
    board="hawaii_env.maori_wars.pictures:board",
    styles=((r"(?m)\A.*$", "bold"), (r"\bMāori\b", "green"), (r"\bBritish\b", "red")),
    log_styles=((r"^[A-Z][a-z].*:$", "bold"), (r"\bMāori\b", "green"), (r"\bBritish\b", "red")),
    narration="hawaii_env.maori_wars.narration:MaoriNarration",
    strings="hawaii_env.maori_wars.strings:MaoriStrings",
    guide="hawaii_env.maori_wars.guide:MaoriGuide",
    levels=LEVELS,
    demo_agent="maori-greedy",
    legend="Vm2: a village with two Māori units; numbers above and beside the board are those of hexes. The letters "
    "are explained below it.",
    commands=(
        Command(
            name="assault",
            help="exact odds of a single combat of Maori Wars",
            arguments="hawaii_env.maori_wars.assault:add_assault_arguments",
            run="hawaii_env.maori_wars.assault:run_assault",
            example="--by maori --kind warrior --attackers 4 --defenders 2 --pa",
            interpreted=True,
        ),
    ),
)
