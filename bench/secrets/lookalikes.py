"""Texts without a secret that look as if they had one: hashes, ids, placeholders, code, labels."""

from __future__ import annotations

import json
from collections.abc import Iterator

from bench.secrets.values import ALNUM, BASE64, HEX, Dice

NAMES = ("DB_PASSWORD", "API_KEY", "SECRET_KEY", "AUTH_TOKEN", "SMTP_PASS", "CLIENT_SECRET")
PLACEHOLDERS = (
    "<password>",
    "${DB_PASSWORD}",
    "$DB_PASSWORD",
    "your-api-key-here",
    "xxxxxxxx",
    "changeme",
    "***",
    "********",
    "{{ vault_password }}",
    "%(password)s",
    "[REDACTED]",
    "<your-token>",
    "REPLACE_ME",
    "TODO",
    "...",
    "example",
    "YOUR_SECRET",
    "$(cat /run/secrets/db)",
    "{password}",
    "insert-key-here",
    "null",
    "true",
    "''",
    '""',
    "%PASSWORD%",
    "secret",
    "password",
    "placeholder",
    "enter-your-password",
    "my-secret-key",
    "<REDACTED>",
    "{{.Password}}",
    "#{ENV['PASS']}",
)
CODE = (
    "password: str",
    "password: Optional[str] = None",
    "password = getpass()",
    "token: string;",
    'password = os.environ["DB_PASSWORD"]',
    "const token = process.env.API_TOKEN;",
    "token_count=4096",
    "max_tokens: 4096",
    'password_field = "password"',
    '"password": null',
    '"password": true',
    '"password": ""',
    "def login(user, password):",
    "if password != other:",
    "return hash_password(password)",
    "password=password,",
    "token=self.token)",
    'parser.add_argument("--password", help="the password to use")',
    "secret = config.secret",
    "const { password, token } = req.body;",
    "password: { type: String, required: true },",
    "password: z.string().min(8),",
    "token = request.headers.get('X-Auth-Token')",
    "private String password;",
    'let api_key = env::var("API_KEY")?;',
    "apiKey: config.apiKey,",
    "SECRET_KEY = os.getenv('SECRET_KEY', '')",
    "password = models.CharField(max_length=128)",
    '@Column(name = "password")',
    "SELECT password FROM users WHERE id = ?",
    "user.password = nil",
    "token = jwt.encode(payload, key)",
    "if (!token) throw new Error('no token');",
    "password_hash = bcrypt.hashpw(password, salt)",
    "export TOKEN=$(gh auth token)",
    "PASSWORD=$(pass show db/prod)",
    'password="$1"',
    "read -s -p 'Password: ' password",
    "kubectl get secret db-password -o yaml",
    "secretName: db-credentials",
    "secrets: inherit",
    "GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}",
    "docker login --password-stdin",
    "eos_token = '<|endoftext|>'",
    "pad_token: '[PAD]'",
    "next_page_token = response.next_page_token",
    "csrf_token = form.csrf_token.data",
    "token_type: bearer",
    '"token_type": "Bearer",',
    "Authorization: Bearer <token>",
    "Authorization: Basic ${AUTH}",
    "cookie: ${req.headers.cookie}",
    "document.cookie = name + '=' + value",
    '<input type="password" name="password">',
    "#password-field { color: red; }",
    ".token.keyword { color: #07a; }",
    '<label for="password">Password</label>',
    "grep -rn password src/",
    "passwd: files systemd",
    "The password is required.",
    "Your password is too short, use 8 characters.",
    "the token is invalid or expired",
    "A secret is stored in the vault.",
    "Forgot password?",
    "Password must be at least 8 characters",
    "password is stored as a hash",
    "pass: 12, fail: 3",
    "tests passed: 41",
    "pass=True",
    "3 pass, 0 fail",
    "keyboard: qwertz",
    "primary_key=True",
    "foreign_key: users.id",
    "cache_key = f'user:{id}'",
    "key: value",
    "partition_key: tenant_id",
    "public_key: ssh-ed25519",
    "monkey = 'banana'",
    "turkey: sandwich",
    "basic auth is enabled",
    "mysql -u root -p",
    "psql -U app -h localhost",
    'curl -u "$USER:$PASS" https://x.test',
    "ssh -p 2222 host",
    "mkdir -p build/out",
    "docker run -p 8080:80 nginx",
    "redis-cli -a $PASS",
    "cp -a src dst",
    "DATABASE_URL=postgres://localhost:5432/app",
    "API_URL=https://api.x.test/v1",
    "https://user:password@host.test/x",
    "redis://localhost:6379/0",
    "git@github.com:ida/a.git",
    '"passwordResetUrl": "/auth/reset-password"',
    "token: Token | None",
    "pwd",
    "cd $(pwd)",
    "PWD=/home/ida/src/orchard",
    "OLDPWD=/tmp",
    "pwd = os.getcwd()",
    "password: Annotated[str, Body()]",
    "class PasswordField(forms.Field):",
    "from app.secrets import token_hex",
    "token = next(tokens)",
    "private_key = ec.generate_private_key(curve)",
    "-----BEGIN CERTIFICATE-----",
    "api_key: &str,",
    'password := os.Getenv("PASSWORD")',
    "token, err := auth.Token(ctx)",
    "fn token(&self) -> &str",
    "passwordInput.value = ''",
    "resetPassword: 'Reset your password',",
    '"secret": {"name": "db"}',
    "type: kubernetes.io/basic-auth",
    "session=requests.Session()",
    "session: Session = Depends(db)",
    "with_session(session_id=42)",
    "auth: required",
    "auth=None",
    "auth: { enabled: true }",
    "credentials: 'include'",
    "credentials = load_credentials(path)",
    "sig = inspect.signature(fn)",
)
LABELS = (
    ("password", "Password"),
    ("password", "Passwort"),
    ("forgotPassword", "Forgot password?"),
    ("password", "Enter your password"),
    ("password", "string"),
    ("token", "string"),
    ("apiKey", "API key"),
    ("secret", "Secret"),
    ("confirmPassword", "Passwords must match"),
    ("type", "password"),
    ("password", "required|min:8"),
    ("token", "The access token"),
    ("newPassword", "Neues Passwort"),
    ("password", "Contraseña"),
    ("password", "Mot de passe"),
    ("passwordHint", "At least 12 characters"),
    ("auth", "basic"),
    ("auth", "oauth2"),
    ("token", "access_token"),
    ("password", "{{password}}"),
    ("api_key", "not set"),
    ("secret", "my-app-secret"),
    ("password", "is required"),
    ("session", "default"),
    ("cookie", "accepted"),
    ("key", "value"),
    ("token", "identifier"),
    ("pass", "true"),
)


