"""A document without its secrets: they are removed from the bytes it is read from.

Nothing made from it afterwards, such as a page, another format or embedded source data, can contain
what the bytes do not contain. Ids and links stay the same. There are two passes: the first collects
all secrets, the second replaces them, also where no context identifies them.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator

from talktree.errors import RefusedInput, UsageError
from talktree.export import redacted_strings
from talktree.export.redaction import Redactor
from talktree.files import Content, Source, encode_text, park_pieces, unpack_source
from talktree.formats.engine import DocumentOrigin, read_document, write_document
from talktree.model.document import Document
from talktree.model.vendor_walk import make_written_links
from talktree.text.secrets import Secret, find_secrets_by_form

_TYPE = b'"media_type"'
_TYPED = re.compile(rb'"media_type"\s*:\s*"(?:text/|application/json)')
_DATA = re.compile(rb";base64,")
"""A pattern is searched by its first byte, which is rare in most texts."""
_BEGIN = b"-----BEGIN"
_LONGEST_KEY = 1 << 16
_HEADS = (b"data:text/", b"data:application/")
_LONGEST_HEAD = 120
"""Maximum distance between the start of a data URL and its data."""
_FILE = re.compile(
    rb'(?:data:(?:text/|application/(?:json|xml|yaml|toml|x-sh|javascript))[^,"]{0,80};base64,'
    rb'|"media_type"\s*:\s*"(?:text/|application/json)[^"]{0,40}"\s*,\s*"data"\s*:\s*")'
    rb"([A-Za-z0-9+/]{16,}={0,2})"
)
"""Text files in base 64."""


def _ignore_progress() -> None:
    """Do nothing."""


def redact_document(
    document: Document, redactor: Redactor, watch: Callable[[], None] = _ignore_progress
) -> Document:
    """Return the document without secrets; itself if there are none. `watch` is called often."""
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    source = current_source(document)
    texts = _decode_files(source)
    json = {path: _is_json(content) for path, content in texts.items()}
    for path, content in texts.items():
        for data in _split_into_blocks(content):
            watch()
            _learn_secrets(data, redactor, json=json[path])
    if not redactor.is_needed:
        return document
    files = {
        redactor.redact_text(path): park_pieces(
            encode_text(content, _mask_content(content, redactor, json=json[path]))
        )
        for path, content in texts.items()
    }
    name = redactor.redact_text(source.name)
    clean = read_document(Source(name, files, folder=source.folder), origin.format)
    if redactor.targets and not _has_same_shape(document, clean):
        raise UsageError(
            "a word or pattern to redact is part of how the conversation is written",
            hint="use a longer word that only texts contain",
        )
    return clean


def _decode_files(source: Source) -> dict[str, Content]:
    """Return the files of a source, decompressed and decoded."""
    plain = unpack_source(source)
    texts: dict[str, Content] = {}
    for path, content in source.files.items():
        try:
            texts[path] = plain.files[path]
        except RefusedInput:
            # It unpacks to too much. No conversation is read from it, and exports leave it out.
            texts[path] = content
    return texts


def _has_same_shape(one: Document, other: Document) -> bool:
    """Whether two documents have the same messages and links, whatever their texts are.

    Links are compared as written: others are inferred when a tree is first requested.
    """
    if len(one.conversations) != len(other.conversations):
        return False
    pairs = zip(one.conversations, other.conversations, strict=True)
    return all(
        make_written_links(left.skeleton).parents == make_written_links(right.skeleton).parents
        and left.skeleton.traits == right.skeleton.traits
        for left, right in pairs
    )


def _is_json(content: Content) -> bool:
    """Whether a file is JSON, by its beginning."""
    head = next(iter(content.blocks()), b"")
    return bytes(head[:64]).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")


def current_source(document: Document) -> Source:
    """Return the source of a document with all edits in it."""
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    if not any(each.changed for each in document.conversations) and _is_whole(document, origin):
        return origin.source
    files: dict[str, Content] = {
        path: park_pieces(pieces) for path, pieces in write_document(document).items()
    }
    return Source(origin.source.name, files, folder=origin.source.folder)


def _is_whole(document: Document, origin: DocumentOrigin) -> bool:
    return sum(each.record_count for each in document.conversations) == origin.count


def _split_into_blocks(content: Content) -> Iterator[bytes]:
    """Yield the bytes of a file in blocks that end with a line, and not inside a private key."""
    held = b""
    for buffer, size in content.line_blocks():
        held += bytes(memoryview(buffer)[:size])
        begin = held.rfind(_BEGIN, max(0, len(held) - _LONGEST_KEY))
        if begin >= 0 and held.find(b"-----END", begin) < 0:
            continue
        yield held
        held = b""
    if held:
        yield held


def _learn_secrets(data: bytes, redactor: Redactor, *, json: bool) -> None:
    for kind, start, stop, what in find_secrets_by_form(data):
        held = data[start:stop].decode("utf-8", "surrogateescape")
        redactor.make_placeholder(Secret(kind, 0, len(held), what), held)
    _mask_in_place(data, redactor, json=json, every=False)
    for found in _FILE.finditer(data) if _may_hold_files(data) else ():
        text = _decode_base64(found.group(1))
        if text is not None:
            redactor.learn_secrets(text)


def _mask_in_place(data: bytes, redactor: Redactor, *, json: bool, every: bool) -> bytes:
    """Return the bytes without secrets that are identified by their context."""
    if json:
        return redacted_strings.redact_json(data, redactor, every=every)
    text = data.decode("utf-8", "surrogateescape")
    clean = redactor.redact_text(text) if every else redactor.without_secrets(text)
    return data if clean is text else clean.encode("utf-8", "surrogateescape")


def _may_hold_files(data: bytes) -> bool:
    """Whether there may be text files; most data URLs are images, which their types show."""
    if any(_TYPED.match(data, at) for at in _find_sign(data, _TYPE)):
        return True
    heads = (data[max(0, at.start() - _LONGEST_HEAD) : at.start()] for at in _DATA.finditer(data))
    return any(head in near for near in heads for head in _HEADS)


def _find_sign(data: bytes, sign: bytes) -> Iterator[int]:
    at = data.find(sign)
    while at >= 0:
        yield at
        at = data.find(sign, at + 1)


def _mask_content(content: Content, redactor: Redactor, *, json: bool) -> Iterator[bytes]:
    every = bool(redactor.targets)
    for data in _split_into_blocks(content):
        if _may_hold_files(data):
            data = _FILE.sub(lambda found: _mask_embedded_file(found, redactor), data)
        data = _mask_in_place(data, redactor, json=json, every=every)
        text = data.decode("utf-8", "surrogateescape")
        yield redactor.without_known(text).encode("utf-8", "surrogateescape")


def _mask_embedded_file(found: re.Match[bytes], redactor: Redactor) -> bytes:
    text = _decode_base64(found.group(1))
    if text is None or (clean := redactor.redact_text(text)) == text:
        return found.group()
    start = found.start(1) - found.start()
    return found.group()[:start] + base64.b64encode(clean.encode("utf-8", "surrogatepass"))


def _decode_base64(data: bytes) -> str | None:
    try:
        return base64.b64decode(data).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
