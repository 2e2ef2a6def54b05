"""The loss report: everything that a format cannot hold, reported before anything is written.

Losses can be stored in a file, so that millions of them take no memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import IO, Literal

import msgspec
from msgspec import Struct

from talktree.errors import WouldLose
from talktree.text.json.encode import encode_json

Kept = Literal["carried", "rendered", "lost"]
"""How something without a place in the target is kept: embedded, rendered as text (and embedded),
or not at all."""

KINDS = {
    "id": "an id the target would refuse; a new one was made from it",
    "parent": "a link to a message that is not here, or not in this way",
    "role": "a role the target does not know",
    "time": "a time, or digits of it",
    "authors": "who wrote it",
    "session": "the session it belongs to",
    "flags": "marks such as sidechain, deleted, meta, error, aborted",
    "model": "the model that wrote it",
    "usage": "tokens it cost",
    "api_message": "which API reply it is a piece of",
    "follows": "the message it continues beyond a compaction",
    "agent": "the sub-agent that wrote it",
    "context": "where it was written: folder, branch, platform, version",
    "todos": "the list of tasks",
    "thinking_setting": "how much reasoning was asked for",
    "tags": "tags",
    "extra": "members only the source format knows",
    "text": "where one stretch of text ends and the next begins, or words the target cannot hold",
    "thinking": "reasoning",
    "tool_call": "a tool call",
    "tool_result": "a tool's result",
    "attachment": "an attached file or image",
    "artifact": "an artifact",
    "event": "an event such as a compaction or a command",
    "unknown": "a part of an unknown kind",
    "detail": "some detail of a part: a signature, the id of a call, structured output",
    "message": "a whole message that has no place in the target",
    "branch": "a message on another branch",
    "deleted": "a message marked as deleted",
    "head": "a title or what else belongs to the whole conversation",
    "snapshot": "a snapshot of files",
    "opaque": "a record nobody understands",
    "file": "a file beside the conversation, or one in no known format",
    "damage": "what could not be read of a damaged or truncated file",
    "order": "the order in which messages were recorded",
    "edit": "a change the source format has no place for",
    "mismatch": "a message that is missing, differs or is added when the output is read again",
    "embedded": "embedded source data that is damaged or does not fit together, and is not used",
}
"""Every kind of loss, and what it means."""


class Loss(Struct, frozen=True, gc=False):
    """One thing that the target cannot hold as it is."""

    kind: str
    entry: str
    """The id of the entry in the source; a path for files."""
    what: str
    kept: Kept = "lost"


kind_of: Callable[[Loss], tuple[str, Kept]] = attrgetter("kind", "kept")
"""The key by which losses are counted."""


class LossReport:
    """Losses, and the size of the embedded data."""

    def __init__(self, *, keep: bool = True, most: int | None = None) -> None:
        self.losses: list[Loss] = []
        self.counts: Counter[tuple[str, Kept]] = Counter()
        self.carried_bytes = 0
        self._keep = keep
        self._most = most

    def add(self, losses: Iterable[Loss]) -> None:
        """Add losses."""
        losses = list(losses)
        self.counts.update(map(kind_of, losses))
        if self._keep:
            left = None if self._most is None else max(0, self._most - len(self.losses))
            self.losses += losses[:left]

    def step(self, count: int = 1) -> None:
        """Report the progress of `count` more records."""

    def count_by_kind(self) -> Iterator[tuple[str, int]]:
        """Yield the kinds of which something is not kept, with their counts."""
        for (kind, kept), count in self.counts.items():
            if kept == "lost":
                yield kind, count

    def refuse_forbidden(
        self, *, strict: bool, allow: Collection[str] = (), forbid: Collection[str] = ()
    ) -> None:
        """Raise an error for forbidden losses: under `strict` any, else the forbidden kinds."""
        gone = {kind: count for kind, count in self.count_by_kind() if strict and kind not in allow}
        for (kind, _), count in self.counts.items():
            if kind in forbid:
                gone[kind] = gone.get(kind, 0) + count
        if gone:
            details = ", ".join(f"{count} x {kind}" for kind, count in sorted(gone.items()))
            raise WouldLose(
                f"the target cannot hold everything: {details}",
                hint="--ledger FILE lists each loss; --allow KIND accepts a kind",
            )

    @property
    def is_empty(self) -> bool:
        """Whether the target holds everything as it is."""
        return not self.counts


EXAMPLES = 3
"""Maximum number of losses of each kind that are held in memory."""


def _do_nothing() -> None:
    """The default progress callback."""


class FiledLossReport(LossReport):
    """A loss report with JSON lines in a file; only counts and a few examples are in memory."""

    def __init__(self, file: IO[bytes] | None = None, *, step: Callable[[], None] = _do_nothing):
        super().__init__(keep=False)
        self.examples: dict[tuple[str, Kept], list[Loss]] = {}
        self._file = file
        self._step = step

    def add(self, losses: Iterable[Loss]) -> None:
        losses = list(losses)
        counts = Counter(map(kind_of, losses))
        self.counts.update(counts)
        self._keep_examples(losses, counts)
        if self._file is not None:
            self._file.writelines(map(encode_loss, losses))

    def _keep_examples(
        self, losses: Sequence[Loss], counts: Mapping[tuple[str, Kept], int]
    ) -> None:
        """Keep the first losses of each kind that has too few examples yet."""
        wanted = {}
        for kind, count in counts.items():
            missing = EXAMPLES - len(self.examples.setdefault(kind, []))
            if missing > 0:
                wanted[kind] = min(missing, count)
        for loss in losses:
            # Once every kind has enough examples, losses need not be examined one by one.
            if not wanted:
                return
            kind = kind_of(loss)
            if kind in wanted:
                self.examples[kind].append(loss)
                wanted[kind] -= 1
                if not wanted[kind]:
                    del wanted[kind]

    def step(self, count: int = 1) -> None:
        for _ in range(count):
            self._step()


def encode_loss(loss: Loss) -> bytes:
    """Return a loss as one line of JSON."""
    try:
        return msgspec.json.encode(loss) + b"\n"
    except UnicodeEncodeError:
        # An unpaired surrogate in an id must be escaped.
        return encode_json(msgspec.structs.asdict(loss)) + b"\n"
