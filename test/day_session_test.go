//go:build unix

package test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// daySession is a session of an agent in a clone. It ends when one of its processes is killed, or
// fails because of what a killed one left.
type daySession struct {
	*dayClone
	now     time.Time
	root    string
	rng     *rand.Rand
	hits    int
	over    bool
	refused string // why a command failed that was not killed
}

// play begins a session with the brief, works, and hands over.
func (s *daySession) play() {
	s.run("--json")
	for range 6 + s.rng.IntN(6) {
		switch n := s.rng.IntN(12); {
		case n < 4:
			s.work("main")
		case n < 6 && len(s.open) > 0:
			s.work(s.open[s.rng.IntN(len(s.open))])
		case n < 8:
			s.branch()
		case n < 9:
			s.merge()
		case n < 10:
			s.drop()
		case n < 11:
			s.run("sync", "--json")
		default:
			s.run("gc", "--json")
		}
	}
	s.handOver()
	s.run("sync", "--json")
}

// handOver ends a session on the current branch, which is main.
func (s *daySession) handOver() {
	out, ok := s.run("handover", "-m", s.word("Handed over"), "-m", "The next step follows", "--json")
	if !ok {
		return
	}
	var v struct{ Commit string }
	if err := json.Unmarshal(out, &v); err != nil {
		s.t.Error(err)
		return
	}
	s.commits["main"] = append(s.commits["main"], s.trailer(v.Commit, "Context-Id"))
}

// word is a text that nothing else has.
func (s *daySession) word(what string) string {
	s.names++
	return fmt.Sprintf("%s-%s-%d", what, s.name, s.names)
}

// run runs a command, and kills one of sixteen. A killed one may have answered before.
func (s *daySession) run(args ...string) (out []byte, ok bool) {
	if s.over {
		return nil, false
	}
	var answer, errs bytes.Buffer
	cmd := s.command([]string{"GIT_CONTEXT_AGENT=" + s.name}, s.bin, args...)
	cmd.Stdout, cmd.Stderr = &answer, &errs
	if err := cmd.Start(); err != nil {
		s.t.Error(err)
		return nil, false
	}
	child := false
	if s.rng.IntN(16) == 0 {
		time.Sleep(time.Duration(s.rng.IntN(40)) * time.Millisecond)
		child = strike(cmd.Process.Pid, s.root, s.rng)
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL, child:
		s.hits++
		s.over = true
	case err != nil:
		s.over = true
		s.refused = fmt.Sprintf("git-context %s: %v\n%s", strings.Join(args, " "), err, &errs)
		if !expected(errs.String()) {
			s.t.Error(s.refused)
		}
	}
	return answer.Bytes(), err == nil
}

// work records steps on a branch and commits them, with a topic and a to-do now and then.
func (s *daySession) work(branch string) {
	for range 1 + s.rng.IntN(4) {
		out, _ := s.run("record", "-b", branch, "-a", s.word("step"), "--json")
		s.told[branch] = append(s.told[branch], answered(bufio.NewScanner(bytes.NewReader(out)))...)
	}
	switch s.rng.IntN(4) {
	case 0:
		s.run("remember", s.word("topic"), "It is so", "-b", branch, "--json")
	case 1:
		s.run("roadmap", "todo", "add", s.word("do"), "--json")
	}
	out, _ := s.run("commit", "-b", branch, "-m", s.word("Commit"), "--json")
	s.commits[branch] = append(s.commits[branch], answered(bufio.NewScanner(bytes.NewReader(out)))...)
}

// branch makes a branch, unless there are enough.
func (s *daySession) branch() {
	if len(s.open) >= maxAlive {
		return
	}
	name := s.word("exp")
	if _, ok := s.run("branch", name, "--purpose", "Try", "--no-switch", "--json"); ok {
		s.open = append(s.open, name)
	}
}

// merge merges or abandons the oldest branch. After a killed merge only the branch itself must
// contain its steps.
func (s *daySession) merge() {
	if len(s.open) == 0 || s.over {
		return
	}
	name := s.open[0]
	s.open, s.closed = s.open[1:], append(s.closed, name)
	if s.rng.IntN(3) == 0 {
		s.run("merge", name, "--abandon", "-m", "A dead end", "--json")
		return
	}
	out, ok := s.run("merge", name, "--into", "main", "-m", s.word("Merge"), "--json")
	if ok {
		s.merged = append(s.merged, s.told[name]...)
		s.commits["main"] = append(s.commits["main"], answered(bufio.NewScanner(bytes.NewReader(out)))...)
	}
}

// drop deletes a closed branch. After a kill the ref shows whether the command did that.
func (s *daySession) drop() {
	if len(s.closed) == 0 || s.over {
		return
	}
	i := s.rng.IntN(len(s.closed))
	name := s.closed[i]
	_, ok := s.run("branch", "-D", name, "--yes", "--json")
	if ok || s.command(nil, "git", "rev-parse", "-q", "--verify", "refs/context/heads/"+name).Run() != nil {
		s.closed = slices.Delete(s.closed, i, i+1)
		s.deleted[name] = s.now
	}
}
