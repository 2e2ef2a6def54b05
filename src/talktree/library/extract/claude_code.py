"""Facts extracted from lines of Claude Code sessions, directly from their bytes.

The usual lines are decoded into just the members that matter (`claude_members`) and read in a few
steps; every other line goes through the format and the model, as in the general reader
(`claude_lines`). Both give the same result. Millions of lines are read here, so there are few
steps.
"""

from __future__ import annotations

from talktree.library.extract.claude_members import (
    ABSENT,
    PROGRESS,
    TELLING,
    ApiMember,
    ClaudeLine,
    ResultMember,
    TaskMember,
    TextMember,
    ThinkingMember,
    ToolUseMember,
    UsageMember,
    decode,
    output_of,
)
from talktree.library.extract.collector import FactsCollector
from talktree.library.extract.facts import (
    ERROR,
    LATEST,
    MESSAGE,
    NODE,
    PROMPT,
    ROLES,
    SAMPLED,
    SIDECHAIN,
    TRAIT,
    CallFacts,
    CallOutcome,
    ExtractedFacts,
    Heading,
    ReplyFacts,
    SearchPiece,
    TreeRecord,
    hash_group,
    hash_id,
    hash_stamp,
    lone_key,
    piece_states,
    reply_key,
    title_rank,
    to_seconds,
)
from talktree.library.extract.texts import (
    call_files,
    call_text,
    is_todo_tool,
    lacks_words,
    parse_todos,
    tags_of,
    todo_text,
)
from talktree.model.outline import Listing, Trait
from talktree.model.replies import SYNTHETIC
from talktree.text.json.value import REFUSALS
from talktree.text.times import from_iso
from talktree.text.utf8 import BOM

SLUG = "claude-code"
SNAPSHOT = "file-history-snapshot"
SECOND = 1_000_000_000
RESULT_BLOCK = b'"tool_result"'
LONG_WAYS = {PROGRESS: b'"usage"', "attachment": b'"queued_command"'}
"""Lines that mostly contain nothing of interest, and the bytes of those that may."""
NEAR = 2000
"""How far into a line a block that says it is a result is, if there is one."""
AS_SAID = NODE | (Trait.SAID - 1) << TRAIT
AS_REPLY = NODE | (Trait.REPLY - 1) << TRAIT
AS_RESULT = NODE | (Trait.RESULT - 1) << TRAIT
AS_NOTE = NODE | (Trait.NOTE - 1) << TRAIT
PASSED, LISTED, HIDDEN, UNKNOWN = map(
    int, (Listing.PASSED, Listing.LISTED, Listing.HIDDEN, Listing.ABSENT)
)
LISTINGS = {
    "user": LISTED,
    "assistant": LISTED,
    "system": PASSED,
    "progress": PASSED,
    "attachment": PASSED,
}
"""What lines mean to the program's own reader."""
NO_API = ApiMember()
"""For lines that hold no message."""

_Place = tuple[str | None, str | None, str | None, str | None, bool]
NOWHERE: _Place = (None, None, None, None, False)
_Kind = tuple[str, str, str | None, str | None, bool, bool]
"""Kind, role, tool and model of a piece, whether it failed, whether it is a sub-agent's."""
_new = tuple.__new__
"""Creates a named tuple in half the time that its own constructor takes."""


def extract_claude_code(
    data: bytes, start: int = 0, heading: Heading | None = None
) -> ExtractedFacts:
    """Extract facts from whole lines; `start` is the place of the first in its file.

    A last line without an end is left for later. The heading comes from all lines before.
    """
    telling = FactsCollector(SLUG, heading)
    reader = _Reader(telling, data, start)
    view, find, tell = memoryview(data), data.find, reader.add_line
    end = data.rfind(b"\n") + 1
    at = len(BOM) if not start and data[:3] == BOM else 0
    lines = 0
    while at < end:
        stop = find(b"\n", at, end) + 1
        try:
            line = decode(view[at:stop])
        except REFUSALS:
            usual = False
        else:
            usual = tell(line, at, stop)
        if not usual:
            _extract_any_line(telling, bytes(view[at:stop]), start + at)
            reader.forget_place()
        at = stop
        lines += 1
    return telling.collect(end, lines)


