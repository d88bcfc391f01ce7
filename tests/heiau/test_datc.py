"""The public test cases of adjudicators (DATC), by their numbers in edition 3.0, on the standard board; intent to
convoy is `via` (R-08), paradoxes R-14. `datc.toml` says which cases are changed here, and which are absent.

Of each case: the orders, the spaces from which units moved, and those in which one was dislodged.
"""

from __future__ import annotations

import pytest
from refusals import refuses

from hawaii_env.errors import StateError
from hawaii_env.heiau.adjudicator import MOVE, VIA
from hawaii_env.heiau.texts import parse_order

from .helpers import Phase
from .standard import STANDARD

PANDIN = "E: F lon S F wal - eng|E: F wal - eng|F: A bre - lon via|F: F eng C A bre - lon"
BELEAGUERED = "G: F hol S F hel - nth|G: F hel - nth|R: F ska S F nwy - nth|R: F nwy - nth"
CASES: dict[str, tuple[str, str, str]] = {
    "6.A.11": ("A: A vie - tyr|I: A ven - tyr", "", ""),
    "6.A.12": ("A: A vie - tyr|G: A mun - tyr|I: A ven - tyr", "", ""),
    "6.B.4": ("F: F gas - spa/nc|F: F mar S F gas - spa|I: F wes - spa/sc", "gas", ""),
    "6.B.6": ("E: F iri S F nao - mao|E: F nao - mao|F: F spa/nc S F mao|F: F mao H|I: F lyo - spa/sc", "nao", "mao"),
    "6.B.7": ("F: F por S F mao - spa|F: F mao - spa/nc|I: F lyo S F wes - spa|I: F wes - spa/sc", "", ""),
    "6.B.8": ("F: F por S F gas - spa|F: F gas - spa/nc|I: F lyo S F wes - spa|I: F wes - spa/sc", "", ""),
    "6.B.13": ("T: F bul/sc - con|T: F con - bul/ec", "", ""),
    "6.B.15": ("F: F por S F mao - spa|E: F mao - spa/nc|I: F lyo S F wes - spa|I: F wes - spa/sc", "", ""),
    "6.C.1": ("T: F ank - con|T: A con - smy|T: A smy - ank", "ank con smy", ""),
    "6.C.2": ("T: F ank - con|T: A con - smy|T: A smy - ank|T: A bul S F ank - con", "ank con smy", ""),
    "6.C.3": ("T: F ank - con|T: A con - smy|T: A smy - ank|T: A bul - con", "", ""),
    "6.C.4": (
        "A: A tri - ser|A: A ser - bul|T: A bul - tri via|T: F aeg C A bul - tri|T: F ion C A bul - tri|"
        "T: F adr C A bul - tri|I: F nap - ion", "tri ser bul", ""),
    "6.C.5": (
        "A: A tri - ser|A: A ser - bul|T: A bul - tri via|T: F aeg C A bul - tri|T: F ion C A bul - tri|"
        "T: F adr C A bul - tri|I: F nap - ion|I: F tun S F nap - ion", "nap", "ion"),
    "6.C.6": ("E: F nth C A lon - bel|E: A lon - bel via|F: F eng C A bel - lon|F: A bel - lon via", "lon bel", ""),
    "6.C.7": (
        "E: F nth C A lon - bel|E: A lon - bel via|F: F eng C A bel - lon|F: A bel - lon via|F: A bur - bel", "", ""),
    "6.C.8": ("T: F con - bla|T: A bul - con|T: A smy S A bul - con|R: F bla - bul/ec|A: A ser - bul", "", ""),
    "6.C.9": ("T: F con - bla|T: A smy S A bul - con|R: F bla - bul/ec|A: A ser - bul|A: A bul - con", "", ""),
    "6.D.1": ("A: F adr S A tri - ven|A: A tri - ven|I: A ven H|I: A tyr S A ven", "", ""),
    "6.D.2": ("A: F adr S A tri - ven|A: A tri - ven|A: A vie - tyr|I: A ven H|I: A tyr S A ven", "tri", "ven"),
    "6.D.3": ("A: F adr S A tri - ven|A: A tri - ven|I: A ven H|I: F ion - adr", "", ""),
    "6.D.4": ("G: A ber S F kie|G: F kie S A ber|R: F bal S A pru - ber|R: A pru - ber", "", ""),
    "6.D.5": (
        "G: A ber S A mun - sil|G: F kie S A ber|G: A mun - sil|R: F bal S A pru - ber|R: A pru - ber", "mun", ""),
    "6.D.6": (
        "G: A ber - swe via|G: F bal C A ber - swe|G: F pru S F bal|R: F lvn - bal|R: F bot S F lvn - bal", "ber", ""),
    "6.D.7": ("G: F bal - swe|G: F pru S F bal|R: F lvn - bal|R: F bot S F lvn - bal|R: A fin - swe", "lvn", "bal"),
    "6.D.8": ("A: F ion H|A: A ser S A alb - gre|A: A alb - gre|T: A gre - nap via|T: A bul S A gre", "alb", "gre"),
    "6.D.9": ("I: A ven - tri|I: A tyr S A ven - tri|A: A alb S A tri - ser|A: A tri H", "ven", "tri"),
    "6.D.10": ("G: A ber H|G: F kie - ber|G: A mun S F kie - ber", "", ""),
    "6.D.11": ("G: A ber - pru|G: F kie - ber|G: A mun S F kie - ber|R: A war - pru", "", ""),
    "6.D.12": ("A: F tri H|A: A vie S A ven - tri|I: A ven - tri", "", ""),
    "6.D.13": ("A: F tri - adr|A: A vie S A ven - tri|I: A ven - tri|I: F apu - adr", "", ""),
    "6.D.14": (
        "A: F tri H|A: A vie S A ven - tri|I: A ven - tri|I: A tyr S A ven - tri|I: F adr S A ven - tri", "ven", "tri"),
    "6.D.15": ("R: F con S F bla - ank|R: F bla - ank|T: F ank - con", "bla", "ank"),
    "6.D.16": ("E: A lon H|E: F nth C A bel - lon|F: F eng S A bel - lon|F: A bel - lon via", "bel", "lon"),
    "6.D.17": (
        "R: F con S F bla - ank|R: F bla - ank|T: F ank - con|T: A smy S F ank - con|T: A arm - ank", "ank", "con"),
    "6.D.18": (
        "R: F con S F bla - ank|R: F bla - ank|R: A bul S F con|T: F ank - con|T: A smy S F ank - con|"
        "T: A arm - ank", "bla", "ank"),
    "6.D.19": ("R: F con S F bla - ank|R: F bla - ank|R: A smy S F ank - con|T: F ank - con", "bla", "ank"),
    "6.D.20": ("E: F lon S F nth - eng|E: F nth - eng|E: A yor - lon|F: F eng H", "nth", "eng"),
    "6.D.21": (
        "A: F tri H|I: A ven - tri|I: A tyr S A ven - tri|G: A mun - tyr|R: A sil - mun|"
        "R: A ber S A sil - mun", "sil", "mun"),
    "6.D.25": ("G: A ber S A pru|G: F kie S A ber|R: F bal S A pru - ber|R: A pru - ber", "", ""),
    "6.D.26": ("G: A ber S A pru - sil|G: F kie S A ber|R: F bal S A pru - ber|R: A pru - ber", "", ""),
    "6.D.27": ("E: F swe - bal|E: F den S F swe - bal|G: A ber H|R: F bal C A ber - lvn|R: F pru S F bal", "", ""),
    "6.D.33": ("A: A ser - bud|A: A vie - bud|R: A gal S A ser - bud|T: A bul - ser", "ser bul", ""),
    "6.E.1": ("G: A ber - pru|G: F kie - ber|G: A sil S A ber - pru|R: A pru - ber", "ber kie", "pru"),
    "6.E.2": ("G: A ber - kie|G: F kie - ber|G: A mun S A ber - kie", "", ""),
    "6.E.3": ("G: A ber - kie|G: A mun S F kie - ber|E: F kie - ber", "", ""),
    "6.E.4": (
        "G: F hol - nth|G: F hel S F hol - nth|G: F ska S F hol - nth|F: F nth - hol|F: F bel S F nth - hol|"
        "E: F edi S F nwg - nth|E: F yor S F nwg - nth|E: F nwg - nth|A: A kie S A ruh - hol|A: A ruh - hol", "", ""),
    "6.E.5": (
        "G: F hol - nth|G: F hel S F hol - nth|G: F ska S F hol - nth|F: F nth - hol|F: F bel S F nth - hol|"
        "E: F edi S F nwg - nth|E: F yor S F nwg - nth|E: F lon S F nwg - nth|E: F nwg - nth|"
        "A: A kie S A ruh - hol|A: A ruh - hol", "nwg", "nth"),
    "6.E.6": (
        "G: F hol - nth|G: F hel S F hol - nth|F: F nth - hol|F: F bel S F nth - hol|F: F eng S F hol - nth|"
        "A: A kie S A ruh - hol|A: A ruh - hol", "", ""),
    "6.E.7": (f"E: F nth H|E: F yor S F nwy - nth|{BELEAGUERED}", "", ""),
    "6.E.8": (f"E: F nth - nwy|E: F yor S F nwy - nth|{BELEAGUERED}", "", ""),
    "6.E.9": (f"E: F nth - nwg|E: F yor S F nwy - nth|{BELEAGUERED}", "nth nwy", ""),
    "6.E.10": (f"E: F nth - den|E: F yor S F nwy - nth|{BELEAGUERED}|G: F den - hel", "", ""),
    "6.E.11": (
        "F: A spa - por via|F: F mao C A spa - por|F: F lyo S F por - spa|G: A mar S A gas - spa|"
        "G: A gas - spa|I: F por - spa/nc|I: F wes S F por - spa", "spa por", ""),
    "6.E.12": ("A: A bud - rum|A: A ser S A vie - bud|I: A vie - bud|R: A gal - bud|R: A rum S A gal - bud", "", ""),
    "6.E.13": (
        "E: F edi S F yor - nth|E: F yor - nth|F: F bel - nth|F: F eng S F bel - nth|G: F nth H|"
        "R: F nwg - nth|R: F nwy S F nwg - nth", "", ""),
    "6.E.15": (
        "E: F hol S A ruh - kie|E: A ruh - kie|F: A kie - ber|F: A mun S A kie - ber|F: A sil S A kie - ber|"
        "G: A ber - kie|G: F den S A ber - kie|G: F hel S A ber - kie|R: F bal S A pru - ber|R: A pru - ber", "", ""),
    "6.F.2": ("E: F eng C A lon - bre|E: A lon - bre via|F: A par - bre", "", ""),
    "6.F.3": ("E: F eng C A lon - bre|E: F mao S A lon - bre|E: A lon - bre via|F: A par - bre", "lon", ""),
    "6.F.4": ("E: F nth C A lon - hol|E: A lon - hol via|G: F ska - nth", "lon", ""),
    "6.F.5": (
        "E: F nth C A lon - hol|E: A lon - hol via|F: F eng - nth|F: F bel S F eng - nth|G: F ska - nth|"
        "G: F den S F ska - nth", "lon", ""),
    "6.F.6": (
        "E: F nth C A lon - hol|E: A lon - hol via|G: A hol S A bel|G: A bel S A hol|G: F hel S F ska - nth|"
        "G: F ska - nth|F: A pic - bel|F: A bur S A pic - bel", "ska", "nth"),
    "6.F.7": ("E: F nth C A lon - hol|E: A lon - hol via|G: F hel S F ska - nth|G: F ska - nth", "ska", "nth"),
    "6.F.8": (
        "E: F nth C A lon - hol|E: A lon - hol via|G: F hel S F ska - nth|G: F ska - nth|G: A bel - hol",
        "ska bel", "nth"),
    "6.F.9": (
        "E: F eng C A lon - bel|E: F nth C A lon - bel|E: A lon - bel via|F: F bre S F mao - eng|"
        "F: F mao - eng", "lon mao", "eng"),
    "6.F.10": (
        "E: F nth C A lon - bel|E: A lon - bel via|G: F eng C A lon - bel|F: F bre S F mao - eng|"
        "F: F mao - eng", "lon mao", "eng"),
    "6.F.11": (
        "E: A lon - bel via|G: F eng C A lon - bel|R: F nth C A lon - bel|F: F bre S F mao - eng|"
        "F: F mao - eng", "lon mao", "eng"),
    "6.F.13": (
        "E: A lon - bel via|E: F nth C A lon - bel|F: F eng C A lon - bel|G: F hol S F den - nth|"
        "G: F den - nth", "lon den", "nth"),
    "6.F.14": (PANDIN, "wal", "eng"),
    "6.F.15": (f"{PANDIN}|I: F iri C A naf - wal|I: F mao C A naf - wal|I: A naf - wal via", "wal naf", "eng"),
    "6.F.16": (f"{PANDIN}|G: F nth S F bel - eng|G: F bel - eng", "", ""),
    "6.F.17": (f"{PANDIN}|F: F yor S A bre - lon|G: F nth S F bel - eng|G: F bel - eng", "", ""),
    "6.F.18": (
        "E: F nth C A lon - bel|E: A lon - bel via|E: F eng S A lon - bel|F: F bel S F nth|"
        "G: F hel S F ska - nth|G: F ska - nth", "", ""),
    "6.F.19": (
        "F: A tun - nap via|F: F tys C A tun - nap|F: F ion C A tun - nap|I: F nap S F rom - tys|"
        "I: F rom - tys", "", ""),
    "6.F.20": (
        "F: A tun - nap via|F: F tys C A tun - nap|I: F nap S F ion|I: F ion C A tun - nap|"
        "T: F aeg S F eas - ion|T: F eas - ion", "eas", "ion"),
    "6.F.21": (
        "R: A edi S A nwy - cly|R: F nwg C A nwy - cly|R: A nwy - cly via|F: F iri S F mao - nao|"
        "F: F mao - nao|E: A lvp - cly via|E: F nao C A lvp - cly|E: F cly S F nao", "nwy mao", "cly nao"),
    "6.F.22": (
        "E: F edi - nth|E: F lon S F edi - nth|F: A bre - lon via|F: F eng C A bre - lon|"
        "G: F bel S F pic - eng|G: F pic - eng|R: A nwy - bel via|R: F nth C A nwy - bel", "edi pic", "nth eng"),
    "6.F.23": (
        "E: F edi - nth|E: F yor S F edi - nth|F: A bre - lon via|F: F eng C A bre - lon|G: F bel S F eng|"
        "G: F lon S F nth|I: F mao - eng|I: F iri S F mao - eng|R: A nwy - bel via|R: F nth C A nwy - bel", "", ""),
    "6.F.24": (
        "E: F edi - nth|E: F lon S F edi - nth|E: F iri - eng|E: F mao S F iri - eng|F: A bre - lon via|"
        "F: F eng C A bre - lon|F: F bel S F eng|R: A nwy - bel via|R: F nth C A nwy - bel", "edi", "nth"),
    "6.F.25": (
        "G: A ruh - bel|G: A hol S A ruh - bel|G: A den - nwy via|G: F ska C A den - nwy|G: A fin S A den - nwy|"
        "E: A yor - hol via|E: F nth C A yor - hol|E: F hel S A yor - hol|E: A bel H|R: F nwg - nth|"
        "R: F nwy S F nwg - nth|R: F swe - ska", "den yor", "nwy hol"),
    "6.G.1": ("E: A nwy - swe via|E: F ska C A nwy - swe|R: A swe - nwy", "nwy swe", ""),
    "6.G.2": ("E: A nwy - swe|R: F swe - nwy|G: F ska C A nwy - swe", "", ""),
    "6.G.3": (
        "F: F bre - eng|F: A pic - bel|F: A bur S A pic - bel|F: F mao S F bre - eng|E: F eng C A pic - bel",
        "bre pic", "eng"),
    "6.G.4": (
        "F: F bre - eng|F: A pic - bel|F: A bur S A pic - bel|F: F mao S F bre - eng|E: F eng C A pic - bel|"
        "E: A bel - pic", "bre pic", "eng bel"),
    "6.G.5": ("I: A rom - apu|I: F tys C A apu - rom|T: A apu - rom via|T: F ion C A apu - rom", "rom apu", ""),
    "6.G.6": (
        "E: A lvp - edi via|E: F eng C A lvp - edi|G: A edi - lvp|F: F iri H|F: F nth H|"
        "R: F nwg C A lvp - edi|R: F nao C A lvp - edi", "lvp edi", ""),
    "6.G.8": ("F: A bel - hol via|E: F nth - hel|E: A hol - kie", "nth hol", ""),
    "6.G.9": ("E: A nwy - swe via|E: F ska C A nwy - swe|E: F fin S A nwy - swe|R: A swe - nwy", "nwy swe", ""),
    "6.G.10": (
        "E: A nwy - swe via|E: F den S A nwy - swe|E: F fin S A nwy - swe|G: F ska C A nwy - swe|"
        "R: A swe - nwy|R: F bar S A swe - nwy|F: F nwg - nwy|F: F nth S F nwg - nwy", "nwy", "swe"),
    "6.G.11": (
        "E: F nwy S F nth - ska|E: F nth - ska|R: A swe - nwy via|R: F ska C A swe - nwy|"
        "R: F bar S A swe - nwy", "nth", "ska"),
    "6.G.11 by land": (
        "E: F nwy S F nth - ska|E: F nth - ska|R: A swe - nwy|R: F ska C A swe - nwy|R: F bar S A swe - nwy",
        "swe", "nwy"),
    "6.G.12": (
        "E: A lvp - edi via|E: F nao C A lvp - edi|E: F nwg C A lvp - edi|G: A edi - lvp via|"
        "G: F nth C A edi - lvp|G: F eng C A edi - lvp|G: F iri C A edi - lvp", "lvp edi", ""),
    "6.G.13": ("A: F adr C A tri - ven|A: A tri - ven via|I: A ven S F alb - tri|I: F alb - tri", "alb", "tri"),
    "6.G.14": (
        "E: A nwy - swe|E: F den S A nwy - swe|E: F fin S A nwy - swe|F: F nwg - nwy|F: F nth S F nwg - nwy|"
        "R: A swe - nwy via|G: F ska C A swe - nwy|R: F bar S A swe - nwy", "nwy", "swe"),
    "6.G.15": (
        "E: F nth C A lon - bel|E: A hol S A lon - bel|E: A yor - lon|E: A lon - bel via|"
        "F: F eng C A bel - lon|F: A bel - lon via", "lon", "bel"),
    "6.G.16": (
        "E: A nwy - swe|E: A den S A nwy - swe|E: F bal S A nwy - swe|E: F nth - nwy|R: A swe - nwy via|"
        "R: F ska C A swe - nwy|R: F nwg S A swe - nwy", "nwy swe", ""),
    "6.G.17": (
        "E: A nwy - swe via|E: A den S A nwy - swe|E: F bal S A nwy - swe|E: F ska C A nwy - swe|"
        "E: F nth - nwy|R: A swe - nwy|R: F nwg S A swe - nwy", "nwy swe", ""),
    "6.G.18": (
        "E: F nth C A lon - bel|E: A hol S A lon - bel|E: A yor - lon|E: A lon - bel via|"
        "E: A ruh S A lon - bel|F: F eng C A bel - lon|F: A bel - lon via|F: A wal S A bel - lon", "lon bel", ""),
    "6.G.19": ("F: A mar - spa|F: F wes C A mar - spa|I: F lyo C A mar - spa|I: A spa - mar", "", ""),
    "6.G.19 by intent": (
        "F: A mar - spa via|F: F wes C A mar - spa|I: F lyo C A mar - spa|I: A spa - mar", "mar spa", ""),
    "6.G.20": (
        "F: F bre - eng|F: A pic - bel via|F: A bur S A pic - bel|F: F mao S F bre - eng|"
        "E: F eng C A pic - bel", "bre", "eng"),
}  # fmt: skip


