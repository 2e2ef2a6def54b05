"""Text in UTF-16: read as UTF-8, and written as UTF-16 again."""

from __future__ import annotations

import codecs
import re
from collections.abc import Generator, Iterable, Iterator

from talktree.files.content import Content

LITTLE, BIG = b"\xff\xfe", b"\xfe\xff"
MARKS = {"utf-16-le": LITTLE, "utf-16-be": BIG}
HEAD = 1 << 10
_FORM = re.compile(r"(utf-16-[lb]e)(?:\+((?:[0-9a-f]{2}){1,3}))?(?: ([\w.:-]{0,40}))?", re.ASCII)
"""The byte order, the bytes of a truncated last character, and the declared encoding."""
_ENCODING = re.compile(
    rb"""(\A\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*["'])([\w.:-]{1,40})(?=["'])"""
)
_LENIENT = "talktree-surrogates"


def _handle_decode_error(error: UnicodeError) -> tuple[str | bytes, int]:
    """Keep a lone surrogate; replace anything else that is not UTF-8."""
    try:
        return codecs.lookup_error("surrogatepass")(error)
    except UnicodeDecodeError as other:
        return "\ufffd", other.end


codecs.register_error(_LENIENT, _handle_decode_error)


def decode_utf16(content: Content) -> Generator[bytes, None, bool]:
    """Yield the text as UTF-8, and return whether the last character is truncated.

    The remaining bytes of such a character are not part of the text.
    """
    decoder = codecs.getincrementaldecoder(_encoding_name(content))("surrogatepass")
    first = True
    for block in content.blocks(2):
        piece = decoder.decode(block).encode("utf-8", "surrogatepass")
        # The encoding that an XML file declares applies to the bytes that are read.
        yield _ENCODING.sub(rb"\1UTF-8", piece) if first else piece
        first = False
    return bool(decoder.getstate()[0])


def _encoding_name(content: Content) -> str:
    return "utf-16-le" if content.read(0, 2) == LITTLE else "utf-16-be"


def find_utf16_form(content: Content, *, cut: bool = False) -> str:
    """Return how a file is encoded: the byte order, and the encoding that an XML file declares.

    If its last character is truncated, the result includes its remaining bytes.
    """
    name = _encoding_name(content)
    head = content.read(2, 2 + HEAD).decode(name, "replace").encode("utf-8", "replace")
    declared = _ENCODING.match(head)
    form = f"{name}+{_read_cut_bytes(content, name).hex()}" if cut else name
    return form if declared is None else f"{form} {declared.group(2).decode()}"


def _read_cut_bytes(content: Content, name: str) -> bytes:
    """Return the remaining bytes of a truncated last character."""
    # At most three bytes remain of a character, so the last two code units show them.
    start = max(2, (content.size - 2) // 2 * 2 - 2)
    decoder = codecs.getincrementaldecoder(name)("surrogatepass")
    decoder.decode(content.read(start))
    return decoder.getstate()[0]


def is_utf16_form(form: str) -> bool:
    """Whether this is a result of `find_utf16_form`; it may come from untrusted data."""
    return _FORM.fullmatch(form) is not None


def encode_utf16(form: str, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Encode UTF-8 text in the form of another file."""
    found = _FORM.fullmatch(form)
    assert found is not None
    name, cut, declared = found.groups(default="")
    decoder = codecs.getincrementaldecoder("utf-8")(_LENIENT)
    yield MARKS[name]
    for piece in _restore_declaration(declared.encode(), pieces):
        yield decoder.decode(piece).encode(name, "surrogatepass")
    yield decoder.decode(b"", final=True).encode(name, "surrogatepass")
    yield bytes.fromhex(cut)


def _restore_declaration(declared: bytes, pieces: Iterable[bytes]) -> Iterator[bytes]:
    rest = iter(pieces)
    head = b""
    while declared and len(head) < HEAD and (piece := next(rest, None)) is not None:
        head += piece
    yield _ENCODING.sub(rb"\g<1>" + declared, head) if declared else head
    yield from rest
