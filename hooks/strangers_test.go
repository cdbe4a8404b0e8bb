package hooks_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-context/git-context/hooks"
)

// What stands where a hook of ours did holds nothing of ours, and is in nobody's way.
func TestUninstallAmongOthers(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	for name, make := range map[string]func(path string) error{
		"a directory":        func(path string) error { return os.Mkdir(path, 0o777) },
		"a link out":         func(path string) error { return os.Symlink(outside, path) },
		"a link to nothing":  func(path string) error { return os.Symlink("nothing", path) },
		"a link to a folder": func(path string) error { return os.Symlink("..", path) },
	} {
		w := newWorld(t, ".git/hooks")
		w.install()
		w.remove(hooks.PrePush)
		if err := make(w.path(hooks.PrePush)); err != nil {
			t.Fatal(err)
		}
		if changes := w.uninstall(); len(changes) != 4 {
			t.Errorf("%s: %+v", name, changes)
		}
		if _, err := os.Lstat(w.path(hooks.PrePush)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What may be ours and cannot be taken out keeps all of it, in every place.
func TestUninstallAllOrNothing(t *testing.T) {
	t.Parallel()
	one, two := newWorld(t, ".git/hooks"), newWorld(t, ".git/hooks")
	one.install()
	two.install()
	two.write(hooks.PrePush, "#!/bin/sh\n# git-context: end\n", 0o755)
	beforeOne, beforeTwo := one.snapshot(), two.snapshot()
	changes, err := hooks.Uninstall(one.place, two.place)
	var refused *hooks.Error
	if len(changes) > 0 || !errors.As(err, &refused) || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("%+v, %v", changes, err)
	}
	one.same(beforeOne, "a refused uninstall")
	two.same(beforeTwo, "a refused uninstall")
}

// A link out of the repository that leads to the call is installed by hand.
func TestLinkOutByHand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ".git/hooks")
	path := filepath.Join(t.TempDir(), "hook")
	if err := os.WriteFile(path, []byte("#!/bin/sh\ngit context hook pre-push \"$@\" || :\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	w.link(path, hooks.PrePush)
	w.install()
	if state, _ := w.state(hooks.PrePush); state != hooks.StateInstalled {
		t.Errorf("it is %s", state)
	}
	if target, err := os.Readlink(w.path(hooks.PrePush)); err != nil || target != path {
		t.Errorf("'%s', %v", target, err)
	}
}

// Who turned hooks off knows it.
func TestTurnedOff(t *testing.T) {
	t.Parallel()
	list, err := hooks.Status(hooks.Place{Dir: os.DevNull, Roots: []string{t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range list {
		if h.State != hooks.StateMissing || h.Reason != "" {
			t.Errorf("%+v", h)
		}
	}
	if changes, err := hooks.Uninstall(hooks.Place{Dir: os.DevNull, Roots: []string{"/"}}); err != nil || len(changes) > 0 {
		t.Errorf("%+v, %v", changes, err)
	}
}
