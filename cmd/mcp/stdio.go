package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/git-context/git-context/cmd"
)

const usage = `usage: git-context-mcp [--version]

Serves memory by the Model Context Protocol on standard input and output.
A client of agents starts it: git context help mcp
`

// Main serves standard input and output, until the input ends, and ends the process.
func Main() {
	switch {
	case len(os.Args) == 2 && os.Args[1] == "--version":
		fmt.Println("git-context-mcp version " + cmd.Version())
		return
	case len(os.Args) == 2 && (os.Args[1] == "-h" || os.Args[1] == "--help"):
		fmt.Print(usage)
		return
	case len(os.Args) > 1:
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	cmd.OutliveSizeLimit()
	o := Options{Environ: os.Environ(), Now: time.Now, Program: beside()}
	if err := Serve(context.Background(), o, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "git-context-mcp: error:", err)
		os.Exit(1)
	}
}

// beside returns the path of git-context: beside this program, else on the PATH; "" if there is none.
func beside() string {
	const name = "git-context"
	if self, err := os.Executable(); err == nil {
		path := filepath.Join(filepath.Dir(self), name+filepath.Ext(self))
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "" // nothing runs in the background
	}
	return path
}

// Serve serves one client until its messages end.
func Serve(ctx context.Context, o Options, in io.Reader, out io.Writer) error {
	shared := &output{w: out, open: map[any]int{}}
	return New(o).Run(ctx, &sdk.IOTransport{Reader: messages(in, shared), Writer: shared})
}

// output writes whole messages, of the server and of what reads its input, and knows the requests that have
// no answer yet: at the end of its input the SDK would drop these.
type output struct {
	mu   sync.Mutex
	w    io.Writer
	open map[any]int   // how many requests with an id have no answer
	idle chan struct{} // if wait waits; closed once there is none
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err := o.w.Write(p)
	if m, ok := read(p); ok {
		if answer, ok := m.(*jsonrpc.Response); ok {
			o.answered(answer.ID.Raw())
		}
	}
	return n, err
}

// answered forgets a request. What has an answer that was not asked for is none.
func (o *output) answered(id any) {
	if o.open[id]--; o.open[id] <= 0 {
		delete(o.open, id)
	}
	if len(o.open) == 0 && o.idle != nil {
		close(o.idle)
		o.idle = nil
	}
}

// asked remembers a request that wants an answer that ends.
func (o *output) asked(m jsonrpc.Message) {
	if r, ok := m.(*jsonrpc.Request); ok && r.ID.IsValid() && r.Method != "subscriptions/listen" {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.open[r.ID.Raw()]++
	}
}

// endWait is how long the end of the input waits for answers.
const endWait = 10 * time.Second

// wait returns when all requests are answered, or after endWait.
func (o *output) wait() {
	o.mu.Lock()
	if len(o.open) == 0 {
		o.mu.Unlock()
		return
	}
	idle := make(chan struct{})
	o.idle = idle
	o.mu.Unlock()
	select {
	case <-idle:
	case <-time.After(endWait):
	}
}

// read reads a line as the SDK does, for which anything else is the end of the session; false if it is no message of JSON-RPC 2.0.
func read(text []byte) (jsonrpc.Message, bool) {
	if !json.Valid(text) { // more behind the first value
		return nil, false
	}
	m, err := jsonrpc.DecodeMessage(text)
	return m, err == nil
}

// Close does nothing: the process closes its output.
func (o *output) Close() error { return nil }

// mostMessage is the size of a message in bytes that is read.
const mostMessage = 16 << 20

// messages returns the lines of in that are messages. Every other line is answered with an error: for the
// SDK it would be the end of the session.
func messages(in io.Reader, out *output) io.ReadCloser {
	r, w := io.Pipe()
	go func() {
		lines := bufio.NewReaderSize(in, 64<<10)
		for {
			text, err := readLine(lines)
			m, isMessage := read(text)
			switch {
			case err != nil && !errors.Is(err, errLong):
				out.wait()
				_ = w.CloseWithError(err) // always nil
				return
			case err == nil && len(text) == 0:
			case err != nil || !isMessage:
				_, _ = io.WriteString(out, `{"jsonrpc":"2.0","id":null,"error":`+
					`{"code":-32700,"message":"the line is no message of JSON-RPC 2.0"}}`+"\n")
			default:
				out.asked(m)
				if _, err := w.Write(append(text, '\n')); err != nil {
					return // the session has ended
				}
			}
		}
	}()
	return r
}

var errLong = errors.New("the message is too long")

// readLine returns the next line without white space around it.
func readLine(r *bufio.Reader) (text []byte, err error) {
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(text)+len(part) > mostMessage; !long {
			text = append(text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == io.EOF && len(text) > 0:
			return bytes.TrimSpace(text), nil
		case err != nil:
			return nil, err
		case long:
			return nil, errLong
		}
		return bytes.TrimSpace(text), nil
	}
}
