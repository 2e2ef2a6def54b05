"""Keys and tokens that are known by how they start, and who gives them out.

Each is long enough to be found as one run of letters, digits, `-` and `_`, and the first three
characters of the run lead to its pattern. What stands behind the beginning must look drawn
(`randomness`), so a pattern need not be strict about its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

PRIVATE_KEY = "private-key"
CLOUD_KEY = "cloud-key"
AI_VENDOR_KEY = "ai-vendor-key"
VCS_TOKEN = "vcs-token"
SERVICE_TOKEN = "service-token"
PASSWORD = "password-in-url"
TOKEN = "random-token"
Found = tuple[str, int, int, str]
"""A secret: its kind, where it starts and stops, and whose it is in words."""
STARTING = 3
"""How many characters lead to a pattern."""


class Known(NamedTuple):
    """One kind of key."""

    kind: str
    what: str
    """Whose it is, in words."""
    pattern: bytes
    """Matched where the run starts; its group is what must look drawn."""

    def match(self, data: bytes, start: int) -> re.Match[bytes] | None:
        """What is such a key from here on."""
        return _compiled(self.pattern).match(data, start)


@cache
def _compiled(pattern: bytes) -> re.Pattern[bytes]:
    """Compiled when something starts like it: all of them would take long at every start."""
    return re.compile(pattern)


AWS = "an AWS access key"
Row = tuple[str, str, str]
"""What it is, how it may start, and what follows."""

_CLOUD: tuple[Row, ...] = (
    (AWS, "AKIA ASIA ABIA ACCA", r"([A-Z2-7]{16})"),
    ("a Google API key", "AIza", r"([\w-]{35})"),
    ("a Google client secret", "GOCSPX-", r"([\w-]{28})"),
    ("an Alibaba access key", "LTAI", r"([A-Za-z0-9]{16,24})"),
    ("a DigitalOcean token", "doo_v1_ dop_v1_ dor_v1_", r"([a-f0-9]{64})"),
    ("a Databricks token", "dapi", r"([a-f0-9]{32})(?:-[0-9])?"),
    ("a Heroku key", "HRKU-", r"([\w-]{36,64})"),
    ("a Pulumi token", "pul-", r"([a-f0-9]{40})"),
    ("a Netlify token", "nfp_", r"(\w{36})"),
    ("a Supabase token", "sbp_ sb_secret_", r"([\w-]{31,60})"),
    ("a PlanetScale token", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"([\w.=-]{32,64})"),
    ("a Grafana token", "glsa_ glc_", r"([\w=+/]{32,400})"),
    ("a Sentry token", "sntrys_ sntryu_", r"([\w=+/]{40,400})"),
    ("a New Relic key", "NRAK-", r"([A-Z0-9]{27})"),
    ("a Postman key", "PMAK-", r"([a-f0-9]{24}-[a-f0-9]{34})"),
    ("a 1Password token", "ops_eyJ", r"([\w=+/-]{100,2000})"),
)
_AI: tuple[Row, ...] = (
    ("an Anthropic key", "sk-ant-", r"[a-z]{2,6}[0-9]{2}-([\w-]{60,150})"),
    ("an OpenAI key", "sk-proj- sk-svcacct- sk-admin- sk-None-", r"([\w-]{36,200})"),
    ("an OpenRouter key", "sk-or-v1-", r"([a-f0-9]{48,80})"),
    ("a Langfuse key", "sk-lf-", r"([a-f0-9-]{36})"),
    ("a key of OpenAI or a service like it", "sk-", r"([A-Za-z0-9]{32,64})"),
    ("a Groq key", "gsk_", r"([A-Za-z0-9]{48,60})"),
    ("an xAI key", "xai-", r"([A-Za-z0-9]{64,100})"),
    ("a Hugging Face token", "hf_ api_org_", r"([A-Za-z0-9]{32,40})"),
    ("a Replicate token", "r8_", r"([A-Za-z0-9]{36,42})"),
    ("a Perplexity key", "pplx-", r"([A-Za-z0-9]{40,60})"),
    ("a Fireworks key", "fw_", r"([A-Za-z0-9]{20,30})"),
    ("an ElevenLabs key", "sk_", r"([a-f0-9]{48})"),
    ("a Cerebras key", "csk-", r"([a-z0-9]{40,60})"),
    ("an NVIDIA key", "nvapi-", r"([\w-]{56,80})"),
    ("a Voyage key", "pa-", r"([\w-]{40,50})"),
    ("a Tavily key", "tvly-dev- tvly-prod- tvly-", r"([A-Za-z0-9]{28,40})"),
    ("a LangSmith key", "lsv2_pt_ lsv2_sk_", r"([a-f0-9]{32}_[a-f0-9]{10})"),
    ("a Pinecone key", "pcsk_", r"(\w{50,90})"),
    ("a Jina key", "jina_", r"([\w-]{40,70})"),
    ("a Firecrawl key", "fc-", r"([a-f0-9]{32})"),
    ("an E2B key", "e2b_", r"([a-f0-9]{40})"),
)
_VCS: tuple[Row, ...] = (
    ("a GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"([A-Za-z0-9]{36,255})"),
    ("a GitHub token", "github_pat_", r"(\w{60,100})"),
    ("a GitLab token", "glpat- gldt- glrt- glptt- glft- glimt- glsoat-", r"([\w-]{20,80})"),
    ("a Bitbucket password", "ATBB", r"([A-Za-z0-9]{32})"),
    ("an Atlassian token", "ATATT3", r"([\w=-]{100,220})"),
    ("an npm token", "npm_", r"([A-Za-z0-9]{36})"),
    ("a PyPI token", "pypi-AgE", r"([\w-]{50,300})"),
    ("a RubyGems key", "rubygems_", r"([a-f0-9]{48})"),
    ("a crates.io token", "cio", r"([A-Za-z0-9]{32})"),
    ("a Docker Hub token", "dckr_pat_ dckr_oat_", r"([\w-]{27,40})"),
    ("a CircleCI token", "CCIPAT_ CCIPRJ_", r"([A-Za-z0-9]{22}_[a-f0-9]{40})"),
    ("a Buildkite token", "bkua_", r"([a-f0-9]{40})"),
    ("a JFrog key", "AKCp", r"([A-Za-z0-9]{60,80})"),
)
_SNOWFLAKES = " ".join(
    first + second
    for first in ("MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT")
    for second in "AEIMQUYcgk"
)
"""How digits start in base 64."""
_SERVICE: tuple[Row, ...] = (
    ("a Slack token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs-", r"([\w-]{20,255})"),
    ("a Slack app token", "xapp-1-", r"([\w-]{30,255})"),
    ("a Stripe key", "sk_live_ rk_live_", r"([A-Za-z0-9]{20,120})"),
    ("a webhook secret", "whsec_", r"([A-Za-z0-9+/=]{28,64})"),
    ("a Square token", "sq0atp- sq0csp-", r"([\w-]{22,43})"),
    ("a Shopify token", "shpat_ shpca_ shppa_ shpss_", r"([a-fA-F0-9]{32})"),
    ("a Twilio key", " ".join(f"SK{each}" for each in "0123456789abcdef"), r"([a-f0-9]{31})"),
    ("a Mailgun key", "key-", r"([a-f0-9]{32})"),
    ("a Brevo key", "xkeysib-", r"([a-f0-9]{64}-[A-Za-z0-9]{16})"),
    ("a Notion token", "ntn_ secret_", r"([A-Za-z0-9]{43,50})"),
    ("a Linear key", "lin_api_ lin_oauth_", r"([A-Za-z0-9]{40,64})"),
    ("a Figma token", "figd_ figo_", r"([\w-]{40,50})"),
    ("a Discord token", _SNOWFLAKES, r"[A-Za-z0-9]{20,25}\.([\w-]{6}\.[\w-]{27,40})"),
    ("a Facebook token", "EAA", r"([A-Za-z0-9]{100,250})"),
)
_OTHER: tuple[Row, ...] = (
    ("a JSON web token", "eyJ", r"[\w-]{17,2000}\.(eyJ[\w-]{17,4000}\.[\w-]{20,1000})"),
)
_BEHIND: tuple[tuple[str, str, str, str, str], ...] = (
    (CLOUD_KEY, "a Google access token", "ya29.", r"ya29\.", r"([\w.-]{30,300})"),
    (CLOUD_KEY, "a Vault token", "hvs.", r"hvs\.", r"([\w-]{80,300})"),
    (CLOUD_KEY, "a Terraform token", ".atlasv1.", r"\w{14}\.atlasv1\.", r"([\w=-]{60,70})"),
    (
        CLOUD_KEY,
        "a Doppler token",
        "dp.",
        r"dp\.(?:[a-z]{1,2}t|sa)\.",
        r"([A-Za-z0-9]{40,44})",
    ),
    (SERVICE_TOKEN, "a SendGrid key", "SG.", r"SG\.", r"([\w-]{22}\.[\w-]{43})"),
    (SERVICE_TOKEN, "a Telegram token", ":", r"(?<![0-9])[0-9]{8,10}:", r"AA([\w-]{33})"),
    (
        SERVICE_TOKEN,
        "a Slack webhook",
        "hooks.slack.com/",
        r"hooks\.slack\.com/services/T[A-Z0-9]{7,12}/B[A-Z0-9]{7,12}/",
        r"([A-Za-z0-9]{20,28})",
    ),
    (
        SERVICE_TOKEN,
        "a Discord webhook",
        "/webhooks/",
        r"discord(?:app)?\.com/api/webhooks/[0-9]{15,21}/",
        r"([\w-]{60,72})",
    ),
)
"""Kinds whose beginning ends a run: a sign of it, what stands before the run, and the run."""
LONGEST_BEGINNING = 80
"""No longer than that is what stands before such a run."""
_END = r"(?![A-Za-z0-9_-])"


def _rows() -> Iterator[tuple[str, Known]]:
    """Every way to start, with its kind; of several that fit the first in order counts."""
    tables: Iterable[tuple[str, tuple[Row, ...]]] = (
        (AI_VENDOR_KEY, _AI),
        (CLOUD_KEY, _CLOUD),
        (VCS_TOKEN, _VCS),
        (SERVICE_TOKEN, _SERVICE),
        (TOKEN, _OTHER),
    )
    for kind, table in tables:
        for what, starts, rest in table:
            pattern = f"(?:{starts.replace(' ', '|')}){rest}{_END}".encode()
            for start in starts.split():
                yield start, Known(kind, what, pattern)


def _by_start() -> dict[bytes, list[Known]]:
    found: dict[bytes, list[Known]] = {}
    for start, known in _rows():
        same = found.setdefault(start[:STARTING].encode(), [])
        if known not in same:
            same.append(known)
    return found


BY_START = _by_start()
"""The kinds a run may be of, by its first characters."""


class Behind(NamedTuple):
    """A kind that is known by what stands before its run."""

    sign: bytes
    before: re.Pattern[bytes]
    known: Known


def _by_end() -> dict[int, list[Behind]]:
    found: dict[int, list[Behind]] = {}
    for kind, what, sign, before, rest in _BEHIND:
        known = Known(kind, what, (rest + _END).encode())
        each = Behind(sign.encode(), re.compile(f"{before}\\Z".encode()), known)
        found.setdefault(ord(sign[-1]), []).append(each)
    return found


BY_END = _by_end()
"""The kinds that are known by what stands before a run, by the last byte of that."""
DOCUMENTED = frozenset(
    {
        b"ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        b"xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy",
        b"AIzaSyDaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe",
        b"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        b"2YotnFZFEjr1zCsicMWpAA",
        b"tGzv3JOkF0XG5Qx2TlKWIA",
    }
)
"""Keys that stand in their makers' own documentation and open nothing."""
DOCUMENTED_PIECES = (b"eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lI",)
"""What is a part of such examples: the John Doe of every web token tutorial."""
