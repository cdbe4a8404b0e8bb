package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// host is a bare repository behind `git daemon`, a process for each connection, so
// that what one costs is known to the microsecond.
type host struct {
	lab    *lab
	dir    string
	accept net.Listener
	open   sync.WaitGroup
	live   atomic.Int64 // connections that are open or not yet counted

	mu   sync.Mutex
	cost traffic
	errs []error
}

// traffic is what connections cost the host since it was last asked.
type traffic struct {
	fetches, pushes   int
	fetchCPU, pushCPU time.Duration
	fetchOut, fetchIn int64 // bytes from the host, and to it
	pushOut, pushIn   int64
}

func (l *lab) newHost(name string) (*host, error) {
	h := &host{lab: l, dir: filepath.Join(l.dir, name+".git")}
	if err := l.git(l.dir, "init", "-q", "--bare", "-b", "trunk", h.dir); err != nil {
		return nil, err
	}
	var err error
	if h.accept, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	h.open.Go(h.serve)
	return h, nil
}

// url is how clients reach it.
func (h *host) url(via string) string {
	if via == viaPath {
		return "file://" + h.dir
	}
	return fmt.Sprintf("git://%s/%s", h.accept.Addr(), filepath.Base(h.dir))
}

// The ways to a host.
const (
	viaDaemon = "daemon"
	viaPath   = "path"
)

// close ends the host once every connection has ended.
func (h *host) close() error {
	err := h.accept.Close()
	h.open.Wait()
	return errors.Join(append(h.errs, err)...)
}

func (h *host) serve() {
	for {
		conn, err := h.accept.Accept()
		if err != nil {
			return // closed
		}
		h.live.Add(1)
		h.open.Go(func() {
			defer h.live.Add(-1)
			if err := h.answer(conn.(*net.TCPConn)); err != nil {
				h.mu.Lock()
				h.errs = append(h.errs, err)
				h.mu.Unlock()
			}
		})
	}
}

// answer lets a git daemon speak on a connection and counts what passes.
func (h *host) answer(conn *net.TCPConn) error {
	defer conn.Close()
	cmd := exec.Command("git", "daemon", "--inetd", "--export-all", "--enable=receive-pack", "--base-path="+filepath.Dir(h.dir))
	cmd.Env = h.lab.env
	var said bytes.Buffer
	cmd.Stderr = &said
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	var in atomic.Int64
	first := &opening{}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(io.MultiWriter(first, stdin, counter{&in}), conn) // a client that goes away ends it
		_ = stdin.Close()
	}()
	out, copyErr := io.Copy(conn, stdout)
	waitErr := cmd.Wait()
	_ = conn.Close()
	<-ended
	h.count(first.String(), cmd.ProcessState, in.Load(), out)
	if waitErr != nil && !strings.Contains(said.String(), "hung up") {
		return fmt.Errorf("git daemon: %w: %s", errors.Join(waitErr, copyErr), said.String())
	}
	return nil
}

func (h *host) count(first string, p *os.ProcessState, in, out int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := &h.cost
	cpu := p.UserTime() + p.SystemTime()
	if strings.Contains(first, "git-receive-pack") {
		c.pushes, c.pushCPU, c.pushIn, c.pushOut = c.pushes+1, c.pushCPU+cpu, c.pushIn+in, c.pushOut+out
	} else {
		c.fetches, c.fetchCPU, c.fetchIn, c.fetchOut = c.fetches+1, c.fetchCPU+cpu, c.fetchIn+in, c.fetchOut+out
	}
}

// take is the traffic since the last take. No connection may be open.
func (h *host) take() traffic {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.cost
	h.cost = traffic{}
	return c
}

// addTo adds what was counted to a series: nothing where git opened the files itself.
func (c traffic) addTo(s series) {
	if c.fetches+c.pushes == 0 {
		return
	}
	s.addTime("host fetch cpu", c.fetchCPU)
	s.addTime("host push cpu", c.pushCPU)
	s.add("fetch bytes", float64(c.fetchIn+c.fetchOut))
	s.add("push bytes", float64(c.pushIn+c.pushOut))
	s.add("push bytes of the host", float64(c.pushOut))
	s.add("connections", float64(c.fetches+c.pushes))
}

// opening keeps the beginning of what a client says: which service it wants.
type opening struct{ bytes.Buffer }

func (o *opening) Write(p []byte) (int, error) {
	if o.Len() < 64 {
		o.Buffer.Write(p[:min(len(p), 64)])
	}
	return len(p), nil
}

type counter struct{ n *atomic.Int64 }

func (c counter) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return len(p), nil
}
