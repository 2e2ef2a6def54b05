"""A forgotten conversation stays away in every format it is converted to."""

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
    """A copy of the demo of a format."""
    source = DEMO / FORMATS[format]
    folder.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        return Path(shutil.copytree(source, folder / source.name))
    return Path(shutil.copy(source, folder / source.name))


def forget_all(library: Library) -> int:
    """Forget everything in a library; how many sources that were."""
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
        assert len(library.forgotten()) == sources
        assert library.import_([out]).bytes_read == 0
        for tombstone in library.forgotten():
            library.readmit(str(tombstone.number))
        assert library.forgotten() == []
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


def test_what_was_converted_twice_and_edited_stays_away(tmp_path: Path) -> None:
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
    """A session of one message."""
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
