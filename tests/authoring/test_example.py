"""The example that writes one conversation in each documented format."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from talktree.cli.main import run
from tests import oracle

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "author.py"
CODE = "Escape the fence:\n\n```python\nprint('tide')\n```"
WRITTEN = {
    "notes": ("chatbuilder", ["How do tides work?", CODE]),
    "comments.json": (
        "studio",
        [
            "What is in the picture?",
            "A dot. Here is a page about tides.",
            "I see one pixel.",
            "Never mind.",
        ],
    ),
    "messages.jsonl": (
        "claude-messages",
        ["Please help me write a script", "I'll help you create one.", "Session resumed"],
    ),
    "history.json": ("muse", ["Why twice a day?", "Because the earth turns.", "Really?"]),
    "session": ("sage", ["Create a weather website", "I'll create it.", "Which city?"]),
}


def test_the_example_writes_valid_conversations(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = subprocess.run(
        [sys.executable, EXAMPLE, tmp_path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    for name, (slug, texts) in WRITTEN.items():
        assert f"{name}: {slug}, {len(texts)} messages, []" in done.stdout
        assert run(["check", str(tmp_path / name)]) == 0
        assert "no findings" in capsys.readouterr().out
        shown = oracle.messages(slug, tmp_path / name)
        assert [each.texts[0] for each in shown] == texts
