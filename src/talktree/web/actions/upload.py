"""Keep uploads: copy each into a folder of the library's own, then import it.

File names are made safe, and a number is added if the name is taken.

An uploaded folder is one body: a line that lists its files, then all their bytes. The line is JSON,
`[["messages.jsonl", 120], …]`: the path of each file in the folder, and its size. Paths are only
kept as data; on disk the files are numbered.

Every upload has its own folder, under a generated name. The original name is kept in a manifest and
never used as a path.

Also: the format of an upload, how certain it is, and how many findings it has.
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
from talktree.conversion.options import ConversionResult
from talktree.errors import NotFound, RefusedInput, TalktreeError, UsageError
from talktree.files import OutputGate, Source, strip_compression_suffix
from talktree.files.content import OnDisk
from talktree.files.private import make_private
from talktree.formats import get_format
from talktree.formats.detect import FormatGuess
from talktree.formats.engine import read_document
from talktree.library.dropped_files import NAME, dropped_files_folder
from talktree.library.encryption.file_erasure import erase_file, erase_folder
from talktree.library.encryption.state import is_encrypted
from talktree.library.importing.result import ImportResult
from talktree.library.library import Library
from talktree.library.listing import LibraryEntry, find_conversation
from talktree.library.retention.apply import RetentionResult
from talktree.library.sources.known_files import is_archived
from talktree.library.sources.scan import LIKELY, OF_A_SESSION
from talktree.model.counts import count_findings
from talktree.model.document import Document
from talktree.model.findings import Finding
from talktree.text.file_names import check_name, to_portable_name
from talktree.views.width import to_one_line
from talktree.web.actions.import_ import import_paths
from talktree.web.actions.scratch import create_file
from talktree.web.documents.cache import DocumentCache
from talktree.web.errors import TooLarge
from talktree.web.job_runner import JobProgress, JobResult
from talktree.web.schemas.library import Upload, UploadedFindings

MOST_FILES = 10_000
LONGEST_LIST = 4 << 20
LONGEST_PATH = 1000
Listed = list[tuple[str, int]]
"""Files of a folder: their paths in it and their sizes."""


async def unpack_folder(chunks: AsyncIterator[bytes], folder: Path) -> tuple[str, ...]:
    """Write the files of a body into a folder under their numbers, and return their paths."""
    listed: Listed | None = None
    writer: _Writer | None = None
    head = b""
    async for chunk in chunks:
        if writer is None:
            head += chunk
            line, end, rest = head.partition(b"\n")
            if len(line) > LONGEST_LIST:
                raise _folder_error("the list of its files is too long")
            if not end:
                continue
            listed = _parse_listing(line)
            writer = _Writer(folder, [size for _, size in listed])
            chunk = rest
        writer.write(chunk)
    if writer is None or listed is None:
        raise _folder_error("it does not say which files it has")
    writer.close()
    return tuple(path for path, _ in listed)


class _Writer:
    """Splits bytes into files of given sizes."""

    def __init__(self, folder: Path, sizes: Iterable[int]) -> None:
        self._places = iter([(folder / str(at), size) for at, size in enumerate(sizes)])
        self._file: BinaryIO | None = None
        self._left = 0
        self._begin_next_file()

    def write(self, data: bytes) -> None:
        """Write the next bytes; they may end within a file or span several."""
        while data:
            if self._file is None:
                raise _folder_error("it has more bytes than it said")
            self._file.write(data[: self._left])
            written = min(len(data), self._left)
            data, self._left = data[written:], self._left - written
            if self._left == 0:
                self._begin_next_file()

    def close(self) -> None:
        """Finish; raise if a file is incomplete."""
        if self._file is not None:
            self._file.close()
            raise _folder_error("it ended before it was whole")

    def _begin_next_file(self) -> None:
        """Begin the next file that has bytes; empty files are created on the way."""
        if self._file is not None:
            self._file.close()
            self._file = None
        for place, size in self._places:
            file = create_file(place)
            if size:
                self._file, self._left = file, size
                return
            file.close()


def _parse_listing(line: bytes) -> Listed:
    try:
        listed = msgspec.json.decode(line, type=Listed)
    except msgspec.MsgspecError:
        raise _folder_error("it does not say which files it has") from None
    if not 0 < len(listed) <= MOST_FILES:
        raise _folder_error(f"it may have {MOST_FILES} files")
    if len({path for path, _ in listed}) < len(listed):
        raise _folder_error("it has two files of one name")
    if any(size < 0 or not _is_safe_path(path) for path, size in listed):
        raise _folder_error("a file of it leads elsewhere")
    return listed


def _is_safe_path(path: str) -> bool:
    steps = path.split("/")
    strange = "\\" in path or len(path) > LONGEST_PATH
    return not strange and all(
        step not in ("", ".", "..") and check_name(step) is None for step in steps
    )


def _folder_error(why: str) -> UsageError:
    return UsageError(
        f"this folder cannot be taken in: {why}", hint="import it by its path instead"
    )


FOLDER = "uploads"
CONTENT, ABOUT = "content", "about.json"
LARGEST = 2 << 30
"""Maximum size of a file in bytes."""
MOST = 8 << 30
"""Maximum size of all files together in bytes."""
_ID = re.compile(r"[0-9a-f]{32}")


class UploadManifest(Struct, frozen=True, kw_only=True):
    """What is stored about an upload beside its files."""

    name: str
    files: tuple[str, ...] | None = None


class UploadedFiles(Struct, frozen=True, kw_only=True):
    """An uploaded file or folder."""

    id: str
    name: str
    """Its original name."""
    size: int
    path: Path
    files: tuple[str, ...] | None = None
    """For a folder: the paths of its files. On disk they are numbered in this order."""

    @property
    def plain_name(self) -> str:
        """Return a name that is safe on disk."""
        return to_portable_name(self.name, otherwise="upload")

    @property
    def source(self) -> Source:
        """Return it as a source under its plain name; some formats are detected by name."""
        if self.files is None:
            return Source(self.plain_name, {self.plain_name: OnDisk(self.path)}, folder=False)
        inside = {path: OnDisk(self.path / str(at)) for at, path in enumerate(self.files)}
        return Source(self.plain_name, dict(sorted(inside.items())), folder=True)


class Uploads:
    """All uploads that are neither kept nor discarded yet."""

    def __init__(self, scratch: Path) -> None:
        self._folder = scratch / FOLDER

    async def receive(
        self, name: str, chunks: AsyncIterator[bytes], *, folder: bool = False
    ) -> UploadedFiles:
        """Write a request body to disk; nothing remains if it is too large or ends early."""
        id = secrets.token_hex(16)
        place = self._folder / id
        room = min(LARGEST, MOST - self._measure_held())
        place.mkdir(parents=True, mode=0o700)
        try:
            files = await _write_chunks(place / CONTENT, _limit_chunks(chunks, room), folder=folder)
            with create_file(place / ABOUT) as file:
                file.write(msgspec.json.encode(UploadManifest(name=name[-1000:], files=files)))
        except BaseException:
            shutil.rmtree(place, ignore_errors=True)
            raise
        return self.get(id)

    def get(self, id: str) -> UploadedFiles:
        """Return an upload by its id."""
        place = self._get_path(id)
        try:
            about = msgspec.json.decode((place / ABOUT).read_bytes(), type=UploadManifest)
            size = _measure_path(place / CONTENT)
        except FileNotFoundError:
            raise _unknown_error() from None
        return UploadedFiles(
            id=id, name=about.name, size=size, path=place / CONTENT, files=about.files
        )

    def drop(self, id: str) -> None:
        """Discard an upload."""
        shutil.rmtree(self._get_path(id), ignore_errors=True)

    def _get_path(self, id: str) -> Path:
        if not _ID.fullmatch(id) or not (self._folder / id).is_dir():
            raise _unknown_error()
        return self._folder / id

    def _measure_held(self) -> int:
        return sum(map(_measure_path, self._folder.glob(f"*/{CONTENT}")))


def _measure_path(path: Path) -> int:
    each = path.iterdir() if path.is_dir() else [path]
    return sum(file.stat().st_size for file in each)


async def _limit_chunks(chunks: AsyncIterator[bytes], room: int) -> AsyncIterator[bytes]:
    """Yield the incoming chunks while they fit the limit."""
    got = 0
    async for chunk in chunks:
        got += len(chunk)
        if got > room:
            raise _too_large_error(room)
        yield chunk


async def _write_chunks(
    path: Path, chunks: AsyncIterator[bytes], *, folder: bool
) -> tuple[str, ...] | None:
    if folder:
        path.mkdir(mode=0o700)
        return await unpack_folder(chunks, path)
    with create_file(path) as file:
        async for chunk in chunks:
            file.write(chunk)
    return None


def _unknown_error() -> NotFound:
    return NotFound("there is no such upload", hint="bring the file in again")


def _too_large_error(room: int) -> TooLarge:
    if room < LARGEST:
        return TooLarge(
            "too much has been brought in that is not kept yet", hint="keep or drop some of it"
        )
    return TooLarge(f"a file may have {LARGEST >> 30} GB", hint="import it by its path instead")


BLOCK = 1 << 20
MOST_ALIKE = 10_000


def make_keep_work(
    cache: DocumentCache,
    uploads: Uploads,
    file: UploadedFiles,
    to: str | None,
    *,
    retention: bool = False,
) -> Callable[[JobProgress], JobResult]:
    """Return the job that keeps an upload as it is or converted; errors are raised immediately.

    Only what decides the format is read here: reading all of a large file is part of the job.
    """
    found = api.detect(file.source).format.info.slug
    asked = None if to is None else get_format(to).info.slug
    wanted = None if asked == found else asked
    stem, ending = _choose_name(file.plain_name, wanted or found, converted=wanted is not None)

    def work(progress: JobProgress) -> JobResult:
        """Keep and import the upload; nothing of it remains if the job is cancelled."""
        folder = dropped_files_folder(cache.root)
        make_private(folder)
        made = None if wanted is None else _convert_upload(file, wanted, progress)
        is_folder = file.files is not None if made is None else made.folder
        place = _reserve_path(folder, stem, "" if is_folder else ending, folder=is_folder)
        try:
            if is_folder:
                progress.report(0, None, "copying")
                _write_atomically(place, lambda target: _write_upload(file, made, target))
            elif made is not None:
                # The path was reserved with an empty file, so that no other job uses it.
                api.save_conversion(made, place, gate=OutputGate([], force=True))
            else:
                _copy_upload(file, place, progress)
            cid = _import_folder(cache, folder, place, progress, retention=retention)
        except BaseException:
            _remove_path(place)
            raise
        if is_encrypted(cache.root):
            # The library has it; a plain copy must not remain on disk.
            _erase_path(place)
        uploads.drop(file.id)
        return JobResult(cid=cid)

    return work


def _convert_upload(file: UploadedFiles, to: str, progress: JobProgress) -> ConversionResult:
    """Convert an upload to another format."""
    progress.report(0, None, f"converting to {to}")
    return api.convert_document(api.read(file.source), to=to)


def _choose_name(name: str, slug: str, *, converted: bool) -> tuple[str, str]:
    """Return the stem and suffix under which an import sees a file as one separate conversation."""
    bare = strip_compression_suffix(name)
    stem, ending = os.path.splitext(bare)
    if converted:
        ending = get_format(slug).info.suffixes[0]
    elif f"{ending}{name[len(bare) :]}".lower().encode().endswith(LIKELY):
        ending += name[len(bare) :]
    else:
        stem, ending = name, get_format(slug).info.suffixes[0]
    # Such files belong to a folder in which several files are one conversation.
    in_parts = stem.isdigit() or os.fsencode(f"{stem}{ending}") in OF_A_SESSION
    return f"{NAME}-{stem}" if in_parts else stem, ending


def _import_folder(
    cache: DocumentCache, folder: Path, place: Path, progress: JobProgress, *, retention: bool
) -> str:
    with Library.open(cache.root, write=True) as library:
        taken, let_go = import_paths(library, [folder], progress, retention=retention)
        for failed in taken.failed:
            if failed.path == place:
                raise TalktreeError(failed.failure.message, hint=failed.failure.hint)
        try:
            return str(_find_first_entry(library, place).source)
        except NotFound as error:
            raise _find_refusal(place, taken, let_go) or error from None


def _find_refusal(place: Path, taken: ImportResult, let_go: RetentionResult) -> RefusedInput | None:
    """Return why an imported file is not in the library; None if unknown."""
    for case in let_go.cases:
        path = Path(os.fsdecode(case.entry.raw_path))
        if path == place or place in path.parents:
            return RefusedInput(
                f"a retention rule forgets it at once: {case.rule.text}",
                hint="nothing was kept; change the rule in your configuration",
            )
    if taken.forgotten:
        return RefusedInput(
            "it was forgotten before, so it is not imported",
            hint="`talktree library readmit` allows it again",
        )
    return None


def _find_first_entry(library: Library, place: Path) -> LibraryEntry:
    """Return the first conversation stored for a path; a format may write one file per
    conversation."""
    inside = sorted(place.rglob("*")) if place.is_dir() else []
    for each in (place, *inside):
        with suppress(NotFound):
            return find_conversation(library.db, str(each))
    raise NotFound("it was kept, but not found again", hint="look in the list")


def _reserve_path(parent: Path, stem: str, ending: str, *, folder: bool) -> Path:
    """Reserve a path that did not exist before and return it."""
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


def _copy_upload(file: UploadedFiles, place: Path, progress: JobProgress) -> None:
    done = 0
    with open(file.path, "rb") as source, open(place, "wb") as target:
        while block := source.read(BLOCK):
            progress.report(done, file.size, "copying")
            target.write(block)
            done += len(block)
        target.flush()
        os.fsync(target.fileno())


def _write_upload(file: UploadedFiles, made: ConversionResult | None, target: Path) -> object:
    return (
        api.write(api.read(file.source), target)
        if made is None
        else api.save_conversion(made, target)
    )


def _write_atomically(place: Path, write: Callable[[Path], object]) -> None:
    """Write a folder elsewhere, and move it into place when it is complete.

    An import may scan the place at any time and would take a half-written folder for a separate
    conversation.
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
    """Erase uploaded files that are in the archive of an encrypted library."""
    folder = dropped_files_folder(root)
    erase_folder(folder.with_name(f"{folder.name}-unfinished"))
    with Library.open(root) as library:
        for place in sorted(folder.rglob("*")):
            if place.is_file() and is_archived(library.db, place):
                erase_file(place)


