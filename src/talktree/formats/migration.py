"""How older files of a format are told from current ones, and what becomes of their records.

A format that has older forms describes them in a module `migrate` beside it. What stands in a
current record stays as it is; an older one is written anew. Where the old record goes, so that the
way back is open, is the same for all: into a member of the new one.
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
"""The formats that have older forms, and where these are described."""
WAS = "x-talktree-was"
"""The member of a record in which its older form travels."""
BESIDE_WAS = f"{WAS}.jsonl"
"""The file beside a conversation for what belongs to none of its current records."""


class Reason(Struct, frozen=True):
    """One thing that is not as the current version of a format has it."""

    what: str
    entry: str = ""
    """The id of the entry it concerns; empty if it is the whole file."""
    path: str = ""


class Renewal:
    """What is old about a format's files, and what becomes of it."""

    exists = True
    """Whether there is an older form at all."""
    all_named = True
    """Whether every message must have an id of its own."""
    headless = "nothing heads the messages"
    """What is old about a conversation that lacks what `opening` makes."""
    one_head = False
    """Whether a conversation is one record that stands first, with all others in it."""
    carrier_lines = False
    """Whether a file may have lines that only carry something."""

    def __init__(self, format: Format) -> None:
        self.format = format

    def make_reader(self, source: Source) -> Format:
        """What reads a source, be it old or not."""
        return self.format

    # what is old

    def describe_old_sheet(self, sheet: Sheet) -> Iterator[str]:
        """What is old about a file as a whole."""
        return iter(())

    def describe_old_record(
        self, record: Record, entry: Entry, about: ConversationInfo
    ) -> Iterator[str]:
        """What is old about one record."""
        return iter(())

    # what becomes of it

    def complete_about(self, about: ConversationInfo, heads: Sequence[Head]) -> ConversationInfo:
        """The facts of a conversation, with what its heads tell beyond its messages."""
        return about

    def migrate_message(self, message: Message, about: ConversationInfo, *, moment: int) -> Message:
        """A message of an old record with all that a current one has."""
        return self.format.adopt(message, about, moment=moment)

    def migrate_value(
        self, record: Record, message: Message, about: ConversationInfo, *, moment: int
    ) -> Json:
        """The value of an old record in the current form."""
        return self.format.put(self.migrate_message(message, about, moment=moment), None)

    def migrate_other(
        self, record: Record, entry: Entry, about: ConversationInfo, *, depth: int
    ) -> Json:
        """The value of a record that is no message; None if there is no place for it."""
        return None

    def make_opening_entries(
        self, about: ConversationInfo, *, headed: bool, folder: bool
    ) -> Sequence[Entry]:
        """Entries that a current conversation must have and this one has not."""
        return ()

    def make_id(self, alias: str, about: ConversationInfo, *, moment: int) -> str:
        """An id for a message that has none of its own; the alias is its name here."""
        return alias

    # where it goes

    def is_folder(self, source: Source, sheets: Sequence[Sheet]) -> bool:
        """Whether the current form is a folder."""
        return source.folder

    def choose_file(self, sheet: Sheet, entry: Entry, *, folder: bool) -> str:
        """The file an entry of a sheet belongs in; `folder` if the source is one."""
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
        """The bytes of a conversation's file; the sheet is the one it was read from."""
        return self.format.compose(path, about, items, first=first)

    def combine_conversations(self, conversations: Sequence[Iterable[bytes]]) -> Iterable[bytes]:
        """One file of several conversations."""
        return chain.from_iterable(conversations)

    # the way back

    def extract_source(self, value: Json) -> tuple[Json, Json]:
        """The older form that a record keeps, and its value without that."""
        if isinstance(value, dict) and WAS in value:
            left = dict(value)
            return left.pop(WAS), left
        return None, value

    def embed_source(self, value: Json, carry: Json) -> Json:
        """The value of a record that keeps its older form."""
        assert isinstance(value, dict)
        return {**value, WAS: carry}


class NoMigration(Renewal):
    """For formats that have no older form."""

    exists = False
    all_named = False


def get_renewal(format: Format) -> Renewal:
    """How older files of a format are told and made current."""
    module = OUTDATED.get(format.info.slug)
    if module is None:
        return NoMigration(format)
    found = import_module(module).RENEWAL(format)
    assert isinstance(found, Renewal)
    return found
