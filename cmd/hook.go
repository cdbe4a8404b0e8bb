package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/hooks"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/githook"
	"github.com/git-context/git-context/refs/store"
)

// hookSwitch is the environment variable that turns all hooks off with 0.
const hookSwitch = "GIT_CONTEXT_HOOKS"

// autoSyncLimit is how long a sync in the background may take.
const autoSyncLimit = 2 * time.Minute

type hookOptions struct {
	*globals
	author
}

func newHook(g *globals) *command {
	o := &hookOptions{globals: g}
	return &command{
		name:  "hook",
		usage: []string{"hook EVENT [ARGUMENT...]", "hook AGENT EVENT"},
		about: "Does the work of the git hook of that name, with its arguments and standard input; 'git " +
			"context hooks install git' makes git run it. post-commit links the code commit to the newest " +
			"memory commit. post-merge records which commits a squash consists of, so that its commit gets their links. " +
			"post-rewrite copies links to the commits that an amendment or a rebase makes. post-checkout, with " +
			"context.follow=true, makes the memory branch with the name of the code branch the current one; " +
			"all names of the code's default branch (main, master, init.defaultBranch, that of origin) count " +
			"as one. pre-push, with context.push=true, pushes memory beside the code, for at most " +
			"context.pushTimeout seconds (10). A hook never makes a git command fail: the exit code is 0 for " +
			"each of these names, a failure is one line on standard error, and 'git context fsck' shows it. " +
			"GIT_CONTEXT_HOOKS=0 turns all off. " +
			"With the name of a coding agent it does the work of that agent's hook, whose payload is on standard " +
			"input; 'git context hooks install AGENT' makes the agent run it. A session that begins is told the " +
			"brief. At the end of a turn the steps are read from the transcript, of Cursor and OpenCode from what their " +
			"events told, and committed under the first line of the prompt and the agent's last message (context.autoCommit, " +
			"context.capture). It exits with 0 whatever happens, and prints nothing but what the agent takes.",
		exits: []int{exitDone, exitUsage},
		examples: []string{
			"hook post-commit",
			"hook post-checkout OLD NEW 1",
			"hook claude-code Stop",
		},
		globals: g,
		flags:   g.common(),
		least:   1, most: unlimited, needs: "the name of a hook",
		action: func(ctx context.Context, env *Env, args []string) error {
			if !slices.Contains(append(hooks.Events(), githook.AutoSync), args[0]) {
				return usagef("unknown hook '%s'", args[0]).hint("one of %s", strings.Join(hooks.Events(), ", "))
			}
			if !hooksOff(env.getenv(hookSwitch)) {
				o.runHook(ctx, env, args[0], args[1:])
			}
			return nil
		},
	}
}

// hooksOff reads the value of hookSwitch as git reads booleans.
func hooksOff(value string) bool {
	switch strings.ToLower(value) {
	case "0", "false", "no", "off":
		return true
	}
	return false
}

// runHook does the work of an event and prints what failed. It returns no error: a hook
// must not fail the git command.
func (o *hookOptions) runHook(ctx context.Context, env *Env, event string, args []string) {
	wait := code.HookLockWait
	if event == githook.AutoSync { // no user waits for it
		wait = 0
	}
	s, err := refs.Open(ctx, o.hookStore(env, wait))
	if err == nil {
		defer func() { _ = s.Close() }() // a failure is printed already
		err = o.event(ctx, env, s, event, args)
	}
	if err == nil || errors.Is(err, fail.ErrNoMemory) {
		return
	}
	sayHook(env, event, fail.Full(err))
	if s == nil {
		return
	}
	if err := githook.RecordFailure(ctx, s, event, err); err != nil {
		sayHook(env, event, "this failure could not be recorded for fsck: "+err.Error())
	}
}

// hookStore returns the options for the store: git's environment names the repository, and
// the wait for locks is short, because the user waits for git.
func (o *hookOptions) hookStore(env *Env, wait time.Duration) store.Options {
	return store.Options{Dir: env.Dir, Env: env.Environ, Now: env.Now, Branch: o.branch, Trace: env.trace,
		LockWait: wait}
}

// sayHook prints the one line that a hook may print.
func sayHook(env *Env, event, what string) {
	env.say("git-context: hook "+event+": ", strings.Join(strings.Fields(what), " "))
}

// event does the work of one event.
func (o *hookOptions) event(ctx context.Context, env *Env, s *refs.Store, event string, args []string) error {
	switch event {
	case hooks.PostCommit:
		return code.LinkHead(ctx, s, o.writer(env))
	case hooks.PostMerge:
		if len(args) != 1 {
			return fmt.Errorf("%d arguments where git gives 1", len(args))
		}
		if args[0] != "1" { // no squash
			return nil
		}
		return code.NoteSquash(ctx, s)
	case hooks.PostRewrite:
		by := "" // run by hand
		if len(args) > 0 {
			by = args[0]
		}
		_, err := code.CarryRewritten(ctx, s, o.writer(env), by, env.In)
		return err
	case hooks.PostCheckout:
		if len(args) != 3 {
			return fmt.Errorf("%d arguments where git gives 3", len(args))
		}
		if args[2] != "1" { // git checked out files, not a branch
			return nil
		}
		return o.follow(ctx, env, s)
	case hooks.PrePush:
		if len(args) != 2 {
			return fmt.Errorf("%d arguments where git gives 2", len(args))
		}
		return githook.PushWithCode(ctx, s, o.writer(env), args[0])
	case githook.AutoSync:
		ctx, cancel := context.WithTimeout(ctx, autoSyncLimit)
		defer cancel()
		return githook.SyncAlone(ctx, s, o.writer(env))
	}
	return fmt.Errorf("nothing is done for it")
}

func (o *hookOptions) follow(ctx context.Context, env *Env, s *refs.Store) error {
	f, err := githook.Follow(ctx, s, o.writer(env))
	switch {
	case f.Made != "":
		env.say("git-context: ", fmt.Sprintf("memory branch '%s' made from '%s'", f.Made, f.From))
	case f.Stayed != "":
		sayHook(env, hooks.PostCheckout, f.Stayed)
	}
	return err
}
