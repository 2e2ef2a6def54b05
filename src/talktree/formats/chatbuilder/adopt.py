"""Messages from elsewhere as files with every field the document requires.

Nothing is taken from the clock or made up at random. Names that a header line cannot hold as they
are get other characters; reading the file again shows the difference.

The fields the document requires of every message, filled in where a new message lacks them.

Nothing is made up that is not known: no id and no time is invented here.
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
"""How many characters of the first line make a description."""
LOOKED_AT = 1000
"""How much of a line is looked at for that."""
UNKNOWN_AUTHOR = Author("Unknown")


def complete(entry: Entry) -> Entry:
    """A message with Component, Version, Description, Language and Authors."""
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
    """`UserMessage` for user, `ToolResultMessage` for tool_result."""
    words = "".join(char if char.isalnum() else " " for char in role).split()
    return "".join(word[:1].upper() + word[1:] for word in words) + "Message"


def describe_text(text: str) -> str:
    """The first line that says something, as one short line."""
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
    """A message with a time, authors a header line can name, and one text UTF-8 can hold."""
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
    """The author as a line can name them; None if nothing can be written."""
    name = _to_one_line(author.name)
    version = None if author.version is None else _to_one_line(author.version)
    for author in (Author(name, version), Author(name.translate(_TAMED), version)):
        if _can_read_back(author):
            return author
    bare = Author(name.translate(_TAMED))
    return bare if _can_read_back(bare) else None


def _can_read_back(author: Author) -> bool:
    # A bracket left open would swallow the next name.
    return parse_authors(format_authors((author, UNKNOWN_AUTHOR))) == (author, UNKNOWN_AUTHOR)


def _to_one_line(text: str) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def make_folder_head(about: ConversationInfo) -> Head | None:
    """The settings of a folder: the title as its label, if there is one and something is said."""
    if not about.title or not about.count:
        return None
    return Head(kind=KIND, title=replace_surrogates(about.title))


def replace_surrogates(text: str) -> str:
    """A text with halves of characters replaced, two of them side by side made one."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
