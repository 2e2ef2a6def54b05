"""The page of the five documents, written from `documents.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parent / "documents.toml"
HEAD = """# The five documents

What the documents that Talktree started from state, where each statement is implemented, and the
tests that prove it. `make docs` writes this page from `docs/documents.toml`; a test checks that
every module and test exists and that every statement that works has a proof. The rows of
`tests/documents/*.toml` hold the words of the document, files typed off it, and what the command
line and the API must make of them.

"""


def documents() -> list[dict[str, Any]]:
    """All documents with their statements."""
    found: list[dict[str, Any]] = tomllib.loads(SOURCE.read_text(encoding="utf-8"))["document"]
    return found


def page() -> str:
    """The page."""
    found = documents()
    return HEAD + _summary(found) + "".join(map(_document, found))


def _summary(found: Sequence[Mapping[str, Any]]) -> str:
    rows = ""
    for document in found:
        statements = document["statement"]
        later = [each["number"] for each in statements if "follows" in each]
        title = f"{document['number']} {document['name']}"
        rows += (
            f"| [{title}](#{title.lower().replace(' ', '-')}) | {len(statements)} "
            f"| {len(statements) - len(later)} | {', '.join(later) or '–'} |\n"
        )
    return "| document | statements | work | follow later |\n|---|--:|--:|---|\n" + rows


def _document(document: Mapping[str, Any]) -> str:
    formats = ", ".join(f"[`{slug}`](../formats/{slug}.md)" for slug in document["formats"])
    differs = "".join(f"- {each}\n" for each in document["differs"])
    rows = "".join(_row(each, document["rows"]) for each in document["statement"])
    return (
        f"\n## {document['number']} {document['name']}\n\n"
        f"The *{document['title']}*. Described in {formats}.\n\n"
        "Where the document contradicts itself or the files that exist (the page of the format\n"
        "says what Talktree does):\n\n"
        f"{differs}\n"
        f"| # | statement | implemented in | proved by |\n|---|---|---|---|\n{rows}"
    )


def _row(statement: Mapping[str, Any], rows: str) -> str:
    says = statement["says"]
    if "follows" in statement:
        says += f" **Follows later.** {statement['follows']}"
    modules = ", ".join(
        f"[{each.removesuffix('.py')}](../../src/talktree/{each})"
        for each in statement["implemented"]
    )
    tests = _tests(statement["tests"], rows)
    return f"| {statement['number']} | {says} | {modules or '–'} | {tests} |\n"


def _tests(names: Sequence[str], rows: str) -> str:
    """Rows of the document's file behind one link, and a link for each other test."""
    own = [f"`{each.removeprefix(f'{rows}-')}`" for each in names if "::" not in each]
    found = [f"[{rows}.toml](../../tests/documents/{rows}.toml): {', '.join(own)}"] if own else []
    for path, _, function in (each.partition("::") for each in names if "::" in each):
        found.append(f"[`{function}`](../../{path})")
    return "; ".join(found) or "–"
