"""Arguments by machine: every path that a command takes, as each kind of path there is.

The commands and their path parameters come from the parser itself, so new ones are included
automatically. For any argument: the exit code is a documented one, no existing file changes unless
it is an output to be replaced by force, no file called `-` appears, and messages name the path as
it was given.
"""

from __future__ import annotations

import gzip
import io
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from talktree.cli.group import commands
from talktree.cli.main import run
from tests.cli.transcript import DATA

SESSION = DATA / "claude-code" / "good" / "one-session.jsonl"
EXIT_CODES = {0, 1, 2, 3, 4, 5, 6}
INPUT = "in.jsonl"
SAME = (INPUT, "./folder/../in.jsonl", "folder//../in.jsonl", "link.jsonl", "hard.jsonl")
"""Ways to name the input."""
OTHERS = ("other.txt", "empty.jsonl", "-leading", "\udcff.jsonl", "cut.jsonl.gz")
"""Existing files that are not the input."""
FOLDERS = ("folder", "./folder/", "nothing")
VALUES = (*SAME, *OTHERS, *FOLDERS, "-", "none/none.jsonl", "fifo")
OUTPUTS = ("--output", "--ledger")
STREAMED = ("--text-file", "--config", "--log")
"""A pipe is a valid value for these, so reading one that stays empty waits."""
OWN = (".sage", "home")
"""Folders that commands may write to freely."""
ENDLESS = ("studio", "watch")
"""Commands that run until they are stopped."""

CALLS = {
    "detect": "<paths:in.jsonl>",
    "show": "<path:in.jsonl> --no-pager",
    "tree": "<path:in.jsonl> --no-pager",
    "stats": "<paths:in.jsonl> --no-pager",
    "stats --library": "--no-pager",
    "new": "-t native -m user:hi <--output:new.jsonl>",
    "edit": "<path:in.jsonl> --reply root --text hi <--output:new.jsonl>",
    "edit --text-file": "<path:in.jsonl> --reply root <--output:new.jsonl>",
    "diff": "<first:in.jsonl> <second:in.jsonl>",
    "convert": "<paths:in.jsonl> -t native <--output:new.jsonl>",
    "convert --onto": "<paths:in.jsonl> -t claude-code <--output:new.jsonl>",
    "check": "<paths:in.jsonl>",
    "repair": "<path:in.jsonl> <--output:new.jsonl>",
    "repair --log": "<path:in.jsonl> --back <--output:new.jsonl>",
    "migrate": "<path:in.jsonl> --rewrite <--output:new.jsonl>",
    "import": "<paths:in.jsonl>",
    "list": "",
    "search": "word",
    "export": "<what:in.jsonl> --to md <--output:new.md>",
    "library info": "",
    "library check": "",
    "library reindex": "",
    "library versions": "<which:in.jsonl>",
    "library restore": "<which:in.jsonl> <--into:restored>",
    "library forget": "<named:in.jsonl>",
    "library forgotten": "",
    "library readmit": "<which:in.jsonl>",
    "library find": "some-text",
    "library scrub": "some-secret",
    "library retention": "",
    "library places": "add <paths:in.jsonl>",
    "library encrypt": "--change-passphrase",
    "library decrypt": "",
    "library unlock": "",
    "library lock": "",
    "session new": "",
    "session append": "hi",
    "session step": "-- true",
    "session list": "",
    "session log": "",
    "session show": "",
    "session diff": "HEAD",
    "session todos": "",
    "session undo": "--dry-run",
    "session redo": "--dry-run",
    "session restore": "--to 00000001 --dry-run",
    "session restore --into": "in.jsonl --to 00000001 --dry-run",
    "session branch": "",
    "session switch": "other --dry-run",
    "session check": "",
    "session gc": "--dry-run",
    "session forget": "",
}
"""The call of each command; `<name:default>` marks the place of a parameter."""


class Drawn(NamedTuple):
    """A parameter that takes a path."""

    command: str
    name: str
    is_option: bool
    can_force: bool

    def words(self, value: str) -> list[str]:
        """Return the command line with a value for the parameter."""
        call = CALLS.get(f"{self.command} {self.name}") or CALLS[self.command]
        before, here = self.command.split(), False
        out: list[str] = []
        for word in call.split():
            if not word.startswith("<"):
                out.append(word)
                continue
            name, _, usual = word.strip("<>").partition(":")
            here = here or name == self.name
            given = value if name == self.name else usual
            out += [name, given] if name.startswith("--") else [given]
        if not here:
            out = [self.name, value, *out] if self.is_option else [*out, value]
        return [*before, *out]


