package web

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/git-context/git-context/cmd"
)

const usage = `usage: git-context-web [--port N] [--no-open]
   or: git-context-web --export FILE
   or: git-context-web --version

Serves memory as pages on this machine: git context help web
`

// memoryLimit is the heap in bytes from which on memory is given back eagerly.
const memoryLimit = 96 << 20

// Main serves the repository of the current directory until a signal ends it, or writes it into a file, and
// ends the process.
func Main() {
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	var port int
	var quiet, version bool
	var file string
	flags := flag.NewFlagSet("git-context-web", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.IntVar(&port, "port", 0, "")
	flags.BoolVar(&quiet, "no-open", false, "")
	flags.BoolVar(&version, "version", false, "")
	flags.StringVar(&file, "export", "", "")
	switch err := flags.Parse(args); {
	case err == flag.ErrHelp:
		fmt.Print(usage)
		return 0
	case err != nil || flags.NArg() > 0 || port < 0 || port > 65535:
		fmt.Fprint(os.Stderr, usage)
		return 2
	case version:
		fmt.Println("git-context-web version " + cmd.Version())
		return 0
	}
	debug.SetMemoryLimit(memoryLimit)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o := Options{Environ: os.Environ(), Now: time.Now, Port: port, Out: os.Stdout, Err: os.Stderr}
	if !quiet {
		o.Open = openBrowser
	}
	var err error
	if file != "" {
		err = ExportTo(ctx, o, file)
	} else {
		err = Serve(ctx, o)
	}
	return cmd.Report(os.Stderr, err)
}

// openBrowser opens an address where there is a desktop. Where there is none, the address is printed anyway.
func openBrowser(address string) {
	var c *exec.Cmd
	switch runtime.GOOS {
	case "darwin":
		c = exec.Command("open", address)
	case "windows":
		c = exec.Command("rundll32", "url.dll,FileProtocolHandler", address)
	default:
		if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
			return
		}
		c = exec.Command("xdg-open", address)
	}
	if c.Start() == nil { // without the program, people open the address themselves
		go func() { _ = c.Wait() }()
	}
}
