"""What the rules for Claude Code's files share: what is a session, and what is an id there."""

from __future__ import annotations

import re
from hashlib import blake2b
from uuid import UUID

from talktree.formats.claude_code.detect import SPOKEN
from talktree.formats.lens import Object
from talktree.formats.rule_context import CheckedConversation, RuleRecord
from talktree.text.json.value import Json

CLAUDE_CODE = ("claude-code",)
CHAINED = frozenset({"user", "assistant", "system", "progress", "attachment"})
"""Types of lines that take part in the chain of parents."""
is_uuid = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.I | re.ASCII).fullmatch
"""Claude Code asks no more of an id than this."""


def is_session(talk: CheckedConversation) -> bool:
    """Whether it is a session that can be resumed; the lines of a web export only show one."""
    return talk.origin.links(talk.conversation) == "own"


def session_of_file(talk: CheckedConversation) -> str | None:
    """The session a file is named after, if it is named after one."""
    name = talk.id.rpartition("/")[2]
    return name if is_uuid(name) else None


def find_own_session(talk: CheckedConversation) -> str | None:
    """The session a line belongs to that does not say it, if there is no doubt."""
    known = list(talk.facts.session_names)
    return session_of_file(talk) or (known[0] if len(known) == 1 else None)


def mint_uuid(name: str, talk: CheckedConversation) -> str:
    """The UUID that stands for another id in a conversation, the same each time."""
    seed = f"{talk.id}\0{name}".encode("utf-8", "surrogatepass")
    return str(UUID(bytes=blake2b(seed, digest_size=16).digest(), version=4))


def get_object(seen: RuleRecord) -> Object:
    """A line's value; empty if it is no object."""
    value = seen.record.value
    return value if isinstance(value, dict) else {}


def is_spoken(seen: RuleRecord) -> bool:
    """Whether it is a line with an API message, or should be one; not all that is said has one."""
    return get_object(seen).get("type") in SPOKEN


def get_api_message(value: Object) -> Object:
    """The API message of a line; empty if there is none."""
    found = value.get("message") if value.get("type") in SPOKEN else None
    return found if isinstance(found, dict) else {}


def with_api(value: Object, **members: Json) -> Object:
    """A line with other members in its API message."""
    return {**value, "message": {**get_api_message(value), **members}}
