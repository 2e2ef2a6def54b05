"""What is dangerous or suspicious in an attached file, by its bytes, name and type.

Nothing is executed, and only a bounded amount is unpacked. The bytes decide; a name or a type is
only used for what the bytes cannot show: that a plain text is a script.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from talktree.text.archive_scan import ZIP, ArchiveFacts, describe_stream_bomb, scan_zip
from talktree.text.media import FURTHEST_HEADER, PICTURES, detect_media_type, normalize_media_type
from talktree.text.pdf_scan import describe_pdf_actions, is_pdf

ThreatKind = Literal["test-virus", "archive-bomb", "program", "macros", "pdf-script", "script"]
DANGEROUS: frozenset[str] = frozenset({"test-virus", "archive-bomb", "program"})
"""Kinds that are refused; all others are only suspicious."""
# In two pieces, so that virus scanners do not report this file.
EICAR = rb"X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR" + b"-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"
_BLANK = re.compile(rb"(?:\xef\xbb\xbf)?\s{0,64}")
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLE_ENTRY = 128
_MACRO_STORAGES = tuple(
    name.encode("utf-16-le") + b"\0\0" for name in ("_VBA_PROJECT", "_VBA_PROJECT_CUR", "VBA")
)
_MACH_O = (b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe")
_SHORTCUT = b"\x4c\0\0\0\x01\x14\x02\0"
_SHEBANG = re.compile(rb"(?:\xef\xbb\xbf)?#![ \t]{0,8}/[^\s]")
_SCRIPT_NAME = re.compile(
    r"\.(?:bat|cmd|ps1|psm1|vbs|vbe|js|mjs|cjs|jse|wsf|wsh|hta|sh|bash|zsh|ksh|csh|command|scpt"
    r"|applescript|reg)[. ]*\Z",
    re.IGNORECASE,
)
_SCRIPT_TYPES = frozenset(
    f"{family}/{name}"
    for family in ("text", "application")
    for name in (
        "javascript", "x-javascript", "ecmascript", "vbscript", "x-vbscript", "x-sh", "x-csh",
        "x-shellscript", "x-bat", "x-msdos-batch", "x-powershell", "hta",
    )
)  # fmt: skip


class Threat(NamedTuple):
    """One threat that was found."""

    kind: ThreatKind
    detail: str
    """What the file is, such as `a Windows program`."""

    @property
    def is_dangerous(self) -> bool:
        """Whether such a file must not be in a conversation."""
        return self.kind in DANGEROUS


def scan_attachment(
    data: bytes, *, name: str | None = None, media_type: str | None = None
) -> tuple[Threat, ...]:
    """Return what is dangerous or suspicious in a file, the worst first."""
    if detect_media_type(data[:96]) in PICTURES:
        return ()
    found: list[Threat] = []
    if data.startswith(EICAR, _BLANK.match(data).end()):  # type: ignore[union-attr]
        found.append(Threat("test-virus", "the EICAR test file"))
    program = _detect_program(data)
    if program:
        found.append(Threat("program", program))
    found += _find_archive_threats(data)
    if data.startswith(OLE) and _has_macro_storage(data):
        found.append(Threat("macros", "a document with VBA macros"))
    if is_pdf(data) and (actions := describe_pdf_actions(data)):
        found.append(Threat("pdf-script", f"a PDF that acts by itself ({actions})"))
    script = None if found else _detect_script(data, name or "", media_type or "")
    return tuple([*found, Threat("script", script)] if script else found)


def _find_archive_threats(data: bytes) -> list[Threat]:
    """Return the threats in an archive, or in a document that is an archive."""
    facts = scan_zip(data) if data.startswith(ZIP) else ArchiveFacts(describe_stream_bomb(data))
    found = []
    if any(start.startswith(EICAR) for start in facts.starts):
        found.append(Threat("test-virus", "an archive with the EICAR test file"))
    if facts.bomb:
        found.append(Threat("archive-bomb", f"an archive bomb ({facts.bomb})"))
    if facts.macros:
        found.append(Threat("macros", f"a document with macros ({facts.macros[-80:]})"))
    return found


def _detect_program(data: bytes) -> str | None:
    """Return the kind of program in these bytes; None if it is not a program."""
    if data.startswith(b"\x7fELF"):
        return "a Linux program (ELF)"
    if data.startswith(b"MZ") and len(data) >= 64:
        at = int.from_bytes(data[60:64], "little")
        if 64 <= at <= FURTHEST_HEADER and data[at : at + 2] in (b"PE", b"NE", b"LE", b"LX"):
            return "a Windows program"
    if data.startswith(_MACH_O) and len(data) >= 28:
        return "a macOS program (Mach-O)"
    if data.startswith(b"\xca\xfe\xba\xbe") and len(data) >= 8:
        # Both have a count next: fat binaries of architectures, Java its version.
        few = int.from_bytes(data[4:8], "big") < 45
        return "a macOS program (Mach-O)" if few else "a Java program"
    return "a Windows shortcut" if data.startswith(_SHORTCUT) else None


def _has_macro_storage(data: bytes) -> bool:
    """Whether a directory entry of an OLE file names a macro storage."""
    for name in _MACRO_STORAGES:
        at = data.find(name)
        while at >= 0:
            length = int.from_bytes(data[at + 64 : at + 66], "little")
            if at % _OLE_ENTRY == 0 and length == len(name):
                return True
            at = data.find(name, at + 2)
    return False


def _detect_script(data: bytes, name: str, media_type: str) -> str | None:
    """Return the kind of script, by its first line, its name or its type."""
    if _SHEBANG.match(data):
        return "a script with a shebang line"
    found = _SCRIPT_NAME.search(name[-200:])
    if found is not None:
        return f"a script ({found.group().rstrip('. ').lower()})"
    kind = normalize_media_type(media_type)
    return f"a script ({kind})" if kind in _SCRIPT_TYPES else None
