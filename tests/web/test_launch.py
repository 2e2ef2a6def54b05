"""`talktree studio` as a process: its output, who can log in, and what it leaves behind."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from talktree.library.temporary import scratch_folder, temporary_library_path
from talktree.web.routes.route import API
from tests.cli.transcript import environment
from tests.web.running import LONGEST, OWN, until

ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/#token=([\w-]{43})\n")


class Process(NamedTuple):
    """A started studio."""

    process: subprocess.Popen[str]
    client: httpx.Client
    port: int
    temporary: Path
    token: str

    def post_reply(self, cid: str, stamp: str, parent: str, text: str) -> httpx.Response:
        """Reply to a message, and do not save it."""
        edit = {"do": "reply", "parent": parent, "text": text}
        return self.client.post(f"/c/{cid}/edits", json={"stamp": stamp, "deed": edit})

    def end(self, sent: signal.Signals = signal.SIGINT) -> tuple[int, str]:
        """End it and return its exit code and its errors."""
        self.process.send_signal(sent)
        _, err = self.process.communicate(timeout=LONGEST)
        return self.process.returncode, err


@contextmanager
def started(folder: Path, *arguments: str) -> Iterator[Process]:
    """Start a studio and log in."""
    temporary = folder / "temporary"
    temporary.mkdir(exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-m", "talktree.cli.main", "studio", "--no-open", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**environment(), "TALKTREE_HOME": str(folder / "home"), "TMPDIR": str(temporary)},
    )
    assert process.stdout is not None
    printed = ADDRESS.fullmatch(process.stdout.readline())
    assert printed, process.communicate()
    port, token = int(printed[1]), printed[2]
    address = f"http://127.0.0.1:{port}{API}"
    try:
        with httpx.Client(base_url=address, headers=OWN, timeout=LONGEST) as client:
            client.headers["X-Talktree-Key"] = client.post("/login", json={"token": token}).json()[
                "key"
            ]
            yield Process(process, client, port, temporary, token)
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def session(demo: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(demo / "claude-code.jsonl", tmp_path / "session.jsonl"))


def kept(studio: Process) -> int:
    library = studio.client.get("/about").json()["library"]
    return int(library["bytes"])


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_serves_the_named_files_and_leaves_no_files(
    session: Path, tmp_path: Path, sent: signal.Signals
) -> None:
    with started(tmp_path, str(session)) as studio:
        until(lambda: kept(studio) == session.stat().st_size)
        about = studio.client.get("/about").json()
        assert about["given"] == [str(session)]
        (scratch,) = studio.temporary.glob("talktree-studio-*")
        assert stat.S_IMODE(scratch.stat().st_mode) == 0o700
        code, err = studio.end(sent)
        assert code == 128 + sent
        assert "Traceback" not in err
        assert [*studio.temporary.iterdir()] == []
    private = [path for path in (tmp_path / "home").rglob("*") if path.stat().st_mode & 0o077]
    assert private == [], "nobody else reads what is kept"


def test_a_read_only_studio_leaves_no_file_in_the_library(session: Path, tmp_path: Path) -> None:
    assert run(tmp_path, "import", "-q", str(session)).returncode == 0
    library = tmp_path / "home" / "library"

    def state() -> dict[Path, tuple[int, bytes]]:
        """Return all files of the library, with their times and contents."""
        files = [path for path in library.rglob("*") if path.is_file()]
        return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in files}

    before = state()
    for sent in (signal.SIGINT, signal.SIGTERM):
        with started(tmp_path, "--read-only") as studio:
            assert studio.client.get("/conversations").json()["total"] == 1
            studio.end(sent)
        assert state() == before


def test_a_closed_terminal_leaves_nothing_behind(session: Path, tmp_path: Path) -> None:
    """The shell and the system both send a signal then, and nothing can be printed any more."""
    with started(tmp_path, str(session)) as studio:
        until(lambda: kept(studio) == session.stat().st_size)
        assert studio.process.stderr is not None
        studio.process.stderr.close()
        while studio.process.poll() is None:
            studio.process.send_signal(signal.SIGHUP)
            time.sleep(0.01)
        assert studio.process.returncode == 128 + signal.SIGHUP
        assert [*studio.temporary.iterdir()] == []
    assert left_in(tmp_path / "home") == []


def test_a_studio_that_nohup_started_goes_on(session: Path, tmp_path: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with started(tmp_path, str(session)) as studio:
            until(lambda: kept(studio) == session.stat().st_size)
            studio.process.send_signal(signal.SIGHUP)
            time.sleep(1)
            assert studio.process.poll() is None
            assert kept(studio) == session.stat().st_size
            assert studio.end()[0] == 130
    finally:
        signal.signal(signal.SIGHUP, before)


def left_in(home: Path) -> list[Path]:
    """Return the libraries of files that were opened directly."""
    return [*(home / "studio").glob("*")]


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command with the same home."""
    return subprocess.run(
        [sys.executable, "-m", "talktree.cli.main", *words],
        env={
            **environment(),
            "TALKTREE_HOME": str(folder / "home"),
            "TMPDIR": str(folder / "temporary"),
        },
        capture_output=True,
        text=True,
        check=False,
    )


