package prose_test

import (
	"testing"

	"github.com/git-context/git-context/refs/prose"
)

// A command that is pasted says what was meant, whatever the names in it.
func TestShellWord(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"v1.4": "v1.4", "main~2": "main~2", "HEAD^": "HEAD^", "~x": "'~x'", "main@{1}": "'main@{1}'", "$(id)": "'$(id)'", "a b": "'a b'", "": "''",
		"o'r$x": `'o'\''r$x'`, "a=b": "a=b",
	} {
		if got := prose.ShellWord(word); got != want {
			t.Errorf("prose.ShellWord(%q) = %s, want %s", word, got, want)
		}
	}
}
