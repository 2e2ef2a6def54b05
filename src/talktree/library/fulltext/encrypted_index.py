"""The full-text index of an encrypted library: SQLite's own (FTS5) in an encrypted database.

Tantivy maps its files into memory as they are, so they cannot be encrypted. This index has the same
words (`tokenizer.py`) and answers the same queries. Like the other one it is a cache of the archive
and stores only the words of the texts.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import zstandard

from talktree.errors import TalktreeError
from talktree.library.database.cipher import derive_database_key
from talktree.library.database.connection import Database
from talktree.library.fulltext.champions import CREATE, VOCABULARY, ChampionWriter, drop_lists
from talktree.library.fulltext.index import KINDS, CorruptIndex, PieceAddress
from talktree.library.fulltext.location import ENCRYPTED, fulltext_folder

if TYPE_CHECKING:
    from talktree.library.fulltext.encrypted_writer import EncryptedFullTextWriter

LONGEST_WORD = 32_768
"""Maximum bytes of a word that can be found here."""
UNFINDABLE = "\x01"
"""A word that no query has; it replaces one that is too long."""
LEAF = 8000
"""Bytes of a leaf of the index: one fills a page of the database."""
DDL = (
    f"""CREATE VIRTUAL TABLE body USING fts5(
  words, tokenize = "ascii tokenchars '{UNFINDABLE}'", content = '', contentless_delete = 1)""",
    """CREATE VIRTUAL TABLE files USING fts5(
  words, tokenize = 'ascii', content = '', contentless_delete = 1, detail = none)""",
    """CREATE TABLE documents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  source INTEGER NOT NULL,
  at INTEGER NOT NULL,
  part INTEGER NOT NULL,
  time INTEGER,
  tags INTEGER NOT NULL
)""",
    "CREATE INDEX documents_place ON documents (source, at)",
    "CREATE INDEX documents_time ON documents (time)",
    "CREATE TABLE tags (id INTEGER PRIMARY KEY, words TEXT NOT NULL UNIQUE)",
    CREATE,
    "CREATE TABLE vocabulary (id INTEGER PRIMARY KEY, words BLOB NOT NULL)",
)
"""`tags` stores each set of tags once. `vocabulary` has the words of `body`, some of them twice."""
ALL_WORDS = "SELECT term FROM body_words"
_LAST = "SELECT coalesce(max(id), 0) FROM documents"
ADD_WORDS = "INSERT INTO vocabulary (words) VALUES (?)"
_DROP_TAGS = "DELETE FROM tags WHERE id NOT IN (SELECT tags FROM documents)"
_IS_MADE = "SELECT count(*) FROM sqlite_master WHERE name = 'vocabulary'"
_COUNT = "SELECT count(*) FROM documents"
_BY_TAG = """
SELECT source, at, part FROM documents WHERE tags IN
  (SELECT id FROM tags WHERE instr(' ' || words || ' ', ?) > 0)
