"""Writing the full-text index of an encrypted library, in one thread that inserts documents.

The caller continues meanwhile; SQLite releases the interpreter lock. Everything until a commit is
one transaction, so a kill leaves exactly what was committed.
"""

from __future__ import annotations

import queue
import re
import threading
from collections.abc import Callable, Sequence
from itertools import accumulate
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import msgspec

from talktree.errors import LockHeld, NotSaved, TalktreeError
from talktree.library.database.cipher import derive_database_key
from talktree.library.database.connection import Database
from talktree.library.fulltext.champions import ChampionWriter
from talktree.library.fulltext.encrypted_index import (
    ADD_WORDS,
    LONGEST_WORD,
    UNFINDABLE,
    EncryptedFullText,
    pack_words,
    read_vocabulary,
)
from talktree.library.fulltext.tokenizer import IN_WORDS, normalize_text

if TYPE_CHECKING:
    from talktree.library.extract.facts import SearchPiece

BATCH_CHARACTERS, BATCH_DOCUMENTS = 8 << 20, 5000
"""The size of a batch for the thread: each batch is one statement.

With a statement for each document, the thread would wait for the interpreter lock after every one,
and hardly run in parallel to its caller.
"""
WAITING = 1
"""How many batches may wait."""
BULK_CACHE = 48 << 20
"""Bytes of pages in memory while much is written."""
BULK_HASH, SMALL_HASH = 48 << 20, 4 << 20
"""Bytes of words that are gathered before they are written."""
FEW_CHARACTERS = 4 << 20
"""Up to this many new characters the vocabulary is extended; after more it is rebuilt."""
MOST_PARTS = 64
"""How many parts the vocabulary may have before it is rebuilt."""
_WORD = re.compile(IN_WORDS)
_LONG = re.compile(f"{IN_WORDS[:-1]}{{{LONGEST_WORD // 4},}}")
_ADD = """
INSERT INTO documents (id, source, at, part, time, tags)
SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5
FROM json_each(?)
"""
_ADD_WORDS_OF = """
INSERT INTO {table} (rowid, words)
SELECT value ->> 0, CAST(substr(?1, value ->> 1, value ->> 2) AS TEXT) FROM json_each(?2)
"""
_ADD_BODY, _ADD_FILES = (_ADD_WORDS_OF.format(table=table) for table in ("body", "files"))
_ADD_TAGS = "INSERT INTO tags (id, words) VALUES (?, ?)"
_TAGS = "SELECT words, id FROM tags"
_LAST = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'documents'"
_WHICH = "SELECT id FROM documents WHERE source = ? AND at >= ?"
_DELETE = (
    "DELETE FROM body WHERE rowid = ?",
    "DELETE FROM files WHERE rowid = ?",
    "DELETE FROM documents WHERE id = ?",
)
_SET = "INSERT INTO body (body, rank) VALUES (?, ?)"
_PARTS = "SELECT count(*) FROM vocabulary"


class NewDocument(NamedTuple):
    """A piece in the form the index stores."""

    source: int
    at: int
    part: int
    time: int | None
    body: str
    files: str
    tags: str


