"""New conversations, one in each of the documented formats.

python examples/author.py FOLDER
"""

from __future__ import annotations

import base64
import sys
from datetime import UTC, datetime
from pathlib import Path

import talktree

DOT = "R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="
"""A GIF of one pixel."""
PAGE = "<!doctype html>\n<title>Tides</title>\n<p>High water at noon.</p>\n"
CODE = "Escape the fence:\n\n```python\nprint('tide')\n```"


def write_message_files(folder: Path) -> None:
    """Write numbered Markdown files. Header, numbering and escaping are added."""
    conversation = talktree.new("chatbuilder", title="Tides")
    conversation.reply("How do tides work?", author="Ada")
    conversation.reply(CODE, role="assistant", author="Robin (v1.0.0)")
    conversation.save(folder / "notes")


def write_comments(folder: Path) -> None:
    """Write a tree of comments with a picture, an artifact, a branch and a deleted comment."""
    picture = folder / "dot.gif"
    picture.write_bytes(base64.b64decode(DOT))
    conversation = talktree.new("studio")
    question = conversation.reply("What is in the picture?")
    conversation.attach(picture)
    conversation.reply("A dot. Here is a page about tides.", role="assistant")
    conversation.add_artifact("index.html", PAGE)
    other = conversation.fork(at=question)
    answer = other.reply("I see nothing.", role="assistant")
    other.edit(answer, "I see one pixel.")
    mistake = other.reply("Never mind.")
    other.delete(mistake)
    conversation.save(folder / "comments.json")


def write_session_messages(folder: Path) -> None:
    """Write the documented message types of Claude Code, dated in the past."""
    conversation = talktree.new("claude-messages")
    conversation.reply(
        "Please help me write a script", time=datetime(2025, 1, 27, 10, 0, tzinfo=UTC)
    )
    conversation.reply(
        "I'll help you create one.", role="assistant", time="2025-01-27T10:00:10.000Z"
    )
    conversation.reply("Session resumed", role="system", time="2025-01-27T10:01:00Z")
    conversation.save(folder / "messages.jsonl")


def write_message_history(folder: Path) -> None:
    """Write a message history without branches, in which question and answer share a request."""
    conversation = talktree.new("muse", title="Tides")
    conversation.reply("Why twice a day?", author="Ada")
    conversation.reply("Because the earth turns.", role="assistant")
    draft = conversation.reply("Really")
    conversation.edit(draft, "Really?")
    conversation.save(folder / "history.json")


def write_session(folder: Path) -> None:
    """Write a session folder. The folder, platform and branch are filled in."""
    conversation = talktree.new("sage", title="Weather website")
    question = conversation.reply("Create a weather website", thinking="high")
    conversation.reply("I'll create it.", role="assistant")
    other = conversation.fork(at=question)
    other.reply("Which city?", role="assistant")
    conversation.save(folder / "session")


def main(folder: Path) -> None:
    """Write all of them, and check each."""
    folder.mkdir(parents=True, exist_ok=True)
    write_message_files(folder)
    write_comments(folder)
    write_session_messages(folder)
    write_message_history(folder)
    write_session(folder)
    for name in ("notes", "comments.json", "messages.jsonl", "history.json", "session"):
        document = talktree.read(folder / name)
        findings = talktree.check(document).findings
        print(f"{name}: {document.format}, {len(document.conversation)} messages, {findings}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python examples/author.py FOLDER")
    main(Path(sys.argv[1]))
