"""The library's conversations, imports and state as text and JSON."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from math import ceil
from pathlib import PurePath
from typing import TYPE_CHECKING

from talktree.text.json.value import Json
from talktree.views.lines import Line, line
from talktree.views.width import (
    clip_text,
    format_count,
    format_moment,
    format_size,
    format_stamp,
    to_one_line,
)

if TYPE_CHECKING:
    from pathlib import Path

    from talktree.library.archive.source_versions import Version
    from talktree.library.archive.verify import ArchiveProblem
    from talktree.library.importing.expiry import ExpiringSource
    from talktree.library.importing.result import FailedPath, ImportProgress, ImportResult
    from talktree.library.info import Info, NotImported
    from talktree.library.listing import LibraryEntry
    from talktree.library.temporary import UnsavedFile
    from talktree.library.unsaved_edits import UnsavedEdits


STYLES = {"new": "added", "grown": "added", "back": "added", "failed": "error"}
MOST_LISTED = 20
"""How many files that were not imported are listed."""
READ = {"new", "grown", "replaced"}
"""What a source was read for."""


# imports


def format_summary_line(done: ImportResult) -> Line:
    """Return how many sources are new, have grown, and so on."""
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
    texts = ", ".join(f"{count:,} {word}" for word, count in words.items() if count)
    damaged, incomplete = done.count_damaged(), len(done.incomplete)
    for count, word in ((damaged, "damaged"), (incomplete - damaged, "incomplete")):
        texts += f"; {count:,} of them {word}" if count else ""
    read = f" ({format_size(done.bytes_read)} read)" if done.bytes_read else ""
    return line((texts or "nothing to keep was found", "title"), read)


def format_step_line(step: ImportProgress) -> Line:
    """Return one source while it is imported."""
    read = f"  {format_size(step.size)}" if step.what in READ else ""
    return line((f"{step.what:10}", STYLES.get(step.what, "mark")), os.fsdecode(step.source), read)


def build_step_shape(step: ImportProgress) -> dict[str, Json]:
    """Return the step as JSON values."""
    return {"what": step.what, "path": os.fsdecode(step.source), "bytes": step.size}


def build_import_shape(
    done: ImportResult, expiring: Sequence[ExpiringSource] = ()
) -> dict[str, Json]:
    """Return the result of an import as JSON values."""
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
        "failed": format_failed_sources(done.failed),
        "incomplete": format_failed_sources(done.incomplete),
        "skipped": [{"path": os.fsdecode(path), "why": why} for path, why in done.skipped],
        "oversized": [
            {"path": os.fsdecode(path), "attachments": count} for path, count in done.oversized
        ],
        "records": done.records,
        "pieces": done.pieces,
        "bytes_read": done.bytes_read,
        "expiring": [build_expiring_shape(each) for each in expiring],
    }


def format_failed_sources(failed: Iterable[FailedPath]) -> list[Json]:
    """Yield the sources that could not be read, or not completely, and why."""
    return [{"path": os.fsdecode(each.path), "message": each.failure.message} for each in failed]


def build_expiring_shape(each: ExpiringSource) -> Json:
    """Return a source that its tool will delete, as JSON values."""
    return {
        "path": os.fsdecode(each.path),
        "days": _count_days_left(each),
        "date": format_stamp(each.until_ns)[:10],
        "cleanup_period_days": each.period,
    }


def format_expiry_notice(expiring: Sequence[ExpiringSource]) -> str:
    """Return how many sessions their tool will delete, and when, in one sentence."""
    first, last = _count_days_left(expiring[0]), _count_days_left(expiring[-1])
    if last == 0:
        days = "any day now"
    else:
        days = (
            f"in {format_count(last, 'day')}" if first == last else f"in {first:,} to {last:,} days"
        )
    one = len(expiring) == 1
    what = "1 session" if one else f"{len(expiring):,} sessions"
    own, kept = ("its", "it is") if one else ("their", "they are")
    periods = sorted({each.period for each in expiring})
    period = f"cleanupPeriodDays {' and '.join(f'{each:g}' for each in periods)}"
    return f"{what} will be deleted by {own} tool {days} ({period}); {kept} kept here"


def format_expiry_lines(named: Sequence[tuple[ExpiringSource, str]]) -> Iterator[str]:
    """Yield a line for each session that will be deleted, with its id and title."""
    for each, name in named[:MOST_LISTED]:
        days = _count_days_left(each)
        when = f"in {format_count(days, 'day')}" if days else "any day now"
        yield f"  {name} ({when})"
    if len(named) > MOST_LISTED:
        yield f"  {len(named) - MOST_LISTED:,} more (`talktree import --json` lists all)"


def _count_days_left(each: ExpiringSource) -> int:
    """Return the number of days left, including the current one."""
    return max(0, ceil(each.days))


# the library as a whole


def format_info_lines(info: Info, config: Path) -> Iterator[Line]:
    """Yield the library's path, size and places, and the configuration in effect."""
    states = {"gone": info.gone, "unreadable": info.unreadable}
    words = [f"{count:,} {state}" for state, count in states.items() if count]
    yield _format_row("library", str(info.root))
    yield _format_row("conversations", f"{info.conversations:,}")
    yield _format_row("sources", f"{info.sources:,}" + (f", {', '.join(words)}" if words else ""))
    yield _format_row("kept", f"{format_size(info.raw)} in {format_size(info.archive)}")
    yield _format_row("full text", format_size(info.index))
    yield _format_row("database", f"{format_size(info.database)}, the archive included")
    yield _format_row("last import", format_moment(info.last_import) or "never")
    for number, place in enumerate(info.places):
        yield _format_row("" if number else "places", os.fsdecode(place))
    yield _format_row(
        "configuration", f"{config}{'' if os.path.lexists(config) else ' (does not exist)'}"
    )
    yield from _format_path_rows("damaged", info.damaged)
    yield from _format_path_rows("not imported", info.not_imported)


