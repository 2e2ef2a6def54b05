"""SEC12 and SEC13: attached files that are harmful, and results of the user's scanner."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.checks.rules.unsafe_files import escape_excerpt, find_text_path, list_attachments
from talktree.checks.support.attachment_content import find_threats, run_user_scanner
from talktree.formats.rule import Diagnostic, rule
from talktree.formats.rule_batch import select_files
from talktree.formats.rule_context import RuleRecord
from talktree.model.parts import Attachment, Part, ToolResult
from talktree.text.attachment_scan import ThreatKind
from talktree.text.escape import escape_line

FILES = (Attachment, ToolResult)
LONGEST_DETAIL = 160


def _report_threats(part: Part, seen: RuleRecord, kind: ThreatKind) -> Iterator[Diagnostic]:
    for each in list_attachments(part):
        for threat in find_threats(each):
            if threat.kind == kind:
                yield Diagnostic(
                    f"{_display_name(each)} is {_escape_detail(threat.detail)}",
                    find_text_path(seen, each.url),
                )


def _escape_detail(text: str) -> str:
    return escape_line(text[:LONGEST_DETAIL])


def _display_name(part: Attachment) -> str:
    return escape_excerpt(part.name) if part.name else "an attachment"


@rule("SEC121", "test-virus", "error", on="part", glance=select_files, parts=FILES)
def test_virus(part: Part, seen: RuleRecord, number: int) -> Iterator[Diagnostic]:
    """An attachment is the EICAR test file, which every virus scanner reports, or an archive with
    it.

    Why: it is harmless alone, but scanners delete or lock the file that holds it, here the whole
    conversation. Where it is, real viruses come through as well.

    Bad:
        {"name": "invoice.txt", "url": "data:text/plain;base64,WDVPIVAlQEFQWzRc…"}

    Fix: none, because it is part of what was said; attach something else, or remove the message.
    """
    yield from _report_threats(part, seen, "test-virus")


@rule("SEC122", "archive-bomb", "error", on="part", glance=select_files, parts=FILES)
def archive_bomb(part: Part, seen: RuleRecord, number: int) -> Iterator[Diagnostic]:
    """An attached archive unpacks to far more than it takes: to more than 64 MiB and 200 times its
    size, to more than its members declare, or to archives nested more than four deep.

    Why: a program that unpacks it fills the disk or the memory. Talktree looks at what the archive
    declares and unpacks no more than a few megabytes of it.

    Bad:
        {"name": "logs.zip", "type": "application/zip", "url": "data:application/zip;base64,UEsD…"}

    Fix: none, because what else is in the archive may be wanted; do not unpack it.
    """
    yield from _report_threats(part, seen, "archive-bomb")


@rule("SEC123", "program-attached", "error", on="part", glance=select_files, parts=FILES)
def program_attached(part: Part, seen: RuleRecord, number: int) -> Iterator[Diagnostic]:
    """An attachment is a program for Linux, Windows, macOS or Java, or a Windows shortcut, whatever
    its name and type say.

    Why: opening the file runs it. Conversations are shared, and readers do not expect programs.

    Bad:
        {"name": "report.pdf", "type": "application/pdf", "url": "data:…;base64,f0VMRgIBAQ…"}

    Fix: none, because it is part of what was said; link to the place where the program comes from.
    """
    yield from _report_threats(part, seen, "program")


@rule("SEC124", "macros-attached", "warning", on="part", glance=select_files, parts=FILES)
def macros_attached(part: Part, seen: RuleRecord, number: int) -> Iterator[Diagnostic]:
    """An attached document has macros: a Word, Excel, PowerPoint or OpenDocument file, new or old.

    Why: macros are programs that run when the document is opened and the user agrees. They are the
    usual way to send malware by mail.

    Bad:
        {"name": "offer.docm", "url": "data:…;base64,UEsDB… (with word/vbaProject.bin)"}

    Fix: none, because a document without its macros may not be what was meant; open it with macros
    off.
    """
    yield from _report_threats(part, seen, "macros")


@rule("SEC125", "pdf-script", "warning", on="part", glance=select_files, parts=FILES)
def pdf_script(part: Part, seen: RuleRecord, number: int) -> Iterator[Diagnostic]:
    """An attached PDF runs JavaScript, starts a program, or sends something when it is opened.
    Going to a page when it is opened is not reported. Names written with escapes (`/J#61vaScript`)
    and compressed objects are read, too.

    Why: readers run such scripts with more or less protection, and holes in it are found every
    year.

    Bad:
        {"name": "plan.pdf", "url": "data:application/pdf;base64,JVBERi0xLjcK… (/S /JavaScript)"}

    Fix: none, because forms need their scripts; open it in a reader without JavaScript.
    """
    yield from _report_threats(part, seen, "pdf-script")


@rule("SEC126", "script-attached", "warning", on="part", glance=select_files, parts=FILES)
def script_attached(part: Part, seen: RuleRecord, number: int) -> Iterator[Diagnostic]:
    """An attachment is a script: it begins with a shebang line, or its name (`.bat`, `.ps1`,
    `.vbs`, `.js`, `.sh` and so on) or its type says so.

    Why: a system runs such a file when it is opened. In talk about programs it is mostly what
    was meant.

    Bad:
        {"name": "setup.ps1", "type": "text/plain", "url": "data:text/plain,Remove-Item%20C:"}

    Fix: none, because it may be what the conversation is about; read it before you run it.
    """
    yield from _report_threats(part, seen, "script")


@rule("SEC131", "scanner-hit", "error", on="part", glance=select_files, parts=FILES)
def scanner_hit(part: Part, seen: RuleRecord, number: int) -> Iterator[Diagnostic]:
    """The virus scanner of your configuration (`scan-command`) reports an attachment. It is off
    unless you name one.

    Why: the scanner knows what no general rule can: the malware of this week.

    Bad:
        attachment: Win.Test.EICAR_HDB-1 FOUND

    Fix: none, because it is part of what was said; remove the message, or ignore this rule.
    """
    for each in list_attachments(part):
        result = run_user_scanner(each)
        if result.state == "infected":
            yield Diagnostic(
                f"{_display_name(each)}: {_escape_detail(result.detail)}",
                find_text_path(seen, each.url),
            )


@rule("SEC132", "scanner-failed", "warning", on="part", glance=select_files, parts=FILES)
def scanner_failed(part: Part, seen: RuleRecord, number: int) -> Iterator[Diagnostic]:
    """The virus scanner of your configuration (`scan-command`) could not scan an attachment: it did
    not start, did not end in time, or ended with another code than 0 and 1.

    Why: what was not scanned is not known to be clean.

    Bad:
        cannot run clamdscan: No such file or directory

    Fix: none, because only you can repair the scanner or its command.
    """
    for each in list_attachments(part):
        result = run_user_scanner(each)
        if result.state == "failed":
            yield Diagnostic(
                f"{_display_name(each)} was not scanned: {_escape_detail(result.detail)}"
            )
