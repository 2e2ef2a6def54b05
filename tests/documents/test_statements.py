"""What the five documents state, statement by statement, through the command line and the API.

A row of `<document>.toml` holds the statement's own words, files typed off the document, and what
must come of them, written by hand:

- `files`: the files by path; `open` names the one to open if it is not the only one or the folder
- `format`: what `detect` says
- `tree`: what `tree --json` says, an id a line, replies one step further in than what they answer
- `main`: the ids that `show --json` prints
- `fields`: values in `tree --json`, by id and path, such as `"m1 parts 0 text"`
- `values`: attributes of messages that `talktree.read` gives, such as `"m1 context cwd"`
- `findings`: the codes that `check --json` reports, all of them
- `runs`: command lines, where IN is the file and OUT a new path, with `exit` (0 if not
  given), what they print (`prints`), what not (`lacks`), what files hold afterwards (`holds`),
  patterns that they match (`matches`), and which file of the row they are equal to (`equals`)

Whatever a row says, the files come back byte for byte when they are read and written.
"""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest

import talktree
from tests.documents.command_line import command

HERE = Path(__file__).parent
ROWS = [
    pytest.param(row, id=f"{path.stem}-{row['id']}")
    for path in sorted(HERE.glob("*.toml"))
    for row in tomllib.loads(path.read_text())["statement"]
]
KNOWN = {
    *("id", "quotation", "files", "open", "format", "tree", "main"),
    *("fields", "values", "findings", "runs"),
}
KNOWN_RUN = {"command", "exit", "prints", "lacks", "holds", "matches", "equals"}


def placed(row: dict[str, Any], folder: Path) -> Path:
    """Write the files of a row and return the path to open."""
    files: dict[str, str] = row["files"]
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return folder / str(row.get("open", next(iter(files)) if len(files) == 1 else "."))


def drawn(messages: list[dict[str, Any]]) -> list[str]:
    """Return a tree as lines: each id below its parent, indented one step further."""
    below: dict[str | None, list[str]] = {}
    for message in messages:
        below.setdefault(message["parent"], []).append(message["id"])
    lines: list[str] = []
    waiting = [(id, 0) for id in reversed(below.get(None, []))]
    while waiting:
        id, depth = waiting.pop()
        lines.append("  " * depth + id)
        waiting += [(each, depth + 1) for each in reversed(below.get(id, []))]
    return lines


def found(messages: list[Any], way: str) -> Any:
    """Return the value at `id member member …` of messages, which are JSON or values of the API."""
    id, *steps = way.split()
    names = [message["id"] if isinstance(message, dict) else message.id for message in messages]
    value: Any = messages[names.index(id)]
    for step in steps:
        if isinstance(value, dict):
            value = value[step]
        elif step.isdigit():
            value = value[int(step)]
        else:
            value = getattr(value, step)
    return value


def plain(value: Any) -> Any:
    """Return a value as TOML has it."""
    match value:
        case set() | frozenset():
            return sorted(value)
        case tuple():
            return list(value)
        case _:
            return value


@pytest.mark.parametrize("row", ROWS)
def test_the_statement_holds(
    row: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert set(row) <= KNOWN
    assert row["quotation"]
    monkeypatch.setenv("TALKTREE_HOME", str(tmp_path / "home"))
    path = placed(row, tmp_path / "in")
    check_reading(row, path)
    check_tree(row, path)
    if "findings" in row:
        said = json.loads(command("check", "--json", str(path)).out)
        assert sorted({each["code"] for each in said["findings"]}) == sorted(row["findings"])
    for at in row.get("runs", ()):
        assert set(at) <= KNOWN_RUN
        check_run(at, path, tmp_path)


def check_reading(row: dict[str, Any], path: Path) -> None:
    """Check the format, the bytes, and the values of the API."""
    if "format" in row:
        said = json.loads(command("detect", "--json", str(path)).out)
        assert said["results"][0]["format"] == row["format"]
    if row.get("format") == "none":
        return
    document = talktree.read(path)
    written = talktree.to_bytes(document)
    assert {text.encode() for text in row["files"].values()} == set(written.values())
    messages = [each for one in document.conversations for each in one.messages()]
    for way, value in row.get("values", {}).items():
        assert plain(found(messages, way)) == value, way


def check_tree(row: dict[str, Any], path: Path) -> None:
    """Check the tree, the branch that is shown, and fields of messages."""
    if "tree" in row or "fields" in row:
        said = json.loads(command("tree", "--json", str(path)).out)
        messages = [each for one in said["conversations"] for each in one["messages"]]
        if "tree" in row:
            assert drawn(messages) == row["tree"].strip("\n").split("\n")
        for way, value in row.get("fields", {}).items():
            assert found(messages, way) == value, way
    if "main" in row:
        said = json.loads(command("show", "--json", str(path)).out)
        assert [each["id"] for one in said["conversations"] for each in one["messages"]] == row[
            "main"
        ]


def check_run(at: dict[str, Any], path: Path, folder: Path) -> None:
    """Check one command line."""
    words = {"IN": str(path), "OUT": str(folder / "out")}
    given = [
        each.replace("IN", words["IN"]).replace("OUT", words["OUT"])
        for each in shlex.split(at["command"])
    ]
    done = command(*given)
    assert done.code == at.get("exit", 0), done
    for text in at.get("prints", ()):
        assert text in done.out + done.err, done
    for text in at.get("lacks", ()):
        assert text not in done.out + done.err, done
    for name, texts in at.get("holds", {}).items():
        data = (folder / name).read_text()
        for text in texts:
            assert text in data, data
    for name, patterns in at.get("matches", {}).items():
        data = (folder / name).read_text()
        for pattern in patterns:
            assert re.search(pattern, data), (pattern, data)
    for name, source in at.get("equals", {}).items():
        assert (folder / name).read_bytes() == (folder / "in" / source).read_bytes(), name


def test_ids_of_rows_are_unique() -> None:
    ids = [each.id for each in ROWS]
    assert len(set(ids)) == len(ids)
