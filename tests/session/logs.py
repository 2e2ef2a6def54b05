"""The logs that a session has written, and the problems in them."""

from __future__ import annotations

import json
from typing import Any

from talktree import api
from talktree.session import Session


def values(session: Session, log: str = "messages") -> list[dict[str, Any]]:
    path = session.store.root / "sessions" / session.id / f"{log}.jsonl"
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def findings(session: Session) -> list[str]:
    session.close()
    report = api.check(session.store.root)
    return [f"{each.code} {each.message}" for each in report.findings]
