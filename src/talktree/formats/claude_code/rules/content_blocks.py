"""CLC2: content blocks that make the API refuse the whole session when it is resumed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from talktree.formats.claude_code.repair import (
    SHAPED,
    is_call_id,
    is_odd,
    is_refused,
    is_tool_name,
    repair_blocks,
    with_call_id,
    with_sound_call,
    with_sound_file,
    without_blanks,
    without_odd_blocks,
    without_thinking,
)
from talktree.formats.claude_code.rule_support import CLAUDE_CODE, get_object, is_session, is_spoken
from talktree.formats.fixes import repair_value
from talktree.formats.lens import Object
from talktree.formats.rule import Diagnostic, make_unsafe_fix, rule
from talktree.formats.rule_batch import Place, RecordBatch, select_files
from talktree.formats.rule_context import RuleRecord
from talktree.model.message import Message
from talktree.model.parts import Attachment, Part, Text, Thinking, ToolCall, ToolResult, UnknownPart


def _to_message(seen: RuleRecord) -> Message:
    """Return the message of a record; rules for parts see only messages."""
    assert isinstance(seen.entry, Message)
    return seen.entry


def _find_blank_texts(batch: RecordBatch) -> Sequence[Place]:
    """Return blank texts, and tool results that hold one."""
    parts = batch.parts
    texts = [(place, place[0].text) for place in parts.get(Text, ())]  # type: ignore[union-attr]
    blank = [place for place, text in texts if not text or text.isspace()]
    results = [(place, place[0].output) for place in parts.get(ToolResult, ())]  # type: ignore[union-attr]
    return blank + [place for place, output in results if any(map(_is_blank, output))]


def _is_blank(part: Part) -> bool:
    return type(part) is Text and (not part.text or part.text.isspace())


@rule(
    "CLC201",
    "blank-text",
    "error",
    on="part",
    glance=_find_blank_texts,
    formats=CLAUDE_CODE,
    parts=(Text, ToolResult),
    fix=make_unsafe_fix(repair_value(without_blanks)),
)
def blank_text(part: Text | ToolResult, seen: RuleRecord, number: int) -> Iterable[Diagnostic]:
    """A text block is empty, or nothing but white space.

    Why: the API refuses every request that holds one ("text content blocks must be non-empty"),
    so a session with a single blank text cannot be continued any more.

    Bad:
        {"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":""}]}}

    Fix (unsafe): the block is taken out. Where nothing else is left, the message says
    `(no content)`, and a tool's result `(no output)`. A result that is plain text may be empty.
    """
    if type(part) is Text:
        if part.text and not part.text.isspace():
            return ()
        if not is_spoken(seen) or not is_session(seen.talk):
            return ()
        return [Diagnostic("a blank text", way=_content_path(seen, number))]
    if len(part.output) == 1 and _is_plain(seen, number):  # type: ignore[union-attr]
        return ()
    return _report_blank_outputs(part, seen, number)  # type: ignore[arg-type]


def _content_path(seen: RuleRecord, number: int) -> str:
    api = get_object(seen).get("message")
    plain = isinstance(api, dict) and isinstance(api.get("content"), str)
    return "message/content" if plain else f"message/content/{number}/text"


def _is_plain(seen: RuleRecord, number: int) -> bool:
    """Whether a result is plain text, which may be blank: many commands print nothing."""
    return isinstance(_get_block(seen, number).get("content"), str)


def _report_blank_outputs(part: ToolResult, seen: RuleRecord, number: int) -> Iterator[Diagnostic]:
    for at, each in enumerate(part.output):
        if _is_blank(each):
            if not is_session(seen.talk):
                return
            yield Diagnostic(
                "a blank text in a result", f"message/content/{number}/content/{at}/text"
            )


def _is_unsigned(block: Object) -> bool:
    return not block.get("signature")


def _is_emptied(block: Object) -> bool:
    return bool(block.get("signature")) and not str(block.get("thinking") or "").strip()


@rule(
    "CLC202",
    "broken-thinking",
    "error",
    on="part",
    formats=CLAUDE_CODE,
    parts=(Thinking,),
    fix=make_unsafe_fix(repair_value(without_thinking(_is_unsigned))),
)
def broken_thinking(part: Thinking, seen: RuleRecord, number: int) -> Iterable[Diagnostic]:
    """A thinking block has no signature.

    Why: the API takes back only thoughts that it signed itself; one without a signature makes it
    refuse every request of the session.

    Bad:
        {"type":"thinking","thinking":"The test compares two clocks."}

    Fix (unsafe): the block is taken out; the model does without it, and it cannot be signed now.
    """
    if part.signature or not is_session(seen.talk):
        return ()
    return [Diagnostic("a thought without a signature", way=f"message/content/{number}")]


@rule(
    "CLC203",
    "emptied-thinking",
    "note",
    on="part",
    formats=CLAUDE_CODE,
    parts=(Thinking,),
    fix=make_unsafe_fix(repair_value(without_thinking(_is_emptied))),
)
def emptied_thinking(part: Thinking, seen: RuleRecord, number: int) -> Iterable[Diagnostic]:
    """A thinking block has lost its words but kept its signature.

    Why: newer versions of Claude Code leave the words out of the file. If such a block is in the
    last answer when the session is resumed, the signature fits nothing and some versions cannot go
    on ("thinking blocks cannot be modified").

    Bad:
        {"type":"thinking","thinking":"","signature":"EqwCCkYICxgCKkAc"}

    Fix (unsafe): the block is taken out; its words were gone already.
    """
    if (part.text and not part.text.isspace()) or not part.signature or not is_session(seen.talk):
        return ()
    return [Diagnostic("a thought without words", way=f"message/content/{number}/thinking")]


@rule(
    "CLC204",
    "foreign-thinking",
    "warning",
    on="part",
    formats=CLAUDE_CODE,
    parts=(Thinking,),
    fix=make_unsafe_fix(repair_value(without_thinking(lambda block: True))),
)
def foreign_thinking(part: Thinking, seen: RuleRecord, number: int) -> Iterable[Diagnostic]:
    """A signed thinking block is from a model that is not Claude.

    Why: as soon as the session goes on with Claude, the API refuses the signature of the other
    model, and with it every request.

    Bad:
        {"message":{"model":"glm-4.6","content":[{"type":"thinking","thinking":"…","signature":"x"}]}}

    Fix (unsafe): the block is taken out, since no Claude model can read it.
    """
    model = _to_message(seen).model
    if model is None or "claude" in model or not part.signature or not is_session(seen.talk):
        return ()
    if "claude" in model.lower() or not part.text.strip():
        return ()
    return [Diagnostic(f"a thought of {model[:40]}", way=f"message/content/{number}")]


@rule(
    "CLC205",
    "misplaced-thinking",
    "error",
    on="part",
    formats=CLAUDE_CODE,
    parts=(Thinking,),
    fix=make_unsafe_fix(repair_value(without_thinking(lambda block: True))),
)
def misplaced_thinking(part: Thinking, seen: RuleRecord, number: int) -> Iterable[Diagnostic]:
    """A thinking block is in a line of the user.

    Why: only the model thinks; the API refuses the message, and so the whole session.

    Bad:
        {"type":"user","message":{"role":"user","content":[{"type":"thinking","thinking":"Hm."}]}}

    Fix (unsafe): the block is taken out, since it is unknown which answer it belongs to.
    """
    if _to_message(seen).role != "user":
        return ()
    return [Diagnostic("a thought in a line of the user", way=f"message/content/{number}")]


def _with_odd_ids(batch: RecordBatch) -> Sequence[Place]:
    """Return all calls and results, unless all their ids are valid."""
    calls, results = batch.parts.get(ToolCall, []), batch.parts.get(ToolResult, [])
    ids = [place[0].id for place in calls] + [place[0].call for place in results]  # type: ignore[union-attr]
    all_ids = "".join([id for id in ids if id])
    return () if not all_ids or is_call_id(all_ids) else calls + results


@rule(
    "CLC206",
    "refused-call-id",
    "error",
    on="part",
    glance=_with_odd_ids,
    formats=CLAUDE_CODE,
    parts=(ToolCall, ToolResult),
    fix=make_unsafe_fix(repair_value(repair_blocks(with_call_id))),
)
def refused_call_id(
    part: ToolCall | ToolResult, seen: RuleRecord, number: int
) -> Iterable[Diagnostic]:
    """The id of a tool call has characters other than letters, digits, `_` and `-`.

    Why: the API refuses such ids. Other vendors' models make them, and they stay in the session
    when it goes on with Claude.

    Bad:
        {"type":"tool_use","id":"functions.Bash:0","name":"Bash","input":{"command":"ls"}}

    Fix (unsafe): call and result get the same new id, made from the old one.
    """
    id = part.id if type(part) is ToolCall else part.call  # type: ignore[union-attr]
    if not id or is_call_id(id):
        return ()
    key = "id" if type(part) is ToolCall else "tool_use_id"
    return [Diagnostic(f"the id {id[:40]} of a call", way=f"message/content/{number}/{key}")]


def _find_odd_calls(batch: RecordBatch) -> Sequence[Place]:
    """Return calls with odd arguments or names."""
    calls = [(place, place[0].name) for place in batch.parts.get(ToolCall, ())]  # type: ignore[union-attr]
    sound = {name for name in {name for _, name in calls} if name and is_tool_name(name)}
    return [
        place
        for place, name in calls
        if name not in sound or type(place[0].input) is not dict  # type: ignore[union-attr]
    ]


@rule(
    "CLC207",
    "refused-call",
    "error",
    on="part",
    glance=_find_odd_calls,
    formats=CLAUDE_CODE,
    parts=(ToolCall,),
    fix=make_unsafe_fix(repair_value(repair_blocks(with_sound_call))),
)
def refused_call(part: ToolCall, seen: RuleRecord, number: int) -> Iterable[Diagnostic]:
    """A tool call has a name that no tool can have, or arguments that are not an object.

    Why: the API refuses it, and with it every request of the session.

    Bad:
        {"type":"tool_use","id":"toolu_1","name":"Bash","input":"ls -l"}

    Fix (unsafe): other characters in the name become `_`; arguments that are no object are put
    into one, as `{"input": …}`.
    """
    if type(part.input) is dict and is_tool_name(part.name):
        return ()
    way = f"message/content/{number}"
    if not is_tool_name(part.name):
        return [Diagnostic(f"no tool can be called {part.name[:40]!r}", way=f"{way}/name")]
    if "input" in _get_block(seen, number):
        way += "/input"
    return [Diagnostic("the arguments of a call are not an object", way=way)]


def _get_block(seen: RuleRecord, number: int) -> Object:
    api = get_object(seen).get("message")
    content = api.get("content") if isinstance(api, dict) else None
    block = content[number] if isinstance(content, list) and number < len(content) else None
    return block if isinstance(block, dict) else {}


@rule(
    "CLC208",
    "refused-file",
    "error",
    on="part",
    glance=select_files,
    formats=CLAUDE_CODE,
    parts=(Attachment, ToolResult),
    fix=make_unsafe_fix(repair_value(repair_blocks(with_sound_file))),
)
def refused_file(
    part: Attachment | ToolResult, seen: RuleRecord, number: int
) -> Iterable[Diagnostic]:
    """An image or document is of a type the API does not take, or there is nothing in it.

    Why: the API takes PNG, JPEG, GIF, WebP and PDF; any other file makes it refuse every request
    of the session.

    Bad:
        {"type":"image","source":{"type":"base64","media_type":"image/svg+xml","data":"PHN2Zy8+"}}

    Fix (unsafe): words stand in its place. Where only the name of the type is wrong (`image/jpg`),
    just that is changed.
    """
    if type(part) is Attachment:
        if not _is_refused(part) or not is_spoken(seen):
            return ()
        return [
            Diagnostic(
                f"a file of type {str(part.media_type)[:40]}", f"message/content/{number}/source"
            )
        ]
    return [
        Diagnostic("a file the API refuses", f"message/content/{number}/content/{at}/source")
        for at, each in enumerate(part.output)  # type: ignore[union-attr]
        if type(each) is Attachment and _is_refused(each)
    ]


def _is_refused(part: Attachment) -> bool:
    url = part.url or ""
    if not url.startswith("data:"):
        return False
    return url.endswith(";base64,") or is_refused(part.extra.get("type"), part.media_type)


@rule(
    "CLC209",
    "odd-block",
    "error",
    on="part",
    formats=CLAUDE_CODE,
    parts=(UnknownPart,),
    fix=make_unsafe_fix(repair_value(without_odd_blocks)),
)
def odd_block(part: UnknownPart, seen: RuleRecord, number: int) -> Iterable[Diagnostic]:
    """Something in the content of a message is no block, or a block without what it is for: a text
    without text, a call without a name.

    Why: the API refuses it, and viewers show nothing in its place.

    Bad:
        {"role":"assistant","content":[{"type":"text"},"Hello"]}

    Fix (unsafe): it is taken out.
    """
    if part.kind not in SHAPED and part.kind not in ("value", "block"):
        return ()
    if not is_odd(part.value):
        return ()
    return [Diagnostic("not a block that can be read", way=f"message/content/{number}")]
