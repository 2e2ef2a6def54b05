"""What a format is: the few things it must know, and nothing else.

A format knows bytes, records, the model and its own rules. It never knows another format, the
library, the terminal or the network. Reading and writing are written once, in `engine`.
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
"""What each kind of part and of entry is called."""
BESIDE = "x-talktree.jsonl"
"""The file beside a conversation for what belongs to no message."""


class FormatInfo(Struct, frozen=True, kw_only=True):
    """Who a format is."""

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
    """What its assistant is called when it speaks."""


class FormatCapabilities(Struct, frozen=True, kw_only=True):
    """What a format can hold natively. Whatever it cannot is a loss, and nothing else is."""

    branches: bool = False
    roles: tuple[str, ...] | None = None
    """The only roles it knows, or None for any."""
    parts: frozenset[str] = frozenset({"text"})
    """Tags of the parts it has a place for."""
    fields: frozenset[str] = frozenset()
    """Fields of a message it has a place for, beside id, role and parts."""
    flags: frozenset[str] = frozenset()
    time: Literal["none", "ms", "ns"] = "none"
    snapshots: bool = False
    heads: bool = False
    extra: Literal["none", "text", "json"] = "none"
    """Unknown keys: not at all, as one-line text, or any JSON."""
    any_text: bool = True
    """Whether text may hold what UTF-8 cannot."""
    texts: Literal["one", "many"] = "many"
    """Whether a message may hold several stretches of text, told apart."""
    ids: Literal["any", "uuid", "none"] = "any"
    """What an id must look like for the format's own programs."""
    calls: Literal["loose", "named"] = "loose"
    """Whether results may stand alone, or must name a call that stands before them."""
    everything: bool = False
    """Whether every kind of entry has a place of its own, with all its fields."""
    spelling: tuple[str, ...] = ("json", "ascii")
    """How strings stand in its bytes: as JSON, as JSON in ASCII, as plain text, as XML text."""


class ConversationInfo(Struct, frozen=True, kw_only=True):
    """What a format is told of a conversation from elsewhere that it takes in."""

    id: str
    """What the conversation is called in its source."""
    format: str | None = None
    """The format it comes from."""
    session: str
    """A UUID that stands for it, the same each time."""
    own_id: str | None = None
    """The id that it has in its source, or that was asked for; None if there is none."""
    renamed: bool = False
    """Whether the id was asked for: then it counts instead of what messages say."""
    title: str | None = None
    started: int | None = None
    updated: int | None = None
    """The times of its earliest and its newest message."""
    leaf: str | None = None
    """The message its active branch ends with, by its new id."""
    count: int = 0
    """How many messages are taken in."""
    context: Context | None = None
    """Where the first message that tells it was written."""
    model: str | None = None
    habits: WriterHabits = ANY
    """How its tree is read."""


class Record(Struct, gc=False):
    """One record of a file: its decoded value and its own bytes."""

    value: Json
    raw: bytes = b""
    id: str = ""
    """The name the skeleton gave it: its own id, or an alias."""
    parent: str | None = None
    """The parent it hangs on by structure, or by a link that was resolved."""
    path: str = ""
    line: int = 0
    problems: Sequence[Problem] = ()
    usable: bool = True
    """False if its bytes could not be decoded whole."""


class SplitSource(Struct):
    """A source taken apart: sheets of records, and files that are no part of it."""

    sheets: list[Sheet]
    foreign_files: list[str] = []


Links = Literal["own", "nested", "chain"]
"""How records hang together: by ids they name, by nesting, or each on the one before."""


def _return_unchanged(entry: Entry) -> Entry:
    return entry


class Lens(NamedTuple):
    """Between a record and an entry, both ways; laws bind the three together."""

    get: Callable[[Record], Entry]
    put: Callable[[Entry, Record | None], Json]
    complete: Callable[[Entry], Entry] = _return_unchanged


