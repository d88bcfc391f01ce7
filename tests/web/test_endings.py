"""How a game ended is told alike wherever it is told, by the rules or by agreement."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hawaii_env import games, records
from hawaii_env.cli import main
from hawaii_env.records.form import AGREEMENTS
from hawaii_env.replay.page import replay_page
from hawaii_env.web import Settings
from hawaii_env.web.participants import Participants
from hawaii_env.web.service import Service
from hawaii_env.web.snapshots import Snapshots
from hawaii_env.web.table import Table

TWO: dict[str, dict[str, Any]] = {"aloha": {"players": 2}, "heiau": {"scenario": "duel"}}
SEATS = [{"kind": "human", "agent": None}] * 2


@pytest.mark.parametrize("kind", AGREEMENTS)
@pytest.mark.parametrize("name", games.list_games())
def test_an_agreement_is_shown_everywhere(
    name: str, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    service = Service(Settings(game=name, workers=0))
    game = service.game(TWO.get(name, {}))
    data = {"game": name, "ruleset": [game.ruleset_name, game.ruleset_hash], "seats": SEATS, "dice": "server",
        "start": None, **game.params}  # fmt: skip
    table = Table(game, data)
    while table.at_chance:
        table.apply_chance(table.state.chance_outcomes()[0][0])
    table.play(table.state.legal_actions()[0], "me")
    if kind == "draw":
        table.draw([0, 1])
    else:
        table.resign(0)
    winner, reason = (1, "resignation") if kind == "resignation" else (None, "draw by agreement")
    page = Snapshots(service)
    result = Participants(service, page).snapshot("game", table, [0, 1])["result"]
    assert (result["winner"], result["reason"], result["why"]) == (winner, reason, "")
    shown = page.shown("game", table, [0, 1], "me")
    assert shown["status"]["question"] == reason and not shown["actions"] and shown["entering"] is None
    assert reason in page.moment_of(table, [0, 1], shown["count"])["text"]
    path = tmp_path / "record.jsonl"
    path.write_text(page.record_of(table), encoding="utf-8")
    found = records.verify(path).outcome
    assert found is not None and (found.winner, found.reason) == (winner, reason)
    assert main(["record", "show", str(path)]) == 0 and f"ended: {reason}" in capsys.readouterr().out
    replay_page(path, tmp_path / "page.html", value="none")
    assert f": {reason}" in (tmp_path / "page.html").read_text(encoding="utf-8")
    service.store.close()
