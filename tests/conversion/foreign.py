"""Conversations of all other formats, and random ones, converted to one format."""

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
    """Parametrize `slug` and `path`: each good and bad sample of every other format."""
    found = [
        (slug, path)
        for kind in ("good", "bad")
        for slug, path in all_samples(kind)
        if slug != target
    ]
    return pytest.mark.parametrize(("slug", "path"), found, ids=name)


with_and_without_carry = pytest.mark.parametrize("carry", [True, False], ids=["carry", "clean"])


def sample(slug: str, path: Path) -> Document:
    """Return a sample as a document."""
    return read_document(load(path), get_format(slug))


def files_of(
    document: Document, target: str, *, carry: bool = True, loss_report: LossReport | None = None
) -> Files:
    """Return the files of a document in a format."""
    made = convert_document(
        document, to=target, options=Options(carry=carry), loss_report=loss_report
    )
    return {path: b"".join(pieces) for path, pieces in made.files.items()}


def again(files: Files, target: str) -> Document:
    """Read converted files in their format."""
    format = get_format(target)
    if format.starts_folder or len(files) != 1:
        return read_document(Source.of_files(files, name="folder"), format)
    ((path, data),) = files.items()
    return read_document(Source.of_bytes(data, name=path), format)


def talk_of(listed: Iterable[Entry], *, title: str | None = None) -> Document:
    """Return a conversation of these entries in the native format."""
    native = get_format("native")
    items = (Item(None, native.put(entry, None), changed=True) for entry in listed)
    about = ConversationInfo(id="talk", session="", title=title)
    data = b"".join(native.compose("talk.jsonl", about, items, first=True))
    return read_document(Source.of_bytes(data, name="talk.jsonl"), native)


def _chained(listed: Sequence[Entry]) -> Sequence[Entry]:
    """Return the entries with each message as the reply to the previous one."""
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
"""Entries of any kind; only the native format can hold all of them."""


def one(message: Message, target: str, *, loss_report: LossReport | None = None) -> Files:
    """Return the files of a conversation with one message, without embedded source data."""
    return files_of(talk_of([message]), target, carry=False, loss_report=loss_report)


def details(loss_report: LossReport) -> set[str]:
    """Return the kinds of loss in a loss report."""
    return {kind for kind, _ in loss_report.counts}
