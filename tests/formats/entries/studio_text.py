"""Random messages that our own text dialect can hold: any text anywhere, and any other members."""

from __future__ import annotations

from hypothesis import strategies as st

from talktree.model.message import Author, Message
from talktree.model.parts import Artifact, Attachment, Text
from talktree.testing.strategies import json_values, milliseconds, uuids, wild_text, word

_mail = st.sampled_from(
    [
        "a\r\nb\r\n",
        "--talktree-0\n--talktree-0--\n",
        "undefined",
        "null",
        " led and trailed ",
        "=?utf-8?q?x?=",
        "Attachments:\n- a (b)\n  URL: c\n",
        "=3D=\n",
        ".\nFrom here\n",
        "x" * 2000,
    ]
)
_texts = wild_text | _mail
_extra = st.dictionaries(word.map(lambda name: f"x-{name}"), json_values, max_size=2)
_attachments = st.builds(
    Attachment,
    name=st.none() | _texts,
    media_type=st.none() | word,
    url=st.none() | _texts,
    extra=_extra,
)
_artifacts = st.builds(
    Artifact, id=word, media_type=word, title=_texts, content=st.none() | _texts, extra=_extra
)

messages: st.SearchStrategy[Message] = st.builds(
    Message,
    id=uuids | _texts.filter(bool),
    role=st.sampled_from(["user", "assistant", "system"]) | _texts.filter(bool),
    parts=st.builds(
        lambda text, attachments, artifacts: (Text(text), *attachments, *artifacts),
        _texts,
        st.lists(_attachments, max_size=2),
        st.lists(_artifacts, max_size=2),
    ),
    time_ns=st.none() | milliseconds,
    authors=st.builds(lambda name: (Author(name),), _texts),
    flags=st.sampled_from([frozenset(), frozenset({"deleted"})]),
    extra=_extra,
)
