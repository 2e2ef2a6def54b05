"""Message ids: duplicates, messages that conversations share, parents elsewhere, and new ids.

Resumed sessions write their history again, so most shared messages are copies. Contents are read
only of shared messages, and at most `MOST_COMPARED` for each pair of conversations.

A missing parent is searched for in the other conversations of the source, then in files beside it
on disk.

New ids for messages without one, or with one that is taken, are the same each time.

Messages that survived a compaction are below it and older than it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple
from uuid import UUID as Uuid

from msgspec.structs import replace

from talktree.checks.support.tree_links import find_siblings
from talktree.formats.engine import DocumentOrigin
from talktree.formats.engine.duplicates import DuplicateCounter, compute_digest, find_doubles
from talktree.formats.engine.write_item import resolve_aliases
from talktree.formats.rule_context import CheckedConversation, Elsewhere, Setting
from talktree.model.entries import Entry
from talktree.model.message import Message
from talktree.model.skeleton import ROOT, Skeleton

NOTE = "shared-ids"
MOST_COMPARED = 100
"""Maximum number of messages that are compared for each pair of conversations."""
UUID = 36
"""The length of an id that means the same message everywhere."""
BARE = Message()


class SharedMessage(NamedTuple):
    """A message that two conversations have."""

    id: str
    path: str
    line: int | None
    other: str
    """The other file that has it."""


class SharedIds:
    """The first message of each pair of conversations that differs."""

    def __init__(self) -> None:
        self.conflicting: list[SharedMessage] = []
        self.differing: list[SharedMessage] = []


def find_shared_ids(setting: Setting) -> SharedIds:
    """Return the messages that the conversations of a source share; computed once."""
    if len(setting.talks) < 2:
        return SharedIds()
    notes = setting.talks[0].notes
    found: SharedIds | None = notes.get(NOTE)
    if found is None:
        found = notes[NOTE] = _find_shared(setting)
    return found


def _find_shared(setting: Setting) -> SharedIds:
    found = SharedIds()
    for (one, other), places in _pair_positions(setting).items():
        first, second = setting.talks[one], setting.talks[other]
        conflict = difference = None
        for here, there in places:
            kind = _describe_difference(first, here, second, there)
            if kind == "said":
                conflict = there
                break
            if kind == "rest" and difference is None:
                difference = there
        if conflict is not None:
            found.conflicting.append(_shared_message(first, second, conflict))
        elif difference is not None:
            found.differing.append(_shared_message(first, second, difference))
    return found


def _shared_message(
    first: CheckedConversation, second: CheckedConversation, position: int
) -> SharedMessage:
    name = second.skeleton.own_id(position)
    where = first.conversation.main_file
    return SharedMessage(name, second.path(position), second.line(position), where)


def _pair_positions(setting: Setting) -> dict[tuple[int, int], list[tuple[int, int]]]:
    """Return, for each pair of conversations, the positions of the messages that both have."""
    files = {talk.conversation.main_file for talk in setting.talks}
    if len(files) < 2 or setting.talks[0].format.can.ids != "uuid":
        # Other ids are assigned anew in every file, so equal ones mean nothing.
        return {}
    owner: dict[str, int] = {}
    pairs: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for number, talk in enumerate(setting.talks):
        for position, name in _list_own_ids(talk):
            first = owner.setdefault(name, number)
            if first != number:
                places = pairs.setdefault((first, number), [])
                if len(places) < MOST_COMPARED:
                    places.append((_find_place(setting.talks[first].skeleton, name), position))
    return pairs


def _find_place(skeleton: Skeleton, name: str) -> int:
    found = skeleton.by_id[name]
    return found if skeleton.ids[found] == name else skeleton.ids.index(name)


def _list_own_ids(talk: CheckedConversation) -> Iterator[tuple[int, str]]:
    """Yield the ids as the file has them, each once."""
    native = talk.skeleton.native
    for position, name in enumerate(talk.skeleton.ids):
        if len(name) == UUID and position not in native:
            yield position, name


def _describe_difference(
    first: CheckedConversation, here: int, second: CheckedConversation, there: int
) -> str:
    one, other = _read_entry(first, here), _read_entry(second, there)
    if compute_digest(one, -1) == compute_digest(other, -2):
        return ""
    return (
        "rest"
        if compute_digest(_only_content(one), -1) == compute_digest(_only_content(other), -2)
        else "said"
    )


def _read_entry(talk: CheckedConversation, position: int) -> Entry:
    return resolve_aliases(talk.conversation, talk.read_record(position).entry)


def _only_content(entry: Entry) -> Entry:
    """Return an entry with only its content, author and time."""
    if not isinstance(entry, Message):
        return entry
    return replace(BARE, role=entry.role, parts=entry.parts, time_ns=entry.time_ns)


MISSING_MESSAGES = "elsewhere"


def connect_conversations(talks: Sequence[CheckedConversation], origin: DocumentOrigin) -> None:
    """Let each conversation look up messages that others have."""
    siblings = find_siblings(origin.source, origin.format)
    for talk in talks:
        talk.elsewhere = _make_lookup(talk, talks, siblings.find_files_with if siblings else None)


def _make_lookup(
    talk: CheckedConversation, talks: Sequence[CheckedConversation], beside: Elsewhere | None
) -> Elsewhere:
    def _find(ids: Collection[str]) -> Mapping[str, str]:
        found: dict[str, str] = {}
        for other in talks:
            if other is not talk:
                known = other.skeleton.by_id
                found |= {id: other.id for id in ids if id in known and id not in found}
        left = [id for id in ids if id not in found]
        return {**beside(left), **found} if beside and left else found

    return _find


def find_parents_elsewhere(talk: CheckedConversation) -> Mapping[str, str]:
    """Return the parents that are missing here and exist elsewhere, with their place."""
    found: Mapping[str, str] | None = talk.notes.get(MISSING_MESSAGES)
    if found is None:
        wanted = set(talk.skeleton.dangling.values())
        found = talk.notes[MISSING_MESSAGES] = talk.elsewhere(wanted) if wanted else {}
    return found


NEW_IDS = "minted"


def wants_ids(talk: CheckedConversation) -> bool:
    """Whether the format's own programs want an id on every message."""
    can = talk.format.can
    return can.ids == "uuid" or can.everything


