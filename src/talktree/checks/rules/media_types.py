"""SEC117: attachments that do not say what they are."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from talktree.checks.rules.unsafe_files import attachments_in, each_attachment, shown, way_to
from talktree.formats.rule import Diagnostic, rule, safe
from talktree.formats.rule_batch import files_in
from talktree.formats.rule_context import Seen
from talktree.model.parts import Attachment, Part, ToolResult
from talktree.text.media import ENOUGH, content, data_url, sniffed
from talktree.text.media_types import is_well_formed


def _wrong(part: Attachment) -> str | None:
    """What is wrong with the type of an attachment."""
    if part.media_type:
        return None if is_well_formed(part.media_type) else f"{shown(part.media_type)!r} is not one"
    return "there is none" if part.url else None


def _known_type(part: Attachment) -> str | None:
    """The type that the data URL names or that its bytes have."""
    head = data_url(part.url or "")
    if head is None:
        return None
    if head.media_type and is_well_formed(head.media_type):
        return head.media_type
    return sniffed(content(part.url or "", head, most=ENOUGH))


def _typed(part: Attachment) -> Attachment:
    known = _known_type(part) if _wrong(part) else None
    return part if known is None else replace(part, media_type=known)


@rule(
    "SEC117",
    "media-type-missing",
    "note",
    on="part",
    glance=files_in,
    parts=(Attachment, ToolResult),
    fix=safe(each_attachment(_typed)),
)
def media_type_missing(part: Part, seen: Seen, number: int) -> Iterator[Diagnostic]:
    """An attachment has no media type, or something in its place that is not one.

    Why: by the type a program decides whether to show a picture, offer a file or refuse it. Without
    one it guesses, and what is guessed can be arranged.

    Bad:
        {"name": "map.png", "type": "picture", "url": "data:image/png;base64,iVBORw0KGgo…"}

    Fix (safe): the type that the data URL names, or that the first bytes have. Where the content is
    not here, it is not known, and the type stays as it is.
    """
    for each in attachments_in(part):
        wrong = _wrong(each)
        if wrong is not None:
            where = way_to(seen, each.media_type) if each.media_type else ""
            yield Diagnostic(
                f"no media type: {wrong}", where, fixable=_known_type(each) is not None
            )
