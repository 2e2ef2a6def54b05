"""Helpers that open and change message files and folders in one line."""

from __future__ import annotations

from msgspec.structs import replace

from talktree.api import read, to_bytes
from talktree.files import Source
from talktree.model import edit
from talktree.model.document import Document
from talktree.model.message import Message
from talktree.model.parts import Text

UUID = "32d9afc7-aeac-4a67-ba94-0c92678604a1"


def of_file(raw: bytes | str) -> Message:
    """Return the message in one file."""
    return next(iter(document(raw).conversation.messages()))


def document(raw: bytes | str) -> Document:
    data = raw.encode() if isinstance(raw, str) else raw
    return read(Source.of_bytes(data, name="1.md"), format="chatbuilder")


def folder(**files: str) -> Document:
    """Return a folder of files; `_2` means `2.md`."""
    return tree({f"{name[1:]}.md": text for name, text in files.items()})


def tree(files: dict[str, str]) -> Document:
    source = Source.of_files({path: text.encode() for path, text in files.items()}, name="chat")
    return read(source, format="chatbuilder")


def edited(raw: str, message: Message) -> str:
    """Return the file with its message replaced."""
    before = document(raw)
    changed = edit.replace(before.conversation, message.id, message)
    return to_bytes(before.with_conversation(changed))["1.md"].decode()


def with_text(raw: str, text: str) -> str:
    return edited(raw, replace(of_file(raw), parts=(Text(text),)))


def messages_of(found: Document) -> list[str]:
    return [message.text for message in found.conversation.messages()]


def kinds(found: Document) -> set[str]:
    return {each.name for each in found.findings}
