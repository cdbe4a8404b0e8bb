package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// openPages is how many pages listen while record and commit are measured.
const openPages = 50

// served is what the pages of a long memory cost.
type served struct {
	pages   []string
	first   map[string]time.Duration // of a server that has just started
	again   map[string]time.Duration
	memory  int64 // bytes resident, after all pages with openPages listening
	beside  map[string]time.Duration
	without map[string]time.Duration
}

// shownPages are measured with a search among them.
var shownPages = []string{"/", "/trace", "/brief", "/topics", "/branches", "/search?q=connection+pool", "/commit/CONTEXT_HEAD"}

// web measures the server's answers to a browser on the history that searches are measured on, and commands
// beside its pages. It needs the repository of [bench.search].
func (r *repo) web() (s served, err error) {
	s = served{pages: shownPages, first: map[string]time.Duration{}, again: map[string]time.Duration{}}
	if err := r.do(r.b.bin, "switch", "try/1"); err != nil {
		return s, err
	}
	plain, err := r.copied("unwatched")
	if err != nil {
		return s, err
	}
	for _, path := range s.pages {
		page, err := r.serve()
		if err != nil {
			return s, err
		}
		s.first[path], err = page.get(path)
		if err := errors.Join(err, page.stop()); err != nil {
			return s, err
		}
	}
	page, err := r.serve()
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, page.stop()) }()
	for _, path := range s.pages {
		var list []time.Duration
		for range r.b.runs {
			took, err := page.get(path)
			if err != nil {
				return s, err
			}
			list = append(list, took)
		}
		s.again[path] = median(list)
	}
	for range openPages {
		answer, err := page.client.Get(page.base + "/events")
		if err != nil {
			return s, err
		}
		defer answer.Body.Close()
	}
	if s.beside, s.without, err = r.timeWriting(plain); err != nil {
		return s, err
	}
	s.memory, err = page.resident()
	return s, err
}

// timeWriting times record and commit here and in a copy, in turn.
func (r *repo) timeWriting(other *repo) (here, there map[string]time.Duration, err error) {
	here, there = map[string]time.Duration{}, map[string]time.Duration{}
	for _, command := range [][]string{{"record", "-t", "A thought"}, {"commit", "-m", "A commit"}} {
		var lists [2][]time.Duration
		for i := range r.b.runs + 2 {
			for j, in := range []*repo{r, other} {
				took, err := in.time(in.dir, in.b.bin, command...)
				if err != nil {
					return nil, nil, err
				}
				if i >= 2 { // the first ones warm the disk
					lists[j] = append(lists[j], took)
				}
			}
		}
		here[command[0]], there[command[0]] = median(lists[0]), median(lists[1])
	}
	return here, there, nil
}

// server is a running 'git context web' and a browser's connection to it.
type server struct {
	base   string
	client *http.Client
	cmd    *exec.Cmd
}

func (r *repo) serve() (*server, error) {
	s := &server{cmd: r.command(r.b.bin+"-web", "--no-open")}
	s.cmd.Dir, s.cmd.Stderr = r.dir, os.Stderr
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, errors.Join(err, s.stop())
	}
	s.base, _, _ = strings.Cut(strings.TrimSpace(line), "/?")
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	// The answer to the address with the token only sets a cookie.
	s.client = &http.Client{Jar: jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := s.client.Get(strings.TrimSpace(line))
	if err != nil {
		return nil, err
	}
	return s, answer.Body.Close()
}

func (s *server) get(path string) (time.Duration, error) {
	begin := time.Now()
	answer, err := s.client.Get(s.base + path)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s\n%s", path, answer.Status, text)
	}
	return time.Since(begin), err
}

// resident returns the memory of the server in bytes, 0 where /proc does not say it.
func (s *server) resident() (int64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	for line := range strings.Lines(string(data)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.ParseInt(strings.Fields(value)[0], 10, 64)
			return kib << 10, err
		}
	}
	return 0, err
}

func (s *server) stop() error {
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	return s.cmd.Wait()
}

func (s served) print(w io.Writer) error {
	ms := func(d time.Duration) float64 { return d.Seconds() * 1000 }
	fmt.Fprintf(w, "\nPages over the same memory "+
		"(milliseconds until the whole page has arrived; budget 300 ms, search 50 ms):\n\n"+
		"| page | first of a new server | again |\n|---|---|---|\n")
	for _, path := range s.pages {
		fmt.Fprintf(w, "| `%s` | %.0f | %.0f |\n", path, ms(s.first[path]), ms(s.again[path]))
	}
	_, err := fmt.Fprintf(w, "\nWith %d open pages the server has taken %d MiB at most; "+
		"beside them `record` takes %.2f and `commit` %.2f of the time without.\n", openPages, s.memory>>20,
		s.beside["record"].Seconds()/s.without["record"].Seconds(),
		s.beside["commit"].Seconds()/s.without["commit"].Seconds())
	return err
}
