"""Secret values by the rules of their issuers, drawn from a seed; none of them is in use.

Each value is drawn when it is needed, so that no scanner finds a key in this file.
"""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable, Sequence
from typing import TypeVar

ALNUM = string.ascii_letters + string.digits
LOWER = string.ascii_lowercase + string.digits
UPPER = string.ascii_uppercase + string.digits
WORD = ALNUM + "-_"
HEX = "0123456789abcdef"
BASE32 = string.ascii_uppercase + "234567"
BASE64 = ALNUM + "+/"
DIGITS = string.digits
RARE = "ghjkmnqrtvwxyz"
"""Letters that are not hexadecimal digits."""
BECH32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"
SYMBOLS = "!#%*+-=?@^_~."
WORDS = [
    "amber",
    "anchor",
    "badger",
    "basil",
    "birch",
    "cactus",
    "candle",
    "cedar",
    "cinder",
    "clover",
    "cobalt",
    "comet",
    "copper",
    "coral",
    "cricket",
    "crystal",
    "dagger",
    "dolphin",
    "ember",
    "falcon",
    "fennel",
    "ginger",
    "glacier",
    "granite",
    "harbor",
    "hazel",
    "heron",
    "indigo",
    "ivory",
    "jasmine",
    "juniper",
    "kettle",
    "lagoon",
    "lantern",
    "lemon",
    "lilac",
    "maple",
    "marble",
    "meadow",
    "nectar",
    "nutmeg",
    "oyster",
    "pebble",
    "pepper",
    "plum",
    "quartz",
    "raven",
    "saffron",
    "sparrow",
    "thistle",
    "timber",
    "tulip",
    "velvet",
    "walnut",
    "willow",
    "zephyr",
]
PLACES = [
    "mauve",
    "Lisbon",
    "Oslo",
    "Quito",
    "Tromso",
    "Dakar",
    "Bergen",
    "Ghent",
    "Turin",
    "Porto",
    "Leeds",
    "Malmo",
]


Picked = TypeVar("Picked")


