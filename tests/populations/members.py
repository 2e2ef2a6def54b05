"""Members of a population: sources as they are, converted, edited, damaged or packed."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import tempfile
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from tests.populations.command import convert
from tests.populations.laws import contents
from tests.populations.originals import EMPTY, WRITERS, Files

DATA = Path(__file__).parents[1] / "data"
SLUGS = list(WRITERS)
ENDINGS = {
    "claude-code": ".jsonl",
    "claude-messages": ".jsonl",
    "muse": ".json",
    "native": ".jsonl",
    "studio": ".json",
    "studio-text": ".text",
    "studio-xml": ".xml",
}
"""File extensions of formats that have one file per conversation."""
STOCK = 4
"""Number of originals of a format that are converted to another one; each is converted once."""
LONGEST_GOLDEN = 6000


class Member(NamedTuple):
    """One source of a population."""

    slug: str
    story: tuple[str, ...]
    """Its history, in words."""
    files: Files
    ancestry: frozenset[str] = frozenset()
    """The formats that it was in before."""
    damage: tuple[str, int] | None = None
    """The file and the position that was damaged."""

    def then(self, event: str, files: Files, damage: tuple[str, int] | None = None) -> Member:
        """Return the member after one more change."""
        return self._replace(story=(*self.story, event), files=files, damage=damage)

    def lay(self, folder: Path, name: str) -> None:
        """Write it to a folder, in the place that its format has for it."""
        for path, data in self.files.items():
            target = folder / self._place(path, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)

    def _place(self, path: str, name: str) -> str:
        if self.slug in ("chatbuilder", "sage"):
            above = "messages" if self.slug == "chatbuilder" else "sessions"
            lone = "1.md" if self.slug == "chatbuilder" else "messages.jsonl"
            return f"{above}/{name}/{path or lone}"
        if path and self.slug == "claude-code":
            # Sessions are named by a uuid; those of a project keep the names that their parts refer
            # to.
            own = f"{name.encode().hex():0>8}-0000-4000-8000-00000000abcd.jsonl"
            return path if keeps_names(self) else own
        packed = "" if not path else path.partition(".gz")[1]
        inner = "" if path in ("", ".gz") else f"-{path.replace('/', '-')}".removesuffix(".gz")
        return f"{name}{inner.removesuffix(ENDINGS[self.slug])}{ENDINGS[self.slug]}{packed}"


def keeps_names(member: Member) -> bool:
    """Whether its files keep their names wherever it is placed."""
    return member.slug == "claude-code" and len(member.files) > 1


def draw_member(random: Random, slug: str) -> Member:
    """Make a member of a format: a source with its history."""
    member = _draw_source(random, slug)
    change = random.choice((None, None, None, *CHANGES))
    return member if change is None else change(random, member)


def _draw_source(random: Random, slug: str) -> Member:
    kind = random.random()
    if kind < 0.25:
        return Member(slug, ("random",), WRITERS[slug](random))
    if kind < 0.35:
        return _golden(random, slug)
    if kind < 0.42 and slug in EMPTY:
        return Member(slug, ("empty",), EMPTY[slug])
    if kind < 0.5 and slug == "claude-code":
        files = contents(DATA / "claude-code/good/project")
        return Member(slug, ("with sub-agents",), files)
    origin, seed = random.choice([each for each in SLUGS if each != slug]), random.randrange(STOCK)
    if kind < 0.85:
        made = _converted(origin, seed, slug)
        return Member(slug, (f"from {origin}",), made, frozenset({origin}))
    between = random.choice([each for each in SLUGS if each not in (origin, slug)])
    made = _converted(origin, seed, between, slug)
    return Member(slug, (f"from {origin} through {between}",), made, frozenset({origin, between}))


def _golden(random: Random, slug: str) -> Member:
    found = sorted((DATA / slug / "good").iterdir())
    small = [
        (path, files)
        for path in found
        if sum(map(len, (files := contents(path)).values())) < LONGEST_GOLDEN
    ]
    path, files = random.choice(small)
    return Member(slug, (f"golden {path.name}",), files)


@lru_cache(maxsize=5000)
def _converted(origin: str, seed: int, *ways: str) -> Files:
    """Return an original, converted from format to format."""
    folder = Path(tempfile.mkdtemp())
    source, slug = folder / _name(0, origin), origin
    write(WRITERS[origin](Random(seed)), source)
    for number, way in enumerate(ways, 1):
        out = folder / _name(number, way)
        report = convert(source, way, out)
        assert report.code == 0, (origin, seed, ways, report)
        source, slug = out, way
    files = contents(source)
    assert files, (origin, seed, slug)
    shutil.rmtree(folder)
    return files


def _name(number: int, slug: str) -> str:
    """Return a name as a source of a format has one; restored files get it back."""
    return f"{number}{ENDINGS.get(slug, '')}"


def write(files: Files, path: Path) -> None:
    """Write files to a path, which becomes a folder if they have names."""
    for name, data in files.items():
        target = path / name if name else path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


# changes


def _pick(random: Random, member: Member) -> str:
    """Choose a file with messages."""
    names = [name for name in member.files if not name.startswith("backups") and member.files[name]]
    said = [name for name in names if name != "config.json" and "x-talktree" not in name]
    return random.choice(said or names)


def mistype(random: Random, member: Member) -> Member:
    """Insert one quotation mark, or delete one byte."""
    name = _pick(random, member)
    data = member.files[name]
    at = random.randrange(len(data))
    if random.random() < 0.5:
        new, what = data[:at] + b'"' + data[at:], "inserted"
    else:
        new, what = data[:at] + data[at + 1 :], "deleted"
    event = f"one byte {what} at {at} of {name!r}"
    return member.then(event, {**member.files, name: new}, (name, at))


def truncate(random: Random, member: Member) -> Member:
    """Cut a file off somewhere."""
    name = _pick(random, member)
    at = random.randrange(1, len(member.files[name]) + 1)
    cut = {**member.files, name: member.files[name][:at]}
    return member.then(f"cut at {at} of {name!r}", cut, (name, at))


def edit(random: Random, member: Member) -> Member:
    """Change one word of a visible text."""
    words = [each for name in member.files for each in _shown_words(member.files[name])]
    if not words:
        return member
    word = random.choice(words)
    for name, data in member.files.items():
        lines = data.decode("utf-8", "surrogateescape").split("\n")
        for number, line in enumerate(lines):
            shown, mark, rest = re.split(
                r"(?i)((?<=\")x-talktree|; x-talktree|$)", line, maxsplit=1
            )
            if word in shown:
                lines[number] = shown.replace(word, "edited here", 1) + mark + rest
                new = "\n".join(lines).encode("utf-8", "surrogateescape")
                return member.then(f"{word} edited", {**member.files, name: new})
    return member


def _shown_words(data: bytes) -> list[str]:
    return re.findall(r"\bw[0-9a-f]{8}\b", data.decode("utf-8", "replace"))


def add_foreign(random: Random, member: Member) -> Member:
    """Put embedded data where it does not belong."""
    name = _pick(random, member)
    value = json.dumps(random.choice(_FOREIGN))
    text = member.files[name].decode("utf-8", "surrogateescape")
    match member.slug:
        case "chatbuilder":
            new = re.sub(
                r"(?m)^; role:", lambda _: f"; X-Talktree: {value}\n; role:", text, count=1
            )
        case "studio-xml":
            inner = json.dumps({"x-talktree": json.loads(value)}).replace("<", "&lt;")
            new = text.replace("<comment>", f"<comment><extra>{inner}</extra>", 1)
        case "studio-text":
            new = re.sub(r"(?m)^Depth: ", f"X-Talktree: {value}\nDepth: ", text, count=1)
        case _:
            starts = [found.start() for found in re.finditer(r"(?m)^\{(?=\")", text)] or [
                found.start() for found in re.finditer(r'\{(?=\s*")', text)
            ]
            at = random.choice(starts or [0]) + 1
            new = f'{text[:at]}"x-talktree": {value}, {text[at:]}'
    changed = new.encode("utf-8", "surrogateescape")
    return member.then(f"a foreign {value}", {**member.files, name: changed})


_FOREIGN: tuple[Any, ...] = (
    {},
    None,
    {"of": "studio"},
    {"of": "muse", "kept": {"at": [0, 0], "as": "{}"}, "sum": "0123456789ab"},
    {"of": "native", "kept": {"at": [1, 0], "as": ['{"message":', ["parts/0/text"], "}"]}},
    {"of": "no-such-format", "beside": [{"at": [0, 0], "as": "x"}]},
)


def pack(random: Random, member: Member) -> Member:
    """Compress a single file."""
    if list(member.files) != [""] or member.slug not in ENDINGS:
        return member
    return member.then("gz", {".gz": gzip.compress(member.files[""], mtime=0)})


def widen(random: Random, member: Member) -> Member:
    """Write a single file in UTF-16."""
    if list(member.files) != [""]:
        return member
    text = member.files[""].decode("utf-8", "replace")
    return member.then("UTF-16", {"": text.encode("utf-16")})


CHANGES = (mistype, mistype, truncate, edit, edit, add_foreign, pack, widen)
