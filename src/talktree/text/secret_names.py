"""Names that secrets have: what a value is because of what it is called."""

from __future__ import annotations

import re
from functools import lru_cache

from talktree.text.secret_kinds import AI_VENDOR_KEY, CLOUD_KEY, NAMED_PASSWORD, TOKEN
from talktree.text.secrets.entropy import is_made_up, is_random

BEFORE = 72
"""How far before a value its name is looked for."""
NEAR = 16
"""How near its end must be."""
ENDS = frozenset({b"key", b"ken", b"ret", b"ord", b"swd", b"pwd", b"rer"})
"""The last three letters of all the names, to pass over others quickly."""
BETWEEN = b"\\\"'`:=> ("
PASSWORDS, TOKENS, HEADERS, COOKIES = "password", "token", "authorization", "cookie"
PINS, KEYS = "pin", "key"
"""What a name says about its value."""
_WORD = re.compile(rb"[a-z0-9_.-]{1,60}\Z")
_SECRET = (
    *(b"apikey", b"accesskey", b"secretkey", b"authkey", b"accountkey", b"masterkey"),
    *(b"signingkey", b"encryptionkey", b"privatekey", b"subscriptionkey", b"servicekey"),
    *(b"appkey", b"applicationkey", b"licensekey", b"sharedkey", b"sharedaccesskey", b"rootkey"),
    *(b"storagekey", b"hmackey", b"adminkey", b"functionskey", b"integrationkey", b"ingestkey"),
    *(b"writekey", b"deploykey", b"serverkey", b"primarymasterkey", b"rolekey", b"fernetkey"),
    *(b"webhookkey", b"clientkey", b"clientkeydata", b"sshkey", b"tlskey", b"presharedkey"),
    *(b"decryptionkey", b"cookiekey", b"vaultkey", b"globalkey", b"userkey", b"restkey"),
    *(b"secret", b"token", b"bearer", b"accesstokensecret", b"secretvalue", b"authpat"),
    *(b"secretkeybase", b"tokenvalue", b"keyvalue", b"authtokens", b"encryptkey", b"decryptkey"),
    *(b"jwtkey", b"cryptokey", b"signkey", b"hashkey", b"aeskey", b"jwtsigningkey"),
)
_PASSWORD = (
    *(b"password", b"passwd", b"pwd", b"passphrase", b"passcode", b"pswd", b"passwort"),
    *(
        b"kennwort",
        b"wachtwoord",
        b"senha",
        b"motdepasse",
        b"storepass",
        b"keypass",
        b"userpass",
        b"psk",
        b"secretstring",
        b"requirepass",
        b"bindpw",
        b"passwordvalue",
        b"passwordstdin",
    ),
)
_HARMLESS = (
    *(b"pagetoken", b"nexttoken", b"continuationtoken", b"synctoken", b"csrftoken"),
    *(b"xsrftoken", b"cancellationtoken", b"pushtoken", b"devicetoken", b"resumetoken"),
    *(b"publictoken", b"canceltoken", b"startingtoken", b"stoptoken", b"eostoken", b"bostoken"),
    *(b"padtoken", b"unktoken", b"masktoken", b"septoken", b"clstoken", b"specialtoken"),
    *(b"starttoken", b"endtoken", b"markertoken", b"oldpwd", b"forgotpassword", b"nopassword"),
    *(b"changepassword", b"changepassphrase", b"resetpassphrase", b"askpassword"),
    *(b"resetpassword", b"publicapikey", b"csrfmiddlewaretoken", b"cursortoken", b"publickeytoken"),
    *(b"changetoken", b"clienttoken", b"requesttoken", b"idempotencytoken", b"locktoken"),
    *(b"paginationtoken", b"taskusertoken", b"markertoken", b"creatorrequesttoken", b"skiptoken"),
    *(b"canarytoken", b"offsettoken", b"sequencetoken", b"callbacktoken", b"tasktoken"),
    *(b"inputtoken", b"outputtoken", b"prompttoken", b"maxtoken", b"lasttoken", b"firsttoken"),
)
_PASS = re.compile(
    rb"(?:^|[_.-])(?:pass|pw)$|[a-z](?:Pass|Pw)$|^--?(?:pass|pw)$|_PASS$|^PASS$|^[A-Z]{2,12}(?<!BY)(?<!COM)(?<!SUR)PASS$|[a-z]PW$"
)
_SETTING_KEY = re.compile(
    rb"(?!(?:[A-Z0-9]+_)*(?:CACHE|PUBLIC|PUB|PUBLISHABLE|PRIMARY|FOREIGN|PARTITION|SORT|OBJECT|S3|GROUP"
    rb"|IDEMPOTENCY|DEDUPE|HASH|RANGE|LOCK|REGISTRY|SITE|ISSUE|PROJECT|BUCKET|ANON|HOST|QUERY|LOOKUP)_KEY\Z)"
    rb"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_KEY"
)
"""`STRIPE_KEY`: a key of something, which is secret only if it is drawn."""
_PIN = re.compile(rb"(?:^|[_.-])(?:pin|PIN|Pin)$|[a-z]Pin$")
_SURE = re.compile(
    rb"(?:api|secret|access|client|auth|master|private|signing|encryption)(?:key|secret)$"
)
_ACCESS_TOKEN = re.compile(rb"[_-](?:PAT|pat)$")
_SUFFIX = re.compile(
    rb"[_-]?(?:[0-9]{1,3}|(?<=[_-])(?:prod|production|dev|staging|stage|test|live|local|old|new|"
    rb"prev|previous|current|plain|raw|base64|b64|str|default|main|primary|secondary|backup))$",
    re.IGNORECASE,
)
_KEY_WORDS = frozenset(
    b"api access secret auth private account encryption signing master license app application "
    b"service subscription admin deploy storage shared root".split()
)
_AI = re.compile(
    rb"openai|anthropic|claude|gemini|mistral|cohere|together|deepseek|groq|xai|huggingface|"
    rb"replicate|perplexity|fireworks|elevenlabs|cerebras|nvidia|voyage|tavily|langsmith|"
    rb"langchain|pinecone|openrouter|moonshot|dashscope|ai21|stability|assemblyai|deepgram"
)
_CLOUD = re.compile(rb"aws|azure|accountkey|gcp|google|cloudflare|digitalocean|heroku|alibaba")
_VALUE = re.compile(rb"[A-Za-z0-9_+/=~-]{20,256}(?![A-Za-z0-9_+/=~(-]|[.\[]\w)")


