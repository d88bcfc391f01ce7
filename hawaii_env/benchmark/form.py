"""The form of a result: the fields of ``result.json``, with their types and meanings.

The same models check a file that is read and make the JSON Schema docs/schema/benchmark.schema.json.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from hawaii_env.errors import OptionError
from hawaii_env.texts import describe_error, parse_json, read_bytes, show_value, write_bytes

__all__ = [
    "FILE",
    "Cell",
    "Estimate",
    "Exact",
    "Form",
    "Result",
    "Scores",
    "Setting",
    "digest",
    "parse",
    "read_as",
    "read_result",
]

FILE = "result.json"
"""Name of the result in its folder."""

VERSION = 1
"""The version of the form."""

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]
Seconds = Annotated[float, Field(ge=0)]
Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Ends = Annotated[list[Share], Field(min_length=2, max_length=2)]
Pair = Annotated[list[float], Field(min_length=2, max_length=2)]

T = TypeVar("T")


class Form(BaseModel):
    """Base of all tables: strict types and no other fields."""

    model_config: ClassVar[ConfigDict] = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class Estimate(Form):
    """A score with its 95% interval."""

    value: Share
    interval: Ends


class Setting(Form):
    """A scenario: its game, and the hashes of its rules, actions and observations."""

    name: str
    game: str
    options: dict[str, Any]
    seats: list[str] = Field(description="The game's players, by seat.")
    rules: str = Field(description="Hash of the ruleset.")
    actions: str = Field(description="Hash of the action table.")
    observation: str = Field(description="Hash of the observation's layout.")


class Exact(Form):
    """Loss of an agent in a solved game against a best response."""

    value: float = Field(description="Value of the game for the first player.")
    seats: Pair = Field(description="Loss in each seat.")
    mean: float = Field(description="Mean of both seats: the exploitability.")
    interval: Pair = Field(description="95% interval of the mean; the mean itself if it is exact.")
    bound: bool = Field(description="True: a lower bound. False: exact.")
    reason: str = Field(description="Why it is a bound; empty if it is exact.")


class Cell(Form):
    """The games of one scenario against one opponent, the puzzles of one kind, or a solved game."""

    scenario: str
    opponent: str = Field(description="The opponent's name in the suite.")
    agents: list[str] = Field(description="Agent strings: the one that is measured, the one in all other seats.")
    held_out: bool = Field(description="True: nobody may train against this opponent.")
    scored: bool = Field(description="False: no part of the score.")
    games: Count
    forfeits: Count = Field(description="Games that the agent forfeited.")
    opponent_forfeits: Count = Field(description="Games that an opponent forfeited.")
    shared: Count = Field(description="Games without a sole winner.")
    share: Share = Field(description="Mean share of the victory: a tie of two is half of it.")
    interval: Ends = Field(description="95% interval of the share, by meetings.")
    by_seat: list[Share] = Field(description="Mean share in each seat.")
    score: Share = Field(description="The share corrected for the number of players: 1/2 is an equal's.")
    score_interval: Ends
    decisions: Count = Field(description="Decisions of the agent.")
    seconds: Seconds = Field(description="Wall-clock seconds that they took.")
    processor_seconds: Seconds = Field(description="Processor seconds of the games, opponents and checks included.")
    records: Hash = Field(description="Hash of all games: schedule, ends, and the SHA-256 of each record.")
    exact: Exact | None = Field(default=None, description="Exploitability in a solved game; null in other tracks.")


class Scores(Form):
    """Means over cells."""

    all: Estimate
    public: Estimate | None = Field(description="Cells of opponents that everybody may train against.")
    held_out: Estimate | None = Field(description="Cells of opponents that nobody may train against.")
    decisiveness: Estimate | None = Field(
        description="Share of the agent's own copy that takes one fifth of its decisions at random, against the agent."
    )


class Machine(Form):
    """The machine that ran the track."""

    processor: str
    cores: Count
    system: str


class Result(Form):
    """The result of a track."""

    format: Literal["hawaii_env.benchmark"]
    version: int = Field(ge=VERSION, le=VERSION, description="Version of the format.")
    track: str
    suite_version: Count
    suite: Hash = Field(description="Hash of the suite: its content, and the rules, actions and observations it uses.")
    quick: bool = Field(description="True: a few games to try a set-up. Not a result.")
    slow: bool = Field(description="True: the smaller number of games that slow agents play.")
    complete: bool = Field(description="False: cells are missing; the same command resumes.")
    agent: str = Field(description="Agent string.")
    simulations: Count | None = Field(description="Simulations a decision; 0 without search, null if time limits it.")
    repeats: bool = Field(description="True: the same seed gives the same moves, so that games can be played again.")
    files: dict[str, Hash] = Field(description="Files that the agent plays by, as weights, with their SHA-256.")
    seed: Count = Field(description="Makes the seeds of all games and agents.")
    packages: dict[str, str] = Field(description="Versions: Python, hawaii_env, what agents compute with.")
    machine: Machine
    settings: list[Setting]
    cells: list[Cell]
    scores: Scores | None = Field(description="Null as long as cells are missing.")
    ms_a_decision: Seconds = Field(description="Milliseconds per decision of the agent; of this machine.")
    processor_seconds: Seconds
    digest: str = Field(description="SHA-256 of all other fields.")


def parse(kind: type[T], data: Any, where: object) -> T:
    """Return data as a model, or as a container of models.

    Raises:
        OptionError: it has another form; the message names the place, the field and what is wrong with it.
    """
    try:
        return TypeAdapter(kind).validate_python(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"])) or "content"
        value = "" if first["type"] == "missing" else f" (it is {show_value(first['input'])})"
        raise OptionError(f"{where}: {field}: {first['msg']}{value}") from None


def read_as(kind: type[T], path: Path, missing: str) -> T:
    """Return the content of a file of JSON; see `parse`.

    Raises:
        OptionError: the file cannot be read, which `missing` explains, or it has another form.
    """
    try:
        data = parse_json(read_bytes(path))
    except (OSError, ValueError) as error:
        raise OptionError(f"{path}: {missing}: {describe_error(error)}") from error
    return parse(kind, data, path)


def digest(data: Any) -> str:
    """Return the SHA-256 of data of JSON's types, in hexadecimal."""
    text = json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def read_result(folder: str | os.PathLike[str]) -> Result:
    """Return the result in a folder, or of a file.

    Raises:
        OptionError: there is none, it has another form, or it was changed by hand; the message names the field.
    """
    path = Path(folder)
    path = path / FILE if path.is_dir() else path
    data = read_as(dict[str, Any], path, "no result of a benchmark")
    result = parse(Result, data, path)
    found = digest({key: value for key, value in data.items() if key != "digest"})
    if result.digest != found:
        raise OptionError(f"{path}: digest: the file was changed: its content has {found}, not {result.digest}")
    return result


def write_result(folder: Path, fields: dict[str, Any]) -> Result:
    """Add the digest to a result, write it, and return it."""
    content = parse(Result, {**parse_json(json.dumps(fields)), "digest": ""}, folder / FILE).model_dump()
    del content["digest"]
    content["digest"] = digest(content)  # of numbers as the file has them: 0.0, where 0 was given
    write_bytes(folder / FILE, f"{json.dumps(content, indent=1, ensure_ascii=False)}\n".encode())
    return read_result(folder)


def schema_text() -> str:
    """Return the published JSON Schema."""
    return json.dumps(Result.model_json_schema(), indent=2, ensure_ascii=False) + "\n"
