"""The title of a session that was given several."""

from __future__ import annotations

import json
from itertools import permutations

import pytest

import talktree
from talktree.files.source import Source

SESSION = "5e551011-0000-4000-8000-0000000000a1"
FIRST = {
    "parentUuid": None,
    "isSidechain": False,
    "sessionId": SESSION,
    "type": "user",
    "message": {"role": "user", "content": "Hello"},
    "uuid": "00000001-0000-4000-8000-000000000001",
    "timestamp": "2026-03-01T10:00:00.000Z",
}
OWN = {"type": "custom-title", "customTitle": "Mine", "sessionId": SESSION}
MADE = {"type": "ai-title", "aiTitle": "Made up", "sessionId": SESSION}
SUMMED = {"type": "summary", "summary": "Summed up", "leafUuid": FIRST["uuid"]}
AGENT = {"type": "agent-name", "agentName": "agent", "sessionId": SESSION}


def title(*lines: object) -> str | None:
    data = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    return talktree.read(Source.of_bytes(data, name="s.jsonl")).conversations[0].title


@pytest.mark.parametrize("lines", list(permutations((OWN, MADE, SUMMED, AGENT))))
def test_the_title_given_by_the_user_has_precedence(lines: tuple[object, ...]) -> None:
    assert title(FIRST, *lines) == "Mine"


@pytest.mark.parametrize("lines", list(permutations((MADE, SUMMED, AGENT))))
def test_the_better_made_title_is_taken(lines: tuple[object, ...]) -> None:
    assert title(FIRST, *lines) == "Made up"


def test_of_equals_the_last_counts() -> None:
    assert title(FIRST, OWN, OWN | {"customTitle": "Renamed"}, MADE) == "Renamed"