def _erase_path(place: Path) -> None:
    if place.is_dir():
        erase_folder(place)
    else:
        erase_file(place)


def _remove_path(place: Path) -> None:
    if place.is_dir():
        shutil.rmtree(place, ignore_errors=True)
    else:
        place.unlink(missing_ok=True)


LARGE = 64 << 20
"""Larger files only report what reading them notices; running all rules would take too long."""
EXAMPLES = 5
SHORT = 160


def inspect_upload(file: UploadedFiles) -> Upload:
    """Return everything the page shows of an upload before it is kept."""
    try:
        guess = api.detect(file.source)
    except TalktreeError as error:
        return _to_upload(file, None, error.message)
    try:
        return _to_upload(file, guess, guess.reason, read_document(file.source, guess.format))
    except TalktreeError as error:
        return _to_upload(file, None, error.message)


def _to_upload(
    file: UploadedFiles, guess: FormatGuess | None, reason: str, document: Document | None = None
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
        findings=None if document is None else _count_findings(document, file.size),
    )


def _count_findings(document: Document, size: int) -> UploadedFindings:
    found = document.quick_findings if size > LARGE else api.check(document).findings
    counts = count_findings(found)
    return UploadedFindings(
        errors=counts.errors,
        warnings=counts.warnings,
        notes=counts.notes,
        examples=_pick_examples(found),
    )


def _pick_examples(found: Sequence[Finding]) -> tuple[str, ...]:
    worst = sorted(found, key=lambda each: ("error", "warning", "note").index(each.severity))
    return tuple(to_one_line(f"{each.code} {each.message}", SHORT) for each in worst[:EXAMPLES])
