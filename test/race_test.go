//go:build unix

package test

import (
	"bufio"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// Two processes record while a third commits, and the user's git moves refs and
// collects garbage beside them.
func TestRecordersCommitterAndGit(t *testing.T) {
	t.Parallel()
	const recorders, each, commits = 2, 1000, 50
	w := newWorld(t)
	var mu sync.Mutex
	var ids []string
	var work, git sync.WaitGroup
	done := make(chan struct{})
	for n := range recorders {
		work.Go(func() {
			got := record(t, w, n, each)
			mu.Lock()
			defer mu.Unlock()
			ids = append(ids, got...)
		})
	}
	work.Go(func() {
		for i := range commits {
			w.ok("commit", "-m", fmt.Sprint("commit ", i))
		}
	})
	git.Go(func() { // the user's own work
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			w.git("commit", "-q", "--allow-empty", "-m", fmt.Sprint("code ", i))
			w.git("update-ref", fmt.Sprint("refs/heads/side", i%5), "HEAD")
			if i%10 == 3 {
				w.git("gc", "-q")
			}
		}
	})
	work.Wait()
	close(done)
	git.Wait()
	w.ok("commit", "-m", "the rest")
	if len(ids) != recorders*each {
		t.Errorf("%d steps were acknowledged, not %d", len(ids), recorders*each)
	}
	w.once("main", ids)
	if got := strings.Count(string(w.ok("--branch", "main", "--limit", "1000", "--json")), `"summary"`); got != commits+1 {
		t.Errorf("%d milestones, not %d", got, commits+1)
	}
	w.sound()
}

// record feeds steps to one `record --stdin` and returns the ids of its answers.
func record(t *testing.T, w *world, n, each int) []string {
	cmd := w.command(nil, w.bin, "record", "--stdin")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Error(err)
		return nil
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Error(err)
		return nil
	}
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return nil
	}
	go func() {
		defer in.Close()
		for i := range each {
			fmt.Fprintf(in, "{\"observation\":\"%d\",\"action\":\"step %d of %d\"}\n", i, i, n)
		}
	}()
	ids := answered(bufio.NewScanner(out))
	if err := cmd.Wait(); err != nil {
		t.Errorf("record --stdin: %v", err)
	}
	return ids
}

// Eight processes commit to one branch and eight each to their own, all at once.
func TestCommittersOnOneAndOnManyBranches(t *testing.T) {
	t.Parallel()
	const writers, each = 8, 5
	w := newWorld(t)
	for n := range writers {
		w.ok("branch", fmt.Sprint("own/", n), "--no-switch")
	}
	var wg sync.WaitGroup
	for n := range writers {
		for _, branch := range []string{"main", fmt.Sprint("own/", n)} {
			wg.Go(func() {
				for i := range each {
					w.ok("record", "-b", branch, "-a", fmt.Sprint("step ", n, i))
					w.ok("commit", "-b", branch, "-m", fmt.Sprint("milestone ", n, i))
				}
			})
		}
	}
	wg.Wait()
	if got := len(w.steps("main")); got != writers*each {
		t.Errorf("main has %d steps, not %d", got, writers*each)
	}
	for n := range writers {
		if got := len(w.steps(fmt.Sprint("own/", n))); got != each {
			t.Errorf("own/%d has %d steps, not %d", n, got, each)
		}
	}
	if got := strings.Count(w.git("log", "--format=%(trailers:key=Context-Id)", "--glob=refs/context/heads/*"), "Context-Id:"); got != 2*writers*each {
		t.Errorf("%d milestones, not %d", got, 2*writers*each)
	}
	w.sound()
}
