"""The transcript of a branch: who said what, tools folded, everything marked that is special.

Lines come out as the messages are read; nothing is held but the turn at hand.

Messages with each tool result moved to the call it answers, as a stream.

Messages as people read them, where the texts of a format hold more than words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from msgspec import Struct

from talktree.errors import NotFound
from talktree.formats import by_slug
from talktree.model.compaction import COMPACTIONS
from talktree.model.conversation import Conversation
from talktree.model.derived import todos_of
from talktree.model.message import META, Message, Todo
from talktree.model.pairing import Turn
from talktree.model.parts import Event, Part, Text, Thinking, ToolCall, ToolResult
from talktree.model.skeleton import ROOT
from talktree.model.tree import Branch
from talktree.views.compactions import compaction_text
from talktree.views.ids import ShortIds
from talktree.views.lines import EMPTY, Line, indented, line
from talktree.views.parts import is_filler, part_line
from talktree.views.speakers import speaker_in
from talktree.views.todos import checklist
from talktree.views.tools import call_lines, result_lines
from talktree.views.width import cells, counted, moment, one_line, wrapped

_TOOL_PARTS = (ToolCall, ToolResult)
_NOTHING: dict[int, Any] = {}
MOST_HELD = 64
"""Messages held back while a result is awaited; a later result is shown by itself."""


class Step(NamedTuple):
    """A message, the results of its calls, and which of its parts are shown elsewhere."""

    position: int
    message: Message
    answers: Mapping[int, ToolResult]
    """Results by the number of the calling part."""
    elsewhere: frozenset[int]
    names: Mapping[int, str]
    """Tool names of results that are shown here, by the number of the part."""


def fold(messages: Iterable[tuple[int, Message]]) -> Iterator[Step]:
    """The messages in order, results folded into their calls."""
    turn = Turn()
    held: list[tuple[int, Message]] = []
    for position, message in messages:
        if not held and not any(isinstance(part, _TOOL_PARTS) for part in message.parts):
            yield Step(position, message, _NOTHING, frozenset(), _NOTHING)
            continue
        if held and (turn.ends_before(message) or len(held) >= MOST_HELD):
            yield from _released(held, turn)
        held.append((position, message))
        turn.take(message)
        if turn.complete:
            yield from _released(held, turn)
    yield from _released(held, turn)


def _released(held: list[tuple[int, Message]], turn: Turn) -> Iterator[Step]:
    here = {message.id: message for _, message in held}
    answers: dict[str, dict[int, ToolResult]] = {}
    moved: dict[str, set[int]] = {}
    names: dict[str, dict[int, str]] = {}
    for call, result in turn.close():
        part = here[result.message].parts[result.part]
        assert isinstance(part, ToolResult)
        if call is not None and call.message in here:
            answers.setdefault(call.message, {})[call.part] = part
            moved.setdefault(result.message, set()).add(result.part)
        else:
            name = part.name or (call.name if call is not None else "")
            names.setdefault(result.message, {})[result.part] = name
    for position, message in held:
        yield Step(
            position,
            message,
            answers.get(message.id, {}),
            frozenset(moved.get(message.id, ())),
            names.get(message.id, {}),
        )
    held.clear()


def as_read(format: str) -> Callable[[Message], Message]:
    """What makes a message of a format readable; the parts stay in their places."""
    return _of(format) or _as_it_is


@cache
def _of(format: str) -> Callable[[Message], Message] | None:
    try:
        return by_slug(format).readable
    except NotFound:
        return None


def _as_it_is(message: Message) -> Message:
    return message


RULE = 64
MOST_NAMED = 6


class Look(Struct, frozen=True, kw_only=True):
    """What a transcript shows."""

    tools: bool = True
    thinking: bool = False
    full: bool = False
    """Nothing is cut."""
    width: int | None = None
    """Where text is wrapped; None leaves lines as they are."""


class Transcript:
    """Branches of one conversation as lines."""

    def __init__(self, conversation: Conversation, look: Look) -> None:
        self._conversation = conversation
        self._look = look
        self._short = ShortIds(conversation)
        self._speaker = ""
        self._todos: Sequence[Todo] = ()

    def branch(self, positions: Sequence[int]) -> Iterator[Line]:
        """The messages at these positions."""
        self._speaker = ""
        self._todos = ()
        entries = self._conversation.entries_at(positions)
        read = as_read(self._conversation.format)
        spoken = (
            (position, read(entry))
            for position, entry in zip(positions, entries, strict=True)
            if isinstance(entry, Message)
        )
        on_line = set(positions)
        for step in fold(spoken):
            yield from self._step(step)
            yield from self._ways_on(step.position, on_line)

    # one message

    def _step(self, step: Step) -> Iterator[Line]:
        shown = list(self._body(step))
        todos = self._new_todos(step.message)
        if not shown and not todos:
            return
        if self._is_divider(step.message):
            yield EMPTY
            yield from shown
            self._speaker = ""
            return
        if shown:
            yield from self._heading(step.message)
            yield from indented(shown)
        if todos:
            yield EMPTY
            yield from indented(checklist(todos))

    def _is_divider(self, message: Message) -> bool:
        return bool(message.parts) and all(_divides(part) for part in message.parts)

    def _heading(self, message: Message) -> Iterator[Line]:
        """Who speaks; silent while the same speaker goes on working."""
        name = speaker_in(self._conversation.format, message)
        says = any(isinstance(part, Text) and part.text for part in message.parts)
        if name == self._speaker and not says:
            yield EMPTY
            return
        self._speaker = name
        styles = {"user": "user", "assistant": "agent"}
        named = [author.name for author in message.authors[:3]]
        authors = ", ".join(each for each in named if each.lower() != name.lower())
        flags = " ".join(f"[{flag}]" for flag in sorted(message.flags))
        yield EMPTY
        yield line(
            (one_line(name, 40), styles.get(message.role, "other")),
            (f" ({one_line(authors, 60)})" if authors else "", ""),
            (f" {flags}" if flags else "", "mark"),
            (f"  {moment(message.time_ns)}" if message.time_ns is not None else "", "faint"),
            (f"  {self._short(message.id)}", "faint"),
        )

    def _body(self, step: Step) -> Iterator[Line]:
        """The parts one after the other, the larger ones set apart."""
        tall_before = False
        above = is_filler(step.message, 0)
        for number, part in enumerate(step.message.parts[above:], above):
            block = list(self._part(step, number, part))
            tall = len(block) > 1 or isinstance(part, Text | ToolCall)
            if number > above and block and (tall or tall_before):
                yield EMPTY
            yield from block
            tall_before = tall if block else tall_before

    def _part(self, step: Step, number: int, part: Part) -> Iterable[Line]:
        look = self._look
        match part:
            case Text():
                return self._words(part.text, step.message)
            case Thinking():
                return self._thoughts(part)
            case ToolCall() if look.tools:
                return call_lines(part, step.answers.get(number), full=look.full)
            case ToolResult() if look.tools and number not in step.elsewhere:
                return result_lines(part, step.names.get(number, ""), full=look.full)
            case ToolCall() | ToolResult():
                return ()
            case Event() if part.kind in COMPACTIONS:
                return (divider(compaction_text(part)),)
            case Event(text=None, data=None) if not look.full:
                # That a hook ran or a turn ended is no news to anybody who reads along.
                return ()
            case Event(kind="summary", text=str(text)):
                return (line(("summary", "mark")), *self._words(text, step.message))
            case _:
                return (part_line(part),)

    def _words(self, text: str, message: Message) -> Iterator[Line]:
        look = self._look
        if not text:
            yield line(("(empty)", "faint"))
            return
        if META in message.flags and not look.full:
            yield line((one_line(text, 100), "faint"))
            return
        width = None if look.width is None else look.width - 2
        for each in wrapped(text, width):
            yield line(each) if each else EMPTY

    def _thoughts(self, part: Thinking) -> Iterator[Line]:
        if not self._look.thinking or not part.text:
            yield part_line(part)
            return
        yield line(("thinking", "mark"))
        width = None if self._look.width is None else self._look.width - 4
        for each in wrapped(part.text, width):
            yield line("  ", (each, "faint"))

    def _new_todos(self, message: Message) -> Sequence[Todo]:
        """Tasks that a message carries beside its parts, if they changed."""
        now = todos_of(message)
        if now is None:
            return ()
        before, self._todos = self._todos, now
        return now if message.todos is not None and tuple(now) != tuple(before) else ()

    # where it branches

    def _ways_on(self, position: int, on_line: set[int]) -> Iterator[Line]:
        tree = self._conversation.tree
        for start in tree.sidechains(position):
            if start not in on_line:
                yield from self._sidechain(start)
        onward = [each for each in tree.continuations(position) if each not in on_line]
        taken = len(tree.continuations(position)) - len(onward)
        if onward and taken:
            ends = [self._leaf(start) for start in onward[:MOST_NAMED]]
            more = f" and {len(onward) - MOST_NAMED:,} more" if len(onward) > MOST_NAMED else ""
            what = counted(len(onward), "other branch", "other branches")
            yield line("  ", (f"⑂ {what} from here: {', '.join(ends)}{more}", "mark"))

    def _sidechain(self, start: int) -> Iterator[Line]:
        count = sum(1 for _ in self._conversation.tree.line(start))
        told = f"sidechain of {counted(count, 'message')}: --branch {self._leaf(start)}"
        yield line("  ", (f"↳ {told}", "mark"))

    def _leaf(self, start: int) -> str:
        end = self._conversation.tree.end_of(start)
        return self._short(self._conversation.skeleton.ids[end])


def _divides(part: Part) -> bool:
    return isinstance(part, Event) and part.kind in COMPACTIONS


def divider(text: str) -> Line:
    """A line across, with words in it."""
    words = f"── {text} "
    return line((words + "─" * max(2, RULE - cells(words)), "mark"))


def own_positions(conversation: Conversation, branch: Branch) -> list[int]:
    """The positions that belong to a branch and no other, asides included."""
    fork = ROOT if branch.fork is None else conversation.position(branch.fork)
    return conversation.tree.along(
        _line_from(conversation, conversation.position(branch.leaf), fork)
    )


def through(conversation: Conversation, id: str) -> list[int]:
    """The path through a message and on to the end of its line; of a sidechain only itself."""
    leaf = conversation.tree.end_of(conversation.position(id))
    if not conversation.skeleton.sidechain[leaf]:
        return conversation.tree.path(leaf)
    return conversation.tree.along(_line_from(conversation, leaf, ROOT))


def _line_from(conversation: Conversation, leaf: int, fork: int) -> list[int]:
    """From behind a fork, or from the start of the sidechain, to a leaf."""
    tree, parents = conversation.tree, conversation.skeleton.parents
    line: list[int] = []
    here = leaf
    while here not in (ROOT, fork):
        line.append(here)
        if tree.starts_sidechain(here):
            break
        here = parents[here]
    line.reverse()
    return line
