"""Whatever is written in any order: a saved file reads as what was written, and is valid."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import talktree
from talktree import Draft, Message, TalktreeError
from tests.cases import examples

STEPS = st.lists(
    st.tuples(
        st.sampled_from(["reply", "reply", "reply", "fork", "edit", "revise", "delete", "remove"]),
        st.integers(0, 7),
        st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)
        | st.sampled_from(
            ["```x```", "\\`", "---", "; role: user", "]]>", "a\n\n\nb", "{", "--b--"]
        ),
        st.sampled_from(["user", "assistant"]),
    ),
    max_size=8,
)
Said = list[tuple[str, str, str | None, frozenset[str], int | None]]


@pytest.mark.parametrize("slug", talktree.slugs())
@given(steps=STEPS)
@examples(50)
def test_saved_drafts_read_as_what_was_written(
    slug: str, steps: list[tuple[str, int, str, str]]
) -> None:
    draft = talktree.new(slug)
    draft.reply("A beginning")
    for step in steps:
        before = said(draft)
        refused = False
        try:
            draft = taken(draft, *step)
        except TalktreeError:
            refused = True
        # What a format cannot hold is refused, and then nothing has changed.
        assert not refused or said(draft) == before
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "c"
        draft.save(path)
        if not len(draft):
            return
        again = talktree.read(path)
        assert again.format == slug
        assert sorted(said(again.conversation)) == sorted(said(draft))
        # Two roots without replies look like two messages that name no parent.
        assert {each.code for each in talktree.check(again).findings} <= {"TRE112"}


def taken(draft: Draft, verb: str, at: int, text: str, role: str) -> Draft:
    """Return the draft to continue with after a step."""
    if verb == "reply" or not len(draft):
        draft.reply(text, role=role)
        return draft
    about = draft[at % len(draft)]
    match verb:
        case "fork":
            return draft.fork(at=about)
        case "edit":
            draft.edit(about, text)
        case "revise":
            draft.edit(about.id, text, branch=True)
        case "delete":
            draft.delete(about)
        case "remove":
            draft.remove(about)
    return draft


def said(talk: talktree.Conversation | Draft) -> Said:
    """Return what each message says, in an order that does not depend on the file."""
    parents: dict[str, str | None] = {each.id: each.parent for each in talk}
    return [
        (each.id, each.role + each.text, parents[each.id], each.flags, each.time_ns)
        for each in talk
        if isinstance(each, Message)
    ]