"""
_PLACE = "SELECT source, at, part FROM documents WHERE id = ?"
_WORDS = "SELECT words FROM vocabulary"


class IndexCommit:
    """The state of the index after a commit; equal only if nothing was committed between."""


class EncryptedFullText:
    """An open index; each query sees what is committed at that time."""

    def __init__(self, folder: Path, key: bytes, db: Database) -> None:
        self.folder = folder
        self.db = db
        self._key = key
        self._inode = os.stat(db.path).st_ino
        self._version: object = None
        self._commit = IndexCommit()
        self._vocabulary: str | None = None

    @classmethod
    def open(cls, root: Path, key: bytes, *, write: bool = False) -> EncryptedFullText:
        """Open the index of the library in that folder."""
        folder = fulltext_folder(root)
        path = folder / ENCRYPTED
        if not path.exists():
            if write:
                return cls.recreate(root, key)
            raise CorruptIndex("it is not there")
        try:
            db = Database(path, write=False, key=derive_database_key(key, "fulltext"))
            if db.read(_IS_MADE) != [(1,)]:
                db.close()
                raise CorruptIndex("it was not made completely")
        except TalktreeError as error:
            raise (
                error if isinstance(error, CorruptIndex) else CorruptIndex(error.message)
            ) from error
        return cls(folder, key, db)

    @classmethod
    def recreate(cls, root: Path, key: bytes) -> EncryptedFullText:
        """Create an empty index in place of the old one."""
        folder = fulltext_folder(root)
        shutil.rmtree(folder.parent, ignore_errors=True)
        folder.mkdir(parents=True, mode=0o700, exist_ok=True)
        os.chmod(folder.parent, 0o700)
        own = derive_database_key(key, "fulltext")
        with Database(folder / ENCRYPTED, write=True, key=own) as db, db.transaction(durable=True):
            for statement in DDL:
                db.run(statement)
            for table in ("body", "files"):
                db.run(f"INSERT INTO {table} ({table}, rank) VALUES ('pgsz', ?)", (LEAF,))
        return cls.open(root, key)

    def searcher(self) -> IndexCommit:
        """Return the present state of the index."""
        try:
            inode = os.stat(self.db.path).st_ino
            if inode != self._inode:
                self._reopen(inode)
            version = (inode, self.db.read("PRAGMA data_version"))
        except OSError as error:
            raise CorruptIndex(f"{error.strerror}") from error
        except TalktreeError as error:
            raise CorruptIndex(error.message) from error
        if version != self._version:
            self._version = version
            self._commit = IndexCommit()
            self._vocabulary = None
        return self._commit

    def _reopen(self, inode: int) -> None:
        """Open the file that replaced the one that was open."""
        self.db.close()
        self.db = Database(self.db.path, write=False, key=self.db.key)
        self._inode = inode

    def writer(self, threads: int = 1, heap: int = 0) -> EncryptedFullTextWriter:
        """Return the only writer; more than one thread means that much will be written."""
        from talktree.library.fulltext.encrypted_writer import EncryptedFullTextWriter

        return EncryptedFullTextWriter(self, self._key, bulk=threads > 1)

    def place(self, id: int) -> PieceAddress | None:
        """Return the place of a document's piece; None if it was deleted meanwhile."""
        row = self.db.read_one(_PLACE, (id,))
        return None if row is None else PieceAddress(*row)

    def documents(self) -> Iterator[tuple[PieceAddress, str]]:
        """Yield all documents with their kinds, by place."""
        found = [
            (PieceAddress(*row), kind)
            for kind in KINDS
            for row in self.db.read(_BY_TAG, (f" kind={kind} ",))
        ]
        return iter(sorted(found))

    def count(self) -> int:
        """Return how many documents there are."""
        return int(self.db.read(_COUNT)[0][0])

    def find_words_like(self, before: str, word: str, behind: str) -> list[str]:
        """Return the words of all texts that contain this one; an open end is `.*`."""
        if self._vocabulary is None:
            parts = [unpack_words(row[0]) for row in self.db.read(_WORDS)]
            self._vocabulary = "\n".join(["", *parts, ""])
        start = "[^\n]*" if before else ""
        end = "[^\n]*" if behind else ""
        found = re.findall(f"(?<=\n){start}{re.escape(word)}{end}(?=\n)", self._vocabulary)
        return [*dict.fromkeys(found)]

    def erase_deleted(self) -> None:
        """Rewrite the index without the words of deleted documents; no writer may be open."""
        with Database(self.db.path, write=True, key=self.db.key) as db:
            with db.transaction(durable=True):
                for table in ("body", "files"):
                    db.run(f"INSERT INTO {table} ({table}) VALUES ('optimize')")
                db.run(_DROP_TAGS)
                drop_lists(db)
                words = read_vocabulary(db)
                ChampionWriter(db).finish(int(db.read(_LAST)[0][0]))
                db.run("DELETE FROM vocabulary")
                db.run(ADD_WORDS, (pack_words(sorted(words - {UNFINDABLE})),))
            db.shrink()

    def find_damage(self) -> list[str]:
        """Return the damage of the file, as the database describes it.

        FTS5 caches what a connection has read of the index, and reports it as damage if another
        connection rewrote the index meanwhile.
        """
        try:
            with Database(self.db.path, write=False, key=self.db.key) as db:
                return db.check_structure(thorough=True)
        except TalktreeError as error:
            return [error.message]

    def close(self) -> None:
        """Close the file."""
        self.db.close()


def read_vocabulary(db: Database) -> set[str]:
    """Read all words of the index."""
    db.run(VOCABULARY)
    return {str(row[0]) for row in db.iter_rows(ALL_WORDS)}


def pack_words(words: Sequence[str]) -> bytes:
    """Return words as the vocabulary stores them."""
    return zstandard.compress("\n".join(words).encode("utf-8", "surrogatepass"), 1)


def unpack_words(data: bytes) -> str:
    """Return words of the vocabulary, one per line."""
    return zstandard.decompress(data).decode("utf-8", "surrogatepass")
