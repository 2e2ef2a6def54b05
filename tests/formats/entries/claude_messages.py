"""Random messages the documented Claude types can hold."""

from __future__ import annotations

from hypothesis import strategies as st

from talktree.model.message import Context, Message
from talktree.model.parts import Event, Text, Thinking, ToolCall, ToolResult
from talktree.testing.strategies import json_objects, nanoseconds, uuids, wild_text, word

_texts = st.builds(lambda text: (Text(text),), wild_text)
_parts = {
    "user": _texts,
    "assistant": _texts
    | st.builds(lambda text: (Thinking(text),), wild_text)
    | st.builds(lambda name, input: (ToolCall(name, input),), word, json_objects)
    | st.builds(lambda text: (Event("command", text=text),), wild_text),
    "system": _texts
    | st.builds(
        lambda text, error: (ToolResult((Text(text),), error=error),), wild_text, st.booleans()
    )
    | st.builds(
        lambda kind, data: (Event(kind, data=data or None),),
        st.sampled_from(["compacting", "compacted", "restoring", "restored"]),
        json_objects,
    ),
}
_flags = st.frozensets(st.sampled_from(["sidechain", "deleted", "aborted"]))
_context = st.none() | st.builds(Context, cwd=wild_text, git_branch=word)
_extra = st.dictionaries(word.map(lambda name: f"x-{name}"), json_objects, max_size=2)

messages: st.SearchStrategy[Message] = st.sampled_from(sorted(_parts)).flatmap(
    lambda role: st.builds(
        Message,
        id=uuids,
        role=st.just(role),
        parts=_parts[role],
        time_ns=st.none() | nanoseconds,
        session=st.none() | word,
        flags=_flags,
        context=_context,
        extra=_extra,
    )
)
