"""SYN1 and SYN3: syntax of lines, brackets, headers and whole files, as reported by reading."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.files import UnpackedContent
from talktree.formats.fixes import RemakeFile, repair_bytes
from talktree.formats.rule import Diagnostic, make_safe_fix, make_unsafe_fix, rule, to_diagnostics
from talktree.formats.rule_context import Setting
from talktree.model.findings import Finding

PACKED = ("gzip", "zstd")


@rule("SYN101", "torn-record", "error", on="reading", fix=make_safe_fix(repair_bytes("torn")))
def truncated_record(noticed: Finding) -> list[Diagnostic]:
    """A record ends in the middle: the end of a file that was cut off while being written.

    Why: its writer was killed, or the disk was full. Programs that read the file stop here or
    refuse all of it, though everything before is sound.

    Bad:
        {"type":"user","uuid":"5f3c8a52-7d0e-4b7a-9f37-0c6f1d2e3a4b","message":{"role":"us

    Fix (safe): a truncated line goes to quarantine. In a document the truncated record keeps what
    can be read of it if it still is a record, and everything that is open is closed. Whole records
    stay.
    """
    return to_diagnostics(noticed)


@rule("SYN102", "malformed", "error", on="reading", fix=make_safe_fix(repair_bytes("syntax")))
def malformed(noticed: Finding) -> list[Diagnostic]:
    """Something in the file is not written in its format, with valid records around it.

    Why: some programs silently stop reading here, so that all later messages seem to be gone.

    Bad:
        {"type":"user","uuid":"1"}
        %%% write error %%%
        {"type":"user","uuid":"2"}

    Fix (safe): what cannot be read goes to quarantine, commas and brackets that are missing are put
    in; the records around it stay.
    """
    return to_diagnostics(noticed)


@rule("SYN103", "fused-records", "error", on="reading", fix=make_safe_fix(repair_bytes("fused")))
def fused_records(noticed: Finding) -> list[Diagnostic]:
    """Whole records stand on one line, without a line break between them.

    Why: readers that take a line for a record lose all of them.

    Bad:
        {"type":"user","uuid":"1"}{"type":"user","uuid":"2"}

    Fix (safe): each record gets a line of its own.
    """
    return to_diagnostics(noticed)


@rule("SYN104", "spliced-record", "error", on="reading", fix=make_safe_fix(repair_bytes("spliced")))
def spliced_record(noticed: Finding) -> list[Diagnostic]:
    """A record breaks off and the next one starts in the middle of the same line.

    Why: a writer was interrupted and went on without ending the line; readers lose both records.

    Bad:
        {"type":"user","uuid":"1","message":{"ro{"type":"user","uuid":"2"}

    Fix (safe): the second record gets the line, the piece of the first goes to quarantine.
    """
    return to_diagnostics(noticed)


@rule("SYN105", "nul-bytes", "error", on="reading", fix=make_safe_fix(repair_bytes("nul")))
def nul_bytes(noticed: Finding) -> list[Diagnostic]:
    """The file has a run of NUL bytes, as a crash or a full disk leaves it.

    Why: no reader accepts them, so the line they stand in is lost though its text is whole.

    Bad:
        \\0\\0\\0\\0{"type":"user","uuid":"1"}

    Fix (safe): the NUL bytes go to quarantine; the text around them is read.
    """
    return to_diagnostics(noticed)


@rule(
    "SYN106",
    "not-line-based",
    "warning",
    on="reading",
    fix=make_safe_fix(repair_bytes("not-lines")),
)
def not_line_based(noticed: Finding) -> list[Diagnostic]:
    """A file that should hold one record a line holds one list, or records over several lines.

    Why: programs that read line by line find no record in it at all.

    Bad:
        [
          {"type": "user", "uuid": "1"},
          {"type": "user", "uuid": "2"}
        ]

    Fix (safe): each record gets one line. Only blanks between values change, and the brackets and
    commas around records go.
    """
    return to_diagnostics(noticed)


@rule("SYN107", "empty-file", "warning", on="reading")
def empty_file(noticed: Finding) -> list[Diagnostic]:
    """A file has nothing in it.

    Why: it was made and never written, or its contents were lost; some programs crash on it.

    Bad:
        (0 bytes)

    Fix: none, because there is nothing to make a record of; look for a copy, or take the file away.
    """
    return to_diagnostics(noticed)


@rule("SYN108", "carriage-returns", "note", on="reading")
def carriage_returns(noticed: Finding) -> list[Diagnostic]:
    """Lines end with CR LF, as on Windows.

    Why: nothing is wrong with it, but a comparison with a copy from elsewhere shows every line.

    Bad:
        {"type":"user","uuid":"1"}\\r\\n

    Fix: none, because it is harmless; new lines are written in the same way.
    """
    return to_diagnostics(noticed)


@rule("SYN109", "record-too-long", "error", on="reading")
def record_too_long(noticed: Finding) -> list[Diagnostic]:
    """One line is longer than a gigabyte. It is kept in its place and not read.

    Why: nothing can hold it as one value; most often line breaks or a whole file went missing.

    Bad:
        {"type":"user","message":{"content":"data:image/png;base64,iVBORw0KGgo… (1,204,551,680 B)

    Fix: none, because what is in it is not known.
    """
    return to_diagnostics(noticed)


@rule(
    "SYN110",
    "interleaved-records",
    "error",
    on="reading",
    fix=make_unsafe_fix(repair_bytes("interleaved")),
)
def interleaved_records(noticed: Finding) -> list[Diagnostic]:
    """A whole record is between the two pieces of another: two programs wrote at once.

    Why: readers lose both records, and often the line behind them too.

    Bad:
        {"type":"user","uui{"type":"user","uuid":"2"}
        d":"1"}

    Fix (unsafe): the two pieces are put together, since they make one whole record, and each of
    the two records gets a line. That they belong together is only very likely.
    """
    return to_diagnostics(noticed)


@rule("SYN111", "nul-file", "error", on="reading")
def nul_file(noticed: Finding) -> list[Diagnostic]:
    """A file holds nothing but NUL bytes: its length was kept in a crash, its contents were not.

    Why: whatever it held is lost; programs that need it refuse the whole session.

    Bad:
        \\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0

    Fix: none, because nothing is left in it. What can be made again from other files has a rule
    of its own format.
    """
    return to_diagnostics(noticed)


def _decompress_file(setting: Setting, diagnostic: Diagnostic) -> Iterator[RemakeFile]:
    assert diagnostic.path is not None
    yield RemakeFile(diagnostic.path, setting.origin.by_path[diagnostic.path].content.read())


@rule("SYN112", "compressed", "warning", on="source", fix=make_safe_fix(_decompress_file))
def compressed(setting: Setting) -> Iterator[Diagnostic]:
    """A file is packed with gzip or zstd, though its name says that it is plain text.

    Why: it was packed to save room; the programs that wrote it cannot read it any more.

    Bad:
        session.jsonl: 1f 8b 08 00 …

    Fix (safe): the file becomes the text that is packed in it.
    """
    for sheet in setting.origin.sheets:
        content = sheet.content
        if isinstance(content, UnpackedContent) and content.how in PACKED and not content.named:
            # A plain file in its place would hide that something is missing.
            whole = content.damage is None
            yield Diagnostic(
                f"the file is packed with {content.how}", path=sheet.path, fixable=whole
            )


@rule("SYN113", "blank-line", "note", on="reading")
def blank_line(noticed: Finding) -> list[Diagnostic]:
    """A line holds no record, only blanks.

    Why: it is harmless to most readers; a few count it as a broken record.

    Bad:
        {"type":"user","uuid":"1"}

        {"type":"user","uuid":"2"}

    Fix: none, because nothing is wrong with the records; the line is kept as it is.
    """
    return to_diagnostics(noticed)


@rule("SYN114", "damaged-file", "error", on="reading")
def damaged_file(noticed: Finding) -> list[Diagnostic]:
    """A compressed or UTF-16 file is damaged or cut off, so only a part of it could be read.

    Why: everything behind that place is missing from what is shown, counted and converted.

    Bad:
        session.jsonl.gz, of which only the first 60 % were copied

    Fix: none, because what is missing is not in the file. Copy the file again, or restore it from a
    backup.
    """
    return to_diagnostics(noticed)


@rule("SYN301", "odd-header", "warning", on="reading", fix=make_safe_fix(repair_bytes("header")))
def odd_header(noticed: Finding) -> list[Diagnostic]:
    """The header of a message or a part is not written as its format wants it.

    Why: it is understood here; other readers may take it for text, or the text for a header.

    Bad:
        Content-Type: text/plain; charset=utf-8
        Id: 1719741600000-a
        No blank line parts this text from the headers above.

    Fix (safe): where it is clear what is meant, it is written as the format wants it.
    """
    return to_diagnostics(noticed)


@rule(
    "SYN302", "odd-separator", "warning", on="reading", fix=make_safe_fix(repair_bytes("separator"))
)
def odd_separator(noticed: Finding) -> list[Diagnostic]:
    """What parts messages, or a header from its text, is not what the format says.

    Why: other readers split the file elsewhere, or not at all.

    Bad:
        ; role: user

        One blank line instead of two.

    Fix (safe): where it is clear what is parted from what, the separator is written as it should
    be. Text between two parts is kept where it is.
    """
    return to_diagnostics(noticed)
