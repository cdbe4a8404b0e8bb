package sessions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/fail"
)

// pause is the time without a turn that ends a run. A night is longer; a meal is not.
const pause = 4 * time.Hour

// mostPurpose limits the purpose of a session's branch, in characters.
const mostPurpose = 100

// older is the branch of sessions that are older than the newest commit of the current branch.
const older = "sessions"

// unit is a run of a session that follows others on a branch.
type unit struct {
	*session
	begin, end time.Time // of its turns
	from       time.Time // the end of its first new turn
	branch     string
}

// plan finds the branch of each run that has something new.
func (i *importing) plan(ctx context.Context) error {
	all := i.runs()
	overlaps(all)
	after, err := i.newest(ctx, i.current)
	if err != nil {
		return err
	}
	for _, u := range all {
		if u.from.IsZero() {
			continue
		}
		switch {
		case i.o.Traces:
			u.branch = i.current
		case u.alone || i.names[u.name()]:
			u.branch = u.name()
		case !i.o.Found || !u.from.Before(after):
			u.branch = i.current
		default:
			if u.branch, err = i.olderBranch(ctx, u.from); err != nil {
				return err
			}
		}
		u.session.branch = cmp.Or(u.session.branch, u.branch)
		i.units = append(i.units, u)
	}
	return nil
}

// runs are the runs of all sessions, in the order of time.
func (i *importing) runs() (all []*unit) {
	for _, s := range i.sessions {
		var u *unit
		for _, t := range s.turns {
			if u == nil || t.begin.Sub(u.end) >= pause {
				u = &unit{session: s, begin: t.begin, end: t.end}
				all = append(all, u)
			}
			if t.end.After(u.end) {
				u.end = t.end
			}
			if t.fresh && u.from.IsZero() {
				u.from = t.end
			}
		}
	}
	slices.SortFunc(all, func(a, b *unit) int {
		return cmp.Or(a.begin.Compare(b.begin), cmp.Compare(a.client, b.client), cmp.Compare(a.key.session, b.key.session))
	})
	return all
}

// overlaps finds the sessions that ran while another did.
func overlaps(all []*unit) {
	var last *unit // whose end is the latest so far
	for _, u := range all {
		if last != nil && u.begin.Before(last.end) && u.session != last.session {
			u.alone, last.alone = true, true
		}
		if last == nil || u.end.After(last.end) {
			last = u
		}
	}
}

// name is the name of a session's own branch. Ids of some clients begin with the time, so it is their end
// that tells two sessions of a day apart.
func (s *session) name() string {
	keep := func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}
	id := strings.Map(keep, strings.ToLower(s.key.session))
	return fmt.Sprintf("%s-%s-%s", s.client, s.turns[0].begin.Format(time.DateOnly), cmp.Or(id[max(0, len(id)-8):], "session"))
}

// purpose is the purpose of a session's own branch.
func (s *session) purpose() string {
	return cmp.Or(s.first, "A session of "+s.client)
}

// newest is the time of the newest commit of a branch; the zero time if it has none.
func (i *importing) newest(ctx context.Context, branch string) (time.Time, error) {
	tip, err := i.s.Tip(ctx, branch)
	if errors.Is(err, fail.ErrNotFound) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	return tip.NewestTime(ctx)
}

// olderBranch is the branch for a run that is older than the newest commit of the current branch: the first
// with nothing newer, or that gets something before it in this import.
func (i *importing) olderBranch(ctx context.Context, from time.Time) (string, error) {
	for n := 1; ; n++ {
		name := older
		if n > 1 {
			name = fmt.Sprintf("%s-%d", older, n)
		}
		after, err := i.newest(ctx, name)
		if err != nil || !from.Before(after) {
			return name, err
		}
	}
}
