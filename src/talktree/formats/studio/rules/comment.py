"""STU10x: the members of a comment, as the specification's schema requires them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from talktree.formats.fixes import repair_value
from talktree.formats.lens import Object
from talktree.formats.rule import Diagnostic, make_safe_fix, rule
from talktree.formats.rule_context import RuleRecord
from talktree.formats.studio.hashing import hash_text
from talktree.formats.studio.schema import (
    COMMENT,
    ENCODINGS,
    JSON,
    NAMES,
    REQUIRED,
    ROLES,
    find_misspelled,
    is_of_kind,
)
from talktree.text.json.value import Json
from talktree.text.times import from_iso, from_number, is_exact_in_millis, to_millis

_CHECKED_ELSEWHERE = frozenset({"id", "type"})
"""These have rules of their own."""
_LISTS = frozenset({"attachments", "children"})
"""Lists that the text and XML encodings leave out where they are empty."""
NEVER_NULL = ("deleted", "artifacts")
"""Members that may be missing and must not be null."""
_STARTS_WITH_TIME = re.compile(r"[0-9]{13}(?![0-9])", re.ASCII)
_DIGITS = re.compile(r"[0-9]{1,15}", re.ASCII)


# missing members


def _fill_member(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value, name = seen.value, diagnostic.about
    if not isinstance(value, dict) or not isinstance(name, str) or value.get(name) is not None:
        return value
    filling = _member_value(value, name)
    return value if filling is None else {**value, name: filling}


def _member_value(value: Object, name: str) -> Json:
    """Return the value that a missing member must have; None if it cannot be known."""
    match name:
        case "content":
            return ""
        case "contentHash":
            content = value.get("content")
            said = "" if content is None else content
            return hash_text(said) if isinstance(said, str) else None
        case "attachments" | "children":
            return []
        case "timestamp":
            return _read_time_from_id(value)
        case _:
            return None


def _read_time_from_id(value: Object) -> int | None:
    own = value.get("id")
    found = _STARTS_WITH_TIME.match(own) if isinstance(own, str) else None
    return int(found.group()) if found else None


@rule(
    "STU101",
    "comment-lacks-member",
    "error",
    on="message",
    formats=ENCODINGS,
    fix=make_safe_fix(repair_value(_fill_member)),
)
def comment_lacks_member(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A comment lacks a member that every comment must have, or has null in its place.

    Why: the document's schema requires `userId`, `timestamp`, `content`, `contentHash`,
    `attachments` and `children` of every comment. Programs that go by it refuse the whole file, and
    code that takes the length of a missing list fails. In the text and XML encodings, lists that
    are left out are empty and not missing.

    Bad:
        {"id": "1733794702200ka59h", "userId": "ida", "type": "user", "content": "Hello",
         "timestamp": 1733794702200, "attachments": [], "children": []}

    Fix (safe): what follows from the rest is filled in: the hash from the text, empty lists and an
    empty text where there are none, the time from an id that starts with it. Who wrote a comment
    cannot be known, so a missing `userId` stays.
    """
    value = seen.value
    assert isinstance(value, dict)
    lists = seen.talk.format.info.slug == JSON
    for name in REQUIRED:
        if (
            value.get(name) is None
            and name not in _CHECKED_ELSEWHERE
            and (lists or name not in _LISTS)
            and find_misspelled(value, name) is None
        ):
            helps = _member_value(value, name) is not None
            yield Diagnostic(f"it has no `{name}`", about=name, fixable=helps)


def _add_type(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = seen.value
    if isinstance(value, dict) and not value.get("type") and value.get("userId") in ROLES:
        return {**value, "type": value["userId"]}
    return value


@rule(
    "STU102",
    "comment-lacks-type",
    "warning",
    on="message",
    formats=ENCODINGS,
    fix=make_safe_fix(repair_value(_add_type)),
)
def comment_lacks_type(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A comment does not say of which type it is, so it is unknown who is speaking.

    Why: the document requires `type`, and the type is the role a comment has when its thread is
    sent to a model. The first versions of the app did not write it; the app takes such comments for
    `message`, which no model accepts.

    Bad:
        {"id": "1733794702200ka59h", "userId": "user", "timestamp": 1733794702200,
         "content": "Hello", "contentHash": "42628b2", "attachments": [], "children": []}

    Fix (safe): where the `userId` is `user`, `assistant` or `system`, as in the document's
    examples, the type is the same. Any other would be guessed, and stays missing.
    """
    value = seen.value
    assert isinstance(value, dict)
    if value.get("type") in (None, "") and find_misspelled(value, "type") is None:
        yield Diagnostic("it has no `type`", fixable=value.get("userId") in ROLES)


# members of another type


def _to_number(item: Json) -> Json:
    if not isinstance(item, str):
        return None
    text = item.strip()
    if _DIGITS.fullmatch(text):
        return int(text) if from_number(int(text)) is not None else None
    time = from_iso(text)
    return to_millis(time) if time is not None and is_exact_in_millis(time) else None


def _to_text(item: Json) -> Json:
    return str(item) if isinstance(item, int) and not isinstance(item, bool) else None


def _to_bool(item: Json) -> Json:
    words = item.strip().lower() if isinstance(item, str) else item
    return {"true": True, "false": False, 1: True, 0: False}.get(
        words if isinstance(words, str | int) else ""
    )


_MADE_TO_FIT: dict[str, Callable[[Json], Json]] = {
    "id": _to_text,
    "userId": _to_text,
    "parentId": _to_text,
    "contentHash": _to_text,
    "timestamp": _to_number,
    "deleted": _to_bool,
}


def _convert_member(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value, name = seen.value, diagnostic.about
    if not isinstance(value, dict) or not isinstance(name, str):
        return value
    if value.get(name) is None:
        return {key: item for key, item in value.items() if key != name}
    made = _convert_value(value.get(name), name)
    return value if made is None else {**value, name: made}


def _convert_value(item: Json, name: str) -> Json:
    if name not in _MADE_TO_FIT or is_of_kind(item, COMMENT[name]):
        return None
    return _MADE_TO_FIT[name](item)


@rule(
    "STU103",
    "comment-member-kind",
    "error",
    on="message",
    formats=ENCODINGS,
    fix=make_safe_fix(repair_value(_convert_member)),
)
def comment_member_kind(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A member of a comment is of another kind than the document says: a text for a number, a
    number for an id, one object for a list.

    Why: readers that go by the document's schema refuse the file. Others sort texts where they
    mean to sort times, or do not find `12` where they look for `"12"`.

    Bad:
        {"id": 1733794702200, "userId": "ida", "timestamp": "2024-12-10T01:38:22.200Z", …}

    Fix (safe): what says the same in another form gets the right one: digits and dates as
    milliseconds, whole numbers as texts where texts are wanted, `"true"` as true. Null is taken out
    where a member may as well be missing. All else stays.
    """
    value = seen.value
    assert isinstance(value, dict)
    for name, kind in COMMENT.items():
        item = value.get(name)
        if item is None:
            if name in NEVER_NULL and name in value and seen.talk.format.info.slug == JSON:
                yield Diagnostic(f"its `{name}` is null", way=name, about=name)
        elif not is_of_kind(item, kind):
            helps = _convert_value(item, name) is not None
            what = f"its `{name}` is not {NAMES[kind]}"
            yield Diagnostic(what, way=name, about=name, fixable=helps)
