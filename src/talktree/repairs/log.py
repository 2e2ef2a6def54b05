"""The log of a repair: every step, and every byte that was removed or replaced.

One JSON object on each line: first a summary, then the steps, then the changed bytes, round by
round. A change holds the bytes it removed, so the log is also the quarantine and the data for
reverting: `undo_repair` restores the files byte for byte.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct

from talktree.errors import DamagedRecord, Unreadable
from talktree.files import Content, Source, park_pieces
from talktree.files.outputs import LOG
from talktree.files.splice import Splice, apply_splices
from talktree.repairs.plan import RepairAction
from talktree.repairs.run import Repair
from talktree.text.json.encode import encode_json

SUFFIX = LOG
"""The suffix of a log; no tool takes it for a conversation."""
VERSION = 1


class Summary(Struct, frozen=True, kw_only=True, tag="repair", tag_field="is"):
    """What was repaired, and the result."""

    v: int = VERSION
    source: str
    format: str
    folder: bool
    before: dict[str, str]
    """The original files: path to SHA-256."""
    after: dict[str, str]
    kept_bytes: int
    quarantined_bytes: int
    reachable_before: int
    reachable_after: int


class RepairStep(Struct, frozen=True, kw_only=True, tag="step", tag_field="is"):
    """One step of the plan."""

    round: int
    code: str
    name: str
    safety: str
    message: str
    path: str | None = None
    line: int | None = None
    entry: str | None = None
    before: str = ""
    after: str = ""
    invented: str = ""


class ReplacedSpan(Struct, frozen=True, kw_only=True, tag="bytes", tag_field="is"):
    """A span of a file that was replaced in a round."""

    round: int
    path: str
    at: int
    """Its offset before the round."""
    was: str
    """The old bytes; see `base64`."""
    length: int
    """The number of new bytes."""
    base64: bool = False
    """Whether `was` is in base64, because it is not text."""


class WholeFile(Struct, frozen=True, kw_only=True, tag="file", tag_field="is"):
    """A file that was removed or created in a round."""

    round: int
    path: str
    was: str | None
    """In base64; None if the file did not exist."""


Line = Summary | RepairStep | ReplacedSpan | WholeFile
_quick = msgspec.json.Encoder().encode
_typed = msgspec.json.Decoder(Line).decode


def _encode(line: Line) -> bytes:
    try:
        return _quick(line)
    except UnicodeEncodeError:
        # A word of a broken file, or a file name, may not be text; unpaired surrogates are then
        # escaped.
        return encode_json(msgspec.to_builtins(line))


def _decode(line: bytes) -> Line:
    found: Line
    try:
        found = _typed(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        found = msgspec.convert(json.loads(line), Line)
    return found


def write_log(repair: Repair) -> Iterator[bytes]:
    """Yield the lines of a log."""
    yield _encode(summarize_repair(repair)) + b"\n"
    for number, done in enumerate(repair.rounds):
        for each in done.actions:
            yield _encode(_make_step(number, each)) + b"\n"
    for number, (done, source) in enumerate(zip(repair.rounds, repair.sources, strict=True)):
        for path, splices in done.splices.items():
            for splice in splices:
                yield _encode(_make_change(number, path, splice, source.files[path])) + b"\n"
        for path in sorted(done.gone):
            was = base64.b64encode(source.files[path].read()).decode()
            yield _encode(WholeFile(round=number, path=path, was=was)) + b"\n"
        for path in done.made:
            yield _encode(WholeFile(round=number, path=path, was=None)) + b"\n"


def summarize_repair(repair: Repair) -> Summary:
    """Return a summary of a repair."""
    before, after = repair.before.origin.source, repair.source  # type: ignore[attr-defined]
    kept, quarantined = repair.bytes
    reached, reaches = repair.reach
    return Summary(
        source=before.name,
        format=repair.before.format,
        folder=before.folder,
        before=digest_files(before),
        after=digest_files(after),
        kept_bytes=kept,
        quarantined_bytes=quarantined,
        reachable_before=reached.reachable,
        reachable_after=reaches.reachable,
    )


def digest_files(source: Source) -> dict[str, str]:
    """Return the SHA-256 of each file."""
    return {path: digest_content(content) for path, content in source.files.items()}


def digest_content(content: Content) -> str:
    """Return the SHA-256 of a file."""
    found = sha256()
    for block in content.blocks():
        found.update(block)
    return found.hexdigest()


def _make_step(number: int, action: RepairAction) -> RepairStep:
    fields = {name: getattr(action, name) for name in RepairAction.__struct_fields__}
    return RepairStep(round=number, **fields)


def _make_change(number: int, path: str, splice: Splice, content: Content) -> ReplacedSpan:
    old = content.read(splice.start, splice.stop)
    try:
        was, coded = old.decode(), False
    except UnicodeDecodeError:
        was, coded = base64.b64encode(old).decode(), True
    return ReplacedSpan(
        round=number,
        path=path,
        at=splice.start,
        was=was,
        length=len(splice.new),
        base64=coded,
    )


# reverting


def read_repaired_digests(log: Path) -> list[str] | None:
    """Return the SHA-256 of each file that a repair wrote, sorted; None if it is not a log."""
    try:
        with open(log, "rb") as lines:
            first = _parse_line(lines.readline())
    except (OSError, Unreadable):
        return None
    return sorted(first.after.values()) if isinstance(first, Summary) else None


def undo_repair(source: Source, lines: Iterable[bytes]) -> Source:
    """Return the files as they were before a repair, from the repaired ones and the log."""
    details: Summary | None = None
    rounds: dict[int, list[ReplacedSpan | WholeFile]] = {}
    for each in map(_parse_line, lines):
        match each:
            case Summary():
                details = each
            case ReplacedSpan() | WholeFile():
                rounds.setdefault(each.round, []).append(each)
    if details is None:
        raise Unreadable("this is no log of a repair", hint=f"it ends with {SUFFIX}")
    _require_same(digest_files(source), details.after, "the repaired files were changed since")
    files = dict(source.files)
    if not details.folder:
        files = dict(zip(details.after, files.values(), strict=True))
    for number in sorted(rounds, reverse=True):
        files = _undo_changes(files, rounds[number])
    found = Source(details.source, _order_files(files, details), folder=details.folder)
    _require_same(
        digest_files(found), details.before, "the log does not lead back to the files as they were"
    )
    return found


def _parse_line(line: bytes) -> Line:
    try:
        return _decode(line)
    except (msgspec.ValidationError, ValueError, RecursionError):
        raise Unreadable("this is no log of a repair", hint=f"it ends with {SUFFIX}") from None


def _order_files(files: Mapping[str, Content], details: Summary) -> dict[str, Content]:
    """Return the files in their original order."""
    return {path: files[path] for path in details.before if path in files}


def _require_same(found: Mapping[str, str], wanted: Mapping[str, str], why: str) -> None:
    if sorted(found.values()) != sorted(wanted.values()):
        raise DamagedRecord(why, hint="use the backup, or repair the original again")


def _undo_changes(
    files: dict[str, Content], changes: Iterable[ReplacedSpan | WholeFile]
) -> dict[str, Content]:
    by_path: dict[str, list[Splice]] = {}
    shifts: dict[str, int] = {}
    for each in changes:
        if isinstance(each, WholeFile):
            files.pop(each.path, None)
            if each.was is not None:
                files[each.path] = park_pieces([base64.b64decode(each.was)])
            continue
        was = base64.b64decode(each.was) if each.base64 else each.was.encode()
        start = each.at + shifts.get(each.path, 0)
        by_path.setdefault(each.path, []).append(Splice(start, start + each.length, was))
        shifts[each.path] = shifts.get(each.path, 0) + each.length - len(was)
    return files | {
        path: park_pieces(apply_splices(files[path], each)) for path, each in by_path.items()
    }
