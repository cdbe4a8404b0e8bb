package cmd

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"golang.org/x/term"
)

// Main runs the process's command line in the process's world and ends it.
//
// ^C is left to the system, which ends the process at once: memory is safe
// against that at any instruction, and watching for the signal costs a thread,
// a tenth of what `record` takes. Only a child that signs, and may wait for a
// person, one that commits the code, and a program that tests, are watched over.
func Main() {
	// A command lives for milliseconds and ends before collecting garbage pays;
	// only one that grows large, as an import may, is collected at all.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(memoryLimit)
	outliveSizeLimit()
	env := &Env{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Environ: os.Environ(),
		Now:     time.Now,
		Term:    terminal(),
	}
	env.Interruptible = interruptible
	if path, err := os.Executable(); err == nil { // without it nothing runs in the background
		env.Program = path
	}
	os.Exit(Run(context.Background(), env, os.Args[1:]))
}

// memoryLimit is the heap, in bytes, at which garbage begins to be collected.
const memoryLimit = 256 << 20

// interruptible makes a context that ends with an *interruption by a signal which
// would have ended the process. What was ignored from the start (nohup) stays so.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	caught := make(chan os.Signal, 1)
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(sig) {
			signal.Notify(caught, sig)
		}
	}
	go func() {
		select {
		case sig := <-caught:
			cancel(&interruption{sig})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(caught)
		cancel(nil)
	}
}

func terminal() Terminal {
	t := Terminal{In: term.IsTerminal(int(os.Stdin.Fd())), Err: term.IsTerminal(int(os.Stderr.Fd()))}
	out := int(os.Stdout.Fd())
	if !term.IsTerminal(out) {
		return t
	}
	// Without a size the width is not known, and stays 0.
	t.Out = true
	t.Width, _, _ = term.GetSize(out)
	return t
}
