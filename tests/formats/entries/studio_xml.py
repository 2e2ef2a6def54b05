"""Random messages that a comment can hold in XML: the same as in JSON, including any text."""

from __future__ import annotations

from hypothesis import strategies as st

from talktree.model.message import DELETED, NO_FLAGS, Author, Message
from talktree.model.parts import Artifact, Attachment, Text, UnknownPart
from talktree.testing.strategies import json_values, milliseconds, uuids, wild_text, word

_markup = st.sampled_from(
    [
        "]]>",
        "]]\r>",
        "a\r\nb\rc",
        "<![CDATA[x]]>",
        "<comment><id>1</id></comment>",
        "</content></comment></children>",
        "&lt; &#13; &nbsp;",
        "\t\n lead and trail \n",
        "\ufffe\uffff",
        "<!DOCTYPE a>",
        "true",
        "-1.5e3",
    ]
)
_texts = wild_text | _markup
_maybe = st.none() | _texts
_keys = word.map(lambda name: f"x-{name}") | _markup
_extra = st.dictionaries(_keys, json_values | _markup, max_size=2)
_attachments = st.builds(
    Attachment,
    name=_maybe,
    media_type=_maybe,
    url=_maybe,
    extra=_extra.map(lambda rest: {"file": {}, **rest}),
) | st.builds(
    UnknownPart, st.just("attachment"), json_values.filter(lambda item: not isinstance(item, dict))
)
_artifacts = st.builds(
    Artifact, id=_maybe, media_type=_maybe, title=_maybe, content=_maybe, extra=_extra
)

messages: st.SearchStrategy[Message] = st.builds(
    Message,
    id=uuids,
    role=_texts | st.sampled_from(["user", "assistant", "system", "unknown"]),
    parts=st.builds(
        lambda text, attachments, artifacts: (*text, *attachments, *artifacts),
        st.lists(st.builds(Text, _texts), max_size=1),
        st.lists(_attachments, max_size=2),
        st.lists(_artifacts, max_size=2),
    ),
    time_ns=st.none() | milliseconds,
    authors=st.just(()) | _texts.map(lambda name: (Author(name),)),
    flags=st.sampled_from([NO_FLAGS, frozenset({DELETED})]),
    extra=_extra,
)
