"""`talktree formats`: list the formats."""

from __future__ import annotations

import click

from talktree.cli import output, params
from talktree.cli.group import Verb
from talktree.formats import all_formats
from talktree.formats.format import Format, FormatCapabilities
from talktree.text.json.value import Json
from talktree.views.lines import Line, line
from talktree.views.shapes import format_document

WORDS = {
    "tool_call": "tools",
    "thinking": "thinking",
    "attachment": "attachments",
    "artifact": "artifacts",
    "event": "events",
}
"""Parts to list, with their display names."""


@click.command("formats", cls=Verb)
@params.as_json
@params.color
def command(as_json: bool, color: str) -> None:  # noqa: FBT001
    """List the formats: name, what each can hold, where its files come from, and its aliases.

    An alias works wherever the name of a format does.
    """
    formats = all_formats()
    if as_json:
        output.print_text([format_document({"formats": [_build_shape(each) for each in formats]})])
        return
    slugs = max(len(each.info.slug) for each in formats)
    titles = max(len(each.info.title) for each in formats)
    lines = [
        each
        for format in formats
        for each in (_format_line(format, slugs, titles), _format_origin_line(format, slugs))
    ]
    output.print_lines(lines, color=output.use_color(color))


command.examples = ("talktree formats", "talktree formats --json")


def _format_line(format: Format, slugs: int, titles: int) -> Line:
    return line(
        (format.info.slug.ljust(slugs), "title"),
        f"  {format.info.title.ljust(titles)}",
        (f"  {', '.join(_list_capabilities(format.can))}", "faint"),
    )


def _format_origin_line(format: Format, slugs: int) -> Line:
    """Return the origin of a format's files, and its aliases."""
    info = format.info
    also = f"alias: {', '.join(info.aliases)}" if info.aliases else ""
    return line((f"{'':{slugs}}  {'; '.join(filter(None, (info.origin, also)))}", "faint"))


def _list_capabilities(can: FormatCapabilities) -> list[str]:
    held = ["branches"] if can.branches else ["one line"]
    held += [word for part, word in WORDS.items() if part in can.parts]
    held += ["snapshots"] if can.snapshots else []
    held += {"none": ["no times"], "ms": ["times in ms"], "ns": ["times"]}[can.time]
    return held


def _build_shape(format: Format) -> dict[str, Json]:
    info, can = format.info, format.can
    return {
        "slug": info.slug,
        "title": info.title,
        "aliases": [*info.aliases],
        "origin": info.origin,
        "layout": info.layout,
        "suffixes": [*info.suffixes],
        "version": info.version,
        "reads": True,
        "writes": True,
        "can": {
            "branches": can.branches,
            "roles": None if can.roles is None else [*can.roles],
            "parts": [*sorted(can.parts)],
            "fields": [*sorted(can.fields)],
            "flags": [*sorted(can.flags)],
            "time": can.time,
            "snapshots": can.snapshots,
            "heads": can.heads,
            "extra": can.extra,
            "any_text": can.any_text,
        },
    }
