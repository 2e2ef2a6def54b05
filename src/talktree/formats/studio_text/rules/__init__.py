"""STT: problems of comments as text only: headers, boundaries, lost replies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from talktree.formats.rule import Diagnostic, rule, to_diagnostics
from talktree.formats.rule_context import RuleRecord, Setting
from talktree.formats.studio_text import parse_own
from talktree.formats.studio_text.lens import MIME
from talktree.formats.studio_text.parse_multipart import PartHead, read_head
from talktree.formats.studio_text.parse_text_file import TextSheet
from talktree.model.findings import Finding

FORMATS = ("studio-text",)
NOTHING = ("undefined", "null")
"""Words for a missing value in the program that wrote them."""
KNOWN_ENCODINGS = frozenset({"7bit", "8bit", "binary", "quoted-printable", "base64"})
LONGEST_BOUNDARY = 70
LONGEST_SHOWN = 40
_BOUNDARY = re.compile(rb"[0-9A-Za-z'()+_,./:=? -]*[0-9A-Za-z'()+_,./:=?-]")
"""The characters that mail allows in a boundary; the last one cannot be a blank."""


@rule("STT101", "lost-replies", "error", on="reading", formats=FORMATS)
def lost_replies(noticed: Finding) -> Sequence[Diagnostic]:
    """Where the replies to a comment should be, the text has the words `[object Promise]`.

    Why: an older version of the exporter did not wait for the replies and wrote this instead. What
    was said below this comment is not in the file.

    Bad:
        Content-Disposition: reply; to=1732588772420
        [object Promise]

    Fix: none, because the replies are not here; export the conversation again if its source still
    exists.
    """
    return to_diagnostics(noticed)


def _get_head(seen: RuleRecord) -> PartHead | None:
    """Return the headers of a comment."""
    sheet, index = seen.talk.sheet(seen.position)
    if not isinstance(sheet, TextSheet):
        return None
    piece = sheet.pieces[index]
    known = parse_own.KNOWN if sheet.cut.dialect == "own" else ()
    return None if piece.places is None else read_head(piece.raw, piece.places.head, known)


@rule("STT102", "repeated-header", "warning", on="message", formats=FORMATS)
def repeated_header(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A header of a comment occurs twice, and the two differ.

    Why: Talktree takes the first one; other readers take the last, or both as one. So the comment
    has another author, id or time for each of them.

    Bad:
        User-Id: ida
        User-Id: otto

    Fix: none, because it is not known which of the two is right.
    """
    head = _get_head(seen)
    if head is None or len(head.texts) == len(head.headers):
        return
    for header in head.headers:
        first = head.texts[header.name]
        if header.name and header.text != first:
            shown = f"{first[:LONGEST_SHOWN]!r} and {header.text[:LONGEST_SHOWN]!r}"
            yield Diagnostic(f"the header {header.label} says {shown}", at=header.at)


@rule("STT103", "odd-boundary", "warning", on="source", formats=FORMATS)
def odd_boundary(setting: Setting) -> Iterator[Diagnostic]:
    """A boundary between comments is longer than 70 characters, or has characters that none may
    have.

    Why: mail programs and MIME libraries refuse such a boundary and then see no parts at all.

    Bad:
        Content-Type: multipart/mixed; boundary="talk<1>"

    Fix: none, because boundaries belong to all the parts of a file; converting the file writes
    sound ones.
    """
    for sheet in setting.origin.sheets:
        if not isinstance(sheet, TextSheet):
            continue
        names = {sheet.cut.root, *(piece.boundary for piece in sheet.pieces)} - {b""}
        odd = sorted(name for name in names if not _is_boundary(name))
        if odd:
            shown = odd[0][:LONGEST_SHOWN].decode("utf-8", "replace")
            yield Diagnostic(f"{shown!r} is no boundary", path=sheet.path, line=1)


def _is_boundary(name: bytes) -> bool:
    return len(name) <= LONGEST_BOUNDARY and _BOUNDARY.fullmatch(name) is not None


@rule("STT104", "word-for-nothing", "note", on="message", formats=FORMATS)
def word_for_nothing(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A header says `undefined` or `null`: its writer had nothing to say and wrote the word for it.

    Why: Talktree takes it for nothing, as it was meant. Other readers take it for a name, and then
    a user or a parent called `undefined` appears.

    Bad:
        Parent-Id: undefined

    Fix: none, because the header is right in the dialect of the program that wrote it; converting
    the file leaves it out.
    """
    head = _get_head(seen)
    sheet, _ = seen.talk.sheet(seen.position)
    if head is None or not isinstance(sheet, TextSheet) or sheet.cut.dialect == "own":
        return
    for header in head.headers:
        # A missing type is reported separately.
        if header.text in NOTHING and header.name != "type" and not header.name.startswith(MIME):
            yield Diagnostic(f"the header {header.label} says {header.text!r}", at=header.at)


@rule("STT105", "unknown-transfer-encoding", "warning", on="message", formats=FORMATS)
def unknown_transfer_encoding(seen: RuleRecord) -> Iterator[Diagnostic]:
    """The text of a comment is said to be encoded in an unknown way.

    Why: it is then read as it is. If it really is encoded, what is shown is not what was written.

    Bad:
        Content-Transfer-Encoding: x-zip

    Fix: none, because the right way to decode the text is not known.
    """
    head = _get_head(seen)
    said = None if head is None else head.text("content-transfer-encoding")
    if said is not None and said.strip().lower() not in KNOWN_ENCODINGS:
        yield Diagnostic(f"the encoding {said.strip()[:LONGEST_SHOWN]!r} is not known")
