"""ROL1: the roles of messages."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from msgspec.structs import replace

from talktree.formats.fixes import to_entry
from talktree.formats.rule import Diagnostic, make_unsafe_fix, rule
from talktree.formats.rule_batch import RecordBatch
from talktree.formats.rule_context import RuleRecord
from talktree.model.message import Message

NO_ROLE = ("", "unknown")
OTHER_WORDS = {
    "human": "user",
    "you": "user",
    "me": "user",
    "ai": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "claude": "assistant",
    "chatgpt": "assistant",
    "developer": "system",
}
"""Names that other programs use for the same roles."""
LONGEST_ROLE = 40
CLOSE = 0.75


def _guess_role(role: str, known: Sequence[str]) -> str | None:
    """Return the role that was most likely meant, or None."""
    word = role.strip().lower()
    if len(word) > LONGEST_ROLE:
        return None
    word = OTHER_WORDS.get(word, word)
    return next(iter(get_close_matches(word, known, n=1, cutoff=CLOSE)), None)


def _with_guessed_role(seen: RuleRecord, diagnostic: Diagnostic) -> Message:
    entry = seen.entry
    assert isinstance(entry, Message)
    found = _guess_role(entry.role, seen.talk.format.can.roles or ())
    return entry if found is None else replace(entry, role=found)


def _find_unknown_roles(batch: RecordBatch) -> Sequence[RuleRecord]:
    roles = batch.talk.format.can.roles
    if roles is None:
        return ()
    return [seen for seen in batch.messages if seen.entry.role not in roles]  # type: ignore[union-attr]


@rule(
    "ROL101",
    "unknown-role",
    "error",
    on="message",
    glance=_find_unknown_roles,
    fix=make_unsafe_fix(to_entry(_with_guessed_role)),
)
def unknown_role(seen: RuleRecord) -> Sequence[Diagnostic]:
    """A message has a role that the format does not know.

    Why: programs of the format leave such a message out, or refuse the whole conversation.

    Bad:
        ; role: assisant

    Fix (unsafe): the role that is spelt nearly the same, or is called so elsewhere (`human`, `ai`),
    replaces it; a word that is like none of them stays.
    """
    entry, roles = seen.entry, seen.talk.format.can.roles
    assert isinstance(entry, Message)
    role = entry.role
    if roles is None or role in roles or role in NO_ROLE or not entry.parts:
        return ()
    if role in seen.talk.format.known_kinds:
        return ()
    found = _guess_role(role, roles)
    maybe = f"; {found} may be meant" if found else f"; it knows {', '.join(roles)}"
    shown = role[:LONGEST_ROLE]
    return [Diagnostic(f"the format has no role {shown}{maybe}", fixable=found is not None)]


@rule("ROL102", "no-role", "error", on="message", optional=True)
def no_role(seen: RuleRecord) -> Sequence[Diagnostic]:
    """A message does not say who it is by, in a format where every message does.

    Why: the question cannot be distinguished from the answer, and programs of the format leave it
    out.

    Bad:
        {"id":"1","content":"Who said this?"}

    Fix: none, because the author is not known.
    """
    entry = seen.entry
    assert isinstance(entry, Message)
    if entry.role not in NO_ROLE or seen.talk.format.can.roles is None:
        return ()
    return [Diagnostic("nobody is named who says this")]
