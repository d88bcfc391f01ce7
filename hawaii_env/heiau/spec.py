"""The declaration of Heiau Diplomacy."""

from __future__ import annotations

from hawaii_env.games import GameSpec, Level, Option

__all__ = ["SPEC"]

LEVELS = (
    Level(number=1, name="Beginner", about="gives orders by lot", agent="random"),
    Level(number=2, name="Medium", about="goes for the heiaus near, with supports", agent="heiau-greedy"),
    Level(number=3, name="Hard", about="thinks of what the others may order", agent="heiau-best-response"),
)
"""The levels, the weakest first."""

SPEC = GameSpec(
    name="heiau",
    title="Heiau Diplomacy",
    game="hawaii_env.heiau:Game",
    tracks="hawaii_env.heiau",
    ruleset="hawaii_env.heiau.ruleset:Ruleset",
    environments={"heiau_v0": "hawaii_env.heiau_v0"},
    parallel=True,
    players=(2, 6),
    options=(
        Option(
            name="scenario",
            meaning="race, duel (two players); discrete, triangle, clans (three); heart, wings (four); "
            "kamaainas, haole (five); discovery, two_haoles (six); or another of the ruleset's",
            default="race",
            values="hawaii_env.heiau.ruleset:Ruleset.scenario_names",
        ),
        Option(name="last_year", meaning="R-23: the last year, after which the game is a draw", default=20),
        Option(name="posts_win", meaning="R-21: trading posts count for victory", default=False, choices=(False, True)),
        Option(
            name="scoring",
            meaning="how a draw is shared: equally by who owns something (draw_size), equally by all (solo), or "
            "sum_of_squares",
            default="draw_size",
            choices=("draw_size", "solo", "sum_of_squares"),
        ),
        Option(
            name="discrete_start",
            meaning="R-02: Sunrise's first start in Discrete",
            default="kona_coast",
            choices=("kona_coast", "kona_kailua"),
        ),
        Option(
            name="assignment",
            meaning="R-24: agents are named by their powers (fixed), or chance says who plays which power (random)",
            default="fixed",
            choices=("fixed", "random"),
        ),
        Option(
            name="rules",
            metavar="FOLDER",
            local=True,
            meaning="a ruleset: a folder that replaces files of the shipped one",
        ),
    ),
    picture="hawaii_env.heiau.pictures:draw",
    board="hawaii_env.heiau.pictures:board",
    styles=(
        (r"\A.*(\n  (?! ).*)*", "bold"),
        (r"(?m)^-+$", "dim"),
        (r"\((dislodged|failed)[^)]*\)", "red"),
        (r"\*|\+(?=\[)", "yellow"),
    ),
    log_styles=(
        (r"^(Spring|Fall|Winter|Ballot).*:$", "bold"),
        (r"^  [a-z][a-z ]{9} (?=\w)", "cyan"),
        (r"\b(dislodged|disband)\b", "red"),
        (r"\bfailed\b", "yellow"),
    ),
    text_log="hawaii_env.heiau.pictures:HeiauTextLog",
    narration="hawaii_env.heiau.narration:HeiauNarration",
    strings="hawaii_env.heiau.strings:HeiauStrings",
    levels=LEVELS,
    demo_agent="heiau-greedy",
    legend="puna*[Se] Se.A: a space with a heiau (*; +: a post), in brackets its owner, then the unit there (A army, "
    "B boat bunch, F fleet). Orders: `-` moves, H holds, S supports, C convoys, `=` becomes.",
    level=2,
)
