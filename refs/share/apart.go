package share

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
)

const (
	// mostApart is how long tags, and branches that are not here, are checked one by one after one ref was refused. The
	// others are set aside without: who pushes thousands of bad refs must not keep the good ones of others from coming.
	mostApart = 10 * time.Second
	mostNames = expunge.MostNames // of one refused object, for which a command is printed
)

// apart checks refs of the other side one by one, and each commit once: anybody can give thousands of names to one.
type apart struct {
	ex    *exchanger
	ours  *remote.RefSet
	until time.Time

	refused   map[tipRole]*fail.Error // nil: it is sound
	more      map[*fail.Error]int     // further names of a commit
	sound     []git.Ref
	unchecked []git.Ref
}

type tipRole struct {
	id   git.ID
	role incoming.Role
	tag  bool // it is said of a branch and of the tags apart
}

// check sets a ref aside if it is refused.
func (p *apart) check(ctx context.Context, r git.Ref) error {
	in, role := p.ex.refsToCheck(r)
	if role == 0 {
		return nil
	}
	needed := p.ex.rank(p.ours, r) < leastNeeded
	at := tipRole{r.ID, role, (&refAction{ref: r.Name}).isTag()}
	why, known := p.refused[at]
	if !known {
		if !needed && time.Now().After(p.until) {
			p.unchecked = append(p.unchecked, r)
			return nil
		}
		if err := incoming.Check(ctx, p.ex.s, in); err != nil && (!errors.As(err, &why) || why.Code != fail.IncomingInvalid) {
			return err
		}
		p.refused[at] = why
	}
	if why == nil {
		p.sound = append(p.sound, r)
		return nil
	}
	p.ex.aside[r.Name] = why
	return p.mend(ctx, r, role, why, needed || !known)
}

// mend adds the hint with the command that repairs a ref on the remote. Of the further names of one commit that nothing here needs it does so for the
// first few, and counts the others.
func (p *apart) mend(ctx context.Context, r git.Ref, role incoming.Role, why *fail.Error, first bool) error {
	if !first {
		if p.more[why]++; p.more[why] >= mostNames {
			return nil
		}
	}
	hints, err := p.ex.mendThere(ctx, r, role, p.ours, why)
	why.Hints = append(why.Hints, hints...)
	return err
}

// end sets aside what was not checked, and reports whether any ref was refused.
func (p *apart) end() (found bool) {
	for _, why := range p.refused {
		found = found || why != nil
		if n := p.more[why] - mostNames + 1; why != nil && n > 0 {
			why.Hints = append(why.Hints, fmt.Sprintf("the same commit has %s there", prose.Count(n, "more name")))
		}
	}
	if len(p.unchecked) == 0 || !found {
		p.sound = append(p.sound, p.unchecked...)
		return found
	}
	late := fail.New(fail.ErrRefused, fail.IncomingInvalid, fmt.Sprintf("%s of '%s' were not looked at, because others are refused: '%s' and so on",
		prose.Count(len(p.unchecked), "ref"), p.ex.peer.Name, git.DisplayName(p.unchecked[0].Name)))
	for _, r := range p.unchecked {
		p.ex.aside[r.Name] = late
	}
	return true
}
