"""Editing archived conversations: the source file changes only when it is saved."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from talktree.errors import ChangedMeanwhile, NotFound, NotUndoable, UsageError
from talktree.files import Source, load
from talktree.files.content import Content
from talktree.files.safe_replace import replace_files
from talktree.formats import all_formats, get_format
from talktree.formats.engine import DocumentOrigin, read_document, write_document
from talktree.formats.engine.write import (
    apply_and_fill,
    apply_edit,
    find_answered_files,
    find_changed_files,
)
from talktree.formats.secrets import without_secrets
from talktree.library.archive.file_content import make_archived_source, with_archived_companions
from talktree.library.versions.edit_history import (
    Edit,
    EditHistory,
    EditRecord,
    RedoRecord,
    Row,
    SaveIntent,
    SaveRecord,
    Stand,
    UndoRecord,
    append_row,
    load_history,
    read_stand,
)
from talktree.model.document import Document
from talktree.model.operations import Operation

if TYPE_CHECKING:
    from talktree.library.library import Library

WAIT = 5.0
"""Seconds to wait for an import to end before something is saved."""
_SOURCE = "SELECT path, format FROM sources WHERE id = ?"


def _do_nothing() -> None:
    """Do nothing."""


class Versions:
    """The edits of one archived source."""

    def __init__(
        self, library: Library, source: int, sure: Callable[[], None] = _do_nothing
    ) -> None:
        row = library.db.read_one(_SOURCE, (source,))
        if row is None:
            raise NotFound(f"no source {source} in the library", hint="`talktree list` shows them")
        self._library = library
        self._source = source
        self._sure = sure
        """Called under the lock, before something is written; it may raise."""
        self.path = Path(os.fsdecode(row[0]))
        self.format: str = row[1]
        self._format = get_format(row[1])

    @property
    def history(self) -> EditHistory:
        """The edits, and which of them count."""
        history = load_history(self._library.db, self._source)
        saved = None if history.saving is None else self._resolve_saving(history.saving)
        if saved is not None:
            history.saved, history.saving = saved, None
            history.keep_saved(self._read_stand())
        return history

    def document(self) -> Document:
        """Return the source with the edits that count, and with its companion files."""
        return self._apply_edits(self.history, companions=True)

    @property
    def can_undo(self) -> bool:
        """Whether there is an edit to undo."""
        history = self.history
        return bool(history.standing) and not self._is_settled(history)

    def do(
        self, conversation: str, operation: Operation, known: Document | None = None
    ) -> Document:
        """Add an edit; it is refused if it is invalid or this format cannot write it.

        A caller that has read the source with the edits that count passes it, so it is not read
        again.
        """
        history, on = self._resolve_interrupted_save(), self._read_stand()
        before = self._apply_edits(history) if known is None else known
        after = apply_edit(before, conversation, operation)
        self._refuse_companions(after)
        for pieces in write_document(after).values():
            for _ in pieces:
                pass
        row = EditRecord(conversation=conversation, operation=operation, on=on)
        with self._library.db.transaction(durable=True):
            if self._read_stand() != on:
                raise ChangedMeanwhile(
                    f"{self.path}: it went on meanwhile", hint="look again, and do it again then"
                )
            self._append_row(row, history)
        return after

    def _refuse_companions(self, after: Document) -> None:
        """Raise if an edit changes a companion file, which is a conversation of its own."""
        origin = after.origin
        assert isinstance(origin, DocumentOrigin)
        if origin.source.main is None:
            return
        for path in (*find_changed_files(after), *find_answered_files(after)):
            if path != origin.source.main:
                raise UsageError(
                    f"this message is in {self.path.parent / path}",
                    hint="edit it there: it is a conversation of its own",
                )

    def undo(self) -> Edit:
        """Undo the last edit that counts, and return it."""
        history = self._resolve_interrupted_save()
        about = history.find_edit_to_undo()
        if self._is_settled(history):
            raise NotUndoable(
                f"{self.path}: the edits were saved, and the file has changed since",
                hint="`talktree library restore` gives any version of it",
            )
        self._append_row(UndoRecord(about=about), history)
        return history.find_edit(about)

    def redo(self) -> Edit:
        """Redo the edit that was undone last, and return it."""
        history = self._resolve_interrupted_save()
        about = history.find_edit_to_redo()
        self._append_row(RedoRecord(about=about), history)
        return history.find_edit(about)

    def save(self) -> list[Path]:
        """Write the edits to the source, if it is unchanged since the library read it."""
        with self._library.lock.hold(WAIT):
            history = self._resolve_interrupted_save()
            if history.is_saved:
                return []
            wanted = self._apply_edits(history)
            now = self.load_from_disk()
            self._verify_versions()
            standing, (ground, _) = tuple(history.standing), self._find_base(history)
            # Recorded before the write, so that an interrupted save can be resolved later.
            said = SaveIntent(
                standing=standing, hashes=_hash_files(write_document(wanted)), ground=ground
            )
            last = self._append_row(said, history)
            # `on_disk` has just compared the files with those in the archive.
            written = replace_files(
                now, self.path, lambda: write_document(wanted), backup=False
            ).changed
            self._library.import_([self.path])
            row = SaveRecord(made=self._read_stand(), standing=standing, ground=ground)
            append_row(self._library.db, self._source, time.time_ns(), row, after=last)
        return written

    def _verify_versions(self) -> None:
        """Record that the files match the library, as they were just compared."""
        with self._library.db.transaction(durable=True):
            for generation, length in self._read_stand().values():
                self._library.archive.verify_versions(generation, length)

    def _append_row(self, row: Row, history: EditHistory) -> int:
        with self._library.db.transaction(durable=True):
            self._sure()
            return append_row(
                self._library.db, self._source, time.time_ns(), row, after=history.last
            )

    def _resolve_interrupted_save(self) -> EditHistory:
        """Return the history, after recording the result of an interrupted save."""
        known = self.history
        noted = load_history(self._library.db, self._source)
        if noted.saving is None or known.saving is not None or known.saved is None:
            return known
        self._append_row(known.saved, noted)
        return self.history

    # the base of the edits

    def _apply_edits(self, history: EditHistory, *, companions: bool = False) -> Document:
        stand, edits = self._find_base(history)
        source = self._load_source(stand)
        if companions:
            library = self._library
            source = with_archived_companions(library.db, library.archive, self._source, source)
        document = read_document(source, self._format)
        for edit in edits:
            changed = apply_and_fill(document.find(edit.conversation), edit.operation)
            document = document.with_conversation(changed)
        return document

    def _find_base(self, history: EditHistory) -> tuple[Stand, list[Edit]]:
        """Return the state the edits are applied to, and those that are not in it yet."""
        now, saved, base = self._read_stand(), history.saved, history.base
        edits: list[Edit] | None = history.list_counting()
        if saved is not None and saved.made != now:
            # The file has grown since it was saved: edits before that cannot be undone.
            edits, base = history.edits_since(saved), saved.made
        elif saved is not None:
            # Not the state of the first edit: the file may have grown between that and the save,
            # and without the edits it still has what was appended.
            ground = history.find_base(saved)
            assert ground is not None
            return ground, history.list_counting()
        assert edits is not None, "what was saved counts when the file has gone on"
        if not edits or (base is not None and _is_grown(base, now)):
            return now, edits
        raise ChangedMeanwhile(
            f"{self.path}: it was replaced since it was edited here",
            hint="undo the edits, and make them again on what is there now",
        )

    def _is_settled(self, history: EditHistory) -> bool:
        """Whether the last edit is in the file, which has grown since."""
        saved = history.saved
        return (
            saved is not None
            and saved.made != self._read_stand()
            and not history.edits_since(saved)
        )

    def _resolve_saving(self, saving: SaveIntent) -> SaveRecord | None:
        """Return the result of a save that was interrupted; None if the files are unchanged."""
        now = self._read_stand()
        kept = self._load_source(now).files
        made: Stand = {}
        for path, (generation, _) in now.items():
            inside = self._relative_path(path)
            size, facts = saving.hashes.get(inside, (0, ""))
            if facts != _hash_pieces(kept[inside].blocks(0, size)):
                return None
            made[path] = (generation, size)
        if len(made) != len(saving.hashes):
            return None
        return SaveRecord(made=made, standing=saving.standing, ground=saving.ground)

    def _relative_path(self, path: str) -> str:
        return self.path.name if path == str(self.path) else os.path.relpath(path, self.path)

    def _read_stand(self) -> Stand:
        return read_stand(self._library.db, self._source)

    def _load_source(self, stand: Stand) -> Source:
        files = ((os.fsencode(path), *held) for path, held in stand.items())
        return make_archived_source(self._library.archive, os.fsencode(self.path), files)

    def load_from_disk(self) -> Source:
        """Return the files on the disk, if they are what the library has of them."""
        now = without_secrets(load(self.path), all_formats())
        kept = self._load_source(self._read_stand())
        if set(now.files) != set(kept.files) or not all(
            _has_same_bytes(now.files[path], kept.files[path]) for path in now.files
        ):
            raise ChangedMeanwhile(
                f"{self.path}: it is not what the library knows of it",
                hint="`talktree import` takes up what is new",
            )
        return now


def _is_grown(base: Stand, now: Stand) -> bool:
    """Whether all files are unchanged or longer."""
    return base.keys() == now.keys() and all(
        now[path][0] == generation and now[path][1] >= length
        for path, (generation, length) in base.items()
    )


def _hash_files(files: Mapping[str, Iterable[bytes]]) -> dict[str, tuple[int, str]]:
    """Return size and hash of files that are going to be written."""
    found = {}
    for path, pieces in files.items():
        sizes: list[int] = []
        hash = _hash_pieces(_record_sizes(pieces, sizes))
        found[path] = (sum(sizes), hash)
    return found


def _record_sizes(pieces: Iterable[bytes], sizes: list[int]) -> Iterator[bytes]:
    for piece in pieces:
        sizes.append(len(piece))
        yield piece


def _hash_pieces(pieces: Iterable[bytes]) -> str:
    made = sha256()
    for piece in pieces:
        made.update(piece)
    return made.hexdigest()


def _has_same_bytes(one: Content, two: Content) -> bool:
    if one.size != two.size:
        return False
    at = 0
    for block in two.blocks():
        if one.read(at, at + len(block)) != block:
            return False
        at += len(block)
    return at == one.size
