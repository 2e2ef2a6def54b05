"""The library: one folder with everything, and its operations.

Nothing heavy is loaded before it is needed: an import that finds nothing changed loads neither the
full text nor the archive.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from talktree.errors import NotFound, UsageError
from talktree.home import data_home
from talktree.library.database.cipher import derive_database_key
from talktree.library.database.names import Names
from talktree.library.database.open_database import open_database
from talktree.library.encryption.state import DATABASE, has_leftovers, is_encrypted
from talktree.library.fulltext import location
from talktree.text.times import to_nanoseconds

if TYPE_CHECKING:
    from datetime import datetime

    from talktree.files import Source
    from talktree.library.archive.source_versions import Version
    from talktree.library.archive.store import Archive
    from talktree.library.archive.verify import ArchiveProblem
    from talktree.library.erasure.forget import ForgetResult
    from talktree.library.erasure.scrub import ScrubResult
    from talktree.library.erasure.scrubs import Scrubs
    from talktree.library.erasure.text_finder import FoundText
    from talktree.library.erasure.tombstones import Tombstone, Tombstones
    from talktree.library.fulltext.either_index import AnyFullText
    from talktree.library.importing.expiry import ExpiringSource
    from talktree.library.importing.lock import WriterLock
    from talktree.library.importing.result import ImportResult, Pulse, Tell
    from talktree.library.info import Info
    from talktree.library.listing import LibraryEntry, Sort
    from talktree.library.retention.apply import RetentionResult
    from talktree.library.retention.plan import RetentionPlan
    from talktree.library.search.run import Results
    from talktree.library.sources.scan import AnyPath, ImportRoots
    from talktree.library.stats.report import LibraryStatistics
    from talktree.library.versions.editing import Versions
    from talktree.model.document import Document

FOLDER = "library"
THREADS = 1
"""How many threads compress; the others read and index."""


def _find_key(root: Path) -> bytes | None:
    """Return the key of an encrypted library, if it is unlocked; None for a plain one."""
    if not is_encrypted(root):
        return None
    from talktree.library.encryption.unlocking import find_library_key

    return find_library_key(root)


def missing_library_error(root: Path) -> NotFound:
    """Return the error for a folder without a library; a folder the user named is shown."""
    if root == data_home() / FOLDER:
        return NotFound("there is no library yet", hint="`talktree import PATH` makes one")
    return NotFound(
        f"{root}: there is no library here",
        hint=f"`talktree import PATH --library {shlex.quote(str(root))}` makes one",
    )


_DISTRUST = "UPDATE sources SET indexed = -1"


class Library:
    """An open library."""

    def __init__(self, root: Path, *, write: bool, key: bytes | None = None) -> None:
        self.root = root
        self.write = write
        if not write and not (root / DATABASE).exists():
            raise missing_library_error(root)
        if key is None and has_leftovers(root):
            from talktree.library.encryption.leftovers import finish_interrupted_switch

            finish_interrupted_switch(root)
        self.key = _find_key(root) if key is None else key
        """The data key of an encrypted library; None if it is plain."""
        self.db = open_database(root / DATABASE, write=write, key=derive_database_key(self.key))
        self.names = Names(self.db)

    def __repr__(self) -> str:
        return f"<Library {self.root}>"

    @classmethod
    def open(cls, root: Path | None = None, *, write: bool = False) -> Library:
        """Open the library in a folder, by default the one in the data folder.

        With `write` it is created if there is none.
        """
        return cls(data_home() / FOLDER if root is None else Path(root), write=write)

    def close(self) -> None:
        """Close everything."""
        if "archive" in self.__dict__:
            self.archive.close()
        if self.key is not None and "fulltext" in self.__dict__:
            self.fulltext.close()
        self.db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # components

    @property
    def path(self) -> bytes:
        """Its folder, as a scan returns it."""
        return os.path.abspath(os.fsencode(self.root))

    @cached_property
    def lock(self) -> WriterLock:
        """The lock that lets only one process write at a time."""
        from talktree.library.importing.lock import WriterLock

        return WriterLock(self.root)

    @cached_property
    def archive(self) -> Archive:
        """The bytes of all sources."""
        from talktree.library.archive.store import Archive

        return Archive(self.db, THREADS)

    @cached_property
    def fulltext(self) -> AnyFullText:
        """The full text, to be searched."""
        if self.write and not self.has_fulltext():
            return self.open_fulltext_for_writing()
        if self.key is not None:
            from talktree.library.fulltext.encrypted_index import EncryptedFullText

            return EncryptedFullText.open(self.root, self.key)
        from talktree.library.fulltext.index import FullText

        return FullText.open(self.root)

    def has_fulltext(self) -> bool:
        """Whether there is a full text at all."""
        return location.has_fulltext_index(self.root, encrypted=self.key is not None)

    def open_fulltext_for_writing(self) -> AnyFullText:
        """Open the full text for writing; one that cannot be opened is replaced by an empty one.

        The tables then record that nothing is indexed, before there is an index that says so.
        """
        from talktree.library.fulltext.index import CorruptIndex, FullText

        if self.has_fulltext():
            try:
                if self.key is None:
                    return FullText.open(self.root, write=True)
                from talktree.library.fulltext.encrypted_index import EncryptedFullText

                return EncryptedFullText.open(self.root, self.key, write=True)
            except CorruptIndex:
                pass
        return self.recreate_fulltext()

    def recreate_fulltext(self) -> AnyFullText:
        """Create an empty full text; the tables record that nothing is indexed."""
        self.invalidate_fulltext()
        self.__dict__.pop("fulltext", None)
        if self.key is None:
            from talktree.library.fulltext.index import FullText

            return FullText.recreate(self.root)
        from talktree.library.fulltext.encrypted_index import EncryptedFullText

        return EncryptedFullText.recreate(self.root, self.key)

    def invalidate_fulltext(self) -> None:
        """Make the next import index everything again from the archive."""
        from talktree.library.fulltext.index_checksums import forget_files

        with self.db.transaction(durable=True):
            self.db.run(_DISTRUST)
            forget_files(self.db)

    # importing

    def import_(
        self,
        paths: Sequence[AnyPath] = (),
        *,
        known: bool = False,
        progress: Tell | None = None,
        pulse: Pulse | None = None,
        wait: float = 5.0,
        quiet: float | None = None,
    ) -> ImportResult:
        """Import what is new: below some paths, in the known places, or in all places so far.

        A file that changed is compared with the archive as a whole before it counts as grown. With
        `quiet`, for repeated imports, growing files are compared by samples until they did not
        change for that many seconds. An exception raised by `progress` or `pulse` ends the import;
        what was imported until then stays.
        """
        from talktree.library.importing.import_changes import import_

        roots = self._find_import_roots(paths, known=known)
        return import_(self, roots, progress=progress, pulse=pulse, wait=wait, quiet=quiet)

    def watch(
        self,
        paths: Sequence[AnyPath] = (),
        *,
        every: float = 1.0,
        progress: Tell | None = None,
        quiet: float = 10.0,
    ) -> Iterator[ImportResult]:
        """Import changes as they happen; yield a result each time something changed."""
        from talktree.library.importing.watch import watch

        roots = self._find_import_roots(paths, known=False)
        return watch(self, roots, every=every, progress=progress, quiet=quiet)

    def places(self) -> list[Path]:
        """Return the paths that are scanned if none is given."""
        from talktree.library.sources.scan import list_places

        return [Path(os.fsdecode(path)) for path in list_places(self.db)]

    def add_place(self, path: AnyPath) -> None:
        """Add a place to scan from now on."""
        from talktree.library.sources.scan import add_places, to_existing_places

        add_places(self.db, to_existing_places([path]))

    def remove_place(self, path: AnyPath) -> bool:
        """Stop scanning a place; its imports stay. Return whether it was a place."""
        from talktree.library.sources.scan import remove_place

        return remove_place(self.db, path)

    def list_expiring(self, *, within: float = 14) -> list[ExpiringSource]:
        """Return the sources that their program deletes within some days, soonest first."""
        from talktree.library.importing.expiry import find_expiring

        return find_expiring(self, within=within)

    def _find_import_roots(self, paths: Sequence[AnyPath], *, known: bool) -> ImportRoots:
        from talktree.library.sources.scan import (
            add_places,
            find_import_roots,
            list_places,
            to_existing_places,
        )

        if not self.write:
            raise UsageError("the library is open for reading only", hint="open it with write=True")
        named = to_existing_places(paths)
        tombstones = self.tombstones()
        places_named = [path for path in named if not tombstones.has_path(path)]
        if named and not known:
            add_places(self.db, places_named)
            return find_import_roots(named, ())
        from talktree.formats.places import find_program_folders

        # Looking for plug-ins takes as long as an import that finds nothing new.
        usual = to_existing_places(find_program_folders(plugins=known))
        if known:
            add_places(self.db, [*places_named, *usual])
            return find_import_roots(named, usual)
        before = list_places(self.db)
        return find_import_roots(
            [place for place in before if place not in usual],
            [place for place in before if place in usual],
        )

    # searching

    def conversations(
        self,
        *,
        format: str | None = None,
        project: str | None = None,
        since: datetime | int | None = None,
        until: datetime | int | None = None,
        model: str | None = None,
        errors: bool = False,
        gone: bool = False,
        agents: bool = False,
        sort: Sort = "new",
        limit: int | None = None,
    ) -> Iterator[LibraryEntry]:
        """Return the conversations that match all filters; those of sub-agents only on request.

        A time is a `datetime` or nanoseconds since 1970; `until` is exclusive.
        """
        from talktree.library.listing import find_conversations

        return find_conversations(
            self.db,
            format=format,
            project=project,
            since=to_nanoseconds(since),
            until=to_nanoseconds(until),
            model=model,
            errors=errors,
            gone=gone,
            agents=agents,
            sort=sort,
            limit=limit,
        )

    def conversation(self, named: str) -> LibraryEntry:
        """Return a conversation by its id, a unique prefix of it, or its path."""
        from talktree.library.listing import find_conversation

        return find_conversation(self.db, named)

    def search(
        self, text: str, *, limit: int | None = 10, offset: int = 0, sort: str = "best"
    ) -> Results:
        """Return the results of a query, which are read on demand."""
        from talktree.library.search.run import search

        return search(self, text, limit=limit, offset=offset, sort=sort)

    def stats(
        self,
        *,
        since: datetime | int | None = None,
        until: datetime | int | None = None,
        project: str | None = None,
        model: str | None = None,
        format: str | None = None,
        seconds: bool = False,
    ) -> LibraryStatistics:
        """Return costs and usage; `seconds` also reports how long tools took."""
        from talktree.library.stats.report import compute_statistics

        return compute_statistics(
            self,
            since=to_nanoseconds(since),
            until=to_nanoseconds(until),
            project=project,
            model=model,
            format=format,
            seconds=seconds,
        )

    def table(self, name: str, **chosen: Any) -> Any:  # noqa: ANN401
        """Return messages, calls, usage or files as a stream of Arrow record batches."""
        from talktree.library.tables.stream import open_table

        for each in {"since", "until"} & {*chosen}:
            chosen[each] = to_nanoseconds(chosen[each])
        return open_table(self, name, **chosen)

    def info(self) -> Info:
        """Return the contents and the size of the library."""
        from talktree.library.info import collect_info

        return collect_info(self)

    # archived conversations

    def content(self, kept: LibraryEntry, *, version: int | None = None) -> Source:
        """Return an archived conversation, with its companion files, as a source for its format."""
        from talktree.library.archive.file_content import read_archived_source

        return read_archived_source(self.db, self.archive, kept.source, version, companions=True)

    def companions(self, kept: LibraryEntry) -> list[Path]:
        """Return the paths of the archived files that belong to a conversation in another file."""
        from talktree.library.archive.companion_files import find_archived_companions

        found = find_archived_companions(self.db, self.archive, kept.source)
        return [Path(os.fsdecode(each.kept.path)) for each in found.values()]

    def read(self, kept: LibraryEntry | str, *, version: int | None = None) -> Document:
        """Read an archived conversation as a document of its own.

        Contents are read on demand, so the library must stay open meanwhile.
        """
        from talktree.formats import get_format
        from talktree.formats.engine import read_document

        found = self.conversation(kept) if isinstance(kept, str) else kept
        document = read_document(self.content(found, version=version), get_format(found.format))
        if found.several < 2:
            return document
        return document.with_only(document.find(found.key or found.id))

    def versions(self, kept: LibraryEntry) -> list[Version]:
        """Return the versions of a conversation: each time it was seen changed."""
        from talktree.library.archive.source_versions import list_versions

        return list_versions(self.db, kept.source)

    def restore(
        self, kept: LibraryEntry | str, into: Path, *, version: int | None = None
    ) -> list[Path]:
        """Write the original files of a conversation below a folder."""
        from talktree.library.archive.restore import restore_source

        found = self.conversation(kept) if isinstance(kept, str) else kept
        return restore_source(self, found.source, into, version)

    def edits(self, kept: LibraryEntry | str) -> Versions:
        """Return the edits of a conversation, to make, undo, redo and save them."""
        from talktree.library.versions.editing import Versions

        found = self.conversation(kept) if isinstance(kept, str) else kept
        return Versions(self, found.source)

    def forget(self, kept: LibraryEntry) -> ForgetResult:
        """Erase the source of a conversation and keep it out of later imports.

        All conversations of the source are erased with it, and so are copies of it and its
        sub-agents.
        """
        return self.forget_many([kept])

    def forget_many(
        self, entries: Iterable[LibraryEntry], *, tombstone: bool = True
    ) -> ForgetResult:
        """Erase the sources of many conversations together: the full text is rewritten once.

        Without `tombstone`, the next import imports them again if their files still exist.
        """
        from talktree.library.erasure.forget import forget_many

        return forget_many(self, entries, tombstone=tombstone)

    def is_forgotten(self, named: str) -> bool:
        """Whether the conversation with an id or a path was forgotten."""
        return self.tombstones().has_path_or_id(named)

    def list_group_paths(self, kept: LibraryEntry) -> list[bytes]:
        """Return the paths forgotten with a conversation: its own, sub-agents, files, copies."""
        from talktree.library.erasure.forget import find_group, group_paths

        return group_paths(self, find_group(self, kept.source))

    def finish_erasure(self) -> ForgetResult:
        """Finish an earlier erasure that was killed, or blocked by a reader."""
        from talktree.library.erasure.forget import finish_interrupted_erasure

        return finish_interrupted_erasure(self)

    def has_pending_erasure(self) -> bool:
        """Whether words of forgotten conversations may still be in a file."""
        from talktree.library.erasure.finish import is_pending

        return is_pending(self)

    def find(self, *texts: str, pattern: str | None = None) -> FoundText:
        """Find some texts in everything that is kept: all versions, edits, names and paths.

        With `pattern`, everything that matches a regular expression (of bytes).
        """
        from talktree.library.erasure.secret_forms import compile_pattern
        from talktree.library.erasure.text_finder import compile_text_pattern, find_text

        return find_text(
            self, compile_text_pattern(texts) if pattern is None else compile_pattern(pattern)
        )

    def scrub(
        self,
        text: str | None = None,
        *,
        pattern: str | None = None,
        preview: bool = False,
        force: bool = False,
    ) -> ScrubResult:
        """Replace a secret by stars in everything that is kept, and in what is imported later.

        With `pattern`, everything that matches a regular expression. With `preview`, nothing is
        changed. It is refused if records would become unreadable or their links would change,
        unless `force` is given.
        """
        from talktree.library.erasure.scrub import make_scrub_target, scrub

        return scrub(self, make_scrub_target(text, pattern), preview=preview, force=force)

    def scrubs(self) -> Scrubs:
        """Return the scrubbed secrets, as hashes."""
        from talktree.library.erasure.scrubs import Scrubs

        return Scrubs(self.db, self.root)

    def tombstones(self) -> Tombstones:
        """Return the tombstones of forgotten conversations."""
        from talktree.library.erasure.tombstones import Tombstones

        return Tombstones(self.db, self.root)

    def list_forgotten(self) -> list[Tombstone]:
        """Return what was forgotten, oldest first; neither paths nor titles are known any more."""
        return self.tombstones().list_all()

    def readmit(self, named: str) -> list[Tombstone]:
        """Allow later imports of what was forgotten: by number, path or id."""
        return self.tombstones().readmit(named)

    def retention(self, *, now: int | None = None) -> RetentionPlan:
        """Return what the user's retention rules would forget; nothing is changed."""
        from talktree.library.retention.plan import plan_retention

        return plan_retention(self, now=now)

    def apply_retention(
        self, *, now: int | None = None, trust_clock: bool = False
    ) -> RetentionResult:
        """Forget what the retention rules select, and confirm them for later imports."""
        from talktree.library.retention.apply import apply_retention

        return apply_retention(self, now=now, trust_clock=trust_clock)

    def check(self, *, read_data: bool = False) -> list[ArchiveProblem]:
        """Return the problems of the library; nothing is changed."""
        from talktree.library.importing.maintenance import check_library

        return check_library(self, read_data=read_data)

    def reindex(self, progress: Tell | None = None) -> int:
        """Rebuild full text and facts from the archive; return how many pieces there are."""
        from talktree.library.importing.maintenance import reindex

        return reindex(self, progress)
