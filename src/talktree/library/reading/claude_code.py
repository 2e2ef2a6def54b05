"""What lines of Claude Code sessions tell, straight from their bytes.

The usual lines are decoded into just the members that matter and told in a few steps; every other
line goes through the format and the model, as the general reader does it. Both tell the same.
"""

from __future__ import annotations

from typing import Annotated, Any
from zlib import crc32

import msgspec
from msgspec import Meta, Raw, Struct

from talktree.formats.claude_code.lens import command
from talktree.library.reading.claude_lines import tell_any
from talktree.library.reading.tags import tags_of
from talktree.library.reading.telling import (
    LATEST,
    MOST,
    PROMPT,
    SIDE_PROMPT,
    SYNTHETIC,
    Telling,
    group_of,
    lone_key,
    reply_key,
    stamp_of,
)
from talktree.library.reading.texts import (
    call_files,
    call_text,
    is_todo_tool,
    lacks_words,
)
from talktree.library.reading.told import (
    ERROR,
    MESSAGE,
    NODE,
    SAMPLED,
    SIDECHAIN,
    TRAIT,
    Call,
    Heading,
    Link,
    Outcome,
    Piece,
    Reply,
    Told,
    key_of,
)
from talktree.model.outline import Trait
from talktree.text.json_read import REFUSALS
from talktree.text.lines import BOM
from talktree.text.times import from_iso

SLUG = "claude-code"
SECOND = 1_000_000_000
_ABSENT = Raw()
_About = tuple[str | None, str | None, str | None, bool, bool]
"""Model, folder, branch, whether it failed, whether it is a sub-agent's."""
_Count = Annotated[int, Meta(ge=0, lt=MOST)]
SAID, REPLY, RESULT, NOTE = map(int, (Trait.SAID, Trait.REPLY, Trait.RESULT, Trait.NOTE))


class _Cache(Struct, gc=False):
    ephemeral_1h_input_tokens: _Count = 0


class _Usage(Struct, gc=False):
    input_tokens: _Count = 0
    output_tokens: _Count = 0
    cache_read_input_tokens: _Count = 0
    cache_creation_input_tokens: _Count = 0
    cache_creation: _Cache | None = None


class _Inner(Struct, gc=False):
    """A block in a tool's result."""

    type: str
    text: str | None = None
    title: Raw = _ABSENT


class _Block(Struct, gc=False):
    """A block of content with the members of all usual kinds."""

    type: str
    text: str | None = None
    thinking: str | None = None
    signature: Raw = _ABSENT
    name: str | None = None
    id: str | None = None
    input: Any = None
    tool_use_id: str | None = None
    content: str | list[_Inner] | None = None
    title: Raw = _ABSENT
    is_error: bool | None = None


class _Api(Struct, gc=False):
    id: str | None = None
    model: str | None = None
    usage: _Usage | None = None
    content: str | list[_Block] | None = None


class _Line(Struct, gc=False):
    """A line with the members that are told."""

    type: str
    uuid: str | None = None
    parentUuid: str | None = None
    timestamp: str | None = None
    sessionId: str | None = None
    cwd: str | None = None
    gitBranch: str | None = None
    agentId: str | None = None
    requestId: str | None = None
    message: _Api | None = None
    isSidechain: bool = False
    isMeta: Raw = _ABSENT
    isApiErrorMessage: Raw = _ABSENT
    isCompactSummary: Raw = _ABSENT
    logicalParentUuid: Raw = _ABSENT
    toolUseResult: Raw = _ABSENT
    todos: Raw = _ABSENT
    forkedFrom: Raw = _ABSENT


_decode = msgspec.json.Decoder(_Line).decode


def told(data: bytes, start: int = 0, heading: Heading | None = None) -> Told:
    """What whole lines tell; `start` is the place of the first in its file.

    A last line without an end is left for later. The heading is what was told of all before.
    """
    reader = _Reader(Telling(SLUG, heading))
    view = memoryview(data)
    end = data.rfind(b"\n") + 1
    at = len(BOM) if not start and data[:3] == BOM else 0
    find, take = data.find, reader.take
    while at < end:
        stop = find(b"\n", at, end) + 1
        take(view[at:stop], start + at)
        at = stop
    return reader.telling.told(end)


