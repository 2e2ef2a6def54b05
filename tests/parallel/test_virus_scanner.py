"""An external scanner: it reads a private file, runs without a shell, and its answer counts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from talktree.parallel.virus_scanner import scan_externally
from talktree.settings.attachments import AttachmentSettings

LOOK = "import os, sys; p = sys.argv[1]; print(oct(os.stat(p).st_mode & 0o777), sys.argv[2:]);"


def settings(program: str, *more: str, timeout: float = 30) -> AttachmentSettings:
    return AttachmentSettings(10, (sys.executable, "-c", program, "{path}", *more), timeout)


@pytest.mark.parametrize(("code", "state"), [(0, "clean"), (1, "infected"), (2, "failed")])
def test_the_exit_code_decides(code: int, state: str) -> None:
    assert scan_externally(b"pear", settings(f"import sys; sys.exit({code})")).state == state


def test_the_file_is_private_and_words_stay_words() -> None:
    result = scan_externally(b"pear", settings(LOOK + "sys.exit(1)", "; touch x", "$HOME"))
    assert result.state == "infected"
    assert result.detail == "0o600 ['; touch x', '$HOME']"


def test_the_content_is_that_of_the_attachment_and_nothing_is_left(tmp_path: Path) -> None:
    note = tmp_path / "note"
    copy = f"import sys; open({str(note)!r}, 'w').write(sys.argv[1] + open(sys.argv[1]).read())"
    assert scan_externally(b" pear", settings(copy)).state == "clean"
    path, content = note.read_text().split()
    assert content == "pear"
    assert not Path(path).exists()
    assert not Path(path).parent.exists()


def test_a_scanner_that_does_not_end_or_start_is_a_failure() -> None:
    slow = scan_externally(b"pear", settings("import time; time.sleep(60)", timeout=0.3))
    assert (slow.state, "did not end within 0.3 s" in slow.detail) == ("failed", True)
    missing = AttachmentSettings(10, ("no-such-scanner", "{path}"))
    found = scan_externally(b"pear", missing)
    assert (found.state, "cannot run no-such-scanner" in found.detail) == ("failed", True)


def test_without_a_command_nothing_runs() -> None:
    assert scan_externally(b"pear", AttachmentSettings()).state == "clean"
