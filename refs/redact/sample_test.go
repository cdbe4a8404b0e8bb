package redact

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// sample is a text with a secret, and the secret.
type sample struct{ kind, text, secret string }

// The alphabets of made secrets. Tests compose each secret at run time, because hosts of
// repositories refuse a push that contains the form of a real one.
const (
	small  = "abcdefghijklmnopqrstuvwxyz"
	digits = "0123456789"
	hex    = digits + "abcdef"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	base36 = small + digits
	base62 = base36 + upper
	dashes = base62 + "-_"
)

// maker makes random texts, always the same.
type maker struct{ r *rand.Rand }

func newMaker() maker { return maker{rand.New(rand.NewPCG(1, 2))} }

func (m maker) of(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[m.r.IntN(len(alphabet))]
	}
	return string(b)
}

func (m maker) uuid() string {
	return m.of(hex, 8) + "-" + m.of(hex, 4) + "-" + m.of(hex, 4) + "-" + m.of(hex, 4) + "-" + m.of(hex, 12)
}

// tokens returns a token of each form of the table of providers: made from its shape, so
// that no row is forgotten.
func (m maker) tokens() (all []sample) {
	for i := range providers {
		row := &providers[i]
		secret := m.shape(row.before) + row.anchor + m.shape(row.shape)
		if row.keep {
			secret = secret[len(row.anchor):]
			all = append(all, sample{row.kind, "to https://" + row.anchor + secret + " twice", secret})
			continue
		}
		all = append(all, sample{row.kind, "it said " + secret + " twice", secret})
	}
	return all
}

// shape makes a text of a shape.
func (m maker) shape(shape string) string {
	alphabets := map[byte]string{'d': digits, 'h': hex, 'l': base36, 'U': upper + digits, 'w': base62, 'n': base62 + "_", 'W': base62 + "-", 'b': base62 + "/", 'B': base62, 'p': base62, 't': base62 + "~"}
	var b strings.Builder
	for shape != "" {
		if alphabet := alphabets[shape[0]]; alphabet != "" && isWordShape(shape) {
			least, _, rest := bounds(shape[1:])
			b.WriteString(m.of(alphabet, least-1) + m.of(alphabet[:10], 1)) // the last is no dash
			shape = rest
			continue
		}
		b.WriteByte(shape[0])
		shape = shape[1:]
	}
	return b.String()
}

// secrets returns texts that contain a secret.
func secrets() []sample {
	m := newMaker()
	return append(append(m.tokens(), m.assignments()...), m.others()...)
}

// assignments returns names with values.
func (m maker) assignments() (all []sample) {
	forms := []struct{ kind, format string }{
		{"token", `token = "%s"`}, {"token", `ACCESS_TOKEN=%s`}, {"token", `export SERVICE_TOKEN='%s'`}, {"token", `authToken: %s`},
		{"token", `{"refresh_token":"%s","n":1}`}, {"token", `{\"token\":\"%s\"}`}, {"token", `"{\\\"token\\\":\\\"%s\\\"}"`},
		{"token", `curl -H "X-Auth-Token: %s" localhost`}, {"token", `run --token %s --verbose`}, {"token", `run --auth-token=%s`},
		{"token", `//registry.npmjs.org/:_authToken=%s`}, {"token", `https://h.io/x?access_token=%s&page=2`}, {"token", "<apiToken>%s</apiToken>"},
		{"token", "var token string = `%s`"}, {"token", `token: str = "%s"`}, {"token", `my_token_prod := "%s"`}, {"token", "token: |\n  %s\n"},
		{"token", `System.setProperty("API_TOKEN", "%s")`}, {"token", `- name: API_TOKEN` + "\n" + `  value: %s`},
		{"token", `{"name": "API_TOKEN", "value": "%s"}`}, {"token", `<add key="Token" value="%s"/>`}, {"token", `os.environ["API_TOKEN"] = "%s"`},
		{"token", `token=%s` + `\nnext=1`}, {"token", `config.token => '%s'`}, {"token", `TOKEN ?= %s`},
		{"secret", `client_secret: "%s"`}, {"secret", `clientSecret=%s`}, {"secret", `AWS_SECRET_ACCESS_KEY=%s`}, {"secret", `"webhook-secret": "%s"`},
		{"secret", `secret = b"%s"`}, {"secret", `mySecretString = %s`}, {"secret", `APP_SECRETS=%s`},
		{"key", `api_key: %s`}, {"key", `X-API-Key: %s`}, {"key", `apiKey: '%s'`}, {"key", `API KEY: %s`}, {"key", `AccountKey=%s;Endpoint=x`},
		{"key", `encryption_key = "%s"`}, {"key", `signing-key: %s`}, {"key", `--api-key %s`}, {"key", `DATADOG_APP_KEY="%s"`},
		{"credential", `credentials: "%s"`}, {"credential", `creds = %s`}, {"authorization", `Authorization: %s`},
		{"authorization", `authorization: Bearer %s`}, {"authorization", `"Authorization": "Bearer %s"`}, {"authorization", `curl -H 'Authorization: token %s'`},
		{"authorization", `it sent Bearer %s to the server`}, {"authorization", `"user_auth": "%s"`},
	}
	for i, form := range forms {
		secret := m.of([]string{base62, hex, base36, dashes}[i%4], 24+i%17)
		if i%4 == 3 {
			secret = m.of(base62, 8) + "-4" + m.of(base62, 8) + "7" + m.of(base62, 7)
		}
		all = append(all, sample{form.kind, fmt.Sprintf(form.format, secret), secret})
	}
	uuid := m.uuid()
	all = append(all, sample{"key", "HEROKU_API_KEY=" + uuid, uuid}, sample{"token", `"token":"` + uuid + `"`, uuid})
	for i, form := range []string{`password: %s`, `DB_PASSWORD=%s`, `"password":"%s"`, `Server=db;User Id=sa;Password=%s;Encrypt=yes`, `pwd='%s'`, `--password %s`,
		`jdbc:postgresql://db/x?user=u&password=%s`, `passphrase = "%s"`, `PG_PASS=%s`, `user_pass: "%s"`, `<password>%s</password>`, `spring.datasource.password=%s`} {
		secret := m.of(base36, 4) + "7" + m.of("!#^", 1) + m.of(base62, 4+i%3) + "5"
		all = append(all, sample{"password", fmt.Sprintf(form, secret), secret})
	}
	return all
}

