"""More than two people at a game: ALOHA, by invitation links, with bots; giving up; what undo says of cards."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from waiting import until

from hawaii_env import records

from .conftest import AGENT, Browser, seat_list

SIDES = ("red", "yellow", "green", "blue")


def table(server: Any) -> tuple[list[Browser], str]:
    """Two people and two bots; the browsers of the people, the game's id."""
    host, guest = server.browser(), server.browser()
    seats = seat_list("me", AGENT, "guest", AGENT)
    made = host.post("/api/games", {"seats": seats, "players": 4, "name": "Keoni"}, 201)
    assert set(made["invitations"]) == {"green"}
    guest.post("/api/join", {"invitation": made["invitations"]["green"], "name": "Māhealani"})
    return [host, guest], made["id"]


def play(people: list[Browser], game: str, until: Callable[[Any], bool] = lambda state: False) -> Any:
    """Everybody takes some choice in turn, until something holds or the end; return the state of the first then."""
    pick = 0
    while True:
        for person in people:
            state = person.state(game)
            if state["result"] or until(state):
                return state
            if state["yours"]:
                pick = (pick * 7 + 3) % 1009
                person.act(game, state, pick % len(state["actions"]))


def test_who_resigns_among_four_leaves_the_seat_to_an_agent(serve: Any, tmp_path: Path) -> None:
    """The game goes on to its end, the seat may be taken back; nobody has won by it."""
    with serve(game="aloha", levels=False) as server:
        people, game = table(server)
        host, guest = people
        play(people, game, lambda state: state["count"] > 12)
        assert "resign 0" not in host.state(game)["refused"] and "offer" in host.state(game)["refused"]
        host.post(f"/api/games/{game}/resign", {"seat": 2}, 403)
        host.post(f"/api/games/{game}/resign", {"seat": 1}, 403)
        guest.post(f"/api/games/{game}/resign", {"seat": 2})
        for one in people:
            state = one.state(game)
            assert [seat["stand_in"] for seat in state["seats"]] == [None, None, AGENT, None]
            assert state["result"] is None
        assert "resign 2" in guest.state(game)["refused"] and "resign 0" not in host.state(game)["refused"]
        guest.post(f"/api/games/{game}/resign", {"seat": 2}, 422)
        guest.post(f"/api/games/{game}/back")
        assert "resign 2" not in guest.state(game)["refused"]
        guest.post(f"/api/games/{game}/resign", {"seat": 2})
        state = play([host], game)
        assert state["result"]["agreed"] is None and state["result"]["reason"].endswith("]")
        assert sorted(state["standing"]["places"])[0] == 1 and len(state["standing"]["scores"]) == 4
        guest.post(f"/api/games/{game}/resign", {"seat": 2}, 422)
        path = tmp_path / "game.jsonl"
        path.write_text(host.get(f"/api/games/{game}/record"), encoding="utf-8")
        found = records.verify(path)
        assert found.record.header["players"] == ["Keoni", AGENT, "Māhealani", AGENT]
        assert found.outcome is not None and found.outcome.scores == tuple(state["standing"]["scores"])


def test_when_all_have_resigned_agents_play_it_to_its_end(serve: Any) -> None:
    """At the level that the page chooses first."""
    with serve(game="aloha") as server:
        me = server.browser()
        game = me.begin("me", AGENT, AGENT, players=3)
        me.post(f"/api/games/{game}/resign", {"seat": 0})
        assert me.state(game)["seats"][0]["stand_in"] == "epsilon-greedy:base=aloha-greedy,epsilon=0.5"
        until(lambda: me.state(game)["result"])


