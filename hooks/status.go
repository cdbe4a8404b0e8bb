package hooks

import (
	"errors"
	"os"
	"path/filepath"
)

// The states of a hook.
const (
	StateInstalled = "installed"
	StateKept      = "kept"    // installed; another hook was moved aside and runs after it
	StateMissing   = "missing" // not installed
	StateBroken    = "broken"  // installed but not working; Reason names the problem
)

// Hook is the state of the hook of one event. Owner is the owner of the file apart from our
// block (or the same call, added by hand): git-context, husky, lefthook, pre-commit,
// git-lfs or another. If a hook was moved aside, Owner is that hook's owner. It is empty if
// there is no file.
type Hook struct {
	Name   string `json:"name"`
	Path   string `json:"path"`
	State  string `json:"state"`
	Owner  string `json:"owner"`
	Reason string `json:"reason,omitempty"`

	// If Install would refuse this hook: the refusal and its solution. They may be set for
	// a hook in any state.
	Refusal string `json:"-"`
	Repair  string `json:"-"`
}

// Status returns the state of the hook of every event. It changes nothing. If a hook of
// ours cannot be read, its state is broken, and no error is returned. Other tools' hooks
// are not judged. The only error is an *Error for a Place whose path cannot be resolved.
func Status(p Place) ([]Hook, error) {
	inside, err := p.inside(p.Dir)
	if err != nil {
		return nil, refuse(err, "", "cannot look for hooks in '%s'", p.Dir)
	}
	var list []Hook
	for _, event := range Events() {
		h := p.status(event)
		if h.State == StateMissing && !inside && !p.isFile() {
			h.Reason = "it is outside of this repository; by hand: " + call(event)
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
		if h.State = StateMissing; f.hasBlock() || f.damaged || f.stored != nil {
			h.State, h.Reason = StateBroken, h.Refusal
		}
		return h
	}
	h.Path, h.Owner = f.path, f.owner
	if f.stored != nil && f.kind != absent {
		h.Owner = f.stored.owner
	}
	h.Reason = p.problem(f)
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

// noHusky is the problem of a hook for which husky has no generated file.
const noHusky = "husky has no hook for it; run husky"

// repair returns the solution that a refusal suggests.
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

// problem returns why a hook does not work; "" if it does.
func (p Place) problem(f *file) string {
	switch {
	case f.stored != nil && f.kind == absent:
		return "the hook that was kept has no file that runs it; install again"
	case f.kind != ours && f.stored != nil && !f.sameAsStored():
		return "another hook replaced git-context's, and the kept hook does not run"
	case f.kind != ours && f.kind != byHand:
		return ""
	case f.kind == byHand && f.runs():
		return ""
	case !f.runs():
		return "it is not executable, so that git does not run it"
	case !f.current() && f.block == block(f.event, removesFile, true):
		return "lines that were added to it get no input; install again"
	case !f.current():
		return "its lines were edited, or are of another version; install again"
	case f.ending() == restoresHook && f.stored == nil:
		return "the hook that was kept is gone"
	case f.ending() != restoresHook && f.stored != nil:
		return "the kept hook does not run"
	}
	if f.husky {
		if _, err := os.Stat(filepath.Join(p.Dir, f.event)); err != nil {
			return noHusky
		}
	}
	return ""
}
