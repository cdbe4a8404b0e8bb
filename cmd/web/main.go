package web

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"html"
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
	var b browser
	defer b.close()
	if !quiet {
		o.Open = b.open
	}
	var err error
	if file != "" {
		err = ExportTo(ctx, o, file)
	} else {
		err = Serve(ctx, o)
	}
	return cmd.Report(os.Stderr, err)
}

// browser opens addresses by files that only the user may read: other users see the arguments of a program, and
// an address has the token.
type browser struct{ files []string }

// open opens an address where there is a desktop. Where it cannot, people open the address that is printed.
func (b *browser) open(address string) {
	var argv []string
	switch runtime.GOOS {
	case "darwin":
		argv = []string{"open"}
	case "windows":
		argv = []string{"rundll32", "url.dll,FileProtocolHandler"}
	default:
		if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
			return
		}
		argv = []string{"xdg-open"}
	}
	file, err := os.CreateTemp("", "git-context-*.html")
	if err != nil {
		return
	}
	b.files = append(b.files, file.Name())
	_, err = fmt.Fprintf(file, "<!doctype html><title>Memory</title><meta http-equiv=\"refresh\" content=\"0;url=%s\">\n",
		html.EscapeString(address))
	if errors.Join(err, file.Close()) != nil {
		return
	}
	c := exec.Command(argv[0], append(argv[1:], file.Name())...)
	if c.Start() == nil {
		go func() { _ = c.Wait() }()
	}
}

func (b *browser) close() {
	for _, name := range b.files {
		_ = os.Remove(name) // the system empties its folder of temporary files
	}
}
