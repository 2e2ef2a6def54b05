"""No call returns before its line is synced, whatever happened to the file and the lock before."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.session.faults import need_strace
from tests.session.journals import ROOT, served

START = """
import os, sys
from pathlib import Path
from tests.session.journals import opened
folder = Path(sys.argv[1])
path = folder / "messages.jsonl"
one, two = opened(folder, "safe"), opened(folder, "safe")
def append(journal, text="x"):
    journal.append("messages", b'{"text":"%s"}' % text.encode())
    os.write(1, b"acknowledged")
def add(data):
    with open(path, "ab", buffering=0) as file:
        file.write(data)
"""
CASES = {
    "one writer": "append(one); append(one)",
    "two writers": "append(one); append(two); append(one); append(two)",
    "cut by another program": """
append(one, "x" * 500)
append(two)
os.truncate(path, 0)
append(one)
append(two)
""",
    "cut and grown by another program": """
append(one, "x" * 2000)
os.truncate(path, 0)
add(b'{"theirs":1}\\n')
append(two)
append(one)
""",
    "a half line that was synced is cut": """
with one.append_lock():
    one.append("messages", b"{}")
    add(b'{"half' + b"x" * 2000)
append(two)
append(one)
append(two)
""",
    "a fast writer is there first": """
fast = opened(folder, "fast")
fast.append("messages", b"{}")
append(one)
fast.append("messages", b"{}")
append(one)
""",
    "the lock is gone": "append(one); (folder / 'lock').unlink(); append(two); append(one)",
    "the file is another": """
append(one)
(folder / "copy").write_bytes(path.read_bytes())
os.replace(folder / "copy", path)
append(one)
append(two)
""",
    "several logs at once": """
with one.append_lock():
    one.append("snapshots", b"{}")
    one.append("operations", b"{}")
    one.append("messages", b"{}")
os.write(1, b"acknowledged")
""",
}


@pytest.mark.parametrize("case", CASES)
def test_a_sync_comes_before_the_acknowledgement(tmp_path: Path, case: str) -> None:
    need_strace()
    folder, trace = tmp_path / "s", tmp_path / "trace"
    folder.mkdir()
    script = [sys.executable, "-c", START + CASES[case], str(folder)]
    calls = ["strace", "-f", "-qq", "-y", "-o", str(trace), "-e", "trace=write,fdatasync,fsync"]
    subprocess.run([*calls, *script], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    unsynced: set[str] = set()
    acknowledged = 0
    for line in trace.read_text().splitlines():
        call = re.match(r"\d+ +(\w+)\(\d+<([^>]*)>(.*)", line)
        assert call is not None, line
        if "acknowledged" in call[3]:
            assert not unsynced
            acknowledged += 1
        elif call[2].endswith(".jsonl") and call[1] == "write":
            unsynced.add(call[2])
        elif call[1] != "write":
            unsynced.discard(call[2])
    assert acknowledged >= 1
    assert served(folder)
