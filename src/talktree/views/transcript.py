"""The transcript of a branch: each message with its speaker, tools folded, special ones marked.

Lines are made as the messages are read; only the current turn is held in memory.

Also: messages with each tool result moved to its call, as a stream, and messages without the markup
that some formats add to their texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from msgspec import Struct

from talktree.errors import NotFound
from talktree.formats import get_format
from talktree.model.compaction import COMPACTIONS
from talktree.model.conversation import Conversation
from talktree.model.derived import find_todos
from talktree.model.message import META, Message, Todo
from talktree.model.pairing import TurnPairing
from talktree.model.parts import Event, Part, Text, Thinking, ToolCall, ToolResult
from talktree.model.skeleton import ROOT
from talktree.model.tree import Branch
from talktree.views.compactions import format_compaction
from talktree.views.ids import ShortIds
from talktree.views.lines import EMPTY, Line, indent_lines, line
from talktree.views.parts import format_part, is_filler
from talktree.views.speakers import find_format_speaker
from talktree.views.todos import format_checklist
from talktree.views.tools import format_call_lines, format_result_lines
from talktree.views.width import count_cells, format_count, format_moment, to_one_line, wrap_text

_TOOL_PARTS = (ToolCall, ToolResult)
_NOTHING: dict[int, Any] = {}
MOST_HELD = 64
"""Maximum number of messages held while a result is awaited; a later result is shown alone."""


class FoldedMessage(NamedTuple):
    """A message, the results of its calls, and which of its parts are shown elsewhere."""

    position: int
    message: Message
    answers: Mapping[int, ToolResult]
    """Results by the number of the calling part."""
    elsewhere: frozenset[int]
    names: Mapping[int, str]
    """Tool names of the results shown here, by the number of the part."""


def fold_results(messages: Iterable[tuple[int, Message]]) -> Iterator[FoldedMessage]:
    """Yield the messages in order, with results folded into their calls."""
    turn = TurnPairing()
    held: list[tuple[int, Message]] = []
    for position, message in messages:
        if not held and not any(isinstance(part, _TOOL_PARTS) for part in message.parts):
            yield FoldedMessage(position, message, _NOTHING, frozenset(), _NOTHING)
            continue
        if held and (turn.is_ended_by(message) or len(held) >= MOST_HELD):
            yield from _release_turn(held, turn)
        held.append((position, message))
        turn.take_message(message)
        if turn.is_complete:
            yield from _release_turn(held, turn)
    yield from _release_turn(held, turn)


def _release_turn(held: list[tuple[int, Message]], turn: TurnPairing) -> Iterator[FoldedMessage]:
    here = {message.id: message for _, message in held}
    answers: dict[str, dict[int, ToolResult]] = {}
    moved: dict[str, set[int]] = {}
    names: dict[str, dict[int, str]] = {}
    for call, result in turn.close_turn():
        part = here[result.message].parts[result.part]
        assert isinstance(part, ToolResult)
        if call is not None and call.message in here:
            answers.setdefault(call.message, {})[call.part] = part
            moved.setdefault(result.message, set()).add(result.part)
        else:
            name = part.name or (call.name if call is not None else "")
            names.setdefault(result.message, {})[result.part] = name
    for position, message in held:
        yield FoldedMessage(
            position,
            message,
            answers.get(message.id, {}),
            frozenset(moved.get(message.id, ())),
            names.get(message.id, {}),
        )
    held.clear()


def get_message_reader(format: str) -> Callable[[Message], Message]:
    """Return the function that makes messages of a format readable; parts keep their places."""
    return _find_message_reader(format) or _keep_as_is


@cache
def _find_message_reader(format: str) -> Callable[[Message], Message] | None:
    try:
        return get_format(format).readable
    except NotFound:
        return None


def _keep_as_is(message: Message) -> Message:
    return message


RULE = 64
MOST_NAMED = 6


class TranscriptOptions(Struct, frozen=True, kw_only=True):
    """What a transcript shows."""

    tools: bool = True
    thinking: bool = False
    full: bool = False
    """Cut nothing."""
    width: int | None = None
    """The width at which text is wrapped; None leaves lines as they are."""


class Transcript:
    """Formats branches of one conversation as lines."""

    def __init__(self, conversation: Conversation, look: TranscriptOptions) -> None:
        self._conversation = conversation
        self._look = look
        self._short = ShortIds(conversation)
        self._speaker = ""
        self._todos: Sequence[Todo] = ()

    def format_branch(self, positions: Sequence[int]) -> Iterator[Line]:
        """Yield the messages at these positions."""
        self._speaker = ""
        self._todos = ()
        entries = self._conversation.entries_at(positions)
        read = get_message_reader(self._conversation.format)
        spoken = (
            (position, read(entry))
            for position, entry in zip(positions, entries, strict=True)
            if isinstance(entry, Message)
        )
        on_line = set(positions)
        for step in fold_results(spoken):
            yield from self._format_step(step)
            yield from self._format_other_branches(step.position, on_line)

    # one message

    def _format_step(self, step: FoldedMessage) -> Iterator[Line]:
        shown = list(self._format_body(step))
        todos = self._find_new_todos(step.message)
        if not shown and not todos:
            return
        if self._is_divider(step.message):
            yield EMPTY
            yield from shown
            self._speaker = ""
            return
        if shown:
            yield from self._format_heading(step.message)
            yield from indent_lines(shown)
        if todos:
            yield EMPTY
            yield from indent_lines(format_checklist(todos))

    def _is_divider(self, message: Message) -> bool:
        return bool(message.parts) and all(_is_dividing_part(part) for part in message.parts)

    def _format_heading(self, message: Message) -> Iterator[Line]:
        """Yield the speaker; empty while the same speaker continues."""
        name = find_format_speaker(self._conversation.format, message)
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
            (to_one_line(name, 40), styles.get(message.role, "other")),
            (f" ({to_one_line(authors, 60)})" if authors else "", ""),
            (f" {flags}" if flags else "", "mark"),
            (f"  {format_moment(message.time_ns)}" if message.time_ns is not None else "", "faint"),
            (f"  {self._short(message.id)}", "faint"),
        )

    def _format_body(self, step: FoldedMessage) -> Iterator[Line]:
        """Yield the parts one after the other, with the larger ones set apart."""
        tall_before = False
        above = is_filler(step.message, 0)
        for number, part in enumerate(step.message.parts[above:], above):
            block = list(self._format_part(step, number, part))
            tall = len(block) > 1 or isinstance(part, Text | ToolCall)
            if number > above and block and (tall or tall_before):
                yield EMPTY
            yield from block
            tall_before = tall if block else tall_before

    def _format_part(self, step: FoldedMessage, number: int, part: Part) -> Iterable[Line]:
        look = self._look
        match part:
            case Text():
                return self._format_words(part.text, step.message)
            case Thinking():
                return self._format_thoughts(part)
            case ToolCall() if look.tools:
                return format_call_lines(part, step.answers.get(number), full=look.full)
            case ToolResult() if look.tools and number not in step.elsewhere:
                return format_result_lines(part, step.names.get(number, ""), full=look.full)
            case ToolCall() | ToolResult():
                return ()
            case Event() if part.kind in COMPACTIONS:
                return (format_divider(format_compaction(part)),)
            case Event(text=None, data=None) if not look.full:
                # Readers do not need to know that a hook ran or a turn ended.
                return ()
            case Event(kind="summary", text=str(text)):
                return (line(("summary", "mark")), *self._format_words(text, step.message))
            case _:
                return (format_part(part),)

    def _format_words(self, text: str, message: Message) -> Iterator[Line]:
        look = self._look
        if not text:
            yield line(("(empty)", "faint"))
            return
        if META in message.flags and not look.full:
            yield line((to_one_line(text, 100), "faint"))
            return
        width = None if look.width is None else look.width - 2
        for each in wrap_text(text, width):
            yield line(each) if each else EMPTY

    def _format_thoughts(self, part: Thinking) -> Iterator[Line]:
        if not self._look.thinking or not part.text:
            yield format_part(part)
            return
        yield line(("thinking", "mark"))
        width = None if self._look.width is None else self._look.width - 4
        for each in wrap_text(part.text, width):
            yield line("  ", (each, "faint"))

    def _find_new_todos(self, message: Message) -> Sequence[Todo]:
        """Return the tasks that a message has beside its parts, if they changed."""
        now = find_todos(message)
        if now is None:
            return ()
        before, self._todos = self._todos, now
        return now if message.todos is not None and tuple(now) != tuple(before) else ()

    # forks

    def _format_other_branches(self, position: int, on_line: set[int]) -> Iterator[Line]:
        tree = self._conversation.tree
        for start in tree.sidechains(position):
            if start not in on_line:
                yield from self._format_sidechain(start)
        onward = [each for each in tree.continuations(position) if each not in on_line]
        taken = len(tree.continuations(position)) - len(onward)
        if onward and taken:
            ends = [self._find_leaf(start) for start in onward[:MOST_NAMED]]
            more = f" and {len(onward) - MOST_NAMED:,} more" if len(onward) > MOST_NAMED else ""
            what = format_count(len(onward), "other branch", "other branches")
            yield line("  ", (f"⑂ {what} from here: {', '.join(ends)}{more}", "mark"))

    def _format_sidechain(self, start: int) -> Iterator[Line]:
        count = sum(1 for _ in self._conversation.tree.line(start))
        words = f"sidechain of {format_count(count, 'message')}: --branch {self._find_leaf(start)}"
        yield line("  ", (f"↳ {words}", "mark"))

    def _find_leaf(self, start: int) -> str:
        end = self._conversation.tree.end_of(start)
        return self._short(self._conversation.skeleton.ids[end])


def _is_dividing_part(part: Part) -> bool:
    return isinstance(part, Event) and part.kind in COMPACTIONS


def format_divider(text: str) -> Line:
    """Return a horizontal line with text in it."""
    words = f"── {text} "
    return line((words + "─" * max(2, RULE - count_cells(words)), "mark"))


def find_own_positions(conversation: Conversation, branch: Branch) -> list[int]:
    """Return the positions that belong only to this branch, including asides."""
    fork = ROOT if branch.fork is None else conversation.find_position(branch.fork)
    return conversation.tree.order_with_asides(
        _find_line_from(conversation, conversation.find_position(branch.leaf), fork)
    )


def find_path_through(conversation: Conversation, id: str) -> list[int]:
    """Return the path through a message to the end of its line; of a sidechain, only its own
    line."""
    leaf = conversation.tree.end_of(conversation.find_position(id))
    if not conversation.skeleton.sidechain[leaf]:
        return conversation.tree.path(leaf)
    return conversation.tree.order_with_asides(_find_line_from(conversation, leaf, ROOT))


def _find_line_from(conversation: Conversation, leaf: int, fork: int) -> list[int]:
    """Return the line from a fork, or from the start of the sidechain, to a leaf."""
    tree, parents = conversation.tree, conversation.skeleton.parents
    line: list[int] = []
    here = leaf
    while here not in (ROOT, fork):
        line.append(here)
        if tree.is_sidechain_start(here):
            break
        here = parents[here]
    line.reverse()
    return line