// others returns secrets of the other rules.
func (m maker) others() (all []sample) {
	add := func(kind, before, secret, after string) {
		all = append(all, sample{kind, before + secret + after, secret})
	}
	for _, form := range []string{"https://ada:%s@git.example.org/x.git", "postgres://app:%s@db:5432/main", `"redis://:%s@cache:6379/0"`, "amqp://u:%s@[::1]/", "git clone https://oauth2:%s@h/x"} {
		secret := m.of(base62, 14)
		all = append(all, sample{"url-password", fmt.Sprintf(form, secret), secret})
	}
	add("url-password", "https://", m.of(base62, 30), "@git.example.org/x")
	for _, form := range []string{"curl -u ada:%s https://h", "curl -s --user 'ada:%s' https://h", `curl --user ada:"%s" h`, `curl -X POST \` + "\n" + ` --user=ada:%s`} {
		secret := m.of(base62, 12)
		all = append(all, sample{"password", fmt.Sprintf(form, secret), secret})
	}
	add("authorization", "Authorization: Basic ", "YWRhOmxvdmVsYWNl", "")
	part := "ey" + "J" + m.of(base62, 30)
	add("jwt", "it was ", part+"."+part+"."+m.of(dashes, 42)+"x", ".")
	add("jwt", "cookie: session=", part+"."+part+".", "")
	add("jwt", "(", part+".."+m.of(base62, 16)+"."+m.of(base62, 40)+"."+m.of(base62, 22), ")")
	add("signature", "https://x.blob.core.windows.net/c?sp=r&sig=", m.of(base62, 40)+"%2Fx%3D", "&se=1")
	begin, end := "-----BEGIN RSA "+"PRIVATE KEY-----", "-----END RSA "+"PRIVATE KEY-----"
	body := m.of(base62, 64) + "\n" + m.of(base62, 64) + "\n" + m.of(base62, 20) + "=="
	add("private-key", begin+"\n", body, "\n"+end)
	add("private-key", `{"key":"`+begin+`\n`, strings.ReplaceAll(body, "\n", `\n`), `\n`+end+`\n"}`)
	add("private-key", begin+" ", strings.ReplaceAll(body, "\n", " "), " "+end)
	add("private-key", begin+"\n", body[:129], "\nand so on")
	add("private-key", begin+"\n", "Proc-Type: 4,ENCRYPTED\n\n"+body, "\n"+end)
	add("private-key", "PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 2\n", body[:129], "\nPrivate-MAC: 00")
	add("private-key", "key: ", "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQ"+m.of(base62, 80), "\n")
	add("secret", "kind: Secret\nmetadata:\n  name: x\ndata:\n  extra: ", m.of(base62, 24), "\n")
	add("secret", "data:\n  extra: ", m.of(base62, 24), "\nkind: Secret\n")
	return all
}
