"""Random messages a comment can hold."""

from __future__ import annotations

from hypothesis import strategies as st

from talktree.model.message import DELETED, NO_FLAGS, Author, Message
from talktree.model.parts import Artifact, Attachment, Part, Text, UnknownPart
from talktree.testing.strategies import (
    json_objects,
    json_values,
    milliseconds,
    uuids,
    wild_text,
    word,
)

_maybe = st.none() | wild_text
_extra = st.dictionaries(word.map(lambda name: f"x-{name}"), json_values, max_size=2)
_attachments = st.builds(
    Attachment,
    name=_maybe,
    media_type=_maybe,
    url=_maybe,
    extra=st.builds(lambda file, rest: {"file": file, **rest}, json_objects, _extra),
) | st.builds(UnknownPart, st.just("attachment"), word | st.integers() | st.none())
_artifacts = st.builds(
    Artifact, id=_maybe, media_type=_maybe, title=_maybe, content=_maybe, extra=_extra
) | st.builds(UnknownPart, st.just("artifact"), word | st.integers() | st.none())


def _in_order(text: list[Part], attachments: list[Part], artifacts: list[Part]) -> tuple[Part, ...]:
    return (*text, *attachments, *artifacts)


parts = st.builds(
    _in_order,
    st.lists(st.builds(Text, wild_text), max_size=1),
    st.lists(_attachments, max_size=2),
    st.lists(_artifacts, max_size=2),
)

messages: st.SearchStrategy[Message] = st.builds(
    Message,
    id=uuids,
    role=wild_text | st.sampled_from(["user", "assistant", "system", "unknown"]),
    parts=parts,
    time_ns=st.none() | milliseconds,
    authors=st.just(()) | wild_text.map(lambda name: (Author(name),)),
    flags=st.sampled_from([NO_FLAGS, frozenset({DELETED})]),
    extra=_extra,
)
