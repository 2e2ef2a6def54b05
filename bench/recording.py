"""How fast small messages are recorded through the whole API, without waiting for the disk.

Compared with writing the same bytes with one `write` per line. The additional cost of a message is
finding its place, its context, the seal and the lock; the bar is a rate, so it is reported as well.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from bench.measure import Row, side_by_side, table
from talktree.session import Session, Store

MESSAGES = 10_000
BAR = 20_000


def rows() -> list[Row]:
    """Measure short prompts and replies in turns."""
    with tempfile.TemporaryDirectory(dir=Path(__file__).parent) as place:
        os.environ["TALKTREE_HOME"] = str(Path(place) / "home")
        with Store(Path(place) / ".sage").create(workspace=place, durability="fast") as session:
            return [_row(Path(place), session)]


def _row(place: Path, session: Session) -> Row:
    _record(session)
    log = place / ".sage" / "sessions" / session.id / "messages.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    target = os.open(place / "raw", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def raw() -> None:
        for line in lines:
            os.write(target, line)

    ours, theirs = side_by_side(lambda: _record(session), raw)
    os.close(target)
    return Row(
        "fast recording through the whole API",
        f"{MESSAGES / ours:,.0f}/s",
        f"raw writes {MESSAGES / theirs:,.0f}/s",
        f"{theirs / ours:.3f}x",
        f">= {BAR:,}/s",
    )


def _record(session: Session) -> None:
    for _ in range(MESSAGES // 2):
        session.user("What is next?")
        session.assistant("The next thing, which is small.")


if __name__ == "__main__":
    print(table(rows()))
