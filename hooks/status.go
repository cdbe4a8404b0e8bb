package hooks

import (
	"errors"
	"os"
	"path/filepath"
)

// The states of a hook.
const (
	StateInstalled = "installed"
	StateKept      = "kept"    // installed; another hook was moved aside, and runs behind it
	StateMissing   = "missing" // nothing of ours is there
	StateBroken    = "broken"  // Reason says why
)

// Hook is how the hook of one event stands. Owner is by whom the file is, our block
// (or the same call, put in by hand) left out: git-context, husky, lefthook, pre-commit, git-lfs, another; for a hook
// that is kept, by whom that is. It is empty where there is none.
type Hook struct {
	Name   string `json:"name"`
	Path   string `json:"path"`
	State  string `json:"state"`
	Owner  string `json:"owner"`
	Reason string `json:"reason,omitempty"`

	// Where to install would be refused: why, and what to do about it, also for a hook of
	// which nothing of ours is there.
	Refusal string `json:"-"`
	Repair  string `json:"-"`
}

// Status says how the hook of every event stands. It changes nothing, and a hook of ours
// that cannot be read is broken, not an error. What stands where nothing of ours does is
// somebody else's, and none of our business.
func Status(p Place) ([]Hook, error) {
	inside, err := p.inside(p.Dir)
	if err != nil {
		return nil, refuse(err, "", "cannot look for hooks in '%s'", p.Dir)
	}
	var list []Hook
	for _, event := range Events() {
		h := p.status(event)
		if h.State == StateMissing && !inside && !p.isFile() {
			h.Reason = "it stands outside of this repository; by hand: " + call(event)
		}
		list = append(list, h)
	}
	return list, nil
}

func (p Place) status(event string) Hook {
	h := Hook{Name: event, Path: filepath.Join(p.dir(), event), State: StateBroken}
	f, err := p.read(event)
	if err != nil {
		h.Owner, h.Refusal, h.Repair = f.owner, err.Error(), repair(err)
		if h.State = StateMissing; f.holds() || f.damaged || f.stored != nil {
			h.State, h.Reason = StateBroken, h.Refusal
		}
		return h
	}
	h.Path, h.Owner = f.path, f.owner
	if f.stored != nil && f.kind != absent {
		h.Owner = f.stored.owner
	}
	h.Reason = p.fault(f)
	switch {
	case h.Reason != "":
		h.Repair = repair(f.obstacle(p.kept(event)))
		if h.Reason == noHusky {
			h.Repair = "npx husky"
		}
	case f.kind != ours && f.kind != byHand:
		h.State = StateMissing
	case f.stored != nil:
		h.State = StateKept
	default:
		h.State = StateInstalled
	}
	return h
}

// noHusky is what is wrong where the folder of husky's own files lacks one.
const noHusky = "husky has no hook for it; run husky"

// repair is what a refusal to install asks for.
func repair(refusal error) string {
	var known *Error
	switch {
	case refusal == nil:
		return ""
	case errors.As(refusal, &known) && len(known.Hints) > 0:
		return known.Hints[0]
	}
	return "look at the file"
}

// fault is why a hook does not do what it should; "" for none.
func (p Place) fault(f *file) string {
	switch {
	case f.stored != nil && f.kind == absent:
		return "the hook that was kept has no file that runs it; install again"
	case f.kind != ours && f.stored != nil && !f.same():
		return "another hook took the place of git-context's; what was kept is not run"
	case f.kind != ours && f.kind != byHand:
		return ""
	case f.kind == byHand && f.runs():
		return ""
	case !f.runs():
		return "it is not executable, so that git does not run it"
	case !f.current() && f.block == block(f.event, takesFile, true):
		return "lines that were added to it get no input; install again"
	case !f.current():
		return "its lines were edited, or are of another version; install again"
	case f.then() == putsBack && f.stored == nil:
		return "the hook that was kept is gone"
	case f.then() != putsBack && f.stored != nil:
		return "what was kept is not run"
	}
	if f.husky {
		if _, err := os.Stat(filepath.Join(p.Dir, f.event)); err != nil {
			return noHusky
		}
	}
	return ""
}
