"""What is extracted from messages: pieces, titles, calls, measures."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from talktree import api
from talktree.files import load
from talktree.formats import all_formats
from talktree.library.extract import claude_code, from_model
from talktree.library.extract.facts import ExtractedFacts, find_landmark, hash_id
from talktree.library.extract.packed_tree import PackedTree
from tests.library import made
from tests.library.made import Session, Truth
from tests.library.reading_sessions import Line, encoded

DATA = "aGVsbG8gd29ybGQ" * 100


def report_of(*lines: Line) -> ExtractedFacts:
    return claude_code.extract_claude_code(b"".join(map(encoded, lines)))


def user(content: Any, **more: Any) -> Line:
    return {"type": "user", "uuid": "u", "message": {"role": "user", "content": content}, **more}


def assistant(*blocks: Line, **more: Any) -> Line:
    return {"type": "assistant", "uuid": "a", "message": {"content": list(blocks)}, **more}


def use(name: str = "Bash", **input: Any) -> Line:
    return {"type": "tool_use", "id": f"toolu_{name}", "name": name, "input": input}


def result(content: Any, name: str = "Bash", **more: Any) -> Line:
    block = {"type": "tool_result", "tool_use_id": f"toolu_{name}", "content": content, **more}
    return user([block])


# pieces


def test_everything_said_in_a_history_is_found(tmp_path: Path) -> None:
    truth = made.history(tmp_path)
    pieces = [
        p for path in truth.files for p in claude_code.extract_claude_code(path.read_bytes()).pieces
    ]
    texts = {piece.text for piece in pieces}
    for said in truth.said.values():
        if said.kind not in ("call", "system"):
            assert said.text in texts, said
    assert {piece.kind for piece in pieces} == {
        "text", "thinking", "call", "result", "todo", "summary", "other",
    }  # fmt: skip
    failed = [piece for piece in pieces if piece.kind == "result" and "is=error" in piece.tags]
    assert {piece.text for piece in failed} == {"KeyError: 'filament'"}
    assert {"tool=bash", "role=tool"} <= set(failed[0].tags.split())
    assert any("lamp.py" in piece.files.split("\n") for piece in pieces if not piece.text)


def test_the_tags_of_a_piece(tmp_path: Path) -> None:
    session = Session(Truth(), 1)
    session.answer("words", thinking="thoughts")
    (thought, words) = claude_code.extract_claude_code(session.bytes()).pieces
    common = "format=claude format=code kind={} role=assistant model=claude model=sonnet model=4"
    for piece in (thought, words):
        assert piece.tags.startswith(common.format(piece.kind))
        assert piece.tags.endswith("project=home project=ana project=harbour branch=main")
        assert piece.time == 1772442000 + 1 + (piece is words)


def test_a_call_is_its_tool_and_its_values() -> None:
    call = use("Edit", file_path="/a b.py", edits=[{"old": "x", "count": 3}], all=True, none=None)
    (piece,) = report_of(assistant(call)).pieces
    assert piece.text == "Edit\n/a b.py\nx\n3\nTrue"
    assert (piece.kind, piece.role, piece.files) == ("call", "assistant", "/a b.py")


def test_a_result_is_all_its_text_and_no_picture() -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "x/y", "data": DATA}}
    lines = result([{"type": "text", "text": "one"}, picture, {"type": "text", "text": "two"}])
    (piece,) = report_of(lines).pieces
    assert piece.text == "one\ntwo"
    strange = {"type": "search", "found": ["three", {"title": "four", "data": DATA}], "x": DATA}
    (piece,) = report_of(result([strange])).pieces
    assert piece.text == "three\nfour"
    assert report_of(user([picture])).pieces == []


@pytest.mark.parametrize(
    ("content", "detail", "text"),
    [
        ("said", {"stdout": "said", "stderr": ""}, "said"),
        ("said", {"stdout": "more"}, "said"),
        ("", {"stdout": "only here", "isImage": False}, "only here"),
        (None, {"file": {"content": "only here", "filePath": "/f"}}, "only here\n/f"),
        ("", {"file": {"base64": base64.b64encode(bytes(900)).decode()}}, None),
        ("<persisted-output>begin", {"stdout": "whole"}, "<persisted-output>begin\nwhole"),
        ("", {"originalFile": "old", "oldTodos": ["x"]}, None),
        ("", "Error: no", "Error: no"),
    ],
)
def test_a_structured_answer_is_reported_where_the_result_has_no_words(
    content: str | None, detail: Any, text: str | None
) -> None:
    line = {**result(content), "toolUseResult": detail}
    assert [piece.text for piece in report_of(line).pieces] == ([] if text is None else [text])


def test_tasks_are_reported_when_they_change() -> None:
    tasks = [{"content": "wiring", "status": "completed"}, {"content": "paint", "status": "new"}]
    reported = report_of(
        assistant(use("TodoWrite", todos=tasks)),
        user("go on", todos=tasks),
        user("and on", todos=tasks[:1]),
        user("and on", todos=tasks[:1]),
    )
    found = [(piece.kind, piece.text) for piece in reported.pieces if piece.kind == "todo"]
    assert found == [("todo", "completed: wiring\nnew: paint"), ("todo", "completed: wiring")]


def test_commands_are_reported_as_they_were_typed() -> None:
    text = "<command-name>/init</command-name>\n<command-args>now</command-args>"
    out = "<local-command-stdout>done it</local-command-stdout>"
    reported = report_of(user(text), user(out), user("Caveat: x", isMeta=True))
    assert [(piece.kind, piece.text) for piece in reported.pieces] == [
        ("text", "/init now"),
        ("other", "done it"),
        ("other", "Caveat: x"),
    ]
    assert reported.head.title == "/init now"


# titles


@pytest.mark.parametrize(
    ("lines", "title"),
    [
        ([user("  Mend\nthe lamp ")], "Mend the lamp"),
        ([user("word " * 40)], "word " * 19 + "word…"),
        ([user("<system-reminder>x</system-reminder>"), user("Mend")], "Mend"),
        ([user("# Lamp\n\n**Mend** `it`, 2**3 times\n#soon")], "Lamp Mend it, 2**3 times #soon"),
        ([user(f"<system-reminder>{'x' * 9000}</system-reminder>\n## Mend")], "Mend"),
        ([{"type": "custom-title", "customTitle": "`C` **D**"}], "`C` **D**"),
        ([user("Side", isSidechain=True), user("Main")], "Main"),
        ([user("Side", isSidechain=True)], "Side"),
        ([assistant({"type": "text", "text": "Hello"})], "Hello"),
        ([assistant({"type": "text", "text": "Hello"}), user("Mend")], "Mend"),
        ([user("Meta", isMeta=True)], None),
        ([user("Mend"), {"type": "summary", "summary": "A"}], "A"),
        ([{"type": "custom-title", "customTitle": "C"}, {"type": "ai-title", "aiTitle": "B"}], "C"),
        ([{"type": "ai-title", "aiTitle": "B"}, {"type": "ai-title", "aiTitle": "D"}], "D"),
        ([{"type": "summary", "summary": ""}, user("Mend")], "Mend"),
        ([user("short", isCompactSummary=True), user("Mend")], "Mend"),
    ],
)
def test_the_best_title_counts(lines: list[Line], title: str | None) -> None:
    assert report_of(*lines).head.title == title
    head = None
    for line in lines:
        head = claude_code.extract_claude_code(encoded(line), 0, head).head
    assert head is not None
    assert head.title == title


# facts


def test_replies_and_calls_of_a_history(tmp_path: Path) -> None:
    truth = made.history(tmp_path)
    replies: dict[int, int] = {}
    calls: dict[int, str] = {}
    failed: set[int] = set()
    for path in truth.files:
        reported = claude_code.extract_claude_code(path.read_bytes())
        for reply in reported.replies:
            replies[reply.key] = max(replies.get(reply.key, 0), reply.output)
            assert reply.sidechain == ("agent" in path.name)
        calls |= {call.key: call.tool for call in reported.calls}
        assert all(call.reply in replies for call in reported.calls)
        failed |= {outcome.key for outcome in reported.outcomes if outcome.failed}
    assert (len(replies), sum(replies.values())) == (16, truth.tokens.output)
    assert sorted(calls.values()) == sorted(truth.calls.elements())
    assert [calls[key] for key in failed] == ["Bash"]


def test_a_fork_and_an_agent_name_where_they_come_from(tmp_path: Path) -> None:
    heads = [
        claude_code.extract_claude_code(path.read_bytes()).head
        for path in made.history(tmp_path).files
    ]
    agents = [head for head in heads if head.native in ("a1", "b2")]
    assert [head.parent for head in agents] == [made.session_id(1), made.session_id(3)]
    assert report_of(user("x", forkedFrom={"sessionId": "s0"})).head.parent == "s0"


def test_landmarks_are_a_sample_of_ids() -> None:
    ids = [f"{number:08x}-0000-4000-8000-{number:012x}" for number in range(2000)]
    marks = [mark for id in ids if (mark := find_landmark(id)) is not None]
    assert 60 < len(marks) < 190
    assert find_landmark(ids[0].encode()) == find_landmark(ids[0])
    assert len({hash_id(id) for id in [*ids, "x", "y", "Z" * 36]}) == 2003
    reported = report_of(*[user("x", uuid=id) for id in ids])
    assert [mark for _, mark in reported.marks] == marks


# other formats


def test_every_format_is_reported(tmp_path: Path) -> None:
    for other in made.others(tmp_path):
        format = next(each for each in all_formats() if each.info.slug == other.slug)
        reported = from_model.extract_source(load(other.path), format)
        assert any(other.word in piece.text.lower() for piece in reported.pieces), other.slug
        shape = PackedTree().with_links(reported.links)
        assert shape.messages == other.messages
        assert len(shape.leaves) >= 1
        assert all(f"format={other.slug.split('-')[0]}" in piece.tags for piece in reported.pieces)
        document = api.read(other.path)
        talks = [talk for talk in document.conversations if talk.tree.active_leaf() is not None]
        branches = [branch.kind for talk in talks for branch in talk.branches()]
        assert shape.branches == len(branches) - branches.count("sidechain")
        output = {reply.key: reply.output for reply in reported.replies}
        assert sum(output.values()) >= other.tokens.output
        assert [each.native for each in reported.conversations] == [
            each.native_id for each in document.conversations
        ]


def test_measures_of_muse_are_extracted(tmp_path: Path) -> None:
    path = tmp_path / "muse.json"
    path.write_text(
        """{"conversation_id": "c", "message_history": [{"id": "m", "role": "user",
        "content": "Hi", "timestamp": 1732782425694, "tags": [], "seconds_until_streaming": 1.5,
        "seconds_until_finished": 3, "front_desk_classification_results": {"sentiment": "positive",
        "user_language": "english", "unity_topics": ["Physics", "Audio"], "is_safe": true}}]}"""
    )
    reported = from_model.extract_source(load(path), api.detect(path).format)
    assert [(each.name, each.value) for each in reported.measures] == [
        ("seconds_until_streaming", 1.5),
        ("seconds_until_finished", 3.0),
        ("language", "english"),
        ("safe", "true"),
        ("topic", "Physics"),
        ("topic", "Audio"),
        ("sentiment", "positive"),
    ]
    assert reported.head.native == "c"


def test_calls_without_ids_find_their_results() -> None:
    format = next(each for each in all_formats() if each.info.slug == "claude-messages")
    good = Path(__file__).parent.parent / "data" / "claude-messages" / "good"
    for source in sorted(good.iterdir()):
        reported = from_model.extract_source(load(source), format)
        keys = {call.key for call in reported.calls}
        assert len(keys) == len(reported.calls)
        assert {outcome.key for outcome in reported.outcomes} <= keys
