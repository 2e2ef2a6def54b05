"""Clean conversations have no findings: the bundled ones, and what Talktree itself writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from talktree.checking.report import report
from talktree.conversion.options import Options
from talktree.files import load
from talktree.formats.detect import detect
from talktree.formats.engine import read
from talktree.mending.repair import repaired
from talktree.model.document import Document
from tests.conversion.trips import SLUGS, into

DEMO = Path(__file__).parents[2] / "demo"
CONVERSATIONS = sorted(path for path in DEMO.iterdir() if path.suffix != ".py")


def _document(path: Path) -> Document:
    source = load(path)
    return read(source, detect(source).format)


@pytest.mark.parametrize("path", CONVERSATIONS, ids=lambda path: path.name)
def test_bundled_conversations_are_clean(path: Path) -> None:
    document = _document(path)
    assert report(document).findings == []
    assert not repaired(document, unsafe=True).changed


@pytest.mark.parametrize("path", CONVERSATIONS, ids=lambda path: path.name)
@pytest.mark.parametrize("slug", SLUGS)
@pytest.mark.parametrize("carry", [True, False], ids=["carry", "clean"])
def test_what_is_written_is_clean(path: Path, slug: str, *, carry: bool) -> None:
    made = into(_document(path), slug, Options(carry=carry))
    found = report(made.read_as(slug)).findings
    assert [each for each in found if each.severity != "note"] == [], found
