package index

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{" … — \x00 ", ""},
		{"The pools are running", "pool run"},
		{"aren't don't pool's it's rock'n'roll", "aren pool rock roll"},
		{"parseHTTPRequest2", "parsehttprequest2 pars http request"},
		{"HTTPServer httpserver URLs IDs", "httpserver http server httpserver url id"},
		{"MAX_TRIES __init__ _x_", "max_tries max tri init x"},
		{"refs/git/names.go:12", "refs/git/names.go ref git names.go name go 12"},
		{"std::mutex a: b", "std::mutex std mutex b"},
		{"v1.4 sha256 i18n 500 7", "v1.4 v1 sha256 sha 256 i18n 18 500 7"},
		{"store.HTTPServer", "store.httpserver store httpserver http server"},
		{"3fa9c1d2 01JD5K0Z3V7Q3M9K", "3fa9c1d2 01jd5k0z3v7q3m9k"},
		{"--flag ./path/ foo...", "flag path foo"},
		{"well-kept to_be", "well-kept well kept to_be"},
		{"café CAFE\u0301 ﬁle Ёлка", "cafe cafe file елка"},
		{"don’t pool’s", "pool"},
		{"使用连接池 池 pool连接", "使用 用连 连接 接池 池 pool 连接"},
		{"コネクション", "コネ ネク クシ ショ ョン"},
		{strings.Repeat("x", 70), strings.Repeat("x", 64)},
		{"bad \xff utf\xff8", "bad utf 8"},
	} {
		if got := strings.Join(Tokens(c.text), " "); got != c.want {
			t.Errorf("Tokens(%q)\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// What is remembered of a word changes nothing.
func TestTokenizerRemembers(t *testing.T) {
	t.Parallel()
	text := "parseHTTPRequest2 refs/git/names.go café 使用连接池 pool " + strings.Repeat("y", 2000) + strings.Repeat("é", 1500)
	kept := NewTokenizer()
	for range 3 {
		if got, want := kept.tokens(text), Tokens(text); !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
}

func FuzzTokens(f *testing.F) {
	f.Add("The pools aren't running parseHTTPRequest2 refs/git/names.go:12")
	f.Add("café 使用连接池 don’t \xff\x00 ::a::b")
	f.Add(strings.Repeat("é", 600) + strings.Repeat("ab_", 700))
	f.Fuzz(func(t *testing.T, text string) {
		list := Tokens(text)
		for _, term := range list {
			if term == "" || len(term) > 2*maxTerm || term != strings.ToLower(term) || !utf8.ValidString(term) {
				t.Errorf("term %q of %q", term, text)
			}
		}
		if again := Tokens(text + " " + text); !slices.Equal(again, append(list, list...)) {
			t.Errorf("twice %q: %q, once: %q", text, again, list)
		}
	})
}
