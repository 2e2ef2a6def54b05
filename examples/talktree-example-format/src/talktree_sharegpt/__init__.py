"""ShareGPT: JSON objects with `conversations`, a list of `{"from": …, "value": …}`."""

from __future__ import annotations

from collections.abc import Sequence

from talktree.formats.format import (
    Detection,
    FormatCapabilities,
    FormatInfo,
    Lens,
    Probe,
    Record,
    make_opaque,
)
from talktree.formats.json_format import JsonFormat
from talktree.formats.lens import merge_json, take_text, with_rest
from talktree.formats.rule import Rule, find_rules
from talktree.model.entries import Entry, Head, Opaque
from talktree.model.message import Message
from talktree.model.parts import Text
from talktree.text.json.value import Json

ROLES = {"human": "user", "gpt": "assistant", "system": "system", "tool": "tool"}
NAMES = {role: name for name, role in ROLES.items()}
MESSAGES = "conversations"


class ShareGpt(JsonFormat):
    """Conversations in the ShareGPT format."""

    info = FormatInfo(
        slug="sharegpt",
        title="ShareGPT conversations",
        layout="file",
        suffixes=(".json", ".jsonl"),
        origin="JSON that people shared ChatGPT conversations in, and fine-tuning data",
    )
    can = FormatCapabilities(roles=tuple(NAMES), extra="json", heads=True, texts="one", ids="none")
    messages_key = MESSAGES

    def detect(self, probe: Probe) -> Detection | None:
        if probe.folder:
            return None
        found = [each for value in probe.sample() if isinstance(each := value.get(MESSAGES), list)]
        turns = [turn for listed in found for turn in listed[:20]]
        fitting = [
            turn for turn in turns if isinstance(turn, dict) and {"from", "value"} <= {*turn}
        ]
        if not fitting:
            return None
        share = len(fitting) / len(turns)
        return Detection(0.9 * share, f"{MESSAGES} of from and value")

    def rules(self) -> Sequence[Rule]:
        from talktree_sharegpt import rules

        return find_rules(rules)


def get(record: Record) -> Entry:
    """Return what a record holds: a conversation, a message, or an opaque entry."""
    value = record.value
    if not record.usable or not isinstance(value, dict):
        return make_opaque(record)
    left = dict(value)
    if MESSAGES in value:
        if left[MESSAGES] in (None, []):
            del left[MESSAGES]
        return Head(id=record.id, title=take_text(left, "title"), extra=left)
    if "from" not in value and "value" not in value:
        return make_opaque(record, "unknown")
    name, text = take_text(left, "from"), take_text(left, "value")
    return Message(
        id=record.id,
        parent=record.parent,
        role=ROLES.get(name, name) if name is not None else "unknown",
        parts=() if text is None else (Text(text),),
        extra=left,
    )


def native(entry: Entry) -> Json:
    """Return a new record for an entry."""
    match entry:
        case Message():
            value: dict[str, Json] = {}
            if entry.role != "unknown":
                value["from"] = NAMES.get(entry.role, entry.role)
            if entry.parts:
                value["value"] = entry.text
            return with_rest(value, entry.extra)
        case Head():
            value = {} if entry.title is None else {"title": entry.title}
            return with_rest({**value, MESSAGES: []}, entry.extra)
        case Opaque():
            return entry.value  # type: ignore[no-any-return]
    return dict(entry.extra)


def put(entry: Entry, base: Record | None) -> Json:
    """Return the record of an entry: the old record with the changes applied."""
    if base is None:
        return native(entry)
    return merge_json(base.value, native(get(base)), native(entry))


ShareGpt.lens = Lens(get, put)
FORMAT = ShareGpt()
