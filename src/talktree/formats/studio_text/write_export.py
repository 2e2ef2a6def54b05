"""Writing comments into an exported text, in the way its exporter wrote the others.

What that way has no place for is refused: these dialects know a comment's six headers, its content
and the name, type and URL of attachments. The record file verifies that a text reads back.
"""

from __future__ import annotations

from hashlib import sha256
from typing import NamedTuple

from msgspec.structs import replace

from talktree.errors import WouldLose
from talktree.formats.lens import Object
from talktree.formats.studio_text.lens import RESERVED
from talktree.formats.studio_text.parse import Dialect, Places, TextPiece
from talktree.formats.studio_text.parse_multipart import read_head, with_headers
from talktree.text.json.value import Json, is_same
from talktree.text.utf8 import can_encode, encode

NAMES = {"userId": "User-Id", "type": "Type", "contentHash": "Hash", "timestamp": "Timestamp"}
BODY = frozenset({"content", "attachments", "children"})


class Exporter(NamedTuple):
    """The way in which one file is written."""

    dialect: Dialect
    root: bytes
    """The boundary between the comments at the top."""
    newline: bytes
    url: str | None
    """The header that holds the URL of an attachment; None if the URL is the body."""

    def make_piece(self, value: Json, depth: int) -> TextPiece:
        """Return a piece for a new comment."""
        comment = _check_comment(value)
        kind = b'Content-Type: text/plain; charset="UTF-8"' + self.newline
        headers = {
            name: _format_header(comment, key) for key, name in self._make_headers(comment).items()
        }
        content = _encode_text("content", comment.get("content", ""))
        raw = with_headers(kind, headers, newline=self.newline) + self.newline
        body = len(raw)
        stop = body + len(content)
        raw += content + self.newline
        places = Places(0, body, stop, (), len(raw))
        piece = TextPiece(comment, raw, len(raw), depth=depth, places=places)
        piece = self._form_piece(replace(piece, boundary=self.root, within=self.root), depth)
        return self._with_attachments(piece, comment, None)

    def patch_piece(self, old: TextPiece, value: Json, depth: int) -> TextPiece:
        """Return a piece with only those bytes changed in which the values differ."""
        comment, before = _check_comment(value), old.value
        assert isinstance(before, dict)
        # From the end to the start, so that earlier offsets stay valid.
        piece = self._with_attachments(old, comment, before)
        piece = self._with_content(piece, comment, before)
        piece = self._with_head(piece, comment, before)
        return self._form_piece(replace(piece, value=comment), depth)

    # headers

    def _make_headers(self, comment: Object) -> dict[str, str]:
        """Return the header for each member that has a header and a value."""
        own = "E-Tag" if self.dialect == "older" else "Id"
        known = {**NAMES, "id": own, "parentId": "Parent-Id"}
        if self.dialect == "older":
            del known["parentId"]
        others = {key: key for key in comment if key not in {*RESERVED, *known}}
        names = {**known, **others}
        for key in comment.keys() - {*names, *BODY, "parentId"}:
            if comment[key] is not None:
                raise _make_refusal(key)
        return {
            key: name for key, name in names.items() if _format_header(comment, key) is not None
        }

    def _with_head(self, piece: TextPiece, comment: Object, before: Object) -> TextPiece:
        assert piece.places is not None
        names = self._make_headers(before) | self._make_headers(comment)
        wanted = {
            name: _format_header(comment, key)
            for key, name in names.items()
            if not is_same(comment.get(key), before.get(key)) or (key in comment) != (key in before)
        }
        at, raw = piece.places.head, piece.raw
        head = read_head(raw, at)
        if "E-Tag" in wanted and head.text("e-tag") is None and head.text("id") is not None:
            wanted["Id"] = wanted.pop("E-Tag")
        fresh = with_headers(raw[at : head.stop], wanted, newline=self.newline)
        piece = _splice_piece(piece, at, head.stop, fresh)
        if self.dialect == "older" and comment.get("parentId") != before.get("parentId"):
            return self._with_reply(piece, comment)
        return piece

    def _with_reply(self, piece: TextPiece, comment: Object) -> TextPiece:
        parent = comment.get("parentId")
        text = None if parent is None else f"reply; to={_format_value('parentId', parent)}"
        block = piece.raw[: read_head(piece.raw, 0).stop]
        kept = with_headers(block, {"Content-Disposition": None}, newline=self.newline)
        if text is not None:
            kept = b"Content-Disposition: " + encode(text) + self.newline + kept
        return _splice_piece(piece, 0, len(block), kept)

    # content and attachments

    def _with_content(self, piece: TextPiece, comment: Object, before: Object) -> TextPiece:
        if is_same(comment.get("content"), before.get("content")):
            return piece
        assert piece.places is not None
        body, stop = piece.places.body, piece.places.stop
        fresh = _encode_text("content", comment.get("content", ""))
        if stop == body and not read_head(piece.raw, piece.places.head).blank:
            fresh = self.newline + fresh
        return _splice_piece(piece, body, stop, fresh)

    def _with_attachments(
        self, piece: TextPiece, comment: Object, before: Object | None
    ) -> TextPiece:
        wanted = comment.get("attachments") or []
        known: Json = before["attachments"] if before else []
        if is_same(wanted, known):
            return piece
        if not isinstance(wanted, list) or piece.places is None:
            raise _make_refusal("attachments")
        places = piece.places
        start = places.extras[0] if places.extras else places.end
        old = self._find_old_parts(piece, known)
        rendered = [self._write_attachment(each, piece.boundary, old) for each in wanted]
        title = self.newline + b"Attachments:" + self.newline
        fresh = (title if self.dialect == "app" and wanted else b"") + b"".join(rendered)
        return _splice_piece(piece, start, places.end, fresh)

    def _find_old_parts(self, piece: TextPiece, known: Json) -> list[tuple[Json, bytes]]:
        """Return the bytes of the existing attachments, if each is a part of its own."""
        assert piece.places is not None
        assert isinstance(known, list)
        starts = piece.places.extras
        if not starts or len(starts) != len(known) or self.dialect == "app":
            return []
        stops = (*starts[1:], piece.places.end)
        found = [piece.raw[start:stop] for start, stop in zip(starts, stops, strict=True)]
        return list(zip(known, found, strict=True))

    def _write_attachment(
        self, item: Json, boundary: bytes, old: list[tuple[Json, bytes]]
    ) -> bytes:
        kept = next((raw for each, raw in old if is_same(each, item)), None)
        if kept is not None:
            return kept
        if not isinstance(item, dict) or item.keys() - {"name", "type", "url"}:
            raise _make_refusal("attachments")
        name, type, url = (
            _format_value("attachments", item.get(key, "undefined"))
            for key in ("name", "type", "url")
        )
        if self.dialect == "app":
            return self._join_lines(f"- {name} ({type})", f"  URL: {url}")
        lines = [f"Content-Type: {type}", f'Content-Disposition: attachment; filename="{name}"']
        if self.url is None:
            lines += ["Content-Transfer-Encoding: base64", "", url]
        else:
            lines += [f"{self.url}: {url}", ""]
        return self.newline + b"--" + boundary + self.newline + self._join_lines(*lines)

    def _join_lines(self, *lines: str) -> bytes:
        return b"".join(encode(line) + self.newline for line in lines)

    # layout

    def _form_piece(self, piece: TextPiece, depth: int) -> TextPiece:
        """Return the piece bare or wrapped, as its depth requires."""
        assert piece.places is not None
        bare = self.dialect == "app" and depth == 0
        if bare == (not piece.is_wrapped):
            return replace(piece, depth=depth)
        if bare:
            raw = piece.raw[piece.places.head : piece.hole]
            made = replace(piece, raw=raw, hole=len(raw), within=self.root, boundary=self.root)
        else:
            made = self._wrap_piece(piece)
        return replace(made, depth=depth)

    def _wrap_piece(self, piece: TextPiece) -> TextPiece:
        assert piece.places is not None
        name = _make_boundary(piece.raw)
        newline = self.newline
        head = b'Content-Type: multipart/mixed; boundary="' + name + b'"' + newline
        parent = piece.value.get("parentId") if isinstance(piece.value, dict) else None
        if self.dialect == "older":
            head += newline
            if parent is not None:
                word = _format_value("parentId", parent)
                head = encode(f"Content-Disposition: reply; to={word}") + newline + head
        head += b"--" + name + newline
        close = newline + b"--" + name + b"--" + newline
        raw, hole = head + piece.raw + close, len(head) + len(piece.raw)
        body, stop = piece.places.body + len(head), piece.places.stop + len(head)
        places = Places(len(head), body, stop, (), hole)
        return replace(piece, raw=raw, hole=hole, within=b"", boundary=name, places=places)


