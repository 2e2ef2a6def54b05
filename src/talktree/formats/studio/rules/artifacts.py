"""STU4: the artifacts of comments."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.formats.fixes import repair_value
from talktree.formats.lens import Object
from talktree.formats.rule import Diagnostic, make_safe_fix, make_unsafe_fix, rule
from talktree.formats.rule_context import RuleRecord
from talktree.formats.studio.adopt import STATUSES
from talktree.formats.studio.artifact_types import detect_type
from talktree.formats.studio.rules.items import LONGEST_SHOWN, MEDIA, Items
from talktree.formats.studio.schema import (
    ARTIFACT,
    ENCODINGS,
    is_of_kind,
    iterate_items,
    with_members,
    without_member,
)

ITEMS = Items("artifacts", "artifact", "title")
DEFAULTS = {"status": STATUSES[0], "command": "create"}
"""The values in the specification's example, which are those of a new artifact."""


def _detect_type(item: Object) -> str:
    title, content = item.get("title"), item.get("content")
    return detect_type(
        title if isinstance(title, str) else "", content if isinstance(content, str) else ""
    )


@rule(
    "STU401",
    "artifact-lacks-member",
    "error",
    on="message",
    formats=ENCODINGS,
    fix=make_safe_fix(repair_value(ITEMS.replace_item)),
)
def artifact_lacks_member(seen: RuleRecord) -> Iterator[Diagnostic]:
    """An artifact lacks its `id`, its `title` or its `type`.

    Why: the document's schema requires all three. Without an id nothing can refer to the artifact,
    and without a type no program knows how to draw it.

    Bad:
        {"id": "1733794702200gsghc", "title": "Budget in Python", "status": "visible",
         "command": "create"}

    Fix (safe): a missing type is detected from title and content as the document describes it. An
    id or a title would be made up, so those stay missing.
    """
    for place, item in iterate_items(seen.value, ITEMS.name):
        for name in ("id", "title", "type"):
            if item.get(name) is None:
                make = with_members(type=_detect_type(item)) if name == "type" else None
                yield ITEMS.report(f"has no `{name}`", place, item, make=make)


@rule(
    "STU402",
    "artifact-lacks-state",
    "warning",
    on="message",
    formats=ENCODINGS,
    fix=make_safe_fix(repair_value(ITEMS.replace_item)),
)
def artifact_lacks_state(seen: RuleRecord) -> Iterator[Diagnostic]:
    """An artifact does not say whether it is shown (`status`), or what is done with it (`command`).

    Why: the document's schema requires both, and programs that go by it refuse the conversation.
    Some of the tools that write these files leave the command out.

    Bad:
        {"id": "1733794702200gsghc", "type": "text/html", "title": "Menu", "status": "visible"}

    Fix (safe): `visible` and `create` are filled in, as in the document's example: so an artifact
    without them is treated anyway.
    """
    for place, item in iterate_items(seen.value, ITEMS.name):
        for name, usual in DEFAULTS.items():
            if item.get(name) is None:
                yield ITEMS.report(
                    f"has no `{name}`", place, item, make=with_members(**{name: usual})
                )


@rule(
    "STU403",
    "unknown-artifact-status",
    "warning",
    on="message",
    formats=ENCODINGS,
    fix=make_unsafe_fix(repair_value(ITEMS.replace_item)),
)
def unknown_artifact_status(seen: RuleRecord) -> Iterator[Diagnostic]:
    """The `status` of an artifact is neither `visible` nor `hidden`.

    Why: the document's schema knows these two. Some tools write `reference` for a link to an
    earlier artifact; programs that go by the schema refuse the whole conversation for it.

    Bad:
        {"id": "1733794702200gsghc", "type": "text/html", "title": "Menu", "status": "reference",
         "command": "create"}

    Fix (unsafe): the status becomes `visible`; what it said before is lost.
    """
    for place, item in iterate_items(seen.value, ITEMS.name):
        status = item.get("status")
        if isinstance(status, str) and status not in STATUSES:
            what = f"has the status {status[:LONGEST_SHOWN]!r}"
            yield ITEMS.report(
                what, place, item, at="status", make=with_members(status=STATUSES[0])
            )


@rule(
    "STU404",
    "artifact-member-kind",
    "error",
    on="message",
    formats=ENCODINGS,
    fix=make_safe_fix(repair_value(ITEMS.replace_item)),
)
def artifact_member_kind(seen: RuleRecord) -> Iterator[Diagnostic]:
    """An artifact is no object, or a member of one that should be a text is none.

    Why: programs that go by the document's schema refuse the whole conversation for it, and
    Talktree itself can show only what is a text.

    Bad:
        {"id": "1733794702200gsghc", "type": "text/html", "title": "Menu", "info": null,
         "status": "visible", "command": "create"}

    Fix (safe): an `info` of null is taken out, since it may as well be missing. Of anything else it
    is not known which text was meant, so it stays.
    """
    value = seen.value
    items = value.get(ITEMS.name) if isinstance(value, dict) else None
    for place, item in enumerate(items if isinstance(items, list) else ()):
        if not isinstance(item, dict):
            yield Diagnostic(
                f"artifact {place + 1} is no object", f"{ITEMS.name}/{place}", fixable=False
            )
            continue
        for name in (*ARTIFACT, "info"):
            if item.get(name) is not None and not is_of_kind(item[name], str):
                yield ITEMS.report(f"has an odd `{name}`", place, item, at=name)
        if "info" in item and item["info"] is None:
            yield ITEMS.report(
                "has null for its `info`", place, item, at="info", make=without_member("info")
            )


@rule(
    "STU405",
    "artifact-media-type",
    "warning",
    on="message",
    formats=ENCODINGS,
    fix=make_unsafe_fix(repair_value(ITEMS.replace_item)),
)
def artifact_media_type(seen: RuleRecord) -> Iterator[Diagnostic]:
    """The `type` of an artifact is not a media type.

    Why: by the type a program decides how to draw an artifact: as a page, a diagram, a component.
    `python` or `react` is none of the types the document lists, and shown as plain text at best.

    Bad:
        {"id": "1733794702200gsghc", "type": "python", "title": "Budget", "status": "visible",
         "command": "create"}

    Fix (unsafe): the type is detected from title and content as the document describes it; the word
    that was there is lost.
    """
    for place, item in iterate_items(seen.value, ITEMS.name):
        said = item.get("type")
        if isinstance(said, str) and not MEDIA.fullmatch(said):
            what = f"has the type {said[:LONGEST_SHOWN]!r}, which is not a media type"
            yield ITEMS.report(
                what, place, item, at="type", make=with_members(type=_detect_type(item))
            )