class EncryptedFullTextWriter:
    """A writer: additions and deletions take effect on commit."""

    def __init__(self, index: EncryptedFullText, key: bytes, *, bulk: bool) -> None:
        self._index = index
        self._bulk = bulk
        self._db = Database(index.db.path, write=True, key=derive_database_key(key, "fulltext"))
        if bulk:
            self._db.limit_cache(BULK_CACHE)
        self._record = (-1, -1)
        self._part = 0
        self._batch: list[NewDocument] = []
        self._characters = 0
        self._tasks: queue.Queue[Callable[[], None] | None] = queue.Queue(WAITING)
        self._error: BaseException | None = None
        self._in_transaction = False
        self._tags: dict[str, int] = {}
        self._last = 0
        self._champions: ChampionWriter | None = None
        self._new_words: set[str] | None = set()
        self._new_characters = 0
        self._thread = threading.Thread(target=self._run_tasks, name="fulltext", daemon=True)
        self._thread.start()

    def add(self, source: int, piece: SearchPiece) -> None:
        """Add a document: a piece of that source."""
        self.put(self.make_document(source, piece))

    def make_document(self, source: int, piece: SearchPiece) -> NewDocument:
        """Return a piece as a document; documents are made in the order of their places."""
        at, _, _, text, time, tags, files = piece
        if (source, at) == self._record:
            self._part += 1
        else:
            self._record, self._part = (source, at), 0
        return NewDocument(
            source, at, self._part, time, prepare_text(text), normalize_text(files), tags
        )

    def put(self, document: NewDocument) -> None:
        """Add a document to the index; may wait until there is room."""
        self._batch.append(document)
        self._characters += len(document.body)
        if len(self._batch) >= BATCH_DOCUMENTS or self._characters >= BATCH_CHARACTERS:
            self._submit_batch()

    def delete(self, source: int, from_at: int = 0) -> None:
        """Delete the documents of a source from a place on; those added afterwards stay."""
        self._record = (-1, -1)
        self._submit_batch()
        self._submit_task(lambda: self._delete(source, from_at))

    def commit(self) -> None:
        """Make the changes durable and visible to the next search."""
        self._submit_batch()
        self._submit_task(self._commit)
        self._wait_for_tasks()

    def rollback(self) -> None:
        """Discard what was not committed."""
        self._record = (-1, -1)
        self._batch, self._characters = [], 0
        self._submit_task(self._rollback)
        self._wait_for_tasks()

    def close(self) -> None:
        """Close the index."""
        if self._thread.is_alive():
            self._tasks.put(None)
            self._thread.join()
        try:
            self._rollback()
            if self._bulk:
                self._db.checkpoint()
        finally:
            self._db.close()
        self._raise_failure()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.close()
        else:
            self._error = None
            self.close()

    # in the thread of the caller

    def _submit_batch(self) -> None:
        batch, self._batch, self._characters = self._batch, [], 0
        if batch:
            self._submit_task(lambda: self._insert(batch))

    def _submit_task(self, task: Callable[[], None]) -> None:
        self._raise_failure()
        self._tasks.put(task)

    def _wait_for_tasks(self) -> None:
        """Wait until all submitted work is done."""
        self._tasks.join()
        self._raise_failure()

    def _raise_failure(self) -> None:
        error, self._error = self._error, None
        if error is not None:
            raise _translate_error(error) from error

    # in the thread of the index

    def _run_tasks(self) -> None:
        while (task := self._tasks.get()) is not None:
            try:
                if self._error is None:
                    task()
            except BaseException as error:
                self._error = error
                self._rollback()
            finally:
                self._tasks.task_done()
        self._tasks.task_done()

    def _begin(self) -> None:
        if self._in_transaction:
            return
        self._db.run("PRAGMA synchronous = FULL")
        self._db.run("BEGIN IMMEDIATE")
        self._in_transaction = True
        self._tags = dict(self._db.read(_TAGS))
        self._last = int(self._db.read(_LAST)[0][0])
        self._db.run(_SET, ("automerge", 0 if self._bulk else 4))
        self._db.run(_SET, ("hashsize", BULK_HASH if self._bulk else SMALL_HASH))

    def _insert(self, batch: list[NewDocument]) -> None:
        self._begin()
        rows: list[tuple[Any, ...]] = []
        bodies: list[tuple[int, str]] = []
        files: list[tuple[int, str]] = []
        for document in batch:
            self._last += 1
            tags = self._get_or_add_tag_set(document.tags)
            rows.append((self._last, *document[:4], tags))
            bodies.append((self._last, document.body))
            if document.files:
                files.append((self._last, document.files))
            self._note_words(document.body)
        self._db.run(_ADD_BODY, _concatenate_texts(bodies))
        self._db.run(_ADD_FILES, _concatenate_texts(files))
        self._db.run(_ADD, (_encode_rows(rows),))
        if self._bulk and self._new_words is None:
            # The thread has time for this while its caller makes the next batch.
            self._champions = self._champions or ChampionWriter(self._db)
            self._champions.advance(self._last)

    def _get_or_add_tag_set(self, words: str) -> int:
        """Return the number of a set of tags."""
        found = self._tags.get(words)
        if found is None:
            found = self._tags[words] = max(self._tags.values(), default=0) + 1
            self._db.run(_ADD_TAGS, (found, words))
        return found

    def _note_words(self, body: str) -> None:
        """Gather the words of a text, while that is less work than reading all from the index."""
        self._new_characters += len(body)
        if self._new_words is not None:
            self._new_words.update(_WORD.findall(body))
            if self._new_characters > FEW_CHARACTERS:
                self._new_words = None

    def _delete(self, source: int, from_at: int) -> None:
        self._begin()
        ids = self._db.read(_WHICH, (source, from_at))
        for statement in _DELETE:
            self._db.run_many(statement, ids)

    def _commit(self) -> None:
        if not self._in_transaction:
            return
        self._write_vocabulary()
        self._db.run("COMMIT")
        self._in_transaction = False
        self._champions = None
        self._new_words, self._new_characters = set(), 0

    def _write_vocabulary(self) -> None:
        """Add the new words, or read all words from the index."""
        if not self._new_characters:
            return
        words = self._new_words
        if words is None or self._db.read(_PARTS)[0][0] >= MOST_PARTS:
            words = read_vocabulary(self._db)
            self._champions = self._champions or ChampionWriter(self._db)
            self._champions.finish(self._last)
            self._db.run("DELETE FROM vocabulary")
        self._db.run(ADD_WORDS, (pack_words(sorted(words - {UNFINDABLE})),))

    def _rollback(self) -> None:
        self._champions = None
        self._new_words, self._new_characters = set(), 0
        if self._in_transaction:
            self._in_transaction = False
            try:
                self._db.run("ROLLBACK")
            except (TalktreeError, self._db.error):
                pass  # after a full disk the database may already have rolled back


