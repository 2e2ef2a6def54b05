"""Passwords in sentences of other languages whose word for it has non-ASCII letters."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from talktree.text.secrets.patterns import NAMED_PASSWORD, Found
from talktree.text.secrets.values import Value, is_cased, is_mixed, is_password

_NAMES = (
    *("парол[ьяеюи]?м?", "密码", "密碼", "口令", "パスワード", "暗証番号", "비밀번호", "암호"),
    *(
        "contrase[ñn]as?",
        r"parola d['’]ordine",
        r"\bclave(?: de acceso)?",
        "hasł[oaeu]m?",
        "lösenord(?:et)?",
        "şifre(?:niz|si)?",
        "mật khẩu",
        "รหัสผ่าน",
    ),
    *(
        "κωδικός(?: πρόσβασης)?",
        "jelszó",
        "пароля",
        "कूटशब्द",
        "סיסמה",
        "كلمة (?:ال)?مرور",
        "كلمة السر",
        "parol[aăeă]",
    ),
    r"\b(?:heslo|salasana|adgangskoden?|kodeord(?:et)?|lozinka|parool)",
)
_WRITTEN = (
    "\u043f\u0430\u0440\u043e\u043b\u044c",
    "\u5bc6\u7801",
    "\u5bc6\u78bc",
    "has\u0142o",
    "contrase\u00f1a",
)
_NAME = re.compile(
    "|".join(
        (
            *_NAMES,
            *(
                re.escape(json.dumps(word)[1:-1])
                for word in (
                    *_WRITTEN,
                    "\u30d1\u30b9\u30ef\u30fc\u30c9",
                    "\u041f\u0430\u0440\u043e\u043b\u044c",
                )
            ),
        )
    ),
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"[*_`\"'»”）)]{0,3}(?P<words>[^\n:：=＝!-~]{0,24}?(?:[ \t]+[\w.@'-]{1,30}){0,5}?)"
    r"[ \t　]*(?P<sign>[:：=＝]|[—–-](?=\s)|是|为|為|は|が|이|는|은|это|es|est"
    r"|to|är|er|je|on|este|è|é|היא|הוא|هي|\bis\b|)"
    r"[ \t　]*[*_]{0,2}(?P<quote>[\"'`«“”„「『《]?)[ \t]?"
    r"(?P<value>[^\s\"'`«»“”„「」『』《》|\\]{4,128})",
)
_SIGNS: tuple[str, ...] = (
    "парол",
    "Парол",
    "密码",
    "密碼",
    "口令",
    "パスワ",
    "暗証",
    "비밀번호",
    "암호",
    "has\u0142o",
    "has\u0142a",
)
_SIGNS += ("l\xf6senord", "\u015fifre", "jelsz\xf3", "m\u1eadt kh", "κωδικ", "รหัส")
_SIGNS += ("\u05e1\u05d9\u05e1\u05de\u05d4",)
_SIGNS += (
    "\u0643\u0644\u0645\u0629 \u0627\u0644",
    "parol\u0103",
)
_SIGNS += ("contrase\xf1a", "Contrase\xf1a", "parola d\u2019ordine")
_ASCII: tuple[bytes, ...] = (b"parola d'ordine", b"clave es", b"clave: ", b"clave de")
_ASCII += (b"heslo", b"alasana", b"dgangskode", b"odeord", b"arola", b"ozinka")
_PLAIN = tuple(word.encode() for word in _SIGNS)
_ESCAPED = tuple(json.dumps(word)[1:-1].encode() for word in _SIGNS)


def _find_rare_part(word: bytes) -> int:
    """Return the offset of four bytes of a name that are rare in other words."""
    if b"\\u" in word:
        return word.find(b"\\u") + 2
    if b"'" in word:
        return word.find(b"'") - 1
    first = next((at for at, byte in enumerate(word) if byte > 127), 0)
    return max(0, min(first - 1, len(word) - 4))


NAMES = tuple((word, _find_rare_part(word)) for word in (*_ASCII, *_PLAIN, *_ESCAPED))
"""The beginnings of such names, each with the offset of four bytes that are rare in other words."""
_NAMES_BY_STEM: dict[bytes, list[tuple[int, bytes]]] = {}
for _word, _at in NAMES:
    _NAMES_BY_STEM.setdefault(_word[_at : _at + 4], []).append((_at, _word))


def _find_non_ascii(word: bytes) -> int:
    return next(at for at, byte in enumerate(word) if byte > 127)


_BEFORE = {
    word[_find_non_ascii(word) :][:4]: _find_non_ascii(word) - _find_rare_part(word)
    for word in _PLAIN
}
"""The bytes after the ASCII letters of a name, and how far before that its four bytes begin."""
_BEYOND_ASCII = re.compile(b"|".join(map(re.escape, _BEFORE)))
_BY_NUMBER = re.compile(
    rb"\\u(%b)" % b"|".join(sorted({word[_find_rare_part(word) :][:4] for word in _ESCAPED}))
)


_GATE = tuple(
    dict.fromkeys(
        (
            *(sign.lower() for sign in _SIGNS),
            *("\u0915\u0942\u091f", "contrase\xf1", "\u015f"),
            *("clave es", "clave: ", "clave de", "parola", "heslo", "salasana", "adgangskode"),
            *("kodeord", "lozinka", "parool"),
        )
    )
)
"""Every text with such a name contains one of these."""


def is_name_at(raw: bytes, hit: int) -> bool:
    """Whether such a name has its four bytes here."""
    names = _NAMES_BY_STEM.get(raw[hit : hit + 4], ())
    return any(hit >= at and raw.startswith(word, hit - at) for at, word in names)


def find_name_places(raw: bytes) -> Iterator[int]:
    """Return where the four bytes of such names are."""
    for sign in _ASCII:
        at = raw.find(sign)
        while at >= 0:
            yield at + _find_rare_part(sign)
            at = raw.find(sign, at + 1)
    for found in _BY_NUMBER.finditer(raw):
        yield found.start(1)
    if not raw.isascii():
        for found in _BEYOND_ASCII.finditer(raw):
            yield found.start() - _BEFORE[found.group()]


def find_foreign_passwords(text: str) -> Iterator[Found]:
    """Return the passwords in a text whose names contain non-ASCII letters."""
    if "\\u" not in text:
        low = text.lower()
        if not any(sign in low for sign in _GATE):
            return
    for name in _NAME.finditer(text):
        found = _VALUE.match(text, name.end(), name.end() + 260)
        if found is None:
            continue
        value = found["value"].rstrip(".,;:!?)]}'\"`*")
        raw = value.encode("ascii", "replace")
        if not found["sign"] and not (is_mixed(raw) and any(map(str.isdigit, value))):
            continue
        worded = found["sign"] not in ("", "—", "–", "-") and _is_alone(text, found, value)
        sure = is_mixed(raw) or is_cased(raw) or _is_mixed(value) or worded
        foreign_letters = not value.isascii() and _is_mixed(value)
        real = is_password(Value(raw, bool(found["quote"]), True, sure=worded))
        if foreign_letters or (sure and real):
            start = found.start("value")
            yield NAMED_PASSWORD, start, start + len(value), "a password"


def _is_mixed(value: str) -> bool:
    """Whether letters of any alphabet and digits are mixed."""
    letters = any(each.isalpha() for each in value)
    return len(value) >= 6 and letters and any("0" <= each <= "9" for each in value)


def _is_alone(text: str, found: re.Match[str], value: str) -> bool:
    """Whether one ASCII word is everything that follows the name of a password on its line."""
    if not value.isascii() or not value.isalpha() or value.lower() in _NO_VALUES:
        return False
    if found["words"].strip(" \t") and not found["quote"]:
        return False
    return _LINE_END.match(text, found.end("value")) is not None


_LINE_END = re.compile(r"[\"'`»“”」』》*_.]{0,3}[ \t]*(?:[\r\n]|\Z)")
_NO_VALUES = frozenset(
    [
        "obbligatoria",
        "obbligatorio",
        "obrigatoria",
        "requerida",
        "obligatoria",
        "requise",
        "obligatoire",
        "richiesta",
        "errata",
        "necessaria",
        "incorrecta",
        "incorrecto",
        "invalida",
        "invalido",
        "olvidada",
        "dimenticata",
        "lipsa",
        "gresita",
        "string",
        "text",
        "pakollinen",
        "puuttuu",
        "vaadittu",
        "kreves",
        "mangler",
        "forkert",
        "ugyldig",
        "glemt",
        "saknas",
        "felaktigt",
        "krav",
        "required",
        "missing",
        "wrong",
        "hidden",
        "vergessen",
        "erforderlich",
        "falsch",
        "prazdne",
        "spatne",
        "chybi",
        "neplatne",
    ]
)
"""Words about passwords in messages of these languages."""
