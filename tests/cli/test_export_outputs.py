"""`talktree export -o NAME` writes one file if the name has a file extension, otherwise a
folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.test_export_files import write_session
from tests.cli.test_library import run

DEMO = Path(__file__).parents[2] / "demo"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of two sessions, one of conversations in three formats, and a single
    session."""
    for number, name in enumerate("ab", 1):
        write_session(tmp_path / "flat" / f"{name}.jsonl", number)
    mixed = tmp_path / "mixed"
    write_session(mixed / "one.jsonl", 3)
    shutil.copy(DEMO / "muse.json", mixed)
    shutil.copy(DEMO / "studio.json", mixed)
    write_session(tmp_path / "alone.jsonl", 4)
    return tmp_path


def names(folder: Path) -> set[str]:
    """Return the files below a folder."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("out", ["out", "out/"])
@pytest.mark.parametrize(("to", "ending"), [("native", "jsonl"), ("md", "md"), ("muse", "json")])
def test_several_conversations_become_a_folder(
    folder: Path, out: str, to: str, ending: str
) -> None:
    done = run(folder, "export", "flat", "--to", to, "-o", out)
    assert done.returncode == 0, done.stderr
    assert names(folder / "out") == {f"a.{ending}", f"b.{ending}"}


@pytest.mark.parametrize("out", ["out", "out/"])
def test_a_folder_in_the_same_format_keeps_its_layout(folder: Path, out: str) -> None:
    done = run(folder, "export", "flat", "--to", "claude-code", "-o", out)
    assert done.returncode == 0, done.stderr
    assert names(folder / "out") == {"a.jsonl", "b.jsonl"}


@pytest.mark.parametrize("to", ["native", "md", "html"])
def test_one_file_holds_a_folder_of_one_format(folder: Path, to: str) -> None:
    out = {"native": "out.jsonl"}.get(to, f"out.{to}")
    done = run(folder, "export", "flat", "--to", to, "-o", out)
    assert done.returncode == 0, done.stderr
    assert (folder / out).is_file()
    assert (folder / out).read_text().count("Hello") >= 2


@pytest.mark.parametrize(
    ("what", "to", "out"),
    [
        (("flat/a.jsonl", "flat/b.jsonl"), "html", "both.html"),
        (("flat", "alone.jsonl"), "native", "both.jsonl"),
        (("mixed",), "native", "both.jsonl"),
        (("mixed",), "md", "both.md"),
        (("flat",), "claude-code", "both.jsonl"),
        (("alone.jsonl",), "sage", "both.jsonl"),
    ],
)
def test_several_files_for_one_output_file_are_refused(
    folder: Path, what: tuple[str, ...], to: str, out: str
) -> None:
    done = run(folder, "export", *what, "--to", to, "-o", out)
    assert done.returncode == 2
    assert "hint: name a folder: -o both" in done.stderr
    assert not list(folder.glob("both*"))
    done = run(folder, "export", *what, "--to", to, "-o", "both/")
    assert done.returncode == 0, done.stderr


def test_conversations_of_the_library_do_not_become_a_folder_named_like_a_page(
    folder: Path,
) -> None:
    assert run(folder, "import", "flat", "-q").returncode == 0
    found = json.loads(run(folder, "list", "--json").stdout)["conversations"]
    ids = [each["id"] for each in found]
    done = run(folder, "export", *ids, "-o", "both.html")
    assert (done.returncode, (folder / "both.html").exists()) == (2, False)
    assert "hint: name a folder: -o both/" in done.stderr


def test_conversations_on_top_of_a_folder_stay_on_top(folder: Path) -> None:
    assert run(folder, "export", "mixed", "--to", "md", "-o", "out/").returncode == 0
    assert names(folder / "out") == {"one.md", "muse.md", "studio.md"}


def test_a_session_under_another_name_is_exported(folder: Path) -> None:
    shutil.copy(folder / "alone.jsonl", folder / "flat" / "c.txt")
    done = run(folder, "export", "flat", "--to", "html", "-o", "out")
    assert done.returncode == 0, done.stderr
    assert "left out" not in done.stderr
    assert names(folder / "out") == {"a.html", "b.html", "c.html", "index.html"}


@pytest.mark.parametrize(("what", "code"), [(("alone.jsonl", "nothing"), 3), (("nothing",), 2)])
def test_exit_codes_are_those_of_the_help(folder: Path, what: tuple[str, ...], code: int) -> None:
    assert run(folder, "export", *what, "--to", "md", "-o", "out").returncode == code


def test_a_table_among_conversations_is_refused(folder: Path) -> None:
    done = run(folder, "export", "flat", "messages", "--to", "md", "-o", "out")
    assert done.returncode == 2
    assert "a path of that name is written ./messages" in done.stderr


def test_only_what_is_replaced_in_a_table_is_counted(folder: Path) -> None:
    secret = "Log in with DB_PASSWORD=Kuckuck9xUhu"
    write_session(folder / "flat" / "c.jsonl", 5, secret)
    assert run(folder, "import", "flat", "-q").returncode == 0
    for table, count in (("messages", 1), ("files", 0)):
        done = run(folder, "export", table, "-o", f"{table}.csv", "--json")
        assert sum(json.loads(done.stdout)["redacted"].values()) == count
        assert "Kuckuck9xUhu" not in (folder / f"{table}.csv").read_text()
