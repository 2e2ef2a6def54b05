"""Making a plan: each path by the three-way rule and the user's choice, then all together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256

from msgspec.structs import replace

from talktree.session.capture.contents import Contents
from talktree.session.capture.file_state import ABSENT, Absent, File, Folder, Link, State, Unknown
from talktree.session.capture.path_probe import Stamp
from talktree.session.undo.differences import bytes_of
from talktree.session.undo.hard_links import files_of_their_own, link_warnings
from talktree.session.undo.history import Wanted
from talktree.session.undo.merge import LARGEST, merged
from talktree.session.undo.plan import Action, Choice, Kind, in_order, kind_of
from talktree.session.undo.target_folder import SHORT, Ground, Supply, above
from talktree.session.undo.three_way import judged

NEW_FOLDER = Folder(mode=0o755)


class Draft:
    """A plan in the making."""

    def __init__(
        self,
        ground: Ground,
        supply: Supply,
        resolutions: Mapping[bytes, Choice],
        *,
        force: bool = False,
        keep_in: Contents | None = None,
    ) -> None:
        self._ground = ground
        self._supply = supply
        self._resolutions = resolutions
        self._force = force
        self._keep_in = keep_in
        self.actions: dict[bytes, Action] = {}
        self.already: list[bytes] = []
        self.warnings: list[str] = []
        self.merged: dict[str, bytes] = {}
        self.stamps: dict[bytes, Stamp | None] = {}
        """Of the paths that were looked at: what tells that they did not change since."""
        self._troubles: dict[str, str | None] = {}
        self._current: dict[bytes, State] = {}
        self._inside: dict[bytes, list[bytes]] = {}
        self._kept_in: set[bytes] = set()
        self._needed: set[bytes] = set()
        """Folders nobody asked for, but for what is in them."""

    def made(self, wanted: Iterable[Wanted]) -> tuple[Action, ...]:
        """All actions, in their order."""
        ordered = sorted(wanted)
        for each in ordered:
            self._look(each)
        for each in ordered:
            self._judge(each)
        while self._demoted():
            pass
        self._without_idle_folders()
        self.actions |= files_of_their_own(self.actions.values(), self.stamps)
        self.warnings += link_warnings(self.actions.values())
        return in_order(self.actions.values())

    # each path alone

    def _look(self, wanted: Wanted) -> None:
        path = wanted.path
        if self._ground.refusal(path) is not None:
            return
        folder = above(path)
        while folder:
            if not isinstance(self._current.get(folder, NEW_FOLDER), Folder):
                # The plan itself says that its folder is no folder now, so nothing can be there.
                self._current[path] = ABSENT
                return
            folder = above(folder)
        self._current[path], self.stamps[path] = self._ground.look(path, self._keep_in)

    def _judge(self, wanted: Wanted) -> None:
        refusal = self._ground.refusal(wanted.path)
        current = Unknown(refusal) if refusal else self._current[wanted.path]
        if refusal is not None:
            self._act("cannot", wanted, current, current, refusal)
            return
        found = judged(wanted.expected, wanted.target, current, wanted.foreign)
        if found.judgement == "already":
            self.already.append(wanted.path)
            return
        if found.judgement == "cannot":
            self._act("cannot", wanted, current, current, found.reason)
            return
        trouble = self._trouble(current, found.after)
        if trouble is not None:
            self._act("cannot", wanted, current, current, trouble)
        elif found.judgement == "go":
            self._do(wanted, current, found.after, found.reason)
        else:
            self._resolve(wanted, current, found.after, found.reason)

    def _do(
        self,
        wanted: Wanted,
        current: State,
        after: State,
        reason: str,
        beside: bytes | None = None,
    ) -> None:
        self._act(kind_of(current, after), wanted, current, after, reason, beside=beside)

    def _act(
        self,
        kind: Kind,
        wanted: Wanted,
        current: State,
        after: State,
        reason: str,
        *,
        beside: bytes | None = None,
        choices: tuple[Choice, ...] = (),
    ) -> None:
        self.actions[wanted.path] = Action(
            action=kind,
            path=wanted.path,
            reason=reason,
            before=current,
            expected=wanted.expected,
            after=after,
            target=wanted.target,
            beside=beside,
            choices=choices,
        )

    def _trouble(self, current: State, after: State) -> str | None:
        """Why the content for a path cannot be had."""
        if not isinstance(after, File):
            return None
        if isinstance(current, File) and current.hash == after.hash:
            return None
        if after.hash not in self._troubles:
            self._troubles[after.hash] = self._supply.trouble(after)
        return self._troubles[after.hash]

    # conflicts

    def _resolve(self, wanted: Wanted, current: State, after: State, reason: str) -> None:
        choices = self._choices(wanted, current, after)
        choice = self._resolutions.get(wanted.path, "theirs" if self._force else None)
        if choice is not None and choice not in choices:
            reason, choice = f"{reason}; {choice} is not possible", None
        match choice:
            case "keep":
                self._act("skip", wanted, current, current, f"{reason}; it is kept")
                return
            case "theirs":
                self._do(wanted, current, after, f"{reason}; replaced on request")
                return
            case "both":
                self._keep_both(wanted, current, after, reason)
                return
            case "merge":
                one = self._merge(wanted, current, after)
                if one is not None:
                    self._do(wanted, current, one, f"{reason}; both changes are merged")
                    return
                reason += "; both changed the same lines"
        self._act("conflict", wanted, current, current, reason, choices=choices)

    def _choices(self, wanted: Wanted, current: State, after: State) -> tuple[Choice, ...]:
        choices: list[Choice] = ["keep", "theirs"]
        if isinstance(current, File | Link):
            choices.append("both")
        files = (wanted.expected, current, after)
        if wanted.foreign is None and all(
            isinstance(each, File) and each.size <= LARGEST for each in files
        ):
            choices.append("merge")
        return tuple(choices)

    def _keep_both(self, wanted: Wanted, current: State, after: State, reason: str) -> None:
        mark = current.hash[:SHORT] if isinstance(current, File) else "link"
        taken = set(self.actions) | set(self._current)
        beside = self._ground.free_name(wanted.path, f"kept-{mark}", taken)
        self._do(wanted, current, after, f"{reason}; both are kept", beside)
        if isinstance(current, File):
            current = replace(current, links=1)
        copy = Wanted(beside, ABSENT, current)
        self._do(copy, ABSENT, current, "what was there before")

    def _merge(self, wanted: Wanted, current: State, after: State) -> State | None:
        base, target = (bytes_of(self._supply, each) for each in (wanted.expected, after))
        ours = self._ground.read(wanted.path, current)
        if base is None or target is None or ours is None or not isinstance(after, File):
            return None
        both = merged(base, ours, target)
        if both is None:
            return None
        hash = sha256(both).hexdigest()
        self.merged[hash] = both
        return File(hash=hash, size=len(both), mode=after.mode)

    # all together

    def _demoted(self) -> bool:
        """Whether some action was given up because others stand against it."""
        changed = False
        # Each folder that something is put into, once, so that many folders cost no more than that.
        self._kept_in = {
            above(path)
            for path, action in self.actions.items()
            if not isinstance(action.after, Absent)
        }
        for action in list(self.actions.values()):
            if action.does and self.actions.get(action.path) is action:
                why = self._stays(action) or self._has_no_folder(action)
                if why is not None:
                    self._give_up(action, why)
                    changed = True
        return changed

    def _without_idle_folders(self) -> None:
        """Folders that were only to be made for something that does not come are not made."""
        filled: set[bytes] = set()
        for action in self.actions.values():
            folder = above(action.path)
            while action.does and action.path not in self._needed and folder:
                filled.add(folder)
                folder = above(folder)
        for folder in self._needed - filled:
            del self.actions[folder]

    def _give_up(self, action: Action, why: str) -> None:
        if action.path in self._needed:
            self._needed.remove(action.path)
            del self.actions[action.path]
            return
        harmless = action.action == "rmdir"
        self.actions[action.path] = replace(
            action, action="skip" if harmless else "cannot", reason=why, after=action.before
        )
        if action.beside is not None:
            self.actions.pop(action.beside, None)

    def _final(self, path: bytes) -> State:
        action = self.actions.get(path)
        if action is not None:
            return action.after
        return self._current[path] if path in self._current else self._ground.kind(path)

    def _stays(self, action: Action) -> str | None:
        """Why a folder cannot go: something in it stays."""
        if not isinstance(action.before, Folder) or isinstance(action.after, Folder):
            return None
        if action.path not in self._inside:
            self._inside[action.path] = self._ground.names_in(action.path)
        for path in self._inside[action.path]:
            if not isinstance(self._final(path), Absent):
                name = path.rpartition(b"/")[2].decode("utf-8", "backslashreplace")
                return f"the folder is not empty: it holds {name}"
        return "the folder is needed" if action.path in self._kept_in else None

    def _has_no_folder(self, action: Action) -> str | None:
        """Why nothing can be put at a path: its folder is none. Folders that lack are made."""
        folder = above(action.path)
        if isinstance(action.after, Absent) or not folder:
            return None
        there = self._final(folder)
        if isinstance(there, Folder):
            return None
        if not isinstance(there, Absent):
            return "the folder it was in is no folder now"
        if folder in self.actions and self.actions[folder].does:
            return "the folder it was in goes"
        self._do(Wanted(folder, ABSENT, NEW_FOLDER), ABSENT, NEW_FOLDER, "it is needed")
        self._current[folder] = ABSENT
        self._needed.add(folder)
        return self._has_no_folder(self.actions[folder])
