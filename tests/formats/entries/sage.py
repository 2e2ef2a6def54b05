"""Random messages Sage can hold."""

from __future__ import annotations

from hypothesis import strategies as st

from talktree.model.message import Context, Message, ThinkingSetting, Todo, Usage
from talktree.model.parts import Event, Part, Text, ToolCall, ToolResult
from talktree.testing.strategies import (
    any_text,
    json_objects,
    json_values,
    nanoseconds,
    uuids,
    wild_text,
    word,
)

_extra = st.dictionaries(word.map(lambda name: f"x-{name}"), json_objects, max_size=2)
_known = wild_text.filter(bool)
_texts: st.SearchStrategy[tuple[Part, ...]] = st.builds(lambda text: (Text(text),), wild_text)
_calls = st.lists(
    st.builds(ToolCall, wild_text, json_values, st.none() | _known, _extra), max_size=3
)
_results = st.lists(
    st.builds(
        ToolResult,
        st.builds(lambda text: (Text(text),), wild_text),
        st.none() | _known,
        st.none() | _known,
        st.booleans(),
        extra=_extra,
    ),
    min_size=1,
    max_size=3,
)
_failures = st.builds(
    lambda text, call: (
        ToolResult((Text(text),), call, "bash", error=True, extra={"content": ""}),
    ),
    wild_text,
    _known,
)
_parts: dict[str, st.SearchStrategy[tuple[Part, ...]]] = {
    "user": _texts,
    "system": _texts
    | st.builds(
        lambda kind, text: (Event(kind, text=text),),
        st.sampled_from(["summary", "title"]),
        wild_text,
    )
    | st.builds(
        lambda kind, text, data: (Event(kind, text, data),),
        st.sampled_from(["compacting", "compacted", "restoring", "restored"]),
        wild_text,
        st.none() | json_values,
    ),
    "assistant": st.builds(lambda text, calls: (*text, *calls), _texts | st.just(()), _calls),
    "tool": st.builds(tuple, _results) | _failures,
}
_context = st.builds(
    Context,
    cwd=st.none() | wild_text,
    git_branch=st.none() | any_text,
    platform=st.none() | word,
    user_type=st.none() | any_text,
    version=st.none() | any_text,
)
_todos = st.lists(st.builds(Todo, wild_text, word, st.none() | wild_text, _extra), max_size=3).map(
    tuple
)
_thinking = st.builds(
    ThinkingSetting,
    level=st.none() | word,
    disabled=st.booleans(),
    triggers=st.lists(wild_text, max_size=2).map(tuple),
    extra=_extra,
)
_count = st.integers(0, 2**53)


def _flags(role: str, parts: tuple[Part, ...]) -> st.SearchStrategy[frozenset[str]]:
    known = ["sidechain"]
    if not any(isinstance(part, Event) for part in parts):
        known.append("error")
    return st.frozensets(st.sampled_from(known))


@st.composite
def _message(draw: st.DrawFn) -> Message:
    role = draw(st.sampled_from(sorted(_parts)))
    parts = draw(_parts[role])
    return Message(
        id=draw(uuids),
        role=role,
        parts=parts,
        time_ns=draw(st.none() | nanoseconds),
        session=draw(st.none() | wild_text),
        flags=draw(_flags(role, parts)),
        usage=draw(st.none() | st.builds(Usage, _count, _count, _count, _count)),
        context=draw(st.none() | _context),
        todos=draw(st.none() | _todos),
        thinking=draw(st.none() | _thinking),
        extra=draw(_extra | st.just({"isMeta": {"a": 1}, "usage": {"costEstimate": 0.5}})),
    )


messages: st.SearchStrategy[Message] = _message()
