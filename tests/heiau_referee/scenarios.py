"""[Scenarios] The eleven scenarios of section 2, and what is peculiar to them."""

from __future__ import annotations

# Name, then power by power in index order: its units, boat bunches where no letter stands before them.
SCENARIOS = """
race: sunrise kona_kailua puna, sunset aiea kilauea
duel: dawn lanai, dusk lahaina
discrete: sunrise kona_coast puna, midday waipio makanalua/s, sunset aiea kilauea
triangle: dawn lahaina, noon lanai, dusk makanalua/s
clans: dawn kilauea kohoolawe puna, noon waimea lahaina hamakua, dusk niihau oahu_kailua kona_kailua
heart: dawn kohoolawe, morning lahaina, afternoon lanai, dusk makanalua/n
wings: dawn puna, morning kawaihae, afternoon aiea, dusk wailua
kamaainas: dawn puna, morning kawaihae, noon waipio, dusk makanalua/s, night niihau
haole: dawn, morning, afternoon, dusk, haole F:spo
discovery: dawn puna, morning kawaihae, noon waipio, dusk makanalua/s, night niihau, haole F:spo
two_haoles: dawn, morning, afternoon, dusk, south F:spo, north F:npo
"""

EUROPEANS = {"haole", "south", "north"}
"""[Fleets] The powers that begin with a fleet and no heiau; all others are native."""

BALLOTS = ("heart", "wings")
"""[Haole, Two Haoles] The starts to vote for."""


def scenario(name: str) -> dict[str, list[tuple[str, str]]]:
    """Kind and place of each unit, by power."""
    for row in SCENARIOS.strip().splitlines():
        title, powers = row.split(": ")
        if title == name:
            words = [power.split() for power in powers.split(", ")]
            return {word[0]: [read(unit) for unit in word[1:]] for word in words}
    raise ValueError(f"no scenario {name}")


def read(text: str) -> tuple[str, str]:
    """`F:spo`, or a bunch's place."""
    kind, _, place = text.rpartition(":")
    return kind or "B", place
