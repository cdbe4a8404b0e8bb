package cmd

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"time"

	"golang.org/x/term"
)

// Main runs the process's command line in the process's world and ends it.
// ^C ends the work between two steps of it, where nothing is half done; a
// second one ends the process at once.
func Main() {
	// A command lives for milliseconds and ends before collecting garbage pays;
	// only one that grows large, as an import may, is collected at all.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(memoryLimit)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop)
	env := &Env{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Environ: os.Environ(),
		Now:     time.Now,
		Term:    terminal(),
	}
	code := Run(ctx, env, os.Args[1:])
	stop()
	if code == exitInterrupted {
		die()
	}
	os.Exit(code)
}

// memoryLimit is the heap, in bytes, at which garbage begins to be collected.
const memoryLimit = 256 << 20

func terminal() Terminal {
	out := int(os.Stdout.Fd())
	if !term.IsTerminal(out) {
		return Terminal{}
	}
	// Without a size the width is not known, and stays 0.
	width, _, _ := term.GetSize(out)
	return Terminal{Out: true, Width: width}
}

// die ends the process by SIGINT, so that a shell stops its loop too; where a
// process cannot signal itself, it returns and the exit code has to do.
func die() {
	signal.Reset(os.Interrupt)
	p, err := os.FindProcess(os.Getpid())
	if err == nil && p.Signal(os.Interrupt) == nil {
		time.Sleep(time.Second) // the signal arrives in its own time, which is far less
	}
}
