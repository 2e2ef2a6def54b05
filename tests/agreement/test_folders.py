"""A folder is a collection: every command and `read` include all of it, or report what they
skip."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import shutil
from pathlib import Path

import pytest

import talktree
from talktree.cli.main import run
from tests.agreement.populations import ROOT, muse_dump

DEMO = ROOT / "demo"
FILES = ("claude-code.jsonl", "studio.json", "muse.json", "native.jsonl")


def talktree_command(*arguments: str | Path) -> tuple[int, str, str]:
    """Run a command; return its exit code, stdout and stderr."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2)]
    with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
        code = run([*map(str, arguments)])
    return code, _text(streams[0]), _text(streams[1])


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode()


@pytest.fixture(params=["demo", "flat", "deep"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Write folders with sources of many formats, and a file that is not a source."""
    target = tmp_path / "mixed"
    if request.param == "demo":
        shutil.copytree(DEMO, target)
        (target / "show.py").write_text("print('no conversation')\n")
        return target
    below = target if request.param == "flat" else target / "a" / "b"
    below.mkdir(parents=True)
    for name in FILES:
        shutil.copy(DEMO / name, below)
    (below / "show.py").write_text("print('no conversation')\n")
    return target


def single_counts(folder: Path) -> tuple[list[str], int]:
    """Return the ids of all conversations and the number of messages, source by source."""
    ids, messages = [], 0
    for path in DEMO.iterdir():
        if any(found.name == path.name for found in folder.rglob("*")):
            for each in talktree.read(path).conversations:
                ids.append(each.native_id)
                messages += len(each)
    return sorted(ids), messages


def test_read_gives_all_conversations(folder: Path) -> None:
    ids, messages = single_counts(folder)
    found = talktree.read(folder)
    assert isinstance(found, talktree.Collection)
    assert sorted(each.native_id for each in found.conversations) == ids
    assert sum(map(len, found.conversations)) == messages
    assert [Path(each.path).name for each in found.unrecognized_files] == ["show.py"]
    assert found.find("77aa-harbour").title == "Names for the harbour"


def test_read_is_lazy(folder: Path) -> None:
    found = talktree.read(folder)
    assert isinstance(found, talktree.Collection)
    first = next(iter(found.documents()))
    assert len(first.conversations) < len(single_counts(folder)[0])


def test_stats_count_all(folder: Path) -> None:
    ids, messages = single_counts(folder)
    code, out, _ = talktree_command("stats", folder, "--json")
    totals = json.loads(out)
    assert (code, totals["totals"]["conversations"]) == (0, len(ids))
    assert totals["totals"]["messages"] == messages
    assert [Path(path).name for path in totals["unrecognised"]] == ["show.py"]
    _, _, errors = talktree_command("stats", folder)
    assert "show.py" in errors


def test_show_lists_them_and_asks_for_one(folder: Path) -> None:
    ids, _ = single_counts(folder)
    code, out, errors = talktree_command("show", folder)
    assert code == 2
    assert sorted(line.split()[0] for line in out.splitlines()) == ids
    assert "--conversation ID" in errors
    assert "show.py" in errors
    code, out, errors = talktree_command("show", folder, "--conversation", "77aa-harbour")
    assert (code, "Old Sum it is." in out, errors) == (0, True, "")


def test_commands_for_one_source_refuse_several(folder: Path, tmp_path: Path) -> None:
    document = talktree.read(folder)
    with pytest.raises(talktree.TalktreeError, match="sources, not one"):
        talktree.write(document, tmp_path / "out")
    with pytest.raises(talktree.TalktreeError, match="sources, not one"):
        talktree.convert(document, tmp_path / "out", to="native")
    assert not (tmp_path / "out").exists()


def test_one_unreadable_source_does_not_hide_the_others(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "tests" / "data" / "sage" / "good" / "two-sessions", tmp_path / "in")
    for path in (tmp_path / "in").rglob("run.jsonl"):
        shutil.copy(path, tmp_path / "run.jsonl")
    shutil.copy(DEMO / "muse.json", tmp_path)
    code, out, _ = talktree_command("stats", tmp_path, "--json")
    found = json.loads(out)
    assert found["totals"]["conversations"] >= 2
    assert code == 3
    assert {Path(each["path"]).name for each in found["failed"]} == {"run.jsonl"}


def test_messages_about_a_file_name_its_path_as_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = tmp_path / "mixed" / "deep"
    below.mkdir(parents=True)
    for name in ("claude-code.jsonl", "muse.json"):
        shutil.copy(DEMO / name, below)
    packed = gzip.compress((DEMO / "studio.json").read_bytes() + b" " * 4000)
    (below / "studio.json.gz").write_bytes(packed[:-6])
    monkeypatch.chdir(tmp_path)
    for arguments in (("show", "mixed", "--all"), ("stats", "mixed")):
        _, _, errors = talktree_command(*arguments)
        assert "talktree: mixed/deep/studio.json.gz: the file ends before its gzip" in errors
    with pytest.raises(talktree.TalktreeError, match=r"^mixed: a folder of 3 sources"):
        talktree.write(talktree.read("mixed"), tmp_path / "out")


def test_a_folder_of_one_format_is_one_source() -> None:
    for name in ("sage", "chatbuilder"):
        found = talktree.read(DEMO / name)
        assert not isinstance(found, talktree.Collection)
        assert found.format == name


def test_a_file_with_many_conversations_is_listed_too(tmp_path: Path) -> None:
    (tmp_path / "dump.json").write_bytes(muse_dump(3))
    code, out, _ = talktree_command("show", tmp_path / "dump.json")
    assert (code, [line.split()[0] for line in out.splitlines()]) == (
        2,
        ["conv-0", "conv-1", "conv-2"],
    )
