"""Merging: files that share a history as one tree, shared messages once.

The order in which files are named makes no difference, and merging a file with itself changes
nothing. Files that share nothing stay conversations of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from talktree.conversion.merge_conversations import Place, places_in, talks_of
from talktree.conversion.merge_tree import Merging
from talktree.conversion.merge_write import MergedTree, about_merged
from talktree.errors import UsageError
from talktree.files import Source, parked
from talktree.formats import NATIVE, by_slug
from talktree.formats.engine import Origin, read
from talktree.model.conversation import Conversation
from talktree.model.document import Document

NAME = "merged"
PATH = f"{NAME}.jsonl"


def merged(documents: Sequence[Document]) -> Document:
    """Documents as one, in our own format; what has no single answer is told as findings."""
    if not documents:
        raise UsageError("there is nothing to merge", hint="name some files")
    merging = Merging(talks_of(documents))
    groups: dict[int, list[int]] = {}
    for number in range(len(merging.talks)):
        groups.setdefault(merging.group(number), []).append(number)
    trees = [MergedTree(merging, talks) for talks in groups.values()]
    names = _free_names(trees)
    source = Source(PATH, {PATH: parked(_bytes(trees, names))}, folder=False)
    document = read(source, by_slug(NATIVE))
    for name, tree in zip(names, trees, strict=True):
        findings = document.find(name).skeleton.findings
        for line in tree.lines:
            if line.node is not None:
                findings += merging.findings(line.node)
    return document


def _free_names(trees: Sequence[MergedTree]) -> list[str]:
    names: list[str] = []
    for tree in trees:
        number, name = 2, tree.id
        while name in names:
            name = f"{tree.id}#{number}"
            number += 1
        names.append(name)
    return names


def _bytes(trees: Sequence[MergedTree], names: Sequence[str]) -> Iterator[bytes]:
    native = by_slug(NATIVE)
    for number, (tree, name) in enumerate(zip(trees, names, strict=True)):
        about = about_merged(tree, name)
        yield from native.compose(PATH, about, tree.items(), first=not number)


def places(conversation: Conversation, id: str) -> list[Place]:
    """Where an entry of a merged conversation was found: source, file, number of the record."""
    origin = conversation.store
    assert isinstance(origin, Origin)
    position = conversation.position(id)
    return places_in(origin.record(conversation.members[position], *conversation.names(position)))
