"""The rules of the native format: each kind of line, each member, lines that are not entries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from talktree import api
from talktree.checks.report import make_report
from talktree.files import Source
from talktree.formats.native.lens_entries import ENTRIES, PARTS
from talktree.model.document import Document
from talktree.repairs.run import repair_document
from tests.conversion.foreign import again, every_sample, files_of, sample

Object = dict[str, Any]
VERSION = {"talktree": {"version": 1}}
BEGIN = {"conversation": {"id": "garden"}}
SAID = {"message": {"id": "g1", "role": "user", "parts": [{"part": "text", "text": "Which?"}]}}
ANYTHING = ("input", "detail", "data", "value")
"""Members that may hold any JSON."""


def document(*lines: object) -> Document:
    data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    return api.read(Source.of_bytes(data, name="garden.jsonl"), format="native")


def own(found: Document) -> list[str]:
    return [each.code for each in make_report(found).findings if each.code.startswith("NAT")]


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (kind, name)
        for kind, shape in ENTRIES.items()
        for name in shape.struct.__struct_encode_fields__
    ],
)
def test_every_member_of_an_entry_has_a_type(kind: str, name: str) -> None:
    odd: object = [5] if name not in ("parts",) else 5
    found = own(document(VERSION, BEGIN, SAID, {kind: {name: odd}}))
    assert found == ([] if name in ANYTHING else ["NAT301"])


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (kind, name)
        for kind, shape in PARTS.items()
        for name in shape.struct.__struct_encode_fields__
    ],
)
def test_every_member_of_a_part_has_a_type(kind: str, name: str) -> None:
    fields = msgspec.structs.fields(PARTS[kind].struct)
    needed = {field.name: "x" for field in fields if field.required}
    part = {"part": kind, **needed, name: 5}
    found = own(document(VERSION, BEGIN, {"message": {"id": "g1", "parts": [part]}}))
    wanted = [] if name in ANYTHING else ["NAT302" if name in needed else "NAT301"]
    assert found == wanted


def test_null_means_absent() -> None:
    nothing = dict.fromkeys(ENTRIES["message"].struct.__struct_encode_fields__)
    assert own(document(VERSION, BEGIN, {"message": {**nothing, "id": "g1"}})) == []


@pytest.mark.parametrize("name", ["parnet", "Parent", "apiMessage", "flag", "tag", "sesion"])
def test_a_slip_in_a_name_is_reported(name: str) -> None:
    line = {"message": {**SAID["message"], name: None}}
    assert own(document(VERSION, BEGIN, line)) == ["NAT303"]


@pytest.mark.parametrize("name", ["mood", "weight", "x", "x-talktree", "p" * 5000, "rôle-model"])
def test_other_unknown_members_are_allowed_everywhere(name: str) -> None:
    line = {"message": {**SAID["message"], name: 5}, name: 5}
    begin = {"conversation": {"id": "garden", name: 5}, name: 5}
    assert own(document({**VERSION, name: 5}, begin, line)) == []


def test_the_version_goes_before_everything_and_nothing_else_changes() -> None:
    before = document(BEGIN, SAID)
    assert own(before) == ["NAT101"]
    data = b"".join(json.dumps(line).encode() + b"\n" for line in (BEGIN, SAID))
    assert repair_document(before).source.as_bytes() == {
        "garden.jsonl": b'{"talktree":{"version":1}}\n' + data
    }


def test_conversations_of_one_name_are_distinguished_by_the_names_they_are_known_by() -> None:
    other = {"message": {**SAID["message"], "id": "g2"}}
    third = {"message": {**SAID["message"], "id": "g3"}}
    before = document(VERSION, BEGIN, SAID, BEGIN, other, BEGIN, third)
    assert own(before) == ["NAT201", "NAT201"]
    assert not repair_document(before).changed
    after = repair_document(before, unsafe=True).after
    assert own(after) == []
    names = ["garden", "garden#2", "garden#3"]
    assert [each.id for each in before.conversations] == names
    assert [each.id for each in after.conversations] == names
    assert [list(each.entries) for each in after.conversations] == [
        list(each.entries) for each in before.conversations
    ]


@every_sample("native")
def test_conversions_to_the_native_format_break_no_rule(slug: str, path: Path) -> None:
    made = again(files_of(sample(slug, path), "native"), "native")
    assert own(made) == []
