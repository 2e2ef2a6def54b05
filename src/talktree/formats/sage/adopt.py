"""Messages, snapshots and sessions of other formats, in values that Sage's own types accept.

Everything that the specification's structs require is filled in, without a clock or random numbers.
If a struct allows only certain words (levels of thinking, states of tasks), another word becomes
the nearest of them; reading the record again shows the difference. A required empty text means
unknown, so here it becomes None.

New records made by the user get an id and a time as well (`complete_entry`); entries of other
formats go through `adopt_message`, which has no clock.
"""

from __future__ import annotations

from functools import lru_cache
from time import time_ns
from uuid import uuid4

from msgspec.structs import replace

from talktree.formats.format import ConversationInfo
from talktree.formats.lens import Object
from talktree.formats.sage.lens_parts import WORDS, join_words
from talktree.formats.sage.session_ids import is_id
from talktree.formats.sage.write import make_strict
from talktree.model.entries import Entry, FileState, Head, Opaque, Snapshot
from talktree.model.message import ERROR, Context, Message, ThinkingSetting, Todo, Usage
from talktree.model.parts import NOTHING, Event, Part, Text, ToolCall, ToolResult
from talktree.text.json.value import Json

_NO_WORDS = Text("")


def complete_message(message: Message) -> Message:
    """Return a message with the text, tasks and settings that every line has."""
    return replace(
        message,
        parts=with_words(message.parts, message.role),
        session=message.session or None,
        context=known_context(message.context),
        todos=required_tasks(message.todos, message.role),
        thinking=set_default_level(message.thinking),
    )


def with_words(parts: tuple[Part, ...], role: str) -> tuple[Part, ...]:
    """Return parts with at least one text, perhaps empty; tool results need no empty text."""
    parts = tuple(map(_complete_part, parts))
    if role == "tool":
        return tuple([part for part in parts if part != _NO_WORDS])
    for part in parts:
        if isinstance(part, WORDS):
            return parts
    return _NO_WORDS, *parts


def _complete_part(part: Part) -> Part:
    if isinstance(part, ToolCall):
        return replace(part, id=None) if part.id == "" else part
    if isinstance(part, ToolResult):
        if part.output and part.call != "" and part.name != "":
            return part
        output = part.output or (_NO_WORDS,)
        return replace(part, output=output, call=part.call or None, name=part.name or None)
    if isinstance(part, Event):
        return replace(part, text="") if part.text is None else part
    return part


@lru_cache(maxsize=256)
def known_context(context: Context | None) -> Context | None:
    """Return the known fields of a context; None if there are none."""
    if context is None:
        return None
    diagnostic = replace(
        context,
        cwd=context.cwd or None,
        platform=context.platform or None,
        version=context.version or None,
    )
    return None if diagnostic == Context() else diagnostic


def required_tasks(todos: tuple[Todo, ...] | None, role: str) -> tuple[Todo, ...] | None:
    """Return the tasks, which every line except tool results has, even if the list is empty."""
    if not todos:
        return () if todos is None and role != "tool" else todos
    return tuple([replace(todo, active_form=todo.active_form or None) for todo in todos])


def set_default_level(setting: ThinkingSetting | None) -> ThinkingSetting | None:
    """Return a setting with a level, which is required; Sage's default is medium."""
    if setting is None or setting.level is not None:
        return setting
    return replace(setting, level="none" if setting.disabled else "medium")


METADATA: dict[str, Json] = {
    "workingDirectory": "",
    "version": "",
    "messageCount": 0,
    "state": "active",
}


def complete_entry(entry: Entry) -> Entry:
    """Return an entry with everything that a new record must have."""
    match entry:
        case Message():
            whole = complete_message(entry)
            return replace(whole, id=entry.id or str(uuid4()), time_ns=_time_or_now(entry.time_ns))
        case Snapshot():
            return replace(
                entry, time_ns=_time_or_now(entry.time_ns), message=entry.message or None
            )
        case Head():
            time = _time_or_now(entry.time_ns)
            updated = time if entry.updated_ns is None else entry.updated_ns
            return replace(
                entry, time_ns=time, updated_ns=updated, extra={**METADATA, **entry.extra}
            )
        case Opaque():
            return entry


def _time_or_now(time: int | None) -> int:
    return time_ns() if time is None else time


LEVELS = ("none", "low", "medium", "high")
OTHER_LEVELS = {"off": "none", "minimal": "low", "xhigh": "high", "max": "high", "ultra": "high"}
STATES = ("pending", "in_progress", "completed")
OTHER_STATES = {"in-progress": "in_progress", "active": "in_progress", "done": "completed"}
MOST_TOKENS = 2**64 - 1


def adopt_message(message: Message, about: ConversationInfo, *, moment: int) -> Message:
    """Return a message with everything that a line of messages.jsonl must have."""
    role, flags = message.role, message.flags
    if role in ("user", "system") and ToolResult in map(type, message.parts):
        # In other formats the user or the system passes on tool results; here they are a kind of
        # line.
        role = "tool"
    if role == "tool":
        # The error flag is in the result; the type must say that the line is a tool result.
        flags -= {ERROR}
    todos = None if message.todos is None else tuple(map(_adopt_todo, message.todos))
    made = replace(
        message,
        role=role,
        flags=flags,
        parts=with_words(_adopt_parts(message.parts), role),
        time_ns=moment if message.time_ns is None else message.time_ns,
        session=_session_of(message, about),
        usage=_adopt_usage(message.usage),
        context=_adopt_context(message.context, about.context),
        todos=required_tasks(todos, role),
        thinking=set_default_level(_adopt_thinking(message.thinking)),
    )
    return make_strict(made)


