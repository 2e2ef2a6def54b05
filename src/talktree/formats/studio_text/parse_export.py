"""Splitting what Conversation Studio's exporters wrote: multiparts nested as deep as the replies.

One pass over the boundary lines, with the open multiparts on a stack. A comment is either bare (its
replies are the wrapped parts after it) or wrapped in a multipart of its own (its replies are the
further parts in there). The newest exports start with a boundary line, without any header.
"""

from __future__ import annotations

from talktree.formats.studio_text import repair
from talktree.formats.studio_text.lens import (
    CommentPart,
    get_parent_id,
    is_attachment,
    is_comment,
    read_attachment,
    read_comment,
)
from talktree.formats.studio_text.parse import (
    DOCUMENT,
    NO_BLANK_LINE,
    Level,
    PieceDraft,
    Tear,
    TextLayout,
    TextParser,
    make_piece,
)
from talktree.formats.studio_text.parse_multipart import (
    BoundaryLine,
    PartHead,
    get_newline,
    read_head,
)

LOST = b"[object Promise]"
DAMAGED_LINE = "a damaged boundary line"


class ExportedTextParser(TextParser):
    """Parses one text."""

    def run(self) -> TextLayout:
        """Return the pieces of the text."""
        found = DOCUMENT.search(self.text)
        while found is not None:
            self.report_stray_text(self.resume, found.start())
            at = self._read_multipart(found.start())
            found = DOCUMENT.search(self.text, at)
        if self.dialect != "none":
            self.report_stray_text(self.resume, len(self.text))
        pieces = [make_piece(self.text, draft) for draft in self.drafts]
        frame = (self.text[: self.framed], self.text[self.resume :])
        return TextLayout(
            self.dialect, pieces, frame, self.problems, self.root, self.newline, self.tears
        )

    # documents

    def _read_multipart(self, at: int) -> int:
        """Read one multipart and everything in it; return where it ends."""
        implied = self.text.startswith(b"--", at)
        head = read_head(self.text, at)
        name = _line_name(self.text, at) if implied else head.boundary
        if not name:
            return max(head.body, at + 1)
        if not self.drafts:
            self.framed = self.resume = at
        if implied:
            self.dialect, self.root = "app", name
        else:
            self.checked = head.body
        self.open_multipart(name, at).kind = "list" if implied else "undecided"
        line = self.find_next_line(at if implied else head.stop)
        self.reached = max(self.reached, at + 1)
        if not implied:
            line = self._rescue_part(head.body, line) or line
        if line is not None:
            self.newline = get_newline(self.text, line)
        while line is not None:
            level = self._close_down_to(line)
            if line.last:
                self._close_level(level, line)
                if not self.levels:
                    return line.stop
                line = self._find_line_after(line)
            else:
                line = self._read_part(level, line)
        return self._close_truncated()

    def _find_line_after(self, closed: BoundaryLine) -> BoundaryLine | None:
        """Return the boundary line after one that closed a multipart inside another."""
        after = self.find_next_line(closed.stop)
        return self._rescue_part(closed.stop, after) or after

    def _rescue_part(self, at: int, line: BoundaryLine | None) -> BoundaryLine | None:
        """Return a damaged boundary line in text that is not content, or None."""
        if line is None or not self.text[at : line.start].strip():
            return None
        found = repair.find_first_line(self.text, at, line.start, self.levels[-1].name)
        if found is not None:
            self.add_problem("separator", found.start, DAMAGED_LINE)
        return found

    def _close_down_to(self, line: BoundaryLine) -> Level:
        """Close what was left open inside the multipart that a line belongs to."""
        while self.levels[-1].name != line.name:
            self.add_problem("separator", line.start, "a multipart is not closed")
            self._close_level(self.levels[-1], BoundaryLine(line.start, line.start, b"", True))
        return self.levels[-1]

    def _close_level(self, level: Level, line: BoundaryLine) -> None:
        self.levels.pop()
        del self.names[level.name]
        owner = level.owner
        if level.kind == "wrap" and owner is not None:
            if owner.hole is None:
                owner.hole = owner.resume = line.start
            self.report_stray_text(owner.resume, line.start)
            if owner.value is None:
                self.add_problem("separator", owner.start, "a multipart without a comment")
            self._finish_draft(owner, line.stop)
        elif owner is not None:
            self._finish_bare(owner)

    def _close_truncated(self) -> int:
        """Close multiparts at the end of the text or at the next document; return where this is."""
        line = self.make_missing_line()
        self.add_problem("torn", line.start, "the text ends before its last boundary line")
        names = tuple(level.name for level in reversed(self.levels))
        self.tears.append(Tear(line.start, line.stop, names))
        while self.levels:
            self._close_level(self.levels[-1], BoundaryLine(line.start, line.start, b"", True))
        return line.stop

    # parts

    def _read_part(self, level: Level, line: BoundaryLine) -> BoundaryLine | None:
        """Read one part; return the boundary line after it."""
        head = read_head(self.text, line.stop)
        name = self._find_nested_boundary(head, line)
        if level.kind == "undecided":
            self._decide_kind(level, line, listed=name is not None or not is_comment(head))
        if name is not None:
            return self._read_wrapper(level, line, head, name)
        after = self.find_next_line(head.body)
        stop = (after or self.make_missing_line()).start
        part = CommentPart(self.text, line.stop, head, stop, get_newline(self.text, line))
        found = self._find_proven_line(level, part)
        if found is not None:
            after, part = found, part._replace(stop=found.start)
        if is_comment(head):
            self._read_comment(level, line, part)
        elif not (is_attachment(head) and self._attach_file(level.owner, part, line)):
            self._read_unknown(level, line, part)
        return after

    def _find_proven_line(self, level: Level, part: CommentPart) -> BoundaryLine | None:
        """Return a damaged boundary line that would otherwise become part of a body, or None."""
        if is_comment(part.head):
            found = repair.find_proven_line(part, level.name)
        elif is_attachment(part.head):
            found = repair.find_first_line(self.text, part.head.body, part.stop, level.name)
        else:
            return None
        if found is not None:
            self.add_problem("separator", found.start, DAMAGED_LINE)
        return found

    def _find_nested_boundary(self, head: PartHead, line: BoundaryLine) -> bytes | None:
        """Return the boundary of the multipart that a part is, or None."""
        name = head.boundary
        known = name is not None and self.last.get(name, -1) >= head.body
        if name is not None and known:
            return name if name not in self.names else None
        if is_comment(head) or is_attachment(head):
            return None
        stop = self.find_next_line(line.stop)
        end = stop.start if stop is not None else len(self.text)
        found = repair.find_inner_name(self.text, line.stop, end)
        if found is not None and found not in self.names:
            self.add_problem("header", line.stop, "a damaged header")
            return found
        return name if name not in self.names else None

    def _decide_kind(self, level: Level, line: BoundaryLine, *, listed: bool) -> None:
        """Decide whether a multipart is a list of comments or, in older exports, one comment."""
        if listed:
            level.kind, self.dialect, self.root = "list", "worker", level.name
            if not self.drafts:
                self.framed = self.resume = line.start
            return
        level.kind, self.dialect, self.root = "wrap", "older", b""
        level.owner = self._make_draft(None, level.start, level.start, b"", boundary=level.name)

    def _make_draft(
        self,
        container: PieceDraft | None,
        gap_to: int,
        start: int,
        within: bytes,
        *,
        boundary: bytes,
    ) -> PieceDraft:
        """Return a new piece after the last one in its container."""
        first = container.hole is None if container else not self.drafts
        if container is not None and container.hole is None:
            container.hole = container.resume = gap_to
        before = container.resume if container else self.resume
        self.report_stray_text(before, gap_to)
        made = PieceDraft(
            start=start,
            gap=self.text[before:start],
            depth=container.depth + 1 if container else 0,
            container=container,
            first=first,
            within=within,
            boundary=boundary,
        )
        self.drafts.append(made)
        return made

    def _finish_draft(self, draft: PieceDraft, end: int) -> None:
        draft.end = end
        if draft.container is None:
            self.resume = end
        else:
            draft.container.resume = end

    def _finish_bare(self, draft: PieceDraft) -> None:
        if draft.hole is None:
            draft.hole = draft.resume = draft.end
        self._finish_draft(draft, draft.resume)

    def _read_wrapper(
        self, level: Level, line: BoundaryLine, head: PartHead, name: bytes
    ) -> BoundaryLine | None:
        owner = self._make_draft(level.owner, line.start, line.stop, level.name, boundary=name)
        owner.reply = get_parent_id(head)
        inner = self.open_multipart(name, line.stop)
        inner.owner = owner
        after = self.find_next_line(head.body)
        if after is not None and after.start > head.body:
            self._rescue_comment(inner, head, line, after)
        return after

    def _rescue_comment(
        self, level: Level, head: PartHead, line: BoundaryLine, after: BoundaryLine
    ) -> None:
        """Find the comment of a multipart whose first boundary line is damaged."""
        at = self.text.find(b"\n", head.body, after.start) + 1
        inner = read_head(self.text, at)
        if at and is_comment(inner) and inner.body <= after.start:
            self.add_problem("separator", head.body, DAMAGED_LINE)
            part = CommentPart(self.text, at, inner, after.start, get_newline(self.text, line))
            self._read_comment(level, line, part)

    def _read_comment(self, level: Level, line: BoundaryLine, part: CommentPart) -> None:
        if not part.head.blank:
            self.add_problem("header", part.at, NO_BLANK_LINE)
        owner = level.owner
        fills = level.kind == "wrap" and owner is not None and owner.is_awaiting_comment
        if not fills:
            if level.kind == "list" and owner is not None:
                self._finish_bare(owner)
                level.owner = None
            owner = self._make_draft(
                level.owner, line.start, line.stop, level.name, boundary=level.name
            )
        assert owner is not None
        found = read_comment(part, lists=self.dialect == "app", reply=owner.reply)
        owner.value, owner.places = found.value, found.places
        owner.end = part.stop
        if not fills and level.kind == "list":
            level.owner = owner
        elif not fills:
            self.add_problem("separator", part.at, "a second comment where a reply should be")
            self._finish_bare(owner)

    def _attach_file(self, owner: PieceDraft | None, part: CommentPart, line: BoundaryLine) -> bool:
        """Add an attachment to the comment directly before it; return False if there is none."""
        if owner is None or owner.value is None or owner.hole is not None:
            return False
        held = owner.value["attachments"]
        assert isinstance(held, list)
        held.append(read_attachment(part))
        owner.attachments.append(line.start)
        owner.end = part.stop
        return True

    def _read_unknown(self, level: Level, line: BoundaryLine, part: CommentPart) -> None:
        made = self._make_draft(level.owner, line.start, line.stop, level.name, boundary=level.name)
        made.end = part.stop
        self._finish_bare(made)
        if LOST in self.text[part.at : part.stop]:
            self.add_problem("lost", part.at, "replies that were lost when the text was exported")
        else:
            self.add_problem("unknown-record", part.at, "a part that is no comment")


def _line_name(text: bytes, at: int) -> bytes:
    return text[at + 2 : text.find(b"\n", at)].rstrip(b" \t\r")
