"""How a Muse message was classified and rated, and its token counts.

The specification gives `message_tokens` no shape. Names that occur in files are counted; everything
else is shown as it is and never counted. Values may be in the wrappers of a database export.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from talktree.formats.muse.lens import unwrap
from talktree.model.measures import (
    MOST_SECONDS,
    MessageMeasures,
    get_common_measures,
    get_recorded_usage,
)
from talktree.model.message import Message
from talktree.model.replies import MOST_TOKENS, ReplyUsage, make_reply_name
from talktree.text.json.encode import COMPACT, encode_json
from talktree.text.json.value import Json

CLASSES: Final = "front_desk_classification_results"
TOKENS: Final = "message_tokens"
INPUT: Final = ("input", "prompt")
OUTPUT: Final = ("output", "completion")
TOTAL: Final = ("total",)
"""Names of counts; names on a line mean the same, and the first that is present counts."""
LONGEST = 200
"""Maximum number of characters shown of counts in an unknown shape."""
COUNTED = frozenset({*INPUT, *OUTPUT, *TOTAL})
MEASURED = frozenset(
    {
        *(CLASSES, TOKENS, "preferred", "opt_status", "is_beta_request"),
        *("seconds_until_streaming", "seconds_until_finished"),
    }
)


def read_measures(message: Message) -> MessageMeasures:
    """Return everything that is recorded about a message."""
    always, extra = get_common_measures(message), message.extra
    if MEASURED.isdisjoint(extra):
        return always
    found = extra.get(CLASSES)
    classes = found if isinstance(found, Mapping) else {}
    tokens = unwrap(extra.get(TOKENS))
    return MessageMeasures(
        tags=always.tags,
        authors=always.authors,
        language=_text_or_none(classes.get("user_language")),
        safe=_bool_or_none(classes.get("is_safe")),
        topics=_to_texts(classes.get("unity_topics")),
        sentiment=_text_or_none(classes.get("sentiment")),
        plugins=_to_texts(classes.get("plugins")),
        external_knowledge=_text_or_none(classes.get("external_knowledge")),
        preferred=_bool_or_none(extra.get("preferred")),
        opt_status=_text_or_none(extra.get("opt_status")),
        beta=_bool_or_none(extra.get("is_beta_request")),
        input_tokens=_read_count(tokens, INPUT),
        output_tokens=_read_count(tokens, OUTPUT),
        total_tokens=_read_count(tokens, TOTAL),
        uncounted_tokens=_format_unknown_counts(tokens),
        seconds_until_streaming=_read_seconds(extra.get("seconds_until_streaming")),
        seconds_until_finished=_read_seconds(extra.get("seconds_until_finished")),
    )


def read_replies(message: Message, own: str) -> Iterator[ReplyUsage]:
    """Yield the tokens of a message, if it has counts under known names."""
    usage = get_recorded_usage(read_measures(message)) if TOKENS in message.extra else None
    if usage is None:
        return
    counts = (usage.input, usage.output)
    name = make_reply_name(own, message.session, message.time_ns, message.model, counts)
    yield ReplyUsage(name, usage, 0, message.time_ns, message.model, sidechain=False)


def _read_count(tokens: Json, names: tuple[str, ...]) -> int | None:
    """Return the first valid one of some counts, or None."""
    if not isinstance(tokens, dict):
        return None
    return next(
        (count for name in names if (count := _to_count(tokens.get(name))) is not None), None
    )


def _to_count(value: Json) -> int | None:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < MOST_TOKENS:
        return None
    return value


def _format_unknown_counts(tokens: Json) -> str | None:
    """Return the counts with unknown names or values, as JSON, or None."""
    rest: Json = tokens
    if isinstance(tokens, dict):
        rest = {
            name: value
            for name, value in tokens.items()
            if value is not None and (name not in COUNTED or _to_count(value) is None)
        }
    if rest in (None, {}, []):
        return None
    text = encode_json(rest, COMPACT).decode("utf-8", "replace")
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _text_or_none(value: Json) -> str | None:
    return value if isinstance(value, str) and value else None


def _bool_or_none(value: Json) -> bool | None:
    return value if isinstance(value, bool) else None


def _to_texts(value: Json) -> tuple[str, ...]:
    """Return a text, or all texts of a list; objects are represented by their names."""
    listed = value if isinstance(value, list) else [value]
    named = (each.get("name") if isinstance(each, Mapping) else each for each in listed)
    return tuple(each for each in named if isinstance(each, str) and each)


def _read_seconds(value: Json) -> float | None:
    seconds = unwrap(value)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    return float(seconds) if 0 <= seconds < MOST_SECONDS else None
