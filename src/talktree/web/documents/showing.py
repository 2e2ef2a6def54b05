"""Which rows of a branch are shown when only some are wanted: `role:user,tool:Bash`."""

from __future__ import annotations

from array import array
from urllib.parse import unquote

from talktree.errors import UsageError
from talktree.web.documents.open_conversation import Opened
from talktree.web.documents.row_list import RowList
from talktree.web.documents.survey import survey_of

NAMES = ("role", "kind", "flag", "tool", "tag")
MOST_TERMS = 40


def chosen_rows(opened: Opened, rows: RowList, show: str) -> array[int]:
    """The numbers of the rows to which all that is asked applies."""
    wanted = terms(show)
    traits = survey_of(opened, rows).traits
    return array(
        "q",
        (
            number
            for number, mine in enumerate(traits)
            if all(not any_of.isdisjoint(mine) for any_of in wanted)
        ),
    )


def terms(show: str) -> list[frozenset[str]]:
    """What is asked for: one set a name, of which one must apply."""
    found: dict[str, set[str]] = {}
    for term in show.split(","):
        name, colon, value = term.strip().partition(":")
        if not colon or name not in NAMES:
            raise UsageError(
                f"rows cannot be chosen by “{term[:60]}”", hint=f"name one of {', '.join(NAMES)}"
            )
        found.setdefault(name, set()).add(f"{name}:{unquote(value).casefold()}")
    if sum(map(len, found.values())) > MOST_TERMS:
        raise UsageError("too much is asked of rows at once", hint=f"at most {MOST_TERMS} terms")
    return [frozenset(values) for values in found.values()]
