"""Older files migrate to the current version without loss, and back to the old one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from talktree import api
from talktree.conversion.losses import LossReport
from talktree.conversion.migrate import migrate_document, needs_migration, revert_migration
from talktree.conversion.options import Options
from talktree.errors import UsageError
from talktree.files import Source
from talktree.formats import get_format
from talktree.formats.engine import read_document, write_document
from talktree.formats.migration import BESIDE_WAS, OUTDATED, WAS
from talktree.model import edit
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.entries import Head
from talktree.model.message import Message
from talktree.model.parts import Text
from talktree.model.skeleton import NO_TIME
from tests.conversion.trips import (
    SLUGS,
    Files,
    golden,
    into,
    kept,
    made,
    native_files,
    random_source,
)

MIGRATING = list(OUTDATED)
KINDS = ("good", "bad", "foreign", "document")
CASES = [(slug, name) for slug in MIGRATING for name, _ in golden(slug, *KINDS)]
GOOD = [(slug, name) for slug in MIGRATING for name, _ in golden(slug, "good")]
EDITED = "said otherwise"


def source_of(slug: str, name: str) -> Source:
    return next(source for each, source in golden(slug, *KINDS) if each == name)


def document_of(slug: str, name: str) -> Document:
    return read_document(source_of(slug, name), get_format(slug))


def renewed(document: Document, loss_report: LossReport | None = None) -> Files:
    return made(migrate_document(document, Options(), loss_report))


def said(document: Document) -> list[list[tuple[str, str, int, int]]]:
    """Return role, text, time and place of every message, by conversation."""
    found = []
    for conversation in document.conversations:
        skeleton = conversation.tree.skeleton
        nodes = [position for position, trait in enumerate(skeleton.traits) if trait]
        rank = {position: number for number, position in enumerate(nodes)}
        rows = [
            (
                message.role,
                whole(message.text),
                skeleton.times[at],
                rank.get(skeleton.parents[at], -1),
            )
            for at, message in zip(nodes, conversation.messages(), strict=True)
        ]
        if rows:
            found.append(rows)
    return found


def whole(text: str) -> str:
    """Return text as a strict reader of JSON decodes it."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


# laws


@pytest.mark.parametrize(("slug", "name"), CASES)
def test_the_way_back_gives_the_same_bytes(slug: str, name: str) -> None:
    source = source_of(slug, name)
    there = renewed(document_of(slug, name))
    back = made(revert_migration(there.read_as(slug, source.name)))
    assert back == kept(source, get_format(slug))


@pytest.mark.parametrize(("slug", "name"), CASES)
def test_twice_is_once(slug: str, name: str) -> None:
    there = renewed(document_of(slug, name))
    again = there.read_as(slug, source_of(slug, name).name)
    assert needs_migration(again) == []
    assert renewed(again) == there


@pytest.mark.parametrize(("slug", "name"), CASES)
def test_every_message_is_still_there(slug: str, name: str) -> None:
    before = document_of(slug, name)
    after = renewed(before).read_as(slug, before.name)
    assert [len(rows) for rows in said(before)] == [len(rows) for rows in said(after)]
    for rows, now in zip(said(before), said(after), strict=True):
        for (role, text, time, above), row in zip(rows, now, strict=True):
            assert (role, text, above) == (row[0], row[1], row[3])
            assert time in (row[2], NO_TIME)


@pytest.mark.parametrize("slug", MIGRATING)
@given(data=native_files())
def test_random_conversations_lead_back(slug: str, data: bytes) -> None:
    files = random_source(data, slug)
    document = files.read_as(slug)
    assume(any(map(len, document.conversations)))
    there = renewed(document)
    after = there.read_as(slug)
    assert needs_migration(after) == []
    assert made(revert_migration(after)) == files


@pytest.mark.parametrize("slug", MIGRATING)
def test_conversions_to_other_formats_are_current(slug: str) -> None:
    for other in ("claude-code", "sage", "studio", "muse"):
        if other != slug:
            for name, source in golden(other, "good"):
                files = into(read_document(source, get_format(other)), slug)
                assert needs_migration(files.read_as(slug)) == [], name