class _Reader:
    """Tells of lines, one after the other."""

    def __init__(self, telling: Telling) -> None:
        self.telling = telling
        self._last: tuple[str | None, int] = (None, 0)
        """The id that was hashed last, which most often is the parent of the next."""
        self._where: tuple[str | None, ...] = ()

    def take(self, raw: memoryview, at: int) -> None:
        """Tell of one line."""
        try:
            line = _decode(raw)
        except REFUSALS:
            tell_any(self.telling, bytes(raw), at)
            return
        if not self._usual(line) or not self._tell(line, raw, at):
            tell_any(self.telling, bytes(raw), at)

    def _usual(self, line: _Line) -> bool:
        """Whether nothing in a line asks for a closer look."""
        return (
            line.isMeta is _ABSENT
            and line.isApiErrorMessage is _ABSENT
            and line.isCompactSummary is _ABSENT
            and line.logicalParentUuid is _ABSENT
            and (line.todos is _ABSENT or line.todos == b"[]")
            and (line.forkedFrom is _ABSENT or self.telling.parent is not None)
        )

    def _tell(self, line: _Line, raw: memoryview, at: int) -> bool:
        """Tell of a line in the short way; False if it is not of a usual kind."""
        role, api = line.type, line.message
        if role == "user" or role == "assistant":
            if api is None:
                return False
            content = api.content
            if content.__class__ is list:
                if not all(map(_is_usual, content)) or _asks_detail(line, content):
                    return False
            elif content and "<" in content[:40] and command(content) is not None:
                return False
        elif role == "system" or line.uuid is None:
            return False
        else:
            api = None
        time = from_iso(line.timestamp) if line.timestamp is not None else None
        if time is not None and not -LATEST < time < LATEST:
            return False
        self._place(line, time)
        bits = 0
        if api is not None:
            reply = None
            if api.usage is not None and api.model != SYNTHETIC:
                reply = self._reply(line, api, api.usage, at, time)
            bits = self._content(line, api, at, time, reply)
        self._link(line, raw, at, bits, time)
        return True

    def _place(self, line: _Line, time: int | None) -> None:
        telling = self.telling
        where = (line.cwd, line.gitBranch, line.sessionId, line.agentId)
        if where != self._where:
            self._where = where
            telling.place(line.sessionId, line.agentId, line.cwd, line.gitBranch, time, None)
        elif time is not None:
            if telling.last is None or time > telling.last:
                telling.last = time
            if telling.first is None or time < telling.first:
                telling.first = time

    def _reply(self, line: _Line, api: _Api, used: _Usage, at: int, time: int | None) -> int | None:
        telling, model, cache = self.telling, api.model, used.cache_creation
        counts = (
            used.input_tokens,
            used.output_tokens,
            used.cache_read_input_tokens,
            used.cache_creation_input_tokens,
            cache.ephemeral_1h_input_tokens if cache is not None else 0,
        )
        if api.id or line.requestId:
            key = reply_key(api.id, line.requestId)
        else:
            key = lone_key(line.uuid or "", line.sessionId, time, model, counts)
        telling.replies.append(Reply(key, at, time, model, *counts, line.isSidechain))
        if model and model not in telling.models:
            telling.models[model] = None
        return key

    def _content(self, line: _Line, api: _Api, at: int, time: int | None, reply: int | None) -> int:
        """The pieces of a message, and the bits they add to its link."""
        content, role, telling = api.content, line.type, self.telling
        if content is None:
            return 0
        second = None if time is None else time // SECOND
        about = (api.model, line.cwd, line.gitBranch, False, line.isSidechain)
        if isinstance(content, str):
            if content and not content.isspace():
                tags = tags_of(SLUG, "text", role, None, *about)
                telling.pieces.append(Piece(at, "text", role, content, second, tags, ""))
                if role == "user":
                    self._prompted(content, line)
            return MESSAGE
        bits = MESSAGE if content else 0
        add = telling.pieces.append
        for block in content:
            kind = block.type
            if kind == "text" or kind == "thinking":
                text = (block.text if kind == "text" else block.thinking) or ""
                if text and not text.isspace():
                    add(
                        Piece(
                            at,
                            kind,
                            role,
                            text,
                            second,
                            tags_of(SLUG, kind, role, None, *about),
                            "",
                        )
                    )
                    if kind == "text" and role == "user":
                        self._prompted(text, line)
            elif kind == "tool_use":
                add(self._call(block, role, at, time, reply, about))
            elif kind == "tool_result":
                bits |= self._result(block, at, time, about)
        return bits

    def _prompted(self, text: str, line: _Line) -> None:
        rank = SIDE_PROMPT if line.isSidechain else PROMPT
        if self.telling.rank < rank:
            self.telling.prompted(text, rank)

    def _call(
        self,
        block: _Block,
        role: str,
        at: int,
        time: int | None,
        reply: int | None,
        about: _About,
    ) -> Piece:
        name, input = block.name or "", block.input
        if block.id:
            key = key_of(block.id)
            self.telling.calls.append(Call(key, at, time, name, reply))
            self.telling.called(key, name)
        tags = tags_of(SLUG, "call", role, name, *about)
        second = None if time is None else time // SECOND
        return Piece(at, "call", role, call_text(name, input), second, tags, call_files(input))

    def _result(self, block: _Block, at: int, time: int | None, about: _About) -> int:
        telling, tool, failed = self.telling, None, block.is_error is True
        if block.tool_use_id:
            key = key_of(block.tool_use_id)
            tool = telling.open.pop(key, None)
            telling.outcomes.append(Outcome(key, failed, time))
        text = _output(block.content)
        if text and not text.isspace():
            model, cwd, branch, _, side = about
            tags = tags_of(SLUG, "result", "tool", tool, model, cwd, branch, failed, side)
            second = None if time is None else time // SECOND
            telling.pieces.append(Piece(at, "result", "tool", text, second, tags, ""))
        return ERROR if failed else 0

    def _link(self, line: _Line, raw: memoryview, at: int, bits: int, time: int | None) -> None:
        role, uuid, parent, group = line.type, line.uuid, line.parentUuid, 0
        if role == "assistant":
            trait = REPLY
            if line.message is not None and line.message.id is not None:
                group = group_of(line.message.id)
        elif role != "user":
            trait = NOTE
        elif line.toolUseResult is not _ABSENT or b'"tool_result"' in bytes(raw[:2000]):
            trait = RESULT
        else:
            trait = SAID
        above = 0
        if parent is not None:
            last, known = self._last
            above = known if parent == last else key_of(parent)
        id = 0
        if uuid:
            id = key_of(uuid)
            self._last = (uuid, id)
            self.telling.leaf = uuid
            mark = crc32(uuid.encode())
            if not mark % SAMPLED:
                self.telling.marks.append((at, mark))
        bits |= NODE | (trait - 1) << TRAIT | line.isSidechain * SIDECHAIN
        stamp = 0 if time is None else stamp_of(time, role)
        self.telling.links.append(Link(id, above, at, bits, group, stamp))


def _is_usual(block: _Block) -> bool:
    """Whether a block is of a kind that is told in the short way."""
    kind = block.type
    if kind == "text":
        return block.text is not None
    if kind == "tool_use":
        return block.name is not None and not is_todo_tool(block.name)
    if kind == "thinking":
        return block.thinking is not None and bytes(block.signature)[:1] in (b"", b'"', b"n")
    if kind == "tool_result":
        content = block.content
        return content.__class__ is not list or all(map(_is_plain, content))  # type: ignore[arg-type]
    return kind == "image" and block.title is _ABSENT


def _is_plain(inner: _Inner) -> bool:
    """Whether a block in a result is text, or a picture without a name."""
    if inner.type == "text":
        return inner.text is not None
    return inner.type == "image" and inner.title is _ABSENT


def _asks_detail(line: _Line, content: list[_Block]) -> bool:
    """Whether the words of a result stand in the tool's structured answer."""
    if line.toolUseResult is _ABSENT or len(content) != 1 or content[0].type != "tool_result":
        return False
    return lacks_words(_output(content[0].content))


def _output(content: str | list[_Inner] | None) -> str:
    """The words of a tool's result."""
    if isinstance(content, str):
        return content
    return "\n".join([each.text for each in content if each.text]) if content else ""
