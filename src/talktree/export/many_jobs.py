"""What there is to export: each conversation in some paths with its files, or in the library."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath

from msgspec import Struct

from talktree.errors import Failure, TalktreeError
from talktree.files import Source
from talktree.formats import by_slug
from talktree.formats.detect import detect
from talktree.formats.owners import files_by_conversation
from talktree.formats.secrets import without_secrets
from talktree.formats.sources import Found, found, load_found
from talktree.library.listing import Kept


class ArchivedSource(Struct, frozen=True, kw_only=True):
    """A conversation that is read from the library."""

    library: str
    """The folder of the library."""
    entry: Kept


class Job(Struct, frozen=True, kw_only=True):
    """One page to be."""

    number: int
    root: str
    """The file or folder it is found in; nothing if it is read from the library."""
    files: tuple[str, ...] = ()
    """Those of its files that belong to it, if they are not all."""
    format: str | None = None
    shown: str
    name: str
    """What its page is called, without the ending."""
    size: int
    asked: bool
    archived: ArchivedSource | None = None
    other_files: tuple[str, ...] = ()
    """Files of the same folder that belong to none of its conversations."""
    failure: Failure | None = None
    """Why it cannot be read; then nothing is tried."""


def jobs(
    paths: Sequence[str],
    *,
    format: str | None = None,
    archived: Mapping[str, ArchivedSource | Failure] | None = None,
) -> list[Job]:
    """Everything in some paths that may be a conversation, with a name for each page.

    `archived` has the paths and ids for which the library is read, or why it cannot be.
    """
    taken = {"index"}
    out: list[Job] = []
    archived = archived or {}
    on_disk = [path for path in paths if path not in archived]
    for each in found(on_disk, format=format) if on_disk else ():
        is_top = len(paths) == 1 and each.source == os.path.abspath(paths[0])
        for part in _parts(each, format, is_top=is_top):
            name = _free(part.name, taken)
            out.append(
                Job(
                    number=len(out),
                    root=part.root,
                    files=part.files,
                    format=part.format,
                    shown=part.shown,
                    name=name,
                    size=part.size,
                    asked=each.asked,
                    other_files=part.other_files,
                )
            )
    for named, source in archived.items():
        if isinstance(source, Failure):
            out.append(_archived_job(len(out), named, failure=source))
            continue
        name = _free(_page_name(named, source.entry), taken)
        out.append(_archived_job(len(out), named, name, source, format))
    return out


def _archived_job(
    number: int,
    named: str,
    name: str = "",
    source: ArchivedSource | None = None,
    format: str | None = None,
    failure: Failure | None = None,
) -> Job:
    return Job(
        number=number,
        root="",
        format=format,
        shown=named,
        name=name,
        size=source.entry.size if source else 0,
        asked=True,
        archived=source,
        failure=failure,
    )


def _page_name(named: str, entry: Kept) -> str:
    """The name of a page: that of the file if a path is named, else the whole id."""
    return PurePath(named).stem if "/" in named or "." in named else entry.id


def _parts(each: Found, format: str | None, *, is_top: bool) -> Iterable[Job]:
    """The conversations of a folder that holds many, each with its own files.

    `is_top` says that it is the only folder that is exported; its name is not part of theirs.
    """
    whole = Job(
        number=0,
        root=each.source,
        format=format,
        shown=each.shown,
        name=each.relative,
        size=each.stamp.size,
        asked=each.asked,
    )
    if not Path(each.source).is_dir():
        return [whole]
    try:
        found = list(_groups(each, load_found(each), format, is_top=is_top))
    except TalktreeError:
        # Its turn will tell what is wrong with it.
        return [whole]
    return found if len(found) > 1 or each.without else [whole]


def _groups(each: Found, source: Source, format: str | None, *, is_top: bool) -> Iterator[Job]:
    chosen = by_slug(format) if format else detect(source).format
    source = without_secrets(source, [chosen])
    source = source.minus(chosen.fleeting(source))
    groups = files_by_conversation(source.files, chosen.split(source), chosen)
    owned = {path for paths in groups.values() for path in paths}
    others = tuple(f"{each.shown}/{path}" for path in source.files if path not in owned)
    for group, paths in groups.items():
        yield Job(
            number=0,
            root=each.source,
            files=tuple(paths),
            format=chosen.info.slug,
            shown=f"{each.shown}/{paths[0]}",
            name=group if each.asked or is_top else f"{each.relative}/{group}",
            size=sum(source.files[path].size for path in paths),
            asked=each.asked,
            other_files=others,
        )
        others = ()


def _free(name: str, taken: set[str]) -> str:
    """A path below the output folder that no other page has; nothing in it leads elsewhere."""
    steps = [step for step in name.replace("\\", "/").split("/") if step not in ("", ".", "..")]
    clean = "/".join(steps) or "conversation"
    free, number = clean, 2
    while free.lower() in taken:
        free, number = f"{clean}-{number}", number + 1
    taken.add(free.lower())
    return free
