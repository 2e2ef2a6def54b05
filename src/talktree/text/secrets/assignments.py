"""Values that are assigned to names: `NAME=value`, `name: value`, `--name value`."""

from __future__ import annotations

import re
from typing import NamedTuple

from talktree.text.secrets.arguments import unwrapped
from talktree.text.secrets.patterns import KEYS, PASSWORDS, PINS, Found, find_kind, is_sure
from talktree.text.secrets.placeholders import is_placeholder
from talktree.text.secrets.quoting import WrittenValue, read_line, read_value
from talktree.text.secrets.setting_lines import is_strong
from talktree.text.secrets.values import Value, is_drawn, is_mixed, is_password, is_pin, is_token

_SEPARATOR = re.compile(
    rb"(?P<quote>\\{0,7}[\"'`]|&quot;|\*\*)?(?:[\])]|\[[0-9]{0,5}\])?(?P<space>[ \t]{0,16})"
    rb"(?:\{ ?(?:get|set|init)[^{}\n]{0,40}\}[ \t]{0,4})?"
    rb"(?P<sign>:=|=>|\|\|=|\?\?=|\?=|(?<![ \t])\{(?=\\{0,7}\")|===?(?=[ \t]{0,4}\\{0,7}[\"'`])|=|:"
    rb"|(?:\|\||\?\?)(?=[ \t]{0,4}[\"'`]))(?![=:>~])(?P<marks>\*\*)?"
    rb"(?P<after>(?<=:)\s{1,40}(?=\\{0,7}\")|[ \t]{0,16})"
)
_TYPED = re.compile(
    rb"[A-Za-z_&][\w.\[\]<>|?&' ]{0,40}?[ \t]*=[ \t]*(?=\(?\s{0,20}[brfuBRFU]?\\{0,7}[\"'`])"
)
_OPTION = re.compile(rb"(?:=|[ \t]{1,4}|\\{0,7}[\"'],[ \t\n]{0,20}(?=\\{0,7}[\"']))")
_YAML_LINE = re.compile(
    rb"(?:\A|(?:^|\n)(?:[ \t]*[0-9]{1,6}\t)?[ \t]*(?:- )?[\w.-]{1,40}:"
    rb"(?:[ \t][^\n{}(),;]{0,80})?\r?\n)(?:[ \t]*[0-9]{1,6}\t)?[ \t]*\Z"
)
"""A line of YAML before that of a name."""
_SECTION = re.compile(rb"(?:^|\n)[ \t]*\[[\w. \"-]{1,40}\][ \t]*\r?\n")
_IDENTIFIERS = re.compile(rb"[A-Za-z_]+")
_MORE = re.compile(rb"[ \t]*(?:[#;][^\n]*)?(?:\r?\n|\Z|\\[nr]|\\{0,7}\"[ \t]*[,}\]])")
_ARN = re.compile(rb"arn:[\w-]{1,20}:secretsmanager:[\w-]{0,30}:[0-9]{0,14}:\Z")
"""The text before the name of an AWS secret, which is not secret itself."""
_WORD = re.compile(rb"[A-Za-z_]\w*")
_ARGUMENT_BEFORE = re.compile(rb"[(\[{,]\s{0,40}\Z")
_ARGUMENT_BEHIND = re.compile(rb"[ \t]*(?:[,)}\](.]|\r?\n[ \t]*[)}\]])")
"""The text after arguments of calls, whose values are names."""
_LINE_START = re.compile(
    rb"(?:\A|[\r\n]|\\[nr]|[\"'])(?:[ \t]*[0-9]{1,6}(?:\t|\?|[|:]))?[ \t>+*|-]{0,40}"
    rb"(?:(?:export|set|env|ENV|SET)[ \t]+)?[\"'*`]{0,2}\Z"
)
"""The text before a name at the start of a line."""
_TYPE_NAME = re.compile(
    rb"(?:[A-Z]\w*)?(?:Buffer|Array|Secret|Password|Token|Value|Option|Optional|Model|Schema|Props"
    rb"|Config|Char|Enum|Param|Key|Hasher|Credentials?|Ref|Like|View|Data|Function|Callback|Any"
    rb"|Object|Number|Boolean|Bool|Int|Integer|Self|Maybe|List|Dict|Map|Set|Promise|Date|Bytes|Text"
    rb"|Varchar|Nullable|Literal|Annotated|Column|Prop|State|Signal|Item|Info|Error|Result|Provider)"
)
_PHRASE_END = re.compile(rb"(?:[ \t]+[\w!?*&+.'-]{1,24}){1,7}[ \t]*(?=\r?\n|\Z|\\n)")
_COMMANDS = frozenset(
    b"psql mysql mysqldump pg_dump pg_restore make npm npx yarn pnpm node python python3 pytest "
    b"docker "
    b"podman kubectl helm cargo go ruby rails rake php java mvn gradle bash sh env sudo ssh "
    b"sshpass "
    b"rsync curl wget git restic borg terraform ansible just uv poetry pip sqlplus redis-cli "
    b"mongosh "
    b"deno bun dotnet and is was or in for with to from on at as by".split()
)
_OPTION_END = re.compile(rb"[ \t]*(?:[\r\n|&;\\\"'`]|\Z)|[ \t]+--?[A-Za-z]")
_NO_VALUE = frozenset(
    b"and or is to with for as in on of the a an flag flags option options argument switch "
    b"parameter "
    b"prompt value values when if but not can must should may from by via only also because".split()
)
"""Words after an option in a sentence."""