CHANGED: dict[str, tuple[str, str, str]] = {
    "6.B.9": ("F: F por S F mao - spa|F: F mao - spa/sc|I: F lyo S F wes - spa|I: F wes - spa/sc", "", ""),
    "6.F.1": ("T: A gre - sev via|T: F aeg C A gre - sev|T: F con C A gre - sev|T: F bla C A gre - sev", "gre", ""),
}
"""Cases with another result here: supports name no coast (R-06), and fleets convoy in coastal spaces, too [Convoys]."""

# Orders that the cases call impossible cannot be entered: the orders of a case with its unit holding, what is refused,
# and what comes of the others.
REFUSED: dict[str, tuple[str, str, str, str]] = {
    "6.A.1": ("E: F nth H", "F nth - pic", "", ""),
    "6.A.2": ("E: A lvp H", "A lvp - iri", "", ""),
    "6.A.3": ("G: F kie H", "F kie - mun", "", ""),
    "6.A.4": ("G: F kie H", "F kie - kie", "", ""),
    "6.A.5": (
        "E: F nth H|E: A yor H|E: A lvp H|G: F lon - yor|G: A wal S F lon - yor", "A yor - yor via", "lon", "yor"),
    "6.A.7": ("E: F lon H|E: F nth H", "F lon - bel via|F nth C F lon - bel", "", ""),
    "6.A.8": ("I: A ven - tri|I: A tyr S A ven - tri|A: F tri H", "F tri S F tri", "ven", "tri"),
    "6.A.9": ("I: F rom H", "F rom - ven", "", ""),
    "6.A.10": ("A: A ven H|I: F rom H|I: A apu - ven", "F rom S A apu - ven", "", ""),
    "6.B.1": ("F: F por H", "F por - spa", "", ""),
    "6.B.2": ("F: F gas H", "F gas - spa", "", ""),
    "6.B.3": ("F: F gas H", "F gas - spa/sc", "", ""),
    "6.B.5": ("F: F mar - lyo|F: F spa/nc H|I: F lyo H", "F spa/nc S F mar - lyo", "", ""),
    "6.B.11": ("F: F spa/nc H", "F spa/nc - lyo", "", ""),
    "6.B.12": ("F: A gas H", "A gas - spa/nc", "", ""),
    "6.D.22": (
        "G: F kie H|G: A bur H|R: A mun - kie|R: A ber S A mun - kie", "F kie - mun|A bur S F kie - mun", "mun", "kie"),
    "6.D.23": (
        "I: F lyo - spa/sc|I: F wes S F lyo - spa|F: F spa/nc H|F: F mar H",
        "F spa/nc - lyo|F mar S F spa - lyo", "lyo", "spa"),
    "6.D.24": (
        "F: A mar H|F: F spa/sc H|I: F lyo H|T: F tys S F wes - lyo|T: F wes - lyo",
        "A mar - lyo|F spa/sc S A mar - lyo", "wes", "lyo"),
    "6.D.28": ("A: A bud S F rum|R: F rum H|T: F bla - rum|T: A bul S F bla - rum", "F rum - hol", "", ""),
    "6.D.29": ("A: A bud S F rum|R: F rum H|T: F bla - rum|T: A bul S F bla - rum", "F rum - bul/sc", "", ""),
    "6.D.30": ("I: F aeg S F con|R: F con H|T: F bla - con|T: A bul S F bla - con", "F con - bul", "", ""),
    "6.D.31": ("A: A rum H|T: F bla H", "F bla S A rum - arm", "", ""),
    "6.D.32": (
        "E: F edi S A lvp - yor|E: A lvp - yor|F: F lon S A yor|G: A yor H", "A yor - hol|A yor - hol via", "", ""),
    "6.D.34": (
        "G: A ber - pru|G: A sil S A ber - pru|G: F bal S A ber - pru|I: A pru H|R: A war S A lvn - pru|"
        "R: A lvn - pru", "A pru S A lvn - pru", "ber", "pru"),
    "6.E.14": ("E: A lvp - edi|R: F edi H", "F edi - lvp", "", ""),
    "6.F.12": (
        "E: F eng C A lon - bel|E: A lon - bel via|E: F iri H|F: F nao S F mao - iri|F: F mao - iri",
        "F iri C A lon - bel", "lon mao", "iri"),
    "6.G.7": ("E: F ska C A swe - nwy|E: F nwy - swe|R: A swe - nwy|R: F bot H", "F bot C A swe - nwy", "", ""),
}  # fmt: skip


