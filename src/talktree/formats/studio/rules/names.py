"""STU107 to STU109: types and members with another spelling than documented, and ids."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

from talktree.formats.fixes import repair_value
from talktree.formats.rule import Diagnostic, make_safe_fix, make_unsafe_fix, rule
from talktree.formats.rule_context import RuleRecord
from talktree.formats.studio.ids import RANDOM_BYTES, new_id
from talktree.formats.studio.schema import (
    COMMENT,
    ENCODINGS,
    LONGEST_NAME,
    MOST_NAMES,
    ROLES,
    find_misspelled,
    guess_member,
)
from talktree.model.message import Message
from talktree.text.json.value import Json
from talktree.text.times import to_millis


def _respell_type(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = seen.value
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return value
    return {**value, "type": str(value["type"]).strip().lower()}


@rule(
    "STU107",
    "misspelt-comment-type",
    "warning",
    on="message",
    formats=ENCODINGS,
    fix=make_safe_fix(repair_value(_respell_type)),
)
def misspelt_type(seen: RuleRecord) -> Iterator[Diagnostic]:
    """The type of a comment is `user`, `assistant` or `system`, but for capitals or blanks.

    Why: types are compared letter by letter. `Assistant` is a custom type of its own, drawn
    otherwise, and refused by models as a role. Custom types as such are fine.

    Bad:
        {"id": "1733794702200ka59h", "type": "Assistant", …}

    Fix (safe): the type is written as the document writes it.
    """
    role = seen.entry.role  # type: ignore[union-attr]
    if role not in ROLES and role.strip().lower() in ROLES:
        yield Diagnostic(f"the type {role[:LONGEST_NAME]!r} is not spelt as usual", way="type")


def _rename_member(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value, about = seen.value, diagnostic.about
    if not isinstance(value, dict) or not isinstance(about, tuple):
        return value
    other, name = about
    if other not in value or value.get(name) is not None:
        return value
    kept = {key: item for key, item in value.items() if key != name}
    return {name if key == other else key: item for key, item in kept.items()}


@rule(
    "STU108",
    "misspelt-comment-member",
    "warning",
    on="message",
    formats=ENCODINGS,
    fix=make_safe_fix(repair_value(_rename_member)),
)
def misspelt_member(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A member has the name of one that the document knows, but for capitals and underscores, and
    the right one is missing.

    Why: names are compared letter by letter, so what is under `user_id` or `contenthash` is there
    and yet not found.

    Bad:
        {"id": "1733794702200ka59h", "user_id": "ida", "type": "user", …}

    Fix (safe): the member gets its right name and keeps its value. Replies under another name are
    left alone, since what is in them would have to be read first.
    """
    value = seen.value
    assert isinstance(value, dict)
    if len(value) > MOST_NAMES or value.keys() <= COMMENT.keys():
        return
    for other in value:
        if other in COMMENT or len(other) > LONGEST_NAME:
            continue
        name = guess_member(other)
        if name is not None and value.get(name) in (None, []):
            what = f"`{other}` should be `{name}`"
            helps = name != "children" and value.get(name) is None
            yield Diagnostic(what, way=other, about=(other, name), fixable=helps)


def _with_id(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = seen.value
    if not isinstance(value, dict) or value.get("id"):
        return value
    time = seen.entry.time_ns if isinstance(seen.entry, Message) else None
    seed = f"{seen.talk.id}\0{seen.position}".encode("utf-8", "surrogatepass")
    made = new_id(to_millis(time or 0), blake2b(seed, digest_size=RANDOM_BYTES).digest())
    return {"id": made, **{key: item for key, item in value.items() if key != "id"}}


@rule(
    "STU109",
    "comment-lacks-id",
    "error",
    on="message",
    formats=ENCODINGS,
    fix=make_unsafe_fix(repair_value(_with_id)),
)
def comment_lacks_id(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A comment has no id.

    Why: the document requires one of every comment. Replies, edits and deletions are made by id, so
    in the app none of them works here.

    Bad:
        [{"userId": "ida", "type": "user", "timestamp": 1733794702200, "content": "Hello", …}]

    Fix (unsafe): the comment gets an id as the document makes them, the milliseconds and sixteen
    bytes; in the place of chance they are made from the place of the comment, so that they are the
    same each time.
    """
    value = seen.value
    assert isinstance(value, dict)
    if value.get("id") in (None, "") and find_misspelled(value, "id") is None:
        yield Diagnostic("it has no `id`")
