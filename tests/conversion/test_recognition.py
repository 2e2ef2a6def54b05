"""Written files are detected as their format, whatever their name and content."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

import talktree
from talktree.conversion.options import Options
from talktree.errors import UnknownFormat
from talktree.files import Source
from talktree.formats import get_format
from talktree.formats.engine import read_document
from tests.conversion.trips import CLEAN, PAIRS, SLUGS, Files, golden, into
from tests.populations.originals import EMPTY

BESIDE = "x-talktree.jsonl"
HOW = {"carry": Options(), "clean": CLEAN}


TOGETHER = ("chatbuilder", "claude-code", "sage")
"""Formats in which a folder of several conversations is a source."""


def recognised(files: Files, target: str, folder: Path) -> set[str]:
    """Return the formats that files are detected as: each alone, and inside a folder.

    A folder of files that are separate conversations may be in no format as a whole.
    """
    place = folder / "1f0c9a3e"
    whole = files.write(place if files.folder else place / next(iter(files.files)))
    if files.folder and target in TOGETHER:
        return {str(talktree.read(whole).format)}
    named = [each for each in place.rglob("*") if each.is_file() and each.name != BESIDE]
    if not files.folder:
        named.append(files.write(folder / "5d1a77e0"))
    # A conversation without messages may be an empty file, if nothing is embedded in it.
    named = [each for each in named if each.stat().st_size]
    found = {str(talktree.read(each).format) for each in named}
    with suppress(UnknownFormat):
        found.add(str(talktree.read(place).format))
    return found


def empty(slug: str) -> Source:
    """Return a session without messages."""
    files = EMPTY[slug]
    return Source.of_bytes(files[""], name="x") if "" in files else Source.of_files(files, name="x")


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_conversations_are_recognised(source: str, target: str, how: str, tmp_path: Path) -> None:
    name, files = Random(f"{source} {target} {how}").choice(list(golden(source, "good")))
    made = into(read_document(files, get_format(source)), target, HOW[how])
    assert recognised(made, target, tmp_path) == {target}, name


@pytest.mark.parametrize("target", SLUGS)
@pytest.mark.parametrize("source", EMPTY)
def test_empty_sessions_are_recognised(source: str, target: str, tmp_path: Path) -> None:
    made = into(read_document(empty(source), get_format(source)), target)
    assert recognised(made, target, tmp_path) == {target}
    back = into(made.read_back(target), source)
    assert list(back.files.values()) == list(EMPTY[source].values())
