"""Random conversations and random damage, for property tests. Needs hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from talktree.text.json_value import Json
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
"""Text that has hurt somebody: separators, halves of characters, control codes."""
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
def damaged(draw: st.DrawFn, whole: bytes) -> bytes:
    """Bytes with something done to them: cut, flipped, filled, repeated, interrupted."""
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