def lookalikes(seed: int) -> Iterator[tuple[str, str]]:
    """Their kinds and texts."""
    dice = Dice(seed)
    for size, kind in ((32, "md5"), (40, "sha1"), (64, "sha256"), (128, "sha512"), (7, "git")):
        for around in ("commit {}", "{}  dist/app.tar.gz", '{{"hash": "{}"}}', "etag: {}", "id={}"):
            yield kind, around.format(dice(size, HEX))
    for around in ("id: {}", '{{"uuid": "{}"}}', "request {} done", "/v1/jobs/{}", "trace_id={}"):
        yield "uuid", around.format(dice.uuid())
    for number, text in enumerate(PLACEHOLDERS):
        name = NAMES[number % len(NAMES)]
        yield "placeholder", f"{name}={text}"
        yield "placeholder", f"export {name}={text}\nmake"
        yield "placeholder", f"{name.lower()}: {text}"
        yield "placeholder", json.dumps({name.lower(): text.strip("\"'")})
        yield "placeholder", f"{name.lower()} = {json.dumps(text.strip(chr(34)))}"
    for text in CODE:
        yield "code", text
        yield "code", f"    12\t{text}\n    13\t"
    for name, label in LABELS:
        yield "label", json.dumps({name: label}, ensure_ascii=False)
        yield "label", f"  {name}: '{label}',"
    for _ in range(10):
        yield "integrity", f'"integrity": "sha512-{dice(86, BASE64)}=="'
        yield "integrity", f"    --hash=sha256:{dice(64, HEX)} \\"
        yield "image", f"data:image/png;base64,iVBORw0KGgo{dice(300, BASE64)}="
        yield "public key", f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA{dice(44, BASE64)} ida@x"
        yield "id", json.dumps({"id": f"msg_01{dice(22)}", "model": "m-4"})
        yield "id", json.dumps({"tool_use_id": f"toolu_01{dice(22)}", "input_tokens": 731})
        yield "mapbox public", f"pk.eyJ1Ijoi{dice(60, ALNUM)}.{dice(22)}"
        yield "version", f"token-parser@{dice(1, '123')}.{dice(2, '123')}.0 resolved"
        yield "path", f"/home/ida/.cache/secret-{dice(12, HEX)}/password.txt"
