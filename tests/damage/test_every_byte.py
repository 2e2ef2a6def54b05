"""Files cut off at every byte, and with bits flipped: nothing raises, no neighbour is lost."""

from __future__ import annotations

from random import Random

import pytest

from talktree.checks.report import make_report
from talktree.model.document import Document
from talktree.repairs.run import repair_document
from tests.cases import TORTURE, scale
from tests.conversion.trips import Files
from tests.damage.clean import clean
from tests.damage.lines import ALL, LINES, Lines, main_file, numbers_in, numbers_of, with_file

FLIPS = scale(50)
STEP = 1 if TORTURE else 31
"""Step between the cuts of a document, in bytes."""


def _short(slug: str) -> Files:
    """Return a clean conversation, short enough to be cut at every byte."""
    files = clean(slug, 1)
    if slug in LINES:
        lines = Lines(files, slug)
        del lines.raw[lines.messages[2] :]
        files = lines.done()
    return files


def _survives(files: Files, slug: str, wanted: set[int]) -> Document:
    document = files.read_as(slug)
    done = repair_document(document)
    missing = wanted - numbers_of(done.after)
    assert not missing, f"lost {missing}"
    kept, quarantined = done.bytes
    assert kept + quarantined == sum(map(len, files.files.values()))
    return document


@pytest.mark.parametrize("slug", LINES)
def test_cut_at_every_byte(slug: str) -> None:
    files = _short(slug)
    path = main_file(files, slug)
    data = files.files[path]
    for cut in range(len(data)):
        whole = data.rfind(b"\n", 0, cut) + 1
        wanted = numbers_in(data[:whole].decode())
        document = _survives(with_file(files, path, data[:cut]), slug, wanted)
        if cut > whole and data[cut - 1 : cut + 1] != b"}\n":
            assert make_report(document).findings, f"cut at {cut}, and nothing is told"


@pytest.mark.parametrize("slug", [slug for slug in ALL if slug not in (*LINES, "chatbuilder")])
def test_documents_cut_at_many_bytes(slug: str) -> None:
    files = _short(slug)
    path = main_file(files, slug)
    data = files.files[path]
    for cut in range(0, len(data) - 1, STEP):
        reported = numbers_in(data[:cut].decode("utf-8", "ignore"))
        wanted = reported - {max(reported, default=-1)}
        document = _survives(with_file(files, path, data[:cut]), slug, wanted)
        assert make_report(document).findings, f"cut at {cut}, and nothing is told"


@pytest.mark.parametrize("slug", ALL)
def test_flipped_bits_cost_no_neighbour(slug: str) -> None:
    random = Random(slug)
    for _ in range(FLIPS):
        files = clean(slug, random.randrange(20))
        path = random.choice(list(files.files)) if slug == "chatbuilder" else main_file(files, slug)
        data = bytearray(files.files[path])
        at = random.randrange(len(data))
        data[at] ^= 1 << random.randrange(8)
        wanted: set[int] = set()
        if slug in LINES:
            lines = bytes(data).split(b"\n")
            old = files.files[path].split(b"\n")
            same = set(lines) & set(old)
            wanted = numbers_in(b"\n".join(same).decode("utf-8", "ignore"))
        _survives(with_file(files, path, bytes(data)), slug, wanted)
