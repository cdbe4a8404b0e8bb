//go:build unix

package test

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
)

// httpBackend is git's own CGI program behind a server in this process.
func httpBackend(t testing.TB, s *server) error {
	path, err := gitProgram("git-http-backend")
	if err != nil {
		return err
	}
	if out, err := exec.Command("git", "-C", s.dir, "config", "http.receivePack", "true").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	env := append(serverEnv(s), "GIT_PROJECT_ROOT="+filepath.Dir(s.dir), "GIT_HTTP_EXPORT_ALL=1")
	backend := &cgi.Handler{Path: path, Env: env, Stderr: t.Output(), Logger: log.New(t.Output(), "", 0)}
	var down atomic.Bool
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if down.Load() {
			panic(http.ErrAbortHandler) // which is how a handler drops a connection
		}
		whole(r)
		backend.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	s.url = web.URL + "/" + filepath.Base(s.dir)
	s.cut = func() { down.Store(true); web.CloseClientConnections() }
	s.mend = func() { down.Store(false) }
	return nil
}

// whole reads a body that comes in chunks, as that of a large push does: CGI
// must be told its length beforehand.
func whole(r *http.Request) {
	if len(r.TransferEncoding) == 0 {
		return
	}
	data, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the client went away
	}
	r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(bytes.NewReader(data)), int64(len(data)), nil
}
