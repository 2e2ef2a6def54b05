"""What the library took in, what it holds, and how it is.

Counts of a library for people: what was spent, with a bar for each day, model or project.

The conversations of the library, one line each.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from math import ceil
from pathlib import PurePath
from typing import TYPE_CHECKING

from talktree.library.stats.measures import share_of
from talktree.library.stats.report import IN_TIME, Group, Statistics
from talktree.library.stats.usage import Spent
from talktree.text.escape import visible_line
from talktree.text.json.value import Json
from talktree.views.lines import EMPTY, Line, line
from talktree.views.measures import library_measures, measures_lines
from talktree.views.plots import bars
from talktree.views.width import clipped, counted, duration, moment, one_line, size, stamp

if TYPE_CHECKING:
    from pathlib import Path

    from talktree.library.archive.source_versions import Version
    from talktree.library.archive.verify import Trouble
    from talktree.library.importing.expiry import Expiring
    from talktree.library.importing.result import Failed, Imported, Progress
    from talktree.library.info import Info, NotImported
    from talktree.library.listing import Kept
    from talktree.library.temporary import Unsaved
    from talktree.library.unsaved_edits import KeptEdits


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


MOST_ROWS = 20
TITLE = 40
Row = tuple[str, float, str]
USUAL = ("day", "model", "project")
"""What is shown if nothing special is asked for."""


def library_stats_lines(
    statistics: Statistics, by: str | None = None, *, width: int = 80
) -> Iterator[Line]:
    """Totals, then the points of view that were asked for, or the usual ones."""
    yield from _summary(statistics)
    for name in USUAL if by is None else [by] if by != "tool" else []:
        yield from _groups(name, statistics.by(name), width, everything=by is not None)
    if by in (None, "tool"):
        yield from _tools(statistics, width, everything=by is not None)
    if by is None:
        yield from measures_lines(library_measures(statistics.measures), width)
    yield from _prices(statistics)


def _summary(statistics: Statistics) -> Iterator[Line]:
    sides = statistics.sidechains
    yield line(
        (counted(statistics.conversations, "conversation"), "title"),
        f", {counted(statistics.messages, 'message')}",
        f", {counted(statistics.branches, 'branch', 'branches')}",
        f", {counted(sides, 'sidechain')}" if sides else "",
    )
    if statistics.first_ns is not None and statistics.last_ns is not None:
        yield line(f"from {moment(statistics.first_ns)} to {moment(statistics.last_ns)} UTC")
    spent = statistics.spent
    if spent.replies:
        yield line(
            f"tokens: {spent.input:,} in, {spent.output:,} out, {spent.cache_read:,} from cache, "
            f"{spent.cache_write:,} to cache, in {counted(spent.replies, 'reply', 'replies')}"
        )
        yield line("cost: ", (cost_words(spent), "title"))
    calls = sum(tool.calls for tool in statistics.tools)
    if calls:
        failures = sum(tool.failures for tool in statistics.tools)
        yield line(f"{counted(calls, 'tool call')}, {failures:,} failed")
    done, left = statistics.measures.todos_done, statistics.measures.todos_open
    if done or left:
        yield line(f"tasks: {done:,} done, {left:,} open")
    shrunk, back = statistics.measures.compactions, statistics.measures.restorations
    if shrunk or back:
        yield line(f"compaction: {shrunk:,} compacted, {back:,} restored")


def cost_words(spent: Spent) -> str:
    """What something cost, and how much of it nobody knows the price of."""
    if spent.unpriced and spent.unpriced == spent.replies:
        return "no price"
    more = f" and {counted(spent.unpriced, 'reply', 'replies')} without a price"
    return dollars(spent.dollars) + (more if spent.unpriced else "")


def dollars(amount: float) -> str:
    """An amount for people: cents from ten cents on, and more digits for less."""
    return f"${amount:,.2f}" if amount >= 0.1 or not amount else f"${amount:.4f}"


def _groups(name: str, groups: Sequence[Group], width: int, *, everything: bool) -> Iterator[Line]:
    shown = groups if everything else groups[-MOST_ROWS:] if name in IN_TIME else groups[:MOST_ROWS]
    costs = any(group.spent.cost for group in groups)
    rows: list[Row] = [
        (
            _label(name, group),
            group.spent.cost if costs else group.spent.output,
            _words(group),
        )
        for group in shown
    ]
    zone = " (UTC)" if name in IN_TIME else ""
    title = f"{'Cost' if costs else 'Output tokens'} by {name}{zone}"
    rest = "earlier" if name in IN_TIME else "more"
    yield from _table(title, rows, width, len(groups), rest)


def _label(name: str, group: Group) -> str:
    """A session goes by the beginning of its id, a project by the end of its path."""
    if name == "session":
        return group.name[:8] if "/" not in group.name else _end(group.name)
    return _end(group.name) if name == "project" else group.name


def _end(path: str) -> str:
    return path if len(path) <= 28 else "…" + path[-27:]


def _words(group: Group) -> str:
    spent = group.spent
    title = f"  {one_line(group.title, TITLE)}" if group.title else ""
    replies = counted(spent.replies, "reply", "replies")
    return f"{cost_words(spent)}, {spent.output:,} out, {replies}{title}"


def _tools(statistics: Statistics, width: int, *, everything: bool) -> Iterator[Line]:
    tools = statistics.tools
    rows: list[Row] = []
    for tool in tools if everything else tools[:MOST_ROWS]:
        failed = f", {tool.failures:,} failed" if tool.failures else ""
        half = f", {duration(share_of(tool.seconds, 0.5))}" if tool.seconds else ""
        rows.append((tool.tool, tool.calls, f"{tool.calls:,}{failed}{half}"))
    yield from _table("Tool calls", rows, width, len(tools), "other")


def _table(title: str, rows: Sequence[Row], width: int, total: int, rest: str) -> Iterator[Line]:
    if not rows:
        return
    yield EMPTY
    yield line((title, "title"))
    yield from bars(rows, width=width)
    if total > len(rows):
        yield line((f"  … and {total - len(rows):,} {rest}", "faint"))


def _prices(statistics: Statistics) -> Iterator[Line]:
    if not statistics.spent.replies:
        return
    yield EMPTY
    if statistics.unpriced:
        yield line(
            f"No price is known for {', '.join(map(visible_line, statistics.unpriced))}: "
            "add it to prices.toml in the data folder."
        )
    yield line((f"List prices as of {statistics.checked}; what you pay may differ.", "faint"))


WIDTH = 70
ID = 40


def listed_lines(found: Iterable[Kept]) -> Iterator[Line]:
    """When it went on last, its id, its format and project, how much it is, its name."""
    for each in found:
        yield line(
            (f"{moment(each.last_ns)[:16] or '?':16}", "faint"),
            (f"  {clipped(each.id, ID)}", "mark"),
            f"  {each.format}",
            (f" {clipped(project_name(each.project), 30)}" if each.project else "", "tool"),
            f"  {_extent(each)}",
            (f"  {_state(each)}" if each.state != "here" else "", "error"),
            (f"  {one_line(each.title, WIDTH)}" if each.title else "", "title"),
        )


def project_name(project: str | None) -> str:
    """The last part of a project's path."""
    return PurePath(project).name or project if project else ""


def _extent(each: Kept) -> str:
    said = [counted(each.messages, "message")]
    said += [counted(each.branches, "branch", "branches")] if each.branches > 1 else []
    said += [counted(each.sidechains, "sidechain")] if each.sidechains else []
    said += [counted(each.errors, "error")] if each.errors else []
    return ", ".join([*said, size(each.size)])


def _state(each: Kept) -> str:
    return f"{each.state}: {one_line(each.trouble, 60)}" if each.trouble else each.state


def listed_shape(each: Kept) -> dict[str, Json]:
    """The same for scripts."""
    return {
        "id": each.id,
        "format": each.format,
        "title": each.title,
        "path": os.fsdecode(each.raw_path),
        "messages": each.messages,
        "threads": each.threads,
        "branches": each.branches,
        "updated": stamp(each.last_ns) or None,
        "started": stamp(each.first_ns) or None,
        "project": each.project,
        "branch": each.branch,
        "sidechains": each.sidechains,
        "errors": each.errors,
        "bytes": each.size,
        "state": each.state,
        "trouble": each.trouble,
        "parent": each.parent,
        "kept_until": stamp(each.kept_until_ns) or None,
        "number": each.number,
        "conversations_in_source": each.several,
    }
