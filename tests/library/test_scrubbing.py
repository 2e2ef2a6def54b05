"""A scrubbed secret is found in every encoding, and only text is replaced."""

from __future__ import annotations

import gzip
import html
import json
import os
import random
import zlib
from pathlib import Path

import pytest
import zstandard

from talktree.errors import RefusedInput, UsageError
from talktree.library.erasure.masking import mask_spans
from talktree.library.erasure.readings import detect_encoding, is_json
from talktree.library.erasure.secret_forms import KnownSecrets, encode_usual_forms, find_secrets
from talktree.library.library import Library
from tests.cases import SEED, TORTURE
from tests.library.erased import _line, found_in, session, talktree

TOKEN = "hunter-7qzk4vw9k4vw9"
CASES = 5000 if TORTURE else 200
DEMO = Path(__file__).parents[2] / "demo"


def units(text: str) -> str:
    """Return all characters as JSON number escapes."""
    data = text.encode("utf-16-be").hex()
    return "".join(f"\\u{data[at : at + 4]}" for at in range(0, len(data), 4))


def as_json(text: str, chosen: random.Random) -> str:
    """Return a JSON string with some characters as number escapes."""
    return "".join(
        units(char) if chosen.random() < 0.4 else json.dumps(char, ensure_ascii=False)[1:-1]
        for char in text
    )


def as_xml(text: str, chosen: random.Random) -> str:
    """Return the text of an element with some characters as number escapes."""
    ways = (html.escape, lambda char: f"&#{ord(char)};", lambda char: f"&#x{ord(char):X};")
    return "".join(ways[chosen.choice((0, 0, 0, 1, 2))](char) for char in text)


def unwrapped(text: str, layers: list[str]) -> str:
    """Return the content inside all layers, as other parsers read them."""
    for layer in reversed(layers):
        text = json.loads(text)["a"] if layer == "json" else html.unescape(text[3:-4])
    return text


def test_all_ways_of_writing_a_secret_are_found() -> None:
    chosen = random.Random(SEED)
    for _ in range(CASES):
        letters = chosen.choice(("abcdefnrtuXYZ0189-_", "aZ0-" + "\"\\/&<>'\nüñ中😀 "))
        secret = "".join(chosen.choice(letters) for _ in range(chosen.randrange(6, 30)))
        around = ["".join(chosen.choice('pq."\\\n/:') for _ in range(9)) for _ in range(2)]
        body = f"{around[0]}|{secret}|{around[1]}"
        layers = [chosen.choice(("json", "json", "xml")) for _ in range(chosen.randrange(1, 4))]
        text = body
        for layer in layers:
            inside = as_json(text, chosen) if layer == "json" else as_xml(text, chosen)
            text = f'{{"a":"{inside}"}}' if layer == "json" else f"<a>{inside}</a>"
        encoding = chosen.choice(("utf-8", "utf-8", "utf-16-le", "utf-16-be"))
        mark = "" if encoding == "utf-8" else "\ufeff"
        data = (mark + text).encode(encoding)
        known = KnownSecrets(encode_usual_forms(secret))
        spans = find_secrets(known, data, detect_encoding(data), json=is_json(data))
        left = unwrapped(mask_spans(data, spans).decode(encoding).removeprefix(mark), layers)
        assert secret not in left, (secret, data)
        assert left.startswith(around[0] + "|"), (secret, data)
        assert left.endswith("|" + around[1]), (secret, data)


def numbered(number: int, text: str, lines: int = 4) -> bytes:
    """Return a session with a text."""
    id = f"{number:08x}-1111-4000-8000-000000000000"
    return session(id, words=False, lines=lines) + _line(
        id, 99, {"role": "user", "content": "and"}
    ).replace(b'"and"', b'"' + text.encode() + b'"')


