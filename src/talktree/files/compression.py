"""Files that are compressed or in UTF-16: read as the text they contain.

The source keeps the file as stored, so that unchanged content is written as it was. Changed content
stays UTF-16, and is compressed again if the file's name says so; otherwise it becomes plain text.
The size to which a file may be decompressed is bounded.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Protocol

from talktree.errors import DamagedRecord, RefusedInput
from talktree.files.content import BLOCK, Content, StandIn
from talktree.files.source import Source, park_pieces
from talktree.files.utf16 import BIG, LITTLE, decode_utf16, encode_utf16, find_utf16_form

GZIP, ZSTD = b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd"
GZIP_NAME, ZSTD_NAME, UTF16 = "gzip", "zstd", "UTF-16"
NAMED_GZIP = (".gz", ".gzip")
NAMED = (*NAMED_GZIP, ".zst", ".zstd")
"""File names of compressed files."""
MANY = (".tgz", ".tar.gz", ".tar.zst")
"""File names of archives with many files, which are not text."""
ALWAYS = 64 << 20
"""Any file may decompress to this many bytes, however small it is."""
MOST_TIMES = 200
"""Beyond that, a file may grow at most by this factor."""
MOST = 16 << 30
LARGEST_WINDOW = 1 << 27

CUT_OFF = "the file ends before its {how} data does"
BROKEN = "its {how} data is damaged after {count:,} bytes of text"
FED, LEAST_FED = 1 << 10, 1
"""How much is decoded at a time: little enough that a decompression bomb cannot expand far in one
step."""

Decoding = Generator[bytes, None, str | None]
"""Yields pieces of text and returns what is wrong with the file, if anything."""
Pieces = Callable[[Content], Decoding]


class UnpackedContent(StandIn):
    """The text of a file that stores it in another form."""

    def __init__(
        self,
        stored: Content,
        how: str,
        text: Content,
        *,
        named: bool = False,
        damage: str | None = None,
    ) -> None:
        self.stored = stored
        """The file as stored."""
        self.how = how
        self.named = named
        """Whether its name shows its form."""
        self.damage = damage
        """Why the text is incomplete; None if it is complete."""
        self.size = text.size
        self._text = text

    @property
    def text(self) -> Content:
        return self._text


def encode_as_stored(content: Content, pieces: Iterable[bytes]) -> Iterable[bytes]:
    """Return a text in the form that the file's name says, to replace the file's text."""
    if not isinstance(content, UnpackedContent):
        return pieces
    if content.damage is not None:
        raise DamagedRecord(
            f"{content.damage}; to write it anew would drop the rest",
            hint="convert what can be read to a new file, and change that",
        )
    return encode_text(content, pieces)


def encode_text(content: Content, pieces: Iterable[bytes]) -> Iterable[bytes]:
    """Return a text in the form of a file; unreadable parts of a damaged file are dropped."""
    if not isinstance(content, UnpackedContent):
        return pieces
    if content.how == UTF16:
        return encode_utf16(find_utf16_form(content.stored), pieces)
    if not content.named:
        return pieces
    return _compress_pieces(content.how, pieces)


def find_text_form(content: Content) -> str:
    """Return the encoding of a decoded file, for `encode_utf16`; empty for any other."""
    if not isinstance(content, UnpackedContent) or content.how != UTF16:
        return ""
    return find_utf16_form(content.stored, cut=content.damage is not None)


def encode_as_named(
    name: str, files: Mapping[str, Iterable[bytes]], *, folder: bool, main: str | None = None
) -> Mapping[str, Iterable[bytes]]:
    """Return a single file, compressed if its new name says so; files of a folder are unchanged."""
    if main is not None and _compression_of_name(name) != _compression_of_name(main):
        return {**files, main: _recode_pieces(name, files[main])}
    if folder:
        return files
    return {path: _recode_pieces(name, pieces) for path, pieces in files.items()}


def _recode_pieces(name: str, pieces: Iterable[bytes]) -> Iterator[bytes]:
    rest = iter(pieces)
    head = next(rest, b"")
    while len(head) < len(ZSTD) and (more := next(rest, None)) is not None:
        head += more
    text: Iterable[bytes] = chain((head,), rest)
    known, wanted = _detect_compression("", head), _compression_of_name(name)
    how = None if known is None or known[0] == UTF16 else known[0]
    if known is not None and how not in (None, wanted):
        text = known[1](park_pieces(text))
    yield from text if wanted in (None, how) else _compress_pieces(wanted, text)


def _compression_of_name(name: str) -> str | None:
    if not is_compressed_name(name):
        return None
    return GZIP_NAME if name.lower().endswith(NAMED_GZIP) else ZSTD_NAME


def _compress_pieces(how: str, pieces: Iterable[bytes]) -> Iterator[bytes]:
    if how == GZIP_NAME:
        packing: _Packing = zlib.compressobj(wbits=31)
    else:
        import zstandard

        packing = zstandard.ZstdCompressor().compressobj()
    for piece in pieces:
        yield packing.compress(piece)
    yield packing.flush()


class _Packing(Protocol):
    """A streaming compressor."""

    def compress(self, data: bytes, /) -> bytes:
        """Return the output that is ready for all input so far."""

    def flush(self) -> bytes:
        """Return the remaining output."""


class _Opening(Mapping[str, Content]):
    """The files of a source, each opened on first access."""

    def __init__(self, files: Mapping[str, Content]) -> None:
        self._files = files
        self._found: dict[str, Content] = {}

    def __getitem__(self, path: str) -> Content:
        if path not in self._found:
            self._found[path] = _decode_content(path, self._files[path])
        return self._found[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __contains__(self, path: object) -> bool:
        return path in self._files


def unpack_source(source: Source) -> Source:
    """Return a source with its files decoded."""
    return Source(
        source.name,
        _Opening(source.files),
        folder=source.folder,
        skipped=source.skipped,
        withheld=source.withheld,
        shown=source.shown,
    )


def read_plain_head(path: str, content: Content, size: int) -> bytes:
    """Return the first bytes of the text in a file."""
    head = content.read(0, size)
    known = _detect_compression(path, head)
    if known is None:
        return head
    text = b""
    for piece in islice(known[1](content), 2 + size // BLOCK):
        text += piece
        if len(text) >= size:
            break
    return text[:size]


def _decode_content(path: str, content: Content) -> Content:
    known = _detect_compression(path, content.read(0, 4))
    if known is None:
        return content
    how, pieces = known
    decoding = _Watched(pieces(content))
    text = park_pieces(_limit_pieces(path, content, decoding))
    named = how != UTF16 and is_compressed_name(path)
    if not text.size:
        return content
    return UnpackedContent(content, how, text, named=named, damage=decoding.damage)


class _Watched:
    """The pieces of a text as they are decoded, and afterwards what is wrong with the file."""

    def __init__(self, decoding: Decoding) -> None:
        self._decoding = decoding
        self.damage: str | None = None

    def __iter__(self) -> Iterator[bytes]:
        self.damage = yield from self._decoding


def is_compressed_name(path: str) -> bool:
    """Whether the name of a file is that of a compressed one."""
    return path.lower().endswith(NAMED)


def strip_compression_suffix(name: str) -> str:
    """Return the name of the file without compression."""
    return name.rpartition(".")[0] or name if is_compressed_name(name) else name


def stem_of(path: str) -> str:
    """Return a path or name without the suffix that shows the kind of file."""
    bare = strip_compression_suffix(path)
    return bare.rpartition(".")[0] or bare


def _detect_compression(path: str, head: bytes) -> tuple[str, Pieces] | None:
    if path.lower().endswith(MANY):
        return None
    if head.startswith(GZIP):
        return GZIP_NAME, _decode_gzip
    if head.startswith(ZSTD):
        return ZSTD_NAME, _decode_zstd
    if head.startswith((LITTLE, BIG)) and len(head) > 2:
        return UTF16, _decode_utf16_text
    return None


def _limit_pieces(path: str, content: Content, pieces: Iterable[bytes]) -> Iterator[bytes]:
    size, most = 0, min(MOST, max(ALWAYS, content.size * MOST_TIMES))
    for piece in pieces:
        size += len(piece)
        if size > most:
            raise RefusedInput(
                f"{path}: the file unpacks to more than {most >> 20} MB",
                hint="unpack it yourself if you trust it",
            )
        yield piece


def _decode_gzip(content: Content) -> Decoding:
    packed, size, started = zlib.decompressobj(wbits=31), 0, False
    for block in content.blocks():
        left = block
        while left:
            before = packed.copy()
            try:
                piece = packed.decompress(left, BLOCK)
            except zlib.error:
                rest = b"".join(_salvage_piece(before, left))
                yield rest
                return BROKEN.format(how=GZIP_NAME, count=size + len(rest))
            size += len(piece)
            if piece:
                yield piece
            left, started = packed.unconsumed_tail, True
            if packed.eof:
                # Concatenated compressed files are one text; zeros are padding.
                left, started = packed.unused_data.lstrip(b"\0"), False
                packed = zlib.decompressobj(wbits=31)
    return CUT_OFF.format(how=GZIP_NAME) if started else None


def _salvage_piece(packed: zlib._Decompress, data: bytes) -> Iterator[bytes]:
    """Return what can be decoded of a piece before the place where it is damaged."""
    at, step = 0, FED
    while step >= LEAST_FED:
        attempt = packed.copy()
        try:
            piece = attempt.decompress(data[at : at + step])
        except zlib.error:
            step = step // 2
            continue
        packed, at = attempt, at + step
        yield piece


def _decode_zstd(content: Content) -> Decoding:
    import zstandard

    frames = zstandard.ZstdDecompressor(max_window_size=LARGEST_WINDOW)
    packed, size, started = frames.decompressobj(), 0, False
    for block in content.blocks():
        for at in range(0, len(block), FED):
            left = block[at : at + FED]
            while left:
                try:
                    piece = packed.decompress(left)
                except zstandard.ZstdError:
                    return BROKEN.format(how=ZSTD_NAME, count=size)
                size += len(piece)
                if piece:
                    yield piece
                left, started = b"", True
                if packed.eof:
                    left, started = packed.unused_data, False
                    packed = frames.decompressobj()
    return CUT_OFF.format(how=ZSTD_NAME) if started else None


def _decode_utf16_text(content: Content) -> Decoding:
    return CUT_OFF.format(how=UTF16) if (yield from decode_utf16(content)) else None
