"""What the library took in, what it holds, and how it is."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from math import ceil
from typing import TYPE_CHECKING

from talktree.views.lines import Line, line
from talktree.views.measure import counted, size
from talktree.views.when import moment, stamp

if TYPE_CHECKING:
    from pathlib import Path

    from talktree.library.archive.source_versions import Version
    from talktree.library.archive.verify import Trouble
    from talktree.library.importing.expiry import Expiring
    from talktree.library.importing.result import Failed, Imported, Progress
    from talktree.library.info import Info, NotImported
    from talktree.library.temporary import Unsaved
    from talktree.library.unsaved_edits import KeptEdits
    from talktree.text.json.value import Json

STYLES = {"new": "added", "grown": "added", "back": "added", "failed": "error"}
MOST_LISTED = 20
"""How many files that were not imported are listed."""
READ = {"new", "grown", "replaced"}
"""What a source was read for."""


# imports


def summary_line(done: Imported) -> Line:
    """How many sources are new, have grown, and so on."""
    words = {
        "new": done.new,
        "grown": done.grown,
        "replaced": done.replaced,
        "moved": done.moved,
        "gone (kept here)": done.gone,
        "there again": done.back,
        "completed": done.completed,
        "failed": len({each.path for each in done.failed}),
        "unchanged": done.unchanged,
        "not imported": len(done.skipped),
        "very long lines kept but not indexed": done.untold,
    }
    told = ", ".join(f"{count:,} {word}" for word, count in words.items() if count)
    damaged, incomplete = done.count_damaged(), len(done.incomplete)
    for count, word in ((damaged, "damaged"), (incomplete - damaged, "incomplete")):
        told += f"; {count:,} of them {word}" if count else ""
    read = f" ({size(done.bytes_read)} read)" if done.bytes_read else ""
    return line((told or "nothing to keep was found", "title"), read)


def step_line(step: Progress) -> Line:
    """One source, as it is taken in."""
    read = f"  {size(step.size)}" if step.what in READ else ""
    return line((f"{step.what:10}", STYLES.get(step.what, "mark")), os.fsdecode(step.source), read)


def step_shape(step: Progress) -> dict[str, Json]:
    """The same for scripts."""
    return {"what": step.what, "path": os.fsdecode(step.source), "bytes": step.size}


def imported_shape(done: Imported, expiring: Sequence[Expiring] = ()) -> dict[str, Json]:
    """What an import came to, for scripts."""
    return {
        "seen": done.seen,
        "new": done.new,
        "grown": done.grown,
        "unchanged": done.unchanged,
        "replaced": done.replaced,
        "moved": done.moved,
        "gone": done.gone,
        "back": done.back,
        "completed": done.completed,
        "passed_over": done.passed_over,
        "forgotten": done.forgotten,
        "scrubbed": [os.fsdecode(path) for path in sorted(done.scrubbed)],
        "untold": done.untold,
        "failed": failed_shape(done.failed),
        "incomplete": failed_shape(done.incomplete),
        "skipped": [{"path": os.fsdecode(path), "why": why} for path, why in done.skipped],
        "oversized": [
            {"path": os.fsdecode(path), "attachments": count} for path, count in done.oversized
        ],
        "records": done.records,
        "pieces": done.pieces,
        "bytes_read": done.bytes_read,
        "expiring": [expiring_shape(each) for each in expiring],
    }


def failed_shape(failed: Iterable[Failed]) -> list[Json]:
    """Sources that could not be read, or not completely, and why."""
    return [{"path": os.fsdecode(each.path), "message": each.failure.message} for each in failed]


def expiring_shape(each: Expiring) -> Json:
    """A source that its tool will delete."""
    return {
        "path": os.fsdecode(each.path),
        "days": _days(each),
        "date": stamp(each.until_ns)[:10],
        "cleanup_period_days": each.period,
    }


def expiry_notice(expiring: Sequence[Expiring]) -> str:
    """How many sessions will be deleted by their tool, and when, in one sentence."""
    first, last = _days(expiring[0]), _days(expiring[-1])
    if last == 0:
        days = "any day now"
    else:
        days = f"in {counted(last, 'day')}" if first == last else f"in {first:,} to {last:,} days"
    one = len(expiring) == 1
    what = "1 session" if one else f"{len(expiring):,} sessions"
    own, kept = ("its", "it is") if one else ("their", "they are")
    periods = sorted({each.period for each in expiring})
    period = f"cleanupPeriodDays {' and '.join(f'{each:g}' for each in periods)}"
    return f"{what} will be deleted by {own} tool {days} ({period}); {kept} kept here"


def expiry_lines(named: Sequence[tuple[Expiring, str]]) -> Iterator[str]:
    """A line for each session that will be deleted, with its id and title."""
    for each, name in named[:MOST_LISTED]:
        days = _days(each)
        when = f"in {counted(days, 'day')}" if days else "any day now"
        yield f"  {name} ({when})"
    if len(named) > MOST_LISTED:
        yield f"  {len(named) - MOST_LISTED:,} more (`talktree import --json` lists all)"


def _days(each: Expiring) -> int:
    """Days that are left, the one that has begun included."""
    return max(0, ceil(each.days))


# the library as a whole


def info_lines(info: Info, config: Path) -> Iterator[Line]:
    """Where it is, how much it holds, what it looks at, and the configuration that applies."""
    states = {"gone": info.gone, "unreadable": info.unreadable}
    told = [f"{count:,} {state}" for state, count in states.items() if count]
    yield _row("library", str(info.root))
    yield _row("conversations", f"{info.conversations:,}")
    yield _row("sources", f"{info.sources:,}" + (f", {', '.join(told)}" if told else ""))
    yield _row("kept", f"{size(info.raw)} in {size(info.archive)}")
    yield _row("full text", size(info.index))
    yield _row("database", f"{size(info.database)}, the archive included")
    yield _row("last import", moment(info.last_import) or "never")
    for number, place in enumerate(info.places):
        yield _row("" if number else "places", os.fsdecode(place))
    yield _row("configuration", f"{config}{'' if os.path.lexists(config) else ' (does not exist)'}")
    yield from _path_rows("damaged", info.damaged)
    yield from _path_rows("not imported", info.not_imported)


def unsaved_lines(edits: Sequence[KeptEdits]) -> Iterator[Line]:
    """The unsaved edits that studios keep, and the commands that open them again."""
    name = "unsaved edits"
    for kept in edits:
        for each in kept.unsaved:
            yield _row(name, f"{os.fsdecode(each.path)}: {describe_unsaved(each)}")
            name = ""
        if kept.is_open:
            yield _row(name, "open in a studio")
        elif kept.paths:
            yield _row(name, f"talktree studio {kept.words}")
            yield _row(name, f"talktree studio --discard {kept.words}")


def describe_unsaved(each: Unsaved) -> str:
    """How much of a file is not saved."""
    parts = [counted(each.edits, "unsaved edit")] if each.edits else []
    if each.names:
        parts.append("names of branches")
    # Neither is known of a library that cannot be read.
    return " and ".join(parts) or "unsaved edits, if there are any,"


def unsaved_shape(edits: Sequence[KeptEdits]) -> list[Json]:
    """The same for scripts."""
    return [
        {
            "library": str(kept.root),
            "open": kept.is_open,
            "paths": [os.fsdecode(path) for path in kept.paths],
            "files": [
                {"path": os.fsdecode(each.path), "edits": each.edits, "names": each.names}
                for each in kept.unsaved
            ],
        }
        for kept in edits
    ]


def _path_rows(name: str, listed: Sequence[NotImported]) -> Iterator[Line]:
    """Paths with reasons; of many only the number and the first ones."""
    if len(listed) > MOST_LISTED:
        yield _row(name, f"{len(listed):,} paths")
        name = ""
    for each in listed[:MOST_LISTED]:
        yield _row(name, f"{os.fsdecode(each.path)}: {each.why}")
        name = ""
    if len(listed) > MOST_LISTED:
        yield _row("", f"{len(listed) - MOST_LISTED:,} more (use --json)")


def _row(name: str, what: str) -> Line:
    return line((f"{name:15}", "faint"), what)


def info_shape(info: Info, config: Path) -> dict[str, Json]:
    """The same for scripts."""
    return {
        "root": str(info.root),
        "made": stamp(info.made) or None,
        "last_import": stamp(info.last_import) or None,
        "sources": info.sources,
        "conversations": info.conversations,
        "here": info.here,
        "gone": info.gone,
        "unreadable": info.unreadable,
        "raw_bytes": info.raw,
        "archive_bytes": info.archive,
        "index_bytes": info.index,
        "database_bytes": info.database,
        "places": [os.fsdecode(each) for each in info.places],
        "config_file": str(config),
        "config_exists": os.path.lexists(config),
        "damaged": [*map(_path_shape, info.damaged)],
        "not_imported": [*map(_path_shape, info.not_imported)],
    }


def _path_shape(each: NotImported) -> Json:
    return {"path": os.fsdecode(each.path), "state": each.state, "why": each.why}


def trouble_line(trouble: Trouble) -> Line:
    """Something wrong, and what to do."""
    hint = f" ({trouble.hint})" if trouble.hint else ""
    return line((trouble.kind, "error"), f": {trouble.what}", (hint, "faint"))


def trouble_shape(trouble: Trouble) -> dict[str, Json]:
    """The same for scripts."""
    return {"kind": trouble.kind, "what": trouble.what, "hint": trouble.hint}


def version_lines(versions: Iterable[Version]) -> Iterator[Line]:
    """The lengths that a file was seen with."""
    for each in versions:
        seen = f"{moment(each.seen_ns)}  "
        doubt = "" if each.verified else "  provisional"
        yield line((f"{each.number:4}  ", "mark"), (seen, "faint"), size(each.length), doubt)


def version_shape(version: Version) -> dict[str, Json]:
    """The same for scripts."""
    return {
        "version": version.number,
        "bytes": version.length,
        "seen": stamp(version.seen_ns) or None,
        "modified": stamp(version.modified_ns) or None,
        "verified": version.verified,
    }
