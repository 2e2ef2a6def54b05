"""Keeping what was brought in: a file of its own in a folder of ours, and then in the library.

Its name is one we made plain; where there is such a file already, another number is added.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from talktree import api
from talktree.conversion.options import Made
from talktree.errors import NotFound, Refused, TalktreeError
from talktree.files import OutputGate, bare_name
from talktree.files.private import make_private
from talktree.formats import by_slug
from talktree.library.dropped_files import NAME, dropped_folder
from talktree.library.encryption.file_erasure import erase_file, erase_folder
from talktree.library.encryption.state import is_encrypted
from talktree.library.importing.result import Imported
from talktree.library.library import Library
from talktree.library.listing import Kept, conversation
from talktree.library.retention.apply import RetentionResult
from talktree.library.sources.known_files import is_archived
from talktree.library.sources.scan import LIKELY, OF_A_SESSION
from talktree.web.actions.import_ import imported
from talktree.web.actions.uploads import Brought, Uploads
from talktree.web.documents.desk import Desk
from talktree.web.job_runner import Progress, Result

BLOCK = 1 << 20
MOST_ALIKE = 10_000


def keeping(
    desk: Desk, uploads: Uploads, file: Brought, to: str | None, *, retention: bool = False
) -> Callable[[Progress], Result]:
    """The work of keeping a file, as it is or converted; errors are reported at once.

    Only what tells its format is looked at here: reading all of a large file is part of the work.
    """
    found = api.detect(file.source).format.info.slug
    asked = None if to is None else by_slug(to).info.slug
    wanted = None if asked == found else asked
    stem, ending = _name_for(file.plain_name, wanted or found, converted=wanted is not None)

    def work(progress: Progress) -> Result:
        """Keep it, import it; if that is not wanted any more, nothing of it stays."""
        folder = dropped_folder(desk.root)
        make_private(folder)
        made = None if wanted is None else _made(file, wanted, progress)
        is_folder = file.files is not None if made is None else made.folder
        place = _free(folder, stem, "" if is_folder else ending, folder=is_folder)
        try:
            if is_folder:
                progress.tell(0, None, "copying")
                _whole(place, lambda target: _written(file, made, target))
            elif made is not None:
                # The place was claimed with an empty file, so that no other work takes it.
                api.keep(made, place, gate=OutputGate([], force=True))
            else:
                _copied(file, place, progress)
            cid = _imported(desk, folder, place, progress, retention=retention)
        except BaseException:
            _removed(place)
            raise
        if is_encrypted(desk.root):
            # The library has it; a plain copy beside it must not stay.
            _erased(place)
        uploads.drop(file.id)
        return Result(cid=cid)

    return work


def _made(file: Brought, to: str, progress: Progress) -> Made:
    """A file as another format has it."""
    progress.tell(0, None, f"converting to {to}")
    return api.converted(api.read(file.source), to=to)


def _name_for(name: str, slug: str, *, converted: bool) -> tuple[str, str]:
    """Stem and ending under which an import sees a file as one conversation of its own."""
    bare = bare_name(name)
    stem, ending = os.path.splitext(bare)
    if converted:
        ending = by_slug(slug).info.suffixes[0]
    elif f"{ending}{name[len(bare) :]}".lower().encode().endswith(LIKELY):
        ending += name[len(bare) :]
    else:
        stem, ending = name, by_slug(slug).info.suffixes[0]
    # Such files belong to a folder of several that are one conversation.
    in_parts = stem.isdigit() or os.fsencode(f"{stem}{ending}") in OF_A_SESSION
    return f"{NAME}-{stem}" if in_parts else stem, ending


def _imported(desk: Desk, folder: Path, place: Path, progress: Progress, *, retention: bool) -> str:
    with Library.open(desk.root, write=True) as library:
        taken, let_go = imported(library, [folder], progress, retention=retention)
        for failed in taken.failed:
            if failed.path == place:
                raise TalktreeError(failed.failure.message, hint=failed.failure.hint)
        try:
            return str(_first(library, place).source)
        except NotFound as error:
            raise _reason(place, taken, let_go) or error from None


def _reason(place: Path, taken: Imported, let_go: RetentionResult) -> Refused | None:
    """Why a file that was imported is not in the library; None if that is unknown."""
    for case in let_go.cases:
        path = Path(os.fsdecode(case.entry.raw_path))
        if path == place or place in path.parents:
            return Refused(
                f"a retention rule forgets it at once: {case.rule.text}",
                hint="nothing was kept; change the rule in your configuration",
            )
    if taken.forgotten:
        return Refused(
            "it was forgotten before, so it is not imported",
            hint="`talktree library readmit` allows it again",
        )
    return None


def _first(library: Library, place: Path) -> Kept:
    """What was kept at a place; a format may want a file for each of several conversations."""
    inside = sorted(place.rglob("*")) if place.is_dir() else []
    for each in (place, *inside):
        with suppress(NotFound):
            return conversation(library.db, str(each))
    raise NotFound("it was kept, but not found again", hint="look in the list")


def _free(parent: Path, stem: str, ending: str, *, folder: bool) -> Path:
    """A path at which nothing was, which is ours from now on."""
    for number in range(1, MOST_ALIKE):
        more = "" if number == 1 else f"-{number}"
        place = parent / f"{stem}{more}{ending}"
        try:
            if folder:
                place.mkdir(mode=0o700)
            else:
                os.close(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            continue
        return place
    raise TalktreeError(f"there are too many files called {stem}", hint="rename it")


def _copied(file: Brought, place: Path, progress: Progress) -> None:
    done = 0
    with open(file.path, "rb") as source, open(place, "wb") as target:
        while block := source.read(BLOCK):
            progress.tell(done, file.size, "copying")
            target.write(block)
            done += len(block)
        target.flush()
        os.fsync(target.fileno())


def _written(file: Brought, made: Made | None, target: Path) -> object:
    return api.write(api.read(file.source), target) if made is None else api.keep(made, target)


def _whole(place: Path, write: Callable[[Path], object]) -> None:
    """Write a folder elsewhere, and move it to its place when it is whole.

    Files are looked for at the place whenever something else is kept or has changed; a folder
    that is only being written would be taken for a conversation of its own.
    """
    beside = place.parent.with_name(f"{place.parent.name}-unfinished")
    beside.mkdir(exist_ok=True, mode=0o700)
    with TemporaryDirectory(dir=beside) as folder:
        target = Path(folder) / place.name
        write(target)
        target.chmod(0o700)
        place.rmdir()
        target.rename(place)


def erase_kept_files(root: Path) -> None:
    """Erase files that were brought in and are in the archive of an encrypted library."""
    folder = dropped_folder(root)
    erase_folder(folder.with_name(f"{folder.name}-unfinished"))
    with Library.open(root) as library:
        for place in sorted(folder.rglob("*")):
            if place.is_file() and is_archived(library.db, place):
                erase_file(place)


def _erased(place: Path) -> None:
    if place.is_dir():
        erase_folder(place)
    else:
        erase_file(place)


def _removed(place: Path) -> None:
    if place.is_dir():
        shutil.rmtree(place, ignore_errors=True)
    else:
        place.unlink(missing_ok=True)
