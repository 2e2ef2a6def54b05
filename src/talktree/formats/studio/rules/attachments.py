"""STU3: the attachments of comments."""

from __future__ import annotations

import re
from collections.abc import Iterator

from talktree.formats.fixes import repair_value
from talktree.formats.lens import Object
from talktree.formats.rule import Diagnostic, make_safe_fix, rule
from talktree.formats.rule_context import RuleRecord
from talktree.formats.studio.adopt import find_linked_name, get_data_url_type
from talktree.formats.studio.rules.items import LONGEST_SHOWN, MEDIA, Items
from talktree.formats.studio.schema import (
    ENCODINGS,
    JSON,
    NUMBER,
    is_of_kind,
    iterate_items,
    with_members,
    without_member,
)
from talktree.settings.attachments import attachment_settings
from talktree.text.json.value import Json
from talktree.text.media import (
    ENOUGH,
    data_size,
    decode_data_url,
    detect_media_type,
    parse_data_url,
)

ITEMS = Items("attachments", "attachment", "name")
_SIDE = re.compile(r"[0-9]{1,6}", re.ASCII)
BASE64 = ";base64,"
HEAD = 200
"""Maximum number of characters within which a data URL names its type."""


@rule(
    "STU301",
    "attachment-lacks-file",
    "warning",
    on="message",
    formats=[JSON],
    fix=make_safe_fix(repair_value(ITEMS.replace_item)),
)
def attachment_lacks_file(seen: RuleRecord) -> Iterator[Diagnostic]:
    """An attachment has no `file`, the object for what is known of the file.

    Why: the document's schema requires it, so programs that go by it refuse the whole
    conversation. The app's own export leaves it out.

    Bad:
        {"name": "plan.pdf", "type": "application/pdf", "url": "https://example.com/plan.pdf"}

    Fix (safe): an empty `file` is put in, as the document's examples have it.
    """
    for place, item in iterate_items(seen.value, ITEMS.name):
        if item.get("file") is None:
            yield ITEMS.report("has no `file`", place, item, make=with_members(file={}))


@rule(
    "STU302",
    "attachment-lacks-url",
    "warning",
    on="message",
    formats=ENCODINGS,
    fix=make_safe_fix(repair_value(ITEMS.replace_item)),
)
def attachment_lacks_url(seen: RuleRecord) -> Iterator[Diagnostic]:
    """An attachment has no `url`, or null in its place: its content is not here.

    Why: the schema requires a text, though one of the document's own examples has null. One of the
    app's exporters crashes on null, and then nothing is exported at all.

    Bad:
        {"name": "abc.txt", "type": "text/plain", "file": {}, "url": null}

    Fix (safe): the `url` becomes the empty text, which says the same and is allowed. The content
    was not here before and is not here afterwards.
    """
    for place, item in iterate_items(seen.value, ITEMS.name):
        if item.get("url") is None:
            at = "url" if "url" in item else ""
            yield ITEMS.report(
                "has no `url`: its content is not here",
                place,
                item,
                at=at,
                make=with_members(url=""),
            )


@rule("STU303", "attachment-content-lost", "warning", on="message", formats=ENCODINGS)
def attachment_content_lost(seen: RuleRecord) -> Iterator[Diagnostic]:
    """The `url` of an attachment leads nowhere any more: it is cut off, or it named something in
    the memory of a browser.

    Why: the attachment looks complete and is not. One of the app's exporters cuts each URL after a
    hundred characters; a `blob:` URL is gone as soon as its page is closed.

    Bad:
        {"name": "map.png", "type": "image/png", "url": "data:image/png;base64,iVBORw0KGg..."}

    Fix: none, because the content is not in this file; export the conversation again, or attach the
    file anew.
    """
    for place, item in iterate_items(seen.value, ITEMS.name):
        url = item.get("url")
        what = _find_lost_data(url) if isinstance(url, str) else None
        if what:
            yield ITEMS.report(what, place, item, at="url")


