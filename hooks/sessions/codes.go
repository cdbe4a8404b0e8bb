package sessions

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// slack is how much later than the end of its call a commit may be dated: clients note times before
// and after they ran a command, in milliseconds, git in seconds.
const slack = 2 * time.Second

// codes finds the commits of code that turns made. A wrong one is worse than none: a commit has to
// exist here, and its subject has to be the one that the command or git's output has.
type codes struct {
	repo  *git.Repo
	known map[string]git.ID // by what git printed; "" for none

	read bool
	all  []dated // commits of code, in the order of their times
}

type dated struct {
	id      git.ID
	at      time.Time
	subject string
}

// of returns the commits of code that a turn made, oldest first.
func (c *codes) of(ctx context.Context, t agent.Turn) (found []git.ID, err error) {
	for _, m := range t.Made {
		var id git.ID
		if m.Hash != "" {
			id, err = c.printed(ctx, m)
		} else {
			id, err = c.quiet(ctx, m)
		}
		if err != nil {
			return nil, err
		}
		if id != "" && !slices.Contains(found, id) {
			found = append(found, id)
		}
	}
	return found, nil
}

// printed finds a commit by its abbreviated hash.
func (c *codes) printed(ctx context.Context, m agent.Made) (git.ID, error) {
	name := m.Hash + " " + m.Subject
	if id, ok := c.known[name]; ok {
		return id, nil
	}
	if c.known == nil {
		c.known = map[string]git.ID{}
	}
	c.known[name] = ""
	id, err := c.repo.Peel(ctx, m.Hash+"^{commit}")
	if absent(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	commit, err := c.repo.Commit(ctx, id)
	if absent(err) {
		return "", nil
	}
	if err != nil || !strings.HasPrefix(string(id), m.Hash) || commit.Subject() != strings.TrimSpace(m.Subject) {
		return "", err
	}
	c.known[name] = id
	return id, nil
}

// absent reports whether an abbreviated hash names no commit, or more than one.
func absent(err error) bool {
	return errors.Is(err, git.ErrNotFound) || errors.Is(err, git.ErrAmbiguous)
}

// quiet finds the commit of a command that printed nothing: the only one that was made while it ran, and
// whose subject the command contains.
func (c *codes) quiet(ctx context.Context, m agent.Made) (git.ID, error) {
	if m.From.IsZero() || m.Until.IsZero() {
		return "", nil
	}
	if err := c.readAll(ctx); err != nil {
		return "", err
	}
	from, until := m.From.Truncate(time.Second), m.Until.Add(slack)
	at, _ := slices.BinarySearchFunc(c.all, from, func(d dated, at time.Time) int { return d.at.Compare(at) })
	found := git.ID("")
	for _, d := range c.all[at:] {
		if d.at.After(until) {
			break
		}
		if d.subject == "" || !strings.Contains(m.Command, d.subject) {
			continue
		}
		if found != "" {
			return "", nil
		}
		found = d.id
	}
	return found, nil
}

// readAll lists the commits of code once, if a turn needs it.
func (c *codes) readAll(ctx context.Context) error {
	if c.read {
		return nil
	}
	c.read = true
	list := &store.Records{Fields: 3, Each: func(f [][]byte) error {
		seconds, err := strconv.ParseInt(string(f[1]), 10, 64)
		if err == nil {
			c.all = append(c.all, dated{git.ID(f[0]), time.Unix(seconds, 0), string(f[2])})
		}
		return err
	}}
	err := c.repo.ViewTo(ctx, list, nil, "log", "-z", "--no-notes", "--branches", "--remotes", "--tags", "--format=%H%x00%ct%x00%s", "--")
	slices.SortStableFunc(c.all, func(a, b dated) int { return a.at.Compare(b.at) })
	return err
}
