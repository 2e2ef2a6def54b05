"""Where Claude Code keeps things: sessions, sub-agents, tool results, one folder a project.

A session is `<uuid>.jsonl`; its sub-agents are `agent-<id>.jsonl` beside it (their lines name the
session) or files in `<uuid>/subagents/`. Everything else in the folder belongs to the program and
is kept as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from talktree.files import Content, bare_name
from talktree.formats.json_lines import HEAD
from talktree.formats.sample import sample
from talktree.text.json_value import Json

_SUB_AGENT = re.compile(r"(?P<session>(?:.*/)?[^/]+)/subagents/(?:.*/)?[^/]+\.jsonl")
_AGENT = re.compile(r"(?P<folder>(?:.*/)?)agent-[^/]+\.jsonl")
_COMPANION = re.compile(
    r"(?:.*/)?(?:sessions-index\.json|[^/]+/tool-results/.+|[^/]+/subagents/.+\.meta\.json"
    r"|[^/]+/workflows/.+\.json"
    r"|memory/.+\.md|[^/]+/session-memory/.+|file-history/[^/]+/.+)"
)

Kind = Literal["session", "agent", "companion", "stranger"]


def kind_of(path: str) -> Kind:
    """What a file in a project folder is."""
    if _COMPANION.fullmatch(path):
        return "companion"
    if _SUB_AGENT.fullmatch(path) or _AGENT.fullmatch(path):
        return "agent"
    return "session" if path.endswith(".jsonl") else "stranger"


def group_of(path: str, files: Mapping[str, Content]) -> str:
    """The conversation a file belongs to: the path of its session without the ending."""
    nested = _SUB_AGENT.fullmatch(path)
    if nested:
        return nested["session"]
    beside = _AGENT.fullmatch(path)
    if beside:
        session = _session_named_in(files[path])
        if session and f"{beside['folder']}{session}.jsonl" in files:
            return f"{beside['folder']}{session}"
    return bare_name(path).removesuffix(".jsonl").removesuffix(".json")


def _session_named_in(content: Content) -> str | None:
    for value in sample(content.read(0, HEAD), most=3):
        named: Json = value.get("sessionId")
        if isinstance(named, str):
            return named
    return None


def project_folder(cwd: str) -> str:
    """What Claude Code calls the folder that holds the sessions of a working directory."""
    # It counts as JavaScript does: a character beyond the first 65,536 is two.
    return "".join(
        each if each.isascii() and each.isalnum() else "-" * (1 + (ord(each) > 0xFFFF))
        for each in cwd
    )


def reading_order(paths: list[str]) -> list[str]:
    """Sessions before the sub-agents that hang on them."""
    return sorted(paths, key=lambda path: kind_of(path) == "agent")