def mint_id(talk: CheckedConversation, position: int) -> str:
    """Return a unique id, made from the skeleton's name for the message and the conversation's."""
    skeleton = talk.skeleton
    if talk.format.can.ids == "uuid":
        seed = f"{talk.id}\0{skeleton.ids[position]}".encode("utf-8", "surrogatepass")
        return str(Uuid(bytes=blake2b(seed, digest_size=16).digest(), version=4))
    # `m#3` becomes `m-3`, and `@5` becomes `message-5`.
    number = skeleton.ids[position].rpartition("#")[2].lstrip("@").rstrip("'")
    found = f"{skeleton.own_id(position) or 'message'}-{number}"
    given: set[str] = talk.notes.setdefault(NEW_IDS, set())
    while found in skeleton.by_id or found in given:
        found += "'"
    given.add(found)
    return found


def find_carried_over(skeleton: Skeleton) -> set[int]:
    """Return the messages below each compaction, down to the message that it says it follows."""
    carried: set[int] = set()
    for position, origin in skeleton.astray.items():
        if skeleton.explain_unreachable(position) is not None:
            continue
        at = skeleton.by_id[origin]
        while at not in (ROOT, position) and at not in carried:
            carried.add(at)
            at = skeleton.parents[at]
    return carried


DUPLICATE_IDS = "doubles"


def find_duplicate_ids(talk: CheckedConversation) -> DuplicateCounter:
    """Return the duplicate ids of a conversation, counted once."""
    found: DuplicateCounter | None = talk.notes.get(DUPLICATE_IDS)
    if found is None:
        found = talk.notes[DUPLICATE_IDS] = find_doubles(talk.conversation, talk.origin)
    return found
