"""The tables and their columns.

Columns are only added, at the end; `docs/reference/tables.md` is generated from here.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Kind = Literal["int", "float", "bool", "text", "time"]


class Column(NamedTuple):
    """A column; values may be missing unless `always` is set."""

    name: str
    kind: Kind
    what: str
    always: bool = False
    """Whether every row has a value."""


_WHERE = (
    Column("source", "int", "the number of the source in the library", always=True),
    Column("conversation", "text", "the id of the conversation, as `talktree list` shows it"),
    Column("format", "text", "the format of the source", always=True),
    Column("project", "text", "the folder that was worked in"),
    Column(
        "session", "text", "the session it is part of; a sub-agent is part of its session", True
    ),
)

MEASURES = (
    Column("tags", "text", "its tags, as a JSON list"),
    Column("authors", "text", "who wrote it, as a JSON list"),
    Column("language", "text", "the language that was detected"),
    Column("safe", "bool", "the result of the safety check"),
    Column("topics", "text", "its topics, as a JSON list"),
    Column("sentiment", "text", "the sentiment that was detected"),
    Column("plugins", "text", "the plugins that were chosen for it, as a JSON list"),
    Column("external_knowledge", "text", "how much knowledge it needs"),
    Column("preferred", "bool", "whether people preferred it"),
    Column("opt_status", "text", "whether its author opted in or out"),
    Column("beta", "bool", "whether it was a request to a beta version"),
    Column("input_tokens", "int", "tokens of the prompt, where they are recorded with a message"),
    Column("output_tokens", "int", "tokens of the reply, where they are recorded with a message"),
    Column("total_tokens", "int", "all tokens, where that is recorded; not to be added to them"),
    Column("uncounted_tokens", "text", "token counts in an unknown shape, as JSON"),
    Column("seconds_until_streaming", "float", "recorded seconds until the reply began"),
    Column("seconds_until_finished", "float", "recorded seconds until the reply was finished"),
)
"""What formats record about a message (`model/measures.py`)."""

_HIDDEN = Column(
    "hidden",
    "text",
    "`deleted`, or `meta` if it is not shown to the user: the texts are empty unless deleted "
    "messages are asked for",
)

MESSAGES = (
    *_WHERE,
    Column("branch", "text", "the branch of Git at that time"),
    Column("number", "int", "its place in the source, from 0", always=True),
    Column("id", "text", "its id; one made from its place if it has none", always=True),
    Column("parent", "text", "the id of the message it hangs on"),
    Column("role", "text", "user, assistant, system, tool, or another word of the source", True),
    Column("time", "time", "when it was written (UTC)"),
    Column("model", "text", "the model that wrote it"),
    Column("api_message", "text", "the API reply it is a piece of"),
    Column("sidechain", "bool", "whether a sub-agent or its task is speaking", always=True),
    Column(
        "error", "bool", "whether it, or a tool's result in it, tells of a failure", always=True
    ),
    Column("text", "text", "its words, without thinking and tools", always=True),
    Column("thinking", "text", "the model's reasoning, as far as it was kept", always=True),
    Column("calls", "int", "how many tools it calls", always=True),
    Column("results", "int", "how many results of tools it brings", always=True),
    *MEASURES,
    _HIDDEN,
)
CALLS = (
    *_WHERE,
    Column("message", "text", "the id of the message that makes the call", always=True),
    Column("call", "text", "the id of the call"),
    Column("tool", "text", "the name of the tool", always=True),
    Column("time", "time", "when it was called (UTC)"),
    Column("model", "text", "the model that called it"),
    Column("sidechain", "bool", "whether a sub-agent called it", always=True),
    Column("input", "text", "what it was given, as JSON", always=True),
    Column("state", "text", "`ok`, `failed`, or `open` if no result is known", always=True),
    Column("seconds", "float", "from the call to its result"),
    Column("output", "text", "the words of its result"),
    Column("counted", "bool", "false for a copy of a call that counts in another source", True),
    _HIDDEN,
)
USAGE = (
    *_WHERE,
    Column("time", "time", "when the reply was written (UTC)"),
    Column("model", "text", "the model that replied"),
    Column("input", "int", "tokens of the prompt that were not in the cache", always=True),
    Column("output", "int", "tokens of the reply", always=True),
    Column("cache_read", "int", "tokens read from the cache", always=True),
    Column("cache_write", "int", "tokens written to the cache", always=True),
    Column("cache_write_hour", "int", "those of them that are kept for an hour", always=True),
    Column("cost_usd", "float", "what it cost by the table of prices, if the model has a price"),
    Column("counted", "bool", "false for a copy of a reply that counts in another source", True),
)
FILES = (
    *_WHERE,
    Column("message", "text", "the id of the message in which it is named"),
    Column("time", "time", "when it was named (UTC)"),
    Column("kind", "text", "`call`, `snapshot` or `attachment`", always=True),
    Column("tool", "text", "the tool that was called with it"),
    Column("path", "text", "the file, as it was named", always=True),
    _HIDDEN,
)

TABLES: dict[str, tuple[Column, ...]] = {
    "messages": MESSAGES,
    "calls": CALLS,
    "usage": USAGE,
    "files": FILES,
}
"""What one row is: a message, a tool call, an API reply as one source reports it, a named file."""
