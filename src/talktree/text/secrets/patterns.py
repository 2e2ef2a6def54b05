"""Keys and tokens that are known by their prefix, and their issuers.

Each is long enough to be found as one run of letters, digits, `-` and `_`, and the first three
characters of the run select its pattern. The text after the prefix must look random (`entropy`), so
a pattern need not be strict about its length.

Also the names of secrets, and what they say about a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from string import ascii_letters, digits
from typing import NamedTuple

from talktree.text.secrets.entropy import is_made_up, is_random

PRIVATE_KEY = "private-key"
CLOUD_KEY = "cloud-key"
AI_VENDOR_KEY = "ai-vendor-key"
VCS_TOKEN = "vcs-token"
SERVICE_TOKEN = "service-token"
PASSWORD = "password-in-url"
NAMED_PASSWORD = "password"
TOKEN = "random-token"
Found = tuple[str, int, int, str]
"""A secret: its kind, its range, and whose it is in words."""
STARTING = 3
"""Number of characters that select a pattern."""


class SecretKind(NamedTuple):
    """One kind of key."""

    kind: str
    what: str
    """Whose it is, in words."""
    pattern: bytes
    """Matched where the run starts; its group must look random."""

    def match(self, data: bytes, start: int) -> re.Match[bytes] | None:
        """Match such a key from here on."""
        return _compile_pattern(self.pattern).match(data, start)


@cache
def _compile_pattern(pattern: bytes) -> re.Pattern[bytes]:
    """Compile a pattern on first use: compiling all of them would slow down every start."""
    return re.compile(pattern)


AWS = "an AWS access key"
Row = tuple[str, str, str]
"""What it is, its possible prefixes, and what follows."""

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
    ("a 1Password token", "ops_", r"(eyJ[\w=+/-]{100,2000})"),
    (
        "a 1Password secret key",
        "A3-",
        r"([A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5})",
    ),
    ("an AWS Bedrock key", "ABSK", r"([A-Za-z0-9+/]{100,300}={0,2})"),
    ("an age key", "AGE-SECRET-KEY-1", r"([QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58})"),
    ("a Fly token", "fo1_ fm1a_ fm1r_ fm2_", r"([\w+/=-]{40,700})"),
    ("a New Relic key", "NRJS- NRII- NRIQ- NRRA-", r"([\w-]{19,40})"),
    ("a Cloudflare key", "v1.0-", r"([a-f0-9]{24}-[a-f0-9]{146})"),
    ("a Cloudflare token", "cfut_ cfat_ cfk_", r"([\w-]{40,60})"),
    ("a Scalingo token", "tk-us-", r"([\w-]{48})"),
    ("a Yandex token", "AQVN AQAAAA y0_", r"([\w-]{35,80})"),
    ("a Yandex key", "YCA YCB YCM YCN YCP YCO", r"([\w-]{35,48})"),
    ("a ClickHouse key", "4b1d", r"([A-Za-z0-9]{38})"),
    ("a Vercel token", "vcp_ vci_ vca_ vcr_ vck_ vercel_", r"([A-Za-z0-9]{20,60})"),
    ("a Render key", "rnd_", r"([A-Za-z0-9]{24,48})"),
    ("a Neon key", "napi_", r"([a-z0-9]{50,80})"),
    (
        "an Upstash token",
        " ".join(f"AX{each}" for each in ascii_letters + digits),
        r"[A-Za-z0-9]ASQg([\w-]{36,80})={0,2}",
    ),
    ("a Turso or Upstash token", "eyJrIjoi", r"([A-Za-z0-9+/=]{60,400})"),
    (
        "a Tailscale key",
        "tskey-",
        r"[a-z]{3,10}-([A-Za-z0-9]{10,20}CNTRL-[A-Za-z0-9]{20,40}|[\w-]{30,70})",
    ),
    ("an Infracost key", "ico-", r"([A-Za-z0-9]{32})"),
    ("a Hetzner or Linode token", "hcloud_", r"([A-Za-z0-9]{40,70})"),
    ("a Pagerduty key", "pdus+_", r"([\w-]{20,60})"),
    ("an Aiven token", "aivenv1", r"([A-Za-z0-9+/=]{40,400})"),
    ("a Temporal or Prefect key", "pnu_ pnb_", r"([A-Za-z0-9]{36})"),
    ("a Confluent key", "cflt", r"([\w+/=-]{40,80})"),
    ("an Elastic key", "essu_", r"([A-Za-z0-9+/=]{40,200})"),
    ("a Supabase key", "sbs_", r"([a-f0-9]{40})"),
    ("a Highnote or Honeycomb key", "hcaik_ hcxik_ hcalk_ hcxlk_ hcamk_", r"([a-z0-9]{50,70})"),
    (
        "a private key in base 64",
        "LS0tLS1CRUdJTiBSU0EgUFJJVkFUR LS0tLS1CRUdJTiBPUEVOU1NI LS0tLS1CRUdJTiBQUklWQVRF "
        "LS0tLS1CRUdJTiBFQyBQUklWQVRF LS0tLS1CRUdJTiBFTkNSWVBURUQ LS0tLS1CRUdJTiBEU0EgUFJJ "
        "LS0tLS1CRUdJTiBQR1AgUFJJVkFU",
        r"([A-Za-z0-9+/]{60,16000}={0,2})",
    ),
)
_AI: tuple[Row, ...] = (
    ("an Anthropic key", "sk-ant-", r"[a-z]{2,6}[0-9]{2}-([\w-]{60,150})"),
    ("an OpenAI key", "sk-proj- sk-svcacct- sk-admin- sk-None-", r"([\w-]{36,200})"),
    ("an OpenRouter key", "sk-or-v1-", r"([a-f0-9]{48,80})"),
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
    ("a Together key", "tgp_v1_", r"([\w-]{40,60})"),
    ("a Stability key", "sk-stab-", r"([\w-]{40,60})"),
    ("an OpenAI session", "sess-", r"([A-Za-z0-9]{40})"),
    ("a Weights & Biases key", "wandb_v1_", r"([\w-]{40,100})"),
    ("a Langfuse key", "sk-lf-", r"([\w-]{36,48})"),
    ("a LlamaCloud key", "llx-", r"([A-Za-z0-9]{40,60})"),
    ("an Apify token", "apify_api_", r"([A-Za-z0-9]{34,42})"),
    ("a Helicone key", "sk-helicone- pk-helicone-", r"([\w-]{20,60})"),
    ("a Braintrust or Portkey key", "pk-portkey-", r"([\w-]{20,60})"),
    ("a Deepgram or Novita key", "sk_novita_", r"([\w-]{30,60})"),
    ("a SambaNova or Ollama key", "sk-ollama-", r"([\w-]{30,60})"),
    ("a Kimi or Moonshot key", "sk-kimi- sk-moonshot-", r"([\w-]{30,80})"),
)
_VCS: tuple[Row, ...] = (
    ("a GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"([A-Za-z0-9]{36,255})"),
    ("a GitHub token", "github_pat_", r"(\w{60,260})"),
    (
        "a GitLab token",
        "glpat- gldt- glptt- glft- glimt- glsoat- gloas- glagent- glffct- glcbt- glrt-",
        r"([\w.-]{20,300})",
    ),
    ("a GitLab runner token", "GR1348941", r"([\w-]{20})"),
    ("a Bitbucket password", "ATBB", r"([A-Za-z0-9]{32})"),
    ("an Atlassian token", "ATATT3", r"([\w=-]{100,220})"),
    ("an npm token", "npm_", r"([A-Za-z0-9]{36})"),
    ("a PyPI token", "pypi-", r"(AgE[\w-]{50,300})"),
    ("a RubyGems key", "rubygems_", r"([a-f0-9]{48})"),
    ("a crates.io token", "cio", r"([A-Za-z0-9]{32})"),
    ("a Docker Hub token", "dckr_pat_ dckr_oat_", r"([\w-]{27,40})"),
    ("a CircleCI token", "CCIPAT_ CCIPRJ_", r"([A-Za-z0-9]{22}_[a-f0-9]{40})"),
    ("a Buildkite token", "bkua_", r"([a-f0-9]{40})"),
    ("a JFrog key", "AKCp", r"([A-Za-z0-9]{60,80})"),
    ("a JFrog token", "cmVmdGtu", r"([A-Za-z0-9]{50,60})"),
    ("a SonarQube token", "squ_ sqp_ sqa_", r"([a-f0-9]{40})"),
    ("a Sourcegraph token", "sgp_ slk_", r"((?:[a-f0-9]{16}_|local_)?[a-f0-9]{40,64})"),
    ("a NuGet key", "oy2", r"([a-z0-9]{43})"),
    ("a Clojars token", "CLOJARS_", r"([a-z0-9]{60})"),
    ("a Codecov or Snyk token", "snyk_uat. snyk_sat.", r"([\w.-]{40,200})"),
    ("an Octopus key", "API-", r"([A-Z0-9]{26,36})"),
    ("a Terraform token", "tfe_ tfc_", r"([\w.-]{40,100})"),
    ("a Travis or Drone token", "drn_", r"([A-Za-z0-9]{32,64})"),
    ("a Gitea or Forgejo token", "gta_ gto_ fgj_", r"([a-f0-9]{40})"),
    ("a Harness token", "hrn_", r"([\w.-]{30,90})"),
    ("an Azure DevOps token", "azdo_", r"([a-z0-9]{52,84})"),
    ("a Bitbucket token", "BBDC-", r"([\w+/=-]{40,60})"),
    ("an Atlassian token", "ATCTT3 ATSTT3 ATOAT", r"([\w=-]{40,260})"),
    ("a Packagist or Composer token", "packagist_", r"([\w-]{30,80})"),
)
_SNOWFLAKES = " ".join(
    first + second
    for first in ("MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT")
    for second in "AEIMQUYcgk"
)
"""Beginnings of digits in base64."""
_SERVICE: tuple[Row, ...] = (
    ("a Slack token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs-", r"([\w-]{20,255})"),
    ("a Slack app token", "xapp-1-", r"([\w-]{30,255})"),
    (
        "a Stripe key",
        "sk_live_ rk_live_ sk_test_ rk_test_ sk_org_",
        r"((?:live_)?[A-Za-z0-9]{20,250})",
    ),
    ("a webhook secret", "whsec_", r"([A-Za-z0-9+/=]{28,64})"),
    (
        "a Square token",
        "sq0atp- sq0csp- sq0idp- sandbox-sq0idb- sandbox-sq0csb- sandbox-sq0atb-",
        r"([\w-]{22,43})",
    ),
    ("a Square token", "EAAA", r"([\w-]{60})"),
    ("a Shopify token", "shpat_ shpca_ shppa_ shpss_ shpua_ shptka_ shpit_", r"([a-fA-F0-9]{32})"),
    ("a Twilio key", " ".join(f"SK{each}" for each in "0123456789abcdef"), r"([a-f0-9]{31})"),
    ("a Firebase key", "APA91b", r"([\w-]{100,200})"),
    ("an Adafruit key", "aio_", r"([A-Za-z0-9]{28})"),
    ("a WakaTime key", "waka_", r"([a-f0-9-]{36})"),
    ("a Mailgun key", "key-", r"([a-f0-9]{32})"),
    ("a Brevo key", "xkeysib-", r"([a-f0-9]{64}-[A-Za-z0-9]{16})"),
    ("a Notion token", "ntn_ secret_", r"([A-Za-z0-9]{43,50})"),
    ("a Linear key", "lin_api_ lin_oauth_", r"([A-Za-z0-9]{40,64})"),
    ("a Figma token", "figd_ figo_", r"([\w-]{40,50})"),
    ("a Discord token", _SNOWFLAKES, r"[A-Za-z0-9]{20,25}\.([\w-]{6}\.[\w-]{27,40})"),
    ("a Facebook token", "EAACEdEose0cBA", r"([A-Za-z0-9]{20,250})"),
    ("a Facebook token", "EAA", r"([A-Za-z0-9]{100,250})"),
    ("a SumUp key", "sup_sk_ sup_pk_", r"([A-Za-z0-9]{20,80})"),
    ("a Slack token", "xoxc- xoxd- xoxe.", r"([\w%.-]{20,400})"),
    ("a Contentful token", "CFPAT-", r"([\w-]{43})"),
    ("a Typeform token", "tfp_", r"([\w-]{40,70})"),
    ("a ReadMe key", "rdme_", r"([a-z0-9]{70})"),
    ("an EasyPost key", "EZAK EZTK", r"([A-Za-z0-9]{54})"),
    (
        "a Flutterwave key",
        "FLWSECK- FLWSECK_TEST- FLWPUBK_TEST-",
        r"([A-Za-z0-9]{32}-X|[a-h0-9]{12})",
    ),
    ("a Shippo token", "shippo_live_ shippo_test_", r"([a-fA-F0-9]{40})"),
    ("a Duffel token", "duffel_live_ duffel_test_", r"([\w=-]{43})"),
    ("a Defined Networking key", "dnkey-", r"([\w=-]{26}-[\w=-]{52})"),
    ("a Frame.io token", "fio-u-", r"([\w=-]{64})"),
    ("an Intra42 secret", "s-s4t2ud- s-s4t2af-", r"([a-f0-9]{64})"),
    ("an Adobe secret", "p8e- p8e_", r"([A-Za-z0-9]{32})"),
    ("an Authress key", "authress_ scauth_", r"([\w.-]{50,200})"),
    ("a Settlemint token", "sm_aat_ sm_pat_ sm_sat_", r"([A-Za-z0-9]{16})"),
    ("a Klaviyo key", "pk_", r"([a-f0-9]{34})"),
    ("a PayPal or Braintree token", "access_token$production$", r"([a-z0-9]{16}\$[a-f0-9]{32})"),
    ("a Razorpay key", "rzp_live_ rzp_test_", r"([A-Za-z0-9]{14,24})"),
    ("a Paystack key", "sk_live_ sk_test_", r"([a-f0-9]{40})"),
    ("a Plaid token", "access-production- access-sandbox- access-development-", r"([a-f0-9-]{36})"),
    ("a Resend key", "re_", r"([A-Za-z0-9]{8}_[A-Za-z0-9]{22,26})"),
    ("a Clerk key", "sk_clerk_", r"([A-Za-z0-9]{30,60})"),
    ("a PostHog key", "phx_ phs_", r"([A-Za-z0-9]{40,50})"),
    ("a HubSpot token", "pat-na1- pat-na2- pat-eu1-", r"([a-f0-9-]{36})"),
    ("an Okta or Intercom token", "dG9rO", r"([A-Za-z0-9+/=]{50,70})"),
    ("an Ngrok key", "ngrok_", r"([A-Za-z0-9]{26,48}(?:_[A-Za-z0-9]{20,24})?)"),
    ("a Mailersend key", "mlsn.", r"([a-f0-9]{64})"),
    ("a Sendinblue key", "xsmtpsib-", r"([a-f0-9]{64}-[A-Za-z0-9]{16})"),
    (
        "a LaunchDarkly key",
        "sdk-",
        r"([a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12})",
    ),
    ("a Browserbase key", "bb_live_", r"([A-Za-z0-9_-]{24,48})"),
    ("a ClickUp token", "pk_", r"[0-9]{6,10}_([A-Z0-9]{32})"),
    ("a Docker Swarm token", "SWMTKN-1-", r"([a-z0-9]{50}-[a-z0-9]{25})"),
    ("a MaxMind key", "mmk_", r"([\w]{30,40})"),
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
    (CLOUD_KEY, "a Vault token", "hvb.", r"hvb\.", r"([\w-]{80,400})"),
    (CLOUD_KEY, "a Vault token", "hvr.", r"hvr\.", r"([\w-]{80,300})"),
    (
        CLOUD_KEY,
        "a Vault token",
        "s.",
        r"(?<![\w.])s\.",
        r"(?=[A-Za-z]{0,23}[0-9])(?=[a-z0-9]{0,23}[A-Z])([A-Za-z0-9]{24})",
    ),
    (SERVICE_TOKEN, "a Dropbox token", "sl.", r"(?<![\w.])sl\.(?:u\.)?", r"([\w-]{60,1400})"),
    (SERVICE_TOKEN, "a Dropbox token", "sl.u.", r"(?<![\w.])sl\.u\.", r"([\w-]{60,1400})"),
    (
        SERVICE_TOKEN,
        "a Mapbox token",
        "sk.",
        r"(?<![\w.])[st]k\.",
        r"(eyJ[\w-]{40,200}\.[\w-]{20,30})",
    ),
    (SERVICE_TOKEN, "an Airtable token", ".", r"(?<!\w)pat[A-Za-z0-9]{14}\.", r"([a-f0-9]{64})"),
    (CLOUD_KEY, "a Dynatrace token", "dt0c01.", r"dt0[cs]\d\d\.", r"([A-Z0-9]{24}\.[A-Z0-9]{64})"),
    (
        CLOUD_KEY,
        "a Cloudflare key",
        "v1.",
        r"(?<![\w.])v1\.",
        r"(0-[a-f0-9]{24}-[a-f0-9]{100,146})",
    ),
    (
        CLOUD_KEY,
        "a Grafana or Harness token",
        "pat.",
        r"(?<!\w)[ps]at\.",
        r"([\w-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20})",
    ),
    (CLOUD_KEY, "a Yandex token", "t1.", r"(?<!\w)t1\.", r"([\w-]{20,}[=]{0,2}\.[\w-]{86}={0,2})"),
    (SERVICE_TOKEN, "a Telegram token", ":", r"(?<![0-9])[0-9]{8,10}:", r"AA([\w-]{33})"),
    (SERVICE_TOKEN, "an Asana token", ":", r"(?<!\w)[0-2](?:/\d{12,20}){1,2}:", r"([a-f0-9]{32})"),
    (
        SERVICE_TOKEN,
        "a Slack webhook",
        "hooks.slack.com/",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/[TE][A-Z0-9]{7,12}/(?:[A-Z0-9]{7,20}/){1,2}",
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
"""Kinds whose context comes before a run: a sign of it, the text before the run, and the run."""
LONGEST_BEGINNING = 80
"""Maximum length of the text before such a run."""
_END = r"(?![A-Za-z0-9_-])"


def iterate_rows() -> Iterator[tuple[str, SecretKind]]:
    """Yield every prefix with its kind; of several that match, the first in order is used."""
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
                yield start, SecretKind(kind, what, pattern)


def _group_by_start() -> dict[bytes, list[SecretKind]]:
    found: dict[bytes, list[SecretKind]] = {}
    for start, known in iterate_rows():
        same = found.setdefault(start[:STARTING].encode(), [])
        if known not in same:
            same.append(known)
    return found


STARTS = frozenset(start.encode() for start, _ in iterate_rows())
"""All prefixes."""
BY_START = _group_by_start()
"""The possible kinds of a run, by its first characters."""


_BY_NAME = 16
"""Number of kinds known by names and context: passwords, headers, cookies, password files."""
KIND_COUNT = (
    len({known.what for _, known in iterate_rows()}) + len({row[1] for row in _BEHIND}) + _BY_NAME
)
"""How many kinds of secrets are known."""


class PrefixedKind(NamedTuple):
    """A kind that is known by the text before its run."""

    sign: bytes
    before: re.Pattern[bytes]
    known: SecretKind


def _group_by_end() -> dict[int, list[PrefixedKind]]:
    found: dict[int, list[PrefixedKind]] = {}
    for kind, what, sign, before, rest in _BEHIND:
        known = SecretKind(kind, what, (rest + _END).encode())
        each = PrefixedKind(sign.encode(), re.compile(f"{before}\\Z".encode()), known)
        found.setdefault(ord(sign[-1]), []).append(each)
    return found


BY_END = _group_by_end()
"""The kinds that are known by the text before a run, by its last byte."""
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
"""Keys in the documentation of their issuers, which do not grant access."""
DOCUMENTED_PIECES = (b"eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lI",)
"""Parts of such examples: the John Doe of every web token tutorial."""


BEFORE = 72
"""How far before a value its name is searched for."""
NEAR = 16
"""Maximum distance of the end of the name."""
ENDS = frozenset({b"key", b"ken", b"ret", b"ord", b"swd", b"pwd", b"rer"})
"""The last three letters of all names, to discard others quickly."""
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
"""`STRIPE_KEY`: a key for something, which is secret only if it is random."""
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
_AI_NAMES = re.compile(
    rb"openai|anthropic|claude|gemini|mistral|cohere|together|deepseek|groq|xai|huggingface|"
    rb"replicate|perplexity|fireworks|elevenlabs|cerebras|nvidia|voyage|tavily|langsmith|"
    rb"langchain|pinecone|openrouter|moonshot|dashscope|ai21|stability|assemblyai|deepgram"
)
_CLOUD_NAMES = re.compile(
    rb"aws|azure|accountkey|gcp|google|cloudflare|digitalocean|heroku|alibaba"
)
_VALUE = re.compile(rb"[A-Za-z0-9_+/=~-]{20,256}(?![A-Za-z0-9_+/=~(-]|[.\[]\w)")


@lru_cache(maxsize=4096)
def find_meaning(name: bytes, before: bytes = b"") -> str | None:
    """Return what a name says about its value if that is secret; a word before a short name
    counts."""
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
    """Whether a name only occurs in settings and headers, and not as a label, type or word of
    code."""
    return name.isupper() or b"-" in name or is_key_name(name)


def is_key_name(name: bytes) -> bool:
    """Whether it names a key or a secret and what it is for."""
    return _SURE.search(name.lower().translate(None, b"_.-")) is not None


def find_name_before(data: bytes, start: int) -> bytes | None:
    """Return the name of a value, if it is one of a secret."""
    near = data[max(0, start - NEAR) : start]
    bare = near.rstrip(BETWEEN)
    # There must be something between the name and the value.
    if bare[-3:].lower() not in ENDS or len(bare) == len(near):
        return None
    tail = data[max(0, start - BEFORE) : start].rstrip(BETWEEN)
    word = _WORD.search(tail.lower())
    return None if word is None else normalize_secret_name(word.group())


def normalize_secret_name(word: bytes) -> bytes | None:
    """Return a name without its dashes, if it is one of a secret."""
    bare = word.translate(None, b"_.-")
    known = bare.endswith(_SECRET) or bare.endswith(_PASSWORD)
    return bare if known and not bare.endswith(_HARMLESS) else None


def find_value_end(data: bytes, start: int) -> int:
    """Return where the value that starts here ends, if it can only be a secret; else -1."""
    found = _VALUE.match(data, start)
    if found is None or not is_random(found.group()) or is_made_up(found.group()):
        return -1
    return found.end()


def find_kind(name: bytes) -> tuple[str, str]:
    """Return the kind of secret with such a name, and what it is in words."""
    bare = name.lower().translate(None, b"_.-")
    if _AI_NAMES.search(bare):
        return AI_VENDOR_KEY, "a key of an AI service"
    if _CLOUD_NAMES.search(bare):
        return CLOUD_KEY, "a cloud key"
    if find_meaning(name) in (PASSWORDS, PINS):
        return NAMED_PASSWORD, "a password"
    return TOKEN, "a token"
