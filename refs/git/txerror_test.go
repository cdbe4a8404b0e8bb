package git

import (
	"testing"
)

func TestStaleText(t *testing.T) {
	for text, stale := range map[string]bool{
		"fatal: prepare: cannot lock ref 'r': is at 1 but expected 2\n":                                                   true,
		"fatal: prepare: cannot lock ref 'r': reference is missing but expected 2\n":                                      true,
		"fatal: prepare: cannot lock ref 'r': reference already exists\n":                                                 true,
		"fatal: prepare: cannot lock ref 'r': unable to resolve reference 'r'\n":                                          true,
		"fatal: prepare: cannot lock ref 'r': Unable to create '/x/r.lock': File exists.\n\nAnother git process seems...": true,
		"warning: x\nfatal: prepare: cannot lock ref 'r': is at 1 but expected 2\n":                                       true,
		"fatal: prepare: cannot lock ref 'r': unable to resolve reference 'r': reference broken\n":                        false,
		"fatal: prepare: cannot lock ref 'r': Unable to create '/x/r.lock': Permission denied\n":                          false,
		"fatal: prepare: cannot lock ref 'r': Unable to create '/x/r.lock': No space left on device\n":                    false,
		"fatal: prepare: cannot lock ref 'a/b': 'a' exists; cannot create 'a/b'\n":                                        false,
		"fatal: ref updates aborted by hook\n":                                                                            false,
		"fatal: r: trying to write ref 'r' with nonexistent object 1\n":                                                   false,
		"": false,
	} {
		if got := staleText(text); got != stale {
			t.Errorf("%q: %v", text, got)
		}
	}
}