@pytest.mark.parametrize(
    ("slug", "name"), [(s, n) for s in MIGRATING for n, _ in golden(s, "good")]
)
def test_a_migrated_file_is_a_file_like_any_other(slug: str, name: str) -> None:
    there = renewed(document_of(slug, name))
    for target in SLUGS:
        if target != slug:
            over = into(there.read_as(slug, "migrated"), target)
            assert into(over.read_as(target), slug) == there


# edits


def edits(document: Document) -> Iterator[tuple[str, str]]:
    """Yield each conversation with each message in it that has text."""
    for conversation in document.conversations:
        for message in conversation.messages():
            if any(isinstance(part, Text) for part in message.parts):
                yield conversation.id, message.id


def written(document: Document) -> Files:
    files = {path: b"".join(pieces) for path, pieces in write_document(document).items()}
    return Files(files, getattr(document.origin, "source").folder)  # noqa: B009


def changed(document: Document, conversation: Conversation) -> Files:
    return written(document.with_conversation(conversation))


@pytest.mark.parametrize(("slug", "name"), CASES)
def test_an_edit_arrives_in_the_old_file(slug: str, name: str) -> None:
    before = document_of(slug, name)
    after = renewed(before).read_as(slug, before.name)
    old = [row[1] for rows in said(before) for row in rows]
    for where, id in list(edits(after))[:6]:
        files = changed(after, edit.set_text(after.find(where), id, EDITED))
        loss_report = LossReport()
        back = made(revert_migration(files.read_as(slug, before.name), loss_report))
        if ("edit", "lost") in loss_report.counts:
            # What was in the place of the text is not text, so text has no place there.
            assert name in ("every-kind-of-oddity.json", "odd-types.json")
            continue
        now = [row[1] for rows in said(back.read_as(slug, before.name)) for row in rows]
        differing = [(one, two) for one, two in zip(old, now, strict=True) if one != two]
        assert [two for _, two in differing] == [EDITED]


def test_new_and_deleted_messages_arrive_too() -> None:
    before = document_of("sage", "legacy-session.json")
    after = renewed(before).read_as("sage")
    talk = after.conversation
    last = list(talk.messages())[-1]
    talk = edit.append(
        talk,
        Message(role="user", parent=last.id, parts=(Text("One more thing"),), time_ns=last.time_ns),
    )
    talk = edit.remove(talk, [list(talk.messages())[1].id])
    back = made(revert_migration(changed(after, talk).read_as("sage")))
    assert not back.folder
    texts = [message.text for message in back.read_as("sage").conversation.messages()]
    expected = [message.text for message in before.conversation.messages()]
    assert texts == [expected[0], *expected[2:], "One more thing"]


def test_a_new_title_arrives_in_the_old_head() -> None:
    before = document_of("muse", "application.json")
    after = renewed(before).read_as("muse")
    talk = after.conversation
    at = next(place for place, trait in enumerate(talk.skeleton.traits) if not trait)
    head = talk.entry(at)
    assert isinstance(head, Head)
    new = talk.with_entries(talk.members, {talk.members[at]: replace(head, title="Fog")})
    back = made(revert_migration(changed(after, new).read_as("muse")))
    value = json.loads(next(iter(back.files.values())))
    assert value["title"] == "Fog"
    assert "history" in value


# results of a migration


def test_an_older_sage_session_becomes_a_folder() -> None:
    loss_report = LossReport()
    files = renewed(document_of("sage", "legacy-session.json"), loss_report)
    assert set(files.files) == {"messages.jsonl", "metadata.json", BESIDE_WAS}
    head = json.loads(files.files["metadata.json"])
    assert head["id"] == "2c9f7d1e"
    assert head["workingDirectory"] == "/home/mira/bread"
    assert head["tokenUsage"]["inputTokens"] == 400
    lines = [json.loads(line) for line in files.files["messages.jsonl"].splitlines()]
    assert {line["sessionId"] for line in lines} == {"2c9f7d1e"}
    assert {line["context"]["cwd"] for line in lines} == {"/home/mira/bread"}
    assert [line["parentUuid"] for line in lines] == [None, *(line["uuid"] for line in lines[:-1])]
    assert not list(loss_report.count_by_kind())


def test_sessions_in_one_folder_stay_side_by_side() -> None:
    before = document_of("sage", "two-sessions")
    files = renewed(before).files
    assert "sessions/old-one/messages.jsonl" in files
    assert "sessions/session-a/messages.jsonl" in files
    assert "sessions/old-one.json" not in files


