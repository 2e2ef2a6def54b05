"""Operations: each does what it says, to nothing else, and the same when it is done again."""

from __future__ import annotations

import msgspec
import pytest

from talktree.errors import NotFound, TalktreeError, UsageError
from talktree.model.conversation import Conversation
from talktree.model.message import DELETED, Message, Usage
from talktree.model.operations import (
    Attach,
    Clone,
    Delete,
    Move,
    Operation,
    Remove,
    Replace,
    Reply,
    Retype,
    Revise,
    Swap,
    Undelete,
    done,
)
from talktree.model.parts import Attachment
from tests.talk import reply, said, talk


@pytest.fixture
def garden() -> Conversation:
    """a — b — c — d, and e beside c."""
    return talk(
        [
            said("a"),
            reply("b", "a", usage=Usage(input=1), api_message="msg"),
            said("c", "b"),
            reply("d", "c"),
            said("e", "b"),
        ]
    )


def parents(conversation: Conversation) -> dict[str, str | None]:
    return {message.id: message.parent for message in conversation.messages()}


BEFORE = {"a": None, "b": "a", "c": "b", "d": "c", "e": "b"}
ALL: list[tuple[Operation, dict[str, str | None]]] = [
    (Reply(id="n", parent="d", text="more"), {**BEFORE, "n": "d"}),
    (Reply(id="n", parent=None, text="new"), {**BEFORE, "n": None}),
    (Revise(id="n", about="c", text="other"), {**BEFORE, "n": "b"}),
    (Replace(about="c", text="other"), BEFORE),
    (Clone(about="c", ids={"c": "n"}), {**BEFORE, "n": "b"}),
    (Clone(about="c", ids={"c": "n", "d": "o"}), {**BEFORE, "n": "b", "o": "n"}),
    (Retype(about="c", role="system"), BEFORE),
    (Delete(about="c"), BEFORE),
    (Undelete(about="c"), BEFORE),
    (Remove(about="b"), {"a": None, "c": "a", "d": "c", "e": "a"}),
    (Move(about="c", to="a"), {**BEFORE, "c": "a"}),
    (Move(about="c", to=None), {**BEFORE, "c": None}),
    (Swap(about="d", other="e"), {**BEFORE, "d": "b", "e": "c"}),
    (Swap(about="c", other="e"), {**BEFORE, "d": "e"}),
    (Swap(about="b", other="c"), {"a": None, "c": "a", "b": "c", "d": "b", "e": "c"}),
    (Swap(about="c", other="b"), {"a": None, "c": "a", "b": "c", "d": "b", "e": "c"}),
    (Swap(about="a", other="d"), {"d": None, "b": "d", "c": "b", "a": "c", "e": "b"}),
    (Attach(about="c", name="x.txt", media_type="text/plain", url="data:,x"), BEFORE),
]


@pytest.mark.parametrize(("operation", "after"), ALL, ids=lambda each: type(each).__name__)
def test_the_tree_is_as_the_operation_says(
    garden: Conversation, operation: Operation, after: dict[str, str | None]
) -> None:
    changed = done(garden, operation)
    assert parents(changed) == after
    assert parents(garden) == BEFORE, "the conversation itself is a value"
    assert [*done(garden, operation).entries] == [*changed.entries]


@pytest.mark.parametrize("operation", [each for each, _ in ALL])
def test_an_operation_can_be_kept(operation: Operation) -> None:
    assert msgspec.json.decode(msgspec.json.encode(operation), type=Operation) == operation


def test_what_changes_is_what_was_named(garden: Conversation) -> None:
    def those(conversation: Conversation) -> dict[str, Message]:
        return {message.id: message for message in conversation.messages()}

    before = those(garden)
    after = those(done(garden, Replace(about="c", text="other")))
    assert after.pop("c").text == "other"
    assert after.items() <= before.items()
    assert those(done(garden, Retype(about="c", role="system")))["c"].role == "system"
    gone = done(garden, Delete(about="c"))
    assert those(gone)["c"].flags == {DELETED}
    assert those(done(gone, Undelete(about="c"))) == before
    attached = done(garden, Attach(about="c", name="x", media_type="text/plain", url="data:,x"))
    assert those(attached)["c"].parts[-1] == Attachment(
        name="x", media_type="text/plain", url="data:,x"
    )


def test_what_was_paid_once_is_not_paid_by_a_copy(garden: Conversation) -> None:
    for operation in (Revise(id="n", about="b", text="x"), Clone(about="b", ids={"b": "n"})):
        copy = done(garden, operation)["n"]
        assert copy.usage is None
        assert copy.api_message is None


@pytest.mark.parametrize(
    "operation",
    [
        Reply(id="n", parent="nobody", text=""),
        Replace(about="nobody", text=""),
        Move(about="b", to="d"),
        Move(about="b", to="nobody"),
        Swap(about="b", other="b"),
        Clone(about="b", ids={"b": "n", "d": "o"}),
    ],
)
def test_what_cannot_be_done_is_refused(garden: Conversation, operation: Operation) -> None:
    with pytest.raises(TalktreeError) as told:
        done(garden, operation)
    assert isinstance(told.value, UsageError | NotFound)
