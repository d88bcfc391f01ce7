"""[Map] The board: spaces, the two kinds of border, and where a unit goes by itself (sections 1, 3.1 and 3.2)."""

from __future__ import annotations

from dataclasses import dataclass, replace

# Space, kind, heiau, by land, by water: section 1. The order of its rows is the order of everything.
TABLE = """
niihau | coast | H | | kaulakahi
waimea | coast | H | koloa makaleha kilauea | koloa kilauea kaulakahi
koloa | coast | | waimea makaleha wailua | waimea wailua kaulakahi kaieie_waho spo
makaleha | inland | | waimea koloa kilauea wailua |
kilauea | coast | H | waimea makaleha wailua | waimea wailua kaulakahi kaieie_waho npo
wailua | coast | H | koloa makaleha kilauea | koloa kilauea kaieie_waho
waianae | coast | | koolau wahiawa aiea | koolau aiea kaieie_waho
koolau | coast | | waianae wahiawa oahu_kailua | waianae oahu_kailua kaieie_waho npo
wahiawa | inland | | waianae koolau aiea oahu_kailua |
aiea | coast | H | waianae wahiawa oahu_kailua waikiki | waianae waikiki kaieie_waho kaiwi
oahu_kailua | coast | H | koolau wahiawa aiea waikiki | koolau waikiki kaiwi npo
waikiki | coast | | aiea oahu_kailua | aiea oahu_kailua kaiwi
kaunalu | coast | | makanalua | makanalua/n makanalua/s kaiwi kalohi npo
makanalua | coast | H | kaunalu halawa | /n: kaunalu halawa npo ; /s: kaunalu halawa kalohi
halawa | coast | | makanalua | makanalua/n makanalua/s kalohi pailolo npo
lanai | coast | H | | kalohi auau kealaikahiki spo
kohoolawe | coast | H | | kealaikahiki alalakeiki spo
lahaina | coast | H | kahului honuaula | kahului honuaula kalohi pailolo auau
kahului | coast | | lahaina honuaula haleakala waipio | lahaina waipio pailolo
honuaula | coast | | lahaina kahului haleakala hana | lahaina hana auau alalakeiki alenuihaha
haleakala | inland | | kahului honuaula waipio hana |
waipio | coast | H | kahului haleakala hana | kahului hana pailolo npo
hana | coast | | honuaula haleakala waipio | honuaula waipio alenuihaha npo
kohala | coast | H | kawaihae hamakua | kawaihae hamakua alenuihaha hamakua_coast
kawaihae | coast | H | kohala hamakua humuula kona_kailua | kohala kona_kailua kona_coast
hamakua | coast | H | kohala kawaihae humuula hilo | kohala hilo hamakua_coast
humuula | inland | | kawaihae hamakua kona_kailua mauna_loa hilo |
kona_kailua | coast | H | kawaihae humuula mauna_loa kalae | kawaihae kalae kona_coast
mauna_loa | inland | | humuula kona_kailua hilo puna kalae |
hilo | coast | H | hamakua humuula mauna_loa puna | hamakua puna hamakua_coast
puna | coast | H | mauna_loa hilo kalae | hilo kalae hamakua_coast spo
kalae | coast | | kona_kailua mauna_loa puna | kona_kailua puna kona_coast spo
kaulakahi | sea | | | niihau waimea koloa kilauea npo spo
kaieie_waho | sea | | | koloa kilauea wailua waianae koolau aiea kaiwi npo spo
kaiwi | sea | | | aiea oahu_kailua waikiki kaunalu kaieie_waho kalohi npo spo
kalohi | sea | | | kaunalu makanalua/s halawa lanai lahaina kaiwi pailolo auau spo
pailolo | sea | | | halawa lahaina kahului waipio kalohi auau npo
auau | sea | | | lanai lahaina honuaula kalohi pailolo kealaikahiki alalakeiki
kealaikahiki | sea | | | lanai kohoolawe auau alalakeiki spo
alalakeiki | sea | | | kohoolawe honuaula auau kealaikahiki alenuihaha spo
alenuihaha | sea | | | honuaula hana kohala alalakeiki kona_coast hamakua_coast npo spo
kona_coast | sea | | | kawaihae kona_kailua kalae alenuihaha spo
hamakua_coast | sea | | | kohala hamakua hilo puna alenuihaha npo spo
npo | ocean | | | kilauea koolau oahu_kailua kaunalu makanalua/n halawa waipio hana \
kaulakahi kaieie_waho kaiwi pailolo alenuihaha hamakua_coast spo
spo | ocean | | | koloa lanai kohoolawe puna kalae kaulakahi \
kaieie_waho kaiwi kalohi kealaikahiki alalakeiki alenuihaha kona_coast hamakua_coast npo
"""


