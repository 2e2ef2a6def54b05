"""Text of parts: of calls, tool results and commands.

Images and other data are not text. Nothing here recurses.

Also the tag words of a piece; each set of them is built once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Protocol

from talktree.library.fulltext.tokenizer import tag_words
from talktree.model.derived import TODO_TOOLS, normalize_tool_name, read_written_todos
from talktree.model.message import Todo
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
from talktree.text.json.value import Json

FILE_NAMES = ("file_path", "path", "notebook_path")
"""Members of a call's input that name a file."""
SILENT = frozenset(
    {
        "type",
        "id",
        "tool_use_id",
        "signature",
        "data",
        "media_type",
        "encrypted_content",
        "cache_control",
    }
)
"""Members of values of unknown kinds that are not text."""
ELSEWHERE = frozenset(
    {
        *SILENT,
        "originalFile",
        "originalFileContents",
        "structuredPatch",
        "oldTodos",
        "newTodos",
        "prompt",
        "agentId",
        "status",
        "mode",
        "usage",
    }
)
"""Members of a tool's structured answer that repeat its call, or are not part of the answer."""
SHORTENED = "<persisted-output>"
"""The beginning of a result whose text was too long to be sent."""
LONG = 400
"""Texts in unknown places that are this long and have no blanks may be data."""
TITLE = 100
"""Maximum characters of a title made from a prompt."""
_DATA = re.compile(rf"data:[\w.+-]+/|[A-Za-z0-9+/_=-]{{{LONG}}}")
_WRAPPERS = re.compile(
    r"</?(?:local-command-stdout|local-command-stderr|local-command-caveat"
    r"|bash-input|bash-stdout|bash-stderr)>"
)
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+", re.MULTILINE)
_FAT = re.compile(r"\*\*(?=\S)([^*\n]{1,200})(?<=\S)\*\*")
_ASIDES = re.compile(
    r"<(system-reminder|ide_[a-z_]+|local-command-caveat|user-prompt-submit-hook)>.*?(?:</\1>|\Z)",
    re.DOTALL,
)


class TaskLike(Protocol):
    """A task of a list, in any form."""

    @property
    def content(self) -> str:
        """The description of the task."""

    @property
    def status(self) -> str:
        """The progress of the task."""


def collect_words(value: Json, without: frozenset[str] = SILENT) -> list[str]:
    """Return all texts in a value in order, without data and without members that are not text."""
    found: list[str] = []
    pending = [value]
    while pending:
        here = pending.pop()
        if isinstance(here, str):
            if here and not is_data(here):
                found.append(here)
        elif isinstance(here, Mapping):
            pending += [item for key, item in here.items() if key not in without][::-1]
        elif isinstance(here, list | tuple):
            pending += here[::-1]
    return found


def is_data(text: str) -> bool:
    """Whether a text is data rather than words: a data URL, or base64."""
    return (len(text) >= LONG or text.startswith("data:")) and _DATA.match(text) is not None


def call_text(name: str, input: Json) -> str:
    """Return the text of a call: the tool and its arguments."""
    if isinstance(input, dict):
        said = [name]
        for item in input.values():
            if isinstance(item, str):
                said.append(item)
            elif isinstance(item, dict | list):
                said += _collect_values(item)
            elif item is not None:
                said.append(str(item))
        return "\n".join(said)
    return "\n".join([name, *_collect_values(input)])


def _collect_values(value: Json) -> list[str]:
    """Return all plain values in a value, in order."""
    found: list[str] = []
    pending = [value]
    while pending:
        here = pending.pop()
        if isinstance(here, str):
            if not is_data(here):
                found.append(here)
        elif isinstance(here, Mapping):
            pending += list(here.values())[::-1]
        elif isinstance(here, list | tuple):
            pending += here[::-1]
        elif here is not None:
            found.append(str(here))
    return found


def call_files(input: Json) -> str:
    """Return the files that a call names, one per line."""
    if not isinstance(input, dict):
        return ""
    found = [input[name] for name in FILE_NAMES if name in input]
    return "\n".join([name for name in found if isinstance(name, str)]) if found else ""


def todo_text(listed: Sequence[TaskLike]) -> str:
    """Return a task list as text, one task per line."""
    return "\n".join([f"{todo.status}: {todo.content}" for todo in listed])


