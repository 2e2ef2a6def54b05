"""CHB5: the files of a conversation: their numbers, folders and settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from talktree.formats.chatbuilder.rules.header_fields import FORMATS
from talktree.formats.chatbuilder.write import (
    folder_of,
    group_by_folder,
    is_config,
    name_of,
    parse_digits,
)
from talktree.formats.fixes import repair_value
from talktree.formats.rule import Diagnostic, make_safe_fix, rule
from talktree.formats.rule_context import RuleRecord, Setting
from talktree.text.json.value import Json

TOP = "messages"
"""The folder in which the specification keeps conversations."""
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]{1,9}", re.ASCII)
LONGEST_SHOWN = 40


def _file_numbers(paths: list[str]) -> list[int]:
    return [int(parse_digits(path) or 0) for path in paths]


@rule("CHB501", "gap-in-numbers", "note", on="source", formats=FORMATS)
def gap_in_numbers(setting: Setting) -> Iterator[Diagnostic]:
    """The numbers of the message files have a gap, or do not start at 1.

    Why: files are numbered in the order of the conversation, so a number that is missing may be a
    message that is missing. They load all the same.

    Bad:
        notes/1.md
        notes/3.md

    Fix: none, because it is not known whether a message is missing or was taken out on purpose.
    """
    if not setting.origin.source.folder:
        return
    for paths in group_by_folder(setting.origin.source.files).values():
        numbers = _file_numbers(paths)
        if numbers[0] > 1:
            yield Diagnostic(f"the first file is {name_of(paths[0])}", path=paths[0])
        for path, (before, after) in zip(paths[1:], pairwise(numbers), strict=True):
            if after > before + 1:
                yield Diagnostic(f"{before} is followed by {after}", path=path)


@rule("CHB502", "number-twice", "warning", on="source", formats=FORMATS)
def number_twice(setting: Setting) -> Iterator[Diagnostic]:
    """Two files of a conversation have the same number, written with and without zeros in front.

    Why: files are sorted by number, so which of the two comes first is left to chance.

    Bad:
        notes/01.md
        notes/1.md

    Fix: none, because it is not known which of the two is the one meant, or in which order they
    belong.
    """
    for paths in group_by_folder(setting.origin.source.files).values():
        for (first, path), (before, after) in zip(
            pairwise(paths), pairwise(_file_numbers(paths)), strict=True
        ):
            if before == after:
                yield Diagnostic(f"it has the number of {name_of(first)}", path=path)


@rule("CHB503", "folder-name", "warning", on="source", formats=FORMATS)
def folder_name(setting: Setting) -> Iterator[Diagnostic]:
    """A folder of messages has a name with other characters than letters, digits, dash and
    underscore.

    Why: the program that loads `messages` accepts no other names and passes over the folder.

    Bad:
        messages/first draft/1.md

    Fix: none, because others may refer to the folder by its name.
    """
    for folder, paths in group_by_folder(setting.origin.source.files).items():
        above, _, name = folder.rpartition("/")
        if name_of(above) == TOP and not _PLAIN_NAME.fullmatch(name):
            yield Diagnostic(f"the folder name {name[:LONGEST_SHOWN]!r}", path=paths[0])


# settings


def _to_text(item: Json) -> Json:
    return None


def _to_number(item: Json) -> Json:
    return int(item) if isinstance(item, str) and _NUMBER.fullmatch(item) else None


def _to_bool(item: Json) -> Json:
    return {"true": True, "false": False}.get(item.lower()) if isinstance(item, str) else None


class _Member:
    """A member of the settings, and how another value is converted to it."""

    def __init__(self, kind: type | tuple[type, ...], what: str, made: Callable[[Json], Json]):
        self.kind = kind
        self.what = what
        self.made = made

    def is_valid(self, item: Json) -> bool:
        """Whether a value has the right type."""
        return isinstance(item, self.kind) and (not isinstance(item, bool) or self.kind is bool)


MEMBERS = {
    "name": _Member(str, "a text", _to_text),
    "label": _Member(str, "a text", _to_text),
    "order": _Member((int, float), "a number", _to_number),
    "protected": _Member(bool, "true or false", _to_bool),
}


def _convert_setting(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value, name = seen.value, diagnostic.about
    if not isinstance(value, dict) or not isinstance(name, str):
        return value
    made = MEMBERS[name].made(value.get(name))
    return value if made is None else {**value, name: made}


@rule(
    "CHB504",
    "setting-kind",
    "warning",
    on="record",
    formats=FORMATS,
    fix=make_safe_fix(repair_value(_convert_setting)),
)
def setting_kind(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A setting in `config.json` is not of its kind: `name` and `label` are texts, `order` is a
    number, `protected` is true or false.

    Why: folders are sorted by `order` as numbers, and a `protected` that is a text counts as true
    whatever it says.

    Bad:
        {"label": "Notes", "order": "2", "protected": "false"}

    Fix (safe): digits in quotation marks become a number, `"true"` and `"false"` what they say. All
    else stays.
    """
    if not is_config(seen.record.path):
        return
    value = seen.value
    if not isinstance(value, dict):
        yield Diagnostic("the settings are no object", fixable=False)
        return
    for name, member in MEMBERS.items():
        item = value.get(name)
        if item is not None and not member.is_valid(item):
            helps = member.made(item) is not None
            yield Diagnostic(f"`{name}` is not {member.what}", way=name, about=name, fixable=helps)


@rule("CHB505", "folder-name-clash", "warning", on="source", formats=FORMATS)
def folder_name_clash(setting: Setting) -> Iterator[Diagnostic]:
    """Two folders side by side have the same `name` in their settings.

    Why: the program that loads them refuses two of the same name.

    Bad:
        notes/config.json: {"name": "notes"}
        draft/config.json: {"name": "notes"}

    Fix: none, because it is not known which of the two should be called otherwise.
    """
    owners: dict[tuple[str, str], str] = {}
    for sheet in setting.origin.sheets:
        folder = folder_of(sheet.path)
        if not is_config(sheet.path) or not folder or not len(sheet):
            continue
        value = sheet.record(0).value
        name = value.get("name") if isinstance(value, dict) else None
        if isinstance(name, str):
            owner = owners.setdefault((folder_of(folder), name), sheet.path)
            if owner != sheet.path:
                what = f"{folder_of(owner)[:LONGEST_SHOWN]} has the name {name[:LONGEST_SHOWN]!r}"
                yield Diagnostic(f"{what}, too", path=sheet.path)
