"""`talktree session list`, `log`, `show`, `diff`, `todos`: the content of sessions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import click

from talktree.cli import output, params, sessions
from talktree.cli.commands.session_undo import print_claude_log
from talktree.cli.group import Verb
from talktree.model.message import Message
from talktree.session.names import FORMAT as SESSION_FORMAT
from talktree.session.recording.todos import find_todos_at
from talktree.session.session import Session
from talktree.session.undo.compare import compare_messages
from talktree.session.undo.move_log import LogEntry, read_logbook
from talktree.text.json.value import Json
from talktree.views.comparison import build_comparison_shape, format_comparison_lines
from talktree.views.lines import line
from talktree.views.operations import build_entry_shape, format_log_lines
from talktree.views.sessions import (
    build_session_shape,
    format_first_words,
    format_head_lines,
    format_session_lines,
)
from talktree.views.shapes import build_message_shape, format_document
from talktree.views.todos import (
    build_progress_shape,
    build_todos_shape,
    format_checklist,
    format_progress_lines,
)


@click.command("list", cls=Verb)
@sessions.root
@params.as_json
@params.color
def list_(root: str | None, as_json: bool, color: str) -> None:  # noqa: FBT001
    """List the sessions of a store, the newest first."""
    found = sessions.find_session(root, None)
    described = sessions.open_store(found.root).list_sessions()
    if as_json:
        shapes: list[Json] = [build_session_shape(each) for each in described]
        _print_json({"root": str(found.root), "sessions": shapes})
        return
    output.print_lines(format_session_lines(described), color=output.use_color(color))


list_.examples = ("talktree session list", "talktree session list --root ~/app/.sage --json")


@click.command("log", cls=Verb)
@sessions.session_argument
@click.option("-n", "--number", type=click.IntRange(min=1), help="So many entries; else all.")
@click.option("--all-paths", is_flag=True, help="Every path, however many there are.")
@click.option("--since-reply", is_flag=True, help="Only moves since the last reply.")
@click.option(
    "--history", metavar="DIR", type=click.Path(), help="Claude Code's copies, if not found."
)
@sessions.root
@params.as_json
@params.no_pager
@params.color
def log(
    session: str | None,
    number: int | None,
    all_paths: bool,  # noqa: FBT001
    since_reply: bool,  # noqa: FBT001
    history: str | None,
    root: str | None,
    as_json: bool,  # noqa: FBT001
    no_pager: bool,  # noqa: FBT001
    color: str,
) -> None:
    """Tell what happened in a session, newest first: prompts, steps, moves, names.

    SESSION may also be a file of Claude Code: then its checkpoints are listed, and what each
    allows to restore.
    """
    if sessions.is_claude_code(session):
        assert session is not None
        print_claude_log(session, history, number, as_json=as_json, color=color)
        return
    with sessions.open_session(root, session, write=False) as found:
        entries = islice(_list_entries(found, since_reply=since_reply), number)
        if as_json:
            shapes: list[Json] = [build_entry_shape(each) for each in entries]
            _print_json({"session": found.id, "operations": shapes})
            return
        shown = format_log_lines(entries, all_paths=all_paths)
        output.print_lines(shown, color=output.use_color(color), paged=not no_pager)


def _list_entries(session: Session, *, since_reply: bool) -> Iterator[LogEntry]:
    """Return the whole log, or only the moves since the last reply."""
    if not since_reply:
        return read_logbook(session.opened)
    moved = {each.id for each in session.moves_since_reply()}
    return (each for each in read_logbook(session.opened) if each.id in moved)


log.examples = (
    "talktree session log",
    "talktree session log --since-reply",
    "talktree session log -n 5 --json",
    "talktree session log ~/.claude/projects/app/SESSION.jsonl",
)


@click.command("show", cls=Verb)
@sessions.session_argument
@click.option("--at", "at", metavar="MESSAGE", help="Another message than where it stands.")
@click.option("-n", "--number", type=click.IntRange(min=0), default=5, help="So many messages.")
@sessions.root
@params.as_json
@params.color
def show(
    session: str | None,
    at: str | None,
    number: int,
    root: str | None,
    as_json: bool,  # noqa: FBT001
    color: str,
) -> None:
    """Tell where a session stands, what was said last, and what is different here and now.

    Each message was recorded with its directory, git branch and platform; where that differs from
    now, it is said.
    """
    with sessions.open_session(root, session, write=False) as found:
        messages = list(_find_last_messages(found, at, number))
        end = at if at is not None else found.leaf
        differing = found.differences(end) if end is not None else ()
        described = next(each for each in found.store.list_sessions() if each.id == found.id)
        place = found.opened.workspace
        workspace = None if place is None else str(place.path)
        if as_json:
            shape = build_session_shape(described)
            _print_json(
                {
                    "session": shape,
                    "workspace": workspace,
                    "at": messages[-1].id if messages else None,
                    "messages": [
                        build_message_shape(each, format=SESSION_FORMAT, agent=found.store.agent)
                        for each in messages
                    ],
                    "differences": [
                        {"kind": each.kind, "recorded": each.recorded, "now": each.now}
                        for each in differing
                    ],
                }
            )
            return
        lines = [
            *format_head_lines(described, workspace),
            *format_first_words(messages, found.store.agent),
        ]
        lines += [line(("! ", "error"), each.text) for each in differing]
        output.print_lines(lines, color=output.use_color(color))


show.examples = ("talktree session show", "talktree session show 3f2a --at 9b1c -n 20")


def _find_last_messages(session: Session, at: str | None, number: int) -> Iterator[Message]:
    index = session.opened.index
    if at is None:
        nodes = index.last_messages(number)
    else:
        nodes = index.chain(session.message(at).id)[-number:] if number else []
    if len(nodes) < number:
        # The beginning of a session may be in a file of the older form.
        return iter(session.full_messages(at)[-number:])
    return (index.message(node) for node in nodes)


@click.command("diff", cls=Verb)
@click.argument("one", metavar="A")
@click.argument("other", required=False, metavar="[B]")
@sessions.session_option
@sessions.root
@params.as_json
@params.no_pager
@params.color
def diff(
    one: str,
    other: str | None,
    session: str | None,
    root: str | None,
    as_json: bool,  # noqa: FBT001
    no_pager: bool,  # noqa: FBT001
    color: str,
) -> int:
    """Compare files and todos between two messages; B is where the session stands if left out.

    Messages are named by ids, beginnings of ids, or names of branches. Exit code 1 if they differ.
    """
    with sessions.open_session(root, session, write=False) as found:
        a = found.message(one).id
        b = found.leaf if other is None else found.message(other).id
        result = compare_messages(found.opened, a, b)
        if as_json:
            _print_json({"a": a, "b": b, **build_comparison_shape(result)})
        else:
            output.print_lines(
                format_comparison_lines(result), color=output.use_color(color), paged=not no_pager
            )
    return 1 if result.differs else 0


diff.examples = ("talktree session diff 3f2a", "talktree session diff main try-again --json")


@click.command("todos", cls=Verb)
@sessions.session_argument
@click.option("--at", "at", metavar="MESSAGE", help="As they stood at this message.")
@click.option("--progress", is_flag=True, help="How they got there.")
@sessions.root
@params.as_json
@params.color
def todos(
    session: str | None,
    at: str | None,
    progress: bool,  # noqa: FBT001
    root: str | None,
    as_json: bool,  # noqa: FBT001
    color: str,
) -> None:
    """The todos at a message, or where the session stands, and how they got there."""
    with sessions.open_session(root, session, write=False) as found:
        end = found.leaf if at is None else found.message(at).id
        listed = find_todos_at(found.opened.index, end)
        steps = found.todo_progress(end) if end is not None and (progress or as_json) else []
        if as_json:
            _print_json(
                {
                    "at": end,
                    "todos": build_todos_shape(listed),
                    "progress": build_progress_shape(steps),
                }
            )
            return
        lines = format_progress_lines(steps) if progress else format_checklist(listed)
        output.print_lines(lines, color=output.use_color(color))


todos.examples = ("talktree session todos", "talktree session todos --at 3f2a --progress")


def _print_json(shape: dict[str, Json]) -> None:
    output.print_text([format_document(shape)])
