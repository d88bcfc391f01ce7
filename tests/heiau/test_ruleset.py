"""Map and scenarios as data: what is shipped, and what is refused."""

from __future__ import annotations

import re
import tomllib

import pytest

from hawaii_env import load_game
from hawaii_env.errors import RulesetError
from hawaii_env.heiau.ruleset import Ruleset

MAP = (Ruleset.folder / "data" / "map.toml").read_text(encoding="utf-8")
SCENARIOS = (Ruleset.folder / "data" / "scenarios.toml").read_text(encoding="utf-8")


def test_the_shipped_map() -> None:
    """45 spaces, 17 heiaus; printed names are told from reconstructed ones."""
    rules = Ruleset.load()
    kinds = [space.kind for space in rules.spaces]
    assert (len(kinds), kinds.count("coast"), kinds.count("inland"), kinds.count("sea")) == (45, 27, 5, 13)
    assert sum(space.heiau for space in rules.spaces) == 17 and rules.victory == 9
    assert len(rules.printed) == 25 and all(space.why for space in rules.spaces if space.id in rules.printed)
    board = rules.board
    assert all(bool(board.land[b] >> a & 1) == bool(board.land[a] >> b & 1) for a in range(45) for b in range(45))
    assert all(bool(board.water[b] >> a & 1) == bool(board.water[a] >> b & 1) for a in range(47) for b in range(47))
    oceans = [space for space in rules.spaces if space.id in ("npo", "spo")]
    crossed = load_game("heiau").adjacency  # pyright: ignore[reportAttributeAccessIssue]  Heiau's own
    assert (crossed == crossed.transpose(0, 2, 1)).all()
    assert (crossed[0] == [[bool(board.land[a] >> b & 1) for b in range(45)] for a in range(45)]).all()
    assert (crossed[0] <= crossed[1]).all() and not crossed[1][:, [rules.spaces.index(one) for one in oceans]].any()


LAND, WATER = "map.toml, table [adjacency], key land: ", "map.toml, table [adjacency], key water: "
DUEL = "scenarios.toml, table [scenario.duel.powers.dawn], key units: "
LANAI = '"B lanai"'

WRONG = [
    (MAP, '["waimea", "koloa"], ["koloa", "wailua"]', '["waimea", "kolo"], ["koloa", "wailua"]',
        LAND + "there is no space 'kolo'"),
    (MAP, '["kaunalu", "makanalua/n"]', '["kaunalu", "makanalua/w"]',
        WATER + "there is no coast 'makanalua/w'; allowed: makanalua/n, makanalua/s"),
    (MAP, '["kaunalu", "makanalua/n"]', '["kaunalu", "makanalua"]', WATER + "makanalua has coasts: name one"),
    (MAP, '["kaunalu", "makanalua/n"]', '["kaunalu/n", "makanalua/n"]', WATER + "there is no coast 'kaunalu/n'"),
    (MAP, '["kaunalu", "makanalua/n"]', '["kaunalu"]', WATER + "item 10: item 2: is missing"),
    (MAP, '["koloa", "wailua"], ["wailua"', '["koloa", "waimea"], ["wailua"', "koloa - waimea stands twice"),
    (MAP, '["makaleha", "waimea"]', '["makaleha", "kaiwi"]', LAND + "kaiwi is a sea"),
    (MAP, '["kaulakahi", "niihau"]', '["kaulakahi", "makaleha"]', WATER + "makaleha is inland"),
    (MAP, '["kaulakahi", "niihau"], ', "", "table [space.niihau], key kind: niihau is coast and touches no water"),
    (MAP, 'oceans = ["npo", "spo"]', 'oceans = ["npo", "puna"]', "key oceans: 'puna' is not a sea"),
    (MAP, "heiau = true", "heiau = false", "table [map], key spaces: 45 with 17 heiaus, but 45 with 16 heiaus stand"),
    (MAP, 'kind = "inland"\nisland = "kauai"\nheiau = false', 'kind = "inland"\nisland = "kauai"\nheiau = true',
        "table [space.makaleha], key heiau: no action builds inland, so no heiau is there; allowed: false"),
    (MAP, "victory = 9", "victory = 18", "table [map], key victory: 18 heiaus win, and there are 17; allowed: 1 to 17"),
    (MAP, 'kind = "inland"', 'kind = "hill"', "table [space.makaleha], key kind: 'hill' is not allowed; allowed: "),
    (MAP, 'abbr = "Niih"\n', "", "map.toml, table [space.niihau], key abbr: is missing; allowed: one line of text"),
    (MAP, 'id = "niihau"', 'id = "Niihau!"', "map.toml, table [space.Niihau!], key id: 'Niihau!' is not allowed"),
    (MAP, 'id = "waimea"', 'id = "niihau"', "map.toml, table [space], key id: a space stands twice"),
    (MAP, 'outline = "niihau"', 'outline = "x"', "map.toml, table [coasts.niihau], key outline: 'x' is not allowed"),
    (MAP, "[coasts.niihau]", "[coasts.x]", "map.toml, table [coasts], key x: there is no island 'x'"),
    (MAP, "[adjacency]", "[adjacent]", "map.toml, key adjacency: is missing; allowed: a table of oceans, land, water"),
    (SCENARIOS, LANAI, '"A kaiwi"', DUEL + "A kaiwi: such a unit cannot be there"),
    (SCENARIOS, LANAI, '"B npo"', DUEL + "B npo: such a unit cannot be there"),
    (SCENARIOS, LANAI, '"B lahaina"', "powers.dusk], key units: two units start in lahaina; allowed: one unit a space"),
    (SCENARIOS, LANAI, '"X lanai"', DUEL + "a unit is A, B or F and a place"),
    (SCENARIOS, LANAI, '"AB lanai"', DUEL + "a unit is A, B or F and a place"),
    (SCENARIOS, LANAI, '"B lanai/n"', DUEL + "B lanai/n: there is no place 'lanai/n' on the map"),
    (SCENARIOS, 'ballot = ["heart", "wings"]', 'ballot = ["heart", "race"]',
        "scenarios.toml, table [scenario.haole], key ballot: ['heart', 'race'] is not allowed; allowed: two scenarios"),
    (SCENARIOS, '{ id = "dawn", units = ["B lanai"] },', "",
        "scenarios.toml, table [scenario.duel], key powers: has 1 items"),
]  # fmt: skip


