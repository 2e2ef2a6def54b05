"""Comments as Conversation Studio's exporters write them: headers, content, attachments.

The exporters write JavaScript's `undefined` and `null` as words, so those words mean a missing
value. The content is followed by a newline of its own before the one of the boundary line.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from talktree.formats.studio.hashing import detect_algorithm
from talktree.formats.studio_text.parse import Places
from talktree.formats.studio_text.parse_multipart import Header, PartHead
from talktree.text.json.value import Json
from talktree.text.utf8 import decode

KEYS = {
    "user-id": "userId",
    "type": "type",
    "hash": "contentHash",
    "timestamp": "timestamp",
    "id": "id",
    "e-tag": "id",
    "parent-id": "parentId",
}
ORDER = ("id", "userId", "type", "parentId", "timestamp", "content", "contentHash")
SIGNS = frozenset({"user-id", "hash", "timestamp", "id", "e-tag"})
"""Headers that identify a part as a comment."""
MIME = ("content-", "mime-")
RESERVED = frozenset({*ORDER, "attachments", "artifacts", "children", "deleted"})
"""Names that an unknown header cannot use for its member."""
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,400})(\.[0-9]{1,40})?", re.ASCII)
_NAME = re.compile(r'filename="(.*)"', re.IGNORECASE)
_REPLY = re.compile(r"reply;\s*to=(.*)", re.IGNORECASE)
_LIST = b"Attachments:"
_ITEM = re.compile(rb"- ([^\r\n]*) \(([^\r\n]*)\)\r?\n  URL: ([^\r\n]*)\r?\n")


class PartContent(NamedTuple):
    """The content of a part, and its offsets."""

    value: dict[str, Json]
    places: Places


class CommentPart(NamedTuple):
    """A part of a multipart text."""

    text: bytes
    at: int
    head: PartHead
    stop: int
    newline: bytes
    """The newline of its boundary line."""

    def body_end(self, stop: int) -> int:
        """Return where the body ends, without a newline of its own after it."""
        for newline in (self.newline, b"\n"):
            if self.text.endswith(newline, self.head.body, stop):
                return stop - len(newline)
        return stop

    def body(self, stop: int) -> str:
        """Return the body up to an offset."""
        return decode(self.text[self.head.body : self.body_end(stop)])


def is_comment(head: PartHead) -> bool:
    """Whether a part is a comment."""
    return any(each.name in SIGNS for each in head.headers) and not is_attachment(head)


def is_attachment(head: PartHead) -> bool:
    """Whether a part is an attachment of the comment before it."""
    return (head.text("content-disposition") or "").lower().startswith("attachment")


def parse_scalar(text: str, *, number: bool = False) -> Json:
    """Return the value of a word in a header; None for a missing value."""
    if text in ("undefined", "null"):
        return None
    found = _NUMBER.fullmatch(text) if number else None
    if found is None:
        return text
    if found.group(1) is None:
        return int(text)
    return float(text) if repr(float(text)) == text else text


def read_comment(part: CommentPart, *, lists: bool, reply: str | None) -> PartContent:
    """Return the comment in a part; `lists` if attachments are listed at the end of its body."""
    found: dict[str, Json] = {}
    for header in part.head.headers:
        key = get_member_key(header)
        if key is not None and key not in found and header.text != "undefined":
            found[key] = parse_scalar(header.text, number=key == "timestamp")
    if reply is not None:
        found.setdefault("parentId", reply)
    end, items = part.stop, list[Json]()
    if lists:
        end, items = _parse_listed_attachments(part, found.get("contentHash"))
    found["content"] = part.body(end)
    value = {key: found.pop(key) for key in ORDER if key in found}
    value |= {"attachments": items, "children": [], **found}
    starts = (end,) if items else ()
    places = Places(part.at, part.head.body, part.body_end(end), starts, part.stop)
    return PartContent(value, places)


def get_member_key(header: Header) -> str | None:
    """Return the member that a header holds."""
    if header.name.startswith(MIME):
        return None
    key = KEYS.get(header.name, header.label)
    return key if header.name in KEYS or key not in RESERVED else None


def get_parent_id(head: PartHead) -> str | None:
    """Return the comment that a part replies to according to older exports, or None."""
    found = _REPLY.fullmatch(head.text("content-disposition") or "")
    return found.group(1) if found else None


def read_attachment(part: CommentPart) -> dict[str, Json]:
    """Return an attachment that is a part of its own."""
    name = _NAME.search(part.head.text("content-disposition") or "")
    url = part.head.text("content-location") or part.head.text("content-data")
    if url is None:
        url = part.body(part.stop)
    return _make_attachment(
        name.group(1) if name else "undefined", part.head.text("content-type"), url
    )


def _make_attachment(name: str, type: str | None, url: str) -> dict[str, Json]:
    found = {"name": name, "type": "undefined" if type is None else type, "url": url}
    return {key: parse_scalar(text) for key, text in found.items() if text != "undefined"}


def _parse_listed_attachments(part: CommentPart, hash: Json) -> tuple[int, list[Json]]:
    """Return where the body ends without the attachments listed at its end, and these."""
    title = part.newline + _LIST + part.newline
    start = part.text.rfind(title, part.head.body, part.stop)
    items: list[Json] = []
    here = start + len(title)
    while start >= 0 and (found := _ITEM.match(part.text, here, part.stop)):
        items.append(_make_attachment(*map(decode, found.groups())))
        here = found.end()
    if not items or here != part.stop or _is_content(part, start, hash):
        return part.stop, []
    return start, items


def _is_content(part: CommentPart, start: int, hash: Json) -> bool:
    """Whether the hash shows that what looks like a list is part of the content."""
    if not isinstance(hash, str) or detect_algorithm(hash, part.body(start)) is not None:
        return False
    return detect_algorithm(hash, part.body(part.stop)) is not None
