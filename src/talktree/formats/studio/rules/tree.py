"""STU106 and STU2: how comments are linked, and the document around them."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.formats.fixes import BytePatch, repair_value
from talktree.formats.json_file import JsonSheet
from talktree.formats.rule import Diagnostic, make_safe_fix, rule
from talktree.formats.rule_context import CheckedConversation, RuleRecord, Setting
from talktree.formats.studio.schema import ENCODINGS, JSON, XML
from talktree.model.skeleton import ROOT
from talktree.text.json.scanner import scan_json
from talktree.text.json.value import Json

LONGEST_SHOWN = 60
JSON_DEPTH = 1000
XML_DEPTH = 256
"""Maximum number of open brackets or elements in readers that limit it: the usual limits of JSON
libraries and of the most common XML parser."""


def _get_container_id(seen: RuleRecord) -> str | None:
    """Return the id of the comment that contains a comment, as the file has it."""
    skeleton = seen.talk.skeleton
    above = skeleton.parents[seen.position]
    if above == ROOT:
        return None
    return skeleton.native.get(above, skeleton.ids[above]) or None


def _fix_parent(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = seen.value
    return {**value, "parentId": _get_container_id(seen)} if isinstance(value, dict) else value


@rule(
    "STU106",
    "parent-contradicts-nesting",
    "warning",
    on="message",
    formats=ENCODINGS,
    fix=make_safe_fix(repair_value(_fix_parent)),
)
def parent_contradicts_nesting(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A comment is among the replies to one comment and names another as its parent.

    Why: the nesting is what the app goes by, so a `parentId` that differs is left over from before
    the comment was moved. Programs that build the tree from `parentId` show another conversation.
    A comment that has no `parentId` at all is fine; the app never writes one.

    Bad:
        {"id": "1733794702200ka59h", …, "children": [
          {"id": "1733794709100soijv", "parentId": "1733000000000aaaaa", …}]}

    Fix (safe): the `parentId` becomes the id of the comment it is in, or null at the top. The
    nesting stays. A comment at the top that names another comment of the file is left alone: its
    `parentId` is all that says where it belongs (`talktree edit --move` puts it there).
    """
    value = seen.value
    assert isinstance(value, dict)
    if "parentId" not in value:
        return
    named = value["parentId"]
    if named == seen.record.parent or not isinstance(named, str | None):
        return
    right = _get_container_id(seen)
    if named != right:
        diagnostic = "nobody" if named is None else str(named)[:LONGEST_SHOWN]
        real = "nobody" if right is None else right[:LONGEST_SHOWN]
        what = f"it names {diagnostic} as its parent and stands below {real}"
        yield Diagnostic(
            what, way="parentId", fixable=right is not None or not _is_elsewhere(seen, named)
        )


def _is_elsewhere(seen: RuleRecord, named: str | None) -> bool:
    """Whether another comment of the conversation has this id."""
    skeleton = seen.talk.skeleton
    return named in skeleton.by_id and named != skeleton.own_id(seen.position)


# the document


def _wrap_in_list(setting: Setting, diagnostic: Diagnostic) -> Iterator[BytePatch]:
    sheet = setting.origin.by_path[diagnostic.path or ""]
    roots = scan_json(sheet.content.read()).roots
    if len(roots) == 1:
        yield BytePatch(sheet.path, roots[0].start, roots[0].start, b"[")
        yield BytePatch(sheet.path, roots[0].stop, roots[0].stop, b"]")


@rule(
    "STU201",
    "comments-in-no-list",
    "note",
    on="source",
    formats=[JSON],
    fix=make_safe_fix(_wrap_in_list),
)
def comments_in_no_list(setting: Setting) -> Iterator[Diagnostic]:
    """A file holds a comment without the list that should be around it.

    Why: the document's schema wants a list at the top, though its examples are single comments.
    Programs that go through the list find none.

    Bad:
        {"id": "1733794702200ka59h", "userId": "ida", "type": "user", …}

    Fix (safe): square brackets are put around the comment, and nothing else changes.
    """
    for sheet in setting.origin.sheets:
        if isinstance(sheet, JsonSheet) and not sheet.listed and _is_one_comment(sheet):
            yield Diagnostic("there is no list around the comment", path=sheet.path, line=1)


def _is_one_comment(sheet: JsonSheet) -> bool:
    """Whether the file is a single comment; several without a list are reported as invalid JSON."""
    return sheet.sound and [piece.depth for piece in sheet.pieces].count(0) == 1


def _iterate_depths(talk: CheckedConversation) -> Iterator[int]:
    """Yield the number of comments around each comment, in order."""
    depths: list[int] = []
    for above in talk.skeleton.parents:
        depths.append(0 if above == ROOT else depths[above] + 1)
        yield depths[-1]


@rule("STU202", "deep-thread", "note", on="talk", formats=[JSON, XML])
def deep_thread(talk: CheckedConversation) -> Iterator[Diagnostic]:
    """Replies are nested so deep that many programs give up.

    Why: the document sets no limit to nesting, and Talktree has none. But each reply takes two
    more levels, and common JSON libraries stop at a thousand open brackets, XML parsers at 256 open
    elements; programs that recurse over the tree may crash.

    Bad:
        [{"id": "1", "children": [{"id": "2", "children": [{"id": "3", … 500 replies deep

    Fix: none, because the file is right; the text encoding holds the same thread without nesting.
    """
    depth_held = JSON_DEPTH if talk.format.info.slug == JSON else XML_DEPTH
    most = (depth_held - 2) // 2
    if len(talk.skeleton) <= most:
        return
    deepest = first = -1
    for position, depth in enumerate(_iterate_depths(talk)):
        if depth > most and first < 0:
            first = position
        deepest = max(deepest, depth)
    if first >= 0:
        yield Diagnostic(f"replies are nested {deepest} deep", position=first)
