"""Sealed turns that people enter as a whole: at the same time, unseen, changeable until everybody's are in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hawaii_env import records
from hawaii_env.heiau import Game
from hawaii_env.web import Settings
from hawaii_env.web.service import Service
from hawaii_env.web.snapshots import Snapshots
from hawaii_env.web.table import Table
from hawaii_env.web.visibility import Seen, Visibility

from .conftest import Browser, Running, seat_list

AGENT = "heiau-greedy"
CLANS: dict[str, Any] = {"scenario": "clans", "last_year": 2}


@pytest.fixture(scope="module")
def heiau(serve: Callable[..., Any]) -> Iterator[Running]:
    with serve(game="heiau", agents=(AGENT, "random"), hints=(AGENT,), values=()) as made:
        yield made


def people(server: Running, *seats: str, **options: Any) -> tuple[str, list[Browser]]:
    """A game with a browser for each person."""
    first = server.browser()
    made = first.post("/api/games", {"seats": seat_list(*seats), **options}, 201)
    found = [first]
    for invitation in made["invitations"].values():
        found.append(server.browser())
        found[-1].post("/api/join", {"invitation": invitation})
    return made["id"], found


def turn(me: Browser, game: str) -> Any:
    """What there is to enter, as soon as there is something."""
    for _ in range(100):
        state = me.state(game)
        if state["result"] or state["problem"]:
            return None
        found = me.get(f"/api/games/{game}/moments/{state['count']}")["turn"]
        if found and str(found["seat"]) not in state["entering"]["sent"]:
            return found
        me.state(game, version=state["version"], wait=5)
    raise AssertionError("nothing was asked")


def usual(found: Any, **chosen: str) -> list[int]:
    """The actions of a turn: options by the places of their subjects, as the texts begin; the others as usual."""
    actions: list[int] = []
    count = 0
    for subject in found["subjects"]:
        at = 0 if subject["usual"] is None else subject["usual"]
        if subject["place"] in chosen:
            text = chosen[subject["place"]]
            at = next(n for n, option in enumerate(subject["options"]) if option["code"].startswith(text))
        elif count < found["least"] and subject["options"][-1]["counts"]:
            at = len(subject["options"]) - 1
        option = subject["options"][at]
        count += option["counts"]
        actions += option["actions"]
    return actions + (found["end"] if count < found["most"] else [])


def enter(me: Browser, game: str, found: Any, actions: list[int], status: int = 200) -> Any:
    return me.post(f"/api/games/{game}/turn", {"seat": found["seat"], "actions": actions}, status)


def test_a_record_cut_within_a_turn_begins_before_it(heiau: Running, tmp_path: Path) -> None:
    """Each cut of it goes on as any game does: all are asked for all of the turn, agents too."""
    game = Game(scenario="triangle", last_year=9)
    for count in (1, 2, 3, 7, 9):
        state = game.initial_state(seed=1, trace=True)
        for _ in range(count):
            state.apply(state.legal_actions()[0])
        with records.RecordWriter(tmp_path / f"{count}.jsonl", game) as writer:
            writer.update(state)
            writer.stop("broken off")
        cut = (tmp_path / f"{count}.jsonl").read_text(encoding="utf-8")
        assert f'"n":{count}' in cut.replace(" ", "")
        me = heiau.browser()
        seats = seat_list("me", AGENT, "me")
        loaded = me.post("/api/records", {"record": cut, "seats": seats}, 201)["id"]
        begun = me.state(loaded)["entering"]["turn"]
        for _ in range(2):
            found = turn(me, loaded)
            assert found["turn"] == begun
            enter(me, loaded, found, usual(found))
        assert turn(me, loaded)["turn"] > begun
    start = json.loads(cut.splitlines()[0]) | {"start": json.loads(state.explicit().to_json(secrets=True))}
    text = "\n".join([json.dumps(start), *cut.splitlines()[1:]]) + "\n"
    me.post("/api/records", {"record": text, "seats": seats}, 422)


@pytest.mark.slow
def test_nobody_sees_what_another_has_entered(heiau: Running) -> None:
    """Two games alike but for the others' orders look the same to the third until all are in; who is waited for is
    told."""
    looks: list[Any] = []
    for other in ("B Kahoʻolawe H", "B Kahoʻolawe - ʻAlalākeiki"):
        game, (dawn, noon, dusk) = people(heiau, "me", "guest", "guest", **CLANS)
        assert [me.state(game)["entering"]["left"] for me in (dawn, noon, dusk)] == [[0, 1, 2]] * 3
        found = turn(dawn, game)
        enter(dawn, game, found, usual(found, kohoolawe=other))
        enter(noon, game, turn(noon, game), usual(turn(noon, game)))
        shown = dusk.state(game)
        assert shown["entering"] == {"turn": 3, "sent": {}, "left": [2]}
        assert shown["yours"] and shown["events"] == []
        moment = dusk.get(f"/api/games/{game}/moments/0")
        hidden = {key: shown[key] for key in shown if key not in ("id", "version", "epoch")}
        hidden["seats"] = [{key: seat[key] for key in seat if key != "since"} for seat in shown["seats"]]
        looks.append(json.dumps([hidden, moment, dusk.get(f"/api/games/{game}/record")]))
        mine = dawn.state(game)["entering"]
        assert mine["left"] == [2] and list(mine["sent"]) == ["0"]
        enter(dusk, game, turn(dusk, game), usual(turn(dusk, game)))
        assert len(dusk.state(game)["events"]) == 9
        assert ("B Kahoʻolawe - ʻAlalākeiki" in dusk.get(f"/api/games/{game}/moments/9")["text"]) == (
            "ʻAlalākeiki" in other
        )
    assert looks[0] == looks[1]


def test_orders_are_changed_until_all_are_in(heiau: Running) -> None:
    game, (dawn, dusk) = people(heiau, "me", "guest", scenario="duel")
    found = turn(dawn, game)
    enter(dawn, game, found, usual(found, lanai="B Lānaʻi - ʻAuʻau"))
    assert not dawn.state(game)["yours"]
    enter(dawn, game, found, [])  # taken back
    assert dawn.state(game)["yours"] and dawn.state(game)["entering"]["left"] == [0, 1]
    enter(dawn, game, found, usual(found, lanai="B Lānaʻi - ʻAuʻau"))
    enter(dawn, game, found, usual(found, lanai="B Lānaʻi - Kalohi"))  # replaced
    assert "change your entries until" in dawn.state(game)["refused"]["undo"]
    other = turn(dusk, game)
    for actions, words in (
        ([*usual(other), usual(other)[0]], "one action too many"),
        ([found["subjects"][0]["options"][0]["actions"][0], 330], "one action too many"),
        ([300], "not legal in this position"),
    ):
        assert words in enter(dusk, game, other, actions, 422)["error"]["message"]
    assert enter(dusk, game, {**other, "seat": 0}, usual(other), 403)["error"]["code"] == "seat"
    old = {"seat": 1, "actions": usual(other), "version": dusk.state(game)["version"]}
    enter(dusk, game, other, usual(other))
    assert "B Lānaʻi - Kalohi Channel" in dusk.get(f"/api/games/{game}/moments/2")["text"]
    assert dusk.post(f"/api/games/{game}/turn", old, 409)["error"]["code"] == "stale"
    # One by one is no way to enter them.
    state = dusk.my_turn(game)
    assert state["actions"] == []
    message = dusk.post(f"/api/games/{game}/actions", {"version": state["version"], "action": 0}, 422)["error"]
    assert "as a whole" in message["message"]


def test_orders_are_typed(heiau: Running) -> None:
    game, (me, *_) = people(heiau, "me", AGENT, scenario="race")
    found = turn(me, game)

    def typed(text: str, status: int = 200, seat: int = 0) -> Any:
        return me.post(f"/api/games/{game}/typed", {"seat": seat, "text": text}, status)

    for text, meant in {
        "B puna - hilo": "B Puna - Hilo", "puna to Hilo": "B Puna - Hilo", "puna-kalae": "B Puna - Kalae",
        "KonaK H": "B Kona-Kailua H", "Puna supports Kona-Kailua to Kalae": "B Puna S B Kona-Kailua - Kalae",
    }.items():  # fmt: skip
        at = typed(text)
        assert found["subjects"][at["subject"]]["options"][at["option"]]["code"] == meant, text
    for text, words in {
        "A puna - hilo": "'A puna - hilo': the unit in Puna is a boat bunch, B", "puna - lanai": "of that kind are",
        "xyz": "is not an order", "puna - atlantis": "no space of the map", "aiea - waikiki": "no unit of yours",
        "puna S hilo": "no unit is in Hilo",
        "KonaK S puna": "of that kind are: B Kona-Kailua S B Puna",
    }.items():  # fmt: skip
        assert words in typed(text, 422)["error"]["message"], text
    typed("puna H", 403, seat=1)
    # Of whoever burns its boats the label speaks without doubt.
    labels = {option["label"] for one in found["subjects"] for option in one["options"] if "burns" in option["label"]}
    assert {"Humuʻula (burns its boats)", "Puna to Mauna Loa (Kona-Kailua burns its boats)"} <= labels


def test_a_whole_game_with_agents_a_hint_and_its_record(heiau: Running, tmp_path: Path) -> None:
    """Winters and retreats too; the record is one of the game's own, and the agent answers after everybody is in."""
    game, browsers = people(heiau, "me", AGENT, "guest", scenario="triangle", last_year=1)
    hint = browsers[0].post(f"/api/games/{game}/hint", {"version": browsers[0].state(game)["version"]})
    assert hint["actions"] and (hint["name"], hint["about"]) == ("Medium", "goes for the heiaus near, with supports")
    seen: set[str] = set()
    while True:
        for me in browsers:
            state = me.state(game)
            if state["entering"] and state["yours"]:
                found = turn(me, game)
                if found is None:
                    continue
                seen.add(found["question"].partition(":")[0])
                actions = hint["actions"] if not state["events"] and me is browsers[0] else usual(found)
                enter(me, game, found, actions)
        state = browsers[0].state(game, version=browsers[0].state(game)["version"], wait=1)
        assert state["problem"] is None
        if state["result"]:
            break
    assert "Your orders" in seen
    path = tmp_path / "game.jsonl"
    path.write_text(browsers[0].get(f"/api/games/{game}/record"), encoding="utf-8")
    assert records.verify(path).outcome is not None
    assert "<!DOCTYPE html>" in browsers[0].get(f"/replay/{game}")


