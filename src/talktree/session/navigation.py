"""The verbs that navigate in a session: each returns a move with a plan to look at.

Nothing happens before `apply`, which is refused if the plan has changed since it was looked at.
Afterwards the handle continues from where the session does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from msgspec.structs import replace

from talktree.session.capture.step import FilePath, resolve_session_path
from talktree.session.care import care
from talktree.session.care.care import CleanupResult, DiskUsage
from talktree.session.care.inspection import SessionProblem
from talktree.session.errors import raise_plain_errors
from talktree.session.handle import SessionHandle
from talktree.session.recording.context import Difference
from talktree.session.undo import commands
from talktree.session.undo.commands import UndoMove
from talktree.session.undo.compare import MessageComparison, compare_messages
from talktree.session.undo.execute import UndoResult
from talktree.session.undo.move_log import LogEntry, read_logbook
from talktree.session.undo.move_records import ALL, Scope
from talktree.session.undo.plan import Choice, UndoPlan
from talktree.session.undo.reports import MoveReport, find_moves_since_reply
from talktree.session.undo.restore_into import FolderRestore, restore_into
from talktree.session.undo.timeline import Timeline

Choices = Mapping[FilePath, Choice]
"""What to do where a file is not as the session left it: keep, theirs, both or merge."""
NO_CHOICES: Choices = {}
TALK: tuple[Scope, ...] = ("conversation", "todos")
ELSEWHERE = ("cwd-gone", "branch", "platform")
"""Differences of the context for which files from then may not fit now."""


@raise_plain_errors
class Navigation:
    """A move of a session's handle."""

    def __init__(
        self,
        move: UndoMove,
        *,
        differs: Callable[[str], Iterable[Difference]],
        may: Callable[[], None],
        arrived: Callable[[], None],
    ) -> None:
        self._move = move
        self._differs = differs
        self._may = may
        self._arrived = arrived
        self._seen: str | None = None
        """The digest of the last returned plan."""

    def plan(self) -> UndoPlan:
        """Return the plan without making the move; files of another place bring a warning."""
        plan = self._move.plan()
        self._seen = plan.digest
        goal = None if plan.to.files is None else self._move.message_at(plan.to.files)
        if goal is None or not plan.actions:
            return plan
        details = (each.text for each in self._differs(goal) if each.kind in ELSEWHERE)
        return replace(plan, warnings=(*plan.warnings, *details))

    def apply(self, digest: str | None = None) -> UndoResult:
        """Make the move, if the plan still has this digest.

        Without a digest it is the last returned plan, or the current plan if there is none.
        """
        self._may()
        try:
            return self._move.apply(digest or self._seen or self._move.plan().digest)
        finally:
            self._arrived()