def _find_lost_data(url: str) -> str | None:
    if url.startswith("blob:"):
        return "was in the memory of a browser"
    if not url.startswith("data:"):
        return "has a `url` that is cut off" if url.endswith("...") else None
    start = url.find(BASE64, 0, HEAD)
    if start < 0:
        return None
    start += len(BASE64)
    if url.find(".", start) >= 0:
        return "has a `url` that is cut off"
    # Four characters are three bytes; one alone is not a byte at all.
    size = len(url) - start - (2 if url.endswith("==") else 1 if url.endswith("=") else 0)
    return "has a `url` that is cut off" if size % 4 == 1 and url.find("\n", start) < 0 else None


@rule(
    "STU304",
    "attachment-lacks-name",
    "error",
    on="message",
    formats=ENCODINGS,
    fix=make_safe_fix(repair_value(ITEMS.replace_item)),
)
def attachment_lacks_name(seen: RuleRecord) -> Iterator[Diagnostic]:
    """An attachment has no `name`.

    Why: the document's schema requires it, and the name is all that people see of a file that is
    no image.

    Bad:
        {"type": "application/pdf", "file": {}, "url": "https://example.com/plan.pdf"}

    Fix (safe): a link to a file tells its name, and that is taken. For any other content a name
    would have to be made up, so it stays without one.
    """
    for place, item in iterate_items(seen.value, ITEMS.name):
        if item.get("name") is None:
            url = item.get("url")
            name = find_linked_name(url) if isinstance(url, str) else None
            make = None if name is None else with_members(name=name)
            yield ITEMS.report("has no `name`", place, item, make=make)


@rule(
    "STU305",
    "attachment-media-type",
    "note",
    on="message",
    formats=ENCODINGS,
    instead_of=["SEC117"],
    fix=make_safe_fix(repair_value(ITEMS.replace_item)),
)
def attachment_media_type(seen: RuleRecord) -> Iterator[Diagnostic]:
    """The `type` of an attachment is not a media type, or it is missing.

    Why: the document asks for proper media types on all attachments. By the type a program decides
    whether to show an image or to offer a file; `image` says too little for that.

    Bad:
        {"name": "map.png", "type": "image", "file": {}, "url": "data:image/png;base64,iVBORw0K"}

    Fix (safe): the type that the data URL names is taken, or the one its first bytes have. Where
    the URL is a link, it is not known without following it, so the type stays as it is.
    """
    for place, item in iterate_items(seen.value, ITEMS.name):
        said, url = item.get("type"), item.get("url")
        if isinstance(said, str) and MEDIA.fullmatch(said):
            continue
        known = (
            (get_data_url_type(url) or _detect_type_by_bytes(url)) if isinstance(url, str) else None
        )
        if isinstance(said, str):
            make = None if known is None else with_members(type=known)
            what = f"has the type {said[:LONGEST_SHOWN]!r}, which is not a media type"
            yield ITEMS.report(what, place, item, at="type", make=make)
        elif said is None and known is not None:
            yield ITEMS.report(
                f"does not say that it is {known}", place, item, make=with_members(type=known)
            )
        elif said is None and url:
            yield ITEMS.report("has no `type`", place, item)


def _detect_type_by_bytes(url: str) -> str | None:
    head = parse_data_url(url)
    return None if head is None else detect_media_type(decode_data_url(url, head, most=ENOUGH))


@rule("STU306", "attachment-types-differ", "warning", on="message", formats=ENCODINGS)
def attachment_types_differ(seen: RuleRecord) -> Iterator[Diagnostic]:
    """An attachment is said to be of one type, and its own data URL says another.

    Why: one program shows it by its `type`, another by its URL; a page that is labelled as an image
    gets past a reader that looks at the label only.

    Bad:
        {"name": "map.png", "type": "image/png", "file": {}, "url": "data:text/html;base64,PGI+"}

    Fix: none, because it is not known which of the two is right.
    """
    for place, item in iterate_items(seen.value, ITEMS.name):
        said, url = item.get("type"), item.get("url")
        if isinstance(said, str) and isinstance(url, str) and url.startswith("data:"):
            named = get_data_url_type(url)
            plain = said.partition(";")[0].strip().lower()
            if named is not None and named != plain and MEDIA.fullmatch(said):
                what = f"is said to be {plain[:LONGEST_SHOWN]}, its URL says {named}"
                yield ITEMS.report(what, place, item, at="type")


