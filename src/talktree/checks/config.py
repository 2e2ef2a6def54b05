"""Which rules a project selects: `talktree.toml`, or `[tool.talktree]` in `pyproject.toml`.

The nearest file above the checked path applies. It may come from anyone, so it only selects rules:
limits and the command of a scanner are in the user's own configuration (`settings`). Only a few
names are known, and a misspelt name is an error, because a setting without effect would go
unnoticed.
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

from msgspec import Struct

from talktree.errors import Unreadable, UsageError
from talktree.home import config_file
from talktree.settings.config import TABLES

OWN = "talktree.toml"
PROJECT = "pyproject.toml"
KNOWN = ("select", "ignore", "jobs")


class Config(Struct, frozen=True, kw_only=True):
    """The settings of a project."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    jobs: int | None = None
    path: str | None = None
    """The file it was read from."""


def find_nearest_config(start: Path) -> Config:
    """Return the configuration that applies to a path."""
    here = start.absolute()
    for folder in [here, *here.parents] if here.is_dir() else here.parents:
        for name in (OWN, PROJECT):
            path = folder / name
            if path.is_file():
                found = read_config(path)
                if found is not None:
                    return found
    return Config()


def read_config(path: Path, *, shown: str | None = None) -> Config | None:
    """Return the configuration in a file, or None. `shown` is the path as it was given."""
    shown = shown or _to_relative(path)
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise Unreadable(f"{shown}: {error.strerror or error}", hint="check its rights") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{shown}: not TOML: {error}", hint="fix it, or name another file"
        ) from None
    if path.name == PROJECT:
        tools = table.get("tool")
        own = tools.get("talktree") if isinstance(tools, dict) else None
        return _parse_config(own, shown) if isinstance(own, dict) else None
    return _parse_config(table, shown)


def _to_relative(path: Path) -> str:
    return os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)


def _parse_config(table: dict[str, object], path: str) -> Config:
    for name in TABLES:
        if name in table:
            raise UsageError(
                f"{path}: [{name}] does not count in the files of a project",
                hint=f"write it to your own configuration, {config_file()}",
            )
    check = table.get("check", table)
    if not isinstance(check, dict):
        raise UsageError(f"{path}: check is not a table", hint="write [check]")
    for name in check:
        if name not in KNOWN:
            raise UsageError(f"{path}: no setting {name}", hint=f"one of {', '.join(KNOWN)}")
    jobs = check.get("jobs")
    if jobs is not None and (not isinstance(jobs, int) or isinstance(jobs, bool) or jobs < 1):
        raise UsageError(f"{path}: jobs is not a number of processes")
    return Config(
        select=_parse_names(check.get("select", []), path, "select"),
        ignore=_parse_names(check.get("ignore", []), path, "ignore"),
        jobs=jobs,
        path=str(path),
    )


def _parse_names(value: object, path: str, setting: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise UsageError(f"{path}: {setting} is not a list of codes", hint='like ["TRE", "SYN1"]')
    return tuple(value)