def test_what_was_entered_outlives_the_server(serve: Callable[..., Any], tmp_path: Path) -> None:
    database = str(tmp_path / "games.sqlite")
    with serve(game="heiau", agents=(AGENT,), database=database) as server:
        game, (dawn, dusk) = people(server, "me", "guest", scenario="duel")
        found = turn(dawn, game)
        enter(dawn, game, found, usual(found, lanai="B Lānaʻi - ʻAuʻau"))
        cookies = [dict(me.client.cookies) for me in (dawn, dusk)]
    with serve(game="heiau", agents=(AGENT,), database=database) as server:
        dawn, dusk = (server.browser(one) for one in cookies)
        assert list(dawn.state(game)["entering"]["sent"]) == ["0"]
        enter(dusk, game, turn(dusk, game), usual(turn(dusk, game)))
        assert "B Lānaʻi - ʻAuʻau Channel" in dawn.get(f"/api/games/{game}/moments/2")["text"]


def test_hidden_starts_and_ballots(heiau: Running, tmp_path: Path) -> None:
    """A European enters its first orders without a word of ballots and starts; the record goes as far as each knows."""
    seats = ["guest", AGENT, AGENT, AGENT, "me"]
    game, (haole, dawn) = people(heiau, *seats, scenario="haole", last_year=1)
    for me in (haole, dawn):
        found = turn(me, game)
        assert [option["text"] for option in found["subjects"][0]["options"]] == ["Votes for Heart", "Votes for Wings"]
        enter(me, game, found, found["subjects"][0]["options"][1]["actions"])
    found = turn(haole, game)
    assert [subject["name"] for subject in found["subjects"]] == ["Fleet at South Pacific Ocean"]
    moment = haole.get(f"/api/games/{game}/moments/{haole.state(game)['count']}")
    assert moment["note"] is None and 'data-side="dawn"' not in moment["svg"]
    assert 'data-side="dawn"' in dawn.get(f"/api/games/{game}/moments/{dawn.state(game)['count']}")["svg"]
    for me, known in ((haole, False), (dawn, True)):
        path = tmp_path / f"{known}.jsonl"
        path.write_text(me.get(f"/api/games/{game}/record"), encoding="utf-8")
        events = records.verify(path, partial=True).record.events
        assert me.state(game)["count"] >= len(events)
        assert any(event.text.startswith("vote") and event.player != (0 if known else 4) for event in events) == known


