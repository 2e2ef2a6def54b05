"""SYN20 and SYN21: characters in wrong places, and bytes that are not characters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from talktree.files import UnpackedContent
from talktree.formats.fixes import RemakeFile, repair_bytes, repair_value
from talktree.formats.rule import Diagnostic, make_safe_fix, make_unsafe_fix, rule, to_diagnostics
from talktree.formats.rule_batch import RecordBatch
from talktree.formats.rule_context import RuleRecord, Setting
from talktree.model.findings import Finding
from talktree.text.json.strings import iterate_texts, with_texts

NUL_ESCAPE = b"\\u0000"


@rule("SYN201", "byte-order-mark", "warning", on="reading", fix=make_safe_fix(repair_bytes("bom")))
def byte_order_mark(noticed: Finding) -> list[Diagnostic]:
    """A byte order mark is at the start of the file, or in the middle of it.

    Why: many readers take it for a part of the first record and lose that, or all of them.

    Bad:
        \\xef\\xbb\\xbf{"type":"user","uuid":"1"}

    Fix (safe): the mark goes; it says nothing that UTF-8 needs.
    """
    return to_diagnostics(noticed)


@rule("SYN202", "invalid-utf8", "error", on="reading", fix=make_unsafe_fix(repair_bytes("utf8")))
def invalid_utf8(noticed: Finding) -> list[Diagnostic]:
    """Some bytes are not UTF-8: another encoding, or a character that was cut in two.

    Why: many readers refuse the whole file for one such byte.

    Bad:
        {"content":"caf\\xe9"}

    Fix (unsafe): such bytes become the replacement character U+FFFD; what was meant is lost.
    """
    return to_diagnostics(noticed)


@rule(
    "SYN203",
    "lone-surrogate",
    "error",
    on="reading",
    fix=make_unsafe_fix(repair_bytes("surrogate")),
)
def lone_surrogate(noticed: Finding) -> list[Diagnostic]:
    """A string holds one half of a surrogate pair without the other.

    Why: a text was cut in the middle of a character. It cannot be sent on as UTF-8, so a service
    that gets it refuses the whole conversation.

    Bad:
        {"content":"cut \\ud83c"}

    Fix (unsafe): the half becomes the replacement character U+FFFD.
    """
    return to_diagnostics(noticed)


@rule(
    "SYN204",
    "control-character",
    "warning",
    on="reading",
    fix=make_safe_fix(repair_bytes("control")),
)
def control_character(noticed: Finding) -> list[Diagnostic]:
    """A control character is unescaped in a text, where its format wants it escaped.

    Why: strict readers refuse the record, and XML readers the whole file.

    Bad:
        {"content":"a tab	in a string"}

    Fix (safe): the character is escaped; the text stays the same.
    """
    return to_diagnostics(noticed)


def _convert_to_utf8(setting: Setting, diagnostic: Diagnostic) -> Iterator[RemakeFile]:
    assert diagnostic.path is not None
    data = setting.origin.by_path[diagnostic.path].content.read()
    yield RemakeFile(diagnostic.path, data, stored=True)


@rule("SYN210", "utf-16", "warning", on="source", fix=make_safe_fix(_convert_to_utf8))
def utf_16(setting: Setting) -> Iterator[Diagnostic]:
    """A file is written in UTF-16, as some programs on Windows save text.

    Why: all formats here are UTF-8; other readers find nothing in the file.

    Bad:
        ff fe 7b 00 22 00 74 00 79 00 70 00 65 00 22 00

    Fix (safe): the same text is written in UTF-8.
    """
    for sheet in setting.origin.sheets:
        if isinstance(sheet.content, UnpackedContent) and sheet.content.how == "UTF-16":
            whole = sheet.content.damage is None
            yield Diagnostic("the file is in UTF-16", path=sheet.path, fixable=whole)


def _find_with_nul(batch: RecordBatch) -> Sequence[RuleRecord]:
    held = batch.has_controls and NUL_ESCAPE in batch.data
    return batch.seen if held else ()


@rule(
    "SYN211",
    "nul-character",
    "warning",
    on="record",
    glance=_find_with_nul,
    fix=make_unsafe_fix(repair_value(lambda seen, diagnostic: with_texts(seen.value, _drop_nul))),
)
def nul_character(seen: RuleRecord) -> Iterable[Diagnostic]:
    """A string holds the character U+0000, written as an escape.

    Why: databases refuse such a text, and whatever takes strings to end with a NUL cuts it off.

    Bad:
        {"name":"read\\u0000file"}

    Fix (unsafe): the character is taken out.
    """
    if NUL_ESCAPE not in seen.record.raw:
        return ()
    way = next((each.way for each in iterate_texts(seen.value) if "\0" in each.text), None)
    return () if way is None else (Diagnostic("a string holds a NUL character", way=way),)


def _drop_nul(name: str | None, text: str) -> str:
    return text.replace("\0", "")
