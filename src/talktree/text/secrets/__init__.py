"""Find keys, tokens and passwords in a text, and replace them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from talktree.text.numpy_scan import is_worth
from talktree.text.secrets.finds import find_by_name, find_suspects
from talktree.text.secrets.glued import find_glued_keys
from talktree.text.secrets.languages import find_foreign_passwords
from talktree.text.secrets.named_values import find_in_named_value
from talktree.text.secrets.numpy_prefilter import find_telling_runs_inside
from talktree.text.secrets.patterns import Found
from talktree.text.secrets.plain_views import make_views
from talktree.text.secrets.tokens import SHORTEST, find_passwords, find_private_keys, find_tokens

LONGEST_NAMED = 1 << 14
_KEY_BEGINS = b"-----BEGIN"


class Secret(NamedTuple):
    """A secret and its place in the text."""

    kind: str
    """One of the kinds in `patterns`."""
    start: int
    stop: int
    what: str = "a secret"
    """Whose secret it is, in words."""


Put = Callable[[Secret, str], str]
"""Maps a secret and its text to the replacement."""


def find_secrets(text: str, *, name: str | None = None) -> Iterator[Secret]:
    """Return the secrets in a text, in order; a name says what the whole text is the value of."""
    # Every character becomes one byte, so offsets stay the same; keys contain only ASCII.
    data = text.replace("…", "\0").encode("ascii", "replace")
    found = [*_find_everything(data), *find_foreign_passwords(text)]
    for view in make_views(data):
        found += (
            (kind, *view.span(start, stop), what)
            for kind, start, stop, what in _find_everything(view.data)
        )
    if name is not None and len(data) <= LONGEST_NAMED:
        found += find_in_named_value(data, name.encode("ascii", "replace"))
    return _drop_overlapping(found)


def find_secrets_by_form(raw: bytes) -> list[Found]:
    """Return the secrets in bytes that are known by their form; the bytes are a text, or JSON with
    texts. Some may overlap. Secrets that are known by names must be searched for in the texts."""
    if not is_worth(len(raw), secrets=True):
        return [*_find_by_form(raw), *find_glued_keys(raw)]
    runs, dashes = find_telling_runs_inside(raw)
    return [*_find_by_form(raw, runs), *find_glued_keys(raw, dashes)]


def can_hold_secrets(raw: bytes) -> bool:
    """Whether bytes may contain a secret; they are a text, or JSON with texts."""
    return bool(find_secrets_by_form(raw)) or any(True for _ in find_suspects(raw))


def can_be_among(data: bytes, runs: list[int]) -> bool:
    """Whether any of several concatenated texts may contain a secret; if so, each must be searched.
    The starts of their long runs are given."""
    if find_tokens(data, runs):
        return True
    # Where one private key begins and another ends, they would look like one.
    others = (_find_passwords(data), find_glued_keys(data), find_suspects(data))
    return _has_key_begin(data) or any(True for look in others for _ in look)


def without_secrets(
    text: str, put: Callable[[Secret, str], str], *, name: str | None = None
) -> str:
    """Return the text with each secret replaced; the same text if there is none."""
    out: list[str] = []
    at = 0
    for secret in find_secrets(text, name=name):
        out += (text[at : secret.start], put(secret, text[secret.start : secret.stop]))
        at = secret.stop
    return "".join((*out, text[at:])) if out else text


def mask_secrets(text: str) -> str:
    """Return a text of the same length with secrets as asterisks, except the beginning of long
    ones."""
    return without_secrets(text, _mask_secret)


def _mask_secret(secret: Secret, text: str) -> str:
    shown = 4 if len(text) >= SHORTEST else 0
    return text[:shown] + "*" * (len(text) - shown)


def abbreviate_secret(secret: str) -> str:
    """Return the beginning and end of a long secret, so that users recognise which one it is."""
    return f"{secret[:4]}…{secret[-2:]}" if len(secret) >= SHORTEST else "…"


def _find_by_form(data: bytes, runs: list[int] | None = None) -> list[Found]:
    found = find_tokens(data, runs) if len(data) >= SHORTEST else []
    if _has_key_begin(data):
        found += find_private_keys(data)
    found += _find_passwords(data)
    return found


def _find_everything(data: bytes) -> Iterator[Found]:
    yield from _find_by_form(data)
    yield from find_glued_keys(data)
    yield from find_by_name(data)


def _has_key_begin(data: bytes) -> bool:
    # Searched from the end by its first byte, which is rare in most texts.
    return data.rfind(_KEY_BEGINS) >= 0


def _find_passwords(data: bytes) -> Iterable[Found]:
    return find_passwords(data) if b"@" in data else ()


def _drop_overlapping(found: list[Found]) -> Iterator[Secret]:
    """Return them in order; of overlapping ones, the first and longest."""
    at = 0
    for kind, start, stop, what in sorted(found, key=lambda each: (each[1], -each[2])):
        if start >= at:
            yield Secret(kind, start, stop, what)
            at = stop
