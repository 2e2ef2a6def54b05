"""The tables `[[retention]]`: which conversations the library forgets, and when.

Each table is one rule: its conditions, and either `forget-after` or `keep`. What matches a rule to
keep is kept, whatever the other rules say.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from talktree.errors import UsageError
from talktree.settings.config import RETENTION, ConfigFile, read_config

FORGET_AFTER, KEEP = "forget-after", "keep"
PROJECT, FORMAT, PATH, BRANCH_NAME = "project", "format", "path", "branch-name"
CONDITIONS = (PROJECT, FORMAT, PATH, BRANCH_NAME)
KNOWN = (FORGET_AFTER, KEEP, *CONDITIONS)
NO_LABELS = ("label", "labels", "tag", "tags")
"""Names that users may try; the library has no labels."""
_AGE = re.compile(r"([1-9][0-9]{0,4}) ?(d|w|m|y)", re.ASCII)


class RetentionRule(NamedTuple):
    """One rule; a condition is met if one of its patterns matches, and all must be met."""

    number: int
    """Its place in the file, from 1."""
    forget_after: str | None
    """An age such as `180d`; None for a rule that keeps."""
    projects: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    branch_names: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The rule as it is shown to the user."""
        said = "keep" if self.forget_after is None else f"{FORGET_AFTER} {self.forget_after}"
        values = (self.projects, self.formats, self.paths, self.branch_names)
        about = [
            f"{name} {', '.join(each)}"
            for name, each in zip(CONDITIONS, values, strict=True)
            if each
        ]
        return " ".join([said, *about])


class RetentionRules(NamedTuple):
    """All rules of the configuration."""

    rules: tuple[RetentionRule, ...] = ()
    path: str = ""
    """The configuration file."""

    @property
    def fingerprint(self) -> str:
        """The fingerprint by which confirmed rules are recognised."""
        plain = json.dumps([each[1:] for each in self.rules])
        return hashlib.sha256(plain.encode()).hexdigest()


def retention_rules() -> RetentionRules:
    """Return the rules of the user's own configuration; none if it has none."""
    config = read_config()
    tables = config.tables.get(RETENTION, [])
    if not isinstance(tables, list) or not all(isinstance(each, dict) for each in tables):
        raise UsageError(
            f"{config.path}: {RETENTION} is not a list of tables", hint=f"write [[{RETENTION}]]"
        )
    if tables and config.is_changeable_by_others():
        raise UsageError(
            f"{config.path}: {RETENTION} is not used, because others can change this file",
            hint="own it, and take write permission from others: chmod o-w",
        )
    rules = [_parse_rule(config, number, table) for number, table in enumerate(tables, 1)]
    return RetentionRules(tuple(rules), config.path)


def _parse_rule(config: ConfigFile, number: int, table: Mapping[str, Any]) -> RetentionRule:
    where = f"{config.path}: {RETENTION} rule {number}"
    for name in NO_LABELS:
        if name in table:
            raise UsageError(
                f"{where}: {name} means nothing: conversations of the library have no labels",
                hint=f'{BRANCH_NAME} = "important" finds those with a branch that you named so',
            )
    config.refuse_unknown(f"in {RETENTION} rule {number}: ", table, KNOWN)
    if (FORGET_AFTER in table) == (KEEP in table):
        raise UsageError(
            f"{where}: says nothing, or two things", hint=f"write {FORGET_AFTER} or {KEEP}"
        )
    if KEEP in table and table[KEEP] is not True:
        raise UsageError(f"{where}: {KEEP} is not true", hint=f"write {KEEP} = true, or no rule")
    return RetentionRule(
        number,
        _parse_age(table[FORGET_AFTER], where) if FORGET_AFTER in table else None,
        tuple(map(_expand_home, _parse_texts(table, PROJECT, where))),
        _parse_texts(table, FORMAT, where),
        tuple(map(_expand_home, _parse_texts(table, PATH, where))),
        _parse_texts(table, BRANCH_NAME, where),
    )


def _parse_age(value: object, where: str) -> str:
    found = _AGE.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        raise UsageError(
            f"{where}: {FORGET_AFTER} is not an age: {value!r}",
            hint='like "180d", "26w", "6m" or "2y"',
        )
    return found[1] + found[2]


def _parse_texts(table: Mapping[str, Any], name: str, where: str) -> tuple[str, ...]:
    """Return the patterns of a condition, a text or a list of them; none if it is missing."""
    if name not in table:
        return ()
    value = table[name]
    texts = value if isinstance(value, list) else [value]
    if not texts or not all(isinstance(each, str) and each.strip() for each in texts):
        raise UsageError(
            f"{where}: {name} is not a text: {value!r}", hint=f'like {name} = "…", or a list'
        )
    return tuple(texts)


def _expand_home(pattern: str) -> str:
    """Return a path pattern with the home folder expanded."""
    return os.path.expanduser(pattern).rstrip("/") or "/"
