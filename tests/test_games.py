"""The registry of games, and what a spec must have."""

from __future__ import annotations

import argparse
import copy
import dataclasses
import doctest
import importlib
import inspect
import pickle
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import pettingzoo
import pytest
from refusals import refuses, refuses_each
from toy import LAGOON, TIDES, ToyGame
from waiting import python

import hawaii_env
from hawaii_env import cli, fuzz, games
from hawaii_env.env.aec import GameEnv
from hawaii_env.env.checker import check_aec
from hawaii_env.env.parallel import ParallelGameEnv
from hawaii_env.errors import ArgumentError, OptionError
from hawaii_env.game import Outcome, Part, difference
from hawaii_env.games import Command, GameSpec, Level, Option
from hawaii_env.hawaii1795 import Game


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "_registered", {})


def test_installed_games_are_found_by_name() -> None:
    assert "hawaii1795" in games.list_games()
    assert games.find("hawaii1795").title == "Hawaii, 1795"
    assert games.load_game("hawaii1795", scenario="short") == Game(scenario="short")
    assert games.get("chess") is None
    refuses(OptionError, (r"no game 'chess'; available: .*hawaii1795", lambda: games.find("chess")))


def test_options_are_the_arguments_of_the_game() -> None:
    for spec in games.shipped():
        assert [(option.name, option.default) for option in spec.options] == list(spec.make().params.items())
    spec = games.find("hawaii1795")
    refuses(OptionError, (r"hawaii1795 has no option 'players'; it takes: .*scenario", lambda: spec.make(players=3)))
    by_name = {option.name: option for option in spec.options}
    assert by_name["final_check"].read("True") is True
    refuses(
        OptionError,
        ("sea_victor: expected one of repulsed, assault, not 'home'", lambda: by_name["sea_victor"].read("home")),
    )
    assert Option(name="n", meaning="a number", default=3).read("7") == 7
    refuses(OptionError, ("expected an integer", lambda: Option(name="n", meaning="a number", default=3).read("x")))


def test_every_part_of_every_installed_game_loads() -> None:
    for name in games.list_games():
        spec = games.find(name)
        for part in games.PARTS:
            assert spec.load(part) is not None or getattr(spec, part) is None
        assert spec.load("game").name == name


@pytest.mark.parametrize("name", games.list_games())
def test_observers_show_what_states_show(name: str) -> None:
    game = games.load_game(name)
    observe, choices = game.observer().observe, random.Random(5)
    for length in (200, 3, 3, 40):
        state = game.initial_state(seed=length)
        for _ in range(length):
            if state.is_terminal:
                break
            player = state.acting_players[0]
            shown, mask = observe(state, player)
            assert (shown == state.observation(player)).all()
            assert (mask == state.legal_mask(None, player)).all()
            shown[:], mask[:] = -1, -1  # they are the caller's
            state.apply(choices.choice(state.legal_actions()))
            if choices.random() < 0.05:
                state = state.clone()


@pytest.mark.parametrize("name", [spec.name for spec in games.shipped()])
def test_games_are_equal_when_they_play_by_the_same_rules(name: str) -> None:
    spec = games.find(name)
    game = spec.make()
    again = [spec.make(), type(game)(**game.params), pickle.loads(pickle.dumps(game)), copy.deepcopy(game)]
    again.append(type(game)(**{**game.params, "rules": game.ruleset_name}))
    for one in again:
        assert one == game and hash(one) == hash(game) and difference(game, one) == ""
    assert len({game, *again}) == 1
    others = [
        spec.make(**{option.name: value})
        for option in spec.options
        for value in option.choices or (spec.values_of(option) if option.values else ())
        if value != option.default
    ]
    assert len({game, *others}) == 1 + len(others) > 2
    for one in others:
        assert one != game and difference(game, one)
    assert game not in (None, name, game.params)


@pytest.mark.parametrize("module", ["", ".agents", ".env.entries", ".env.vector", ".games", ".playing"])
def test_examples_in_docstrings_hold(module: str) -> None:
    found = doctest.testmod(importlib.import_module(f"hawaii_env{module}"))
    assert found.attempted > 2 and not found.failed


