package render

import (
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
)

// What a view of the past says of itself, for each way that it may be found.
func TestPast(t *testing.T) {
	code, ancestor := git.ID(strings.Repeat("c", 40)), git.ID(strings.Repeat("a", 40))
	memory := git.ID(strings.Repeat("5", 40))
	for _, tt := range []struct {
		at   store.At
		want string
	}{
		{store.At{By: history.AtMemory, Asked: memory, Rev: "5555"}, "memory commit 5555555555"},
		{store.At{By: history.AtMemory, Asked: memory, Rev: "main~2"}, "memory commit 5555555555 (main~2)"},
		{store.At{By: history.AtTime, Asked: memory, Rev: "exp"}, "memory commit 5555555555 (exp), as the newest that is not younger"},
		{store.At{By: history.AtLink, Asked: code, Code: &code, Linked: &code, Rev: "v1.4"}, "code commit cccccccccc (v1.4), to which it belongs"},
		{store.At{By: history.AtAncestor, Asked: code, Code: &code, Linked: &ancestor, Rev: "v1.4"},
			"code commit cccccccccc (v1.4), to whose ancestor aaaaaaaaaa it belongs"},
		{store.At{By: history.AtTime, Asked: code, Code: &code, Rev: "\x1b[2J"}, "code commit cccccccccc (^[[2J), as the newest that is not younger"},
	} {
		tt.at.Commit, tt.at.Time = memory, now
		text := show(func(p *Printer) { p.writePast(&tt.at) }, false)
		if !strings.HasSuffix(text, "\n- through: "+tt.want+"\n") {
			t.Errorf("want %q in:\n%s", tt.want, text)
		}
	}
}

// A view of the past leads on to views of the past, whatever it was asked by.
func TestPastCommands(t *testing.T) {
	v := Snapshot{Branch: "main", At: &store.At{Rev: ":/it's new"}, Topics: []Topic{{store.Topic{Key: "k"}, strings.Repeat("long ", 500)}}}
	v.Limit(150)
	text := show(v.Text, false)
	for _, want := range []string{
		"'git context --budget 0 --at ':/it'\\''s new''",
		": git context topic k --at ':/it'\\''s new']\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in:\n%s", want, text)
		}
	}
}
