package store_test

import (
	"testing"

	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/store"
)

// A text is of this clone if name and email are, and of nobody here without an identity.
func TestAuthored(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s := r.Open() // Ada's
	for _, c := range []struct {
		name, email, agent, want string
		foreign                  bool
	}{
		{"Ada", "ADA@example.com", "codex", "codex", false},
		{"Ada", "eve@example.com", "Ada", "Ada", true},
		{"Eve", "ada@example.com", "Eve", "Eve", true},
		{"Zoë Ü", "z@example.com", "codex", "codex of Zoë Ü", true},
		{"Eve", "e", "", "Eve", true},
	} {
		by := memtest.OK(s.By(t.Context(), c.name, c.email))(t)
		if *by.Author != c.name+" <"+c.email+">" || *by.Foreign != c.foreign || by.Name(c.agent) != c.want {
			t.Errorf("%+v: %s, foreign %v, named %q", c, *by.Author, *by.Foreign, by.Name(c.agent))
		}
	}
	if got := (store.Authored{}).Name("codex"); got != "codex" {
		t.Errorf("unknown: named %q", got)
	}
	r.Env = append(r.Env, "GIT_COMMITTER_NAME=", "GIT_COMMITTER_EMAIL=")
	if by := memtest.OK(r.Open().By(t.Context(), "", ""))(t); !*by.Foreign {
		t.Error("without an identity a text is one's own")
	}
}
