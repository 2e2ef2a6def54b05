"""Sessions with missing or unusual links: every surface shows one complete conversation."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import talktree
from talktree.cli import main
from talktree.library.library import Library
from talktree.model.findings import Finding
from tests import session_lines
from tests.cases import examples
from tests.session_lines import (
    SESSIONS,
    Line,
    ask,
    call,
    compacted_twice,
    result,
    say,
    uid,
    write,
)

RULES = Path(__file__).parent.parent / "data" / "rules"
IDENTITY_SAMPLES = {
    f"{path.parent.parent.name}/{path.parent.name}/{path.name}": path
    for code in ("IDS102", "IDS105", "IDS109")
    for path in sorted((RULES / code).glob("bad*/*"))
}


class Done(NamedTuple):
    """The output of a command."""

    exit_code: int
    stdout: str
    stderr: str


def run(*arguments: str | Path) -> Done:
    out, err = BytesIO(), BytesIO()
    with (
        redirect_stdout(TextIOWrapper(out, "utf-8", write_through=True)),
        redirect_stderr(TextIOWrapper(err, "utf-8", write_through=True)),
    ):
        code = main.run([str(each) for each in arguments])
        return Done(code, out.getvalue().decode(), err.getvalue().decode())


def shown(path: Path) -> list[str]:
    """Return the ids of the messages that `show` prints."""
    (talk,) = json.loads(run("show", path, "--json").stdout)["conversations"]
    return [message["id"] for message in talk["messages"]]


def texts(path: Path, *options: str) -> str:
    return run("show", path, *options, "--no-pager").stdout


def ids(*numbers: int) -> list[str]:
    return [uid(number) for number in numbers]


def codes(path: Path) -> set[str]:
    return {each.code for each in talktree.check(path).findings}


# sessions without links


@pytest.mark.parametrize("name", ["no-parents", "null-parents"])
def test_messages_without_parents_follow_one_another(name: str, tmp_path: Path) -> None:
    path = write(SESSIONS[name], tmp_path)
    assert shown(path) == ids(*range(1, 9))
    assert [branch.messages for branch in talktree.read(path).conversation.branches()] == [8]


def test_results_without_parents_are_shown_with_their_calls(tmp_path: Path) -> None:
    path = write(SESSIONS["null-parents-tools"], tmp_path)
    assert "  $ ls 1\n    output 1\n" in texts(path)
    assert not codes(path) & {"TOL101", "TOL102", "TOL105"}


def test_nothing_is_lost_when_a_session_without_parents_is_converted(tmp_path: Path) -> None:
    path = write(SESSIONS["no-parents"], tmp_path)
    for target in ("studio", "muse", "claude-messages"):
        out = tmp_path / target
        assert run("convert", path, "-t", target, "-o", out, "--clean").exit_code == 0
        printed = texts(out)
        assert all(f"text {number}" in printed for number in range(1, 9)), target


def test_search_finds_messages_without_parents_on_the_current_branch(tmp_path: Path) -> None:
    path = write(SESSIONS["no-parents"], tmp_path / "projects")
    with Library.open(tmp_path / "library", write=True) as library:
        library.import_([path.parent])
        hits = list(library.search("text"))
    assert len(hits) == 8
    assert {hit.state for hit in hits} == {"current"}


def test_missing_links_are_reported_and_written_only_if_that_is_asked_for(tmp_path: Path) -> None:
    path = write(SESSIONS["no-parents"], tmp_path)
    assert codes(path) >= {"CLC102", "TRE112"}
    safe, unsafe = tmp_path / "safe.jsonl", tmp_path / "unsafe.jsonl"
    run("repair", path, "-o", safe)
    assert not safe.exists() or b"parentUuid" not in safe.read_bytes()
    assert run("repair", path, "-o", unsafe, "--unsafe").exit_code == 0
    links = [json.loads(raw).get("parentUuid") for raw in unsafe.read_bytes().splitlines()]
    assert links == [None, *ids(*range(1, 8))]
    assert "TRE112" not in codes(unsafe)


def test_threads_of_their_own_stay_apart_where_half_of_the_links_are_there(tmp_path: Path) -> None:
    lines = [line for first in (1, 3, 5) for line in session_lines.turns(first, first + 1, None)]
    path = write(lines, tmp_path)
    assert shown(path) == ids(5, 6)
    assert len(talktree.read(path).conversation.branches()) == 3


def test_reading_and_writing_keeps_every_byte(tmp_path: Path) -> None:
    for number, lines in enumerate((*SESSIONS.values(), compacted_twice())):
        path = write(lines, tmp_path / str(number))
        assert list(talktree.to_bytes(talktree.read(path)).values()) == [path.read_bytes()]


def test_a_reply_in_a_session_without_parents_comes_last(tmp_path: Path) -> None:
    path = write(SESSIONS["null-parents"], tmp_path)
    out = tmp_path / "out.jsonl"
    done = run("edit", path, "--reply", uid(8), "--text", "and now?", "-o", out)
    assert done.exit_code == 0, done.stderr
    assert out.read_bytes().startswith(path.read_bytes())
    assert len(shown(out)) == 9


# sub-agents and parallel calls


def test_the_main_line_continues_after_a_sidechain(tmp_path: Path) -> None:
    path = write(SESSIONS["sidechain"], tmp_path)
    assert shown(path) == ids(1, 2, 5, 6, 7)
    assert "sidechain of 2 messages" in texts(path)
    printed = texts(path, "--all")
    assert all(f"  {each}\n" in printed for each in ("u", "a", "su", "sa", "end", "u2", "a2"))


def documented(id: str, parent: str | None, type: str, **members: Any) -> Line:
    return {
        "type": type,
        "uuid": id,
        **({} if parent is None else {"parentUuid": parent}),
        "timestamp": "2026-01-05T08:00:01Z",
        "sessionId": "session-1",
        **members,
    }


def used(id: str, parent: str, tool: int) -> Line:
    given = {"toolName": "Bash", "toolArguments": {"command": f"ls {tool}"}}
    return documented(id, parent, "assistant", subtype="tool_use", **given)


def brought(id: str, parent: str, tool: int) -> Line:
    return documented(id, parent, "system", subtype="tool_result", message=f"output {tool}")


@pytest.mark.parametrize("under_last", [False, True])
def test_documented_parallel_calls_are_one_turn(under_last: bool, tmp_path: Path) -> None:
    calls = [used(f"a{number}", "u", number) for number in (1, 2, 3)]
    results = [
        brought(f"r{number}", "a3" if under_last else f"a{number}", number) for number in (1, 2, 3)
    ]
    lines = [
        documented("u", None, "user", message="Look around."),
        *calls,
        *results,
        documented("end", "r3", "assistant", subtype="response", message="Done."),
    ]
    path = write(lines, tmp_path)
    assert shown(path) == ["u", "a1", "a2", "a3", "r1", "r2", "r3", "end"]
    printed = texts(path)
    assert all(f"  $ ls {each}\n    output {each}\n" in printed for each in (1, 2, 3))
    assert len(talktree.read(path).conversation.branches()) == 1


def test_a_documented_answer_that_is_regenerated_is_a_fork(tmp_path: Path) -> None:
    lines = [
        documented("u", None, "user", message="Look around."),
        used("a1", "u", 1),
        brought("r1", "a1", 1),
        documented("end1", "r1", "assistant", subtype="response", message="Done."),
        used("a2", "u", 2),
        brought("r2", "a2", 2),
        documented("end2", "r2", "assistant", subtype="response", message="Done again."),
    ]
    path = write(lines, tmp_path)
    assert shown(path) == ["u", "a2", "r2", "end2"]
    assert len(talktree.read(path).conversation.branches()) == 2


@pytest.mark.parametrize("name", [name for name in SESSIONS if "calls" in name])
def test_parallel_calls_are_one_turn(name: str, tmp_path: Path) -> None:
    path = write(SESSIONS[name], tmp_path)
    tools = sum("toolu_" in json.dumps(line) for line in SESSIONS[name]) // 2
    assert sorted(shown(path)) == sorted(line["uuid"] for line in SESSIONS[name])
    printed = texts(path)
    assert all(f"  $ ls {each}\n    output {each}\n" in printed for each in range(1, tools + 1))
    assert len(talktree.read(path).conversation.branches()) == 1


NAMES = ("one reply", "one request", "replies of one request", "none")


@given(
    st.sampled_from(NAMES),
    st.permutations((1, 2, 3)),
    st.tuples(*[st.integers(1, 3)] * 3),
    st.booleans(),
)
@examples(60)
def test_parallel_calls_are_one_turn_wherever_their_results_are(
    names: str, order: list[int], parents: tuple[int, int, int], chained: bool
) -> None:
    chained = chained and names != "none"
    lines = [ask(1, None, "u")]
    for tool in (1, 2, 3):
        reply = {"one reply": "msg_a", "replies of one request": f"msg_{tool}"}.get(names, "")
        request = {"requestId": "req_1"} if "request" in names else {}
        lines.append(call(1 + tool, tool if chained else 1, tool, reply, **request))
    lines += [result(5 + at, 1 + parents[tool - 1], tool) for at, tool in enumerate(order)]
    lines.append(say(8, 7, "done"))
    with TemporaryDirectory() as folder:
        path = write(lines, Path(folder))
        assert sorted(shown(path)) == ids(*range(1, 9))
        printed = texts(path)
        assert all(f"  $ ls {each}\n    output {each}\n" in printed for each in (1, 2, 3))
        assert len(talktree.read(path).conversation.branches()) == 1


@given(st.permutations((1, 2, 3)), st.tuples(st.booleans(), st.booleans()))
@examples(40)
def test_documented_results_are_paired_by_their_own_call_or_in_order(
    order: list[int], own: tuple[bool, bool]
) -> None:
    under = {
        number: f"a{number}" if on_own else "a3" for number, on_own in zip((1, 2), own, strict=True)
    }
    waiting = sorted(number for number in (1, 2, 3) if under.get(number, "a3") == "a3")
    # The children of the last call come in the order of the calls.
    order = [waiting.pop(0) if under.get(number, "a3") == "a3" else number for number in order]
    lines = [
        documented("u", None, "user", message="Look around."),
        *(used(f"a{number}", "u", number) for number in (1, 2, 3)),
        *(brought(f"r{number}", under.get(number, "a3"), number) for number in order),
        documented("end", f"r{order[-1]}", "assistant", subtype="response", message="Done."),
    ]
    with TemporaryDirectory() as folder:
        printed = texts(write(lines, Path(folder)))
    assert all(f"  $ ls {each}\n    output {each}\n" in printed for each in (1, 2, 3))


def test_a_regenerated_answer_is_a_fork(tmp_path: Path) -> None:
    path = write(SESSIONS["regenerated"], tmp_path)
    assert shown(path) == ids(1, 5, 6, 7)
    assert len(talktree.read(path).conversation.branches()) == 2


# compactions


def test_a_session_that_is_compacted_twice_is_one_branch(tmp_path: Path) -> None:
    lines = compacted_twice()
    assert (len(lines), len({line["uuid"] for line in lines})) == (33, 23)
    path = write(lines, tmp_path)
    repaired = tmp_path / "repaired.jsonl"
    assert run("repair", path, "-o", repaired).exit_code == 0
    for each in (path, repaired):
        assert shown(each) == ids(*range(1, 24))
        assert "claude-code, 23 messages, 1 branch\n" in texts(each)
        assert run("stats", each).stdout.startswith("1 conversation, 23 messages, 1 branch\n")
        assert talktree.read(each).conversation.branches()[0].messages == 23


def test_a_library_counts_a_session_that_is_compacted_twice(tmp_path: Path) -> None:
    path = write(compacted_twice(), tmp_path / "projects")
    with Library.open(tmp_path / "library", write=True) as library:
        library.import_([path.parent])
        (kept,) = library.conversations()
        states = {hit.state for hit in library.search("Question", limit=99)}
    assert (kept.messages, kept.branches) == (23, 1)
    assert states == {"current", "compacted"}


def rewritten(lines: list[Line], *, behind: bool, compactions: int, **members: str) -> list[Line]:
    """Return the same lines with other members in all copies; the copies' parents are the previous
    lines or the original parents. Each further compaction writes the history again."""
    out: list[Line] = []
    for row in lines:
        is_copy = any(row["uuid"] == each["uuid"] for each in out)
        parent = {"parentUuid": out[-1]["uuid"]} if behind and out else {}
        out.append({**row, **members, **parent} if is_copy else row)
    if compactions == 2:
        return out
    more = [
        *lines[:10],
        session_lines.note(24, 10),
        session_lines.boundary(25, 24, first_kept=23),
        session_lines.summary(26, 25),
        ask(27, 26, "Question 7?"),
        say(28, 27, "Answer 7."),
    ]
    return rewritten([*out, *more], behind=behind, compactions=2, **members)


@pytest.mark.parametrize("compactions", [2, 3])
@pytest.mark.parametrize("behind", [False, True])
@pytest.mark.parametrize(
    "members",
    [{}, {"timestamp": "2026-03-04T12:00:00.000Z"}, {"version": "2.1.30"}, {"sessionId": uid(9)}],
    ids=lambda members: "".join(members) or "same",
)
def test_copies_with_another_parent_or_time_are_one_message(
    members: dict[str, str], behind: bool, compactions: int, tmp_path: Path
) -> None:
    lines = rewritten(compacted_twice(), behind=behind, compactions=compactions, **members)
    path = write(lines, tmp_path / "projects")
    count = len({line["uuid"] for line in lines})
    assert len(lines) > count
    assert shown(path) == ids(*range(1, count + 1))
    assert len(talktree.read(path).conversation.branches()) == 1
    differ = behind or {"timestamp", "version"} & members.keys()
    assert ("IDS109" if differ else "IDS105") in codes(path)
    assert "IDS102" not in codes(path)
    with Library.open(tmp_path / "library", write=True) as library:
        library.import_([path.parent])
        (kept,) = library.conversations()
    assert (kept.messages, kept.branches) == (count, 1)
    repaired = tmp_path / "repaired.jsonl"
    run("repair", path, "-o", repaired)
    if repaired.exists():
        assert shown(repaired) == ids(*range(1, count + 1))


def test_a_message_kept_after_a_compaction_is_shown_once(tmp_path: Path) -> None:
    """The message is written again below the summary, and the conversation continues from there."""
    lines = [
        *session_lines.turns(1, 4, None),
        session_lines.boundary(5, 4, first_kept=3),
        session_lines.summary(6, 5),
        {**session_lines.turns(3, 3, 6)[0]},
        session_lines.turns(3, 4, 2)[1],
        *session_lines.turns(7, 10, 4),
    ]
    path = write(lines, tmp_path)
    assert shown(path) == ids(*range(1, 11))
    assert len(talktree.read(path).conversation.branches()) == 1


def identity_findings(found: Sequence[Finding]) -> set[tuple[str, str, str, str | None]]:
    return {
        (each.code, each.name, each.severity, each.entry)
        for each in found
        if each.code in ("IDS101", "IDS102", "IDS105", "IDS109")
    }


@pytest.mark.parametrize("name", ["exact", "rewritten", *IDENTITY_SAMPLES])
def test_reading_and_checking_agree_on_copies(name: str, tmp_path: Path) -> None:
    if name in IDENTITY_SAMPLES:
        path = IDENTITY_SAMPLES[name]
    else:
        behind = name == "rewritten"
        path = write(rewritten(compacted_twice(), behind=behind, compactions=2), tmp_path)
    read = identity_findings(talktree.read(path).findings)
    assert read
    assert read == identity_findings(talktree.check(path).findings)


def test_a_conversion_reports_copies_as_a_check_does(tmp_path: Path) -> None:
    path = write(compacted_twice(), tmp_path)
    done = run("convert", path, "-t", "studio", "-o", tmp_path / "out.json", "--clean")
    assert f"{path}: 10 warnings: {uid(1)}#2 exact-copy;" in done.stderr
    assert "duplicate-id" not in done.stderr
    checked = run("check", path)
    assert "exact-copy" in checked.stdout + checked.stderr


# forks and threads


@pytest.mark.parametrize("name", ["linked", "no-parents"])
def test_a_clone_is_a_branch(name: str, tmp_path: Path) -> None:
    path = write(SESSIONS[name], tmp_path)
    out = tmp_path / "out.jsonl"
    done = run("edit", path, "--clone", uid(3), "-o", out)
    assert done.exit_code == 0, done.stderr
    assert len(talktree.read(out).conversation.branches()) == 2
    assert "other branch" in texts(out)


def test_a_clone_in_a_document_is_a_branch(tmp_path: Path) -> None:
    path, out = Path("demo/studio.json").resolve(), tmp_path / "out.json"
    document = talktree.read(path)
    before = document.conversation.branches()
    end = document.conversation.path()[-1]
    done = run("edit", path, "--clone", end.id, "-o", out)
    assert done.exit_code == 0, done.stderr
    assert len(talktree.read(out).conversation.branches()) == len(before) + 1


def test_a_note_of_its_own_is_not_the_thread_that_is_shown(tmp_path: Path) -> None:
    path = write(SESSIONS["note-after-all"], tmp_path)
    done = run("show", path, "--no-pager")
    assert "text 8" in done.stdout
    assert "1 other thread hidden (use --all)" in done.stderr


def test_the_longest_thread_is_shown_where_the_file_names_none(tmp_path: Path) -> None:
    said = [
        documented("1", None, "user", message="Is the bread done?"),
        documented("2", "1", "assistant", subtype="response", message="Ten more minutes."),
        documented("3", "2", "user", message="And the cake?"),
        documented("4", None, "user", message="Hello?"),
    ]
    path = write(said, tmp_path)
    assert shown(path) == ["1", "2", "3"]
    assert "1 other thread hidden (use --all)" in run("show", path).stderr


def test_new_messages_end_the_default_branch(tmp_path: Path) -> None:
    """Replies are distinguished from replays by more than their place."""
    path = write([ask(1, None, "u"), say(2, 1, "a"), say(3, 1, "b")], tmp_path)
    assert shown(path) == ids(1, 3)
