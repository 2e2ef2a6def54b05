"""Messages from other formats as files with every field that the specification requires.

Fields that a new message lacks are filled in without a clock, random numbers or invented ids and
times. Names that a header line cannot hold get other characters; reading the file again shows the
difference.
"""

from __future__ import annotations

from msgspec.structs import replace

from talktree.formats.chatbuilder.config import KIND
from talktree.formats.chatbuilder.lens_authors import format_authors, parse_authors
from talktree.formats.chatbuilder.parse_header import normalize_key
from talktree.formats.format import ConversationInfo
from talktree.model.entries import Entry, Head
from talktree.model.message import Author, Message
from talktree.model.parts import Text

LONGEST = 60
"""Maximum length of a description, which is made from the first line."""
LOOKED_AT = 1000
"""Maximum number of characters of a line that are read for it."""
UNKNOWN_AUTHOR = Author("Unknown")


def complete(entry: Entry) -> Entry:
    """Return a message with Component, Version, Description, Language and Authors."""
    if not isinstance(entry, Message):
        return entry
    required = {
        "Component": component_for_role(entry.role),
        "Version": "1.0.0",
        "Description": describe_text(entry.text),
        "Language": "markdown",
    }
    there = {normalize_key(key) for key in entry.extra}
    missing = {key: value for key, value in required.items() if key.lower() not in there}
    no_one = not entry.authors and "authors" not in there
    return replace(
        entry,
        extra={**entry.extra, **missing},
        authors=(UNKNOWN_AUTHOR,) if no_one else entry.authors,
    )


def component_for_role(role: str) -> str:
    """Return the component for a role: `UserMessage`, `ToolResultMessage` and so on."""
    words = "".join(char if char.isalnum() else " " for char in role).split()
    return "".join(word[:1].upper() + word[1:] for word in words) + "Message"


def describe_text(text: str) -> str:
    """Return the first line with any words, as one short line."""
    for line in text.split("\n"):
        start = line.strip()[:LOOKED_AT]
        shown = "".join(char if char.isprintable() else " " for char in start)
        words = " ".join(shown.split()).lstrip("#").strip()
        if words:
            return words if len(words) <= LONGEST else _shorten(words)
    return "(no text)"


def _shorten(words: str) -> str:
    head = words[: LONGEST - 1]
    at_word = head.rpartition(" ")[0] if words[LONGEST - 1] != " " else head
    return f"{(at_word or head).rstrip()}…"


_TAMED = str.maketrans({",": ";", "(": "[", ")": "]"})


def adopt_message(message: Message, about: ConversationInfo, *, moment: int) -> Message:
    """Return a message with a time, authors that a header line can hold, and one valid text."""
    said = [part.text for part in message.parts if isinstance(part, Text)]
    found = complete(
        replace(
            message,
            parts=(Text(replace_surrogates("\n\n".join(said))),),
            time_ns=moment if message.time_ns is None else message.time_ns,
            authors=tuple(filter(None, map(_writable_author, message.authors))),
        )
    )
    assert isinstance(found, Message)
    return found


def _writable_author(author: Author) -> Author | None:
    """Return the author as a line can hold it, or None if nothing can be written."""
    name = _to_one_line(author.name)
    version = None if author.version is None else _to_one_line(author.version)
    for author in (Author(name, version), Author(name.translate(_TAMED), version)):
        if _can_read_back(author):
            return author
    bare = Author(name.translate(_TAMED))
    return bare if _can_read_back(bare) else None


def _can_read_back(author: Author) -> bool:
    # An unclosed bracket would swallow the next name.
    return parse_authors(format_authors((author, UNKNOWN_AUTHOR))) == (author, UNKNOWN_AUTHOR)


def _to_one_line(text: str) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def make_folder_head(about: ConversationInfo) -> Head | None:
    """Return the settings of a folder: the title as its label, if it has a title and messages."""
    if not about.title or not about.count:
        return None
    return Head(kind=KIND, title=replace_surrogates(about.title))


def replace_surrogates(text: str) -> str:
    """Return a text with surrogates replaced; a surrogate pair becomes one character."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
