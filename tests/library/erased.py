"""A library with planted words, and a scan of every byte for what is left of them.

The scan does not use our code: it reads files raw, decompresses everything that looks like a zstd
frame or a gzip member at any offset, reads every value from SQLite, and looks up every word in
tantivy.
"""

from __future__ import annotations

import base64
import json
import os
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import tantivy
import zstandard

ROOT = Path(__file__).parents[2]
SECRET = "5ec2e700-0000-4000-8000-00000000beef"
FORK = "f02cf02c-0000-4000-8000-00000000cafe"
KINDS = (
    *("title", "project", "branch", "cwd", "text", "reply", "thinking", "input", "path"),
    *("result", "image", "summary", "agent", "agenttext", "companion", "older", "name", "edit"),
    *("unicode", "long"),
)
WORDS = {kind: f"zq{number:02}{kind}vux" for number, kind in enumerate(KINDS)}
"""20 words that occur nowhere else."""
assert len(WORDS) == 20
_ZSTD, _GZIP = b"\x28\xb5\x2f\xfd", b"\x1f\x8b\x08"
_MOST = 4 << 20


def talktree(
    home: Path, *words: str, code: int = 0, text: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a command line as a separate process."""
    done = subprocess.run(
        [sys.executable, "-m", "talktree.cli.main", *words],
        env={**os.environ, "TALKTREE_HOME": str(home), "NO_COLOR": "1"},
        cwd=ROOT,
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done


def _line(session: str, number: int, message: dict[str, object], **more: object) -> bytes:
    value = {
        "type": message["role"],
        "uuid": f"{session[:8]}-0000-4000-8000-{number:012}",
        "parentUuid": None if number == 0 else f"{session[:8]}-0000-4000-8000-{number - 1:012}",
        "sessionId": session,
        "timestamp": f"2026-03-01T10:{number // 60 % 60:02}:{number % 60:02}.000Z",
        "version": "2.0.0",
        "isSidechain": False,
        "userType": "external",
        "message": message,
        **more,
    }
    return json.dumps(value).encode() + b"\n"


def session(name: str, *, words: bool, lines: int = 60) -> bytes:
    """Return a session with the planted words, or the same without them."""
    say = WORDS if words else dict.fromkeys(WORDS, "plain")
    about = {"cwd": f"/home/ana/{say['cwd']}/{say['project']}", "gitBranch": say["branch"]}
    first: list[dict[str, object]] = [
        {"role": "user", "content": f"Look at {say['text']} and {say['unicode']}é"},
        {
            "role": "assistant",
            "id": f"msg_{name[:8]}",
            "type": "message",
            "model": "claude-x-1",
            "content": [
                {"type": "thinking", "thinking": say["thinking"], "signature": "s"},
                {"type": "text", "text": f"It is {say['reply']}"},
                {
                    "type": "tool_use",
                    "id": f"toolu_{name[:8]}",
                    "name": "Read",
                    "input": {"file_path": f"/etc/{say['path']}.txt", "q": say["input"]},
                },
            ],
            "usage": {"input_tokens": 1, "output_tokens": 2},
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": f"toolu_{name[:8]}",
                    "content": say["result"],
                },
                {
                    "type": "image",
                    "source": {
                        "type": "base64",
                        "media_type": "image/png",
                        "data": base64.b64encode(b"\x89PNG" + say["image"].encode() * 2).decode(),
                    },
                },
            ],
        },
    ]
    rest: list[dict[str, object]] = [
        {
            "role": "user",
            "content": f"Line {at} of the tide tables, as the harbour keeps them {at * at}",
        }
        for at in range(3, lines)
    ]
    rest.append({"role": "user", "content": say["long"] + " " + "wharf " * 2000})
    made = b"".join(_line(name, at, each, **about) for at, each in enumerate([*first, *rest]))
    return (
        made
        + json.dumps(
            {
                "type": "summary",
                "summary": say["title"] + " " + say["summary"],
                "leafUuid": f"{name[:8]}-0000-4000-8000-000000000000",
            }
        ).encode()
        + b"\n"
    )


def write_sources(folder: Path, *, others: int = 4) -> Path:
    """Write a folder with the planted session and others; return the path of the planted one."""
    project = folder / "projects" / "-home-ana"
    inside = project / SECRET
    (inside / "subagents").mkdir(parents=True)
    (inside / "tool-results").mkdir()
    path = project / f"{SECRET}.jsonl"
    path.write_bytes(session(SECRET, words=True))
    (project / f"{FORK}.jsonl").write_bytes(session(FORK, words=False))
    agent = _line(
        SECRET,
        0,
        {"role": "user", "content": WORDS["agenttext"]},
        isSidechain=True,
        agentId="ab12cd34",
        uuid="a6e27000-0000-4000-8000-000000000001",
    )
    (inside / "subagents" / f"agent-{WORDS['agent']}.jsonl").write_bytes(agent)
    (inside / "tool-results" / "out.txt").write_text(f"all of it: {WORDS['companion']}\n" * 3)
    for number in range(others):
        name = f"{number:08x}-1111-4000-8000-000000000000"
        (project / f"{name}.jsonl").write_bytes(session(name, words=False, lines=8 + number))
    return path


EDIT = """
import sys
from pathlib import Path
from talktree.library.library import Library
from talktree.library.branch_names import name_branch
from talktree.model.operations import ReplaceText
with Library.open(write=True) as library:
    kept = library.conversation(sys.argv[1])
    edits = library.edits(kept)
    talk = edits.document().conversation
    leaf = '5ec2e700-0000-4000-8000-000000000007'
    with library.db.transaction():
        name_branch(library.db, kept.source, talk, leaf, sys.argv[2])
    edits.do(talk.id, ReplaceText(about=leaf, text=sys.argv[3]))
"""


def planted(tmp_path: Path) -> tuple[Path, Path]:
    """Return the home of a library with the planted conversation in two versions, edited; and its
    file."""
    home = tmp_path / "home"
    path = write_sources(tmp_path / "src")
    data = path.read_bytes()
    path.write_bytes(data.replace(WORDS["reply"].encode(), WORDS["older"].encode()))
    talktree(home, "import", str(tmp_path / "src"))
    path.write_bytes(data)
    talktree(home, "import")
    subprocess.run(
        [sys.executable, "-c", EDIT, SECRET, WORDS["name"], f"now {WORDS['edit']}"],
        env={**os.environ, "TALKTREE_HOME": str(home)},
        cwd=ROOT,
        check=True,
    )
    return home, path


def found_in(home: Path, words: dict[str, str]) -> set[tuple[str, str]]:
    """Return where words are left: the kind of each place, and the file."""
    hits: set[tuple[str, str]] = set()
    for path in sorted(home.rglob("*")):
        if path.is_file():
            for data in _views(path.read_bytes()):
                hits |= {(kind, path.name) for kind in _words_in(data, words)}
            hits |= {(kind, "name") for kind in _words_in(str(path).encode(), words)}
    for database in home.rglob("library.sqlite"):
        hits |= {(kind, "values") for data in _values(database) for kind in _words_in(data, words)}
    for manifest in home.rglob("fulltext/*/meta.json"):
        hits |= {(kind, "index") for kind in _indexed(manifest.parent, words)}
    return hits


def _words_in(data: bytes, words: dict[str, str]) -> Iterator[str]:
    lower = data.lower()
    for kind, word in words.items():
        packed = base64.b64encode(b"\x89PNG" + word.encode() * 2)[8:16].lower()
        if word.encode() in lower or word.encode("utf-16-le") in lower or packed in lower:
            yield kind


def _views(data: bytes) -> Iterator[bytes]:
    """Return the bytes, and the decompressed content of every zstd frame and gzip member in
    them."""
    yield data
    for magic, unpack in ((_ZSTD, _unzstd), (_GZIP, _ungzip)):
        at = data.find(magic)
        while at >= 0:
            yield unpack(data[at : at + _MOST])
            at = data.find(magic, at + 1)


def _unzstd(data: bytes) -> bytes:
    reader = zstandard.ZstdDecompressor().decompressobj()
    return _as_far_as_possible(reader.decompress, data)


def _ungzip(data: bytes) -> bytes:
    return _as_far_as_possible(zlib.decompressobj(31).decompress, data)


def _as_far_as_possible(step: object, data: bytes) -> bytes:
    out = []
    try:
        for at in range(0, len(data), 512):
            out += [step(data[at : at + 512])]  # type: ignore[operator]
    except (zstandard.ZstdError, zlib.error, EOFError):
        pass
    return b"".join(out)


def _values(path: Path) -> Iterator[bytes]:
    """Return every value of every table, with chunks decompressed against their base."""
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    alone: dict[int, bytes] = {}
    for number, data in db.execute("SELECT id, data FROM chunks WHERE base IS NULL"):
        alone[number] = zstandard.ZstdDecompressor().decompress(data)
        yield from _views(alone[number])
    for base, data in db.execute("SELECT base, data FROM chunks WHERE base IS NOT NULL"):
        about = zstandard.ZstdCompressionDict(alone[base], dict_type=zstandard.DICT_TYPE_RAWCONTENT)
        yield from _views(zstandard.ZstdDecompressor(dict_data=about).decompress(data))
    for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        for row in db.execute(f"SELECT * FROM {table}"):
            for value in row:
                if isinstance(value, bytes | str):
                    yield from _views(value if isinstance(value, bytes) else value.encode())
    db.close()


def _indexed(folder: Path, words: dict[str, str]) -> Iterator[str]:
    index = tantivy.Index.open(str(folder))
    searcher = index.searcher()
    for kind, word in words.items():
        for field in ("body", "file", "tag"):
            found = searcher.doc_freq(field, word) + len(searcher.terms_with_prefix(field, word))
            if found:
                yield kind
