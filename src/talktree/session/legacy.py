"""A session in the older form, `sessions/<id>.json`, which is read and never written.

The first message that is appended creates a folder beside the file, with a copy of the file in it.
It follows the file's last message and names it in `continues`, since messages of that form have no
ids; the names used are those every view of the file shows (`@2` is the first message).
"""

from __future__ import annotations

import os
from collections.abc import Callable

from talktree.errors import Unreadable
from talktree.files import Source
from talktree.files.durable import replace
from talktree.files.sandbox import Anchor
from talktree.formats.engine import read_document
from talktree.formats.sage import FORMAT
from talktree.model.entries import Head
from talktree.model.message import Message

SUFFIX = ".json"


class LegacyFile:
    """An older session file."""

    def __init__(self, sessions: Callable[[], Anchor], id: str) -> None:
        self.name = f"{id}{SUFFIX}"
        self._messages: tuple[Message, ...] | None = None
        self._title: str | None = None
        self._created: int | None = None
        self._sessions = sessions

    def messages(self) -> tuple[Message, ...]:
        """The messages, in order."""
        if self._messages is None:
            with self._sessions() as sessions:
                source = Source.of_bytes(_read_content(sessions, self.name), name=self.name)
            conversation = read_document(source, FORMAT).conversation
            self._messages = tuple(conversation.path())
            self._title = conversation.title
            heads = (each for each in conversation.entries if isinstance(each, Head))
            self._created = next((each.time_ns for each in heads), None)
        return self._messages

    @property
    def title(self) -> str | None:
        """The title that the file gives the session."""
        self.messages()
        return self._title

    @property
    def created(self) -> int | None:
        """When the session was begun, according to the file."""
        self.messages()
        return self._created

    def copy_into(self, folder: Anchor) -> None:
        """Put a copy into the folder of the session, so that the folder is complete."""
        name = os.fsencode(self.name)
        if folder.lstat(name) is None:
            with self._sessions() as sessions:
                content = _read_content(sessions, self.name)
            replace(folder, name, content)

    def list_messages_until(self, id: str) -> tuple[Message, ...]:
        """Return the messages up to one of them, or all if it does not exist."""
        found = self.messages()
        place = next((at for at, message in enumerate(found) if message.id == id), len(found))
        return found[: place + 1]

    @property
    def leaf(self) -> str | None:
        """The last message."""
        found = self.messages()
        return found[-1].id if found else None


def open_legacy_file(sessions: Callable[[], Anchor], id: str) -> LegacyFile | None:
    """Return the older file of a session, if there is one."""
    with sessions() as folder:
        there = folder.lstat(os.fsencode(f"{id}{SUFFIX}")) is not None
    return LegacyFile(sessions, id) if there else None


def _read_content(sessions: Anchor, name: str) -> bytes:
    try:
        with os.fdopen(sessions.open(os.fsencode(name), os.O_RDONLY), "rb") as file:
            return file.read()
    except OSError as error:
        raise Unreadable(f"{name}: {error.strerror}", hint="make the file readable") from None
