package store

import (
	"testing"

	"github.com/git-context/git-context/refs/internal/statetest"
)

// What a held merge says of its conflicts ends no program, whoever wrote the file.
func FuzzHeldConflicts(f *testing.F) {
	statetest.Fuzz(f, func(w *WaitingMerge) {
		w.status()
		for i := range w.Conflicts {
			w.settled(&w.Conflicts[i].Conflict)
		}
	},
		`{"version":1,"target":"main","merge":{"Source":"exp"},"tip":"1","conflicts":[{"path":"topics/a.md","kind":"content","base":null,"ours":"x","theirs":"y","resolved":true,"text":null}]}`,
		`{"version":1,"target":"main","remote":"origin","bundle":true,"theirs":{"refs/context/heads/main":"1"},"conflicts":[null,{"text":"x"}]}`)
}
