"""The laws of a session after any fault: nothing acknowledged is lost, nothing is added."""

from __future__ import annotations

import json
import traceback
from collections import Counter
from pathlib import Path

from talktree.session import Session, Store
from tests.torture.session.acks import WriterReports
from tests.torture.session.words import text_of, token_of
from tests.torture.session.writer import SESSION, make


def problems(place: Path, facts: WriterReports, seed: int) -> list[str]:
    """Return what is wrong with a session, given the writers' reports; empty if nothing is."""
    found = [f"a writer failed: {bug}" for bug in facts.bugs]
    try:
        with Store(place / "store").open(SESSION, workspace=place / "work") as session:
            found += _of_messages(place, facts, seed)
            found += _of_contents(session)
            session.user("after all that")
            make(session.undo())
    except Exception:
        found.append(f"it cannot be used again: {traceback.format_exc(limit=-6)}")
    return found


def _of_messages(place: Path, facts: WriterReports, seed: int) -> list[str]:
    """Read without Talktree's own reader, which might have the same bug as its writer."""
    found = []
    times: Counter[str] = Counter()
    log = place / "store" / "sessions" / SESSION / "messages.jsonl"
    for line in log.read_bytes().split(b"\n")[:-1] if log.exists() else ():
        message = json.loads(line)
        text = message["message"]["content"]
        name = token_of(text)
        if name is None:
            continue
        times[name] += 1
        if name not in facts.tried:
            found.append(f"{name} was never written")
        elif text != text_of(name, seed):
            found.append(f"{name} has changed")
        elif facts.acked.get(name, message["uuid"]) != message["uuid"]:
            found.append(f"{name} has another id")
    found += [f"{name} is there {count} times" for name, count in times.items() if count > 1]
    return found + [f"{name} is lost" for name in facts.acked if not times[name]]


def _of_contents(session: Session) -> list[str]:
    """Report damage to what was written; what an interrupted writer leaves behind is not damage."""
    return [
        f"{each.kind}: {each.message}"
        for each in session.check(read_data=True)
        if each.severity == "error"
    ]
