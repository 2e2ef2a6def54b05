"""A forgotten conversation stays out in every format it is converted to."""

from __future__ import annotations

import json
import shutil
from itertools import pairwise
from pathlib import Path

import pytest

import talktree
from talktree.errors import NotFound
from talktree.library.library import Library
from tests.library.erased import found_in

DEMO = Path(__file__).parents[2] / "demo"
FORMATS = {
    "chatbuilder": "chatbuilder",
    "claude-code": "claude-code.jsonl",
    "claude-messages": "claude-messages.jsonl",
    "muse": "muse.json",
    "native": "native.jsonl",
    "sage": "sage",
    "studio": "studio.json",
    "studio-text": "studio-text.txt",
    "studio-xml": "studio-xml.xml",
}


def copy_of(format: str, folder: Path) -> Path:
    """Return a copy of the demo of a format."""
    source = DEMO / FORMATS[format]
    folder.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        return Path(shutil.copytree(source, folder / source.name))
    return Path(shutil.copy(source, folder / source.name))


def forget_all(library: Library) -> int:
    """Forget everything in a library; return the number of sources."""
    entries = list(library.conversations(agents=True))
    library.forget_many({each.source: each for each in entries}.values())
    return len({each.source for each in entries})


@pytest.mark.parametrize("format", FORMATS)
def test_converted_and_restored_copies_stay_away(format: str, tmp_path: Path) -> None:
    source = copy_of(format, tmp_path / "src")
    out = tmp_path / "out"
    document = talktree.read(source)
    for other in FORMATS.keys() - {format}:
        made = out / other / FORMATS[other]
        made.parent.mkdir(parents=True)
        talktree.convert(document, made, to=other)
        talktree.convert(talktree.read(made), out / f"from-{other}" / source.name, to=format)
    with Library.open(tmp_path / "home" / "library", write=True) as library:
        library.import_([source])
        sources = forget_all(library)
        assert sources
        done = library.import_([out])
        assert (done.new, done.failed) == (0, [])
        assert list(library.conversations(agents=True)) == []
        assert done.forgotten >= 1
        assert len(library.list_forgotten()) == sources
        assert library.import_([out]).bytes_read == 0
        for tombstone in library.list_forgotten():
            library.readmit(str(tombstone.number))
        assert library.list_forgotten() == []
        assert library.import_([out]).new >= 1


def test_nothing_of_it_is_on_the_disk(tmp_path: Path) -> None:
    source = copy_of("claude-code", tmp_path / "src")
    home = tmp_path / "home"
    document = talktree.read(source)
    for other in ("native", "muse", "studio"):
        talktree.convert(document, tmp_path / "out" / f"{other}.x", to=other)
    with Library.open(home / "library", write=True) as library:
        library.import_([source])
        forget_all(library)
        library.import_([tmp_path])
    assert found_in(home, {"word": "sunset", "tool": "lantern"}) == set()


def test_a_forgotten_conversation_converted_twice_and_edited_stays_away(tmp_path: Path) -> None:
    source = copy_of("studio", tmp_path / "src")
    with Library.open(tmp_path / "library", write=True) as library:
        library.import_([source])
        forget_all(library)
        last = source
        for number, (_, to) in enumerate(pairwise(("studio", "native", "muse", "claude-code"))):
            folder = tmp_path / str(number)
            folder.mkdir()
            made = folder / ("a.json" if to == "muse" else "a.jsonl")
            talktree.convert(talktree.read(last), made, to=to)
            last = made
        last.write_bytes(last.read_bytes().replace(b"the", b"teh", 1))
        done = library.import_([tmp_path / "0", tmp_path / "1", tmp_path / "2"])
        assert (done.new, done.forgotten) == (0, 1)


def line(session: str, text: str) -> bytes:
    """Return a session of one message."""
    message = {
        "type": "user",
        "uuid": f"{session[:8]}-0000-4000-8000-000000000001",
        "parentUuid": None,
        "sessionId": session,
        "timestamp": "2026-03-01T10:00:00.000Z",
        "message": {"role": "user", "content": text},
    }
    return json.dumps(message).encode() + b"\n"


def test_others_in_the_folder_are_imported(tmp_path: Path) -> None:
    folder = tmp_path / "src"
    folder.mkdir()
    ids = [f"{number:08x}-1111-4000-8000-000000000000" for number in range(3)]
    for id in ids:
        (folder / f"{id}.jsonl").write_bytes(line(id, f"about {id[:8]}"))
    with Library.open(tmp_path / "library", write=True) as library:
        library.import_([folder])
        library.forget(library.conversation(ids[1]))
        for id in ids:
            talktree.convert(
                talktree.read(folder / f"{id}.jsonl"), tmp_path / "out" / f"{id}.json", to="muse"
            )
        talktree.convert(
            talktree.read(folder / f"{ids[1]}.jsonl"), folder / "notes.jsonl", to="native"
        )
        done = library.import_([folder, tmp_path / "out"])
        assert (done.new, done.forgotten) == (2, 1)
        with pytest.raises(NotFound):
            library.conversation(ids[1])


