"""STX: problems of comments as XML only: their root, attributes, places of replies."""

from __future__ import annotations

import re
from collections.abc import Iterator

from talktree.formats.fixes import BytePatch
from talktree.formats.nested_file import FilePiece
from talktree.formats.record_file import Sheet
from talktree.formats.rule import Diagnostic, make_safe_fix, rule
from talktree.formats.rule_context import RuleRecord, Setting
from talktree.formats.studio_xml.elements import CHILDREN, COMMENTS
from talktree.formats.studio_xml.parse import XmlSheet

FORMATS = ("studio-xml",)
_OPEN = re.compile(rb"<(?:children|comments)(?:\s[^<>]{0,1000})?>\s*\Z")
_EMPTY = re.compile(rb"<attachments>\s*</attachments>")
"""The form in which only that exporter writes that there are no attachments."""
LOOKED_AT = 1200
"""Number of bytes of a comment before its replies that are searched."""


def _add_root(setting: Setting, diagnostic: Diagnostic) -> Iterator[BytePatch]:
    sheet = setting.origin.by_path[diagnostic.path or ""]
    assert isinstance(sheet, XmlSheet)
    start = len(sheet.frame[0]) + len(sheet.pieces[0].gap)
    stop = sheet.content.size - len(sheet.frame[1]) - len(sheet.tail)
    yield BytePatch(sheet.path, start, start, f"<{COMMENTS}>".encode())
    yield BytePatch(sheet.path, stop, stop, f"</{COMMENTS}>".encode())


@rule(
    "STX101",
    "comments-without-root",
    "note",
    on="source",
    formats=FORMATS,
    fix=make_safe_fix(_add_root),
)
def comments_without_root(setting: Setting) -> Iterator[Diagnostic]:
    """A file has a comment, or several, without the element `<comments>` around them.

    Why: XML wants one root, and the programs that read these files look for comments inside
    `<comments>` and find none.

    Bad:
        <comment><id>1733794702200ka59h</id>…</comment>

    Fix (safe): `<comments>` is put around them, and nothing else changes.
    """
    for sheet in _iterate_sheets(setting):
        if not sheet.listed:
            yield Diagnostic(f"there is no <{COMMENTS}> around it", path=sheet.path, line=1)


def _iterate_sheets(setting: Setting) -> Iterator[XmlSheet]:
    """Yield the files that contain comments."""
    for sheet in setting.origin.sheets:
        if isinstance(sheet, XmlSheet) and sheet.pieces:
            yield sheet


@rule("STX102", "replies-left-out", "note", on="source", formats=FORMATS)
def replies_left_out(setting: Setting) -> Iterator[Diagnostic]:
    """The file looks like the work of an exporter that leaves out all replies.

    Why: of the two exporters of the app, one writes only the comments at the top. If there were
    replies, they are not in the file, and nothing in it says so.

    Bad:
        <comment><id>1</id>…<content><![CDATA[Which evening?]]></content>
          <attachments>
          </attachments>
        </comment>

    Fix: none, because the replies are not here; export the conversation as JSON if its source still
    exists.
    """
    for sheet in _iterate_sheets(setting):
        if _EMPTY.search(sheet.pieces[0].raw) and all(map(_has_no_place, sheet.pieces)):
            what = "no replies, as one of the exporters leaves them out"
            yield Diagnostic(what, path=sheet.path, line=1)


def _has_no_place(piece: FilePiece) -> bool:
    """Whether a comment has neither replies nor an empty list of replies."""
    value = piece.value
    return piece.depth == 0 and isinstance(value, dict) and CHILDREN not in value


@rule("STX103", "members-in-attributes", "note", on="source", formats=FORMATS)
def members_in_attributes(setting: Setting) -> Iterator[Diagnostic]:
    """Members of comments stand in attributes instead of elements.

    Why: the app describes this form but reads only elements, so there the comments would be empty.

    Bad:
        <comment id="1733794702200ka59h" userId="ida" type="user">…</comment>

    Fix: none, because the file is read whole here as it is; migrating it writes elements.
    """
    for sheet in _iterate_sheets(setting):
        names = sorted(sheet.writer.habits.attributes)
        if names:
            yield Diagnostic(f"{', '.join(names[:4])} in attributes", path=sheet.path, line=1)


@rule("STX104", "reply-outside-children", "warning", on="message", formats=FORMATS)
def reply_outside_children(seen: RuleRecord) -> Iterator[Diagnostic]:
    """Replies stand in a comment without the element `<children>` around them.

    Why: the programs that read these files look for replies in `<children>` only, so everything
    below this comment is lost to them.

    Bad:
        <comment><id>1</id><content>Which evening?</content><comment><id>2</id>…</comment></comment>

    Fix: none, because a file in which replies stand anywhere cannot be cut and joined surely;
    converting it to another format and back writes `<children>`.
    """
    sheet, index = seen.talk.sheet(seen.position)
    if not _has_replies(sheet, index):
        return
    hole = sheet.pieces[index].hole  # type: ignore[attr-defined]
    before = seen.record.raw[max(0, hole - LOOKED_AT) : hole]
    if not _OPEN.search(before):
        yield Diagnostic(f"its replies stand in no <{CHILDREN}>")


def _has_replies(sheet: Sheet, index: int) -> bool:
    if not isinstance(sheet, XmlSheet):
        return False
    piece = sheet.pieces[index]
    return piece.hole is not None and not piece.empty
