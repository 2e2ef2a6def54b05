"""CLC1: what every line of a session must have, and ids that Claude Code can follow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from talktree.formats.claude_code.detect import SPOKEN
from talktree.formats.claude_code.rule_support import (
    CHAINED,
    CLAUDE_CODE,
    find_own_session,
    get_api_message,
    get_object,
    is_session,
    is_spoken,
    is_uuid,
    mint_uuid,
    with_api,
)
from talktree.formats.claude_code.rules.prefilter import (
    FLAGS,
    TEXTS,
    find_unusual_messages,
    find_unusual_records,
)
from talktree.formats.fixes import repair_value
from talktree.formats.lens import Object
from talktree.formats.rule import Diagnostic, make_safe_fix, make_unsafe_fix, rule
from talktree.formats.rule_batch import RecordBatch
from talktree.formats.rule_context import RuleRecord
from talktree.model.entries import Opaque
from talktree.model.message import Message
from talktree.text.json.value import Json

LINKS = (
    "uuid",
    "parentUuid",
    "logicalParentUuid",
    "leafUuid",
    "messageId",
    "sourceToolAssistantUUID",
)
"""Members that name a line."""
_A_UUID = b"00000000-0000-0000-0000-000000000000\n"
_AS_NOUGHT = bytes(
    0x30 if byte in b"0123456789abcdefABCDEF" else byte if byte in b"-\n" else 0x78
    for byte in range(256)
)
"""A translation table that makes all UUIDs equal, and nothing else equal to them."""


def _is_foreign(name: Json) -> bool:
    return type(name) is str and bool(name) and not is_uuid(name)


def _with_uuids(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = dict(get_object(seen))
    inner = value.get("snapshot")
    for held in (value, inner := dict(inner)) if isinstance(inner, dict) else (value,):
        for key in LINKS:
            name = held.get(key)
            if isinstance(name, str) and _is_foreign(name):
                held[key] = mint_uuid(name, seen.talk)
    return {**value, "snapshot": inner} if isinstance(inner, dict) else value


def _find_possibly_foreign(batch: RecordBatch) -> Sequence[RuleRecord]:
    """Return lines whose ids must be checked.

    Nearly always a line has a UUID and its parent is the line before, which has one too."""
    found: list[RuleRecord] = []
    ids: list[str] = []
    before = None
    for seen in batch.seen:
        value = seen.record.value
        if type(value) is not dict:
            continue
        id, parent = value.get("uuid"), value.get("parentUuid")
        if type(id) is str:
            own = (parent is None or parent == before) and "logicalParentUuid" not in value
            before = id
            ids.append(id)
        else:
            own = id is None and "leafUuid" not in value and "messageId" not in value
        if not own:
            found.append(seen)
    return found if _are_uuids(ids) else batch.seen


def _are_uuids(ids: Sequence[str]) -> bool:
    """Whether all ids are UUIDs, in one comparison."""
    diagnostic = "".join([f"{id}\n" for id in ids]).encode("ascii", "replace")
    # There are no more line ends than ids, so no id contains one.
    return diagnostic.translate(_AS_NOUGHT) == _A_UUID * len(ids)


@rule(
    "CLC101",
    "foreign-id",
    "error",
    on="record",
    glance=_find_possibly_foreign,
    formats=CLAUDE_CODE,
    fix=make_unsafe_fix(repair_value(_with_uuids)),
)
def foreign_id(seen: RuleRecord) -> Iterable[Diagnostic]:
    """An id, or a link to another line, is not a UUID: it was made by another tool.

    Why: Claude Code takes only UUIDs for ids of lines; on others it freezes, or shows an empty
    session.

    Bad:
        {"type":"user","uuid":"msg-001","parentUuid":null,"message":{"role":"user","content":"Hi"}}

    Fix (unsafe): each such id is replaced by a UUID made from it, here and wherever it is named, so
    that all links hold. Programs that know the old ids will not find them again.
    """
    value = seen.record.value
    if type(value) is not dict:
        return ()
    id, parent = value.get("uuid"), value.get("parentUuid")
    if type(id) is str and is_uuid(id):
        if not _is_foreign(parent) and "logicalParentUuid" not in value:
            return ()
    elif id is None and "leafUuid" not in value and "messageId" not in value:
        return ()
    return _report_foreign_links(value)


def _report_foreign_links(value: Object) -> Iterator[Diagnostic]:
    inner = value.get("snapshot")
    for key in LINKS:
        if _is_foreign(value.get(key)):
            yield Diagnostic(f"{key} {str(value[key])[:40]} is not a UUID", way=key)
            return
    if isinstance(inner, dict) and _is_foreign(inner.get("messageId")):
        yield Diagnostic("the message a snapshot names is not a UUID", way="snapshot/messageId")


@rule(
    "CLC102",
    "missing-parent-field",
    "warning",
    on="message",
    glance=find_unusual_messages,
    formats=CLAUDE_CODE,
)
def missing_parent_field(seen: RuleRecord) -> Iterable[Diagnostic]:
    """A line has no `parentUuid` at all, not even null.

    Why: readers that look for the line with a null parent do not find the start of the
    conversation; some wait for it forever.

    Bad:
        {"type":"user","uuid":"5f3c8a52-7d0e-4b7a-9f37-0c6f1d2e3a4b","message":{"role":"user","content":"Hi"}}

    Fix: none, because null would say that the line starts a conversation, and most such lines
    continue the one before (TRE112).
    """
    if "parentUuid" in seen.record.value:  # type: ignore[operator]
        return ()
    value = get_object(seen)
    if value.get("type") not in CHAINED:
        return ()
    if not isinstance(value.get("uuid"), str) or not is_session(seen.talk):
        return ()
    return [Diagnostic("it has no parentUuid")]


def _complete_line(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = get_object(seen)
    if value.get("sessionId") is None and isinstance(diagnostic.about, str):
        value = {**value, "sessionId": diagnostic.about}
    spoken = value.get("type") in SPOKEN and isinstance(value.get("message"), dict)
    if spoken and get_api_message(value).get("role") is None:
        value = with_api(value, role=value["type"])
    return value


@rule(
    "CLC103",
    "incomplete-line",
    "error",
    on="message",
    glance=find_unusual_messages,
    formats=CLAUDE_CODE,
    fix=make_safe_fix(repair_value(_complete_line)),
)
def incomplete_line(seen: RuleRecord) -> Iterable[Diagnostic]:
    """A line of the conversation lacks something Claude Code writes on every such line:
    `sessionId`, `timestamp`, or the `role` and `content` of its message.

    Why: sessions are listed by these members and sent to the API again from them; what lacks one
    is left out, or makes every request fail.

    Bad:
        {"type":"user","uuid":"…","parentUuid":null,"message":{"content":"Hi"}}

    Fix (safe): the session is filled in where the file's name or all other lines tell it, the role
    from the type of the line. A time or words that are missing are nowhere to be found.
    """
    entry = seen.entry
    assert isinstance(entry, Message)
    if is_spoken(seen):
        api = seen.record.value.get("message")  # type: ignore[union-attr]
        said = type(api) is dict and None not in (api.get("role"), api.get("content"))
    elif entry.role == "system":
        said = True
    else:
        return ()
    if said and entry.session is not None and entry.time_ns is not None:
        return ()
    return _report_missing_members(seen, get_object(seen)) if is_session(seen.talk) else ()


def _report_missing_members(seen: RuleRecord, value: Object) -> Iterator[Diagnostic]:
    if value.get("sessionId") is None:
        session = find_own_session(seen.talk)
        yield Diagnostic("it names no session", fixable=session is not None, about=session)
    if value.get("timestamp") is None:
        yield Diagnostic("it has no timestamp", fixable=False)
    if value["type"] == "system":
        return
    api = value.get("message")
    if api is None:
        yield Diagnostic("it has no message", fixable=False)
    elif isinstance(api, dict):
        if api.get("role") is None:
            yield Diagnostic("its message has no role", way="message")
        if api.get("content") is None:
            yield Diagnostic("its message has no content", way="message", fixable=False)


def _wrap_text_as_message(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = get_object(seen)
    said = value.get("message")
    if value.get("type") not in SPOKEN or not isinstance(said, str):
        return value
    return {**value, "message": {"role": value["type"], "content": said}}


@rule(
    "CLC104",
    "odd-member",
    "error",
    on="record",
    glance=find_unusual_records,
    formats=CLAUDE_CODE,
    fix=make_safe_fix(repair_value(_wrap_text_as_message)),
)
def odd_member(seen: RuleRecord) -> Iterable[Diagnostic]:
    """A member of a line is of another kind than Claude Code writes: an id that is a number, a
    flag that is a word, a message that is plain text.

    Why: programs that read sessions take the kind for granted and stop, or skip the line.

    Bad:
        {"type":"user","uuid":"…","parentUuid":null,"isSidechain":"no","message":"Hi"}

    Fix (safe): a message that is plain text becomes an API message with that text. Other members
    stay as they are, since it is unknown what was meant.
    """
    entry = seen.entry
    if type(entry) is Message:
        if entry.extra.keys().isdisjoint(_TAKEN):
            if not is_spoken(seen):
                return ()
            api = seen.record.value.get("message")  # type: ignore[union-attr]
            if type(api) is dict:
                return ()
        return _report_odd_members(get_object(seen)) if is_session(seen.talk) else ()
    if type(entry) is Opaque and entry.kind == "file-history-snapshot":
        return [Diagnostic("the snapshot is not an object", way="snapshot", fixable=False)]
    return ()


_TAKEN = frozenset((*TEXTS, *FLAGS))
"""Members that reading leaves in `extra` only if their value is of an unexpected type."""


def _report_odd_members(value: Object) -> Iterator[Diagnostic]:
    for key in TEXTS:
        # A time that cannot be parsed is still text.
        if not isinstance(value.get(key), str | None):
            yield Diagnostic(f"{key} is not text", way=key, fixable=False)
    for key in FLAGS:
        if not isinstance(value.get(key), bool | None):
            yield Diagnostic(f"{key} is neither true nor false", way=key, fixable=False)
    if value.get("type") not in SPOKEN:
        return
    api = value.get("message")
    if isinstance(api, str):
        yield Diagnostic("its message is plain text, not an API message", way="message")
    elif api is not None and not isinstance(api, dict):
        yield Diagnostic("its message is not an API message", way="message", fixable=False)


def _fix_role(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = get_object(seen)
    return with_api(value, role=value["type"]) if get_api_message(value) else value


@rule(
    "CLC105",
    "role-mismatch",
    "warning",
    on="message",
    glance=find_unusual_messages,
    formats=CLAUDE_CODE,
    fix=make_unsafe_fix(repair_value(_fix_role)),
)
def role_mismatch(seen: RuleRecord) -> Iterable[Diagnostic]:
    """The type of a line and the role of its message differ.

    Why: Claude Code shows it by the one and sends it to the API by the other, so that the model
    takes for its own words what another speaker said.

    Bad:
        {"type":"user","message":{"role":"assistant","content":"Hello"}}

    Fix (unsafe): the role becomes the type of the line; which of the two was true is unknown.
    """
    rest = seen.entry.extra.get("message")  # type: ignore[union-attr]
    role = rest.get("role") if type(rest) is dict else None
    if role is None or not is_spoken(seen):
        return ()
    said = get_object(seen).get("type")
    return [Diagnostic(f"a line of type {said} with the role {str(role)[:40]}", way="message/role")]
