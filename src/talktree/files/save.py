"""Output appears whole or not at all.

A file is written beside its target and renamed over it; a folder is built under a temporary
name and renamed. Nothing that exists is destroyed: a folder in the way is an error, and paths
inside a written folder can never leave it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from talktree.errors import TalktreeError, Unreadable, UsageError

Pieces = Iterable[bytes]
Agreed = Callable[[], object]


def _always() -> None:
    """What is made may appear."""


def save(
    files: Mapping[str, Pieces], target: Path, *, folder: bool, agreed: Agreed = _always
) -> list[Path]:
    """Write the files at the target and return what was written.

    When all is made and before it appears, `agreed` is called; if it raises, nothing appears.
    """
    if folder:
        return _save_folder(files, target, agreed)
    if len(files) != 1:
        raise UsageError(
            f"{target}: {len(files)} files cannot become one", hint="name a folder as the output"
        )
    _replace_file(next(iter(files.values())), target, agreed)
    return [target]


def _save_folder(files: Mapping[str, Pieces], target: Path, agreed: Agreed) -> list[Path]:
    from shutil import rmtree  # only here, as below: whoever only reads need not wait for it
    from tempfile import mkdtemp

    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UsageError(f"{target}: already exists", hint="name a folder that does not exist yet")
    with _os_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        building = Path(mkdtemp(dir=target.parent, prefix=f".{target.name}."))
    try:
        for path, pieces in files.items():
            inside = building / beneath(path)
            with _os_errors(target / path):
                inside.parent.mkdir(parents=True, exist_ok=True)
                _write(pieces, inside)
        agreed()
        with _os_errors(target):
            building.chmod(0o777 & ~_umask())
            building.rename(target)
    except BaseException:
        rmtree(building, ignore_errors=True)
        raise
    return [target / path for path in files]


def _replace_file(pieces: Pieces, target: Path, agreed: Agreed) -> None:
    from tempfile import mkstemp

    if target.is_dir():
        raise UsageError(f"{target}: is a folder", hint="name a file as the output")
    with _os_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = mkstemp(dir=target.parent, prefix=f".{target.name}.")
    os.close(descriptor)
    building = Path(name)
    try:
        with _os_errors(target):
            _write(pieces, building)
            agreed()
            mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
            building.chmod(mode)
            building.replace(target)
    except BaseException:
        building.unlink(missing_ok=True)
        raise


def _write(pieces: Pieces, path: Path) -> None:
    with open(path, "wb", buffering=1 << 20) as file:
        for piece in pieces:
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())


def beneath(path: str) -> PurePosixPath:
    """A relative path that stays below its root, or an error."""
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or "\0" in path:
        raise Unreadable(f"{path!r}: not a path inside the folder", hint="the source is unsafe")
    return PurePosixPath(*parts)


@contextlib.contextmanager
def _os_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except TalktreeError:
        raise
    except OSError as error:
        raise Unreadable(
            f"{path}: cannot write: {error.strerror or error}", hint="nothing was written"
        ) from None


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
