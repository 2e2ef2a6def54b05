"""Random messages a Muse history can hold."""

from __future__ import annotations

from hypothesis import strategies as st

from talktree.model.message import Author, Message
from talktree.model.parts import Text
from talktree.testing.strategies import json_objects, milliseconds, uuids, wild_text, word

_roles = st.sampled_from(["user", "assistant", "system", "tool", "unknown"])
_classified = st.fixed_dictionaries(
    {"front_desk_classification_results": st.none() | json_objects, "request_id": uuids}
)
_extra = st.dictionaries(word.map(lambda name: f"x-{name}"), json_objects, max_size=2)

messages: st.SearchStrategy[Message] = st.builds(
    Message,
    id=uuids,
    role=_roles,
    parts=st.builds(lambda text: (Text(text),), wild_text),
    time_ns=st.none() | milliseconds,
    authors=st.just(()) | st.builds(lambda name: (Author(name),), wild_text),
    tags=st.lists(wild_text, max_size=3).map(tuple),
    extra=_extra | _classified,
)
