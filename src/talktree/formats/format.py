"""What a format is: the few things it must know, and nothing else.

A format knows bytes, records, the model and its own rules. It never knows another format, the
library, the terminal or the network. Reading and writing are shared by all formats, in `engine`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from msgspec import Struct
from msgspec.structs import replace

from talktree.files import Source
from talktree.formats.companion_rules import CompanionRules
from talktree.formats.probe import CARRY as CARRY
from talktree.formats.probe import Detection as Detection
from talktree.formats.probe import Probe as Probe
from talktree.model.conversation import Conversation, Reading
from talktree.model.entries import Entry, Head, Opaque, Snapshot
from talktree.model.findings import Severity
from talktree.model.habits import ANY, WriterHabits
from talktree.model.measures import MessageMeasures, get_common_measures
from talktree.model.message import Context, Message
from talktree.model.operations import make_random_id
from talktree.model.parts import Part
from talktree.model.replies import ReplyUsage, make_reply_usage
from talktree.model.skeleton import Skeleton
from talktree.text.json.scanner import Problem
from talktree.text.json.value import Json

if TYPE_CHECKING:
    from talktree.formats.migration import Renewal
    from talktree.formats.record_file import Item, Sheet
    from talktree.formats.rule import Rule
    from talktree.formats.rule_context import CheckedConversation


TAGS: dict[type[Struct], str] = {
    kind: str(kind.__struct_config__.tag) for kind in (*get_args(Part), *get_args(Entry))
}
"""The name of each kind of part and of entry."""
BESIDE = "x-talktree.jsonl"
"""The file beside a conversation for data that belongs to no message."""


class FormatInfo(Struct, frozen=True, kw_only=True):
    """The names and the origin of a format."""

    slug: str
    title: str
    layout: Literal["file", "folder", "either"]
    suffixes: tuple[str, ...]
    version: str = "1"
    aliases: tuple[str, ...] = ()
    """Other names that people use for it; each works wherever the slug does."""
    origin: str = ""
    """Where its files come from, in a few plain words."""
    docs: str = ""
    assistant: str = "Assistant"
    """The displayed name of its assistant."""


class FormatCapabilities(Struct, frozen=True, kw_only=True):
    """What a format can hold natively. Everything else, and only that, is a loss."""

    branches: bool = False
    roles: tuple[str, ...] | None = None
    """The only roles it supports, or None for any."""
    parts: frozenset[str] = frozenset({"text"})
    """Tags of the parts it has a place for."""
    fields: frozenset[str] = frozenset()
    """Fields of a message it has a place for, apart from id, role and parts."""
    flags: frozenset[str] = frozenset()
    time: Literal["none", "ms", "ns"] = "none"
    snapshots: bool = False
    heads: bool = False
    extra: Literal["none", "text", "json"] = "none"
    """Unknown keys: not at all, as one-line text, or any JSON."""
    any_text: bool = True
    """Whether text may hold characters that UTF-8 cannot encode."""
    texts: Literal["one", "many"] = "many"
    """Whether a message may hold several texts that stay separate."""
    ids: Literal["any", "uuid", "none"] = "any"
    """The form of ids that the format's own programs require."""
    calls: Literal["loose", "named"] = "loose"
    """Whether results may occur without a call, or must name a call before them."""
    everything: bool = False
    """Whether every kind of entry has a place of its own, with all its fields."""
    spelling: tuple[str, ...] = ("json", "ascii")
    """How strings are written in its bytes: as JSON, as JSON in ASCII, as plain text, as XML text.
    """


class ConversationInfo(Struct, frozen=True, kw_only=True):
    """What a format receives about a conversation of another format that it imports."""

    id: str
    """The conversation's name in its source."""
    format: str | None = None
    """The format it comes from."""
    session: str
    """A UUID for the conversation; always the same one."""
    own_id: str | None = None
    """The id that it has in its source, or that was requested; None if there is none."""
    renamed: bool = False
    """Whether the id was requested; if so, it takes precedence over ids in messages."""
    title: str | None = None
    started: int | None = None
    updated: int | None = None
    """The times of its earliest and its newest message."""
    leaf: str | None = None
    """The new id of the last message of its active branch."""
    count: int = 0
    """Number of imported messages."""
    context: Context | None = None
    """Where the first message with a context was written."""
    model: str | None = None
    habits: WriterHabits = ANY
    """How its tree is read."""


