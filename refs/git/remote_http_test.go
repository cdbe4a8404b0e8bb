package git

import (
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// helper finds one of git's servers.
func (s *sandbox) helper(name string) string {
	s.T.Helper()
	path := filepath.Join(s.Git("", "--exec-path"), name)
	if _, err := os.Stat(path); err != nil {
		s.T.Skipf("NOT TESTED: this git has no %s: %v", name, err)
	}
	return path
}

// serveHTTP serves the sandbox's repositories over smart HTTP; before, if not
// nil, may answer a request itself, and then reports true.
func (s *sandbox) serveHTTP(before func(http.ResponseWriter, *http.Request) bool) string {
	s.T.Helper()
	backend := &cgi.Handler{Path: s.helper("git-http-backend"), Env: []string{"GIT_PROJECT_ROOT=" + s.Dir,
		"GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=someone", "GIT_CONFIG_NOSYSTEM=1", "HOME=" + s.Path("home")}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if before == nil || !before(w, req) {
			backend.ServeHTTP(w, req)
		}
	}))
	s.T.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

func TestHTTP(t *testing.T) {
	t.Parallel()
	s, r := newRemote(t)
	url := s.serveHTTP(nil) + "/server.git"
	first := commit(t, r, "one")
	second := commit(t, r, "two", first)
	o := PushOptions{Remote: url, Updates: []PushUpdate{{second, mainRef}, {first, otherRef}}, Atomic: true}
	for i, status := range []PushStatus{PushDone, PushUpToDate} {
		for _, p := range ok(r.Push(t.Context(), o))(t) {
			if p.Status != status {
				t.Errorf("%d: %+v", i, p)
			}
		}
	}
	must(t, r.Fetch(t.Context(), FetchOptions{Remote: url, Refspecs: FetchRefspecs("o")}))
	if at := ok(r.Ref(t.Context(), trackedRef))(t); at != second {
		t.Errorf("fetched %s", at)
	}
	// An atomic push that git rejects by itself breaks its own protocol, and
	// leaves lines out.
	s.Git("server.git", "update-ref", mainRef, s.Git("server.git", "commit-tree", "-p", string(first), "-m", "x", string(first)+"^{tree}"))
	o.Updates = []PushUpdate{{second, mainRef}, {second, otherRef}, {second, NotesRef}}
	for _, p := range ok(r.Push(t.Context(), o))(t) {
		if p.Status != PushStale || p.Reason == "" {
			t.Errorf("%+v", p)
		}
	}
}

func TestHTTPIsCutOff(t *testing.T) {
	t.Parallel()
	s, r := newRemote(t)
	url := s.serveHTTP(func(w http.ResponseWriter, req *http.Request) bool {
		if req.Method == http.MethodPost {
			w.WriteHeader(http.StatusInternalServerError)
		}
		return req.Method == http.MethodPost
	}) + "/server.git"
	id := commit(t, r, "one")
	s.Git("r", "push", "-q", "o", string(id)+":"+mainRef)
	// Of what needs no push git has a line all the same.
	_, err := r.Push(t.Context(), PushOptions{Remote: url, Updates: []PushUpdate{{id, mainRef}, {id, otherRef}}})
	wantErr(t, err, ErrUnreachable, "HTTP 500")
	err = r.Fetch(t.Context(), FetchOptions{Remote: url, Refspecs: FetchRefspecs("o")})
	wantErr(t, err, ErrUnreachable, "500")
}

func TestHTTPStalls(t *testing.T) {
	t.Parallel()
	s, r := newRemote(t)
	end := make(chan struct{})
	var once sync.Once
	stop := func() { once.Do(func() { close(end) }) }
	defer stop()
	url := s.serveHTTP(func(w http.ResponseWriter, req *http.Request) bool {
		<-end
		return true
	})
	// The user's own setting, which ours must not replace.
	s.Git("r", "config", "http.lowSpeedTime", "1")
	s.Git("r", "config", "http.lowSpeedLimit", "1")
	r.InvalidateConfig()
	begin := time.Now()
	_, err := r.LsRemote(t.Context(), url+"/server.git")
	wantErr(t, err, ErrUnreachable, "")
	if took := time.Since(begin); took > stallTimeout*3/4 {
		t.Errorf("gave up after %v", took)
	}
}

