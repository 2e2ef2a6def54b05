"""Converted files that were damaged: what is readable is shown, the rest is reported."""

from __future__ import annotations

import json
from collections.abc import Mapping

from talktree import api
from talktree.conversion.options import ConversionResult, Options
from talktree.files import Source
from tests.conversion.trips import DATA


def convert(
    files: Mapping[str, bytes] | bytes, to: str, *, name: str = "s.jsonl", carry: bool = True
) -> tuple[ConversionResult, dict[str, bytes]]:
    """Convert files as a command does, and return the files and their bytes."""
    source = (
        Source.of_bytes(files, name=name)
        if isinstance(files, bytes)
        else Source.of_files(dict(files), name=name)
    )
    made = api.convert_document(api.read(source), to=to, options=Options(carry=carry))
    return made, {path: b"".join(pieces) for path, pieces in made.files.items()}


def only(files: Mapping[str, bytes]) -> bytes:
    (data,) = files.values()
    return data


def test_a_record_that_is_not_a_message_any_more_and_embeds_another_is_reported() -> None:
    source = (DATA / "studio/good/one-comment.json").read_bytes()
    lines = only(convert(source, "native", name="s.json")[1]).splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if b'"message"' in line)
    value = json.loads(lines[at])
    value["x-talktree"]["kept"]["as"] = ["{", "}"]
    line = json.dumps({"messag": value["message"], "x-talktree": value["x-talktree"]}).encode()
    made, _ = convert(b"".join([*lines[:at], line + b"\n", *lines[at + 1 :]]), "studio")
    assert [loss.kind for loss in made.loss_report.losses if loss.kept == "lost"] == ["opaque"]


def test_taking_out_embedded_data_leaves_a_session_as_it_is() -> None:
    """A folder in which one session has embedded data is written again without changing what it
    shows."""
    session = (DATA / "claude-code/good/web-export.json").read_bytes()
    other = only(convert((DATA / "studio/good/one-comment.json").read_bytes(), "claude-code")[1])
    files = {"a.jsonl": session, "b.jsonl": other}
    made, clean = convert(files, "claude-code", name="project", carry=False)
    assert b"x-talktree" not in b"".join(clean.values())
    assert b"> **Thinking**" not in b"".join(clean.values())
    assert not [loss for loss in made.loss_report.losses if loss.kind in ("thinking", "role")]


def test_taking_out_embedded_data_leaves_roles_as_they_are() -> None:
    lines = (DATA / "sage/good/as-the-program-writes.jsonl").read_bytes()
    mark = b'{"x-talktree":{"of":"muse","kept":{"at":[0,0],"as":"{}"}},'
    files = {"messages.jsonl": lines.replace(b"{", mark, 1)}
    _, clean = convert(files, "sage", name="session", carry=False)
    written = [json.loads(line)["type"] for line in clean["messages.jsonl"].splitlines()]
    assert "checkpoint" in written


def test_a_session_whose_names_were_cut_off_is_written_as_it_is_shown() -> None:
    session = DATA / "sage/good/session-tide-table"
    files = {each.name: each.read_bytes() for each in session.iterdir() if each.is_file()}
    lines = only(convert(files, "native", name="session")[1]).splitlines(keepends=True)
    assert b'"origin"' in lines[-1]
    made, back = convert(b"".join(lines[:-1]) + lines[-1][:20], "sage")
    assert "messages.jsonl" in back
    assert [loss.what for loss in made.loss_report.losses if loss.kind == "embedded"]


def test_a_file_whose_embedded_beginning_was_damaged_is_written_as_it_is_shown() -> None:
    source = (DATA / "studio-text/good/harbour.text").read_bytes()
    data = only(convert(source, "claude-messages", name="s.text")[1])
    head, mark, rest = data.rpartition(b'boundary=\\"')
    made, back = convert(head + mark + rest[1:], "studio-text")
    again = api.read(Source.of_bytes(only(back), name="s.text"))
    assert not again.findings
    assert [loss.what for loss in made.loss_report.losses if loss.kind == "embedded"]


def test_a_message_whose_embedded_data_was_damaged_is_shown() -> None:
    source = (DATA / "studio/good/one-comment.json").read_bytes()
    said = api.read(Source.of_bytes(source, name="s.json")).conversation
    data = only(convert(source, "studio-text", name="s.json")[1])
    _, back = convert(data.replace(b'"kept":{', b'"kept"{', 1), "studio", name="s.text")
    again = api.read(Source.of_bytes(only(back), name="s.json")).conversation
    assert [each.text for each in again.messages()] == [each.text for each in said.messages()]


def test_an_embedded_end_of_a_file_that_was_cut_off_is_not_used() -> None:
    source = (DATA / "muse/good/application.json").read_bytes()
    data = only(convert(source, "studio", name="s.json")[1])
    cut = data[: data.index(b'"trail":') + len(b'"trail":')]
    for target in ("studio-text", "muse", "studio"):
        made, files = convert(cut, target, name="s.json")
        assert files
        assert target == "studio" or any(
            loss.kind == "embedded" for loss in made.loss_report.losses
        )


def test_a_damaged_file_name_is_not_used() -> None:
    session = (DATA / "claude-code/good/steered.jsonl").read_bytes()
    data = only(convert({"a.jsonl": session}, "muse", name="project")[1])
    damaged = data.replace(b'"path": "a.jsonl"', b'"path": "a.j"sonl"', 1)
    assert damaged != data
    _, back = convert(damaged, "claude-code", name="s.json")
    assert all(name.endswith(".jsonl") for name in back)
    assert only(back) == session
