"""Tables through the command line: without secrets, words and personal data; otherwise
unchanged."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from pyarrow import parquet

KEY = "ghp_" + "MTX6T5bC6O3hDpHJanr4VjXiMha2mn82r7HQ"
PASSWORD = "plum-Tart-77"
MAIL = "ana@lopes-garden.net"
TABLES = ("messages", "calls", "usage", "files")
COLUMNS = ("source", "format", "role", "number", "time", "state", "kind", "input_tokens", "counted")
"""Columns that redaction never changes, if a table has them."""


def run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HOME": str(home), "TALKTREE_HOME": str(home / "data")}
    environment |= {"XDG_CONFIG_HOME": str(home / "config")}
    return subprocess.run(
        [Path(sys.executable).with_name("talktree"), *arguments],
        env=environment, cwd=home, capture_output=True, text=True,
    )  # fmt: skip


def lines_of_session(number: int) -> Iterator[dict[str, object]]:
    """Return a session with secrets in texts, calls, results, paths, its folder and its branch."""
    last = None
    given = {"file_path": f"/srv/{KEY}/notes.txt", "password": PASSWORD}
    contents: list[tuple[str, object]] = [
        ("user", f"Later it is only called {PASSWORD}."),
        ("assistant", [{"type": "thinking", "thinking": f"Ask {MAIL}.", "signature": ""}]),
        ("assistant", [{"type": "tool_use", "id": f"t{number}", "name": "Read", "input": given}]),
        ("user", [{"type": "tool_result", "tool_use_id": f"t{number}", "content": f"TOKEN={KEY}"}]),
        ("assistant", [{"type": "text", "text": f"It is {KEY}, for the Orchard."}]),
    ]
    for place, (role, content) in enumerate(contents):
        id = f"{number:08x}-0000-4000-8000-{place:012x}"
        message = {"role": role, "content": content}
        if role == "assistant":
            message |= {"id": f"m{number}{place}", "model": "claude-sonnet-4-5-20250929"}
            message |= {"usage": {"input_tokens": 3, "output_tokens": 4}}
        yield {
            "type": role, "uuid": id, "parentUuid": last, "message": message,
            "sessionId": f"{number:08x}-0000-4000-8000-ffffffffffff",
            "cwd": f"/home/ana/Orchard-{KEY}", "gitBranch": f"for-{MAIL}",
            "timestamp": f"2026-03-04T09:00:0{place}.000Z",
        }  # fmt: skip
        last = id


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a home whose library holds two sessions."""
    home = tmp_path_factory.mktemp("home")
    for number in (1, 2):
        lines = (json.dumps(line) + "\n" for line in lines_of_session(number))
        (home / f"session{number}.jsonl").write_text("".join(lines))
    done = run(home, "import", "session1.jsonl", "session2.jsonl")
    assert done.returncode == 0, done.stderr
    return home


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("table", TABLES)
def test_tables_have_no_secrets_unless_that_is_asked_for(home: Path, table: str) -> None:
    plain = run(home, "export", table, "--to", "csv", "-o", "-", "--no-redact")
    clean = run(home, "export", table, "--to", "csv", "-o", "-")
    assert plain.returncode == clean.returncode == 0, clean.stderr
    assert KEY in plain.stdout
    assert "nothing was redacted (--no-redact)" in plain.stderr
    assert "GitHub token" in clean.stderr
    for secret in (KEY, PASSWORD) if table != "usage" else (KEY,):
        assert secret not in clean.stdout
    before, after = rows_of(plain.stdout), rows_of(clean.stdout)
    assert len(before) == len(after) > 0
    for one, other in zip(before, after, strict=True):
        for column in {*COLUMNS} & {*one}:
            assert one[column] == other[column]
    assert len({row["project"] for row in after}) == 1, "equal secrets have equal placeholders"


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_all_kinds_of_files_are_redacted(home: Path, tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"messages.{kind}"
    done = run(home, "export", "messages", "-o", str(path), "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["redacted"]["GitHub token"] == 1
    assert said["redacted"]["password"] == 1
    assert "kinds of keys" in said["looked_for"]
    found = parquet.read_table(path) if kind == "parquet" else pa.ipc.open_file(path).read_all()
    texts = json.dumps(found.to_pylist(), default=str)
    assert "[redacted: GitHub token " in texts
    assert KEY not in texts
    assert PASSWORD not in texts


@pytest.mark.parametrize("table", TABLES)
def test_words_and_personal_data_are_redacted_on_request(home: Path, table: str) -> None:
    asked = ("--redact", "orchard", "--redact", "pii")
    done = run(home, "export", table, "--to", "csv", "-o", "-", *asked)
    assert done.returncode == 0, done.stderr
    assert "orchard" not in done.stdout.lower()
    assert MAIL not in done.stdout
    assert "/home/ana" not in done.stdout
    assert "1 word, personal data" in done.stderr
    without = run(home, "export", table, "--to", "csv", "-o", "-").stdout
    assert "Orchard" in without


def test_words_of_the_configuration_are_redacted(home: Path) -> None:
    config = home / "data" / "config.toml"
    config.write_text('[redaction]\nwords = ["Orchard"]\n')
    try:
        done = run(home, "export", "messages", "--to", "csv", "-o", "-")
    finally:
        config.unlink()
    assert done.returncode == 0, done.stderr
    assert "Orchard" not in done.stdout


def test_requests_that_contradict_each_other_are_refused(home: Path) -> None:
    done = run(home, "export", "usage", "-o", "u.csv", "--no-redact", "--redact", "Orchard")
    assert done.returncode == 2
    assert "contradict" in done.stderr
    assert not (home / "u.csv").exists()
