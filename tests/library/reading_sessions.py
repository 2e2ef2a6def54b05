"""Random lines of Claude Code sessions: usual ones, odd ones, and links of every kind."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from talktree.testing.strategies import damage_bytes, json_values, plain_text, wild_text

Line = dict[str, Any]

IDS = [f"0000000{number}-0000-4000-8000-000000000000" for number in range(6)]
ids = st.sampled_from([*IDS, "", "short"])
maybe_id = st.none() | ids
words = st.sampled_from(
    [
        "",
        " ",
        "plain words",
        "<command-name>/init</command-name><command-args>now</command-args>",
        "<local-command-stdout>done</local-command-stdout>",
        "<system-reminder>be brief</system-reminder>",
        "<persisted-output>too long",
        "\ud83c half",
        "潮汐表",
    ]
)
texts = words | plain_text
odd: st.SearchStrategy[Any] = json_values | wild_text
tools = st.sampled_from(["Bash", "Edit", "TodoWrite", "todo_write", ""])
call_ids = st.sampled_from(["toolu_1", "toolu_2", "toolu_3", ""])
stamps = st.sampled_from(
    [
        "2026-03-02T09:00:00.000Z",
        "2026-03-02T09:00:00.001Z",
        "2026-03-02T09:01:00Z",
        "9999-12-31T23:59:59Z",
        "1969-12-31T23:59:59.5Z",
        "yesterday",
    ]
)
tasks = st.lists(
    st.fixed_dictionaries(
        {"content": texts, "status": st.sampled_from(["pending", "completed"])},
        optional={"activeForm": texts},
    ),
    max_size=2,
)
inputs = st.fixed_dictionaries(
    {},
    optional={
        "command": texts,
        "file_path": texts,
        "path": odd,
        "todos": tasks | odd,
        "more": json_values,
    },
)
images = st.fixed_dictionaries(
    {
        "type": st.just("image"),
        "source": st.sampled_from(
            [{"type": "base64", "media_type": "image/png", "data": "aGk="}, {"type": "url"}, None]
        ),
    },
    optional={"title": texts | st.none()},
)
spoken = st.fixed_dictionaries({"type": st.just("text"), "text": texts})
thoughts = st.fixed_dictionaries(
    {"type": st.just("thinking"), "thinking": texts}, optional={"signature": texts | odd}
)
uses = st.fixed_dictionaries(
    {"type": st.just("tool_use"), "name": tools},
    optional={"id": call_ids | st.none(), "input": inputs | odd},
)
results = st.fixed_dictionaries(
    {"type": st.just("tool_result")},
    optional={
        "tool_use_id": call_ids | st.none(),
        "content": texts | st.lists(spoken | images | thoughts, max_size=2) | odd,
        "is_error": st.booleans() | st.none(),
    },
)
unknown = st.fixed_dictionaries({"type": words}, optional={"data": texts, "words": json_values})
blocks = spoken | thoughts | uses | results | images | unknown
counts = st.integers(0, 5000)
usages = st.fixed_dictionaries(
    {"input_tokens": counts, "output_tokens": counts},
    optional={
        "cache_read_input_tokens": counts | st.none(),
        "cache_creation_input_tokens": st.integers(-5, 2**70),
        "cache_creation": st.dictionaries(
            st.sampled_from(["ephemeral_1h_input_tokens", "ephemeral_5m_input_tokens"]),
            counts | st.none(),
        )
        | odd,
    },
)
apis = st.fixed_dictionaries(
    {"content": texts | st.lists(blocks, max_size=3)},
    optional={
        "role": st.sampled_from(["user", "assistant"]),
        "id": st.sampled_from(["msg_1", "msg_2", None]),
        "model": st.sampled_from(["claude-opus-4", "<synthetic>", None]),
        "usage": usages | odd,
    },
)
details = st.fixed_dictionaries({}, optional={"stdout": texts, "file": json_values}) | odd
members: dict[str, st.SearchStrategy[Any]] = {
    "uuid": ids,
    "parentUuid": maybe_id,
    "timestamp": stamps,
    "sessionId": st.sampled_from(["s1", "s2"]),
    "cwd": st.sampled_from(["/home/ana/harbour", "/tmp"]),
    "gitBranch": st.sampled_from(["main", ""]),
    "isSidechain": st.booleans(),
    "message": apis,
}
rare: dict[str, st.SearchStrategy[Any]] = {
    "agentId": st.sampled_from(["a1", None]),
    "requestId": st.sampled_from(["req_1", "req_2", None]),
    "isMeta": st.booleans(),
    "isApiErrorMessage": st.booleans(),
    "isCompactSummary": st.booleans(),
    "logicalParentUuid": maybe_id,
    "toolUseResult": details,
    "todos": tasks | odd,
    "forkedFrom": st.just({"sessionId": "s0"}) | odd,
    "subtype": st.sampled_from(["compact_boundary", "api_error"]),
    "content": texts,
    "summary": texts,
    "customTitle": texts,
    "aiTitle": texts,
    "snapshot": st.fixed_dictionaries(
        {"trackedFileBackups": st.dictionaries(texts, st.just({"version": 1}), max_size=2)}
    ),
}
rare["data"] = (
    st.fixed_dictionaries(
        {
            "message": st.fixed_dictionaries(
                {"type": st.just("assistant"), "message": apis, "timestamp": stamps}
            )
        }
    )
    | odd
)
types = st.sampled_from(["user", "user", "user", "assistant", "assistant", "assistant"]) | (
    st.sampled_from(
        [
            "system",
            "progress",
            "progress",
            "summary",
            "custom-title",
            "ai-title",
            "file-history-snapshot",
            "x",
        ]
    )
)


@st.composite
def lines(draw: st.DrawFn) -> Line:
    """Generate one line: usual members, some that are rare, now and then one of an odd kind."""
    names = draw(st.lists(st.sampled_from(sorted(rare)), max_size=2, unique=True))
    made = {"type": draw(types)} | {name: draw(each) for name, each in members.items()}
    made |= {name: draw(rare[name]) for name in names}
    if draw(st.integers(0, 9)) == 0:
        made[draw(st.sampled_from(sorted(made)))] = draw(odd)
    if draw(st.integers(0, 9)) == 0:
        del made[draw(st.sampled_from(sorted(made)))]
    return made


def encoded(line: Line) -> bytes:
    """Return the bytes of a line; lone surrogates are written as escapes."""
    try:
        return json.dumps(line, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(line).encode() + b"\n"


HEADER = encoded({"type": "summary", "summary": "", "leafUuid": IDS[0]})
"""A line that makes the file detectable as lines."""
sessions = st.lists(lines(), max_size=8).map(lambda made: HEADER + b"".join(map(encoded, made)))
"""Files of valid lines."""
broken_sessions = sessions.flatmap(damage_bytes).map(lambda data: data + b"\n")
"""The same with damaged bytes."""