def test_a_map_with_fewer_heiaus_than_win_is_rejected() -> None:
    """[Background] Eight heiaus, counted rightly, and nine that win."""
    kept = MAP.count("heiau = true") - 8
    text = MAP.replace("heiau = true", "heiau = false", kept).replace("heiaus = 17", "heiaus = 8")
    with pytest.raises(RulesetError, match=r"key victory: 9 heiaus win, and there are 8"):
        Ruleset.load({"map.toml": tomllib.loads(text)})


def test_a_border_has_no_side() -> None:
    """[Map] A border is one pair, for both ways: told again from the other side it is refused."""
    with pytest.raises(RulesetError, match="koloa - waimea stands twice, or is not a pair"):
        Ruleset.load(
            {
                "map.toml": tomllib.loads(
                    MAP.replace('["waimea", "koloa"],', '["waimea", "koloa"], ["koloa", "waimea"],', 1)
                )
            }
        )
    board = Ruleset.load({"map.toml": tomllib.loads(MAP.replace('["makaleha", "waimea"], ', "", 1))}).board
    for space, masks in enumerate(board.land):
        assert all(board.land[other] >> space & 1 for other in range(len(board.spaces)) if masks >> other & 1)


@pytest.mark.slow
@pytest.mark.parametrize("file", ["map.toml", "scenarios.toml"])
def test_values_of_another_kind_are_rejected(file: str) -> None:
    """Each line's value in turn is made a number, a text, a list, a table: refused with the file's name, or read."""
    text = {"map.toml": MAP, "scenarios.toml": SCENARIOS}[file]
    lines, refused = text.splitlines(), 0
    starts = [k for k, line in enumerate(lines) if re.match(r"\w+ = ", line) and line.count("[") == line.count("]")]
    for at in starts[:: 3 if file == "scenarios.toml" else 53]:
        for value in ("-7", '"x"', "[1]", "{}"):
            changed = [*lines[:at], re.sub(r" = .*", f" = {value}", lines[at]), *lines[at + 1 :]]
            try:
                Ruleset.load({file: tomllib.loads("\n".join(changed))})
            except RulesetError as error:
                refused += file in str(error)
    assert refused > 5


@pytest.mark.parametrize(("text", "old", "new", "message"), WRONG)
def test_bad_rulesets_are_rejected(text: str, old: str, new: str, message: str) -> None:
    """File, table, key and what is allowed are named."""
    assert old in text
    file = "map.toml" if text is MAP else "scenarios.toml"
    with pytest.raises(RulesetError) as caught:
        Ruleset.load({file: tomllib.loads(text.replace(old, new, 1))})
    assert message in str(caught.value)


def test_the_shipped_ruleset() -> None:
    """Results, records and weights name it by its hash."""
    found = Ruleset.load().name, Ruleset.load().hash
    assert found == ("heiau-reconstructed-3", "f461760f4fc8e7f9cedc099fe9ac6a2eac3fdd83b7c50e63be124e03561f7b83")
