"""A second way to plant secrets: whole snippets with a gap, as they are pasted into a chat.

It shares nothing with `bench/secrets`, so that no rule is made for the corpus it is measured on.
"""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable, Iterator

LETTERS = "abcdefghijklmnopqrstuvwxyz"
ALL = LETTERS + LETTERS.upper() + "0123456789"
HEXADECIMAL = "0123456789ABCDEF".lower()

PASSWORD_SNIPPETS = (
    "DB_HOST=10.1.2.3\nDB_PASS=@@\n",
    "MYSQL_ROOT_PASSWORD=@@ docker compose up -d",
    "spring.datasource.password=@@\nspring.jpa.show-sql=true",
    "services:\n  db:\n    environment:\n      POSTGRES_PASSWORD: @@\n",
    "services:\n  db:\n    environment:\n      - POSTGRES_PASSWORD=@@\n",
    '{"host": "h", "user": "u", "password": "@@"}',
    '{"cmd": "{\\"user\\": \\"u\\", \\"password\\": \\"@@\\"}"}',
    '{"a": "{\\"b\\": \\"{\\\\\\"password\\\\\\": \\\\\\"@@\\\\\\"}\\"}"}',
    "db_password = '@@'\n",
    'const dbPassword = "@@";',
    'String password = "@@";',
    'private static final String DB_PASSWORD = "@@";',
    "$config['db']['password'] = '@@';",
    "define('DB_PASSWORD', '@@');",
    "conn = psycopg2.connect(host='h', user='u', password='@@')",
    'mongoose.connect(uri, { user: "u", pass: "@@" })',
    "ansible_ssh_pass: '@@'",
    "ansible_become_password=@@",
    'resource "aws_db_instance" "d" {\n  username = "u"\n  password = "@@"\n}',
    "[mysqld]\nuser=root\npassword=@@\n",
    "postgresql://svc:@@@pg.internal:5432/prod",
    "Data Source=s;Initial Catalog=c;User ID=u;Password=@@;",
    "jdbc:postgresql://h/db?user=u&password=@@",
    "Server=h;Uid=u;Pwd=@@;",
    "mysqldump -uroot -p@@ shop > dump.sql",
    "PGPASSWORD=@@ pg_dump -h h shop",
    "sshpass -p @@ scp a b:",
    "sshpass -p@@ ssh u@h",
    "curl --user deploy:@@ https://x.internal/",
    "curl -u 'deploy:@@' https://x.internal/",
    "wget --user=u --password=@@ https://x.internal/f",
    "redis-cli -a '@@' info",
    "docker login registry.internal -u ci -p @@",
    "az login -u me@corp.test -p @@",
    "mongosh --username root --password @@ --authenticationDatabase admin",
    "kubectl create secret generic db --from-literal=password=@@",
    "ldapsearch -D cn=admin -w @@ -b dc=x",
    "CREATE USER app WITH PASSWORD '@@';",
    "ALTER ROLE app PASSWORD '@@';",
    "machine h.internal login me password @@",
    "The password is @@",
    "password: @@",
    "My password for the router is: @@",
    "pw for staging: user=admin password=@@",
    "user: admin\npass: @@\n",
    "export VAULT_PASSWORD='@@'",
    '$env:DB_PASSWORD = "@@"',
    "set DB_PASSWORD=@@",
    "ENV DB_PASSWORD=@@",
    "<password>@@</password>",
    '<add key="SmtpPassword" value="@@" />',
    '<property name="password" value="@@"/>',
    '- name: SMTP_PASSWORD\n  value: "@@"',
    '{"name": "SMTP_PASSWORD", "value": "@@"}',
    '["pg", "--password", "@@"]',
    "requests.get(u, auth=('svc', '@@'))",
    "ftp://bob:@@@files.internal/x",
    "+    password: '@@',",
    "-DB_PASSWORD=@@",
    "  12→password = '@@'",
    "[2026-01-01 10:00] DEBUG login user=bob password=@@ ip=1.2.3.4",
    "http://x.internal/login?user=bob&password=@@&next=/",
    "openssl pkcs12 -in a.p12 -passin pass:@@ -out b",
    "keytool -list -keystore k.jks -storepass @@",
    "gpg --batch --passphrase @@ -c f",
    "htpasswd -b .htpasswd ana @@",
    "echo 'deploy:@@' | sudo chpasswd",
    "CREATE USER app IDENTIFIED BY '@@';",
    "$ cat ~/.pgpass\ndb.internal:5432:shop:svc:@@\n",
)
"""The places where a password is written."""
TOKEN_SNIPPETS = (
    "API_KEY=@@",
    "export SERVICE_API_TOKEN=@@",
    '{"api_key": "@@", "region": "eu"}',
    '{"cmd": "{\\"accessToken\\": \\"@@\\"}"}',
    "apiKey: '@@',",
    "x-api-key: @@",
    "curl -H 'X-API-Key: @@' https://x.internal",
    "Authorization: Bearer @@",
    "fetch(u, {headers: {Authorization: 'Bearer @@'}})",
    "PRIVATE-TOKEN: @@",
    "https://x.internal/v1?api_key=@@&x=1",
    "https://x.internal/cb#access_token=@@&state=1",
    'client_secret = "@@"',
    "--token @@",
    "--api-key=@@",
    "//registry.npmjs.org/:_authToken=@@",
    "aws_secret_access_key = @@",
    'secret: "@@"',
    "JWT_SECRET: @@",
    "Cookie: lang=en; sessionid=@@",
    "Set-Cookie: auth_token=@@; Path=/; HttpOnly",
    "the api key is @@",
    "token: @@",
    "webhook secret: @@",
    "<apiKey>@@</apiKey>",
    "vault kv put secret/app api_key=@@",
    "process.env.API_KEY = '@@'",
    "os.environ['API_KEY'] = '@@'",
    "auth_token=@@ make",
    "AZURE_DEVOPS_EXT_PAT=@@",
)
"""The places where a random token is written."""
WORDLIST = [
    "tango",
    "bison",
    "umbra",
    "nickel",
    "fjord",
    "gully",
    "quiver",
    "sable",
    "otter",
    "pylon",
    "wicker",
    "zinnia",
]


