"""What hangs wrongly in a conversation, where it would hang right, and how a file is told so."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from talktree.formats.change import Change, Revalue
from talktree.formats.engine.write_item import native_entry
from talktree.formats.rule import Diagnostic
from talktree.formats.talk import Seen, Talk
from talktree.model.link_repair import relinked
from talktree.model.skeleton import ROOT
from talktree.text.json.value import Json

LINKS = "links"
RENAMED = "renamed"


def links_of(talk: Talk) -> Mapping[int, int]:
    """The links that are inferred for a conversation, found once; see `model.mending`."""
    found: dict[int, int] | None = talk.notes.get(LINKS)
    if found is None:
        sessions, agents = talk.facts.sessions, talk.facts.agents
        found = relinked(talk.conversation, lambda at: (sessions[at], agents[at]))
        talk.notes[LINKS] = found
    return found


def renamed(talk: Talk) -> dict[int, str]:
    """The entries that get another id in this round of repair."""
    names: dict[int, str] = talk.notes.setdefault(RENAMED, {})
    return names


def called(talk: Talk, position: int) -> str | None:
    """What an entry is called in its file once this round of repair is over."""
    if position == ROOT:
        return None
    return renamed(talk).get(position) or talk.bones.own_id(position) or None


def hang(talk: Talk, position: int, above: int, *, follows: bool = False) -> Change:
    """An entry hangs on another from now on; on nothing if that is -1."""
    return Revalue(talk, position, _hanging(above, follows=follows))


def _hanging(above: int, *, follows: bool) -> Callable[[Seen], Json]:
    # Asked for its name when all changes are known: the other entry may get a new one.
    def _make(seen: Seen) -> Json:
        talk = seen.talk
        entry = native_entry(talk.conversation, seen.entry)
        return talk.format.relinked(entry, seen.record, called(talk, above), follows=follows)

    return _make


def can_be_named(talk: Talk, above: int, position: int) -> bool:
    """Whether an entry would hang on just this one if it named it as its parent.

    Where an id stands twice, the nearest one before an entry is meant.
    """
    bones = talk.bones
    id = bones.own_id(above)
    if not id:
        return False
    others = [at for at, native in bones.native.items() if native == id]
    if not others:
        return True
    before = [at for at in (*others, bones.by_id.get(id, above)) if at < position]
    return max(before, default=above) == above


def hang_as_inferred(talk: Talk, told: Diagnostic) -> Iterator[Change]:
    """The fix of all rules about links."""
    yield hang(talk, told.position, links_of(talk).get(told.position, ROOT))
