"""The rows of each table, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from talktree.home import data_home
from talktree.library.extract.texts import call_files
from talktree.library.stats.prices import BANDS, UNIT, Prices, load_prices
from talktree.library.stats.totals import COUNTS_REPLY
from talktree.library.tables.calls import iter_call_rows
from talktree.library.tables.schemas import MEASURES
from talktree.library.tables.walk import TableRequest, Where
from talktree.model.conversation import Conversation
from talktree.model.entries import Snapshot
from talktree.model.measures import MessageMeasures
from talktree.model.message import ERROR, SIDECHAIN, Message, find_hiding_flag
from talktree.model.parts import Attachment, Text, Thinking, ToolCall, ToolResult
from talktree.text.json.encode import encode_json

Row = tuple[Any, ...]
_REPLIES = (
    "SELECT r.source, r.time, r.model, r.project, r.input, r.output, r.cache_read, r.cache_write,"
    " r.cache_write_hour, "
    + COUNTS_REPLY
    + " FROM replies AS r WHERE r.source = ?1 AND r.at >= ?2 AND"
    " (?3 IS NULL OR r.at < ?3) ORDER BY r.at"
)


def iter_table_rows(asked: TableRequest, name: str) -> Iterator[Row]:
    """Yield the rows of a table by its name."""
    if name == "usage":
        yield from _usage_rows(asked)
        return
    for source, place, talk in asked.conversations():
        match name:
            case "messages":
                yield from _message_rows(asked, place, talk)
            case "calls":
                yield from iter_call_rows(asked, source, place, talk)
            case _:
                yield from _file_rows(asked, place, talk)


def _message_rows(asked: TableRequest, place: Where, conversation: Conversation) -> Iterator[Row]:
    traits = conversation.skeleton.traits
    for number, entry in enumerate(conversation.entries):
        # An exact copy of a message is not a node of the tree, and not counted.
        if not isinstance(entry, Message) or not traits[number]:
            continue
        if not asked.has_row(entry.time_ns, entry.model):
            continue
        parts, context, hidden = entry.parts, entry.context, find_hiding_flag(entry)
        said = parts if asked.is_shown(hidden) else ()
        results = [part for part in parts if isinstance(part, ToolResult)]
        yield (
            *place,
            context.git_branch if context else None,
            number,
            entry.id,
            entry.parent,
            entry.role,
            entry.time_ns,
            entry.model,
            entry.api_message,
            SIDECHAIN in entry.flags,
            ERROR in entry.flags or any(part.error for part in results),
            "\n".join([part.text for part in said if isinstance(part, Text)]),
            "\n".join([part.text for part in said if isinstance(part, Thinking)]),
            sum(isinstance(part, ToolCall) for part in parts),
            len(results),
            *_measure_columns(conversation.store.measures(entry)),
            hidden,
        )


def _measure_columns(measures: MessageMeasures) -> Iterator[Any]:
    """Yield the columns of what is recorded about a message; lists as JSON, None if empty."""
    for column in MEASURES:
        value = getattr(measures, column.name)
        if isinstance(value, tuple):
            value = encode_json([*value]).decode() if value else None
        yield value


def _file_rows(asked: TableRequest, place: Where, conversation: Conversation) -> Iterator[Row]:
    for entry in conversation.entries:
        if isinstance(entry, Snapshot) and asked.has_row(entry.time_ns, None):
            for path in entry.files:
                yield (*place, entry.message, entry.time_ns, "snapshot", None, path, None)
        elif isinstance(entry, Message) and asked.has_row(entry.time_ns, entry.model):
            hidden = find_hiding_flag(entry)
            for kind, tool, path in _find_named_files(entry):
                shown = path if asked.is_shown(hidden) else ""
                yield (*place, entry.id, entry.time_ns, kind, tool, shown, hidden)


def _find_named_files(message: Message) -> Iterator[tuple[str, str | None, str]]:
    for part in message.parts:
        if isinstance(part, ToolCall):
            for path in filter(None, call_files(part.input).split("\n")):
                yield "call", part.name, path
        elif isinstance(part, Attachment) and part.name:
            yield "attachment", None, part.name


def _usage_rows(asked: TableRequest) -> Iterator[Row]:
    """Yield the replies of each source, directly from the facts."""
    prices = load_prices(data_home())
    for source in asked.sources():
        for place, start, end in asked.places(source):
            yield from _reply_rows(asked, prices, place, (source.id, start, end))


def _reply_rows(
    asked: TableRequest, prices: Prices, place: Where, span: tuple[int, int, int | None]
) -> Iterator[Row]:
    names, chosen = asked.chosen.names, asked.chosen
    id, native, format, folder, session = place
    for _, time, model, project, *tokens, counted in asked.library.db.read(_REPLIES, span):
        if not chosen.has_reply(id, model, project) or not chosen.has_time(time):
            continue
        prompt = tokens[0] + tokens[2] + tokens[3]
        price = prices.find_price(
            names.get(model),
            None if time is None else time // (86_400 * 10**9),
            sum(prompt > longest for longest in BANDS),
        )
        cost = None if price is None else price.compute_cost(*tokens) / UNIT
        yield (
            id,
            native,
            format,
            asked.project_name(project) or folder,
            session,
            time,
            names.get(model),
            *tokens,
            cost,
            bool(counted),
        )