ENTRIES = [
    pytest.param(spec, entry, id=f"{spec.name}-{entry}")
    for spec in games.shipped()
    for entry in ("env", "raw_env", *(["parallel_env"] if spec.parallel else []))
]


@pytest.mark.parametrize("spec", games.shipped(), ids=lambda spec: spec.name)
def test_registries_of_pettingzoo_and_gymnasium_know_a_game(spec: GameSpec) -> None:
    name, place = list(spec.environments.items())[-1]
    known = f"hawaii_env:{name.replace('_v', '-v')}"
    assert type(pettingzoo.make("aec", known)) is importlib.import_module(place).raw_env
    if spec.parallel:
        assert isinstance(pettingzoo.make("parallel", known), ParallelGameEnv)
    _, info = gymnasium.make(known).reset(seed=1)
    assert info["action_mask"].shape == (spec.make().num_actions,) and info["action_mask"].any()


@pytest.mark.parametrize(("spec", "entry"), ENTRIES)
def test_a_games_module_has_the_entries_of_its_spec(spec: GameSpec, entry: str) -> None:
    name, place = list(spec.environments.items())[-1]
    module = importlib.import_module(place)
    assert set(module.__all__) == {"env", "raw_env", *(["parallel_env"] if spec.parallel else [])}
    made = getattr(module, entry)
    parameters = inspect.signature(made).parameters
    defaults = {option.name: option.default for option in spec.options}
    illegal = "raise" if entry == "raw_env" else "lose"
    assert {name: one.default for name, one in parameters.items()} == {
        **defaults, "render_mode": None, "illegal": illegal, "starts": None, "step_reward": None,
    }  # fmt: skip
    told = " ".join((inspect.getdoc(made) or "").split())
    assert all(option.meaning.rstrip(".") in told for option in spec.options) and "illegal: 'lose'" in told
    env = made()
    assert isinstance(env, ParallelGameEnv if entry == "parallel_env" else GameEnv)
    assert (env.metadata["name"], env.illegal, env.game) == (name, illegal, spec.make())
    assert (made.__module__, made.__name__) == (place, entry)
    env.reset(seed=1)
    for copied in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert type(copied) is type(env)
        assert copied.game_state.to_json(secrets=True) == env.game_state.to_json(secrets=True)
    assert list(made(*defaults.values(), "ansi", "raise").game.params) == list(env.game.params)
    with pytest.raises(ArgumentError, match=f"{spec.name}: got an unexpected keyword argument 'moon'; it takes: .*ill"):
        made(moon=1)


def test_the_main_functions() -> None:
    env = hawaii_env.make("aloha", players=3)
    assert (env.metadata["name"], env.illegal, env.game.num_players) == ("aloha_v0", "lose", 3)
    assert hawaii_env.make(ToyGame(), illegal="raise").metadata["name"] == "tides_v0"
    assert hawaii_env.make_parallel("heiau", scenario="duel").metadata["name"] == "heiau_v0"
    batch = hawaii_env.make_batch("aloha", 4, players=[2, 2, 3, 3][:2])
    assert batch.num_envs == 4 and batch.num_players == 2
    assert hawaii_env.load_game("aloha", players=4) == hawaii_env.load_game(hawaii_env.load_game("aloha", players=4))
    assert hawaii_env.load_agent("random", seed=3).seed == 3  # pyright: ignore[reportAttributeAccessIssue]
    ended = hawaii_env.play("aloha", "random", seed=1, players=3)
    assert ended.is_terminal and ended.trace and len(ended.returns()) == 3
    assert {*hawaii_env.__all__} <= {*dir(hawaii_env)}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: hawaii_env.make("chess"), "no game 'chess'; available: aloha, hawaii1795, heiau, maori_wars"),
        (lambda: hawaii_env.make("aloha", player=3), "aloha has no option 'player'; it takes: players"),
        (lambda: hawaii_env.make(ToyGame(), rounds=3), "options go with the name of a game"),
        (lambda: hawaii_env.make(3), "expected the name of a game or a Game, not 3"),  # type: ignore[arg-type]
        (lambda: hawaii_env.make_parallel("aloha"), "a parallel environment is for sealed"),
        (lambda: hawaii_env.load_agent("mctss"), "no agent 'mctss'; available: .*mcts"),
        (lambda: hawaii_env.load_agent("random", sims=3), "agent 'random' has no parameter 'sims'; it takes: seed"),
        (lambda: hawaii_env.play("aloha", ["random"] * 3), "aloha has 2 players"),
    ],
)
def test_wrong_names_and_options_are_reported(call: Callable[[], object], message: str) -> None:
    refuses(OptionError, (message, lambda: call()))


