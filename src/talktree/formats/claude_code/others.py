"""What goes with the messages of a conversation from elsewhere: its title, titles, snapshots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from talktree.formats.claude_code.lens import TITLES
from talktree.formats.claude_code.told import whole
from talktree.formats.format import About
from talktree.formats.record_file import Item
from talktree.model.entries import Entry, FileState, Head, Opaque, Snapshot
from talktree.text.json.value import Json
from talktree.text.times import MILLI


def opening(about: About) -> Sequence[Entry]:
    """The line that names the conversation; it hangs on the message the conversation ends with."""
    if not about.title or not about.title.strip() or about.leaf is None:
        return ()
    return (Head(kind="summary", title=whole(about.title), leaf=about.leaf),)


def name_line(about: About) -> Iterator[Item]:
    """The line that names a conversation without messages, as renaming a session writes it."""
    if about.title and about.title.strip():
        value: Json = {
            "type": "custom-title",
            "customTitle": whole(about.title),
            "sessionId": about.session,
        }
        yield Item(None, value, changed=True)


def title_last(items: Iterator[Item], about: About) -> Iterator[Item]:
    """The lines with the one that names the conversation behind all others.

    Only there it is known what was written: where the message it should hang on was not, it hangs
    on the last one that was.
    """
    title: Item | None = None
    leaf: Json = None
    for item in items:
        value = item.value if isinstance(item.value, dict) else {}
        if title is None and value.get("type") == "summary":
            title = item
            continue
        if leaf != about.leaf and not value.get("isSidechain"):
            leaf = value.get("uuid", leaf)
        yield item
    if title is not None and leaf is not None:
        assert isinstance(title.value, dict)
        yield title._replace(value={**title.value, "leafUuid": leaf})


def adopt_other(entry: Head | Snapshot | Opaque, about: About) -> Entry | None:
    """An entry that is no message as Claude Code has it, or None."""
    match entry:
        case Head():
            return _title(entry, about)
        case Snapshot():
            return _snapshot(entry, about)
        case Opaque():
            return None


def _title(head: Head, about: About) -> Entry | None:
    """A name of the whole session; summaries of messages that may be elsewhere ride along."""
    if head.kind not in TITLES or head.kind == "summary" or not head.title:
        return None
    return Head(kind=head.kind, title=whole(head.title), extra={"sessionId": about.session})


def _snapshot(snapshot: Snapshot, about: About) -> Entry | None:
    if snapshot.message is None:
        return None
    time = snapshot.time_ns if snapshot.time_ns is not None else about.updated or 0
    files = {
        path: _file(state, time)
        for path, state in snapshot.files.items()
        # Without a backup only a file that was not there can be undone; a null for any other
        # would have it deleted.
        if state.backup is not None or state.absent_before
    }
    return Snapshot(
        message=snapshot.message, time_ns=_millis(time), update=snapshot.update, files=files
    )


def _file(state: FileState, time: int) -> FileState:
    return FileState(
        backup=state.backup,
        absent_before=state.backup is None,
        version=1 if state.version is None else state.version,
        time_ns=_millis(time if state.time_ns is None else state.time_ns),
    )


def _millis(time: int) -> int:
    return time - time % MILLI
