"""Messages from elsewhere as files with every field the document requires.

Nothing is taken from the clock or made up at random. Names that a header line cannot hold as they
are get other characters; reading the file again shows the difference.
"""

from __future__ import annotations

from msgspec.structs import replace

from talktree.formats.chatbuilder.complete import NOBODY, complete
from talktree.formats.chatbuilder.config import KIND
from talktree.formats.chatbuilder.lens_authors import parse, write
from talktree.formats.format import About
from talktree.model.entries import Head
from talktree.model.message import Author, Message
from talktree.model.parts import Text

_TAMED = str.maketrans({",": ";", "(": "[", ")": "]"})


def adopted_message(message: Message, about: About, *, moment: int) -> Message:
    """A message with a time, authors a header line can name, and one text UTF-8 can hold."""
    said = [part.text for part in message.parts if isinstance(part, Text)]
    found = complete(
        replace(
            message,
            parts=(Text(whole("\n\n".join(said))),),
            time_ns=moment if message.time_ns is None else message.time_ns,
            authors=tuple(filter(None, map(_author, message.authors))),
        )
    )
    assert isinstance(found, Message)
    return found


def _author(author: Author) -> Author | None:
    """The author as a line can name them; None if nothing can be written."""
    name = _one_line(author.name)
    version = None if author.version is None else _one_line(author.version)
    for known in (Author(name, version), Author(name.translate(_TAMED), version)):
        if _reads_back(known):
            return known
    bare = Author(name.translate(_TAMED))
    return bare if _reads_back(bare) else None


def _reads_back(author: Author) -> bool:
    # A bracket left open would swallow the next name.
    return parse(write((author, NOBODY))) == (author, NOBODY)


def _one_line(text: str) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def folder_head(about: About) -> Head | None:
    """The settings of a folder: the title as its label, if there is one and something is said."""
    if not about.title or not about.count:
        return None
    return Head(kind=KIND, title=whole(about.title))


def whole(text: str) -> str:
    """A text with halves of characters replaced, two of them side by side made one."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
