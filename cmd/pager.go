package cmd

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"

	"github.com/git-context/git-context/refs/git"
)

// screen is how a view may use the terminal.
type screen struct {
	terminal bool
	color    bool
	pager    string // a shell command; "" is none
}

// Git's settings for colour: one for everything, and one that stands over it.
const (
	colorUI     = "color.ui"
	colorBranch = "color.branch"
	colorDiff   = "color.diff"
)

// screen asks git's configuration, for colour the setting given. Where standard
// output is not a terminal it asks nothing and gives plain text, even with
// color.ui=always: what a program reads is the same everywhere, and costs no child.
func (e *Env) screen(ctx context.Context, setting string) screen {
	paged := e.getenv("GIT_PAGER_IN_USE") != "" // by git itself: pager.context
	if !e.Term.Out && !paged {
		return screen{}
	}
	// The view stands already: an unreadable configuration costs it colour
	// and pager, and the next command that needs the configuration says why.
	repo, err := git.Open(ctx, git.Options{Dir: e.Dir, Env: e.Environ, Now: e.Now, Trace: e.trace})
	if err != nil {
		return screen{}
	}
	defer func() { _ = repo.Close() }()
	config, err := repo.Config(ctx)
	if err != nil {
		return screen{}
	}
	s := screen{terminal: true, color: e.mayColor(config, setting)}
	if !paged {
		s.pager = pagerOf(ctx, repo, config)
	}
	return s
}

// mayColor follows a setting, or color.ui where it is not set, a dumb terminal and
// NO_COLOR.
func (e *Env) mayColor(config *git.Config, setting string) bool {
	if term := e.getenv("TERM"); term == "" || term == "dumb" || e.getenv("NO_COLOR") != "" {
		return false
	}
	value, set := config.String(setting)
	if !set {
		setting = colorUI
		value, _ = config.String(setting)
	}
	switch strings.ToLower(value) {
	case "auto", "always":
		return true
	case "never":
		return false
	}
	on, err := config.Bool(setting, true)
	return on && err == nil
}

// pagerOf follows pager.context (a switch or a command), then what git itself
// would use. cat is no pager.
func pagerOf(ctx context.Context, repo *git.Repo, config *git.Config) string {
	value, set := config.String("pager.context")
	on, err := config.Bool("pager.context", true)
	switch {
	case set && err != nil:
		return value
	case !on:
		return ""
	}
	out, err := repo.Run(ctx, "var", "GIT_PAGER")
	if pager := strings.TrimSpace(string(out)); err == nil && pager != "cat" {
		return pager
	}
	return ""
}

// page shows a text through the pager.
func (e *Env) page(pager string, content []byte) error {
	p := &paged{env: e, pager: pager}
	defer p.close()
	if _, err := p.Write(content); err != nil && !errors.Is(err, git.ErrEnough) {
		return err
	}
	return nil
}

// stream writes to standard output as it comes, through a pager if there is one.
func (e *Env) stream(pager string, write func(io.Writer) error) error {
	if pager == "" {
		return write(output{e.Out})
	}
	p := &paged{env: e, pager: pager}
	defer p.close()
	return write(p)
}

// output is standard output, whose failures are told as such.
type output struct{ w io.Writer }

func (o output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if err != nil {
		return n, &outputError{cause(err)}
	}
	return n, nil
}

// paged is a pager with git's defaults for less and lv. It is started by the first
// thing that is written to it, so that an error alone needs none; ^C belongs to it
// from then on. Where it cannot be started what is written goes out as it is.
type paged struct {
	env   *Env
	pager string // a shell command

	out   io.Writer // nil: not started
	child *exec.Cmd
	in    io.Closer
}

// Write fails with git.ErrEnough when the reader has left the pager.
func (p *paged) Write(content []byte) (int, error) {
	if p.out == nil {
		p.start()
	}
	n, err := p.out.Write(content)
	if err != nil && p.child != nil {
		return n, git.ErrEnough
	}
	return n, err
}

func (p *paged) start() {
	c := exec.Command("sh", "-c", p.pager)
	c.Stdout, c.Stderr = p.env.Out, p.env.Err
	c.Env = append(c.Env, "LESS=FRX", "LV=-c")
	c.Env = append(append(c.Env, p.env.Environ...), "GIT_PAGER_IN_USE=true")
	// Caught, and not ignored: the pager would inherit that.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	in, err := c.StdinPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		p.out = output{p.env.Out}
		return
	}
	p.child, p.in, p.out = c, in, in
}

// close waits until the reader leaves the pager.
func (p *paged) close() {
	if p.child == nil {
		return
	}
	// Neither says how the command went: a reader may leave before the end.
	_ = p.in.Close()
	_ = p.child.Wait()
}
