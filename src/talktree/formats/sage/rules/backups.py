"""SAG5: restorable files: backups that are missing or changed, files without a backup.

Only backups that a snapshot lists are opened, and only to compute their hash.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from talktree.files import Content
from talktree.formats.rule import Diagnostic, rule
from talktree.formats.rule_context import CheckedConversation, RuleRecord
from talktree.formats.sage.backup_files import find_backup, is_lost, list_backups
from talktree.formats.sage.lens_snapshots import BACKUPS as LISTED
from talktree.formats.sage.lens_snapshots import TRACKED
from talktree.formats.sage.places import folder_of
from talktree.formats.sage.rules.message_line import SAGE, is_foreign
from talktree.formats.sage.sessions import (
    find_named_contents,
    get_backup_path,
    has_earlier_state,
    iterate_operation_contents,
    iterate_operations,
)
from talktree.model.entries import FileState, Snapshot

HASH_LENGTH = 64
HEX = frozenset("0123456789abcdefABCDEF")
VERIFIED = "sage: contents that were hashed"


def _iterate_files(seen: RuleRecord) -> Iterator[tuple[str, FileState]]:
    assert isinstance(seen.entry, Snapshot)
    yield from seen.entry.files.items()


def _iterate_contents(seen: RuleRecord) -> Iterator[tuple[str, str]]:
    """Yield the contents that a snapshot names by hash, each once, with its first path."""
    assert isinstance(seen.entry, Snapshot)
    ways: dict[str, str] = {}
    for hash, way in find_named_contents(seen.entry):
        ways.setdefault(hash, way)
    yield from ways.items()


def _find_backup_content(seen: RuleRecord, backup: str) -> Content | None:
    source = seen.talk.origin.source
    path = find_backup(source, folder_of(seen.record.path), backup)
    return None if path is None else source.files[path]


@rule("SAG501", "missing-backup", "error", on="snapshot", formats=SAGE)
def missing_backup(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A snapshot lists a backup that is not among the files of the session, or names a content
    by its hash that is not.

    Why: the file cannot be brought back to what it was; undoing would stop half way.

    Bad:
        "fileBackups":{"notes.txt":{"backupPath":"backups/notes.txt_1767600004900.backup"}}
        (and there is no such file in backups/)

    Fix: none, because what the file held is nowhere else.
    """
    source = seen.talk.origin.source
    if not source.folder:
        return
    session = folder_of(seen.record.path)
    for path, file in _iterate_files(seen):
        backup = file.backup
        if (
            backup
            and _find_backup_content(seen, backup) is None
            and is_lost(source, session, backup)
        ):
            what = f"{path[:80]} cannot be restored: {backup[:80]} is not here"
            yield Diagnostic(what, f"snapshot/{LISTED}/{path}/backupPath")
    listed = {file.backup for _, file in _iterate_files(seen)}
    for hash, way in _iterate_contents(seen):
        here = get_backup_path(session, hash) in source.files
        if not here and get_backup_path("", hash) not in listed:
            yield Diagnostic(
                f"a state cannot be restored: {hash[:12]} is not among the backups", way
            )


@rule("SAG502", "wrong-backup-hash", "error", on="snapshot", formats=SAGE)
def wrong_backup_hash(seen: RuleRecord) -> Iterator[Diagnostic]:
    """The content of a backup is not the one whose hash the snapshot has.

    Why: the backup was changed or belongs to another file; restoring it would write something
    that was never there. Hashes are compared only where they are SHA-256 in hex.

    Bad:
        "fileBackups":{"notes.txt":{"backupPath":"backups/notes.txt_1.backup",
         "originalHash":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}}
        (and the backup has another SHA-256)

    Fix: none, because the real content is not here.
    """
    for path, file in _iterate_files(seen):
        wanted = file.hash_before
        kept = _find_backup_content(seen, file.backup) if file.backup and _is_hash(wanted) else None
        if kept is not None and wanted and _hash_content(kept) != wanted.lower():
            what = f"{path[:80]} cannot be restored: its backup has another hash"
            yield Diagnostic(what, f"snapshot/{LISTED}/{path}/originalHash")
    source, session = seen.talk.origin.source, folder_of(seen.record.path)
    verified: set[str] = seen.talk.notes.setdefault(VERIFIED, set())
    listed = {file.backup for _, file in _iterate_files(seen)}
    for hash, way in _iterate_contents(seen):
        path = get_backup_path(session, hash)
        if path not in verified and path in source.files:
            verified.add(path)
            if (
                _hash_content(source.files[path]) != hash
                and get_backup_path("", hash) not in listed
            ):
                yield Diagnostic(
                    f"a state cannot be restored: {hash[:12]} holds something else", way
                )