def smallest_gzip(data: bytes) -> bytes:
    """Return the data compressed as well as possible: there is no room for anything longer."""
    made = (
        zlib.compressobj(9, zlib.DEFLATED, 31, memory, strategy)
        for memory in range(1, 10)
        for strategy in (0, 1, 2, 3, 4)
    )
    return min((each.compress(data) + each.flush() for each in made), key=len)


def write_hidden(folder: Path) -> dict[str, bytes]:
    """Write files that hold the token in ways that a search for its bytes does not find."""
    comment = {"id": "m0000001", "userId": "u", "type": "user", "timestamp": 1733800000000}
    text = json.dumps([{**comment, "content": TOKEN, "attachments": [], "children": []}], indent=1)
    nested = json.dumps(json.dumps({"k": TOKEN}))[1:-1].replace('"', '\\"')
    files = {
        "units.jsonl": numbered(1, units(TOKEN)),
        "mixed.jsonl": numbered(2, TOKEN[:5] + units(TOKEN[5:9]) + TOKEN[9:]),
        "nested.jsonl": numbered(3, json.dumps(nested.replace(TOKEN, units(TOKEN)))[1:-1]),
        "entity.jsonl": numbered(4, f"&#{ord(TOKEN[0])};{TOKEN[1:]}"),
        "little.json": b"\xff\xfe" + text.encode("utf-16-le"),
        "big.json": b"\xfe\xff" + text.replace(TOKEN, units(TOKEN)).encode("utf-16-be"),
        "cut.jsonl.gz": smallest_gzip(numbered(5, TOKEN))[:-9],
        "two.jsonl.gz": smallest_gzip(numbered(6, "no"))
        + bytes(5)
        + gzip.compress(numbered(6, TOKEN)),
        "frames.jsonl.zst": zstandard.compress(numbered(7, "no"))
        + b"\x50\x2a\x4d\x18"
        + len(TOKEN).to_bytes(4, "little")
        + TOKEN.encode()
        + zstandard.compress(numbered(7, TOKEN)),
    }
    for number in range(20, 40):
        data = numbered(number, TOKEN)
        files[f"{number}.jsonl.gz"] = smallest_gzip(data)
        files[f"{number}.jsonl.zst"] = zstandard.compress(
            data.replace(b"-1111-", b"-2222-"), level=22
        )
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return files


def restored(library: Library, path: Path, into: Path) -> bytes:
    """Return the library's content of a file."""
    (made,) = library.restore(library.conversation(str(path)), into)
    return made.read_bytes()


def text_of(data: bytes) -> str:
    """Return the text of a file without any escapes."""
    if data.startswith(b"\x28\xb5\x2f\xfd"):
        reader = zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True)
        data = reader.read()
    elif data.startswith(b"\x1f\x8b"):
        out, rest = b"", data
        while rest:
            unpacking = zlib.decompressobj(31)
            out += unpacking.decompress(rest)
            rest = unpacking.unused_data.lstrip(b"\0")
        data = out
    text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8")
    for _ in range(4):
        text = html.unescape(text).replace("\\\\", "\\")
        for char in set(TOKEN):
            text = text.replace(units(char), char)
    return text


@pytest.mark.parametrize("scrub_first", [True, False])
def test_no_way_of_writing_it_stays_or_comes_back(tmp_path: Path, *, scrub_first: bool) -> None:
    home, place = tmp_path / "home", tmp_path / "src"
    (tmp_path / "first.jsonl").write_bytes(numbered(0, TOKEN))
    files = write_hidden(place)
    assert all(TOKEN in text_of(data) for name, data in files.items())
    with Library.open(home / "library", write=True) as library:
        library.import_([tmp_path / "first.jsonl"])
        if scrub_first:
            library.scrub(TOKEN)
        done = library.import_([place])
        assert done.new == len(files)
        if scrub_first:
            assert len(done.scrubbed) == len(files)
        else:
            assert library.scrub(TOKEN).files == len(files) + 1
        for name in files:
            kept = restored(library, place / name, tmp_path / "was" / name)
            assert TOKEN not in text_of(kept), name
            assert "tide tables" in text_of(kept) or name.endswith(".json")
        for path in place.iterdir():
            os.utime(path)
        again = library.import_([place])
        assert (again.new, again.replaced, again.grown) == (0, 0, 0)
        assert library.check(read_data=True) == []
    assert found_in(home, {"token": TOKEN, "end": TOKEN[8:]}) == set()


