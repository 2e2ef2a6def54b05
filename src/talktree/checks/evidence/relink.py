"""Taking records out of a conversation, or putting some in, so that the line does not break.

What hangs on a record that goes hangs on another from then on. Several may go at once: where a
message ends up is decided when all of them are known.
"""

from __future__ import annotations

from collections.abc import Iterator

from talktree.checks.evidence.lines import lines_of
from talktree.checks.evidence.links import called
from talktree.formats.change import Change, Drop, Revalue
from talktree.formats.engine.write_item import native_entry
from talktree.formats.talk import Seen, Talk
from talktree.model.skeleton import ROOT
from talktree.text.json.value import Json

NOTE = "taken-out"


def is_linked(talk: Talk) -> bool:
    """Whether messages name what they hang on, so that a link can break."""
    return talk.origin.links(talk.conversation) == "own"


def taken_out(talk: Talk, position: int, instead: int) -> Iterator[Change]:
    """A record goes; what hung on it hangs on another."""
    gone: dict[int, int] = talk.notes.setdefault(NOTE, {})
    gone[position] = instead
    yield Drop(talk, position)
    if is_linked(talk):
        for child in lines_of(talk).children(position):
            if child not in talk.bones.linked:
                yield Revalue(talk, child, lambda seen: _hung(seen, position))


def _hung(seen: Seen, gone_parent: int) -> Json:
    talk = seen.talk
    gone: dict[int, int] = talk.notes[NOTE]
    above, steps = gone_parent, 0
    while above != ROOT and (above in gone or called(talk, above) is None):
        above = gone.get(above, talk.bones.parents[above])
        steps += 1
        if steps > len(talk.bones):
            above = ROOT
    return hung_on(seen, called(talk, above))


def hung_on(seen: Seen, parent: str | None) -> Json:
    """A record's value once it hangs on another message."""
    talk = seen.talk
    entry = native_entry(talk.conversation, seen.entry)
    return talk.format.relinked(entry, seen.record, parent)
