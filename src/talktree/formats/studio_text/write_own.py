"""Writing comments in our own dialect: headers, the body, and the part of JSON after it."""

from __future__ import annotations

import re
from binascii import b2a_qp
from collections.abc import Iterable
from hashlib import sha256
from typing import NamedTuple

from msgspec.structs import replace

from talktree.formats.lens import Object
from talktree.formats.studio_text.parse import TextLayout, TextPiece
from talktree.formats.studio_text.parse_multipart import read_head, with_headers
from talktree.formats.studio_text.parse_own import (
    ASSUMED,
    BOUNDARY,
    DETAILS,
    HEADERS,
    JSON,
    KNOWN,
    MARK,
    PLAIN,
    VALUE,
    VERSION,
)
from talktree.text.json.encode import encode_json as encode_json
from talktree.text.json.value import Json, is_same
from talktree.text.utf8 import decode

LONGEST = 900
"""Maximum length of a value in a header, so that header lines stay within the limits of mail."""
LONGEST_LINE = 998
_LARGEST = 10**LONGEST
_WORD = re.compile(r"[!-~](?:[ -~]*[!-~])?", re.ASCII)


class Body(NamedTuple):
    """The body of a part, and how to read it."""

    type: str
    encoding: str
    raw: bytes


class RenderedComment(NamedTuple):
    """A comment that is ready to be written."""

    headers: dict[str, str | None]
    """All headers of the comment; None for those it does not have."""
    body: Body
    rest: Object
    """The members that go into the part of JSON after it."""


def render_comment(value: Json, depth: int, boundary: bytes) -> RenderedComment:
    """Return a comment split into the pieces that can be written."""
    if not isinstance(value, dict):
        headers: dict[str, str | None] = {"Depth": str(depth), "Content-Description": VALUE}
        return RenderedComment(headers, _make_json_body(value, boundary), {})
    headers = {"Depth": str(depth)}
    rest = dict(value)
    for key, name in HEADERS.items():
        headers[name] = text = _format_value(key, value.get(key), boundary)
        if text is not None:
            del rest[key]
    missing = [key for key in ("content", *ASSUMED) if key not in value]
    headers["Without"] = ", ".join(missing) or None
    for key in ASSUMED:
        if rest.get(key) == []:
            del rest[key]
    content = value.get("content")
    if isinstance(content, str):
        del rest["content"]
    return RenderedComment(
        headers, _make_body(content if isinstance(content, str) else "", boundary), rest
    )


def format_part(rendered: RenderedComment) -> bytes:
    """Return the bytes of a comment between its boundary lines, without its details."""
    first = {
        "Content-Type": rendered.body.type,
        "Content-Transfer-Encoding": rendered.body.encoding,
    }
    return with_headers(b"", {**first, **rendered.headers}) + b"\n" + rendered.body.raw


def format_details(rest: Object, boundary: bytes) -> bytes:
    """Return the part of JSON that belongs to a comment, with the boundary line before it."""
    if not rest:
        return b""
    body = _make_json_body(rest, boundary)
    headers = {
        "Content-Type": body.type,
        "Content-Transfer-Encoding": body.encoding,
        "Content-Description": DETAILS,
    }
    return b"\n--" + boundary + b"\n" + with_headers(b"", headers) + b"\n" + body.raw


def make_boundary(values: Iterable[Json]) -> bytes:
    """Return a boundary that depends on the contents and occurs in none of them."""
    texts = [encode_json(value) for value in values]
    digest = sha256(b"\n".join(texts)).hexdigest()
    name = BOUNDARY + digest[:24].encode()
    while any(name in text for text in texts):
        digest = sha256(digest.encode()).hexdigest()
        name += digest[:8].encode()
    return name


def make_frame(boundary: bytes) -> tuple[bytes, bytes]:
    """Return the bytes before the first boundary line, and those from the last one on."""
    headers = {
        "MIME-Version": "1.0",
        MARK: VERSION,
        "Content-Type": f'multipart/mixed; boundary="{decode(boundary)}"',
    }
    return with_headers(b"", headers), b"\n--" + boundary + b"--\n"


def _format_value(key: str, value: Json, boundary: bytes) -> str | None:
    """Return a value as a header holds it; None if no header can."""
    if key == "timestamp":
        return str(value) if type(value) is int and abs(value) < _LARGEST else None
    if key == "deleted":
        return ("true" if value else "false") if isinstance(value, bool) else None
    if not isinstance(value, str) or len(value) > LONGEST or not _WORD.fullmatch(value):
        return None
    # These mean something else to the exporters' readers and to mail readers.
    odd = value == "undefined" or "=?" in value or decode(boundary) in value
    return None if odd else value


def _make_body(text: str, boundary: bytes) -> Body:
    try:
        raw = text.encode()
    except UnicodeEncodeError:
        return _make_json_body(text, boundary)
    if b"\r" in raw or b"\0" in raw or boundary in raw:
        coded = b2a_qp(raw, istext=False)
        coded = coded.replace(b"-", b"=2D") if boundary in coded else coded
        return Body(PLAIN, "quoted-printable", coded)
    return Body(PLAIN, _transfer_encoding(raw), raw)


def _make_json_body(value: Json, boundary: bytes) -> Body:
    raw = encode_json(value)
    # A boundary has one dash, and inside a JSON text it can only occur in a string.
    raw = raw.replace(boundary, boundary.replace(b"-", b"\\u002d"))
    return Body(JSON, _transfer_encoding(raw), raw)


def _transfer_encoding(raw: bytes) -> str:
    return "8bit" if max(map(len, raw.split(b"\n"))) <= LONGEST_LINE else "binary"


def make_piece(old: TextPiece | None, value: Json, depth: int, cut: TextLayout) -> TextPiece:
    """Return a comment as a piece; in an old piece only differences are changed."""
    name, newline = cut.root, cut.newline
    new = render_comment(value, depth, name)
    if old is None or old.places is None:
        raw = format_part(new) + format_details(new.rest, name)
        made = raw.replace(b"\n", newline)
        return TextPiece(value, made, len(made), depth=depth, boundary=name, within=name)
    before = render_comment(old.value, old.depth, name)
    head, places = read_head(old.raw, 0, KNOWN), old.places
    headers = {key: text for key, text in new.headers.items() if before.headers.get(key) != text}
    body, extra = old.raw[head.stop : places.stop], old.raw[places.stop : places.end]
    if new.body != before.body:
        headers["Content-Type"] = new.body.type
        headers["Content-Transfer-Encoding"] = new.body.encoding
        body = newline + new.body.raw.replace(b"\n", newline)
    if not is_same(new.rest, before.rest):
        extra = format_details(new.rest, name).replace(b"\n", newline)
    block = with_headers(old.raw[: head.stop], headers, KNOWN, newline=newline)
    made = block + body + extra
    return replace(old, value=value, raw=made, hole=len(made), depth=depth)