class SecretName(NamedTuple):
    """A name in a text."""

    text: bytes
    start: int
    end: int
    means: str
    before: bytes
    """The byte before it."""


def make_named_secret(name: SecretName, written: WrittenValue) -> Found:
    """Return a value as a secret of the kind that its name indicates."""
    kind, what = find_kind(name.text)
    return kind, written.start, written.stop, what


def judge_value(
    name: SecretName, written: WrittenValue | None, *, setting: bool = False, sure: bool = False
) -> Found | None:
    """Return a value as a secret if it is one with such a name."""
    if written is None:
        return None
    value = Value(written.text, written.quoted, setting, sure)
    if name.text.lower() == b"pass" and (b" " in value.text or value.text.isalpha()):
        return None
    real = is_secret(name.means, value)
    if not real and name.text.lower().endswith(b"-data"):
        real = len(written.text) > 100
    return make_named_secret(name, written) if real else None


def is_secret(means: str, value: Value) -> bool:
    """Whether a value is a secret because of its name."""
    if means == PINS:
        return is_pin(value)
    if means == KEYS:
        return is_drawn(value.text) and is_token(value)
    return is_password(value) if means == PASSWORDS else is_token(value)


def find_option_value(data: bytes, name: SecretName) -> Found | None:
    """Return the value in `--password VALUE`, also as words of a list."""
    if not name.text.startswith(b"-"):
        return None
    sign = _OPTION.match(data, name.end)
    if sign is None or data[sign.end() : sign.end() + 1] == b"-":
        return None
    written = cut_off(data, read_value(data, sign.end()), b"")
    sure = written is not None and _is_given(data, written, joined=sign.group() == b"=")
    if written is not None and b"," in sign.group() and b" " in written.text:
        sure = False
    return judge_value(name, written, setting=True, sure=sure)


def _is_given(data: bytes, written: WrittenValue, *, joined: bool) -> bool:
    """Whether the text after an option is its value, and not the rest of a sentence about it."""
    # Help texts write capitals for the value of an option.
    if written.text.isupper():
        return False
    if joined or not written.text.isalpha():
        return True
    if written.text.lower() in _NO_VALUE:
        return False
    return not written.text.islower() or _OPTION_END.match(data, written.end) is not None


