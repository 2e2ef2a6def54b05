"""The tag words of a piece, each set of them put together once."""

from __future__ import annotations

from functools import lru_cache

from talktree.library.fulltext.tokenizer import tag_words


@lru_cache(maxsize=65_536)
def tags_of(
    format: str,
    kind: str,
    role: str,
    tool: str | None = None,
    model: str | None = None,
    project: str | None = None,
    branch: str | None = None,
    is_: tuple[str, ...] = (),
    labels: tuple[tuple[str, str], ...] = (),
) -> str:
    """The words a piece is filtered by, with blanks between them; `is_` may be error, sidechain.

    Labels are names and values of what is recorded about the message.
    """
    named = {
        "format": format,
        "kind": kind,
        "role": role,
        "tool": tool,
        "model": model,
        "project": project,
        "branch": branch,
    }
    words = [word for name, value in named.items() if value for word in _words_of(name, value)]
    words += [word for name, value in labels for word in _words_of(name, value)]
    words += [f"is={state}" for state in is_]
    return " ".join(dict.fromkeys(words))


@lru_cache(maxsize=16_384)
def _words_of(name: str, value: str) -> list[str]:
    """The words of one value; the same few values come in ever new sets."""
    return tag_words(name, value)
