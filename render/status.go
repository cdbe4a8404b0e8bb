package render

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// Status is the state of a branch in a few numbers: `git context status`.
type Status struct {
	Branch    string        `json:"branch"`
	Pending   int           `json:"pending"`   // steps that no commit contains
	Conflicts int           `json:"conflicts"` // that wait to be resolved
	Remote    *string       `json:"remote"`    // the remote that the next two compare with; nil: none has the branch
	Ahead     *int          `json:"ahead"`     // memory commits that the remote had not when it was last asked
	Behind    *int          `json:"behind"`    // those that it had and the branch has not
	Code      code.State    `json:"code"`
	Hooks     []HookState   `json:"hooks"`    // those that are installed, or should be
	Servers   []ServerState `json:"servers"`  // of agents: those that are registered
	Stale     []string      `json:"stale"`    // keys of topics
	Programs  []string      `json:"programs"` // paths of other programs called git-context on the PATH

	notices []Notice
}

// HookState is a hook and whether it works.
type HookState struct {
	Name  string `json:"name"`
	State string `json:"state"`

	LastEvent *time.Time `json:"last_event,omitempty"` // of an agent
}

// ServerState is an agent in whose settings our server is registered, and whether it is so once.
type ServerState struct {
	Name  string `json:"name"`
	State string `json:"state"`
}

// NewStatus reads the state of a branch, without its hooks. It asks no remote: it compares the refs
// that the last fetch left.
func NewStatus(ctx context.Context, s *refs.Store, branch string, codeWait time.Duration) (Status, error) {
	v := Status{Hooks: []HookState{}, Servers: []ServerState{}, Stale: []string{}, Programs: []string{}}
	tip, err := Where{Branch: branch}.tip(ctx, s)
	if err != nil {
		return v, err
	}
	v.Branch = tip.Name()
	err = concurrently(ctx,
		func(ctx context.Context) error {
			p, err := s.Pending(ctx, tip)
			v.Pending = len(p.Lines)
			return err
		},
		func(ctx context.Context) (err error) { v.Code, err = code.ReadState(ctx, s, codeWait); return err },
		func(ctx context.Context) (err error) {
			v.notices, err = notices(ctx, s, tip, interrupted, roadmapLeftOut, forgetting, followed, handedOver(codeWait), remoteWork)
			return err
		},
		func(context.Context) error {
			h, err := s.ReadMerge(tip.Name())
			if h != nil {
				v.Conflicts = openConflicts(h)
			}
			return err
		},
		func(ctx context.Context) error { return v.compare(ctx, s, tip) },
		func(ctx context.Context) error {
			topics, err := code.Topics(ctx, s, tip, false)
			for _, t := range topics {
				if t.Stale != nil && *t.Stale {
					v.Stale = append(v.Stale, t.Key)
				}
			}
			return err
		})
	return v, err
}

// compare counts the memory commits that only one side has, this repository or the remote.
func (v *Status) compare(ctx context.Context, s *refs.Store, tip *store.Tip) error {
	r, err := remote.Find(ctx, s, "")
	if errors.Is(err, fail.ErrNotFound) { // there is no remote, or none that is meant
		return nil
	}
	if err != nil {
		return err
	}
	theirs, err := s.Repo().Ref(ctx, r.Tracking.Of(git.BranchRef(tip.Name())))
	if errors.Is(err, git.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	ahead, behind, err := history.Apart(ctx, s, tip.Commit().ID, theirs)
	if err == nil && ahead > 0 && behind > 0 {
		var alike bool
		if alike, err = remote.Alike(ctx, s, tip.Commit().ID, theirs); alike {
			ahead, behind = 0, 0
		}
	}
	v.Remote, v.Ahead, v.Behind = &r.Name, &ahead, &behind
	return err
}

// Text shows the state, one thing on each line.
func (v Status) Text(p *Printer) {
	p.line(plain("branch     "), green(v.Branch), plain(v.against()))
	p.line(plain("pending    "), plain(prose.Count(v.Pending, "step")))
	conflicts := "none"
	if v.Conflicts > 0 {
		conflicts = strconv.Itoa(v.Conflicts) + " open: " + p.Self + " merge --status"
	}
	p.line(plain("conflicts  " + conflicts))
	p.line(plain("code       " + strings.TrimSpace(strings.TrimPrefix(codeLine(v.Code), "code"))))
	p.line(plain("hooks      " + v.hooks(p.Self)))
	if len(v.Servers) > 0 {
		p.line(plain("mcp        " + v.servers()))
	}
	stale := "none"
	if n := len(v.Stale); n > 0 {
		stale = strings.Join(v.Stale[:min(n, namedRefs)], ", ") + ": " + p.Self + " topics --stale"
	}
	p.line(plain("stale      " + stale))
	if len(v.Programs) > 0 {
		p.line(yellow("another program called git-context is on the PATH: " + strings.Join(v.Programs, ", ")))
	}
	for _, n := range v.notices {
		if slices.Contains([]string{NoticeInterrupted, NoticeForget, NoticeRoadmap, NoticeUnshared, NoticeWork}, n.Kind) {
			p.line(yellow(n.Text + ": " + strings.Replace(n.Command, "git context", p.Self, 1)))
		}
	}
}

func (v Status) against() string {
	switch {
	case v.Remote == nil:
		return ""
	case *v.Ahead == 0 && *v.Behind == 0:
		return ", as " + *v.Remote + " has it"
	}
	return fmt.Sprintf(", %d ahead of %s and %d behind", *v.Ahead, *v.Remote, *v.Behind)
}

func (v Status) servers() string {
	var list []string
	for _, s := range v.Servers {
		text := s.Name
		if s.State != "installed" {
			text += " (" + s.State + ")"
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

func (v Status) hooks(self string) string {
	if len(v.Hooks) == 0 {
		return "none: " + self + " hooks install git"
	}
	var list []string
	for _, h := range v.Hooks {
		text, also := h.Name, []string{}
		if h.State != "installed" {
			also = append(also, h.State)
		}
		if h.LastEvent != nil {
			also = append(also, "last event "+stamp(*h.LastEvent))
		}
		if len(also) > 0 {
			text += " (" + strings.Join(also, ", ") + ")"
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}