@pytest.mark.parametrize(
    ("name", "option", "wrong", "message"),
    [
        ("hawaii1795", "scenario", ("medium", None, ["long"]), "expected one of long, short"),
        ("hawaii1795", "final_check", (1, "no"), "expected True or False"),
        ("hawaii1795", "sea_victor", ("lands", None, ["repulsed"]), "expected one of repulsed, assault"),
        ("aloha", "players", (5, 1), "expected an integer from 2 to 4"),
        ("aloha", "players", ("2",), ""),
        ("aloha", "turn_order", ("any",), "expected one of most_left, rounds"),
        ("aloha", "reward", ("gold",), "expected one of win, rank, margin"),
        ("heiau", "scenario", ("x",), ""), ("heiau", "last_year", (0,), ""), ("heiau", "posts_win", (1,), ""),
        ("heiau", "scoring", ("best",), ""), ("heiau", "discrete_start", ("puna",), ""),
        ("heiau", "assignment", ("x",), ""),
    ],
)  # fmt: skip
def test_wrong_options_are_refused_by_name(name: str, option: str, wrong: tuple[Any, ...], message: str) -> None:
    game: Any = type(hawaii_env.load_game(name))
    refuses_each(OptionError, f"{option}.*{message}", lambda value: game(**{option: value}), wrong)


def test_games_of_two_names_differ() -> None:
    made = [spec.make() for spec in games.shipped()]
    assert len(set(made)) == len(made) > 2


def test_registered_games_are_played() -> None:
    games.register(TIDES)
    games.register(LAGOON)
    games.register(LAGOON)  # once more is not a collision
    assert {"tides", "lagoon"} <= {*games.list_games()}
    assert games.load_game("lagoon", rounds=2).params == {"rounds": 2}


LEVEL = Level(number=1, name="Easy", about="plays", agent="random")

