"""Secrets in places that hide them: colours, addresses, manifests, tables, other languages."""

from __future__ import annotations

import json
import random
import string

import pytest

from talktree.export import redacted_strings
from talktree.export.redaction import Redactor
from talktree.text.secrets import Secret, find_secrets, find_secrets_by_form

_dice = random.Random(11)
ALNUM = string.ascii_letters + string.digits
TOKEN = "ghp_" + "".join(_dice.choice(ALNUM) for _ in range(36))
HEX = "".join(_dice.choice("0123456789abcdef") for _ in range(64))
DRAWN = "".join(_dice.choice(ALNUM) for _ in range(28)) + "7q"
PASSWORD = "Orchard-77x"

HIDDEN = {
    "colours around a token": (f"\x1b[32m{TOKEN}\x1b[0m", TOKEN),
    "colours as code": (f"\\x1b[32m{TOKEN}\\x1b[0m", TOKEN),
    "colours before a name": (f"PASSWORD\x1b[0m=\x1b[33m{PASSWORD}\x1b[0m", PASSWORD),
    "percent signs": (f"next=%2Fcb%3Ftoken%3D{TOKEN}%26x%3D1", TOKEN),
    "name of a file": (f"wrote backup_{TOKEN}_old.txt", TOKEN),
    "glued to a word": (f"my{TOKEN}", TOKEN),
    "words in quotes": ('password="correct horse battery staple"', "correct horse battery staple"),
    "example as a part": ("password=exampleCorp7", "exampleCorp7"),
    "test as a part": ("DB_PASSWORD=test-Passw0rd!9", "test-Passw0rd!9"),
    "example in an address": ("postgres://app:exampleCorp7@db/x", "exampleCorp7"),
    "kubernetes data": (
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  conn: UzNjcjN0UGFzcw==\n",
        "UzNjcjN0UGFzcw==",
    ),
    "kubernetes strings": (f'kind: Secret\nstringData:\n  conn: "{PASSWORD}"\n', PASSWORD),
    "kubernetes json": (
        '{"apiVersion":"v1","data":{"conn":"UzNjcjN0UGFzcw=="},"kind":"Secret"}',
        "UzNjcjN0UGFzcw==",
    ),
    "amazon signature": (f"https://b.s3.amazonaws.com/k?X-Amz-Signature={HEX}", HEX),
    "google signature": (f"https://storage.googleapis.com/b?X-Goog-Signature={HEX}", HEX),
    "oracle login": (f"sqlplus scott/{PASSWORD}@db:1521/XE", PASSWORD),
    "secure parameter": (
        f"aws ssm put-parameter --name /a --value {PASSWORD} --type SecureString",
        PASSWORD,
    ),
    "secure parameter read": (
        f'{{"Parameter": {{"Name": "/a", "Type": "SecureString", "Value": "{PASSWORD}"}}}}',
        PASSWORD,
    ),
    "header pair": (f'{{"name":"Authorization","value":"Bearer {DRAWN}"}}', DRAWN),
    "cookie pair": (f'"cookies":[{{"name":"sessionid","value":"{DRAWN}"}}]', DRAWN),
    "psql": (f" id | password \n----+-----\n  1 | {PASSWORD}\n(1 row)\n", PASSWORD),
    "mysql": (f"+--+----+\n| a | token |\n+--+----+\n| 1 | {PASSWORD} |\n+--+----+\n", PASSWORD),
    "markdown table": (f"| user | password |\n|---|---|\n| bob | {PASSWORD} |\n", PASSWORD),
    "csv": (f'"user","password"\n"bob","{PASSWORD}"\n', PASSWORD),
    "german": (f"Das Passwort für den Server ist {PASSWORD}", PASSWORD),
    "french": (f"Le mot de passe est {PASSWORD}", PASSWORD),
    "spanish": (f"La contraseña es {PASSWORD}", PASSWORD),
    "portuguese": (f"A senha é {PASSWORD}", PASSWORD),
    "italian": (f"La parola d'ordine è {PASSWORD}", PASSWORD),
    "dutch": (f"Het wachtwoord is {PASSWORD}", PASSWORD),
    "russian": (f"Пароль: {PASSWORD}", PASSWORD),
    "chinese": (f"密码是 {PASSWORD}", PASSWORD),
    "escaped table": (
        json.dumps({"out": f" id | password \n----+-----\n  1 | {PASSWORD}\n"}),
        PASSWORD,
    ),
    "secret string": (f'{{"Name": "app", "SecretString": "{PASSWORD}"}}', PASSWORD),
    "inserted row": (f"INSERT INTO u (name, password) VALUES ('bob', '{PASSWORD}');", PASSWORD),
    "piped login": (f"echo {PASSWORD} | docker login -u bob --password-stdin", PASSWORD),
    "literal": (f"kubectl create secret generic a --from-literal=conn={PASSWORD}", PASSWORD),
    "netrc with numbers": (f"     2\t  login bob\n     3\t  password {PASSWORD}\n", PASSWORD),
    "default": (f'variable "db_password" {{\n  default = "{PASSWORD}"\n}}', PASSWORD),
    "secure string": (f'ConvertTo-SecureString "{PASSWORD}" -AsPlainText', PASSWORD),
    "token for a name": (f"origin\thttps://{DRAWN}@git.orchard.test/a.git (fetch)", DRAWN),
    "input of a form": (f'<input type="password" name="p" value="{PASSWORD}">', PASSWORD),
    "configured": (f"enable secret 0 {PASSWORD}\n", PASSWORD),
    "with": (f"mit dem Passwort {PASSWORD} anmelden", PASSWORD),
    "japanese": (f"パスワードは {PASSWORD} です", PASSWORD),
}


