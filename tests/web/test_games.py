"""Games by the interface that the page speaks: play, undo, dice by hand, saves, records, invitations, positions,
restarts.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from refusals import refuses

from hawaii_env import records
from hawaii_env.web.settings import fair_draw
from hawaii_env.web.store import Store, StoreError

from .conftest import AGENT, Browser, Running, seat_list


@pytest.fixture
def me(server: Running) -> Browser:
    return server.browser()


def play(me: Browser, game: str, most: int = 10_000, pick: int = 0) -> Any:
    """Take decisions until the game is over, or so many; return the whole state then."""
    for _ in range(most):
        state = me.my_turn(game)
        if state["result"] or not state["yours"]:
            break
        me.act(game, state, pick % len(state["actions"]))
        pick = (pick * 7 + 3) % 1009
    return me.my_turn(game)


def test_a_whole_game_and_its_record(me: Browser, tmp_path: Path) -> None:
    game = me.begin("me", AGENT, scenario="short")
    state = play(me, game, pick=1)
    assert state["result"]["reason"].endswith("]")
    assert state["actions"] == []
    assert [event["n"] for event in me.state(game)["events"]] == list(range(1, state["count"] + 1))
    path = tmp_path / "game.jsonl"
    path.write_text(me.get(f"/api/games/{game}/record"), encoding="utf-8")
    found = records.verify(path)
    assert found.record.seed is None
    assert found.record.header["players"] == ["human", AGENT]
    assert found.outcome is not None
    assert found.outcome.reason == state["result"]["reason"]
    assert (
        me.post(f"/api/games/{game}/actions", {"version": state["version"], "action": 0}, 422)["error"]["code"]
        == "illegal"
    )


def test_pictures_of_every_moment(me: Browser) -> None:
    game = me.begin("me", AGENT)
    state = play(me, game, 8, pick=1)
    pictures = [me.get(f"/api/games/{game}/moments/{n}")["svg"] for n in range(state["count"] + 1)]
    assert all(picture.startswith("<svg") for picture in pictures)
    assert len(set(pictures)) > state["count"] / 2
    assert "data-actions" in pictures[-1]  # the choices now
    assert "data-actions" not in pictures[-2]
    me.get(f"/api/games/{game}/moments/{state['count'] + 1}", 404)


def test_actions_have_words_and_the_page_its_reference(me: Browser) -> None:
    setup = me.get("/api/setup")
    assert [agent["agent"] for agent in setup["agents"]] == [AGENT, "random"]
    assert len(setup["cards"]) == 18
    assert len(setup["rulings"]) >= 39
    state = me.my_turn(me.begin("me", AGENT))
    assert state["status"]["phase"] == "recruiting"
    assert {a["group"] for a in state["actions"]} >= {"Recruit Vancouver’s cannon (3)"}
    assert all(a["label"] for a in state["actions"])
    named = [*state["actions"], *setup["cards"].values(), *setup["pieces"], *setup["spaces"]]
    assert all(thing["rules"] for thing in named)
    for rule in [*state["status"]["rules"], *(rule for thing in named for rule in thing["rules"])]:
        assert rule in setup["rulings"] or any(key.startswith(rule) for key in setup["sections"])


# Undo


def march(me: Browser, game: str) -> Any:
    """Take the recruits, and march once."""
    state = me.my_turn(game)
    while state["status"]["phase"] != "movement":
        me.act(game, state)
        state = me.my_turn(game)
    at = next(n for n, action in enumerate(state["actions"]) if action["text"].startswith("march"))
    me.act(game, state, at)
    return state


def test_undo_takes_back_decisions_one_by_one(me: Browser) -> None:
    game = me.begin("me", AGENT)
    before = march(me, game)
    after = me.state(game)
    assert after["undo"].startswith("March")
    assert after["count"] == before["count"] + 1
    me.post(f"/api/games/{game}/undo", {"version": before["version"]}, 409)
    me.post(f"/api/games/{game}/undo", {"version": after["version"]})
    again = me.state(game)
    assert again["actions"] == before["actions"]
    assert (again["count"], again["epoch"]) == (before["count"], before["epoch"] + 1)
    assert again["version"] > after["version"]
    # A browser that knew more gets everything anew.
    assert me.state(game, after=after["count"], epoch=before["epoch"])["first"] == 0
    # Back to the first decision of one's own: what the agent had placed before it stays.
    while me.state(game)["undo"]:
        me.post(f"/api/games/{game}/undo", {"version": me.state(game)["version"]})
    state = me.state(game)
    assert state["status"]["phase"] == "recruiting"
    assert {event["player"] for event in state["events"] if not event["forced"]} == {1}
    assert me.post(f"/api/games/{game}/undo", {"version": state["version"]}, 422)["error"]["code"] == "illegal"


def test_a_choice_of_several_decisions_is_looked_at_and_sent_as_one(serve: Callable[..., Any]) -> None:
    """What begins a choice changes nothing; the last decision takes those before it along, or nothing is taken."""
    with serve(game="maori_wars") as server:
        me = server.browser()
        game = me.begin("me", "me", scenario="taranaki")

        def found(choices: Any, text: str) -> int:
            return next(one["action"] for one in choices if one["text"] == text)

        state = me.state(game)
        me.act(game, state, [one["text"] for one in state["actions"]].index("pass"))
        state, ahead = me.state(game), f"/api/games/{game}/ahead"
        from_, unit = found(state["actions"], "from 1134"), "unit warrior"
        asked = me.post(ahead, {"actions": [from_]})
        assert not asked["whole"] and asked["status"]["question"] == "Which piece moves?"
        begun = [from_, found(asked["choices"], unit)]
        goals = me.post(ahead, {"actions": begun})
        to = found(goals["choices"], "to 1234")
        assert f'data-actions="{to}"' in goals["svg"] and goals["choices"][0]["mark"]
        assert me.post(ahead, {"actions": [*begun, to]}) == {"whole": True}
        assert me.state(game)["count"] == state["count"]
        acts = f"/api/games/{game}/actions"
        for before in ([from_], [*begun, to], [0]):
            me.post(acts, {"before": before, "action": to}, 422)
        me.post(ahead, {"actions": [to]}, 422)
        assert me.state(game)["count"] == state["count"]
        me.post(acts, {"before": begun, "action": to})
        texts = [event["kind"] for event in me.state(game)["events"]]
        assert texts[-3:] == ["from", "unit", "to"]


def test_no_undo_past_a_die(me: Browser) -> None:
    game = me.begin("me", AGENT, scenario="short")
    seen = 0
    for _ in range(60):
        state = me.my_turn(game)
        if state["result"]:
            break
        mine = max((e["n"] for e in state["events"] if e["player"] == 0 and not e["forced"]), default=0)
        rolled = max((e["n"] for e in state["events"] if e["player"] == -1), default=0)
        assert (state["undo"] is not None) == (mine > rolled)
        seen += rolled > mine > 0
        me.act(game, state, len(state["actions"]) - 1)
    assert seen


def test_no_undo_past_another_person(server: Running, me: Browser) -> None:
    made = me.post("/api/games", {"seats": seat_list("guest", "me")}, 201)
    guest = server.browser()
    assert guest.post("/api/join", {"invitation": made["invitations"]["kamehameha"]}) == {"id": made["id"]}
    game = made["id"]
    while (state := me.my_turn(game) if me.state(game)["yours"] else None) is not None:
        me.act(game, state)
    assert me.state(game)["undo"] is not None
    theirs = guest.state(game)
    assert theirs["yours"]
    assert theirs["undo"] is None
    guest.act(game, theirs)
    assert me.state(game)["undo"] is None
    me.post(f"/api/games/{game}/undo", {"version": me.state(game)["version"]}, 422)
    assert guest.state(game)["undo"] is not None


# Dice by hand


def to_the_first_die(me: Browser, game: str) -> Any:
    while True:
        state = me.my_turn(game)
        if state["chance"]:
            return state
        done = [n for n, action in enumerate(state["actions"]) if action["text"] == "done"]
        me.act(game, state, done[0] if done else 0)


def test_dice_and_cards_by_hand(me: Browser) -> None:
    game = me.begin("me", "me", dice="hand")
    state = to_the_first_die(me, game)
    assert state["status"]["month"] == "March"
    assert state["chance"]["kind"] == "card"
    assert len(state["chance"]["outcomes"]) == 9
    path = f"/api/games/{game}/chance"
    me.post(path, {"version": state["version"], "outcome": 10}, 422)
    me.post(path, {"version": state["version"], "outcome": 0}, 422)
    me.post(f"/api/games/{game}/actions", {"version": state["version"], "action": 0}, 403)
    me.post(path, {"version": state["version"] - 1, "outcome": 4}, 409)
    me.post(path, {"version": state["version"], "outcome": 4})
    told = me.state(game)
    assert told["status"]["card"] == "royal_guard"
    assert told["events"][-1]["text"].startswith("Kamehameha draws")
    # A slip of the finger is put right as long as nothing followed.
    assert told["undo"] == "Kamehameha draws Royal Guard"
    me.post(f"/api/games/{game}/undo", {"version": told["version"]})
    state = me.state(game)
    assert state["chance"]["kind"] == "card"
    # The server rolls where it is asked to, and that stands.
    me.post(path, {"version": state["version"], "outcome": None})
    state = me.state(game)
    assert state["status"]["card"] is not None
    assert state["undo"] is None


def test_a_die_once_followed_stands(me: Browser) -> None:
    game = me.begin("me", "me", dice="hand")
    state = to_the_first_die(me, game)
    me.post(f"/api/games/{game}/chance", {"version": state["version"], "outcome": 5})
    state = me.state(game)
    me.act(game, state)
    state = me.state(game)
    me.post(f"/api/games/{game}/undo", {"version": state["version"]})
    state = me.state(game)
    assert state["status"]["card"] == "peleleu_fleet"
    assert (
        state["undo"] == "Kamehameha draws Peleleu Fleet"
    )  # the decision is taken back, so that the card is the last thing again


# Persistence


def test_games_survive_a_restart(serve: Callable[..., Any], tmp_path: Path) -> None:
    database = str(tmp_path / "games.sqlite")
    with serve(database=database) as server:
        me = server.browser()
        game = me.begin("me", AGENT)
        march(me, game)
        before = me.my_turn(game)
        picture = me.get(f"/api/games/{game}/moments/{before['count']}")
        record = me.get(f"/api/games/{game}/record")
        watched = me.begin(AGENT, AGENT)
        cookies = dict(me.client.cookies)
    with serve(database=database) as server:
        again = server.browser(cookies)
        assert {g["id"] for g in again.get("/api/games")["games"]} == {game, watched}
        assert again.state(game) == before
        assert again.get(f"/api/games/{game}/moments/{before['count']}") == picture
        assert again.get(f"/api/games/{game}/record") == record
        again.post(f"/api/games/{game}/undo", {"version": before["version"]})
        assert again.my_turn(game)["count"] == before["count"] - 1
        play(again, game, 3)
        server.browser().get(f"/api/games/{game}", 404)


def test_the_database_has_no_generator_and_no_token(serve: Callable[..., Any], tmp_path: Path) -> None:
    database = tmp_path / "games.sqlite"
    with serve(database=str(database)) as server:
        me = server.browser()
        made = me.post("/api/games", {"seats": seat_list("me", "guest")}, 201)
        session = next(iter(me.client.cookies.values()))
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert made["id"].encode() in stored
    for secret in (session, made["invitations"]["allied"]):
        assert secret.encode() not in stored
    assert b'"generator"' not in stored


def test_foreign_databases_are_rejected(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    path.write_bytes(b"this is not a database, but long enough to look like one" * 100)
    refuses(StoreError, ("the file is not a database", lambda: Store(str(path))))
    newer = Store(str(tmp_path / "new.sqlite"))
    newer._db.execute("PRAGMA user_version=99")
    newer.close()
    refuses(StoreError, ("version 99", lambda: Store(str(tmp_path / "new.sqlite"))))


def test_a_game_of_other_rules_is_reported(serve: Callable[..., Any], tmp_path: Path) -> None:
    database = str(tmp_path / "games.sqlite")
    with serve(database=database) as server:
        me = server.browser()
        game = me.begin("me", AGENT)
        me.my_turn(game)
        cookies = dict(me.client.cookies)
    store = Store(database)
    store._db.execute(
        "UPDATE events SET line = ? WHERE game = ? AND n = 1", (json.dumps(["d", 1, 3, "x", False]), game)
    )
    store.close()
    with serve(database=database) as server:
        assert server.browser(cookies).get(f"/api/games/{game}", 409)["error"]["code"] == "stored"


def test_games_and_saves_of_another_ruleset_are_rejected_by_its_name(serve: Callable[..., Any], tmp_path: Path) -> None:
    """A database outlives the ruleset that its games are of."""
    database = str(tmp_path / "games.sqlite")
    with serve(database=database) as server:
        me = server.browser()
        game = me.begin("me", AGENT)
        me.my_turn(game)
        save = me.post(f"/api/games/{game}/saves", {"name": "before"}, 201)["id"]
        cookies = dict(me.client.cookies)
    store = Store(database)
    for table in ("games", "saves"):
        data = json.loads(store._all(f"SELECT data FROM {table}")[0][0])
        data["ruleset"] = ["reconstructed-3", "71230b91"]
        store._db.execute(f"UPDATE {table} SET data = ?", (json.dumps(data),))
    store.close()
    with serve(database=database) as server:
        me = server.browser(cookies)
        for refused in (me.get(f"/api/games/{game}", 409), me.post("/api/load", {"save": save}, 409)):
            assert refused["error"]["code"] == "stored"
            assert (
                "has the ruleset 'reconstructed-3'; the server plays 'reconstructed-4'" in refused["error"]["message"]
            )


# Saves and records


def test_save_and_load(server: Running, me: Browser) -> None:
    game = me.begin("me", AGENT)
    march(me, game)
    before = me.my_turn(game)
    save = me.post(f"/api/games/{game}/saves", {"name": "<b>before</b> the landing"}, 201)["id"]
    play(me, game, 4)
    listed = me.get("/api/games")["saves"]
    assert [(s["id"], s["name"]) for s in listed] == [(save, "<b>before</b> the landing")]
    loaded = me.post("/api/load", {"save": save}, 201)["id"]
    assert loaded != game
    state = me.my_turn(loaded)
    assert state["actions"] == before["actions"]
    assert state["events"] == before["events"]
    assert state["undo"] == before["undo"]
    # Nobody else loads or deletes it.
    other = server.browser()
    other.begin("me", AGENT)
    other.post("/api/load", {"save": save}, 404)
    other.post(f"/api/saves/{save}/delete")
    assert len(me.get("/api/games")["saves"]) == 1
    me.post(f"/api/saves/{save}/delete")
    assert me.get("/api/games")["saves"] == []
    me.post("/api/load", {"save": save}, 404)
    me.post(f"/api/games/{game}/saves", {"name": "x" * 81}, 422)


def test_go_on_from_a_record(me: Browser) -> None:
    game = me.begin("me", AGENT, scenario="short")
    state = play(me, game, 10, pick=1)
    text = me.get(f"/api/games/{game}/record")
    body = {"record": text, "seats": seat_list("me", "me")}
    again = me.state(me.post("/api/records", body, 201)["id"])
    assert again["events"] == state["events"]
    assert again["undo"] is None
    assert [seat["you"] for seat in again["seats"]] == [True, True]


def tampered(text: str, change: Callable[[list[dict[str, Any]]], None]) -> str:
    lines = [json.loads(line) for line in text.splitlines()]
    change(lines)
    return "".join(json.dumps(line) + "\n" for line in lines)


def _path(lines: list[dict[str, Any]]) -> None:
    lines[0]["params"]["rules"] = "/etc"


def _rules(lines: list[dict[str, Any]]) -> None:
    lines[0]["params"]["rules"] = {"ruleset.toml": {"name": "os"}}


def _game(lines: list[dict[str, Any]]) -> None:
    lines[0]["game"] = "other"


def _action(lines: list[dict[str, Any]]) -> None:
    lines[1]["action"] += 1


def _extra(lines: list[dict[str, Any]]) -> None:
    lines[0]["params"]["load"] = "x.py"


def _start(lines: list[dict[str, Any]]) -> None:
    lines[0]["start"] = {"game": "hawaii1795"}


def _version(lines: list[dict[str, Any]]) -> None:
    lines[0]["version"] = 99


def _surrogate(lines: list[dict[str, Any]]) -> None:
    lines[-1]["events"] += 1
    lines.insert(-1, {"n": lines[-1]["events"], "event": "chance", "kind": "\ud800", "outcome": 1, "text": "one"})


@pytest.mark.parametrize("change", [_path, _rules, _game, _action, _extra, _start, _version, _surrogate])
def test_records_that_are_rejected(me: Browser, change: Callable[[list[dict[str, Any]]], None]) -> None:
    game = me.begin("me", AGENT)
    me.my_turn(game)
    text = tampered(me.get(f"/api/games/{game}/record"), change)
    error = me.post("/api/records", {"record": text, "seats": seat_list("me", "me")}, 422)["error"]
    assert error["code"] in ("record", "scenario")
    assert "/tmp" not in error["message"]
    assert len(me.get("/api/games")["games"]) == 1


def test_no_record_at_all(me: Browser) -> None:
    for text in ("no record", "{}\n", "\x00\x01", '{"format": "hawaii_env.record"}\n'):
        me.post("/api/records", {"record": text, "seats": seat_list("me", "me")}, 422)


def test_the_page_takes_the_records_that_verify_takes(me: Browser) -> None:
    game = me.begin("me", AGENT)
    me.my_turn(game)
    text = me.get(f"/api/games/{game}/record")
    for good in ("\ufeff" + text, text.rstrip("\n"), text + "\n \n", text.replace("\n", "\r\n")):
        me.post("/api/records", {"record": good, "seats": seat_list("me", "me")}, 201)
    for part, doubled in (('"seed"', '"seed": 1, "seed"'), ("\n", "\n\n"), ('"options": {', '"options": {"a": NaN, ')):
        assert part in text
        bad = text.replace(part, doubled, 1)
        me.post("/api/records", {"record": bad, "seats": seat_list("me", "me")}, 422)


# Two people, watching, agents that fail


def test_an_invitation_gives_one_seat_once(server: Running, me: Browser) -> None:
    made = me.post("/api/games", {"seats": seat_list("me", "guest")}, 201)
    game = made["id"]
    assert [seat["joined"] for seat in me.state(game)["seats"]] == [True, False]
    newer = me.post(f"/api/games/{game}/invitations")
    assert newer["side"] == "allied"
    guest, late = server.browser(), server.browser()
    guest.post("/api/join", {"invitation": made["invitations"]["allied"]}, 404)  # the newer one ended it
    guest.post("/api/join", {"invitation": newer["invitation"]})
    late.post("/api/join", {"invitation": newer["invitation"]}, 404)
    late.get(f"/api/games/{game}", 404)
    assert me.post(f"/api/games/{game}/invitations", status=409)["error"]["code"] == "seats"
    assert [seat["you"] for seat in guest.state(game)["seats"]] == [False, True]
    state = guest.state(game)
    assert state["yours"]
    assert not me.state(game)["yours"]
    guest.act(game, state)
    assert me.state(game)["count"] > state["count"]
    # One leaves; the other goes on, and can invite somebody else.
    guest.post(f"/api/games/{game}/leave")
    guest.get(f"/api/games/{game}", 404)
    assert me.post(f"/api/games/{game}/invitations")["side"] == "allied"


def test_ones_own_invitation_changes_nothing(me: Browser) -> None:
    made = me.post("/api/games", {"seats": seat_list("me", "guest")}, 201)
    me.post("/api/join", {"invitation": made["invitations"]["allied"]})
    assert [seat["you"] for seat in me.state(made["id"])["seats"]] == [True, False]


def test_agents_play_as_far_as_is_watched(serve: Callable[..., Any]) -> None:
    with serve(ahead=10) as server:
        me = server.browser()
        game = me.begin(AGENT, AGENT)
        shown, state = 0, me.state(game)
        for _ in range(40):
            state = me.state(game, version=state["version"], wait=0.3, shown=shown)
            assert state["count"] <= shown + 10 + 12  # what is forced and rolled after the last decision comes along
            assert not state["yours"]
            shown = min(shown + 10, state["count"])
            if state["count"] > 30:
                break
        assert state["count"] > 30
        # Nobody looks on: they stop.
        stopped = me.state(game, version=state["version"], wait=1.0)["count"]
        assert stopped <= shown + 22


def test_an_agent_that_fails_is_reported_and_asked_again(serve: Callable[..., Any], tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        "from hawaii_env.agents import BaseAgent, register\n"
        "class Moody(BaseAgent):\n"
        "    calls = 0\n"
        "    def act(self, state, legal_actions, clock=None):\n"
        "        Moody.calls += 1\n"
        "        if Moody.calls == 2:\n"
        "            raise RuntimeError('not now')\n"
        "        return legal_actions[0]\n"
        "register('moody', Moody)\n"
    )
    with serve(agents=("moody",), hints=(), load=(str(bot),)) as server:
        me = server.browser()
        game = me.begin("me", "moody")
        state = me.my_turn(game)
        assert state["problem"].startswith("Moody ") and "not now" in state["problem"]
        me.post(f"/api/games/{game}/retry", {"version": state["version"] - 1}, 409)
        me.post(f"/api/games/{game}/retry", {"version": state["version"]})
        state = me.my_turn(game)
        assert state["problem"] is None
        assert state["yours"]
        assert me.post(f"/api/games/{game}/hint", {"version": state["version"]}, 404)["error"]["code"] == "hint"


def test_hints(me: Browser) -> None:
    game = me.begin("me", AGENT)
    state = me.my_turn(game)
    hint = me.post(f"/api/games/{game}/hint", {"version": state["version"]})
    assert hint["action"] in {action["action"] for action in state["actions"]}
    assert hint["version"] == state["version"]
    assert me.post(f"/api/games/{game}/hint", {"version": state["version"] + 1}, 409)["error"]["code"] == "stale"
    assert me.state(game) == state  # a hint changes nothing


# The position editor


def test_a_game_from_a_position(me: Browser) -> None:
    position = me.get("/api/setup")["starts"]["short"]
    position["phase"], position["fleet_moves"] = "movement", 1
    for key in ("recruits", "card", "decks", "box", "dealt"):
        position.pop(key)
    checked = me.post("/api/positions", {"scenario": "short", "position": position})
    assert checked["svg"].startswith("<svg")
    assert checked["position"]["fleet_moves"] == 1
    game = me.begin("me", AGENT, scenario="short", position=position)
    state = me.my_turn(game)
    assert state["status"]["phase"] == "movement"
    me.act(game, state, 1)
    again = me.get(f"/api/games/{game}/position")
    assert again["scenario"] == "short"
    assert me.post("/api/positions", again)["position"] == again["position"]
    # Its record begins there, and can be gone on with.
    text = me.get(f"/api/games/{game}/record")
    assert json.loads(text.splitlines()[0])["start"] is not None
    copy = me.post("/api/records", {"record": text, "seats": seat_list("me", "me")}, 201)["id"]
    assert me.state(copy)["events"] == me.state(game)["events"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"turn": "smarch"}, "turn: expected one of january"),
        ({"phase": "over"}, "winner: somebody has won"),
        ({"units": {"kamehameha": {"kona": ["warrior_2"] * 9}}}, "one warrior_2 too many"),
        ({"units": {"kamehameha": {"kona": ["kalani"]}}}, "not a piece of kamehameha's"),
        ({"units": {"kamehameha": {"atlantis": []}}}, "atlantis"),
        ({"units": [1, 2]}, "units: expected a table"),
        ({"fleet_moves": 1e9}, "fleet_moves"),
        ({"held": ["royal_guard"]}, "not a card to hold"),
        ({"generator": [1, 2, 3, 4]}, "generator"),
    ],
)
def test_positions_that_cannot_be(me: Browser, change: dict[str, Any], words: str) -> None:
    position = {
        "turn": "april",
        "half": "kamehameha",
        "phase": "movement",
        "units": {"kamehameha": {"kona": ["kamehameha"]}, "allied": {"maui": ["kalani"]}},
    }
    me.post("/api/positions", {"position": position})
    error = me.post("/api/positions", {"position": {**position, **change}}, 422)["error"]
    assert error["code"] == "position"
    assert words in error["message"]
    me.post("/api/games", {"seats": seat_list("me", AGENT), "position": {**position, **change}}, 422)


def test_a_battle_can_be_edited_and_fought(me: Browser) -> None:
    position = {
        "turn": "april",
        "half": "kamehameha",
        "phase": "fire",
        "field": "maui",
        "units": {
            "kamehameha": {"maui": ["kamehameha", "warrior_2", "canoe"]},
            "allied": {"maui": ["kalani", "maui_warrior"]},
        },
        "battle": {"kind": "invasion", "advantage": "kamehameha", "turn_side": "kamehameha", "firing": "kamehameha"},
    }
    me.post("/api/positions", {"position": position})
    game = me.begin("me", AGENT, position=position)
    state = me.my_turn(game)
    assert state["status"]["phase"] == "fire"
    me.act(game, state)
    assert any(event["kind"] == "hit_die" for event in me.my_turn(game)["events"])


# Settings


def test_fair_dice() -> None:
    outcomes = [(face, 1 / 6) for face in range(1, 7)]
    counts = [0] * 7
    for _ in range(6000):
        counts[fair_draw(outcomes)] += 1
    # 1000 each with a standard deviation of 29: ten of them.
    assert all(700 < count < 1300 for count in counts[1:])
    assert fair_draw([(4, 1.0)]) == 4
