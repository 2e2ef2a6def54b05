"""Merging files that share a history into one tree, with each shared message once.

The order in which files are named makes no difference, and merging a file with itself changes
nothing. Files that share nothing stay separate conversations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from talktree.conversion.merge_conversations import Place, collect_conversations, parse_places
from talktree.conversion.merge_tree import TreeMerger
from talktree.conversion.merge_write import MergedTree, build_merged_info
from talktree.errors import UsageError
from talktree.files import Source, park_pieces
from talktree.formats import NATIVE, get_format
from talktree.formats.engine import DocumentOrigin, read_document
from talktree.model.conversation import Conversation
from talktree.model.document import Document

NAME = "merged"
PATH = f"{NAME}.jsonl"


def merge_documents(documents: Sequence[Document]) -> Document:
    """Merge documents into one in our own format; conflicts are reported as findings."""
    if not documents:
        raise UsageError("there is nothing to merge", hint="name some files")
    merging = TreeMerger(collect_conversations(documents))
    groups: dict[int, list[int]] = {}
    for number in range(len(merging.talks)):
        groups.setdefault(merging.find_group(number), []).append(number)
    trees = [MergedTree(merging, talks) for talks in groups.values()]
    names = _choose_free_names(trees)
    source = Source(PATH, {PATH: park_pieces(_encode_trees(trees, names))}, folder=False)
    document = read_document(source, get_format(NATIVE))
    for name, tree in zip(names, trees, strict=True):
        findings = document.find(name).skeleton.findings
        for line in tree.lines:
            if line.node is not None:
                findings += merging.report_node(line.node)
    return document


def _choose_free_names(trees: Sequence[MergedTree]) -> list[str]:
    names: list[str] = []
    for tree in trees:
        number, name = 2, tree.id
        while name in names:
            name = f"{tree.id}#{number}"
            number += 1
        names.append(name)
    return names


def _encode_trees(trees: Sequence[MergedTree], names: Sequence[str]) -> Iterator[bytes]:
    native = get_format(NATIVE)
    for number, (tree, name) in enumerate(zip(trees, names, strict=True)):
        about = build_merged_info(tree, name)
        yield from native.compose(PATH, about, tree.iter_items(), first=not number)


def find_places(conversation: Conversation, id: str) -> list[Place]:
    """Return where an entry of a merged conversation was found: source, file, record number."""
    origin = conversation.store
    assert isinstance(origin, DocumentOrigin)
    position = conversation.find_position(id)
    return parse_places(
        origin.record(conversation.members[position], *conversation.names(position))
    )