def test_nobody_waits_for_who_has_gone(serve: Callable[..., Any]) -> None:
    """An agent that plays for who has gone lets the turn end that the others have entered."""
    with serve(game="heiau", agents=(AGENT,), absent=0.0) as server:
        game, (dawn, _) = people(server, "me", "guest", scenario="duel", last_year=1)
        enter(dawn, game, turn(dawn, game), usual(turn(dawn, game)))
        dawn.post(f"/api/games/{game}/stand_in", {"agent": AGENT})
        found = turn(dawn, game)
        assert found is None or found["turn"] > 3


@pytest.mark.parametrize("people", [(4, 5), (0, 4, 5), (2, 4)])
def test_a_second_ballot_is_nobodys_but_the_natives(people: tuple[int, ...]) -> None:
    """Games with and without one look alike to Europeans, agents among the natives or not, until their orders are
    in; who enters them meanwhile has entered them.
    """
    service = Service(Settings(game="heiau", workers=0))
    page, game = Snapshots(service), service.game({"scenario": "two_haoles", "last_year": 1})
    seats = [{"kind": "human", "agent": None} if n in people else {"kind": "agent", "agent": "x"} for n in range(6)]
    data = {"game": "heiau", "seats": seats, "dice": "server", "start": None, **game.params}
    looks: list[list[Any]] = []
    phases = set[str]()
    for votes in ("000001", "111101", "001101"):
        table = Table(game, data, whole=True)
        table.seen[4,] = table.seen[()] = Seen(0, ())
        looks.append([])

        def go_on(table: Table = table) -> None:
            """Let agents enter and lots fall, as the server does, and look."""
            while table.thinking is not None or table.at_chance:
                if table.at_chance:
                    table.apply_chance(0)
                elif table.thinking is not None:
                    player, _ = table.thinking
                    table.play(table.known(player).legal_actions(player)[-1], player=player)
            for mine in ([4], []):
                shown = page.shown("game", table, mine, "browser 4")
                moments = [page.moment_of(table, mine, n) for n in {0, shown["count"]}]
                looks[-1].append(json.dumps([shown, Visibility(table, mine).version, moments]))

        ballots = table.state.legal_actions(0)
        for n, vote in enumerate(votes):
            if n in people:
                table.enter(n, [ballots[int(vote)]], f"browser {n}")
            else:
                table.play(ballots[int(vote)], player=n)
        phases.add(table.state.phase)
        go_on()
        orders = table.state.for_search(4).legal_actions(4)[:1]
        table.enter(4, orders, "browser 4")
        go_on()
        assert table.entered(4) == orders
        while table.deciders and table.deciders[0] not in (4, 5) and table.state.sealed_turn == 2:
            table.enter(table.deciders[0], [ballots[0]], "native")
            go_on()
        looks[-1] = looks[-1][:4] + looks[-1][-2:]
        while table.state.sealed_turn == 3:
            player = table.deciders[0]
            own, actions = table.known(player), list[int]()
            while own.current_player == player and own.sealed_turn == 3:
                actions.append(own.legal_actions()[0])
                own.apply(actions[-1])
            table.enter(player, actions, f"browser {player}")
            go_on()
        assert [step.by for step in table.steps if step.by == "browser 4"] == ["browser 4"] * 2
    assert phases == {"ballot", "orders"} and all(
        len(set(one)) == 1 for one in zip(*(found[:6] for found in looks), strict=True)
    )
    service.store.close()


def test_a_list_of_games_shows_no_time_of_hidden_changes(heiau: Running) -> None:
    game, natives = people(heiau, "me", *["guest"] * 5, scenario="two_haoles", last_year=1)
    european = natives.pop()
    for n, me in enumerate((*natives, european)):
        found = turn(me, game)
        enter(me, game, found, found["subjects"][0]["options"][n % 2]["actions"])

    def updated() -> float:
        return european.get("/api/games")["games"][0]["updated"]

    before, state = updated(), european.state(game)
    found = turn(natives[0], game)
    enter(natives[0], game, found, found["subjects"][0]["options"][0]["actions"])
    assert updated() == before and european.state(game) == {**state, "away": []}
    found = turn(european, game)
    assert found["turn"] == 3
    enter(european, game, found, usual(found))
    assert updated() > before
