"""Secrets in conversations: reported without showing them, redacted alike wherever they are."""

from __future__ import annotations

import json
import random
import re
import string
from pathlib import Path

from talktree import api
from talktree.checks.excerpt import make_excerpt
from talktree.checks.report import Report, make_report
from talktree.files import Source
from talktree.formats.engine import DocumentOrigin
from talktree.model.document import Document
from talktree.repairs.run import Repair, repair_document

_dice = random.Random(11)
PLACEHOLDER = re.compile(r"\[redacted:([a-z-]+):([0-9]+)\]")


def drawn(size: int) -> str:
    """Return random characters as in a generated key."""
    return "".join(_dice.choice(string.ascii_letters + string.digits) for _ in range(size))


def talk(*said: object) -> Document:
    """Write a conversation with a line for each text."""
    lines = []
    for at, each in enumerate(said, 1):
        line: dict[str, object] = {"type": "user", "uuid": f"u{at}", "sessionId": "s"}
        if at > 1:
            line["parentUuid"] = f"u{at - 1}"
        line["timestamp"] = f"2026-02-03T08:00:{at:02}Z"
        lines.append(line | (each if isinstance(each, dict) else {"message": each}))
    text = "".join(json.dumps(line) + "\n" for line in lines)
    return api.read(Source.of_bytes(text.encode(), name="talk.jsonl"), format="claude-messages")


def secret_findings(found: Report) -> list[str]:
    return [each.code for each in found.findings if each.code.startswith("SEC2")]


def texts(done: Repair) -> str:
    return "".join(content.read().decode() for content in done.source.files.values())


def test_equal_secrets_get_equal_placeholders_and_others_get_others() -> None:
    first, second = f"ghp_{drawn(36)}", f"ghp_{drawn(36)}"
    key = f"gsk_{drawn(52)}"
    done = repair_document(
        talk(f"{first} and {second}", f"{second}, {key}", f"again {first}"), unsafe=True
    )
    text = texts(done)
    assert [found.groups() for found in PLACEHOLDER.finditer(text)] == [
        ("vcs-token", "1"),
        ("vcs-token", "2"),
        ("vcs-token", "2"),
        ("ai-vendor-key", "1"),
        ("vcs-token", "1"),
    ]
    assert not any(secret in text for secret in (first, second, key))
    assert not secret_findings(make_report(done.after))
    assert not repair_document(done.after, unsafe=True).changed


def test_placeholders_of_an_earlier_repair_are_not_used_again() -> None:
    done = repair_document(talk(f"[redacted:vcs-token:4] and ghp_{drawn(36)}"), unsafe=True)
    assert [found.group(2) for found in PLACEHOLDER.finditer(texts(done))] == ["4", "5"]


def test_a_secret_is_reported_once_in_a_record_and_redacted_everywhere_in_it() -> None:
    key = f"sk-{drawn(48)}"
    document = talk({"message": f"it is {key}", "copy": {"again": [key, f"x {key}"]}})
    assert secret_findings(make_report(document)) == ["SEC203"]
    assert texts(repair_document(document, unsafe=True)).count("[redacted:ai-vendor-key:1]") == 3


def test_the_truncated_rest_of_a_secret_is_redacted_with_it() -> None:
    key = f"sk-ant-api03-{drawn(95)}"
    cut = {"title": f"use {key[:30]}…", "longer": f"{key[:90]}..."}
    document = talk({"message": f"use {key}", **cut})
    assert secret_findings(make_report(document)) == ["SEC203"]
    done = repair_document(document, unsafe=True)
    assert texts(done).count("[redacted:ai-vendor-key:1]") == 3
    assert key[:17] not in texts(done)
    assert not repair_document(done.after, unsafe=True).changed


def test_only_the_secret_changes() -> None:
    key = f"hf_{drawn(34)}"
    document = talk("before", f"see {key}!", "behind")
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    before = origin.source.files["talk.jsonl"].read().decode()
    after = texts(repair_document(document, unsafe=True))
    assert after == before.replace(key, "[redacted:ai-vendor-key:1]")
    assert texts(repair_document(document)) == before, "a safe repair redacts nothing"


def test_nothing_that_people_are_shown_holds_the_secret() -> None:
    secrets = [f"ghp_{drawn(36)}", f"xoxb-{drawn(12)}-{drawn(24)}", drawn(32), drawn(40)]
    document = talk(
        secrets[0], f"see {secrets[1]}", f"api_key = '{secrets[2]}'", {"clientSecret": secrets[3]}
    )
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    found = make_report(document)
    assert len(secret_findings(found)) == 4
    shown = [repr(each) for each in found.findings]
    shown += [repr(make_excerpt(origin, each)) for each in found.findings]
    shown += [repr(step) for step in repair_document(document, unsafe=True).plan]
    for secret in secrets:
        assert not any(secret[4:-2] in text or secret[:8] in text for text in shown)


def test_a_key_is_the_same_however_its_lines_are_broken() -> None:
    body = [drawn(64), drawn(64)]
    lines = ["-----BEGIN PRIVATE KEY-----", *body, "-----END PRIVATE KEY-----"]
    plain, escaped = "\n".join(lines), "\\n".join(lines)
    done = repair_document(
        talk(plain, f'"private_key": "{escaped}"', "\r\n".join(lines)), unsafe=True
    )
    text = texts(done)
    assert text.count("[redacted:private-key:1]") == 3
    assert not any(line in text for line in body)


def test_embedded_data_is_redacted_too(tmp_path: Path) -> None:
    key = f"sk-ant-api03-{drawn(95)}"
    document = talk(f"use {key}", {"message": "fine", "note": {"deep": key}})
    api.convert(document, tmp_path / "talk.json", to="studio")
    done = repair_document(api.read(tmp_path / "talk.json"), unsafe=True)
    assert key[:20] not in texts(done)
    assert "[redacted:ai-vendor-key:1]" in texts(done)
    api.convert(done.after, tmp_path / "back.jsonl", to="claude-messages")
    back = (tmp_path / "back.jsonl").read_text()
    assert key[:20] not in back
    assert back.count("[redacted:ai-vendor-key:1]") == 2
