"""Our own dialect: one flat multipart that any MIME reader understands and that keeps everything.

Each comment is one part, in reading order, with its depth in a header, so no reader needs to
recurse. Members that no header can hold follow as a part of JSON. Content is written unchanged
unless it would not read back: then it is quoted-printable, or a JSON string. This module reads the
dialect and defines its words; `write_own` writes it.
"""

from __future__ import annotations

import re
from binascii import Error, a2b_base64, a2b_qp

from talktree.formats.lens import Object
from talktree.formats.studio_text.parse_multipart import PartHead
from talktree.text.json.decode import decode as decode_json
from talktree.text.json.value import Json, is_same
from talktree.text.utf8 import decode

MARK = "Studio-Text"
VERSION = "1"
HEADERS = {
    "id": "Id",
    "userId": "User-Id",
    "type": "Type",
    "contentHash": "Hash",
    "parentId": "Parent-Id",
    "timestamp": "Timestamp",
    "deleted": "Deleted",
}
ASSUMED = ("attachments", "children")
"""Members that are empty lists unless something else is written."""
ORDER = ("id", "userId", "type", "parentId", "timestamp", "content", "contentHash", *ASSUMED)
KNOWN = frozenset(
    {"content-type", "content-transfer-encoding", "content-description", "depth", "without"}
    | {name.lower() for name in HEADERS.values()}
)
"""All headers that a part can have, in lower case."""
BOUNDARY = b"talktree-"
"""The prefix of every boundary."""
DETAILS, VALUE = "details", "value"
PLAIN, JSON = 'text/plain; charset="utf-8"', "application/json"
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,3999}", re.ASCII)


def is_own(head: PartHead) -> bool:
    """Whether the first headers of a text name this dialect."""
    name = head.boundary or b""
    return head.text(MARK.lower()) is not None or name.startswith(BOUNDARY)


def is_comment(head: PartHead) -> bool:
    """Whether a part is a record of its own; if one header is damaged, the others decide."""
    if head.text("") is not None:
        return any(head.text(name.lower()) is not None for name in HEADERS.values())
    return head.text("depth") is not None


def is_details(head: PartHead) -> bool:
    """Whether a part belongs to the comment before it."""
    return head.text("content-description") == DETAILS and not is_comment(head)


def read_depth(head: PartHead) -> int | None:
    """Return the depth of a part, if it can be read."""
    text = (head.text("depth") or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else None


def read_value(head: PartHead, raw: bytes, rest: Object) -> tuple[Json, bool]:
    """Return the comment in a part with its details, and whether its body was as declared."""
    raw = _decode_body(head, raw)
    if head.text("content-description") == VALUE:
        found = decode_json(raw)
        return found.value, found.usable
    value: Object = {}
    for key, name in HEADERS.items():
        text = head.text(name.lower())
        if text is not None:
            value[key] = _parse_value(key, text.strip())
    content, plain = _read_content(head, raw)
    value |= {"content": content, "attachments": [], "children": []}
    for key in (head.text("without") or "").split(","):
        value.pop(key.strip(), None)
    value |= rest
    return {key: value[key] for key in (*ORDER, *value) if key in value}, plain


def read_rest(head: PartHead, raw: bytes) -> Object | None:
    """Return the members in a part of details; None if it cannot be read."""
    found = decode_json(_decode_body(head, raw))
    return found.value if isinstance(found.value, dict) and found.usable else None


def _read_content(head: PartHead, raw: bytes) -> tuple[str, bool]:
    if not (head.text("content-type") or "").lower().startswith(JSON):
        return decode(raw), True
    found = decode_json(raw)
    if found.usable and isinstance(found.value, str):
        return found.value, True
    return decode(raw), False


def _parse_value(key: str, text: str) -> Json:
    if key == "timestamp" and _INTEGER.fullmatch(text):
        return int(text)
    if key == "deleted" and text in ("true", "false"):
        return text == "true"
    return text


def _decode_body(head: PartHead, raw: bytes) -> bytes:
    """Return the body before it was encoded for transfer; mail may have changed the encoding."""
    match (head.text("content-transfer-encoding") or "").strip().lower():
        case "quoted-printable":
            return a2b_qp(raw)
        case "base64":
            try:
                return a2b_base64(raw)
            except Error:
                return raw
        case _:
            # Plain bodies never hold a CR of their own.
            return raw.replace(b"\r\n", b"\n")


def has_same_members(one: Json, two: Json) -> bool:
    """Whether two comments are equal apart from the order of their members."""
    if not isinstance(one, dict) or not isinstance(two, dict):
        return is_same(one, two)
    return one.keys() == two.keys() and all(is_same(item, two[key]) for key, item in one.items())
