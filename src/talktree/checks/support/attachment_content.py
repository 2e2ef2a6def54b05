"""The content of attachments, decoded and scanned once for all rules about it."""

from __future__ import annotations

from functools import lru_cache

from talktree.model.parts import Attachment
from talktree.parallel.virus_scanner import CLEAN, ScannerResult, scan_externally
from talktree.settings.attachments import attachment_settings
from talktree.text.attachment_scan import Threat, scan_attachment
from talktree.text.markdown_scan import MarkdownThreat, scan_markdown
from talktree.text.media import decode_data_url, normalize_media_type, parse_data_url

MOST_SCANNED = 64 << 20
"""Maximum number of bytes of an attachment that are scanned."""
MARKDOWN = frozenset({"text/markdown", "text/x-markdown"})


def find_threats(part: Attachment) -> tuple[Threat, ...]:
    """Return what is dangerous or suspicious in an attachment."""
    return _scan_content(part.url or "", part.name, part.media_type)


@lru_cache(maxsize=4)
def _scan_content(url: str, name: str | None, media_type: str | None) -> tuple[Threat, ...]:
    # Several rules ask in turn. Only a few results are cached, since each may hold a large file.
    return scan_attachment(_decode_content(url), name=name, media_type=media_type)


def _decode_content(url: str) -> bytes:
    head = parse_data_url(url)
    return b"" if head is None else decode_data_url(url, head, most=MOST_SCANNED)


def find_markdown_threats(part: Attachment) -> tuple[MarkdownThreat, ...]:
    """Return what has an effect in an attachment that is Markdown."""
    url = part.url or ""
    head = parse_data_url(url)
    if (
        head is None
        or not {head.media_type, normalize_media_type(part.media_type or "")} & MARKDOWN
    ):
        return ()
    return scan_markdown(decode_data_url(url, head, most=MOST_SCANNED).decode("utf-8", "replace"))


def run_user_scanner(part: Attachment) -> ScannerResult:
    """Return the result of the user's scanner for an attachment; clean without a scanner."""
    settings = attachment_settings()
    head = parse_data_url(part.url or "") if settings.scan_command else None
    if head is None:
        return CLEAN
    return scan_externally(decode_data_url(part.url or "", head, most=MOST_SCANNED), settings)
