"""Adding many replies takes linear work and gives the same as adding them one by one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import talktree
from talktree.formats import slugs

COUNT = 90
START = 1_770_000_000_000_000_000


def calls_for(count: int) -> int:
    """Return the number of function calls needed to write `count` replies."""
    draft = talktree.new("native")
    number = 0

    def count_call(_: object, event: str, __: object) -> None:
        nonlocal number
        number += event == "call"

    sys.setprofile(count_call)
    try:
        for at in range(count):
            draft.reply(f"message {at}")
    finally:
        sys.setprofile(None)
    assert len(draft) == count
    return number


def test_twice_as_many_replies_take_twice_the_work() -> None:
    base = calls_for(100)
    assert calls_for(700) - base < 2.2 * (calls_for(400) - base)


@pytest.mark.parametrize("slug", slugs())
def test_replies_are_the_same_as_one_by_one(slug: str, tmp_path: Path) -> None:
    quick, slow = talktree.new(slug), talktree.new(slug)
    for at in range(COUNT):
        role = ("user", "assistant")[at % 2]
        time = START + at * 1_000_000_000
        one = quick.reply(f"message {at}", role=role, time=time)
        assert one is quick.last or one == quick.last
        slow.reply(f"message {at}", role=role, time=time, to=slow.last)
        if at == 70:
            quick.edit(one, "other words")
            slow.edit(slow.path()[-1], "other words")

    def reported(draft: talktree.Draft) -> list[object]:
        """Return what the messages say, without random ids and times."""
        return [
            (each.role, each.text, each.time_ns, each.authors, each.flags, each.context)
            for each in draft
        ]

    assert reported(quick) == reported(slow)
    assert len(quick) == len(slow) == len(quick.path())
    (path, *_) = quick.save(tmp_path / "out")
    assert talktree.check(tmp_path / "out" if path.parent != tmp_path else path).failed is False


def test_a_reply_that_the_format_cannot_hold_changes_nothing() -> None:
    draft = talktree.new("studio-xml")
    for at in range(60):
        draft.reply(f"message {at}")
    before = len(draft)
    with pytest.raises(talktree.TalktreeError):
        draft.reply("no character: \ud800")
    assert len(draft) == len(list(draft)) == before


def test_forks_and_conversations_that_were_read_stay_apart() -> None:
    draft = talktree.new("native")
    for at in range(60):
        draft.reply(f"message {at}")
    kept = draft.conversation
    fork = draft.fork(draft.path()[10])
    for at in range(5):
        draft.reply(f"main {at}")
        fork.reply(f"fork {at}")
    assert len(kept) == 60
    assert [each.text for each in draft.path()][-5:] == [f"main {at}" for at in range(5)]
    assert [each.text for each in fork.path()][-5:] == [f"fork {at}" for at in range(5)]
    assert len(fork.path()) == 16
