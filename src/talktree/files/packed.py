"""Files that are packed, or written in UTF-16: read as the text they hold.

The source keeps the file as it lies there, so what is not changed is written as it was. What is
changed is packed again if the name says that the file is packed, else it becomes plain text. How
much a file may unpack to is bounded.
"""

from __future__ import annotations

import codecs
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Protocol

from talktree.errors import Refused
from talktree.files.content import BLOCK, Content, StandIn
from talktree.files.source import Source, parked

GZIP, ZSTD = b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd"
GZIP_NAME, ZSTD_NAME, UTF16 = "gzip", "zstd", "UTF-16"
LITTLE, BIG = b"\xff\xfe", b"\xfe\xff"
NAMED_GZIP = (".gz", ".gzip")
NAMED = (*NAMED_GZIP, ".zst", ".zstd")
"""Names that say that a file is packed."""
MANY = (".tgz", ".tar.gz", ".tar.zst")
"""Names of many files in one, which are no text."""
ALWAYS = 64 << 20
"""A file may unpack to so much, however small it is."""
MOST_TIMES = 200
"""Beyond that, to no more than so many times its size."""
MOST = 16 << 30
LARGEST_WINDOW = 1 << 27
_ENCODING = re.compile(rb"""(\A\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*["'])[\w.:-]{1,40}(?=["'])""")

Pieces = Callable[[Content], Iterator[bytes]]


class Unpacked(StandIn):
    """The text in a file that holds it in another form."""

    def __init__(self, stored: Content, how: str, text: Content, *, named: bool = False) -> None:
        self.stored = stored
        """The file as it lies there."""
        self.how = how
        self.named = named
        """Whether its name says so."""
        self.size = text.size
        self._text = text

    @property
    def text(self) -> Content:
        return self._text


def as_stored(content: Content, pieces: Iterable[bytes]) -> Iterable[bytes]:
    """A text that takes the place of a file's, in the form the name of the file says."""
    if not isinstance(content, Unpacked) or not content.named:
        return pieces
    return _repacked(content.how, pieces)


def as_named(
    name: str, files: Mapping[str, Iterable[bytes]], *, folder: bool
) -> Mapping[str, Iterable[bytes]]:
    """The one file there is, packed or not as the name it gets says; those of a folder as is."""
    if folder:
        return files
    return {path: _formed(name, pieces) for path, pieces in files.items()}


def _formed(name: str, pieces: Iterable[bytes]) -> Iterator[bytes]:
    rest = iter(pieces)
    head = next(rest, b"")
    while len(head) < len(ZSTD) and (more := next(rest, None)) is not None:
        head += more
    text: Iterable[bytes] = chain((head,), rest)
    known, wanted = _kind("", head), _how_named(name)
    how = None if known is None or known[0] == UTF16 else known[0]
    if known is not None and how not in (None, wanted):
        text = known[1](parked(text))
    yield from text if wanted in (None, how) else _repacked(wanted, text)


def _how_named(name: str) -> str | None:
    if not is_named_so(name):
        return None
    return GZIP_NAME if name.lower().endswith(NAMED_GZIP) else ZSTD_NAME


def _repacked(how: str, pieces: Iterable[bytes]) -> Iterator[bytes]:
    if how == GZIP_NAME:
        packing: _Packing = zlib.compressobj(wbits=31)
    else:
        import zstandard

        packing = zstandard.ZstdCompressor().compressobj()
    for piece in pieces:
        yield packing.compress(piece)
    yield packing.flush()


class _Packing(Protocol):
    """What packs bytes one piece after the other."""

    def compress(self, data: bytes, /) -> bytes:
        """What is ready of all that was given."""

    def flush(self) -> bytes:
        """The rest."""


