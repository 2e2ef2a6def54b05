"""The laws of conversion between a format and any other. Each function raises AssertionError.

Like `contract`, it knows no particular format. Files are detected again under a neutral name, as
files from another user would be.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from talktree.conversion.convert import convert_conversations
from talktree.conversion.verify import verify_made
from talktree.files import Source
from talktree.formats.detect import detect
from talktree.formats.engine import read_document
from talktree.formats.format import Format
from talktree.model import edit
from talktree.model.document import Document
from talktree.model.message import Message
from talktree.model.parts import Text
from talktree.testing.contract import make_source, write_files


class ConvertedFiles(NamedTuple):
    """The files of a conversion."""

    files: Mapping[str, bytes]
    folder: bool

    def reread_document(self, format: Format) -> Document:
        """Return the document they hold; they must be detected as files of this format."""
        if self.folder:
            source = make_source(self.files, folder=True, name="unnamed")
        else:
            ((_, data),) = self.files.items()
            source = Source.of_bytes(data, name="unnamed")
        found = detect(source).format.info.slug
        assert found == format.info.slug, f"recognized as {found} instead of {format.info.slug}"
        return read_document(source, format)


def convert_checked(document: Document, target: Format) -> ConvertedFiles:
    """Return a conversion, which must show what was converted when it is read again."""
    made = convert_conversations(document, target.info.slug)
    contents = verify_made(made)
    differing = [loss.what for loss in made.losses if loss.kind == "mismatch"]
    assert not differing, f"the result does not show what was converted: {differing[:3]}"
    return ConvertedFiles({path: each.read() for path, each in contents.items()}, made.folder)


def check_round_trip(format: Format, source: Source, other: Format) -> None:
    """Check that a conversion to another format and back restores every byte."""
    there = convert_checked(read_document(source, format), other)
    back = convert_checked(there.reread_document(other), format)
    was = source.without(format.find_withheld_files(source)).as_bytes()
    assert sorted(back.files.values()) == sorted(was.values()), f"over {other.info.slug}"


def check_edit_round_trip(format: Format, source: Source, other: Format, *, text: str) -> None:
    """Check that a message edited in another format comes back edited, and all others unchanged."""
    before = read_document(source, format)
    there = convert_checked(before, other).reread_document(other)
    for conversation in there.conversations:
        message = next(filter(_has_words, conversation.messages()), None)
        if message is None:
            continue
        edited = there.with_conversation(edit.set_text(conversation, message.id, text))
        files = ConvertedFiles(write_files(edited), folder=bool(there.origin) and _is_folder(there))
        back = convert_checked(files.reread_document(other), format).reread_document(format)
        was, now = _list_texts(before), _list_texts(back)
        assert len(was) == len(now), "an edit changed the number of messages"
        pairs = zip(was, now, strict=True)
        changed = [number for number, (one, two) in enumerate(pairs) if one != two]
        assert len(changed) <= 1, f"an edit of one message changed {len(changed)}"
        assert any(text in words for words in now), "the edit did not come back"
        return


def _has_words(message: Message) -> bool:
    return any(isinstance(part, Text) and part.text for part in message.parts)


def _is_folder(document: Document) -> bool:
    return len(write_files(document)) != 1


def _list_texts(document: Document) -> list[str]:
    return [
        each.text for conversation in document.conversations for each in conversation.messages()
    ]