class Dice:
    """A seeded random generator."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def __call__(self, size: int, letters: str = ALNUM) -> str:
        return "".join(self.random.choice(letters) for _ in range(size))

    def pick(self, choices: Sequence[Picked]) -> Picked:
        """Return one of several."""
        return self.random.choice(choices)

    def uuid(self) -> str:
        """Return a random UUID."""
        return "-".join(self(size, HEX) for size in (8, 4, 4, 4, 12))


Make = Callable[[Dice], str]


def b64(text: str) -> str:
    """Return text in base 64."""
    return base64.b64encode(text.encode()).decode()


def jwt(dice: Dice) -> str:
    """Return a signed web token."""
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
    body = json.dumps({"sub": dice(12), "iss": dice(8), "iat": 1760000000}).encode()
    return f"{head}.{base64.urlsafe_b64encode(body).decode().rstrip('=')}.{dice(43, WORD)}"


def pem(kind: str, lines: int = 12) -> Make:
    """Return a private key between its two lines."""

    def make(dice: Dice) -> str:
        body = "\n".join(dice(64, BASE64) for _ in range(lines))
        return f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----"

    return make


def password(dice: Dice) -> str:
    """Return a typical password of users and password managers."""
    style = dice.random.randrange(6)
    word, other = dice.pick(WORDS), dice.pick(WORDS)
    number = str(dice.random.randrange(2, 9999))
    symbol = dice.pick(list("!#%*+?@^~"))
    return (
        word.capitalize() + number + symbol,
        f"{word}{symbol}{other}{number}",
        dice(12, ALNUM + "!#%*+?@^~"),
        f"{word[:-2]}0{other[:3]}{symbol}{number}",
        dice(16),
        dice(9, LOWER) + number,
    )[style]


def words_password(dice: Dice) -> str:
    """Return a password made of words only."""
    return "-".join(dice.pick(WORDS) for _ in range(4))


def short_password(dice: Dice) -> str:
    """Return a short password."""
    return dice.pick(WORDS)[:4] + dice.pick(list("!#%*+?@")) + dice(2, DIGITS)


def tiny_password(dice: Dice) -> str:
    """Return three characters."""
    first, last = dice(1, RARE), dice(1, RARE)
    return first + dice(1, DIGITS + "!#%+?@") + last


def spaced_password(dice: Dice) -> str:
    """Return a password with blanks in it."""
    word, other = dice.pick(WORDS), dice.pick(WORDS)
    number = str(dice.random.randrange(20, 9999))
    style = dice.random.randrange(4)
    return (
        f"my {word}{number}",
        f"{word.capitalize()} {other.capitalize()} {number}",
        f"{word} {other}",
        f"{word} & {other}{number}!",
    )[style]


def one_word(dice: Dice) -> str:
    """Return a plain word."""
    word = dice.pick(WORDS)
    return word.capitalize() if dice.random.randrange(2) else word


def small_word(dice: Dice) -> str:
    """Return a plain word in lower case."""
    return dice.pick(WORDS)


def dollar_password(dice: Dice) -> str:
    """Return a password that looks like a variable."""
    year = str(dice.random.randrange(1960, 2030))
    return f"${dice.pick(WORDS)[1:]}{year}{dice.pick(['', '!', '#'])}"


def number_password(dice: Dice) -> str:
    """Return digits only, the most common ones among them."""
    return dice.pick(["12345678", "123456", dice(4, DIGITS), dice(6, DIGITS), dice(8, DIGITS)])


def pin(dice: Dice) -> str:
    """Return a PIN of a card or a phone."""
    return dice.pick("123456789") + dice(dice.pick([3, 5]), DIGITS)


def short_key(dice: Dice) -> str:
    """Return a key that a user made up."""
    return dice(dice.random.randrange(2, 5), RARE) + dice(dice.random.randrange(1, 4), DIGITS)


def phrase(dice: Dice) -> str:
    """Return a passphrase of several words."""
    return " ".join(dice.pick(WORDS) for _ in range(5))


def sha512_crypt(dice: Dice) -> str:
    """Return the hash of a line of /etc/shadow."""
    return f"$6${dice(16, ALNUM + './')}${dice(86, ALNUM + './')}"


def bcrypt(dice: Dice) -> str:
    """Return a hash as htpasswd -B writes it."""
    return f"$2y$10${dice(53, ALNUM + './')}"


TOKENS: dict[str, Make] = {
    # AI services
    "anthropic": lambda d: f"sk-ant-api03-{d(93, WORD)}AA",
    "openai": lambda d: f"sk-proj-{d(74, WORD)}T3BlbkFJ{d(74, WORD)}",
    "openai legacy": lambda d: "sk-" + d(20) + "T3BlbkFJ" + d(20),
    "openrouter": lambda d: f"sk-or-v1-{d(64, HEX)}",
    "hugging face": lambda d: f"hf_{d(34)}",
    "groq": lambda d: f"gsk_{d(52)}",
    "xai": lambda d: f"xai-{d(80)}",
    "replicate": lambda d: f"r8_{d(37)}",
    "perplexity": lambda d: f"pplx-{d(48)}",
    "pinecone": lambda d: f"pcsk_{d(6)}_{d(63)}",
    # clouds
    "aws access key": lambda d: f"AKIA{d(16, BASE32)}",
    "google api key": lambda d: f"AIza{d(35, WORD)}",
    "google oauth": lambda d: f"GOCSPX-{d(28, WORD)}",
    "google access": lambda d: f"ya29.a0{d(160, WORD)}",
    "google refresh": lambda d: f"1//0{d(1, HEX)}{d(60, WORD)}",
    "azure client": lambda d: f"{d(3)}8Q~{d(34, WORD + '.~')}",
    "digitalocean": lambda d: f"dop_v1_{d(64, HEX)}",
    "databricks": lambda d: f"dapi{d(32, HEX)}",
    "vault": lambda d: f"hvs.{d(95, WORD)}",
    "vault old": lambda d: f"s.{d(24)}",
    "terraform": lambda d: f"{d(14)}.atlasv1.{d(67, WORD)}",
    "doppler": lambda d: f"dp.pt.{d(43)}",
    "dynatrace": lambda d: f"dt0c01.{d(24, BASE32)}.{d(64, BASE32)}",
    "grafana": lambda d: f"glsa_{d(32)}_{d(8, HEX)}",
    "sentry": lambda d: f"sntryu_{d(64, HEX)}",
    "new relic": lambda d: f"NRAK-{d(27, UPPER)}",
    "fly": lambda d: f"fo1_{d(43, WORD)}",
    "pulumi": lambda d: f"pul-{d(40, HEX)}",
    "planetscale": lambda d: f"pscale_tkn_{d(43, WORD)}",
    "supabase": lambda d: f"sbp_{d(40, HEX)}",
    "heroku": lambda d: f"HRKU-AA{d(58, WORD)}",
    "alibaba": lambda d: f"LTAI{d(20)}",
    # code and packages
    "github": lambda d: f"ghp_{d(36)}",
    "github fine": lambda d: f"github_pat_{d(22)}_{d(59)}",
    "gitlab": lambda d: f"glpat-{d(20, WORD)}",
    "gitlab ci": lambda d: f"glcbt-64_{d(20, WORD)}",
    "npm": lambda d: f"npm_{d(36)}",
    "pypi": lambda d: f"pypi-AgEIcHlwaS5vcmc{d(140, WORD)}",
    "docker": lambda d: f"dckr_pat_{d(27, WORD)}",
    "rubygems": lambda d: f"rubygems_{d(48, HEX)}",
    "sonar": lambda d: f"squ_{d(40, HEX)}",
    "artifactory": lambda d: f"AKCp{d(69)}",
    "atlassian": lambda d: f"ATATT3xFfGF0{d(172, WORD)}={d(8, HEX)}",
    "postman": lambda d: f"PMAK-{d(24, HEX)}-{d(34, HEX)}",
    # services
    "slack bot": lambda d: f"xoxb-{d(12, DIGITS)}-{d(13, DIGITS)}-{d(24)}",
    "slack hook": lambda d: (
        f"https://hooks.slack.com/services/T{d(10, UPPER)}/B{d(10, UPPER)}/{d(24)}"
    ),
    "stripe": lambda d: f"sk_live_{d(24)}",
    "stripe hook": lambda d: f"whsec_{d(32)}",
    "square": lambda d: f"EAAA{d(60, WORD)}",
    "square oauth": lambda d: f"sq0csp-{d(43, WORD)}",
    "sendgrid": lambda d: f"SG.{d(22, WORD)}.{d(43, WORD)}",
    "mailgun": lambda d: f"key-{d(32, HEX)}",
    "mailchimp": lambda d: f"{d(32, HEX)}-us{d.random.randrange(1, 22)}",
    "twilio": lambda d: f"SK{d(32, HEX)}",
    "telegram": lambda d: f"{d(10, '123456789')}:AA{d(33, WORD)}",
    "discord": lambda d: f"MTA{d(21)}.{d(6, WORD)}.{d(38, WORD)}",
    "notion": lambda d: f"ntn_{d(46)}",
    "linear": lambda d: f"lin_api_{d(40)}",
    "shopify": lambda d: f"shpat_{d(32, HEX)}",
    "figma": lambda d: f"figd_{d(40, WORD)}",
    "airtable": lambda d: f"pat{d(14)}.{d(64, HEX)}",
    "mapbox": lambda d: f"sk.eyJ1Ijoi{d(60, ALNUM)}.{d(22, WORD)}",
    "dropbox": lambda d: f"sl.{d(136, WORD)}",
    "contentful": lambda d: f"CFPAT-{d(43, WORD)}",
    "typeform": lambda d: f"tfp_{d(44, WORD)}_{d(14)}",
    "readme": lambda d: f"rdme_{d(70, LOWER)}",
    "easypost": lambda d: f"EZAK{d(54)}",
    "flutterwave": lambda d: f"FLWSECK_TEST-{d(32, HEX)}-X",
    "jwt": jwt,
    "age": lambda d: f"AGE-SECRET-KEY-1{d(58, BECH32)}",
}
"""Values that are recognised by their form."""
NAMED: dict[str, tuple[str, Make]] = {
    "database password": ("DB_PASSWORD", password),
    "postgres password": ("PGPASSWORD", password),
    "short password": ("SMTP_PASS", short_password),
    "words password": ("ADMIN_PASSWORD", words_password),
    "root pwd": ("MYSQL_ROOT_PWD", password),
    "passphrase": ("BACKUP_PASSPHRASE", password),
    "aws secret": ("AWS_SECRET_ACCESS_KEY", lambda d: d(40, BASE64)),
    "azure storage": ("AZURE_STORAGE_ACCOUNT_KEY", lambda d: d(86, BASE64) + "=="),
    "azure devops": ("AZURE_DEVOPS_EXT_PAT_TOKEN", lambda d: d(52, LOWER)),
    "twilio auth": ("TWILIO_AUTH_TOKEN", lambda d: d(32, HEX)),
    "datadog": ("DD_API_KEY", lambda d: d(32, HEX)),
    "datadog app": ("DATADOG_APP_KEY", lambda d: d(40, HEX)),
    "cloudflare": ("CLOUDFLARE_API_TOKEN", lambda d: d(40, WORD)),
    "mistral": ("MISTRAL_API_KEY", lambda d: d(32)),
    "cohere": ("COHERE_API_KEY", lambda d: d(40)),
    "heroku uuid": ("HEROKU_API_KEY", lambda d: d.uuid()),
    "client secret": ("OAUTH_CLIENT_SECRET", lambda d: d(32, WORD)),
    "jwt secret": ("JWT_SECRET", lambda d: d(24, ALNUM + "!#%*+")),
    "django": ("DJANGO_SECRET_KEY", lambda d: d(50, LOWER + "!@#%^*-_=+")),
    "encryption key": ("APP_ENCRYPTION_KEY", lambda d: b64(d(32))),
    "session secret": ("SESSION_SECRET", lambda d: d(20, LOWER)),
    "webhook token": ("WEBHOOK_TOKEN", lambda d: d(16, LOWER)),
}
"""Values that are recognised only by their names."""
