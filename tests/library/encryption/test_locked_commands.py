"""Every command that opens a library reports a locked one in the same words."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from talktree.cli.commands import library
from talktree.cli.group import COMMANDS, LazyGroup
from tests.library.encryption.locked_home import LockedHome

ID = "gone-from-the-disk"
OPENING = {
    "show": [f"show {ID}", "show sources/gone.jsonl"],
    "tree": [f"tree {ID}"],
    "stats": ["stats"],
    "edit": [
        f"edit {ID} --reply root --text pear",
        f"edit {ID} --reply root --text pear -o out",
        f"edit {ID} --save",
        f"edit {ID} --undo",
        f"edit {ID} --redo",
        f"edit {ID} --history",
    ],
    "import": ["import", "import sources", "import --known"],
    "list": ["list"],
    "search": ["search pear"],
    "watch": ["watch", "watch sources"],
    "export": [
        f"export {ID} --to html -o out",
        f"export {ID} sources --to html -o out",
        f"export {ID} --to native -o out",
        "export messages -o out.csv",
    ],
    "library info": ["library info"],
    "library check": ["library check", "library check --read-data"],
    "library reindex": ["library reindex"],
    "library find": ["library find pear"],
    "library versions": [f"library versions {ID}"],
    "library restore": [f"library restore {ID} --into out"],
    "library forget": [
        f"library forget {ID}",
        f"library forget {ID} --yes",
        "library forget --finish",
    ],
    "library forgotten": ["library forgotten"],
    "library readmit": ["library readmit 1"],
    "library scrub": ["library scrub pear", "library scrub pear --yes"],
    "library retention": ["library retention", "library retention --yes"],
    "library places": [
        "library places",
        "library places add sources",
        "library places remove sources",
    ],
}
"""Command lines that need an open library, by command."""
OTHERS = {
    *("formats", "detect", "new", "diff", "convert", "check", "repair", "rule", "migrate"),
    *("session",),  # sessions are not in the library
    *("studio",),  # it starts, and its page prompts for the passphrase
    *("library encrypt", "library decrypt", "library unlock", "library lock"),
}


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> LockedHome:
    home = LockedHome(tmp_path_factory.mktemp("locked"))
    home.encrypt()
    home.run("library", "lock")
    return home


def test_every_command_is_listed_here() -> None:
    group = library.command
    assert isinstance(group, LazyGroup)
    known = {*COMMANDS, *(f"library {name}" for name in group.listed)} - {"library"}
    assert known == {*OPENING} | OTHERS
    assert not OTHERS & {*OPENING}


@pytest.mark.parametrize("command", OPENING)
def test_a_locked_library_is_named_with_the_way_to_unlock_it(
    locked: LockedHome, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(locked.folder)
    before = sorted(locked.folder.rglob("*"))
    for line in OPENING[command]:
        done = locked.run(*line.split(), code=3)
        assert done.stdout == b"", line
        assert done.stderr.decode() == (
            f"talktree: {locked.root}: the library is locked\n"
            "hint: unlock it: talktree library unlock\n"
        ), line
    assert sorted(locked.folder.rglob("*")) == before
    line = OPENING[command][0]
    error = json.loads(locked.run(*line.split(), "--json", code=3).stderr)["error"]
    assert (error["kind"], error["exit_code"]) == ("locked", 3)


def test_the_hint_names_a_library_that_is_elsewhere(locked: LockedHome, tmp_path: Path) -> None:
    other = tmp_path / "other place"
    shutil.copytree(locked.root, other)
    done = locked.run("list", "--library", str(other), code=3)
    hint = done.stderr.decode().splitlines()[1]
    assert hint == f"hint: unlock it: talktree library unlock --library '{other}'"
    locked.run("library", "unlock", "--library", str(other), *locked.passphrase_file)
    try:
        locked.run("list", "--library", str(other), code=1)
    finally:
        locked.run("library", "lock")


def test_an_edit_of_an_unknown_conversation_says_so(locked: LockedHome, tmp_path: Path) -> None:
    home = LockedHome(tmp_path)
    home.run("import", str(home.sources))
    done = home.run("edit", ID, "--reply", "root", "--text", "pear", code=2)
    assert done.stderr.decode().splitlines()[0] == f"talktree: {ID}: no such conversation"
