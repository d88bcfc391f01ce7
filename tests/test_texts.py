"""Text from outside: what readers take and refuse, and what no place that shows text may ever do."""

from __future__ import annotations

import contextlib
import html.parser
import io
import json
import logging
import os
import tempfile
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy import ToyGame

from hawaii_env import cli, records, terminal
from hawaii_env.arena.pages import Table, as_html, as_markdown
from hawaii_env.arena.store import parse_player
from hawaii_env.bots.process import append_log
from hawaii_env.errors import OptionError
from hawaii_env.texts import (
    check_name,
    isolate,
    show,
    show_lines,
    show_value,
)

SPOILERS = (
    "\x1b\x07\x08\r\n\t\0\x7f\x85\x9b\u00ad\u034f\u0600\u061c\u115f\u180e\u200b\u200d"
    "\u200f\u2028\u202e\u2066\u2069\u2800\u3164\ufe0f\ufeff\ufffc\U000e0041"
)
TEXTS = st.text(
    st.one_of(
        st.sampled_from(SPOILERS),
        st.characters(exclude_categories=()),
        st.sampled_from("ab |[]()`*_<>&$\"'\\é\u0301אب\ud800"),
    )
)
"""Any text, with more of what spoils places than chance brings: halves of surrogate pairs, too."""


def is_harmless(text: str, lines: bool = False) -> bool:
    """Return True if nothing in a text moves a cursor, breaks a line, turns a direction, or is not drawn."""
    if lines:
        return all(map(is_harmless, text.split("\n")))
    framed = text.replace("\u2068", "").replace("\u2069", "") if text.count("\u2068") == text.count("\u2069") else text
    return all(
        unicodedata.category(letter)[0] not in "C"
        and unicodedata.category(letter) not in ("Zl", "Zp")
        and (letter == " " or unicodedata.category(letter) != "Zs")
        and unicodedata.bidirectional(letter)
        not in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI", "B")
        and "FILLER" not in unicodedata.name(letter, "")
        for letter in framed
    )


# What is shown


@given(TEXTS, st.integers(3, 40))
def test_what_is_shown_is_one_harmless_line(text: str, most: int) -> None:
    shown = show(text)
    assert is_harmless(shown) and show(shown) == shown == show(shown.encode().decode())
    assert not shown or not unicodedata.category(shown[0]).startswith("M")  # it would stand on a letter of ours
    if text.isascii() and text.isprintable():
        assert shown == text
    assert len(show(text, most)) <= most and is_harmless(show(text, most))
    assert is_harmless(show_lines(text), lines=True) and show_lines(text).count("\n") == text.count("\n")
    assert is_harmless(show_value(text, most)) and len(show_value(text, most)) <= most
    assert is_harmless(isolate(show(text)))


class Hostile:
    def __repr__(self) -> str:
        raise SystemError("no")


def test_any_value_is_shown_in_a_line() -> None:
    values = (10**5000, Hostile(), [10**5000], "\x1b[2J" * 10**6, {"a": [1] * 10**5}, b"\0" * 10**7, None)
    for value in values:
        assert len(show_value(value)) <= 80 and is_harmless(show_value(value))


def test_letters_of_every_language_are_left_alone() -> None:
    for text in (
        "Kauaʻi, Oʻahu, Te Ārei",
        "Ωμέγα Ёж",
        "日本語 한국어",
        "עברית عربى",
        "नमस्ते",
        "ไทย",
        "👍 ❤️ ½ €",
        "a–b—c “d”",
    ):
        assert show(text) == text == check_name(text) == show_lines(text)
    assert (isolate("שלום"), isolate("abc")) == ("\u2068שלום\u2069", "abc")


