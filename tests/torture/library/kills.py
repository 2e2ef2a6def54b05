"""Kill an import at some moment, check what is left, let the next one finish."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from talktree.library.library import Library
from tests.library import made
from tests.library.picture import here, picture, sums, sums_anew

LONGEST = 0.6
"""Seconds after which an import of such files is certainly done; it is usually faster."""
SOONER, LATER = 0.8, 1.1


def make_files(folder: Path, seed: int) -> None:
    """Write some sessions of many lines, and a source of every other format."""
    chance = random.Random(seed)
    for number in range(1, 7):
        session = made.Session(made.Truth(), number)
        grow(session, chance, lines=chance.randrange(20, 150))
        session.save(folder)
    made.others(folder / "others")


def grow(session: made.Session, chance: random.Random, lines: int) -> None:
    """Return more lines for a session."""
    for _ in range(lines):
        words = " ".join(chance.choice(("tide", "lamp", "pier", "gull")) for _ in range(40))
        session.say(words)
        session.use("Bash", words, command="ls", error=chance.random() < 0.2)


def change_files(folder: Path, chance: random.Random) -> None:
    """Let files grow, be replaced, be deleted and be added."""
    paths = sorted(folder.rglob("*.jsonl"))
    for path in chance.sample(paths, min(3, len(paths))):
        match chance.randrange(5):
            case 0 | 1:
                more = made.Session(made.Truth(), chance.randrange(100, 200))
                grow(more, chance, lines=chance.randrange(1, 60))
                data = more.bytes()
                with path.open("ab") as file:
                    file.write(data[: chance.randrange(1, len(data))])
            case 2:
                other = made.Session(made.Truth(), chance.randrange(200, 300))
                grow(other, chance, lines=chance.randrange(1, 60))
                path.write_bytes(other.bytes())
            case 3:
                if "others" not in path.parts:
                    path.rename(path.with_name(f"moved-{chance.randrange(1000)}.jsonl"))
            case 4:
                if len(paths) > 4 and "others" not in path.parts:
                    path.unlink()


def importing(root: Path, folder: Path) -> subprocess.Popen[bytes]:
    """Start another process that imports now."""
    words = [sys.executable, "-m", "tests.torture.library.importer", str(root), str(folder)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


def killed_import(root: Path, folder: Path, after: float) -> bool:
    """Import in another process and kill it after some seconds; return whether it was still at
    work."""
    with importing(root, folder) as process:
        time.sleep(after)
        process.send_signal(signal.SIGKILL)
        return process.wait() == -signal.SIGKILL


def verify(root: Path, folder: Path, scratch: Path) -> None:
    """Check that nothing is broken, the next import completes, and then nothing is missing."""
    with Library.open(root, write=True) as library:
        assert library.check(read_data=True) == []
        library.import_([folder])
        assert library.check(read_data=True) == []
        with Library.open(scratch, write=True) as anew:
            anew.import_([folder])
            assert here(picture(library)) == picture(anew)
        assert sums(library) == sums_anew(library)
        again = library.import_()
        assert (again.records, again.bytes_read, again.changed) == (0, 0, False)


def rounds(base: Path, seed: int, count: int) -> None:
    """Kill a number of imports at work, each after files have changed."""
    chance = random.Random(seed)
    folder, root = base / "files", base / "library"
    make_files(folder, seed)
    at_work, number, longest = 0, 0, LONGEST
    while at_work < count:
        assert number < 10 * count, "hardly any import could be killed while it was at work"
        number += 1
        for share in (1.0, 0.25) if root.exists() and chance.random() < 0.3 else (1.0,):
            was_at_work = killed_import(root, folder, chance.random() * longest * share)
            at_work += was_at_work
            longest = min(LONGEST, longest * (LATER if was_at_work else SOONER))
        verify(root, folder, base / f"scratch{number}")
        change_files(folder, chance)
