"""Restoring into a folder of one's choice: for sessions from elsewhere, and to have a look.

Nothing of the session changes, and nothing that is in the folder is lost: nobody keeps a copy of
it, so what is in the way stays, or is put beside. What the session says of paths and contents is a
stranger's word: every path stays beneath the folder, every content is verified, and no file becomes
one that runs with another user's rights.
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
"""The bits of a mode that a stranger may choose."""
PIECE = 1 << 20
NO_CHOICES: Mapping[bytes, Choice] = {}


class NoFolderYet(MoveFolder):
    """A folder that is not there, so nothing is in it."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._store = None

    def look(self, path: bytes, contents: Contents | None = None) -> LookedState:
        return LookedState(ABSENT)

    def kind(self, path: bytes) -> State:
        return ABSENT


class PresentFilesSupply:
    """A supply that also has what is in the folder now and is to be put beside."""

    def __init__(self, supply: Supply, ground: MoveFolder, actions: Iterable[UndoAction]) -> None:
        self._supply = supply
        self._folder = ground.folder
        self._present = {
            each.before.hash: each.path
            for each in actions
            if each.beside is not None and isinstance(each.before, FileContentState)
        }

    def find_problem(self, file: FileContentState) -> str | None:
        """Why the content of a file cannot be had."""
        return None if file.hash in self._present else self._supply.find_problem(file)

    def pieces(self, file: FileContentState) -> Iterator[bytes]:
        """The content of a file, verified while it is read."""
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
    """A folder that is filled with files, after a look at the plan."""

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
        """Everything that would be written; nothing is."""
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
        """What shall be in the folder, and what may go for it."""
        return self._wanted

    def _list_placeless(self) -> Iterable[UndoAction]:
        """What can be told of files that have no place in the folder."""
        return ()

    def _list_notes(self) -> Iterable[str]:
        """More that people should know before they agree."""
        return ()

    def _make_choices(self, wanted: Iterable[WantedPath]) -> dict[bytes, Choice]:
        """Nobody keeps what is in the folder, so it is never just replaced."""
        forced: dict[bytes, Choice] = {each.path: "both" for each in wanted if self._force}
        said: dict[bytes, Choice] = {
            path: "both" if choice == "theirs" else choice
            for path, choice in self._resolutions.items()
        }
        return forced | said

    def diff_action(self, action: UndoAction) -> list[str]:
        """The difference an action would make in a text that is there."""
        before, target = action.before, action.target
        if not isinstance(before, FileContentState) or not isinstance(target, FileContentState):
            return []
        return diff_texts(action.path, *self.read_contents(action))

    def read_contents(self, action: UndoAction) -> tuple[bytes | None, bytes | None]:
        """What is there and what shall be there; None for what is no small file."""
        target = read_bytes(self._supply, action.target)
        if not isinstance(action.before, FileContentState):
            return read_bytes(self._supply, action.before), target
        with Anchor(self._folder.resolve()) as folder:
            return MoveFolder(folder, self._limits).read(action.path, action.before), target

    def apply(self, digest: str) -> UndoResult:
        """Write it all, if the plan is still the one with this digest."""
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
    """All files a session knows (or only some), in another folder: as they were after a message
    (or `before` it), or as they are now."""
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
    """Only what loses nothing is offered: there is no copy of what is there."""
    safe = tuple(each for each in action.choices if each in ("keep", "both"))
    return replace(action, choices=safe) if action.choices else action


def to_plain_state(path: bytes, state: State) -> State:
    """What a stranger may put into a folder: no mode that gives rights, no link that leads out."""
    if isinstance(state, FileContentState | Folder):
        return replace(state, mode=state.mode & PLAIN)
    if isinstance(state, LinkState) and _leads_out(path, state.target):
        return UnknownState("a link that leads out of the folder")
    return state


def _leads_out(path: bytes, target: bytes) -> bool:
    """Whether a link may lead out of the folder.

    Going up is only safe at the beginning, from where the link itself is: behind a name that may
    be a link too, nobody knows where "up" is.
    """
    names = [name for name in target.split(b"/") if name not in (b"", b".")]
    ups = next((at for at, name in enumerate(names) if name != b".."), len(names))
    return target.startswith(b"/") or ups > path.count(b"/") or b".." in names[ups:]
