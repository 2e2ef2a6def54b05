"""Finding a text in everything that the library keeps, not only in what the full text indexes.

It searches the bytes of every version of every file, with escapes and compression undone, unsaved
edits, the names of branches and the paths of files. Case, spacing and the Unicode form do not
matter, nor do the separators of words in paths and names of branches.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from talktree.errors import UsageError
from talktree.library.archive.source_versions import files_of, list_versions
from talktree.library.dropped_files import list_dropped_files
from talktree.library.erasure.disk_files import holds_secret, iter_windows
from talktree.library.erasure.packed_members import is_packed, mask_packed
from talktree.library.erasure.readings import detect_encoding, is_json
from talktree.library.erasure.scrubs import HEAD
from talktree.library.erasure.secret_forms import SecretPattern, find_secrets, reach_of

if TYPE_CHECKING:
    from talktree.library.erasure.masking import Span
    from talktree.library.library import Library

SHORTEST_TEXT = 2
_BETWEEN_WORDS = rb"(?:[\s_.+-]|%20)+"
_GENERATIONS = """
SELECT g.id, f.source, f.path FROM generations AS g JOIN files AS f ON f.id = g.file
WHERE f.source > 0 ORDER BY f.source, g.id
"""
_SOURCES = "SELECT id, path, format, native, state FROM sources ORDER BY path"
_SOURCE_TEXTS = """
SELECT id, path, native, trouble FROM sources
UNION ALL SELECT source, path, NULL, trouble FROM files WHERE source > 0
UNION ALL SELECT source, conversation, leaf, name FROM branch_names
"""
_OPERATIONS = "SELECT id, source, value FROM operations ORDER BY id"
_OTHER_PATHS = "SELECT path FROM files WHERE source = 0 UNION SELECT path FROM places"


class TextMatch(NamedTuple):
    """A source of the library that contains the text."""

    source: int
    id: str | None
    path: bytes
    format: str
    state: str
    occurrences: int
    """How often the text occurs in all archived bytes."""
    versions: tuple[int, ...]
    """The numbers of the versions that contain it; a path or name counts for all of them."""
    edits: tuple[bytes, ...]
    """The edits that contain it, as JSON."""
    is_in_name: bool
    """Whether a path, an id, the name of a branch or a message about the file contains it."""
    kept_versions: tuple[int, ...] = ()
    """The numbers of all archived versions."""


class FoundText(NamedTuple):
    """The places in which a text was found."""

    matches: tuple[TextMatch, ...]
    other_paths: tuple[bytes, ...]
    """Paths that contain the text, are known to the library, and belong to no conversation."""
    dropped_files: tuple[bytes, ...]
    """Files that were dropped into the studio and contain it."""

    def __bool__(self) -> bool:
        return any(self)


class _Matches:
    """The matches in one source so far."""

    def __init__(self) -> None:
        self.occurrences = 0
        self.first_ends: dict[int, int] = {}
        """By generation, where the first occurrence ends."""
        self.edits: list[bytes] = []
        self.is_in_name = False


def compile_text_pattern(texts: Iterable[str]) -> re.Pattern[bytes]:
    """Compile a pattern for any of some texts, in any case, spacing and Unicode form.

    Names of branches and paths have no spaces: their words have other separators.
    """
    patterns = []
    for text in texts:
        words = text.split()
        if len("".join(words)) < SHORTEST_TEXT:
            raise UsageError(
                f"a text to find has at least {SHORTEST_TEXT} characters", hint="write more of it"
            )
        patterns.append(_BETWEEN_WORDS.join(_word_pattern(word) for word in words))
    return re.compile(b"|".join(patterns))


def _word_pattern(word: str) -> bytes:
    return b"".join(_letter_pattern(letter) for letter in unicodedata.normalize("NFC", word))


def _letter_pattern(letter: str) -> bytes:
    cased = {letter, letter.lower(), letter.upper(), letter.casefold()}
    forms = {unicodedata.normalize(form, each) for each in cased for form in ("NFC", "NFD")}
    spellings = sorted((form.encode("utf-8", "surrogatepass") for form in forms), key=len)
    return b"(?:" + b"|".join(map(re.escape, reversed(spellings))) + b")"


def find_text(library: Library, pattern: re.Pattern[bytes]) -> FoundText:
    """Find what matches a pattern of bytes in everything that the library keeps."""
    finder = SecretPattern(pattern)
    found: dict[int, _Matches] = {}
    for generation, source, _ in library.db.read(_GENERATIONS):
        spans = list(_find_spans(library, int(generation), finder))
        if spans:
            matches = found.setdefault(int(source), _Matches())
            matches.occurrences += len(spans)
            matches.first_ends[int(generation)] = min(stop for _, stop in spans)
    for _, source, value in library.db.read(_OPERATIONS):
        if find_secrets(finder, bytes(value), None, json=True):
            found.setdefault(int(source), _Matches()).edits.append(bytes(value))
    for source, *names in library.db.read(_SOURCE_TEXTS):
        if any(_is_in_text(finder, name) for name in names):
            found.setdefault(int(source), _Matches()).is_in_name = True
    paths = [bytes(path) for (path,) in library.db.read(_OTHER_PATHS)]
    return FoundText(
        tuple(_find_matches(library, found)),
        tuple(path for path in paths if _is_in_text(finder, path)),
        tuple(
            path
            for path in list_dropped_files(library.root)
            if _is_in_text(finder, path) or holds_secret(path, finder)
        ),
    )


def _find_matches(library: Library, found: dict[int, _Matches]) -> Iterator[TextMatch]:
    for id, path, format, native, state in library.db.read(_SOURCES):
        matches = found.get(int(id))
        if matches is not None:
            yield TextMatch(
                int(id),
                native,
                bytes(path),
                format,
                state,
                matches.occurrences,
                tuple(_find_versions_with(library, int(id), matches)),
                tuple(matches.edits),
                matches.is_in_name,
                tuple(each.number for each in list_versions(library.db, int(id))),
            )


def _find_versions_with(library: Library, source: int, matches: _Matches) -> Iterator[int]:
    """Yield the versions of a source that contain the text, in a file, its name, or an edit."""
    first_ends = matches.first_ends
    kept = list_versions(library.db, source)
    for version in kept:
        if matches.is_in_name or (matches.edits and version is kept[-1]):
            yield version.number
            continue
        files = files_of(library.db, source, version.number) if first_ends else []
        if any(file.length >= first_ends.get(file.generation, file.length + 1) for file in files):
            yield version.number


def _find_spans(library: Library, generation: int, finder: SecretPattern) -> Iterator[Span]:
    """Yield the spans of the text in a generation; in a compressed one, the start of the member."""
    archive = library.archive
    head = archive.slice(generation, 0, HEAD)
    if is_packed(head):
        found: list[Span] = []

        def look(member: bytes) -> list[Span]:
            """Record that a member contains the text, and mask nothing."""
            spans = find_secrets(
                finder, member, detect_encoding(member), json=is_json(member[:HEAD])
            )
            found.extend((0, 0) for _ in spans)
            return []

        mask_packed(b"".join(archive.read(generation)), look)
        yield from found
        return
    encoding, json, at = detect_encoding(head), is_json(head), 0
    for data, overlap in iter_windows(archive.read(generation), reach_of(finder)):
        start = at - overlap
        for first, stop in find_secrets(finder, data, encoding, json=json):
            if stop > overlap:
                yield start + first, start + stop
        at = start + len(data)


def _is_in_text(finder: SecretPattern, text: str | bytes | None) -> bool:
    if text is None:
        return False
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
    return bool(find_secrets(finder, data, None, json=False))
