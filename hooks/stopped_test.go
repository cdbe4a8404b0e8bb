package hooks_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/git-context/git-context/hooks"
)

// Where it was stopped the next one goes on: forwards, or back.
func TestStoppedHalfway(t *testing.T) {
	t.Parallel()
	const theirs = "#!/usr/bin/awk -f\nBEGIN { exit 3 }\n"
	states := map[string]func(w *world){
		"under both names": func(w *world) {
			w.write("kept-by-git-context/pre-push", theirs, 0o755)
			w.remove("pre-push")
			if err := os.Link(w.path("kept-by-git-context/pre-push"), w.path("pre-push")); err != nil {
				w.t.Fatal(err)
			}
		},
		"under its new name alone": func(w *world) {
			w.write("kept-by-git-context/pre-push", theirs, 0o755)
			w.remove("pre-push")
		},
		"a file being written": func(w *world) { w.write(".pre-push.git-context-tmp", "#!/b", 0o755) },
	}
	for name, stop := range states {
		for _, forwards := range []bool{true, false} {
			t.Run(fmt.Sprint(name, forwards), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, ".git/hooks")
				w.write("pre-push", theirs, 0o755)
				before := w.snapshot()
				stop(w)
				if forwards {
					w.install()
					if state, _ := w.state("pre-push"); state != hooks.StateKept {
						t.Errorf("it is %s", state)
					}
				}
				w.uninstall()
				w.same(before, "uninstall")
			})
		}
	}
}

// A link is kept as a copy: the same holds.
func TestLinkStoppedHalfway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ".git/hooks")
	w.write("../../hook", "#!/bin/sh\n", 0o755)
	w.link("../../hook", "pre-push")
	before := w.snapshot()
	if err := os.Mkdir(w.path("kept-by-git-context"), 0o777); err != nil {
		t.Fatal(err)
	}
	w.link("../../../hook", "kept-by-git-context/pre-push")
	halfway := w.snapshot()
	w.uninstall()
	w.same(before, "uninstall")
	if err := os.Mkdir(w.path("kept-by-git-context"), 0o777); err != nil {
		t.Fatal(err)
	}
	w.link("../../../hook", "kept-by-git-context/pre-push")
	w.same(halfway, "again")
	w.install()
	w.uninstall()
	w.same(before, "install and uninstall")
}
