package hooks

import (
	"strings"
	"testing"
)

// A text that got the block is itself again without it.
func FuzzInsert(f *testing.F) {
	for _, text := range []string{"", "\n", "#!/bin/sh\n", "#!/bin/sh", "#!/bin/sh\n. _/husky.sh\nexit\n", ". x/_/husky.sh", "echo\r\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if s := parse(text); s.hasBlock() || s.damaged {
			return
		}
		for _, event := range Events() {
			with := insert(text, event)
			if text != "" && !strings.HasPrefix(with, text[:1]) && text[0] == '#' {
				t.Errorf("the first line of %q went", text)
			}
			s := parse(with)
			if strings.HasPrefix(text, "#!") && !strings.Contains(text, "\n") {
				continue // never edited, see isShell
			}
			if !s.hasBlock() || s.damaged || s.without() != text || s.block != block(event, removesBlock, false) {
				t.Errorf("%s in %q: %+v", event, text, s)
			}
		}
	})
}
