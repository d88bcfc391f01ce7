"""Makes the splits of RuleShift (`hawaii_env.variation`), plays policies on them, and makes policies blind to rules.

    python experiments/ruleshift.py make hawaii1795 --out runs/ruleshift     # the splits, made and checked anew
    python experiments/ruleshift.py play POLICY --splits shipped,near,far --write
    python experiments/ruleshift.py blind POLICY FILE                        # a policy to which all rules look alike

`make` draws rulesets until each split is full, and leaves out those that the game's loader does not allow
(``loader``), that came before, in an earlier split too (``repeated``), of which a random game does not end by the rules
(``endless``), and in which a side has less than `LEAST` of `GAMES` games among rules of thumb (``balance``). A line a
draw goes into the folder, so that the same command goes on; ``splits.json`` of the game's package is written at the
end, the same one each time.

`play` plays a policy of *Hawaii, 1795* (a file, or the name of shipped weights) against the rule of thumb, both sides
with the same cards and rules, many games at once. ``--write`` adds the scores to docs/benchmarks/ruleshift.json.

`blind` writes a policy whose first layer has weights of 0 for the values of the observation that differ between
rulesets in the first position of a game: it plays as one whose inputs of the rules are 0.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import studies

from hawaii_agents import weights
from hawaii_agents.network import Policy
from hawaii_agents.ppo import PPOAgent
from hawaii_agents.training import runs
from hawaii_agents.training.evaluation import match
from hawaii_env import agents, load_game, make_batch
from hawaii_env._arguments import check_count
from hawaii_env.errors import RulesetError
from hawaii_env.game import Game
from hawaii_env.rulesets import Ruleset
from hawaii_env.variation import FORMAT, SHORT, SPLITS, VERSION, Variation, distance, load_variation, sample_rules

GAMES, LEAST = 20, 0.05
"""Games of rules of thumb on each ruleset, and the least share of a side."""
RANDOM = 4
"""Random games on each ruleset."""
TOGETHER = 32
"""Rulesets whose random games are played together."""
SEED = 1795
"""Seed of the draws of all splits."""


GAME = "hawaii1795"
"""The game that `play` plays."""
PLAYED = 256
"""The most rulesets of a split that `play` plays."""
RESULTS = studies.ROOT / "docs" / "benchmarks" / "ruleshift.json"


# Checks


def endless(games: Sequence[Game]) -> list[bool]:
    """Return for each game whether one of some random games does not end by the rules."""
    each = [game for game in games for _ in range(RANDOM)]
    with make_batch(each, len(each), autoreset_mode="Disabled") as batch:
        batch.reset(seed=list(range(len(each))))
        going, ended = ~batch.over, batch.over.copy()
        while going.any():
            batch.step(batch.sample_actions(), going)
            ended |= batch.terminations
            going &= ~(batch.terminations | batch.truncations)
        return [not row.all() for row in ended.reshape(-1, RANDOM)]


def one_sided(game: Game, agent: str) -> bool:
    """Return whether a side has less than `LEAST` of `GAMES` games among equal agents; a tie is shared.

    Games of which nothing depends any more are not played.
    """
    count = game.num_players
    shares, least = np.zeros(count), LEAST * GAMES
    for number in range(GAMES):
        state = game.initial_state(seed=number)
        players = [agents.load_agent(agent, seed=number * count + seat) for seat in range(count)]
        for seat, player in enumerate(players):
            agents.begin(player, game, seat)
        while not state.is_terminal:
            seat = state.current_player
            state.apply(players[seat].act(state.for_search(seat), state.legal_actions(), None))
        outcome = state.outcome()
        shares += outcome.shares if outcome is not None else 1 / count
        if shares.min() >= least:
            return False
        if shares.min() + GAMES - number - 1 < least:
            break
    return True


def reasons(variation: Variation, rulesets: Sequence[Ruleset]) -> list[str]:
    """Return the reason why each ruleset is left out, "" for those that are not."""
    found = [""] * len(rulesets)
    for options in variation.description.options:
        games = [load_game(variation.game, rules=ruleset, **options) for ruleset in rulesets]
        for place, (game, forever) in enumerate(zip(games, endless(games), strict=True)):
            if forever:
                found[place] = "endless"
            elif not found[place] and one_sided(game, variation.description.rule_of_thumb):
                found[place] = "balance"
    return found


# Making


def fill(variation: Variation, split: str, size: int, known: set[str], lines: Path) -> dict[str, Any]:
    """Draw until a split is full, a line a draw; return the split as the file has it.

    Args:
        variation: of the game.
        split: which one.
        size: its rulesets.
        known: hashes of the rulesets of earlier splits, to which those of this one are added.
        lines: the file of the draws, which is continued.
    """
    done: list[dict[str, Any]] = runs.whole_lines(lines)
    known.update(line["hash"] for line in done if not line["reason"])
    while sum(not line["reason"] for line in done) < size:
        fresh: list[dict[str, Any]] = []
        rulesets: list[Ruleset] = []
        for draw in range(len(done), len(done) + TOGETHER):
            line: dict[str, Any] = {"draw": draw, "reason": "", "hash": ""}
            fresh.append(line)
            try:
                ruleset = variation.draw(split, draw, SEED)
            except RulesetError:
                line["reason"] = "loader"
                continue
            line["reason"], line["hash"] = "repeated" if ruleset.hash in known else "", ruleset.hash
            known.add(ruleset.hash)
            line["distance"] = distance(ruleset)
            if not line["reason"]:
                rulesets.append(ruleset)
        found = iter(reasons(variation, rulesets))
        for line in fresh:
            line["reason"] = line["reason"] or next(found)
        done += fresh
        with lines.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in fresh)
    kept: list[dict[str, Any]] = []
    rejected: dict[str, list[int]] = {}
    for line in done:
        if len(kept) == size:
            break
        if line["reason"]:
            rejected.setdefault(line["reason"], []).append(line["draw"])
        else:
            kept.append(line)
    hashes = [line["hash"] for line in kept]
    short = b"".join(bytes.fromhex(one)[:SHORT] for one in hashes)
    return {
        "seed": SEED, "rejected": rejected, "hashes": base64.b64encode(short).decode(),
        "digest": hashlib.sha256("".join(hashes).encode()).hexdigest(),
        "distance": round(float(np.mean([line["distance"] for line in kept])), 4),
    }  # fmt: skip


def make(game: str, out: Path, train: int, others: int) -> str:
    """Make the splits of a game, evaluation splits first; return a text about what was left out."""
    variation, known = load_variation(game), set[str]()
    out.mkdir(parents=True, exist_ok=True)
    known.add(variation.shipped.hash)
    splits: dict[str, Any] = {}
    for split in SPLITS:
        size = train if split == "train" else others
        lines = out / f"{game}-{variation.levers_hash[:8]}-{split}.jsonl"
        splits[split] = fill(variation, split, size, known, lines)
    content = {
        "format": FORMAT, "version": VERSION, "game": game, "ruleset": variation.shipped.hash,
        "levers": variation.levers_hash, "splits": splits,
    }  # fmt: skip
    runs.write_text(variation.folder / "splits.json", json.dumps(content, separators=(",", ":")) + "\n")
    counts = {split: {why: len(draws) for why, draws in one["rejected"].items()} for split, one in splits.items()}
    return f"{game}: left out: {counts}"


# Policies


def play(name: str, split: str, games: int, seed: int) -> dict[str, Any]:
    """Play a policy against the rule of thumb on the rulesets of a split; return its score with a 95% interval."""
    agent, count = PPOAgent(weights.load(name), any_ruleset=True, seed=seed), games // 2
    size = 0 if split == "shipped" else len(load_variation(GAME).split(split).draws)
    rules = sample_rules(GAME, split, min(count, PLAYED, size), seed) if size else [None]
    made = [load_game(GAME, rules=one) for one in rules]
    agents.begin(agent, made[0], 0)
    opponent = load_variation(GAME).description.rule_of_thumb
    found = match([made[k % len(made)] for k in range(count)], agent.act_batch, opponent, seed)
    half = 1.96 * found["error"]
    return {
        "policy": Path(name).stem, "split": split, "games": games, "rulesets": len(rules), "seed": seed,
        "score": round(found["score"], 4), "interval": [round(found["score"] + end, 4) for end in (-half, half)],
    }  # fmt: skip


def keep(row: dict[str, Any]) -> None:
    """Write a result, in place of an earlier one of the same policy and split."""
    others = [one for one in runs.read_json(RESULTS, []) if any(one[key] != row[key] for key in ("policy", "split"))]
    runs.write_json(RESULTS, [*others, row])


def blind(policy: Policy) -> Policy:
    """Return a policy as it plays where the inputs of its rules are 0."""
    name = policy.meta["game"]
    rules = sample_rules(name, "far", 32, 0)
    first = load_game(name).initial_state(seed=0).observation(0)
    seen = [load_game(name, rules=one).initial_state(seed=0).observation(0) for one in rules]
    weight = policy.tensors["first.weight"].copy()
    weight[:, (np.stack(seen) != first).any(0)] = 0.0
    return Policy.of({**policy.tensors, "first.weight": weight}, dict(policy.meta), f"{policy.origin}, blind")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    made = commands.add_parser("make", help="make the splits of a game")
    made.add_argument("game")
    made.add_argument("--out", type=Path, required=True, help="folder of the draws; the same command goes on")
    made.add_argument("--train", type=int, default=SPLITS["train"], help="rulesets of train")
    made.add_argument("--others", type=int, default=SPLITS["far"], help="rulesets of each other split")
    played = commands.add_parser("play", help="play a policy on splits")
    played.add_argument("policy", help="a file, or the name of shipped weights")
    played.add_argument("--splits", default="shipped,train,near,far")
    played.add_argument("--games", type=int, default=1000)
    played.add_argument("--seed", type=int, default=5)
    played.add_argument("--write", action="store_true", help=f"add the scores to {RESULTS.relative_to(studies.ROOT)}")
    blinded = commands.add_parser("blind", help="write a policy to which all rules look alike")
    blinded.add_argument("policy", help="a file, or the name of shipped weights")
    blinded.add_argument("file", type=Path)
    args = parser.parse_args(arguments)

    def work() -> None:
        if args.command == "make":
            print(make(args.game, args.out, *(check_count(name, getattr(args, name)) for name in ("train", "others"))))
        elif args.command == "play":
            for split in args.splits.split(","):
                row = play(args.policy, split, check_count("games", args.games, 4), args.seed)
                print(json.dumps(row), flush=True)
                if args.write:
                    keep(row)
        else:
            blind(weights.load(args.policy)).save(args.file)
            print(args.file)

    return studies.finish(work, "stopped; the same command goes on")


if __name__ == "__main__":
    sys.exit(main())
