"""An export contains the files of its conversations and no others, and all of them redacted."""

from __future__ import annotations

import base64
import gzip
import json
import lzma
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.test_library import run

PASSWORD = "Kuckuck9xUhu"
SECRET = f"DB_PASSWORD={PASSWORD}\n"
FORMATS = (
    "native",
    "claude-code",
    "studio",
    "studio-xml",
    "studio-text",
    "muse",
    "sage",
    "chatbuilder",
)
FOREIGN = (
    "st/bin.dat",
    "st/dump.txt.gz",
    "st/notes.txt",
    "st/memory/plans.md",
    "st/sessions-index.json",
    "st/u16.txt",
)
BINARY = "st/a/tool-results/packed.xz"


def write_session(path: Path, number: int, text: str = "Hello") -> Path:
    """Write a session of Claude Code with a question and an answer."""
    id = f"{number:08x}-0000-4000-8000-000000000000"
    lines = []
    for at, (role, content) in enumerate(
        (("user", text), ("assistant", [{"type": "text", "text": "ok"}]))
    ):
        uuid = f"{number:08x}-0000-4000-8000-{at + 1:012x}"
        above = f"{number:08x}-0000-4000-8000-{at:012x}" if at else None
        line = {
            "type": role, "uuid": uuid, "parentUuid": above, "sessionId": id, "cwd": "/home/ana",
            "version": "2.1.29", "timestamp": f"2026-03-04T09:00:0{at}.000Z",
            "message": {"role": role, "content": content},
        }  # fmt: skip
        lines.append(json.dumps(line) + "\n")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(lines))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a session with tool results, and files that belong to no
    conversation."""
    st = tmp_path / "st"
    write_session(st / "a.jsonl", 1)
    results = st / "a" / "tool-results"
    results.mkdir(parents=True)
    (results / "plain.txt").write_text(SECRET)
    (results / "packed.txt.gz").write_bytes(gzip.compress(SECRET.encode()))
    (results / "wide.txt").write_bytes(SECRET.encode("utf-16"))
    (results / "packed.xz").write_bytes(lzma.compress(SECRET.encode()))
    (st / "memory").mkdir()
    (st / "memory" / "plans.md").write_text("INTERNAL plans")
    (st / "sessions-index.json").write_text('{"entries": [{"firstPrompt": "INTERNAL"}]}')
    (st / "notes.txt").write_text("INTERNAL notes about layoffs")
    (st / "bin.dat").write_bytes(b"\0\xff" + SECRET.encode())
    (st / "dump.txt.gz").write_bytes(gzip.compress(f"INTERNAL {SECRET}".encode()))
    (st / "u16.txt").write_bytes(f"INTERNAL {SECRET}".encode("utf-16"))
    return tmp_path


def readings(data: bytes) -> Iterator[str]:
    """Return all texts that can be decoded from some bytes."""
    if data.startswith(b"\x1f\x8b"):
        data = gzip.decompress(data)
    text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "replace")
    yield text
    for found in re.findall(r"[A-Za-z0-9+/]{24,}={0,2}", text):
        packed = base64.b64decode(found + "==="[: -len(found) % 4])
        if packed != data:
            yield from readings(packed)
    if data[:6] == b"\xfd7zXZ\0":
        yield lzma.decompress(data).decode()


def everything(*places: Path) -> str:
    """Return the contents of some files and folders, including their names."""
    files = [path for place in places for path in (place, *place.rglob("*"))]
    texts = [text for path in files if path.is_file() for text in readings(path.read_bytes())]
    return "\n".join([*texts, *map(str, files)])


def left_out(stderr: str) -> set[str]:
    """Return the files that the summary names."""
    found = re.search(r"^talktree: (\d+) other files? left out: (.*)$", stderr, re.MULTILINE)
    assert found, stderr
    names = found[2].split(", ")
    assert len(names) == int(found[1])
    return set(names)


@pytest.mark.parametrize("to", FORMATS)
def test_files_that_belong_to_no_conversation_are_left_out_and_named(folder: Path, to: str) -> None:
    done = run(folder, "export", "st", "--to", to, "-o", "out")
    assert done.returncode == 0, done.stderr
    assert left_out(done.stderr) == {*FOREIGN, BINARY}
    found = everything(folder / "out")
    for word in ("INTERNAL", "notes.txt", "dump.txt", "u16.txt", PASSWORD):
        assert word not in found


def test_scripts_learn_which_files_are_left_out(folder: Path) -> None:
    done = run(folder, "export", "st", "--to", "native", "-o", "out.jsonl", "--json")
    assert set(json.loads(done.stdout)["skipped"]) == {*FOREIGN, BINARY}
    done = run(folder, "export", "st", "--to", "html", "-o", "out.html", "--json")
    assert set(json.loads(done.stdout)["skipped"]) == {*FOREIGN}


@pytest.mark.parametrize("out", ["out", "out/", "out.jsonl"])
def test_companion_files_are_exported_in_their_form_and_redacted(folder: Path, out: str) -> None:
    done = run(folder, "export", "st/a.jsonl", "--to", "claude-code", "-o", out)
    assert done.returncode == 0, done.stderr
    assert left_out(done.stderr) == {BINARY}
    names = {path.name: path for path in folder.rglob("out/**/tool-results/*")}
    assert names.keys() == {"plain.txt", "packed.txt.gz", "wide.txt"}
    words = r"DB_PASSWORD=\[redacted: password \w+\]\n"
    assert re.fullmatch(words, names["plain.txt"].read_text())
    assert re.fullmatch(words, gzip.decompress(names["packed.txt.gz"].read_bytes()).decode())
    assert re.fullmatch(words, names["wide.txt"].read_bytes().decode("utf-16"))


def test_without_redaction_companion_files_are_exported_as_they_are(folder: Path) -> None:
    done = run(folder, "export", "st", "--to", "claude-code", "-o", "out", "--no-redact")
    assert left_out(done.stderr) == set(FOREIGN)
    names = ("plain.txt", "packed.txt.gz", "wide.txt", "packed.xz")
    for name in names:
        found = folder / "out" / "a" / "tool-results" / name
        assert found.read_bytes() == (folder / "st" / "a" / "tool-results" / name).read_bytes()


@pytest.mark.parametrize("to", FORMATS)
def test_each_of_several_sessions_keeps_its_own_files(folder: Path, to: str) -> None:
    write_session(folder / "st" / "b.jsonl", 2)
    done = run(folder, "export", "st", "--to", to, "-o", "out/")
    assert done.returncode == 0, done.stderr
    assert left_out(done.stderr) == {*FOREIGN, BINARY}
    found = everything(folder / "out")
    assert "INTERNAL" not in found
    assert PASSWORD not in found
    if to == "claude-code":
        files = {
            path.relative_to(folder / "out").as_posix() for path in (folder / "out").rglob("*.*")
        }
        kept = {f"a/tool-results/{name}" for name in ("plain.txt", "packed.txt.gz", "wide.txt")}
        assert files == {"a.jsonl", "b.jsonl", *kept}


@pytest.mark.parametrize("by", FORMATS)
def test_embedded_files_are_left_out(folder: Path, by: str) -> None:
    assert run(folder, "convert", "st", "-t", by, "-o", "converted").returncode == 0
    if by != "claude-code":
        assert "INTERNAL" in everything(folder / "converted")
    for to in {by, "claude-code", "muse"}:
        done = run(folder, "export", "converted", "--to", to, "-o", f"out-{to}")
        assert done.returncode == 0, done.stderr
        names = {
            name.rpartition("/")[2].removesuffix(" (embedded)") for name in left_out(done.stderr)
        }
        assert names >= {name.rpartition("/")[2] for name in FOREIGN}
        found = everything(folder / f"out-{to}")
        assert "INTERNAL" not in found
        assert PASSWORD not in found
        assert "Hello" in found


@pytest.mark.parametrize("to", ["html", "md", "native", "claude-code", "muse"])
@pytest.mark.parametrize("form", ["gzip", "utf-16"])
def test_a_packed_conversation_is_redacted(tmp_path: Path, to: str, form: str) -> None:
    path = write_session(tmp_path / "a.jsonl", 1, f"Log in with {SECRET}")
    if form == "gzip":
        (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(path.read_bytes()))
        path = tmp_path / "a.jsonl.gz"
    else:
        path.write_bytes(path.read_text().encode("utf-16"))
    done = run(tmp_path, "export", path.name, "--to", to, "-o", "out")
    assert done.returncode == 0, done.stderr
    assert "redacted 1 value: 1 × password" in done.stderr
    found = everything(tmp_path / "out")
    assert PASSWORD not in found
    assert "[redacted: password " in found


def test_backups_of_a_sage_session_are_redacted(tmp_path: Path) -> None:
    shutil.copytree(Path(__file__).parents[2] / "demo" / "sage", tmp_path / "sage")
    sessions = [path.parent for path in (tmp_path / "sage").rglob("messages.jsonl")]
    for session in sessions:
        (session / "backups").mkdir(exist_ok=True)
        (session / "backups" / "env").write_text(SECRET)
        (session / "backups" / "env.gz").write_bytes(gzip.compress(SECRET.encode()))
    (tmp_path / "sage" / "backups").mkdir(exist_ok=True)
    (tmp_path / "sage" / "todo.txt").write_text("INTERNAL")
    done = run(tmp_path, "export", "sage", "--to", "sage", "-o", "out")
    assert done.returncode == 0, done.stderr
    assert "todo.txt" in " ".join(left_out(done.stderr))
    found = everything(tmp_path / "out")
    assert PASSWORD not in found
    assert "INTERNAL" not in found
    assert "[redacted: password " in found
