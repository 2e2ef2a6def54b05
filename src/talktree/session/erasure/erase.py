"""Erasing messages and paths from one session: plan, stage, decide, finish."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from talktree.files.sandbox import Anchor
from talktree.formats.sage.detect_kinds import SNAPSHOT
from talktree.session import metadata
from talktree.session.capture.snapshots import parse_snapshot
from talktree.session.care.inspection import HASHES, QUARANTINE, parse_content_hash
from talktree.session.erasure.foreign_backups import find_foreign_backups
from talktree.session.erasure.legacy_file import OlderFile, is_quoted
from talktree.session.erasure.line_changes import EMBEDDED as EMBEDDED_MEMBER
from talktree.session.erasure.log_rewrite import LogRewrite, Rewrites
from talktree.session.erasure.report import SessionErasure
from talktree.session.erasure.staging import EMBEDDED, STAGED, Staging
from talktree.session.erasure.targets import ErasureTargets, read_log_lines
from talktree.text.json.decode import decode
from talktree.text.json.patch import patch_json
from talktree.text.json.value import Json

_COUNTED = ("firstPrompt", "lastPrompt", "messageCount", metadata.OWN)
"""Members of metadata.json that are computed again when the session is opened."""
_TITLES = ("customTitle", "summary", "name", "title", "description")
_BLOCK = 1 << 20
_LISTED = 20
"""Maximum number of paths or messages that a sentence names."""


class ErasureContext(NamedTuple):
    """The data needed to erase from one session."""

    folder: Anchor
    root: Anchor
    targets: ErasureTargets
    older: OlderFile | None = None
    older_name: str = ""

    @property
    def erases_content(self) -> bool:
        """Whether more than the names of child sessions is erased."""
        return bool(self.targets.erased or self.targets.paths or self.older)


def plan_erasure(work: ErasureContext) -> SessionErasure:
    """Return what would be erased, without writing anything."""
    rewrites = Rewrites(work.folder, work.targets)
    named: set[str] = set()
    for _, _, lines in _read_all_lines(work, rewrites):
        for _line in _note_contents(lines, named):
            pass
    return _build_report(work, rewrites, _find_removable(work, named), dry_run=True)


def stage_erasure(work: ErasureContext) -> SessionErasure:
    """Write the new files and commit the erasure; `finish_erasure` does the rest."""
    rewrites = Rewrites(work.folder, work.targets)
    staging = Staging(work.folder)
    try:
        named: set[str] = set()
        for log, rewrite, lines in _read_all_lines(work, rewrites):
            name = f"{log}.jsonl".encode()
            if work.folder.lstat(name) is None:
                continue
            staging.add(name, _note_contents(lines, named))
            if rewrite.is_same:
                staging.drop(name)
        _stage_metadata(work, staging)
        if work.older is not None:
            staging.add(os.fsencode(work.older_name), [work.older.data])
            staging.add_older_file(work.older.data)
        removable = _find_removable(work, named)
        report = _build_report(work, rewrites, removable, dry_run=False)
        staging.decide(removable, leftovers=work.erases_content)
    except BaseException:
        if work.folder.lstat(STAGED) is not None:
            staging.discard()
        raise
    return report


def _read_all_lines(
    work: ErasureContext, rewrites: Rewrites
) -> Iterator[tuple[str, LogRewrite, Iterator[bytes]]]:
    older = work.older
    if older is not None:
        change = rewrites.messages.change

        def continued(value: dict[str, Any], body: bytes) -> bytes | None:
            """Change a line, and rename the message that it continues."""
            moved = older.update_continuation(value)
            return change(moved, body if moved == value else patch_json(body, moved))

        rewrites.messages.change = continued
    yield from rewrites.rewrite_logs()


def _note_contents(lines: Iterable[bytes], named: set[str]) -> Iterator[bytes]:
    """Yield the lines and collect the contents that they name."""
    for line in lines:
        if b'"uuid"' not in line or SNAPSHOT.encode() in line:
            named.update(match.decode() for match in HASHES.findall(line))
        yield line


def _stage_metadata(work: ErasureContext, staging: Staging) -> None:
    """Write metadata.json without text of the erased messages; counts are updated later."""
    text = metadata.read_metadata(work.folder)
    if text is None:
        return
    value = decode(text).value
    if not isinstance(value, dict):
        # It is damaged and may hold anything; it is rebuilt from the logs.
        staging.add(metadata.NAME, [b"{}\n"])
        return
    said = work.targets.text + ("\n" + work.older.text if work.older is not None else "")
    kept: dict[str, Json] = {
        name: each
        for name, each in value.items()
        if name not in (*_COUNTED, EMBEDDED_MEMBER)
        and not (name in _TITLES and is_quoted(each, said))
    }
    if kept != value:
        staging.add(metadata.NAME, [patch_json(text, kept) if kept else b"{}\n"])


# contents


def _find_removable(work: ErasureContext, named: set[str]) -> list[str]:
    """Return the files that are no longer referenced: contents, and backups of other programs."""
    found: list[str] = []
    if not work.erases_content:
        return found
    if work.folder.lstat(b"backups") is not None:
        for entry in work.folder.entries(b"backups"):
            hash = parse_content_hash(entry.name)
            if hash is not None and hash not in named:
                found.append(f"backups/{entry.name}")
    if work.folder.lstat(EMBEDDED) is not None:
        found.append(EMBEDDED.decode())
    found += find_foreign_backups(work.folder, work.root, work.targets)
    return list(dict.fromkeys(found))


# the report


def _build_report(
    work: ErasureContext, rewrites: Rewrites, removable: list[str], *, dry_run: bool
) -> SessionErasure:
    files = [_resolve_name(work, name) for name in removable]
    if work.folder.lstat(QUARANTINE.encode()) is not None:
        quarantine = work.folder.path / QUARANTINE
        files += [quarantine / each.name for each in work.folder.entries(QUARANTINE.encode())]
    older = work.older
    return SessionErasure(
        session=work.targets.session,
        dry_run=dry_run,
        messages=(*(older.removed if older else ()), *sorted(work.targets.messages)),
        emptied=(*(older.emptied if older else ()), *sorted(work.targets.emptied)),
        paths=tuple(_display_path(path) for path in sorted(work.targets.paths)),
        snapshots=rewrites.snapshots.removed + rewrites.snapshots.changed,
        moves=rewrites.operations.removed + rewrites.operations.changed,
        files=tuple(files),
        bytes=sum(_measure_size(path) for path in files),
        not_undoable=tuple(_describe_not_undoable(work)),
        warnings=tuple(_find_warnings(work)),
    )


def _resolve_name(work: ErasureContext, name: str) -> Path:
    return work.root.path / name[1:] if name.startswith("/") else work.folder.path / name


def _measure_size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0


def _describe_not_undoable(work: ErasureContext) -> Iterator[str]:
    changed: dict[str, set[bytes]] = {}
    states: dict[bytes, int] = {}
    for line in read_log_lines(work.folder, "snapshots"):
        value = decode(line.raw).value
        if not isinstance(value, dict):
            continue
        one = parse_snapshot(value)
        for change in one.changes:
            if work.targets.has_path(change.path):
                states[change.path] = states.get(change.path, 0) + 1
            if one.message in work.targets.messages:
                changed.setdefault(one.message, set()).add(change.path)
    for message, paths in changed.items():
        yield f"what message {message[:8]} did to {_format_list(paths)}"
    for path, count in sorted(states.items()):
        yield (
            f"the {count} recorded changes of {_display_path(path)}"
            if count > 1
            else (f"the recorded change of {_display_path(path)}")
        )


def _find_warnings(work: ErasureContext) -> Iterator[str]:
    if work.folder.lstat(EMBEDDED) is not None:
        yield "the session, but not what was embedded to convert it back byte for byte"
    names = [_display_path(path) for path in work.targets.paths]
    found: dict[str, list[str]] = {}
    children: list[str] = []
    for line in read_log_lines(work.folder, "messages") if names else ():
        text = line.raw.decode("utf-8", "replace")
        for name in names:
            if name in text:
                id = decode(line.raw).value
                found.setdefault(name, []).append(
                    str(id.get("uuid", ""))[:8] if isinstance(id, dict) else ""
                )
    for name, ids in found.items():
        shown = ", ".join(ids[:_LISTED]) + (" …" if len(ids) > _LISTED else "")
        mention = "message mentions" if len(ids) == 1 else "messages mention"
        stay = "stays" if len(ids) == 1 else "stay"
        yield f"{len(ids)} {mention} {name} and {stay}: {shown}"
    for line in read_log_lines(work.folder, "operations") if work.targets.messages else ():
        value = decode(line.raw).value
        is_child = isinstance(value, dict) and value.get("kind") == "child"
        if is_child and isinstance(value, dict) and value.get("message") in work.targets.messages:
            children.append(str(value.get("child")))
    for child in children:
        yield f"the child session {child} that was begun there stays"


def _format_list(paths: Iterable[bytes]) -> str:
    names = [_display_path(path) for path in sorted(paths)]
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


def _display_path(path: bytes) -> str:
    return path.decode("utf-8", "backslashreplace")
