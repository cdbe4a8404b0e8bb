package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/lift"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/render"
)

// answered is the result of expunge --from.
type answered struct {
	expunge.Result
	Asked   []expunge.Question `json:"asked"`
	Refused bool               `json:"refused"`

	what doc.Expunged // the tombstones to answer
	ids  string       // the entries to answer, as arguments; "" for all
	done bool         // it was answered
}

// bundle names a bundle that asks as unbundle did: by its whole path.
func (o *expungeOptions) bundle(env *Env) error {
	path, err := filepath.Abs(env.path(o.from))
	if err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		o.from = path
	}
	return nil
}

// runAnswer answers what a remote asks to forget, and applies what it has forgotten and nobody was
// asked about. What was followed is answered once nothing waits: who refuses a request must not bring back another one.
//
// With ids only these entries are answered, of all requests of the remote.
func runAnswer(ctx context.Context, env *Env, o *expungeOptions, ids []string) (err error) {
	s, err := o.open(ctx, env)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	o.from = remote.NameOf(o.from) // earlier versions printed what the remote is called under its other names
	if err := o.bundle(env); err != nil {
		return err
	}
	list, err := expunge.RequestsOf(ctx, s, o.from)
	if err != nil {
		return err
	}
	waits := slices.ContainsFunc(list, func(r expunge.Request) bool { return r.Waits() })
	if waits && len(ids) == 0 {
		list = slices.DeleteFunc(list, func(r expunge.Request) bool { return !r.Waits() })
	}
	a := answered{Result: expunge.Result{IDs: []string{}, Remotes: []expunge.DirtyRemote{}, DryRun: o.dryRun},
		Asked: []expunge.Question{}}
	if err := a.ask(ctx, s, o, list, ids); err != nil {
		return err
	}
	switch {
	case o.refuse:
		err = a.refuse(ctx, env, s, o, list)
	case len(ids) > 0 && o.dryRun:
	case len(ids) > 0:
		err = a.accept(env, o, func() (expunge.Result, error) { return expunge.AcceptSome(ctx, s, o.writer(env), a.what) })
	case len(list) == 0:
		a.Result, err = o.expungeFrom(ctx, env, s)
	case !o.dryRun:
		err = a.accept(env, o, func() (expunge.Result, error) { return expunge.Accept(ctx, s, o.writer(env), list) })
		if err == nil && !waits {
			err = a.applyMore(ctx, env, s, o)
		}
	}
	if err != nil {
		return err
	}
	env.warnAll(a.Warnings)
	return o.show(env, a, func(p *render.Printer) { a.print(p, o.from) })
}

// ask lists what requests ask: all of it, or what is about some entries.
func (a *answered) ask(ctx context.Context, s *refs.Store, o *expungeOptions, list []expunge.Request, ids []string) error {
	for _, id := range ids {
		a.ids += " " + id
	}
	for _, r := range list {
		if len(ids) > 0 {
			some, err := r.Of(ctx, s, ids, !o.refuse)
			if err != nil {
				return err
			}
			r.Asked = some
		}
		a.what = a.what.Union(r.Asked)
		questions, err := r.Questions(ctx, s)
		if err != nil {
			return err
		}
		a.Asked = append(a.Asked, questions...)
	}
	for _, id := range ids {
		if !a.what.HasEntry(id) {
			return fail.New(fail.ErrNotFound, fail.NothingAsked,
				fmt.Sprintf("'%s' asks to forget no entry '%s' that is hidden here", o.from, id),
				self+" expunge --from "+prose.ShellWord(o.from)+" --dry-run")
		}
	}
	return nil
}

func (a *answered) refuse(ctx context.Context, env *Env, s *refs.Store, o *expungeOptions, list []expunge.Request) (err error) {
	if len(list) == 0 {
		return fail.New(fail.ErrNotFound, fail.NothingAsked,
			fmt.Sprintf("'%s' asks to forget nothing that waits for an answer", o.from),
			self+" expunge --from "+prose.ShellWord(o.from)+" --dry-run")
	}
	a.Refused, a.done = true, true
	a.Warnings, err = lift.Refuse(ctx, s, o.writer(env), list, a.what)
	return err
}

