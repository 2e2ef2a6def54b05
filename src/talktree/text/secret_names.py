"""Values that are secret because of what they are called: `api_key = "…"`, `Bearer …`."""

from __future__ import annotations

import re

from talktree.text.randomness import is_made_up, is_random
from talktree.text.secret_kinds import AI_VENDOR_KEY, CLOUD_KEY, TOKEN

BEFORE = 72
"""How far before a value its name is looked for."""
NEAR = 16
"""How near its end must be."""
ENDS = frozenset({b"key", b"ken", b"ret", b"ord", b"swd", b"pwd", b"rer"})
"""The last three letters of all the names, to pass over others quickly."""
BETWEEN = b"\\\"'`:=> ("
_WORD = re.compile(rb"[a-z0-9_.-]{1,60}\Z")
_SECRET = (
    *(b"apikey", b"accesskey", b"secretkey", b"authkey", b"accountkey", b"masterkey"),
    *(b"signingkey", b"encryptionkey", b"privatekey", b"subscriptionkey", b"servicekey"),
    *(b"secret", b"token", b"password", b"passwd", b"pwd", b"bearer"),
)
_HARMLESS = (
    *(b"pagetoken", b"nexttoken", b"continuationtoken", b"synctoken", b"csrftoken"),
    *(b"xsrftoken", b"cancellationtoken", b"pushtoken", b"devicetoken", b"resumetoken"),
    *(b"publictoken", b"canceltoken", b"startingtoken", b"stoptoken"),
)
_AI = re.compile(
    rb"openai|anthropic|claude|gemini|mistral|cohere|together|deepseek|groq|xai|huggingface|"
    rb"replicate|perplexity|fireworks|elevenlabs|cerebras|nvidia|voyage|tavily|langsmith|"
    rb"langchain|pinecone|openrouter|moonshot|dashscope|ai21|stability|assemblyai|deepgram"
)
_CLOUD = re.compile(rb"aws|azure|accountkey|gcp|google|cloudflare|digitalocean|heroku|alibaba")
_VALUE = re.compile(rb"[A-Za-z0-9_+/=~-]{20,256}(?![A-Za-z0-9_+/=~(-]|[.\[]\w)")


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
    return bare if bare.endswith(_SECRET) and not bare.endswith(_HARMLESS) else None


def value_at(data: bytes, start: int) -> int:
    """Where the value that starts here ends, if it can only be a secret; else -1."""
    found = _VALUE.match(data, start)
    if found is None or not is_random(found.group()) or is_made_up(found.group()):
        return -1
    return found.end()


def kind_of(name: bytes) -> tuple[str, str]:
    """Which kind of secret has such a name, and what it is in words."""
    if _AI.search(name):
        return AI_VENDOR_KEY, "a key of an AI service"
    if _CLOUD.search(name):
        return CLOUD_KEY, "a cloud key"
    return TOKEN, "a token"
