"""Roles: known ones, misspelled ones, and unknown ones."""

from __future__ import annotations

import json

import pytest

from talktree import api
from talktree.checks.registry import choose_rules, rules_for
from talktree.checks.report import make_report
from talktree.files import Source
from talktree.model.document import Document
from talktree.repairs.run import repair_document
from tests.checks.session import Session

MUSE = choose_rules(rules_for("muse"), select=["ROL"])


def spoken_by(role: object) -> Document:
    said = {"id": "m1", "role": role, "content": "Hi", "timestamp": 1772615005000}
    value = {"conversation_id": "c", "schema_version": 2, "message_history": [said]}
    return api.read(Source.of_bytes(json.dumps(value).encode(), name="muse.json"), format="muse")


@pytest.mark.parametrize(
    ("role", "meant"),
    [
        ("assisant", "assistant"),
        ("Asistant ", "assistant"),
        ("human", "user"),
        ("AI", "assistant"),
        ("developer", "system"),
        ("narrator", "narrator"),
        ("x" * 10_000, "x" * 10_000),
    ],
)
def test_a_role_that_is_nearly_right_can_be_set_right(role: str, meant: str) -> None:
    document = spoken_by(role)
    (found,) = make_report(document, MUSE).findings
    assert found.code == "ROL101"
    assert (found.fix == "unsafe") == (meant != role)
    after = repair_document(document, unsafe=True, rules=MUSE).after
    (message,) = after.conversation.messages()
    assert message.role == meant


@pytest.mark.parametrize("role", ["user", "Assistant", "system"])
def test_known_roles_are_fine(role: str) -> None:
    assert make_report(spoken_by(role), MUSE).findings == []


def test_bookkeeping_is_by_no_one() -> None:
    session = Session()
    session.say()
    session.add("progress", None, data={"type": "hook_progress"})
    session.reply()
    rules = choose_rules(rules_for("claude-code"), select=["ROL", "SYN403"])
    assert make_report(session.document(), rules).findings == []
