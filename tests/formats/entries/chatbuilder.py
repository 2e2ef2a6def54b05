"""Random messages that message files can hold."""

from __future__ import annotations

from hypothesis import strategies as st

from talktree.model.message import Author, Message
from talktree.model.parts import Text
from talktree.testing.strategies import nanoseconds, uuids, wild_text, word
from talktree.text.utf8 import can_encode

_ticks = st.text("\\`\n;: r", max_size=30)
_headers = st.sampled_from(
    [
        "<!--\nrole: user\n-->\n\n\n",
        "32d9afc7-aeac-4a67-ba94-0c92678604a1\n\n\n",
        "role: user\n\n\nx",
        "\ufeff; role: user\r\n\r\n\r\n",
        ";\n\n\n",
    ]
)
_texts = wild_text.filter(can_encode) | _ticks | _headers
_names = st.from_regex(r"[A-Za-z][A-Za-z0-9. ]{0,15}( - [A-Za-z]{1,5})?", fullmatch=True)
_versions = st.none() | st.from_regex(r"[0-9]{1,2}(\.[0-9]{1,3}){0,2}", fullmatch=True)
_authors = st.lists(st.builds(Author, _names.map(str.strip), _versions), max_size=3).map(tuple)
_roles = st.sampled_from(["user", "assistant", "system", "unknown", "assisant", "tool_result"])
_one_line = st.text(
    st.characters(codec="utf-8", exclude_characters="\n\r\t "), min_size=1, max_size=30
)
_extra = st.dictionaries(
    word.map(lambda name: f"X-{name}") | st.sampled_from(["visibility", "Parent-UUID", "Version"]),
    _one_line | st.just("") | st.just("a: b -- c"),
    max_size=3,
)

messages: st.SearchStrategy[Message] = st.builds(
    Message,
    id=uuids,
    role=_roles,
    parts=st.builds(lambda text: (Text(text),), _texts),
    time_ns=st.none() | nanoseconds,
    authors=_authors,
    extra=_extra,
)
