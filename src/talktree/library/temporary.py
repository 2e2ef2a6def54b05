"""Temporary libraries of files that a studio was opened on directly, and their leftovers.

They are removed when the studio ends, or when the next command starts if it was killed. Unsaved
work stays: unsaved edits, and names of branches.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from talktree.errors import LibraryLocked, TalktreeError
from talktree.home import data_home

if TYPE_CHECKING:
    from talktree.library.erasure.forget import ForgetResult
    from talktree.library.erasure.scrub import ScrubResult
    from talktree.library.erasure.text_finder import FoundText
    from talktree.library.library import Library
    from talktree.library.listing import LibraryEntry

FOLDER = "studio"
LOCK = "serving"
KEPT = "unsaved"
"""The mark of a library that holds only unsaved work; it is not removed."""
SCRATCH = "talktree-studio-"
_SOURCES = "SELECT id FROM sources"
_NAMED = "SELECT 1 FROM branch_names WHERE source = ? LIMIT 1"


class UnsavedFile(NamedTuple):
    """A file with unsaved work in a temporary library."""

    path: Path
    edits: int
    names: bool
    """Whether branches were named."""


def temporary_library_path(given: Sequence[Path]) -> Path:
    """Return where the library of some paths is; the same paths always have the same one."""
    import hashlib  # slow to load, and most commands only look for leftovers

    named = b"\0".join(sorted(os.fsencode(path) for path in given))
    return data_home() / FOLDER / hashlib.sha256(named).hexdigest()[:16]


@contextmanager
def hold_in_use(root: Path) -> Iterator[None]:
    """Keep a temporary library from being removed; several processes may use it."""
    root.mkdir(parents=True, exist_ok=True, mode=0o700)
    file = os.open(root / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_SH)
        (root / KEPT).unlink(missing_ok=True)
        yield
    finally:
        os.close(file)


def tidy_library(root: Path) -> list[UnsavedFile] | None:
    """Remove a temporary library except unsaved work, which is returned; None if it is in use."""
    try:
        file = os.open(root / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return []
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        unsaved = _erase_saved(root)
        if unsaved:
            (root / KEPT).touch(mode=0o600)
        else:
            shutil.rmtree(root, ignore_errors=True)
        return unsaved
    except BlockingIOError:
        return None
    except LibraryLocked:
        return []  # it is encrypted, and removed by the first command that has the key
    finally:
        os.close(file)


def remove_library(root: Path) -> bool:
    """Remove a temporary library with all unsaved work; False if it is in use."""
    file = os.open(root / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(root)
    except BlockingIOError:
        return False
    finally:
        os.close(file)
    return True


def is_in_use(root: Path) -> bool:
    """Whether a studio has a temporary library open."""
    try:
        file = os.open(root / LOCK, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(file)
    return False


def tidy_leftovers() -> None:
    """Remove what killed studios left, unless a process holds it."""
    try:
        with os.scandir(data_home() / FOLDER) as entries:
            left = [Path(each.path) for each in entries if each.is_dir(follow_symlinks=False)]
    except OSError:
        left = []
    for root in left:
        if not (root / KEPT).exists():
            tidy_library(root)
    for scratch in Path(tempfile.gettempdir()).glob(SCRATCH + "*"):
        _remove_scratch(scratch)


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Provide a folder for uploads and job results; removed at the end, or by a later command."""
    folder, file = _make_locked_folder()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(file)