class _Opening(Mapping[str, Content]):
    """The files of a source, each looked into when it is asked for and not before."""

    def __init__(self, files: Mapping[str, Content]) -> None:
        self._files = files
        self._found: dict[str, Content] = {}

    def __getitem__(self, path: str) -> Content:
        if path not in self._found:
            self._found[path] = _plain(path, self._files[path])
        return self._found[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __contains__(self, path: object) -> bool:
        return path in self._files


def unpacked(source: Source) -> Source:
    """A source as it is read."""
    return Source(
        source.name,
        _Opening(source.files),
        folder=source.folder,
        skipped=source.skipped,
        withheld=source.withheld,
    )


def plain_head(path: str, content: Content, size: int) -> bytes:
    """The first bytes of the text in a file."""
    head = content.read(0, size)
    known = _kind(path, head)
    if known is None:
        return head
    text = b""
    for piece in islice(known[1](content), 2 + size // BLOCK):
        text += piece
        if len(text) >= size:
            break
    return text[:size]


def _plain(path: str, content: Content) -> Content:
    known = _kind(path, content.read(0, 4))
    if known is None:
        return content
    how, pieces = known
    text = parked(_bounded(path, content, pieces))
    named = how != UTF16 and is_named_so(path)
    return Unpacked(content, how, text, named=named) if text.size else content


def is_named_so(path: str) -> bool:
    """Whether the name of a file says that it is packed."""
    return path.lower().endswith(NAMED)


def bare_name(name: str) -> str:
    """The name a file has when it is not packed."""
    return name.rpartition(".")[0] if is_named_so(name) else name


def stem_of(path: str) -> str:
    """A path or name without the ending that tells what kind of file it is."""
    bare = bare_name(path)
    return bare.rpartition(".")[0] or bare


def _kind(path: str, head: bytes) -> tuple[str, Pieces] | None:
    if path.lower().endswith(MANY):
        return None
    if head.startswith(GZIP):
        return GZIP_NAME, _from_gzip
    if head.startswith(ZSTD):
        return ZSTD_NAME, _from_zstd
    if head.startswith((LITTLE, BIG)) and len(head) > 2:
        return UTF16, _from_utf16
    return None


def _bounded(path: str, content: Content, pieces: Pieces) -> Iterator[bytes]:
    size, most = 0, min(MOST, max(ALWAYS, content.size * MOST_TIMES))
    for piece in pieces(content):
        size += len(piece)
        if size > most:
            raise Refused(
                f"{path}: the file unpacks to more than {most >> 20} MB",
                hint="unpack it yourself if you trust it",
            )
        yield piece


def _from_gzip(content: Content) -> Iterator[bytes]:
    packed = zlib.decompressobj(wbits=31)
    for block in content.blocks():
        left = block
        while left:
            try:
                piece = packed.decompress(left, BLOCK)
            except zlib.error:
                return
            if piece:
                yield piece
            left = packed.unconsumed_tail
            if packed.eof:
                # Several packed files, one behind the other, are one text.
                left = packed.unused_data
                packed = zlib.decompressobj(wbits=31)


class _Stream:
    """The bytes of a content, as a decoder wants to read them."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self._at = 0

    def read(self, size: int = BLOCK) -> bytes:
        """The next bytes."""
        found = self._content.read(self._at, self._at + size)
        self._at += len(found)
        return found


def _from_zstd(content: Content) -> Iterator[bytes]:
    import zstandard

    packed = zstandard.ZstdDecompressor(max_window_size=LARGEST_WINDOW)
    reader = packed.stream_reader(_Stream(content), read_across_frames=True)  # type: ignore[arg-type]
    while True:
        try:
            piece = reader.read(BLOCK)
        except zstandard.ZstdError:
            return
        if not piece:
            return
        yield piece


def _from_utf16(content: Content) -> Iterator[bytes]:
    name = "utf-16-le" if content.read(0, 2) == LITTLE else "utf-16-be"
    decoder = codecs.getincrementaldecoder(name)("surrogatepass")
    first = True
    for block in content.blocks(2):
        piece = decoder.decode(block).encode("utf-8", "surrogatepass")
        # What an XML file says of its encoding is true of the bytes that are read.
        yield _ENCODING.sub(rb"\1UTF-8", piece) if first else piece
        first = False
    if decoder.getstate()[0]:
        yield "\ufffd".encode()
