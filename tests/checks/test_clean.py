"""Clean conversations have no findings: the bundled ones, and what Talktree itself writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from talktree.checks.report import make_report
from talktree.conversion.options import Options
from talktree.files import load
from talktree.formats.detect import detect
from talktree.formats.engine import read_document
from talktree.model.document import Document
from talktree.repairs.run import repair_document
from tests.conversion.trips import SLUGS, into

DEMO = Path(__file__).parents[2] / "demo"
CONVERSATIONS = sorted(path for path in DEMO.iterdir() if path.suffix != ".py")
OF_THE_SOURCE = {
    "SAG113": "messages of several sessions in one conversation",
    "SAG404": "an update of a snapshot that is not there",
    "SAG604": "a session that is called otherwise than its messages say",
}
"""Findings about the source itself, which its conversions have as well."""


def _document(path: Path) -> Document:
    source = load(path)
    return read_document(source, detect(source).format)


@pytest.mark.parametrize("path", CONVERSATIONS, ids=lambda path: path.name)
def test_bundled_conversations_are_clean(path: Path) -> None:
    document = _document(path)
    assert make_report(document).findings == []
    assert not repair_document(document, unsafe=True).changed


@pytest.mark.parametrize("path", CONVERSATIONS, ids=lambda path: path.name)
@pytest.mark.parametrize("slug", SLUGS)
@pytest.mark.parametrize("carry", [True, False], ids=["carry", "clean"])
def test_written_files_are_clean(path: Path, slug: str, *, carry: bool) -> None:
    made = into(_document(path), slug, Options(carry=carry))
    found = [each for each in make_report(made.read_as(slug)).findings if each.severity != "note"]
    wanted = {} if carry else OF_THE_SOURCE
    assert [each for each in found if each.code not in wanted] == [], found
