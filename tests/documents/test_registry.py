"""Every statement of the five documents is listed, and everything that is listed exists."""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.documents.test_statements import ROWS

ROOT = Path(__file__).parent.parent.parent
DOCUMENTS = tomllib.loads((ROOT / "docs" / "documents.toml").read_text())["document"]
STATEMENTS = [
    pytest.param(each, id=each["number"])
    for document in DOCUMENTS
    for each in document["statement"]
]
COUNTS = {"000": 17, "001": 29, "002": 20, "003": 13, "004": 16}
KNOWN = {"number", "says", "implemented", "tests"}


def test_all_statements_are_listed_in_order() -> None:
    assert [document["number"] for document in DOCUMENTS] == list(COUNTS)
    for document in DOCUMENTS:
        number = document["number"]
        listed = [each["number"] for each in document["statement"]]
        assert listed == [f"{number}-{each}" for each in range(1, COUNTS[number] + 1)]
        for slug in document["formats"]:
            assert (ROOT / "docs" / "formats" / f"{slug}.md").exists()
        assert (ROOT / "tests" / "documents" / f"{document['rows']}.toml").exists()
        for name in (name for each in document["statement"] for name in each["tests"]):
            assert "::" in name or name.startswith(f"{document['rows']}-"), name


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_has_a_proof(statement: dict[str, Any]) -> None:
    assert set(statement) == KNOWN
    assert statement["says"]
    assert statement["implemented"]
    assert statement["tests"]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_modules_and_tests_of_a_statement_exist(statement: dict[str, Any]) -> None:
    for module in statement["implemented"]:
        assert (ROOT / "src" / "talktree" / module).is_file(), module
    assert max(Counter(statement["tests"]).values(), default=1) == 1
    rows = {row.id for row in ROWS}
    for name in statement["tests"]:
        path, parted, function = name.partition("::")
        assert name in rows if not parted else function in functions(path), name


def functions(path: str) -> set[str]:
    """Return the tests that a file defines."""
    tree = ast.parse((ROOT / path).read_text())
    return {
        each.name
        for each in tree.body
        if isinstance(each, ast.FunctionDef) and each.name.startswith("test_")
    }


def test_every_row_proves_a_statement() -> None:
    named = {
        name for document in DOCUMENTS for each in document["statement"] for name in each["tests"]
    }
    assert sorted({str(row.id) for row in ROWS} - named) == []
    path = "tests/documents/test_sage_sessions.py"
    assert sorted({f"{path}::{each}" for each in functions(path)} - named) == []
