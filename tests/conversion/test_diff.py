"""What differs is told, and nothing else."""

from __future__ import annotations

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from talktree.conversion.diff import Change, Side, differences
from talktree.model.conversation import Conversation
from talktree.model.operations import Move, Operation, Remove, Replace, Reply, done
from tests.talk import reply, said, talk

TREE = [said("a"), reply("b", "a"), said("c", "b"), reply("d", "c"), said("e", "b")]


def told(one: Conversation, two: Conversation) -> list[Change]:
    return list(differences(Side(one), Side(two)))


def test_a_conversation_does_not_differ_from_itself() -> None:
    assert told(talk(TREE), talk(TREE)) == []


def test_each_edit_is_what_differs() -> None:
    before = talk(TREE)
    for operation, change in (
        (Reply(id="n", parent="d", text="x"), Change(kind="added", a=None, b="n")),
        (Replace(about="c", text="x"), Change(kind="changed", a="c", b="c", what=("parts",))),
        (Move(about="c", to="a"), Change(kind="moved", a="c", b="c")),
        (Remove(about="e"), Change(kind="removed", a="e", b=None)),
    ):
        assert told(before, done(before, operation)) == [change], operation


def test_copies_with_other_ids_are_the_same_messages() -> None:
    renamed = {each.id: each.id * 3 for each in TREE}
    copies = [
        (said if each.role == "user" else reply)(
            renamed[each.id], renamed.get(each.parent or ""), each.text
        )
        for each in TREE
    ]
    assert told(talk(TREE), talk(copies)) == []


def test_two_branches_differ_in_their_ends() -> None:
    whole = talk(TREE)
    assert list(differences(Side(whole, "d"), Side(whole, "e"))) == [
        Change(kind="added", a=None, b="e"),
        Change(kind="removed", a="c", b=None),
        Change(kind="removed", a="d", b=None),
    ]


@given(st.lists(st.tuples(st.sampled_from("rmcx"), st.integers(0, 4), st.text(max_size=3))))
def test_going_back_tells_the_opposite(edits: list[tuple[str, int, str]]) -> None:
    before = after = talk(TREE)
    for number, (verb, at, text) in enumerate(edits):
        ids = [message.id for message in after.messages()]
        if not ids:
            break
        about = ids[at % len(ids)]
        operation: Operation = Reply(id=str(UUID(int=number)), parent=about, text=text)
        match verb:
            case "m":
                operation = Move(about=about, to=None)
            case "c":
                operation = Replace(about=about, text=text)
            case "x":
                operation = Remove(about=about)
        after = done(after, operation)
    there, back = told(before, after), told(after, before)
    turned = {"added": "removed", "removed": "added"}
    assert {(turned.get(each.kind, each.kind), each.b, each.a) for each in there} == {
        (each.kind, each.a, each.b) for each in back
    }
    assert (there == []) == (back == [])
