"""Scrubbing a secret: it becomes stars in everything the library keeps, and the rest stays.

The archive is rewritten in one transaction, which also records that facts and full text have to be
rebuilt. A kill before it changes nothing; after it the next import, check or `--finish` continues.
A preview is the same transaction, rolled back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from talktree.errors import RefusedInput, UsageError
from talktree.library.dropped_files import is_dropped, list_dropped_files
from talktree.library.erasure.disk_files import holds_secret, iter_windows, mask_file
from talktree.library.erasure.finish import finish_erasures, record_pending_erasure
from talktree.library.erasure.masking import Span, mask_spans
from talktree.library.erasure.packed_members import is_packed, mask_packed
from talktree.library.erasure.readings import detect_encoding, is_json
from talktree.library.erasure.replacement import ArchiveRewriter, Generation
from talktree.library.erasure.scrubs import HEAD, Scrubs
from talktree.library.erasure.secret_forms import (
    KnownSecrets,
    SecretPattern,
    compile_pattern,
    encode_usual_forms,
    find_secrets,
    reach_of,
)
from talktree.library.erasure.structure import Outlines, find_fault, outline_source

if TYPE_CHECKING:
    from talktree.library.database.connection import Database
    from talktree.library.library import Library

WAIT = 10.0
SHORTEST = 4
"""A shorter secret would match inside ordinary words."""
MOST = 1000
"""Maximum number of different secrets that a pattern may find."""
MOST_EXAMPLES = 5
_AROUND = 32
"""How many bytes of an example are shown on each side of the secret."""
_MOST_STARS = 12

_GENERATIONS = """
SELECT g.id, f.id, f.path, f.source, g.length, f.generation = g.id
FROM generations AS g JOIN files AS f ON f.id = g.file ORDER BY g.id
"""
_READ_AGAIN = "UPDATE sources SET indexed = -1 WHERE id = ?"
_PATHS = "SELECT path FROM files UNION SELECT path FROM places"
_SOURCE_PATH = "SELECT path FROM sources WHERE id = ?"


class Example(NamedTuple):
    """A place with a secret, which is masked."""

    path: bytes
    text: str


class ScrubResult(NamedTuple):
    """The result of a scrub or of its preview."""

    sources: int
    """How many sources contained it."""
    places: int
    """How many occurrences there were."""
    on_disk: tuple[bytes, ...]
    """Files on the disk that still contain it; they are never changed."""
    left: tuple[str, ...]
    """What the library still contains of it, and why."""
    files: int = 0
    """How many archived files contained it."""
    examples: tuple[Example, ...] = ()
    faults: tuple[str, ...] = ()
    """What can no longer be read, or would be read as something else."""
    is_done: bool = True
    """False for a preview: nothing was changed."""


def combine_results(all_done: Sequence[ScrubResult]) -> ScrubResult:
    """Return the combined result of scrubs in several libraries."""
    return ScrubResult(
        sum(each.sources for each in all_done),
        sum(each.places for each in all_done),
        tuple(dict.fromkeys(path for each in all_done for path in each.on_disk)),
        tuple(left for each in all_done for left in each.left),
        sum(each.files for each in all_done),
        tuple(example for each in all_done for example in each.examples)[:MOST_EXAMPLES],
        tuple(fault for each in all_done for fault in each.faults),
        is_done=all(each.is_done for each in all_done),
    )


class ScrubTarget(NamedTuple):
    """The search target: a text, or whatever matches a pattern."""

    text: str | None = None
    pattern: re.Pattern[bytes] | None = None

    def secrets(self) -> KnownSecrets | SecretPattern:
        """Return the finder for it."""
        if self.pattern is not None:
            return SecretPattern(self.pattern)
        assert self.text is not None
        return KnownSecrets(encode_usual_forms(self.text))


class _Preview(Exception):
    """Rolls back the transaction of a preview."""


def make_scrub_target(text: str | None, pattern: str | None) -> ScrubTarget:
    """Return what to search for; raise an error with the reason if that is not possible."""
    try:
        (text or pattern or "").encode()
    except UnicodeEncodeError:
        raise UsageError(
            "the secret is not UTF-8", hint=r"use --pattern with escapes such as \xff"
        ) from None
    if pattern is not None:
        return ScrubTarget(pattern=compile_pattern(pattern))
    if text is None or len(text) < SHORTEST:
        raise UsageError(
            f"a secret has at least {SHORTEST} characters",
            hint="a shorter one would be found in other words",
        )
    return ScrubTarget(text=text)


def scrub(
    library: Library,
    needle: ScrubTarget,
    *,
    wait: float = WAIT,
    preview: bool = False,
    force: bool = False,
) -> ScrubResult:
    """Remove a secret from everything that is kept, and from what is imported later.

    With `preview`, nothing is changed. With `force`, it is done even if records become unreadable
    or change what they say about others, and later imports mask it even if it is not found now.
    """
    with library.lock.hold(wait):
        library.archive.flush()
        library.names.clear_cache()
        work = _Work(library, needle)
        try:
            with library.db.transaction(durable=True):
                work.run("never" if preview else "always" if force else "found")
                if preview:
                    raise _Preview
                refuse_faults(work.faults, force=force)
                # Before the rows are changed: after a kill the command can be repeated.
                for path in list_dropped_files(library.root):
                    mask_file(path, work.known)
        except _Preview:
            pass
        finally:
            library.archive.clear_cache()
        left = [*work.left] if preview else [*work.left, *finish_erasures(library)]
        others = [path for path in work.paths if not is_dropped(library.root, path)]
        on_disk = [path for path in others if holds_secret(path, work.known)]
    return ScrubResult(
        len(work.sources),
        work.count,
        tuple(on_disk),
        tuple(left),
        len(work.paths),
        tuple(work.examples),
        tuple(work.faults),
        is_done=not preview,
    )


def refuse_faults(faults: Sequence[str], *, force: bool) -> None:
    """Raise an error if masking would change more than words."""
    if faults and not force:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise RefusedInput(
            f"nothing was changed: {faults[0]}{more}",
            hint="name the secret more exactly, or forget that conversation; --force does it",
        )


class _Work:
    """One scrub."""

    def __init__(self, library: Library, needle: ScrubTarget) -> None:
        self._library = library
        self._db: Database = library.db
        self._wanted = needle.secrets()
        self.known = KnownSecrets(())
        """All secrets that were found."""
        self.sources: set[int] = set()
        self.paths: dict[bytes, None] = {}
        self.count = 0
        self.examples: list[Example] = []
        self.faults: list[str] = []
        self.left: list[str] = []

    def run(self, remember: Literal["never", "found", "always"]) -> None:
        """Run it, in the caller's transaction."""
        rows = [Generation(*row) for row in self._db.read(_GENERATIONS)]
        touched = [each for each in rows if self._search_generation(each)]
        rewriting = ArchiveRewriter(self._library)
        for _, value in rewriting.read_edits():
            self._count_matches(value, b"", json=True)
        self.known = self._collect_known_secrets()
        before = {each.source: self._outline_source(each.source) for each in touched if each.source}
        for each in touched:
            if rewriting.rewrite(each, self.known):
                self.paths[each.path] = None
                self.sources |= {each.source} if each.source else set()
        rewriting.rewrite_edits(self.known)
        self.count += rewriting.rewrite_texts(self.known)
        self.faults += rewriting.faults
        for source in sorted(self.sources):
            self._note_differences(source, before[source])
            self._db.run(_READ_AGAIN, (source,))
        if remember == "always" or (remember == "found" and self.count):
            # A text that is not found may be a word of a format that is imported later.
            Scrubs(self._db, self._library.root).add(self.known)
        self._search_paths()
        record_pending_erasure(self._library, [])

    def _collect_known_secrets(self) -> KnownSecrets:
        wanted = self._wanted
        if isinstance(wanted, KnownSecrets):
            return wanted
        if len(wanted.texts) > MOST:
            raise UsageError(
                f"the pattern finds {len(wanted.texts)} different texts",
                hint="make it more specific",
            )
        shortest = min(map(len, wanted.texts), default=SHORTEST)
        if shortest < SHORTEST:
            raise UsageError(
                f"the pattern finds texts of fewer than {SHORTEST} bytes",
                hint="make it more specific: they would be found in other words",
            )
        return KnownSecrets(wanted.texts, only_in_strings=False)

    def _outline_source(self, source: int) -> Outlines | None:
        return outline_source(self._library, source)

    def _note_differences(self, source: int, before: Outlines | None) -> None:
        """Record a fault if the newest version of a source now reads differently."""
        row = self._db.read_one(_SOURCE_PATH, (source,))
        fault = find_fault(before, self._outline_source(source), row[0] if row else b"")
        if fault is not None:
            self.faults.append(fault)

    def _search_generation(self, generation: Generation) -> bool:
        """Search a generation for the secret; return whether it contains it."""
        archive, before = self._library.archive, self.count
        head = archive.slice(generation.id, 0, HEAD)
        if is_packed(head):
            data = b"".join(archive.read(generation.id))
            mask_packed(data, lambda text: self._search_member(text, generation.path))
        else:
            for data, new in iter_windows(archive.read(generation.id), reach_of(self._wanted)):
                self._count_matches(
                    data, generation.path, new, detect_encoding(head), json=is_json(head)
                )
        return self.count != before

    def _search_member(self, text: bytes, path: bytes) -> list[Span]:
        self._count_matches(text, path, 0, detect_encoding(text), json=is_json(text[:HEAD]))
        return []

    def _count_matches(
        self, data: bytes, path: bytes, new: int = 0, encoding: str | None = None, *, json: bool
    ) -> None:
        """Count the matches in some bytes, the first of which were searched before."""
        found = find_secrets(self._wanted, data, encoding, json=json)
        self.count += sum(stop > new for _, stop in found)
        for span in found[: MOST_EXAMPLES - len(self.examples)]:
            name = mask_spans(path, find_secrets(self._wanted, path, None, json=False))
            self.examples.append(Example(name, _make_excerpt(data, span, found, encoding)))

    def _search_paths(self) -> None:
        for (path,) in self._db.read(_PATHS):
            if find_secrets(self.known, path, None, json=False):
                self.left.append("the path of a file; rename the file and forget the conversation")
                return


def _make_excerpt(data: bytes, span: Span, found: list[Span], encoding: str | None) -> str:
    """Return the bytes around a secret, with all secrets masked."""
    start, stop = span
    first = max(0, start - _AROUND) & ~1
    masked = mask_spans(
        data[: stop + _AROUND], [each for each in found if each[0] < stop + _AROUND]
    )
    stars = "*" * min(_MOST_STARS, stop - start)
    before, after = masked[first:start], masked[stop : stop + _AROUND]
    how = encoding or "utf-8"
    return before.decode(how, "ignore") + stars + after.decode(how, "ignore")