def _adopt_parts(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    made = tuple(map(_adopt_part, parts))
    if Event in map(type, made):
        made = _adopt_events(made)
    return made if len(made) < 2 else tuple(sorted(made, key=_part_order))


def _adopt_part(part: Part) -> Part:
    if isinstance(part, ToolResult):
        # A failure is in `error`, and the content is empty.
        diagnostic = {"content": ""} if part.error else NOTHING
        return ToolResult(_join_output(part), part.call, part.name, part.error, None, diagnostic)
    if isinstance(part, ToolCall) and part.input is None:
        return replace(part, input={})
    return part


def _adopt_events(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Return parts with an event only if it is the only text; otherwise events become text."""
    said = [part for part in parts if isinstance(part, Text | Event)]
    rest = tuple(part for part in parts if not isinstance(part, Text | Event))
    if len(said) == 1:
        return replace(said[0], extra=NOTHING), *rest
    return Text("\n\n".join(_part_text(part) for part in said)), *rest


def _part_text(part: Text | Event) -> str:
    return part.text or (part.kind if isinstance(part, Event) else "")


def _join_output(part: ToolResult) -> tuple[Text]:
    """Return the output of a tool as one text."""
    match part.output:
        case (Text(extra=extra) as said,) if not extra:
            return (said,)
        case several:
            return (Text(join_words(several) or ""),)


def _part_order(part: Part) -> int:
    """Return the order of a part: text, calls and results are in members of their own."""
    return 1 if isinstance(part, ToolCall) else 2 if isinstance(part, ToolResult) else 0


def _adopt_usage(usage: Usage | None) -> Usage | None:
    if usage is None:
        return None
    counts = (usage.input, usage.output, usage.cache_read, usage.cache_write)
    return usage if min(counts) >= 0 and max(counts) <= MOST_TOKENS else None


@lru_cache(maxsize=256)
def _adopt_context(own: Context | None, usual: Context | None) -> Context | None:
    """Return a message's context; required fields that it lacks come from the conversation."""
    own, usual = own or Context(), usual or Context()
    made = replace(
        own,
        cwd=own.cwd or usual.cwd,
        platform=own.platform or usual.platform,
        version=own.version or usual.version,
    )
    return known_context(made)


def _adopt_todo(todo: Todo) -> Todo:
    state = todo.status if todo.status in STATES else OTHER_STATES.get(todo.status, STATES[0])
    return Todo(todo.content, state, todo.active_form)


def _adopt_thinking(setting: ThinkingSetting | None) -> ThinkingSetting | None:
    if setting is None:
        return None
    level = setting.level
    if level is not None and level not in LEVELS:
        level = OTHER_LEVELS.get(level.lower(), level.lower())
        level = level if level in LEVELS else "medium"
    return replace(setting, level=level, extra=NOTHING)


# snapshots


def adopt_snapshot(snapshot: Snapshot, about: ConversationInfo) -> Snapshot | None:
    """Return a snapshot with everything that snapshots.jsonl requires; None without a message."""
    if not snapshot.message:
        return None
    times = [file.time_ns for file in snapshot.files.values() if file.time_ns is not None]
    known = {path: file for path, file in snapshot.files.items() if file != FileState()}
    made = replace(
        snapshot,
        time_ns=max(times, default=about.started or 0)
        if snapshot.time_ns is None
        else snapshot.time_ns,
        files={path: _adopt_file_state(file) for path, file in known.items()},
        extra=NOTHING,
    )
    return make_strict(made)


def _adopt_file_state(file: FileState) -> FileState:
    """Return the known state of a file; a backup without a state stays without one."""
    state = file.state or ("created" if file.absent_before else None)
    tracked = (state, file.hash, file.size, file.content_before)
    found = FileState(
        state=state,
        backup=file.backup,
        hash=file.hash,
        hash_before=None if file.backup is None else file.hash_before,
        size=file.size,
        content_before=file.content_before,
    )
    if file.backup is not None and all(each is None for each in tracked):
        return found
    # Both are required: a changed file is the usual case, and an unknown size is 0.
    return replace(found, state=state or "modified", size=max(0, file.size or 0))


# sessions


def _session_of(message: Message, about: ConversationInfo) -> str | None:
    named = None if about.renamed else message.session
    return named or make_session_id(about) or None


def make_session_id(about: ConversationInfo) -> str:
    """Return the id of a session of another format: its own if it is valid, else a UUID."""
    own = about.own_id
    return own if own is not None and is_id(own) else about.session


def make_session_head(about: ConversationInfo) -> Head:
    """Return the head for the metadata.json of a session of another format."""
    context = about.context or Context()
    started = about.started or 0
    diagnostic: Object = {
        **METADATA,
        "workingDirectory": context.cwd or "",
        "version": context.version or "",
        "messageCount": about.count,
    }
    if context.git_branch:
        diagnostic["gitBranch"] = context.git_branch
    if about.model:
        diagnostic["model"] = about.model
    updated = started if about.updated is None else about.updated
    head = Head(
        id=make_session_id(about),
        title=about.title,
        time_ns=started,
        updated_ns=updated,
        extra=diagnostic,
    )
    return make_strict(head)
