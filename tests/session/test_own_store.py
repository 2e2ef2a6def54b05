"""No move touches a session's own store, whatever the session's data says."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

from talktree.session.store import Store
from talktree.session.undo import commands
from tests.session.working import working

EVIL = {"kind": "file", "hash": sha256(b"evil").hexdigest(), "size": 4, "mode": "0644"}


def test_the_store_itself_is_never_touched(tmp_path: Path) -> None:
    with working(tmp_path) as at:
        at.work.joinpath("x").write_text("x")
    inside = Store(at.work / ".sage")
    with inside.create(workspace=at.work) as session:
        message = session.user("please")
        session.opened.contents.keep_bytes(b"evil")
        session.opened.contents.flush()
        name = f".sage/sessions/{session.id}/messages.jsonl"
        line = {
            "type": "file_history_snapshot",
            "messageId": message,
            "snapshot": {"paths": {name: {"before": EVIL, "after": {"kind": "absent"}}}},
        }
        session.opened.journal.append("snapshots", json.dumps(line).encode())
        plan = commands.undo(session.opened, force=True).plan()
        assert [each.action for each in plan.actions] == ["cannot"]
        assert "store" in plan.actions[0].reason