def test_a_comment_gets_all_members() -> None:
    files = renewed(document_of("studio", "app-export.json")).files
    (first, _) = json.loads(next(iter(files.values())))
    reply = first["children"][0]
    assert first["type"] == "unknown"
    assert reply["parentId"] == first["id"] == "1732600000001"
    assert reply["attachments"][0]["file"] == {}
    # The app's own hashes are right, and comments that lack nothing keep theirs.
    assert read_hash("on-one-line.json")


def read_hash(name: str) -> bool:
    before = source_of("studio", name).as_bytes()[name]
    after = next(iter(renewed(document_of("studio", name)).files.values()))
    return [hashes(json.loads(text)) for text in (before, after)] == [hashes(json.loads(after))] * 2


def hashes(comments: list[Any]) -> list[str]:
    out, pending = [], list(comments)
    while pending:
        comment = pending.pop()
        out.append(comment["contentHash"])
        pending += comment["children"]
    return out


def test_a_database_export_becomes_plain() -> None:
    files = renewed(document_of("muse", "export.jsonl")).files
    first, second, _ = json.loads(next(iter(files.values())))
    assert first["_id"] == "6748a1f0c3d2e4b5a6978811"
    assert first["schema_version"] == second["schema_version"] == 2
    assert first["message_history"][0]["timestamp"] == 1732782400000
    assert second["message_history"][0]["timestamp"] == 1732782425694


def test_a_header_of_any_style_becomes_the_documents_own() -> None:
    files = renewed(document_of("chatbuilder", "comment.md")).files
    text = next(iter(files.values())).decode()
    assert text.startswith("; Block-UUID: ")
    assert "\n; role: system\n\n\n# Two newlines only" in text
    assert "; X-Talktree-Was: {" in text


def test_files_beside_stay_files() -> None:
    source = source_of("chatbuilder", "every-header")
    files = renewed(read_document(source, get_format("chatbuilder"))).files
    assert files["pixel.png"] == source.files["pixel.png"].read()
    assert files["README.md"] == source.files["README.md"].read()


@pytest.mark.parametrize("name", ["app.text", "older-crlf.text", "worker.text"])
def test_an_exporters_dialect_becomes_our_own(name: str) -> None:
    files = renewed(document_of("studio-text", name)).files
    assert b"Studio-Text: 1" in next(iter(files.values()))


def test_clean_keeps_nothing_and_says_so() -> None:
    loss_report = LossReport()
    document = document_of("sage", "legacy-session.json")
    files = made(migrate_document(document, Options(carry=False), loss_report))
    assert all(WAS.encode() not in data for data in files.files.values())
    assert dict(loss_report.count_by_kind())
    with pytest.raises(UsageError, match="nothing is kept"):
        revert_migration(files.read_as("sage"))


@pytest.mark.parametrize("data", [b"[5, null]", b"[]", b'[{"id": "1", "content": "to'])
def test_content_that_cannot_be_embedded_stays_as_it_is(data: bytes) -> None:
    document = read_document(Source.of_bytes(data, name="a.json"), get_format("studio"))
    assert renewed(document).files == {"a.json": data}


def test_formats_without_older_versions_are_current() -> None:
    for slug in set(SLUGS) - set(MIGRATING):
        for _, source in golden(slug):
            assert needs_migration(read_document(source, get_format(slug))) == []


# from Python


def test_the_api_writes_there_and_back(tmp_path: Path) -> None:
    document = document_of("muse", "application.json")
    api.migrate(document, tmp_path / "new.json")
    api.migrate(api.read(tmp_path / "new.json"), tmp_path / "old.json", back=True)
    assert (tmp_path / "old.json").read_bytes() == source_of("muse", "application.json").files[
        "application.json"
    ].read()


@given(text=st.text())
def test_any_text_survives(text: str) -> None:
    value = {
        "id": "x",
        "title": text,
        "history": [{"role": "user", "content": text, "author": "a"}],
    }
    data = json.dumps(value).encode()
    document = read_document(Source.of_bytes(data, name="a.json"), get_format("muse"))
    there = renewed(document)
    assert [message.text for message in there.read_as("muse").conversation.messages()] == [text]
    assert made(revert_migration(there.read_as("muse"))).files == {"a.json": data}