def find_assigned_value(data: bytes, name: SecretName) -> Found | None:
    """Return the value in `NAME=value`, `"name": "value"` and similar syntax of settings and
    code."""
    sign = _SEPARATOR.match(data, name.end)
    if sign is None:
        return None
    at = sign.end()
    if name.text.lower() == b"secret" and _ARN.search(data, max(0, name.start - 80), name.start):
        return None
    if name.before == b"{" and data[name.start - 2 : name.start - 1] == b"$":
        return None
    typed = _TYPED.match(data, at) if sign["sign"] == b":" else None
    if typed is not None:
        at = typed.end()
    written = read_value(data, unwrapped(data, at))
    if sign["sign"].startswith(b"==") and (written is None or not is_strong(written.text)):
        # A compared value is nearly always the name of a type or a state.
        return None
    if sign["space"] and name.text == b"pass" and not (written and is_strong(written.text)):
        return None
    tight = sign["sign"] == b"=" and not sign["space"] and not sign["after"]
    if written is None or written.quoted:
        sure = name.means == PASSWORDS or is_sure(name.text)
        return judge_value(name, written, setting=tight and name.text.isupper(), sure=sure)
    if tight:
        return _find_tight_value(data, name, written)
    return _find_line_value(data, name, written, sign)


def _find_tight_value(data: bytes, name: SecretName, written: WrittenValue) -> Found | None:
    """Return the value in `NAME=value` without spaces: settings, commands, connection strings,
    addresses."""
    upper = not any(97 <= byte <= 122 for byte in name.text)
    if name.before in (b"?", b"&"):
        cut = cut_off(data, written, b"&")
    elif upper:
        cut = cut_off(data, written, b"")
    else:
        cut = cut_off(data, written, b";,)&")
    if cut is None:
        return None
    if upper and name.means == PASSWORDS and (phrase := _find_phrase(data, name, cut)) is not None:
        return phrase
    # A value before a comma or a parenthesis is an argument in code.
    setting = upper or data[cut.stop : cut.stop + 1] not in (b",", b")", b"}", b"]", b"(")
    # A secret in an address has a shorter name than others.
    certain = name.means == PASSWORDS or is_sure(name.text) or name.before in (b"?", b"&")
    sure = setting and certain and (upper or not _is_argument(data, name, cut))
    return judge_value(name, cut, setting=setting, sure=sure)


def _is_argument(data: bytes, name: SecretName, cut: WrittenValue) -> bool:
    """Whether a value looks like a name in the arguments of a call."""
    if _WORD.fullmatch(cut.text) is None:
        return False
    if _ARGUMENT_BEHIND.match(data, cut.stop) is not None:
        return True
    if data[cut.stop : cut.stop + 1] == b";" and name.before != b";":
        return True
    return _ARGUMENT_BEFORE.search(data, max(0, name.start - 48), name.start) is not None


def _find_phrase(data: bytes, name: SecretName, cut: WrittenValue) -> Found | None:
    """Return the value in `PASSPHRASE=<several words>`, which settings files write without
    quotes."""
    rest = _PHRASE_END.match(data, cut.stop)
    if rest is None or not cut.text.isalnum() or not _is_line_start(data, name):
        return None
    words = rest.group().split()
    if words[0].lower() in _COMMANDS or not all(word[:1].isalnum() for word in words):
        return None
    if is_placeholder(cut.text + rest.group()) or not any(word.isalpha() for word in words):
        return None
    stop = rest.start() + len(rest.group().rstrip())
    return make_named_secret(
        name, WrittenValue(cut.start, stop, data[cut.start : stop], False, stop)
    )


def _is_line_start(data: bytes, name: SecretName) -> bool:
    return _LINE_START.search(data, max(0, name.start - 60), name.start) is not None


