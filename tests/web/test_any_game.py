"""Games of another package, found by their entry points, without pictures, words or guide: the page plays them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from three_games import GAMES, installed

from hawaii_env import games, records

__all__ = ["installed"]  # the fixture


def play(me: Any, game: str) -> dict[str, Any]:
    """Play a game to its end, looking at each position on the way."""
    state = me.state(game)
    while state["result"] is None:
        assert state["problem"] is None, state
        moment = me.get(f"/api/games/{game}/moments/{state['count']}")
        assert moment["svg"].startswith("<svg") and moment["text"]
        if state["yours"]:
            me.act(game, state, at=len(state["actions"]) // 2)
            state = me.state(game)
        else:
            state = me.state(game, version=state["version"], wait=2, shown=state["count"])
    return state


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_begun_and_ended_on_the_page(name: str, serve: Any, tmp_path: Path) -> None:
    with serve(game=name, database=str(tmp_path / "games.sqlite")) as server:
        me = server.browser()
        spec = games.find(name)
        assert f"<title>{spec.title}</title>" in me.get("/")
        assert "#/edit" not in me.get("/")
        assert "--side" in me.get(f"/static/{name}/style.css")
        setup = me.get("/api/setup")
        assert (setup["game"], setup["editor"], setup["guide"], setup["levels"]) == (name, None, None, [])
        players = len(setup["sides"])
        assert players == spec.players[1]
        game = me.begin("me", *["random"] * (players - 1), **({"rounds": 1} if name == "lagoon" else {}))
        over = play(me, game)
        assert sorted(over["standing"]["places"])[0] == 1
        record = me.get(f"/api/games/{game}/record")
        path = tmp_path / "game.jsonl"
        path.write_text(record, encoding="utf-8")
        assert records.verify(path).outcome is not None
        assert "<!DOCTYPE html>" in me.get(f"/replay/{game}")
        assert me.get(f"/api/games/{game}/curve")["points"]
        # Everybody at one screen, and who only watches.
        play(me, me.begin(*["me"] * players))
        play(me, me.begin(*["random"] * players))
        assert len(me.get("/api/games")["games"]) == 3
        me.post("/api/games", {"seats": [{"kind": "me"}] * (players + 1)}, 422)
        me.post("/api/games", {"seats": [{"kind": "me"}] * players, "scenario": "short"}, 422)


@pytest.mark.usefixtures("installed")
def test_another_games_server_leaves_it_alone(serve: Any, tmp_path: Path) -> None:
    database = str(tmp_path / "games.sqlite")
    with serve(game="tides", database=database) as server:
        me = server.browser()
        game, cookies = me.begin("me", "random", "random"), me.client.cookies
    with serve(game="lagoon", database=database) as server:
        me = server.browser(cookies)
        assert me.get("/api/games")["games"] == []
        assert "a game of tides" in me.get(f"/api/games/{game}", 409)["error"]["message"]


@pytest.mark.usefixtures("installed")
def test_people_at_several_screens_choose_at_once(serve: Any) -> None:
    """A simultaneous turn: nobody sees what another has chosen until all have."""
    with serve(game="tides") as server:
        host, guest = server.browser(), server.browser()
        seats = [{"kind": "me"}, {"kind": "guest"}, {"kind": "agent", "agent": "random"}]
        made = host.post("/api/games", {"seats": seats}, 201)
        game = made["id"]
        guest.post("/api/join", {"invitation": made["invitations"]["green"]})
        mine = host.my_turn(game)
        theirs = guest.my_turn(game)
        assert mine["yours"] and theirs["yours"]
        count = mine["count"]
        host.act(game, mine)
        host.post(
            f"/api/games/{game}/actions",
            {"version": host.state(game)["version"], "action": mine["actions"][0]["action"]},
            403,
        )
        seen = guest.state(game)
        assert seen["count"] == count and seen["yours"]
        guest.act(game, seen)
        assert host.my_turn(game)["count"] > count
