"""How a Muse message was classified and rated, and what its tokens are.

The document gives `message_tokens` no shape. The names that files have are counted; everything
else is shown as it is and never counted. Values may be in the dress of a database export.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from talktree.formats.muse.lens import unwrapped
from talktree.model.measures import MOST_SECONDS, MessageMeasures, measures_of_model, recorded_usage
from talktree.model.message import Message
from talktree.model.replies import MOST_TOKENS, ReplyUsage, lone_name
from talktree.text.json.encode import COMPACT, encode
from talktree.text.json.value import Json

CLASSES: Final = "front_desk_classification_results"
TOKENS: Final = "message_tokens"
INPUT: Final = ("input", "prompt")
OUTPUT: Final = ("output", "completion")
TOTAL: Final = ("total",)
"""What counts are called; names on a line mean the same, and the first that is there counts."""
LONGEST = 200
"""Characters of counts in an unknown shape that are shown."""
COUNTED = frozenset({*INPUT, *OUTPUT, *TOTAL})
MEASURED = frozenset(
    {
        *(CLASSES, TOKENS, "preferred", "opt_status", "is_beta_request"),
        *("seconds_until_streaming", "seconds_until_finished"),
    }
)


def measures_of(message: Message) -> MessageMeasures:
    """All that is recorded about a message."""
    always, extra = measures_of_model(message), message.extra
    if MEASURED.isdisjoint(extra):
        return always
    found = extra.get(CLASSES)
    classes = found if isinstance(found, Mapping) else {}
    tokens = unwrapped(extra.get(TOKENS))
    return MessageMeasures(
        tags=always.tags,
        authors=always.authors,
        language=_text(classes.get("user_language")),
        safe=_truth(classes.get("is_safe")),
        topics=_texts(classes.get("unity_topics")),
        sentiment=_text(classes.get("sentiment")),
        plugins=_texts(classes.get("plugins")),
        external_knowledge=_text(classes.get("external_knowledge")),
        preferred=_truth(extra.get("preferred")),
        opt_status=_text(extra.get("opt_status")),
        beta=_truth(extra.get("is_beta_request")),
        input_tokens=_count(tokens, INPUT),
        output_tokens=_count(tokens, OUTPUT),
        total_tokens=_count(tokens, TOTAL),
        uncounted_tokens=_uncounted(tokens),
        seconds_until_streaming=_seconds(extra.get("seconds_until_streaming")),
        seconds_until_finished=_seconds(extra.get("seconds_until_finished")),
    )


def replies_of(message: Message, own: str) -> Iterator[ReplyUsage]:
    """The tokens of a message, if it tells them in names that are known."""
    usage = recorded_usage(measures_of(message)) if TOKENS in message.extra else None
    if usage is None:
        return
    counts = (usage.input, usage.output)
    name = lone_name(own, message.session, message.time_ns, message.model, counts)
    yield ReplyUsage(name, usage, 0, message.time_ns, message.model, sidechain=False)


def _count(tokens: Json, names: tuple[str, ...]) -> int | None:
    """The first of some counts that can be one."""
    if not isinstance(tokens, dict):
        return None
    return next((count for name in names if (count := _whole(tokens.get(name))) is not None), None)


def _whole(value: Json) -> int | None:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < MOST_TOKENS:
        return None
    return value


def _uncounted(tokens: Json) -> str | None:
    """The part of the counts whose names or values are not known, as JSON."""
    rest: Json = tokens
    if isinstance(tokens, dict):
        rest = {
            name: value
            for name, value in tokens.items()
            if value is not None and (name not in COUNTED or _whole(value) is None)
        }
    if rest in (None, {}, []):
        return None
    text = encode(rest, COMPACT).decode("utf-8", "replace")
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) and value else None


def _truth(value: Json) -> bool | None:
    return value if isinstance(value, bool) else None


def _texts(value: Json) -> tuple[str, ...]:
    """A text, or all of a list; objects go by their names."""
    listed = value if isinstance(value, list) else [value]
    named = (each.get("name") if isinstance(each, Mapping) else each for each in listed)
    return tuple(each for each in named if isinstance(each, str) and each)


def _seconds(value: Json) -> float | None:
    seconds = unwrapped(value)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    return float(seconds) if 0 <= seconds < MOST_SECONDS else None
