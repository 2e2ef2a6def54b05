"""Rules for ShareGPT files, beyond those for all conversations."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.formats.rule import Diagnostic, rule
from talktree.formats.rule_context import RuleRecord
from talktree.model.message import Message

KNOWN = {"user", "assistant", "system", "tool"}


@rule("SGP101", "unknown-speaker", "warning", on="message", instead_of=("ROL101",))
def unknown_speaker(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A turn is from an unknown speaker.

    Why: programs that train on such files leave out turns of speakers they do not know, or stop.

    Bad:
        {"from": "robot", "value": "Hello"}

    Fix: none, because only its author knows who spoke.
    """
    if isinstance(seen.entry, Message) and seen.entry.role not in KNOWN:
        yield Diagnostic(f"the speaker is {seen.entry.role[:40]}, not human, gpt, system or tool")