@rule(
    "STU307",
    "large-attachment",
    "warning",
    on="message",
    formats=ENCODINGS,
    instead_of=["SYN505"],
)
def large_attachment(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A file that is larger than the limit is in the comment itself, as a data URL. The limit is
    10 MB, or `max-size` in your configuration; what counts is the file, not its base64.

    Why: the document asks to limit the size of attachments. The app works in a browser, which keeps
    about that for a whole site, and each copy of the conversation carries the file.

    Bad:
        {"name": "talk.mp4", "type": "video/mp4", "file": {}, "url": "data:video/mp4;base64,… 7 MB"}

    Fix: none, because the content would be lost; keep the file beside the conversation and link to
    it.
    """
    for place, item in iterate_items(seen.value, ITEMS.name):
        url = item.get("url")
        head = parse_data_url(url) if isinstance(url, str) else None
        if not isinstance(url, str) or head is None:
            continue
        limit = attachment_settings().max_size
        if len(url) > limit and (held := data_size(url, head)) > limit:
            what = f"has {held:,} bytes; the limit is {limit:,}"
            yield ITEMS.report(what, place, item, at="url")


def _with_sides(item: Object) -> Object:
    """Return an attachment whose width and height are numbers if they were digits in a text."""
    file, sides = item.get("file"), _get_dimensions(item)
    if not isinstance(file, dict) or not isinstance(sides, dict):
        return item
    made = {
        side: int(text)
        for side in ("width", "height")
        if isinstance(text := sides.get(side), str) and _SIDE.fullmatch(text)
    }
    return {**item, "file": {**file, "dimensions": {**sides, **made}}}


def _get_dimensions(item: Object) -> Json:
    file = item.get("file")
    return file.get("dimensions") if isinstance(file, dict) else None


def _find_odd_side(sides: Object) -> str | None:
    return next(
        (
            side
            for side in ("width", "height")
            if side in sides and not is_of_kind(sides[side], NUMBER)
        ),
        None,
    )


@rule(
    "STU308",
    "attachment-member-kind",
    "error",
    on="message",
    formats=ENCODINGS,
    fix=make_safe_fix(repair_value(ITEMS.replace_item)),
)
def attachment_member_kind(seen: RuleRecord) -> Iterator[Diagnostic]:
    """An attachment, or a member of one, is of another kind than the document says.

    Why: programs that go by the document's schema refuse the whole conversation for it.

    Bad:
        {"name": "map.png", "url": "https://example.com/map.png", "file": {"dimensions":
          {"width": "800", "height": "600"}}}

    Fix (safe): width and height that are digits in quotation marks become numbers, and null where a
    member may as well be missing is taken out. Other values are not guessed at.
    """
    value = seen.value
    items = value.get(ITEMS.name) if isinstance(value, dict) else None
    for place, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, dict):
            yield from _report_odd_members(item, place, nulls=seen.talk.format.info.slug == JSON)
        else:
            yield Diagnostic(
                f"attachment {place + 1} is no object", f"{ITEMS.name}/{place}", fixable=False
            )


def _report_odd_members(item: Object, place: int, *, nulls: bool) -> Iterator[Diagnostic]:
    for name, kind in (("url", str), ("name", str), ("type", str), ("file", dict)):
        if item.get(name) is not None and not is_of_kind(item[name], kind):
            yield ITEMS.report(f"has an odd `{name}`", place, item, at=name)
    if nulls and "type" in item and item["type"] is None:
        yield ITEMS.report(
            "has null for its `type`", place, item, at="type", make=without_member("type")
        )
    file, sides = item.get("file"), _get_dimensions(item)
    if isinstance(sides, dict):
        side = _find_odd_side(sides)
        if side is not None:
            made = _get_dimensions(_with_sides(item))
            helps = isinstance(made, dict) and _find_odd_side(made) is None
            what, at = f"has a {side} that is no number", f"file/dimensions/{side}"
            yield ITEMS.report(what, place, item, at=at, make=_with_sides if helps else None)
    elif isinstance(file, dict) and "dimensions" in file:
        make = None if sides is not None else with_members(file=without_member("dimensions")(file))
        yield ITEMS.report("has odd dimensions", place, item, at="file/dimensions", make=make)
