"""metadata.json rebuilt from the log, only from the messages of the session."""

from __future__ import annotations

from talktree.formats.lens import Object
from talktree.formats.rule_context import CheckedConversation
from talktree.formats.sage.adopt import METADATA as USUAL
from talktree.formats.sage.parse import ContinuedSheet
from talktree.model.message import Context, Message
from talktree.model.skeleton import NO_TIME
from talktree.text.json.encode import PRETTY, encode_json
from talktree.text.times import to_iso

PROMPT_LENGTH = 100
"""Number of characters that Sage keeps of a prompt, followed by an ellipsis."""


def compute_time_span(talk: CheckedConversation) -> tuple[int, int] | None:
    """Return the times of the earliest and the newest message."""
    skeleton, start = talk.skeleton, _find_log_start(talk)
    times = [
        time
        for time, trait in zip(skeleton.times[start:], skeleton.traits[start:], strict=True)
        if trait and time != NO_TIME
    ]
    return (min(times), max(times)) if times else None


def count_of(talk: CheckedConversation) -> int:
    """Return the number of messages in the log."""
    start = _find_log_start(talk)
    return len(talk.skeleton) - start - talk.skeleton.traits.count(0, start)


def _find_log_start(talk: CheckedConversation) -> int:
    """Return the position of the first line; records of an older file come before it."""
    sheet = talk.sheet(0)[0] if len(talk.skeleton) else None
    return len(sheet) if isinstance(sheet, ContinuedSheet) else 0


def build_metadata(talk: CheckedConversation) -> Object:
    """Return the metadata.json of a session, as far as its messages show it."""
    session, context = None, Context()
    first = last = None
    for entry in talk.conversation.messages():
        session = session or entry.session
        if context == Context() and entry.context is not None:
            context = entry.context
        if entry.role == "user" and (prompt := _shorten_prompt(entry)):
            first, last = first or prompt, prompt
    span = compute_time_span(talk) or (0, 0)
    prompts: Object = {} if first is None else {"firstPrompt": first, "lastPrompt": last}
    branch: Object = {} if context.git_branch is None else {"gitBranch": context.git_branch}
    return {
        "id": session or talk.id,
        **prompts,
        "createdAt": to_iso(span[0]),
        "updatedAt": to_iso(span[1]),
        **USUAL,
        "workingDirectory": context.cwd or "",
        **branch,
        "version": context.version or "",
        "messageCount": count_of(talk),
        "isSidechain": False,
    }


def encode_metadata(talk: CheckedConversation) -> bytes:
    """Return the bytes of metadata.json for a session that has lost it."""
    return encode_json(build_metadata(talk), PRETTY) + b"\n"


def _shorten_prompt(message: Message) -> str:
    words = message.text.strip()
    return words if len(words) <= PROMPT_LENGTH else f"{words[:PROMPT_LENGTH]}..."
