"""Mutants: each is a valid program that differs in one place."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.mutate import SOURCES, Mutant, mutants_of, related_tests

TEXT = '''
"""A module."""
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    import nothing
MOST = 3

def first(limit: int = 5, *, "ü"=0) -> bool:
    """One."""
    if limit < MOST and not limit == 2:
        print("ä")
        return limit + 1 > 2
    return True
'''.replace(', *, "ü"=0', "")


def found() -> list[Mutant]:
    return list(mutants_of(SOURCES / "model" / "some.py", TEXT))


def test_each_mutant_is_a_program_that_differs_in_one_place() -> None:
    assert len(found()) >= 10
    for mutant in found():
        changed = mutant.apply(TEXT)
        assert changed != TEXT
        assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(TEXT))
        assert changed.startswith(TEXT[: mutant.start])
        assert changed.endswith(TEXT[mutant.stop :])
        assert mutant.area == "model"


def test_all_kinds_of_mutants_are_made() -> None:
    made = {(mutant.before, mutant.after) for mutant in found()}
    assert ("limit < MOST", "(limit) <= (MOST)") in made
    assert ("not limit == 2", "((limit == 2))") in made
    assert ("limit + 1", "((limit) - (1))") in made
    assert ('print("ä")', "pass") in made
    assert ("return True", "return None") in made
    assert ("True", "False") in made
    assert ("3", "4") in made
    assert ("5", "6") in made


def test_code_for_the_type_checker_is_left_alone() -> None:
    lines = {mutant.line for mutant in found()}
    assert not lines & {4, 5}


def test_related_tests_exist() -> None:
    root = Path(__file__).parents[1]
    near, folder = (
        related_tests(SOURCES / "plugins.py"),
        related_tests(SOURCES / "model" / "edit.py"),
    )
    for tests in (*near, *folder):
        assert tests
        assert all((root / name).exists() for name in tests)
