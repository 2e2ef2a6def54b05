"""Results of a batch on their way to their places: nothing is replaced that is not its own.

A file or folder in the way may be replaced if an earlier run wrote it, or if it holds just what
would be written now. What somebody else put there, or changed, stays.
"""

from __future__ import annotations

import filecmp
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from talktree.conversion.batch_state import Output, as_it_is
from talktree.errors import ChangedMeanwhile, UsageError


def outputs_of(files: Sequence[Path], staged: Path, name: str) -> tuple[Output, ...]:
    """The files of a result as they will be when it has moved to its name."""
    out = []
    for path in files:
        now = path.stat()
        inside = path.relative_to(staged).as_posix()
        full = name if inside == "." else f"{name}/{inside}"
        out.append(Output(full, now.st_size, now.st_mtime_ns))
    return tuple(out)


def refuse_strangers(
    staged: Path, out: Path, name: str, *, known: frozenset[Output], force: bool
) -> None:
    """Raise an error if what is in the way of a result is not its own.

    With `force` a file may be replaced whatever it is, and a folder if all its files have names
    that are known.
    """
    target = out / name
    if not os.path.lexists(target):
        return
    if target.is_symlink() or target.is_dir() != staged.is_dir():
        raise _stranger(target, name)
    names = {output.name for output in known}
    for each in _files(target):
        inside = each.relative_to(target)
        full = name if each == target else f"{name}/{inside.as_posix()}"
        if as_it_is(out, full) in known or _same(staged / inside, each):
            continue
        ours = full in names or (staged / inside).exists()
        if not force and full in names:
            raise ChangedMeanwhile(
                f"{each}: somebody changed it since it was converted",
                hint="move it away, or replace it with --force",
            )
        if not (force and ours):
            raise _stranger(target, full)


def moved(staged: Path, target: Path) -> None:
    """Put a result in its place; the old one goes."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_dir():
        # A folder can only take the place of an empty one.
        target.rename(staged.with_name(f"{staged.name}.old"))
    staged.replace(target)


@contextmanager
def removed(staged: Path) -> Iterator[None]:
    """Nothing that was built stays, whatever happens."""
    try:
        yield
    finally:
        for path in (staged, staged.with_name(f"{staged.name}.old")):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def _files(target: Path) -> list[Path]:
    if not target.is_dir():
        return [target]
    return [path for path in target.rglob("*") if path.is_symlink() or not path.is_dir()]


def _same(one: Path, other: Path) -> bool:
    if other.is_symlink() or not one.is_file() or not other.is_file():
        return False
    return filecmp.cmp(one, other, shallow=False)


def _stranger(target: Path, name: str) -> UsageError:
    beside = f" and holds {name}" if target.is_dir() and not name.endswith(target.name) else ""
    hint = "move it away, or name another output folder"
    return UsageError(
        f"{target}: already exists{beside}, which is not from this conversion",
        hint=hint if target.is_dir() else f"{hint}; --force replaces files",
    )