@pytest.mark.parametrize("number", [*CASES, *CHANGED])
def test_datc(number: str) -> None:
    """[Background, Convoys] The case's result."""
    check(*(CASES | CHANGED)[number])


def check(orders: str, moved: str, out: str) -> Phase:
    """Who moves and who is dislodged."""
    phase = Phase(orders.replace("|", "\n"), STANDARD)
    found = phase.result
    names = STANDARD.spaces
    movers = {names[s] for s, order in phase.orders.items() if order.verb in (MOVE, VIA) and found.success[s]}
    assert movers == set(moved.split())
    assert {names[s] for s in found.dislodged} == set(out.split())
    return phase


@pytest.mark.parametrize("number", REFUSED)
def test_impossible_orders_are_rejected(number: str) -> None:
    """[Background] The unit holds."""
    orders, refused, moved, out = REFUSED[number]
    phase = check(orders, moved, out)
    for text in refused.split("|"):
        unit, order, _ = parse_order(STANDARD, text, 0)
        assert phase.sight.refusal(STANDARD.space_of[unit.place], order), text


def test_fleets_without_a_coast() -> None:
    """[Map] 6.D.30: nothing but the coast is missing; with it the order is possible."""
    phase = check(REFUSED["6.D.30"][0], "", "")
    _, order, _ = parse_order(STANDARD, "F con - bul/sc", 0)
    assert not phase.sight.refusal(STANDARD.index["con"], order)


@pytest.mark.parametrize("text", ["A lvp S A yor - yor", "F nth C A yor - yor"])
def test_nobody_is_helped_to_where_he_is(text: str) -> None:
    """[Background] 6.A.5: it is neither a support to stay nor an order that the unit can get."""
    refuses(StateError, ("to itself is not a move", lambda: parse_order(STANDARD, text, 0)))