def _make_locked_folder() -> tuple[Path, int]:
    """Create a folder with a lock; until it has one, another command may take it for a leftover."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=SCRATCH))
        try:
            file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        fcntl.flock(file, fcntl.LOCK_SH)
        if folder.exists():
            return folder, file
        os.close(file)


def forget_everywhere(library: Library, entries: Iterable[LibraryEntry]) -> ForgetResult:
    """Erase conversations from a library, and their files from temporary libraries."""
    done = library.forget_many(entries)
    left = [each for path in done.paths for each in forget_copies(path)]
    return done._replace(left=(*done.left, *dict.fromkeys(left)))


def unsaved_copies(paths: Iterable[bytes]) -> list[UnsavedFile]:
    """Return the unsaved work on some files in temporary libraries."""
    wanted = set(paths)
    found = []
    for root in list_roots():
        try:
            found += [each for each in find_unsaved(root) if os.fsencode(each.path) in wanted]
        except TalktreeError:
            continue  # it is locked or damaged
    return found


def forget_copies(path: bytes) -> list[str]:
    """Erase a file from all temporary libraries; return the studios that have it open."""
    left = []
    for root in list_roots():
        if tidy_library(root) is not None:
            if root.exists():
                _forget_copy(root, path)
        elif _has_path(root, path):
            left.append("a studio that has the file open")
    return left


def scrub_copies(
    text: str | None, pattern: str | None, *, preview: bool = False, force: bool = False
) -> list[ScrubResult]:
    """Replace a secret in all temporary libraries, as in the library itself."""
    from talktree.library.encryption.state import DATABASE
    from talktree.library.library import Library

    done = []
    for root in list_roots():
        tidy_library(root)
        if (root / DATABASE).exists():
            with Library.open(root, write=True) as library:
                done.append(library.scrub(text, pattern=pattern, preview=preview, force=force))
    return done


def find_in_copies(texts: Sequence[str], pattern: str | None) -> dict[Path, FoundText]:
    """Find a text in all temporary libraries; return the results by their folders."""
    from talktree.library.encryption.state import DATABASE
    from talktree.library.library import Library

    found = {}
    for root in list_roots():
        tidy_library(root)
        if (root / DATABASE).exists():
            with Library.open(root) as library:
                found[root] = library.find(*texts, pattern=pattern)
    return found


def list_roots() -> list[Path]:
    """Return the folders of all temporary libraries."""
    return sorted((data_home() / FOLDER).glob("*"))


def _has_path(root: Path, path: bytes) -> bool:
    from talktree.library.library import Library

    with Library.open(root) as library:
        return any(each.raw_path == path for each in library.conversations(agents=True))


def _forget_copy(root: Path, path: bytes) -> None:
    from talktree.library.library import Library

    with Library.open(root, write=True) as library:
        entries = [each for each in library.conversations(agents=True) if each.raw_path == path]
        if entries:
            library.forget_many(entries, tombstone=False)
    tidy_library(root)


def find_unsaved(root: Path) -> list[UnsavedFile]:
    """Return the files with unsaved work in a temporary library; nothing is changed."""
    from talktree.library.encryption.state import DATABASE
    from talktree.library.library import Library

    if not (root / DATABASE).exists():
        return []
    with Library.open(root) as library:
        found = [_find_unsaved_work(library, int(id)) for (id,) in library.db.read(_SOURCES)]
    return [each for each in found if each is not None]


def _erase_saved(root: Path) -> list[UnsavedFile]:
    """Erase all sources of a library that have no unsaved work; return the others."""
    from talktree.library.encryption.state import DATABASE
    from talktree.library.library import Library

    if not (root / DATABASE).exists():
        return []
    try:
        with Library.open(root, write=True) as library:
            found = {
                id: _find_unsaved_work(library, int(id)) for (id,) in library.db.read(_SOURCES)
            }
            unsaved = [each for each in found.values() if each is not None]
            if unsaved:
                library.forget_many(_select_entries(library, found), tombstone=False)
            return unsaved
    except LibraryLocked:
        raise
    except TalktreeError:
        # It cannot be read, so its contents are unknown: it is kept.
        return [UnsavedFile(root, 0, names=False)]


def _select_entries(library: Library, found: dict[int, UnsavedFile | None]) -> list[LibraryEntry]:
    """Return one conversation of each source without unsaved work that is not part of another."""
    from talktree.library.erasure.copy_finder import CopyFinder
    from talktree.library.erasure.forget import find_group
    from talktree.library.listing import find_by_source

    copies = CopyFinder(library)
    kept = {
        each
        for id, unsaved in found.items()
        if unsaved is not None
        for each in find_group(library, id, copies).sources
    }
    entries = [find_by_source(library.db, id) for id in found if id not in kept]
    return [each for each in entries if each is not None]


def _find_unsaved_work(library: Library, source: int) -> UnsavedFile | None:
    from talktree.library.versions.editing import Versions

    edits = Versions(library, source)
    history = edits.history
    names = library.db.read_one(_NAMED, (source,)) is not None
    if history.is_saved and not names:
        return None
    return UnsavedFile(edits.path, 0 if history.is_saved else len(history.standing), names)


def _remove_scratch(folder: Path) -> None:
    try:
        about = os.lstat(folder)
        if about.st_uid != os.getuid() or not stat.S_ISDIR(about.st_mode):
            return
        file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    except BlockingIOError:
        pass
    finally:
        os.close(file)
