"""Consecutive words of which the first and the last may be parts of longer words."""

from __future__ import annotations

from typing import NamedTuple

from talktree.library.fulltext.tokenizer import split_words_with_gaps


class Pattern(NamedTuple):
    """Words that follow each other; the first and the last may be open at their outer ends."""

    words: tuple[str, ...]
    whole_first: bool
    whole_last: bool

    def fits(self, found: list[str]) -> bool:
        """Whether this number of words matches."""
        if len(self.words) == 1:
            return self._fits_one(self.words[0], found[0])
        return (
            self._fits_first(found[0])
            and self._fits_last(found[-1])
            and tuple(found[1:-1]) == self.words[1:-1]
        )

    def _fits_one(self, word: str, found: str) -> bool:
        if self.whole_first:
            return found == word if self.whole_last else found.startswith(word)
        return found.endswith(word) if self.whole_last else word in found

    def _fits_first(self, found: str) -> bool:
        word = self.words[0]
        return found == word if self.whole_first else found.endswith(word)

    def _fits_last(self, found: str) -> bool:
        word = self.words[-1]
        return found == word if self.whole_last else found.startswith(word)

    def is_everything(self) -> bool:
        """Whether it matches any words."""
        return not self.words

    def is_exact_for(self, text: str) -> bool:
        """Whether a text that matches these words contains the original text of the pattern."""
        return self.words == (text,)


def make_pattern(text: str) -> Pattern:
    """Return the words of a text that contains this one.

    A word at an end of the text may be part of a longer one; adding a letter shows whether it may.
    """
    inside = split_words_with_gaps(text)
    return Pattern(
        tuple(inside),
        whole_first=split_words_with_gaps("x" + text)[:1] == ["x"],
        whole_last=split_words_with_gaps(text + "x")[-1:] == ["x"],
    )
