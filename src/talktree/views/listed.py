"""The conversations of the library, one line each."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING

from talktree.text.json.value import Json
from talktree.views.lines import Line, line
from talktree.views.measure import clipped, counted, one_line, size
from talktree.views.when import moment, stamp

if TYPE_CHECKING:
    from talktree.library.listing import Kept

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
