"""What `talktree edit` was asked for, as an operation."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from talktree.cli.errors import tell
from talktree.errors import SuspiciousAttachment, Unreadable, UsageError
from talktree.formats import by_slug
from talktree.formats.attaching import attach_file
from talktree.formats.attachment_review import refuse_size, review_attachment
from talktree.model import making
from talktree.model.conversation import Conversation
from talktree.model.operations import Operation

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
    "attach",
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
        new_id = by_slug(conversation.format).new_id
        if self.verb == "reply":
            parent = None if about == BEGINNING else about
            role = str(self._more.get("role") or "user")
            return making.reply(conversation, parent, self._text(), role, new_id=new_id)
        about = conversation[about].id
        match self.verb:
            case "replace" if self._more.get("here"):
                return making.replace(conversation, about, self._text())
            case "replace":
                return making.revise(conversation, about, self._text(), new_id=new_id)
            case "clone":
                below = bool(self._more.get("with_replies"))
                return making.clone(conversation, about, below=below, new_id=new_id)
            case "delete":
                return making.delete(conversation, about)
            case "undelete":
                return making.undelete(conversation, about)
            case "remove":
                return making.remove(conversation, about)
            case "move":
                to = self._needed("to", "--to ID, or --to root")
                return making.move(conversation, about, None if to == BEGINNING else to)
            case "swap":
                return making.swap(conversation, about, self._needed("other", "--with ID"))
            case "attach":
                return self._attach(conversation, about)
            case _:
                return making.retype(conversation, about, self._needed("role", "--role ROLE"))

    def _attach(self, conversation: Conversation, about: str) -> Operation:
        file = Path(self._needed("file", "--file FILE"))
        try:
            refuse_size(file.stat().st_size, file.name)
            data = file.read_bytes()
        except OSError as error:
            raise Unreadable(f"{file}: {error.strerror or error}") from None
        review = review_attachment(data, file.name)
        accept = bool(self._more.get("accept_suspicious"))
        for warning in review.warnings if accept else ():
            tell(f"talktree: {file}: {warning}")
        try:
            review.require(str(file), accept=accept)
        except SuspiciousAttachment as error:
            hint = "use --accept-suspicious if you know where it comes from"
            raise SuspiciousAttachment(error.message, hint=hint) from None
        return attach_file(by_slug(conversation.format), about, file.name, data)

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
