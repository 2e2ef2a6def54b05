"""MUS4: the classification of a message: language, topics, sentiment, safety."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.formats.fixes import repair_value
from talktree.formats.lens import Object
from talktree.formats.muse.measures import CLASSES
from talktree.formats.muse.rules.support_members import MUSE, Kinds, find_misfits, get_message_value
from talktree.formats.rule import Diagnostic, make_safe_fix, rule
from talktree.formats.rule_context import RuleRecord
from talktree.model.message import Message
from talktree.text.json.value import Json

KINDS: Kinds = {
    "user_language": (str,),
    "is_safe": (bool,),
    "unity_topics": (list,),
    "sentiment": (str,),
    "plugins": (list,),
    "external_knowledge": (str,),
}
WORDS = {
    "sentiment": ("positive", "neutral", "negative"),
    "external_knowledge": ("none", "intermediate", "advanced"),
}
MOST_TOPICS = 3


def _get_results(seen: RuleRecord) -> Object | None:
    value = seen.record.value
    found = value.get(CLASSES) if isinstance(value, dict) else None
    return found if isinstance(found, dict) and type(seen.entry) is Message else None


def _remove_classes(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = seen.value
    assert isinstance(value, dict)
    return {name: item for name, item in value.items() if name != CLASSES}


@rule(
    "MUS401",
    "no-classification",
    "warning",
    on="message",
    formats=MUSE,
    fix=make_safe_fix(repair_value(_remove_classes)),
)
def no_classification(seen: RuleRecord) -> Iterator[Diagnostic]:
    """What a user said was classified as null, or as something that is no object.

    Why: messages may have these results or not; programs that find the member use it as an object
    and fail. Answers are not classified, so null is reported for what users said only.

    Bad:
        {"id": "m1", "role": "user", "content": "Hello", "front_desk_classification_results": null}

    Fix (safe): a null is left out, which means the same. Anything else stays.
    """
    value = get_message_value(seen)
    if value is None or CLASSES not in value or type(value[CLASSES]) is dict:
        return
    nothing = value[CLASSES] is None
    if not nothing or (isinstance(seen.entry, Message) and seen.entry.role == "user"):
        what = "it is null" if nothing else "it is no object"
        yield Diagnostic(what, CLASSES, fixable=nothing)


@rule("MUS402", "classification-type", "warning", on="message", formats=MUSE)
def classification_type(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A result of the classification is not of the type the document gives it: topics that are
    no list of texts, a sentiment that is no text, a safety check that is neither true nor false.

    Why: statistics by topic, sentiment and language pass over the message or fail.

    Bad:
        "front_desk_classification_results": {"is_safe": "yes", "unity_topics": "Physics"}

    Fix: none, because it is unknown what was meant.
    """
    found = _get_results(seen)
    if found is None:
        return
    for name in find_misfits(found, KINDS):
        yield Diagnostic(f"{name} is of another type", f"{CLASSES}/{name}")
    topics = found.get("unity_topics")
    if isinstance(topics, list) and not all(isinstance(topic, str) for topic in topics):
        yield Diagnostic("a topic is no text", f"{CLASSES}/unity_topics")


@rule("MUS403", "unknown-class", "note", on="message", formats=MUSE)
def unknown_class(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A word of the classification is none of those that are known: sentiment (positive,
    neutral, negative) or external knowledge (none, intermediate, advanced). Any language is fine:
    the document does not say how it is written, and files have `en`, `en-US` and `english`.

    Why: statistics count each spelling on its own, so `Neutral` and `neutral` are two.

    Bad:
        "front_desk_classification_results": {"sentiment": "cheerful"}

    Fix: none, because the word may be new.
    """
    found = _get_results(seen)
    if found is None:
        return
    for name, known in WORDS.items():
        word = found.get(name)
        if isinstance(word, str) and word not in known:
            yield Diagnostic(f"{name} is {word[:40]!r}", f"{CLASSES}/{name}")


@rule("MUS404", "too-many-topics", "note", on="message", formats=MUSE)
def too_many_topics(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A message has more than three topics.

    Why: the classifier gives three at most, so something else wrote them.

    Bad:
        "unity_topics": ["Physics", "Collision", "Lighting", "Audio"]

    Fix: none, because all of them may be right.
    """
    found = _get_results(seen)
    topics = None if found is None else found.get("unity_topics")
    if isinstance(topics, list) and len(topics) > MOST_TOPICS:
        yield Diagnostic(f"{len(topics)} topics", f"{CLASSES}/unity_topics")
