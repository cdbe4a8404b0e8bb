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

// Main runs the command line of the process and ends the process.
//
// ^C ends the process at once, without a handler: memory is safe against that at any
// instruction, and a handler costs a thread, a tenth of the time of `record`. Handlers
// exist only while git signs, and may wait for a person, while it commits the code, and
// while a program tests commits.
func Main() {
	// A command ends before garbage collection pays; only one that grows large, such as an
	// import, collects at all.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(memoryLimit)
	OutliveSizeLimit()
	env := &Env{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Environ: os.Environ(),
		Now:     time.Now,
		Term:    terminal(),
	}
	env.Interruptible = interruptible
	if path, err := os.Executable(); err == nil { // without a path nothing runs in the background
		env.Program = path
	}
	os.Exit(Run(context.Background(), env, os.Args[1:]))
}

// memoryLimit is the heap in bytes at which garbage collection begins.
const memoryLimit = 96 << 20

// interruptible returns a context that a signal which would end the process ends with an
// *interruption. Signals that the process ignores (nohup) stay ignored.
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
	// Without a size the width stays 0, unknown.
	t.Out = true
	t.Width, _, _ = term.GetSize(out)
	return t
}
