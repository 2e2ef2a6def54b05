"""The owner of a session: the key, the mark, and the folder it was made for."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from talktree.errors import Unreadable
from talktree.session import Store
from talktree.session.ownership import (
    HOME,
    KEY_NAME,
    WorkspaceIdentity,
    data_home,
    is_own,
    make_mark,
)

HERE = WorkspaceIdentity(b"/work", 1, 2)
LYING = (1, 9)
"""The folder that contains the session."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(HOME, str(tmp_path / "home"))
    return tmp_path / "home"


def test_the_key_is_made_once_and_for_its_owner_only(home: Path) -> None:
    assert not is_own("s", HERE, LYING, "x")
    assert not home.exists()
    made = make_mark("s", HERE, LYING)
    assert made == make_mark("s", HERE, LYING)
    key = home / KEY_NAME
    assert key.stat().st_mode & 0o777 == 0o600
    assert home.stat().st_mode & 0o777 == 0o700
    assert os.listdir(home) == [KEY_NAME]


def test_a_mark_is_for_one_session_in_one_place(home: Path) -> None:
    made = make_mark("s", HERE, LYING)
    assert is_own("s", HERE, LYING, made)
    for id, place in [
        ("t", HERE),
        ("s", HERE._replace(path=b"/other")),
        ("s", HERE._replace(device=3)),
        ("s", HERE._replace(inode=3)),
    ]:
        assert not is_own(id, place, LYING, made)
    assert not is_own("s", HERE, (1, 8), made)
    for claimed in (None, 3, "", "é", made and made[:-1]):
        assert not is_own("s", HERE, LYING, claimed)
    (home / KEY_NAME).unlink()
    make_mark("s", HERE, LYING)
    assert not is_own("s", HERE, LYING, made)


def test_many_processes_make_one_key(home: Path) -> None:
    code = f"from talktree.session.ownership import *; print(make_mark('s', {HERE!r}, {LYING!r}))"
    running = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) for _ in range(4)
    ]
    made = {process.communicate()[0] for process in running}
    assert len(made) == 1
    assert os.listdir(home) == [KEY_NAME]


def test_a_ruined_key_is_reported_and_kept(home: Path) -> None:
    home.mkdir()
    (home / KEY_NAME).write_text("short")
    with pytest.raises(Unreadable, match="key"):
        make_mark("s", HERE, LYING)
    assert (home / KEY_NAME).read_text() == "short"


def test_where_no_key_can_be_kept_there_is_no_mark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(HOME, str(tmp_path / "file" / "home"))
    assert make_mark("s", HERE, LYING) is None
    assert not is_own("s", HERE, LYING, None)


def test_the_data_folder_follows_the_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(HOME)
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    monkeypatch.setattr(sys, "platform", "linux")
    assert data_home() == Path("/data/talktree")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert data_home().parts[-3:] == ("Library", "Application Support", "talktree")


# sessions and their workspaces


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    (work / "inner").mkdir(parents=True)
    return work


def made(work: Path) -> str:
    with Store(work / ".sage").create(workspace=work) as session:
        session.user("Hi")
        return session.id


def test_the_workspace_is_that_of_the_beginning(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = made(work)
    monkeypatch.chdir(work / "inner")
    with Store(work / ".sage").open(id) as session:
        assert session.opened.workspace is not None
        assert session.opened.workspace.path == work
        assert session.notices == []


def test_by_default_it_is_where_the_process_is(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(work)
    with Store().create() as session:
        assert session.opened.workspace is not None
        assert session.opened.workspace.path == work
        assert (work / ".sage" / "sessions" / session.id).is_dir()


@pytest.mark.parametrize("how", ["moved", "copied", "replaced", "other machine"])
def test_a_session_from_elsewhere_has_no_workspace_until_it_is_mapped(
    work: Path, tmp_path: Path, home: Path, how: str
) -> None:
    id = made(work)
    place = work
    if how in ("moved", "copied"):
        place = tmp_path / "other"
        shutil.copytree(work, place)
    if how == "moved":
        shutil.rmtree(work)
    elif how == "replaced":
        shutil.copytree(work, tmp_path / "copy")
        shutil.rmtree(work)
        # The new folder may get the inode of the old one; another one in between prevents that.
        (tmp_path / "between").mkdir()
        shutil.copytree(tmp_path / "copy", work)
    elif how == "other machine":
        (home / KEY_NAME).unlink()
    store = Store(place / ".sage")
    with store.open(id) as session:
        assert session.opened.workspace is None
        assert len(session.notices) == 1
    with store.open(id, workspace=place) as session:
        assert session.opened.workspace is not None
    with store.open(id) as session:
        assert session.opened.workspace is not None
        assert session.opened.workspace.path == place
        assert session.notices == []


def test_reading_maps_nothing(work: Path, tmp_path: Path, home: Path) -> None:
    id = made(work)
    (home / KEY_NAME).unlink()
    log = work / ".sage" / "sessions" / id / "operations.jsonl"
    before = log.read_bytes()
    with Store(work / ".sage").open(id, workspace=tmp_path, write=False) as session:
        assert session.opened.workspace is not None
    assert log.read_bytes() == before


def test_an_invented_mark_is_not_accepted(work: Path, home: Path) -> None:
    id = made(work)
    log = work / ".sage" / "sessions" / id / "operations.jsonl"
    log.write_bytes(log.read_bytes().replace(b'"mark":"', b'"mark":"0'))
    with Store(work / ".sage").open(id) as session:
        assert session.opened.workspace is None