@dataclass(frozen=True)
class Unit:
    """[Armies, Boats, Fleets] Kind A, B or F; `place`: a space, with its coast (`makanalua/n`) for boats and fleets."""

    kind: str
    power: str
    place: str

    @property
    def space(self) -> str:
        """The space that it is in, coasts aside."""
        return space_of(self.place)

    def text(self) -> str:
        """As `B makanalua/n`."""
        return f"{self.kind} {self.place}"

    def army(self) -> Unit:
        """The same without boats: on no coast."""
        return replace(self, kind="A", place=self.space)


Units = dict[str, Unit]
"""Units by their space: there is one in a space at most."""


def space_of(place: str) -> str:
    """The space of a place: `makanalua` of `makanalua/n`."""
    return place.split("/")[0]


class Board:
    """[Map] Any map in the form of TABLE."""

    def __init__(self, table: str = TABLE) -> None:
        self.spaces: list[str] = []
        self.kind: dict[str, str] = {}
        self.heiaus: list[str] = []
        self.land: dict[str, set[str]] = {}
        self.water: dict[str, set[str]] = {}
        self.places: dict[str, list[str]] = {}
        for row in table.strip().splitlines():
            space, kind, heiau, land, water = (cell.strip() for cell in row.split("|"))
            self.spaces.append(space)
            self.kind[space] = kind
            self.land[space] = set(land.split())
            if heiau:
                self.heiaus.append(space)
            if not water.startswith("/"):
                self.places[space] = [space]
                self.water[space] = set(water.split())
                continue
            self.places[space] = []
            for part in water.split(";"):
                coast, near = part.split(":")
                self.places[space].append(space + coast.strip())
                self.water[space + coast.strip()] = set(near.split())
        self.check()

    def check(self) -> None:
        """Borders go both ways, and are with places that there are."""
        for borders in (self.land, self.water):
            for here, near in borders.items():
                for there in near:
                    assert here in borders[there], (here, there)

    def is_coastal(self, space: str) -> bool:
        """[Boats 3] Land that touches water."""
        return self.kind[space] == "coast"

    def coast_places(self, space: str) -> list[str]:
        """[Map] Where boats may be in a coastal space: the space itself, or its coasts."""
        return self.places[space] if self.is_coastal(space) else []

    def inland_of(self, bunch: Unit) -> set[str]:
        """[Boats 3] Where a bunch could march and could not go by water, on any coast: there it is an army."""
        by_water = {space_of(place) for place in self.water[bunch.place]}
        return self.land[bunch.space] - by_water

    def reach(self, unit: Unit) -> set[str]:
        """Where a unit goes by itself: section 3.2."""
        if unit.kind == "A":
            return set(self.land[unit.space])
        if unit.kind == "F":
            return set(self.water[unit.place])
        by_water = {place for place in self.water[unit.place] if self.kind[place.split("/")[0]] != "ocean"}
        return by_water | self.inland_of(unit)

    def reach_spaces(self, unit: Unit) -> set[str]:
        """The same, coasts aside."""
        return {space_of(place) for place in self.reach(unit)}

    def in_order(self, spaces: object) -> list[str]:
        """Spaces in table order."""
        wanted = set(spaces)  # type: ignore[call-overload]
        return [space for space in self.spaces if space in wanted]
