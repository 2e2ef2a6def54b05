"""A program that appends to a journal and reports what was acknowledged; for tests that kill it.

`python -m tests.session.appender FOLDER DURABILITY NAME COUNT SEED LARGEST`: one line on standard
output for each message, written when the call has returned.
"""

from __future__ import annotations

import random
import sys
from hashlib import sha256
from pathlib import Path

from talktree.errors import NotSaved
from talktree.files.sandbox import Anchor
from talktree.session.journal.journal import Journal
from talktree.session.journal.lines import seal_line


def message(name: str, number: int, size: int) -> bytes:
    """Return one message of about some size, which names its writer and its number."""
    head = b'{"writer":"%s","message":%d,"text":"' % (name.encode(), number)
    return head + b"x" * max(0, size - len(head) - 2) + b'"}'


def main() -> None:
    """Append messages, and report for each whether it is saved."""
    folder, durability, name, count, seed, largest = sys.argv[1:7]
    chance = random.Random(f"{seed}-{name}")
    journal = Journal(Anchor(Path(folder)), "fast" if durability == "fast" else "safe")
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for number in range(int(count)):
        size = round(100 * (int(largest) / 100) ** chance.random())
        try:
            value = message(name, number, size)
            [place] = journal.append("messages", value)
            line = seal_line(value, place.number)
            reported = (
                f"saved {name} {number} {place.number} {place.start} {sha256(line).hexdigest()}"
            )
        except NotSaved as error:
            reported = f"lost {name} {number} {error.message}"
        sys.stdout.write(f"{reported}\n")
        sys.stdout.flush()
    for problem in journal.problems:
        sys.stdout.write(f"problem {problem}\n")
    sys.stdout.write("done\n")


if __name__ == "__main__":
    main()
