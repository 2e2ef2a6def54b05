"""CLC4: records beside the messages: compactions, titles, snapshots, usage, tasks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from talktree.formats.claude_code.adopt import STATUSES
from talktree.formats.claude_code.rule_support import CLAUDE_CODE, get_object, is_session
from talktree.formats.claude_code.rules.prefilter import find_unusual_messages
from talktree.formats.fixes import repair_value
from talktree.formats.rule import Diagnostic, make_safe_fix, rule
from talktree.formats.rule_batch import RecordBatch
from talktree.formats.rule_context import RuleRecord
from talktree.model.entries import Head, Snapshot
from talktree.model.message import Message, Usage
from talktree.model.parts import Event, ToolResult
from talktree.text.json.value import Json


def _link_boundary(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = get_object(seen)
    before = _find_previous_line(seen)
    if value.get("logicalParentUuid") is not None or before is None:
        return value
    return {**value, "logicalParentUuid": before}


def _find_previous_line(seen: RuleRecord) -> str | None:
    """Return the last line of the main conversation before a record, or None."""
    skeleton = seen.talk.skeleton
    for position in range(seen.position - 1, -1, -1):
        if skeleton.traits[position] and not skeleton.sidechain[position]:
            native = skeleton.native.get(position, skeleton.ids[position])
            return native or None
    return None


@rule(
    "CLC401",
    "unlinked-boundary",
    "warning",
    on="part",
    formats=CLAUDE_CODE,
    parts=(Event,),
    fix=make_safe_fix(repair_value(_link_boundary)),
)
def unlinked_boundary(part: Event, seen: RuleRecord, number: int) -> Iterable[Diagnostic]:
    """A compaction does not say which line it continues: its `logicalParentUuid` is missing.

    Why: everything before the compaction is then cut off, and no tree can show it as the beginning
    of the same talk.

    Bad:
        {"type":"system","subtype":"compact_boundary","parentUuid":null,"uuid":"…"}

    Fix (safe): it is linked to the last line of the talk before it.
    """
    if part.kind != "compacted":
        return ()
    entry = seen.entry
    assert isinstance(entry, Message)
    if entry.follows is not None or entry.parent is not None or _find_previous_line(seen) is None:
        return ()
    return [Diagnostic("a compaction that continues nothing")]


def _with_metadata(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = get_object(seen)
    return value if value.get("compactMetadata") is not None else {**value, "compactMetadata": {}}


@rule(
    "CLC402",
    "boundary-without-metadata",
    "error",
    on="part",
    formats=CLAUDE_CODE,
    parts=(Event,),
    fix=make_safe_fix(repair_value(_with_metadata)),
)
def boundary_without_metadata(part: Event, seen: RuleRecord, number: int) -> Iterable[Diagnostic]:
    """A compaction has no `compactMetadata`.

    Why: Claude Code looks into it at each later compaction. Where it is missing, compacting fails
    every time, and the session cannot go on once its context is full.

    Bad:
        {"type":"system","subtype":"compact_boundary","content":"Conversation compacted"}

    Fix (safe): an empty one is added; it says nothing that is not known.
    """
    if part.kind != "compacted" or part.data is not None or not is_session(seen.talk):
        return ()
    return [Diagnostic("a compaction without metadata")]


@rule("CLC403", "unanchored-summary", "warning", on="head", formats=CLAUDE_CODE)
def unanchored_summary(seen: RuleRecord) -> Iterable[Diagnostic]:
    """A summary does not name the line it sums up.

    Why: Claude Code finds the title of a conversation by its last line, `leafUuid`; without one
    the summary belongs to nothing and is never shown.

    Bad:
        {"type":"summary","summary":"Greeting in three languages"}

    Fix: none, because it may be the title of a conversation in another file.
    """
    entry = seen.entry
    if not isinstance(entry, Head) or entry.kind != "summary" or entry.leaf:
        return ()
    return [Diagnostic("a summary of no conversation")]


@rule("CLC404", "snapshot-mismatch", "warning", on="snapshot", formats=CLAUDE_CODE)
def snapshot_mismatch(seen: RuleRecord) -> Iterable[Diagnostic]:
    """A snapshot names two different messages, or none, and is not marked as an update.

    Why: only an update adds files to the snapshot of an earlier message. For any other, going back
    to the message restores the files of a different moment.

    Bad:
        {"type":"file-history-snapshot","messageId":"A","snapshot":{"messageId":"B"},"isSnapshotUpdate":false}

    Fix: none, because which of the two is right is not written anywhere.
    """
    entry = seen.entry
    if not isinstance(entry, Snapshot):
        return ()
    if entry.message is None:
        return [Diagnostic("a snapshot of no message")]
    inner = entry.extra.get("snapshot")
    if entry.update or not isinstance(inner, dict) or "messageId" not in inner:
        return ()
    return [Diagnostic("it names two messages and is no update", way="snapshot/messageId")]


@rule(
    "CLC405",
    "detail-without-result",
    "warning",
    on="message",
    glance=find_unusual_messages,
    formats=CLAUDE_CODE,
)
def detail_without_result(seen: RuleRecord) -> Iterable[Diagnostic]:
    """A line has the structured answer of a tool (`toolUseResult`), but no tool result.

    Why: only the result is sent to the model. The call it answers stays open, and the API refuses
    a session with an open call.

    Bad:
        {"type":"user","message":{"role":"user","content":"done"},"toolUseResult":{"stdout":"ok"}}

    Fix: none, because the line does not say which call it answers.
    """
    entry = seen.entry
    if "toolUseResult" not in entry.extra:  # type: ignore[union-attr]
        return ()
    assert isinstance(entry, Message)
    if entry.role != "user" or any(isinstance(part, ToolResult) for part in entry.parts):
        return ()
    return [Diagnostic("a tool's answer without a tool result", way="toolUseResult")]


def _select_reply_pieces(batch: RecordBatch) -> Sequence[RuleRecord]:
    """Return the pieces of replies.

    Of pieces that agree only the first and the last are returned, for the batches before and after.
    """
    found: list[RuleRecord] = []
    first: Message | None = None
    last: Message | None = None
    agree = True
    for seen in batch.messages:
        entry = seen.entry
        if type(entry) is Message and entry.usage is not None and entry.api_message is not None:
            first = first or entry
            agree = agree and (last is None or _have_equal_usage(last, entry))
            last = entry
            found.append(seen)
    if first is None or last is None or (agree and _have_equal_usage(first, last)):
        return found[:1] + found[1:][-1:]
    return found


def _have_equal_usage(one: Message, two: Message) -> bool:
    """Whether messages are of different replies, or agree on the input tokens."""
    if one.api_message != two.api_message or one.usage is None or two.usage is None:
        return True
    return not _has_different_input(one.usage, two.usage)


@rule(
    "CLC406",
    "conflicting-usage",
    "note",
    on="message",
    glance=_select_reply_pieces,
    formats=CLAUDE_CODE,
)
def conflicting_usage(seen: RuleRecord) -> Iterable[Diagnostic]:
    """Pieces of one API reply disagree about how many tokens went in.

    Why: such lines repeat the usage of the reply, and counters take one of them. If they differ in
    more than the growing output, the count depends on which is taken.

    Bad:
        {"message":{"id":"msg_1","usage":{"input_tokens":10,"output_tokens":3}}}
        {"message":{"id":"msg_1","usage":{"input_tokens":99,"output_tokens":8}}}

    Fix: none, because only the API knows the true count.
    """
    entry = seen.entry
    reply, usage = entry.api_message, entry.usage  # type: ignore[union-attr]
    if reply is None or usage is None:
        return ()
    notes = seen.talk.notes
    before = notes.get("CLC406")
    notes["CLC406"] = (reply, usage)
    if before is None or before[0] != reply or not _has_conflict(before[1], usage):
        return ()
    return [
        Diagnostic(f"another usage than the line before says for {reply[:40]}", way="message/usage")
    ]


def _has_different_input(one: Usage, two: Usage) -> bool:
    return (
        one.input != two.input
        or one.cache_read != two.cache_read
        or one.cache_write != two.cache_write
    )


def _has_conflict(one: Usage, two: Usage) -> bool:
    pairs = (
        (one.input, two.input),
        (one.cache_read, two.cache_read),
        (one.cache_write, two.cache_write),
    )
    # A number that is not known yet is written as 0.
    return any(a != b for a, b in pairs) and all(sum(u) for u in zip(*pairs, strict=True))


@rule(
    "CLC407",
    "odd-usage",
    "warning",
    on="message",
    glance=find_unusual_messages,
    formats=CLAUDE_CODE,
)
def odd_usage(seen: RuleRecord) -> Iterable[Diagnostic]:
    """The usage of a reply is not made of numbers, or one of them is negative.

    Why: a program that adds up tokens and costs stops here, or gets a wrong sum.

    Bad:
        {"message":{"role":"assistant","usage":{"input_tokens":"many","output_tokens":-1}}}

    Fix: none, because the true numbers are not known.
    """
    usage = seen.entry.usage  # type: ignore[union-attr]
    if usage is not None:
        if min(usage.input, usage.output, usage.cache_read, usage.cache_write) >= 0:
            return ()
        return [Diagnostic("a negative number of tokens", way="message/usage")]
    rest = seen.entry.extra.get("message")  # type: ignore[union-attr]
    if type(rest) is not dict or rest.get("usage") is None:
        return ()
    return [Diagnostic("a usage that is not made of numbers", way="message/usage")]


@rule(
    "CLC408", "odd-task", "warning", on="message", glance=find_unusual_messages, formats=CLAUDE_CODE
)
def odd_task(seen: RuleRecord) -> Iterable[Diagnostic]:
    """The list of tasks is not a list of tasks, or one is in a state that does not exist.

    Why: tasks are pending, in_progress or completed; Claude Code and viewers draw nothing for any
    other state, or fail on it.

    Bad:
        {"type":"user","todos":[{"content":"Write the test","status":"doing"}]}

    Fix: none, because what was meant is not known.
    """
    todos = seen.entry.todos  # type: ignore[union-attr]
    if todos is None:
        odd = seen.entry.extra.get("todos") is not None  # type: ignore[union-attr]
        return [Diagnostic("a list of tasks that cannot be read", way="todos")] if odd else ()
    return [
        Diagnostic(f"a task in the state {each.status[:40]}", way=f"todos/{at}/status")
        for at, each in enumerate(todos)
        if each.status not in STATUSES
    ]