class _Reader:
    """Extracts facts from usual lines, one after the other."""

    def __init__(self, telling: FactsCollector, data: bytes, start: int) -> None:
        self.telling = telling
        self._data = data
        self._start = start
        self._where: _Place = NOWHERE
        self._tags: dict[_Kind, str] = {}
        """The tags of pieces that were written in the same place as the last one."""
        self._id: tuple[str | None, int] = (None, 0)
        """The id that was hashed last, which most often is the parent of the next."""
        self._api: tuple[str | None, str | None, int, int, int] = (None, None, 0, 0, 0)
        """The reply that was read last: its ids, its key, its group and its request."""
        self._calls: dict[str, int] = {}
        """Keys of calls that were already hashed."""

    def forget_place(self) -> None:
        """Forget the place: a line read through the model may have changed it."""
        self._where = NOWHERE

    def add_line(self, line: ClaudeLine, here: int, stop: int) -> bool:
        """Add a line between two offsets; false if it is not of a usual kind after all."""
        role, api, stamp, telling = line.type, line.message, line.timestamp, self.telling
        if role == "assistant":
            bits = AS_REPLY
        elif role == "user":
            bits = AS_RESULT if line.toolUseResult is not ABSENT else AS_SAID
        elif line.uuid is None:
            return self._add_snapshot(line, here)
        elif role in LONG_WAYS and self._data.find(LONG_WAYS[role], here, stop) >= 0:
            return False
        else:
            api, bits = NO_API, AS_NOTE
            if role == "system":
                if not _is_silent(line):
                    return False
                bits |= MESSAGE
        if api is None or line.isMeta or not _is_plain(line, api):
            return False
        if role == "assistant" and not (api.id or line.requestId) and _has_tool_call(api):
            return False
        if line.forkedFrom is not ABSENT and telling.parent is None:
            return False
        time = None if stamp is None else from_iso(stamp)
        if time is not None and not -LATEST < time < LATEST:
            return False
        where = (line.cwd, line.gitBranch, line.sessionId, line.agentId, line.isSidechain)
        if where != self._where:
            self._where, self._tags = where, {}
            telling.set_place(
                line.sessionId,
                line.agentId,
                line.cwd,
                line.gitBranch,
                time,
                None,
                side=line.isSidechain is True,
            )
        elif time is not None:
            if telling.last is None or time > telling.last:
                telling.last = time
            if telling.first is None or time < telling.first:
                telling.first = time
        if bits == AS_SAID:
            near = min(here + NEAR, stop)
            if self._data.find(RESULT_BLOCK, here, near) >= 0:
                bits = AS_RESULT
        at = self._start + here
        telling.roles[role] = telling.roles.get(role, 0) + 1
        self._add_link(line, api, at, bits | self._add_message(line, api, at, time), time)
        return True

    def _add_snapshot(self, line: ClaudeLine, here: int) -> bool:
        """Add the names of files; false if a line without an id is not a snapshot."""
        if line.type != SNAPSHOT or line.snapshot is None:
            return False
        names = "\n".join(line.snapshot.trackedFileBackups)
        if names:
            stamp = line.snapshot.timestamp
            time = None if stamp is None else to_seconds(from_iso(stamp))
            tags = tags_of(SLUG, "other", "")
            at = self._start + here
            self.telling.pieces.append(SearchPiece(at, "other", "", "", time, tags, names))
        return True

    # text

    def _add_message(self, line: ClaudeLine, api: ApiMember, at: int, time: int | None) -> int:
        """Add the pieces and facts of a message; return the bits they add to its link."""
        content, bits, reply = api.content, 0, None
        second = None if time is None else time // SECOND
        if api.usage is not None and api.model != SYNTHETIC:
            reply = self._add_reply(line, api, api.usage, at, time)
        if content is None:
            pass
        elif isinstance(content, str):
            self._add_text(line, api, "text", content, at, second)
            bits = MESSAGE
        else:
            for block in content:
                bits |= MESSAGE
                if isinstance(block, TextMember):
                    self._add_text(line, api, "text", block.text, at, second)
                elif isinstance(block, ToolUseMember):
                    self._add_call(line, api, block, at, time, reply)
                elif isinstance(block, ResultMember):
                    bits |= self._add_result(line, api, block, at, time)
                elif isinstance(block, ThinkingMember):
                    self._add_text(line, api, "thinking", block.thinking, at, second)
        if line.todos:
            self._add_todos(line, api, line.todos, at, time)
        return bits

    def _add_text(
        self, line: ClaudeLine, api: ApiMember, kind: str, text: str, at: int, second: int | None
    ) -> None:
        if not text or text.isspace():
            return
        role, side = line.type, line.isSidechain
        what = (kind, role, None, api.model, False, side)
        tags = self._tags.get(what) or self._make_tags(what)
        self.telling.pieces.append(_new(SearchPiece, (at, kind, role, text, second, tags, "")))
        if self.telling.rank < PROMPT and kind == "text":
            self.telling.suggest_title(text, title_rank(role, side))

    def _make_tags(self, what: _Kind) -> str:
        kind, role, tool, model, failed, side = what
        cwd, branch = self._where[:2]
        found = tags_of(SLUG, kind, role, tool, model, cwd, branch, piece_states(failed, side))
        self._tags[what] = found
        return found

    def _add_todos(
        self, line: ClaudeLine, api: ApiMember, listed: list[TaskMember], at: int, time: int | None
    ) -> None:
        """Add the task list of a line if it changed."""
        text = todo_text(listed)
        if hash_id(text) != self.telling.todo and not text.isspace():
            what = ("todo", line.type, None, api.model, False, line.isSidechain)
            tags = self._tags.get(what) or self._make_tags(what)
            second = None if time is None else time // SECOND
            self.telling.pieces.append(SearchPiece(at, "todo", line.type, text, second, tags, ""))
        self.telling.set_tasks(listed, text, time)

    # facts

    def _hash_ids(
        self, api: str | None, request: str | None
    ) -> tuple[str | None, str | None, int, int, int]:
        """Return the ids of a reply with its key, its group and its request."""
        names = self._api
        if names[0] != api or names[1] != request or not names[2]:
            group, asked = hash_group(api or None), hash_group(request or None)
            names = self._api = (api, request, reply_key(api, request), group, asked)
        return names

    def _add_reply(
        self, line: ClaudeLine, api: ApiMember, used: UsageMember, at: int, time: int | None
    ) -> int:
        cache, model, telling = used.cache_creation, api.model, self.telling
        written, hour = used.cache_creation_input_tokens, 0
        if cache is not None:
            hour = cache.ephemeral_1h_input_tokens
            written = hour + cache.ephemeral_5m_input_tokens
        read = used.cache_read_input_tokens
        counts = (used.input_tokens, used.output_tokens, read, written, hour)
        if api.id or line.requestId:
            key = self._hash_ids(api.id, line.requestId)[2]
        else:
            key = lone_key(line.uuid or "", line.sessionId, time, model, counts)
        telling.replies.append(_new(ReplyFacts, (key, at, time, model, *counts, line.isSidechain)))
        if model and model not in telling.models:
            telling.models[model] = None
        return key

    def _add_call(
        self,
        line: ClaudeLine,
        api: ApiMember,
        use: ToolUseMember,
        at: int,
        time: int | None,
        reply: int | None,
    ) -> None:
        name, input, role, telling = use.name, use.input, line.type, self.telling
        second = None if time is None else time // SECOND
        listed = parse_todos(name, input) if is_todo_tool(name) else None
        if listed is None:
            kind, text, files = "call", call_text(name, input), call_files(input)
        else:
            kind, text, files = "todo", todo_text(listed), ""
            telling.set_tasks(listed, text, time)
        if files or (text and not text.isspace()):
            what = (kind, role, name, api.model, False, line.isSidechain)
            tags = self._tags.get(what) or self._make_tags(what)
            telling.pieces.append(_new(SearchPiece, (at, kind, role, text, second, tags, files)))
        if use.id:
            key = self._calls[use.id] = hash_id(use.id)
            telling.calls.append(_new(CallFacts, (key, at, time, name, reply)))
            telling.add_call(key, name)

    def _add_result(
        self, line: ClaudeLine, api: ApiMember, block: ResultMember, at: int, time: int | None
    ) -> int:
        telling, tool, failed, id = self.telling, None, block.is_error is True, block.tool_use_id
        if id:
            key = self._calls.pop(id, 0) or hash_id(id)
            tool = telling.open.pop(key, None)
            telling.outcomes.append(_new(CallOutcome, (key, failed, time)))
        text = output_of(block.content)
        if text and not text.isspace():
            what = ("result", "tool", tool, api.model, failed, line.isSidechain)
            tags = self._tags.get(what) or self._make_tags(what)
            second = None if time is None else time // SECOND
            telling.pieces.append(_new(SearchPiece, (at, "result", "tool", text, second, tags, "")))
        return ERROR if failed else 0

    # the tree

    def _add_link(
        self, line: ClaudeLine, api: ApiMember, at: int, bits: int, time: int | None
    ) -> None:
        uuid, parent, telling = line.uuid, line.parentUuid, self.telling
        id = above = group = request = 0
        if parent is not None:
            known = self._id
            above = known[1] if parent == known[0] else hash_id(parent)
        if uuid:
            id = hash_id(uuid)
            self._id = (uuid, id)
            telling.leaf = uuid
            if not id % SAMPLED:
                telling.marks.append((at, id))
        if line.type == "assistant" and (api.id or line.requestId):
            group, request = self._hash_ids(api.id, line.requestId)[3:]
        if line.isSidechain:
            bits |= SIDECHAIN
        listing = LISTINGS.get(line.type, UNKNOWN) if uuid is not None else UNKNOWN
        if listing == LISTED and (line.isSidechain or line.teamName):
            listing = HIDDEN
        stamp = 0
        if time is not None:
            code = ROLES.get(line.type)
            stamp = time + code if code and time >= 0 else hash_stamp(time, line.type)
        telling.links.append(
            _new(TreeRecord, (id, above, at, bits, group, stamp, 0, 0, listing, request))
        )


def _is_silent(line: ClaudeLine) -> bool:
    """Whether a system line only records that something happened, without words."""
    return line.subtype is not None and line.subtype not in TELLING and line.content is ABSENT


def _has_tool_call(api: ApiMember) -> bool:
    """Whether a message calls a tool."""
    return isinstance(api.content, list) and any(
        isinstance(each, ToolUseMember) for each in api.content
    )


def _is_plain(line: ClaudeLine, api: ApiMember) -> bool:
    """Whether the content of a message can be read without the model."""
    content = api.content
    if isinstance(content, str):
        return "<" not in content[:40] or not _is_command(content)
    if line.toolUseResult is ABSENT or not content or len(content) != 1:
        return True
    block = content[0]
    return not isinstance(block, ResultMember) or not lacks_words(output_of(block.content))


# Few lines need the format itself, and loading it would slow down a single search.


def _extract_any_line(telling: FactsCollector, line: bytes, at: int) -> None:
    from talktree.library.extract.claude_lines import extract_any_line

    extract_any_line(telling, line, at)


def _is_command(content: str) -> bool:
    from talktree.formats.claude_code.lens import parse_command

    return parse_command(content) is not None
