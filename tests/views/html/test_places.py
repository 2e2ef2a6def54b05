"""Line numbers of replaced texts: those of the file, or none."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from hypothesis import given
from hypothesis import strategies as st

from talktree.model.message import Message
from talktree.model.parts import ToolCall, ToolResult
from talktree.views.html.rendering import RenderOptions, render_blocks
from talktree.views.html.tools.places import find_line_numbers, read_hunks
from talktree.views.transcript import fold_results

AROUND = 3
lines = st.lists(st.integers(0, 10**9).map(str), min_size=1, max_size=30, unique=True)
json = st.recursive(
    st.none() | st.integers() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=4)
)


def patch(old: list[str], new: list[str]) -> list[dict[str, object]]:
    """Return the difference of two files as Claude Code reports it."""
    made: list[dict[str, object]] = []
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(AROUND):
        reported = []
        for tag, a, a_end, b, b_end in group:
            if tag == "equal":
                reported += [f" {line}" for line in old[a:a_end]]
                continue
            reported += [f"-{line}" for line in old[a:a_end]] + [
                f"+{line}" for line in new[b:b_end]
            ]
        made.append({"oldStart": group[0][1] + 1, "newStart": group[0][3] + 1, "lines": reported})
    return made


@given(lines, st.data())
def test_the_number_is_where_the_text_is(old: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(old) - 1))
    end = data.draw(st.integers(at + 1, len(old)))
    came = [f"new {line}" for line in data.draw(lines)]
    text = "\n".join(old[at:end]), "\n".join(came)
    answer = ToolResult(detail={"structuredPatch": patch(old, old[:at] + came + old[end:])})
    assert find_line_numbers(*text, read_hunks(answer)) == (at + 1, at + 1)


@given(json, json)
def test_invalid_patches_give_no_line_numbers(lines: object, start: object) -> None:
    odd = [{"oldStart": start, "newStart": start, "lines": lines}]
    for detail in (lines, {"structuredPatch": lines}, {"structuredPatch": odd}):
        assert find_line_numbers("never", "said", read_hunks(ToolResult(detail=detail))) is None


def test_an_edit_shows_them() -> None:
    given = {"file_path": "sun.py", "old_string": "a = 1", "new_string": "a = 2"}
    hunk = {"oldStart": 117, "newStart": 120, "lines": [" b = 0", "-a = 1", "+a = 2"]}
    result = ToolResult(call="c", detail={"structuredPatch": [hunk]})
    for answer, numbers in ((result, ["118    ", "    121"]), (ToolResult(call="c"), [])):
        parts = (ToolCall("Edit", given, "c"), answer)
        (step,) = fold_results([(0, Message(id="m", role="assistant", parts=parts))])
        (block,) = render_blocks(step, RenderOptions())
        assert re.findall(r'data-line="([^"]*)"', block.html) == numbers
