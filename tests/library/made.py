"""Small histories on the disk whose contents can be counted by hand.

`Session` writes claude-code sessions line by line; `history` makes a whole folder of them with
forks, resumes, sub-agents, copies, errors, tasks, a compaction and Japanese; `others` copies a
valid source of every other format. What is written is recorded in a `Truth`.

Every API message costs the same unless a test asks for something else: 1 token in, 10 out, 100
written to the cache, 1000 read from it. So n messages cost n, 10n, 100n and 1000n.
"""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from tests.library.made_session import MODEL, START, Session, append, munged, session_id
from tests.library.made_truth import NONE, Line, Said, Spent, Tokens, Truth

__all__ = [
    "MODEL",
    "NONE",
    "OTHERS",
    "OTHER_MODEL",
    "START",
    "Line",
    "Other",
    "Said",
    "Session",
    "Spent",
    "Tokens",
    "Truth",
    "append",
    "history",
    "munged",
    "others",
    "session_id",
    "small",
]

DATA = Path(__file__).parent.parent / "data"
OTHER_MODEL = "claude-opus-4-1-20250805"
TIDES = "/home/ana/tide-tables"


class Other(NamedTuple):
    """A valid source of a format, and its expected content."""

    slug: str
    path: Path
    """A file, or a folder that is one source."""
    conversations: int
    messages: int
    word: str
    """A word that occurs in one of its messages and in no other source made here."""
    tokens: Tokens = NONE


OTHERS = (
    Other("chatbuilder", Path("chatbuilder/good/sourdough"), 1, 11, "flour"),
    Other(
        "claude-messages", Path("claude-messages/good/tools-and-branches.jsonl"), 1, 17, "greets"
    ),
    Other("muse", Path("muse/good/export.jsonl"), 3, 4, "instancing"),
    Other("native", Path("native/good/every-part.jsonl"), 3, 11, "sensors"),
    Other("sage", Path("sage/good/session-tide-table"), 1, 13, "brest", Tokens(2200, 150, 0, 1400)),
    Other("studio", Path("studio/good/two-branch-points.json"), 1, 8, "balcony"),
    Other("studio-text", Path("studio-text/good/harbour.text"), 1, 8, "floods"),
    Other("studio-xml", Path("studio-xml/good/app.xml"), 1, 4, "sketch"),
)


def others(folder: Path) -> list[Other]:
    """Write a source of every other format, each in a separate folder with the format's name."""
    made = []
    for other in OTHERS:
        path = folder / other.slug / other.path.name
        path.parent.mkdir(parents=True, exist_ok=True)
        if (DATA / other.path).is_dir():
            shutil.copytree(DATA / other.path, path)
        else:
            shutil.copy(DATA / other.path, path)
        made.append(other._replace(path=path))
    return made


def small(home: Path, number: int = 1, *, words: str = "a plain question") -> Session:
    """Write one saved session: a prompt, a reply, a call and its result. Two API messages."""
    session = Session(Truth(), number)
    session.say(words)
    session.answer("a plain answer")
    session.use("Bash", "harbour.py", command="ls")
    session.save(home)
    return session


def history(home: Path) -> Truth:
    """Write seven sessions and agents in eight files below `projects`; 16 API messages in all.

    | file | its own API messages | what it is |
    |---|---|---|
    | 1 | 6 | a session with thinking, a failed call, an edit and tasks |
    | 1, agent `a1` | 2 | a sub-agent below its session |
    | 2 | 2 | a fork of 1: its lines again under another id, then two replies |
    | 1 in `-home-ana-backup` | 0 | a byte for byte copy of 1 |
    | 3 | 4 | another project, branch and model; an abandoned branch, a compaction, Japanese |
    | 3, agent `b2` | 1 | a sub-agent beside its session, as older versions wrote it |
    | 4 | 1 | a resume of 3 under another id |
    | 5 | 0 | a prompt that got no reply |
    """
    truth = Truth()
    first = _lamp(truth, home)
    fork = first.copied(2)
    fork.say("Try a brass fitting instead")
    fork.answer("The brass fitting holds.", thinking="Brass does not rust.")
    fork.use("Bash", "fitting ok", command="make fitting")
    fork.save(home)
    copy = home / "projects" / "-home-ana-backup" / f"{first.id}.jsonl"
    copy.parent.mkdir()
    copy.write_bytes(first.bytes())
    truth.files.append(copy)
    truth.lines += len(first.lines)
    third = _tides(truth, home)
    resumed = third.copied(4)
    resumed.say("Go on with the moon tables")
    resumed.answer("The moon tables are done.")
    resumed.save(home)
    alone = Session(truth, 5, start=START + timedelta(days=9))
    alone.say("Is anybody there?")
    alone.save(home)
    return truth


def _lamp(truth: Truth, home: Path) -> Session:
    """Write session 1: six API messages; Bash fails once; one of two tasks is done."""
    session = Session(truth, 1)
    session.say("Please mend the lighthouse lamp")
    session.answer("I look at the wiring first.", thinking="The filament may be broken.")
    session.use("Read", "1\tvolts = 12\n2\tlamp = None", file_path="/home/ana/harbour/lamp.py")
    session.use("Bash", "KeyError: 'filament'", error=True, command="python lamp.py --light")
    session.snapshot("lamp.py")
    call = session.call(
        "Edit",
        file_path="/home/ana/harbour/lamp.py",
        old_string="lamp = None",
        new_string="lamp = Filament(volts)",
    )
    session.progress(call, "ruff check lamp.py")
    session.result(call, "The file lamp.py has been updated.")
    session.plan(wiring="completed", painting="in_progress")
    session.fail()
    session.answer("The lamp burns again.")
    session.title("Mending the lighthouse lamp")
    session.save(home)
    agent = session.started("a1")
    agent.say("Review the wiring of lamp.py")
    agent.use("Grep", "lamp.py:2:lamp", pattern="lamp")
    agent.answer("The wiring is sound.")
    agent.save(home)
    return session


def _tides(truth: Truth, home: Path) -> Session:
    """Write session 3: four API messages, one on an abandoned branch, two before a compaction."""
    session = Session(
        truth, 3, cwd=TIDES, branch="dates", model=OTHER_MODEL, start=START + timedelta(days=3)
    )
    asked = session.say("潮汐表を東京の港のために作ってください")
    session.answer("An almanac in French?")
    session.back_to(asked)
    session.answer("東京の潮汐表を作りました。")
    session.compact("The person wants tide tables for Tokyo.")
    session.say("Now the neap tides")
    session.use("Write", "File created", file_path=f"{TIDES}/neap.csv", content="day,height\n1,0.4")
    session.answer("Neap tides are in neap.csv.", thinking="Neap is half moon.")
    session.title("潮汐表")
    session.save(home)
    agent = session.started("b2")
    agent.say("Find the harmonic constants")
    agent.answer("There are thirty-seven constants.")
    agent.save(home, older=True)
    return session
