"""Keys, tokens and passwords in a text: where they are, and the text without them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from talktree.text.numpy_scan import is_worth
from talktree.text.secrets.finds import by_name, suspects
from talktree.text.secrets.glued import glued
from talktree.text.secrets.languages import foreign
from talktree.text.secrets.named_values import value_named
from talktree.text.secrets.numpy_prefilter import may_tell_inside
from talktree.text.secrets.patterns import Found
from talktree.text.secrets.plain_views import views
from talktree.text.secrets.tokens import SHORTEST, passwords, private_keys, tokens

LONGEST_NAMED = 1 << 14
_KEY_BEGINS = b"-----BEGIN"


class Secret(NamedTuple):
    """A secret, and where in the text it is."""

    kind: str
    """One of the kinds of `secret_kinds`."""
    start: int
    stop: int
    what: str = "a secret"
    """Whose it is, in words."""


Put = Callable[[Secret, str], str]
"""From a secret and its text to what is put in its place."""


def secrets_in(text: str, *, name: str | None = None) -> Iterator[Secret]:
    """The secrets in a text, in order; a name says what the text as a whole is the value of."""
    # Every character becomes one byte, so places stay what they are; no key has others.
    data = text.replace("…", "\0").encode("ascii", "replace")
    found = [*_everything(data), *foreign(text)]
    for view in views(data):
        found += (
            (kind, *view.span(start, stop), what)
            for kind, start, stop, what in _everything(view.data)
        )
    if name is not None and len(data) <= LONGEST_NAMED:
        found += value_named(data, name.encode("ascii", "replace"))
    return _apart(found)


def found_in(raw: bytes) -> list[Found]:
    """The secrets in bytes that are known by their form, be they a text or JSON that holds texts;
    some may overlap. Those that are known by names have to be looked for in the texts."""
    if not is_worth(len(raw), secrets=True):
        return [*_found(raw), *glued(raw)]
    runs, dashes = may_tell_inside(raw)
    return [*_found(raw, runs), *glued(raw, dashes)]


def may_hold_secrets(raw: bytes) -> bool:
    """Whether there may be a secret in bytes, be they a text or JSON that holds texts."""
    return bool(found_in(raw)) or any(True for _ in suspects(raw))


def may_be_among(data: bytes, runs: list[int]) -> bool:
    """Whether there may be a secret in any of the texts that stand here behind each other; if so,
    each of them has to be asked. Where long runs start in them is known."""
    if tokens(data, runs):
        return True
    # Where one private key begins and another ends, they would seem to be one.
    others = (_passwords(data), glued(data), suspects(data))
    return _begins_key(data) or any(True for look in others for _ in look)


def without_secrets(
    text: str, put: Callable[[Secret, str], str], *, name: str | None = None
) -> str:
    """The text with something else put for each secret; the same text if there is none."""
    out: list[str] = []
    at = 0
    for secret in secrets_in(text, name=name):
        out += (text[at : secret.start], put(secret, text[secret.start : secret.stop]))
        at = secret.stop
    return "".join((*out, text[at:])) if out else text


def masked(text: str) -> str:
    """A text of the same length with its secrets made stars, but for how long ones start."""
    return without_secrets(text, _stars)


def _stars(secret: Secret, text: str) -> str:
    shown = 4 if len(text) >= SHORTEST else 0
    return text[:shown] + "*" * (len(text) - shown)


def brief(secret: str) -> str:
    """A secret as people may see it, to know which one is meant: how a long one starts and ends."""
    return f"{secret[:4]}…{secret[-2:]}" if len(secret) >= SHORTEST else "…"


def _found(data: bytes, runs: list[int] | None = None) -> list[Found]:
    found = tokens(data, runs) if len(data) >= SHORTEST else []
    if _begins_key(data):
        found += private_keys(data)
    found += _passwords(data)
    return found


def _everything(data: bytes) -> Iterator[Found]:
    yield from _found(data)
    yield from glued(data)
    yield from by_name(data)


def _begins_key(data: bytes) -> bool:
    # From the end it is looked for by its first byte, which most texts have little of.
    return data.rfind(_KEY_BEGINS) >= 0


def _passwords(data: bytes) -> Iterable[Found]:
    return passwords(data) if b"@" in data else ()


def _apart(found: list[Found]) -> Iterator[Secret]:
    """In order; of those that overlap the first and longest counts."""
    at = 0
    for kind, start, stop, what in sorted(found, key=lambda each: (each[1], -each[2])):
        if start >= at:
            yield Secret(kind, start, stop, what)
            at = stop
