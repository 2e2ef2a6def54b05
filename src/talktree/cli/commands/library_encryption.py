"""`talktree library encrypt`, `decrypt`, `lock`, `unlock`: encryption at rest."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from talktree.cli import library_arguments, output, params, passphrases
from talktree.cli.errors import print_stderr
from talktree.cli.group import Verb
from talktree.errors import NotSaved, TalktreeError, UsageError
from talktree.files.private import make_private
from talktree.home import data_home
from talktree.library.database.database_errors import undecipherable_error
from talktree.library.database.permissions import secure_library
from talktree.library.dropped_files import dropped_files_folder
from talktree.library.encryption.key_file import (
    LibraryKey,
    read_key_file,
    repair_key_file,
    write_key_file,
)
from talktree.library.encryption.key_slots import (
    PassphraseSlot,
    Slot,
    generate_key,
    key_id,
    make_age_slot,
    make_passphrase_slot,
)
from talktree.library.encryption.leftovers import finish_interrupted_switch
from talktree.library.encryption.state import (
    DATABASE,
    has_key_file,
    has_leftovers,
    is_encrypted,
    lacks_key_file,
)
from talktree.library.encryption.unlocking import forget_key, remember_key, unwrap_library_key
from talktree.library.library import missing_library_error
from talktree.library.temporary import FOLDER as STUDIO
from talktree.settings.encryption import encryption_settings, parse_seconds
from talktree.views.shapes import format_document

UNITS = "like 30m, 8h or 90s"


@click.command("encrypt", cls=Verb)
@passphrases.from_file
@click.option(
    "--recipient",
    "recipients",
    metavar="RECIPIENT",
    multiple=True,
    help="An age recipient, or a file with some, that can unlock it too; then no passphrase is "
    "needed unless --passphrase-file names one.",
)
@click.option(
    "--change-passphrase",
    is_flag=True,
    help="Give an encrypted library another passphrase; nothing else is written.",
)
@click.option(
    "--new-passphrase-file",
    metavar="FILE",
    type=params.PATH,
    help="With --change-passphrase: read the new one from this file.",
)
@passphrases.identity
@library_arguments.at
def encrypt(
    passphrase_file: str | None,
    recipients: Sequence[str],
    change_passphrase: bool,  # noqa: FBT001
    new_passphrase_file: str | None,
    identity: str | None,
    library: str | None,
) -> None:
    """Encrypt the library: archive, database and full text.

    An encrypted library is built beside the plain one, read again as a whole, and takes its place;
    the plain files are then overwritten and removed. If it is interrupted, the library is either
    as it was or encrypted, and running it again finishes it. The library stays unlocked until
    `talktree library lock`. Needs the extra `encryption` (exit code 6 without it).
    """
    root = _find_root(library)
    encryption_settings()  # a mistake in them must not appear after the work is done
    if change_passphrase:
        if recipients:
            raise UsageError(
                "--change-passphrase changes no recipients", hint="leave --recipient out"
            )
        _change_passphrase(root, passphrase_file, new_passphrase_file, identity)
        return
    if new_passphrase_file or identity:
        raise UsageError("this option needs --change-passphrase", hint="see --help")
    if is_encrypted(root):
        read_key_file(root)
        raise UsageError(
            f"{root}: the library is encrypted already", hint="change its key: --change-passphrase"
        )
    from talktree.library.encryption.switch import encrypt_library

    if root.exists():
        secure_library(root / DATABASE)
    key = generate_key()
    about = LibraryKey(key_id(key), _make_slots(key, passphrase_file, recipients))
    if not (root / DATABASE).exists():
        _make_library(root, key, about)
    else:
        encrypt_library(root, key, about)
    print_stderr("talktree: the library is encrypted")
    _report_dropped_files(root)
    _hold_key(about, key, None)
    for other in _find_studio_libraries(root):
        try:
            encrypt_library(other, key, about)
        except TalktreeError as error:
            error.message = f"what a studio keeps of files is not encrypted: {error.message}"
            error.hint = f"end the studio, or remove {other} if you need no edits of it"
            raise


encrypt.examples = (
    "talktree library encrypt",
    "talktree library encrypt --recipient age1…",
    "talktree library encrypt --change-passphrase",
)


@click.command("decrypt", cls=Verb)
@passphrases.from_file
@passphrases.identity
@library_arguments.at
def decrypt(passphrase_file: str | None, identity: str | None, library: str | None) -> None:
    """Make the library a plain one again, in the same safe way.

    The passphrase is asked for even if the library is unlocked.
    """
    root, about = _find_encrypted_library(library)
    from talktree.library.encryption.agent_client import drop_keys
    from talktree.library.encryption.switch import decrypt_library

    key = _unwrap_key(root, about, passphrase_file, identity)
    others = [path for path in _find_studio_folders(root) if is_encrypted(path)]
    for each in [*others, root]:
        if each == root or read_key_file(each).id == about.id:
            decrypt_library(each, key)
    drop_keys(about.id)
    print_stderr("talktree: the library is not encrypted any more")


decrypt.examples = ("talktree library decrypt",)


@click.command("unlock", cls=Verb)
@passphrases.from_file
@passphrases.identity
@click.option(
    "--timeout",
    metavar="TIME",
    help=f"Lock it when it was not used for so long, {UNITS}; else as configured, else 30m.",
)
@library_arguments.at
def unlock(
    passphrase_file: str | None, identity: str | None, timeout: str | None, library: str | None
) -> None:
    """Unlock the library for the commands that follow, until `lock` or a time without use.

    A small process of yours holds the key in memory; nothing is written to the disk.
    """
    root, about = _find_encrypted_library(library)
    encryption_settings()
    seconds = None if timeout is None else parse_seconds(timeout)
    if timeout is not None and seconds is None:
        raise UsageError(f"--timeout {timeout}: not a time", hint=f"{UNITS}, up to 7d")
    key = _unwrap_key(root, about, passphrase_file, identity)
    try:
        if repair_key_file(root):
            print_stderr("talktree: one of the two key files was damaged and was written again")
    except NotSaved as error:
        print_stderr(f"talktree: one of the two key files is damaged: {error.message}")
    _hold_key(about, key, seconds, must=True)


unlock.examples = (
    "talktree library unlock",
    "talktree library unlock --timeout 8h",
    "pass show talktree | talktree library unlock --passphrase-file -",
)


@click.command("lock", cls=Verb)
@click.option("--all", "everything", is_flag=True, help="Lock all libraries.")
@params.as_json
@library_arguments.at
def lock(everything: bool, as_json: bool, library: str | None) -> None:  # noqa: FBT001
    """Lock the library: the key is dropped, and every command asks for it again.

    A watch that is running keeps the key until it ends, a studio until it is locked there.
    """
    from talktree.library.encryption.agent_client import drop_keys

    about = None if everything else _find_encrypted_library(library)[1]
    count = drop_keys("" if about is None else about.id)
    if as_json:
        output.print_text([format_document({"locked": count})])
    elif everything:
        print_stderr(f"talktree: {count} locked")
    else:
        print_stderr(
            "talktree: the library is locked" if count else "talktree: it was locked already"
        )


lock.examples = ("talktree library lock", "talktree library lock --all")


def _make_library(root: Path, key: bytes, about: LibraryKey) -> None:
    """Create a library that is encrypted from the beginning."""
    from talktree.library.encryption.switch import WAIT
    from talktree.library.importing.lock import WriterLock
    from talktree.library.library import Library

    make_private(root)
    with WriterLock(root).hold(WAIT):
        if (root / DATABASE).exists() or has_key_file(root):
            raise UsageError(
                f"{root}: another program made a library here meanwhile",
                hint="run the command again",
            )
        write_key_file(root, about)
        Library(root, write=True, key=key).close()


def _find_studio_libraries(root: Path) -> list[Path]:
    """Return the plain libraries of studios that were opened on some paths; they share the key."""
    return [path for path in _find_studio_folders(root) if not is_encrypted(path)]


def _find_studio_folders(root: Path) -> list[Path]:
    if root != data_home() / "library":
        return []
    return [path.parent for path in sorted((data_home() / STUDIO).glob(f"*/{DATABASE}"))]


def _report_dropped_files(root: Path) -> None:
    folder = dropped_files_folder(root)
    if folder.is_dir() and any(folder.iterdir()):
        print_stderr(
            f"talktree: files that you dropped into the studio are still plain files in {folder}"
        )


def _find_root(library: str | None) -> Path:
    return data_home() / "library" if library is None else Path(library)


def _find_encrypted_library(library: str | None) -> tuple[Path, LibraryKey]:
    """Return the folder of an encrypted library, and its key file."""
    root = _find_root(library)
    if has_leftovers(root):
        # Plain files of an interrupted switch must not remain beside a locked library.
        finish_interrupted_switch(root, recover=False)
    if lacks_key_file(root):
        raise undecipherable_error(root / DATABASE, encrypted=False)
    _require_encrypted(root)
    return root, read_key_file(root)


def _require_encrypted(root: Path) -> None:
    if not is_encrypted(root):
        if not (root / DATABASE).exists():
            raise missing_library_error(root)
        raise UsageError(
            f"{root}: the library is not encrypted", hint="encrypt it: talktree library encrypt"
        )


def _make_slots(
    key: bytes, passphrase_file: str | None, recipients: Sequence[str]
) -> tuple[Slot, ...]:
    """Return the slots of a new key file."""
    slots: list[Slot] = []
    if recipients:
        from talktree.files.age import parse_recipients

        slots.append(make_age_slot(key, parse_recipients(recipients)))
    given = passphrases.read_named_passphrase(passphrase_file)
    if given is None and (passphrase_file or not recipients):
        given = passphrases.get_new_passphrase(None, "Passphrase")
    if given is not None:
        slots.insert(0, make_passphrase_slot(key, given))
    return tuple(slots)


def _unwrap_key(
    root: Path, about: LibraryKey, passphrase_file: str | None, identity: str | None
) -> bytes:

    found = passphrases.load_identities(identity)
    if found:
        return unwrap_library_key(root, about, identities=found)
    return unwrap_library_key(root, about, passphrase=passphrases.get_passphrase(passphrase_file))


def _change_passphrase(
    root: Path, passphrase_file: str | None, new_file: str | None, identity: str | None
) -> None:
    """Wrap the data key with another passphrase."""
    _require_encrypted(root)
    about = read_key_file(root)
    found = passphrases.load_identities(identity)
    if found:
        key = unwrap_library_key(root, about, identities=found)
    else:
        key = unwrap_library_key(
            root,
            about,
            passphrase=passphrases.get_passphrase(passphrase_file, "Present passphrase"),
        )
    slot = make_passphrase_slot(key, passphrases.get_new_passphrase(new_file))
    others = tuple(each for each in about.slots if not isinstance(each, PassphraseSlot))
    for each in [*_find_studio_folders(root), root]:
        if each == root or (is_encrypted(each) and read_key_file(each).id == about.id):
            write_key_file(each, LibraryKey(about.id, (slot, *others)))
    print_stderr("talktree: the passphrase was changed")


def _hold_key(about: LibraryKey, key: bytes, seconds: float | None, *, must: bool = False) -> None:
    """Pass the key to the agent, and report for how long it holds it."""
    from talktree.library.encryption.agent_client import store_key

    idle = encryption_settings().idle if seconds is None else seconds
    remember_key(about.id, key)
    try:
        store_key(about.id, key, idle)
    except TalktreeError as error:
        forget_key(about.id)
        if must:
            raise
        print_stderr(f"talktree: it is locked now: {error.message}")
        return
    print_stderr(
        f"talktree: the library is unlocked until it was not used for {_format_seconds(idle)}"
    )


def _format_seconds(seconds: float) -> str:
    whole = round(seconds)
    for unit, size in (("h", 3600), ("m", 60)):
        if whole >= size and whole % size == 0:
            return f"{whole // size}{unit}"
    return f"{whole}s"
