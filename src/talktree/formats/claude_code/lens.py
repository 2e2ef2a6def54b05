"""Lines of Claude Code sessions and entries: reading.

Every line of a large session is read here, so the usual shapes take a short path; values of an
unexpected type stay in `extra` unchanged. Writing is in `write`.

This module also renders parts as text for lines in which Claude Code has no block for them, makes
the entries that belong to a conversation from another format (title, titles, snapshots), and
describes lines of which nothing could be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import assert_never

from talktree.formats.blocks import parse_block, parse_blocks
from talktree.formats.claude_code import lens_queued
from talktree.formats.claude_code.detect import SPOKEN
from talktree.formats.format import ConversationInfo, Record, make_opaque
from talktree.formats.lens import Object, take_flag, take_text
from talktree.formats.record_file import Item
from talktree.model.entries import Entry, FileState, Head, Opaque, Snapshot
from talktree.model.message import (
    ERROR,
    META,
    NO_FLAGS,
    SIDECHAIN,
    Context,
    Message,
    ThinkingSetting,
    Todo,
    Usage,
)
from talktree.model.parts import (
    Artifact,
    Attachment,
    Event,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    UnknownPart,
)
from talktree.text.json.encode import encode_json
from talktree.text.json.value import Json
from talktree.text.times import MILLI, from_iso

TITLES = {
    "summary": "summary",
    "custom-title": "customTitle",
    "ai-title": "aiTitle",
    "agent-name": "agentName",
}
"""Lines that name the conversation, and the member that holds the name."""
USAGE = (
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
)
BOUNDARIES = {"compact_boundary": "compacted", "microcompact_boundary": "microcompacted"}
PLAIN_NOTE = "informational"
"""The kind of system line that holds only text."""
FLAGS = {"isSidechain": SIDECHAIN, "isMeta": META, "isApiErrorMessage": ERROR}
KNOWN = frozenset(
    {
        "type",
        "uuid",
        "parentUuid",
        "message",
        "timestamp",
        "sessionId",
        "logicalParentUuid",
        "agentId",
        "cwd",
        "gitBranch",
        "userType",
        "version",
        "toolUseResult",
        *FLAGS,
    }
)
KNOWN_API = frozenset({"role", "id", "model", "content", "usage"})
MOST_CONTEXTS = 10_000
_USAGE = frozenset(USAGE)
_SIDE = frozenset({SIDECHAIN})
_COMMAND = re.compile(
    r"\s*<(command-name|command-message|local-command-stdout|local-command-stderr"
    r"|local-command-caveat|bash-input|bash-stdout|bash-stderr)>"
)
_TAG = re.compile(r"<(command-name|command-message|command-args)>(.*?)</\1>", re.DOTALL)
_contexts: dict[tuple[Json, ...], Context] = {}


def get(record: Record) -> Entry:
    """Return the entry of a line."""
    value = record.value
    if not isinstance(value, dict) or not record.usable:
        return make_opaque(record)
    type = value.get("type")
    if not isinstance(type, str):
        return make_opaque(record, "unknown")
    if type in SPOKEN or isinstance(value.get("uuid"), str):
        return _read_message(record, value, type)
    if type in TITLES:
        return _read_head(value, type)
    if type == "file-history-snapshot":
        return _read_snapshot(record, value)
    return make_opaque(record, type)


def _read_message(record: Record, value: Object, type: str) -> Message:
    # Known members are read in place and skipped; one of an unexpected type is put back.
    left = {key: item for key, item in value.items() if key not in KNOWN}
    own = _read_text_member(value, left, "uuid")
    parent = _read_text_member(value, left, "parentUuid")
    api = value.get("message")
    model = api_id = usage = None
    if type in SPOKEN and isinstance(api, dict):
        rest = {key: item for key, item in api.items() if key not in KNOWN_API}
        api_id, model = _read_text_member(api, rest, "id"), _read_text_member(api, rest, "model")
        if api.get("role") != type and "role" in api:
            rest["role"] = api["role"]
        if "usage" in api:
            usage = _read_usage(api, rest)
        parts = _read_parts(api, rest, value, left)
        if rest:
            left["message"] = rest
    else:
        if api is not None:
            left["message"] = api
        if "toolUseResult" in value:
            left["toolUseResult"] = value["toolUseResult"]
        if type == lens_queued.LINE and lens_queued.is_prompt(left.get(lens_queued.LINE)):
            type, parts = lens_queued.ROLE, lens_queued.take_prompt(left)
        else:
            parts = _read_plain_text(left) if type in SPOKEN else _read_system_parts(left, type)
    return Message(
        id=record.id or own or "",
        parent=record.parent or parent,
        role=type,
        parts=parts,
        time_ns=_read_time_member(value, left, "timestamp"),
        session=_read_text_member(value, left, "sessionId"),
        flags=_read_flags(value, left),
        model=model,
        usage=usage,
        api_message=api_id,
        follows=_read_text_member(value, left, "logicalParentUuid"),
        agent=_read_text_member(value, left, "agentId"),
        context=_read_context(value, left),
        todos=_take_todos(left) if "todos" in left else None,
        thinking=_take_thinking(left) if "thinkingMetadata" in left else None,
        extra=left,
    )


def _read_text_member(value: Object, left: Object, key: str) -> str | None:
    item = value.get(key)
    if item is None or isinstance(item, str):
        return item
    left[key] = item
    return None


def _read_time_member(value: Object, left: Object, key: str) -> int | None:
    stamp = value.get(key)
    time = from_iso(stamp) if isinstance(stamp, str) else None
    if time is None and stamp is not None:
        left[key] = stamp
    return time


def _read_flags(value: Object, left: Object) -> frozenset[str]:
    side = value.get("isSidechain")
    if "isMeta" not in value and "isApiErrorMessage" not in value:
        if side is False or side is None:
            return NO_FLAGS
        if side is True:
            return _SIDE
    flags = set()
    for key, flag in FLAGS.items():
        item = value.get(key)
        if item is True:
            flags.add(flag)
        elif item is not None and item is not False:
            left[key] = item
    return frozenset(flags)


def _read_context(value: Object, left: Object) -> Context | None:
    found = (
        value.get("cwd"),
        value.get("gitBranch"),
        value.get("userType"),
        value.get("version"),
    )
    try:
        known = _contexts.get(found)
    except TypeError:  # not hashable, so not text
        known = None
    if known is not None:
        return known
    names = ("cwd", "gitBranch", "userType", "version")
    cwd, branch, user, version = (_read_text_member(value, left, name) for name in names)
    if cwd is branch is user is version is None:
        return None
    made = Context(cwd=cwd, git_branch=branch, user_type=user, version=version)
    if len(_contexts) < MOST_CONTEXTS and found == (cwd, branch, user, version):
        _contexts[found] = made
    return made


def _read_usage(api: Object, rest: Object) -> Usage | None:
    found = api["usage"]
    if not isinstance(found, dict):
        rest["usage"] = found
        return None
    counts = list(map(found.get, USAGE))
    for count in counts:
        if type(count) is not int and count is not None:
            rest["usage"] = found
            return None
    if len(found) > len(USAGE) - counts.count(None):
        more = {key: item for key, item in found.items() if key not in _USAGE}
        if more:
            rest["usage"] = more
    return Usage(*[count or 0 for count in counts])  # type: ignore[arg-type]


def _read_parts(api: Object, rest: Object, value: Object, left: Object) -> tuple[Part, ...]:
    content = api.get("content")
    detail = value.get("toolUseResult")
    if isinstance(content, list):
        if left.get("isCompactSummary") is True and detail is None and len(content) == 1:
            return (_read_summary(content[0], left),)
        if detail is not None and not (len(content) == 1 and _is_result(content[0])):
            left["toolUseResult"] = detail
            detail = None
        return parse_blocks(content, detail)
    if detail is not None:
        left["toolUseResult"] = detail
    if isinstance(content, str):
        return (_read_text(content, left),)
    if content is not None:
        rest["content"] = content
    return ()


def _read_summary(block: Json, left: Object) -> Part:
    """Return the summary of a compaction in a block."""
    part = parse_block(block)
    return _read_text(part.text, left) if isinstance(part, Text) and not part.extra else part


def _is_result(block: Json) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_result"


def _read_text(content: str, left: Object) -> Part:
    if left.get("isCompactSummary") is True:
        del left["isCompactSummary"]
        return Event("summary", content)
    return parse_command(content) or Text(content)


def parse_command(content: str) -> Event | None:
    """Return a slash command or its output, if the text has the tags that record it, or None."""
    found = _COMMAND.match(content) if "<" in content[:40] else None
    if found is None:
        return None
    if not found.group(1).startswith("command-"):
        return Event("command_output", content)
    tags = {name.removeprefix("command-"): text for name, text in _TAG.findall(content)}
    return Event("command", content, tags)


def _read_plain_text(left: Object) -> tuple[Part, ...]:
    """Return the parts of a line whose message is plain text."""
    said = left.get("message")
    if not isinstance(said, str):
        return ()
    del left["message"]
    return (Text(said),)


def _read_system_parts(left: Object, type: str) -> tuple[Part, ...]:
    """Return the parts of a line without an API message."""
    content, subtype = left.get("content"), left.get("subtype")
    if type != "system" or not (content is None or isinstance(content, str)):
        return ()
    left.pop("content", None)
    if not isinstance(subtype, str) or subtype == PLAIN_NOTE:
        return () if content is None else (Text(content),)
    del left["subtype"]
    data = left.pop("compactMetadata", None) if subtype in BOUNDARIES else None
    return (Event(BOUNDARIES.get(subtype, subtype), content, data),)


def _take_todos(left: Object) -> tuple[Todo, ...] | None:
    found = left["todos"]
    if not isinstance(found, list):
        return None
    todos = []
    for each in found:
        rest = each.copy() if isinstance(each, dict) else {}
        content, status = take_text(rest, "content"), take_text(rest, "status")
        if content is None or status is None:
            return None
        todos.append(Todo(content, status, take_text(rest, "activeForm"), rest))
    del left["todos"]
    return tuple(todos)


def _take_thinking(left: Object) -> ThinkingSetting | None:
    found = left["thinkingMetadata"]
    if not isinstance(found, dict):
        return None
    rest = found.copy()
    level, disabled = take_text(rest, "level"), take_flag(rest, "disabled")
    triggers = rest.get("triggers")
    texts: list[str] = []
    if isinstance(triggers, list) and all(isinstance(each, str) for each in triggers):
        texts = [each for each in triggers if isinstance(each, str)]
        del rest["triggers"]
    del left["thinkingMetadata"]
    return ThinkingSetting(level=level, disabled=disabled, triggers=tuple(texts), extra=rest)


def _take_time(left: Object, key: str) -> int | None:
    stamp = left.pop(key, None)
    time = from_iso(stamp) if isinstance(stamp, str) else None
    if time is None and stamp is not None:
        left[key] = stamp
    return time


def _read_head(value: Object, type: str) -> Head:
    left = value.copy()
    del left["type"]
    title = take_text(left, TITLES[type])
    leaf = take_text(left, "leafUuid")
    time = _take_time(left, "timestamp")
    return Head(kind=type, title=title, leaf=leaf, time_ns=time, extra=left)


def _read_snapshot(record: Record, value: Object) -> Entry:
    left = value.copy()
    del left["type"]
    message = take_text(left, "messageId")
    update = take_flag(left, "isSnapshotUpdate")
    inner = left.get("snapshot")
    if not isinstance(inner, dict):
        return make_opaque(record, "file-history-snapshot")
    rest = inner.copy()
    if rest.get("messageId") == message:
        rest.pop("messageId", None)
    time = _take_time(rest, "timestamp")
    backups = rest.get("trackedFileBackups")
    files: dict[str, FileState] = {}
    if isinstance(backups, dict) and all(isinstance(each, dict) for each in backups.values()):
        files = {
            path: _read_file_state(each) for path, each in backups.items() if isinstance(each, dict)
        }
        del rest["trackedFileBackups"]
    if rest:
        left["snapshot"] = rest
    else:
        del left["snapshot"]
    return Snapshot(message=message, time_ns=time, update=update, files=files, extra=left)


def _read_file_state(value: Object) -> FileState:
    left = value.copy()
    absent = "backupFileName" in left and left["backupFileName"] is None
    backup = take_text(left, "backupFileName")
    version = left.get("version")
    if type(version) is int:
        del left["version"]
    else:
        version = None
    time = _take_time(left, "backupTime")
    return FileState(backup=backup, absent_before=absent, version=version, time_ns=time, extra=left)


_TICKS = re.compile("`{3,}")


def remove_surrogates(text: str) -> str:
    """Return a text without surrogates: a request that holds one is refused."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def describe_part(part: Part) -> str:
    """Return a part as readable text."""
    match part:
        case Text():
            return remove_surrogates(part.text)
        case Thinking():
            return (
                f"> **Thinking**\n{_quote_lines(remove_surrogates(part.text))}"
                if part.text.strip()
                else ""
            )
        case ToolCall():
            block = _fence_block(format_json(part.input), "json")
            return f"**Call: {remove_surrogates(part.name)}**\n{block}"
        case ToolResult():
            head = "**Error**" if part.error else "**Result**"
            return "\n".join(
                [head, *(_fence_block(describe_part(each), "text") for each in part.output)]
            )
        case Attachment():
            return _describe_attachment(part)
        case Artifact():
            return remove_surrogates(part.content or part.title or "**Artifact**")
        case Event():
            return (
                remove_surrogates(part.text)
                if part.text
                else f"*Event: {remove_surrogates(part.kind)}*"
            )
        case UnknownPart():
            block = _fence_block(format_json(part.value), "json")
            return f"**Unknown: {remove_surrogates(part.kind)}**\n{block}"
        case _:
            assert_never(part)


