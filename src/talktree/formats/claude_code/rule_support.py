"""Helpers of the rules for Claude Code's files: what a session is, and what an id is."""

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
"""The form of an id; Claude Code requires nothing more."""


def is_session(talk: CheckedConversation) -> bool:
    """Whether it is a session that can be resumed; the lines of a web export only display one."""
    return talk.origin.links(talk.conversation) == "own"


def session_of_file(talk: CheckedConversation) -> str | None:
    """Return the session that a file is named after, or None."""
    name = talk.id.rpartition("/")[2]
    return name if is_uuid(name) else None


def find_own_session(talk: CheckedConversation) -> str | None:
    """Return the session of lines that do not name it, if it is certain."""
    known = list(talk.facts.session_names)
    return session_of_file(talk) or (known[0] if len(known) == 1 else None)


def mint_uuid(name: str, talk: CheckedConversation) -> str:
    """Return the UUID that replaces another id in a conversation; always the same one."""
    seed = f"{talk.id}\0{name}".encode("utf-8", "surrogatepass")
    return str(UUID(bytes=blake2b(seed, digest_size=16).digest(), version=4))


def get_object(seen: RuleRecord) -> Object:
    """Return a line's value; empty if it is not an object."""
    value = seen.record.value
    return value if isinstance(value, dict) else {}


def is_spoken(seen: RuleRecord) -> bool:
    """Whether it is a line that has or should have an API message; some messages have none."""
    return get_object(seen).get("type") in SPOKEN


def get_api_message(value: Object) -> Object:
    """Return the API message of a line; empty if there is none."""
    found = value.get("message") if value.get("type") in SPOKEN else None
    return found if isinstance(found, dict) else {}


def with_api(value: Object, **members: Json) -> Object:
    """Return a line with other members in its API message."""
    return {**value, "message": {**get_api_message(value), **members}}
