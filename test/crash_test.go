package test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A process that dies at any point of a command leaves memory such that the next
// command finds every acknowledged step, each once.
func TestKilledAtEveryFaultPoint(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		point string
		args  []string
	}{
		{"after-append", []string{"record", "-a", "unacknowledged"}},
		{"after-objects", []string{"commit", "-m", "killed"}},
		{"after-refs", []string{"commit", "-m", "killed"}},
		{"after-append", []string{"commit", "-m", "killed"}},
		{"after-objects:1", []string{"commit", "-m", "killed in the fold"}},
		{"after-objects", []string{"branch", "exp"}},
		{"after-refs", []string{"branch", "exp"}},
		{"after-objects", []string{"merge", "side"}},
		{"after-refs", []string{"merge", "side"}},
		{"after-append", []string{"merge", "side"}},
		{"after-objects", []string{"branch", "-D", "side"}},
		{"after-refs", []string{"branch", "-D", "side"}},
		{"after-objects", []string{"branch", "-m", "side", "other"}},
		{"after-refs", []string{"branch", "-m", "side", "other"}},
	} {
		t.Run(c.point+" "+strings.Join(c.args[:2], " "), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			var main, side []string
			w.ok("branch", "side", "--purpose", "Try", "--no-switch")
			for i := range 3 {
				main = append(main, id(t, w.ok("record", "-a", fmt.Sprint("main ", i), "--json")))
				side = append(side, id(t, w.ok("record", "-b", "side", "-a", fmt.Sprint("side ", i), "--json")))
			}
			w.killedAt(c.point, c.args...)
			main = append(main, id(t, w.ok("record", "-a", "after", "--json")))
			w.ok("commit", "-m", "next")
			w.once("main", main)
			where := "main"
			for _, b := range []string{"side", "other"} {
				if w.command(nil, "git", "rev-parse", "-q", "--verify", "refs/context/heads/"+b).Run() == nil {
					where = b
					w.ok("commit", "-b", b, "-m", "next")
				}
			}
			if c.args[1] != "-D" || where == "side" {
				w.once(where, side)
			}
			w.sound()
		})
	}
}

// A rollback moves the branch and the roadmap, or neither.
func TestRollbackKilled(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"after-objects", "after-refs", "after-append", "after-objects:1"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.ok("remember", "pool", "wrong")
			w.ok("roadmap", "goal", "Another")
			first := id(t, w.ok("record", "-a", "before", "--json"))
			w.killedAt(point, "rollback", "main~1")
			undone := point != "after-objects"
			if gone := w.command(nil, w.bin, "topic", "pool").Run() != nil; gone != undone {
				t.Errorf("the topic went away: %v, want %v", gone, undone)
			}
			if back := strings.Contains(string(w.ok("roadmap")), "Keep every step"); back != undone {
				t.Errorf("the roadmap came back: %v, want %v", back, undone)
			}
			w.ok("rollback", "main~1")
			second := id(t, w.ok("record", "-a", "after", "--json"))
			w.ok("commit", "-m", "next")
			w.once("main", []string{first, second})
			w.sound()
		})
	}
}

// A journal that has grown is replaced; dying just before that loses nothing.
func TestKilledBeforeCompaction(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var ids []string
	for range 3 {
		ids = append(ids, id(t, w.ok("record", "-o", strings.Repeat("x", 30_000), "--json")))
	}
	w.killedAt("before-journal-rename", "commit", "-m", "killed")
	ids = append(ids, id(t, w.ok("record", "-a", "after", "--json")))
	w.ok("commit", "-m", "next")
	w.once("main", ids)
	w.sound()
}

// Records and commits are killed, with their children, at a hundred random
// moments.
func TestRandomKills(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rng := rand.New(rand.NewPCG(1, 2))
	var ids []string
	kills := 0
	for i := range 100 {
		cmd := w.command(nil, w.bin, "record", "--stdin", "--json")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		commit := w.command(nil, w.bin, "commit", "-m", fmt.Sprint("commit ", i))
		if err := commit.Start(); err != nil {
			t.Fatal(err)
		}
		go func() {
			for k := range 1000 {
				if _, err := fmt.Fprintf(in, "{\"action\":\"%d.%d\"}\n", i, k); err != nil {
					return
				}
			}
		}()
		wait := time.Duration(rng.IntN(25_000)) * time.Microsecond
		go func() {
			time.Sleep(wait)
			syscall.Kill(-commit.Process.Pid, syscall.SIGKILL)
			syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		}()
		ids = append(ids, answered(bufio.NewScanner(out))...)
		if cmd.Wait() != nil {
			kills++
		}
		_ = commit.Wait() // killed or done: both are meant
	}
	if kills < 50 {
		t.Errorf("only %d of 100 were killed at work", kills)
	}
	w.removeStaleLocks()
	w.ok("commit", "-m", "the rest")
	w.once("main", ids)
	w.sound()
	t.Logf("%d steps acknowledged, %d processes killed", len(ids), kills)
}

// answered reads the ids of whole answers.
func answered(lines *bufio.Scanner) []string {
	var ids []string
	for lines.Scan() {
		var v struct{ ID string }
		if json.Unmarshal(lines.Bytes(), &v) == nil && v.ID != "" {
			ids = append(ids, v.ID)
		}
	}
	return ids
}