def _is_hash(text: str | None) -> bool:
    return text is not None and len(text) == HASH_LENGTH and HEX.issuperset(text)


def _hash_content(content: Content) -> str:
    made = sha256()
    for block in content.blocks():
        made.update(block)
    return made.hexdigest()


@rule("SAG503", "no-way-back", "error", on="snapshot", formats=SAGE)
def no_way_back(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A file was changed or deleted, and the snapshot has neither its earlier content nor a backup.

    Why: undoing cannot bring it back, which is all that a snapshot is for.

    Bad:
        "trackedFiles":{"notes.txt":{"contentHash":"5f70bf18","size":12,"state":"modified"}},
        "fileBackups":{}

    Fix: none, because what the file held is nowhere else.
    """
    for path, file in _iterate_files(seen):
        if (
            file.state in ("modified", "deleted")
            and not file.backup
            and file.content_before is None
            and not has_earlier_state(seen.entry, path)  # type: ignore[arg-type]
        ):
            what = f"{path[:80]} was {file.state} and cannot be restored"
            yield Diagnostic(what, f"snapshot/{TRACKED}/{path}")


@rule("SAG504", "unused-backup", "note", on="talk", formats=SAGE)
def unused_backup(talk: CheckedConversation) -> Iterator[Diagnostic]:
    """A file lies among the backups of a session, and no snapshot and no operation names it.

    Why: nothing will ever restore it; its snapshot may have been lost.

    Bad:
        backups/notes.txt_1767600004900.backup
        (and no line of snapshots.jsonl names it)

    Fix: none, because it may be the only copy of what was written.
    """
    source = talk.origin.source
    session = folder_of(talk.conversation.main_file)
    kept = list_backups(source, session)
    if kept:
        listed = set(_list_named_backups(talk, session))
        for path in kept:
            if path not in listed:
                yield Diagnostic("no snapshot lists this backup", path=path)


def _list_named_backups(talk: CheckedConversation, session: str) -> Iterator[str]:
    for position, trait in enumerate(talk.skeleton.traits):
        entry = None if trait else talk.read_record(position).entry
        if isinstance(entry, Snapshot):
            for file in entry.files.values():
                path = find_backup(talk.origin.source, session, file.backup or "")
                if path is not None:
                    yield path
            for hash, _ in find_named_contents(entry):
                yield get_backup_path(session, hash)
    for hash in iterate_operation_contents(iterate_operations(talk.origin.source, session)):
        yield get_backup_path(session, hash)


@rule("SAG505", "unverifiable-hash", "note", on="snapshot", formats=SAGE)
def unverifiable_hash(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A hash in a snapshot is no SHA-256 in hex, so nothing can be verified with it.

    Why: hashes are there to tell whether a file is still what it was before it is written over.
    The document's own example has such a hash.

    Bad:
        "trackedFiles":{"index.html":{"contentHash":"abc123","size":0,"state":"created"}}

    Fix: none, because the content it was made from is not here.
    """
    value = seen.record.value
    if isinstance(value, dict) and is_foreign(value):
        return
    for path, file in _iterate_files(seen):
        for text, way in (
            (file.hash, f"{TRACKED}/{path}/contentHash"),
            (file.hash_before, f"{LISTED}/{path}/originalHash"),
        ):
            if text is not None and not _is_hash(text):
                what = f"the hash {text[:20]!r} of {path[:80]} cannot be verified"
                yield Diagnostic(what, f"snapshot/{way}")
