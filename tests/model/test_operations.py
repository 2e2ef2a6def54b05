"""Operations: each changes only its target, and gives the same when it is repeated."""

from __future__ import annotations

import msgspec
import pytest

from talktree.errors import NotFound, TalktreeError, UsageError
from talktree.model.conversation import Conversation
from talktree.model.message import DELETED, Message, Usage
from talktree.model.operations import (
    AttachFile,
    ChangeRole,
    CloneMessage,
    DeleteMessage,
    MoveMessage,
    Operation,
    RemoveMessage,
    ReplaceText,
    ReplyTo,
    ReviseMessage,
    SwapMessages,
    UndeleteMessage,
    apply_operation,
)
from talktree.model.parts import Attachment
from tests.talk import reply, said, talk


@pytest.fixture
def garden() -> Conversation:
    """Return a — b — c — d, and e beside c."""
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
    (ReplyTo(id="n", parent="d", text="more"), {**BEFORE, "n": "d"}),
    (ReplyTo(id="n", parent=None, text="new"), {**BEFORE, "n": None}),
    (ReviseMessage(id="n", about="c", text="other"), {**BEFORE, "n": "b"}),
    (ReplaceText(about="c", text="other"), BEFORE),
    (CloneMessage(about="c", ids={"c": "n"}), {**BEFORE, "n": "b"}),
    (CloneMessage(about="c", ids={"c": "n", "d": "o"}), {**BEFORE, "n": "b", "o": "n"}),
    (ChangeRole(about="c", role="system"), BEFORE),
    (DeleteMessage(about="c"), BEFORE),
    (UndeleteMessage(about="c"), BEFORE),
    (RemoveMessage(about="b"), {"a": None, "c": "a", "d": "c", "e": "a"}),
    (MoveMessage(about="c", to="a"), {**BEFORE, "c": "a"}),
    (MoveMessage(about="c", to=None), {**BEFORE, "c": None}),
    (SwapMessages(about="d", other="e"), {**BEFORE, "d": "b", "e": "c"}),
    (SwapMessages(about="c", other="e"), {**BEFORE, "d": "e"}),
    (SwapMessages(about="b", other="c"), {"a": None, "c": "a", "b": "c", "d": "b", "e": "c"}),
    (SwapMessages(about="c", other="b"), {"a": None, "c": "a", "b": "c", "d": "b", "e": "c"}),
    (SwapMessages(about="a", other="d"), {"d": None, "b": "d", "c": "b", "a": "c", "e": "b"}),
    (AttachFile(about="c", name="x.txt", media_type="text/plain", url="data:,x"), BEFORE),
]


@pytest.mark.parametrize(("operation", "after"), ALL, ids=lambda each: type(each).__name__)
def test_the_tree_is_as_the_operation_says(
    garden: Conversation, operation: Operation, after: dict[str, str | None]
) -> None:
    changed = apply_operation(garden, operation)
    assert parents(changed) == after
    assert parents(garden) == BEFORE, "the conversation itself is a value"
    assert [*apply_operation(garden, operation).entries] == [*changed.entries]


@pytest.mark.parametrize("operation", [each for each, _ in ALL])
def test_an_operation_can_be_kept(operation: Operation) -> None:
    assert msgspec.json.decode(msgspec.json.encode(operation), type=Operation) == operation


def test_only_the_named_message_changes(garden: Conversation) -> None:
    def those(conversation: Conversation) -> dict[str, Message]:
        return {message.id: message for message in conversation.messages()}

    before = those(garden)
    after = those(apply_operation(garden, ReplaceText(about="c", text="other")))
    assert after.pop("c").text == "other"
    assert after.items() <= before.items()
    assert (
        those(apply_operation(garden, ChangeRole(about="c", role="system")))["c"].role == "system"
    )
    gone = apply_operation(garden, DeleteMessage(about="c"))
    assert those(gone)["c"].flags == {DELETED}
    assert those(apply_operation(gone, UndeleteMessage(about="c"))) == before
    attached = apply_operation(
        garden, AttachFile(about="c", name="x", media_type="text/plain", url="data:,x")
    )
    assert those(attached)["c"].parts[-1] == Attachment(
        name="x", media_type="text/plain", url="data:,x"
    )


def test_a_copy_has_no_usage(garden: Conversation) -> None:
    for operation in (
        ReviseMessage(id="n", about="b", text="x"),
        CloneMessage(about="b", ids={"b": "n"}),
    ):
        copy = apply_operation(garden, operation)["n"]
        assert copy.usage is None
        assert copy.api_message is None


@pytest.mark.parametrize(
    "operation",
    [
        ReplyTo(id="n", parent="nobody", text=""),
        ReplaceText(about="nobody", text=""),
        MoveMessage(about="b", to="d"),
        MoveMessage(about="b", to="nobody"),
        SwapMessages(about="b", other="b"),
        CloneMessage(about="b", ids={"b": "n", "d": "o"}),
    ],
)
def test_impossible_requests_are_refused(garden: Conversation, operation: Operation) -> None:
    with pytest.raises(TalktreeError) as reported:
        apply_operation(garden, operation)
    assert isinstance(reported.value, UsageError | NotFound)