def test_undo_distinguishes_cards_from_dice(serve: Any) -> None:
    """What fell last is named by what it is."""
    with serve(game="aloha") as server:
        me = server.browser()
        game = me.begin("me", "me", players=2, dice="hand")
        seen = set[str]()
        for _ in range(120):
            state = me.my_turn(game)
            if state["result"]:
                break
            if state["chance"]:
                due = "A card was drawn since" if state["chance"]["kind"] == "event" else "A die was rolled since"
                drawn = state["chance"]["kind"] in ("event", "die")
                me.post(f"/api/games/{game}/chance", {"version": state["version"], "outcome": None})
                if drawn:
                    assert me.state(game)["refused"]["undo"] == due
                    seen.add(due)
            else:
                me.act(game, state, len(state["actions"]) - 1)
        assert len(seen) == 2


def test_chat_to_all_and_to_one(serve: Any) -> None:
    """A message to one is for the browser that has the seat then; watchers read what all read, and write nothing."""
    with serve(game="aloha", chat_rate="4/day") as server:
        one, two, three, watcher, later = (server.browser() for _ in range(5))
        made = one.post("/api/games", {"seats": seat_list("me", "guest", "guest"), "players": 3}, 201)
        game, at = made["id"], f"/api/games/{made['id']}"
        told = one.post(f"{at}/chat", {"text": "E"}, 409)["error"]["message"]
        assert told == one.state(game)["refused"]["chat"] == "nobody else is here to read it"
        for browser, link in zip((two, three), made["invitations"].values(), strict=True):
            browser.post("/api/join", {"invitation": link})
        watcher.post("/api/join", one.post(f"{at}/watch"))
        quiet = watcher.state(game)

        def heard(browser: Browser, after: float = 0) -> list[tuple[int, int | None, str]]:
            found = browser.state(game, heard=after)["chat"]
            return [(message["seat"], message["to"], message["text"]) for message in found]

        two.post(f"{at}/chat", {"text": "  Aloha <b>kākou</b>  "})
        first = (1, None, "Aloha <b>kākou</b>")
        assert all(heard(browser) == [first] for browser in (one, two, three, watcher))
        two.post(f"{at}/chat", {"text": "to you alone", "seat": 2})
        alone = (1, 2, "to you alone")
        assert heard(two) == heard(three) == [first, alone]
        assert heard(one) == heard(watcher) == [first]
        # Nothing else tells of it, nor do the later owners of the seats.
        assert {**watcher.state(game), "chat": []} == {**quiet, "away": watcher.state(game)["away"]}
        three.post(f"{at}/leave")
        link = one.post(f"{at}/invitations", {"seat": 2})["invitation"]
        later.post("/api/join", {"invitation": link})
        assert heard(later) == [first]
        # Who is muted is not heard, by that one alone, until they are heard again.
        one.post(f"{at}/mute", {"seat": 1})
        assert heard(one) == [] and one.state(game)["muted"] == [1] and heard(later) == [first]
        one.post(f"{at}/mute", {"seat": 1, "on": False})
        assert heard(one) == [first] and heard(one, one.state(game)["chat"][-1]["at"]) == []
        watcher.post(f"{at}/chat", {"text": "x"}, 403)
        for text in ("", "   ", "x" * 301, "two\nlines", "a\u202eb"):
            told = two.post(f"{at}/chat", {"text": text}, 422)["error"]["message"]
            assert told.startswith("text: ") and "Value error" not in told
        for _ in range(2):
            two.post(f"{at}/chat", {"text": "x"})
        assert "too many messages" in two.post(f"{at}/chat", {"text": "x"}, 429)["error"]["message"]
        one.post(f"{at}/chat", {"text": "I may"})
        # Who waits for news learns of it, and of nothing that is for others.
        state = one.state(game)
        with ThreadPoolExecutor(1) as pool:
            news = pool.submit(one.state, game, version=state["version"], heard=state["chat"][-1]["at"], wait=20)
            until(lambda: server.app.state.service._changed.get(game))
            later.post(f"{at}/chat", {"text": "psst", "seat": 1})
            later.post(f"{at}/chat", {"text": "E"})
            assert [message["text"] for message in news.result(30)["chat"]] == ["E"]