def format_unsaved_lines(edits: Sequence[UnsavedEdits]) -> Iterator[Line]:
    """Yield the unsaved edits that studios keep, and the commands that reopen them."""
    name = "unsaved edits"
    for kept in edits:
        for each in kept.unsaved:
            yield _format_row(name, f"{os.fsdecode(each.path)}: {describe_unsaved(each)}")
            name = ""
        if kept.is_open:
            yield _format_row(name, "open in a studio")
        elif kept.paths:
            yield _format_row(name, f"talktree studio {kept.words}")
            yield _format_row(name, f"talktree studio --discard {kept.words}")


def describe_unsaved(each: UnsavedFile) -> str:
    """Describe how much of a file is unsaved."""
    parts = [format_count(each.edits, "unsaved edit")] if each.edits else []
    if each.names:
        parts.append("names of branches")
    # Neither is known of a library that cannot be read.
    return " and ".join(parts) or "unsaved edits, if there are any,"


def build_unsaved_shape(edits: Sequence[UnsavedEdits]) -> list[Json]:
    """Return the unsaved edits as JSON values."""
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


def _format_path_rows(name: str, listed: Sequence[NotImported]) -> Iterator[Line]:
    """Yield paths with reasons; of many, only the number and the first ones."""
    if len(listed) > MOST_LISTED:
        yield _format_row(name, f"{len(listed):,} paths")
        name = ""
    for each in listed[:MOST_LISTED]:
        yield _format_row(name, f"{os.fsdecode(each.path)}: {each.why}")
        name = ""
    if len(listed) > MOST_LISTED:
        yield _format_row("", f"{len(listed) - MOST_LISTED:,} more (use --json)")


def _format_row(name: str, what: str) -> Line:
    return line((f"{name:15}", "faint"), what)


def build_info_shape(info: Info, config: Path) -> dict[str, Json]:
    """Return the library's state as JSON values."""
    return {
        "root": str(info.root),
        "made": format_stamp(info.made) or None,
        "last_import": format_stamp(info.last_import) or None,
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
        "damaged": [*map(_build_path_shape, info.damaged)],
        "not_imported": [*map(_build_path_shape, info.not_imported)],
    }


def _build_path_shape(each: NotImported) -> Json:
    return {"path": os.fsdecode(each.path), "state": each.state, "why": each.why}


def format_problem_line(trouble: ArchiveProblem) -> Line:
    """Return a problem and what to do about it."""
    hint = f" ({trouble.hint})" if trouble.hint else ""
    return line((trouble.kind, "error"), f": {trouble.what}", (hint, "faint"))


def build_problem_shape(trouble: ArchiveProblem) -> dict[str, Json]:
    """Return a problem as JSON values."""
    return {"kind": trouble.kind, "what": trouble.what, "hint": trouble.hint}


def format_version_lines(versions: Iterable[Version]) -> Iterator[Line]:
    """Yield the lengths at which a file was seen."""
    for each in versions:
        seen = f"{format_moment(each.seen_ns)}  "
        doubt = "" if each.verified else "  provisional"
        yield line((f"{each.number:4}  ", "mark"), (seen, "faint"), format_size(each.length), doubt)


def build_version_shape(version: Version) -> dict[str, Json]:
    """Return a version as JSON values."""
    return {
        "version": version.number,
        "bytes": version.length,
        "seen": format_stamp(version.seen_ns) or None,
        "modified": format_stamp(version.modified_ns) or None,
        "verified": version.verified,
    }


WIDTH = 70
ID = 40


def format_entry_lines(found: Iterable[LibraryEntry]) -> Iterator[Line]:
    """Yield the last activity, id, format, project, size and title."""
    for each in found:
        yield line(
            (f"{format_moment(each.last_ns)[:16] or '?':16}", "faint"),
            (f"  {clip_text(each.id, ID)}", "mark"),
            f"  {each.format}",
            (f" {clip_text(get_project_name(each.project), 30)}" if each.project else "", "tool"),
            f"  {_format_extent(each)}",
            (f"  {_format_state(each)}" if each.state != "here" else "", "error"),
            (f"  {to_one_line(each.title, WIDTH)}" if each.title else "", "title"),
        )


def get_project_name(project: str | None) -> str:
    """Return the last part of a project's path."""
    return PurePath(project).name or project if project else ""


def _format_extent(each: LibraryEntry) -> str:
    said = [format_count(each.messages, "message")]
    said += [format_count(each.branches, "branch", "branches")] if each.branches > 1 else []
    said += [format_count(each.sidechains, "sidechain")] if each.sidechains else []
    said += [format_count(each.errors, "error")] if each.errors else []
    return ", ".join([*said, format_size(each.size)])


def _format_state(each: LibraryEntry) -> str:
    return f"{each.state}: {to_one_line(each.trouble, 60)}" if each.trouble else each.state


def build_entry_shape(each: LibraryEntry) -> dict[str, Json]:
    """Return a conversation as JSON values."""
    return {
        "id": each.id,
        "format": each.format,
        "title": each.title,
        "path": os.fsdecode(each.raw_path),
        "messages": each.messages,
        "threads": each.threads,
        "branches": each.branches,
        "updated": format_stamp(each.last_ns) or None,
        "started": format_stamp(each.first_ns) or None,
        "project": each.project,
        "branch": each.branch,
        "sidechains": each.sidechains,
        "errors": each.errors,
        "bytes": each.size,
        "state": each.state,
        "trouble": each.trouble,
        "parent": each.parent,
        "kept_until": format_stamp(each.kept_until_ns) or None,
        "number": each.number,
        "conversations_in_source": each.several,
    }
