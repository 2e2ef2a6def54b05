"""Restoring into a chosen folder: for sessions from elsewhere, and for inspection.

Nothing of the session changes, and nothing in the folder is lost: there is no copy of its files, so
an existing file stays, or is put beside. Paths and contents in the session are not trusted: every
path stays inside the folder, every content is verified, and no file becomes one that runs with
another user's rights.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path

from msgspec.structs import replace

from talktree.errors import NotFound, NotSaved, TalktreeError, WorldMoved
from talktree.files.locking import folder_lock
from talktree.files.sandbox import Anchor
from talktree.session.branches import find_message
from talktree.session.capture.blobs import Contents
from talktree.session.capture.file_state import (
    ABSENT,
    AbsentState,
    FileContentState,
    Folder,
    LinkState,
    State,
    UnknownState,
)
from talktree.session.capture.limits import Limits
from talktree.session.capture.path_probe import LookedState
from talktree.session.errors import raise_plain_errors
from talktree.session.handle import SessionHandle
from talktree.session.undo.backups import ForeignSupply
from talktree.session.undo.diff import diff_texts, read_bytes
from talktree.session.undo.execute import UndoResult, find_fates
from talktree.session.undo.execute_files import Execution
from talktree.session.undo.history import FileLine, WantedPath, find_all_states_at
from talktree.session.undo.move_records import ScopeLeaves
from talktree.session.undo.plan import Choice, PlanBuilder, UndoAction, UndoPlan, with_digest
from talktree.session.undo.stash import TemporaryNames
from talktree.session.undo.target import collect_uncovered
from talktree.session.undo.target_folder import MoveFolder, Supply
from talktree.session.undo.timeline import Timeline

PLAIN = 0o777
"""The mode bits that a foreign session may set."""
PIECE = 1 << 20
NO_CHOICES: Mapping[bytes, Choice] = {}


class NoFolderYet(MoveFolder):
    """A folder that does not exist yet, and is empty."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._store = None

    def look(self, path: bytes, contents: Contents | None = None) -> LookedState:
        return LookedState(ABSENT)

    def kind(self, path: bytes) -> State:
        return ABSENT


