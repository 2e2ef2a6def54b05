"""Conversions through formats: every golden file, and random conversations in any format."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from hypothesis import strategies as st
from msgspec.structs import replace

import talktree
from talktree.conversion.convert import convert_conversations
from talktree.conversion.losses import LossReport
from talktree.conversion.options import ConversionResult, Options
from talktree.conversion.verify import verify_made
from talktree.files import Source, load
from talktree.formats import BUILT_IN, get_format
from talktree.formats.engine import read_document
from talktree.formats.format import Format
from talktree.formats.native.lens import put
from talktree.formats.native.lens_fields import encode_line
from talktree.model.document import Document
from talktree.model.message import Message
from talktree.testing import strategies
from tests.cases import SEED, TORTURE, rotate

DATA = Path(__file__).parents[1] / "data"
SLUGS = list(BUILT_IN)
OFFSETS = rotate(range(1, len(SLUGS)), len(SLUGS) if TORTURE else 3, SEED)
PAIRS = [(one, SLUGS[(at + step) % len(SLUGS)]) for at, one in enumerate(SLUGS) for step in OFFSETS]
"""Each format with some others, as source and as target; all pairs in `make torture`, and different
ones with each seed."""
CLEAN = Options(carry=False)


class Files(NamedTuple):
    """Files as they would be on disk."""

    files: dict[str, bytes]
    folder: bool

    def source(self, name: str = "elsewhere") -> Source:
        """Return a source with these files."""
        if self.folder:
            return Source.of_files(self.files, name=name)
        ((path, data),) = self.files.items()
        return Source.of_bytes(data, name=path)

    def read_back(self, slug: str) -> Document:
        """Return the document in them, detected under a name without meaning."""
        source = self.source(name := f"{crc32(b''.join(self.files.values())):x}")
        if not self.folder:
            source = Source.of_bytes(next(iter(self.files.values())), name=name)
        document = talktree.read(source)
        assert document.format == slug, f"recognised as {document.format} instead of {slug}"
        return document

    def write(self, path: Path) -> Path:
        """Write them to disk and return the path."""
        for name, data in self.files.items():
            target = path / name if self.folder else path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        return path

    def read_as(self, slug: str, name: str = "elsewhere") -> Document:
        """Return the document in them."""
        return read_document(self.source(name), get_format(slug))


def golden(slug: str, *kinds: str) -> Iterator[tuple[str, Source]]:
    """Return the golden files of a format, with their names."""
    for kind in kinds or ("good", "bad"):
        folder = DATA / slug / kind
        for path in sorted(folder.iterdir()) if folder.exists() else ():
            yield path.name, load(path)


def made(result: ConversionResult) -> Files:
    """Return the files of a conversion, which must show what was converted when read again."""
    contents = verify_made(result)
    differing = [
        loss
        for loss in result.loss_report.losses
        # Without embedded data two formats may look the same; that is reported.
        if loss.kind == "mismatch" and "recognised" not in loss.what
    ]
    assert not differing, differing[:3]
    return Files({path: each.read() for path, each in contents.items()}, result.folder)


def into(
    document: Document,
    slug: str,
    options: Options | None = None,
    loss_report: LossReport | None = None,
) -> Files:
    """Return a document as files of a format."""
    return made(convert_conversations(document, slug, options, loss_report))


def kept(source: Source, format: Format) -> Files:
    """Return the files of a source that may be read."""
    return Files(source.without(format.find_withheld_files(source)).as_bytes(), source.folder)


@st.composite
def native_files(draw: st.DrawFn) -> bytes:
    """Generate a native file with a random conversation: any entries, some of them in a tree."""
    lines: list[Any] = [{"talktree": {"version": 1}}, {"conversation": {"id": "c"}}]
    ids: list[str] = []
    for number in range(draw(st.integers(1, 5))):
        entry = draw(strategies.entries)
        if isinstance(entry, Message):
            id = draw(st.sampled_from([f"m{number}", entry.id or "x"]))
            parent = draw(st.sampled_from([None, *ids, entry.parent]))
            entry = replace(entry, id=id, parent=parent)
            ids.append(id)
        lines.append(put(entry, None))
    return b"".join(encode_line(line) + b"\n" for line in lines)


def random_source(data: bytes, slug: str) -> Files:
    """Generate a random conversation as files of a format."""
    native = Files({"c.jsonl": data}, folder=False)
    return native if slug == "native" else into(native.read_as("native"), slug, CLEAN)
