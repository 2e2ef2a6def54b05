"""Parts and tools in their expected form."""

from __future__ import annotations

from base64 import b64decode

from talktree.model.message import Author, Context, Message
from talktree.model.parts import (
    Artifact,
    Attachment,
    Event,
    Part,
    Text,
    ToolCall,
    ToolResult,
    UnknownPart,
)
from talktree.views.html.block import MessageBlock
from talktree.views.html.rendering import RenderOptions, build_chips, render_blocks, render_terminal
from talktree.views.transcript import fold_results

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+M8AAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
)


def only(*parts: Part, look: RenderOptions | None = None) -> MessageBlock:
    """Return the only block of a message with these parts."""
    (step,) = fold_results([(0, Message(id="m", role="assistant", parts=parts))])
    (block,) = render_blocks(step, look or RenderOptions())
    return block


def call(
    name: str, given: object, answer: str | None = "ok", *, error: bool = False
) -> MessageBlock:
    """Return a call and its result, in one message."""
    result = () if answer is None else (ToolResult((Text(answer),), "c", error=error),)
    return only(ToolCall(name, given, "c"), *result)


def test_edit_is_a_difference() -> None:
    shown = call("Edit", {"file_path": "/a/sun.py", "old_string": "a = 1", "new_string": "a = 2"})
    assert (shown.name, shown.title, shown.detail) == ("Edit", "/a/sun.py", "+1 −1")
    assert shown.outcome == "ok"
    assert shown.open
    assert "a = <ins>2</ins>" in shown.html


def test_several_edits_and_notebooks() -> None:
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d\ne"}]
    assert call("MultiEdit", {"file_path": "x", "edits": edits}).detail == "+3 −2"
    assert call("NotebookEdit", {"notebook_path": "n.ipynb", "new_source": "x"}).title == "n.ipynb"


def test_a_command_is_a_terminal_with_its_end() -> None:
    good = call("Bash", {"command": "ls -l", "description": "Look"}, "\x1b[31mred\x1b[0m\nb")
    assert (good.title, good.detail, good.outcome) == ("ls -l", "Look · 2 lines", "ok")
    assert '<span class="tt-fg-1">red</span>' in good.html
    assert not good.open
    bad = call("bash", {"command": "make"}, "Exit code 2\nno rule", error=True)
    assert (bad.detail, bad.outcome, bad.open) == ("exit 2", "failed", True)
    assert 'class="tt-failed"' in bad.html
    assert call("Bash", {"command": "x"}, None).outcome == "waiting"
    refused = call("Bash", {"command": "x"}, "<tool_error>no\n</tool_error>", error=True)
    assert ">no\n</pre>" in refused.html


def test_read_is_source_with_numbers() -> None:
    shown = call("Read", {"file_path": "a.py"}, "     9→def f():\n    10→    pass\n")
    assert shown.detail == "2 lines"
    assert '<pre class="tt-gutter">9\n10</pre>' in shown.html
    assert '<span class="tt-c-keyword">def</span>' in shown.html


def test_lookup_tools_are_one_line() -> None:
    shown = call("Grep", {"pattern": "now", "path": "/x"}, "a\nb\nc")
    assert (shown.title, shown.detail) == ("now", "path /x · 3 lines")
    assert "<strong>x</strong>" in call("WebFetch", {"url": "https://a.example"}, "**x**").html


def test_tasks_are_a_checklist_with_progress() -> None:
    todos = [{"content": "a<b", "status": "completed"}, {"content": "c", "status": "in_progress"}]
    shown = call("TodoWrite", {"todos": todos})
    assert (shown.kind, shown.title, shown.detail) == ("todos", "c", "1 of 2 done")
    assert "a&lt;b" in shown.html


def test_agents_commands_plans_questions_and_servers() -> None:
    look = RenderOptions(leaf=lambda number: f"leaf {number}")
    task = only(ToolCall("Task", {"description": "d", "subagent_type": "Explore"}, "c"), look=look)
    assert (task.title, task.detail, task.leaf) == ("d", "Explore", "leaf 0")
    assert call("SlashCommand", {"command": "/compact"}).kind == "chip"
    assert "<h2>P</h2>" in call("ExitPlanMode", {"plan": "## P"}).html
    asked = call(
        "AskUserQuestion", {"questions": [{"question": "q?", "options": [{"label": "l"}]}]}
    )
    assert (asked.name, asked.title) == ("Question", "q?")
    served = call("mcp__git_hub__create_issue", {"title": "t", "n": 1}, '{"id": 1}')
    assert (served.name, served.title) == ("git hub: create issue", "t")
    assert '<dl class="tt-facts"><dt>title</dt><dd>t</dd>' in served.html
    assert '<span class="tt-c-name">"id":</span>' in served.html


