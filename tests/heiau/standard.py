"""The standard board of Diplomacy, for the adjudicator's public test cases."""

from __future__ import annotations

from hawaii_env.heiau.rules.board import Board

LAND = """
cly edi lvp; edi lvp yor; lvp yor wal; yor wal lon; wal lon; bre pic par gas; pic par bur bel; par bur gas;
gas bur mar spa; bur bel ruh mun mar; mar pie spa; spa por; bel ruh hol; hol ruh kie; ruh mun kie; kie mun ber
den; ber mun sil pru; mun sil boh tyr; sil boh gal war pru; pru war lvn; war gal ukr mos lvn; lvn mos stp; mos
ukr sev stp; stp fin nwy; fin nwy swe; nwy swe; swe den; ukr gal rum sev; sev rum arm; rum gal bud ser bul;
gal boh vie bud; boh vie tyr; vie bud tri tyr; bud ser tri; tri ven tyr ser alb; tyr ven pie; ven pie apu rom
tus; pie tus; tus rom; rom apu nap; apu nap; ser bul gre alb; alb gre; gre bul; bul con; con ank smy; ank smy
arm; smy arm syr; arm syr; naf tun"""
WATER = """
nao nwg cly lvp iri mao; nwg cly edi nth nwy bar; bar nwy stp/nc; nth edi yor lon eng bel hol hel den ska nwy;
ska nwy swe den; hel den kie hol; bal den swe bot lvn pru ber kie; bot swe fin stp/sc lvn; iri lvp wal eng
mao; eng wal lon bel pic bre mao; mao bre gas por spa/nc spa/sc wes naf; wes spa/sc lyo tys tun naf; lyo
spa/sc mar pie tus tys; tys tus rom nap ion tun; ion nap apu adr alb gre aeg eas tun; adr apu ven tri alb; aeg
gre bul/sc con smy eas; eas smy syr; bla bul/ec rum sev arm ank con; cly edi lvp; edi yor; yor lon; lon wal;
wal lvp; bre pic gas; pic bel; bel hol; hol kie; kie den ber; ber pru; pru lvn; lvn stp/sc; stp/sc fin; fin
swe; swe den nwy; nwy stp/nc; gas spa/nc; spa/nc por; por spa/sc; spa/sc mar; mar pie; pie tus; tus rom; rom
nap; nap apu; apu ven; ven tri; tri alb; alb gre; gre bul/sc; bul/sc con; con bul/ec ank smy; bul/ec rum; rum
sev; sev arm; arm ank; smy syr; naf tun"""


def pairs(text: str) -> list[tuple[str, str]]:
    rows = [row.split() for row in text.split(";")]
    return [(row[0], other) for row in rows for other in row[1:]]


def _board() -> Board:
    land, water = pairs(LAND), pairs(WATER)
    dry = {space for pair in land for space in pair}
    wet = {place.partition("/")[0] for pair in water for place in pair}
    spaces = sorted(dry | wet)
    kinds = ["sea" if space not in dry else "coast" if space in wet else "inland" for space in spaces]
    return Board(spaces, kinds, {"bul": ("ec", "sc"), "spa": ("nc", "sc"), "stp": ("nc", "sc")}, land, water)


STANDARD = _board()
