"""A base for formats of JSON files whose conversations hold their messages in a list.

A file is one such object, a list of them, or one on each line. The format defines how its files are
detected, which member holds the messages, and how a record becomes an entry and back; this module
does the reading and writing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from talktree.files import Content, MemoryContent, Source, stem_of
from talktree.formats.format import ConversationInfo, Format, SplitSource
from talktree.formats.json_file import JsonSheet
from talktree.formats.record_file import Item
from talktree.model.entries import Entry, Head
from talktree.text.json.encode import Style, encode_json, encode_string
from talktree.text.json.value import Json

_LINE = Style(item=", ", colon=": ")


class JsonFormat(Format):
    """A format of JSON files. Its lens gets two kinds of records: conversations and messages."""

    messages_key: str
    """The member of a conversation that holds its messages. `get` sees it as an empty list."""

    keeper = "opening"
    depth_inside = 1
    many_in_one = True

    def is_conversation(self, value: Json) -> bool:
        """Whether a record is a conversation with a list of messages."""
        return isinstance(value, dict) and isinstance(value.get(self.messages_key), list)

    def split(self, source: Source) -> SplitSource:
        return SplitSource([self._sheet(path, content) for path, content in source.files.items()])

    def blank_sheet(self, path: str) -> JsonSheet:
        return self._sheet(path, MemoryContent(b""))

    def make_opening_entries(self, about: ConversationInfo) -> Sequence[Entry]:
        return (Head(id=about.session, title=about.title, updated_ns=about.updated),)

    def compose(
        self, path: str, about: ConversationInfo, items: Iterator[Item], *, first: bool
    ) -> Iterable[bytes]:
        """Yield one conversation as JSON: a line for each of its members and messages."""
        head = next(items).value
        assert isinstance(head, dict)
        between = b"{\n  "
        for name, member in head.items():
            yield between + encode_string(name).encode() + b": "
            between = b",\n  "
            if name == self.messages_key:
                yield from _write_list(items)
            else:
                yield encode_json(member, _LINE)
        yield b"\n}\n"

    def _sheet(self, path: str, content: Content) -> JsonSheet:
        return JsonSheet(
            path,
            content,
            self,
            group=stem_of(path),
            hole=self._children_key,
            links="chain",
            many=True,
            names=(self.messages_key,),
        )

    def _children_key(self, value: Json, depth: int) -> str | None:
        return self.messages_key if depth == 0 and self.is_conversation(value) else None


def _write_list(items: Iterator[Item]) -> Iterator[bytes]:
    between, end = b"[\n    ", b"[]"
    for item in items:
        yield between + encode_json(item.value, _LINE)
        between, end = b",\n    ", b"\n  ]"
    yield end
