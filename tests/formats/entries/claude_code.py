"""Random messages a Claude Code session can hold."""

from __future__ import annotations

from hypothesis import strategies as st

from talktree.model.message import Context, Message, ThinkingSetting, Todo, Usage
from talktree.model.parts import Attachment, Event, Part, Text, Thinking, ToolCall, ToolResult
from talktree.testing.strategies import json_objects, nanoseconds, uuids, wild_text, word

_extra = st.dictionaries(word.map(lambda name: f"x-{name}"), json_objects, max_size=2)
_text = st.builds(Text, wild_text.map(lambda text: f"- {text}"))
_said_by_user = st.lists(
    _text
    | st.builds(
        Attachment,
        media_type=st.just("image/png"),
        url=st.just("data:image/png;base64,iVBORw0KGgo="),
        extra=st.just({"type": "image"}),
    ),
    min_size=1,
    max_size=3,
).map(tuple)
_result = st.builds(
    lambda output, call, error, detail: (ToolResult(output, call, None, error, detail),),
    st.lists(_text, max_size=2).map(tuple),
    word,
    st.booleans(),
    st.none() | json_objects.filter(bool),
)
_reply: st.SearchStrategy[tuple[Part, ...]] = st.lists(
    _text
    | st.builds(Thinking, wild_text, st.none() | word)
    | st.builds(ToolCall, word, json_objects, word),
    min_size=1,
    max_size=3,
).map(tuple)
_event = st.builds(
    lambda text, data: (Event("compacted", text, data or None),), wild_text, json_objects
) | st.builds(lambda kind, text: (Event(kind, text),), word, st.none() | wild_text)
_parts = {
    "user": _said_by_user | _result | st.builds(lambda text: (Event("summary", text),), wild_text),
    "assistant": _reply,
    "system": _event | st.builds(lambda text: (Text(text),), wild_text),
}
_usage = st.none() | st.builds(Usage, *[st.integers(0, 10**9)] * 4)
_todos = st.none() | st.lists(st.builds(Todo, wild_text, word, st.none() | word), max_size=2).map(
    tuple
)
_thinking = st.none() | st.builds(
    ThinkingSetting, level=st.none() | word, disabled=st.booleans(), triggers=st.just(("think",))
)
_context = st.none() | st.builds(Context, cwd=wild_text, git_branch=word, version=word)

messages: st.SearchStrategy[Message] = st.sampled_from(sorted(_parts)).flatmap(
    lambda role: st.builds(
        Message,
        id=uuids,
        role=st.just(role),
        parts=_parts[role],
        time_ns=st.none() | nanoseconds,
        session=st.none() | word,
        flags=st.frozensets(st.sampled_from(["sidechain", "meta", "error"])),
        model=st.none() | word if role == "assistant" else st.none(),
        usage=_usage if role == "assistant" else st.none(),
        api_message=st.none() | word if role == "assistant" else st.none(),
        follows=st.none(),
        agent=st.none() | word,
        context=_context,
        todos=_todos,
        thinking=_thinking,
        extra=_extra,
    )
)
