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

// screen says how a view may use the terminal.
type screen struct {
	terminal bool
	color    bool
	pager    string // a shell command; "" is none
}

// Git's settings for colour: the general one, and those that override it.
const (
	colorUI     = "color.ui"
	colorBranch = "color.branch"
	colorDiff   = "color.diff"
)

// screen reads git's configuration; setting is the one for colour. Where standard output is
// not a terminal it reads nothing and returns plain text, even with color.ui=always: what
// a program reads is the same everywhere, and needs no child process.
func (e *Env) screen(ctx context.Context, setting string) screen {
	paged := e.getenv("GIT_PAGER_IN_USE") != "" // git itself pages, by pager.context
	if !e.Term.Out && !paged {
		return screen{}
	}
	// The view is complete: it goes without colour and pager if the configuration cannot be
	// read, and the next command that needs the configuration reports why.
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

// mayColor reports whether a setting, or else color.ui, the terminal and NO_COLOR allow
// colour.
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

// pagerOf returns the pager by pager.context (a boolean or a command), else the one that git
// would use; "" for none, or for cat.
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

// stream writes to standard output, through a pager if there is one, without collecting
// the text first.
func (e *Env) stream(pager string, write func(io.Writer) error) error {
	if pager == "" {
		return write(output{e.Out})
	}
	p := &paged{env: e, pager: pager}
	defer p.close()
	return write(p)
}

// output is standard output, with failures as *outputError.
type output struct{ w io.Writer }

func (o output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if err != nil {
		return n, &outputError{cause(err)}
	}
	return n, nil
}

// paged is a pager with git's defaults for less and lv. The first write starts it, so that
// an error alone needs none; from then on ^C is for the pager. Where it cannot be started,
// writes go to standard output.
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
	// Caught and not ignored, because the pager would inherit an ignored signal.
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
	// A reader may leave before the end, so neither error is one of the command.
	_ = p.in.Close()
	_ = p.child.Wait()
}
