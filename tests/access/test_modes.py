"""Under any umask, no other user can read what any command of Talktree stores."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from talktree.library.library import Library
from tests.cli.transcript import environment

DEMO = Path(__file__).parent.parent.parent / "demo"
RUN = f"{sys.executable} -m talktree.cli.main"
OTHERS = 0o077
COMMANDS = (
    "import demo",
    "search the",
    "library info",
    "library check --read-data",
    "library reindex",
    "library restore demo/muse.json --into was",
    "library forget demo/native.jsonl --yes",
    "check demo",
    "repair broken.jsonl -o repaired.jsonl",
    "convert demo/claude-code.jsonl -t muse -o out.json",
    "convert demo -t native -o converted",
    "export demo/claude-code.jsonl -o page.html",
    "session new --title T",
    "session append --role user Hello",
    "session step -- sh -c 'echo one > notes; mkdir -p deep; echo two > deep/notes'",
    "session step -- sh -c 'echo three > notes'",
    "session append --role assistant Done",
    "session undo --yes",
    "session redo --yes",
    "session check",
)
"""Run in this order in one folder; some may end with a finding, none with an internal error."""


class Bench(NamedTuple):
    """A working folder and the data folders of Talktree."""

    work: Path
    home: Path
    temporary: Path

    @property
    def kept(self) -> tuple[Path, ...]:
        """The folders in which nothing may be readable by others."""
        return (self.home, self.temporary, self.work / ".sage")

    @property
    def env(self) -> dict[str, str]:
        return {
            **environment(),
            "TALKTREE_HOME": str(self.home),
            "TMPDIR": str(self.temporary),
            "HOME": str(self.work),
        }

    def run(self, command: str, mask: str = "000") -> subprocess.CompletedProcess[str]:
        """Run a command of Talktree under a umask."""
        return subprocess.run(
            ["sh", "-c", f"umask {mask}; exec {RUN} {command}"],
            cwd=self.work,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    work, temporary = tmp_path / "work", tmp_path / "temporary"
    shutil.copytree(DEMO, work / "demo")
    temporary.mkdir()
    lines = (work / "demo" / "claude-code.jsonl").read_text()
    (work / "broken.jsonl").write_text(lines + '{"type": "user", "uui')
    return Bench(work, tmp_path / "home", temporary)


def open_to_others(*roots: Path) -> list[str]:
    """Return everything below some folders that grants a permission to users except the owner."""
    found = []
    for root in roots:
        # The temporary folder itself belongs to the machine; a store exists if one was made.
        own = [root] if root.name != "temporary" and root.exists() else []
        for path in (*own, *root.rglob("*")):
            mode = path.lstat().st_mode
            if not stat.S_ISLNK(mode) and mode & OTHERS:
                found.append(f"{stat.filemode(mode)} {path}")
    return found


def _reachable(root: Path) -> Iterator[str]:
    """Return the files that others can read now because no folder above blocks access."""
    folders = [root]
    while folders:
        here = folders.pop()
        try:
            entries = [*os.scandir(here)]
        except OSError:
            continue
        for entry in entries:
            try:
                mode = entry.stat(follow_symlinks=False).st_mode
            except OSError:
                continue
            if stat.S_ISDIR(mode):
                if mode & 0o011:
                    folders.append(Path(entry.path))
                if mode & 0o066:
                    yield entry.path
            elif not stat.S_ISLNK(mode) and mode & 0o066:
                yield entry.path


@contextmanager
def looking(*roots: Path) -> Iterator[set[str]]:
    """Check repeatedly, while something runs, what others could read."""
    found: set[str] = set()
    over = threading.Event()

    def look() -> None:
        while not over.is_set():
            for root in roots:
                # The temporary folder itself belongs to the machine.
                if root.name == "temporary" or (root.exists() and root.stat().st_mode & 0o011):
                    found.update(_reachable(root))
            time.sleep(0.002)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield found
    finally:
        over.set()
        thread.join()


def test_no_command_leaves_anything_open_to_others(bench: Bench) -> None:
    with looking(*bench.kept) as seen:
        for command in COMMANDS:
            done = bench.run(command)
            assert done.returncode < 5, (command, done.returncode, done.stderr)
            assert "Traceback" not in done.stderr, command
    assert open_to_others(*bench.kept) == []
    assert seen == set()
    assert [*bench.temporary.iterdir()] == []
    # Output at a path that the user named follows the umask.
    for name in ("out.json", "page.html", "repaired.jsonl"):
        assert (bench.work / name).stat().st_mode & 0o777 == 0o666, name


MAINTENANCE = (
    "import -q demo",
    "search the",
    "library check --read-data",
    "library forget demo/native.jsonl --yes",
    "library reindex",
)


def _loose_modes(*roots: Path) -> Iterator[str]:
    """Return files and folders whose own mode is not private, wherever they are."""
    for root in roots:
        for folder, names, files in os.walk(root):
            for name in (*names, *files):
                path = os.path.join(folder, name)
                try:
                    mode = os.lstat(path).st_mode
                except OSError:
                    continue
                if not stat.S_ISLNK(mode) and mode & OTHERS:
                    yield f"{stat.filemode(mode)} {path}"


def test_files_of_a_library_are_created_private(bench: Bench) -> None:
    for command in MAINTENANCE:
        seen: set[str] = set()
        running = _started(bench, command)
        while running.poll() is None:
            seen.update(_loose_modes(bench.home, bench.temporary))
        said = running.communicate()[1]
        assert running.returncode < 5, (command, said)
        assert seen == set(), command


def test_an_import_in_python_leaves_the_umask_as_it_was(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with Library.open(tmp_path / "library", write=True) as library:
            library.import_([DEMO])
            library.forget(library.conversation(str(DEMO / "native.jsonl")))
        assert os.umask(0o027) == 0o027
        assert list(_loose_modes(tmp_path / "library")) == []
    finally:
        os.umask(before)


def _started(bench: Bench, command: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        ["sh", "-c", f"umask 000; exec {RUN} {command}"],
        cwd=bench.work,
        env=bench.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("command", ["watch demo", "studio --no-open demo", "studio --no-open"])
def test_long_running_commands_leave_nothing_open_to_others(bench: Bench, command: str) -> None:
    with looking(*bench.kept) as seen:
        process = _started(bench, command)
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            if command.startswith("studio"):
                _use_studio(line.strip(), bench)
        finally:
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
    assert "Traceback" not in err
    assert open_to_others(*bench.kept) == []
    assert seen == set()


def _use_studio(address: str, bench: Bench) -> None:
    base, _, token = address.partition("/#token=")
    own = {"X-Talktree": "1", "Sec-Fetch-Site": "same-origin"}
    with httpx.Client(base_url=f"{base}/api/v1", headers=own, timeout=60) as client:
        entered = client.post("/login", json={"token": token})
        client.headers["X-Talktree-Key"] = entered.json()["key"]
        data = (bench.work / "demo" / "muse.json").read_bytes()
        made = client.post("/uploads", params={"name": "muse.json"}, content=data)
        assert made.status_code < 300, made.text
        kept = client.post(f"/uploads/{made.json()['upload']}/keep", json={})
        assert kept.status_code < 300, kept.text


def test_a_folder_that_an_older_version_left_open_is_tightened(bench: Bench) -> None:
    assert bench.run("import demo").returncode == 0
    for folder in (bench.home, bench.home / "library"):
        folder.chmod(0o755)
    database = bench.home / "library" / "library.sqlite"
    database.chmod(0o644)
    found = bench.run("library check").stdout
    assert "chmod" in found
    assert str(bench.home / "library") in found
    assert bench.home.stat().st_mode & 0o777 == 0o755, "looking changes nothing"
    assert bench.run("import demo").returncode == 0
    assert open_to_others(bench.home) == []
    assert bench.run("library check").returncode == 0


@pytest.mark.parametrize("below", [".", "library"])
def test_a_folder_that_everyone_can_write_to_is_refused(bench: Bench, below: str) -> None:
    folder = bench.home / below
    folder.mkdir(parents=True, mode=0o700)
    folder.chmod(0o777)
    done = bench.run("import demo")
    assert (done.returncode, "chmod 700" in done.stderr) == (3, True), done.stderr
    assert [*bench.home.rglob("library.sqlite")] == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_refused(bench: Bench) -> None:
    bench.home.mkdir(mode=0o700)
    os.chown(bench.home, 12345, 12345)
    done = bench.run("import demo")
    assert done.returncode == 3
    assert "belongs to another user" in done.stderr
    assert [*bench.home.iterdir()] == []


def test_the_mode_of_a_folder_that_holds_other_things_is_not_changed(bench: Bench) -> None:
    shared = bench.work / "shared"
    shared.mkdir(mode=0o755)
    shared.chmod(0o755)
    (shared / "notes").write_text("mine")
    assert bench.run("import demo --library shared").returncode == 0
    assert shared.stat().st_mode & 0o777 == 0o755
    (shared / "notes").unlink()
    assert {path.stat().st_mode & OTHERS for path in shared.iterdir()} == {0}


@pytest.mark.parametrize("command", ["session new", "session append --role user Hello"])
def test_a_session_store_that_everyone_can_write_to_is_refused(bench: Bench, command: str) -> None:
    assert bench.run("session new").returncode == 0
    store = bench.work / ".sage"
    store.chmod(0o777)
    before = sorted(store.rglob("*"))
    done = bench.run(command)
    assert (done.returncode, "chmod 700" in done.stderr) == (3, True), done.stderr
    assert sorted(store.rglob("*")) == before
    assert bench.run("session log").returncode == 0, "reading changes nothing and is allowed"
