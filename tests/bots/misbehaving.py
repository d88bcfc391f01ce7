#!/usr/bin/env python3
"""A bot that misbehaves as its first argument says. It uses the standard library alone, as a stranger's bot would."""

import json
import os
import signal
import subprocess
import sys
import time

MODE = sys.argv[1] if len(sys.argv) > 1 else "good"
ARGUMENTS = sys.argv[2:]


def write(data):
    os.write(1, data if isinstance(data, bytes) else data.encode())


def say(**message):
    write(json.dumps(message) + "\n")


def hello(message):
    if MODE == "dies at start":
        print("no licence found", file=sys.stderr, flush=True)
        sys.exit(7)
    if MODE == "slow start":
        time.sleep(60)
    if MODE == "other protocol":
        say(type="ready", protocol=2)
    elif MODE == "unknown want":
        say(type="ready", want=["view", "dice"])
    elif MODE == "not ready":
        say(type="action", action=1)
    elif MODE == "wants all":
        say(type="ready", name="all", want=["view", "observation", "state"])
    elif MODE == "steering name":
        say(type="ready", name="red\u001b[31m\nalert", x_later={"a": 1})
    elif MODE == "speaks first":
        write('{"type": "ready"}\n{"type": "action", "action": 1}\n')
    else:
        say(type="ready", protocol=1)
    while MODE == "floods":
        write(b"x" * 4096)


RAW = {
    "garbage": b"hello, I take action 3\n",
    "binary": bytes(range(11, 256)) + b"\n",
    "blank line": b"\n",
    "an array": b"[1]\n",
    "no choice": b'{"type": "action"}\n',
    "another message": b'{"type": "ready"}\n',
    "a bool": b'{"type": "action", "action": true}\n',
    "a float": b'{"type": "action", "action": 1.5}\n',
    "a string": b'{"type": "action", "action": "1"}\n',
    "not a number": b'{"type": "action", "action": NaN}\n',
    "deep": b"[" * 30_000 + b"\n",
    "illegal action": b'{"type": "action", "action": 7}\n',
    "no action": b'{"type": "action", "action": -1}\n',
    "huge action": b'{"type": "action", "action": 1' + b"0" * 400 + b"}\n",
    "illegal text": b'{"type": "action", "text": "bid 9"}\n',
    "two actions": b'{"type": "action", "action": 1, "text": "bid 3"}\n',
    "text of none": b'{"type": "action", "action": 1, "text": "bid 9"}\n',
    "empty text": b'{"type": "action", "action": 1, "text": ""}\n',
    "legal by text": b'{"type": "action", "action": 7, "text": "bid 1"}\n',
    "illegal twice": b'{"type": "action", "action": 7, "text": "trade 3"}\n',
    "another id": b'{"type": "action", "action": 1, "id": 99}\n',
}


DAEMON = """
import os, sys, time
for descriptor in range(3):
    os.close(descriptor)
with open(sys.argv[1] + ".part", "w") as file:
    file.write(str(os.getpid()))
os.rename(file.name, sys.argv[1])
time.sleep(60)
"""


def decide(message):
    if MODE in RAW:
        write(RAW[MODE])
    elif MODE == "dies":
        print("first line\nIndexError: list index out of range", file=sys.stderr, flush=True)
        sys.exit(3)
    elif MODE == "is killed":
        os.kill(os.getpid(), signal.SIGKILL)
    elif MODE == "hangs":
        time.sleep(60)
    elif MODE == "spins":
        while True:
            pass
    elif MODE == "partial line":
        write('{"type": "action", ')
        time.sleep(60)
    elif MODE == "dies in a line":
        write('{"type": "action", ')
        sys.exit(0)
    elif MODE == "long line":
        write(b'{"type": "action", "text": "' + b"x" * 60_000)
        write(b"x" * 60_000)
        time.sleep(60)
    elif MODE == "endless line":
        while True:
            write(b"x" * 4096)
    elif MODE == "closes stdout":
        os.close(1)
        time.sleep(60)
    elif MODE == "answers twice":
        write(2 * (json.dumps({"type": "action", "action": message["legal"][0]["action"]}) + "\n"))
    elif MODE == "floods stderr":
        os.write(2, b"\x1b[2J" + b"noise " * 100_000 + b"\n")
        say(type="action", action=message["legal"][0]["action"])
    elif MODE == "eats memory":
        hoard = bytearray(int(ARGUMENTS[0]) << 20)
        say(type="action", action=message["legal"][0]["action"], size=len(hoard))
    elif MODE in ("leaves a child", "leaves a child, hangs"):
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        with open(ARGUMENTS[0], "w") as file:
            file.write(str(child.pid))
        if MODE == "leaves a child":
            os._exit(5)
        time.sleep(60)
    elif MODE in ("leaves a daemon", "leaves a daemon, hangs"):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.execv(sys.executable, [sys.executable, "-c", DAEMON, ARGUMENTS[0]])
            os._exit(0)
        os.wait()
        while not os.path.exists(ARGUMENTS[0]):
            time.sleep(0.01)
        if MODE == "leaves a daemon, hangs":
            time.sleep(60)
        say(type="action", action=message["legal"][0]["action"])
    elif MODE == "in pieces":
        line = json.dumps({"type": "action", "text": message["legal"][-1]["text"], "id": message["id"]})
        for letter in line + "\r\n":
            write(letter)
    else:
        say(type="action", action=message["legal"][0]["action"], comment="why not")


def main():
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            hello(message)
            if MODE == "reads no more":
                time.sleep(60)
        elif message["type"] == "decide":
            decide(message)
            if MODE == "closes stdin":
                os.close(0)
                time.sleep(60)
        elif message["type"] == "quit" and MODE != "stays":
            break
    if MODE == "stays":
        time.sleep(60)


main()
