"""SEC12 and SEC13: attached files that do harm when they are opened, and what a scanner says."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.checks.rules.unsafe_files import attachments_in, shown, way_to
from talktree.checks.support.attachment_content import scanner_result, threats_in
from talktree.formats.rule import Diagnostic, rule
from talktree.formats.rule_batch import files_in
from talktree.formats.rule_context import Seen
from talktree.model.parts import Attachment, Part, ToolResult
from talktree.text.attachment_scan import ThreatKind
from talktree.text.escape import visible_line

FILES = (Attachment, ToolResult)
LONGEST_DETAIL = 160


def _told(part: Part, seen: Seen, kind: ThreatKind) -> Iterator[Diagnostic]:
    for each in attachments_in(part):
        for threat in threats_in(each):
            if threat.kind == kind:
                yield Diagnostic(
                    f"{_named(each)} is {_detail(threat.detail)}", way_to(seen, each.url)
                )


def _detail(text: str) -> str:
    return visible_line(text[:LONGEST_DETAIL])


def _named(part: Attachment) -> str:
    return shown(part.name) if part.name else "an attachment"


@rule("SEC121", "test-virus", "error", on="part", glance=files_in, parts=FILES)
def test_virus(part: Part, seen: Seen, number: int) -> Iterator[Diagnostic]:
    """An attachment is the EICAR test file, which every virus scanner reports, or an archive with
    it.

    Why: it is harmless by itself, but scanners delete or lock the file that holds it, here the
    whole conversation. Where it is, real viruses come through as well.

    Bad:
        {"name": "invoice.txt", "url": "data:text/plain;base64,WDVPIVAlQEFQWzRc…"}

    Fix: none, because it is part of what was said; attach something else, or remove the message.
    """
    yield from _told(part, seen, "test-virus")


@rule("SEC122", "archive-bomb", "error", on="part", glance=files_in, parts=FILES)
def archive_bomb(part: Part, seen: Seen, number: int) -> Iterator[Diagnostic]:
    """An attached archive unpacks to far more than it takes: to more than 64 MiB and 200 times its
    size, to more than its members declare, or to archives nested more than four deep.

    Why: a program that unpacks it fills the disk or the memory. Talktree looks at what the archive
    declares and unpacks no more than a few megabytes of it.

    Bad:
        {"name": "logs.zip", "type": "application/zip", "url": "data:application/zip;base64,UEsD…"}

    Fix: none, because what else is in the archive may be wanted; do not unpack it.
    """
    yield from _told(part, seen, "archive-bomb")


@rule("SEC123", "program-attached", "error", on="part", glance=files_in, parts=FILES)
def program_attached(part: Part, seen: Seen, number: int) -> Iterator[Diagnostic]:
    """An attachment is a program for Linux, Windows, macOS or Java, or a Windows shortcut, whatever
    its name and type say.

    Why: opening the file runs it. Conversations are shared, and readers do not expect programs.

    Bad:
        {"name": "report.pdf", "type": "application/pdf", "url": "data:…;base64,f0VMRgIBAQ…"}

    Fix: none, because it is part of what was said; link to the place where the program comes from.
    """
    yield from _told(part, seen, "program")


@rule("SEC124", "macros-attached", "warning", on="part", glance=files_in, parts=FILES)
def macros_attached(part: Part, seen: Seen, number: int) -> Iterator[Diagnostic]:
    """An attached document has macros: a Word, Excel, PowerPoint or OpenDocument file, new or old.

    Why: macros are programs that run when the document is opened and the user agrees. They are the
    usual way to send malware by mail.

    Bad:
        {"name": "offer.docm", "url": "data:…;base64,UEsDB… (with word/vbaProject.bin)"}

    Fix: none, because a document without its macros may not be what was meant; open it with macros
    off.
    """
    yield from _told(part, seen, "macros")


@rule("SEC125", "pdf-script", "warning", on="part", glance=files_in, parts=FILES)
def pdf_script(part: Part, seen: Seen, number: int) -> Iterator[Diagnostic]:
    """An attached PDF runs JavaScript, starts a program, or sends something when it is opened.
    Going to a page when it is opened is not reported. Names written with escapes (`/J#61vaScript`)
    and compressed objects are read, too.

    Why: readers run such scripts with more or less protection, and holes in it are found every
    year.

    Bad:
        {"name": "plan.pdf", "url": "data:application/pdf;base64,JVBERi0xLjcK… (/S /JavaScript)"}

    Fix: none, because forms need their scripts; open it in a reader without JavaScript.
    """
    yield from _told(part, seen, "pdf-script")


@rule("SEC126", "script-attached", "warning", on="part", glance=files_in, parts=FILES)
def script_attached(part: Part, seen: Seen, number: int) -> Iterator[Diagnostic]:
    """An attachment is a script: it begins with a shebang line, or its name (`.bat`, `.ps1`,
    `.vbs`, `.js`, `.sh` and so on) or its type says so.

    Why: a system runs such a file when it is opened. In talk about programs it is mostly what
    was meant.

    Bad:
        {"name": "setup.ps1", "type": "text/plain", "url": "data:text/plain,Remove-Item%20C:"}

    Fix: none, because it may be what the conversation is about; read it before you run it.
    """
    yield from _told(part, seen, "script")


@rule("SEC131", "scanner-hit", "error", on="part", glance=files_in, parts=FILES)
def scanner_hit(part: Part, seen: Seen, number: int) -> Iterator[Diagnostic]:
    """The virus scanner of your configuration (`scan-command`) reports an attachment. It is off
    unless you name one.

    Why: the scanner knows what no general rule can: the malware of this week.

    Bad:
        attachment: Win.Test.EICAR_HDB-1 FOUND

    Fix: none, because it is part of what was said; remove the message, or ignore this rule.
    """
    for each in attachments_in(part):
        result = scanner_result(each)
        if result.state == "infected":
            yield Diagnostic(f"{_named(each)}: {_detail(result.detail)}", way_to(seen, each.url))


@rule("SEC132", "scanner-failed", "warning", on="part", glance=files_in, parts=FILES)
def scanner_failed(part: Part, seen: Seen, number: int) -> Iterator[Diagnostic]:
    """The virus scanner of your configuration (`scan-command`) could not scan an attachment: it did
    not start, did not end in time, or ended with another code than 0 and 1.

    Why: what was not scanned is not known to be clean.

    Bad:
        cannot run clamdscan: No such file or directory

    Fix: none, because only you can repair the scanner or its command.
    """
    for each in attachments_in(part):
        result = scanner_result(each)
        if result.state == "failed":
            yield Diagnostic(f"{_named(each)} was not scanned: {_detail(result.detail)}")
