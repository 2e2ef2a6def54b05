"""A document without its secrets: they are taken out of the bytes it is read from.

Whatever is made of it afterwards, a page, another format, what is carried along, cannot hold what
the bytes do not hold. Ids and links stay what they are. Two passes: one to know all secrets, one to
put words in their places, also where nothing around them gives them away.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator

from talktree.errors import Refused, UsageError
from talktree.export import redacted_strings
from talktree.export.redaction import Redactor
from talktree.files import Content, Source, encode_text, parked, unpacked
from talktree.formats.engine import Origin, read, write
from talktree.model.document import Document
from talktree.model.vendor_walk import written_links
from talktree.text.secrets import Secret, found_in

_TYPE = b'"media_type"'
_TYPED = re.compile(rb'"media_type"\s*:\s*"(?:text/|application/json)')
_DATA = re.compile(rb";base64,")
"""As a pattern it is looked for by its first byte, which most texts have little of."""
_BEGIN = b"-----BEGIN"
_LONGEST_KEY = 1 << 16
_HEADS = (b"data:text/", b"data:application/")
_LONGEST_HEAD = 120
"""How far before its data the address of a file begins."""
_FILE = re.compile(
    rb'(?:data:(?:text/|application/(?:json|xml|yaml|toml|x-sh|javascript))[^,"]{0,80};base64,'
    rb'|"media_type"\s*:\s*"(?:text/|application/json)[^"]{0,40}"\s*,\s*"data"\s*:\s*")'
    rb"([A-Za-z0-9+/]{16,}={0,2})"
)
"""Files of text, in base 64."""


def _patient() -> None:
    """Nobody wants to stop it."""


def redacted(
    document: Document, redactor: Redactor, watch: Callable[[], None] = _patient
) -> Document:
    """The document without secrets; itself if there are none. `watch` is called often."""
    origin = document.origin
    assert isinstance(origin, Origin)
    source = current_source(document)
    texts = _texts(source)
    json = {path: _is_json(content) for path, content in texts.items()}
    for path, content in texts.items():
        for data in _blocks(content):
            watch()
            _learn(data, redactor, json=json[path])
    if not redactor.is_needed:
        return document
    files = {
        redactor.text(path): parked(
            encode_text(content, _masked(content, redactor, json=json[path]))
        )
        for path, content in texts.items()
    }
    name = redactor.text(source.name)
    clean = read(Source(name, files, folder=source.folder), origin.format)
    if redactor.targets and not _has_same_shape(document, clean):
        raise UsageError(
            "a word or pattern to redact is part of how the conversation is written",
            hint="use a longer word that only texts contain",
        )
    return clean


def _texts(source: Source) -> dict[str, Content]:
    """The files of a source, decompressed and decoded."""
    plain = unpacked(source)
    texts: dict[str, Content] = {}
    for path, content in source.files.items():
        try:
            texts[path] = plain.files[path]
        except Refused:
            # It unpacks to too much. No conversation is read from it, and exports leave it out.
            texts[path] = content
    return texts


def _has_same_shape(one: Document, other: Document) -> bool:
    """Whether the same messages follow each other, whatever they say.

    Links are compared as they are written: others are inferred when a tree is first asked for.
    """
    if len(one.conversations) != len(other.conversations):
        return False
    pairs = zip(one.conversations, other.conversations, strict=True)
    return all(
        written_links(left.skeleton).parents == written_links(right.skeleton).parents
        and left.skeleton.traits == right.skeleton.traits
        for left, right in pairs
    )


def _is_json(content: Content) -> bool:
    """Whether a file is JSON, by how it begins."""
    head = next(iter(content.blocks()), b"")
    return bytes(head[:64]).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")


def current_source(document: Document) -> Source:
    """The source of a document with all edits in it."""
    origin = document.origin
    assert isinstance(origin, Origin)
    if not any(each.changed for each in document.conversations) and _is_whole(document, origin):
        return origin.source
    files: dict[str, Content] = {path: parked(pieces) for path, pieces in write(document).items()}
    return Source(origin.source.name, files, folder=origin.source.folder)


def _is_whole(document: Document, origin: Origin) -> bool:
    return sum(each.record_count for each in document.conversations) == origin.count


def _blocks(content: Content) -> Iterator[bytes]:
    """The bytes of a file in blocks that end with a line, and not inside of a private key."""
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


def _learn(data: bytes, redactor: Redactor, *, json: bool) -> None:
    for kind, start, stop, what in found_in(data):
        held = data[start:stop].decode("utf-8", "surrogateescape")
        redactor.words(Secret(kind, 0, len(held), what), held)
    _in_place(data, redactor, json=json, every=False)
    for found in _FILE.finditer(data) if _may_hold_files(data) else ():
        text = _decoded(found.group(1))
        if text is not None:
            redactor.learn(text)


def _in_place(data: bytes, redactor: Redactor, *, json: bool, every: bool) -> bytes:
    """The bytes without secrets that are known by what is around them."""
    if json:
        return redacted_strings.without_secrets(data, redactor, every=every)
    text = data.decode("utf-8", "surrogateescape")
    clean = redactor.text(text) if every else redactor.without_secrets(text)
    return data if clean is text else clean.encode("utf-8", "surrogateescape")


def _may_hold_files(data: bytes) -> bool:
    """Whether there may be files of text; most are pictures, and those are told by their types."""
    if any(_TYPED.match(data, at) for at in _places(data, _TYPE)):
        return True
    heads = (data[max(0, at.start() - _LONGEST_HEAD) : at.start()] for at in _DATA.finditer(data))
    return any(head in near for near in heads for head in _HEADS)


def _places(data: bytes, sign: bytes) -> Iterator[int]:
    at = data.find(sign)
    while at >= 0:
        yield at
        at = data.find(sign, at + 1)


def _masked(content: Content, redactor: Redactor, *, json: bool) -> Iterator[bytes]:
    every = bool(redactor.targets)
    for data in _blocks(content):
        if _may_hold_files(data):
            data = _FILE.sub(lambda found: _file_masked(found, redactor), data)
        data = _in_place(data, redactor, json=json, every=every)
        text = data.decode("utf-8", "surrogateescape")
        yield redactor.without_known(text).encode("utf-8", "surrogateescape")


def _file_masked(found: re.Match[bytes], redactor: Redactor) -> bytes:
    text = _decoded(found.group(1))
    if text is None or (clean := redactor.text(text)) == text:
        return found.group()
    start = found.start(1) - found.start()
    return found.group()[:start] + base64.b64encode(clean.encode("utf-8", "surrogatepass"))


def _decoded(data: bytes) -> str | None:
    try:
        return base64.b64decode(data).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
