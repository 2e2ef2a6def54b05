"""Clean conversations in every format, to be damaged: the same seed gives the same one.

A conversation is made in the model and converted; each message has unique words, by which it is
recognized whatever happens to the file.
"""

from __future__ import annotations

from random import Random

from msgspec.structs import replace

from talktree.conversion.options import Options
from talktree.files import Source
from talktree.formats import get_format
from talktree.formats.engine import read_document
from talktree.formats.native.lens import put
from talktree.formats.native.lens_fields import encode_line
from talktree.model.document import Document
from talktree.model.message import Author, Context, Message
from talktree.model.parts import Part, Text, ToolCall, ToolResult
from talktree.text.times import SECOND
from tests.conversion.trips import Files, into

START = 1_760_000_000 * SECOND
WORDS = ("bread", "harbour", "Lärm", "雨", "tide", "ladder", "🌊", "copper", "Brücke", "seed")
CLEAN = Options(carry=False)


def conversation(seed: int, turns: int = 0, *, fork: bool = False) -> list[Message]:
    """Return messages of a conversation: questions, answers and tool calls, of a number of turns.

    With a fork the last question is asked where the previous one was.
    """
    random = Random(seed)
    made: list[Message] = []
    usual = random.randint(3, 5)
    for turn in range(turns or usual):
        asked = _message(random, made, "user", _said(random, made))
        if fork and turn and turn + 1 == (turns or usual):
            asked = replace(asked, parent=_last_question(made).parent)
        made.append(asked)
        if random.random() < 0.6:
            call = f"toolu_{seed:04d}{turn:04d}"
            parts = (_said(random, made), ToolCall("Read", {"file_path": f"/srv/{turn}.txt"}, call))
            made.append(_message(random, made, "assistant", *parts))
            output = (_said(random, made),)
            made.append(_message(random, made, "user", ToolResult(output, call, "Read")))
        made.append(_message(random, made, "assistant", _said(random, made)))
    return made


def _last_question(made: list[Message]) -> Message:
    asked = (each for each in reversed(made) if each.role == "user")
    return next(each for each in asked if isinstance(each.parts[0], Text))


def _said(random: Random, before: list[Message]) -> Text:
    words = " ".join(random.choice(WORDS) for _ in range(random.randint(3, 30)))
    return Text(f"No. {len(before)}: {words}.")


def _message(random: Random, before: list[Message], role: str, *parts: Part) -> Message:
    number = len(before)
    return Message(
        id=f"{random.getrandbits(32):08x}-0000-4000-8000-{number:012x}",
        parent=before[-1].id if before else None,
        role=role,
        parts=parts,
        time_ns=START + (number * 7 + 1) * SECOND,
        session="6b1f0a52-3c4d-4e5f-8a6b-7c8d9e0f1a2b",
        authors=(Author("sage"),) if role == "assistant" else (),
        model="claude-sonnet-4" if role == "assistant" else None,
        context=Context(cwd="/srv", git_branch="main", version="2.0.1", user_type="external"),
    )


def document(seed: int, turns: int = 0, *, fork: bool = False) -> Document:
    """Return the conversation as a native document."""
    head = [{"talktree": {"version": 1}}, {"conversation": {"id": f"talk-{seed}"}}]
    values = [*head, *(put(each, None) for each in conversation(seed, turns, fork=fork))]
    data = b"".join(encode_line(value) + b"\n" for value in values)  # type: ignore[arg-type]
    return read_document(Source.of_bytes(data, name=f"talk-{seed}.jsonl"), get_format("native"))


def clean(slug: str, seed: int, turns: int = 0, *, fork: bool = False) -> Files:
    """Return a clean conversation as files of a format."""
    found = document(seed, turns, fork=fork)
    if slug == "native":
        origin = found.origin
        return Files(origin.source.as_bytes(), folder=False)  # type: ignore[attr-defined]
    return into(found, slug, CLEAN)
