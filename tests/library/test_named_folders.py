"""Everything below a named folder is imported, or listed with a reason."""

from __future__ import annotations

import gzip
import os
import shutil
import sqlite3
from pathlib import Path

import pytest

import talktree
from talktree.cli.main import run
from talktree.files.source import BATCH_STATE as BATCH_STATE_NAME
from talktree.library.library import Library
from talktree.library.sources import scan
from tests.library import made

DEMO = Path(__file__).parents[2] / "demo"
ODD = {
    "noext": "muse.json",
    "muse.json.bak": "muse.json",
    "studio-text.notes": "studio-text.txt",
    "sub/claude-code.JSONL.1": "claude-code.jsonl",
}
COMPRESSED = {"a.txt.gz": "studio-text.txt", "sx.xml.gz": "studio-xml.xml"}


def odd_folder(folder: Path) -> Path:
    """Return conversations under unusual names, and files that are not conversations."""
    (folder / "sub").mkdir(parents=True)
    for name, demo in ODD.items():
        shutil.copy(DEMO / demo, folder / name)
    for name, demo in COMPRESSED.items():
        (folder / name).write_bytes(gzip.compress((DEMO / demo).read_bytes()))
    with sqlite3.connect(folder / "sessions.db") as db:
        db.execute("CREATE TABLE x (y)")
    (folder / "t.yaml").write_text("a: 1\n")
    (folder / "empty").touch()
    (folder / "dangling").symlink_to("nowhere")
    (folder / "sub" / "link.jsonl").symlink_to(folder / "noext")
    (folder / "node_modules").mkdir()
    (folder / "node_modules" / "a.json").write_text("{}")
    os.mkfifo(folder / "pipe")
    return folder


NOT_IMPORTED = {
    "sessions.db": "a database, no conversation",
    "t.yaml": "no known conversation format",
    "empty": "the file is empty",
    "dangling": scan.DANGLING,
    "sub/link.jsonl": scan.LINK,
    "node_modules": scan.OTHER_PROGRAM,
    "pipe": scan.SPECIAL,
}


def listed(library: Library, folder: Path) -> dict[str, str]:
    """Return what a library lists as not imported, by the path below a folder."""
    return {
        os.path.relpath(os.fsdecode(each.path), folder): each.why
        for each in library.info().not_imported
    }


def test_every_file_is_imported_or_listed(tmp_path: Path, library: Library) -> None:
    folder = odd_folder(tmp_path / "odd")
    done = library.import_([folder])
    assert (done.new, done.failed) == (len(ODD) + len(COMPRESSED), [])
    skipped = {os.path.relpath(os.fsdecode(path), folder): why for path, why in done.skipped}
    assert skipped == NOT_IMPORTED
    assert listed(library, folder) == NOT_IMPORTED
    kept = list(library.conversations())
    read = talktree.read(folder).conversations
    assert len(kept) == len(read)
    assert sum(each.messages for each in kept) == sum(map(len, read))


def test_listed_files_are_not_read_again(tmp_path: Path, library: Library) -> None:
    folder = odd_folder(tmp_path / "odd")
    library.import_([folder])
    again = library.import_()
    assert (again.skipped, again.files_opened, again.changed) == ([], 0, False)
    assert again.unchanged == len(ODD) + len(COMPRESSED)
    (folder / "dangling").unlink()
    (folder / "t.yaml").unlink()
    shutil.copy(DEMO / "muse.json", folder / "later")
    assert library.import_().new == 1
    assert listed(library, folder).keys() == NOT_IMPORTED.keys() - {"dangling", "t.yaml"}


def test_a_file_that_a_link_replaces_is_gone_and_kept(tmp_path: Path, library: Library) -> None:
    path = made.small(tmp_path).save(tmp_path)
    library.import_([path.parent])
    path.rename(tmp_path / "elsewhere.jsonl")
    path.symlink_to(tmp_path / "elsewhere.jsonl")
    assert library.import_().gone == 1
    again = library.import_()
    assert (again.gone, again.skipped) == (0, [])
    assert [each.state for each in library.conversations()] == ["gone"]


