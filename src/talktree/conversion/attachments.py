"""Attachments with their content: kept in the record, written beside the file, or left out.

A content beside the file is named by its checksum, so equal contents are one file, and nothing in a
conversation can choose where it is written.
"""

from __future__ import annotations

import base64
import binascii
import mimetypes
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256

from msgspec.structs import replace

from talktree.conversion.options import Attachments
from talktree.files import Content, MemoryContent
from talktree.model.conversation import Conversation
from talktree.model.message import Message
from talktree.model.parts import Attachment, Part, ToolResult

FOLDER = "attachments/"
"""The folder beside the conversation for the contents."""
MARK = ";base64,"


def split_url(url: str) -> tuple[str, str] | None:
    """Return the media type and the content of a data URL, in base64."""
    if not url.startswith("data:"):
        return None
    head, mark, content = url[5:].partition(MARK)
    return (head, content) if mark else None


def decode_data_url(url: str) -> bytes | None:
    """Return the bytes of a data URL, or None if it is not one in the usual form."""
    found = split_url(url)
    if found is None:
        return None
    try:
        data = base64.b64decode(found[1], validate=True)
    except (binascii.Error, ValueError):
        return None
    return data if base64.b64encode(data).decode() == found[1] else None


def content_path(media_type: str, data: bytes) -> str:
    """Return the path of a content."""
    ending = mimetypes.guess_extension(media_type, strict=True) or ".bin"
    return f"{FOLDER}{sha256(data).hexdigest()[:16]}{ending}"


def iter_attachments(message: Message) -> Iterator[Attachment]:
    """Yield all attachments of a message, including those in tool results."""
    for part in message.parts:
        if isinstance(part, Attachment):
            yield part
        elif isinstance(part, ToolResult):
            yield from (each for each in part.output if isinstance(each, Attachment))


def map_attachments(message: Message, change: Callable[[Attachment], Attachment]) -> Message:
    """Return a message with each attachment changed."""
    if not any(True for _ in iter_attachments(message)):
        return message
    return replace(message, parts=tuple(_map_part(part, change) for part in message.parts))


def _map_part(part: Part, change: Callable[[Attachment], Attachment]) -> Part:
    match part:
        case Attachment():
            return change(part)
        case ToolResult():
            output = tuple(
                change(each) if isinstance(each, Attachment) else each for each in part.output
            )
            return replace(part, output=output)
        case _:
            return part


class AttachmentContents:
    """Contents written beside a conversation, collected while it is written."""

    def __init__(self, policy: Attachments) -> None:
        self.policy = policy
        self._places: dict[str, tuple[Conversation, int]] = {}

    def extract_attachments(
        self, message: Message, conversation: Conversation, position: int
    ) -> Message:
        """Return a message with its attachments as the policy requires."""
        if self.policy == "inline":
            return message

        def _out(part: Attachment) -> Attachment:
            data = decode_data_url(part.url or "")
            if data is None:
                return part
            if self.policy == "link":
                return replace(part, url=None)
            path = content_path((split_url(part.url or "") or ("", ""))[0], data)
            self._places.setdefault(path, (conversation, position))
            return replace(part, url=path)

        return map_attachments(message, _out)

    def contents(self, message: Message) -> dict[str, Content]:
        """Return the contents beside the file that belong to one message."""
        return {
            path: MemoryContent(b"".join(self._read_content(path, *self._places[path])))
            for part in iter_attachments(message)
            if (path := part.url or "") in self._places
        }

    def files(self) -> Iterator[tuple[str, Iterable[bytes]]]:
        """Yield the files beside the conversation; each is read again when it is written."""
        for path, place in self._places.items():
            yield path, self._read_content(path, *place)

    def _read_content(
        self, path: str, conversation: Conversation, position: int
    ) -> Iterator[bytes]:
        message = conversation.entry(position)
        assert isinstance(message, Message)
        for part in iter_attachments(message):
            data = decode_data_url(part.url or "")
            if data is not None:
                head = (split_url(part.url or "") or ("", ""))[0]
                if content_path(head, data) == path:
                    yield data
                    return


class FilesWithContents(Mapping[str, Iterable[bytes]]):
    """The files of a conversion, followed by the contents collected while writing them."""

    def __init__(self, files: Mapping[str, Iterable[bytes]], outside: AttachmentContents) -> None:
        self._files = files
        self._outside = outside

    def __getitem__(self, path: str) -> Iterable[bytes]:
        if path in self._files:
            return self._files[path]
        return dict(self._outside.files())[path]

    def __iter__(self) -> Iterator[str]:
        yield from self._files
        yield from (path for path, _ in self._outside.files())

    def __len__(self) -> int:
        return len(self._files) + sum(1 for _ in self._outside.files())


def restore_attachments(message: Message, files: Mapping[str, Content]) -> Message:
    """Return a message with the contents beside it put back into its attachments."""

    def _in(part: Attachment) -> Attachment:
        url = part.url or ""
        if not url.startswith(FOLDER) or url not in files:
            return part
        data = files[url].read()
        media = part.media_type or mimetypes.guess_type(url)[0] or ""
        return replace(part, url=f"data:{media}{MARK}{base64.b64encode(data).decode()}")

    return map_attachments(message, _in)
