"""How fast messages are rendered as HTML, by kind of content, compared with other renderers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from bench.history import history
from bench.measure import Row, side_by_side, table
from talktree import api
from talktree.model.parts import Text, Thinking, ToolCall, ToolResult
from talktree.views.arguments import extract_edits, find_first_text, get_arguments
from talktree.views.html.rendering import (
    RenderOptions,
    build_chips,
    diff_unified,
    render_blocks,
    render_code,
    render_markdown,
    render_terminal,
)
from talktree.views.transcript import FoldedMessage, fold_results

SAMPLE = 40
"""Sessions of the history that are rendered."""


def rows(megabytes: int) -> Iterator[Row]:
    """Measure each kind of content, and all of it against reading it."""
    steps = list(_steps(sorted(history(megabytes).rglob("*.jsonl"))[:SAMPLE]))
    prose = [part.text for part in _parts(steps) if isinstance(part, Text | Thinking)]
    yield from _prose(prose)
    yield from _sources([text for text, _ in _written(steps)])
    yield _one("tool output", _printed(steps), render_terminal)
    pairs = [pair for _, pairs in _written(steps) for pair in pairs]
    yield _one("edits as differences", [f"{a}\0{b}" for a, b in pairs], _difference)
    yield _whole(steps)


def _steps(paths: Sequence[Path]) -> Iterator[FoldedMessage]:
    for path in paths:
        yield from fold_results(
            enumerate(api.read(path, format="claude-code").conversation.messages())
        )


def _parts(steps: Sequence[FoldedMessage]) -> Iterator[object]:
    for step in steps:
        yield from step.message.parts


def _printed(steps: Sequence[FoldedMessage]) -> list[str]:
    results = (part for part in _parts(steps) if isinstance(part, ToolResult))
    return [each.text for part in results for each in part.output if isinstance(each, Text)]


def _written(steps: Sequence[FoldedMessage]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield what each call writes to files: whole contents, and replacements."""
    for part in _parts(steps):
        if isinstance(part, ToolCall):
            given = get_arguments(part)
            pairs = extract_edits(given) if part.name == "Edit" else []
            yield find_first_text(given, "content") or "", pairs


def _prose(texts: Sequence[str]) -> Iterator[Row]:
    yield _one("Markdown", texts, render_markdown)
    for name, render in _parsers():
        yield _against(
            "Markdown, safe, with links and code finished", texts, render_markdown, name, render
        )


def _parsers() -> Iterator[tuple[str, Callable[[str], object]]]:
    """Yield the parsers alone, as far as they are installed."""
    import comrak

    yield "comrak alone", comrak.render_markdown
    try:
        import pyromark  # type: ignore[import-not-found, unused-ignore]

        yield "pyromark alone", pyromark.html
    except ImportError:
        pass
    try:
        from markdown_it import MarkdownIt

        yield (
            "markdown-it-py alone",
            MarkdownIt("commonmark", {"html": False}).enable("table").render,
        )
    except ImportError:
        pass


def _sources(texts: Sequence[str]) -> Iterator[Row]:
    from pygments import highlight  # type: ignore[import-untyped]
    from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]
    from pygments.lexers import PythonLexer  # type: ignore[import-untyped]

    some = [text for text in texts if text][:30]
    lexer, formatter = PythonLexer(), HtmlFormatter()
    yield _against(
        "source in colours", some, lambda text: render_code(text, "python"),
        "Pygments", lambda text: highlight(text, lexer, formatter),
    )  # fmt: skip


def _difference(both: str) -> object:
    old, _, new = both.partition("\0")
    return diff_unified(old, new)


def _whole(steps: Sequence[FoldedMessage]) -> Row:
    """Compare rendering all blocks and chips of all messages with measuring their parts."""
    size = sum(len(text) for text in _printed(steps)) + sum(
        len(part.text) for part in _parts(steps) if isinstance(part, Text | Thinking)
    )
    look = RenderOptions(limit=None)

    def _all() -> None:
        for step in steps:
            render_blocks(step, look)
            build_chips(step.message, "claude-code")

    ours, _ = side_by_side(_all, lambda: None, rounds=3)
    return Row("messages as blocks and chips", f"{size / 1e6 / ours:.0f} MB/s", "", "", "")


def _one(what: str, texts: Sequence[str], render: Callable[[str], object]) -> Row:
    size = sum(map(len, texts)) / 1e6
    ours, _ = side_by_side(lambda: [render(text) for text in texts], lambda: None, rounds=3)
    return Row(what, f"{size / ours:.0f} MB/s", "", "", "")


def _against(
    what: str,
    texts: Sequence[str],
    render: Callable[[str], object],
    name: str,
    other: Callable[[str], object],
) -> Row:
    size = sum(map(len, texts)) / 1e6
    ours, theirs = side_by_side(
        lambda: [render(text) for text in texts], lambda: [other(text) for text in texts], rounds=3
    )
    details = f"{name} {size / theirs:.1f} MB/s"
    return Row(what, f"{size / ours:.1f} MB/s", details, f"{theirs / ours:.2f}×", "")


if __name__ == "__main__":
    print(table(list(rows(int(sys.argv[1]) if len(sys.argv) > 1 else 100))), end="")
