"""The formats under test and their sample files in `tests/data/<slug>/{good,bad}`."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from hypothesis import strategies as st

from talktree.files import Source, load
from talktree.formats import slugs
from talktree.model.message import Message

DATA = Path(__file__).parent.parent / "data"
SLUGS = slugs()


def samples(slug: str, kind: str = "*") -> Iterator[Path]:
    """Return the sample files and folders of a format: `good` ones, `bad` ones, or all."""
    yield from sorted(DATA.glob(f"{slug}/{kind}/*"))


def all_samples(kind: str = "*") -> list[tuple[str, Path]]:
    """Return every sample with its format."""
    return [(slug, path) for slug in SLUGS for path in samples(slug, kind)]


def name(value: object) -> str:
    """Return a readable test id."""
    return value.name if isinstance(value, Path) else str(value)


def sources(slug: str, kind: str = "*") -> list[Source]:
    """Return the samples of a format as sources in memory."""
    return [in_memory(load(path)) for path in samples(slug, kind)]


def in_memory(source: Source) -> Source:
    """Return a source in memory, so that it can be changed."""
    files = source.as_bytes()
    if source.folder:
        return Source.of_files(files, name=source.name)
    return Source.of_bytes(files[source.name], name=source.name)


def messages(slug: str) -> st.SearchStrategy[Message]:
    """Return random messages that a format can hold."""
    found: st.SearchStrategy[Message] = import_module(
        f"tests.formats.entries.{slug.replace('-', '_')}"
    ).messages
    return found
