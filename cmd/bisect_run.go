package cmd

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/process"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
)

// The exit codes of a test, with their meaning in git-bisect(1).
const (
	testSkip    = 125 // cannot be tested
	testNotExec = 126 // a shell cannot execute the program
	testNoExec  = 127 // a shell cannot find the program
	testAbort   = 128 // the first of the codes that stop the bisect
)

// runProgram tests commits with a program until it finds the first bad one.
func (o *bisectOptions) runProgram(ctx context.Context, env *Env, s *refs.Store, argv []string) error {
	b, err := o.testAll(ctx, env, s, argv)
	if err != nil {
		return err
	}
	if err := o.printBisect(ctx, env, b); err != nil || b.FirstBad != nil {
		return err
	}
	return &fail.Error{
		Code: fail.BisectSkipped, Kind: fail.ErrRefused, Message: "only commits that cannot be tested are left",
		Hints: []string{self + " bisect good C", self + " bisect reset"},
	}
}

// testAll runs the program until nothing is left to test. A signal that is sent to this
// process alone also ends the program. With a terminal as standard input the program stays
// in our process group: it may ask questions there, and ^C reaches it by itself.
func (o *bisectOptions) testAll(ctx context.Context, env *Env, s *refs.Store, argv []string) (history.Bisection, error) {
	if env.Interruptible != nil && !env.Term.In {
		var done context.CancelFunc
		ctx, done = env.Interruptible(ctx)
		defer done()
	}
	b, err := history.Bisect(ctx, s)
	if err == nil && (b.Bad == nil || len(b.Good) == 0) {
		err = incomplete(b)
	}
	for first := true; err == nil && b.Next != nil; first = false {
		var mark string
		if mark, err = o.test(ctx, env, s, argv, b, first); err != nil {
			break
		}
		env.say("", fmt.Sprintf("%s: [%s] %s", mark, b.Next.Hash.Short(), b.Next.Summary))
		b, err = history.BisectMark(ctx, s, mark, []string{string(*b.Next.Hash)})
	}
	if errors.Is(err, context.Canceled) {
		err = context.Cause(ctx) // names the signal
	}
	return b, err
}

// incomplete is the error for a bisect that lacks a bad or a good commit.
func incomplete(b history.Bisection) error {
	e := &fail.Error{Code: fail.BisectIncomplete, Kind: fail.ErrRefused}
	var lacks []string
	if b.Bad == nil {
		lacks, e.Hints = append(lacks, "bad"), append(e.Hints, self+" bisect bad")
	}
	if len(b.Good) == 0 {
		lacks, e.Hints = append(lacks, "good"), append(e.Hints, self+" bisect good C")
	}
	e.Message = "no commit is marked " + strings.Join(lacks, ", and none is marked ")
	return e
}

// test runs the program for the next commit and returns the mark for its exit code. If the
// first code is one that a shell returns when it cannot run a program, test also runs the
// program for a good commit: the same code there would mark every commit bad.
func (o *bisectOptions) test(
	ctx context.Context, env *Env, s *refs.Store, argv []string, b history.Bisection, first bool,
) (string, error) {
	code, err := runTest(ctx, env, argv, *b.Next)
	if err == nil && first && (code == testNotExec || code == testNoExec) {
		good, goodErr := history.ReadCommit(ctx, s, b.Good[0])
		if goodErr != nil {
			return "", goodErr
		}
		again := 0
		if again, err = runTest(ctx, env, argv, good); err == nil && again == code {
			return "", fmt.Errorf("'%s' exits with %d for the good %s too", argv[0], code, good.Hash.Short())
		}
	}
	switch {
	case err != nil:
		return "", err
	case code == 0:
		return history.MarkGood, nil
	case code == testSkip:
		return history.MarkSkip, nil
	}
	return history.MarkBad, nil
}

// runTest runs the program once and returns its exit code; codes that stop the bisect are
// errors.
func runTest(ctx context.Context, env *Env, argv []string, c store.Commit) (int, error) {
	var code git.ID
	if c.Code != nil {
		code = *c.Code
	}
	run := exec.CommandContext(ctx, argv[0], argv[1:]...)
	run.Dir = env.Dir
	run.Env = append(env.Environ[:len(env.Environ):len(env.Environ)],
		"GIT_CONTEXT_COMMIT="+string(*c.Hash), "GIT_CONTEXT_CODE="+string(code), "GIT_CONTEXT_ID="+c.ID)
	run.Stdin, run.Stdout, run.Stderr = env.In, env.Err, env.Err
	err := runGrouped(ctx, env, run)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case err == nil:
		return 0, nil
	case !errors.As(err, &exit):
		return 0, fmt.Errorf("cannot run '%s': %w", argv[0], cause(execCause(err)))
	case exit.ExitCode() < 0 || exit.ExitCode() >= testAbort:
		return 0, fmt.Errorf("'%s' ended with %s, which is no verdict on %s", argv[0], exit.ProcessState, c.Hash.Short())
	}
	return exit.ExitCode(), nil
}

// runGrouped runs a program in a process group of its own, unless it may ask on the
// terminal.
func runGrouped(ctx context.Context, env *Env, run *exec.Cmd) error {
	if env.Term.In {
		return run.Run()
	}
	return process.Run(ctx, run)
}

// execCause drops the name that os/exec puts before the reason.
func execCause(err error) error {
	var failed *exec.Error
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}