SHORT = {
    "blank in quotes": ('DB_PASSWORD="my pass99"', "my pass99"),
    "words in quotes of a setting": ('DB_PASSWORD="correct horse"', "correct horse"),
    "words in quotes of JSON": ('{"password": "blue sky"}', "blue sky"),
    "blanks and signs": ('ADMIN_PASSWORD="it is 5 o\'clock!"', "clock!"),
    "three letters and digits": ("DB_PASSWORD=q7z", "q7z"),
    "two letters and digits": ("PORT=1\nDB_PASSWORD=7q\n", "7q"),
    "digits and letters": ("DB_PASS=42xy", "42xy"),
    "three letters": ("DB_PASSWORD=dog", "dog"),
    "three letters for a program": ("PGPASSWORD=dog psql -h db", "dog"),
    "signs": ('{"password": "!!x"}', "!!x"),
    "word in JSON": ('{"password": "Sommer"}', "Sommer"),
    "word in an object": ("'password' => 'Herbst',", "Herbst"),
    "word in code": ('const password = "Sommer";', "Sommer"),
    "word in an element": ("<password>Sommer</password>", "Sommer"),
    "word in YAML": ("db:\n  user: ida\n  password: blau\n", "blau"),
    "word of an option": ("mysqldump --password=dog pears", "dog"),
    "word of a manifest": ("- name: DB_PASSWORD\n  value: dog\n", "dog"),
    "words of a manifest": ('- name: DB_PASSWORD\n  value: "my pass99"\n', "my pass99"),
    "dollar first": ("password: '$ommer2024'", "$ommer2024"),
    "dollar first, bare": ("password: $ommer2024\n", "$ommer2024"),
    "dollar and digit": ('password: "$3cret"', "$3cret"),
    "two dollars": ("DB_PASSWORD='$$ecret9'", "$$ecret9"),
    "digits": ("password=12345678", "12345678"),
    "four digits": ("PASSWORD=0815", "0815"),
    "number of JSON": ('{"password": 4711, "port": 1}', "4711"),
    "PIN as a number": ('{"user": "ida", "pin": 4711}', "4711"),
    "PIN as a text": ('{"cardPin": "9041"}', "9041"),
    "PIN as a setting": ("CARD_PIN=9041", "9041"),
    "PIN in a sentence": ("The PIN is 4711.", "4711"),
    "short key of a header": ("X-Api-Key: abc12", "abc12"),
    "short key in quotes": ("curl -H 'X-Api-Key: abc12' https://x.test", "abc12"),
    "short key in JSON": ('{"headers": {"X-Api-Key": "abc12"}}', "abc12"),
    "word of a header": ("X-Auth-Token: swordfish\n", "swordfish"),
    "word of an authorization": ("Authorization: Bearer swordfish", "swordfish"),
    "word of a header in quotes": (
        "curl -H 'Authorization: Bearer swordfish' https://x.test",
        "swordfish",
    ),
    "word of a header in JSON": ('{"Authorization": "Bearer swordfish"}', "swordfish"),
    "short authorization": ("> Authorization: Token q7z\n> Accept: */*", "q7z"),
    "word of a key": ("SECRET_KEY=correcthorse", "correcthorse"),
    "word of a key in quotes": ('SECRET_KEY = "correcthorse"', "correcthorse"),
    "word of a key in YAML": ("SECRET_KEY: correcthorse\n", "correcthorse"),
    "word of a property": ("app.secret-key=correcthorse", "correcthorse"),
    "short key": ("API_KEY=abc12", "abc12"),
    "short cookie": ("Cookie: session=abc12", "abc12"),
    "short password of an address": ("postgres://app:q7z@db/x", "q7z"),
    "digits in an address": ("https://ida:4711@host.test/x", "4711"),
    "short login": ("curl -u ida:q7z https://x.test", "q7z"),
}
HIDDEN |= SHORT


