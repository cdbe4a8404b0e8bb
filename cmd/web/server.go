// Package web serves memory as pages to a browser on the same machine.
//
// Each request opens the repository anew, so that a repack, a deletion or a rebase between two requests is
// seen, and is an error on the page and no end of the server. Nothing is written: of the repository only the
// cache of searches, as by 'git context search'.
//
// The server listens on a loopback address and answers only who has the token that [Serve] prints.
package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/git-context/git-context/cmd"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render/page"
)

// Options are the options of a server.
type Options struct {
	Dir     string   // where to look for a repository; "" is the process's directory
	Environ []string // KEY=value
	Now     func() time.Time
	Port    int                  // 0: one that is free
	Open    func(address string) // opens a browser; nil: none
	Out     io.Writer            // gets the address, in its first line
	Err     io.Writer            // gets what goes wrong while serving
}

const (
	pageTime     = 30 * time.Second // a page that takes longer is an error
	mostAtOnce   = 4                // pages are made at once; more wait
	headerTime   = 10 * time.Second
	shutdownTime = 2 * time.Second
)

type server struct {
	Options
	drawings drawings
	watch    watch
	busy     chan struct{}
}

// Serve prints the address and serves until ctx ends. It returns an error if there is no repository, or if it
// cannot listen.
func Serve(ctx context.Context, o Options) error {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return err
	}
	o.Dir = dir
	v := &server{Options: o, busy: make(chan struct{}, mostAtOnce)}
	v.watch.files = v.watched
	s, err := v.open(ctx, nil)
	if err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(o.Port)))
	if err != nil {
		return fail.New(fail.ErrRefused, fail.Failed, "cannot listen: "+err.Error(), "git context web --port 0")
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return err
	}
	g := newGuard(port, v.routes())
	address := "http://127.0.0.1:" + port + "/?token=" + g.token
	if _, err := fmt.Fprintln(o.Out, address); err != nil {
		return errors.Join(err, listener.Close())
	}
	go v.warm(ctx)
	if o.Open != nil {
		o.Open(address)
	}
	return v.serve(ctx, listener, g)
}

func (v *server) serve(ctx context.Context, listener net.Listener, h http.Handler) error {
	server := &http.Server{
		Handler: h, ReadHeaderTimeout: headerTime, MaxHeaderBytes: 64 << 10,
		ErrorLog: log.New(v.Err, "git-context-web: ", 0),
		// A page that listens for changes ends with the server.
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	if err := server.Shutdown(soon); err != nil {
		return server.Close()
	}
	return nil
}

// open opens the repository. warn gets its warnings; nil drops them.
func (v *server) open(ctx context.Context, warn func(string)) (*refs.Store, error) {
	if warn == nil {
		warn = func(string) {}
	}
	return refs.Open(ctx, store.Options{Dir: v.Dir, Env: cmd.Offline(v.Environ), Now: v.Now, Warn: warn})
}

// warm reads the graph, which takes longest, while a browser starts. The first page waits for it.
func (v *server) warm(ctx context.Context) {
	s, err := v.open(ctx, nil)
	if err != nil {
		return // the first page says so
	}
	if current, err := s.Current(ctx); err == nil {
		_, _ = v.drawings.read(ctx, s, current) // likewise
	}
	_ = s.Close()
}

func (v *server) watched() (watched, error) {
	s, err := v.open(context.Background(), nil)
	if err != nil {
		return watched{}, err
	}
	w := watchedOf(s)
	return w, s.Close()
}

// request is one request of a page.
type request struct {
	*http.Request
	s *refs.Store
	v *server
	f page.Frame
}

// view makes the data of a page. It returns the name of the page.
type view func(ctx context.Context, r *request) (name string, data any, err error)

func (v *server) routes() http.Handler {
	mux := http.NewServeMux()
	for path, show := range map[string]view{
		"/{$}": home, "/commit/{commit}": commit, "/brief": brief, "/trace": trace, "/topics": topics,
		"/topic": topic, "/branches": branches, "/search": find, "/conflicts": conflicts,
	} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) { v.page(w, r, show) })
	}
	mux.HandleFunc("GET /events", v.watch.serve)
	mux.HandleFunc("GET /page.css", asset("text/css; charset=utf-8", page.Style()))
	mux.HandleFunc("GET /page.js", asset("text/javascript; charset=utf-8", page.Script))
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		v.page(w, r, func(context.Context, *request) (string, any, error) {
			return "", nil, fail.New(fail.ErrNotFound, fail.NotFound, "there is no page of that name")
		})
	})
	return mux
}

