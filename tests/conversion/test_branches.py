"""Branches in formats without them: one output per branch, and one tree again."""

from __future__ import annotations

import pytest

from talktree.api import to_bytes
from talktree.conversion.losses import LossReport
from talktree.conversion.options import Options
from talktree.errors import NotFound
from talktree.formats import get_format
from talktree.formats.detect import detect
from talktree.formats.engine import read_document
from talktree.model import edit
from talktree.model.message import Message
from tests.conversion.trips import SLUGS, Files, golden, into, kept

LINEAR = [slug for slug in SLUGS if not get_format(slug).can.branches]
BRANCHED = [slug for slug in SLUGS if get_format(slug).can.branches]
ALL = Options(branch="all")


@pytest.mark.parametrize("target", LINEAR)
@pytest.mark.parametrize("source", BRANCHED)
def test_every_branch_becomes_an_output_and_all_join_again(source: str, target: str) -> None:
    several = 0
    for name, files in golden(source, "good"):
        document = read_document(files, get_format(source))
        there = into(document, target, ALL)
        joined = there.source()
        assert detect(joined).format.info.slug == target, name
        again = read_document(joined, get_format(target))
        branches = sum(max(1, len(each.branches())) for each in document.conversations)
        assert len(again.conversations) == branches, name
        several += branches > len(document.conversations)
        assert into(again, source) == kept(files, get_format(source)), name
    assert several or source == "claude-messages"


@pytest.mark.parametrize("target", LINEAR)
def test_an_edit_in_one_of_the_branches_reaches_the_tree(target: str) -> None:
    (files,) = [each for name, each in golden("studio", "good") if name == "two-branch-points.json"]
    there = into(read_document(files, get_format("studio")), target, ALL)
    document = there.read_as(target)
    last = document.conversations[-1]
    message = next(iter(last.messages()))
    changed = edit.set_text(last, message.id, "What shall I plant instead?")
    again = Files(to_bytes(document.with_conversation(changed)), there.folder).read_as(target)
    (back,) = into(again, "studio").read_as("studio").conversations
    texts = [each.text for each in back.messages()]
    assert texts.count("What shall I plant instead?") == 1
    assert len(texts) == len(
        list(read_document(files, get_format("studio")).conversation.messages())
    )


@pytest.mark.parametrize("target", SLUGS)
def test_one_branch_alone_can_be_written(target: str) -> None:
    (files,) = [each for name, each in golden("studio", "good") if name == "two-branch-points.json"]
    document = read_document(files, get_format("studio"))
    if target == "studio":
        return
    path = document.conversation.path
    spoken = [
        each for each in document.conversation.branches() if all(m.text for m in path(each.leaf))
    ]
    branch = spoken[-1]
    loss_report = LossReport()
    there = into(document, target, Options(branch=branch.leaf[:12]), loss_report)
    (conversation,) = there.read_as(target).conversations
    wanted = [each.text for each in document.conversation.path(branch.leaf)]
    assert [each.text for each in conversation.messages() if isinstance(each, Message)] == wanted
    assert loss_report.counts["branch", "carried"]
    assert into(there.read_as(target), "studio") == kept(files, get_format("studio"))


def test_a_branch_that_is_not_there_is_an_error() -> None:
    (files,) = [each for name, each in golden("studio", "good") if name == "two-branch-points.json"]
    with pytest.raises(NotFound):
        into(read_document(files, get_format("studio")), "muse", Options(branch="nowhere"))
