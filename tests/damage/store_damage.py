"""Damage around a conversation: X02, X05, X06, R01 to R04.

R02 (a database) and R04 (another vendor's export) concern stores that no format covers.
"""

from __future__ import annotations

import json
from random import Random

from tests.conversion.trips import Files
from tests.damage.lines import Lines
from tests.damage.patterns import Case, pattern


@pattern("X02", "many-files", ["claude-code"])
def many_files(files: Files, slug: str, random: Random) -> Case:
    """One session is split over two files of a folder."""
    lines = Lines(files, slug)
    half = len(lines.raw) // 2
    first, second = b"".join(lines.raw[:half]), b"".join(lines.raw[half:])
    name = "11111111-2222-4333-8444-555555555555.jsonl"
    found = {lines.path: first, name: second}
    return Case(Files(found, folder=True), ["IDS108", "TRE109", "CLC3"])


@pattern("X05", "path-clash", ["claude-code"])
def path_clash(files: Files, slug: str, random: Random) -> Case:
    """Two projects share a folder."""
    ((path, data),) = files.files.items()
    session, other = path.removesuffix(".jsonl"), "22222222-3333-4444-8555-666666666666"
    first = data.replace(b'"cwd":"/srv"', b'"cwd":"/srv/my-app"')
    # The copy is a separate conversation: its messages have other ids.
    second = data.replace(b'"cwd":"/srv"', b'"cwd":"/srv/my_app"').replace(
        session.encode(), other.encode()
    )
    second = second.replace(b"-0000-4000-8000-", b"-1111-4000-8000-")
    found = {path: first, f"{other}.jsonl": second}
    return Case(Files(found, folder=True), ["CLC303"])


@pattern("X06", "stale-index", ["sage"])
def stale_index(files: Files, slug: str, random: Random) -> Case:
    metadata = json.loads(files.files["metadata.json"])
    metadata["messageCount"] = random.randint(50, 90)
    data = json.dumps(metadata, indent=2).encode()
    return Case(Files({**files.files, "metadata.json": data}, folder=True), ["SAG603"])


@pattern("R01", "expiry", ["claude-code"])
def expiry(files: Files, slug: str, random: Random) -> Case:
    """A session is about to be deleted by its tool."""
    return Case(files, ["CLC305"], under=".claude/projects/-srv", days_old=random.randint(26, 29))


@pattern("R03", "snapshot-gap", ["sage"])
def snapshot_gap(files: Files, slug: str, random: Random) -> Case:
    lines = Lines(files, slug)
    at = lines.pick(random)
    backup = {"backupPath": "backups/notes.txt_1760000000000.backup", "originalHash": "ab" * 32}
    tracked = {"originalContent": "old", "contentHash": "cd" * 32, "size": 3, "state": "modified"}
    snapshot = {
        "type": "file_history_snapshot",
        "messageId": lines.id(at),
        "timestamp": lines.value(at)["timestamp"],
        "isSnapshotUpdate": False,
        "snapshot": {"trackedFiles": {"notes.txt": tracked}, "fileBackups": {"notes.txt": backup}},
    }
    found = {**files.files, "snapshots.jsonl": json.dumps(snapshot).encode() + b"\n"}
    return Case(Files(found, folder=True), ["SAG501"])
