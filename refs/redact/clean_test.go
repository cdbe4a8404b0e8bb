package redact

import "strings"

// clean returns texts that contain no secret.
func clean() []string {
	lines := strings.Split(strings.Trim(cleanLines, "\n"), "\n")
	m := newMaker()
	for _, form := range []string{"commit %s", "sha256:%s", "digest %s", "%s  file.tar.gz", "git show %s^{tree}", "etag: \"%s\"", "-  rev: %s", "ref: %s"} {
		for _, n := range []int{40, 64} {
			lines = append(lines, strings.ReplaceAll(form, "%s", m.of(hex, n)))
		}
	}
	for _, form := range []string{"toolu_%s", "call_%s", "msg_%s", "ses_%s", "req_%s", "\"tool_use_id\":\"toolu_%s\"", "{\"token\":\"call_%s\"}", "\"integrity\": \"sha512-%s==\"",
		"golang.org/x/mod v0.1.0 h1:%s=", "token: sha256-%s", "uploads/%s/picture.png", "https://docs.example.org/d/%s/edit", "next_page_token=%s", "\"nextPageToken\": \"%s\"",
		"csrf_token = \"%s\"", "public_key = \"%s\"", "token_id: %s", "key: %s", "\"credentialsId\": \"%s\""} {
		lines = append(lines, strings.ReplaceAll(form, "%s", m.of(base62, 24)))
	}
	for range 5 {
		lines = append(lines, "session "+m.uuid(), "id: "+strings.ToUpper(m.of(base36, 26)))
	}
	return lines
}