@pytest.mark.parametrize("place", HIDDEN)
def test_a_secret_is_found_in_a_place_that_hides_it(place: str) -> None:
    text, secret = HIDDEN[place]
    assert secret not in Redactor().redact_text(text)
    for ascii in (True, False):
        raw = json.dumps({"content": text}, ensure_ascii=ascii).encode()
        redactor = Redactor()
        for kind, start, stop, what in find_secrets_by_form(raw):
            redactor.make_placeholder(Secret(kind, 0, stop - start, what), raw[start:stop].decode())
        clean = redacted_strings.redact_json(raw, redactor, every=False).decode()
        assert secret not in redactor.without_known(clean)


KEPT = (
    "DB_PASSWORD=your-api-key-here",
    "DB_PASSWORD=changeme123",
    "password=my-secret-password",
    "| option | type | default |\n|---|---|---|\n| password | string | none |",
    "| name | password |\n|---|---|\n| required | yes |",
    "user,password,role\nname,string,text",
    "def login(user, password, role):\n    a, b, c2 = x",
    "kind: ConfigMap\ndata:\n  app.conf: aGVsbG8gd29ybGQ=",
    "kind: Secret",
    '@secret("SEC201", PRIVATE_KEY)',
    "DB_PASSWORD=${DB_PASSWORD:?missing}",
    "A senha é obrigatória",
    "password: !vault |",
    "fix the password field of version 2",
    '{"name": "Content-Type", "value": "application/json"}',
    "aws ssm put-parameter --name /x --value Orchard-77x --type String",
    "Das Passwort ist zu kurz",
    "Le mot de passe est incorrect",
    "La contraseña es obligatoria",
    "Пароль: обязательное поле",
    "密码是必填项",
    "パスワードは必須です",
    "actions/checkout@v4 path/to/file@v2",
    "sqlplus user/password@host",
    'password: "Enter your new password"',
    'password="the password is wrong"',
    "/var/lib/npm_packages_of_the_orchard_and_its_pears/x",
    "username: str\npassword: str\n",
    "username: string\npassword: string;\n",
    "name: x\n  password: required\n",
    "password: Buffer;",
    "password: SecretStr",
    "password = None",
    'password = os.environ["DB_PASSWORD"]',
    "DB_PASSWORD=$DB_PASSWORD",
    "DB_PASSWORD='$DB_PASSWORD'",
    "password='$password'",
    "password: $pass1",
    "password = :password1",
    '{"password": "string"}',
    '{"password": "Wachtwoord"}',
    '{"password": "Lösenord"}',
    '{"password": "Required"}',
    '{"password": "must match"}',
    '{"password": "not set"}',
    'DB_PASSWORD="your password here"',
    'ERROR_PASSWORD="Wrong password"',
    "PASSWORD_RESET_URL=/reset",
    "--password=VALUE",
    "--password TEXT",
    "pass: 1234, fail: 0",
    "GPIO_PIN=17",
    "spin=4711",
    "opinion: 4711",
    '"pin": "^1.2.3"',
    "pin: 4711mAh",
    '{"max_tokens": 12345, "token": 4711}',
    "X-Api-Key: string\n",
    "api-key: header\n",
    "in: header\nname: X-Api-Key\n",
    "API_KEY = 'X-Api-Key'",
    "API_KEY=identifier",
    "Authorization: Bearer token",
    "Authorization: bearer scheme\n",
    "fix Authorization: Bearer parsing\n",
    "the Authorization: Bearer header is missing",
    "auth: token refresh\n",
    "SORT_KEY=created",
    "http://a:b@host",
)