@pytest.mark.parametrize("scrub_first", [True, False])
def test_a_replacement_without_room_makes_the_file_longer(
    tmp_path: Path, *, scrub_first: bool
) -> None:
    place, secret = tmp_path / "src", "q7zk"
    place.mkdir()
    (place / "0.jsonl").write_bytes(numbered(0, secret))
    with Library.open(tmp_path / "home" / "library", write=True) as library:
        if scrub_first:
            library.import_([place])
            library.scrub(secret)
        paths = [place / f"{number}.jsonl.zst" for number in range(80, 90)]
        for number, path in enumerate(paths):
            path.write_bytes(zstandard.compress(numbered(80 + number, secret), level=22))
        library.import_([place])
        if not scrub_first:
            library.scrub(secret)
        longer = 0
        for path in paths:
            kept = restored(library, path, tmp_path / "was" / path.name)
            assert secret not in text_of(kept)
            assert text_of(kept).count("****") == 1
            longer += len(kept) > path.stat().st_size
            os.utime(path)
        assert longer, "there was room in all of them"
        again = library.import_([place])
        assert (again.new, again.replaced, again.grown) == (0, 0, 0)
        assert library.check(read_data=True) == []
    assert found_in(tmp_path / "home", {"secret": secret}) == set()


def test_versions_of_a_compressed_file_that_grew_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    parts = [smallest_gzip(numbered(30, TOKEN, 3)), smallest_gzip(numbered(30, "and " + TOKEN))]
    with Library.open(tmp_path / "library", write=True) as library:
        for count in (1, 2):
            path.write_bytes(b"".join(parts[:count]))
            library.import_([path])
        library.scrub(TOKEN)
        kept = library.conversation(str(path))
        assert len(library.versions(kept)) == 2
        for version in (1, 2):
            (made,) = library.restore(kept, tmp_path / str(version), version=version)
            lines = gzip.decompress(made.read_bytes()).splitlines()
            assert len(lines) == len(gzip.decompress(b"".join(parts[:version])).splitlines())
            assert all(json.loads(line) for line in lines)
            assert TOKEN.encode() not in b"".join(lines)
        assert library.check(read_data=True) == []


@pytest.mark.parametrize("size", [131_000, 196_600])
def test_a_secret_across_chunks_and_imports_is_found(tmp_path: Path, size: int) -> None:
    path = tmp_path / "a.jsonl"
    data = numbered(50, "x" * size + TOKEN + "y" * 200_000)
    half = data.index(TOKEN.encode()) + 7
    home = tmp_path / "home"
    with Library.open(home / "library", write=True) as library:
        for stop in (half, len(data)):
            path.write_bytes(data[:stop])
            library.import_([path])
        library.scrub(TOKEN)
        path.write_bytes(data + numbered(50, units(TOKEN)))
        assert len(library.import_([path]).scrubbed) == 1
    assert found_in(home, {"token": TOKEN}) == set()


WORDS = ["null", "false", "sessionId", "type", "assistant", "role", "2026", "text", "Bash"]


@pytest.fixture(scope="module")
def demo_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("demo") / "library"
    with Library.open(home, write=True) as library:
        library.import_([DEMO])
    return home


@pytest.mark.parametrize("word", WORDS)
def test_only_words_are_replaced(demo_library: Path, word: str) -> None:
    with Library.open(demo_library, write=True) as library:
        with pytest.raises(RefusedInput, match="nothing was changed"):
            library.scrub(word)
        assert library.scrub(word, preview=True).faults
        assert not library.scrubs()
        assert library.check(read_data=True) == []