BAD: list[tuple[dict[str, Any], str]] = [
    ({"name": "Tides"}, "lower-case"),
    ({"title": ""}, "game 'tides': title is missing"),
    ({"game": "toy.ToyGame"}, "game 'tides': game is named as 'module:attribute', not 'toy.ToyGame'"),
    ({"game": None}, "game 'tides': game"),
    ({"picture": "nowhere"}, "game 'tides': picture"),
    ({"players": (3, 2)}, "players are the fewest and the most"),
    ({"options": (Option(name="a", meaning=""),)}, "option 'a' has no meaning"),
    ({"options": (Option(name="a", meaning="x"), Option(name="a", meaning="y"))}, "option 'a' stands twice"),
    (
        {"options": (Option(name="a", meaning="x", values="nowhere"),)},
        "option 'a': values is named as 'module:attribute'",
    ),
    ({"guide": "toy"}, "game 'tides': guide is named as"),
    ({"levels": (LEVEL, LEVEL)}, r"levels are numbered from 1, .* not \[1, 1\]"),
    ({"levels": (LEVEL,), "level": 2}, "level is one of them"),
    ({"commands": (Command(name="Tide", help="x", arguments="a:b", run="a:b"),)}, "a command has a name in lower case"),
    ({"commands": (Command(name="tide", help="", arguments="a:b", run="a:b"),)}, "and a line of help"),
    (
        {"commands": (Command(name="tide", help="x", arguments="a", run="a:b"),)},
        "command 'tide': arguments is named as",
    ),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_a_spec_that_lacks_something_is_rejected(change: dict[str, Any], message: str) -> None:
    refuses(OptionError, (message, lambda: games.register(dataclasses.replace(TIDES, **change))))


class Nameless(ToyGame):
    """A game that lacks what the rest of the library reads."""

    def __getattribute__(self, name: str) -> Any:
        if name == "chance_kinds":
            raise AttributeError(name)
        return super().__getattribute__(name)


class Narrow(ToyGame):
    """A game whose observation has parts that it has not the values for."""

    def __init__(self, rounds: int = 4) -> None:
        super().__init__(rounds)
        self.observation_parts = (*self.observation_parts, Part("moon", (2,)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"game": Nameless}, "game 'tides': Nameless lacks 'chance_kinds'"),
        ({"game": Narrow}, "game 'tides': Narrow: the observation's parts do not make its"),
        ({"game": dict}, "game 'tides': dict is not a hawaii_env.game.Game"),
        ({"name": "tide"}, "game 'tide': ToyGame is called 'tides': the names must agree"),
        ({"players": (2, 2)}, "ToyGame has 3 players and 3 agents; declared are 2 to 2 players"),
        ({"options": ()}, "'rounds' is a parameter that no option declares"),
        ({"options": (*TIDES.options, Option(name="moon", meaning="x"))}, "'moon' is an option without a parameter"),
    ],
)
def test_a_game_that_is_not_as_declared_is_rejected_when_it_is_made(change: dict[str, Any], message: str) -> None:
    refuses(OptionError, (message, lambda: dataclasses.replace(TIDES, **change).make()))


