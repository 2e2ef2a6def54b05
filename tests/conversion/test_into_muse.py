"""Every conversion to a Muse history is accepted by a strict reader of its document."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from talktree.conversion.fit import fit_message
from talktree.conversion.losses import LossReport
from talktree.formats import get_format
from talktree.formats.format import ConversationInfo, Record
from talktree.model.entries import Entry, Head
from talktree.model.message import Author, Message
from talktree.model.parts import Text, Thinking, ToolCall
from talktree.testing.strategies import messages
from talktree.text.times import MILLI
from tests.conversion.foreign import (
    again,
    details,
    every_sample,
    files_of,
    random_talks,
    sample,
    talk_of,
    with_and_without_carry,
)
from tests.conversion.muse_reader import History, histories
from tests.talk import at, reply, said

MUSE = get_format("muse")
ABOUT = ConversationInfo(id="talk", session="6f1a8b34-52c7-4a7e-9f0d-3b7c5a2e9d10")


@every_sample("muse")
@with_and_without_carry
def test_every_sample_becomes_histories_a_strict_reader_takes(
    slug: str, path: Path, *, carry: bool
) -> None:
    document = sample(slug, path)
    files = files_of(document, "muse", carry=carry)
    assert len(histories(files)) == max(1, len(document.conversations))
    assert [each for each in again(files, "muse").findings if each.severity == "error"] == []


@given(listed=random_talks, carry=st.booleans())
def test_any_conversation_becomes_a_history_a_strict_reader_takes(
    listed: Sequence[Entry], *, carry: bool
) -> None:
    histories(files_of(talk_of(listed), "muse", carry=carry))


@given(message=messages)
def test_adopted_entries_are_read_back_unchanged(message: Message) -> None:
    draft = fit_message(message, MUSE, extra=False).message
    made = MUSE.adopt(replace(draft, id=message.id or "x"), ABOUT, moment=at(0))
    seen = MUSE.get(Record(MUSE.put(made, None), parent=made.parent))
    assert isinstance(seen, Message)
    # Milliseconds of the first years would be read as seconds.
    assert replace(seen, time_ns=made.time_ns) == made
    assert MUSE.adopt(made, ABOUT, moment=at(5)) == made


def history(*listed: Entry, loss_report: LossReport | None = None) -> History:
    """Return a conversation as a strict reader sees it."""
    (found,) = histories(files_of(talk_of(listed), "muse", carry=False, loss_report=loss_report))
    return found


def test_a_conversation_is_written_one_message_a_line() -> None:
    document = talk_of(
        [said("a", text="Hi", time_ns=at(0)), reply("b", "a", "Ho"), Head(title="Tides")]
    )
    (data,) = files_of(document, "muse", carry=False).values()
    (found,) = histories({"x": data})
    assert (
        data.decode()
        == f"""{{
  "_id": "{found.db_id}",
  "schema_version": 2,
  "conversation_id": "{found.db_id}",
  "title": "Tides",
  "message_history": [
    {{"id": "a", "request_id": "a", "timestamp": 1772323200000, "role": "user", "content": "Hi", \
"author": "user", "tags": []}},
    {{"id": "b", "request_id": "a", "timestamp": 1772323200000, "role": "assistant", \
"content": "Ho", "author": "assistant", "tags": []}}
  ],
  "last_updated_timestamp": 1772323200000
}}
"""
    )


def test_a_conversation_without_messages_has_an_empty_list() -> None:
    assert history().message_history == []


def test_the_same_conversation_gives_the_same_bytes() -> None:
    document = talk_of([said("a"), reply("b", "a")])
    assert files_of(document, "muse") == files_of(document, "muse")


def test_the_last_update_is_not_older_than_the_newest_message() -> None:
    found = history(said("a", time_ns=at(9)), reply("b", "a", time_ns=at(3)), said("c", "b"))
    times = [message.timestamp for message in found.message_history]
    assert times == [at(9) // MILLI, at(3) // MILLI, at(3) // MILLI]
    assert found.last_updated_timestamp == at(9) // MILLI


def test_without_any_time_everything_is_of_1970() -> None:
    found = history(said("a"))
    assert found.message_history[0].timestamp == found.last_updated_timestamp == 0


def test_answers_share_the_request_of_their_question() -> None:
    found = history(said("a"), reply("b", "a"), said("c", "b"), reply("d", "c"))
    assert [message.request_id for message in found.message_history] == ["a", "a", "c", "c"]


@pytest.mark.parametrize(
    ("authors", "expected", "loses"),
    [
        ((), "user", False),
        ((Author("Mira"),), "Mira", False),
        ((Author("Mira", "2"),), "Mira", True),
        ((Author("Mira"), Author(""), Author("Olu")), "Mira, Olu", True),
        ((Author("x\ud83c"),), "x\ufffd", True),
    ],
)
def test_an_author_is_one_name(authors: tuple[Author, ...], expected: str, *, loses: bool) -> None:
    loss_report = LossReport()
    (found,) = history(said("a", authors=authors), loss_report=loss_report).message_history
    assert found.author == expected
    assert ("authors" in details(loss_report)) == loses


def test_all_words_are_one_content_and_other_parts_are_shown_in_it() -> None:
    parts = (Thinking("hm"), Text("one"), ToolCall("bash", {"command": "ls"}))
    loss_report = LossReport()
    (found,) = history(reply("a", parts=parts), loss_report=loss_report).message_history
    assert "> hm" in found.content
    assert found.content.endswith('**Call: bash**\n- command: "ls"')
    assert {"thinking", "tool_call", "text"} <= details(loss_report)


def test_a_message_without_words_has_an_empty_content() -> None:
    (found,) = history(said("a", parts=())).message_history
    assert (found.content, found.tags) == ("", [])


def test_digits_below_a_millisecond_are_reported() -> None:
    loss_report = LossReport()
    history(said("a", time_ns=at(0) + 1), loss_report=loss_report)
    assert "time" in details(loss_report)


@pytest.mark.parametrize("id", ["\ud83c", "ObjectId('12')"])
def test_ids_that_would_be_read_otherwise_get_another_name(id: str) -> None:
    loss_report = LossReport()
    first, second = history(said(id), reply("b", id), loss_report=loss_report).message_history
    assert first.id.isalnum()
    assert second.request_id == first.id
    assert "id" in details(loss_report)


def test_only_the_active_branch_is_written() -> None:
    found = history(said("a"), reply("b", "a"), reply("c", "a", time_ns=at(1)))
    assert [message.id for message in found.message_history] == ["a", "c"]
