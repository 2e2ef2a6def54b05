"""Contexts of secrets: prose, commands, settings, JSON, logs and code."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import quote

from bench.secrets import values
from bench.secrets.values import NAMED, TOKENS, Dice, Make, b64, pem


class Planted(NamedTuple):
    """A text with a secret in it."""

    kind: str
    context: str
    text: str
    secret: str
    """The characters that must not be in the output."""


def camel(name: str) -> str:
    """Return `DB_PASSWORD` as JavaScript writes it."""
    first, *rest = name.lower().split("_")
    return first + "".join(word.capitalize() for word in rest)


FREE: dict[str, Callable[[str], str]] = {
    "prose": lambda key: f"please use {key} for the staging deployment, it is new.",
    "shell": lambda key: f"$ curl -s -H 'X-Value: {key}' https://api.orchard.test/v1/pears | jq .",
    "env": lambda key: f"# settings\nPORT=8080\nTHE_VALUE={key}\nDEBUG=1\n",
    "json": lambda key: json.dumps({"name": "orchard", "value": key, "retries": 3}),
    "log": lambda key: f"2026-03-02T09:00:03Z ERROR [gateway] rejected {key} (401) after 3 ms",
    "code": lambda key: f"const client = new Client({{ value: {json.dumps(key)}, timeout: 30 }});",
}
"""Contexts for values that are recognised by their form."""
BY_NAME: dict[str, Callable[[str, str], str]] = {
    "prose": lambda name, value: (
        f"The {name.lower().replace('_', ' ')} is `{value}`, keep it safe."
    ),
    "shell": lambda name, value: f"$ export {name}='{value}' && make deploy",
    "env": lambda name, value: f"# .env\nPORT=8080\n{name}={value}\nDEBUG=1\n",
    "json": lambda name, value: json.dumps({"port": 1, camel(name): value, "retries": 3}),
    "nested json": lambda name, value: json.dumps({"body": json.dumps({camel(name): value})}),
    "yaml": lambda name, value: f"service:\n  {name.lower()}: {json.dumps(value)}\n  port: 1\n",
    "log": lambda name, value: f"09:00:03 INFO loaded {name}={value} from vault\n09:00:04 up",
    "code": lambda name, value: f"{name.lower()} = {json.dumps(value)}  # rotate in May",
    "kubernetes": lambda name, value: f"env:\n- name: {name}\n  value: {json.dumps(value)}\n",
}
"""Contexts for values that are recognised by their names."""


def _folded(key: str) -> str:
    """Return a long value as a terminal or YAML wraps it."""
    return "\n".join(key[at : at + 32] for at in range(0, len(key), 32))


PLACES: dict[str, tuple[Make, tuple[tuple[str, Callable[[str], str]], ...]]] = {
    "url password": (
        values.password,
        (
            ("shell", lambda p: f"psql postgres://app:{quote(p, safe='')}@db.orchard.test/pears"),
            ("env", lambda p: f"DATABASE_URL=mysql://root:{quote(p, safe='')}@10.0.0.4:3306/app"),
            ("json", lambda p: json.dumps({"url": f"redis://:{quote(p, safe='')}@cache:6379/0"})),
            ("prose", lambda p: f"clone https://deploy:{quote(p, safe='')}@git.orchard.test/a.git"),
            ("log", lambda p: f"dial amqp://svc:{quote(p, safe='')}@mq.orchard.test:5672 refused"),
        ),
    ),
    "dsn password": (
        values.password,
        (
            ("env", lambda p: f"DSN=host=db.local port=5432 user=app password={p} dbname=pears"),
            (
                "code",
                lambda p: f'var c = "Server=db;Database=a;User Id=sa;Password={p};Encrypt=1";',
            ),
            ("json", lambda p: json.dumps({"dsn": f"host=db user=app password={p} sslmode=off"})),
            ("log", lambda p: f"connecting jdbc:mysql://db/a?user=app&password={p}&useSSL=true"),
            ("shell", lambda p: f"psql 'host=db.local user=app password={p}'"),
        ),
    ),
    "command line password": (
        values.password,
        (
            ("mysql", lambda p: f"mysql -u root -p{p} -h db.local pears < dump.sql"),
            ("option", lambda p: f"mongodump --host db --username app --password {p} --out /tmp/d"),
            ("curl", lambda p: f"curl -u admin:{p} https://grafana.orchard.test/api/health"),
            ("sshpass", lambda p: f"sshpass -p '{p}' ssh deploy@10.0.0.9 uptime"),
            ("redis", lambda p: f"redis-cli -h cache.local -a {p} ping"),
            ("docker", lambda p: f"docker login -u deploy -p {p} registry.orchard.test"),
            ("json", lambda p: json.dumps({"command": f"restic --password={p} snapshots"})),
        ),
    ),
    "credential files": (
        values.password,
        (
            ("netrc", lambda p: f"machine api.orchard.test\n  login deploy\n  password {p}\n"),
            ("netrc line", lambda p: f"machine ftp.orchard.test login deploy password {p}"),
            ("pgpass", lambda p: f"db.orchard.test:5432:pears:app:{p}\n"),
            ("ini", lambda p: f"[client]\nuser = app\npassword = {p}\nhost = db\n"),
            ("toml", lambda p: f"[database]\nuser = 'app'\npassword = '{p}'\n"),
        ),
    ),
    "password prose": (
        values.password,
        (
            ("is", lambda p: f"the admin password is {p} and the user is root"),
            ("colon", lambda p: f"Login: ida\nPassword: {p}\n"),
            ("quoted", lambda p: f'I changed the password to "{p}" this morning.'),
            ("json", lambda p: json.dumps({"username": "ida", "password": p})),
            ("xml", lambda p: f"<server><id>nexus</id><password>{p}</password></server>"),
        ),
    ),
    "passphrase words": (
        values.phrase,
        (
            ("prose", lambda p: f"the passphrase: {p}\nthen press enter"),
            ("json", lambda p: json.dumps({"passphrase": p})),
            ("env", lambda p: f'GPG_PASSPHRASE="{p}"\n'),
            ("code", lambda p: f"const passphrase = '{p}';"),
            ("shell", lambda p: f'gpg --batch --passphrase "{p}" -d backup.gpg'),
        ),
    ),
    "basic authorization": (
        lambda d: b64(f"admin:{values.password(d)}"),
        (
            ("shell", lambda v: f"curl -H 'Authorization: Basic {v}' https://api.orchard.test"),
            ("log", lambda v: f"> GET /v1 HTTP/1.1\n> Authorization: Basic {v}\n> Accept: */*"),
            ("json", lambda v: json.dumps({"headers": {"Authorization": f"Basic {v}"}})),
            ("docker config", lambda v: json.dumps({"auths": {"r.orchard.test": {"auth": v}}})),
            ("code", lambda v: f"headers = {{'Authorization': 'Basic {v}'}}"),
        ),
    ),
    "bearer": (
        lambda d: d(40),
        (
            ("shell", lambda v: f'curl -H "Authorization: Bearer {v}" https://api.orchard.test'),
            ("log", lambda v: f"> Authorization: Bearer {v}\n> Accept: */*"),
            ("json", lambda v: json.dumps({"headers": {"Authorization": f"Bearer {v}"}})),
            ("header", lambda v: f"X-Api-Key: {v}\nAccept: application/json"),
            ("code", lambda v: f"req.setHeader('X-Auth-Token', '{v}')"),
        ),
    ),
    "cookie": (
        lambda d: d(26, values.LOWER),
        (
            ("request", lambda v: f"Cookie: theme=dark; session={v}; lang=en"),
            ("response", lambda v: f"< Set-Cookie: sessionid={v}; Path=/; HttpOnly"),
            ("shell", lambda v: f"curl -b 'connect.sid={v}' https://app.orchard.test/me"),
            ("json", lambda v: json.dumps({"headers": {"cookie": f"sid={v}"}})),
            ("log", lambda v: f"set-cookie: PHPSESSID={v}; path=/"),
        ),
    ),
    "azure sas": (
        lambda d: quote(d(43, values.BASE64) + "=", safe=""),
        (
            ("prose", lambda v: f"https://a.blob.core.windows.net/b?sv=2022-11-02&ss=b&sig={v}"),
            ("env", lambda v: f"SAS_URL=https://a.blob.core.windows.net/c?se=2026&sp=r&sig={v}"),
            ("json", lambda v: json.dumps({"sas": f"?sv=2022&sr=c&sig={v}&sp=rl"})),
            ("log", lambda v: f"GET https://x.file.core.windows.net/y?sig={v}&se=2027 403"),
            ("code", lambda v: f'url = "https://a.blob.core.windows.net/c?sp=r&sig={v}"'),
        ),
    ),
    "password hash": (
        values.sha512_crypt,
        (
            ("shadow", lambda v: f"ida:{v}:19800:0:99999:7:::\ndaemon:*:19000:0:99999:7:::"),
            ("prose", lambda v: f"the line in /etc/shadow was root:{v}:19800:0:99999:7:::"),
            ("json", lambda v: json.dumps({"stdout": f"ida:{v}:19800:0:99999:7:::"})),
            ("cloud-init", lambda v: f"users:\n- name: ida\n  passwd: {v}\n"),
            ("code", lambda v: f"user.hash = '{v}'"),
        ),
    ),
    "htpasswd": (
        values.bcrypt,
        (
            ("file", lambda v: f"ida:{v}\n"),
            ("log", lambda v: f"$ cat .htpasswd\nadmin:{v}"),
            ("json", lambda v: json.dumps({"content": f"ida:{v}\n"})),
            ("prose", lambda v: f"put ida:{v} into the file"),
            ("yaml", lambda v: f'users:\n  - "ida:{v}"\n'),
        ),
    ),
    "colours": (
        lambda d: "ghp_" + d(36),
        (
            ("value", lambda v: f"\x1b[32m{v}\x1b[0m done"),
            ("name", lambda v: f"API_TOKEN\x1b[0m=\x1b[33m{v}\x1b[0m"),
            ("code", lambda v: f"echo -e '\\\\x1b[1m{v}\\\\x1b[0m'"),
            ("address", lambda v: f"next=%2Fcb%3Ftoken%3D{v}%26state%3D1"),
            ("file", lambda v: f"wrote backup_{v}_old.txt"),
        ),
    ),
    "kubernetes secret": (
        lambda d: b64(values.password(d)),
        (
            ("yaml", lambda v: f"apiVersion: v1\nkind: Secret\ndata:\n  conn: {v}\n"),
            ("typed", lambda v: f"kind: Secret\ntype: Opaque\ndata:\n  a.ini: {v}\n"),
            ("before", lambda v: f"data:\n  conn: {v}\nkind: Secret\n"),
            ("json", lambda v: json.dumps({"data": {"conn": v}, "kind": "Secret"})),
            ("tool result", lambda v: f"     1\tkind: Secret\n     2\tdata:\n     3\t  a: {v}\n"),
        ),
    ),
    "signed address": (
        lambda d: d(64, values.HEX),
        (
            ("amazon", lambda v: f"https://b.s3.amazonaws.com/k?X-Amz-Signature={v}"),
            ("google", lambda v: f"https://storage.googleapis.com/b?X-Goog-Signature={v}"),
            ("middle", lambda v: f"GET /k?X-Amz-Signature={v}&X-Amz-Expires=60 200"),
            ("json", lambda v: json.dumps({"url": f"https://a.test/k?X-Goog-Signature={v}"})),
            ("code", lambda v: f'url = "https://b.s3.amazonaws.com/k?X-Amz-Signature={v}"'),
        ),
    ),
    "column": (
        values.password,
        (
            ("psql", lambda p: f" id | password\n----+-----\n  1 | {p}\n(1 row)\n"),
            ("mysql", lambda p: f"+--+--+\n| a | token |\n+--+--+\n| 1 | {p} |\n+--+--+\n"),
            ("markdown", lambda p: f"| user | password |\n|---|---|\n| ida | {p} |\n"),
            ("insert", lambda p: f"INSERT INTO u (name, password) VALUES ('ida', '{p}');"),
        ),
    ),
    "other languages": (
        values.password,
        (
            ("german", lambda p: f"Das Passwort ist {p}"),
            ("french", lambda p: f"Le mot de passe est {p}"),
            ("spanish", lambda p: f"La contraseña es {p}"),
            ("russian", lambda p: f"Пароль: {p}"),
            ("chinese", lambda p: f"密码是 {p}"),
        ),
    ),
    "cloud command": (
        values.password,
        (
            ("parameter", lambda p: f"aws ssm put-parameter --value '{p}' --type SecureString"),
            ("read", lambda p: json.dumps({"Type": "SecureString", "Value": p})),
            ("secret", lambda p: json.dumps({"Name": "app", "SecretString": p})),
            ("literal", lambda p: f"kubectl create secret generic a --from-literal=conn='{p}'"),
        ),
    ),
    "argument": (
        values.password,
        (
            ("php", lambda p: f"$db = new PDO('mysql:host=h', 'root', '{p}');"),
            ("mysqli", lambda p: f"mysqli_connect('h', 'app', '{p}', 'pears');"),
            ("java", lambda p: f'DriverManager.getConnection(url, "sa", "{p}");'),
            ("login", lambda p: f'server.login("ida@orchard.test", "{p}")'),
        ),
    ),
    "command argument": (
        values.password,
        (
            ("windows", lambda p: f"net user ida {p} /add"),
            ("sudo", lambda p: f"echo '{p}' | sudo -S apt update"),
            ("vault", lambda p: f"vault login '{p}'"),
            ("redis", lambda p: f"127.0.0.1:6379> AUTH {p}"),
            ("github", lambda p: f'echo "::add-mask::{p}"'),
        ),
    ),
    "stated secret": (
        values.password,
        (
            ("terraform", lambda p: json.dumps({"db": {"sensitive": True, "value": p}})),
            ("postman", lambda p: json.dumps({"key": "db", "value": p, "type": "secret"})),
            (
                "azure",
                lambda p: json.dumps({"id": "https://k.vault.azure.net/secrets/db/1", "value": p}),
            ),
        ),
    ),
    "mail login": (
        lambda d: b64(f"\0ida\0{values.password(d)}"),
        (
            ("plain", lambda v: f"AUTH PLAIN {v}\n235 ok"),
            ("dialog", lambda v: f"C: AUTH LOGIN\nS: 334 VXNlcm5hbWU6\nC: {v}\nS: 334 ok\n"),
        ),
    ),
    "glued access key": (
        lambda d: f"AKIA{d(16, values.BASE32)}",
        (
            ("file", lambda v: f"wrote backup_{v}_old.csv"),
            ("word", lambda v: f"key{v}"),
        ),
    ),
    "application key": (
        lambda d: b64(d(32)),
        (
            ("env", lambda v: f"APP_KEY=base64:{v}\n"),
            ("code", lambda v: f"'key' => 'base64:{v}',"),
        ),
    ),
    "seed phrase": (
        lambda d: " ".join(d.random.sample([word for word in values.WORDS if len(word) < 9], 12)),
        (
            ("prose", lambda p: f"Seed phrase: {p}\n"),
            ("json", lambda p: json.dumps({"mnemonic": p})),
        ),
    ),
    "putty key": (
        lambda d: d(64, values.BASE64),
        (("file", lambda v: f"Private-Lines: 1\n{v}\nPrivate-MAC: 00\n"),),
    ),
    "tiny password": (
        values.tiny_password,
        (
            ("env", lambda p: f"PORT=8080\nDB_PASSWORD={p}\nDEBUG=1\n"),
            ("shell", lambda p: f"export SMTP_PASS='{p}' && make"),
            ("json", lambda p: json.dumps({"user": "ida", "password": p})),
            ("yaml", lambda p: f'db:\n  user: ida\n  password: "{p}"\n'),
            ("manifest", lambda p: f'- name: DB_PASSWORD\n  value: "{p}"\n'),
        ),
    ),
    "spaced password": (
        values.spaced_password,
        (
            ("env", lambda p: f'DB_PASSWORD="{p}"\nDEBUG=1\n'),
            ("shell", lambda p: f"export BACKUP_PASSPHRASE='{p}'"),
            ("json", lambda p: json.dumps({"user": "ida", "password": p})),
            ("yaml", lambda p: f'environment:\n  POSTGRES_PASSWORD: "{p}"\n'),
            ("code", lambda p: f"db_password = '{p}'"),
        ),
    ),
    "one word": (
        values.one_word,
        (
            ("env", lambda p: f"# .env\nDB_PASSWORD={p}\nPORT=1\n"),
            ("json", lambda p: json.dumps({"user": "ida", "password": p})),
            ("nested json", lambda p: json.dumps({"body": json.dumps({"password": p})})),
            ("php", lambda p: f"'password' => '{p}',"),
            ("code", lambda p: f'const password = "{p}";'),
            ("xml", lambda p: f"<server><password>{p}</password></server>"),
            ("option", lambda p: f"mysqldump --password={p} pears"),
            ("manifest", lambda p: f"- name: DB_PASSWORD\n  value: {p}\n"),
        ),
    ),
    "word in yaml": (
        values.small_word,
        (
            ("service", lambda p: f"db:\n  user: ida\n  password: {p}\n"),
            ("environment", lambda p: f"environment:\n  - POSTGRES_PASSWORD={p}\n"),
        ),
    ),
    "dollar first": (
        values.dollar_password,
        (
            ("yaml", lambda p: f"user: ida\npassword: '{p}'\n"),
            ("bare", lambda p: f"user: ida\npassword: {p}\n"),
            ("env", lambda p: f"DB_PASSWORD='{p}'\n"),
            ("json", lambda p: json.dumps({"password": p})),
        ),
    ),
    "digits": (
        values.number_password,
        (
            ("env", lambda p: f"DB_PASSWORD={p}\nDEBUG=1\n"),
            ("number", lambda p: f'{{"user": "ida", "password": {p}}}'),
            ("text", lambda p: json.dumps({"user": "ida", "password": p})),
            ("query", lambda p: f"GET /login?user=ida&password={p}&next=/ 200"),
            ("yaml", lambda p: f"user: ida\npassword: {p}\n"),
        ),
    ),
    "pin": (
        values.pin,
        (
            ("number", lambda p: f'{{"card": "debit", "pin": {p}}}'),
            ("text", lambda p: json.dumps({"cardPin": p})),
            ("env", lambda p: f"CARD_PIN={p}\n"),
            ("prose", lambda p: f"The PIN is {p}."),
        ),
    ),
    "short key": (
        values.short_key,
        (
            ("header", lambda v: f"X-Api-Key: {v}\nAccept: */*"),
            ("shell", lambda v: f"curl -H 'X-Api-Key: {v}' https://api.orchard.test"),
            ("json", lambda v: json.dumps({"headers": {"X-Api-Key": v}})),
            ("code", lambda v: f"headers = {{'X-Auth-Token': '{v}'}}"),
            ("env", lambda v: f"API_KEY={v}\nDEBUG=1\n"),
        ),
    ),
    "word as a key": (
        values.small_word,
        (
            ("header", lambda v: f"> Authorization: Bearer {v}\n> Accept: */*"),
            ("shell", lambda v: f"curl -H 'Authorization: Bearer {v}' https://api.orchard.test"),
            ("json", lambda v: json.dumps({"Authorization": f"Bearer {v}"})),
            ("api key", lambda v: f"X-Api-Key: {v}\nAccept: */*"),
            ("env", lambda v: f"SECRET_KEY={v}{v}\n"),
            ("code", lambda v: f'SECRET_KEY = "{v}{v}"'),
        ),
    ),
    "short login": (
        values.short_key,
        (
            ("url", lambda p: f"psql postgres://app:{p}@db.orchard.test/pears"),
            ("curl", lambda p: f"curl -u ida:{p} https://api.orchard.test"),
            ("cookie", lambda p: f"Cookie: theme=dark; session={p}77"),
        ),
    ),
    "assigned word": (
        values.small_word,
        (
            ("properties", lambda p: f"spring.datasource.password={p}\n"),
            ("query", lambda p: f'curl -d "user=ida&password={p}" https://x.test'),
            ("option", lambda p: f"tool --password {p}\n"),
            ("fish", lambda p: f"set -x GH_PASSWORD {p}\n"),
            ("docker", lambda p: f"ENV ADMIN_PASSWORD {p}\n"),
            ("php", lambda p: f"define('DB_PASSWORD', '{p}');"),
            ("call", lambda p: f'user.setPassword("{p}")'),
            ("list", lambda p: f"passwords:\n  - {p}\n"),
            ("csv", lambda p: f"user,password\nida,{p}\n"),
        ),
    ),
    "rsa key": (pem("RSA PRIVATE KEY"), ()),
    "openssh key": (pem("OPENSSH PRIVATE KEY"), ()),
    "pkcs8 key": (pem("PRIVATE KEY"), ()),
    "pgp key": (pem("PGP PRIVATE KEY BLOCK"), ()),
    "wrapped token": (
        lambda d: f"sk-ant-api03-{d(93, values.WORD)}AA",
        (
            ("terminal", lambda v: f"the key is\n{_folded(v)}\n"),
            ("yaml", lambda v: "api_key: >-\n  " + _folded(v).replace("\n", "\n  ") + "\n"),
            (
                "javascript",
                lambda v: 'const apiKey = "' + _folded(v).replace("\n", '" +\n  "') + '";',
            ),
            (
                "python",
                lambda v: "API_KEY = (\n    '" + _folded(v).replace("\n", "'\n    '") + "'\n)",
            ),
            ("shell", lambda v: "export API_KEY=" + _folded(v).replace("\n", "\\\n")),
        ),
    ),
    "kubeconfig": (
        lambda d: b64(pem("RSA PRIVATE KEY", 6)(d)),
        (
            ("yaml", lambda v: f"users:\n- name: admin\n  user:\n    client-key-data: {v}\n"),
            ("json", lambda v: json.dumps({"user": {"client-key-data": v}})),
            ("log", lambda v: f"    client-key-data: {v}"),
            ("shell", lambda v: f"echo {v} | base64 -d > key.pem"),
            ("env", lambda v: f"TLS_KEY_B64={v}"),
        ),
    ),
    "literal argument": (
        lambda dice: dice(26) + "7q",
        (
            ("go", lambda v: f'var jwtKey = []byte("{v}")'),
            ("rust", lambda v: f'client.get(url).bearer_auth("{v}").send()'),
            ("javascript", lambda v: f"jwt.sign(payload, '{v}', {{ expiresIn: '1h' }})"),
            ("python", lambda v: f"f = Fernet(b'{v}')"),
            ("c", lambda v: f'static char api_key[] = "{v}";'),
            ("setter", lambda v: f'os.Setenv("STRIPE_KEY", "{v}")'),
            ("browser", lambda v: f'{{"name": "session", "value": "{v}", "httpOnly": true}}'),
            ("member", lambda v: f'{{"credentials": {{"user": "ida", "value": "{v}"}}}}'),
            ("next line", lambda v: f'{{\n  "refresh_token":\n    "{v}"\n}}'),
            ("shell", lambda v: f'echo "{v}" | wrangler secret put API_TOKEN'),
        ),
    ),
    "typed password": (
        lambda dice: "Orchard-" + dice(4) + "7x",
        (
            ("java", lambda p: f'props.put("password", "{p}");'),
            ("browser", lambda p: f"await page.fill('#password', '{p}')"),
            ("selenium", lambda p: f"find(By.ID, 'password').send_keys('{p}')"),
            ("rust", lambda p: f'let password = String::from("{p}");'),
            ("html", lambda p: f"<tr><th>Password</th><td>{p}</td></tr>"),
            ("plist", lambda p: f"<key>Password</key>\n<string>{p}</string>"),
            ("markdown", lambda p: f"| Name | Value |\n|---|---|\n| DB_PASSWORD | `{p}` |"),
            ("columns", lambda p: f"NAME    PASSWORD        ROLE\nida     {p}  admin\n"),
            ("settings", lambda p: f"NAME            VALUE\nDB_PASSWORD     {p}\n"),
            ("oracle", lambda p: f"jdbc:oracle:thin:scott/{p}@//db:1521/XE"),
            ("sql", lambda p: f"CREATE USER scott IDENTIFIED BY {p};"),
            ("odbc", lambda p: f"Driver={{ODBC Driver 18}};UID=sa;PWD={{{p}}};"),
            ("make", lambda p: f"DB_PASSWORD ?= {p}\n"),
            ("prose", lambda p: f"log in with admin / {p} please"),
            ("git", lambda p: f"Password for 'https://ida@git.orchard.test': {p}"),
        ),
    ),
}
"""Values that are recognised by their places."""
_BLOCK: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("prose", lambda key: f"Here it is:\n\n```\n{key}\n```\n\nDone."),
    ("env", lambda key: f'PRIVATE_KEY="{key.replace(chr(10), chr(92) + "n")}"'),
    ("json", lambda key: json.dumps({"private_key": key})),
    ("tool result", lambda key: f"$ cat id_rsa\n{key}\n$"),
    ("yaml", lambda key: "tls.key: |\n  " + key.replace("\n", "\n  ") + "\n"),
    ("code", lambda key: "KEY = " + json.dumps(key)),
)


def hidden(kind: str, value: str) -> str:
    """Return what must not be in the output: a middle line of a block, the end of a hook."""
    if value.startswith("-----BEGIN"):
        return value.split("\n")[4]
    if kind == "slack hook":
        return value.rpartition("/")[2]
    if kind == "wrapped token":
        return value[33:63]
    return value


def planted(seed: int, rounds: int = 1) -> Iterator[Planted]:
    """Yield every kind in each of its contexts."""
    dice = Dice(seed)
    for _ in range(rounds):
        for kind, make in TOKENS.items():
            for context, around in FREE.items():
                value = make(dice)
                yield Planted(kind, context, around(value), hidden(kind, value))
        for kind, (name, make) in NAMED.items():
            for context, by_name in BY_NAME.items():
                value = make(dice)
                yield Planted(kind, context, by_name(name, value), value)
        for kind, (make, contexts) in PLACES.items():
            for context, around in contexts or _BLOCK:
                value = make(dice)
                yield Planted(kind, context, around(value), hidden(kind, value))
