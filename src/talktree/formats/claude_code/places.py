"""Where Claude Code keeps sessions, sub-agents and tool results: one folder for each project.

A session is `<uuid>.jsonl`; its sub-agents are `agent-<id>.jsonl` beside it (their lines name the
session) or files in `<uuid>/subagents/`. Everything else in the folder belongs to the program and
stays unchanged.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from talktree.files import Content, read_plain_head, stem_of, strip_compression_suffix
from talktree.formats.companion_rules import CompanionRules
from talktree.formats.detect_sample import iterate_sample
from talktree.formats.jsonl_format import HEAD
from talktree.text.json.value import Json

LINES = ".jsonl"
SUB_AGENTS = "subagents"
FILE_HISTORY = "file-history"
OF_A_SESSION = (SUB_AGENTS, "tool-results", "workflows", "session-memory")
"""Folders in the folder of a session; other files in it may be anything."""
FIRST_LINES = 20
"""Maximum number of lines that are read to find the session that a file names."""
_SUB_AGENT = re.compile(r"(?P<session>(?:.*/)?[^/]+)/subagents/(?:.*/)?[^/]+\.jsonl", re.DOTALL)
_AGENT = re.compile(r"(?P<folder>(?:.*/)?)agent-[^/]+\.jsonl", re.DOTALL)
_AGENT_NAME = re.compile(r"agent-[^/]+\.jsonl(?:\.\w{1,5})?", re.DOTALL)
_COMPANION = re.compile(
    r"(?:.*/)?(?:sessions-index\.json|[^/]+/tool-results/.+|[^/]+/subagents/.+\.meta\.json"
    r"|[^/]+/workflows/.+\.json"
    r"|memory/.+\.md|[^/]+/session-memory/.+|file-history/[^/]+/.+)",
    re.DOTALL,
)

Kind = Literal["session", "agent", "companion", "foreign"]


def detect_kind(path: str) -> Kind:
    """Return the kind of a file in a project folder."""
    path = strip_compression_suffix(path)
    if _COMPANION.fullmatch(path):
        return "companion"
    if _SUB_AGENT.fullmatch(path) or _AGENT.fullmatch(path):
        return "agent"
    return "session" if path.endswith(LINES) else "foreign"


def find_path_owner(path: str, conversations: Collection[str]) -> str | None:
    """Return the conversation in whose folder a companion file is, or None.

    A project's memory and the index of its sessions belong to no conversation.
    """
    if detect_kind(path) != "companion":
        return None
    steps = path.split("/")[:-1]
    above = ("/".join(steps[:count]) for count in range(len(steps), 0, -1))
    found = next((folder for folder in above if folder in conversations), None)
    if found is None and FILE_HISTORY in steps:
        named = steps[steps.index(FILE_HISTORY) + 1 :][:1]
        found = next((each for each in conversations if each.split("/")[-1:] == named), None)
    return found


class Groups:
    """The conversations that the files of a source belong to."""

    def __init__(self, files: Mapping[str, Content]) -> None:
        self._files = files
        self._stems: dict[str, str] | None = None
        self._aliases: dict[str, dict[str, str]] = {}

    def find_conversation(self, path: str) -> str:
        """Return the conversation of a file: the path of its session without the extension."""
        bare = strip_compression_suffix(path)
        if bare != path and bare in self._files:
            return path  # a compressed copy of a file that is also here
        nested = _SUB_AGENT.fullmatch(bare)
        if nested:
            return nested["session"]
        beside = _AGENT.fullmatch(bare)
        if beside:
            session = find_session_id(path, self._files[path])
            found = session and self._find_session(beside["folder"], session)
            if found:
                return found
        return bare.removesuffix(LINES).removesuffix(".json")

    def _find_session(self, folder: str, id: str) -> str | None:
        """Return the session in a folder that has an id as its name, or else in its first lines."""
        stem = f"{folder}{id}"
        if stem in self._index_sessions():
            return stem
        if folder not in self._aliases:
            self._aliases[folder] = dict(self._find_named_inside(folder))
        return self._aliases[folder].get(id)

    def _index_sessions(self) -> dict[str, str]:
        """Return the paths of sessions by the same paths without extension."""
        if self._stems is None:
            sessions = (path for path in self._files if detect_kind(path) == "session")
            self._stems = {
                strip_compression_suffix(path).removesuffix(LINES): path for path in sessions
            }
        return self._stems

    def _find_named_inside(self, folder: str) -> Iterator[tuple[str, str]]:
        for stem, path in reversed(self._index_sessions().items()):
            if stem.rpartition("/")[0] == folder.rstrip("/"):
                id = find_session_id(path, self._files[path])
                if id is not None:
                    yield id, stem


class SessionFiles(CompanionRules):
    """The files that belong to a session."""

    names = _AGENT_NAME

    def list_folders(self, name: str) -> Sequence[str]:
        bare = strip_compression_suffix(name)
        stem = bare.removesuffix(LINES)
        if stem == bare or not stem or detect_kind(name) != "session":
            return ()
        return [f"{stem}/{folder}" for folder in OF_A_SESSION]

    def find_owner(self, name: str, content: Content) -> str | None:
        return find_session_id(name, content)

    def find_aliases(self, name: str, content: Content) -> Collection[str]:
        if detect_kind(name) != "session":
            return ()
        named = find_session_id(name, content)
        return {stem_of(name)} if named is None else {stem_of(name), named}


def find_session_id(path: str, content: Content) -> str | None:
    """Return the id of the session that the first lines of a file name, or None."""
    for value in iterate_sample(read_plain_head(path, content, HEAD), most=FIRST_LINES):
        named: Json = value.get("sessionId")
        if isinstance(named, str):
            return named
    return None


def make_project_folder_name(cwd: str) -> str:
    """Return Claude Code's name for the folder with the sessions of a working directory."""
    # It counts as JavaScript does: a character beyond the first 65,536 counts as two.
    return "".join(
        each if each.isascii() and each.isalnum() else "-" * (1 + (ord(each) > 0xFFFF))
        for each in cwd
    )


def sort_for_reading(paths: Iterable[str]) -> list[str]:
    """Return the paths with sessions before their sub-agents."""
    return sorted(paths, key=lambda path: detect_kind(path) == "agent")


CONFIG = "CLAUDE_CONFIG_DIR"
"""The variable with Claude Code's own folder; it may list several, separated by commas."""


def find_places(home: Path, here: Path) -> Iterator[Path]:
    """Yield the folders that hold a folder for each project."""
    for folder in filter(None, os.environ.get(CONFIG, "").split(",")):
        yield Path(folder) / "projects"
    yield home / ".claude" / "projects"
    yield home / ".config" / "claude" / "projects"
