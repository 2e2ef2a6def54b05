"""Versions of the native format: each migrates to the next, and back."""

from __future__ import annotations

import pytest

from talktree.conversion.migrate import needs_migration, revert_migration
from talktree.files import Source
from talktree.formats import get_format
from talktree.formats.engine import read_document
from talktree.formats.lens import Object
from talktree.formats.native import migrate as native_outdated
from talktree.formats.native.migrate import VersionStep
from talktree.model import edit
from tests.conversion.test_migrate import EDITED, changed, renewed
from tests.conversion.trips import made


def _from_zero(line: Object) -> Object:
    """Migrate from a fictitious version in which messages were called lines and their roles
    voices."""
    line = {"message" if key == "line" else key: item for key, item in line.items()}
    message = line.get("message")
    if isinstance(message, dict) and "voice" in message:
        message = {"role" if key == "voice" else key: item for key, item in message.items()}
        line = {**line, "message": message}
    return line


def _to_zero(line: Object) -> Object:
    message = line.get("message")
    if isinstance(message, dict):
        message = {"voice" if key == "role" else key: item for key, item in message.items()}
    return {
        "line" if key == "message" else key: message if key == "message" else item
        for key, item in line.items()
    }


VERSION_ZERO = b"""{"talktree":{"version":0}}
{"conversation":{"id":"old","format":"studio","note":"kept"}}
{"line":{"id":"a","voice":"user","parts":[{"part":"text","text":"Hello"}]}}
 {"line": {"id": "b", "parent": "a", "voice": "assistant", "parts": []}, "mark": 1}
{"line":{"id":"c","parent":"a","voice":"assistant","parts":[{"part":"text","text":"Hi"}]}}
"""


def test_older_versions_are_led_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(native_outdated.STEPS, 0, VersionStep(_from_zero, _to_zero))
    source = Source.of_bytes(VERSION_ZERO, name="old.jsonl")
    document = read_document(source, get_format("native"))
    assert needs_migration(document)[0].what == "version 0"
    there = renewed(document)
    after = there.read_as("native")
    assert needs_migration(after) == []
    assert [message.role for message in after.conversation.messages()] == [
        "user",
        "assistant",
        "assistant",
    ]
    assert len(after.conversation.branches()) == 2
    assert b'"note":"kept"' in there.files["old.jsonl"]
    assert b'"mark":1' in there.files["old.jsonl"]
    assert made(revert_migration(after)).files == {"old.jsonl": VERSION_ZERO}
    files = changed(after, edit.set_text(after.conversation, "c", EDITED))
    back = made(revert_migration(files.read_as("native"))).files["old.jsonl"]
    assert back == VERSION_ZERO.replace(b'"Hi"', b'"said otherwise"')


def test_two_steps_follow_one_another(monkeypatch: pytest.MonkeyPatch) -> None:
    first = VersionStep(lambda line: {"b": line["a"]}, lambda line: {"a": line["b"]})
    second = VersionStep(lambda line: {"c": line["b"]}, lambda line: {"b": line["c"]})
    monkeypatch.setitem(native_outdated.STEPS, -1, first)
    monkeypatch.setitem(native_outdated.STEPS, 0, second)
    assert native_outdated.upgrade_line({"a": 1}, -1) == {"c": 1}
    assert native_outdated.downgrade_line({"c": 1}, -1) == {"a": 1}
    assert native_outdated.downgrade_line({"c": 1}, 0) == {"b": 1}
