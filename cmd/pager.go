package cmd

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"os/signal"
	"strings"

	"github.com/git-context/git-context/refs/git"
)

// screen is how a view may use the terminal.
type screen struct {
	color bool
	pager string // a shell command; "" is none
}

// Git's settings for colour: one for everything, and one that stands over it.
const (
	colorUI     = "color.ui"
	colorBranch = "color.branch"
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
	s := screen{color: e.mayColor(config, setting)}
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

// page shows a text through the pager, with git's defaults for less and lv,
// and waits for it: ^C belongs to the pager meanwhile. Where it cannot be
// started the text is written as it is.
func (e *Env) page(pager string, content []byte) error {
	c := exec.Command("sh", "-c", pager)
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(content), e.Out, e.Err
	c.Env = append(c.Env, "LESS=FRX", "LV=-c")
	c.Env = append(append(c.Env, e.Environ...), "GIT_PAGER_IN_USE=true")
	// Caught, and not ignored: the pager would inherit that.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	if err := c.Start(); err != nil {
		return e.write(string(content))
	}
	// Its exit code says how the reader left, not how the command went.
	_ = c.Wait()
	return nil
}
