"""RuleShift: frozen splits of rulesets, made again alike, and refused where they are of other rules."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from experiment_scripts import load
from refusals import refuses

from hawaii_env import Pool, load_game, make_batch
from hawaii_env.errors import OptionError
from hawaii_env.variation import (
    SHORT,
    SPLITS,
    Lever,
    Values,
    Variation,
    distance,
    load_variation,
    sample_rules,
    varied_games,
)


def refused(text: str) -> Any:
    """Return a context that a call refused with this text leaves."""
    return pytest.raises(OptionError, match=re.escape(text))


GAMES = varied_games()


@pytest.mark.parametrize("game", GAMES)
def test_splits_share_no_ruleset(game: str) -> None:
    variation, seen = load_variation(game), set[bytes]()
    for name, size in SPLITS.items():
        split = variation.split(name)
        short = [split.short[at : at + SHORT] for at in range(0, len(split.short), SHORT)]
        assert len(split.draws) == len(short) == len(set(short)) and not seen & set(short)
        assert 64 <= len(short) <= size
        assert split.draws == sorted(set(split.draws)) and min(split.draws) >= 0
        seen |= set(short)


@pytest.mark.parametrize(
    "game", [pytest.param(name, marks=[pytest.mark.slow] * (name == "maori_wars")) for name in GAMES]
)
def test_a_sample_is_made_again_as_the_file_has_it(game: str) -> None:
    variation = load_variation(game)
    apart: dict[str, float] = {}
    for name in SPLITS:
        size = len(variation.split(name).draws)
        rulesets = variation.take(name, [0, size // 2, size - 1])  # raises where a hash is another
        assert all(type(one).load(one.content).hash == one.hash != variation.shipped.hash for one in rulesets)
        apart[name] = float(np.mean([distance(one) for one in rulesets]))
        held = [one for one in variation.levers if one.lever.held_out]
        changed = [one.read(ruleset.content) != list(one.shipped) for one in held for ruleset in rulesets]
        assert any(changed) if name == "unseen" else not any(changed)
    assert 0 < apart["near"] < apart["far"] and apart["train"] < apart["far"]


def test_near_numbers_move_by_one_and_far_ones_are_drawn_anew() -> None:
    variation = load_variation("hawaii1795")
    (near,), (far,) = (variation.take(name, [7]) for name in ("near", "far"))
    steps, numbers = set[int](), set[int]()
    for one in variation.levers:
        if one.lever.kind == "number":
            steps |= {new - old for new, old in zip(one.read(near.content), one.shipped, strict=True)}
            numbers |= set(one.read(far.content))
    assert steps == {-1, 0, 1} and numbers == {1, 2, 3, 4}


def test_distance_is_a_mean_over_values() -> None:
    variation = load_variation("hawaii1795")
    content = variation.shipped.content
    content["pieces.toml"]["kamehameha"]["pike"]["strength"] += 2
    content["battle_results.toml"]["both"]["elite"] = ["none"] * 6
    other = type(variation.shipped).load(content)
    values = sum(len(one.shipped) for one in variation.levers)
    assert distance(other) == distance(variation.shipped, other) == pytest.approx(3 / values)
    assert distance(other, other) == distance(variation.shipped) == 0
    aloha = load_variation("aloha").shipped
    wrongs: list[Any] = [(content,), (other, aloha), (other, content)]
    for wrong in wrongs:
        with refused("distance: expected two rulesets of one game, not"):
            distance(*wrong)


def test_samples_follow_from_their_arguments() -> None:
    first = sample_rules("aloha", "near", 6, seed=1)
    assert [one.hash for one in first] == [one.hash for one in sample_rules("aloha", "near", 6, seed=1)]
    assert len({one.hash for one in first}) == 6
    assert [one.hash for one in first[:2]] == [one.hash for one in sample_rules("aloha", "near", 2, seed=1)]
    assert first[0].hash != sample_rules("aloha", "near", 1, seed=2)[0].hash
    with make_batch("aloha", 4, rules=Pool(first)) as batch:
        batch.reset(seed=0)
        assert {game.ruleset_hash for game in batch.games} <= {
            load_game("aloha", rules=one).ruleset_hash for one in first
        }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("chess", "near"), "game"),
        ((["aloha"], "near"), "game: expected the name of a game, not .'aloha'."),
        (("duel", "near"), "game"),
        (("aloha", "middle"), "split: expected one of near, far, validation, unseen, train, not 'middle'"),
        (("aloha", "near", 257), "n: expected an integer from 1 to 256, not 257"),
        (("aloha", "near", 0), "n: expected an integer from 1 to 256, not 0"),
        (("aloha", "near", 1, -1), "seed: expected an integer of 0 or more"),
    ],
)
def test_wrong_arguments_are_named(arguments: tuple[Any, ...], message: str) -> None:
    refuses(OptionError, (message, lambda: sample_rules(*arguments)))


def test_splits_of_another_version_are_refused_with_their_field(tmp_path: Path) -> None:
    variation, path = Variation("aloha"), tmp_path / "splits.json"
    content = json.loads((variation.folder / "splits.json").read_text(encoding="utf-8"))
    for field, value in (("format", "x"), ("version", 0), ("game", "heiau"), ("ruleset", "0" * 64), ("levers", "0")):
        path.write_text(json.dumps({**content, field: value}), encoding="utf-8")
        with refused(f"{path}: {field}: the splits are of {value!r}; this hawaii_env has {content[field]!r}"):
            variation.read_splits(path)
    for wrong, message in (("[]", "format: the splits are of None"), ("{", "no splits: ")):
        path.write_text(wrong, encoding="utf-8")
        with refused(f"{path}: {message}"):
            variation.read_splits(path)
    content["splits"]["near"]["rejected"]["balance"] = "all"
    path.write_text(json.dumps(content), encoding="utf-8")
    with refused(f"{path}: splits.near.rejected.balance: Input should be a valid list"):
        variation.read_splits(path)


def test_a_ruleset_that_is_made_otherwise_is_refused() -> None:
    variation = Variation("aloha")
    near = variation.split("near")
    splits = {**variation.splits.splits, "near": near.model_copy(update={"seed": near.seed + 1})}
    variation.splits = variation.splits.model_copy(update={"splits": splits})
    with refused("splits.near.hashes: ruleset 3 of aloha has "):
        variation.take("near", [3])


def test_toggles_and_exchanges_keep_what_they_must() -> None:
    content = {"a.toml": {"lists": [["x"]], "rows": {"one": [3, 1]}, "at": {str(k): k % 3 == 0 for k in range(30)}}}
    rng = np.random.default_rng(0)
    member = Values.of(Lever(name="m", at=["a.toml/lists"], kind="member", values=[["y"]], chance=0.5), content)
    exchange = Values.of(Lever(name="e", at=["a.toml/at.*"], kind="exchange", chance=0.5), content)
    falling = Values.of(Lever(name="f", at=["a.toml/rows.*.*"], falling=True), content)
    assert member.shipped == (True, False)
    lists, sums = set[str](), set[int]()
    for _ in range(40):
        for one in (member, exchange, falling):
            one.write(content, one.draw(rng, near=False, share=1.0))
        lists.add(json.dumps(content["a.toml"]["lists"]))
        sums.add(sum(exchange.read(content)))
        assert content["a.toml"]["rows"]["one"] == sorted(content["a.toml"]["rows"]["one"], reverse=True)
    assert lists == {"[]", '[["x"]]', '[["y"]]', '[["x"], ["y"]]'} and sums == {10}
    assert exchange.read(content) != list(exchange.shipped)


def test_draws_are_checked_as_the_file_says() -> None:
    made, variation = load("ruleshift"), load_variation("aloha")
    split = variation.split("far")
    left_out = [draw for draws in (split.rejected.get("balance", []),) for draw in draws][:1]
    rulesets = [variation.draw("far", draw, split.seed) for draw in (split.draws[0], *left_out)]
    assert made.reasons(variation, rulesets) == ["", *("balance" for _ in left_out)]


@pytest.mark.nightly
@pytest.mark.parametrize("game", GAMES)
def test_all_hashes_are_those_of_the_file(game: str) -> None:
    for name in SPLITS:
        hashes = "".join(ruleset.hash for ruleset in sample_rules(game, name))
        assert hashlib.sha256(hashes.encode()).hexdigest() == load_variation(game).split(name).digest


def test_a_blind_policy_does_not_see_its_rules() -> None:
    from hawaii_agents import weights

    policy = load("ruleshift").blind(weights.load("hawaii1795"))
    seen = [load_game("hawaii1795", rules=one).initial_state(seed=0) for one in sample_rules("hawaii1795", "far", 2)]
    observations = np.stack([state.observation(0) for state in seen])
    assert (observations[0] != observations[1]).any()
    first, second = policy.towers(observations)[0]
    assert (first == second).all()