def leaves(group: click.Group, above: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Return all commands, with the words that call them."""
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        assert found is not None
        if isinstance(found, click.Group):
            yield from leaves(found, (*above, name))
        else:
            yield " ".join((*above, name)), found


def drawn() -> list[Drawn]:
    """Return every path parameter; one that many commands share with the same words only once."""
    assert isinstance(commands, click.Group)
    seen: set[object] = set()
    out = []
    for command, found in leaves(commands):
        if command in ENDLESS:
            continue
        can_force = any(param.opts == ["--force"] for param in found.params)
        for param in found.params:
            if not isinstance(param.type, click.Path):
                continue
            is_option = isinstance(param, click.Option)
            shared = (param.opts[-1], getattr(param, "help", None), command * (not is_option))
            if shared in seen and param.opts[-1] not in OUTPUTS:
                continue
            seen.add(shared)
            out.append(Drawn(command, param.opts[-1], is_option, can_force))
    return out


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a library with one session."""
    folder = tmp_path_factory.mktemp("arguments")
    shutil.copy(SESSION, folder / INPUT)
    before = os.environ.get("TALKTREE_HOME")
    os.environ["TALKTREE_HOME"] = str(folder / "home")
    try:
        assert run(["import", str(folder / INPUT), "--quiet"]) == 0
    finally:
        del os.environ["TALKTREE_HOME"]
        if before is not None:
            os.environ["TALKTREE_HOME"] = before
    return folder / "home"


def filled(folder: Path) -> Path:
    """Return a folder with everything that an argument may name."""
    folder.mkdir()
    data = SESSION.read_bytes()
    (folder / INPUT).write_bytes(data)
    (folder / "link.jsonl").symlink_to(INPUT)
    os.link(folder / INPUT, folder / "hard.jsonl")
    (folder / "other.txt").write_bytes(b"mine\n")
    (folder / "empty.jsonl").touch()
    (folder / "-leading").write_bytes(data + b"\n")
    (folder / "\udcff.jsonl").write_bytes(data + b"\n")
    (folder / "cut.jsonl.gz").write_bytes(gzip.compress(data, mtime=0)[:-40])
    (folder / "folder").mkdir()
    (folder / "folder" / "s.jsonl").write_bytes(data)
    (folder / "nothing").mkdir()
    os.mkfifo(folder / "fifo")
    return folder


def contents(folder: Path) -> dict[str, bytes | str]:
    """Return the contents of a folder, except what commands own."""
    out: dict[str, bytes | str] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if name.partition("/")[0] in OWN:
            continue
        if path.is_symlink():
            out[name] = f"link to {path.readlink()}"
        elif path.is_file():
            out[name] = path.read_bytes()
        else:
            out[name] = "folder" if path.is_dir() else "special"
    return out


class Done(NamedTuple):
    """The result of a command."""

    words: list[str]
    code: int
    out: str
    err: str
    before: dict[str, bytes | str]
    after: dict[str, bytes | str]

    def __repr__(self) -> str:
        new = self.after.keys() - self.before.keys()
        return f"{self.words}: exit {self.code}, changed {self.changed}, new {new}, {self.err!r}"

    @property
    def changed(self) -> set[str]:
        """Existing files that have changed."""
        return {name for name in self.before if self.after.get(name) != self.before[name]}


class Stage:
    """Runs commands in this process, each in its own folder."""

    def __init__(
        self, root: Path, patch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[str]
    ) -> None:
        self._root, self._patch, self._capture = root, patch, capture
        self._count = 0

    def done(self, words: list[str]) -> Done:
        """Run one command."""
        self._count += 1
        folder = filled(self._root / str(self._count))
        before = contents(folder)
        self._patch.chdir(folder)
        stream = io.TextIOWrapper(io.BytesIO(SESSION.read_bytes()))
        self._patch.setattr("sys.stdin", stream)
        self._capture.readouterr()
        code = run(words)
        out, err = self._capture.readouterr()
        after = contents(folder)
        shutil.rmtree(folder)
        return Done(words, code, out, err, before, after)


@pytest.fixture
def stage(
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Stage:
    monkeypatch.setenv("TALKTREE_HOME", str(home))
    return Stage(tmp_path, monkeypatch, capsys)


def assert_lawful(done: Done, value: str, replaceable: set[str]) -> None:
    """Assert the laws that hold for every command line."""
    assert done.code in EXIT_CODES, done
    assert "Traceback" not in done.err, done
    assert done.changed <= replaceable, done
    assert not [name for name in done.after if name.rpartition("/")[2] == "-"], done
    name = os.path.basename(value.rstrip("/"))
    if done.code in (2, 3) and value.isascii() and len(name) > 1 and name in done.err:
        assert value.rstrip("/") in done.err, done


@pytest.mark.parametrize("param", drawn(), ids=lambda param: f"{param.command} {param.name}")
def test_every_kind_of_path_for_every_parameter(param: Drawn, stage: Stage) -> None:
    codes: dict[str, int] = {}
    for value in VALUES:
        if value == "fifo" and param.name in STREAMED:
            continue
        done = stage.done(param.words(value))
        assert_lawful(done, value, set())
        codes[value] = done.code
        if param.name not in OUTPUTS:
            continue
        if value in (*SAME, *OTHERS, "folder", "./folder/", "fifo"):
            assert done.code == 2, done
        if not param.can_force or (param.command == "new" and value in SAME):
            # To a command without an input every file is just a file.
            continue
        forced = stage.done([*param.words(value), "--force"])
        assert_lawful(forced, value, {value} if value in OTHERS else set())
        if value in SAME:
            assert (forced.code, "this is the input" in forced.err) == (2, True), forced
        if (param.command, value) == ("repair", "cut.jsonl.gz"):
            # Its log leads back from the written bytes, so they are not compressed again.
            assert forced.code == 2, forced
        elif value in OTHERS:
            assert (forced.code, forced.changed) == (0, {value}), forced
    if not param.is_option:
        assert codes["-leading"] == stage.done(param.words("./-leading")).code


def test_the_hint_explains_how_to_write_a_path_that_begins_with_a_dash(stage: Stage) -> None:
    for command in ("show", "convert", "check"):
        done = stage.done([command, "-missing"])
        assert (done.code, "./-missing" in done.err) == (2, True), done


def test_the_name_of_an_option_means_the_option(stage: Stage) -> None:
    done = stage.done(["stats", "-leading", "--json"])
    assert done.code == 0
    assert done.out.startswith("{")


def test_every_command_is_drawn_from() -> None:
    assert isinstance(commands, click.Group)
    names = {name for name, found in leaves(commands) if found.params}
    assert names - {*CALLS, *ENDLESS} == {"formats", "rule"}


@pytest.mark.parametrize("command", ["new", "convert", "edit", "export", "migrate"])
def test_a_dash_as_the_output_is_stdout(command: str, stage: Stage) -> None:
    done = stage.done(Drawn(command, "--output", True, True).words("-"))
    assert done.code == 0, done
    assert done.out
    assert done.after == done.before


@pytest.mark.parametrize("force", [[], ["--force"]])
@pytest.mark.parametrize("command", ["convert", "edit", "export", "migrate", "repair"])
def test_no_output_around_inside_or_linked_to_an_input_folder(
    command: str, force: list[str], stage: Stage, tmp_path: Path
) -> None:
    call = {
        "convert": ["convert", "folder", "-t", "native"],
        "edit": ["edit", "folder", "--reply", "root", "--text", "hi"],
        "export": ["export", "folder", "--to", "md"],
        "migrate": ["migrate", "folder", "--rewrite"],
        "repair": ["repair", "folder"],
    }[command]
    for out in ("folder", "folder/new", "./folder/s.jsonl", "."):
        done = stage.done([*call, "-o", out, *force])
        assert (done.code, done.after) == (2, done.before), done


def test_a_table_goes_to_stdout(stage: Stage) -> None:
    pytest.importorskip("pyarrow")
    done = stage.done(["export", "messages", "--to", "csv", "-o", "-"])
    assert (done.code, done.after) == (0, done.before), done
    assert done.out.startswith('"')
    assert stage.done(["export", "messages", "-o", "-"]).code == 2
    for force in ([], ["--force"]):
        done = stage.done(["export", "messages", "--to", "csv", "-o", "other.txt", *force])
        assert (done.code, done.changed) == ((0, {"other.txt"}) if force else (2, set())), done
