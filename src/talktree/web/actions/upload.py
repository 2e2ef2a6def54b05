"""Keeping what was brought in: a file of its own in a folder of ours, and then in the library.

Its name is one we made plain; where there is such a file already, another number is added.

A folder that is brought in as one body: a line that names its files, then all their bytes.

The line is JSON, `[["messages.jsonl", 120], …]`: where each file was in the folder, and its size. A
path is kept as data; on the disk the files have numbers.

What was brought in, files and folders: each in a place of its own, under a name we made.

What it is called is kept beside it as data; it is never a path.

What a file is that was brought in: its format, how sure that is, how sound it is.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

import msgspec
from msgspec import Struct

from talktree import api
from talktree.conversion.options import Made
from talktree.errors import NotFound, Refused, TalktreeError, UsageError
from talktree.files import OutputGate, Source, bare_name
from talktree.files.content import OnDisk
from talktree.files.private import make_private
from talktree.formats import by_slug
from talktree.formats.detect import Guess
from talktree.formats.engine import read
from talktree.library.dropped_files import NAME, dropped_folder
from talktree.library.encryption.file_erasure import erase_file, erase_folder
from talktree.library.encryption.state import is_encrypted
from talktree.library.importing.result import Imported
from talktree.library.library import Library
from talktree.library.listing import Kept, conversation
from talktree.library.retention.apply import RetentionResult
from talktree.library.sources.known_files import is_archived
from talktree.library.sources.scan import LIKELY, OF_A_SESSION
from talktree.model.counts import count_findings
from talktree.model.document import Document
from talktree.model.findings import Finding
from talktree.text.file_names import plain, wrong_with_name
from talktree.views.width import one_line
from talktree.web.actions.import_ import imported
from talktree.web.actions.scratch import created
from talktree.web.documents.cache import Desk
from talktree.web.errors import TooLarge
from talktree.web.job_runner import Progress, Result
from talktree.web.schemas.library import Upload, UploadedFindings

MOST_FILES = 10_000
LONGEST_LIST = 4 << 20
LONGEST_PATH = 1000
Listed = list[tuple[str, int]]
"""Files of a folder: where they were in it, and their sizes."""


async def unpacked(chunks: AsyncIterator[bytes], folder: Path) -> tuple[str, ...]:
    """Write the files of a body into a folder, under their numbers; gives where they were."""
    listed: Listed | None = None
    writer: _Writer | None = None
    head = b""
    async for chunk in chunks:
        if writer is None:
            head += chunk
            line, end, rest = head.partition(b"\n")
            if len(line) > LONGEST_LIST:
                raise _wrong("the list of its files is too long")
            if not end:
                continue
            listed = _listed(line)
            writer = _Writer(folder, [size for _, size in listed])
            chunk = rest
        writer.write(chunk)
    if writer is None or listed is None:
        raise _wrong("it does not say which files it has")
    writer.close()
    return tuple(path for path, _ in listed)


class _Writer:
    """Bytes, cut into files of given sizes."""

    def __init__(self, folder: Path, sizes: Iterable[int]) -> None:
        self._places = iter([(folder / str(at), size) for at, size in enumerate(sizes)])
        self._file: BinaryIO | None = None
        self._left = 0
        self._next()

    def write(self, data: bytes) -> None:
        """The next bytes; they may end in the middle of a file, or belong to several."""
        while data:
            if self._file is None:
                raise _wrong("it has more bytes than it said")
            self._file.write(data[: self._left])
            written = min(len(data), self._left)
            data, self._left = data[written:], self._left - written
            if self._left == 0:
                self._next()

    def close(self) -> None:
        """Nothing more comes; then all files must be whole."""
        if self._file is not None:
            self._file.close()
            raise _wrong("it ended before it was whole")

    def _next(self) -> None:
        """Begin the next file that has bytes; those without any are made on the way."""
        if self._file is not None:
            self._file.close()
            self._file = None
        for place, size in self._places:
            file = created(place)
            if size:
                self._file, self._left = file, size
                return
            file.close()


def _listed(line: bytes) -> Listed:
    try:
        listed = msgspec.json.decode(line, type=Listed)
    except msgspec.MsgspecError:
        raise _wrong("it does not say which files it has") from None
    if not 0 < len(listed) <= MOST_FILES:
        raise _wrong(f"it may have {MOST_FILES} files")
    if len({path for path, _ in listed}) < len(listed):
        raise _wrong("it has two files of one name")
    if any(size < 0 or not _may_be(path) for path, size in listed):
        raise _wrong("a file of it leads elsewhere")
    return listed


def _may_be(path: str) -> bool:
    steps = path.split("/")
    strange = "\\" in path or len(path) > LONGEST_PATH
    return not strange and all(
        step not in ("", ".", "..") and wrong_with_name(step) is None for step in steps
    )


def _wrong(why: str) -> UsageError:
    return UsageError(
        f"this folder cannot be taken in: {why}", hint="import it by its path instead"
    )


FOLDER = "uploads"
CONTENT, ABOUT = "content", "about.json"
LARGEST = 2 << 30
"""How many bytes a file may have."""
MOST = 8 << 30
"""How many bytes all of them may have together."""
_ID = re.compile(r"[0-9a-f]{32}")


class About(Struct, frozen=True, kw_only=True):
    """What is kept beside it."""

    name: str
    files: tuple[str, ...] | None = None


class Brought(Struct, frozen=True, kw_only=True):
    """A file or a folder that was brought in."""

    id: str
    name: str
    """What it was called where it comes from."""
    size: int
    path: Path
    files: tuple[str, ...] | None = None
    """Of a folder: where its files were in it. On the disk they have the numbers of this order."""

    @property
    def plain_name(self) -> str:
        """A name it may have on a disk."""
        return plain(self.name, otherwise="upload")

    @property
    def source(self) -> Source:
        """It as a source, under its plain name: some formats are told by that."""
        if self.files is None:
            return Source(self.plain_name, {self.plain_name: OnDisk(self.path)}, folder=False)
        inside = {path: OnDisk(self.path / str(at)) for at, path in enumerate(self.files)}
        return Source(self.plain_name, dict(sorted(inside.items())), folder=True)


class Uploads:
    """Everything that was brought in and is neither kept nor thrown away yet."""

    def __init__(self, scratch: Path) -> None:
        self._folder = scratch / FOLDER

    async def take(
        self, name: str, chunks: AsyncIterator[bytes], *, folder: bool = False
    ) -> Brought:
        """Write what arrives to the disk; nothing stays if it is too large or ends early."""
        id = secrets.token_hex(16)
        place = self._folder / id
        room = min(LARGEST, MOST - self._held())
        place.mkdir(parents=True, mode=0o700)
        try:
            files = await _write_upload(place / CONTENT, _within(chunks, room), folder=folder)
            with created(place / ABOUT) as file:
                file.write(msgspec.json.encode(About(name=name[-1000:], files=files)))
        except BaseException:
            shutil.rmtree(place, ignore_errors=True)
            raise
        return self.get(id)

    def get(self, id: str) -> Brought:
        """A file by the id it was given."""
        place = self._place(id)
        try:
            about = msgspec.json.decode((place / ABOUT).read_bytes(), type=About)
            size = _size(place / CONTENT)
        except FileNotFoundError:
            raise _unknown() from None
        return Brought(id=id, name=about.name, size=size, path=place / CONTENT, files=about.files)

    def drop(self, id: str) -> None:
        """Throw a file away."""
        shutil.rmtree(self._place(id), ignore_errors=True)

    def _place(self, id: str) -> Path:
        if not _ID.fullmatch(id) or not (self._folder / id).is_dir():
            raise _unknown()
        return self._folder / id

    def _held(self) -> int:
        return sum(map(_size, self._folder.glob(f"*/{CONTENT}")))


def _size(path: Path) -> int:
    each = path.iterdir() if path.is_dir() else [path]
    return sum(file.stat().st_size for file in each)


async def _within(chunks: AsyncIterator[bytes], room: int) -> AsyncIterator[bytes]:
    """What arrives, as long as there is room for it."""
    got = 0
    async for chunk in chunks:
        got += len(chunk)
        if got > room:
            raise _too_large(room)
        yield chunk


async def _write_upload(
    path: Path, chunks: AsyncIterator[bytes], *, folder: bool
) -> tuple[str, ...] | None:
    if folder:
        path.mkdir(mode=0o700)
        return await unpacked(chunks, path)
    with created(path) as file:
        async for chunk in chunks:
            file.write(chunk)
    return None


def _unknown() -> NotFound:
    return NotFound("there is no such upload", hint="bring the file in again")


def _too_large(room: int) -> TooLarge:
    if room < LARGEST:
        return TooLarge(
            "too much has been brought in that is not kept yet", hint="keep or drop some of it"
        )
    return TooLarge(f"a file may have {LARGEST >> 30} GB", hint="import it by its path instead")


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


LARGE = 64 << 20
"""Of larger files only what reading notices is told; all rules would take too long."""
EXAMPLES = 5
SHORT = 160


def looked_over(file: Brought) -> Upload:
    """Everything the page shows of a file before it is kept."""
    try:
        guess = api.detect(file.source)
    except TalktreeError as error:
        return _told(file, None, error.message)
    try:
        return _told(file, guess, guess.reason, read(file.source, guess.format))
    except TalktreeError as error:
        return _told(file, None, error.message)


def _told(
    file: Brought, guess: Guess | None, reason: str, document: Document | None = None
) -> Upload:
    conversations = () if document is None else document.conversations
    return Upload(
        upload=file.id,
        name=file.plain_name,
        size=file.size,
        format=None if guess is None else guess.format.info.slug,
        confidence=0.0 if guess is None else guess.confidence,
        reason=reason,
        conversations=len(conversations),
        messages=sum(map(len, conversations)),
        findings=None if document is None else _findings(document, file.size),
    )


def _findings(document: Document, size: int) -> UploadedFindings:
    found = document.noticed if size > LARGE else api.check(document).findings
    counts = count_findings(found)
    return UploadedFindings(
        errors=counts.errors,
        warnings=counts.warnings,
        notes=counts.notes,
        examples=_examples(found),
    )


def _examples(found: Sequence[Finding]) -> tuple[str, ...]:
    worst = sorted(found, key=lambda each: ("error", "warning", "note").index(each.severity))
    return tuple(one_line(f"{each.code} {each.message}", SHORT) for each in worst[:EXAMPLES])
