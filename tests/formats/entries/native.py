"""Random messages that the native format can hold: any with a unique id."""

from __future__ import annotations

from hypothesis import strategies as st
from msgspec.structs import replace

from talktree.model.message import Message
from talktree.testing import strategies

messages: st.SearchStrategy[Message] = st.builds(
    lambda message, id: replace(message, id=id), strategies.messages, strategies.uuids
)
