"""Files beside a conversation, and records that are not understood."""

from __future__ import annotations

from pathlib import Path

from talktree import api
from talktree.checks.registry import choose_rules, rules_for
from talktree.checks.report import make_report
from talktree.files import Source, load
from talktree.model.document import Document
from talktree.model.findings import Finding
from tests.checks.session import Session, lines


def findings(document: Document, *codes: str) -> list[Finding]:
    rules = choose_rules(rules_for(document.format), select=codes or ("SYN4",))
    return list(make_report(document, rules).findings)


def test_each_unknown_kind_is_reported_once_with_how_many_there_are() -> None:
    session = Session()
    session.say()
    kinds = ("hologram", "hologram", "hologram", "scent", "last-prompt")
    session.lines += [{"type": kind} for kind in kinds]
    session.reply()
    reported = findings(session.document())
    assert [each.code for each in reported] == ["SYN403", "SYN403"]
    assert ["3 records" in reported[0].message, "1 record " in reported[1].message] == [True, True]


def test_embedded_data_is_not_an_unknown_record() -> None:
    session = Session()
    session.say()
    session.lines.append({"type": "x-talktree", "x-talktree": {"part": 1}})
    assert findings(session.document()) == []


def test_the_frame_of_an_export_is_not_an_unknown_record() -> None:
    session = Session()
    session.say()
    data = b'{"sessionId":"s","loglines":[%s]}' % lines(session.lines).strip()
    document = api.read(Source.of_bytes(data, name="export.json"), format="claude-code")
    assert len(list(document.conversation.messages())) == 1
    assert findings(document) == []


def test_an_unreadable_conversation_is_not_empty() -> None:
    drifted = Session()
    drifted.say({"segments": ["When is the frost?"]})
    drifted.say({"segments": ["And the thaw?"]})
    reported = findings(drifted.document(), "SYN407")
    assert [each.severity for each in reported] == ["error"]
    assert "segments" in reported[0].message
    partly = Session()
    partly.say({"segments": ["When is the frost?"]})
    partly.reply()
    assert findings(partly.document(), "SYN407") == []


def test_a_conversation_no_one_has_begun_is_fine() -> None:
    data = lines([{"type": "summary", "summary": "Nothing yet", "leafUuid": "x"}])
    document = api.read(Source.of_bytes(data, name="session.jsonl"), format="claude-code")
    assert findings(document) == []
    empty = Session()
    empty.say("")
    empty.reply()
    assert findings(empty.document(), "SYN407") == []


def test_versions_are_reported_once() -> None:
    session = Session()
    for version in ("1", "2", "1", "3", "2"):
        session.say(version=version)
    reported = findings(session.document(), "SYN408")
    assert [each.line for each in reported] == [2]
    assert "1, 2, 3" in reported[0].message


def test_own_files_beside_a_conversation_are_not_unrelated(tmp_path: Path) -> None:
    session = Session()
    session.say()
    (tmp_path / "5e551000-0000-4000-8000-000000000001.jsonl").write_bytes(lines(session.lines))
    (tmp_path / "attachments").mkdir()
    (tmp_path / "attachments" / "bed.png").write_bytes(b"png")
    (tmp_path / "shopping.txt").write_bytes(b"seeds")
    reported = findings(api.read(load(tmp_path)))
    assert [(each.code, each.path) for each in reported] == [("SYN401", "shopping.txt")]