@pytest.mark.parametrize("pattern", [".", ".{5,}", "[a-z]*x?"])
def test_a_pattern_that_finds_too_much_is_refused(demo_library: Path, pattern: str) -> None:
    with Library.open(demo_library, write=True) as library, pytest.raises(UsageError):
        library.scrub(pattern=pattern)


def test_a_pattern_beyond_strings_is_refused(demo_library: Path) -> None:
    with Library.open(demo_library, write=True) as library, pytest.raises(RefusedInput):
        library.scrub(pattern='"uuid": *"[^"]*"')


@pytest.mark.parametrize("pattern", ["msg_[0-9a-z]+", "msg_", "req_[0-9a-z]+", "toolu_"])
def test_ids_of_replies_and_requests_are_not_replaced(tmp_path: Path, pattern: str) -> None:
    home = tmp_path / "home"
    path = tmp_path / "claude-code.jsonl"
    path.write_bytes((DEMO / "claude-code.jsonl").read_bytes())
    talktree(home, "import", "-q", str(path))
    before = talktree(home, "stats", "--by", "project").stdout
    for yes in ((), ("--yes",)):
        words = ("library", "scrub", "--pattern", pattern, *yes)
        refused = talktree(home, *words, code=3)
        assert "nothing was changed" in refused.stderr
    assert talktree(home, "stats", "--by", "project").stdout == before
    talktree(home, "library", "scrub", "--pattern", pattern, "--yes", "--force")


def test_force_replaces_it_nevertheless(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(numbered(60, "hello").replace(b'"userType"', f'"{TOKEN}"'.encode()))
    home = tmp_path / "home"
    with Library.open(home / "library", write=True) as library:
        library.import_([path])
        with pytest.raises(RefusedInput):
            library.scrub(TOKEN)
        library.scrub(TOKEN, force=True)
        assert library.check(read_data=True) == []
    assert found_in(home, {"token": TOKEN}) == set()


def test_the_command_says_what_it_would_do_and_does_not_show_the_secret(tmp_path: Path) -> None:
    home, path = tmp_path / "home", tmp_path / f"{TOKEN}.jsonl"
    path.write_bytes(numbered(70, f"take {TOKEN} and {TOKEN} please"))
    talktree(home, "import", str(path))
    said = talktree(home, "library", "scrub", "--secret-from-stdin", text=TOKEN)
    assert "2 occurrences in 1 conversation (1 file) would be" in said.stderr
    assert "take ************ and" in said.stderr
    assert "nothing was changed; --yes does it" in said.stderr
    assert TOKEN not in said.stdout + said.stderr
    assert "it would still be in the path of a file" in said.stderr
    assert found_in(home, {"token": TOKEN})
    words = ("library", "scrub", "--secret-from-stdin", "--json")
    shown = json.loads(talktree(home, *words, text=TOKEN).stdout)
    assert (shown["scrubbed"], shown["occurrences"], shown["files"]) == (False, 2, 1)
    assert found_in(home, {"token": TOKEN})
    refused = talktree(home, "library", "scrub", "sessionId", "--yes", code=3)
    assert "line 1 would be no JSON any more" in refused.stderr
    done = json.loads(talktree(home, *words, "--yes", text=TOKEN, code=1).stdout)
    assert done["scrubbed"] is True
    assert done["left"] == ["the path of a file; rename the file and forget the conversation"]
    talktree(home, "library", "forget", str(path), "--yes")
    assert found_in(home, {"token": TOKEN}) == set()


def test_a_scrub_without_matches_is_not_applied_to_later_imports(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(numbered(71, "hello"))
    with Library.open(tmp_path / "library", write=True) as library:
        assert library.scrub("sessionId").places == 0
        library.import_([path])
        assert restored(library, path, tmp_path / "was") == path.read_bytes()
        assert library.scrub(TOKEN, force=True).places == 0
        path.write_bytes(numbered(71, TOKEN))
        assert library.import_([path]).scrubbed == {bytes(path)}