class PresentFilesSupply:
    """A supply that also has existing files of the folder that are to be put beside."""

    def __init__(self, supply: Supply, ground: MoveFolder, actions: Iterable[UndoAction]) -> None:
        self._supply = supply
        self._folder = ground.folder
        self._present = {
            each.before.hash: each.path
            for each in actions
            if each.beside is not None and isinstance(each.before, FileContentState)
        }

    def find_problem(self, file: FileContentState) -> str | None:
        """Return why the content of a file is not available."""
        return None if file.hash in self._present else self._supply.find_problem(file)

    def pieces(self, file: FileContentState) -> Iterator[bytes]:
        """Yield the content of a file, verified while it is read."""
        if file.hash not in self._present:
            yield from self._supply.pieces(file)
            return
        seen = sha256()
        path = self._present[file.hash]
        with open(self._folder.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as stream:
            while piece := stream.read(PIECE):
                seen.update(piece)
                yield piece
        if seen.hexdigest() != file.hash:
            raise WorldMoved("a file changed while it was read", hint="make the plan again")


@raise_plain_errors
class FolderRestore:
    """Fills a folder with files, according to a plan that can be looked at first."""

    def __init__(
        self,
        folder: Path,
        wanted: Iterable[WantedPath],
        supply: Supply,
        limits: Limits,
        *,
        goal: str | None = None,
        uncovered: tuple[tuple[str, str], ...] = (),
        resolutions: Mapping[bytes, Choice] = NO_CHOICES,
        force: bool = False,
    ) -> None:
        self._folder = folder
        self._wanted = list(wanted)
        self._supply = supply
        self._limits = limits
        self._goal = goal
        self._uncovered = uncovered
        self._resolutions = resolutions
        self._force = force

    def plan(self) -> UndoPlan:
        """Return the plan without writing anything."""
        if not self._folder.exists():
            return self._make_plan(NoFolderYet(self._limits))[0]
        with Anchor(self._folder.resolve()) as folder:
            return self._make_plan(MoveFolder(folder, self._limits))[0]

    def _make_plan(self, ground: MoveFolder) -> tuple[UndoPlan, PlanBuilder]:
        wanted = self._list_wanted(ground)
        draft = PlanBuilder(ground, self._supply, self._make_choices(wanted))
        there = ScopeLeaves(self._goal, None, None)
        plan = UndoPlan(
            verb="restore",
            from_=there,
            to=there,
            scopes=("files",),
            actions=(*map(_keep_safe_choices, draft.make_actions(wanted)), *self._list_placeless()),
            already=tuple(draft.already),
            uncovered=self._uncovered,
            warnings=(*draft.warnings, *self._list_notes()),
        )
        return with_digest(plan, str(self._folder)), draft

    def _list_wanted(self, ground: MoveFolder) -> list[WantedPath]:
        """Return the files to write, and which existing ones they may replace."""
        return self._wanted

    def _list_placeless(self) -> Iterable[UndoAction]:
        """Yield actions for files that have no place in the folder."""
        return ()

    def _list_notes(self) -> Iterable[str]:
        """Yield further notes for the user."""
        return ()

    def _make_choices(self, wanted: Iterable[WantedPath]) -> dict[bytes, Choice]:
        """Return the choices; existing files have no other copy and are never just replaced."""
        forced: dict[bytes, Choice] = {each.path: "both" for each in wanted if self._force}
        said: dict[bytes, Choice] = {
            path: "both" if choice == "theirs" else choice
            for path, choice in self._resolutions.items()
        }
        return forced | said

    def diff_action(self, action: UndoAction) -> list[str]:
        """Return the difference an action would make in an existing text."""
        before, target = action.before, action.target
        if not isinstance(before, FileContentState) or not isinstance(target, FileContentState):
            return []
        return diff_texts(action.path, *self.read_contents(action))

    def read_contents(self, action: UndoAction) -> tuple[bytes | None, bytes | None]:
        """Return the current and the target content; None for a large or missing file."""
        target = read_bytes(self._supply, action.target)
        if not isinstance(action.before, FileContentState):
            return read_bytes(self._supply, action.before), target
        with Anchor(self._folder.resolve()) as folder:
            return MoveFolder(folder, self._limits).read(action.path, action.before), target

    def apply(self, digest: str) -> UndoResult:
        """Execute the plan, if it still has this digest."""
        with ExitStack() as held:
            folder = held.enter_context(Anchor(_make_folder(self._folder)))
            held.enter_context(folder_lock(folder.fd, exclusive=True))
            ground = MoveFolder(folder, self._limits)
            plan, draft = self._make_plan(ground)
            if plan.digest != digest:
                raise WorldMoved(
                    "the folder or the session are not as they were when the plan was made",
                    hint="nothing was written; look at the plan again and apply the new digest",
                )
            move = secrets.token_hex(8)
            supply = PresentFilesSupply(self._supply, ground, plan.actions)
            work = Execution(ground, supply, move, plan.actions, draft.stamps)
            try:
                work.run()
            except (OSError, TalktreeError) as error:
                TemporaryNames(ground, move, plan.movings).recover()
                raise NotSaved(
                    f"not everything could be restored: {error}",
                    hint=f"what is in {self._folder} is whole; the rest is missing",
                ) from error
            fates, problems = find_fates(ground, plan.actions, work.left)
        code = 3 if "failed" in fates.values() else 1 if "kept" in fates.values() else 0
        return UndoResult(exit_code=code, fates=fates, plan=plan, problems=tuple(problems))


def _make_folder(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    return path.resolve()


def restore_into(
    opened: SessionHandle,
    message: str | None,
    folder: Path,
    *,
    before: bool = False,
    only: Iterable[bytes] | None = None,
    resolutions: Mapping[bytes, Choice] = NO_CHOICES,
    force: bool = False,
) -> FolderRestore:
    """Return a restore of all known files, or only some, into another folder.

    They are as they were after a message (or `before` it), or as they are now.
    """
    if message is None:
        goal = Timeline(opened.index).find_end()
    else:
        goal = FileLine(opened).find_place(find_message(opened, message), before=before)
    foreign = ForeignSupply(opened)
    states, snapshots = find_all_states_at(opened, goal, foreign)
    if only is not None:
        states = {path: _known_state(states, path) for path in only}
    wanted = [
        WantedPath(path, ABSENT, to_plain_state(path, state)) for path, state in states.items()
    ]
    return FolderRestore(
        folder,
        [each for each in wanted if not isinstance(each.target, AbsentState)],
        foreign,
        opened.limits,
        goal=goal,
        uncovered=collect_uncovered(snapshots),
        resolutions=resolutions,
        force=force,
    )


def _known_state(states: Mapping[bytes, State], path: bytes) -> State:
    if path not in states:
        raise NotFound(
            f"the session knows no file {os.fsdecode(path)!r}",
            hint="`talktree session log --all-paths` lists what it has seen",
        )
    return states[path]


def _keep_safe_choices(action: UndoAction) -> UndoAction:
    """Return an action with only the choices that lose nothing."""
    safe = tuple(each for each in action.choices if each in ("keep", "both"))
    return replace(action, choices=safe) if action.choices else action


def to_plain_state(path: bytes, state: State) -> State:
    """Return a state without modes that give rights, and without links that lead out."""
    if isinstance(state, FileContentState | Folder):
        return replace(state, mode=state.mode & PLAIN)
    if isinstance(state, LinkState) and _leads_out(path, state.target):
        return UnknownState("a link that leads out of the folder")
    return state


def _leads_out(path: bytes, target: bytes) -> bool:
    """Whether a link may lead out of the folder.

    Going up is only safe at the beginning, from where the link itself is: after a name that may be
    a link too, the meaning of "up" is not known.
    """
    names = [name for name in target.split(b"/") if name not in (b"", b".")]
    ups = next((at for at, name in enumerate(names) if name != b".."), len(names))
    return target.startswith(b"/") or ups > path.count(b"/") or b".." in names[ups:]
