"""SEC117: attachments with a wrong or missing media type."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from talktree.checks.rules.unsafe_files import (
    escape_excerpt,
    find_text_path,
    list_attachments,
    repair_attachments,
)
from talktree.formats.rule import Diagnostic, make_safe_fix, rule
from talktree.formats.rule_batch import select_files
from talktree.formats.rule_context import RuleRecord
from talktree.model.parts import Attachment, Part, ToolResult
from talktree.text.media import ENOUGH, decode_data_url, detect_media_type, parse_data_url
from talktree.text.media_types import is_well_formed


def _describe_wrong_type(part: Attachment) -> str | None:
    """Return what is wrong with the type of an attachment."""
    if part.media_type:
        return (
            None
            if is_well_formed(part.media_type)
            else f"{escape_excerpt(part.media_type)!r} is not one"
        )
    return "there is none" if part.url else None


def _detect_type(part: Attachment) -> str | None:
    """Return the type that the data URL names or that its bytes have."""
    head = parse_data_url(part.url or "")
    if head is None:
        return None
    if head.media_type and is_well_formed(head.media_type):
        return head.media_type
    return detect_media_type(decode_data_url(part.url or "", head, most=ENOUGH))


def _with_detected_type(part: Attachment) -> Attachment:
    known = _detect_type(part) if _describe_wrong_type(part) else None
    return part if known is None else replace(part, media_type=known)


@rule(
    "SEC117",
    "media-type-missing",
    "note",
    on="part",
    glance=select_files,
    parts=(Attachment, ToolResult),
    fix=make_safe_fix(repair_attachments(_with_detected_type)),
)
def media_type_missing(part: Part, seen: RuleRecord, number: int) -> Iterator[Diagnostic]:
    """An attachment has no media type, or something in its place that is not one.

    Why: by the type a program decides whether to show a picture, offer a file or refuse it. Without
    one it guesses, and what is guessed can be arranged.

    Bad:
        {"name": "map.png", "type": "picture", "url": "data:image/png;base64,iVBORw0KGgo…"}

    Fix (safe): the type that the data URL names, or that the first bytes have. Where the content is
    not here, it is not known, and the type stays as it is.
    """
    for each in list_attachments(part):
        wrong = _describe_wrong_type(each)
        if wrong is not None:
            where = find_text_path(seen, each.media_type) if each.media_type else ""
            yield Diagnostic(
                f"no media type: {wrong}", where, fixable=_detect_type(each) is not None
            )