@pytest.mark.parametrize("text", KEPT)
def test_text_that_only_looks_like_a_secret_stays(text: str) -> None:
    assert not [text[each.start : each.stop] for each in find_secrets(text)]


@pytest.mark.parametrize("every", [False, True])
def test_a_number_of_json_is_a_secret_by_its_name(every: bool) -> None:
    raw = b'{"input": {"password": 4711, "pin": 90417, "port": 4711, "token": 12345}}'
    redactor = Redactor()
    clean = json.loads(redacted_strings.redact_json(raw, redactor, every=every))["input"]
    assert clean["port"] == 4711
    assert clean["token"] == 12345
    assert clean["password"].startswith("[redacted: password ")
    assert clean["pin"].startswith("[redacted: password ")
    assert redactor.counts["password"] == 2


HOSTILE = (
    "PIN: 4711 ",
    "a: b\n",
    "a: b\n password: c\n",
    "Authorization: Bearer a",
    "password: $a1",
    'PASSWORD="a ',
    "password,a\n",
    "password,a1\ntoken,b2\n",
    "kind: Secret\n",
    "kind: Secret\ndata:\n  a: b2\n",
    '"cookies":[{"name":"a","value":"b"',
    "SecureString ",
    "\x1b[32m",
    "%3D",
    "_ghp_",
    "-sk-",
    "sqlplus a/b@",
    "парол",
    "| password |\n|---|\n",
    "your-",
    "(password) values ('a',",
    "echo a1b2 | --password-stdin ",
    'password" { default ',
    "login a\n password ",
    "\\n",
    "password=mysecretmysecretmysecret",
)


