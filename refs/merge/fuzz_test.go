package merge

import (
	"testing"

	"github.com/git-context/git-context/refs/internal/statetest"
	"github.com/git-context/git-context/refs/store"
)

// What a held merge says of its conflicts ends no program, whoever wrote the file.
func FuzzHeldConflicts(f *testing.F) {
	statetest.Fuzz(f, func(w *store.WaitingMerge) {
		status(w)
		for i := range w.Conflicts {
			resolution(w, &w.Conflicts[i].Conflict)
		}
	},
		`{"version":1,"target":"main","merge":{"Source":"exp"},"tip":"1","conflicts":[{"path":"topics/a.md","kind":"content","base":null,"ours":"x","theirs":"y","resolved":true,"text":null}]}`,
		`{"version":1,"target":"main","remote":"origin","bundle":true,"theirs":{"refs/context/heads/main":"1"},"conflicts":[null,{"text":"x"}]}`)
}