class Format(ABC):
    """A format: how to recognise it, take it apart, and read and write a record."""

    info: FormatInfo
    can: FormatCapabilities
    lens: Lens
    companions = CompanionRules()

    def find_withheld_files(self, source: Source) -> Collection[str]:
        """Files that hold secrets, by their names alone: never opened, shown or copied."""
        return ()

    def can_withhold(self, name: str) -> bool:
        """Whether a file of that name could hold secrets in some folder."""
        return False

    def find_transient_files(self, source: Source) -> Collection[str]:
        """Locks and caches, by their names alone: no part of what is read, carried or copied."""
        return ()

    def find_owner(self, path: str, conversations: Mapping[str, Sequence[str]]) -> str | None:
        """The conversation that a file without messages belongs to; None if there is none.

        The files with the messages of each conversation are given by its group.
        """
        return None

    @abstractmethod
    def detect(self, probe: Probe) -> Detection | None:
        """Whether this is its own, from names and first bytes only."""

    @abstractmethod
    def split(self, source: Source) -> SplitSource:
        """The source as sheets of records, every byte accounted for."""

    def get(self, record: Record) -> Entry:
        """What a record says, in the words of the model."""
        return self.lens.get(record)

    def put(self, entry: Entry, base: Record | None) -> Json:
        """The native value of an entry, made from the old record's value where there is one."""
        return self.lens.put(entry, base)

    def new_id(self, moment: int) -> str:
        """Return an id for a message that is written at a moment, in nanoseconds."""
        return make_random_id(moment)

    def id_for(self, name: str, conversation: str) -> str:
        """Return the id of a message that has this name in a conversation from elsewhere.

        Names that begin with `@` stand for messages without an id. The answer is the same each
        time. Formats that demand UUIDs (`FormatCapabilities.ids`) are not asked.
        """
        return name

    def complete(self, entry: Entry) -> Entry:
        """An entry with the fields filled in that this format demands of new records."""
        return self.lens.complete(entry)

    def fill(self, message: Message, conversation: Conversation) -> Message:
        """A new message of a conversation with what this format's records say of it besides.

        Its role, its parts and its time stay; the answer is the same each time.
        """
        return message

    records_place = False
    """Whether every message says where it was written."""

    def on_edit(self, conversation: Conversation, before: Conversation | None) -> Conversation:
        """An edited conversation with that brought in step which goes with its messages.

        `before` is the conversation as it was read; None for a new one.
        """
        return conversation

    habits: WriterHabits = ANY
    """What may be inferred from the way its files are written."""

    derived: Mapping[str, Callable[[str], str]] = {}
    """What stands in a record because of its text, by name: checksums that change with it."""

    nests = False
    """Whether replies stand inside the record they answer."""

    record_per_line = False
    """Whether each line of a file is a record, so that any lines of it are a file."""

    file_per_record = False
    """Whether each record is a file of its own; then `named` says what the files are called."""

    def assign_file_names(self, order: Sequence[str | Entry], *, main_file: str) -> Sequence[str]:
        """The names of a conversation's files in order, given the names they have.

        A file that does not exist yet is given as the entry it is for.
        """
        raise NotImplementedError(f"{self.info.slug} keeps many records in a file")

    def choose_file(self, entry: Entry, main_file: str, *, before: str | None) -> str:
        """The file a new entry belongs in, given the file of the entry before it."""
        return main_file

    def blank_sheet(self, path: str) -> Sheet:
        """An empty sheet for a file that does not exist yet."""
        raise NotImplementedError(f"{self.info.slug} never makes a file of its own")

    # taking in what comes from elsewhere

    faithful = False
    """Whether what `adopt` gives is read again just as it is, so that nobody need look."""

    def adopt(self, message: Message, about: ConversationInfo, *, moment: int) -> Message:
        """A message from elsewhere with all that this format's own readers need.

        The moment is its time, or the nearest known one. The answer is the same each time.
        """
        whole = self.complete(message)
        assert isinstance(whole, Message)
        return whole

    def has_place(self, part: Part) -> bool:
        """Whether there is a place for a part from elsewhere; if not it is shown as text."""
        return TAGS[type(part)] in self.can.parts

    def adopt_other(self, entry: Head | Snapshot | Opaque, about: ConversationInfo) -> Entry | None:
        """An entry that is no message, from elsewhere; None if there is no place for it."""
        return entry if self.can.everything else None

    def make_opening_entries(self, about: ConversationInfo) -> Sequence[Entry]:
        """Entries this format needs beside the messages of every conversation."""
        return ()

    def place_adopted(self, value: Json, skeleton: Skeleton, position: int) -> Json:
        """The value of an adopted entry with what the tree knows of its place beyond it."""
        return value

    starts_folder = False
    """Whether a new conversation is a folder of its own."""

    depth_inside = 0
    """How deep messages stand in the record that opens a conversation."""

    many_in_one = False
    """Whether a file may hold several conversations."""

    def compose(
        self, path: str, about: ConversationInfo, items: Iterator[Item], *, first: bool
    ) -> Iterable[bytes]:
        """The bytes of a new file with these records; `first` unless others stand before them."""
        return self.blank_sheet(path).rewrite(list(items))

    def pre_encode(self, values: Sequence[Json]) -> Sequence[Json]:
        """Records that follow one another, written as far as that needs no others.

        `compose` takes them in their place; several may have become one.
        """
        return values

    def make_blank_files(self, about: ConversationInfo) -> Mapping[str, bytes]:
        """The files of a conversation that has no messages yet; none if that is an empty folder."""
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
    """What a file without messages says, if only that tells the format of it."""

    def stem_for(self, id: str) -> str | None:
        """The name of the file or folder of a conversation with an id; None if any will do."""
        return None

    def path_for(self, about: ConversationInfo, stem: str) -> str:
        """The file a new conversation starts with, as a path in its folder."""
        return f"{stem}{self.info.suffixes[0]}"

    # what travels along

    keeper: Literal["line", "beside", "opening", "first"] = "first"
    """Where that travels which belongs to no message: in lines or a file of its own, with the
    record that opens a conversation, or with the first message."""

    copies_carry = False
    """Whether what a message carries may be JSON text that need only be copied."""

    def make_carrier_record(self, carry: Json) -> Json:
        """The value of a record that only carries something, and that other readers pass over."""
        return {"type": CARRY, CARRY: carry}

    def take_carry(self, value: Json) -> tuple[Json, Json]:
        """What a record carries for another format, and its value without that."""
        if isinstance(value, dict) and CARRY in value:
            left = dict(value)
            return left.pop(CARRY), left
        return None, value

    def with_carry(self, value: Json, carry: Json) -> Json:
        """The value of a record that carries something for another format."""
        assert isinstance(value, dict)
        return {**value, CARRY: carry}

    # what people are shown

    telling: frozenset[str] | None = None
    """Members it has beyond the model that tell people something; None for all that are simple."""

    measured: frozenset[str] = frozenset()
    """Members that `measures` reads; they are shown under the names that it gives them."""

    silent: frozenset[str] = frozenset()
    """Kinds of records that take part in the chain and never say anything."""

    readable: Callable[[Message], Message] | None = None
    """A message as people read it, where its texts hold what programs put there; as many parts."""

    # what rules ask

    stamp_key: str | None = None
    """The member of a record in which a message has its time."""

    known_kinds: frozenset[str] = frozenset()
    """Kinds of records and of bookkeeping it knows and reads no further."""

    words_at: tuple[str, ...] = ()
    """The members of a record that lead to what its message says."""

    def read_content(self, value: Json) -> Json:
        """What a message's record says, as it stands there; asked if no part of it was read."""
        for key in self.words_at:
            value = value.get(key) if isinstance(value, dict) else None
        return value if self.words_at else None

    def identity_of(self, value: Json) -> Json:
        """What two records with one id share if they are one message, written again elsewhere.

        None if only their bytes tell.
        """
        return None

    def relink(
        self, entry: Entry, record: Record, above: str | None, *, follows: bool = False
    ) -> Json:
        """The value of a record once its message hangs on another, or only follows it."""
        if not isinstance(entry, Message):
            return record.value
        moved = replace(entry, follows=above) if follows else replace(entry, parent=above)
        return self.put(moved, record)

    severities: Mapping[str, Severity] = {}
    """Severities of shared rules that differ here, by code: what its document requires is an
    error."""

    optional_rules: frozenset[str] = frozenset()
    """Codes of the shared rules that are only for formats that ask for them."""

    demands_ids: bool = False
    """Whether every message must have an id, even if none of a file has one."""

    checks_sides: bool = False
    """Whether a rule of its own already tells when an answer stands outside a sidechain."""

    only_replies_leave = False
    """Whether nothing but a reply may lead from a sidechain back to the main conversation."""

    def has_branch_log(self, talk: CheckedConversation) -> bool:
        """Whether its program keeps account of branches, so that several may grow in turns."""
        return False

    def find_related_folders(self, folder: str) -> Sequence[str]:
        """Folders, seen from a file's own with this name, whose files its messages may continue."""
        return (".",)

    def link(self, skeleton: Skeleton, read: Reading) -> None:  # noqa: B027
        """Hang together what only this format knows belongs together."""

    def read_elsewhere(self, source: Source) -> str | None:
        """Where a file on disk is read as part of another source; None if it is one itself."""
        return None

    def find_active_message(self, source: Source, main_file: str, newest: str) -> str | None:
        """The id of the message that a conversation is at, if a file beside its messages says so.

        `newest` is the id of its last message that is not a sub-agent's.
        """
        return None

    def replies(self, message: Message, own: str) -> Iterator[ReplyUsage]:
        """The API replies of a message, given its id in the file."""
        found = make_reply_usage(message, own)
        if found is not None:
            yield found

    def record_ids(self, message: Message) -> Iterator[str]:
        """The ids in a message's record that the model has no field for, such as of requests."""
        yield from ()

    compaction_names: Mapping[str, str] = {}
    """Members of a compaction's data, and the numbers they are; see `model.compaction`."""

    def measures(self, message: Message) -> MessageMeasures:
        """How a message was classified and rated, and how long it took, as far as is recorded."""
        return get_common_measures(message)

    def rules(self) -> Sequence[Rule]:
        """What its own records must be like, beyond what all conversations must."""
        return ()

    def rebuild_file(self, path: str, talk: CheckedConversation) -> bytes | None:
        """A file that was lost, made from the rest of its conversation; None if it cannot be."""
        return None

    def renewal(self) -> Renewal:
        """How its older files are told from current ones and made such."""
        from talktree.formats.migration import get_renewal

        return get_renewal(self)


def make_opaque(record: Record, kind: str = "unreadable") -> Opaque:
    """The entry of a record nobody understands."""
    value = record.value if record.usable else None
    return Opaque(id=record.id, kind=kind, value=value, size=len(record.raw))
