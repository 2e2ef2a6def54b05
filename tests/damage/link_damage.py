"""Damage to identity and links: I01 to I10, X01 to X04."""

from __future__ import annotations

from random import Random
from uuid import UUID

from tests.conversion.trips import Files
from tests.damage.lines import LINES, Lines, main_file, with_file
from tests.damage.patterns import Case, pattern

LINKED = LINES
"""Formats whose records name their parents."""


def _uuid(random: Random) -> str:
    return str(UUID(int=random.getrandbits(128), version=4))


@pattern("I01", "dup-id-differs", LINES)
def dup_id_differs(files: Files, slug: str, random: Random) -> Case:
    lines = Lines(files, slug)
    one = lines.pick(random, last=2)
    two = random.choice([at for at in lines.messages if at > one])
    lines.set_id(two, lines.id(one))
    return Case(lines.done(), ["IDS102"])


@pattern("I01", "dup-id-in-document", ["studio", "muse", "studio-text", "studio-xml"])
def dup_id_in_document(files: Files, slug: str, random: Random) -> Case:
    path = main_file(files, slug)
    data = files.files[path].decode()
    ids = [f"0000-4000-8000-{number:012x}" for number in (1, 2)]
    starts = [data.find(id) - 9 for id in ids]
    one, two = (data[start : start + 36] for start in starts)
    return Case(with_file(files, path, data.replace(two, one).encode()), ["IDS102", "STU"])


@pattern("I01", "dup-id-of-files", ["chatbuilder"])
def dup_id_of_files(files: Files, slug: str, random: Random) -> Case:
    one, two = random.sample(list(files.files), 2)
    id = files.files[one].splitlines()[0]
    rest = files.files[two].split(b"\n", 1)[1]
    return Case(with_file(files, two, id + b"\n" + rest), ["IDS102", "CHB"])


@pattern("I02", "dup-copy", LINES)
def dup_copy(files: Files, slug: str, random: Random) -> Case:
    lines = Lines(files, slug)
    at = lines.pick(random)
    lines.raw.insert(random.randint(at + 1, len(lines.raw)), lines.raw[at])
    return Case(lines.done(), ["IDS105"])


@pattern("I03", "cycle", LINKED)
def cycle(files: Files, slug: str, random: Random) -> Case:
    lines = Lines(files, slug)
    one = lines.pick(random, last=2)
    two = random.choice([at for at in lines.messages if at > one])
    lines.set_parent(one, lines.id(two))
    return Case(lines.done(), ["TRE102"])


@pattern("I04", "orphan", LINKED)
def orphan(files: Files, slug: str, random: Random) -> Case:
    lines = Lines(files, slug)
    for at in random.sample(lines.messages[1:], random.randint(1, 3)):
        lines.set_parent(at, _uuid(random))
    return Case(lines.done(), ["TRE101"])


@pattern("I05", "false-fork", ["claude-code"])
def false_fork(files: Files, slug: str, random: Random) -> Case:
    """A progress line whose parent is an early message becomes the parent of a late one."""
    lines = Lines(files, slug)
    early = lines.pick(random, last=4)
    late = random.choice([at for at in lines.messages if at > early + 2])
    base = lines.value(early)
    progress = {key: item for key, item in base.items() if key not in ("message", "requestId")}
    id = _uuid(random)
    lines.set_parent(late, id)
    lines.insert(
        early + 1,
        {
            **progress,
            "type": "progress",
            "uuid": id,
            "parentUuid": base["uuid"],
            "data": {"type": "hook_progress"},
        },
    )
    return Case(lines.done(), ["TRE103"])


