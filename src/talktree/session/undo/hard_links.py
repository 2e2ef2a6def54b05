"""Files with several names: a move that concerns one name leaves the others as they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from talktree.session.capture.file_state import File
from talktree.session.capture.path_probe import Stamp, same_thing
from talktree.session.undo.plan import Action


def files_of_their_own(
    actions: Iterable[Action], stamps: Mapping[bytes, Stamp | None]
) -> dict[bytes, Action]:
    """Other actions for paths whose file has more names than are to get its new mode.

    A mode is that of all names of a file. Where the plan does not change all of them, or not to
    the same mode, the path gets a file of its own, so that nothing outside of the plan changes.
    """
    found: dict[bytes, Action] = {}
    for names in _by_file(actions, stamps):
        modes = [each for each in names if each.action == "chmod"]
        wanted = {each.after.mode for each in modes if isinstance(each.after, File)}
        if len(wanted) > 1 or len(names) < _links(names[0]):
            found |= {each.path: replace(each, action="write") for each in modes}
    return found


def link_warnings(actions: Iterable[Action]) -> Iterable[str]:
    """What becomes of other names of files."""
    for action in sorted(actions, key=lambda each: each.path):
        if action.action == "write" and _links(action) > 1:
            name = action.path.decode("utf-8", "backslashreplace")
            yield (
                f"{name} has {_links(action)} names (hard links); the others stay as they are "
                "and are no longer the same file"
            )


def _by_file(
    actions: Iterable[Action], stamps: Mapping[bytes, Stamp | None]
) -> Iterable[list[Action]]:
    """The paths that something happens to and whose files have several names, by file."""
    found: dict[tuple[int, int], list[Action]] = {}
    for action in actions:
        stamp = stamps.get(action.path)
        if action.does and _links(action) > 1 and stamp is not None:
            found.setdefault(same_thing(stamp), []).append(action)
    return found.values()


def _links(action: Action) -> int:
    return action.before.links if isinstance(action.before, File) else 1
