"""SEC2: keys, tokens and passwords in a conversation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from talktree.checks.support.redaction import (
    find_record_secrets,
    make_redaction,
    report_secrets,
    select_possible_secrets,
)
from talktree.formats.rule import Check, Diagnostic, make_unsafe_fix, rule
from talktree.formats.rule_context import RuleRecord
from talktree.text.secrets.patterns import (
    AI_VENDOR_KEY,
    CLOUD_KEY,
    NAMED_PASSWORD,
    PASSWORD,
    PRIVATE_KEY,
    SERVICE_TOKEN,
    TOKEN,
    VCS_TOKEN,
)

F = TypeVar("F", bound=Check)


def secret_rule(code: str, kind: str) -> Callable[[F], F]:
    """Create a rule about one kind of secret; a record is scanned once for all kinds."""
    fix = make_unsafe_fix(make_redaction(kind))
    return rule(
        code,
        kind,
        "warning",
        on="record",
        gate=find_record_secrets,
        glance=select_possible_secrets,
        fix=fix,
    )


@secret_rule("SEC201", PRIVATE_KEY)
def private_key(seen: RuleRecord) -> Iterable[Diagnostic]:
    """A private key is in the conversation, between its BEGIN and END lines.

    Why: anyone who reads the file can log in, sign or decrypt in the owner's name. Sessions are
    copied, shared and indexed far more freely than key files are.

    Bad:
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj…

    Fix (unsafe): `[redacted:private-key:1]` replaces it, the same one for each copy of the same
    key. Redacting does not make a key safe that was already shared: make a new one.
    """
    return report_secrets(PRIVATE_KEY, seen)


@secret_rule("SEC202", CLOUD_KEY)
def cloud_key(seen: RuleRecord) -> Iterable[Diagnostic]:
    """A key of a cloud service is in the conversation: AWS, Google, Azure, DigitalOcean and others,
    known by how their keys start or by the name of the setting.

    Why: such keys can be used by anyone who sees them, and are, within minutes of being published.
    Keys from the makers' documentation (`AKIAIOSFODNN7EXAMPLE`) are not reported.

    Bad:
        AWS_ACCESS_KEY_ID=AKIA followed by sixteen capitals and digits

    Fix (unsafe): `[redacted:cloud-key:1]` replaces it, the same one for each copy of the same key.
    Revoke the key all the same.
    """
    return report_secrets(CLOUD_KEY, seen)


@secret_rule("SEC203", AI_VENDOR_KEY)
def ai_vendor_key(seen: RuleRecord) -> Iterable[Diagnostic]:
    """A key of an AI service is in the conversation: Anthropic, OpenAI, OpenRouter, Groq, xAI,
    Hugging Face, Replicate, Perplexity and others.

    Why: it lets others spend the owner's money and read what was uploaded. People who talk with a
    model about calling a model paste such keys most often of all.

    Bad:
        ANTHROPIC_API_KEY=sk-ant-api03-…

    Fix (unsafe): `[redacted:ai-vendor-key:1]` replaces it, the same one for each copy of the same
    key. Revoke the key all the same.
    """
    return report_secrets(AI_VENDOR_KEY, seen)


@secret_rule("SEC204", VCS_TOKEN)
def vcs_token(seen: RuleRecord) -> Iterable[Diagnostic]:
    """A token for source code or packages is in the conversation: GitHub, GitLab, Bitbucket, npm,
    PyPI, Docker Hub and others.

    Why: it lets others read private code, or publish a package under the owner's name to everyone
    who installs it.

    Bad:
        git clone https://ghp_…@github.com/example/private.git

    Fix (unsafe): `[redacted:vcs-token:1]` replaces it, the same one for each copy of the same
    token. Revoke the token all the same.
    """
    return report_secrets(VCS_TOKEN, seen)


@secret_rule("SEC205", SERVICE_TOKEN)
def service_token(seen: RuleRecord) -> Iterable[Diagnostic]:
    """A token for messages or payments is in the conversation: Slack, Discord, Telegram, Stripe,
    Square, Shopify, Twilio, SendGrid and others.

    Why: it lets others write as the owner, read along, or move money.

    Bad:
        SLACK_BOT_TOKEN=xoxb-…

    Fix (unsafe): `[redacted:service-token:1]` replaces it, the same one for each copy of the same
    token. Revoke the token all the same.
    """
    return report_secrets(SERVICE_TOKEN, seen)


@secret_rule("SEC206", PASSWORD)
def password_in_url(seen: RuleRecord) -> Iterable[Diagnostic]:
    """A password is in a URL, between the name of the user and the host. Passwords that are none
    (`postgres:postgres`, `user:password`, `${PASSWORD}`) are not reported.

    Why: URLs of databases are printed by tools and errors, and hold all that is needed to connect.

    Bad:
        postgres://app:tK8mQ2vR@db.example.net/orders

    Fix (unsafe): `[redacted:password-in-url:1]` replaces the password; the rest of the URL stays.
    Change the password all the same.
    """
    return report_secrets(PASSWORD, seen)


@secret_rule("SEC207", TOKEN)
def random_token(seen: RuleRecord) -> Iterable[Diagnostic]:
    """Something that was drawn at random is called a key, a token, a secret or a password, or is a
    signed web token. Values that a person could have made up are not reported.

    Why: anyone who knows it can do what its owner can, though the service is not known.

    Bad:
        {"client_secret": "Vq8Zr2LkT0wYb7Xn4Hd9"}

    Fix (unsafe): `[redacted:random-token:1]` replaces it, the same one for each copy of the same
    token. Revoke the token all the same.
    """
    return report_secrets(TOKEN, seen)


@secret_rule("SEC208", NAMED_PASSWORD)
def password(seen: RuleRecord) -> Iterable[Diagnostic]:
    """A value is called a password or is where a password belongs: in a setting, an option of a
    command, a connection string, a password file, or a sentence such as `the password is …`.
    Placeholders, labels, types and code (`<password>`, `password: str`, `getpass()`) are not
    reported, and neither are passwords of examples (`changeme`).

    Why: people give a password to a tool as they would type it, and tools print what they are
    configured with. Most passwords are too short to be known by anything but their names.

    Bad:
        mysqldump -u root -p followed by the password

    Fix (unsafe): `[redacted:password:1]` takes its place, the same wherever the same password is
    called one. Change the password all the same.
    """
    return report_secrets(NAMED_PASSWORD, seen)