@given(TEXTS)
def test_terminals(text: str) -> None:
    for write in (
        lambda out: out.write(text),
        lambda out: print(text, file=out),
        lambda out: terminal.Progress(text, "games", stream=out).say(text),
    ):
        stream = io.StringIO()
        write(terminal.Output(stream))
        assert is_harmless(stream.getvalue(), lines=True)
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        terminal.Printer(plain=True).line(text)
        terminal.Printer(plain=True).table(text, [text, "n"], [[text, text], ["a", "1"]])
    title, *table = stream.getvalue().rsplit("\n", 6)[1:] if text else [""] * 6
    assert is_harmless(stream.getvalue(), lines=True) and "\n" not in title
    assert len({terminal.width(line.rstrip()[:0]) for line in table}) <= 1


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("text", ["\x1b[2J", "[/b] [red]", "a\u202eb", "\x9b2J", "a\r\nb", "[link=file:///]x[/link]"])
def test_coloured_terminals(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich")
    stream = Terminal()
    monkeypatch.setattr("sys.stdout", terminal.Output(stream))
    out = terminal.Printer(styles=((r"^\w+", "bold"),))
    out.line(text)
    out.table(text, [text, "n"], [[text, text]])
    bar = terminal.Progress(text, "games", 3, stream=terminal.Output(stream))  # pyright: ignore[reportArgumentType]
    bar.advance(1, text)
    bar.say(text)
    bar.close()
    shown = stream.getvalue()
    assert not any(code in shown for code in ("\x1b[2J", "\x1b]", "\u202e", "\x9b"))
    assert show(text.replace("\r\n", "\n").split("\n")[0])[:3] in shown


def test_commands_show_what_is_wrong(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    bad = tmp_path / "a\x1b[2J\u202e\udc80.jsonl"
    for arguments in (["record", "verify"], ["record", "show"], ["replay"], ["rules", "--rules"], ["bot", "check"]):
        with contextlib.suppress(SystemExit):
            assert cli.main([*arguments, str(bad)]) in (1, 2)
        out, err = capsys.readouterr()
        assert err and is_harmless(out, lines=True) and is_harmless(err, lines=True)


@given(TEXTS)
def test_logs(text: str) -> None:
    from hawaii_env.web.security import Journal
    from hawaii_env.web.server import OneLine

    path = Path(tempfile.gettempdir(), f"hawaii-log-{os.getpid()}")
    try:
        append_log(path, text.encode("utf-8", "surrogatepass"))
        append_log(path, text)
        assert is_harmless(path.read_bytes().decode(), lines=True)
    finally:
        path.unlink(missing_ok=True)
    log, stream = logging.getLogger("hawaii_env.web.security"), io.StringIO()
    handler = logging.StreamHandler(stream)
    log.addHandler(handler)
    try:
        Journal().note("event", address=text, fact=text)
        handler.setFormatter(OneLine("%(message)s"))
        log.warning("%s", text)
    finally:
        log.removeHandler(handler)
    first, second, rest = stream.getvalue().split("\n")
    assert is_harmless(first) and is_harmless(second) and not rest and json.loads(first)["fact"] == text


class Cells(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        assert tag != "a" or attrs[0][1].startswith("#")

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@given(TEXTS)
@settings(max_examples=25)
def test_reports(text: str) -> None:
    text = f"x{text}"
    shown = isolate(show(" ".join(text.split())))
    table = Table(["player", "n"], [[text, "1"], ["b", "2"]], text)
    from hawaii_env.arena.pages import Section

    arguments = (text, [(text, text)], [text], [Section("Ranking", [text], None, [table])])
    page, plain = Cells(), Cells()
    page.feed(as_html(*arguments))
    plain.feed(
        as_html(
            *(
                [
                    ("t"),
                    [("t", "t")],
                    ["t"],
                    [Section("Ranking", ["t"], None, [Table(["player", "n"], [["t", "1"], ["b", "2"]], "t")])],
                ]
            )
        )
    )
    assert page.tags == plain.tags
    assert all(is_harmless(found, lines=True) for found in page.texts)
    assert page.texts.count(shown) >= 7
    markdown = as_markdown(*arguments)
    assert is_harmless(markdown, lines=True)
    markdown_it = pytest.importorskip("markdown_it")
    read = Cells()
    read.feed(markdown_it.MarkdownIt("gfm-like", {"linkify": False}).render(markdown))
    assert set(read.tags) <= {"h1", "h2", "table", "thead", "tbody", "tr", "th", "td", "p", "blockquote", "strong"}
    assert read.texts.count(shown) >= 5


@given(TEXTS, st.integers(1, 40))
def test_names(text: str, most: int) -> None:
    try:
        name = check_name(text, most)
    except ValueError:
        assert (
            len(text) > most or show(text) != text or unicodedata.normalize("NFC", text) != text or text.strip() != text
        )
        return
    assert is_harmless(name) and len(name) <= most and name == name.strip() == check_name(name, most)
    assert not name or any(unicodedata.category(letter)[0] in "LNPS" for letter in name)


@given(TEXTS)
def test_labels_of_players(text: str) -> None:
    with contextlib.suppress(OptionError):
        player = parse_player(f"{text}=random")
        assert is_harmless(player.key) and "|" not in player.key and 0 < len(player.key) <= 1000


@given(TEXTS, TEXTS)
@settings(max_examples=30)
def test_names_in_records(name: str, reason: str) -> None:
    path = Path(tempfile.gettempdir(), f"hawaii-record-{os.getpid()}.jsonl")
    try:
        with records.RecordWriter(path, ToyGame(), players=[name, "b", "c"], options={"x": name}) as writer:
            writer.stop(reason)
        found = records.read(path)
        assert found.header["players"][0] == name == found.header["options"]["x"]
        assert found.stopped == reason.encode("utf-8", "backslashreplace").decode()
    except OptionError:
        assert any(unicodedata.category(letter) == "Cs" for letter in name)
    finally:
        path.unlink(missing_ok=True)
