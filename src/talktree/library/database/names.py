"""Recurring words, each stored once: models, tools, projects, branches."""

from __future__ import annotations

from talktree.library.database.connection import Database

_FIND = "SELECT id FROM names WHERE text = ?"
_ADD = "INSERT INTO names (text) VALUES (?)"
_TEXT = "SELECT text FROM names WHERE id = ?"
_ERASE = "UPDATE names SET text = char(0) || id WHERE id = ?"
_CANDIDATES = """
SELECT id FROM names WHERE text NOT GLOB char(0) || '*' AND id NOT IN (
  SELECT project FROM sources WHERE project IS NOT NULL
  UNION SELECT branch FROM sources WHERE branch IS NOT NULL
  UNION SELECT model FROM spent WHERE model IS NOT NULL
  UNION SELECT project FROM spent WHERE project IS NOT NULL
  UNION SELECT tool FROM used
  UNION SELECT role FROM roles
)
"""
"""Words that no table refers to."""
_USES = tuple(
    f"SELECT 1 FROM {table} WHERE {column} = ? LIMIT 1"
    for table, column in (
        *(("replies", "model"), ("replies", "project"), ("calls", "tool"), ("measures", "name")),
    )
)


class Names:
    """A cache of the numbers of words."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._numbers: dict[str, int] = {}
        self._texts: dict[int, str] = {}
        self._rollbacks = db.rollbacks

    def get_or_add(self, text: str) -> int:
        """Return the number of a word, which is added if it is new."""
        if self._rollbacks != self._db.rollbacks:
            self._forget_rolled_back()
        found = self._numbers.get(text)
        if found is None:
            written = replace_surrogates(text)
            found = self.find_number(written) or self._db.run(_ADD, (written,))
            self._numbers[text] = found
        return found

    def find_number(self, text: str) -> int | None:
        """Return the number of a word, if it has one."""
        row = self._db.read_one(_FIND, (replace_surrogates(text),))
        return None if row is None else int(row[0])

    def text(self, number: int) -> str:
        """Return the word with a number."""
        if self._rollbacks != self._db.rollbacks:
            self._forget_rolled_back()
        found = self._texts.get(number)
        if found is None:
            row = self._db.read_one(_TEXT, (number,))
            found = self._texts[number] = "" if row is None else str(row[0])
        return found

    def clear_cache(self) -> None:
        """Clear the cache: another process may have erased words."""
        self._forget_rolled_back()

    def erase_unused(self) -> None:
        """Erase the words that nothing refers to; their numbers are not used again."""
        for (number,) in self._db.read(_CANDIDATES):
            if all(self._db.read_one(sql, (number,)) is None for sql in _USES):
                self._db.run(_ERASE, (number,))
        self._forget_rolled_back()

    def _forget_rolled_back(self) -> None:
        """Drop words that were added in a transaction that was rolled back."""
        self._numbers.clear()
        self._texts.clear()
        self._rollbacks = self._db.rollbacks


def replace_surrogates(text: str) -> str:
    """Return a text that any database accepts: surrogates become the replacement character."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
