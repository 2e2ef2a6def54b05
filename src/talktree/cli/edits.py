"""What `talktree edit` was asked for, as an operation."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from pathlib import Path
from uuid import uuid4

from talktree.errors import Unreadable, UsageError
from talktree.model.conversation import Conversation
from talktree.model.operations import (
    Clone,
    Delete,
    Move,
    Operation,
    Remove,
    Replace,
    Reply,
    Retype,
    Revise,
    Swap,
    Undelete,
)

MILLISECOND = 1_000_000
BEGINNING = "root"
"""How to say that a message shall follow nobody."""
VERBS = (
    "reply",
    "replace",
    "clone",
    "delete",
    "undelete",
    "remove",
    "move",
    "swap",
    "retype",
)


class Asked:
    """The options of one call."""

    def __init__(self, verb: str, about: str, more: Mapping[str, object]) -> None:
        self.verb = verb
        self.about = about
        self._more = more

    def operation(self, conversation: Conversation) -> Operation:
        """The operation it means in a conversation; everything new gets its id and time here."""
        about = self.about
        if self.verb == "reply" and about == BEGINNING:
            return self._reply(None)
        about = conversation[about].id
        match self.verb:
            case "reply":
                return self._reply(about)
            case "replace" if self._more.get("here"):
                return Replace(about=about, text=self._text())
            case "replace":
                return Revise(id=_new_id(), about=about, text=self._text(), time=_now())
            case "clone":
                return Clone(about=about, ids=_copied(conversation, about, bool(self._below())))
            case "delete":
                return Delete(about=about)
            case "undelete":
                return Undelete(about=about)
            case "remove":
                return Remove(about=about)
            case "move":
                to = self._needed("to", "--to ID, or --to root")
                return Move(about=about, to=None if to == BEGINNING else conversation[to].id)
            case "swap":
                other = self._needed("other", "--with ID")
                return Swap(about=about, other=conversation[other].id)
            case _:
                return Retype(about=about, role=self._needed("role", "--role ROLE"))

    def _reply(self, parent: str | None) -> Reply:
        role = self._more.get("role")
        return Reply(
            id=_new_id(),
            parent=parent,
            text=self._text(),
            role=str(role) if role else "user",
            time=_now(),
        )

    def _below(self) -> object:
        return self._more.get("with_replies")

    def _text(self) -> str:
        given, file = self._more.get("text"), self._more.get("text_file")
        if (given is None) == (file is None):
            raise UsageError("say what the message says", hint="--text TEXT or --text-file FILE")
        return str(given) if file is None else _read(str(file))

    def _needed(self, name: str, hint: str) -> str:
        value = self._more.get(name)
        if value is None:
            raise UsageError(f"--{self.verb} needs one thing more", hint=hint)
        return str(value)


def _read(file: str) -> str:
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return data.decode().removesuffix("\n")
    except OSError as error:
        raise Unreadable(f"{file}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise Unreadable(f"{file}: is not UTF-8", hint="a message is a text") from None


def _new_id() -> str:
    return str(uuid4())


def _now() -> int:
    # What every format that has times can hold.
    return time.time_ns() // MILLISECOND * MILLISECOND


def _copied(conversation: Conversation, about: str, below: bool) -> dict[str, str]:  # noqa: FBT001
    """New ids for a message, and for all below it, parents first."""
    ids = {about: _new_id()}
    if not below:
        return ids
    children: dict[str, list[str]] = {}
    for message in conversation.messages():
        if message.parent is not None:
            children.setdefault(message.parent, []).append(message.id)
    waiting = list(reversed(children.get(about, [])))
    while waiting:
        id = waiting.pop()
        if id not in ids:
            ids[id] = _new_id()
            waiting += reversed(children.get(id, []))
    return ids