const cleanLines = `
the token expires after 30 minutes
The password must have eight characters.
token = getToken()
token := s.newToken(ctx, 30)
password: string
password: str = Field(...)
apiKey == ""
if apiKey == "none" { return }
secret = config.secret
secret = os.Getenv("API_SECRET")
os.Getenv("API_TOKEN")
token := os.Getenv("GITHUB_TOKEN")
const token = process.env.GITHUB_TOKEN
api_key = settings.OPENAI_API_KEY
password = args.password
token=$TOKEN
token=${TOKEN}
TOKEN=$(gh auth token)
password: "{{ vault_password }}"
password: <password>
api_key: your-api-key-here
API_KEY=YOUR_API_KEY
API_KEY="sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
token: ****************
token: xxxxxxxxxxxxxxxxxxxx
password=changeme
password: changeme123
secret: dummy-secret-value
client_secret: example-secret-1234
token = "REDACTED"
token = "[redacted:token]"
export GITHUB_TOKEN=[redacted:github-token]
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
Authorization: Bearer ${API_TOKEN}
Authorization: Basic ...
curl -u user:password https://example.org
curl -u "$USER:$PASS" https://example.org
curl --user ada https://example.org
https://user:password@example.org/
https://user:pass@example.org/
https://${USER}:${PASSWORD}@example.org/
https://ada@example.org/
postgres://postgres:postgres@localhost:5432/test
ssh://git@github.com:22/x/y.git
git@github.com:x/y.git
http://localhost:8080/a@b
max_tokens: 128000
"max_tokens": 4096,
"input_tokens":18234,"output_tokens":512,"cache_read_input_tokens":100000
tokens used: 123456
total_token_count = 1234567890
tokenizer = AutoTokenizer.from_pretrained("gpt2")
tokenize(text)
func (t *Tokenizer) Next() token.Token
case token.IDENT:
token.Pos(42)
go/token: "v1.2.3"
import { getToken } from "./auth/token-store"
import token_urlsafe
secretName: my-app-tls
secretKeyRef:
  secretRef: name
kind: SecretStore
imagePullSecrets: regcred
key_id = "1234"
primaryKey: id
keyboard: us-intl
monkey: george
"key": "value"
foreign_key = "user_id"
sort_key: created_at
keyPath = "/etc/ssl/private/key.pem"
private_key_path: ./keys/id_ed25519
ssh-keygen -t ed25519 -f id_ed25519
IdentityFile ~/.ssh/id_rsa
cat /etc/passwd
passwd: files systemd
pwd: /home/dev/project/build-x86_64-v2
cd $(pwd)/out-2024-11-23
--- PASS: TestTokenRefresh/v2_with_retry_3x (0.00s)
PASS: 0x803100AB
=== RUN   TestAuth_token
=== RUN   TestSecret/b64_v1x2
ok  	github.com/x/y/auth	0.123s
pass: true
bypass_auth = true
passed=12 failed=0
compass: north
passenger: "b12x9"
passthrough: "a1b2c3d4"
author: ada@example.org
authority = "localhost:8443"
authors = ["Ada Lovelace"]
authenticate(user)
auth: { type: "oauth2" }
oauth2_client = OAuth2Client(client_id)
"auth_provider": "github-oauth2-v3"
"scope": "repo:read"
bearer of good news
Bearer authentication is required
WWW-Authenticate: Bearer realm="https://auth.docker.io/token"
credential.helper=store
credentials: include
credential_source = Ec2InstanceMetadata
-----BEGIN CERTIFICATE-----
-----BEGIN PUBLIC KEY-----
-----BEGIN RSA PRIVATE KEY----- is how it begins
grep -n "BEGIN PRIVATE KEY" *.pem
sk-learn is not scikit-learn
task-runner-for-everything-we-do-in-the-project
risk-assessment-of-the-new-deployment-pipeline-v2
desk-booking-service-integration-tests-for-2024-q4
hf_transfer is enabled
npm_config_registry=https://registry.npmjs.org
npm_lifecycle_event=test
github_pat_ is the prefix of fine-grained tokens
ghp_ and gho_ are prefixes
ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
AKIAIOSFODNN7EXAMPLE
AKIAXXXXXXXXXXXXXXXX
API-DOCUMENTATION
SKIPPED
SKILL.md
s.ReadUint16LengthPrefixed(&extensions)
s.Transaction.BuildCommitWithMetadata
pattern.match(string)
path.join(root)
sha256WithRSAEncryption
TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256
claude-3-5-sonnet-20241022
gpt-4o-mini-2024-07-18
model: claude-opus-4-20250514
version: v1.25.3-rc.1+build.20241123
2026-11-21T01:37:05.123456789Z
1700000000000000000
192.168.100.200:8443
fe80::1ff:fe23:4567:890a
0xDEADBEEFCAFEBABE
#ff8800
/home/dev/.cache/go-build/a1/a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4-d
/tmp/TestFoo123456789/001/repo
C:\Users\dev\AppData\Local\Temp\x1y2z3
src/components/TokenList.test.tsx
refs/context/heads/main@{3}
eyJ is how a token begins
://
://user:
"password": "",
"password": null,
"password": true
password = None
"password": "Enter your password"
"passwordPlaceholder": "At least 8 characters"
forgotPassword: "/reset/v2"
resetPasswordUrl=https://example.org/reset
password_hash: $2b$12$abcdefghijklmnopqrstuv
hashed_password = bcrypt.hashpw(password)
assert token != other_token
token === undefined
token: T_STRING
Token::Ident(name)
type Token struct
token?: string
access_token,refresh_token,id_token
"token_type":"Bearer"
"expires_in":3600
api_key: Optional[str] = None
apiKey: process.env.KEY ?? ""
with:
  token: ${{ secrets.GITHUB_TOKEN }}
  password: ${{ secrets.NPM_TOKEN }}
env: API_KEY
secret/data/my-app
secrets.token_hex(16)
secret_length = X25519.secret_length
--token-file /run/secrets/token
--password-stdin
-u root
docker run -u 1000:1000 -e TOKEN
curl -sSL -u root
see docs/auth.md#tokens
The secret: never give up
API key: required
progressToken: 4b0749af-574b-40df-b509-ad004fa84b7f
`