def test_usual_places_are_filtered_by_name(
    tmp_path: Path, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.chdir(tmp_path)
    folder = odd_folder(tmp_path / ".claude" / "projects")
    usual = {"muse.json.bak", "a.txt.gz", "sx.xml.gz", "sub/claude-code.JSONL.1"}
    assert library.import_(known=True).new == len(usual)
    assert library.import_().new == 0
    found = {
        os.path.relpath(os.fsdecode(each.raw_path), folder) for each in library.conversations()
    }
    assert found == usual
    assert library.import_([folder]).new == len(ODD) + len(COMPRESSED) - len(usual)
    assert listed(library, folder) == NOT_IMPORTED


@pytest.mark.parametrize("name", ["sage", "chatbuilder/messages/repair-cafe"])
def test_conversations_of_other_formats_in_a_folder_source(
    tmp_path: Path, library: Library, name: str
) -> None:
    folder = tmp_path / "in" / "one"
    shutil.copytree(DEMO / name, folder)
    shutil.copy(DEMO / "muse.json", folder)
    assert library.import_([tmp_path / "in"]).new == 2
    shutil.copy(DEMO / "studio.json", folder / "later")
    done = library.import_()
    assert (done.new, done.unchanged) == (1, 2)
    kept = list(library.conversations())
    read = talktree.read(tmp_path / "in").conversations
    assert len(kept) == len(read)
    assert sum(each.messages for each in kept) == sum(map(len, read))
    (folder / "muse.json").unlink()
    done = library.import_()
    assert (done.gone, done.unchanged) == (1, 2)
    assert library.check(read_data=True) == []


def test_settings_with_keys_are_never_opened(tmp_path: Path, library: Library) -> None:
    home = tmp_path / ".sage"
    shutil.copytree(DEMO / "sage", home / "sessions" / "one")
    for name in ("config.yaml", "credentials.json"):
        (home / name).write_text('{"key": "sk-secret"}')
        (home / name).chmod(0)
    done = library.import_([home])
    assert (done.new, done.failed) == (1, [])
    assert {why for _, why in done.skipped} == {"settings that may hold keys; never opened"}


def test_account_of_a_batch_is_not_a_conversation(tmp_path: Path, library: Library) -> None:
    assert os.fsencode(BATCH_STATE_NAME) == scan.BATCH_STATE
    shutil.copy(DEMO / "muse.json", tmp_path / f"{BATCH_STATE_NAME}.json")
    done = library.import_([tmp_path])
    assert [each.why for each in done.skipped] == [scan.OWN_STATE]


def damaged_folder(folder: Path) -> int:
    """Write compressed files, some of them damaged; return how many files there are."""
    folder.mkdir()
    names = ("claude-code.jsonl", "muse.json", "studio.json", "studio-xml.xml")
    for name in names:
        data = gzip.compress((DEMO / name).read_bytes())
        (folder / f"cut-{name}.gz").write_bytes(data[: len(data) * 7 // 10])
    (folder / "whole.jsonl.gz").write_bytes(gzip.compress((DEMO / names[0]).read_bytes()))
    return len(names) + 1


def test_damaged_files_count_once(tmp_path: Path, library: Library) -> None:
    folder = tmp_path / "packed"
    count = damaged_folder(folder)
    done = library.import_([folder])
    assert (done.new, done.seen, done.failed, done.skipped) == (count, count, [], [])
    assert len(done.incomplete) == count - 1
    info = library.info()
    assert info.not_imported == ()
    assert len(info.damaged) == count - 1
    for each in info.damaged:
        assert each.why == "the file ends before its gzip data does; the rest is missing"
    assert all(each.messages for each in library.conversations())


def test_damaged_files_are_reported_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder, root = tmp_path / "packed", str(tmp_path / "library")
    count = damaged_folder(folder)
    assert run(["import", str(folder), "--library", root]) == 3
    out, errors = capfd.readouterr()
    assert out.startswith(f"{count} new; {count - 1} of them damaged (")
    assert len(errors.splitlines()) == count - 1
    assert all(each.count(str(folder)) == 1 for each in errors.splitlines())
    assert run(["library", "info", "--library", root]) == 0
    out = capfd.readouterr().out
    assert out.count(str(folder)) == count  # the place, and each damaged file
    assert "not imported" not in out


def test_a_source_that_cannot_be_read_counts_once(
    tmp_path: Path, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise talktree.TalktreeError("muse.json: no")

    monkeypatch.setattr("talktree.library.importing.import_source.extract_source", fail)
    shutil.copy(DEMO / "muse.json", tmp_path)
    done = library.import_([tmp_path / "muse.json"])
    assert (done.new, done.seen, len(done.failed)) == (0, 1, 1)
    info = library.info()
    assert [each.why for each in info.not_imported] == ["no"]
    assert info.damaged == ()
