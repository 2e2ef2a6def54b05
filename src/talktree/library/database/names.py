"""Words that recur, each kept once: models, tools, projects, branches."""

from __future__ import annotations

from talktree.library.database.connection import Database

_FIND = "SELECT id FROM names WHERE text = ?"
_ADD = "INSERT INTO names (text) VALUES (?)"
_TEXT = "SELECT text FROM names WHERE id = ?"


class Names:
    """The numbers of words, remembered."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._numbers: dict[str, int] = {}
        self._texts: dict[int, str] = {}
        self._rollbacks = db.rollbacks

    def number(self, text: str) -> int:
        """The number of a word, which is added if it is new."""
        if self._rollbacks != self._db.rollbacks:
            self._forget()
        found = self._numbers.get(text)
        if found is None:
            written = storable(text)
            found = self.known(written) or self._db.run(_ADD, (written,))
            self._numbers[text] = found
        return found

    def known(self, text: str) -> int | None:
        """The number of a word if it has one."""
        row = self._db.one(_FIND, (storable(text),))
        return None if row is None else int(row[0])

    def text(self, number: int) -> str:
        """The word of a number."""
        if self._rollbacks != self._db.rollbacks:
            self._forget()
        found = self._texts.get(number)
        if found is None:
            row = self._db.one(_TEXT, (number,))
            found = self._texts[number] = "" if row is None else str(row[0])
        return found

    def _forget(self) -> None:
        """What was added in a transaction that was taken back is not there."""
        self._numbers.clear()
        self._texts.clear()
        self._rollbacks = self._db.rollbacks


def storable(text: str) -> str:
    """A text that any database takes: halves of characters become the sign for that."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
