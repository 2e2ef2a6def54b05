"""Whether a file may be attached, by the same rules that check conversations.

Dangerous content is always refused; suspicious content needs a confirmation.
"""

from __future__ import annotations

import mimetypes
from typing import NamedTuple

from talktree.errors import AttachmentTooLarge, DangerousAttachment, SuspiciousAttachment
from talktree.parallel.virus_scanner import scan_externally
from talktree.settings.attachments import attachment_settings
from talktree.text.attachment_scan import scan_attachment
from talktree.text.escape import escape_line
from talktree.text.media_types import find_contradicting_type, is_well_formed

LONGEST_NAME = 100


class AttachmentReview(NamedTuple):
    """Reasons not to attach a file."""

    refusals: tuple[str, ...] = ()
    """Why the file is dangerous."""
    warnings: tuple[str, ...] = ()
    """Why the file is suspicious."""

    def require(self, name: str, *, accept: bool) -> None:
        """Raise if the file is dangerous, or suspicious and not accepted."""
        shown = escape_line(name[:LONGEST_NAME])
        if self.refusals:
            raise DangerousAttachment(
                f"{shown} is not attached: {'; '.join(self.refusals)}",
                hint="such a file must not be in a conversation; link to it instead",
            )
        if self.warnings and not accept:
            raise SuspiciousAttachment(
                f"{shown} is suspicious: {'; '.join(self.warnings)}",
                hint="attach it only if you know where it comes from, and confirm that",
            )


def refuse_size(size: int, name: str) -> None:
    """Raise if a file is larger than an attachment may be."""
    limit = attachment_settings().max_size
    if size > limit:
        raise AttachmentTooLarge(
            f"{escape_line(name[:LONGEST_NAME])} has {size:,} bytes; an attachment may have"
            f" {limit:,}",
            hint="link to it instead, or raise max-size in your configuration",
        )


def review_attachment(data: bytes, name: str, *, claimed: str = "") -> AttachmentReview:
    """Review a file that is to be attached; `claimed` is the media type it claims to have."""
    refuse_size(len(data), name)
    refusals: list[str] = []
    warnings: list[str] = []
    for threat in scan_attachment(data, name=name, media_type=claimed):
        (refusals if threat.is_dangerous else warnings).append(f"it is {threat.detail}")
    warnings += _check_type(data, name, claimed)
    scanned = scan_externally(data, attachment_settings())
    if scanned.state == "infected":
        refusals.append(f"the virus scanner reports it: {escape_line(scanned.detail)}")
    elif scanned.state == "failed":
        warnings.append(f"it was not scanned: {escape_line(scanned.detail)}")
    return AttachmentReview(tuple(refusals), tuple(warnings))


def _check_type(data: bytes, name: str, claimed: str) -> list[str]:
    """Return what is wrong with the claimed type of a file, or with its file extension."""
    if claimed and not is_well_formed(claimed):
        return [f"{escape_line(claimed[:LONGEST_NAME])!r} is not a media type"]
    for said in (claimed, mimetypes.guess_type(name, strict=False)[0] or ""):
        real = find_contradicting_type(said, data) if said else None
        if real is not None:
            return [f"it is said to be {said}, and is {real}"]
    return []
