"""Programming languages by name and by file suffix, and their tokens.

Patterns match text in which `&`, `<` and `>` are already escaped. A pattern has one group, a token
to highlight; its first and last characters determine its kind.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple


class Language(NamedTuple):
    """How to find the tokens of a language, and its known words."""

    pieces: re.Pattern[str]
    words: Mapping[str, str] = {}
    """Kinds of known words; lower case where the language ignores case."""
    other: str = ""
    """The kind of unknown words."""
    any_case: bool = False
    types: bool = False
    """Whether capitalized words are types."""
    across: tuple[str, ...] | None = None
    """How tokens that may span lines begin; None if any token may depend on other lines."""


_STRING = r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?'
_CHARS = r"'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'?"
_TICKS = r"`[^`\\]*+(?:\\.[^`\\]*+)*+`?"
_TRIPLE = r'"""[\s\S]*?(?:"""|\Z)|' + r"'''[\s\S]*?(?:'''|\Z)"
_NUMBER = r"(?<![\w.])\d[\w.]*+"
_WORD = r"[A-Za-z_$][A-Za-z0-9_$]*+[\w$]*+\(?"
"""Nearly all letters are in the first class, which is the fastest to match."""
_SLASHES = r"//[^\n]*+|/\*[\s\S]*?(?:\*/|\Z)"
_HASH = r"#[^\n]*+"


def _compile_pattern(*pieces: str, first: str = "") -> re.Pattern[str]:
    """Compile a pattern. Checking the first character alone quickly skips text without tokens."""
    # Digits of other scripts begin numbers as well.
    ahead = rf"(?=[A-Za-z0-9_${first}]|\d)" if first else ""
    return re.compile(f"{ahead}({'|'.join(pieces)})", re.MULTILINE)


def _map_word_kinds(keywords: str, builtins: str = "", types: str = "") -> dict[str, str]:
    kinds = (("builtin", builtins), ("type", types), ("keyword", keywords))
    return {word: kind for kind, words in kinds for word in words.split()}


_VALUES = "true false null none nil undefined True False None NaN self this super"
_C = (
    "if else for while do switch case break continue return goto default struct enum union "
    "class interface public private protected static const final new delete try catch throw "
    "throws finally import package using namespace template typename virtual override abstract "
    "extends implements func fn let mut pub impl trait match use mod crate type var val fun "
    "when object data sealed async await yield defer go chan select range map make where dyn "
    "ref move unsafe extern sizeof volatile inline typedef auto operator friend explicit "
    "instanceof in is as out guard init module"
)
_TYPES = (
    "int float double char bool boolean byte short long void string str String usize isize u8 "
    "u16 u32 u64 i8 i16 i32 i64 f32 f64 error any rune uint unsigned signed size_t"
)
_SCRIPT = (
    "if else for while do switch case break continue return default class interface public "
    "private protected static const let var new delete try catch throw finally import export "
    "from as extends implements function async await yield of in instanceof typeof void type "
    "enum namespace declare abstract readonly get set keyof infer satisfies"
)
_PYTHON = (
    "and as assert async await break case class continue def del elif else except finally for "
    "from global if import in is lambda match nonlocal not or pass raise return try while with "
    "yield"
)
_PYTHON_BUILT_IN = (
    "print len range str int float bool list dict set tuple open isinstance enumerate zip map "
    "filter sorted reversed sum min max any all super type object repr iter next getattr "
    "setattr hasattr"
)
_SHELL = (
    "if then else elif fi for while until do done case esac function in return exit local "
    "export set unset shift source eval exec trap select time"
)
_SHELL_BUILT_IN = (
    "echo cd ls cat grep sed awk find rm cp mv mkdir touch chmod git npm npx node python "
    "python3 pip curl make docker sudo head tail sort uniq wc xargs test printf read pwd kill "
    "ssh tar which uv cargo"
)
_SQL = (
    "select from where insert into values update set delete create table view index drop alter "
    "add column primary key foreign references join left right inner outer full on group by "
    "order having limit offset union all distinct as and or not in is null like between exists "
    "case when then else end with recursive begin commit rollback default unique constraint if "
    "asc desc using returning"
)
_RUBY = (
    "def end class module if elsif else unless while until for in do begin rescue ensure return "
    "yield case when then self nil true false and or not require require_relative attr_accessor "
    "attr_reader puts lambda proc raise loop new function local foreach echo public private "
    "protected static use namespace fn extends implements"
)

_CURLY = Language(
    _compile_pattern(_WORD, _SLASHES, _STRING, _CHARS, _NUMBER, r"@\w+",
             r"#(?:include|define|ifdef|ifndef|if|endif|else|pragma)\b", first="/\"'#@"),
    _map_word_kinds(_C, _VALUES, _TYPES), types=True, across=("/*",),
)  # fmt: skip
_JAVASCRIPT = Language(
    _compile_pattern(_WORD, _SLASHES, _STRING, _CHARS, _TICKS, _NUMBER, r"@\w+", first="/\"'`@"),
    _map_word_kinds(_SCRIPT, _VALUES, "string number boolean unknown never object symbol bigint"),
    types=True,
    across=("/*", "`"),
)
_PY = Language(
    _compile_pattern(_WORD, _HASH, _TRIPLE, _STRING, _CHARS, _NUMBER, r"@[\w.]+", first="\"'#@"),
    _map_word_kinds(_PYTHON, f"{_VALUES} {_PYTHON_BUILT_IN}"), types=True, across=('"""', "'''"),
)  # fmt: skip
_BASH = Language(
    _compile_pattern(r"(?<![^\s;(])#[^\n]*+", r'"[^"\\]*+(?:\\[\s\S][^"\\]*+)*+"?', r"'[^']*+'?",
             r"\$\{?[\w@#?*!-]+\}?", r"(?<=\s)--?[A-Za-z][\w-]*+", r"[A-Za-z_][\w-]*+"),
    _map_word_kinds(_SHELL, _SHELL_BUILT_IN),
)  # fmt: skip
_JSON = Language(
    _compile_pattern(
        r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?(?:[ \t]*:)?', _SLASHES, r"-?\d[\w.+-]*+", r"\w++"
    ),
    _map_word_kinds("", "true false null"),
    across=("/*",),
)
_YAML = Language(
    _compile_pattern(
        r"(?<!\S)#[^\n]*+", r"^[ \t]*(?:- +)*[\w./\"'-]+ ?[:=](?=\s|$)", r"^\[[^\]\n]*\]",
             _STRING, _CHARS, _NUMBER, r"[A-Za-z_]\w*+"),
    _map_word_kinds("", "true false null yes no on off"), across=(),
)  # fmt: skip
_QUERY = Language(
    _compile_pattern(r"--[^\n]*+", r"/\*[\s\S]*?(?:\*/|\Z)", _CHARS, _STRING, _NUMBER, _WORD),
    _map_word_kinds(
        _SQL, "", "int integer text varchar char real boolean date timestamp numeric serial"
    ),
    any_case=True,
    across=("/*",),
)
_MARKUP = Language(
    _compile_pattern(r"&lt;!--[\s\S]*?(?:--&gt;|\Z)", r"&lt;[/!?]?[\w:.-]+", r"[\w:@.-]+(?==)",
             r"""(?<==)"[^"]*+"?|(?<==)'[^']*+'?"""),
    other="name",
)  # fmt: skip
_STYLE = Language(
    _compile_pattern(r"/\*[\s\S]*?(?:\*/|\Z)", _STRING, _CHARS, r"#[0-9a-fA-F]{3,8}\b", r"@[\w-]+",
             r"--?[\w-]+(?=\s*:)|[\w-]+(?=\s*:\s)", r"\d[\d.]*(?:px|r?em|%|s|ms|vh|vw|fr|deg)?\b",
             r"[.#][A-Za-z_][\w-]*+", ),
    other="name",
)  # fmt: skip
_DIFF = Language(
    _compile_pattern(r"^[+-][^\n]*+", r"^@@[^\n]*+", r"^(?:diff|index) [^\n]*+"), across=()
)
_RB = Language(
    _compile_pattern(_HASH, _SLASHES, _STRING, _CHARS, _NUMBER, r"[$@:]\w+", _WORD),
    _map_word_kinds(_RUBY, _VALUES), types=True, across=("/*",),
)  # fmt: skip