def test_a_name_of_a_file_is_not_an_id(tmp_path: Path) -> None:
    first, second = tmp_path / "a" / "conversation", tmp_path / "b"
    first.mkdir(parents=True)
    second.mkdir()
    (first / "1.md").write_text("; role: user\n\nabout tides\n")
    (first / "2.md").write_text("; role: assistant\n\nyes\n")
    other = talktree.read(DEMO / "studio-text.txt")
    talktree.write(other, second / "conversation.txt")
    with Library.open(tmp_path / "library", write=True) as library:
        library.import_([tmp_path / "a"])
        assert forget_all(library) == 1
        assert library.import_([tmp_path]).new == 1


SESSION = "7e2abd2d-7cfc-4447-9ddd-3ca8d14e02e9"


def session_with_agent(folder: Path) -> Path:
    """Return a session of Claude Code and a sub-agent in a file beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = (DEMO / FORMATS["claude-code"]).read_text().splitlines()
    own = next(json.loads(line)["sessionId"] for line in lines if "sessionId" in line)
    main = folder / f"{SESSION}.jsonl"
    main.write_text("\n".join(line.replace(own, SESSION) for line in lines) + "\n")
    agent = folder / SESSION / "subagents" / "agent-a1.jsonl"
    agent.parent.mkdir(parents=True)
    prompt = {
        "parentUuid": None, "isSidechain": True, "agentId": "a1", "userType": "external",
        "cwd": "/home/ida/pear", "sessionId": SESSION, "version": "2.0.0", "type": "user",
        "uuid": "7e2abd2d-0000-4447-9ddd-3ca8d14e02e9", "timestamp": "2026-01-01T10:00:00.000Z",
        "message": {"role": "user", "content": "count the marmalade jars"},
    }  # fmt: skip
    agent.write_text(json.dumps(prompt) + "\n")
    return main


@pytest.mark.parametrize("named", ["original", "conversion"])
@pytest.mark.parametrize("other", sorted(FORMATS.keys() - {"claude-code"}))
def test_forgetting_one_forgets_conversions_that_are_there(
    other: str, named: str, tmp_path: Path
) -> None:
    main = session_with_agent(tmp_path / "src")
    made = tmp_path / "src" / "made" / FORMATS[other]
    made.parent.mkdir()
    talktree.convert(talktree.read(main), made, to=other)
    unrelated = copy_of("claude-messages", tmp_path / "src" / "unrelated")
    root = tmp_path / "home" / "library"
    with Library.open(root, write=True) as library:
        library.import_([tmp_path / "src"])
        kept = library.conversation(str(main if named == "original" else made))
        announced = {Path(path.decode()) for path in library.list_group_paths(kept)}
        assert {main, made} <= announced
        assert unrelated not in announced
        library.forget(kept)
        assert [Path(each.path) for each in library.conversations(agents=True)] == [unrelated]
        assert library.import_([tmp_path / "src"]).new == 0
    assert found_in(root, {"prompt": "marmalade"}) == set()


@pytest.mark.parametrize("kept", ["original", "conversion"])
def test_a_copy_that_is_kept_keeps_the_others(
    kept: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = session_with_agent(tmp_path / "src" / "a")
    made = tmp_path / "src" / "b" / "n.jsonl"
    made.parent.mkdir()
    talktree.convert(talktree.read(main), made, to="native")
    copy = Path(shutil.copy(main, tmp_path / "src" / "b"))
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    monkeypatch.setenv("TALKTREE_HOME", str(home))
    folder = "a" if kept == "original" else "b"
    (home / "config.toml").write_text(
        '[[retention]]\nforget-after = "1d"\n[[retention]]\nkeep = true\n'
        f'path = "*/src/{folder}/*"\n'
    )
    with Library.open(home / "library", write=True) as library:
        library.import_([tmp_path / "src"])
        before = {each.path for each in library.conversations(agents=True)}
        plan = library.retention()
        assert plan.cases == ()
        assert plan.kept >= 3
        library.apply_retention(trust_clock=True)
        assert {each.path for each in library.conversations(agents=True)} == before
        assert {str(main), str(made), str(copy)} <= {str(path) for path in before}


def test_forgetting_leaves_what_a_copy_was_merged_from(tmp_path: Path) -> None:
    main = session_with_agent(tmp_path / "src")
    other = main.with_name("8e2abd2d-7cfc-4447-9ddd-3ca8d14e02e9.jsonl")
    lines = main.read_text().replace(SESSION, other.stem).splitlines()
    other.write_text("\n".join(lines[:-1]) + "\n")
    merged = tmp_path / "src" / "merged.jsonl"
    document = talktree.merge([talktree.read(main), talktree.read(other)])
    talktree.write(document, merged)
    with Library.open(tmp_path / "home" / "library", write=True) as library:
        library.import_([tmp_path / "src"])
        library.forget(library.conversation(str(main)))
        left = {Path(each.path) for each in library.conversations()}
    assert other in left
    assert main not in left
