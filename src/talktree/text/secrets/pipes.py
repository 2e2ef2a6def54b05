"""Passwords that are piped into a program: `echo …

chpasswd`, `echo …

sudo -S`.
"""

from __future__ import annotations

import re

from talktree.text.secrets.quoting import WrittenValue

CHPASSWD = b"chpasswd"
_FAR = 300
_SAID = rb"(?:echo|printf)[ \t]+(?:-\w+[ \t]+)?\\{0,7}[\"']?"
_END = rb"(?:\\n)?\\{0,7}[\"']?[ \t]*\|"
_PIPED = re.compile(
    _SAID
    + rb"[\w.-]{1,64}:([^\s\"'\\|:]{4,128})"
    + _END
    + rb"[ \t]*(?:sudo[ \t]+)?(?:/usr/sbin/)?\Z"
)
_LOGIN = re.compile(_SAID + rb"([^\s\"'\\|$]{4,128})" + _END + rb"[^|\n]{1,160}\Z")
_STORED = re.compile(
    _SAID
    + rb"([^\s\"'\\|$]{4,4096})"
    + _END
    + rb"[^|\n]{1,60}\bsecrets?[ \t]+(?:put|set|create|add|versions[ \t]+add)[ \t]+[^|\n]{0,60}\Z"
)
"""`echo … | wrangler secret put NAME`."""
_SUDO = re.compile(
    _SAID + rb"([^\s\"'\\|$]{4,128})" + _END + rb"[ \t]*sudo(?:[ \t]+-[A-Za-z]\S{0,20}){0,3}\Z"
)


def find_piped_password(data: bytes, start: int, name: bytes) -> WrittenValue | None:
    """Return the password that is piped into a program or an option with such a name."""
    near = data[max(0, start - _FAR) : start]
    if name.endswith(b"password-stdin"):
        return _make_written(_LOGIN.search(near), start - len(near))
    piped = _PIPED if name == CHPASSWD else _STORED
    return _make_written(piped.search(near), start - len(near)) if b"|" in near else None


def find_sudo_password(near: bytes, offset: int) -> WrittenValue | None:
    """Return the password that is piped into `sudo`, from the text before its option."""
    return _make_written(_SUDO.search(near), offset)


def _make_written(sign: re.Match[bytes] | None, offset: int) -> WrittenValue | None:
    if sign is None:
        return None
    start, stop = (offset + at for at in sign.span(1))
    return WrittenValue(start, stop, sign.group(1), True, stop)
