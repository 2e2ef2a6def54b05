"""A diff reports all differences, and nothing else."""

from __future__ import annotations

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from talktree.conversion.diff import ConversationChange, DiffSide, find_differences
from talktree.model.conversation import Conversation
from talktree.model.operations import (
    MoveMessage,
    Operation,
    RemoveMessage,
    ReplaceText,
    ReplyTo,
    apply_operation,
)
from tests.talk import reply, said, talk

TREE = [said("a"), reply("b", "a"), said("c", "b"), reply("d", "c"), said("e", "b")]


def details(one: Conversation, two: Conversation) -> list[ConversationChange]:
    return list(find_differences(DiffSide(one), DiffSide(two)))


def test_a_conversation_does_not_differ_from_itself() -> None:
    assert details(talk(TREE), talk(TREE)) == []


def test_each_edit_is_what_differs() -> None:
    before = talk(TREE)
    for operation, change in (
        (ReplyTo(id="n", parent="d", text="x"), ConversationChange(kind="added", a=None, b="n")),
        (
            ReplaceText(about="c", text="x"),
            ConversationChange(kind="changed", a="c", b="c", what=("parts",)),
        ),
        (MoveMessage(about="c", to="a"), ConversationChange(kind="moved", a="c", b="c")),
        (RemoveMessage(about="e"), ConversationChange(kind="removed", a="e", b=None)),
    ):
        assert details(before, apply_operation(before, operation)) == [change], operation


def test_copies_with_other_ids_are_the_same_messages() -> None:
    renamed = {each.id: each.id * 3 for each in TREE}
    copies = [
        (said if each.role == "user" else reply)(
            renamed[each.id], renamed.get(each.parent or ""), each.text
        )
        for each in TREE
    ]
    assert details(talk(TREE), talk(copies)) == []


def test_two_branches_differ_in_their_ends() -> None:
    whole = talk(TREE)
    assert list(find_differences(DiffSide(whole, "d"), DiffSide(whole, "e"))) == [
        ConversationChange(kind="added", a=None, b="e"),
        ConversationChange(kind="removed", a="c", b=None),
        ConversationChange(kind="removed", a="d", b=None),
    ]


@given(st.lists(st.tuples(st.sampled_from("rmcx"), st.integers(0, 4), st.text(max_size=3))))
def test_the_reverse_diff_is_the_opposite(edits: list[tuple[str, int, str]]) -> None:
    before = after = talk(TREE)
    for number, (verb, at, text) in enumerate(edits):
        ids = [message.id for message in after.messages()]
        if not ids:
            break
        about = ids[at % len(ids)]
        operation: Operation = ReplyTo(id=str(UUID(int=number)), parent=about, text=text)
        match verb:
            case "m":
                operation = MoveMessage(about=about, to=None)
            case "c":
                operation = ReplaceText(about=about, text=text)
            case "x":
                operation = RemoveMessage(about=about)
        after = apply_operation(after, operation)
    there, back = details(before, after), details(after, before)
    turned = {"added": "removed", "removed": "added"}
    assert {(turned.get(each.kind, each.kind), each.b, each.a) for each in there} == {
        (each.kind, each.a, each.b) for each in back
    }
    assert (there == []) == (back == [])
