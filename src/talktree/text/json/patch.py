"""Change values inside a JSON text and leave every other byte as it is.

`patch_json(text, old, new)` compares two values and replaces, adds or removes only the parts of the
text in which they differ, in the style of the text. Numbers beyond float precision, duplicate names
and odd spacing survive unless they are what changed.
"""

from __future__ import annotations

from talktree.text.json.encode import Style, encode_json, encode_string, learn_style
from talktree.text.json.scanner import JsonNode, NodeKind, scan_json
from talktree.text.json.value import Json, is_same

Edit = tuple[int, int, bytes]
"""Replace the bytes from start to stop."""


def patch_json(text: bytes, new: Json, *, style: Style | None = None, level: int = 0) -> bytes:
    """Return the text with its one value changed to the new one; the same text if nothing
    differs."""
    root = scan_json(text).roots[0]
    return _apply_edits(text, _compute_edits(text, root, new, style or learn_style(text), level))


def find_member(text: bytes, name: str) -> JsonNode | None:
    """Return the member of an object text that counts: the last one with that name."""
    roots = scan_json(text).roots
    if not roots or roots[0].kind is not NodeKind.OBJECT:
        return None
    return next((node for node in reversed(roots[0].children) if node.key == name), None)


def _compute_edits(text: bytes, root: JsonNode, new: Json, style: Style, level: int) -> list[Edit]:
    edits: list[Edit] = []
    pending: list[tuple[JsonNode, Json, int]] = [(root, new, level)]
    while pending:
        node, value, level = pending.pop()
        if is_same(node.value, value):
            continue
        if node.kind is NodeKind.OBJECT and isinstance(value, dict) and value:
            edits += _edit_object(text, node, value, style, level)
            pending += [
                (child, value[key], level + 1)
                for key, child in _index_members(node).items()
                if key in value
            ]
        elif _is_appended(node, value) and isinstance(value, list):
            edits += _append_items(text, node, value, style, level)
            pending += [
                (child, item, level + 1) for child, item in zip(node.children, value, strict=False)
            ]
        else:
            edits.append((node.start, node.stop, encode_json(value, style, level=level)))
    return edits


def _is_appended(node: JsonNode, value: Json) -> bool:
    """Whether an array only changes inside its items or by new ones at its end."""
    return (
        node.kind is NodeKind.ARRAY
        and isinstance(value, list)
        and 0 < len(node.children) <= len(value)
    )


def _index_members(node: JsonNode) -> dict[str, JsonNode]:
    """Index members by name; of duplicate names the last one counts."""
    return {child.key: child for child in node.children if child.key is not None}


def _edit_object(
    text: bytes, node: JsonNode, value: dict[str, Json], style: Style, level: int
) -> list[Edit]:
    kept = [child for child in node.children if child.key in value]
    gone = [child for child in node.children if child.key not in value]
    known = {child.key for child in node.children}
    added = [(key, item) for key, item in value.items() if key not in known]
    edits = [_cut_member(node, child, kept) for child in gone] if kept else []
    if added:
        edits.append(
            _insert_members(text, node, added, style, level, after=kept[-1] if kept else None)
        )
    elif gone and not kept:
        edits.append((node.start, node.stop, b"{}"))
    return edits


def _cut_member(node: JsonNode, child: JsonNode, kept: list[JsonNode]) -> Edit:
    """Remove a member together with its comma."""
    number = node.children.index(child)
    if any(other.start < child.start for other in kept):
        return (node.children[number - 1].stop, child.stop, b"")
    return (child.key_at, node.children[number + 1].key_at, b"")


def _insert_members(
    text: bytes,
    node: JsonNode,
    added: list[tuple[str, Json]],
    style: Style,
    level: int,
    *,
    after: JsonNode | None,
) -> Edit:
    members = [
        (encode_string(key, style) + style.colon).encode()
        + encode_json(item, style, level=level + 1)
        for key, item in added
    ]
    return _insert_items(text, node, members, style, level, after=after)


def _append_items(
    text: bytes, node: JsonNode, value: list[Json], style: Style, level: int
) -> list[Edit]:
    fresh = value[len(node.children) :]
    if not fresh:
        return []
    items = [encode_json(item, style, level=level + 1) for item in fresh]
    return [_insert_items(text, node, items, style, level, after=node.children[-1])]


def _insert_items(
    text: bytes,
    node: JsonNode,
    items: list[bytes],
    style: Style,
    level: int,
    *,
    after: JsonNode | None,
) -> Edit:
    newline = b"" if style.indent is None else style.newline.encode()
    indent = (style.indent or "").encode()
    lead = newline + indent * (level + 1)
    if after is None:
        brackets = (b"{", b"}") if node.kind is NodeKind.OBJECT else (b"[", b"]")
        inside = lead + (b"," + lead).join(items) + newline + indent * level
        return (node.start, node.stop, brackets[0] + inside + brackets[1])
    between = _read_separator(text, node, after, style, lead)
    return (after.stop, after.stop, b"".join(between + item for item in items))


def _read_separator(
    text: bytes, node: JsonNode, after: JsonNode, style: Style, lead: bytes
) -> bytes:
    """Return the separator of two items here, as between their neighbours."""
    number = node.children.index(after)
    if number:
        shown = text[node.children[number - 1].stop : after.key_at]
        if shown.strip() == b",":
            return shown
    return b"," + lead if lead else style.item.encode()


def _apply_edits(text: bytes, edits: list[Edit]) -> bytes:
    out: list[bytes] = []
    at = 0
    for start, stop, fresh in sorted(edits, key=lambda edit: edit[:2]):
        out += (text[at:start], fresh)
        at = max(at, stop)
    out.append(text[at:])
    return b"".join(out)
