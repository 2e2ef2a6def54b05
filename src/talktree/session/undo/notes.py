"""A move in words: one sentence for the log, and all of it for a model that goes on from there."""

from __future__ import annotations

from collections.abc import Mapping

from talktree.session.capture.file_state import Absent, State, name_to_json
from talktree.session.handle import Opened
from talktree.session.undo.move_records import Moved

LISTED = 50
"""So many paths are named in words."""
SHOWN = 60
_DONE = {
    "undo": "Undone",
    "redo": "Done again",
    "restore": "Restored",
    "switch": "Switched",
    "revert": "Taken back",
    "recover": "Recovered",
}


def heading(opened: Opened, verb: str, goal: str | None, *, partial: bool = False) -> str:
    """What happened, in one sentence."""
    done = _DONE.get(verb, verb)
    if verb == "revert":
        return f"{done}: what message {short(goal)} did to files."
    if partial:
        return f"{done}: some files are as they were at {_point(opened, goal)}."
    return f"{done}: the session stands at {_point(opened, goal)}."


def _point(opened: Opened, id: str | None) -> str:
    if id is None:
        return "its beginning, before the first message"
    node = opened.index.node(id)
    words = "" if node is None else " ".join(opened.index.message(node).text.split())
    if len(words) > SHOWN:
        words = words[: SHOWN - 1] + "…"
    return f'message {short(id)} ("{words}")' if words else f"message {short(id)}"


def short(id: str | None) -> str:
    """The beginning of an id, for people."""
    return "none" if id is None else id[:8]


def words(move: Moved, fates: Mapping[bytes, str]) -> str:
    """The whole move in words, so that a model that goes on from here knows."""
    lines = [move.text]
    if "files" not in move.scopes:
        lines.append("The files were not touched.")
    else:
        states = {each.path: each.after for each in move.paths}
        done = [path for path, fate in fates.items() if fate == "done"]
        lines += _listed("Files that changed on the disk", done, states)
        left = {path: fate for path, fate in fates.items() if fate != "done"}
        lines += _listed("Files that were left as they are", left, {})
        if not fates:
            lines.append("No file had to be changed.")
    if "conversation" not in move.scopes:
        lines.append("The conversation goes on as it was.")
    return "\n".join(lines)


def _listed(
    title: str, paths: list[bytes] | dict[bytes, str], states: Mapping[bytes, State]
) -> list[str]:
    if not paths:
        return []
    lines = [f"{title}:"]
    for path in list(paths)[:LISTED]:
        gone = " (removed)" if isinstance(states.get(path), Absent) else ""
        lines.append(f"- {name_to_json(path)}{gone}")
    if len(paths) > LISTED:
        lines.append(f"- and {len(paths) - LISTED} more")
    return lines
