"""Atomic output: complete or not at all.

A file is written beside its target and renamed; a folder is built under a temporary name and
renamed. Existing output is replaced only if the gate allows it, and paths inside a written folder
can never leave it.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from talktree.errors import TalktreeError, Unreadable, UsageError
from talktree.files.creation_mode import user_umask
from talktree.files.outputs import OutputGate, is_empty

Pieces = Iterable[bytes]
Agreed = Callable[[Path], object]
"""Called with the file or folder that was built, before it gets its name."""


def _accept_any(built: Path) -> None:
    """Allow whatever was built."""


def save(
    files: Mapping[str, Pieces],
    target: str | Path,
    *,
    folder: bool,
    main: str | None = None,
    gate: OutputGate | None = None,
    agreed: Agreed = _accept_any,
) -> list[Path]:
    """Write the files at the target and return what was written.

    The gate decides before anything is made; without a gate, existing output is never replaced.
    When everything is built and before it is renamed, `agreed` is called; if it raises, nothing is
    written. If one file is `main`, all others are its companion files.
    """
    gate = gate or OutputGate()
    if main is not None:
        from talktree.files.placement import is_named_like, save_with_companions

        if is_named_like(target, main):
            return save_with_companions(files, target, main, gate, agreed)
    gate.check(target, folder=folder)
    if folder:
        return _save_folder(files, target, gate, agreed)
    if len(files) != 1:
        raise UsageError(
            f"{target}: {len(files)} files cannot become one", hint="name a folder as the output"
        )
    _save_file(next(iter(files.values())), target, gate, agreed)
    return [Path(target)]


def _save_folder(
    files: Mapping[str, Pieces], target: str | Path, gate: OutputGate, agreed: Agreed
) -> list[Path]:
    with building_folder(target) as building:
        for path, pieces in files.items():
            inside = building / check_relative_path(path)
            with _translate_errors(os.path.join(target, path)):
                inside.parent.mkdir(parents=True, exist_ok=True)
                _write_pieces(pieces, inside)
        agreed(building)
        place_folder(building, target, gate)
    return [Path(target) / path for path in files]


@contextlib.contextmanager
def building_folder(target: str | Path) -> Iterator[Path]:
    """Yield a new folder beside the target, to be filled and placed; it is removed at the end."""
    from shutil import rmtree  # only here, as below: reading alone does not need it
    from tempfile import mkdtemp

    place = Path(target)
    with _translate_errors(target):
        _make_folder(place.parent)
        building = Path(mkdtemp(dir=place.parent, prefix=f".{place.name}."))
    try:
        yield building
    finally:
        rmtree(building, ignore_errors=True)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)) from None


def place_folder(building: Path, target: str | Path, gate: OutputGate) -> None:
    """Give a folder that was built its final name.

    By force it replaces an older one, unless that contains files that would be lost.
    """
    with _translate_errors(target):
        building.chmod(0o777 & ~user_umask())
        if not os.path.lexists(target):
            building.rename(target)
            return
    gate.check(target, folder=True)
    with _translate_errors(target):
        if is_empty(target) and not os.path.islink(target):
            building.rename(target)
            return
        _refuse_other_files(target, building)
        # The link stays a link; its target folder is replaced.
        place = Path(os.path.realpath(target))
        with building_folder(place) as old:
            place.rename(old / "old")
            try:
                building.rename(place)
            except BaseException:
                (old / "old").rename(place)
                raise


def _refuse_other_files(target: str | Path, building: Path) -> None:
    """Raise an error if a folder contains files that the new one does not replace."""
    for here, folders, names in os.walk(target):
        inside = building / Path(here).relative_to(target)
        for name in (*folders, *names):
            path, new = Path(here) / name, inside / name
            is_folder = name in folders and not path.is_symlink()
            if not (new.is_dir() if is_folder else new.is_file()):
                raise UsageError(
                    f"{target}: holds {path.relative_to(target)}, which would be lost",
                    hint="move it away, or name another folder",
                )


def _save_file(pieces: Pieces, target: str | Path, gate: OutputGate, agreed: Agreed) -> None:
    from tempfile import mkstemp

    # A link stays a link; its target file is replaced.
    place = Path(os.path.realpath(target))
    with _translate_errors(target):
        _make_folder(place.parent)
        descriptor, name = mkstemp(dir=place.parent, prefix=f".{place.name}.")
    os.close(descriptor)
    building = Path(name)
    try:
        with _translate_errors(target):
            _write_pieces(pieces, building)
            agreed(building)
            mode = place.stat().st_mode & 0o777 if place.exists() else 0o666 & ~user_umask()
            building.chmod(mode)
            gate.check(target, folder=False)
            place_file(building, place, gate)
    finally:
        building.unlink(missing_ok=True)


def place_file(building: Path, place: Path, gate: OutputGate) -> None:
    """Give a file that was built its final name; an existing one is replaced only by force."""
    if gate.force:
        building.replace(place)
        return
    try:
        # A link never replaces a file that was created meanwhile.
        os.link(building, place)
    except OSError as error:
        if error.errno == errno.EEXIST:
            raise
        # A file system without links: the check just before has to suffice.
        building.replace(place)


def _write_pieces(pieces: Pieces, path: Path) -> None:
    with open(path, "wb", buffering=1 << 20) as file:
        for piece in pieces:
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())


def check_relative_path(path: str) -> PurePosixPath:
    """Return a relative path that stays below its root, or raise."""
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or "\0" in path:
        raise Unreadable(f"{path!r}: not a path inside the folder", hint="the source is unsafe")
    return PurePosixPath(*parts)


@contextlib.contextmanager
def _translate_errors(path: str | Path) -> Iterator[None]:
    try:
        yield
    except TalktreeError:
        raise
    except OSError as error:
        raise Unreadable(
            f"{path}: cannot write: {error.strerror or error}", hint="nothing was written"
        ) from None
