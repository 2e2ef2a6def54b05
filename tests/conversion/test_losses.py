"""The loss report is exact: it lists what the target does not hold, and nothing else."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.conversion.losses import KINDS, LossReport
from talktree.formats import get_format
from talktree.formats.engine import read_document
from talktree.model.document import Document
from talktree.model.message import Message
from talktree.model.parts import Part, Text
from talktree.text.json.value import is_same
from tests.conversion.test_edits import Twin, twins
from tests.conversion.trips import CLEAN, PAIRS, SLUGS, golden, into, native_files, random_source

NOTHING: tuple[object, ...] = (None, "", (), frozenset())
MAIN = {"text", "input", "output", "content", "value"}
"""The field without which a part is not of its type."""


def lacks(source: Message, returned: Message) -> set[str]:
    """Return the kinds of content that a message has lost, found without the converter."""
    plain = (
        "role",
        "authors",
        "session",
        "model",
        "usage",
        "api_message",
        "agent",
        "tags",
        "time_ns",
    )
    found = {
        name.removesuffix("_ns")
        for name in plain
        if (was := getattr(source, name)) != getattr(returned, name) and was not in NOTHING
    }
    if source.flags - returned.flags:
        found.add("flags")
    if source.context is not None and any(
        getattr(source.context, name) not in (None, getattr(returned.context, name, None))
        for name in source.context.__struct_fields__
    ):
        found.add("context")
    if source.todos is not None and source.todos != returned.todos:
        found.add("todos")
    if source.thinking is not None and source.thinking != returned.thinking:
        found.add("thinking_setting")
    if any(
        key not in returned.extra or not is_same(item, returned.extra[key])
        for key, item in source.extra.items()
    ):
        found.add("extra")
    return found | lacking_parts(source.parts, returned.parts)


def lacking_parts(source: Sequence[Part], returned: Sequence[Part]) -> set[str]:
    """Return the parts that are missing, or lack their essential field."""
    left = list(returned)
    found = set()
    for part in source:
        if isinstance(part, Text) and not part.text:
            continue
        match = next((each for each in left if is_held(part, each)), None)
        if match is None:
            found.add(tag_of(part))
        else:
            gone = left.index(match)
            if isinstance(part, Text):
                # Texts that follow it must come after it.
                before = (each for each in left[:gone] if not isinstance(each, Text))
                left = [*before, *left[gone:]]
                gone = left.index(match)
            del left[gone]
    return found


def is_held(part: Part, other: Part) -> bool:
    """Whether a part has the same kind and the same content."""
    fields = [name for name in MAIN if hasattr(part, name)]
    return type(part) is type(other) and all(
        is_same(getattr(part, name), getattr(other, name))
        if name in ("input", "value")
        else getattr(part, name) in (None, "", (), getattr(other, name))
        for name in fields
    )


def tag_of(part: Part) -> str:
    """Return the kind of a part."""
    return str(part.__struct_config__.tag)


PLACES = {"id", "parent", "follows", "order"}
"""Kinds of loss that concern the place of a message, not its content."""
WHOLE = {"branch", "deleted", "message"}
"""Kinds of loss that concern a message that is missing entirely."""


def check(document: Document, source: str, target: str) -> None:
    """Compare the loss report of a conversion without embedded data with what the target holds."""
    loss_report = LossReport()
    clean = into(document, target, CLEAN, loss_report).read_as(target)
    reported: dict[str, set[str]] = defaultdict(set)
    for loss in loss_report.losses:
        assert loss.kind in KINDS
        assert loss.kept in ("lost", "rendered")
        reported[loss.entry].add(loss.kind)
    carried = into(document, target).read_as(target)
    held = {
        (twin.here.id, twin.position): found
        for twin, found in zip_clean(list(twins(document, carried)), clean)
    }
    for conversation in document.conversations:
        for position, entry in enumerate(conversation.entries):
            if not isinstance(entry, Message):
                continue
            there = held.get((conversation.id, position))
            if there is None:
                assert reported[entry.id] & WHOLE, f"{entry.id} is gone, and nobody said so"
                continue
            known = reported[entry.id] - PLACES - WHOLE - {"detail", "head", "snapshot", "opaque"}
            # Whether an empty text is kept when others are joined to it is a matter of definition.
            empty = any(isinstance(part, Text) and not part.text for part in entry.parts)
            vague = {"text"} if empty else set()
            missing = lacks(entry, there)
            assert known - vague == missing - vague, f"{source} to {target}: {entry!r}, {there!r}"


def zip_clean(found: Sequence[Twin], clean: Document) -> Iterator[tuple[Twin, Message]]:
    """Yield each message that is in both, with the conversion without embedded data."""
    by_id = {each.id: each for each in clean.conversations}
    for twin in found:
        place = sum(1 for trait in twin.there.skeleton.traits[: twin.there_position] if trait)
        if isinstance(twin.there.entry(twin.there_position), Message):
            yield twin, list(by_id[twin.there.id].messages())[place]


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_losses_of_golden_files_are_reported(source: str, target: str) -> None:
    for name, files in golden(source):
        document = read_document(files, get_format(source))
        ids = Counter(each.id for one in document.conversations for each in one.messages())
        if max(ids.values(), default=1) > 1:
            # The loss report names messages by id, which several messages share here.
            continue
        check(document, source, target)
        assert name


@pytest.mark.parametrize("source", SLUGS)
@given(data=native_files(), choice=st.data())
def test_losses_of_random_conversations_are_reported(
    source: str, data: bytes, choice: st.DataObject
) -> None:
    target = choice.draw(st.sampled_from([slug for slug in SLUGS if slug != source]))
    check(random_source(data, source).read_as(source), source, target)