def format_json(value: Json) -> str:
    """Return a value as text for a message."""
    return remove_surrogates(encode_json(value).decode())


def _describe_attachment(part: Attachment) -> str:
    name = f": {remove_surrogates(part.name)}" if part.name else ""
    media = f" ({remove_surrogates(part.media_type)})" if part.media_type else ""
    # A data URL is content, not an address, and is not readable.
    is_place = part.url and not part.url.lower().startswith("data:")
    return f"[Attachment{name}{media}]" + (
        f"({remove_surrogates(part.url or '')})" if is_place else ""
    )


def _quote_lines(text: str) -> str:
    return "> " + text.replace("\n", "\n> ")


def _fence_block(inside: str, language: str) -> str:
    ticks = "`" * (1 + max((len(each) for each in _TICKS.findall(inside)), default=2))
    return f"{ticks}{language}\n{inside}\n{ticks}"


def make_opening_entries(about: ConversationInfo) -> Sequence[Entry]:
    """Return the line that names the conversation; its parent is the last message."""
    if not about.title or not about.title.strip() or about.leaf is None:
        return ()
    return (Head(kind="summary", title=remove_surrogates(about.title), leaf=about.leaf),)


def make_name_line(about: ConversationInfo) -> Iterator[Item]:
    """Yield the line that names a conversation without messages, as renaming a session does."""
    if about.title and about.title.strip():
        value: Json = {
            "type": "custom-title",
            "customTitle": remove_surrogates(about.title),
            "sessionId": about.session,
        }
        yield Item(None, value, changed=True)


