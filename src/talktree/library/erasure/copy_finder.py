"""Copies of a conversation in other sources of a library, in any format.

A copy has the same id. So does a file that was converted to another format, or it embeds the source
that it was made from. Tombstones keep out the same files that are copies here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from talktree.conversion.embed_read import CARRY_NAME, index_embedded_sources
from talktree.conversion.ids import compute_source_id
from talktree.errors import TalktreeError
from talktree.formats import get_format
from talktree.formats.engine import DocumentOrigin, read_document
from talktree.library.archive.file_content import read_archived_source
from talktree.library.erasure.recognition import find_embedded_sources
from talktree.library.erasure.tombstones import is_given, is_unique, names_from_path

if TYPE_CHECKING:
    from talktree.library.library import Library
    from talktree.model.document import Document

_HEAD = 1 << 16
"""How much of each file is searched for embedded data, which is near its beginning."""
_SOURCES = """
SELECT s.id, s.format, s.path, coalesce(c.native, s.native) FROM sources AS s
LEFT JOIN conversations AS c ON c.source = s.id
"""


class CopyFinder:
    """Finds the copies of sources; caches what it reads of the library."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def find_copies(self, source: int) -> list[int]:
        """Return the other sources that hold only this conversation.

        Those are the same in other places and formats, what it was converted from, and what was
        converted from either.
        """
        found = dict.fromkeys([source])
        waiting = [source]
        while waiting:
            for other in self._find_candidates(waiting.pop()):
                if other not in found:
                    found[other] = None
                    waiting.append(other)
        return [each for each in found if each != source]

    def _find_candidates(self, source: int) -> Iterator[int]:
        """Yield the sources that share the id of a source, embed it, or are embedded in it."""
        own = self._ids.get(source, set())
        if len(own) > 1:
            return
        for id in own:
            same = (each for each in self._by_id[id] if len(self._ids[each]) == 1)
            yield from (each for each in same if self._is_same(source, each, id))
        origin = None if own else self.find_origin(source)
        for name in (*own, *([] if origin is None else [origin])):
            yield from self._by_embedded.get(name, ())
        for name in self.embedded.get(source, ()):
            yield from (each for each in self._by_id.get(name, ()) if len(self._ids[each]) == 1)
            yield from self._by_embedded[name]

    def _is_same(self, source: int, other: int, id: str) -> bool:
        """Whether two sources mean the same conversation by an id.

        In several formats, file names are ids of sources.
        """
        one, two = self._about[source], self._about[other]
        return one[0] == two[0] or (is_given(id, one[1]) and is_given(id, two[1]))

    @cached_property
    def _about(self) -> dict[int, tuple[str, set[str]]]:
        """The format of each source, and the names that its path may have given as an id."""
        return {
            row[0]: (row[1], names_from_path(row[2])) for row in self._library.db.read(_SOURCES)
        }

    @cached_property
    def _ids(self) -> dict[int, set[str]]:
        """The ids of the conversations of each source."""
        found: dict[int, set[str]] = defaultdict(set)
        for source, _, _, id in self._library.db.read(_SOURCES):
            if id and is_unique(id):
                found[source].add(id)
        return found

    @cached_property
    def _by_id(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for source, ids in self._ids.items():
            for id in ids:
                found[id].append(source)
        return found

    @cached_property
    def embedded(self) -> dict[int, set[str]]:
        """The sources that others were converted from: their ids, or else their origins."""
        found = {source: set(self._list_embedded_names(source)) for source in self._about}
        return {source: names for source, names in found.items() if names}

    @cached_property
    def _by_embedded(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for source, names in self.embedded.items():
            for name in names:
                found[name].append(source)
        return found

    def _list_embedded_names(self, source: int) -> Iterator[str]:
        library = self._library
        archived = read_archived_source(library.db, library.archive, source)
        heads = (content.read(0, _HEAD) for content in archived.files.values())
        if not any(CARRY_NAME in head.lower() for head in heads):
            return
        document = self._read_source(source)
        # A file that was merged from several is not a copy of any of them.
        if (
            document is None
            or len(document.conversations) > 1
            or len(index_embedded_sources(document)) > 1
        ):
            return
        for embedded in find_embedded_sources(document):
            if len(embedded.ids) < 2:
                yield from filter(is_unique, embedded.ids)
                yield f"{embedded.format} {embedded.origin}"

    def find_origin(self, source: int) -> str | None:
        """Return the origin that files converted from a source embed; None if it cannot be read."""
        if source not in self._about:
            return None
        document = self._read_source(source)
        if document is None:
            return None
        assert isinstance(document.origin, DocumentOrigin)
        return f"{self._about[source][0]} {compute_source_id(document.origin)}"

    def _read_source(self, source: int) -> Document | None:
        library = self._library
        try:
            archived = read_archived_source(library.db, library.archive, source)
            return read_document(archived, get_format(self._about[source][0]))
        except TalktreeError:
            return None
