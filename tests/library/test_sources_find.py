"""The walk: which files may be conversations, by name alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from talktree.formats.places import find_program_folders
from talktree.library.importing.expiry import DAY, find_expiry_time
from talktree.library.library import Library
from talktree.library.sources.scan import FoundPath, UnreadablePath, UnreadPath, find_candidates
from tests.library import made


def walked(path: Path, *, ones: bool = True) -> list[FoundPath | UnreadablePath]:
    listed = find_candidates(
        os.fsencode(path), lambda _, files: files if ones else None, lambda *_: False
    )
    return [each for each in listed if not isinstance(each, UnreadPath)]


def test_files_are_found_in_the_order_of_names_and_links_are_left(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.json", "c.png", "sub/d.MD", ".git/e.json", "node_modules/f.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "b.jsonl")
    (tmp_path / "loop").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe.jsonl")
    paths = [Path(os.fsdecode(each.path)).name for each in walked(tmp_path)]
    assert paths == ["a.json", "b.jsonl", "d.MD"]


def test_a_folder_that_looks_like_one_is_asked_about(tmp_path: Path) -> None:
    talk = tmp_path / "talks" / "bread"
    (talk / "attachments").mkdir(parents=True)
    (talk / "1.md").write_text("x")
    (talk / "attachments" / "loaf.png").write_text("x")
    (talk / "lock").write_text("")
    (one,) = walked(tmp_path)
    assert isinstance(one, FoundPath)
    assert (one.kind, one.path) == ("folder", os.fsencode(talk))
    names = [os.path.basename(seen.path) for seen in one.files]
    assert names == [b"1.md", b"loaf.png"]
    (alone,) = walked(tmp_path, ones=False)
    assert alone.path == os.fsencode(talk / "1.md")


def test_named_files_are_read_whatever_their_name(tmp_path: Path) -> None:
    path = tmp_path / "session.backup"
    path.write_bytes(made.small(tmp_path / "x").bytes())
    with Library.open(tmp_path / "library", write=True) as library:
        assert library.import_([path]).new == 1
        other = tmp_path / "notes.backup"
        other.write_text("nothing of the kind")
        done = library.import_([other])
        assert [failure.kind for _, failure in done.failed] == ["unknown-format"]
        assert len(library.import_([other]).failed) == 1


def test_unreadable_paths_are_reported_and_not_treated_as_gone(tmp_path: Path) -> None:
    made.small(tmp_path)
    with Library.open(tmp_path / "library", write=True) as library:
        library.import_([tmp_path / "projects"])
        (closed,) = walked(tmp_path / "nowhere")
        assert isinstance(closed, UnreadablePath)
        assert closed.absent
        if os.geteuid() == 0:
            return
        (tmp_path / "projects").chmod(0)
        try:
            done = library.import_()
        finally:
            (tmp_path / "projects").chmod(0o700)
        assert (done.gone, len(done.failed)) == (0, 1)


def test_known_places_are_those_that_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", f"{tmp_path / 'one'},{tmp_path / 'two'}")
    monkeypatch.chdir(tmp_path)
    assert find_program_folders() == []
    for name in ("two/projects", ".claude/projects", ".sage/sessions"):
        (tmp_path / name).mkdir(parents=True)
    assert find_program_folders() == [
        tmp_path / "two" / "projects",
        tmp_path / ".claude" / "projects",
        tmp_path / ".sage" / "sessions",
    ]
    made.small(tmp_path / ".claude")
    with Library.open(tmp_path / "library", write=True) as library:
        assert library.import_(known=True).new == 1


def test_when_a_program_deletes_its_sessions_is_reported(tmp_path: Path) -> None:
    path = made.small(tmp_path / ".claude").save(tmp_path / ".claude")
    with Library.open(tmp_path / "library", write=True) as library:
        library.import_([path])
        assert library.list_expiring(within=14) == []
        os.utime(path, ns=(0, path.stat().st_mtime_ns - 29 * DAY))
        library.import_()
        (soon,) = library.list_expiring(within=14)
        assert 0.9 < soon.days < 1.1
        path.unlink()
        library.import_()
        assert library.list_expiring(within=14) == []


@pytest.mark.parametrize(
    ("settings", "days"),
    [('{"cleanupPeriodDays": 90, "env": {}}', 90), ("{}", 30), ("broken", 30), (None, 30)],
)
def test_the_settings_say_how_long(tmp_path: Path, settings: str | None, days: int) -> None:
    home = tmp_path / f"{days}" / ".claude"
    home.mkdir(parents=True)
    if settings is not None:
        (home / "settings.json").write_text(settings)
    path = os.fsencode(home / "projects" / "x" / "s.jsonl")
    assert find_expiry_time(path, 5) == 5 + days * DAY
    assert find_expiry_time(os.fsencode(tmp_path / "exports" / "s.jsonl"), 5) is None
