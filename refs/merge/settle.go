package merge

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// The ways to settle a conflict without a text of one's own.
const (
	SettleOurs   = "ours"
	SettleTheirs = "theirs"
	SettleUnion  = "union" // what both say
)

// CheckSettle refuses what is none of the three ways; "" is none and allowed.
func CheckSettle(how string) error {
	switch how {
	case "", SettleOurs, SettleTheirs, SettleUnion:
		return nil
	}
	return fail.New(fail.ErrInvalid, fail.SettleHow, fmt.Sprintf("'%s' is not a way to resolve a conflict", prose.OneLine(how, 40)), "use ours, theirs or union")
}

// Settler decides the text where two sides differ; nil removes it, false leaves the conflict
// open.
type Settler func(ctx context.Context, c *store.Conflict) (text *string, ok bool, err error)

// SettleNone leaves every conflict open.
func SettleNone(context.Context, *store.Conflict) (*string, bool, error) { return nil, false, nil }

// Preferring settles every conflict in one of the three ways; "" settles none.
func Preferring(tx *store.Transaction, how string) Settler {
	if how == "" {
		return SettleNone
	}
	room := newLineBudget()
	return func(ctx context.Context, c *store.Conflict) (*string, bool, error) {
		text, err := settled(ctx, tx.Store, c, how, room)
		return text, err == nil, err
	}
}

// Smaller settles every conflict with the bytewise smaller text, and with the text where one side has none: alike on both sides. Two
// histories with several merge bases have settled a conflict in two ways before; each would keep its own with ours, for ever.
func Smaller(_ context.Context, c *store.Conflict) (*string, bool, error) {
	if c.Theirs == nil || c.Ours != nil && *c.Ours < *c.Theirs {
		return c.Ours, true, nil
	}
	return c.Theirs, true, nil
}

// settled is what one of the three ways leaves of a conflict.
func settled(ctx context.Context, s *store.Store, c *store.Conflict, how string, room *lineBudget) (*string, error) {
	switch how {
	case SettleOurs:
		return c.Ours, nil
	case SettleTheirs:
		return c.Theirs, nil
	case SettleUnion:
		return union(ctx, s, c, room)
	}
	return nil, CheckSettle(how)
}

// union keeps what both sides say: the changed text where the other side removed
// it, a list of both values of a key, else the lines of both.
func union(ctx context.Context, s *store.Store, c *store.Conflict, room *lineBudget) (*string, error) {
	switch {
	case c.Ours == nil:
		return c.Theirs, nil
	case c.Theirs == nil:
		return c.Ours, nil
	case c.Kind == doc.ConflictKey:
		text, err := doc.UnionKey(c.Path, *c.Ours, *c.Theirs)
		return &text, err
	}
	base := ""
	if c.Base != nil {
		base = *c.Base
	}
	lines := func(base, ours, theirs string) (string, error) {
		return unionLines(ctx, s, base, ours, theirs, room)
	}
	if strings.HasPrefix(c.Path, doc.TopicDir+"/") {
		text, err := doc.UnionTopics(base, *c.Ours, *c.Theirs, lines)
		return &text, err
	}
	text, err := lines(base, *c.Ours, *c.Theirs)
	return &text, err
}

// disagreement is the Settler of virtual bases: it takes a text with conflict markers, which
// is neither side's, so that the merge above finds both sides changed and reports a conflict.
func disagreement(tx *store.Transaction) Settler {
	return func(_ context.Context, c *store.Conflict) (*string, bool, error) {
		part := func(text *string) string {
			if text == nil {
				return ""
			}
			return string(fullLines(*text))
		}
		text := "<<<<<<< ours\n" + part(c.Ours) + "=======\n" + part(c.Theirs) + ">>>>>>> theirs\n"
		if c.Kind != doc.ConflictKey {
			return &text, true, nil
		}
		value, err := doc.QuoteValue(text)
		return &value, true, err
	}
}
