"""The verbs of a session that go back and forth: each gives a move with a plan to look at.

Nothing happens before `apply` with the digest of the plan that was seen. Afterwards the handle
stands where the session does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from msgspec.structs import replace

from talktree.errors import UsageError
from talktree.session.capture.work import FilePath, inside
from talktree.session.care import care
from talktree.session.care.care import Freed, Usage
from talktree.session.care.inspection import Trouble
from talktree.session.opened import Opened
from talktree.session.plainly import plainly
from talktree.session.recording.context import Difference
from talktree.session.undo import moves
from talktree.session.undo.compare import Comparison, compared
from talktree.session.undo.conduct import Outcome
from talktree.session.undo.fresh import Filling, restore_into
from talktree.session.undo.logbook import Entry, logbook
from talktree.session.undo.moves import Move
from talktree.session.undo.operations import ALL, Scope
from talktree.session.undo.plan import Choice, Plan

Choices = Mapping[FilePath, Choice]
"""What to do where a file is not as the session left it: keep, theirs, both or merge."""
NO_CHOICES: Choices = {}
TALK: tuple[Scope, ...] = ("conversation", "todos")
ELSEWHERE = ("cwd-gone", "branch", "platform")
"""Differences of the context that make files of then odd ones now."""


@plainly
class Journey:
    """A move of a session's handle."""

    def __init__(
        self,
        move: Move,
        *,
        differs: Callable[[str], Iterable[Difference]],
        may: Callable[[], None],
        arrived: Callable[[], None],
    ) -> None:
        self._move = move
        self._differs = differs
        self._may = may
        self._arrived = arrived

    def plan(self) -> Plan:
        """Everything that would happen; nothing does. Files of another place bring a warning."""
        plan = self._move.plan()
        goal = plan.to.files
        if goal is None or not plan.actions:
            return plan
        told = (each.text for each in self._differs(goal) if each.kind in ELSEWHERE)
        return replace(plan, warnings=(*plan.warnings, *told))

    def apply(self, digest: str) -> Outcome:
        """Make the move, if the plan is still the one with this digest."""
        self._may()
        try:
            return self._move.apply(digest)
        finally:
            self._arrived()


@plainly
class Travels(ABC):
    """Undo, redo and all that is like them."""

    @property
    @abstractmethod
    def opened(self) -> Opened:
        """The parts of the session."""

    @abstractmethod
    def refresh(self) -> None:
        """Go to where the session stands now."""

    @abstractmethod
    def differences(self, message: str | None = None) -> tuple[Difference, ...]:
        """How the place a message was written in differs from where this process is now."""

    @abstractmethod
    def _may_write(self) -> None:
        """Refuse if the session is open for reading only."""

    @abstractmethod
    def _end(self, message: str | None) -> str | None:
        """The message that is meant; the last one if none is named."""

    def undo(
        self,
        *,
        to: str | None = None,
        turn: bool = False,
        operation: str | None = None,
        paths: Iterable[FilePath] | None = None,
        scopes: Iterable[Scope] = ALL,
        choices: Choices = NO_CHOICES,
        force: bool = False,
    ) -> Journey:
        """Back to before the last step or prompt, or `to` a message, or over the whole `turn`.

        With `operation` ("last" or an id) that move is taken back; with `paths` only these files
        go back, to before the last step that touched them.
        """
        move = moves.undo(
            self.opened,
            to=to,
            turn=turn,
            operation=operation,
            paths=self._paths(paths),
            scopes=scopes,
            resolutions=self._choices(choices),
            force=force,
        )
        return self._journey(move)

    def redo(self, *, choices: Choices = NO_CHOICES, force: bool = False) -> Journey:
        """Take back the last undo, as long as nothing was said since."""
        resolutions = self._choices(choices)
        return self._journey(moves.redo(self.opened, resolutions=resolutions, force=force))

    def restore(
        self,
        message: str,
        *,
        paths: Iterable[FilePath] | None = None,
        scopes: Iterable[Scope] = ALL,
        choices: Choices = NO_CHOICES,
        force: bool = False,
    ) -> Journey:
        """To any message, or some files as they were there."""
        move = moves.restore(
            self.opened,
            message,
            paths=self._paths(paths),
            scopes=scopes,
            resolutions=self._choices(choices),
            force=force,
        )
        return self._journey(move)

    def revert(
        self,
        message: str,
        *,
        paths: Iterable[FilePath] | None = None,
        choices: Choices = NO_CHOICES,
        force: bool = False,
    ) -> Journey:
        """Take back what the steps of one message did to files, and leave the rest."""
        move = moves.revert(
            self.opened,
            message,
            paths=self._paths(paths),
            resolutions=self._choices(choices),
            force=force,
        )
        return self._journey(move)

    def switch(
        self,
        branch: str,
        *,
        scopes: Iterable[Scope] = ALL,
        choices: Choices = NO_CHOICES,
        force: bool = False,
    ) -> Journey:
        """To a branch, by its name or a message of it."""
        resolutions = self._choices(choices)
        move = moves.switch(
            self.opened, branch, scopes=scopes, resolutions=resolutions, force=force
        )
        return self._journey(move)

    def fork(self, at: str) -> str:
        """Go on from another message, files as they are; gives the note the talk goes on from.

        What was said behind that message stays a branch. `restore` brings its files back as well.
        """
        journey = self.switch(at, scopes=TALK)
        outcome = journey.apply(journey.plan().digest)
        if outcome.note is None:
            raise UsageError(f"nothing to fork at {at!r}", hint="the session stands there already")
        return outcome.note

    def diff(self, one: str | None, other: str | None = None) -> Comparison:
        """Which files and tasks differ between two messages; the other is the last one if not
        named, and `one` None is before the first."""
        return compared(self.opened, None if one is None else self._end(one), self._end(other))

    def restore_into(
        self,
        folder: Path | str,
        message: str | None = None,
        *,
        paths: Iterable[FilePath] | None = None,
        choices: Choices = NO_CHOICES,
        force: bool = False,
    ) -> Filling:
        """Files as they were at a message, in a folder of one's choice: a plan, then `apply`.

        This is how files of a session from elsewhere are had, whose workspace is not here. What is
        in the folder and in the way stays, or is put beside (`both`, `force`).
        """
        return restore_into(
            self.opened,
            message,
            Path(folder),
            only=self._paths(paths),
            resolutions={inside(None, path): choice for path, choice in choices.items()},
            force=force,
        )

    def log(self) -> Iterator[Entry]:
        """Prompts, steps and moves, the newest first."""
        return logbook(self.opened)

    # care

    def check(self, *, read_data: bool = False) -> list[Trouble]:
        """Everything that is wrong with the session; with `read_data` every content is hashed."""
        return care.check(self.opened, read_data=read_data)

    def gc(self, *, dry_run: bool = True, grace: float = care.GRACE) -> Freed:
        """Contents that no line names, older than `grace` seconds; removed only if asked to."""
        if not dry_run:
            self._may_write()
        return care.gc(self.opened, dry_run=dry_run, grace=grace)

    def usage(self) -> Usage:
        """What the session takes on the disk."""
        return care.usage(self.opened)

    def _journey(self, move: Move) -> Journey:
        return Journey(move, differs=self.differences, may=self._may_write, arrived=self.refresh)

    def _paths(self, paths: Iterable[FilePath] | None) -> list[bytes] | None:
        if paths is None:
            return None
        return [inside(self.opened.workspace, path) for path in paths]

    def _choices(self, choices: Choices) -> dict[bytes, Choice]:
        place = self.opened.workspace
        return {inside(place, path): choice for path, choice in choices.items()}
