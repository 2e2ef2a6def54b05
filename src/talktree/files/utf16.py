"""Text in UTF-16: read as UTF-8, and written as UTF-16 again."""

from __future__ import annotations

import codecs
import re
from collections.abc import Generator, Iterable, Iterator

from talktree.files.content import Content

LITTLE, BIG = b"\xff\xfe", b"\xfe\xff"
MARKS = {"utf-16-le": LITTLE, "utf-16-be": BIG}
HEAD = 1 << 10
_ENCODING = re.compile(
    rb"""(\A\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*["'])([\w.:-]{1,40})(?=["'])"""
)
_LENIENT = "talktree-surrogates"


def _lenient(error: UnicodeError) -> tuple[str | bytes, int]:
    """Half of a surrogate pair as it is; anything else that is not UTF-8 is replaced."""
    try:
        return codecs.lookup_error("surrogatepass")(error)
    except UnicodeDecodeError as other:
        return "\ufffd", other.end


codecs.register_error(_LENIENT, _lenient)


def from_utf16(content: Content) -> Generator[bytes, None, bool]:
    """The text as UTF-8; returns whether the last character is cut off."""
    decoder = codecs.getincrementaldecoder(_name(content))("surrogatepass")
    first = True
    for block in content.blocks(2):
        piece = decoder.decode(block).encode("utf-8", "surrogatepass")
        # What an XML file says of its encoding is true of the bytes that are read.
        yield _ENCODING.sub(rb"\1UTF-8", piece) if first else piece
        first = False
    if decoder.getstate()[0]:
        yield "\ufffd".encode()
        return True
    return False


def _name(content: Content) -> str:
    return "utf-16-le" if content.read(0, 2) == LITTLE else "utf-16-be"


def form_of_text(content: Content) -> str:
    """How a file is encoded: the order of bytes, and what an XML file says of its encoding."""
    name = _name(content)
    head = content.read(2, 2 + HEAD).decode(name, "replace").encode("utf-8", "replace")
    declared = _ENCODING.match(head)
    return name if declared is None else f"{name} {declared.group(2).decode()}"


def is_utf16_form(form: str) -> bool:
    """Whether this is what `form_of_text` says of a file; it may come from anywhere."""
    name, _, declared = form.partition(" ")
    return name in MARKS and re.fullmatch(r"[\w.:-]{0,40}", declared, re.ASCII) is not None


def as_utf16(form: str, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """UTF-8 text as a file that is encoded as another one was."""
    name, _, declared = form.partition(" ")
    decoder = codecs.getincrementaldecoder("utf-8")(_LENIENT)
    yield MARKS[name]
    for piece in _with_declaration(declared.encode(), pieces):
        yield decoder.decode(piece).encode(name, "surrogatepass")
    yield decoder.decode(b"", final=True).encode(name, "surrogatepass")


def _with_declaration(declared: bytes, pieces: Iterable[bytes]) -> Iterator[bytes]:
    rest = iter(pieces)
    head = b""
    while declared and len(head) < HEAD and (piece := next(rest, None)) is not None:
        head += piece
    yield _ENCODING.sub(rb"\g<1>" + declared, head) if declared else head
    yield from rest