def _password(dice: random.Random) -> str:
    word, other = dice.sample(WORDLIST, 2)
    choices: tuple[Callable[[], str], ...] = (
        lambda: f"{word.title()}{dice.randint(10, 99)}{dice.choice('!$%*')}",
        lambda: f"{word}_{other}_{dice.randint(100, 999)}",
        lambda: "".join(dice.choices(ALL, k=dice.randint(8, 20))),
        lambda: f"{word[0].upper()}{word[1:]}#{other}{dice.randint(1, 9)}",
        lambda: "".join(dice.choices(LETTERS, k=3)) + str(dice.randint(100, 99999)),
        lambda: f"{dice.randint(1, 9)}{word}{dice.choice('!*%')}{other.upper()}",
        lambda: "-".join(dice.sample(WORDLIST, 3)),
    )
    return dice.choice(choices)()


def _token(dice: random.Random) -> str:
    choices: tuple[Callable[[], str], ...] = (
        lambda: "".join(dice.choices(HEXADECIMAL, k=32)),
        lambda: "".join(dice.choices(HEXADECIMAL, k=40)),
        lambda: "".join(dice.choices(ALL, k=dice.randint(20, 48))),
        lambda: base64.b64encode(dice.randbytes(24)).decode(),
        lambda: base64.urlsafe_b64encode(dice.randbytes(30)).decode(),
    )
    return dice.choice(choices)()


def leaks(seed: int, rounds: int = 1) -> Iterator[tuple[str, str]]:
    """Yield texts and the secrets in them."""
    dice = random.Random(seed)
    for _ in range(rounds):
        for snippets, draw in ((PASSWORD_SNIPPETS, _password), (TOKEN_SNIPPETS, _token)):
            for snippet in snippets:
                secret = draw(dice)
                yield snippet.replace("@@", secret, 1), secret


def as_json(text: str) -> str:
    """Return the same text as the value of a JSON member."""
    return json.dumps({"content": text})
