#!/usr/bin/env python3
"""A bot for hawaii_env in plain Python, without hawaii_env: it goes where it may fight. docs/bots.md has the
protocol.
"""

import json
import random
import sys

# What it likes best first; an action is known by its verb, the first word of its text.
LIKES = ("battle", "march", "sail", "embark", "fleet", "recruit", "fire", "launch", "play")


def choose(legal, rng):
    """Return one of the legal actions."""
    best = min(LIKES.index(verb) if (verb := a["text"].split()[0]) in LIKES else len(LIKES) for a in legal)
    liked = [a for a in legal if best == len(LIKES) or a["text"].split()[0] == LIKES[best]]
    return rng.choice(liked)["action"]


def main():
    """Answer line by line until the input ends."""
    rng = random.Random()
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            rng.seed(message["seed"])
            answer = {"type": "ready", "name": "eager python", "want": []}
        elif message["type"] == "decide":
            answer = {"type": "action", "action": choose(message["legal"], rng)}
        elif message["type"] == "quit":
            break
        else:
            continue  # new_game, game_over, and whatever a later version may send
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
