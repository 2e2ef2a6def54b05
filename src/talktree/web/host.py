"""What a process serves over time: a studio, or nothing while its library is locked.

This process holds the key, and only while the studio is open. Locking ends everything that has the
key: the watcher, jobs, database connections, cached documents, and uploads.
"""

from __future__ import annotations

import gc
import threading
from contextlib import ExitStack
from pathlib import Path

from talktree.errors import LibraryLocked, Unreadable, UsageError, WrongKey
from talktree.files.age import parse_identities
from talktree.library.encryption.agent_client import drop_keys
from talktree.library.encryption.key_file import LibraryKey, read_key_file, repair_key_file
from talktree.library.encryption.key_slots import AgeSlot, PassphraseSlot
from talktree.library.encryption.state import is_encrypted
from talktree.library.encryption.unlocking import forget_key, remember_key, unwrap_library_key
from talktree.web.job_runner import Jobs
from talktree.web.launch import ServedPaths, open_studio
from talktree.web.schemas.general import LockState, Unlock
from talktree.web.security.guesses import GuessLimit
from talktree.web.studio import StudioContext


class StudioHost:
    """Opens the studio, and closes it when its library is locked."""

    def __init__(self, served: ServedPaths) -> None:
        self.served = served
        self.guesses = GuessLimit()
        self._turn = threading.RLock()
        self._ends = ExitStack()
        self._studio: StudioContext | None = None
        self._ending: list[Jobs] = []
        if not served.locked:
            self._open_studio()

    @property
    def studio(self) -> StudioContext | None:
        """The studio; None while the library is locked."""
        return self._studio

    def require(self) -> StudioContext:
        """Return the studio, or raise the error that the library is locked."""
        studio = self._studio
        if studio is None:
            raise LibraryLocked("the library is locked", hint="unlock it on the page of the studio")
        return studio

    def get_state(self) -> LockState:
        """Return whether the library is encrypted and locked, and what unlocks it."""
        root = self.served.find_encrypted_root()
        if root is None:
            return LockState()
        slots = read_key_file(root).slots
        return LockState(
            encrypted=True,
            locked=self._studio is None,
            passphrase=any(isinstance(each, PassphraseSlot) for each in slots),
            identity=any(isinstance(each, AgeSlot) for each in slots),
            wait=self.guesses.wait,
            ending=sum(each.count_running() for each in self._ending),
        )

    def unlock(self, given: Unlock) -> None:
        """Open the studio with a passphrase or an age identity."""
        root, about = self._find_encrypted_library()
        with self.guesses.attempt():
            if self._studio is not None:
                return
            identities = parse_identities(given.identity.encode(), "the file")
            if given.identity and not identities:
                raise Unreadable("the file has no identity", hint="choose an age identity file")
            try:
                key = unwrap_library_key(
                    root, about, passphrase=given.passphrase, identities=identities
                )
            except WrongKey as error:
                # The page shows which library it is.
                said = error.message.removeprefix(f"{root}: ")
                raise WrongKey(said, hint=error.hint) from None
        with self._turn:
            remember_key(about.id, key)
            try:
                if not self.served.read_only:
                    repair_key_file(root)
                self.served.prepare()
                self._open_studio()
            except BaseException:
                forget_key(about.id)
                raise

    def lock(self) -> None:
        """Close the studio and drop the key, here and in the key agent."""
        root, about = self._find_encrypted_library()
        with self._turn:
            studio = self._studio
            self.close()
            if studio is not None:
                self._ending = [
                    each for each in (*self._ending, studio.jobs) if each.count_running()
                ]
            for each in {about.id, *_collect_key_ids(root, self.served.root)}:
                forget_key(each)
                drop_keys(each)
        # Frees cached documents and closes unused connections now.
        gc.collect()

    def close(self) -> None:
        """Close the studio."""
        with self._turn:
            self._studio = None
            ends, self._ends = self._ends, ExitStack()
            ends.close()

    def _open_studio(self) -> None:
        with self._turn:
            if self._studio is None:
                self._studio = self._ends.enter_context(open_studio(self.served))

    def _find_encrypted_library(self) -> tuple[Path, LibraryKey]:
        root = self.served.find_encrypted_root()
        if root is None:
            raise UsageError(
                "the library is not encrypted", hint="encrypt it: talktree library encrypt"
            )
        return root, read_key_file(root)


def _collect_key_ids(*roots: Path | None) -> set[str]:
    """Return the ids of the keys of those libraries that are encrypted."""
    return {read_key_file(root).id for root in roots if root is not None and is_encrypted(root)}
