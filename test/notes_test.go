//go:build unix

package test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// Eight processes say a hundred things each, of the same milestone and of their
// own, while milestones are made. What others wrote into the notes before stays.
func TestNotersOnTheSameAndOnTheirOwn(t *testing.T) {
	t.Parallel()
	const writers, each = 8, 100
	w := newWorld(t)
	hash := func(rev string) string { return strings.TrimSpace(w.git("rev-parse", rev)) }
	code := hash("HEAD")
	w.git("notes", "--ref=context", "add", "-m", "somebody else's", code)
	var own [writers]string
	for n := range writers {
		w.ok("commit", "-m", fmt.Sprint("milestone ", n))
		own[n] = hash("CONTEXT_HEAD")
	}
	w.git("notes", "--ref=context", "append", "-m", "a word about it", own[0])
	shared := own[0]
	var wg sync.WaitGroup
	for n := range writers {
		wg.Go(func() {
			for i := range each {
				on := own[n]
				if i%2 == 0 {
					on = shared
				}
				w.ok("note", on, "--tag", fmt.Sprintf("w%d.%d=said", n, i), "--agent", fmt.Sprint("writer ", n))
			}
		})
	}
	wg.Go(func() {
		for i := range 20 {
			w.ok("commit", "-m", fmt.Sprint("meanwhile ", i), "--score", "0.5")
		}
	})
	wg.Wait()
	about := map[string]string{}
	for _, on := range own {
		about[on] = w.git("notes", "--ref=context", "show", on)
	}
	for n := range writers {
		for i := range each {
			on := own[n]
			if i%2 == 0 {
				on = shared
			}
			if strings.Count(about[on], fmt.Sprintf(`"key":"w%d.%d"`, n, i)) != 1 {
				t.Errorf("what writer %d said at %d is not there once", n, i)
			}
		}
	}
	if !strings.Contains(about[shared], "\na word about it\n") {
		t.Error("a line of other people is lost")
	}
	if note := w.git("notes", "--ref=context", "show", code); note != "somebody else's\n" {
		t.Errorf("another note became %q", note)
	}
	// As many notes as milestones, and the one on the code.
	if got := strings.Count(w.git("notes", "--ref=context", "list"), "\n"); got != writers+20+1 {
		t.Errorf("%d notes, not %d", got, writers+20+1)
	}
	w.sound()
}
