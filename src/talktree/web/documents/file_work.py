"""What a tool call does to a file, as far as the call itself tells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, TypeAlias

from talktree.model.derived import tool_key
from talktree.model.parts import ToolCall
from talktree.views.transcript import Step

WRITES = frozenset({"write", "create", "writefile", "createfile"})
EDITS = frozenset({"edit", "multiedit", "strreplace", "strreplaceeditor"})
CELLS = frozenset({"notebookedit"})
READS = frozenset({"read", "readfile", "notebookread", "view"})
DELETES = frozenset({"delete", "deletefile", "remove", "removefile"})
_PATHS = ("file_path", "path", "notebook_path", "filename", "file")
_OLD = ("old_string", "old_str")
_NEW = ("new_string", "new_str", "new_source")
_WHOLE = ("content", "file_text", "contents")


class Whole(NamedTuple):
    """The file has this content now."""

    text: str


class Swap(NamedTuple):
    """A text in it became another one."""

    old: str
    new: str
    everywhere: bool


class Gone(NamedTuple):
    """There is no such file any more."""


class Unclear(NamedTuple):
    """Something was done that the call does not tell in full."""


Deed: TypeAlias = Whole | Swap | Gone | Unclear


class FileWork(NamedTuple):
    """What one call does to one file."""

    path: str
    kind: Literal["write", "edit", "delete", "read"]
    deeds: tuple[Deed, ...] = ()


def file_work(call: ToolCall) -> FileWork | None:
    """What a call does to a file; None if it is about no file."""
    given = call.input if isinstance(call.input, Mapping) else {}
    path = _first(given, _PATHS)
    if path is None:
        return None
    key = tool_key(call.name)
    if key in READS or given.get("command") == "view":
        return FileWork(path, "read")
    if key in DELETES:
        return FileWork(path, "delete", (Gone(),))
    if key in CELLS:
        return FileWork(path, "edit", (Unclear(),))
    whole = _first(given, _WHOLE)
    if key in WRITES or (key in EDITS and given.get("command") == "create"):
        return FileWork(path, "write", (Unclear() if whole is None else Whole(whole),))
    if key in EDITS:
        return FileWork(path, "edit", tuple(_edited(given, whole)) or (Unclear(),))
    return None


def _edited(given: Mapping[str, object], whole: str | None) -> Iterator[Deed]:
    """Texts that became others; some programs edit by giving all of the new content."""
    if whole is not None and "edits" not in given and _first(given, _OLD) is None:
        yield Whole(whole)
    else:
        yield from _swaps(given)


def _swaps(given: Mapping[str, object]) -> Iterator[Deed]:
    edits = given.get("edits")
    for each in edits if isinstance(edits, list) else [given]:
        old = _first(each, _OLD) if isinstance(each, Mapping) else None
        new = _first(each, _NEW) if isinstance(each, Mapping) else None
        if old is None or new is None:
            yield Unclear()
        else:
            yield Swap(old, new, bool(each.get("replace_all")))


def works_of(step: Step) -> Iterator[tuple[int, FileWork]]:
    """What the calls of a message did to files; those that failed did nothing."""
    for number, part in enumerate(step.message.parts):
        if not isinstance(part, ToolCall):
            continue
        work = file_work(part)
        answer = step.answers.get(number)
        if work is not None and not (answer is not None and answer.error):
            yield number, work


def changed_paths(step: Step) -> set[str]:
    """The files that a message changed through its calls."""
    return {work.path for _, work in works_of(step) if work.kind != "read"}


def _first(given: Mapping[str, object], names: tuple[str, ...]) -> str | None:
    return next((found for name in names if isinstance(found := given.get(name), str)), None)
