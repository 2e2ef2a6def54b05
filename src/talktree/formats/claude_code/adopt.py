"""Messages from other formats as lines that Claude Code accepts as its own.

No clock and no random numbers are used, so the line is always the same.
"""

from __future__ import annotations

import re
from hashlib import blake2b

from msgspec.structs import replace

from talktree.formats.claude_code.adopt_parts import (
    NOTHING_SAID,
    accept_assistant_parts,
    accept_file,
    accept_user_parts,
    is_sound,
)
from talktree.formats.claude_code.lens import (
    BOUNDARIES,
    PLAIN_NOTE,
    describe_part,
    parse_command,
    remove_surrogates,
)
from talktree.formats.format import ConversationInfo
from talktree.model.message import (
    ERROR,
    META,
    Context,
    Message,
    ThinkingSetting,
    Todo,
    Usage,
)
from talktree.model.parts import (
    NOTHING,
    Attachment,
    Event,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from talktree.text.json.value import Json
from talktree.text.times import MILLI

VERSION = "2.1.29"
"""The version of Claude Code after whose lines these are modelled."""
NO_MODEL = "<synthetic>"
"""The model that Claude Code names for an answer that no model gave."""
SPEAKING = frozenset({"local_command", "away_summary"})
"""Other kinds of system lines that hold only text."""
STATUSES = frozenset({"pending", "in_progress", "completed"})
_VERSION = re.compile(r"\d+\.\d+\.\d+[\w.+-]*", re.ASCII)
_COMMAND = re.compile(r"/([\w:.-]+)(?:\s+(.*))?", re.DOTALL)

OWN = frozenset({"level", "disabled", "triggers"})
"""The members of a thinking setting."""


def has_place(part: Part) -> bool:
    """Whether there is a line that could hold a part, regardless of the role."""
    match part:
        case Text() | ToolCall() | ToolResult():
            return True
        case Thinking(text=text, signature=signature):
            return bool(text.strip() and signature)
        case Attachment():
            return accept_file(part) is not None
        case Event(kind="summary"):
            return bool(part.text and part.text.strip())
        case Event(kind="command" | "command_output", text=str(text)):
            return isinstance(_format_command(part, text), Event)
        case Event(kind=kind):
            return kind in BOUNDARIES.values() or kind in SPEAKING
        case _:
            return False


def adopt_message(message: Message, about: ConversationInfo, *, moment: int) -> Message:
    """Return the message with all members of Claude Code's own lines, and no refused block."""
    time = moment if message.time_ns is None else message.time_ns
    line = replace(
        message,
        session=about.session,
        time_ns=time - time % MILLI,
        context=_complete_context(message.context, about.context),
        todos=None if message.todos is None else tuple(map(_complete_todo, message.todos)),
        thinking=_clean_setting(message.thinking),
    )
    if _is_for_the_user(line):
        return _adopt_prompt(line)
    return _adopt_reply(line) if line.role == "assistant" else _adopt_note(line)


def _is_for_the_user(message: Message) -> bool:
    """Whether the message becomes a user line, regardless of its role."""
    match message.role, message.parts:
        case "user", _:
            return True
        case _, (Event(kind="command", text=str(text)),):
            return _COMMAND.fullmatch(text.strip()) is not None
        case "system", parts:
            # A system line is one text; a message with more is sent to the model as hidden context.
            said = [part for part in parts if not isinstance(part, Text) or part.text.strip()]
            return len(said) > 1 or any(isinstance(part, ToolResult) for part in parts)
        case _:
            return False


# roles


def _adopt_reply(message: Message) -> Message:
    parts = accept_assistant_parts(message)
    calls = any(isinstance(part, ToolCall) for part in parts)
    made: dict[str, Json] = {
        "type": "message",
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
    }
    own = message.extra.get("message")
    return replace(
        message,
        parts=parts,
        model=message.model or NO_MODEL,
        usage=message.usage or Usage(),
        api_message=message.api_message or _make_api_id(message.id),
        extra={**message.extra, "message": {**made, **own} if isinstance(own, dict) else made},
    )


def _make_api_id(id: str) -> str:
    return "msg_" + blake2b(id.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _adopt_prompt(message: Message) -> Message:
    line = replace(message, role="user", model=None, usage=None, api_message=None)
    match message.parts:
        case (Event(kind="summary", text=str(text)),) if text.strip():
            extra = {"isVisibleInTranscriptOnly": True, **message.extra}
            return replace(line, parts=(Event("summary", remove_surrogates(text)),), extra=extra)
        case (Event(kind="command" | "command_output", text=str(text)) as event,):
            return replace(line, parts=(_format_command(event, remove_surrogates(text)),))
        case parts:
            brings = any(isinstance(part, ToolResult) for part in parts)
            hidden = message.role == "system" and not brings
            flags = message.flags | {META} if hidden else message.flags
            return replace(line, parts=accept_user_parts(message), flags=flags)


def _format_command(event: Event, text: str) -> Part:
    """Return a slash command in the tags that Claude Code puts around it."""
    found = _COMMAND.fullmatch(text.strip()) if event.kind == "command" else None
    if found is not None:
        name, given = found[1], (found[2] or "").strip()
        text = "\n".join(
            (
                f"<command-name>/{name}</command-name>",
                f"<command-message>{name}</command-message>",
                f"<command-args>{given}</command-args>",
            )
        )
    return parse_command(text) or Text(text if text.strip() else NOTHING_SAID)


def _adopt_note(message: Message) -> Message:
    """Return a system line: a boundary if it follows another message, or text."""
    line = replace(message, role="system", model=None, usage=None, api_message=None)
    level = "error" if ERROR in message.flags else "info"
    match message.parts:
        case (Event(kind=kind) as event,) if kind in BOUNDARIES.values() and message.follows:
            text = event.text if event.text and event.text.strip() else "Conversation compacted"
            found = Event(kind, remove_surrogates(text), _complete_compaction(event.data))
            return replace(line, parts=(found,), extra={"level": level, **message.extra})
        case (Event(kind=kind, text=str(text)),) if kind in SPEAKING and text.strip():
            found = Event(kind, remove_surrogates(text))
            return replace(line, parts=(found,), extra={"level": level, **message.extra})
        case parts:
            extra = {"subtype": PLAIN_NOTE, "level": level, **message.extra}
            words = next(
                (text for part in parts if (text := describe_part(part)).strip()), NOTHING_SAID
            )
            return replace(line, parts=(Text(words),), extra=extra)


def _complete_compaction(data: Json) -> Json:
    known = data if isinstance(data, dict) and is_sound(data) else {}
    return {"trigger": "manual", "preTokens": 0, **known}


# members of every line


def _complete_context(own: Context | None, first: Context | None) -> Context:
    own, first = own or Context(), first or Context()
    version = own.version or first.version or ""
    return Context(
        cwd=own.cwd or first.cwd or "",
        git_branch=own.git_branch or first.git_branch or "",
        user_type="external",
        version=version if _VERSION.fullmatch(version) else VERSION,
    )


def _complete_todo(todo: Todo) -> Todo:
    return Todo(
        todo.content or NOTHING_SAID,
        todo.status if todo.status in STATUSES else "pending",
        todo.active_form or todo.content or NOTHING_SAID,
    )


def _clean_setting(setting: ThinkingSetting | None) -> ThinkingSetting | None:
    """Return the setting without members that cannot be read back unchanged.

    Among these are members with one of our names whose value another format could not read.
    """
    if setting is None or (is_sound(dict(setting.extra)) and OWN.isdisjoint(setting.extra)):
        return setting
    return replace(setting, extra=NOTHING)
