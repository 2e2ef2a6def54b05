"""The paths of a source's files when they are written.

A file with companion files keeps its layout: the file itself gets the name of the output, the
folder that is named after it is renamed with it, and all others keep their names beside it. If the
output's name is not that of such a file, it is a folder with all of them.
"""

from __future__ import annotations

import filecmp
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from talktree.errors import TalktreeError, Unreadable, UsageError
from talktree.files.compression import stem_of, strip_compression_suffix
from talktree.files.outputs import OutputGate
from talktree.files.save import building_folder, check_relative_path, place_file, save
from talktree.files.source import Source


def is_named_like(target: str | Path, main: str) -> bool:
    """Whether the name of an output is possible for a file with companion files."""
    ending = os.path.splitext(strip_compression_suffix(main))[1]
    return (
        bool(ending) and os.path.splitext(strip_compression_suffix(Path(target).name))[1] == ending
    )


def place_files(files: Iterable[str], target: Path, main: str) -> dict[str, Path]:
    """Return the path of each file of a source with companion files, for an output with this
    name."""
    folder = f"{stem_of(main)}/"
    places = {}
    for path in files:
        if path == main:
            places[path] = target
        elif path.startswith(folder):
            inside = check_relative_path(path[len(folder) :])
            places[path] = target.parent / stem_of(target.name) / inside
        else:
            places[path] = target.parent / check_relative_path(path)
    return places


def place_in_source(source: Source, root: Path, path: str) -> Path:
    """Return the path on disk of a file of a source, given the path that the source was loaded
    from."""
    if source.main is not None:
        own = Path(os.path.realpath(root)) if root.is_symlink() else root
        return root if path == source.main else own.parent / path
    return root / path if source.folder else root


def save_with_companions(
    files: Mapping[str, Iterable[bytes]],
    target: str | Path,
    main: str,
    gate: OutputGate,
    agreed: Callable[[Path], object],
) -> list[Path]:
    """Write a file with its companion files beside it, or nothing.

    A companion file that already exists with the same bytes is left as it is. Another file at its
    path is replaced only by force.
    """
    gate.check(target, folder=False)
    # A link stays a link; the companions are beside its target.
    own = Path(os.path.realpath(target)) if os.path.islink(target) else Path(target)
    places = place_files(files, own, main)
    with building_folder(own) as building:
        try:
            inside = building / "new"
            built = dict(zip(files, save(files, inside, folder=True, agreed=agreed), strict=True))
            others = [
                path
                for path in files
                if path != main and not _is_there(built[path], places[path], gate)
            ]
            if own.exists():
                built[main].chmod(own.stat().st_mode & 0o777)
            gate.check(target, folder=False)
            _move_into_place(
                [(built[path], places[path]) for path in (*others, main)], building, gate
            )
        except TalktreeError as error:
            error.message = error.message.replace(f"{building / 'new'}{os.sep}", "")
            raise
    return [Path(target) if path == main else places[path] for path in files]


def _move_into_place(moves: Iterable[tuple[Path, Path]], building: Path, gate: OutputGate) -> None:
    """Move built files into place; if that fails, restore everything."""
    done: list[tuple[Path, Path | None]] = []
    try:
        for number, (built, place) in enumerate(moves):
            with _translate_errors(place):
                place.parent.mkdir(parents=True, exist_ok=True)
                old = None
                if gate.force and place.exists():
                    old = _link_or_copy(place, building / f"old-{number}")
                place_file(built, place, gate)
            done.append((place, old))
    except BaseException:
        for place, old in done:
            if old is None:
                place.unlink(missing_ok=True)
            else:
                old.replace(place)
        raise


def _link_or_copy(path: Path, copy: Path) -> Path:
    """Hard-link a file, or copy it where the file system has no hard links."""
    try:
        os.link(path, copy)
    except OSError:
        shutil.copy2(path, copy)
    return copy


@contextmanager
def _translate_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Unreadable(
            f"{path}: cannot write: {error.strerror or error}", hint="nothing was written"
        ) from None


def _is_there(built: Path, place: Path, gate: OutputGate) -> bool:
    """Whether a companion file already exists with these bytes; raise if another file is there."""
    if not os.path.lexists(place):
        gate.check(place, folder=False)
        return False
    is_file = place.is_file() and not place.is_symlink()
    if is_file and filecmp.cmp(built, place, shallow=False):
        return True
    if not is_file or not gate.force:
        hint = "use --force to replace it" if is_file else "move it away"
        raise UsageError(
            f"{place}: already exists and is different", hint=f"{hint}, or name another output"
        )
    gate.check(place, folder=False)
    return False
