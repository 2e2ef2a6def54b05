"""A prefilter over many records saves rules work and does not change their findings."""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from talktree.checks.registry import rules_for
from talktree.checks.run import run_rules
from talktree.files.source import Source
from talktree.formats import get_format
from talktree.formats.engine import read_document
from talktree.model.document import Document
from talktree.text import numpy_scan
from talktree.text.char_classes import find_marks
from talktree.text.secrets import can_be_among, can_hold_secrets
from tests.checks.samples import RULES, sample

FOLDERS = sorted(
    folder for code in RULES.iterdir() if code.is_dir() for folder in code.glob("bad*")
)


def _describe(document: Document, *, glances: bool) -> list[object]:
    rules = rules_for(document.format)
    chosen = rules if glances else [replace(rule, glance=None) for rule in rules]
    return [each.finding for each in run_rules(document, chosen)]


@pytest.mark.parametrize("code", sorted({folder.parent.name for folder in FOLDERS}))
def test_the_same_is_found_without_them(code: str) -> None:
    for folder in FOLDERS:
        if folder.parent.name == code:
            document = sample(folder)
            assert _describe(document, glances=True) == _describe(document, glances=False)


def _lines() -> list[bytes]:
    """Return the lines of all bad sessions."""
    files = sorted(path for folder in FOLDERS for path in folder.rglob("*.jsonl"))
    return [line for path in files for line in path.read_bytes().splitlines(keepends=True)]


@pytest.mark.parametrize("seed", range(8))
def test_the_same_is_found_where_good_and_bad_lines_are_together(seed: int) -> None:
    lines = _lines()
    random.Random(seed).shuffle(lines)
    source = Source.of_bytes(b"".join(lines[:400]), name="mixed.jsonl")
    document = read_document(source, get_format("claude-code"))
    assert _describe(document, glances=True) == _describe(document, glances=False)


@pytest.mark.parametrize("seed", range(4))
def test_the_same_is_found_with_numpy(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = _lines()
    random.Random(seed).shuffle(lines)
    source = Source.of_bytes(b"".join(lines[:800]), name="mixed.jsonl")
    document = read_document(source, get_format("claude-code"))
    with monkeypatch.context() as missing:
        missing.setitem(sys.modules, "numpy", None)
        numpy_scan.is_here.cache_clear()
        assert not numpy_scan.is_here()
        without = _describe(document, glances=True)
    numpy_scan.is_here.cache_clear()
    assert numpy_scan.is_here()
    monkeypatch.setattr(numpy_scan, "LARGE", 0)
    monkeypatch.setattr(numpy_scan, "FEW", 0)
    assert _describe(document, glances=True) == without


PIECES = st.sampled_from(
    (
        b'{"uuid":"e97e018b-d4a3-4157-9fab-33a3fa37e063","text":"',
        b'"}\n',
        b"AKIAQ7Z2M4XW6TJ3KVBD",
        b"ghp_Zk3vX9qLmW2rT7yBn4HcJ8dFs6GpKa1Ue5Vo",
        b'"token":"Vq8Zr2LkT0wYb7Xn4Hd9sQ1e"',
        b"postgres://app:tK8mQ2vR@db.example.net/orders",
        b"-----BEGIN PRIVATE KEY-----\\n",
        b"-----END PRIVATE KEY-----",
        b"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"
        b"MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu",
        b"an example of words ",
        b"/usr/share/some_long_folder_name/",
    )
)


@given(st.lists(st.lists(PIECES, max_size=6).map(b"".join), min_size=1, max_size=6))
def test_no_secret_is_passed_over_among_many_texts(texts: Sequence[bytes]) -> None:
    data = b"\n".join(texts)
    if any(map(can_hold_secrets, texts)):
        assert can_be_among(data, find_marks(data).starts)