@raise_plain_errors
class NavigationVerbs(ABC):
    """Undo, redo and the other verbs that navigate."""

    @property
    @abstractmethod
    def opened(self) -> SessionHandle:
        """The parts of the session."""

    @abstractmethod
    def refresh(self) -> None:
        """Go to the current position of the session."""

    @abstractmethod
    def differences(self, message: str | None = None) -> tuple[Difference, ...]:
        """Return how a message's context differs from this process's context."""

    @abstractmethod
    def _require_writable(self) -> None:
        """Raise an error if the session is open for reading only."""

    @abstractmethod
    def _resolve_end(self, message: str | None) -> str | None:
        """Return the given message, or the last one by default."""

    def undo(
        self,
        *,
        to: str | None = None,
        before: str | None = None,
        turn: bool = False,
        operation: str | None = None,
        paths: Iterable[FilePath] | None = None,
        scopes: Iterable[Scope] = ALL,
        choices: Choices = NO_CHOICES,
        force: bool = False,
    ) -> Navigation:
        """Return a move to before the last step or prompt, or over the whole `turn`.

        `to` a message is the state after it: the message stays, and so does what it did to files.
        `before` a message is the state before it: the message is undone as well.

        With `operation` ("last" or an id) that move is taken back; with `paths` only these files go
        back, to before the last step that touched them.
        """
        move = commands.undo(
            self.opened,
            to=to,
            before=before,
            turn=turn,
            operation=operation,
            paths=self._resolve_paths(paths),
            scopes=scopes,
            resolutions=self._resolve_choices(choices),
            force=force,
        )
        return self._make_navigation(move)

    def redo(self, *, choices: Choices = NO_CHOICES, force: bool = False) -> Navigation:
        """Return a move that takes back the last undo, if no message was written since."""
        resolutions = self._resolve_choices(choices)
        return self._make_navigation(
            commands.redo(self.opened, resolutions=resolutions, force=force)
        )

    def restore(
        self,
        message: str,
        *,
        before: bool = False,
        paths: Iterable[FilePath] | None = None,
        scopes: Iterable[Scope] = ALL,
        choices: Choices = NO_CHOICES,
        force: bool = False,
    ) -> Navigation:
        """Return a move to the state after any message, or `before` it, or only of some files."""
        move = commands.restore(
            self.opened,
            message,
            before=before,
            paths=self._resolve_paths(paths),
            scopes=scopes,
            resolutions=self._resolve_choices(choices),
            force=force,
        )
        return self._make_navigation(move)

    def revert(
        self,
        message: str,
        *,
        paths: Iterable[FilePath] | None = None,
        choices: Choices = NO_CHOICES,
        force: bool = False,
    ) -> Navigation:
        """Return a move that takes back what one message did to files, and leaves the rest."""
        move = commands.revert(
            self.opened,
            message,
            paths=self._resolve_paths(paths),
            resolutions=self._resolve_choices(choices),
            force=force,
        )
        return self._make_navigation(move)

    def switch(
        self,
        branch: str,
        *,
        scopes: Iterable[Scope] = ALL,
        choices: Choices = NO_CHOICES,
        force: bool = False,
    ) -> Navigation:
        """Return a move to a branch, by its name or a message of it."""
        resolutions = self._resolve_choices(choices)
        move = commands.switch(
            self.opened, branch, scopes=scopes, resolutions=resolutions, force=force
        )
        return self._make_navigation(move)

    def fork(self, at: str) -> str:
        """Continue from another message without changing files; return the id of that message.

        What followed that message stays a branch. `restore` restores its files as well.
        """
        journey = self.switch(at, scopes=TALK)
        outcome = journey.apply(journey.plan().digest)
        assert outcome.message is not None
        return outcome.message

    def diff(self, one: str | None, other: str | None = None) -> MessageComparison:
        """Return which files and tasks differ between two messages.

        The other message is the last one by default; `one` None is before the first.
        """
        end = Timeline(self.opened.index).find_end() if other is None else self._resolve_end(other)
        return compare_messages(self.opened, None if one is None else self._resolve_end(one), end)

    def restore_into(
        self,
        folder: Path | str,
        message: str | None = None,
        *,
        before: bool = False,
        paths: Iterable[FilePath] | None = None,
        choices: Choices = NO_CHOICES,
        force: bool = False,
    ) -> FolderRestore:
        """Return a restore of files, after a message or `before` it, into a chosen folder.

        This gives access to files of a session from elsewhere, whose workspace is not here.
        Existing files stay, or are put beside (`both`, `force`).
        """
        return restore_into(
            self.opened,
            message,
            Path(folder),
            before=before,
            only=self._resolve_paths(paths),
            resolutions={
                resolve_session_path(None, path): choice for path, choice in choices.items()
            },
            force=force,
        )

    def moves_since_reply(self) -> tuple[MoveReport, ...]:
        """Return the moves since the last reply, in order, for the next request to a model.

        An undo adds nothing to the messages, so they do not show a model that files changed. `text`
        of each report says it in words.
        """
        return find_moves_since_reply(self.opened)

    def log(self) -> Iterator[LogEntry]:
        """Yield prompts, steps and moves, newest first."""
        return read_logbook(self.opened)

    # maintenance

    def check(self, *, read_data: bool = False) -> list[SessionProblem]:
        """Return all problems of the session; with `read_data` every content is hashed."""
        return care.check_session(self.opened, read_data=read_data)

    def gc(self, *, dry_run: bool = True, grace: float = care.GRACE) -> CleanupResult:
        """Remove contents that no line names, older than `grace` seconds, or only list them."""
        if not dry_run:
            self._require_writable()
        return care.gc(self.opened, dry_run=dry_run, grace=grace)

    def usage(self) -> DiskUsage:
        """Return the size of the session on the disk."""
        return care.measure_usage(self.opened)

    def _make_navigation(self, move: UndoMove) -> Navigation:
        return Navigation(
            move, differs=self.differences, may=self._require_writable, arrived=self.refresh
        )

    def _resolve_paths(self, paths: Iterable[FilePath] | None) -> list[bytes] | None:
        if paths is None:
            return None
        return [resolve_session_path(self.opened.workspace, path) for path in paths]

    def _resolve_choices(self, choices: Choices) -> dict[bytes, Choice]:
        place = self.opened.workspace
        return {resolve_session_path(place, path): choice for path, choice in choices.items()}
