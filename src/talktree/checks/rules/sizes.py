"""SYN5: files, records and images that are too large for the programs that read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256

from msgspec.structs import replace

from talktree.checks.support.image_sizes import ImageFacts, find_image
from talktree.formats.fixes import to_entry
from talktree.formats.rule import Diagnostic, make_unsafe_fix, rule
from talktree.formats.rule_batch import RecordBatch, select_files
from talktree.formats.rule_context import CheckedConversation, RuleRecord, Setting
from talktree.model.message import Message
from talktree.model.parts import Attachment, Part, Text, ToolResult
from talktree.settings.attachments import attachment_settings
from talktree.text.media import data_size, parse_data_url

HUGE_FILE = 512 << 20
"""The longest text that some programs can hold."""
HUGE_RECORD = 16_000_000
"""Readers with a limit for one line have it here or below."""
LARGEST_IMAGE = 5 << 20
"""Maximum characters of base64 that the API accepts for one image; it counts these, not bytes."""
LONGEST_EDGE = 8000
"""Maximum width and height in pixels that the API accepts."""
LARGE = 10_000_000
"""Below this size, the composition of a file is not worth a finding."""
BLOAT = 0.9
TALKING = frozenset({"user", "assistant", "system", "tool"})


@rule("SYN501", "huge-file", "warning", on="source")
def huge_file(setting: Setting) -> Iterable[Diagnostic]:
    """A file is larger than 512 MiB.

    Why: programs that read a file as one text cannot open it at all; some then show an empty
    conversation in its place. Talktree reads it record by record.

    Bad:
        session.jsonl with 3.8 GB

    Fix: none, because nothing in it is wrong; `bloat` reports what takes up the space.
    """
    for path, content in setting.origin.source.files.items():
        if content.size > HUGE_FILE:
            yield Diagnostic(
                f"{_format_size(content.size)}; many programs cannot open it", path=path
            )


def _find_huge(batch: RecordBatch) -> Sequence[RuleRecord]:
    if len(batch.data) < HUGE_RECORD:
        return ()
    return [seen for seen in batch.seen if len(seen.record.raw) >= HUGE_RECORD]


@rule("SYN502", "huge-record", "warning", on="record", glance=_find_huge)
def huge_record(seen: RuleRecord) -> Sequence[Diagnostic]:
    """One record is 16 MB or larger.

    Why: readers have a limit for a line and stop at it, refuse the file, or need many times that
    memory. Mostly it is a file or an image written into the record as text.

    Bad:
        {"type":"user","message":{"content":[{"type":"image","source":{"data":"iVBOR… (16 MB)"}}]}}

    Fix: none, because nothing can be taken out of it without losing what it says.
    """
    size = len(seen.record.raw)
    return () if size < HUGE_RECORD else [Diagnostic(f"a record of {_format_size(size)}")]


def _without_images(seen: RuleRecord, diagnostic: Diagnostic) -> Message:
    entry = seen.entry
    assert isinstance(entry, Message)
    return replace(entry, parts=tuple(map(_replace_oversized_images, entry.parts)))


@rule(
    "SYN503",
    "image-too-large",
    "error",
    on="part",
    glance=select_files,
    parts=(Attachment, ToolResult),
    optional=True,
    fix=make_unsafe_fix(to_entry(_without_images)),
)
def image_too_large(
    part: Attachment | ToolResult, seen: RuleRecord, number: int
) -> Sequence[Diagnostic]:
    """An image has more than 5 MB of base64, or more than 8000 pixels in one direction.

    Why: the program sends all images again with each request, and the API refuses the request
    because of this one. The conversation is stuck: every further message fails.

    Bad:
        {"type":"image","source":{"type":"base64","media_type":"image/png","data":"… (11 MB)"}}

    Fix (unsafe): a text replaces it that says which image it was, of what size, and its checksum;
    the image goes to quarantine.
    """
    images: Sequence[Part] = part.output if type(part) is ToolResult else (part,)
    found = [_find_oversized_image(each) for each in images if type(each) is Attachment]
    limits = "the API takes 5 MB of base64 and 8000 pixels"
    return [Diagnostic(f"{each.words}; {limits}") for each in found if each is not None]


def _find_oversized_image(part: Attachment) -> ImageFacts | None:
    found = find_image(part)
    if found is None:
        return None
    too_long = max(found.width, found.height) > LONGEST_EDGE
    return found if too_long or found.length > LARGEST_IMAGE else None


def _replace_oversized_images(part: Part) -> Part:
    if isinstance(part, ToolResult):
        if not any(
            type(each) is Attachment and _find_oversized_image(each) for each in part.output
        ):
            return part
        return replace(part, output=tuple(map(_replace_oversized_images, part.output)))
    found = _find_oversized_image(part) if isinstance(part, Attachment) else None
    if found is None or not isinstance(part, Attachment):
        return part
    digest = sha256((part.url or "").encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return Text(f"[talktree: an image was taken out: {found.words}, sha256 of its URL {digest}…]")


@rule(
    "SYN505",
    "attachment-too-large",
    "warning",
    on="part",
    glance=select_files,
    parts=(Attachment, ToolResult),
)
def attachment_too_large(
    part: Attachment | ToolResult, seen: RuleRecord, number: int
) -> Iterable[Diagnostic]:
    """An attachment in the record itself is larger than the limit: 10 MB, or `max-size` in your
    configuration. What counts is the file, not the characters that base64 makes of it.

    Why: every copy of the conversation holds the file, and programs that load it whole become slow
    or fail. The studio and `talktree edit` refuse to attach such a file, by the same limit.

    Bad:
        {"name": "talk.mp4", "type": "video/mp4", "url": "data:video/mp4;base64,… (40 MB)"}

    Fix: none, because the content would be lost; `talktree convert --attachments beside` writes
    attachments to files of their own.
    """
    attached: Sequence[Part] = part.output if type(part) is ToolResult else (part,)
    for each in attached:
        if type(each) is not Attachment or not each.url or each.url[:5].lower() != "data:":
            continue
        limit = attachment_settings().max_size
        head = parse_data_url(each.url) if len(each.url) > limit else None
        if head is not None and (held := data_size(each.url, head)) > limit:
            yield Diagnostic(f"an attachment of {held:,} bytes; the limit is {limit:,}")


@rule("SYN504", "bloat", "note", on="talk")
def bloat(talk: CheckedConversation) -> Iterable[Diagnostic]:
    """More than nine tenths of a large file are bookkeeping or the work of sub-agents.

    Why: the conversation itself is small, but every program that opens it has to read all the rest.

    Bad:
        14 messages among 102 MB of progress records

    Fix: none, because some of these records may still be wanted; showing and converting pass over
    them.
    """
    facts = talk.facts
    total = sum(facts.bytes.values())
    if total < LARGE:
        return
    said = sum(size for role, size in facts.bytes.items() if role in TALKING) - facts.aside
    if said <= 0 or said > total * (1 - BLOAT):
        # A file that holds only a sub-agent's work is that sub-agent's file.
        return
    share = 100 * (total - said) / total
    yield Diagnostic(
        f"{share:.0f} % of {_format_size(total)} are bookkeeping or sub-agents' work; "
        f"what was said is {_format_size(said)}",
        position=0,
    )


def _format_size(count: int) -> str:
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if count >= unit:
            return f"{count / unit:.1f} {name}"
    return f"{count} bytes"