def test_attachments_are_what_their_bytes_are() -> None:
    picture = only(Attachment("p.png", "image/png", f"data:image/png;base64,{PIXEL}"))
    assert (picture.kind, picture.media_type, picture.number) == ("image", "image/png", 0)
    assert picture.size == len(b64decode(PIXEL))
    there = only(
        Attachment("p", None, f"data:image/png;base64,{PIXEL}"),
        look=RenderOptions(address=lambda n: f"/img/1/m/{n}"),
    )
    assert 'src="/img/1/m/0"' in there.html
    liar = only(Attachment("p.png", "image/png", "data:image/png;base64,PGh0bWw+PHNjcmlwdD4="))
    assert (liar.kind, liar.media_type) == ("file", "text/html")
    assert "said to be image/png" in liar.detail
    remote = only(Attachment("b.jpg", "image/jpeg", "https://a.example/b.jpg"))
    assert (remote.kind, remote.remote) == ("image", "https://a.example/b.jpg")
    assert "<img" not in remote.html


def test_pictures_in_results_have_numbers_of_their_own() -> None:
    shot = Attachment(None, "image/png", f"data:image/png;base64,{PIXEL}")
    parts = (ToolCall("Shot", {}, "c"), ToolResult((Text("x"), shot), "c"))
    assert 'src="/img/1001"' in only(*parts, look=RenderOptions(address=lambda n: f"/img/{n}")).html
    assert "data:image/png" in only(*parts).html


def test_artifacts_show_their_source_and_run_if_asked() -> None:
    react = only(Artifact("a", "application/vnd.ant.react", "Counter", "export default 1"))
    assert (react.kind, react.runs, react.title) == ("artifact", True, "Counter")
    assert 'data-lang="tsx"' in react.html
    assert not only(Artifact("a", "application/vnd.ant.code", "Python: x", "def f(): 1")).runs
    assert "<h1>x</h1>" in only(Artifact("a", "text/markdown", "t", "# x")).html
    assert not only(Artifact("a", "text/html", "t", None)).runs


def test_events_and_what_no_one_knows() -> None:
    divider = only(
        Event("compacted", "Conversation compacted", {"trigger": "auto", "preTokens": 18420})
    )
    assert (divider.kind, divider.detail) == ("divider", "18,420 tokens before, trigger auto")
    chip = only(Event("command", "x", {"name": "/init", "args": "now"}))
    assert (chip.kind, chip.title, chip.detail) == ("chip", "/init", "now")
    printed = only(Event("command_output", "<local-out>\x1b[1mdone\x1b[22m</local-out>"))
    assert "local-out" not in printed.html
    assert printed.title == "done"
    assert only(UnknownPart("sheet", {"rows": 8})).kind == "unknown"


def test_a_limit_says_what_it_leaves_out() -> None:
    assert only(Text("abcdef"), look=RenderOptions(limit=4)).cut == 2
    assert only(Text("abcdef"), look=RenderOptions(limit=None)).cut == 0
    assert only(ToolCall("Bash", {"command": "x" * 10}, "c"), look=RenderOptions(limit=4)).cut == 6


def test_chips() -> None:
    message = Message(
        role="assistant", model="m-1", authors=(Author("Ana", "2"),), tags=("t",),
        flags=frozenset({"error"}),
        context=Context(cwd="/x", git_branch="main"),
        extra={"requestId": "r", "desk": {"sentiment": 0.5, "topics": ["a", "b"]}, "empty": None},
    )  # fmt: skip
    found = {chip.name: (chip.text, chip.tone) for chip in build_chips(message, "muse")}
    assert found == {
        "flag": ("error", "bad"), "model": ("m-1", "plain"), "author": ("Ana 2", "plain"),
        "tag": ("t", "plain"),
        "cwd": ("/x", "plain"), "git": ("main", "plain"), "sentiment": ("0.5", "plain"),
        "topics": ("a, b", "plain"),
    }  # fmt: skip


def test_a_format_names_the_members_that_are_shown() -> None:
    extra = {"entrypoint": "cli", "hookCount": 1, "retryAttempt": 2, "attachment": {"kind": "x"}}
    message = Message(role="system", extra=extra)
    assert [(chip.name, chip.text) for chip in build_chips(message, "claude-code")] == [
        ("retry attempt", "2")
    ]
    assert {chip.name for chip in build_chips(message, "muse")} > {"entrypoint", "hook count"}


def test_terminal_text_looks_as_on_a_terminal() -> None:
    assert "tt-bold tt-fg-2" in render_terminal("\x1b[1;32mx\x1b[0m")
    assert render_terminal("10%\r50%\r100%\n") == '<pre class="tt-terminal">100%\n</pre>'
    assert "tt-fg-9" in render_terminal("\x1b[38;2;255;0;0mx")
    assert (
        render_terminal("\x1b]8;;https://evil.example\x07y\x1b]8;;\x07")
        == '<pre class="tt-terminal">y</pre>'
    )
