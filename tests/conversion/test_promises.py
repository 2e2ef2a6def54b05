"""The shown content of a file counts: embedded source data refines it, and never replaces it.

All tests call the command line and compare with the oracle.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.oracle import READERS, messages
from tests.populations.command import REFUSED, UNCLOSED, Report, convert
from tests.populations.laws import contents, unreported

DATA = Path(__file__).parents[1] / "data"
TREE = DATA / "chatbuilder/good/tree"
STUDIO = DATA / "studio/good/on-one-line.json"
PROJECT = DATA / "claude-code/good/project"
TOOLS = DATA / "claude-messages/good/tools-and-branches.jsonl"
SESSION = "6b1f0a52-3c4d-4e5f-8a6b-7c8d9e0f1a2b"
TARGETS = list(READERS)
pytestmark = UNCLOSED


def shows_all(source: Path, of: str, target: str, out: Path, *options: str) -> Report:
    """Convert, and check that every message is in the output or in the loss report."""
    report = convert(source, target, out, *options)
    assert report.code in (0, REFUSED), report
    if report.code == 0:
        left = unreported(messages(of, source), messages(target, out), report)
        assert not left, f"{len(left)} messages are missing: {left[:3]}"
    return report


def comes_back(source: Path, target: str, folder: Path, of: str) -> None:
    """Convert there and back without naming a format, and check that the bytes are the same."""
    there, back = folder / "there", folder / "back"
    report = convert(source, target, there)
    assert report.code == 0, report
    again = convert(there, of, back)
    assert again.code == 0, again
    before, after = contents(source), contents(back)
    if len(before) == len(after) == 1:
        assert list(before.values()) == list(after.values())
    else:
        assert before == after


# embedded data in one file decides about that file only


def put_converted(folder: Path) -> Path:
    """Put a conversation that was converted from another format beside two that were not."""
    shutil.copytree(TREE, folder)
    assert convert(TOOLS, "chatbuilder", folder / "messages/imported").code == 0
    return folder


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("options", [(), ("--clean",)], ids=["carry", "clean"])
def test_a_converted_conversation_leaves_its_neighbours_alone(
    target: str, options: tuple[str, ...], tmp_path: Path
) -> None:
    source = put_converted(tmp_path / "source")
    shows_all(source, "chatbuilder", target, tmp_path / "out", *options)


@pytest.mark.parametrize("target", TARGETS)
def test_a_converted_session_leaves_the_project_alone(target: str, tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(PROJECT, source)
    assert convert(STUDIO, "claude-code", source / f"{SESSION}.jsonl").code == 0
    shows_all(source, "claude-code", target, tmp_path / "out", "--strict")


@pytest.mark.parametrize("target", ["native", "claude-code", "studio-text"])
@pytest.mark.parametrize(
    "member",
    [{}, {"of": "studio"}, {"of": "studio", "kept": {"at": [0, 0], "as": "[]"}, "sum": "0"}],
    ids=["empty", "named", "whole"],
)
def test_a_stray_member_loses_nothing(target: str, member: Any, tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(TREE, source)
    config = source / "messages/notes/config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"x-talktree": member}))
    shows_all(source, "chatbuilder", target, tmp_path / "out")


@pytest.mark.parametrize("target", ["native", "chatbuilder", "studio-xml"])
def test_files_beside_a_converted_session_come_back(target: str, tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(DATA / "sage/good/session-tide-table", source / "session-tide-table")
    assert convert(STUDIO, "sage", source / SESSION).code == 0
    comes_back(source, target, tmp_path, "sage")


# damage affects only its record


def insert_quote(path: Path, word: str) -> None:
    """Make one typo in a text."""
    data = path.read_text()
    assert word in data
    path.write_text(data.replace(word, f'{word}"', 1))


@pytest.mark.parametrize("target", ["native", "chatbuilder", "claude-code", "studio-xml"])
@pytest.mark.parametrize("through", ["studio", "muse", "claude-messages", "claude-code", "native"])
def test_a_typo_costs_one_record(through: str, target: str, tmp_path: Path) -> None:
    source = tmp_path / f"source{'.json' if through in ('studio', 'muse') else '.jsonl'}"
    assert convert(DATA / "chatbuilder/good/sourdough", through, source).code == 0
    whole = messages(through, source)
    insert_quote(source, "Tenth")
    damaged = messages(through, source)
    assert len(damaged) == len(whole) - 1
    shows_all(source, through, target, tmp_path / "out")


# an edit changes what was edited


def line(number: int, kind: str, **members: Any) -> str:
    id = f"00000000-0000-4000-8000-{number:012}"
    above = f"00000000-0000-4000-8000-{number - 1:012}" if number else None
    stamp = f"2026-03-01T09:00:{number:02}.000Z"
    common = {"type": kind, "uuid": id, "parentUuid": above, "sessionId": SESSION}
    place = {"timestamp": stamp, "cwd": "/srv", "version": "2.1.0", "isSidechain": False}
    return json.dumps(common | place | members)


def snapshot(number: int) -> str:
    id = f"00000000-0000-4000-8000-{number:012}"
    inner = {"messageId": id, "trackedFileBackups": {}, "timestamp": "2026-03-01T09:00:00.000Z"}
    members = {"type": "file-history-snapshot", "messageId": id, "snapshot": inner}
    return json.dumps(members | {"isSnapshotUpdate": False})


def user(content: str) -> dict[str, Any]:
    return {"userType": "external", "message": {"role": "user", "content": content}}


def reply(text: str) -> dict[str, Any]:
    inner = {"role": "assistant", "id": "msg_1", "model": "claude-sonnet-4", "type": "message"}
    return {"message": inner | {"content": [{"type": "text", "text": text}]}}


COMMAND = "<command-name>/plan</command-name>\n<command-message>plan</command-message>\n"
SESSION_LINES = [
    snapshot(0),
    line(0, "user", **user("Before the plan.")),
    line(1, "assistant", **reply("Yes.")),
    snapshot(2),
    line(2, "user", **user(COMMAND + "<command-args></command-args>")),
    line(3, "user", **user("<local-command-stdout>planned</local-command-stdout>")),
    line(4, "assistant", **reply("Here is the plan.")),
    json.dumps({"type": "summary", "summary": "Planning", "leafUuid": SESSION}),
]


@pytest.mark.parametrize("target", [target for target in TARGETS if target != "claude-code"])
@pytest.mark.parametrize(
    ("old", "new"),
    [("/plan", "/plan now"), ("Here is the plan.", "Here is another."), ("planned", "done")],
    ids=["command", "words", "output"],
)
def test_an_edit_on_the_way_changes_one_line(
    target: str, old: str, new: str, tmp_path: Path
) -> None:
    source, there, back = (tmp_path / name for name in (f"{SESSION}.jsonl", "there", "back.jsonl"))
    source.write_text("".join(f"{each}\n" for each in SESSION_LINES))
    assert convert(source, target, there).code == 0
    shown = messages(target, there)
    edited = _replace_shown(there, old, new)
    assert len(messages(target, there)) == len(shown)
    report = convert(there, "claude-code", back)
    assert report.code == 0, report
    before, after = SESSION_LINES, back.read_text().splitlines()
    assert len(after) == len(before)
    changed = [
        number for number, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]
    ]
    at = next(number for number, each in enumerate(before) if old in each)
    assert changed in ([at], []), f"lines {changed} of {edited.name} differ instead of {at}"
    if not changed:
        assert json.loads(before[at])["uuid"] in {loss["entry"] for loss in report.losses}
    else:
        kept = messages("claude-code", back)
        assert any(new.split()[-1] in " ".join(each.texts) for each in kept)


def _replace_shown(path: Path, old: str, new: str) -> Path:
    """Change one text where it is visible, not in embedded data; return the file."""
    for each in sorted(path.rglob("*")) if path.is_dir() else [path]:
        lines = each.read_text().split("\n")
        for number, text in enumerate(lines):
            shown, mark, rest = text.partition("x-talktree")
            if old in shown and not text.startswith("; "):
                lines[number] = shown.replace(old, new, 1) + mark + rest
                each.write_text("\n".join(lines))
                return each
    raise AssertionError(f"{old!r} is not shown")


# sources without messages keep their identity


def write_snapshots(folder: Path) -> Path:
    path = folder / f"{SESSION}.jsonl"
    path.write_text(f"{snapshot(0)}\n{snapshot(1)}\n")
    return path


def write_summary(folder: Path) -> Path:
    path = folder / f"{SESSION}.jsonl"
    path.write_text(f"{SESSION_LINES[-1]}\n")
    return path


def write_cut_history(folder: Path) -> Path:
    path = folder / "cut.json"
    path.write_text('{"schema_version":2,"message_history":[{"role":"user","content":"cut')
    return path


def write_tree(folder: Path) -> Path:
    shutil.copytree(TREE, folder / "tree")
    return folder / "tree"


SILENT: dict[str, tuple[str, Callable[[Path], Path]]] = {
    "snapshots": ("claude-code", write_snapshots),
    "summary": ("claude-code", write_summary),
    "cut": ("muse", write_cut_history),
    "folder": ("chatbuilder", write_tree),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", SILENT)
def test_sources_that_show_little_come_back(name: str, target: str, tmp_path: Path) -> None:
    of, write = SILENT[name]
    comes_back(write(tmp_path), target, tmp_path, of)


# "nothing lost" means equal

COMMENT = {
    "id": "1733794702200ka59h",
    "userId": "user",
    "type": "user",
    "timestamp": 1733794702200,
    "content": "What is in the file",
    "contentHash": "50dcdf2c",
    "attachments": [],
    "children": [],
}
ATTACHED: dict[str, Any] = {"file": {}, "name": "abc.txt", "type": "text/plain", "url": None}
DOUBLED = [COMMENT, COMMENT | {"content": "Here's an image"}]
UNLINKED = [COMMENT | {"attachments": [ATTACHED]}]


@pytest.mark.parametrize("target", [target for target in TARGETS if target != "studio"])
@pytest.mark.parametrize("comments", [DOUBLED, UNLINKED], ids=["doubled-ids", "null-url"])
def test_strict_and_clean_means_that_nothing_differs(
    target: str, comments: list[dict[str, Any]], tmp_path: Path
) -> None:
    source, there, back = (tmp_path / name for name in ("source.json", "there", "back.json"))
    source.write_text(json.dumps(comments))
    report = convert(source, target, there, "--clean", "--strict")
    if report.code == REFUSED:
        return
    assert report.code == 0, report
    again = convert(there, "studio", back, "--clean", "--strict")
    if again.code == REFUSED:
        return
    assert again.code == 0, again
    members = ("id", "content", "attachments")
    kept = [{name: each[name] for name in members} for each in json.loads(back.read_text())]
    assert kept == [{name: each[name] for name in members} for each in comments]
