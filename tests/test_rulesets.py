"""Rulesets of all games: loading, a user's own folder, what a game's parameters carry, rulings and sources."""

from __future__ import annotations

import copy
import importlib
import json
import pickle
import re
from pathlib import Path
from typing import Any

import pytest
from refusals import refuses_each

from hawaii_env._ruleset_checks import _label
from hawaii_env.errors import RulesetError
from hawaii_env.rulesets import Ruleset

CHANGES = {
    "aloha": ("scoring.toml", "governor = 5", "governor = 9"),
    "heiau": ("map.toml", "victory = 9", "victory = 7"),
    "hawaii1795": ("cards.toml", "fleets = 4", "fleets = 7"),
    "maori_wars": ("charts.toml", "decisive = 9", "decisive = 8"),
}
"""By game: a file, what stands in it, and what plays otherwise."""

GAMES: dict[str, Any] = {name: importlib.import_module(f"hawaii_env.{name}").Game for name in CHANGES}
RULESETS: dict[str, type[Ruleset]] = {
    name: importlib.import_module(f"hawaii_env.{name}.ruleset").Ruleset for name in CHANGES
}


@pytest.fixture(params=CHANGES)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


def write_changed(name: str, folder: Path) -> Path:
    """A folder with one file, which plays otherwise."""
    file, old, new = CHANGES[name]
    text = (RULESETS[name].folder / "data" / file).read_text(encoding="utf-8")
    assert old in text
    folder.mkdir(exist_ok=True)
    (folder / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    return folder


def test_a_folder_replaces_files(name: str, tmp_path: Path) -> None:
    """A game with it has another hash and name; its parameters and its pickle carry the content."""
    folder = write_changed(name, tmp_path / "mine")
    game, shipped = GAMES[name](rules=folder), GAMES[name]()
    assert game.ruleset_name == "mine" and game.ruleset_hash != shipped.ruleset_hash
    assert set(game.params["rules"]) == set(RULESETS[name].models) and shipped.params["rules"] is None
    (folder / CHANGES[name][0]).unlink()
    for again in (
        type(game)(**game.params),
        pickle.loads(pickle.dumps(game)),
        type(game)(**json.loads(json.dumps(game.params))),
    ):
        assert again == game and again.params == game.params


def test_content_replaces_files(name: str, tmp_path: Path) -> None:
    """A mapping is read as a folder is; the shipped content is the shipped ruleset."""
    kind, file = RULESETS[name], CHANGES[name][0]
    changed = kind.load(write_changed(name, tmp_path / "mine"))
    assert kind.load({file: changed.content[file]}).hash == kind.load(changed.content).hash == changed.hash
    shipped = kind.load()
    assert kind.load(shipped.content) is kind.load(shipped) is kind.load(shipped.name) is shipped
    assert copy.deepcopy(changed) is changed and pickle.loads(pickle.dumps(changed)) == changed != shipped
    changed.content[file].clear()
    assert changed.content[file]
    with pytest.raises(AttributeError):
        changed.name = "other"  # type: ignore[misc]


def test_a_folder_comes_before_the_shipped_name(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = RULESETS[name]
    monkeypatch.chdir(tmp_path)
    write_changed(name, tmp_path / kind.load().name)
    assert kind.load(kind.load().name).hash != kind.load().hash


@pytest.mark.parametrize(("rules", "message"), [
    ("nowhere", r"^rules: there is no folder 'nowhere', and the only shipped ruleset is '\S*reconstructed-\d'; "
        "allowed: that name, or a folder with any of ruleset.toml, "),
    ("empty", "rules folder '.*empty': no file of a ruleset; allowed: ruleset.toml, "),
    ("unknown", "^other.toml: is not a file of a ruleset; allowed: ruleset.toml, "),
    ("text", "^ruleset.toml: is not TOML: .*allowed: a TOML file in UTF-8"),
    ("bytes", "^ruleset.toml: is not TOML: .*UTF-8"),
    ({}, "^rules: no file of a ruleset; allowed: ruleset.toml, "),
    ({"other": {}}, "^other: is not a file of a ruleset; allowed: ruleset.toml, "),
    ({"ruleset.toml": "name"}, "^ruleset.toml: is not a table"),
    (7, "^rules: expected a folder, the content of a ruleset of .* or None, not 7$"),
    ([], "^rules: expected a folder, the content of a ruleset of .* or None"),
])  # fmt: skip
def test_what_is_no_ruleset(name: str, rules: Any, message: str, tmp_path: Path) -> None:
    files = {"unknown": ("other.toml", b""), "text": ("ruleset.toml", b"[x"), "bytes": ("ruleset.toml", b"\xff\xfe")}
    if rules in ("empty", *files):
        (tmp_path / rules).mkdir()
        if rules in files:
            (tmp_path / rules / files[rules][0]).write_bytes(files[rules][1])
        rules = tmp_path / rules
    refuses_each(
        RulesetError, message, lambda load: load(rules), (RULESETS[name].load, lambda rules: GAMES[name](rules=rules))
    )


@pytest.mark.parametrize(("old", "new", "message"), [
    ('version = "', 'versoin = "', r"^ruleset.toml, key version: is missing; allowed: one line of text"),
    ('version = "', 'versoin = "', r"ruleset.toml, key versoin: is not a key of this table; allowed: name, version"),
    ('kind = "reconstructed"', 'kind = "published"', r"ruleset.toml, key kind: .*'published'.*\"printed\""),
    ('kind = "reconstructed"', 'kind = "printed"', r"ruleset.toml, key kind: .*values are reconstructed, the first"),
    ('kind = "reconstructed"', "kind = 3", r"ruleset.toml, key kind: 3 is not allowed; allowed: \"printed\""),
])  # fmt: skip
def test_errors_name_the_place(name: str, old: str, new: str, message: str, tmp_path: Path) -> None:
    text = (RULESETS[name].folder / "data" / "ruleset.toml").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "ruleset.toml").write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(RulesetError) as caught:
        RULESETS[name].load(tmp_path)
    assert re.search(message, str(caught.value), re.MULTILINE), caught.value


def leaves(document: dict[str, Any], path: tuple[str, ...] = ()) -> list[tuple[str, str, Any]]:
    """Tables, keys and values of a document; tables in lists go by their ids."""
    found: list[tuple[str, str, Any]] = []
    for key, value in document.items():
        if isinstance(value, dict):
            found += leaves(value, (*path, key)) if key != "source" else []
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            found += [leaf for i, one in enumerate(value) for leaf in leaves(one, (*path, key, _label(one, i)))]
        elif key != "source":
            found.append((".".join(path), key, value))
    return found


def test_every_value_has_a_source(name: str) -> None:
    """Printed, ruled and reconstructed stay apart, and a ruling that is named is one."""
    ruleset = RULESETS[name].load()
    rulings = {ruling.id for ruling in ruleset.rulings()}
    for file, document in ruleset.content.items():
        given = {(v.table, v.key): v for v in ruleset.provenance if v.file == file}
        found = [leaf for leaf in leaves(document) if leaf[0] or file != "ruleset.toml"]
        wanted = [leaf for leaf in found if leaf[:2] != ("", "default")]  # no fact of the rulebook
        named = {leaf[:2] for leaf in wanted}
        for at in [at for at in given if at[1] in ruleset.aspects and at not in named]:
            del given[at]  # what a source says beside keys
        assert [(*at, v.value) for at, v in given.items()] == wanted
        for value in given.values():
            assert re.fullmatch(r"printed( \d+\.\d+(, \d+\.\d+)*)?|reconstructed|ruling R-\d\d", value.source)
            assert not value.source.startswith("ruling") or value.source.split()[1] in rulings
    assert {value.source.split()[0] for value in ruleset.provenance} == {"printed", "ruling", "reconstructed"}


def test_rulings_and_sections(name: str) -> None:
    """Rulings are numbered without gaps, are about sections that there are, and name an option of the game."""
    kind = RULESETS[name]
    rulings, names = kind.rulings(), {section.id for section in kind.sections()}
    assert [ruling.id for ruling in rulings] == [f"R-{n:02d}" for n in range(1, len(rulings) + 1)]
    for ruling in rulings:
        assert set(ruling.sections) <= names | {one.split()[0] for one in names} and ruling.option in {
            None,
            *GAMES[name]().params,
        }
        assert ruling.test.endswith(f"::test_r_{ruling.id[2:]}")
        assert ruling.choice in ruling.readings or not ruling.readings or name == "hawaii1795"
    assert all(section.reason for section in kind.sections() if section.status != "implemented")
