"""Rounds of repair come to an end, and take the shortest way."""

from __future__ import annotations

from pathlib import Path

import pytest

from talktree.checks.run import run_rules
from talktree.files import Source
from talktree.formats import get_format
from talktree.formats.engine import read_document
from talktree.model.document import Document
from talktree.repairs.run import MOST_ROUNDS, Repair, repair_document
from tests.damage.lines import ALL
from tests.torture.mutants import mutant

SOME = range(1, 40)


def _lines(*lines: bytes) -> Document:
    return read_document(
        Source.of_bytes(b"\n".join(lines), name="s.jsonl"), get_format("claude-code")
    )


def _is_same(one: Repair, other: Repair) -> bool:
    return one.plan == other.plan and one.source.as_bytes() == other.source.as_bytes()


def test_a_record_no_one_understands_keeps_its_id_though_it_is_taken() -> None:
    first, second = (f"889263ce-0000-4000-8000-{number:012}".encode() for number in (1, 2))
    said = b'"message":{"role":"user","content":"?"}'
    question = b'{"type":"user","uuid":"%b","parentUuid":null,%b}' % (first, said)
    unknown = b'{"uuid":"%b",%b}' % (first, said)
    answer = b'{"type":"user","uuid":"%b","parentUuid":"%b",%b}' % (second, first, said)
    done = repair_document(_lines(question, unknown, answer), unsafe=True)
    assert len(done.rounds) < MOST_ROUNDS
    assert unknown in done.source.as_bytes()["s.jsonl"]
    assert not repair_document(done.after, unsafe=True).changed


@pytest.mark.parametrize("slug", ALL)
def test_a_repair_with_known_findings_gives_the_same_result(slug: str) -> None:
    for number in SOME:
        files = mutant(slug, number)
        document = files.read_as(slug)
        done = repair_document(document, known=list(run_rules(document)))
        assert _is_same(done, repair_document(files.read_as(slug))), number


def test_an_update_before_a_snapshot_is_seen_by_who_only_repairs() -> None:
    bad = Path(__file__).parent.parent / "data" / "rules" / "SAG405" / "bad" / "messages.jsonl"
    lines = bad.read_bytes().splitlines(keepends=True)
    first = next(at for at, line in enumerate(lines) if b"isSnapshotUpdate" in line)
    lines[first] = lines[first].replace(b'"isSnapshotUpdate":false', b'"isSnapshotUpdate":true')
    source = Source.of_bytes(b"".join(lines), name="messages.jsonl")
    document = read_document(source, get_format("sage"))
    known = list(run_rules(document))
    assert {"SAG404", "SAG405"} <= {each.finding.code for each in known}
    assert _is_same(
        repair_document(document, known=known),
        repair_document(read_document(source, get_format("sage"))),
    )


@pytest.mark.parametrize("slug", ALL)
def test_an_unsafe_repair_differs_only_where_a_safe_one_held_back(slug: str) -> None:
    held_back = set[bool]()
    for number in SOME:
        files = mutant(slug, number)
        done = repair_document(files.read_as(slug))
        held_back.add(done.held_back)
        if not done.held_back:
            assert _is_same(done, repair_document(files.read_as(slug), unsafe=True)), number
    assert held_back == {False, True}
