"""Writing entries as lines of Claude Code sessions."""

from __future__ import annotations

from talktree.formats.blocks import make_blocks
from talktree.formats.claude_code import lens_queued
from talktree.formats.claude_code.detect import SPOKEN
from talktree.formats.claude_code.lens import BOUNDARIES, TITLES, USAGE, get, parse_command
from talktree.formats.format import Record
from talktree.formats.lens import Object, merge_json, with_rest
from talktree.model.entries import Entry, FileState, Head, Opaque, Snapshot
from talktree.model.message import ERROR, META, SIDECHAIN, Message, ThinkingSetting, Todo
from talktree.model.parts import Event, Text, ToolResult
from talktree.text.json.value import Json
from talktree.text.times import to_iso


def put(entry: Entry, base: Record | None) -> Json:
    """Return the value of an entry, in the form of its old record if there is one."""
    if base is None:
        return write_entry(entry)
    return merge_json(base.value, write_entry(get(base)), write_entry(entry))


def write_entry(entry: Entry) -> Json:
    """Return a new line for an entry."""
    match entry:
        case Message():
            return _write_line(entry)
        case Head():
            return _write_title(entry)
        case Snapshot():
            return _write_snapshot(entry)
        case Opaque():
            kept: Json = entry.value
            return kept


def _write_line(message: Message) -> Object:
    context = message.context
    value: Object = {"parentUuid": message.parent}
    if message.follows is not None:
        value["logicalParentUuid"] = message.follows
    value["isSidechain"] = SIDECHAIN in message.flags
    if context is not None:
        _set_optional(value, "userType", context.user_type)
        _set_optional(value, "cwd", context.cwd)
    _set_optional(value, "sessionId", message.session)
    if context is not None:
        _set_optional(value, "version", context.version)
        _set_optional(value, "gitBranch", context.git_branch)
    _set_optional(value, "agentId", message.agent)
    prompt = lens_queued.make_attachment(message)
    if prompt is None:
        value["type"] = message.role
        _write_content(message, value)
    else:
        value |= {"type": lens_queued.LINE, lens_queued.LINE: prompt}
    if META in message.flags:
        value["isMeta"] = True
    if ERROR in message.flags:
        value["isApiErrorMessage"] = True
    if message.id:
        value["uuid"] = message.id
    if message.time_ns is not None:
        value["timestamp"] = to_iso(message.time_ns)
    if message.thinking is not None:
        value["thinkingMetadata"] = _write_thinking(message.thinking)
    if message.todos is not None:
        value["todos"] = [_write_todo(todo) for todo in message.todos]
    written = ("message",) if prompt is None else ("message", lens_queued.LINE)
    return with_rest(
        value, {key: item for key, item in message.extra.items() if key not in written}
    )


def _set_optional(value: Object, key: str, item: Json) -> None:
    if item is not None:
        value[key] = item


def _write_content(message: Message, value: Object) -> None:
    if message.role not in SPOKEN:
        _write_system_content(message, value)
        return
    api: Object = {}
    _set_optional(api, "model", message.model)
    _set_optional(api, "id", message.api_message)
    api["role"] = message.role
    api["content"] = _make_content(message, value)
    if message.usage is not None:
        used = message.usage
        counts = (used.input, used.output, used.cache_read, used.cache_write)
        api["usage"] = dict(zip(USAGE, counts, strict=True))
    value["message"] = _with_api_rest(api, message.extra.get("message"))


def _with_api_rest(api: Object, rest: Json) -> Object:
    if not isinstance(rest, dict):
        return api
    usage, more = api.get("usage"), rest.get("usage")
    if isinstance(usage, dict) and isinstance(more, dict):
        return {**api, **rest, "usage": {**usage, **more}}
    return {**api, **rest}


def _make_content(message: Message, value: Object) -> Json:
    results = [part for part in message.parts if isinstance(part, ToolResult)]
    if len(results) == 1 and results[0].detail is not None:
        value["toolUseResult"] = results[0].detail
    match message.parts:
        case (Event(kind="summary", text=str(text)),):
            value["isCompactSummary"] = True
            return text
        case (Event(kind="command" | "command_output", text=str(text)) as event,):
            # Only text with these tags is read as a command again.
            found = parse_command(text)
            return text if found and found.kind == event.kind else make_blocks(message.parts)
        case (Text(text=text, extra=extra),) if message.role == "user" and not extra:
            # Text that looks like a command is put into a block, so that it is not read as one.
            return make_blocks(message.parts) if parse_command(text) else text
        case parts:
            return make_blocks(parts)


def _write_system_content(message: Message, value: Object) -> None:
    words = {kind: subtype for subtype, kind in BOUNDARIES.items()}
    match message.parts:
        case (Text(text=text),):
            value["content"] = text
        case (Event() as event,):
            value["subtype"] = words.get(event.kind, event.kind)
            _set_optional(value, "content", event.text)
            _set_optional(value, "compactMetadata", event.data)
        case ():
            pass
        case parts:
            value["message"] = {"role": message.role, "content": make_blocks(parts)}
    rest = message.extra.get("message")
    if rest is not None:
        value.setdefault("message", rest)


def _write_thinking(setting: ThinkingSetting) -> Object:
    value: Object = {}
    _set_optional(value, "level", setting.level)
    if setting.level is not None or setting.disabled or not setting.extra:
        value["disabled"] = setting.disabled
    if setting.triggers or value:
        value["triggers"] = list(setting.triggers)
    return with_rest(value, setting.extra)


def _write_todo(todo: Todo) -> Object:
    value: Object = {"content": todo.content, "status": todo.status}
    _set_optional(value, "activeForm", todo.active_form)
    return with_rest(value, todo.extra)


def _write_title(head: Head) -> Object:
    value: Object = {"type": head.kind}
    if head.title is not None:
        value[TITLES.get(head.kind, "title")] = head.title
    _set_optional(value, "leafUuid", head.leaf)
    if head.time_ns is not None:
        value["timestamp"] = to_iso(head.time_ns)
    return with_rest(value, head.extra)


def _write_snapshot(snapshot: Snapshot) -> Object:
    inner: Object = {"messageId": snapshot.message}
    rest = snapshot.extra.get("snapshot")
    if isinstance(rest, dict) and "messageId" in rest:
        inner["messageId"] = rest["messageId"]
    inner["trackedFileBackups"] = {
        path: _write_file_state(state) for path, state in snapshot.files.items()
    }
    if snapshot.time_ns is not None:
        inner["timestamp"] = to_iso(snapshot.time_ns)
    if isinstance(rest, dict):
        with_rest(inner, rest)
    value: Object = {
        "type": "file-history-snapshot",
        "messageId": snapshot.message,
        "snapshot": inner,
        "isSnapshotUpdate": snapshot.update,
    }
    return with_rest(
        value, {key: item for key, item in snapshot.extra.items() if key != "snapshot"}
    )


def _write_file_state(state: FileState) -> Object:
    value: Object = {}
    if state.backup is not None or state.absent_before:
        value["backupFileName"] = state.backup
    _set_optional(value, "version", state.version)
    if state.time_ns is not None:
        value["backupTime"] = to_iso(state.time_ns)
    return with_rest(value, state.extra)