class Record(Struct, gc=False):
    """A record of a file: its decoded value and its own bytes."""

    value: Json
    raw: bytes = b""
    id: str = ""
    """The name that the skeleton gave it: its own id, or an alias."""
    parent: str | None = None
    """Its parent by nesting or order, or by a link that was resolved."""
    path: str = ""
    line: int = 0
    problems: Sequence[Problem] = ()
    usable: bool = True
    """False if its bytes could not be fully decoded."""


class SplitSource(Struct):
    """A split source: record files, and files that are not part of it."""

    sheets: list[Sheet]
    foreign_files: list[str] = []


Links = Literal["own", "nested", "chain"]
"""How records are linked: by ids they name, by nesting, or each to the one before."""


def _return_unchanged(entry: Entry) -> Entry:
    return entry


class Lens(NamedTuple):
    """Converts between records and entries in both directions; laws connect its three functions."""

    get: Callable[[Record], Entry]
    put: Callable[[Entry, Record | None], Json]
    complete: Callable[[Entry], Entry] = _return_unchanged


class Format(ABC):
    """A format: how to detect it, split it, and read and write a record."""

    info: FormatInfo
    can: FormatCapabilities
    lens: Lens
    companions = CompanionRules()

    def find_withheld_files(self, source: Source) -> Collection[str]:
        """Return files that hold secrets, by their names alone: never opened, shown or copied."""
        return ()

    def can_withhold(self, name: str) -> bool:
        """Whether a file of that name could hold secrets in some folder."""
        return False

    def find_transient_files(self, source: Source) -> Collection[str]:
        """Return locks and caches, by their names alone: never read, embedded or copied."""
        return ()

    def find_owner(self, path: str, conversations: Mapping[str, Sequence[str]]) -> str | None:
        """Return the conversation that a file without messages belongs to; None if there is none.

        Each conversation is given by its group, with the files that hold its messages.
        """
        return None

    @abstractmethod
    def detect(self, probe: Probe) -> Detection | None:
        """Return how sure it is that a source is its own, from names and first bytes only."""

    @abstractmethod
    def split(self, source: Source) -> SplitSource:
        """Split a source into record files that account for every byte."""

    def get(self, record: Record) -> Entry:
        """Return the entry of a record."""
        return self.lens.get(record)

    def put(self, entry: Entry, base: Record | None) -> Json:
        """Return the native value of an entry, made from the old record's value if there is one."""
        return self.lens.put(entry, base)

    def new_id(self, moment: int) -> str:
        """Return an id for a message that is written at a moment, in nanoseconds."""
        return make_random_id(moment)

    def id_for(self, name: str, conversation: str) -> str:
        """Return the id of a message that has this name in a conversation of another format.

        Names that begin with `@` represent messages without an id. The answer is always the same.
        Formats that require UUIDs (`FormatCapabilities.ids`) are not asked.
        """
        return name

    def complete(self, entry: Entry) -> Entry:
        """Return an entry with the fields that this format requires of new records."""
        return self.lens.complete(entry)

    def fill(self, message: Message, conversation: Conversation) -> Message:
        """Return a new message of a conversation with the other fields of this format's records.

        Its role, its parts and its time stay; the answer is always the same.
        """
        return message

    records_place = False
    """Whether every message records where it was written."""

    def on_edit(self, conversation: Conversation, before: Conversation | None) -> Conversation:
        """Return an edited conversation with the records updated that depend on its messages.

        `before` is the conversation as it was read; None for a new one.
        """
        return conversation

    habits: WriterHabits = ANY
    """What may be inferred from the way its files are written."""

    derived: Mapping[str, Callable[[str], str]] = {}
    """Functions that derive a value of a record from its text, by name: checksums that change with
    it."""

    nests = False
    """Whether replies are nested in the record they answer."""

    record_per_line = False
    """Whether each line of a file is a record, so that any lines of it are a file."""

    file_per_record = False
    """Whether each record is a file of its own; `assign_file_names` then names the files."""

    def assign_file_names(self, order: Sequence[str | Entry], *, main_file: str) -> Sequence[str]:
        """Return the names of a conversation's files in order, given the names they have.

        A file that does not exist yet is given as its entry.
        """
        raise NotImplementedError(f"{self.info.slug} keeps many records in a file")

    def choose_file(self, entry: Entry, main_file: str, *, before: str | None) -> str:
        """Return the file for a new entry, given the file of the entry before it."""
        return main_file

    def blank_sheet(self, path: str) -> Sheet:
        """Return an empty record file for a path that does not exist yet."""
        raise NotImplementedError(f"{self.info.slug} never makes a file of its own")

    # importing from other formats

    faithful = False
    """Whether the result of `adopt` always reads back unchanged, so that it need not be compared.
    """

    def adopt(self, message: Message, about: ConversationInfo, *, moment: int) -> Message:
        """Return a message of another format with everything that this format's own readers need.

        The moment is its time, or the nearest known one. The answer is always the same.
        """
        whole = self.complete(message)
        assert isinstance(whole, Message)
        return whole

    def has_place(self, part: Part) -> bool:
        """Whether there is a place for a part of another format; if not, it is shown as text."""
        return TAGS[type(part)] in self.can.parts

    def adopt_other(self, entry: Head | Snapshot | Opaque, about: ConversationInfo) -> Entry | None:
        """Return an entry of another format that is not a message; None if it has no place."""
        return entry if self.can.everything else None

    def make_opening_entries(self, about: ConversationInfo) -> Sequence[Entry]:
        """Return entries that every conversation of this format needs beside its messages."""
        return ()

    def place_adopted(self, value: Json, skeleton: Skeleton, position: int) -> Json:
        """Return the value of an adopted entry with what only the tree knows about its place."""
        return value

    starts_folder = False
    """Whether a new conversation is a folder of its own."""

    depth_inside = 0
    """The depth of messages inside the record that opens a conversation."""

    many_in_one = False
    """Whether a file may hold several conversations."""

    def compose(
        self, path: str, about: ConversationInfo, items: Iterator[Item], *, first: bool
    ) -> Iterable[bytes]:
        """Return the bytes of a new file with these records; `first` unless others precede them."""
        return self.blank_sheet(path).rewrite(list(items))

    def pre_encode(self, values: Sequence[Json]) -> Sequence[Json]:
        """Return consecutive records, encoded as far as possible without the others.

        `compose` accepts them in place of the records; several may become one.
        """
        return values

    def make_blank_files(self, about: ConversationInfo) -> Mapping[str, bytes]:
        """Return the files of a conversation without messages; none if that is an empty folder."""
        from talktree.formats.record_file import Item

        files: dict[str, list[Item]] = {}
        main = self.path_for(about, about.id)
        for entry in self.make_opening_entries(about):
            item = Item(None, self.put(self.complete(entry), None), changed=True)
            files.setdefault(self.choose_file(entry, main, before=None), []).append(item)
        if not files:
            files[main] = []
        return {
            path: b"".join(self.compose(path, about, iter(items), first=True))
            for path, items in files.items()
        }

    empty_text: bytes | None = None
    """The content of a file without messages, if only that identifies the format."""

    def stem_for(self, id: str) -> str | None:
        """Return a file or folder name for a conversation with an id; None if any will do."""
        return None

    def path_for(self, about: ConversationInfo, stem: str) -> str:
        """Return the path, in its folder, of the file that a new conversation starts with."""
        return f"{stem}{self.info.suffixes[0]}"

    # embedded source data

    keeper: Literal["line", "beside", "opening", "first"] = "first"
    """Where data that belongs to no message is embedded: in lines or a file of its own, in the
    record that opens a conversation, or in the first message."""

    copies_carry = False
    """Whether the data embedded in a message may be JSON text that is only copied."""

    def make_carrier_record(self, carry: Json) -> Json:
        """Return the value of a record that only embeds data, which other readers skip."""
        return {"type": CARRY, CARRY: carry}

    def take_carry(self, value: Json) -> tuple[Json, Json]:
        """Return the source data embedded in a record, and the record's value without it."""
        if isinstance(value, dict) and CARRY in value:
            left = dict(value)
            return left.pop(CARRY), left
        return None, value

    def with_carry(self, value: Json, carry: Json) -> Json:
        """Return the value of a record with source data embedded."""
        assert isinstance(value, dict)
        return {**value, CARRY: carry}

    # display

    telling: frozenset[str] | None = None
    """Members beyond the model that are shown; None for all with simple values."""

    measured: frozenset[str] = frozenset()
    """Members that `measures` reads; they are shown under its names."""

    silent: frozenset[str] = frozenset()
    """Kinds of records that take part in the chain and never hold text."""

    readable: Callable[[Message], Message] | None = None
    """Makes a message readable if its texts hold program data; the number of parts stays."""

    # rules

    stamp_key: str | None = None
    """The member of a record that holds a message's time."""

    known_kinds: frozenset[str] = frozenset()
    """Kinds of records and of bookkeeping that are known and not read further."""

    words_at: tuple[str, ...] = ()
    """The members of a record that lead to the content of its message."""

    def read_content(self, value: Json) -> Json:
        """Return the content of a message's record as written; used if no part of it was read."""
        for key in self.words_at:
            value = value.get(key) if isinstance(value, dict) else None
        return value if self.words_at else None

    def identity_of(self, value: Json) -> Json:
        """Return what two records with one id share if one is a rewritten copy of the other.

        None if only their bytes can show it.
        """
        return None

    def relink(
        self, entry: Entry, record: Record, above: str | None, *, follows: bool = False
    ) -> Json:
        """Return the value of a record whose message gets another parent, or only follows it."""
        if not isinstance(entry, Message):
            return record.value
        moved = replace(entry, follows=above) if follows else replace(entry, parent=above)
        return self.put(moved, record)

    severities: Mapping[str, Severity] = {}
    """Severities of shared rules that differ here, by code: what its specification requires is an
    error."""

    optional_rules: frozenset[str] = frozenset()
    """Codes of the shared rules that only apply to formats that name them."""

    demands_ids: bool = False
    """Whether every message must have an id, even if no message of a file has one."""

    checks_sides: bool = False
    """Whether one of its own rules already reports answers outside a sidechain."""

    only_replies_leave = False
    """Whether only a reply may lead from a sidechain back to the main conversation."""

    def has_branch_log(self, talk: CheckedConversation) -> bool:
        """Whether its program records branches, so that several may grow in turns."""
        return False

    def find_related_folders(self, folder: str) -> Sequence[str]:
        """Return folders, relative to a file's own with this name, whose files it may continue."""
        return (".",)

    def link(self, skeleton: Skeleton, read: Reading) -> None:  # noqa: B027
        """Link records that only this format knows belong together."""

    def read_elsewhere(self, source: Source) -> str | None:
        """Return the source that a file on disk is read as part of; None if it is a source."""
        return None

    def find_active_message(self, source: Source, main_file: str, newest: str) -> str | None:
        """Return the id of the message that a conversation is at, if a file beside it names one.

        `newest` is the id of its last message that is not a sub-agent's.
        """
        return None

    def replies(self, message: Message, own: str) -> Iterator[ReplyUsage]:
        """Return the API replies of a message, given its id in the file."""
        found = make_reply_usage(message, own)
        if found is not None:
            yield found

    def record_ids(self, message: Message) -> Iterator[str]:
        """Yield ids in a message's record that have no field in the model, such as of requests."""
        yield from ()

    compaction_names: Mapping[str, str] = {}
    """Members of a compaction's data, and the numbers they hold; see `model.compaction`."""

    def measures(self, message: Message) -> MessageMeasures:
        """Return a message's classification, rating and duration, as far as they are recorded."""
        return get_common_measures(message)

    def rules(self) -> Sequence[Rule]:
        """Return the rules for its own records, beyond those for all conversations."""
        return ()

    def rebuild_file(self, path: str, talk: CheckedConversation) -> bytes | None:
        """Return a lost file, rebuilt from the rest of its conversation; None if impossible."""
        return None

    def renewal(self) -> Renewal:
        """Return how its older files are detected and migrated."""
        from talktree.formats.migration import get_renewal

        return get_renewal(self)


def make_opaque(record: Record, kind: str = "unreadable") -> Opaque:
    """Return the entry of a record that cannot be interpreted."""
    value = record.value if record.usable else None
    return Opaque(id=record.id, kind=kind, value=value, size=len(record.raw))
