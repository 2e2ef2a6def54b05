"""Conversations of all other formats, and random ones, converted into one format."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from hypothesis import strategies as st
from msgspec.structs import replace

from talktree.api import convert_document
from talktree.conversion.losses import LossReport
from talktree.conversion.options import Options
from talktree.files import Source, load
from talktree.formats import get_format
from talktree.formats.engine import read_document
from talktree.formats.format import ConversationInfo
from talktree.formats.record_file import Item
from talktree.model.document import Document
from talktree.model.entries import Entry
from talktree.model.message import Message
from talktree.testing.strategies import entries, messages
from tests.formats.cases import all_samples, name

Files = dict[str, bytes]


def every_sample(target: str) -> pytest.MarkDecorator:
    """Parameters `slug` and `path`: each good and bad sample of every other format."""
    found = [
        (slug, path)
        for kind in ("good", "bad")
        for slug, path in all_samples(kind)
        if slug != target
    ]
    return pytest.mark.parametrize(("slug", "path"), found, ids=name)


with_and_without_carry = pytest.mark.parametrize("carry", [True, False], ids=["carry", "clean"])


def sample(slug: str, path: Path) -> Document:
    """A sample as a document."""
    return read_document(load(path), get_format(slug))


def files_of(
    document: Document, target: str, *, carry: bool = True, loss_report: LossReport | None = None
) -> Files:
    """The files a document becomes in a format."""
    made = convert_document(
        document, to=target, options=Options(carry=carry), loss_report=loss_report
    )
    return {path: b"".join(pieces) for path, pieces in made.files.items()}


def again(files: Files, target: str) -> Document:
    """Converted files, read in their format."""
    format = get_format(target)
    if format.starts_folder or len(files) != 1:
        return read_document(Source.of_files(files, name="folder"), format)
    ((path, data),) = files.items()
    return read_document(Source.of_bytes(data, name=path), format)


def talk_of(listed: Iterable[Entry], *, title: str | None = None) -> Document:
    """A conversation of these entries, as Talktree's own format holds it."""
    native = get_format("native")
    items = (Item(None, native.put(entry, None), changed=True) for entry in listed)
    about = ConversationInfo(id="talk", session="", title=title)
    data = b"".join(native.compose("talk.jsonl", about, items, first=True))
    return read_document(Source.of_bytes(data, name="talk.jsonl"), native)


def _chained(listed: Sequence[Entry]) -> Sequence[Entry]:
    """The entries, each message an answer to the one before it."""
    out: list[Entry] = []
    last = None
    for entry in listed:
        if isinstance(entry, Message):
            entry = replace(entry, parent=last)
            last = entry.id or last
        out.append(entry)
    return out


_any_entries = st.lists(messages | entries, max_size=5)
random_talks: st.SearchStrategy[Sequence[Entry]] = _any_entries | _any_entries.map(_chained)
"""Entries of any kind that no format but our own can hold all of."""


def one(message: Message, target: str, *, loss_report: LossReport | None = None) -> Files:
    """The files of a conversation that is one message, without what travels along."""
    return files_of(talk_of([message]), target, carry=False, loss_report=loss_report)


def details(loss_report: LossReport) -> set[str]:
    """The kinds of loss a ledger tells."""
    return {kind for kind, _ in loss_report.counts}
