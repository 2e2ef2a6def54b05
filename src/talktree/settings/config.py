"""The user's configuration file, `config.toml`: read once, checked, and split by table.

Each module next to this one turns its table into values. A misspelt name is an error, because a
setting that does nothing is worse than none.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from talktree.errors import Unreadable, UsageError, did_you_mean
from talktree.home import config_file

ATTACHMENTS = "attachments"
ENCRYPTION = "encryption"
REDACTION = "redaction"
RETENTION = "retention"
TABLES = (ATTACHMENTS, ENCRYPTION, REDACTION, RETENTION)
"""Every table that the file may have."""


class ConfigFile(NamedTuple):
    """The configuration file as it is on disk."""

    path: str
    tables: Mapping[str, Any]
    mode: int = 0
    owner: int = -1

    def table(self, name: str, known: Collection[str]) -> Mapping[str, Any]:
        """Return a table after checking its names; an empty one if the file does not have it."""
        own = self.tables.get(name, {})
        if not isinstance(own, dict):
            raise UsageError(f"{self.path}: {name} is not a table", hint=f"write [{name}]")
        self.refuse_unknown(f"{name}.", own, known)
        return own

    def refuse_unknown(self, where: str, own: Mapping[str, Any], known: Collection[str]) -> None:
        """Raise if a table has an unknown name."""
        for each in own:
            if each not in known:
                raise UsageError(
                    f"{self.path}: unknown setting {where}{each}{did_you_mean(each, known)}",
                    hint=f"one of {', '.join(known)}",
                )

    def is_changeable_by_others(self) -> bool:
        """Whether another user could have written the file."""
        if not hasattr(os, "geteuid") or not self.tables:
            return False
        return self.owner not in (os.geteuid(), 0) or bool(self.mode & stat.S_IWOTH)


def read_config() -> ConfigFile:
    """Return the user's configuration; an empty one if there is no file."""
    path = config_file()
    try:
        about = path.stat()
    except (FileNotFoundError, NotADirectoryError) as error:
        if not path.is_symlink():
            return ConfigFile(str(path), {})
        target = os.readlink(path)
        raise Unreadable(
            f"{path}: a link to {target}, which does not exist", hint="fix it, or remove it"
        ) from error
    except OSError as error:
        raise _unreadable_error(str(path), error) from None
    if not stat.S_ISREG(about.st_mode):
        # A pipe would never end, and a folder has no settings.
        raise UsageError(f"{path}: not a file", hint="make it a file, or remove it")
    return _parse_file(str(path), about.st_mtime_ns, about.st_size, about.st_mode, about.st_uid)


@lru_cache(maxsize=4)
def _parse_file(shown: str, changed: int, size: int, mode: int, owner: int) -> ConfigFile:
    """Return the tables of a file; time and size only identify what is cached."""
    import tomllib  # only needed with a configuration

    try:
        # Windows editors put a byte order mark before the text.
        tables = tomllib.loads(Path(shown).read_text("utf-8-sig"))
    except OSError as error:
        raise _unreadable_error(shown, error) from None
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{shown}: not UTF-8, from byte {error.start} on", hint="save it as UTF-8"
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{shown}: not TOML: {error}", hint="fix it, or remove it") from None
    for name in tables:
        if name not in TABLES:
            raise UsageError(
                f"{shown}: unknown setting {name}{did_you_mean(name, TABLES)}",
                hint=f"write {' or '.join(f'[{table}]' for table in TABLES)}",
            )
    return ConfigFile(shown, tables, mode, owner)


def _unreadable_error(shown: str, error: OSError) -> Unreadable:
    return Unreadable(f"{shown}: {error.strerror or error}", hint="check its permissions")
