"""A conversation as a page, written in one pass; only the outline is held in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from talktree.export.images import find_image_urls
from talktree.export.page.blocks import render_block
from talktree.export.page.frame import END, render_banner, render_head
from talktree.export.page.outline import PageOutline
from talktree.export.walk import ExportWalk, SectionBegin, SideBegin, SideEnd, Stop
from talktree.model.message import META, SIDECHAIN, Message
from talktree.model.parts import Text
from talktree.views.html.block import Chip
from talktree.views.html.rendering import RenderOptions, build_chips, escape, render_blocks
from talktree.views.speakers import find_format_speaker
from talktree.views.transcript import FoldedMessage
from talktree.views.width import format_count, format_moment, to_one_line

PIECE = 1 << 16
SHORT = 4
_ROLES = {"user": "user", "assistant": "agent", "tool": "tool", "system": "system"}
_SKIP = '<a class="tt-x-skip" href="#outline">Outline</a>'
_LOOK = RenderOptions(limit=None)


def render_page(walks: Sequence[ExportWalk], title: str, facts: Sequence[str]) -> Iterator[bytes]:
    """Yield the page of one or several conversations."""
    held: list[str] = []
    size = 0
    for text in _render_texts(walks, title, facts):
        held.append(text)
        size += len(text)
        if size >= PIECE:
            yield "".join(held).encode()
            held, size = [], 0
    yield "".join(held).encode()


def _render_texts(walks: Sequence[ExportWalk], title: str, facts: Sequence[str]) -> Iterator[str]:
    outline = PageOutline()
    theme = walks[0].choice.theme if walks else "system"
    yield render_head(title, theme)
    yield _SKIP
    yield render_banner(title, facts)
    yield "<main>\n"
    offset = 0
    for walk in walks:
        writer = _Writer(walk, outline, offset)
        yield from writer.render_texts(named=len(walks) > 1)
        offset += walk.conversation.record_count
    yield "</main>\n"
    yield outline.render()
    yield END


class _Writer:
    """Writes one conversation; its anchors count from an offset, so that all differ."""

    def __init__(self, walk: ExportWalk, outline: PageOutline, offset: int) -> None:
        self._walk = walk
        self._outline = outline
        self._offset = offset
        self._format = walk.conversation.format
        self._bare = walk.choice.detail == "low"
        self._speaker = ""
        self._facts: tuple[Chip, ...] = ()
        self._sections = offset
        """Sections are numbered after the messages before them."""

    def render_texts(self, *, named: bool) -> Iterator[str]:
        """Yield the conversation piece by piece, with its name if there are others."""
        if named:
            name = self._walk.conversation.title or self._walk.conversation.native_id
            yield f'<h2 class="tt-x-conversation">{escape(to_one_line(name, 120))}</h2>\n'
        is_open = False
        for stop in self._walk.iter_stops():
            if isinstance(stop, SectionBegin):
                yield "</section>\n" if is_open else ""
                is_open = True
            yield self._render_stop(stop)
        if is_open:
            yield "</section>\n"

    def _render_stop(self, stop: Stop) -> str:
        match stop:
            case FoldedMessage():
                return self._render_row(stop)
            case SectionBegin():
                return self._render_begin(stop)
            case SideBegin():
                return (
                    '<details class="tt-x-side"><summary>Sub-agent: '
                    f"{format_count(stop.messages, 'message')}</summary>\n"
                )
            case SideEnd():
                return "</details>\n"

    def _render_begin(self, begin: SectionBegin) -> str:
        place = f"b-{self._sections + begin.number}"
        branch = begin.section.branch
        if branch is None:
            return f'<section id="{place}">\n'
        title = f"Branch of {format_count(len(begin.section.positions), 'message')}"
        self._outline.add_section(self._sections + begin.number, title)
        back = ""
        if branch.fork is not None:
            above = self._offset + self._walk.conversation.find_position(branch.fork)
            back = f' <a href="#m-{above}">from here</a>'
        return f'<section class="tt-x-branch" id="{place}"><h2>{title}{back}</h2>\n'

    def _render_row(self, step: FoldedMessage) -> str:
        message = step.message
        look = (
            RenderOptions(limit=None, address=address)
            if (address := find_image_urls(message))
            else _LOOK
        )
        shown = "".join([render_block(each, bare=self._bare) for each in render_blocks(step, look)])
        ways = self._render_ways(step.position)
        if not shown and not ways:
            return ""
        role = _ROLES.get(message.role, "other")
        place = self._offset + step.position
        if message.role == "user":
            self._note_prompt(place, message)
        return (
            f'<article class="tt-x-row tt-x-{role}" id="m-{place}">{self._render_heading(message)}'
            f"{shown}</article>\n{ways}"
        )

    def _note_prompt(self, place: int, message: Message) -> None:
        if META in message.flags or SIDECHAIN in message.flags:
            return
        text = next((part.text for part in message.parts if isinstance(part, Text)), "")
        if text.strip():
            self._outline.add_prompt(place, text)

    def _render_heading(self, message: Message) -> str:
        """Render the author and new facts; empty while the same author continues."""
        who = find_format_speaker(self._format, message)
        facts = build_chips(message, self._format)
        known = self._facts
        fresh = [chip for chip in facts if chip not in known] if facts != known else []
        same = who == self._speaker
        self._speaker, self._facts = who, facts
        if same and not fresh and not any(type(part) is Text for part in message.parts):
            return ""
        words = "".join(map(_render_chip, fresh))
        time = format_moment(message.time_ns)
        when = f" <time>{time}</time>" if time else ""
        return f'<header><b class="tt-x-who">{escape(who)}</b>{when}{words}</header>'

    def _render_ways(self, position: int) -> str:
        found = self._walk.ways.get(position)
        if not found:
            return ""
        self._outline.add_fork(self._offset + position, len(found))
        links = ", ".join(
            f'<a href="#b-{self._sections + number}">branch {count}</a>'
            for count, (number, _) in enumerate(found, 1)
        )
        return f'<p class="tt-x-ways">Other ways on from here: {links}</p>\n'


def _render_chip(chip: Chip) -> str:
    """Render a small fact; a number or a short word is shown with its label."""
    bare = len(chip.text) <= SHORT or chip.text[0].isdigit()
    text = f"{chip.name} {chip.text}" if bare else chip.text
    return (
        f' <span class="tt-x-chip tt-x-{chip.tone}" title="{escape(chip.name)}">'
        f"{escape(text)}</span>"
    )
