"""A folder of several sources: conversations of many formats, read one source after the other.

A folder that one format recognises as a whole is one source. Any other folder is a collection: its
files, its folders that are sources, and the files that no format recognises, which are reported.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple, NoReturn

from talktree.errors import TalktreeError, UsageError
from talktree.files import Content, OnDisk, Source
from talktree.formats import all_formats, get_format
from talktree.formats.companions import with_companions
from talktree.formats.detect import detect
from talktree.formats.engine import DocumentOrigin, read_document
from talktree.formats.format import BESIDE, Format
from talktree.formats.migration import BESIDE_WAS
from talktree.formats.secrets import without_secrets
from talktree.formats.sources import find_foreign
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.findings import Finding, make_finding

UNRELATED = "not a part of the conversations beside it"
OWN_FILES = (BESIDE, BESIDE_WAS)
"""Files in which Talktree keeps data of a conversation that has no place in its other files."""
NAMED = 5
"""Maximum number of sources that a message names."""


class Member(NamedTuple):
    """One source of a collection."""

    path: str
    """Its path relative to the folder."""
    source: Source
    format: Format | None
    """None if no format recognises it."""
    reason: str = ""
    """Why no format recognises it."""


class UnrecognisedFile(NamedTuple):
    """A file of a collection that is not a conversation, and why."""

    path: str
    reason: str


class UnreadableSource(NamedTuple):
    """A source of a collection that could not be read, and why."""

    path: str
    error: TalktreeError


def read_source(
    source: Source, *, format: str | None = None, alone: bool = False, named: bool = False
) -> Document:
    """Return the conversations of a source; the format is detected unless it is given.

    A folder of several sources gives a `Collection`. Companion files of a file are read with it,
    unless `alone` is set. `named` means that the user named the source.
    """
    if format is None and source.folder:
        collection = collect_sources(source)
        if collection is not None:
            return collection
    chosen = get_format(format) if format else detect(source, named=named).format
    return read_document(source if alone else with_companions(source, chosen), chosen)


class Collection(Document):
    """All conversations below a folder; sources are read when they are requested."""

    def __init__(self, source: Source, members: Iterator[Member]) -> None:
        super().__init__(
            format="",
            name=source.name,
            conversations=(),
            origin=None,
            inspect=list,
            shown=source.shown,
        )
        self._members = members
        self.unreadable: list[UnreadableSource] = []
        """Sources that could not be read, of those requested so far."""
        self._unrelated: dict[str, list[str]] = {}
        """Files beside sources that are not part of them, of the sources requested so far."""

    def __repr__(self) -> str:
        # Counting the conversations would read all of them.
        return f"<Collection {self.shown}>"

    @cached_property
    def members(self) -> tuple[Member, ...]:
        """The sources in it; only the first part of each file is read."""
        return tuple(self._members)

    @property
    def unrecognized_files(self) -> tuple[UnrecognisedFile, ...]:
        """The files in it that no format recognises; those in its sources once these were read."""
        alone = [
            UnrecognisedFile(each.path, each.reason) for each in self.members if each.format is None
        ]
        unrelated = (path for paths in self._unrelated.values() for path in paths)
        return (*alone, *(UnrecognisedFile(path, UNRELATED) for path in unrelated))

    def documents(self) -> Iterator[Document]:
        """Yield the sources in it; each is read when it is its turn, and not kept."""
        self.unreadable = []
        for each in self.members:
            if each.format is None:
                continue
            try:
                document = read_document(each.source, each.format)
            except TalktreeError as error:
                self.unreadable.append(UnreadableSource(each.path, error))
                continue
            if each.source.folder:
                names = find_unrelated_files(document)
                self._unrelated[each.path] = [_join_path(each.path, name) for name in names]
            yield document

    @cached_property
    def sources(self) -> tuple[Document, ...]:
        """The sources in it, all read."""
        return tuple(self.documents())

    @cached_property
    def _all(self) -> tuple[Conversation, ...]:
        return tuple(each for document in self.sources for each in document.conversations)

    @property
    def conversations(self) -> tuple[Conversation, ...]:
        """All conversations of all sources."""
        return self._all

    @cached_property
    def findings(self) -> list[Finding]:
        """Everything that reading noticed, and the files that are not conversations."""
        found = (each for document in self.sources for each in document.findings)
        return [*found, *self._find_foreign_files()]

    @cached_property
    def quick_findings(self) -> list[Finding]:
        """The same, but for large files only what finding their records has shown."""
        found = (each for document in self.sources for each in document.quick_findings)
        return [*found, *self._find_foreign_files()]

    def _find_foreign_files(self) -> Iterator[Finding]:
        for each in self.members:
            if each.format is None:
                yield make_finding("foreign", each.reason, path=each.path)

    def with_only(self, conversation: Conversation) -> Document:
        """Return the source of one conversation, without its other conversations."""
        for document in self.sources:
            if conversation.index in [each.index for each in document.conversations]:
                return document.with_only(conversation)
        return super().with_only(conversation)

    def with_conversation(self, changed: Conversation) -> Document:
        """Return the only source with one conversation replaced; raise if there are several."""
        return self._only_document.with_conversation(changed)

    @property
    def format(self) -> str:
        """The format that all sources have."""
        found = {each.format.info.slug for each in self.members if each.format is not None}
        if len(found) != 1:
            self._raise_not_single()
        return found.pop()

    @property
    def origin(self) -> object:
        """The origin of the only source."""
        return self._only_document.origin

    @property
    def _only_document(self) -> Document:
        if len(self.sources) != 1:
            self._raise_not_single()
        return self.sources[0]

    def _raise_not_single(self) -> NoReturn:
        known = [each for each in self.members if each.format is not None]
        paths = [each.path for each in known]
        # Sources of the folder's own format have no path other than those of their files.
        named = [
            path for each in known for path in ([each.path] if each.path else each.source.files)
        ]
        some = ", ".join(named[:NAMED]) + (", …" if len(named) > NAMED else "")
        raise UsageError(
            f"{self.shown}: a folder of {len(paths)} sources, not one",
            hint=f"name one of them: {some}",
        )


def collect_sources(source: Source) -> Collection | None:
    """Return the collection in a folder; None if the folder is one source, or holds no source."""
    if not source.folder:
        return None
    # Files that may hold keys are never opened.
    source = without_secrets(source, all_formats())
    if find_foreign(source) == set():
        return None
    found = Collection(source, _iterate_members("", source))
    return found if any(each.format for each in found.members) else None


def _iterate_members(path: str, source: Source) -> Iterator[Member]:
    """Yield the sources below a folder, files before folders."""
    pending = [(path, source)]
    while pending:
        here, folder = pending.pop()
        foreign = find_foreign(folder)
        if foreign is not None:
            own = folder.without_silently(foreign)
            yield Member(here, own, detect(own).format)
            yield from (_make_file_member(here, folder, name) for name in sorted(foreign))
            continue
        inside: dict[str, dict[str, Content]] = {}
        for name, content in folder.files.items():
            top, deeper, rest = name.partition("/")
            if deeper:
                inside.setdefault(top, {})[rest] = content
            else:
                yield _make_file_member(here, folder, name)
        pending += [
            (
                _join_path(here, name),
                Source(name, files, folder=True, shown=os.path.join(folder.shown, name)),
            )
            for name, files in reversed(inside.items())
        ]


def _make_file_member(path: str, folder: Source, name: str) -> Member:
    content = folder.files[name]
    place = content.path if isinstance(content, OnDisk) else None
    shown = os.path.join(folder.shown, name)
    source = Source(name, {name: content}, folder=False, place=place, shown=shown)
    try:
        return Member(_join_path(path, name), source, detect(source).format)
    except TalktreeError as error:
        return Member(
            _join_path(path, name), source, None, error.message.removeprefix(f"{shown}: ")
        )


def _join_path(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def find_unrelated_files(document: Document) -> list[str]:
    """Return the files of a folder that are not part of the conversations in it."""
    origin = document.origin
    if not isinstance(origin, DocumentOrigin) or not origin.source.folder:
        return []
    return [path for path in origin.foreign_files if path.rpartition("/")[2] not in OWN_FILES]


def find_unrecognized_files(document: Document) -> list[str]:
    """Return all files of a folder outside its conversations, once these have been read."""
    if isinstance(document, Collection):
        return [each.path for each in document.unrecognized_files]
    return find_unrelated_files(document)


def iterate_documents(document: Document) -> Iterator[Document]:
    """Yield the sources of a collection one after the other, or the document itself."""
    if isinstance(document, Collection):
        yield from document.documents()
    else:
        yield document