@pattern("I06", "id-clash", ["claude-code"])
def id_clash(files: Files, slug: str, random: Random) -> Case:
    """A snapshot has the id of the message it belongs to, which is not a clash."""
    lines = Lines(files, slug)
    questions = [at for at in lines.messages if lines.value(at)["type"] == "user"]
    at = random.choice(questions)
    id, time = lines.id(at), lines.value(at)["timestamp"]
    snapshot = {"messageId": id, "trackedFileBackups": {}, "timestamp": time}
    lines.insert(
        at + 1,
        {
            "type": "file-history-snapshot",
            "messageId": id,
            "snapshot": snapshot,
            "isSnapshotUpdate": False,
        },
    )
    return Case(lines.done(), [])


@pattern("I07", "bad-id", ["claude-code"])
def bad_id(files: Files, slug: str, random: Random) -> Case:
    lines = Lines(files, slug)
    old = lines.id(lines.pick(random))
    new = random.choice(["msg-17", "01JABCDEF", "chatcmpl-9", "0"])
    lines.raw = [line.replace(old.encode(), new.encode()) for line in lines.raw]
    return Case(lines.done(), ["CLC101"])


@pattern("I08", "no-parent-key", ["claude-code"])
def no_parent_key(files: Files, slug: str, random: Random) -> Case:
    lines = Lines(files, slug)
    lines.set_parent(lines.messages[0], ...)
    return Case(lines.done(), ["CLC102"])


@pattern("I09", "self-parent", LINKED)
def self_parent(files: Files, slug: str, random: Random) -> Case:
    lines = Lines(files, slug)
    at = lines.pick(random)
    lines.set_parent(at, lines.id(at))
    return Case(lines.done(), ["TRE105"])


@pattern("I09", "forward-parent", LINKED)
def forward_parent(files: Files, slug: str, random: Random) -> Case:
    lines = Lines(files, slug)
    at = lines.pick(random, first=1, last=1)
    lines.raw[at], lines.raw[at + 1] = lines.raw[at + 1], lines.raw[at]
    return Case(lines.done(), ["TRE106"])


@pattern("I10", "removed-middle", LINKED)
def removed_middle(files: Files, slug: str, random: Random) -> Case:
    lines = Lines(files, slug)
    at = lines.pick(random, first=1, last=1)
    touched = frozenset({lines.number(at)})
    del lines.raw[at]
    return Case(lines.done(), ["TRE101"], touched)


@pattern("X01", "wrong-file", ["claude-code"])
def wrong_file(files: Files, slug: str, random: Random) -> Case:
    lines = Lines(files, slug)
    other = _uuid(random)
    for at in lines.messages[2 : 2 + random.randint(1, 3)]:
        lines.set(at, sessionId=other)
    return Case(lines.done(), ["CLC301"])


@pattern("X03", "sidechain", ["claude-code", "sage", "claude-messages"])
def sidechain(files: Files, slug: str, random: Random) -> Case:
    lines = Lines(files, slug)
    half = lines.messages[len(lines.messages) // 2 :]
    for at in half:
        lines.set(at, isSidechain=True)
    lines.set(random.choice(half[1:]), isSidechain=False)
    return Case(lines.done(), ["TRE107"])


@pattern("X04", "two-writers", ["claude-code", "native"])
def two_writers(files: Files, slug: str, random: Random) -> Case:
    """Two processes continue from the same message, line by line in turn."""
    lines = Lines(files, slug)
    last = lines.messages[-1]
    ends = [lines.id(last), lines.id(last)]
    role = {"claude-code": "type", "native": "role"}[slug]
    questions = [at for at in lines.messages if lines.message(at)[role] == "user"]
    for number in range(8):
        at, writer = questions[0], number % 2
        id = _uuid(random)
        lines.raw.append(lines.raw[at].replace(b"No. 0:", f"Writer {writer}, {number}:".encode()))
        new = len(lines.raw) - 1
        lines.set_id(new, id)
        lines.set_parent(new, ends[writer])
        time = "time" if slug == "native" else "timestamp"
        lines.set(new, **{time: f"2025-10-09T09:{number:02d}:00.000Z"})
        ends[writer] = id
    return Case(lines.done(), ["TRE108"])