def _find_line_value(
    data: bytes, name: SecretName, written: WrittenValue, sign: re.Match[bytes]
) -> Found | None:
    """Return the value in `name: value` and `name = value`, as lines of settings and in
    sentences."""
    stops = b",;)" if sign["sign"] == b":" else b",;"
    # Between the braces of an object in code, such a value is only a name.
    cut = cut_off(data, written, stops if sign["after"] or name.before != b"{" else stops + b"}")
    if cut is None:
        return None
    whole = _MORE.match(data, cut.stop) is not None
    if _is_header(data, name, cut, sign):
        return judge_value(name, cut, setting=True, sure=True)
    if sign["sign"] == b":" and _is_configured(data, name, cut, whole=whole):
        return judge_value(name, cut, setting=True, sure=True)
    if sign["quote"] and cut.text.isdigit() and name.means == PASSWORDS:
        return judge_value(name, cut, setting=True)
    if not whole and name.means == PASSWORDS and sign["sign"] == b":":
        line = read_line(data, cut.start)
        if line is not None and _is_spaced_password(line.text):
            return make_named_secret(name, line)
    setting = whole
    if whole and sign["sign"] == b":" and data[cut.stop : cut.stop + 1] == b";":
        # The type of a field in TypeScript ends like this.
        return judge_value(name, cut)
    if whole and name.means == PASSWORDS and cut.text.islower():
        near = max(0, name.start - 200)
        if _YAML_LINE.search(data, near, name.start) is not None:
            return judge_value(name, cut, setting=True, sure=True)
    if whole and sign["sign"] != b":":
        setting = _SECTION.search(data, max(0, name.start - 400), name.start) is not None
        setting = setting or _IDENTIFIERS.fullmatch(cut.text) is None
    if whole and not setting and name.text.lower().endswith(b"secret"):
        setting = is_strong(cut.text) and not cut.text.isalnum()
    sure = name.means == PASSWORDS or name.text.isupper() or name.text.lower().endswith(b"secret")
    certain = setting and name.text.isupper() and b"_" in name.text
    return judge_value(name, cut, setting=setting and sure, sure=certain and sign["sign"] == b":")


def _is_configured(data: bytes, name: SecretName, cut: WrittenValue, *, whole: bool) -> bool:
    """Whether a line starts with the name, and its value is not a type or the beginning of a
    sentence."""
    behind = data[cut.stop : cut.stop + 1]
    if behind in (b";", b",", b")", b"(", b"}") or not _is_line_start(data, name):
        return False
    digits = any(48 <= byte <= 57 for byte in cut.text)
    if name.means == PASSWORDS:
        if name.text.lower() == b"pass":
            return False
        if cut.text.isdigit() or (digits and is_mixed(cut.text)):
            return len(cut.text) >= 5 or whole
        # A word is a type if it has several capitals, or is the name of one.
        return whole and cut.text.istitle() and _TYPE_NAME.fullmatch(cut.text) is None
    return whole and digits and cut.text.isalnum() and is_sure(name.text)


def _is_header(data: bytes, name: SecretName, cut: WrittenValue, sign: re.Match[bytes]) -> bool:
    """Whether it is a whole line like `X-Api-Key: …`, or everything in quotes."""
    if b"-" not in name.text or sign["sign"] != b":" or sign["quote"] or sign["space"]:
        return False
    behind = data[cut.stop : cut.stop + 1]
    if is_mixed(cut.text) and any(48 <= byte <= 57 for byte in cut.text):
        # Words of a sentence have no digits, so words may follow.
        return behind in (b"", b" ", b"\r", b"\n", b"'", b'"', b"\\", b"`")
    if name.before in (b"'", b'"'):
        return behind == name.before
    # Words need the capitals of headers, since YAML writes settings like that.
    worded = cut.text.isalpha() and name.text.islower() and not name.text.startswith(b"x-")
    return not worded and (behind in (b"", b"\r", b"\n") or data.startswith(b"\\n", cut.stop))


def _is_spaced_password(text: bytes) -> bool:
    """Whether the rest of a line is a passphrase: several lower-case words, and not a sentence."""
    words = text.split()
    small = all(word.isalpha() and word.islower() for word in words)
    return len(words) > 1 and small and is_password(Value(text, quoted=True, setting=True))


def cut_off(data: bytes, written: WrittenValue | None, stops: bytes) -> WrittenValue | None:
    """Return a bare value without the text after it."""
    if written is None or written.quoted:
        return written
    text = written.text
    for stop in stops:
        text = text.partition(bytes((stop,)))[0]
    text = text.rstrip(b".,;:") if stops else text.rstrip(b",;")
    for opening, closing in ((b"(", b")"), (b"[", b"]"), (b"{", b"}")):
        if opening not in text:
            text = text.rstrip(closing)
    if not text:
        return None
    if len(text) == len(written.text):
        return written
    if written.stop - written.start != len(written.text):
        return written
    stop = written.start + len(text)
    return WrittenValue(written.start, stop, text, False, stop)
