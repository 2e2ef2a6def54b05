"""Folders of message files: their order, their settings, and the effect of their numbers."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from talktree.api import detect, read, to_bytes
from talktree.errors import UnknownFormat, UsageError, WouldLose
from talktree.files import Content, MemoryContent, Source
from talktree.formats.chatbuilder import FORMAT
from talktree.formats.format import Probe
from talktree.model import edit
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.entries import Head
from talktree.model.message import Message
from talktree.model.parts import Text
from tests.formats.message_files import UUID, document, folder, messages_of, tree


def test_numbers_are_ordered_as_numbers() -> None:
    found = folder(**{f"_{n}": f"; role: user\n\n\n{n}" for n in (10, 2, 1, 9, 11)})
    assert found.conversation.id == "chat"
    assert messages_of(found) == ["1", "2", "9", "10", "11"]


class _Sealed(MemoryContent):
    """A file that must not be opened."""

    def __init__(self) -> None:
        self.size = 5

    def __getattr__(self, name: str) -> bytes:
        raise AssertionError(f"the {name} of a stranger was looked at")


def test_foreign_files_are_never_opened_and_are_reported() -> None:
    sealed = ["README.md", ".2.md.swp", "a.png", "2.md~", "x1.md", "deep/config.json", "-1.md"]
    files: dict[str, Content] = {path: _Sealed() for path in sealed}
    files["1.md"] = MemoryContent(b"; role: user\n\n\nhi")
    source = Source("chat", files, folder=True)
    assert FORMAT.detect(Probe(source))
    found = read(source, format="chatbuilder")
    assert len(list(found.conversation.messages())) == 1
    reported = [each.path for each in found.findings if each.name == "unrelated-file"]
    assert reported == sealed


def test_settings_of_a_folder_are_its_head_and_can_be_changed() -> None:
    settings = '{ "name": "notes",\n  "label": "Notes", "order": 2 }\n'
    found = tree({"notes/config.json": settings, "notes/1.md": "; role: user\n\n\nhi"})
    conversation = found.conversation
    head = next(iter(conversation.entries))
    assert isinstance(head, Head)
    assert (conversation.title, head.extra) == ("Notes", {"name": "notes", "order": 2})
    number = conversation.members[0]
    changed = conversation.with_entries(
        conversation.members, {number: replace(head, title="Other")}
    )
    files = to_bytes(found.with_conversation(changed))
    assert files["notes/config.json"].decode() == settings.replace('"Notes"', '"Other"')
    assert files["notes/1.md"] == b"; role: user\n\n\nhi"


def test_a_new_head_becomes_settings_but_never_a_second_time() -> None:
    found = tree({"a/1.md": "; role: user\n\n\nhi"})
    head = Head(kind="config", title="A", extra={"order": 1})
    files = to_bytes(found.with_conversation(edit.append(found.conversation, head)))
    assert files["a/config.json"] == b'{"label":"A","order":1}'
    again = read(Source.of_files(files))
    assert again.conversation.title == "A"
    with pytest.raises(UsageError):
        to_bytes(again.with_conversation(edit.append(again.conversation, head)))


def test_the_top_folder_and_a_folder_of_the_same_name_stay_apart() -> None:
    found = tree({"1.md": "; role: user\n\n\na", "chat/1.md": "; role: user\n\n\nb"})
    assert [each.id for each in found.conversations] == [".", "chat"]


def test_one_id_in_two_folders_is_reported() -> None:
    text = f"; Block-UUID: {UUID}\n; role: user\n\n\nhi"
    found = tree({"a/1.md": text, "b/7.md": text})
    (double,) = [each for each in found.findings if each.name == "duplicate-id"]
    assert double.path == "b/7.md"


def numbered(*numbers: str) -> Document:
    return tree({f"x/{n}.md": f"; Block-UUID: m{n}\n; role: user\n\n\n{n}" for n in numbers})


def names_and_texts(found: Document, changed: Conversation) -> dict[str, str]:
    files = to_bytes(found.with_conversation(changed))
    return {path[2:-3]: raw.decode().split("\n\n\n")[1] for path, raw in sorted(files.items())}


def new(id: str, parent: str | None = None) -> Message:
    return Message(id=id, parent=parent, role="user", parts=(Text(id),))


def test_an_appended_message_takes_the_next_number() -> None:
    found = numbered("9", "11")
    changed = edit.append(edit.append(found.conversation, new("a", "m11")), new("b", "a"))
    texts = names_and_texts(found, changed)
    assert texts == {"9": "9", "11": "11", "12": "a", "13": "b"}


@pytest.mark.parametrize("parent", [None, "m2"])
def test_an_inserted_message_pushes_the_following_ones_on(parent: str | None) -> None:
    found = numbered("1", "2", "3", "4", "7")
    changed = edit.insert(found.conversation, new("a", parent), after="m2")
    texts = names_and_texts(found, changed)
    assert texts == {"1": "1", "2": "2", "3": "a", "4": "3", "5": "4", "7": "7"}


def test_an_inserted_message_fills_a_gap_without_renaming() -> None:
    found = numbered("01", "02", "04")
    changed = edit.insert(found.conversation, new("a"), after="m02")
    assert names_and_texts(found, changed) == {"01": "01", "02": "02", "03": "a", "04": "04"}


@pytest.mark.parametrize(
    ("first", "texts"), [("0", {"0": "a", "1": "0"}), ("3", {"1": "a", "3": "3"})]
)
def test_a_message_before_all_others_takes_the_first_number(
    first: str, texts: dict[str, str]
) -> None:
    found = numbered(first)
    changed = edit.insert(found.conversation, new("a"), after=None)
    assert names_and_texts(found, changed) == texts


def test_a_removed_message_leaves_the_numbers_of_the_others_alone() -> None:
    found = numbered("1", "2", "3")
    changed = edit.remove(found.conversation, ["m2"])
    assert names_and_texts(found, changed) == {"1": "1", "3": "3"}


def test_a_branch_is_refused() -> None:
    found = numbered("1", "2", "3")
    with pytest.raises(WouldLose):
        to_bytes(found.with_conversation(edit.append(found.conversation, new("a", "m1"))))


def test_a_lone_file_takes_no_second_message_and_cannot_lose_its_only_one() -> None:
    found = document("; role: user\n\n\nhi")
    for changed in (
        edit.append(found.conversation, new("a")),
        edit.remove(found.conversation, ["@1"]),
    ):
        with pytest.raises(UsageError):
            to_bytes(found.with_conversation(changed))


def test_thousands_of_new_messages_are_written() -> None:
    found = numbered("1")
    conversation = found.conversation
    made = {-n: new(f"n{n}") for n in range(1, 3001)}
    members = [*conversation.members, *made]
    changed = conversation.with_entries(members, dict(made))
    assert len(to_bytes(found.with_conversation(changed))) == 3001


# detection


@pytest.mark.parametrize(
    "raw",
    [
        b"# A readme\n\n\nwith words\n",
        b"<!-- a remark -->\n# A readme\n",
        b"; a comment\n(code)\n",
        b"",
        b"Role: a pirate\n\n\nYo",
    ],
)
def test_a_lone_file_without_a_header_is_in_no_format(raw: bytes) -> None:
    with pytest.raises(UnknownFormat):
        detect(Source.of_bytes(raw, name="1.md"))


def test_a_folder_of_numbered_files_is_recognised_without_headers() -> None:
    guess = detect(Source.of_files({"1.md": b"hello", "2.md": b"hi"}))
    assert (guess.format, guess.confidence > 0.5) == (FORMAT, True)
    with pytest.raises(UnknownFormat):
        detect(Source.of_files({"one.md": b"; role: user\n\n\nhello"}))
