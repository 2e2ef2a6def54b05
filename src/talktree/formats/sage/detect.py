"""Detection of Sage's files, by names and first bytes only."""

from __future__ import annotations

from typing import Literal

from talktree.formats.detect_sample import iterate_sample
from talktree.formats.evidence import choose_surest, make_refusal, weigh_file
from talktree.formats.format import Detection, Probe
from talktree.formats.sage.detect_kinds import (
    METADATA,
    is_metadata,
    is_session,
    is_trajectory,
    judge_line,
    judge_session,
)
from talktree.formats.sage.places import (
    LINES,
    folder_of,
    is_backup,
    list_log_folders,
    list_lone_metadata,
    name_of,
)

Layout = Literal["lines", "metadata", "session", "trajectory"]
MOST_LOOKED_AT = 5
SURE = 0.98


def detect_layout(path: str, head: bytes) -> Layout:
    """Return the kind of a Sage file."""
    first = next(iterate_sample(head, most=1), {})
    if is_trajectory(first):
        return "trajectory"
    if is_session(first):
        return "session"
    return "metadata" if name_of(path) == METADATA or is_metadata(first) else "lines"


def detect_file(probe: Probe) -> Detection | None:
    """Return how sure a file is one of Sage's, or None."""
    first = next(iter(probe.sample(most=1)), {})
    if is_trajectory(first):
        return Detection(0.95, "a trajectory, Sage's recording of an agent run")
    if session := judge_session(first):
        return (
            Detection(0.9, session.reason)
            if session.kind == "body"
            else make_refusal(session.reason)
        )
    if is_metadata(first):
        return Detection(0.8, "one object with the members of a session's metadata.json")
    return weigh_file(probe, judge_line, sure=SURE)


def detect_folder(probe: Probe) -> Detection | None:
    """Return how sure a folder holds one session or many, or None."""
    folders = list_log_folders(probe.names)
    count = f"{len(folders)} session folder{'s' if len(folders) != 1 else ''}"
    lines = _list_line_files(probe.names)[:MOST_LOOKED_AT]
    answers = {path: weigh_file(probe, judge_line, path, sure=SURE) for path in lines}
    for path, found in answers.items():
        if found is not None and found.confidence:
            return Detection(found.confidence, f"{count}; {name_of(path)}: {found.reason}")
    for path in _list_metadata_files(probe.names)[:MOST_LOOKED_AT]:
        if any(map(is_metadata, probe.sample(path, most=1))):
            return Detection(0.7, f"{count}; {METADATA} describes a session")
    for path in list_other_json(probe.names)[:MOST_LOOKED_AT]:
        clues = map(judge_session, probe.sample(path, most=1))
        if any(clue is not None and clue.kind == "body" for clue in clues):
            return Detection(0.75, f"{name_of(path)}: an older session file")
    return choose_surest(answers.values())


def list_other_json(names: list[str]) -> list[str]:
    """Return JSON files that may be older session files."""
    folders = set(list_log_folders(names))
    return [
        path
        for path in names
        if path.endswith(".json")
        and name_of(path) != METADATA
        and folder_of(path) not in folders
        and not is_backup(path)
    ]


def _list_line_files(names: list[str]) -> list[str]:
    mine = [path for path in names if path.endswith(".jsonl") and name_of(path) in LINES]
    return sorted((path for path in mine if not is_backup(path)), key=name_of)


def _list_metadata_files(names: list[str]) -> list[str]:
    folders = set(list_log_folders(names))
    beside = [
        path
        for path in names
        if path.endswith(METADATA) and name_of(path) == METADATA and folder_of(path) in folders
    ]
    return beside + list_lone_metadata(names)
