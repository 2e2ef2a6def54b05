"""How older files of a format are detected, and how their records are migrated.

A format with older forms describes them in its module `migrate`. Current records stay unchanged;
older ones are rewritten. The old record is kept in the same way for all formats, so that a
migration can be reverted: in a member of the new record.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from itertools import chain

from msgspec import Struct

from talktree.files import Source
from talktree.formats.format import ConversationInfo, Format, Record
from talktree.formats.record_file import Item, Sheet
from talktree.model.entries import Entry, Head
from talktree.model.message import Message
from talktree.text.json.value import Json

OUTDATED = {
    slug: f"talktree.formats.{slug.replace('-', '_')}.migrate"
    for slug in ("chatbuilder", "muse", "native", "sage", "studio", "studio-text", "studio-xml")
}
"""The formats that have older forms, and the modules that describe them."""
WAS = "x-talktree-was"
"""The member of a record that keeps its older form."""
BESIDE_WAS = f"{WAS}.jsonl"
"""The file beside a conversation for data that belongs to none of its current records."""


class Reason(Struct, frozen=True):
    """One difference from the current version of a format."""

    what: str
    entry: str = ""
    """The id of the entry it concerns; empty if it is the whole file."""
    path: str = ""


class Renewal:
    """What is old about a format's files, and how it is migrated."""

    exists = True
    """Whether there is an older form at all."""
    all_named = True
    """Whether every message must have an id of its own."""
    headless = "nothing heads the messages"
    """The reason for a conversation that lacks the entries of `make_opening_entries`."""
    one_head = False
    """Whether a conversation is one record that comes first and contains all others."""
    carrier_lines = False
    """Whether a file may have lines that only embed data."""

    def __init__(self, format: Format) -> None:
        self.format = format

    def make_reader(self, source: Source) -> Format:
        """Return a format that reads a source, old or current."""
        return self.format

    # what is old

    def describe_old_sheet(self, sheet: Sheet) -> Iterator[str]:
        """Yield what is old about a file as a whole."""
        return iter(())

    def describe_old_record(
        self, record: Record, entry: Entry, about: ConversationInfo
    ) -> Iterator[str]:
        """Yield what is old about one record."""
        return iter(())

    # migrating

    def complete_about(self, about: ConversationInfo, heads: Sequence[Head]) -> ConversationInfo:
        """Return the facts of a conversation, completed by its heads."""
        return about

    def migrate_message(self, message: Message, about: ConversationInfo, *, moment: int) -> Message:
        """Return the message of an old record with everything that a current one has."""
        return self.format.adopt(message, about, moment=moment)

    def migrate_value(
        self, record: Record, message: Message, about: ConversationInfo, *, moment: int
    ) -> Json:
        """Return the value of an old record in the current form."""
        return self.format.put(self.migrate_message(message, about, moment=moment), None)

    def migrate_other(
        self, record: Record, entry: Entry, about: ConversationInfo, *, depth: int
    ) -> Json:
        """Return the value of a record that is not a message; None if there is no place for it."""
        return None

    def make_opening_entries(
        self, about: ConversationInfo, *, headed: bool, folder: bool
    ) -> Sequence[Entry]:
        """Return entries that a current conversation must have and this one lacks."""
        return ()

    def make_id(self, alias: str, about: ConversationInfo, *, moment: int) -> str:
        """Return an id for a message without one; the alias is its name here."""
        return alias

    # output files

    def is_folder(self, source: Source, sheets: Sequence[Sheet]) -> bool:
        """Whether the current form is a folder."""
        return source.folder

    def choose_file(self, sheet: Sheet, entry: Entry, *, folder: bool) -> str:
        """Return the file for an entry of a record file; `folder` if the source is a folder."""
        return sheet.path

    def compose(
        self,
        path: str,
        about: ConversationInfo,
        items: Iterator[Item],
        *,
        first: bool,
        sheet: Sheet | None,
    ) -> Iterable[bytes]:
        """Return the bytes of a conversation's file; the sheet is the file it was read from."""
        return self.format.compose(path, about, items, first=first)

    def combine_conversations(self, conversations: Sequence[Iterable[bytes]]) -> Iterable[bytes]:
        """Return one file of several conversations."""
        return chain.from_iterable(conversations)

    # reverting

    def extract_source(self, value: Json) -> tuple[Json, Json]:
        """Return the older form that a record keeps, and its value without it."""
        if isinstance(value, dict) and WAS in value:
            left = dict(value)
            return left.pop(WAS), left
        return None, value

    def embed_source(self, value: Json, carry: Json) -> Json:
        """Return the value of a record that keeps its older form."""
        assert isinstance(value, dict)
        return {**value, WAS: carry}


class NoMigration(Renewal):
    """For formats that have no older form."""

    exists = False
    all_named = False


def get_renewal(format: Format) -> Renewal:
    """Return how older files of a format are detected and migrated."""
    module = OUTDATED.get(format.info.slug)
    if module is None:
        return NoMigration(format)
    found = import_module(module).RENEWAL(format)
    assert isinstance(found, Renewal)
    return found