def _check_comment(value: Json) -> Object:
    if not isinstance(value, dict):
        raise _make_refusal("anything but comments")
    return value


def _make_refusal(what: str) -> WouldLose:
    return WouldLose(
        f"this dialect of studio-text has no place for {what}",
        hint="nothing was written; convert it to studio or to Talktree's own studio-text",
    )


def _format_header(comment: Object, key: str) -> str | None:
    """Return the word for a member; None if it has no value."""
    if key not in comment or (comment[key] is None and key in RESERVED):
        return None
    return _format_value(key, comment[key])


def _format_value(key: str, value: Json) -> str:
    """Return a value as written in a header."""
    match value:
        case None:
            return "null"
        case str() if "\n" not in value and can_encode(value):
            return value
        case int() | float() if key == "timestamp" and not isinstance(value, bool):
            return repr(value)
        case _:
            raise _make_refusal(f"such a {key}")


def _encode_text(key: str, value: Json) -> bytes:
    if not isinstance(value, str) or not can_encode(value):
        raise _make_refusal(f"such a {key}")
    return encode(value)


def _make_boundary(raw: bytes) -> bytes:
    """Return a boundary like the exporters', made from the bounded bytes and not found in them."""
    digest = sha256(raw).hexdigest()
    for length in range(11, len(digest)):
        name = b"----Boundary" + digest[:length].encode()
        if name not in raw:
            return name
    raise _make_refusal("a text with every possible boundary in it")


def _splice_piece(piece: TextPiece, start: int, stop: int, fresh: bytes) -> TextPiece:
    """Return the piece with some of its bytes replaced."""
    raw = piece.raw[:start] + fresh + piece.raw[stop:]
    hole = None if piece.hole is None else piece.hole + len(raw) - len(piece.raw)
    return replace(piece, raw=raw, hole=hole)