// Nobody is asked, but for a program that GIT_ASKPASS names.
func TestNoQuestions(t *testing.T) {
	t.Parallel()
	s, _ := newRemote(t)
	url := s.serveHTTP(func(w http.ResponseWriter, req *http.Request) bool {
		_, password, _ := req.BasicAuth()
		if password != "sesame" {
			w.Header().Set("WWW-Authenticate", `Basic realm="cave"`)
			w.WriteHeader(http.StatusUnauthorized)
		}
		return password != "sesame"
	}) + "/server.git"
	for name, script := range map[string]string{"ask": "touch " + s.Path("asked"), "answer": "", "wrong": ""} {
		word := map[string]string{"answer": "sesame"}[name]
		s.Write(name, "#!/bin/sh\n"+script+"\necho "+word+"\n")
		must(t, os.Chmod(s.Path(name), 0o755))
	}
	s.Git("r", "config", "core.askPass", s.Path("ask"))
	r := s.open("r", "SSH_ASKPASS="+s.Path("ask"), "SSH_ASKPASS_REQUIRE=force", "DISPLAY=:0", "GPG_TTY=/dev/tty")
	_, err := r.LsRemote(t.Context(), url)
	wantErr(t, err, ErrUnreachable, "could not read Username")
	if _, err := os.Stat(s.Path("asked")); err == nil {
		t.Error("a program asked")
	}
	ok(s.open("r", "GIT_ASKPASS="+s.Path("answer")).LsRemote(t.Context(), url))(t)
	_, err = s.open("r", "GIT_ASKPASS="+s.Path("wrong")).LsRemote(t.Context(), url)
	wantErr(t, err, ErrUnreachable, "Authentication failed")
}

// serveDaemon serves the sandbox's repositories by git's own protocol, a process
// for every connection.
func (s *sandbox) serveDaemon(args ...string) string {
	s.T.Helper()
	path := s.helper("git-daemon")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(s.T, err)
	var all sync.WaitGroup
	serve := func(conn *net.TCPConn) {
		file, err := conn.File()
		conn.Close() // git's end is the only one then, and ends with it
		if err != nil {
			s.T.Error(err)
			return
		}
		defer file.Close()
		cmd := exec.Command(path, append([]string{"--inetd", "--export-all", "--base-path=" + s.Dir}, args...)...)
		cmd.Env = s.Env
		cmd.Stdin, cmd.Stdout = file, file
		_ = cmd.Run() // a client that is refused fails it
	}
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { serve(conn.(*net.TCPConn)) })
		}
	})
	s.T.Cleanup(func() {
		l.Close()
		all.Wait()
	})
	return "git://" + l.Addr().String()
}

func TestDaemon(t *testing.T) {
	t.Parallel()
	s, r := newRemote(t)
	id := commit(t, r, "one")
	o := PushOptions{Updates: []PushUpdate{{id, mainRef}}}

	closed := s.serveDaemon()
	o.Remote = closed + "/server.git"
	_, err := r.Push(t.Context(), o)
	wantErr(t, err, ErrUnreachable, "access denied")
	_, err = r.LsRemote(t.Context(), closed+"/nowhere.git")
	wantErr(t, err, ErrUnreachable, "access denied or repository not exported")

	open := s.serveDaemon("--enable=receive-pack") + "/server.git"
	o.Remote = open
	if got := ok(r.Push(t.Context(), o))(t); got[0].Status != PushDone {
		t.Errorf("pushed %v", got)
	}
	must(t, r.Fetch(t.Context(), FetchOptions{Remote: open, Refspecs: FetchRefspecs("o")}))
	if at := ok(r.Ref(t.Context(), trackedRef))(t); at != id {
		t.Errorf("fetched %s", at)
	}
	// The server's process dies in the middle.
	s.hook("pre-receive", "kill -9 $PPID")
	o.Updates[0].Ref = otherRef
	_, err = r.Push(t.Context(), o)
	wantErr(t, err, ErrUnreachable, "")
	if strings.Contains(s.Git("server.git", "for-each-ref"), otherRef) {
		t.Error("the hook came too late")
	}
}