@lru_cache(maxsize=4096)
def meaning(name: bytes, before: bytes = b"") -> str | None:
    """What a name says about its value, if that is secret; a word before a short name counts."""
    name = _SUFFIX.sub(b"", name)
    bare = name.lower().translate(None, b"_.-")
    if bare.endswith(_HARMLESS):
        return None
    if bare.endswith(_PASSWORD) or _PASS.search(name) or bare == b"passe":
        return PASSWORDS
    if bare.endswith(_SECRET) or _ACCESS_TOKEN.search(name):
        return TOKENS
    if bare == b"key" and before.lower() in _KEY_WORDS:
        return TOKENS
    if bare.endswith((b"authorization", b"auth")):
        return HEADERS
    if bare.endswith((b"cookie", b"cookies")):
        return COOKIES
    if bare.endswith((b"credential", b"credentials")):
        return TOKENS
    if _SETTING_KEY.fullmatch(name) is not None:
        return KEYS
    return PINS if _PIN.search(name) else None


def is_sure(name: bytes) -> bool:
    """Whether a name is one of settings and headers, which no label, type or word of code has."""
    return name.isupper() or b"-" in name or is_key_name(name)


def is_key_name(name: bytes) -> bool:
    """Whether it names a key or a secret and says of what."""
    return _SURE.search(name.lower().translate(None, b"_.-")) is not None


def named_before(data: bytes, start: int) -> bytes | None:
    """The name of a value, if it is one that secrets have."""
    near = data[max(0, start - NEAR) : start]
    bare = near.rstrip(BETWEEN)
    # Something must stand between the name and the value.
    if bare[-3:].lower() not in ENDS or len(bare) == len(near):
        return None
    tail = data[max(0, start - BEFORE) : start].rstrip(BETWEEN)
    word = _WORD.search(tail.lower())
    return None if word is None else secret_name(word.group())


def secret_name(word: bytes) -> bytes | None:
    """A name without its dashes, if it is one that secrets have."""
    bare = word.translate(None, b"_.-")
    known = bare.endswith(_SECRET) or bare.endswith(_PASSWORD)
    return bare if known and not bare.endswith(_HARMLESS) else None


def value_at(data: bytes, start: int) -> int:
    """Where the value that starts here ends, if it can only be a secret; else -1."""
    found = _VALUE.match(data, start)
    if found is None or not is_random(found.group()) or is_made_up(found.group()):
        return -1
    return found.end()


def kind_of(name: bytes) -> tuple[str, str]:
    """Which kind of secret has such a name, and what it is in words."""
    bare = name.lower().translate(None, b"_.-")
    if _AI.search(bare):
        return AI_VENDOR_KEY, "a key of an AI service"
    if _CLOUD.search(bare):
        return CLOUD_KEY, "a cloud key"
    if meaning(name) in (PASSWORDS, PINS):
        return NAMED_PASSWORD, "a password"
    return TOKEN, "a token"
