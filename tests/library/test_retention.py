"""Retention: rules forget what is computed by hand, and a wrong clock empties no library."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from talktree.errors import LockHeld, NotSaved, RefusedInput, UsageError
from talktree.library.importing import import_changes as importing
from talktree.library.library import Library
from talktree.library.retention import apply as retention_apply
from talktree.library.retention.age import DAY, find_due_time
from talktree.library.retention.apply import run_retention
from talktree.text.times import SECOND, from_iso
from tests.cases import SEED, scale
from tests.cli.transcript import environment
from tests.session.faults import small_disk

PROJECTS = ("/home/ana/customers/acme", "/home/ana/customers/zeta/app", "/home/ana/garden")
AGES = (0, 1, 29, 31, 100, 179, 181, 400, 800)


class Talk(NamedTuple):
    """A conversation as the test made it: the input of the oracle."""

    id: str
    age: float
    project: str
    path: Path


class Shelf(NamedTuple):
    """A library with conversations of many ages, and its configuration."""

    home: Path
    talks: list[Talk]

    def configure(self, text: str) -> None:
        (self.home / "config.toml").write_text(text)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "talktree.cli.main", *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            env={**environment(), "TALKTREE_HOME": str(self.home)},
        )

    def ids(self) -> set[str]:
        """Return the conversations in the library."""
        with Library.open() as library:
            return {each.id for each in library.conversations()}

    def due(self) -> set[str]:
        """Return what the rules would forget now."""
        with Library.open() as library:
            return {case.entry.id for case in library.retention().cases}


def write_talk(folder: Path, number: int, age: float, project: str) -> Talk:
    """Write a session whose last message is `age` days old."""
    id = f"{number:08x}-0000-4000-8000-{number:012x}"
    last = datetime.now(UTC) - timedelta(days=age)
    lines = []
    for step, role in enumerate(("user", "assistant")):
        at = last - timedelta(hours=1 - step)
        lines.append(
            {
                "type": role,
                "uuid": f"{number:08x}-0000-4000-8000-{step:012x}",
                "parentUuid": None if step == 0 else f"{number:08x}-0000-4000-8000-{0:012x}",
                "sessionId": id,
                "cwd": project,
                "version": "2.1.29",
                "timestamp": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
                "message": {"role": role, "content": f"text {number}"},
            }
        )
    path = folder / project.replace("/", "-") / f"{id}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return Talk(id, age, project, path)


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    monkeypatch.setenv("TALKTREE_HOME", str(home))
    sources = tmp_path / "sources"
    talks = [
        write_talk(sources, number, age, project)
        for number, (age, project) in enumerate(
            ((age, project) for project in PROJECTS for age in AGES), 1
        )
    ]
    with Library.open(write=True) as library:
        library.import_([sources])
    return Shelf(home, talks)


# what is due


def random_rules(chance: random.Random) -> tuple[str, list[dict[str, Any]]]:
    """Return some rules, as text and as values."""
    rules = []
    for _ in range(chance.randrange(1, 5)):
        rule: dict[str, Any] = (
            {"keep": True}
            if chance.random() < 0.3
            else {"forget-after": chance.choice(["30d", "25w", "180d", "1y", "2y", "6m"])}
        )
        if chance.random() < 0.7:
            rule["project"] = chance.choice(
                ["/home/ana/customers/*", "/home/ana/garden", "*/acme", "/nowhere/*"]
            )
        if chance.random() < 0.3:
            rule["format"] = chance.choice(["claude-code", "muse"])
        rules.append(rule)
    text = "".join(
        "[[retention]]\n"
        + "".join(f"{name} = {json.dumps(value)}\n" for name, value in rule.items())
        for rule in rules
    )
    return text, rules


def by_hand(talks: list[Talk], rules: list[dict[str, Any]]) -> set[str]:
    """Compute what is due, one conversation and one rule at a time."""
    days = {"30d": 30, "25w": 175, "180d": 180, "1y": 365.5, "2y": 730.5, "6m": 182}
    out = set()
    for talk in talks:
        fitting = [
            rule
            for rule in rules
            if fnmatchcase(talk.project, rule.get("project", "*"))
            and rule.get("format", "claude-code") == "claude-code"
        ]
        if any("keep" in rule for rule in fitting):
            continue
        if any(talk.age > days[rule["forget-after"]] for rule in fitting):
            out.add(talk.id)
    return out


def test_due_conversations_equal_those_computed_by_hand(shelf: Shelf) -> None:
    chance = random.Random(SEED)
    seen = set()
    for _ in range(scale(60)):
        text, rules = random_rules(chance)
        shelf.configure(text)
        expected = by_hand(shelf.talks, rules)
        seen.add(len(expected))
        assert shelf.due() == expected, text
    assert len(seen) > 3, "the rules differ in what they let go"


def test_the_command_shows_first_and_forgets_with_yes(shelf: Shelf) -> None:
    rules = [{"forget-after": "180d", "project": "/home/ana/customers/*"}]
    shelf.configure('[[retention]]\nforget-after = "180d"\nproject = "/home/ana/customers/*"\n')
    expected = by_hand(shelf.talks, rules)
    before = shelf.ids()
    shown = json.loads(shelf.run("library", "retention", "--json").stdout)
    assert {each["id"] for each in shown["forget"]} == expected
    assert all(
        each["rule"] == 1 and each["due"] < datetime.now(UTC).isoformat()
        for each in shown["forget"]
    )
    assert shelf.ids() == before, "a plan changes nothing"
    for talk in shelf.talks:
        if talk.id in expected:
            talk.path.unlink()
    done = json.loads(shelf.run("library", "retention", "--yes", "--json").stdout)
    assert {each["id"] for each in done["forgotten"]} == expected
    assert shelf.ids() == before - expected
    with Library.open() as library:
        assert library.check(read_data=True) == []
        assert list(library.search("text 9", limit=None).hits) == []


def test_data_kept_by_a_reader_is_reported(shelf: Shelf) -> None:
    shelf.configure('[[retention]]\nforget-after = "30d"\n')
    reader = sqlite3.connect(shelf.home / "library" / "library.sqlite", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM sources").fetchone()
    done = shelf.run("library", "retention", "--yes")
    assert done.returncode == 1, done.stderr
    assert "not finished" in done.stderr
    check = shelf.run("library", "check")
    assert check.returncode == 1
    assert "not finished" in check.stderr
    reader.execute("COMMIT")
    reader.close()
    assert shelf.run("library", "check").returncode == 0
    assert "nothing was left" in shelf.run("library", "forget", "--finish").stderr


def test_imports_apply_rules_only_after_they_were_confirmed(shelf: Shelf) -> None:
    shelf.configure('[[retention]]\nforget-after = "500d"\n')
    before = shelf.ids()
    said = shelf.run("import")
    assert (said.returncode, "not confirmed" in said.stderr) == (0, True)
    assert shelf.ids() == before
    oldest = {talk.id for talk in shelf.talks if talk.age > 500}
    for talk in shelf.talks:
        if talk.age > 300:
            talk.path.unlink()
    assert shelf.run("library", "retention", "--yes").returncode == 0
    assert shelf.ids() == before - oldest
    shelf.configure('[[retention]]\nforget-after = "300d"\n')
    said = shelf.run("import")
    assert "have changed" in said.stderr
    assert "talktree library retention" in said.stderr
    assert shelf.ids() == before - oldest, "a changed rule has to be confirmed"
    shelf.configure('# the same again\n[[retention]]\nforget-after = "500 d"\n')
    with Library.open(write=True) as library:
        # A year and some later these have reached the age, too.
        library.db.run("UPDATE sources SET last = last - ?", (150 * DAY,))
        library.db.run("UPDATE conversations SET last = last - ?", (150 * DAY,))
    said = shelf.run("import", "--json")
    forgotten = json.loads(said.stdout)["retention"]["forgotten"]
    assert {each["id"] for each in forgotten} == {t.id for t in shelf.talks if t.age == 400}


def test_a_named_branch_can_be_kept(shelf: Shelf) -> None:
    shelf.configure(
        '[[retention]]\nforget-after = "30d"\n[[retention]]\nkeep = true\nbranch-name = "imp*"\n'
    )
    (talk,) = [each for each in shelf.talks if each.age == 800 and each.project == PROJECTS[0]]
    assert talk.id in shelf.due()
    with Library.open(write=True) as library:
        from talktree.library.branch_names import name_branch

        kept = library.conversation(talk.id)
        conversation = library.read(kept).conversations[0]
        leaf = f"{talk.id[:8]}-0000-4000-8000-{1:012x}"
        name_branch(library.db, kept.source, conversation, leaf, "important")
    assert talk.id not in shelf.due()


def test_a_file_goes_only_with_all_its_conversations(shelf: Shelf, tmp_path: Path) -> None:
    old, new = "2020-01-01T08:00:00.000Z", datetime.now(UTC).isoformat(timespec="milliseconds")
    lines: list[Any] = [{"talktree": {"version": 1}}]
    for name, at in (("a", old), ("b", new.replace("+00:00", "Z"))):
        lines += [
            {"conversation": {"id": name, "format": None, "title": name}},
            {
                "message": {
                    "id": f"m{name}",
                    "role": "user",
                    "time": at,
                    "parts": [{"part": "text", "text": name}],
                }
            },
        ]
    (tmp_path / "two.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))
    with Library.open(write=True) as library:
        library.import_([tmp_path / "two.jsonl"])
        assert {"a", "b"} <= shelf.ids()
        shelf.configure('[[retention]]\nforget-after = "90d"\nformat = "native"\n')
        plan = library.retention()
        assert (plan.cases, plan.shared) == ((), 1)
        later = library.retention(now=time.time_ns() + 100 * DAY)
        assert [case.conversations for case in later.cases] == [2]


def test_conversations_that_grew_after_the_import_are_not_forgotten(shelf: Shelf) -> None:
    shelf.configure('[[retention]]\nforget-after = "700d"\n')
    before = shelf.due()
    talk = next(each for each in shelf.talks if each.id in before)
    with talk.path.open("a") as file:
        file.write("\n")
    assert shelf.due() == before - {talk.id}


def test_ages_follow_the_calendar() -> None:
    def day(text: str) -> int:
        found = from_iso(f"{text}T12:00:00.000Z")
        assert found is not None
        return found

    assert find_due_time(day("2026-01-31"), "1m") == day("2026-02-28")
    assert find_due_time(day("2024-02-29"), "1y") == day("2025-02-28")
    assert find_due_time(day("2026-01-31"), "2w") == day("2026-02-14")
    assert find_due_time(day("2026-11-30"), "3m") == day("2027-02-28")
    assert find_due_time(day("2026-11-30"), "99999y") is None


# the clock


def test_a_clock_that_goes_back_stops_retention(shelf: Shelf) -> None:
    shelf.configure('[[retention]]\nforget-after = "30d"\n')
    before = shelf.ids()
    now = time.time_ns()
    with Library.open(write=True) as library:
        with pytest.raises(RefusedInput, match="the clock says"):
            library.apply_retention(now=now - 10 * DAY)
        assert shelf.ids() == before
        library.apply_retention(now=now)
        result = run_retention(library, now=now - 10 * DAY)
        assert "behind" in (result.why_not or "")
        assert run_retention(library, now=now - 60 * SECOND).why_not is None
        assert library.apply_retention(now=now - 10 * DAY, trust_clock=True).why_not is None
        assert run_retention(library, now=now - 9 * DAY).why_not is None


def test_a_clock_that_jumps_ahead_forgets_nothing(shelf: Shelf) -> None:
    shelf.configure('[[retention]]\nforget-after = "2000d"\n')
    now = time.time_ns()
    with Library.open(write=True) as library:
        assert library.apply_retention(now=now).cases == ()
        before = shelf.ids()
        for _ in range(3):
            # An import under the wrong clock must not make it believable.
            result = run_retention(library, now=now + 3000 * DAY)
            assert "3000 days after the last import" in (result.why_not or "")
        with pytest.raises(RefusedInput, match="long after"):
            library.apply_retention(now=now + 3000 * DAY)
        assert shelf.ids() == before


def test_a_clock_some_days_ahead_forgets_nothing(shelf: Shelf, tmp_path: Path) -> None:
    shelf.configure('[[retention]]\nforget-after = "180d"\n')
    now = time.time_ns()
    with Library.open(write=True) as library:
        library.apply_retention(now=now)
        before = shelf.ids()
        assert {talk.id for talk in shelf.talks if talk.age == 179} <= before
        for days in (8, 30, 40, 60):
            result = run_retention(library, now=now + days * DAY)
            assert f"{days} days after" in (result.why_not or "")
            assert "retention --yes" in (result.hint or "")
        # Files written and imported under the wrong clock do not make it right.
        later = write_talk(tmp_path / "later", 998, 0, PROJECTS[2])
        os.utime(later.path, ns=(now + 40 * DAY, now + 40 * DAY))
        library.import_([later.path])
        assert run_retention(library, now=now + 40 * DAY).why_not is not None
        assert shelf.ids() == before | {later.id}
        assert run_retention(library, now=now + 6 * DAY).why_not is None
        assert run_retention(library, now=now + 12 * DAY).why_not is None


def test_files_that_keep_changing_show_that_the_clock_is_right(
    shelf: Shelf, tmp_path: Path
) -> None:
    shelf.configure('[[retention]]\nforget-after = "2000d"\n')
    now = time.time_ns()
    with Library.open(write=True) as library:
        library.apply_retention(now=now - 30 * DAY, trust_clock=True)
        assert "30 days after" in (run_retention(library, now=now).why_not or "")
        for number in range(1, 5):
            talk = write_talk(tmp_path / "later", 900 + number, 0, PROJECTS[2])
            os.utime(talk.path, ns=(now - number * 6 * DAY, now - number * 6 * DAY))
        library.import_([tmp_path / "later"])
        assert run_retention(library, now=now).why_not is None


def set_run(shelf: Shelf, days: int) -> None:
    """Move the last run and all imports by some days, as if the clock had been set."""
    with Library.open(shelf.home / "library", write=True) as library:
        moved = time.time_ns() + days * DAY
        library.db.run("UPDATE about SET value = ? WHERE key = 'retention-clock'", (str(moved),))
        library.db.run("UPDATE versions SET seen = ?", (moved,))


def test_the_command_line_reports_a_clock_that_jumped(shelf: Shelf) -> None:
    shelf.configure('[[retention]]\nforget-after = "180d"\n')
    assert shelf.run("library", "retention", "--yes").returncode == 0
    shelf.configure('[[retention]]\nforget-after = "170d"\n')
    before = shelf.ids()
    for days, refused in ((400, True), (-410, True), (-40, False)):
        set_run(shelf, days)
        shown = shelf.run("library", "retention")
        assert shown.returncode == 0
        assert ("--yes is refused: the clock says" in shown.stderr) == refused
        assert ("--yes forgets them" in shown.stderr) == (not refused)
        plan = json.loads(shelf.run("library", "retention", "--json").stdout)
        assert (plan["not_applied"] is not None) == refused
        if refused:
            assert shelf.run("library", "retention", "--yes").returncode == 3
        assert shelf.ids() == before
    assert shelf.run("library", "retention", "--yes").returncode == 0
    assert shelf.ids() == before - {talk.id for talk in shelf.talks if talk.age == 179}


def test_an_import_under_a_clock_that_jumped_asks_for_a_look(shelf: Shelf) -> None:
    shelf.configure('[[retention]]\nforget-after = "30d"\n')
    assert shelf.run("library", "retention", "--yes").returncode == 0
    before = shelf.ids()
    set_run(shelf, -40)
    with Library.open(write=True) as library:
        library.db.run("UPDATE sources SET last = last - ?", (40 * DAY,))
        library.db.run("UPDATE conversations SET last = last - ?", (40 * DAY,))
    said = shelf.run("import")
    assert said.returncode == 0
    assert "nothing is forgotten: the clock says" in said.stderr
    assert "talktree library retention --yes" in said.stderr
    assert shelf.ids() == before


def test_a_message_of_the_future_counts_as_now(shelf: Shelf, tmp_path: Path) -> None:
    talk = write_talk(tmp_path / "future", 999, -5000, PROJECTS[0])
    with Library.open(write=True) as library:
        library.import_([talk.path])
        shelf.configure('[[retention]]\nforget-after = "30d"\n')
        assert talk.id not in shelf.due()
        cases = library.retention(now=time.time_ns() + 31 * DAY).cases
        assert talk.id not in {case.entry.id for case in cases}, "its age is 0 whenever one looks"


# errors


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ('[[retention]]\nforget-after = "soon"', "not an age"),
        ('[[retention]]\nforget-after = "0d"', "not an age"),
        ("[[retention]]\nforget-after = 180", "not an age"),
        ('[[retention]]\nforget-after = "-5d"', "not an age"),
        ("[[retention]]\nkeep = false", "keep is not true"),
        ("[[retention]]", "says nothing"),
        ('[[retention]]\nkeep = true\nforget-after = "1d"', "two things"),
        ('[[retention]]\nkeep = true\nlabel = "x"', "no labels"),
        (
            '[[retention]]\nkeep = true\nprojekt = "x"',
            "unknown setting in retention rule 1: projekt, did you mean project?",
        ),
        ('[[retention]]\nkeep = true\nproject = ""', "not a text"),
        ("[[retention]]\nkeep = true\nproject = []", "not a text"),
        (
            '[[retention]]\nkeep = true\nformat = "word"',
            "retention rule 1: no format is called word",
        ),
        ('[retention]\nforget-after = "1d"', "not a list of tables"),
        ("retention = 5", "not a list of tables"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused_and_forgets_nothing(
    shelf: Shelf, wrong: str, said: str
) -> None:
    shelf.configure(wrong + "\n")
    with Library.open(write=True) as library:
        for call in (library.retention, library.apply_retention):
            with pytest.raises(UsageError, match=said) as raised:
                call()
            assert raised.value.hint
            assert "config.toml" in raised.value.message
    assert len(shelf.ids()) == len(shelf.talks)


def test_an_import_is_done_even_if_a_rule_is_wrong(shelf: Shelf, tmp_path: Path) -> None:
    shelf.configure('[[retention]]\nforget-after = "soon"\n')
    new = write_talk(tmp_path / "more", 500, 1, PROJECTS[0])
    done = shelf.run("import", str(new.path))
    assert (done.returncode, "1 new" in done.stdout) == (2, True)
    assert "not an age" in done.stderr
    assert new.id in shelf.ids()


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (
            '[[retention]]\nforget-after = "1d"\nformat = ["sage", "claud-code"]',
            "retention rule 1: no format is called claud-code, did you mean claude-code?",
        ),
        (
            '[[retention]]\nkeep = true\n[[retention]]\nforget_after = "1d"',
            "unknown setting in retention rule 2: forget_after, did you mean forget-after?",
        ),
        (
            '[[retentions]]\nforget-after = "1d"',
            "unknown setting retentions, did you mean retention?",
        ),
        ("[[retention]]\nforget-after = 180", "retention rule 1: forget-after is not an age: 180"),
    ],
)
def test_an_import_names_what_is_wrong_with_a_rule(
    shelf: Shelf, tmp_path: Path, rules: str, message: str
) -> None:
    shelf.configure('[[retention]]\nforget-after = "500d"\n')
    assert shelf.run("library", "retention", "--yes").returncode == 0
    before = shelf.ids()
    shelf.configure(rules)
    new = write_talk(tmp_path / "later", 99, 0, "/home/ana/garden")
    for command in (("import", str(tmp_path / "later")), ("library", "retention", "--yes")):
        done = shelf.run(*command)
        assert done.returncode == 2
        first, second = done.stderr.splitlines()
        assert first == f"talktree: {shelf.home / 'config.toml'}: {message}"
        assert second.startswith("hint: ")
        assert before <= shelf.ids() <= before | {new.id}


def test_a_watch_goes_on_if_a_rule_is_wrong(shelf: Shelf, tmp_path: Path) -> None:
    shelf.configure('[[retention]]\nforget-after = "1d"\nformat = "claud-code"')
    new = write_talk(tmp_path / "later", 99, 0, "/home/ana/garden")
    with subprocess.Popen(
        [sys.executable, "-m", "talktree.cli.main", "watch", str(tmp_path / "later"), "--every=.1"],
        env={**environment(), "TALKTREE_HOME": str(shelf.home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as watching:
        assert watching.stdout is not None
        assert str(new.path) in watching.stdout.readline()
        watching.send_signal(signal.SIGINT)
        _, errors = watching.communicate(timeout=60)
    assert "no format is called claud-code, did you mean claude-code?\nhint: " in errors
    assert watching.returncode == 130
    assert new.id in shelf.ids()


def test_rules_that_others_could_have_written_are_not_used(shelf: Shelf) -> None:
    shelf.configure('[[retention]]\nforget-after = "30d"\n')
    (shelf.home / "config.toml").chmod(0o666)
    with Library.open() as library, pytest.raises(UsageError, match="others can change"):
        library.retention()


def test_a_library_that_another_process_writes_is_left_alone(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.configure('[[retention]]\nforget-after = "30d"\n')
    monkeypatch.setattr(retention_apply, "WAIT", 0.05)
    monkeypatch.setattr(importing, "WAIT", 0.05)
    before = shelf.ids()
    other = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(shelf.home / "library")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert other.stdout is not None
    assert other.stdout.readline() == b"held\n"
    with Library.open(write=True) as library:
        with pytest.raises(LockHeld):
            library.apply_retention()
        assert shelf.ids() == before
        other.communicate()
        assert library.apply_retention().cases


HOLD = """
import sys
from pathlib import Path
from talktree.library.importing.lock import WriterLock
with WriterLock(Path(sys.argv[1])).hold():
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_full_disk_forgets_all_or_nothing_of_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with small_disk(tmp_path / "small", 3 << 20) as disk:
        monkeypatch.setenv("TALKTREE_HOME", str(disk / "home"))
        talks = [write_talk(tmp_path / "s", number, 900, PROJECTS[0]) for number in range(1, 9)]
        with Library.open(write=True) as library:
            library.import_([tmp_path / "s"])
        (disk / "home" / "config.toml").write_text('[[retention]]\nforget-after = "30d"\n')
        with Library.open(write=True) as library:
            filler = os.open(disk / "filler", os.O_WRONLY | os.O_CREAT)
            with suppress(OSError):
                while True:
                    os.write(filler, bytes(4096))
            os.close(filler)
            with pytest.raises(NotSaved) as raised:
                library.apply_retention()
            assert raised.value.hint
        os.truncate(disk / "filler", 0)
        with Library.open(write=True) as library:
            left = {each.id for each in library.conversations()}
            assert {each.entry.id for each in library.retention().cases} == left
            for talk in talks:
                if talk.id in left:
                    assert [*library.read(talk.id).conversations[0].messages()]
            library.apply_retention()
            assert [*library.conversations()] == []
            assert library.check(read_data=True) == []
