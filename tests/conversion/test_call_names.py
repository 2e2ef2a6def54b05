"""For any calls and results of a source, each result in a session names a call before it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from talktree.model.message import Message
from talktree.model.parts import Part, Text, ToolCall, ToolResult
from tests.conversion.claude_code_reader import faults
from tests.conversion.foreign import again, files_of, talk_of

_ids = st.sampled_from([None, "", "1", "2", "a b"])
_part: st.SearchStrategy[Part] = (
    st.builds(ToolCall, st.just("T"), st.just({}), _ids)
    | st.builds(ToolResult, st.just((Text("out"),)), _ids)
    | st.just(Text("words"))
)
_message = st.builds(
    Message,
    role=st.sampled_from(["user", "assistant", "assistant", "system", "tool"]),
    parts=st.lists(_part, min_size=1, max_size=3).map(tuple),
    flags=st.sampled_from([frozenset(), frozenset(), frozenset({"sidechain"})]),
)


@st.composite
def tool_talks(draw: st.DrawFn) -> list[Message]:
    """Generate calls and results in any order, on any branch, with any ids."""
    talk: list[Message] = []
    for message in draw(st.lists(_message, max_size=8)):
        parent = draw(st.sampled_from([None, *(each.id for each in talk[-3:])]))
        talk.append(replace(message, id=f"m{len(talk)}", parent=parent))
    return talk


@given(talk=tool_talks())
def test_every_result_names_a_call_before_it(talk: Sequence[Message]) -> None:
    for data in files_of(talk_of(talk), "claude-code", carry=False).values():
        assert faults(data) == []
        blocks = [
            block
            for raw in data.splitlines()
            for block in _blocks(json.loads(raw).get("message", {}).get("content"))
        ]
        named = [block["id"] for block in blocks if block["type"] == "tool_use"]
        answered = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        assert len(set(named)) == len(named)
        assert len(set(answered)) == len(answered)


def _blocks(content: object) -> list[dict[str, str]]:
    return content if isinstance(content, list) else []


@given(talk=tool_talks())
def test_naming_calls_is_undone_on_the_way_back(talk: Sequence[Message]) -> None:
    source = talk_of(talk)
    there = again(files_of(source, "claude-code"), "claude-code")
    assert files_of(there, "native") == files_of(source, "native")