func asset(kind, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, text) // who does not listen any more needs no answer
	}
}

// page answers with a page, or with the error in its place.
func (v *server) page(w http.ResponseWriter, r *http.Request, show view) {
	ctx, cancel := context.WithTimeout(r.Context(), pageTime)
	defer cancel()
	var b bytes.Buffer
	status := http.StatusOK
	err := v.make(ctx, &b, r, show)
	if r.Context().Err() != nil {
		return // the reader has left
	}
	if err != nil {
		b.Reset()
		status = v.failure(&b, err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // as for an asset
}

// make makes a page. A panic is an error of this page alone.
func (v *server) make(ctx context.Context, b *bytes.Buffer, r *http.Request, show view) (err error) {
	select {
	case v.busy <- struct{}{}:
		defer func() { <-v.busy }()
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() {
		if fault := recover(); fault != nil {
			fmt.Fprintf(v.Err, "git-context-web: internal error: %v\n%s", fault, debug.Stack())
			err = fmt.Errorf("internal error: %v", fault)
		}
	}()
	q := &request{Request: r, v: v}
	warn := func(text string) { q.f.Notices = append(q.f.Notices, text) }
	if q.s, err = v.open(ctx, warn); err != nil {
		return &absent{err}
	}
	defer func() {
		if e := q.s.Close(); err == nil {
			err = e
		}
	}()
	q.f.Here = r.URL.Path
	if err := q.frameOf(ctx, r.FormValue("branch")); err != nil {
		return err
	}
	name, data, err := show(ctx, q)
	if err != nil {
		return err
	}
	return page.Write(b, name, data)
}

// absent is why the repository cannot be opened: it is gone, or was never there.
type absent struct{ error }

func (a *absent) Unwrap() error { return a.error }

// frameOf fills in what all pages have. An empty branch is the current one.
func (q *request) frameOf(ctx context.Context, branch string) (err error) {
	q.f.Project = projectOf(q.s)
	if q.f.Current, err = q.s.Current(ctx); err != nil {
		return err
	}
	if q.f.Branch = q.f.Current; branch != "" {
		if err := store.CheckBranchName(branch); err != nil {
			return err
		}
		q.f.Branch = branch
	}
	q.s.Branch = q.f.Branch
	held, err := merge.WaitingMerge(ctx, q.s, q.f.Current)
	if errors.Is(err, fail.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, c := range held.Conflicts {
		if !c.Resolved {
			q.f.Waiting++
		}
	}
	return nil
}

// projectOf returns the name of the folder that people know the repository by.
func projectOf(s *refs.Store) string {
	dir := s.Repo().WorkTree()
	if dir == "" {
		dir = s.Repo().CommonDir()
		if filepath.Base(dir) == ".git" {
			dir = filepath.Dir(dir)
		}
	}
	return filepath.Base(dir)
}

// mostOffered is how many branches a form offers.
const mostOffered = 1000

// branch returns the branch that a page shows, and the branches that its form offers, that one among them.
func (q *request) branch(ctx context.Context) (*store.Tip, []string, error) {
	tip, err := q.s.Tip(ctx, "")
	if err != nil {
		return nil, nil, err
	}
	names, err := q.s.BranchNames(ctx)
	if err != nil {
		return nil, nil, err
	}
	names = names[:min(len(names), mostOffered)]
	if !slices.Contains(names, q.f.Branch) {
		names = append(names, q.f.Branch)
	}
	return tip, names, nil
}

// failure writes an error as a page, and returns its status.
func (v *server) failure(b *bytes.Buffer, err error) int {
	f := page.Failure{Frame: page.Frame{Title: "Not shown", Project: filepath.Base(v.Dir)}}
	status := http.StatusInternalServerError
	var gone *absent
	switch {
	case errors.Is(err, fail.ErrNotFound):
		f.Title, status = "Not found", http.StatusNotFound
	case errors.Is(err, fail.ErrInvalid):
		status = http.StatusBadRequest
	case errors.As(err, &gone), errors.Is(err, fail.ErrNoMemory):
		status, f.Bare = http.StatusServiceUnavailable, true
	case errors.Is(err, context.DeadlineExceeded):
		err, status = fail.New(fail.ErrRefused, fail.Failed, "the page took longer than 30 seconds"), http.StatusServiceUnavailable
	}
	said := cmd.Explain(err)
	f.Message = said.Message
	if said.Hint != "" {
		f.Hints = []string{said.Hint}
	}
	if err := page.Write(b, page.ErrorPage, f); err != nil {
		b.Reset()
		b.WriteString(said.Message)
	}
	return status
}
