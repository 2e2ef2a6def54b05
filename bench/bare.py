"""The bare limit of an import: extract the words of the lines and index them with tantivy.

No archive, no metadata, no ids, no versions: the minimum that any index of the same text has to do.
Run as a program: `python -m bench.bare FOLDER INDEX`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import tantivy
from msgspec import Struct

from bench.walk import files

THREADS = 2
HEAP = 200 << 20


class _Inner(Struct):
    text: str = ""


class _Block(Struct):
    text: str = ""
    thinking: str = ""
    input: msgspec.Raw = msgspec.Raw(b"")
    content: str | list[_Inner] = ""


class _Message(Struct):
    content: str | list[_Block] = ""


class _Line(Struct):
    message: _Message | None = None


DECODER = msgspec.json.Decoder(_Line)


def texts(data: bytes) -> Iterator[str]:
    """Yield all texts, tool inputs and tool outputs."""
    for line in data.splitlines():
        message = DECODER.decode(line).message
        if message is None:
            continue
        if isinstance(message.content, str):
            yield message.content
            continue
        for block in message.content:
            if block.text or block.thinking:
                yield block.text or block.thinking
            if block.input:
                yield bytes(block.input).decode()
            if isinstance(block.content, str):
                if block.content:
                    yield block.content
            else:
                yield from (inner.text for inner in block.content)


def build(folder: Path, index: Path) -> int:
    """Index all files of a folder with two threads; return the number of documents."""
    index.mkdir(parents=True)
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("body", index_option="position", tokenizer_name="default")
    schema.add_integer_field("source", fast=True)
    schema.add_integer_field("at", fast=True)
    made = tantivy.Index(schema.build(), path=str(index))
    writer = made.writer(heap_size=HEAP, num_threads=THREADS)
    count = 0
    for source, path in enumerate(files(folder)):
        for at, text in enumerate(texts(Path(path).read_bytes())):
            writer.add_document(tantivy.Document(body=[text], source=[source], at=[at]))
            count += 1
    writer.commit()
    writer.wait_merging_threads()
    return count


if __name__ == "__main__":
    print(build(Path(sys.argv[1]), Path(sys.argv[2])))