func (a *answered) accept(env *Env, o *expungeOptions, accept func() (expunge.Result, error)) (err error) {
	all := 0
	for _, q := range a.Asked {
		all += len(q.Entries)
	}
	err = o.ask(env, o.json, danger{
		entries: all, grave: true, tell: func(p *render.Printer) { a.print(p, o.from) },
		refusal:  fmt.Sprintf("'%s' asks to forget what is hidden here, and --yes or --refuse answers that", o.from),
		question: "This cannot be undone. Forget it?",
	})
	if err != nil {
		return err
	}
	a.Result, err = accept()
	a.done = true
	return err
}

// applyMore also applies what the remote has expunged since the last sync: who answers what was followed is not asked
// about anything else.
func (a *answered) applyMore(ctx context.Context, env *Env, s *refs.Store, o *expungeOptions) error {
	more, err := share.ExpungeFrom(ctx, s, share.Options{Writer: o.writer(env), Remote: o.from,
		Progress: env.progress(o.json)}, expunge.Options{Yes: true})
	a.Warnings = append(a.Warnings, more.Warnings...)
	a.Objects += more.Objects
	if errors.Is(err, fail.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("what was hidden here is forgotten; ask the remote for more: %w", err)
	}
	return nil
}

// print lists what is asked, by whom and why, and then what was done.
func (a *answered) print(p *render.Printer, asker string) {
	if len(a.Asked) == 0 {
		printExpunge(p, a.Result)
		return
	}
	for _, q := range a.Asked {
		if q.By == "" {
			line(p, "'%s' asks to forget %s", q.Remote, q.What())
		} else {
			line(p, "%s <%s> asked on %s to forget %s", q.By, q.Email, q.Time.UTC().Format(time.DateOnly), q.What())
		}
		if q.Why != "" {
			line(p, "  because: %s", strings.Join(strings.Fields(q.Why), " "))
		}
		var entries []string
		for _, e := range q.Entries {
			entries = append(entries, fmt.Sprintf(" %s %s of %s (%s)",
				e.Kind, e.ID, e.Branch, e.Time.UTC().Format(time.RFC3339)))
		}
		examples(p, entries)
	}
	arg := prose.ShellWord(asker)
	switch {
	case a.Refused:
		if filepath.IsAbs(asker) { // a bundle, which takes nothing
			arg = ""
		}
		line(p, "It is back. Every clone gets it with its next sync; begin here: %s", strings.TrimSpace(self+" sync "+arg))
	case a.done:
		line(p, "It is forgotten: %s deleted", count(a.Objects, "object", "objects"))
	default:
		if until := a.Asked[0].Until; !until.IsZero() { // the oldest
			line(p, "Others wrote it. It is hidden here, not pushed, and deleted from %s on.", until.Format(time.DateOnly))
			line(p, "Delete it now:           %s expunge --from %s --yes%s", self, arg, a.ids)
			line(p, "Bring it back, for all:  %s expunge --from %s --refuse%s", self, arg, a.ids)
			return
		}
		line(p, "It is hidden here, kept, and not pushed. Forget it for good:  %s expunge --from %s --yes%s", self, arg, a.ids)
		line(p, "Bring it back, for all:                                       %s expunge --from %s --refuse%s", self, arg, a.ids)
	}
}

// expungeFrom removes what a remote has expunged. It asks with no lock held, so that the remote is asked twice.
func (o *expungeOptions) expungeFrom(ctx context.Context, env *Env, s *refs.Store) (expunge.Result, error) {
	run := func(e expunge.Options) (expunge.Result, error) {
		return share.ExpungeFrom(ctx, s,
			share.Options{Writer: o.writer(env), Remote: o.from, Progress: env.progress(o.json)}, e)
	}
	if o.dryRun || o.yes {
		return run(expunge.Options{DryRun: o.dryRun, Yes: o.yes})
	}
	would, err := run(expunge.Options{DryRun: true})
	if err != nil {
		return would, err
	}
	if err := o.ask(env, o.json, dangerOf(would, false)); err != nil {
		return would, err
	}
	return run(expunge.Options{Yes: o.asks(env, o.json)}) // else the bounds of sync count
}