@lru_cache(maxsize=1024)
def is_todo_tool(name: str) -> bool:
    """Whether a tool writes the task list."""
    return normalize_tool_name(name) in TODO_TOOLS


def parse_todos(name: str, input: Json) -> Sequence[Todo] | None:
    """Return the tasks in a call's input; None if they cannot be parsed."""
    return read_written_todos(ToolCall(name, input))


def result_text(part: ToolResult) -> str:
    """Return the text of a tool result; of its structured answer only if the result has no text."""
    return join_result_texts([part_text(each) for each in part.output], part.detail)


def join_result_texts(said: Sequence[str], detail: Json) -> str:
    """Return the text of a result, or that of its structured answer if it is missing."""
    text = "\n".join([each for each in said if each])
    if detail is not None and lacks_words(text):
        return "\n".join([text, *collect_words(detail, ELSEWHERE)]).strip("\n")
    return text


def lacks_words(text: str) -> bool:
    """Whether a result lacks the tool's output."""
    return not text or text.isspace() or text.startswith(SHORTENED)


def part_text(part: Part) -> str:
    """Return the text of a part that is not a call, a result or an event."""
    match part:
        case Text() | Thinking():
            return part.text
        case Attachment():
            return part.name or ""
        case Artifact():
            return "\n".join([each for each in (part.title, part.content) if each])
        case UnknownPart(kind="image"):
            return ""
        case UnknownPart():
            return "\n".join(collect_words(part.value))
        case Event():
            return event_text(part)
        case ToolCall():
            return call_text(part.name, part.input)
        case ToolResult():
            return result_text(part)


def event_text(event: Event) -> str:
    """Return a description of an event."""
    if event.kind == "command" and isinstance(event.data, Mapping):
        said = command_text(event.data)
        if said:
            return said
    return _WRAPPERS.sub(" ", event.text).strip() if event.text else ""


def command_text(tags: Mapping[str, Json]) -> str:
    """Return a slash command as it was typed."""
    name, more = tags.get("name"), tags.get("args")
    said = name if isinstance(name, str) else ""
    return f"{said} {more}" if said and isinstance(more, str) and more.strip() else said


def prompt_title(text: str) -> str:
    """Return the beginning of a prompt, on one line, without Markdown markup."""
    bare = _cut_beginning(text)
    if "#" in bare or "*" in bare or "`" in bare:
        bare = _FAT.sub(r"\1", _HEADING.sub("", bare)).replace("`", "")
    return _to_one_line(bare)


def short_title(text: str) -> str:
    """Return the beginning of a text, on one line; empty if it has only wrappers."""
    return _to_one_line(_cut_beginning(text))


def _cut_beginning(text: str) -> str:
    bare = _ASIDES.sub(" ", text) if "<" in text else text
    return bare.lstrip()[: 20 * TITLE]


def _to_one_line(text: str) -> str:
    line = " ".join(text.split())
    if len(line) <= TITLE:
        return line
    cut = line.rfind(" ", TITLE // 2, TITLE)
    return line[: cut if cut > 0 else TITLE - 1].rstrip(" ,.;:") + "…"


def replace_surrogates(text: str) -> str:
    """Return the text without surrogates, which nothing else accepts."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


@lru_cache(maxsize=65_536)
def tags_of(
    format: str,
    kind: str,
    role: str,
    tool: str | None = None,
    model: str | None = None,
    project: str | None = None,
    branch: str | None = None,
    is_: tuple[str, ...] = (),
    labels: tuple[tuple[str, str], ...] = (),
) -> str:
    """Return the words a piece is filtered by, separated by blanks; `is_` may be error, sidechain.

    Labels are names and values of what is recorded about the message.
    """
    named = {
        "format": format,
        "kind": kind,
        "role": role,
        "tool": tool,
        "model": model,
        "project": project,
        "branch": branch,
    }
    words = [word for name, value in named.items() if value for word in _tag_words(name, value)]
    words += [word for name, value in labels for word in _tag_words(name, value)]
    words += [f"is={state}" for state in is_]
    return " ".join(dict.fromkeys(words))


@lru_cache(maxsize=16_384)
def _tag_words(name: str, value: str) -> list[str]:
    """Return the words of one value; the same few values recur in ever new sets."""
    return tag_words(name, value)