def edit(studio: Process, word: str) -> None:
    """Add a reply, and do not save it."""
    until(lambda: studio.client.get("/conversations").json()["total"] > 0)
    cid = studio.client.get("/conversations").json()["cards"][0]["cid"]
    stamp = studio.client.get(f"/c/{cid}/edits").json()["stamp"]
    leaf = studio.client.get(f"/c/{cid}").json()["leaf"]
    done = studio.post_reply(cid, stamp, leaf, word)
    assert done.status_code == 200, done.text


def test_only_unsaved_edits_stay_and_are_named(session: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    with started(tmp_path, str(session)) as studio:
        until(lambda: kept(studio) == session.stat().st_size)
        _, err = studio.end()
        assert "unsaved" not in err
    assert left_in(home) == []
    with started(tmp_path, str(session)) as studio:
        edit(studio, "never saved")
        _, err = studio.end()
        assert f"{session}: 1 unsaved edit kept" in err
        assert f"talktree studio {session}" in err
    (left,) = left_in(home)
    run(tmp_path, "list")
    assert left_in(home) == [left], "unsaved work is not removed by others"
    with started(tmp_path, str(session)) as studio:
        cid = studio.client.get("/conversations").json()["cards"][0]["cid"]
        assert studio.client.get(f"/c/{cid}/edits").json()["edits"]
        assert run(tmp_path, "studio", "--discard", str(session)).returncode != 0
        studio.end()
    assert run(tmp_path, "studio", "--discard", str(session)).returncode == 0
    assert left_in(home) == []


def test_a_scrub_reaches_unsaved_edits(session: Path, tmp_path: Path) -> None:
    with started(tmp_path, str(session)) as studio:
        edit(studio, "the word is velvet-anvil-ninety")
        studio.end()
    (left,) = left_in(tmp_path / "home")
    database = left / "library.sqlite"
    assert b"velvet-anvil" in database.read_bytes()
    done = run(tmp_path, "library", "scrub", "velvet-anvil-ninety", "--yes", "--json")
    assert json.loads(done.stdout)["left"] == [], done.stderr
    assert not any(
        b"velvet-anvil" in each.read_bytes() for each in left.rglob("*") if each.is_file()
    )


def test_files_of_a_killed_studio_are_removed_by_the_next_command(
    session: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    with started(tmp_path, str(session)) as studio:
        until(lambda: kept(studio) == session.stat().st_size)
        run(tmp_path, "library", "info")
        assert left_in(home), "it is in use"
        studio.end(signal.SIGKILL)
        assert [*studio.temporary.iterdir()]
    assert left_in(home)
    run(tmp_path, "library", "info")
    assert left_in(home) == []
    assert [*(tmp_path / "temporary").iterdir()] == []


def test_new_messages_arrive_automatically_and_streams_end_with_the_studio(
    session: Path, tmp_path: Path
) -> None:
    with started(tmp_path, str(session)) as studio:
        until(lambda: kept(studio) == session.stat().st_size)
        cid = studio.client.get("/conversations").json()["cards"][0]["cid"]
        with studio.client.stream("GET", f"/c/{cid}/live", timeout=LONGEST) as live:
            lines = live.iter_lines()
            assert next(lines).startswith(":")
            last = json.loads(session.read_text().splitlines()[-1])
            new = {**last, "uuid": "new", "parentUuid": last.get("uuid")}
            with session.open("a") as file:
                file.write(json.dumps(new) + "\n")
            assert next(line for line in lines if line.startswith("event:")) == "event: changed"
            assert kept(studio) == session.stat().st_size
            code, err = studio.end()
            assert (code, "Traceback" in err) == (130, False)


def test_the_library_of_the_same_paths_is_the_same(tmp_path: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    assert temporary_library_path([a, b]) == temporary_library_path([b, a])
    assert temporary_library_path([a]) != temporary_library_path([b])


def test_only_this_machine_reaches_it(session: Path, tmp_path: Path) -> None:
    with started(tmp_path, str(session)) as studio:
        # All of 127.0.0.0/8 is this machine; a server on every address would answer here, too.
        for other in ("127.0.0.2", "::1"):
            with pytest.raises(OSError):
                socket.create_connection((other, studio.port), timeout=5)


def test_a_port_in_use_is_reported(session: Path, tmp_path: Path) -> None:
    with started(tmp_path, str(session)) as studio:
        done = subprocess.run(
            [sys.executable, "-m", "talktree.cli.main", "studio", "--port", str(studio.port)],
            capture_output=True,
            text=True,
            check=False,
            env={**environment(), "TALKTREE_HOME": str(tmp_path / "home")},
        )
        assert done.returncode == 5
        assert done.stderr.startswith(f"talktree: port {studio.port} is in use\nhint: ")


class Browsing(NamedTuple):
    """A studio that has started a browser, and the file that the browser was given."""

    process: subprocess.Popen[str]
    port: int
    printed: str
    file: Path

    def linked(self) -> str:
        """The token in the link of the file."""
        found = re.search(
            rf"http://127\.0\.0\.1:{self.port}/#token=([\w-]{{43}})\"", self.file.read_text()
        )
        assert found
        return found[1]


@pytest.fixture
def browsing(session: Path, tmp_path: Path) -> Iterator[Browsing]:
    """Start a studio whose browser is a script that keeps running until the end."""
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}.new; mv {opened}.new {opened}; sleep 60\n')
    browser.chmod(0o700)
    process = subprocess.Popen(
        [sys.executable, "-m", "talktree.cli.main", "studio", str(session)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={
            **environment(),
            "TALKTREE_HOME": str(tmp_path / "home"),
            "HOME": str(tmp_path),
            "BROWSER": f"{browser} %s",
            "DISPLAY": ":99",
        },
    )
    assert process.stdout is not None
    printed = ADDRESS.fullmatch(process.stdout.readline())
    assert printed
    try:
        until(opened.exists)
        url = opened.read_text().strip()
        assert url.startswith("file:///")
        yield Browsing(process, int(printed[1]), printed[2], Path(url.removeprefix("file://")))
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGINT)
        process.communicate()


def arguments() -> str:
    """Return what all users can read of all processes: their command lines."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(path.read_text(errors="replace"))
        except OSError:
            continue
    return "\n".join(found)


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="needs /proc")
def test_no_secret_is_an_argument_of_a_process(browsing: Browsing) -> None:
    seen = arguments()
    assert str(browsing.file) in seen, "the browser runs, and was given the file"
    assert browsing.printed not in seen
    assert browsing.linked() not in seen
    assert "token=" not in seen


def test_the_link_in_the_file_works_once_and_takes_the_file_with_it(browsing: Browsing) -> None:
    assert stat.S_IMODE(browsing.file.stat().st_mode) == 0o600
    token = browsing.linked()
    assert token != browsing.printed
    address = f"http://127.0.0.1:{browsing.port}{API}/login"
    with httpx.Client(headers=OWN, timeout=LONGEST) as client:
        codes = [client.post(address, json={"token": token}).status_code for _ in "ab"]
    assert codes == [200, 401]
    assert not browsing.file.exists()


def test_the_link_ends_with_the_file(browsing: Browsing) -> None:
    token = browsing.linked()
    browsing.file.unlink()
    address = f"http://127.0.0.1:{browsing.port}{API}/login"
    with httpx.Client(headers=OWN, timeout=LONGEST) as client:
        assert client.post(address, json={"token": token}).status_code == 401
        assert client.post(address, json={"token": browsing.printed}).status_code == 200


def test_the_file_and_its_link_end_after_two_minutes(browsing: Browsing) -> None:
    token = browsing.linked()
    time.sleep(122)
    assert not browsing.file.exists()
    address = f"http://127.0.0.1:{browsing.port}{API}/login"
    with httpx.Client(headers=OWN, timeout=LONGEST) as client:
        assert client.post(address, json={"token": token}).status_code == 401


def test_the_file_is_gone_when_the_studio_ends_before_it_was_used(browsing: Browsing) -> None:
    assert browsing.file.exists()
    os.killpg(browsing.process.pid, signal.SIGINT)
    browsing.process.communicate()
    assert not browsing.file.exists()


def test_credentials_of_a_studio_open_no_later_one(session: Path, tmp_path: Path) -> None:
    with started(tmp_path, str(session)) as studio:
        port = studio.port
        cookies, key = dict(studio.client.cookies), studio.client.headers["X-Talktree-Key"]
        token = studio.token
        _, err = studio.end()
    assert token not in err
    again = tmp_path / "again"
    again.mkdir()
    with started(again, str(session), "--port", str(port)) as studio:
        old = {**OWN, "X-Talktree-Key": key}
        with httpx.Client(
            base_url=f"http://127.0.0.1:{port}{API}", headers=old, cookies=cookies, timeout=LONGEST
        ) as client:
            assert client.post("/login", json={"token": token}).status_code == 401
            assert client.get("/about").status_code == 401


def test_a_new_scratch_folder_that_another_command_removes_is_made_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    make = tempfile.mkdtemp
    made: list[str] = []

    def removed_at_first(*, prefix: str) -> str:
        folder = make(prefix=prefix)
        if not made:
            Path(folder).rmdir()
        made.append(folder)
        return folder

    monkeypatch.setattr(tempfile, "mkdtemp", removed_at_first)
    with scratch_folder() as folder:
        assert folder.is_dir()
    assert len(made) == 2
