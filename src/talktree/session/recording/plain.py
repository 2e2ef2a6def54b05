"""Lines of messages that are nothing but words, written by a typed encoder.

Nearly all of a busy session's lines are like that. What comes out is byte for byte what the format
itself writes; everything else, and whatever the encoder refuses, goes that way.
"""

from __future__ import annotations

from msgspec import UNSET, Raw, Struct, UnsetType
from msgspec.json import Encoder

from talktree.formats.sage import FORMAT
from talktree.formats.sage.lens_members import context_value, todos_value
from talktree.formats.sage.write import strict
from talktree.model.message import NO_FLAGS, Context, Message, ThinkingSetting, Todo
from talktree.model.parts import Text
from talktree.text.json_write import encode_new
from talktree.text.times import to_iso

PLAIN = frozenset({"user", "assistant", "system"})


class _Said(Struct, gc=False):
    role: str
    content: str


class _Usage(Struct, gc=False):
    inputTokens: int
    outputTokens: int
    cacheReadTokens: int
    cacheWriteTokens: int


class _Thinking(Struct, gc=False):
    level: str | UnsetType
    disabled: bool
    triggers: tuple[str, ...]


class _Line(Struct, gc=False):
    type: str
    uuid: str
    parentUuid: str | None
    timestamp: str
    sessionId: str
    version: str
    context: Raw
    message: _Said
    usage: _Usage | UnsetType
    thinkingMetadata: _Thinking | UnsetType
    todos: Raw
    isSidechain: bool


_put = FORMAT.lens.put
_encode = Encoder().encode


class Lines:
    """Writes messages; what is the same for many in a row is written once."""

    def __init__(self) -> None:
        self._context: tuple[Context, Raw] | None = None
        self._todos: tuple[tuple[Todo, ...], Raw] = ((), Raw(b"[]"))
        self._time = (0, to_iso(0))

    def line(self, message: Message) -> bytes:
        """A message as it is written, such that every reader of JSON takes it."""
        match message.parts:
            case (Text(text=words, extra=extra),) if not extra and _is_plain(message):
                try:
                    return _encode(self._plain(message, words))
                except (TypeError, ValueError):
                    # Half of a character among its words.
                    pass
        return encode_new(_put(strict(message), None))

    def _plain(self, message: Message, words: str) -> _Line:
        context, usage, thinking = message.context, message.usage, message.thinking
        assert context is not None
        assert message.time_ns is not None
        assert message.todos is not None
        if self._context is None or self._context[0] is not context:
            self._context = context, Raw(encode_new(context_value(context, {})))
        if self._time[0] != message.time_ns:
            self._time = message.time_ns, to_iso(message.time_ns)
        if self._todos[0] is not message.todos:
            self._todos = message.todos, Raw(encode_new(todos_value(message.todos)))
        return _Line(
            message.role,
            message.id,
            message.parent,
            self._time[1],
            message.session or "",
            context.version or "",
            self._context[1],
            _Said(message.role, words),
            UNSET
            if usage is None
            else _Usage(usage.input, usage.output, usage.cache_read, usage.cache_write),
            UNSET if thinking is None else _thinking(thinking),
            self._todos[1],
            False,
        )


def _is_plain(message: Message) -> bool:
    return message.role in PLAIN and message.flags is NO_FLAGS and not message.extra


def _thinking(setting: ThinkingSetting) -> _Thinking:
    if setting.extra:
        raise TypeError
    return _Thinking(setting.level or UNSET, setting.disabled, setting.triggers)
