package test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"
)

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
