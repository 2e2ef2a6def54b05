"""A recorded session in the rest of Talktree: no findings, every format and back, its events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from talktree.checks.report import make_report
from talktree.files import Source, load
from talktree.formats import BUILT_IN, get_format
from talktree.formats.engine import DocumentOrigin, read_document
from talktree.formats.rule_context import CheckedConversation
from talktree.formats.sage import FORMAT
from talktree.formats.sage.checksum import verify_seal
from talktree.formats.sage.places import LOCK
from talktree.model.document import Document
from talktree.model.message import Message
from talktree.model.parts import Event
from talktree.repairs.run import repair_document
from talktree.session.session import Session
from talktree.session.store import Store
from talktree.session.undo import commands
from talktree.session.undo.commands import UndoMove
from tests.conversion.trips import Files, into
from tests.session.recorded import BIG, recorded

OTHERS = [slug for slug in BUILT_IN if slug != "sage"]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a recorded session."""
    return recorded(tmp_path_factory.mktemp("store"))


def document(folder: Path) -> Document:
    """Return a session as the format reads it."""
    return read_document(load(folder), FORMAT)


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files of a folder except the lock, which is not content."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != LOCK
    }


def test_no_rule_finds_anything(session: Path) -> None:
    assert make_report(document(session)).findings == []
    for other in session.parent.iterdir():
        assert make_report(document(other)).findings == []
    assert make_report(document(session.parent)).findings == []
    assert make_report(document(session.parent.parent)).findings == []


def test_no_rule_finds_anything_in_pieces_of_big_files(tmp_path: Path) -> None:
    folder = recorded(tmp_path, big=True)
    sizes = sorted(len(data) for data in contents(folder).values())
    assert sum(sizes) < BIG, "nine equal pieces are kept once"
    assert make_report(document(folder)).findings == []


