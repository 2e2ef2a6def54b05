"""Claude's own reader of sessions, in its Agent SDK, compared with the default branch.

On every session with unique ids, every message that the vendor's reader returns is in the default
branch, in its order.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import talktree
from talktree.files import Source
from talktree.model.conversation import Conversation
from talktree.model.link_repair import with_inferred_links
from tests import session_lines
from tests.cases import examples
from tests.random_sessions import random_session

DATA = Path(__file__).parent.parent / "data"
DEMO = DATA.parent.parent / "demo"

RECORDED = sorted(
    path
    for folder in (DATA / "claude-code" / "good", DATA / "rules", DATA / "claude-history", DEMO)
    for path in folder.rglob("*.jsonl")
)


def has_unique_ids(data: bytes) -> bool:
    """Whether no line and no tool call occurs twice, and every line is readable."""
    ids: Counter[str] = Counter()
    for raw in data.splitlines():
        try:
            value = json.loads(raw)
        except (ValueError, RecursionError):
            return False
        if not isinstance(value, dict):
            return False
        message = value.get("message")
        blocks = message.get("content") if isinstance(message, dict) else None
        for block in blocks if isinstance(blocks, list) else []:
            if isinstance(block, dict) and block.get("type") == "tool_use":
                ids[str(block.get("id"))] += 1
        ids[str(value.get("uuid") or f"{len(ids)} without")] += 1
    return max(ids.values(), default=0) <= 1


def vendor_ids(data: bytes, home: Path) -> list[str]:
    """Return the ids of the messages that the vendor's reader returns, in its order."""
    # Its import is slow, and only these tests need it.
    from claude_agent_sdk import get_session_messages

    project = home / "projects" / "-home-ana-pond"
    project.mkdir(parents=True)
    (project / f"{session_lines.SESSION}.jsonl").write_bytes(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLAUDE_CONFIG_DIR", str(home))
        return [message.uuid for message in get_session_messages(session_lines.SESSION)]


def is_session(path: Path) -> bool:
    try:
        return talktree.detect(path).format.info.slug == "claude-code"
    except talktree.TalktreeError:
        return False


def own_ids(path: Path) -> list[str]:
    """Return the ids of the default branches of a file."""
    document = talktree.read(path, format="claude-code")
    return [message.id for each in document.conversations for message in each.path()]


def assert_contains(whole: list[str], part: list[str]) -> None:
    places = iter(whole)
    assert [id for id in part if id not in places] == []


@pytest.mark.parametrize("name", session_lines.SESSIONS)
def test_made_sessions_show_what_the_vendor_shows(name: str, tmp_path: Path) -> None:
    path = session_lines.write(session_lines.SESSIONS[name], tmp_path / "mine")
    data = path.read_bytes()
    assert has_unique_ids(data)
    shown = vendor_ids(data, tmp_path / "vendor")
    assert shown
    assert_contains(own_ids(path), shown)


def test_recorded_sessions_show_what_the_vendor_shows(tmp_path: Path) -> None:
    compared = 0
    for number, path in enumerate(RECORDED):
        data = path.read_bytes()
        if not has_unique_ids(data) or not is_session(path):
            continue
        shown = vendor_ids(data, tmp_path / str(number))
        assert_contains(own_ids(path), shown)
        compared += bool(shown)
    assert compared > 20


def branch_ids(conversation: Conversation) -> list[str]:
    return [message.id for message in conversation.path()]


@given(st.integers(0, 1 << 31))
@example(839)
@examples(300)
def test_random_sessions_show_what_the_vendor_shows(seed: int) -> None:
    data = session_lines.to_bytes(random_session(seed))
    assert has_unique_ids(data)
    with TemporaryDirectory() as home:
        shown = vendor_ids(data, Path(home))
    document = talktree.read(Source.of_bytes(data, name="s.jsonl"), format="claude-code")
    assert list(talktree.to_bytes(document).values()) == [data]
    for conversation in (document.conversation, with_inferred_links(document.conversation)):
        own = branch_ids(conversation)
        assert len(own) == len(set(own))
        assert_contains(own, shown)
