"""MUS2: the required members of a message, and their types."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.formats.fixes import repair_value
from talktree.formats.muse.rules.support_members import (
    MUSE,
    NUMBERS,
    Kinds,
    find_misfits,
    get_message_value,
    is_application_copy,
)
from talktree.formats.rule import Diagnostic, make_safe_fix, make_unsafe_fix, rule
from talktree.formats.rule_context import RuleRecord
from talktree.model.message import Message
from talktree.text.json.value import Json

CORE: Kinds = {
    "request_id": (str,),
    "role": (str,),
    "content": (str,),
    "author": (str,),
    "tags": (list,),
}
OPTIONAL: Kinds = {
    "preferred": (bool,),
    "context_id": (str,),
    "selected_context_metadata": (dict, list),
    "is_internal_unity": (bool,),
    "opt_status": (str,),
    "is_beta_request": (bool,),
    "message_tokens": (dict,),
    "footnotes": (dict,),
    "is_reverted_timestamp": NUMBERS,
}


def _with_content(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = seen.value
    assert isinstance(value, dict)
    return {**value, "content": ""}


@rule(
    "MUS201",
    "missing-content",
    "error",
    on="message",
    formats=MUSE,
    fix=make_safe_fix(repair_value(_with_content)),
)
def missing_content(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A message has no content.

    Why: content is required by the program that loads conversations; others show "No content".

    Bad:
        {"id": "m1", "request_id": "r1", "timestamp": 1732782401250, "role": "user",
         "author": "ida", "tags": []}

    Fix (safe): an empty text is written; nothing was said here either way.
    """
    value = get_message_value(seen)
    if value is not None and value.get("content") is None:
        yield Diagnostic("there is no content", "content")


def _with_author(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = seen.value
    assert isinstance(value, dict)
    assert isinstance(seen.entry, Message)
    return {**value, "author": seen.entry.role}


@rule(
    "MUS202",
    "missing-author",
    "warning",
    on="message",
    formats=MUSE,
    fix=make_unsafe_fix(repair_value(_with_author)),
)
def missing_author(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A message has no author.

    Why: author is a core field, and required by the program that loads conversations.

    Bad:
        {"id": "m1", "request_id": "r1", "timestamp": 1732782401250, "role": "user",
         "content": "Hello", "tags": []}

    Fix (unsafe): the role is written as the author, since the name is unknown.
    """
    value = get_message_value(seen)
    if value is not None and value.get("author") is None:
        yield Diagnostic("there is no author", "author")


def _with_tags(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = seen.value
    assert isinstance(value, dict)
    return {**value, "tags": []}


@rule(
    "MUS203",
    "missing-tags",
    "note",
    on="message",
    formats=MUSE,
    fix=make_safe_fix(repair_value(_with_tags)),
)
def missing_tags(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A message of the analytics copy has no list of tags.

    Why: lists may be empty, but they are to be present; programs that go through the tags
    stumble.

    Bad:
        {"id": "m1", "role": "user", "content": "Hello", "author": "ida"}

    Fix (safe): an empty list is written.
    """
    value = get_message_value(seen)
    if value is not None and value.get("tags") is None and not is_application_copy(seen.talk):
        yield Diagnostic("there are no tags", "tags")


@rule("MUS204", "missing-request-id", "note", on="message", formats=MUSE)
def missing_request_id(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A message of the analytics copy has no request_id.

    Why: question and answer are matched by it, and so are the times they took.

    Bad:
        {"id": "m1", "role": "user", "content": "Hello", "author": "ida", "tags": []}

    Fix: none, because the request it belonged to is not written down anywhere else.
    """
    value = get_message_value(seen)
    if value is not None and value.get("request_id") is None and not is_application_copy(seen.talk):
        yield Diagnostic("there is no request_id", "request_id")


@rule("MUS205", "missing-message-id", "warning", on="message", formats=MUSE)
def missing_message_id(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A message has no id.

    Why: the document requires an id of every message. Edits, links and searches name messages by
    it, and a place in the list changes when messages are added.

    Bad:
        {"request_id": "r1", "timestamp": 1732782401250, "role": "user", "content": "Hello",
         "author": "ida", "tags": []}

    Fix: none, because an id would be made up.
    """
    value = get_message_value(seen)
    if value is not None and value.get("id") is None:
        yield Diagnostic("there is no id", "id")


@rule("MUS211", "message-field-type", "error", on="message", formats=MUSE)
def message_field_type(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A core field of a message is not of the type it must be: content that is no text, tags that
    are no list of texts.

    Why: programs that read the field stop, or show nothing.

    Bad:
        {"id": "m1", "role": "user", "content": {"text": "Hello"}, "tags": "one"}

    Fix: none, because it is unknown what was meant.
    """
    value = get_message_value(seen)
    if value is None:
        return
    for name in find_misfits(value, CORE):
        yield Diagnostic(f"{name} is of another type", name)
    tags = value.get("tags")
    if tags and isinstance(tags, list) and not all(isinstance(tag, str) for tag in tags):
        yield Diagnostic("a tag is no text", "tags")


@rule("MUS212", "optional-field-type", "warning", on="message", formats=MUSE)
def optional_field_type(seen: RuleRecord) -> Iterator[Diagnostic]:
    """An optional field of a message is not of the type the document gives it: a preference that
    is neither null nor true nor false, a context that is neither null nor text.

    Why: statistics and filters that use the field pass over the message or count it wrongly.

    Bad:
        {"id": "m1", "role": "user", "content": "Hello", "preferred": "yes", "is_beta_request": 1}

    Fix: none, because it is unknown what was meant.
    """
    value = get_message_value(seen)
    if value is not None:
        for name in find_misfits(value, OPTIONAL):
            yield Diagnostic(f"{name} is of another type", name)