@pytest.mark.parametrize("piece", HOSTILE)
def test_the_search_of_such_texts_ends(piece: str) -> None:
    # A search whose time grows faster than the text would exceed the time limit of a test.
    list(find_secrets(piece * ((1 << 16) // len(piece))))


WRITTEN = {
    "array of characters": (f'char api_key[] = "{DRAWN}";', DRAWN),
    "braces": (f'std::string password{{"{PASSWORD}"}};', PASSWORD),
    "property": (f'public string Password {{ get; set; }} = "{PASSWORD}";', PASSWORD),
    "string of a literal": (f'let password = String::from("{PASSWORD}");', PASSWORD),
    "bytes of a literal": (f'var jwtKey = []byte("{DRAWN}")', DRAWN),
    "make": (f"DB_PASSWORD ?= {PASSWORD}\n", PASSWORD),
    "value on the next line": (f'{{\n  "refresh_token":\n    "{DRAWN}"\n}}', DRAWN),
    "comparison": (f'if password == "{PASSWORD}":', PASSWORD),
    "setter": (f'props.put("password", "{PASSWORD}");', PASSWORD),
    "form": (f"await page.fill('#password', '{PASSWORD}')", PASSWORD),
    "typed into": (f"driver.find_element(By.ID, 'password').send_keys('{PASSWORD}')", PASSWORD),
    "variable of any key": (f'os.Setenv("STRIPE_KEY", "{DRAWN}")', DRAWN),
    "bearer of a builder": (f'.bearer_auth("{DRAWN}")', DRAWN),
    "login of a builder": (f'.basic_auth("bob", Some("{PASSWORD}"))', PASSWORD),
    "second argument": (f"jwt.sign(payload, '{DRAWN}', {{ expiresIn: '1h' }})", DRAWN),
    "first argument": (f"Fernet(b'{DRAWN}')", DRAWN),
    "salted": (f"SELECT crypt('{PASSWORD}', gen_salt('bf'));", PASSWORD),
    "wireless": (f'WiFi.begin("home", "{PASSWORD}");', PASSWORD),
    "cell of HTML": (f"<tr><th>Password</th><td>{PASSWORD}</td></tr>", PASSWORD),
    "list of properties": (f"<key>Password</key>\n<string>{PASSWORD}</string>", PASSWORD),
    "cell of Markdown": (
        f"| Setting | Value |\n|---|---|\n| DB_PASSWORD | `{PASSWORD}` |",
        PASSWORD,
    ),
    "columns": (f"NAME      PASSWORD      ROLE\nbob       {PASSWORD}   admin\n", PASSWORD),
    "column of settings": (f"NAME            VALUE\nDB_PASSWORD     {PASSWORD}\n", PASSWORD),
    "cookie of a browser": (f'{{"name":"session","value":"{DRAWN}","httpOnly":true}}', DRAWN),
    "member": (f'{{"credentials": {{"username":"bob","value":"{DRAWN}"}}}}', DRAWN),
    "oracle in Java": (f"jdbc:oracle:thin:scott/{PASSWORD}@//db:1521/XE", PASSWORD),
    "user of Oracle": (f"CREATE USER scott IDENTIFIED BY {PASSWORD};", PASSWORD),
    "braces of ODBC": (f"Driver={{ODBC Driver 18}};UID=sa;PWD={{{PASSWORD}}};", PASSWORD),
    "put into a store": (f'echo "{DRAWN}" | wrangler secret put API_TOKEN', DRAWN),
    "password file": (f"htpasswd -bc .htpasswd bob {PASSWORD}", PASSWORD),
    "login in words": (f"log in with admin / {PASSWORD} please", PASSWORD),
    "should be": (f"the env var `DB_PASSWORD` should be `{PASSWORD}`", PASSWORD),
    "in parentheses": (f"(password {PASSWORD})", PASSWORD),
    "key below": (f"My API key:\n\n{DRAWN}\n\nuse it", DRAWN),
    "answer of git": (f"Password for 'https://bob@git.orchard.test': {PASSWORD}", PASSWORD),
    "first start": (f"A temporary password is generated for root@localhost: {PASSWORD}", PASSWORD),
    "scheme of Okta": (f"Authorization: SSWS 00{DRAWN}", DRAWN),
}


@pytest.mark.parametrize(("text", "secret"), WRITTEN.values(), ids=WRITTEN)
def test_secrets_are_found_however_they_are_written(text: str, secret: str) -> None:
    found = [text[each.start : each.stop] for each in find_secrets(text)]
    assert any(secret in each for each in found)


UNWRITTEN = (
    "redis-cli -h localhost -p 6379",
    "sed -i 's/password=.*/password=REDACTED/' config",
    'if token.type == "identifier":',
    "password = String::from(input)",
    'form.set("password", "required")',
    "NAME      TOKEN TYPE    AGE\nbob       bearer        5d\n",
    "| password | string |",
    "CACHE_KEY=users-by-name-v2",
    "me({passphrase:l}:{identity:await load()})",
    "<th>Password</th><td>optional</td>",
    "the password should be strong",
    'jwt.sign(payload, "RS256")',
)


@pytest.mark.parametrize("text", UNWRITTEN)
def test_values_that_only_look_like_secrets_stay(text: str) -> None:
    assert not list(find_secrets(text))


def test_wrapped_keys_are_found_in_bytes_of_json() -> None:
    key = "sk-ant-api03-" + HEX + HEX[:29] + "AA"
    raw = json.dumps({"text": f"{key[:60]}\n{key[60:]}"}).encode()
    (found,) = find_secrets_by_form(raw)
    assert raw[found[1] : found[2]].startswith(key[:60].encode())
    assert raw[found[1] : found[2]].endswith(key[60:].encode())
