"""The drawing of a tree: every node once, columns as in `git log --graph`, short lines."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from talktree.model.conversation import Conversation
from talktree.model.message import SIDECHAIN, Message
from talktree.model.parts import Event, ToolCall, ToolResult
from talktree.views.graph import MAX_COLUMNS, GraphRun, draw_tree
from talktree.views.outline import format_outline_lines
from talktree.views.terminal import to_text
from tests.talk import call, reply, result, said, talk


def drawn(messages: list[Message], *, all: bool = False) -> list[str]:
    """Return the outline without the texts of the messages."""
    lines = (to_text(line) for line in format_outline_lines(talk(messages), all=all))
    return [line.split(" User")[0].split(" Claude")[0].split(" Sub")[0] for line in lines]


def test_a_fork_is_drawn_beside_the_line_that_goes_on() -> None:
    talk = [said("a"), said("b", "a"), said("c", "b"), said("d", "a"), said("e", "d")]
    assert drawn(talk) == ["* a", "|\\", "| * b", "| * c", "* d", "* e"]


def test_forks_nest() -> None:
    talk = [said("a"), said("b", "a"), said("c", "b"), said("d", "b"), said("e", "a")]
    assert drawn(talk) == ["* a", "|\\", "| * b", "| |\\", "| | * c", "| * d", "* e"]


def test_three_ways_on_are_drawn_one_after_the_other() -> None:
    assert drawn([said("a"), said("b", "a"), said("c", "a"), said("d", "a")]) == [
        "* a",
        "|\\",
        "| * b",
        "|\\",
        "| * c",
        "* d",
    ]


def test_a_sidechain_at_the_end_leaves_no_column_open() -> None:
    aside = frozenset({SIDECHAIN})
    talk = [said("a"), said("s", "a", flags=aside), reply("t", "s", flags=aside)]
    assert drawn(talk) == ["* a", " \\", "  * s", "  * t"]


def test_another_start_is_set_apart() -> None:
    assert drawn([said("a"), said("b")]) == ["* a", "", "* b"]


def test_the_work_between_prompts_is_one_row() -> None:
    talk = [said("u", text="Go")]
    for number in range(5):
        above = f"r{number - 1}" if number else "u"
        talk.append(call(f"c{number}", above, ToolCall("Bash", {"command": "x"}, f"t{number}")))
        talk.append(result(f"r{number}", f"c{number}", ToolResult(call=f"t{number}")))
    talk.append(reply("end", "r4", text="Done"))
    lines = [to_text(line) for line in format_outline_lines(_outlined(talk))]
    assert lines == ["* u User: Go", ": 10 messages: Bash ×5", "* end Claude (active): Done"]
    assert len(drawn(talk, all=True)) == 12


def test_a_compaction_is_never_folded_away() -> None:
    talk = [said("u")]
    talk += [reply(f"a{n}", f"a{n - 1}" if n else "u") for n in range(6)]
    boundary = Message(id="k", parent="a5", role="system", parts=(Event("compacted"),))
    talk += [boundary, *(reply(f"b{n}", f"b{n - 1}" if n else "k") for n in range(4))]
    assert "= k System: compacted" in [
        to_text(line) for line in format_outline_lines(_outlined(talk))
    ]


def test_many_ways_on_are_counted_unless_all_are_asked_for() -> None:
    talk = [said("a"), *(said(f"b{number}", "a") for number in range(100))]
    folded = drawn(talk)
    assert "| … 59 more branches" in folded
    assert len(folded) == 1 + 2 * 40 + 1 + 1
    assert len(drawn(talk, all=True)) == 1 + 2 * 99 + 1


def _outlined(messages: list[Message]) -> Conversation:
    return talk(messages)


def test_deep_nesting_keeps_lines_short() -> None:
    # The line that continues is always the short one, so every node opens a column.
    depth = 20_000
    talk = [said("n0"), *(said(f"n{n}", f"n{n - 1}") for n in range(1, depth))]
    talk += [said(f"leaf{n}", f"n{n}") for n in reversed(range(depth))]
    lines = drawn(talk)
    assert len(lines) > depth
    assert max(map(len, lines)) < 2 * MAX_COLUMNS + 40


def _answer(id: str, above: str | None, **fields: object) -> Message:
    return result(id, above, ToolResult(), **fields)


@given(
    st.lists(
        st.tuples(st.integers(-1, 30), st.sampled_from(["said", "reply", "result"]), st.booleans()),
        max_size=30,
    )
)
def test_every_node_is_drawn_once(nodes: list[tuple[int, str, bool]]) -> None:
    made: dict[str, Callable[..., Message]] = {"said": said, "reply": reply, "result": _answer}
    messages = [
        made[kind](
            f"n{number}",
            f"n{above}" if above >= 0 else None,
            flags=frozenset({SIDECHAIN} if aside else ()),
        )
        for number, (above, kind, aside) in enumerate(nodes)
    ]
    tree = talk(messages).tree
    drawn = [
        position
        for piece in draw_tree(tree)
        if isinstance(piece, GraphRun)
        for position in tree.order_with_asides(piece.nodes)
    ]
    assert sorted(drawn) == sorted(tree.order)