def test_no_rule_finds_anything_in_a_session_in_which_nothing_was_said(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    with Store(tmp_path / ".sage").create(workspace=tmp_path / "work") as made:
        folder = tmp_path / ".sage" / "sessions" / made.id
    assert [each.code for each in make_report(document(folder)).findings] == []


@pytest.mark.parametrize("slug", OTHERS)
def test_every_format_and_back_gives_every_byte(session: Path, slug: str) -> None:
    there = into(document(session), slug)
    back = into(there.read_as(slug), "sage")
    assert back.folder
    assert back.files == contents(session)


def test_locks_and_caches_are_not_converted(session: Path) -> None:
    root = session.parent.parent
    assert (root / "cache").is_dir()
    assert (session / LOCK).exists()
    there = into(document(root), "native")
    back = into(there.read_as("native"), "sage")
    assert {path.partition("/")[0] for path in back.files} == {"sessions"}
    assert not [path for path in back.files if path.endswith(f"/{LOCK}")]


# events


def events(found: Document) -> Iterator[Event]:
    """Return the events of a conversation."""
    for conversation in found.conversations:
        for message in conversation.messages():
            yield from (part for part in message.parts if isinstance(part, Event))


def test_compaction_and_restoration_are_events(session: Path) -> None:
    kinds = [event.kind for event in events(document(session))]
    assert kinds == ["title", "compacting", "compacted", "summary", "restoring", "restored"]
    data = {event.kind: event.data for event in events(document(session))}
    assert data["compacted"]["messagesAfter"] == 1


def test_compactions_are_those_of_the_documented_messages_and_back(session: Path) -> None:
    there = into(document(session), "claude-messages")
    (lines,) = there.files.values()
    said = [json.loads(line) for line in lines.splitlines()]
    compact = [line["message"] for line in said if line["type"] == "compact_system"]
    assert compact == [
        f"conversation_{word}" for word in ("compacting", "compacted", "restoring", "restored")
    ]


def test_compactions_from_elsewhere_become_lines_of_their_own() -> None:
    line = {
        "type": "compact_system",
        "uuid": "00000000-0000-4000-8000-000000000001",
        "timestamp": "2026-01-05T08:00:00Z",
        "sessionId": "s",
        "message": "conversation_compacted",
        "metadata": {"preservedMessages": 15, "totalMessages": 150, "compressionRatio": 0.9},
    }
    source = Source.of_bytes(json.dumps(line).encode() + b"\n", name="talk.jsonl")
    there = into(read_document(source, get_format("claude-messages")), "sage")
    made = json.loads(there.files["messages.jsonl"].splitlines()[0])
    assert (made["type"], made["subtype"]) == ("system", "conversation_compacted")
    assert made["metadata"] == line["metadata"]
    assert make_report(there.read_as("sage")).findings == []
    assert list(into(there.read_as("sage"), "claude-messages").files.values()) == [
        json.dumps(line).encode() + b"\n"
    ]


# seals


def test_the_seal_is_not_part_of_the_content_of_a_line(session: Path) -> None:
    for message in document(session).conversations[0].messages():
        assert "seal" not in message.extra


def test_a_line_that_is_changed_loses_its_seal_and_the_others_keep_theirs(session: Path) -> None:
    files = contents(session)
    old = files["messages.jsonl"].splitlines()
    broken = json.loads(old[0])
    del broken["version"], broken["seal"]
    files["messages.jsonl"] = b"\n".join([json.dumps(broken).encode(), *old[1:], b""])
    done = repair_document(Files(files, folder=True).read_as("sage"), unsafe=True)
    assert make_report(done.after).findings == []
    edited = old[1].replace(b"I do it.", b"I did it.")
    files["messages.jsonl"] = b"\n".join([old[0], edited, *old[2:], b""])
    codes = [each.code for each in make_report(Files(files, folder=True).read_as("sage")).findings]
    assert codes == ["SAG701"]


def test_an_edit_in_another_format_leaves_no_broken_seal(session: Path) -> None:
    there = into(document(session), "native")
    (path,) = there.files
    edited = there.files[path].replace(b"On it goes.", b"On and on it goes.", 1)
    back = into(Files({path: edited}, folder=False).read_as("native"), "sage")
    lines = back.files["messages.jsonl"].splitlines()
    states = [verify_seal(line).state for line in lines]
    assert states.count("none") == 1
    assert "broken" not in states
    assert make_report(back.read_as("sage")).findings == []


def test_messages_read_by_the_format_and_by_the_index_are_the_same(session: Path) -> None:
    found = Store(session.parent.parent).open(session.name, write=False)
    with found:
        index = found.opened.index
        for message in document(session).conversations[0].messages():
            assert isinstance(message, Message)
            node = index.node(message.id)
            assert node is not None
            assert index.message(node) == message


def test_the_format_knows_that_branches_of_the_store_are_meant(session: Path) -> None:
    found = document(session)
    assert isinstance(found.origin, DocumentOrigin)
    talk = CheckedConversation(found.conversations[0], found.origin)
    assert FORMAT.has_branch_log(talk)
    files = contents(session)
    del files["operations.jsonl"]
    other = Files(files, folder=True).read_as("sage")
    assert isinstance(other.origin, DocumentOrigin)
    assert not FORMAT.has_branch_log(CheckedConversation(other.conversations[0], other.origin))


def test_no_rule_finds_anything_after_many_switches(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    store = Store(tmp_path / ".sage")
    with store.create(workspace=tmp_path / "work", durability="fast") as made:
        made.user("Where to?")
        fork = made.assistant("Left or right?")
        made.user("Left")
        made.name("left", made.assistant("Left it is."))
        _move(made, commands.restore(made.opened, fork))
        made.user("Right")
        made.name("right", made.assistant("Right it is."))
        for branch in ("left", "right", "left"):
            _move(made, commands.switch(made.opened, branch))
            made.user(f"Further {branch}")
            made.name(branch, made.assistant("Further."))
        folder = tmp_path / ".sage" / "sessions" / made.id
    assert make_report(document(folder)).findings == []


def _move(session: Session, move: UndoMove) -> None:
    move.apply(move.plan().digest)
    session.refresh()