def move_title_last(items: Iterator[Item], about: ConversationInfo) -> Iterator[Item]:
    """Yield the lines, with the line that names the conversation after all others.

    Only then it is known which messages were written: if its intended parent was not, the last
    message that was becomes its parent.
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


def adopt_other(entry: Head | Snapshot | Opaque, about: ConversationInfo) -> Entry | None:
    """Return an entry that is not a message as Claude Code writes it, or None."""
    match entry:
        case Head():
            return _adopt_title(entry, about)
        case Snapshot():
            return _adopt_snapshot(entry, about)
        case Opaque():
            return None


def _adopt_title(head: Head, about: ConversationInfo) -> Entry | None:
    """Return a title of the whole session; summaries of messages elsewhere are embedded."""
    if head.kind not in TITLES or head.kind == "summary" or not head.title:
        return None
    return Head(
        kind=head.kind, title=remove_surrogates(head.title), extra={"sessionId": about.session}
    )


def _adopt_snapshot(snapshot: Snapshot, about: ConversationInfo) -> Entry | None:
    if snapshot.message is None:
        return None
    time = snapshot.time_ns if snapshot.time_ns is not None else about.updated or 0
    files = {
        path: _adopt_file_state(state, time)
        for path, state in snapshot.files.items()
        # Without a backup, only a file that did not exist can be undone; null for any other would
        # have it deleted.
        if state.backup is not None or state.absent_before
    }
    return Snapshot(
        message=snapshot.message,
        time_ns=_truncate_to_millis(time),
        update=snapshot.update,
        files=files,
    )


def _adopt_file_state(state: FileState, time: int) -> FileState:
    return FileState(
        backup=state.backup,
        absent_before=state.backup is None,
        version=1 if state.version is None else state.version,
        time_ns=_truncate_to_millis(time if state.time_ns is None else state.time_ns),
    )


def _truncate_to_millis(time: int) -> int:
    return time - time % MILLI


AROUND = frozenset(
    {
        "role",
        "id",
        "type",
        "model",
        "usage",
        "content",
        "stop_reason",
        "stop_sequence",
        "stop_details",
        "container",
        "context_management",
        "diagnostics",
    }
)
"""Members of an API message other than its text."""


def describe_line(value: Json) -> Json:
    """Return the content of a line as written; unknown members may be part of it."""
    if not isinstance(value, dict):
        return None
    if value.get("message") is None:
        return {key: item for key, item in value.items() if key not in KNOWN}
    message = value["message"]
    if not isinstance(message, dict):
        return message
    return message.get("content") or {
        key: item for key, item in message.items() if key not in AROUND
    }
