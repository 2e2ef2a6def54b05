"""Random conversations and random damage, for property tests. Needs hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from talktree.model.entries import Entry, FileState, Head, Opaque, Snapshot
from talktree.model.message import Author, Context, Message, ThinkingSetting, Todo, Usage
from talktree.model.parts import (
    Artifact,
    Attachment,
    Event,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    UnknownPart,
)
from talktree.text.json.value import Json, Token
from talktree.text.times import MILLI

any_text = st.text(max_size=60)
"""Any characters UTF-8 can hold."""
wild_text = st.text(st.characters(codec=None, categories=None), max_size=40) | st.sampled_from(
    [
        "",
        "\n",
        "\n\n\n",
        "```py\nx\n```",
        "\\```",
        "\\`",
        "]]>",
        "<!--",
        "--x\nId: fake",
        "\u2028",
        "\ud83c",
        "\udcff",
        "\x00\x1b[31m",
        "e\u0301\U0001f600",
        "; role: user",
        "; role: user\n\n\n",
    ]
)
"""Text that has caused bugs: separators, surrogates, control characters."""
plain_text = st.text(st.characters(codec="utf-8"), max_size=60)
word = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,11}", fullmatch=True)
uuids = st.uuids(version=4).map(str)
milliseconds = st.integers(200_000_000_000, 4_000_000_000_000).map(lambda number: number * MILLI)
nanoseconds = st.integers(200_000_000_000 * MILLI, 4_000_000_000_000 * MILLI)

json_values: st.SearchStrategy[Json] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(word, inner, max_size=3),
    max_leaves=6,
)
json_objects = st.dictionaries(word, json_values, max_size=3)


@st.composite
def damage_bytes(draw: st.DrawFn, whole: bytes) -> bytes:
    """Return damaged bytes: cut, flipped, filled, repeated, interrupted."""
    if not whole:
        return draw(st.binary(max_size=40))
    out = whole
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(out)))
        to = draw(st.integers(at, min(len(out), at + 200)))
        match draw(st.integers(0, 6)):
            case 0:
                out = out[:at]
            case 1 if at < len(out):
                out = out[:at] + bytes([out[at] ^ (1 << draw(st.integers(0, 7)))]) + out[at + 1 :]
            case 2:
                out = out[:at] + bytes(draw(st.integers(1, 20))) + out[at:]
            case 3:
                out = out[:at] + out[to:]
            case 4:
                out = out[:to] + out[at:to] + out[to:]
            case 5:
                out = out[:at] + draw(st.binary(max_size=12)) + out[at:]
            case _:
                out = draw(st.sampled_from([b"\xef\xbb\xbf" + out, out.replace(b"\n", b"\r\n")]))
    return out


# everything that the model can hold

tokens = st.sampled_from(["NaN", "-Infinity", "1e999", "9" * 5000, "...", "<number>"]).map(Token)
"""Values that JSON numbers or names cannot represent, as the exact reader keeps them."""
wild_json: st.SearchStrategy[Json] = st.recursive(
    json_values | tokens | wild_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(wild_text, inner, max_size=3),
    max_leaves=5,
)
_extra: st.SearchStrategy[dict[str, Json]] = st.just({}) | st.dictionaries(
    wild_text, wild_json, max_size=3
)
_times = st.none() | nanoseconds | st.integers(-(2**62), 2**62)
_maybe = st.none() | wild_text
_counts = st.integers(0, 2**53)

_plain_parts = st.one_of(
    st.builds(Text, wild_text, _extra),
    st.builds(Thinking, wild_text, _maybe, _extra),
    st.builds(ToolCall, wild_text, wild_json, _maybe, _extra),
    st.builds(Attachment, _maybe, _maybe, _maybe, _extra),
    st.builds(Artifact, _maybe, _maybe, _maybe, _maybe, _extra),
    st.builds(Event, wild_text, _maybe, wild_json, _extra),
    st.builds(UnknownPart, wild_text, wild_json),
)
parts: st.SearchStrategy[Part] = _plain_parts | st.builds(
    ToolResult,
    st.lists(_plain_parts, max_size=2).map(tuple),
    _maybe,
    _maybe,
    st.booleans(),
    wild_json,
    _extra,
)
"""Any part."""
messages: st.SearchStrategy[Message] = st.builds(
    Message,
    id=wild_text,
    parent=_maybe,
    role=st.sampled_from(["user", "assistant", "system", "unknown"]) | wild_text,
    parts=st.lists(parts, max_size=3).map(tuple),
    time_ns=_times,
    authors=st.lists(st.builds(Author, wild_text, _maybe), max_size=2).map(tuple),
    session=_maybe,
    flags=st.frozensets(
        st.sampled_from(["sidechain", "deleted", "meta", "error", "aborted"]) | wild_text,
        max_size=3,
    ),
    model=_maybe,
    usage=st.none() | st.builds(Usage, _counts, _counts, _counts, _counts),
    api_message=_maybe,
    follows=_maybe,
    agent=_maybe,
    context=st.none()
    | st.builds(
        Context, cwd=_maybe, git_branch=_maybe, platform=_maybe, user_type=_maybe, version=_maybe
    ),
    todos=st.none()
    | st.lists(st.builds(Todo, wild_text, wild_text, _maybe, _extra), max_size=2).map(tuple),
    thinking=st.none()
    | st.builds(
        ThinkingSetting,
        level=_maybe,
        disabled=st.booleans(),
        triggers=st.lists(wild_text, max_size=2).map(tuple),
        extra=_extra,
    ),
    tags=st.lists(wild_text, max_size=3).map(tuple),
    extra=_extra,
)
"""Any message, including those that only our own format can hold."""
heads: st.SearchStrategy[Head] = st.builds(
    Head,
    id=wild_text,
    kind=wild_text,
    title=_maybe,
    leaf=_maybe,
    time_ns=_times,
    updated_ns=_times,
    extra=_extra,
)
snapshots: st.SearchStrategy[Snapshot] = st.builds(
    Snapshot,
    id=wild_text,
    message=_maybe,
    time_ns=_times,
    update=st.booleans(),
    files=st.dictionaries(
        wild_text,
        st.builds(
            FileState,
            state=_maybe,
            backup=_maybe,
            absent_before=st.booleans(),
            hash=_maybe,
            hash_before=_maybe,
            size=st.none() | _counts,
            content_before=_maybe,
            version=st.none() | _counts,
            time_ns=_times,
            extra=_extra,
        ),
        max_size=2,
    ),
    extra=_extra,
)
opaques: st.SearchStrategy[Opaque] = st.builds(
    Opaque, id=wild_text, kind=wild_text, value=wild_json, size=_counts
)
entries: st.SearchStrategy[Entry] = messages | heads | snapshots | opaques
"""Any entry."""