_NAMES: tuple[tuple[Language, str], ...] = (
    (_CURLY, "c h cpp c++ cc hpp cxx java cs csharp c# go golang rust rs kotlin kt kts swift scala "
             "dart proto zig objc m groovy gradle solidity sol"),
    (_JAVASCRIPT, "javascript js mjs cjs jsx typescript ts mts tsx vue svelte react"),
    (_PY, "python py python3 py3 pyi pycon ipython"),
    (_BASH, "bash sh shell zsh console shellsession fish dockerfile makefile make mk"),
    (_JSON, "json jsonc json5 jsonl ndjson ipynb geojson"),
    (_YAML, "yaml yml toml ini cfg conf properties env"),
    (_QUERY, "sql sqlite postgres postgresql mysql psql"),
    (_MARKUP, "html xml htm svg xhtml rss plist xsd wsdl"),
    (_STYLE, "css scss less sass"),
    (_DIFF, "diff patch"),
    (_RB, "ruby rb php perl pl elixir ex exs r lua"),
)  # fmt: skip
CLOSING = {"/*": "*/"}
"""The end of tokens that do not end as they begin."""
LANGUAGES: dict[str, Language] = {
    name: language for language, names in _NAMES for name in names.split()
}
PLAIN = frozenset(
    {"", "text", "txt", "plain", "plaintext", "output", "log", "none", "md", "markdown"}
)


def find_language(path: str) -> str:
    """Return the language of a file by its name."""
    name = path.replace("\\", "/").rpartition("/")[2].lower()
    return name.rpartition(".")[2] if "." in name else name if name in LANGUAGES else ""
