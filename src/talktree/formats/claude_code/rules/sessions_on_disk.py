"""CLC3: sessions and the files they are in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from talktree.formats.claude_code.places import detect_kind, make_project_folder_name
from talktree.formats.claude_code.rule_support import CLAUDE_CODE, is_session, session_of_file
from talktree.formats.claude_code.session_files import (
    DAYS_KEPT,
    count_days_old,
    find_backups,
    find_first_directory,
    group_sessions_by_folder,
    is_session_file,
    read_session_index,
)
from talktree.formats.rule import Diagnostic, rule
from talktree.formats.rule_context import CheckedConversation, RuleRecord, Setting
from talktree.model.entries import Snapshot
from talktree.model.message import Message

NEARLY = 7
"""Number of days before the deletion of a session at which it is reported."""


@rule("CLC301", "wrong-session", "warning", on="talk", formats=CLAUDE_CODE)
def wrong_session(talk: CheckedConversation) -> Iterable[Diagnostic]:
    """Lines of another session stand in the file, behind lines of its own; or the file is named
    after a session that none of its lines is of.

    Why: two sessions were written into one file, so each shows what was said in the other. A copy
    of an earlier session at the beginning is no such thing: that is how sessions are continued.

    Bad:
        {"type":"user","sessionId":"3f0e6a52-9c1d-4b7e-a2d4-5b8f6c7d9e01","message":…}
        {"type":"user","sessionId":"77aa01bc-2f6e-4c0d-9d51-0e7a1b2c3d4e","message":…}
        {"type":"user","sessionId":"3f0e6a52-9c1d-4b7e-a2d4-5b8f6c7d9e01","message":…}

    Fix: none, because both are real; each line still says which session it is of.
    """
    names = talk.facts.session_names
    named = session_of_file(talk)
    if not names or (len(names) == 1 and (named is None or named in names)):
        return ()
    return _report_strays(talk, named) if is_session(talk) else ()


def _report_strays(talk: CheckedConversation, named: str | None) -> Iterator[Diagnostic]:
    names = ["", *talk.facts.session_names]
    main = talk.origin.by_path[talk.conversation.main_file]
    sessions = talk.facts.sessions[: len(main)]
    spoken = [number for number in sessions if number]
    if not spoken:
        return
    own = talk.facts.session_names.get(named, 0) if named else spoken[-1]
    if own not in spoken:
        first = next(at for at, number in enumerate(sessions) if number)
        yield Diagnostic(f"none of its lines is of the session {named}", "sessionId", first)
        return
    diagnostic = {0, own}
    begun = False
    for position, number in enumerate(sessions):
        begun = begun or number == own
        if begun and number not in diagnostic:
            diagnostic.add(number)
            yield Diagnostic(
                f"from here on also of session {names[number][:40]}", "sessionId", position
            )


@rule("CLC302", "stray-agent", "warning", on="source", formats=CLAUDE_CODE)
def stray_agent(setting: Setting) -> Iterable[Diagnostic]:
    """The talk of a sub-agent is alone: its session is not in the folder, or it is in a file that
    is named like a session.

    Why: Claude Code shows it nowhere, or shows it as a session though it cannot be continued. Most
    often the session itself was deleted.

    Bad:
        0000abc2-0000-4000-8000-00000000abc2/subagents/agent-a1b2c3.jsonl, and no
        0000abc2-0000-4000-8000-00000000abc2.jsonl

    Fix: none, because the session is not here.
    """
    files, folder = setting.origin.source.files, setting.origin.source.folder
    for sheet in setting.origin.sheets:
        session = f"{sheet.group}.jsonl"
        alone = session not in files or session == sheet.path
        if folder and alone and detect_kind(sheet.path) == "agent":
            yield Diagnostic("a sub-agent whose session is not here", path=sheet.path)
    for talk in setting.talks:
        path = talk.conversation.main_file
        if detect_kind(path) == "session" and is_session(talk) and _is_agent(talk):
            yield Diagnostic("a sub-agent in a file that is named like a session", path=path)


def _is_agent(talk: CheckedConversation) -> bool:
    """Whether all messages are by a sub-agent that has a file of its own."""
    skeleton = talk.skeleton
    if any(
        trait and not aside
        for trait, aside in zip(skeleton.traits, skeleton.sidechain, strict=True)
    ):
        return False
    first = next((at for at, trait in enumerate(skeleton.traits) if trait), None)
    entry = None if first is None else talk.read_record(first).entry
    return isinstance(entry, Message) and entry.agent is not None


@rule("CLC303", "shared-folder", "warning", on="source", formats=CLAUDE_CODE)
def shared_folder(setting: Setting) -> Iterable[Diagnostic]:
    """Sessions of several projects are in one folder: their working directories differ.

    Why: Claude Code names the folder after the directory, and turns every character but letters
    and digits into `-`; so `my-app` and `my_app` share one, and each shows the other's sessions. A
    session that was moved to the folder of another project is not found from its own.

    Bad:
        -home-ana-my-app/…: {"cwd":"/home/ana/my-app",…} and {"cwd":"/home/ana/my_app",…}

    Fix: none, because sessions must stay where Claude Code looks for them; trust `cwd`.
    """
    folders: dict[str, dict[str, str]] = {}
    for talk in setting.talks:
        path = talk.conversation.main_file
        directory = (
            find_first_directory(talk) if is_session_file(path) and is_session(talk) else None
        )
        if directory:
            folders.setdefault(path.rpartition("/")[0], {}).setdefault(directory, path)
    for folder, found in folders.items():
        if len(found) > 1:
            name = folder.rpartition("/")[2] or setting.origin.source.name
            yield from _report_clashes(name, found)


def _report_clashes(name: str, found: dict[str, str]) -> Iterator[Diagnostic]:
    own = next((each for each in found if make_project_folder_name(each) == name), None)
    first = own or next(iter(found))
    for directory, path in found.items():
        same = make_project_folder_name(directory) == make_project_folder_name(first)
        inside = directory.startswith((f"{first}/", f"{first}\\"))
        # If the folder's name says nothing, only what Claude Code itself would confuse counts.
        if directory != first and (same or (own is not None and not inside)):
            what = f"a session of {directory[:80]} beside those of {first[:80]}"
            yield Diagnostic(what, path=path)


@rule("CLC304", "stale-index", "warning", on="source", formats=CLAUDE_CODE)
def stale_index(setting: Setting) -> Iterable[Diagnostic]:
    """The list of sessions (`sessions-index.json`) is out of date: it lacks sessions that are
    there, names some that are gone, or cannot be read.

    Why: what is not in the list is not offered for resuming, though the file is whole; several
    versions of Claude Code stopped keeping the list up to date.

    Bad:
        {"version":1,"entries":[{"sessionId":"77aa01bc-2f6e-4c0d-9d51-0e7a1b2c3d4e"}]}

    Fix: none, because the list is only a cache: Claude Code makes a new one if it is deleted.
    """
    files = setting.origin.source.files
    lists = [path for path in files if path.rpartition("/")[2] == "sessions-index.json"]
    sessions = group_sessions_by_folder(files) if lists else {}
    for path in lists:
        listed = read_session_index(files[path])
        if listed is None:
            yield Diagnostic("the list of sessions cannot be read", path=path)
            continue
        here = sessions.get(path.rpartition("/")[0], set())
        missing, gone = len(here - listed), len(listed - here)
        if missing or gone:
            what = f"{missing} sessions are not in the list, {gone} in the list are not here"
            yield Diagnostic(what, path=path)


@rule("CLC305", "about-to-expire", "warning", on="source", formats=CLAUDE_CODE)
def about_to_expire(setting: Setting) -> Iterable[Diagnostic]:
    """Claude Code will soon delete the session: it removes files that were not written to for 30
    days.

    Why: this is where sessions are lost for good, without a word. Only files in Claude Code's own
    folder are meant, `.claude/projects`.

    Bad:
        ~/.claude/projects/-home-ana-app/3f0e6a52-9c1d-4b7e-a2d4-5b8f6c7d9e01.jsonl, last written
        25 days ago

    Fix: none, because only a copy elsewhere helps, or a larger `cleanupPeriodDays` in Claude
    Code's settings.
    """
    ages = {
        sheet.path: age
        for sheet in setting.origin.sheets
        if (age := count_days_old(sheet.content)) is not None and age >= DAYS_KEPT - NEARLY
    }
    if not ages:
        return
    path = max(ages, key=lambda each: ages[each])
    left = max(0, DAYS_KEPT - ages[path])
    count = "this session is" if len(ages) == 1 else f"{len(ages)} sessions are"
    yield Diagnostic(f"{count} about to be deleted, the first in {left} days", path=path)


@rule("CLC306", "snapshot-gap", "warning", on="snapshot", formats=CLAUDE_CODE)
def snapshot_gap(seen: RuleRecord) -> Iterable[Diagnostic]:
    """A snapshot names a copy of a file that is not in Claude Code's folder of such copies.

    Why: going back to this message will not bring the file back, and Claude Code says so only
    after other files have been changed.

    Bad:
        {"trackedFileBackups":{"src/app.py":{"backupFileName":"5d1f0c9a7be24d10@v1","version":1}}}

    Fix: none, because the copy is gone. All else of the session is untouched.
    """
    entry = seen.entry
    assert isinstance(entry, Snapshot)
    if not entry.files:
        return ()
    notes = seen.talk.notes
    if "CLC306" not in notes:
        notes["CLC306"] = (find_backups(seen.talk), set[str]())
    there, diagnostic = notes["CLC306"]
    if there is None:
        return ()
    missing = {
        path: state.backup
        for path, state in entry.files.items()
        if state.backup is not None and state.backup not in there and state.backup not in diagnostic
    }
    diagnostic.update(missing.values())
    return [
        Diagnostic(f"the copy of {path[:80]} is gone", way="snapshot/trackedFileBackups")
        for path in missing
    ]
