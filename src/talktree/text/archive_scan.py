"""Archives that grow out of all proportion, and documents in archives that run macros.

Never more than a bounded amount is unpacked: what an archive declares is believed where it is
large, and what it declares as small is compared with the first bytes of its members.
"""

from __future__ import annotations

import bz2
import lzma
import re
import zipfile
import zlib
from io import BytesIO
from typing import NamedTuple

HEAVY = 64 << 20
"""Below this, no archive is a bomb, however well it is compressed."""
RATIO = 200
"""How many times larger than an archive its content may be; JSON seldom reaches 50."""
DEEPEST = 4
"""How many archives may be nested; programs that unpack all of them stop here or do not stop."""
MOST_INFLATED = 16 << 20
"""How many bytes are unpacked of all members together."""
_CHUNK = 1 << 16
ZIP = b"PK\x03\x04"
_LOCAL = 30
"""The length of what is in front of each member, without its name."""
_MACROS = re.compile(
    r"(?:\A|/)vbaproject\.bin\Z|(?:\A|/)xl/macrosheets/|\Abasic/[^/]+/(?!script-l[bc]\.xml)[^/]+\.xml\Z",
    re.IGNORECASE,
)


class ArchiveFacts(NamedTuple):
    """What is known of an archive."""

    bomb: str | None = None
    """Why it is one."""
    macros: str | None = None
    """The member with the macros of a document."""
    starts: tuple[bytes, ...] = ()
    """How its members begin."""


class _Budget:
    """How much may still be unpacked."""

    def __init__(self, outer: int) -> None:
        self.left = MOST_INFLATED
        self.outer = outer
        """The size of the outermost archive."""


def scan_zip(data: bytes) -> ArchiveFacts:
    """Look at an archive and at the archives in it."""
    return _scan_nested_zip(data, _Budget(len(data)), 1)


def _scan_nested_zip(data: bytes, budget: _Budget, depth: int) -> ArchiveFacts:
    if depth > DEEPEST:
        return ArchiveFacts(f"archives nested more than {DEEPEST} deep")
    try:
        members = zipfile.ZipFile(BytesIO(data)).infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, IndexError):
        return ArchiveFacts()
    declared = sum(each.file_size for each in members)
    if _is_bomb(declared, budget.outer):
        return ArchiveFacts(f"unpacks to {declared:,} bytes from {budget.outer:,}")
    macros = next((each.filename for each in members if _MACROS.search(each.filename)), None)
    starts = []
    for member in members:
        if budget.left <= 0:
            break
        inside = _read_member(data, member, min(member.file_size + 1, budget.left))
        budget.left -= len(inside)
        if len(inside) > member.file_size:
            return ArchiveFacts("a member is larger than it declares", macros)
        starts.append(inside[:128])
        if inside.startswith(ZIP):
            found = _scan_nested_zip(inside, budget, depth + 1)
            macros = macros or found.macros
            if found.bomb:
                return ArchiveFacts(found.bomb, macros)
            starts += found.starts
    return ArchiveFacts(None, macros, tuple(starts))


def _is_bomb(unpacked: int, packed: int) -> bool:
    return unpacked > HEAVY and unpacked > RATIO * packed


def _read_member(data: bytes, member: zipfile.ZipInfo, most: int) -> bytes:
    """The first bytes of a member; nothing if they cannot be had."""
    at = member.header_offset
    head = data[at : at + _LOCAL]
    if head[:4] != ZIP or len(head) < _LOCAL or member.flag_bits & 1:
        return b""
    start = at + _LOCAL + int.from_bytes(head[26:28], "little")
    start += int.from_bytes(head[28:30], "little")
    packed = memoryview(data)[start : start + member.compress_size]
    if member.compress_type == zipfile.ZIP_STORED:
        return bytes(packed[:most])
    return inflate(packed, most, raw=True) if member.compress_type == zipfile.ZIP_DEFLATED else b""


def inflate(packed: bytes | memoryview, most: int, *, raw: bool = False) -> bytes:
    """The first bytes of what was deflated, as far as it is sound."""
    made = zlib.decompressobj(-15 if raw else 15)
    out: list[bytes] = []
    size = 0
    for at in range(0, len(packed), _CHUNK):
        todo: bytes | memoryview = packed[at : at + _CHUNK]
        while todo and size < most:
            try:
                out.append(made.decompress(todo, most - size))
            except zlib.error:
                return b"".join(out)
            size += len(out[-1])
            todo = made.unconsumed_tail
        if size >= most or made.eof:
            break
    return b"".join(out)


def describe_stream_bomb(data: bytes) -> str | None:
    """Say why a compressed stream (gzip, bzip2, xz) is a bomb; None if it is not."""
    if data.startswith(b"\x1f\x8b\x08"):
        return _describe_growth(_Deflated(), data)
    if data.startswith(b"BZh"):
        return _describe_growth(bz2.BZ2Decompressor(), data)
    if data.startswith(b"\xfd7zXZ\x00"):
        return _describe_growth(lzma.LZMADecompressor(memlimit=HEAVY), data)
    return None


class _Deflated:
    """Gzip, in the way of the other decompressors."""

    def __init__(self) -> None:
        self._made = zlib.decompressobj(31)

    @property
    def eof(self) -> bool:
        """Whether the stream is over."""
        return self._made.eof

    @property
    def needs_input(self) -> bool:
        """Whether all that was given is used up."""
        return not self._made.unconsumed_tail

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Unpack some more."""
        return self._made.decompress(self._made.unconsumed_tail + data, max_length)


def _describe_growth(
    made: _Deflated | bz2.BZ2Decompressor | lzma.LZMADecompressor, data: bytes
) -> str | None:
    """Unpack until the answer is known; nothing of it is held."""
    size = at = 0
    try:
        while not made.eof and size <= HEAVY:
            chunk = b""
            if made.needs_input:
                chunk = data[at : at + _CHUNK]
                at += len(chunk)
                if not chunk:
                    return None
            size += len(made.decompress(chunk, _CHUNK * 16))
    except (zlib.error, OSError, EOFError, lzma.LZMAError):
        return None
    if _is_bomb(size, at):
        return f"the first {at:,} bytes unpack to more than {HEAVY:,}"
    return None
