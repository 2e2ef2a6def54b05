"""Written output is read again: everything that it does not show is in the loss report."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import talktree
from talktree import api
from talktree.conversion.digests import PLACEHOLDER, digest_conversation, digest_message
from talktree.conversion.embed_read import index_embedded_sources
from talktree.conversion.forward import convert_to_format, digest_in_format
from talktree.conversion.losses import LossReport
from talktree.conversion.options import ConversionResult, Options
from talktree.errors import WouldLose
from talktree.formats import get_format
from talktree.formats.engine import read_document
from talktree.model.message import Message
from talktree.model.parts import Text
from tests.conversion.trips import PAIRS, Files, golden

Change = Callable[[list[bytes]], list[bytes]]

SESSION: list[dict[str, str | None]] = [
    {"type": "user", "uuid": "11111111-1111-4111-8111-111111111111", "parentUuid": None},
    {"type": "assistant", "uuid": "22222222-2222-4222-8222-222222222222"},
    {"type": "user", "uuid": "33333333-3333-4333-8333-333333333333"},
    {"type": "assistant", "uuid": "44444444-4444-4444-8444-444444444444"},
]
WORDS = ["When is high tide?", "At noon.", "And low tide?", "At six."]


def _session(path: Path) -> Path:
    lines, above = [], None
    for number, (line, words) in enumerate(zip(SESSION, WORDS, strict=True)):
        body = {"role": line["type"], "content": words}
        common = {"sessionId": "s", "timestamp": f"2026-03-01T09:0{number}:00Z", "version": "2"}
        lines.append(json.dumps({**line, "parentUuid": above, **common, "message": body}))
        above = line["uuid"]
    path.write_text("\n".join(lines) + "\n")
    return path


def _changed(made: ConversionResult, change: Change) -> ConversionResult:
    """Return a conversion whose lines are changed before they are written, as by a faulty
    writer."""
    ((path, pieces),) = made.files.items()
    lines = b"".join(pieces).splitlines(keepends=True)
    made.files = {path: change(lines)}
    return made


def _drop_message(lines: list[bytes]) -> list[bytes]:
    return [line for line in lines if b"And low tide?" not in line]


def _change_text(lines: list[bytes]) -> list[bytes]:
    return [line.replace(b"And low tide?", b"And low tied?") for line in lines]


def _change_role(lines: list[bytes]) -> list[bytes]:
    return [
        line.replace(b'"role":"user"', b'"role":"system"') if b"And low" in line else line
        for line in lines
    ]


def _add_message(lines: list[bytes]) -> list[bytes]:
    extra = b'{"message":{"id":"m","role":"user","parts":[{"part":"text","text":"Hm?"}]}}\n'
    return [*lines, extra]


def _empty(lines: list[bytes]) -> list[bytes]:
    return []


def _foreign(lines: list[bytes]) -> list[bytes]:
    return [b'{"hello":"world"}\n']


CHANGES: list[Change] = [
    _drop_message,
    _change_text,
    _change_role,
    _add_message,
    _empty,
    _foreign,
]


@pytest.mark.parametrize("change", CHANGES)
def test_losses_of_a_faulty_writer_are_reported_and_refused(change: Change, tmp_path: Path) -> None:
    document = talktree.read(_session(tmp_path / "session.jsonl"))
    made = _changed(api.convert_document(document, to="native"), change)
    with pytest.raises(WouldLose, match="mismatch"):
        api.save_conversion(made, tmp_path / "out.jsonl", options=Options(strict=True))
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize("change", [_drop_message, _change_text, _empty])
def test_losses_of_a_faulty_restoration_are_reported(change: Change, tmp_path: Path) -> None:
    talktree.convert(
        talktree.read(_session(tmp_path / "session.jsonl")), tmp_path / "there.json", to="studio"
    )
    back = api.convert_document(talktree.read(tmp_path / "there.json"), to="claude-code")
    made = _changed(back, change)
    found = api.measure_losses(made)
    assert dict(found.count_by_kind())["mismatch"] == (4 if change is _empty else 1)


def test_a_copy_that_differs_is_reported(tmp_path: Path) -> None:
    document = talktree.read(_session(tmp_path / "session.jsonl"))
    made = _changed(api.convert_document(document, to="claude-code"), _drop_message)
    assert dict(api.measure_losses(made).count_by_kind()) == {"mismatch": 1}


@pytest.mark.parametrize("to", ["native", "studio", "claude-code", "chatbuilder"])
def test_a_valid_conversion_has_no_mismatch(to: str, tmp_path: Path) -> None:
    document = talktree.read(_session(tmp_path / "session.jsonl"))
    kinds = {kind for kind, _ in api.measure_losses(api.convert_document(document, to=to)).counts}
    assert "mismatch" not in kinds


@pytest.mark.parametrize(("one", "two"), PAIRS)
def test_the_proof_equals_the_written_output(one: str, two: str) -> None:
    options = Options(carry=False, branch="all")
    for _, source in golden(one):
        document = read_document(source, get_format(one))
        made = convert_to_format(document, get_format(two), options, LossReport())
        for pieces in made.files.values():
            b"".join(pieces)
        assert made.proof is not None
        written = [each for _, log in made.proof.shown for each in log.digests]
        foreseen = list(digest_in_format(document, get_format(two), options))
        assert sorted(foreseen) == sorted(each for each in written if each not in _placeholders())


def _placeholders() -> set[int]:
    """Return the digests of messages that only say that there are none."""
    roles = ("system", "user", "assistant")
    parts = (Text(PLACEHOLDER),)
    return {digest_message(Message(role=role, parts=parts)) for role in roles}


@pytest.mark.parametrize(("one", "two"), PAIRS)
def test_the_index_knows_what_a_converted_document_shows(one: str, two: str) -> None:
    for _, source in golden(one, "good"):
        made = convert_to_format(
            read_document(source, get_format(one)), get_format(two), Options(), LossReport()
        )
        files = {path: b"".join(pieces) for path, pieces in made.files.items()}
        document = Files(files, made.folder).read_as(two)
        for index in index_embedded_sources(document):
            for number, log in index.digests.items():
                shown = digest_conversation(document.conversations[number]).digests
                without = [each for each in shown if each not in _placeholders()]
                assert list(log.digests) == without
