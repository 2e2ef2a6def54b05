"""What a draft can do in Python, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

import talktree
from talktree import Artifact, Attachment, Draft, TalktreeError
from talktree.errors import WouldLose

PIXEL = bytes.fromhex(
    "47494638396101000100000000ff21f904010a0001002c00000000010001000002024c01003b"
)


def chat() -> Draft:
    draft = talktree.new("studio")
    draft.reply("One")
    draft.reply("Two", role="assistant")
    draft.reply("Three")
    return draft


def test_a_draft_reads_like_its_conversation() -> None:
    draft = chat()
    for talk in (draft, draft.conversation):
        assert [message.text for message in talk] == ["One", "Two", "Three"]
        assert len(talk) == 3
        assert bool(talk)
        assert [message.text for message in talk[1:]] == ["Two", "Three"]
        assert (talk[0].text, talk[-1].text, talk[-2:][0].text) == ("One", "Three", "Two")
        assert talk[talk[1].id] == talk[1]
        assert talk[0] in talk
        assert talk[0].id in talk
        assert "nothing" not in talk
        assert 3 not in talk
        with pytest.raises(IndexError):
            talk[3]
    assert bool(talktree.new("studio"))
    assert [message.text for message in draft.path()] == ["One", "Two", "Three"]


def test_values_that_were_given_out_never_change() -> None:
    draft = chat()
    before, document = draft.conversation, draft.document
    message = draft[0]
    draft.edit(message, "Another")
    draft.reply("Four")
    assert [each.text for each in before] == ["One", "Two", "Three"]
    assert len(document.conversation) == 3
    assert message.text == "One"
    assert [each.text for each in draft] == ["Another", "Two", "Three", "Four"]


def test_reprs_are_short_and_say_what_it_is() -> None:
    draft = talktree.new("muse", title="Tea")
    message = draft.reply("A very long text, " * 20)
    shown = repr(message)
    assert message.id in shown
    assert "user" in shown
    assert "A very long" in shown
    assert len(shown) < 150
    assert repr(draft) == f"<Draft {draft.id} 'Tea' (muse, 1 message)>"
    assert repr(draft.conversation) == f"<Conversation {draft.id} 'Tea' (muse, 1 message)>"
    assert "(muse, 1 conversation)" in repr(draft.document)
    assert repr(talktree.check(draft)) == "<Report no findings>"
    source = talktree.Source.of_bytes(b"secret", name="a.json")
    assert repr(source) == "<Source a.json (1 file)>"


def test_times_are_datetimes_and_nanoseconds() -> None:
    draft = talktree.new("native")
    noon = datetime(2026, 1, 31, 12, tzinfo=UTC)
    east = datetime(2026, 1, 31, 14, tzinfo=timezone(timedelta(hours=2)))
    for given in (noon, east, "2026-01-31T12:00:00Z", 1_769_860_800_000_000_000):
        message = draft.reply("x", time=given)
        assert message.time == noon
        assert message.time.tzinfo is UTC
        assert message.time_ns == 1_769_860_800_000_000_000
    fine = draft.reply("x", time=noon.replace(microsecond=7))
    assert fine.time_ns == 1_769_860_800_000_007_000
    assert talktree.new("muse").reply("x", time=noon.replace(microsecond=7)).time == noon
    assert talktree.Message(time_ns=None).time is None
    assert talktree.Message(time_ns=2**80).time is None


def test_every_message_is_later_than_the_one_before() -> None:
    draft = talktree.new("claude-code")
    times = [draft.reply(f"{number}").time_ns or 0 for number in range(5)]
    assert times == sorted(set(times))


def test_forks_write_in_one_conversation() -> None:
    draft = chat()
    other = draft.fork(at=draft[0])
    answer = other.reply("Other", role="assistant")
    assert answer.parent == draft[0].id
    assert draft.reply("Four").parent == draft[2].id
    assert other.last == answer
    assert len(draft) == len(other) == 5
    assert len(draft.branches()) == 2
    assert other.reply("New", to="root").parent is None
    assert other.reply("Below", to=draft[1]).parent == draft[1].id


def test_delete_marks_or_takes_out() -> None:
    draft = chat()
    draft.delete(draft[2])
    assert (len(draft), draft[2].flags) == (3, frozenset({"deleted"}))
    assert draft.last == draft[1]
    assert not draft.undelete(draft[2]).flags
    history = talktree.new("muse")
    first = history.reply("One")
    history.delete(history.reply("Two"))
    assert list(history) == [first]
    assert history.reply("Three", role="assistant").parent == first.id


def test_other_verbs_are_those_of_edit() -> None:
    draft = chat()
    assert draft.retype(draft[0], "robot").role == "robot"
    assert draft.move(draft[2], draft[0]).parent == draft[0].id
    assert draft.edit(draft[1], "Zwei", branch=True).parent == draft[0].id
    draft.remove(draft[1])
    assert [each.text for each in draft] == ["One", "Three", "Zwei"]


def test_files_and_artifacts(tmp_path: Path) -> None:
    (tmp_path / "dot.gif").write_bytes(PIXEL)
    (tmp_path / "a.txt").write_text("plain")
    draft = chat()
    with_files = draft.attach(tmp_path / "dot.gif")
    with_files = draft.attach(str(tmp_path / "a.txt"), name="b.txt", to=with_files.id)
    first, second = [part for part in with_files.parts if isinstance(part, Attachment)]
    assert (first.name, first.media_type) == ("dot.gif", "image/gif")
    assert (second.name, second.url) == ("b.txt", "data:text/plain;base64,cGxhaW4=")
    draft.add_artifact("page", "<p>Hi</p>", media_type="text/html", to=draft[1])
    draft.add_artifact("hello.svg", "<svg/>", to=draft[1])
    draft.save(tmp_path / "c.json")
    comment = json.loads((tmp_path / "c.json").read_text())[0]["children"][0]
    one, two = comment["artifacts"]
    assert {"id", "type", "title", "status", "command"} <= one.keys()
    assert (one["type"], two["type"], two["content"]) == ("text/html", "image/svg+xml", "<svg/>")
    assert len({one["id"], two["id"]}) == 2
    assert talktree.check(tmp_path / "c.json").findings == []
    again = talktree.read(tmp_path / "c.json").conversation
    assert sum(isinstance(part, Artifact) for part in again[1].parts) == 2


@pytest.mark.parametrize("slug", ["muse", "chatbuilder"])
def test_content_that_a_format_cannot_hold_is_refused_immediately(
    slug: str, tmp_path: Path
) -> None:
    (tmp_path / "dot.gif").write_bytes(PIXEL)
    draft = talktree.new(slug)
    draft.reply("One")
    draft.reply("Two", role="assistant")
    before = list(draft)
    refused: list[Callable[[], object]] = [
        lambda: draft.attach(tmp_path / "dot.gif"),
        lambda: draft.add_artifact("a", "b"),
        lambda: draft.fork(at=draft[0]),
        lambda: draft.reply("x", to=draft[0]),
        lambda: draft.reply("x", to="root"),
        lambda: draft.reply("x", thinking="high"),
        lambda: draft.edit(draft[0], "x", branch=True),
    ]
    for wrong in refused:
        with pytest.raises(WouldLose):
            wrong()
        assert list(draft) == before


WRONG: list[Callable[[Draft], object]] = [
    lambda draft: talktree.new("spam"),
    lambda draft: talktree.new(3),  # type: ignore[arg-type]
    lambda draft: talktree.new("muse", title=3),  # type: ignore[arg-type]
    lambda draft: talktree.read("no/such/file"),
    lambda draft: talktree.edit("no/such/file"),
    lambda draft: draft.reply("x", role="robot"),
    lambda draft: draft.reply("x", role=""),
    lambda draft: draft.reply("x", role=None),  # type: ignore[arg-type]
    lambda draft: draft.reply(3),  # type: ignore[arg-type]
    lambda draft: draft.reply("half \ud800"),
    lambda draft: draft.reply("x", to="nobody"),
    lambda draft: draft.reply("x", to=7),  # type: ignore[arg-type]
    lambda draft: draft.reply("x", id="not a uuid"),
    lambda draft: draft.reply("x", id=""),
    lambda draft: draft.reply("x", id=draft[0].id),
    lambda draft: draft.reply("x", time="yesterday"),
    lambda draft: draft.reply("x", time=10**40),
    lambda draft: draft.reply("x", time=True),
    lambda draft: draft.reply("x", time=1.5),  # type: ignore[arg-type]
    lambda draft: draft.reply("x", thinking="extreme"),  # type: ignore[arg-type]
    lambda draft: draft.reply("x", author=" "),
    lambda draft: draft.attach("no/such/file"),
    lambda draft: draft.attach("nul\0"),
    lambda draft: draft.attach(Path.cwd()),
    lambda draft: draft.attach(3),  # type: ignore[arg-type]
    lambda draft: draft.edit("nobody", "x"),
    lambda draft: draft.edit(draft[0], draft[0].text),
    lambda draft: draft.delete("nobody"),
    lambda draft: draft.fork(at="nobody"),
    lambda draft: draft.save(),
    lambda draft: draft.conversation["nobody"],
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_wrong_values_are_value_errors(number: int) -> None:
    draft = talktree.new("claude-messages")
    draft.reply("One")
    with pytest.raises(TalktreeError) as caught:
        WRONG[number](draft)
    assert isinstance(caught.value, ValueError)
    assert len(draft) == 1


def test_wrong_levels_roles_and_ids_of_a_session_are_value_errors(tmp_path: Path) -> None:
    with talktree.create_session(root=tmp_path / ".sage", workspace=tmp_path) as session:
        assert session.id in repr(session)
        with pytest.raises(ValueError, match="extreme"):
            session.user("x", thinking="extreme")  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="nobody"):
            session.message("nobody")
    with pytest.raises(ValueError, match="nobody"):
        talktree.open_session("nobody", root=tmp_path / ".sage")


def test_wrong_arity_is_a_type_error() -> None:
    draft = chat()
    with pytest.raises(TypeError):
        draft.reply()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        draft.reply("x", colour="red")  # type: ignore[call-arg]


def test_read_conversations_are_edited_by_the_same_verbs(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    first = talktree.new("claude-messages")
    first.reply("One")
    first.save(path)
    before = path.read_bytes()
    draft = talktree.edit(path)
    draft.reply("Two", role="assistant")
    assert draft.save(tmp_path / "d.jsonl") == [tmp_path / "d.jsonl"]
    assert (tmp_path / "d.jsonl").read_bytes().startswith(before)
    document = talktree.read(path)
    again = talktree.edit(document)
    again.reply("Zwei", role="assistant")
    assert len(document.conversation) == 1
    assert again.save() == [path]
    assert [each.text for each in talktree.read(path).conversation] == ["One", "Zwei"]
    with pytest.raises(TalktreeError, match="exists"):
        again.save(tmp_path / "d.jsonl")
    assert again.save(tmp_path / "d.jsonl", force=True)


def test_one_of_several_conversations_is_edited(tmp_path: Path) -> None:
    path = tmp_path / "two.json"
    histories = []
    for name in ("a", "b"):
        draft = talktree.new("muse", title=name)
        draft.reply(name)
        draft.save(tmp_path / name)
        histories.append(json.loads((tmp_path / name).read_text()))
    path.write_text(json.dumps(histories))
    with pytest.raises(ValueError, match="2 conversations"):
        talktree.edit(path)
    chosen = histories[1]["conversation_id"]
    draft = talktree.edit(path, conversation=chosen)
    draft.reply("more", role="assistant")
    draft.save(tmp_path / "out.json")
    counts = [len(each) for each in talktree.read(tmp_path / "out.json").conversations]
    assert counts == [1, 2]


def test_drafts_are_documents(tmp_path: Path) -> None:
    draft = chat()
    assert talktree.check(draft).findings == []
    assert talktree.write(draft, tmp_path / "c.json") == [tmp_path / "c.json"]
    talktree.convert(draft, tmp_path / "c.jsonl", to="claude-messages")
    texts = [each.text for each in talktree.read(tmp_path / "c.jsonl").conversation]
    assert texts == ["One", "Two", "Three"]


@pytest.mark.parametrize("slug", talktree.slugs())
def test_a_message_without_words_is_written(slug: str, tmp_path: Path) -> None:
    draft = talktree.new(slug)
    draft.reply("")
    draft.reply("Say something", role="assistant")
    draft.save(tmp_path / "c")
    again = talktree.read(tmp_path / "c")
    assert [each.text for each in again.conversation] == ["", "Say something"]
    # One of the formats is read by a program that sends it to an API which accepts any text.
    assert talktree.check(again).failed == (slug == "claude-code")


def test_ids_and_authors_can_be_given() -> None:
    draft = talktree.new("chatbuilder")
    message = draft.reply(
        "x", id="32d9afc7-aeac-4a67-ba94-0c92678604a1", author="Ada, Claude 3.7 Sonnet (v1.0.0)"
    )
    assert message.id == "32d9afc7-aeac-4a67-ba94-0c92678604a1"
    assert message.authors == (
        talktree.Author("Ada"),
        talktree.Author("Claude 3.7 Sonnet", "1.0.0"),
    )
    assert talktree.new("studio").reply("x", author=talktree.Author("Ada")).authors[0].name == "Ada"