def _concatenate_texts(texts: Sequence[tuple[int, str]]) -> tuple[bytes, str]:
    """Return the concatenated texts, and a list of the position of each, beginning with 1."""
    data = [text.encode() for _, text in texts]
    ends = accumulate((len(each) for each in data), initial=1)
    places = [(id, end, len(each)) for (id, _), end, each in zip(texts, ends, data, strict=False)]
    return b"".join(data), _encode_rows(places)


def _encode_rows(rows: object) -> str:
    return msgspec.json.encode(rows).decode()


def prepare_text(text: str) -> str:
    """Return the text as the index stores it."""
    made = normalize_text(text)
    if UNFINDABLE in made:
        made = made.replace(UNFINDABLE, " ")
    return _LONG.sub(_drop_long_word, made) if _may_have_long_word(made) else made


def _may_have_long_word(text: str) -> bool:
    """Whether a text may contain a word that is too long.

    Such a word fills a whole step of the text from its beginning to its end.
    """
    step = LONGEST_WORD // 8
    return any(
        (found := _WORD.match(text, at)) is not None and found.end() >= at + step
        for at in range(0, len(text) - step + 1, step)
    )


def _drop_long_word(found: re.Match[str]) -> str:
    return UNFINDABLE if len(found[0].encode("utf-8", "replace")) > LONGEST_WORD else found[0]


def _translate_error(error: BaseException) -> BaseException:
    """Return the error that a failure of the writer means; an interrupt is returned unchanged."""
    if isinstance(error, KeyboardInterrupt | SystemExit | MemoryError | LockHeld):
        return error
    return NotSaved(
        f"the full-text index could not be written: {error}",
        hint="nothing that was committed is lost; the next import does the rest",
    )