def test_levels_depend_on_options() -> None:
    level = Level(number=1, name="Easy", about="plays", agent="random", others={"rounds=2": "one-ply"})
    assert (
        level.agent_for({"rounds": 2}) == "one-ply"
        and level.agent_for({"rounds": 3}) == level.agent_for({}) == "random"
    )


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Installs distributions with entry points."""
    found = (games._installed, games._loaded)  # pyright: ignore[reportPrivateUsage]

    def install(*lines: str) -> None:
        for number, line in enumerate(lines):
            info = tmp_path / f"package{number}-1.dist-info"
            info.mkdir()
            (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: package{number}\nVersion: 1\n")
            (info / "entry_points.txt").write_text(f"[hawaii_env.games]\n{line}\n")
        monkeypatch.syspath_prepend(str(tmp_path))
        for cache in found:
            cache.cache_clear()

    yield install
    monkeypatch.undo()
    for cache in found:
        cache.cache_clear()


def test_two_packages_with_one_name(packages: Callable[..., None]) -> None:
    packages("tides = toy:TIDES", "tides = toy:LAGOON")
    refuses(
        OptionError,
        (r"two packages have a game 'tides': toy:(TIDES|LAGOON) and toy:(TIDES|LAGOON)", lambda: games.list_games()),
    )


def test_entry_points_that_bring_something_else(packages: Callable[..., None]) -> None:
    packages("tides = toy:LAGOON", "stones = toy:NOTHING", "flag = toy:ToyGame")
    refuses(
        OptionError,
        (r"'tides' \(toy:LAGOON\) brings a game 'lagoon': the names must agree", lambda: games.find("tides")),
        (r"'stones' \(toy:NOTHING\) cannot be loaded: AttributeError", lambda: games.find("stones")),
        ("a game is declared by a GameSpec", lambda: games.find("flag")),
    )
    # They harm no other game, nor the commands.
    assert games.load_game("hawaii1795").name == "hawaii1795"
    assert cli.main([]) == 0


def test_commands_of_two_games_with_one_name(capsys: pytest.CaptureFixture[str]) -> None:
    games.register(dataclasses.replace(TIDES, commands=(Command(name="demo", help="x", arguments="a:b", run="a:b"),)))
    assert cli.main(["agents"]) == 2
    assert "game 'tides': there is a command 'demo' already" in capsys.readouterr().err


def test_a_command_of_a_game(capsys: pytest.CaptureFixture[str]) -> None:
    def add(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("height", type=int)

    def tell(arguments: argparse.Namespace) -> int:
        print("high" if arguments.height > 2 else "low")
        return 0

    games.register(
        dataclasses.replace(TIDES, commands=(Command(name="tide", help="tells it", arguments=add, run=tell),))
    )
    assert cli.main(["tide", "3"]) == 0
    assert capsys.readouterr().out == "high\n"
    assert cli.main([]) == 0 and "tells it" in capsys.readouterr().out


def test_options_that_the_page_has_a_use_for(tmp_path: Path) -> None:
    pytest.importorskip("fastapi")
    from hawaii_env.web import Settings, create_app

    games.register(dataclasses.replace(TIDES, options=(Option(name="seats", meaning="x", default=1),)))
    refuses(
        OptionError,
        ("the page reserves the name of the option 'seats'", lambda: create_app(Settings(game="tides", workers=0))),
    )


def test_a_name_is_given_once() -> None:
    games.register(TIDES)
    refuses(
        OptionError,
        ("another game 'tides'", lambda: games.register(dataclasses.replace(TIDES, title="Other tides"))),
        ("another game 'hawaii1795'", lambda: games.register(dataclasses.replace(TIDES, name="hawaii1795"))),
        ("a game is declared by a GameSpec", lambda: games.register(Game)),  # type: ignore[arg-type]
    )
    missing = dataclasses.replace(TIDES, game="toy:Nothing")
    refuses(OptionError, (r"game 'tides': game = 'toy:Nothing' cannot be loaded", lambda: missing.make()))


def test_the_registry_imports_no_game() -> None:
    code = (
        "import sys; from hawaii_env import games; games.list_games(); games.find('hawaii1795');print([m for m in "
        "sys.modules if m.startswith('hawaii_env.hawaii1795.') and m != 'hawaii_env.hawaii1795.spec'])"
    )
    # The package of a spec is imported with it, so this holds for what its package does not import by itself.
    loaded = python(code).stdout
    assert "odds" not in loaded and "search" not in loaded


# What a game declares must be what it does: the fuzzer says so


def test_declarations_that_do_not_hold_are_found() -> None:
    liar = LAGOON.load("game")(rounds=1)
    liar.utility = "zero_sum"
    refuses(AssertionError, ("a zero-sum game whose returns are", lambda: fuzz.check_game(liar, 1)))
    liar = LAGOON.load("game")(rounds=1)
    liar.information = "perfect"
    refuses(
        AssertionError,
        ("declares perfect information, and players see different things", lambda: fuzz.check_game(liar, 1)),
    )
    liar = LAGOON.load("game")(rounds=1)
    liar.max_chance_outcomes = 3
    refuses(AssertionError, (r"chance outcomes .* max_chance_outcomes is 3", lambda: fuzz.check_game(liar, 1)))
    liar = LAGOON.load("game")(rounds=1)
    liar.dynamics = "sequential"
    refuses(
        AssertionError, ("a sealed turn in a game whose dynamics are 'sequential'", lambda: fuzz.check_game(liar, 1))
    )


def test_the_checker_finds_returns_that_are_not_as_declared() -> None:
    for name, value, message in (
        ("utility", "zero_sum", "do not sum to zero"),
        ("max_return", 0.01, "are not all from 0.0 to 0.01"),
    ):
        liar = LAGOON.load("game")(rounds=1)
        setattr(liar, name, value)
        with pytest.raises(AssertionError, match=message):
            check_aec(lambda liar=liar: GameEnv(liar), games=1)


def test_outcomes_fit_themselves() -> None:
    assert Outcome.of([0.5, 0, 0.5], "level").places == (1, 3, 1)
    assert Outcome.of([0.5, 0, 0.5], "level").winner is None
    assert Outcome.won_by(1, 3, "won").shares == (0.0, 1.0, 0.0)
    assert Outcome.won_by(1, 3, "won").winner == 1
    refuses(
        OptionError,
        ("sum to 1", lambda: Outcome.of([0.5, 0.6], "too much")),
        ("a place", lambda: Outcome.of([0.5, 0.5], "short", places=[1])),
    )
