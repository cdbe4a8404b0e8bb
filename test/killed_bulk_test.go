//go:build unix

package test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// bulkKillings touch much at once.
func bulkKillings(t *testing.T) []killing {
	path := func(name string) string {
		path, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	expunge := []string{"expunge", "--match", secret, "--yes"}
	folder, trace := path("../refs/peer/testdata/contexa"), path("testdata/pool.traj")
	return []killing{
		{name: "expunge", prepare: spreading, args: expunge, again: []int{1}, holds: expunged},
		{name: "expunge from packs", prepare: func(w *killWorld) {
			spreading(w)
			w.git("gc", "-q")
		}, args: expunge, again: []int{1}, holds: expunged},
		{name: "import a folder", args: []string{"import", folder}, holds: func(k *killed) {
			k.importedOnce(11, folder)
			k.once("main", k.kept["main"])
			if main, jwt := len(k.steps("main"))-len(k.kept["main"]), len(k.steps("jwt")); main != 7 || jwt != 1 {
				k.t.Errorf("%d steps came to main, %d to jwt", main, jwt)
			}
		}},
		{name: "import a trace", args: []string{"import", "--from", "swe-agent", trace}, holds: func(k *killed) {
			k.importedOnce(len(readTrace(t, trace)), "--from", "swe-agent", trace)
			k.once("main", k.kept["main"])
		}},
		{name: "import sessions", prepare: func(w *killWorld) {
			transcripts(w)
		}, args: []string{"import", "--from", "claude-code", "../s0.jsonl", "../s1.jsonl", "../s2.jsonl"}, holds: func(k *killed) {
			k.importedOnce(12, "--from", "claude-code", "../s0.jsonl", "../s1.jsonl", "../s2.jsonl")
			k.once("main", k.kept["main"])
			for n := range 3 {
				if made := k.count("main", fmt.Sprint("Write part ", n)); made != 1 {
					k.t.Errorf("session %d became %d commits", n, made)
				}
			}
		}},
		{name: "gc", prepare: func(w *killWorld) {
			w.git("config", "context.deletedExpire", "now")
			apart(w)
		}, args: []string{"gc"}, holds: func(k *killed) {
			collected(k)
			if left := beginning(k.refs(), "refs/context/deleted/"); len(left) > 0 {
				k.t.Errorf("deleted branches are still there: %v", left)
			}
		}},
		{name: "gc that indexes", prepare: func(w *killWorld) {
			for i := range 8 {
				w.ok("commit", "-m", fmt.Sprint("Part ", i), "-m", strings.Repeat(fmt.Sprint("word", i, " "), 2000))
			}
		}, args: []string{"gc"}, holds: func(k *killed) {
			collected(k)
			if hits := k.ok("search", "word3", "--json"); !strings.Contains(string(hits), "Part 3") {
				k.t.Errorf("found is %s", hits)
			}
		}},
		{name: "gc of many packs", prepare: func(w *killWorld) {
			for i := range 3 {
				w.ok("commit", "-m", fmt.Sprint("To be packed ", i))
				w.ok("gc")
			}
		}, args: []string{"gc"}, holds: collected},
		{name: "export", args: []string{"export", ".."}, again: []int{1}, holds: func(k *killed) {
			left, err := filepath.Glob(filepath.Join(k.root, ".GCC", "branches", "*", "commit.md"))
			if err != nil || len(left) != len(beginning(k.refs(), "refs/context/heads/")) {
				k.t.Errorf("exported are %v, %v", left, err)
			}
		}},
	}
}

// transcripts are three sessions of four steps, a day apart, each of which becomes a commit.
func transcripts(w *killWorld) {
	for n := range 3 {
		line := func(id, second, kind, message string) string {
			return fmt.Sprintf(`{"type":"%s","uuid":"%s%d","sessionId":"s%d","timestamp":"2026-10-0%dT10:00:0%sZ","message":{%s}}`,
				kind, id, n, n, n+1, second, message) + "\n"
		}
		w.write(fmt.Sprintf("../s%d.jsonl", n),
			line("u", "0", "user", fmt.Sprintf(`"content":"Write part %d"`, n))+
				line("v", "1", "assistant", fmt.Sprintf(`"id":"m%d","content":[{"type":"tool_use","id":"t%d","name":"Write","input":{"file_path":"a.go"}}]`, n, n))+
				line("w", "2", "user", fmt.Sprintf(`"content":[{"type":"tool_result","tool_use_id":"t%d","content":"ok"}]`, n))+
				line("x", "3", "assistant", fmt.Sprintf(`"id":"n%d","content":[{"type":"tool_use","id":"k%d","name":"Bash","input":{"command":"make"}}]`, n, n))+
				line("y", "4", "user", fmt.Sprintf(`"content":[{"type":"tool_result","tool_use_id":"k%d","content":"ok"}]`, n))+
				line("z", "5", "assistant", fmt.Sprintf(`"id":"o%d","stop_reason":"end_turn","content":[{"type":"text","text":"Part %d is written."}]`, n, n)))
	}
}

// collected holds that nothing is lost that gc packed or dropped.
func collected(k *killed) {
	k.once("side", k.kept["side"])
	k.git("rev-list", "--objects", "--all", "--quiet")
}

// spreading has what is to be forgotten everywhere.
func spreading(w *killWorld) {
	w.ok("branch", "-D", "side", "--yes") // the name is needed
	kept, gone := spread(w.world)
	w.kept["main"], w.kept["gone"] = append(w.kept["main"], kept...), gone
}

func expunged(k *killed) {
	for _, s := range k.steps("main") {
		if slices.Contains(k.kept["gone"], s.ID) {
			k.t.Errorf("step %s is still there", s.ID)
		}
	}
	k.forgotten(secret)
	if exists(filepath.Join(k.dir, ".git", "context", "expunge.json")) {
		k.t.Error("it is still to be finished")
	}
}

// importedOnce holds that nothing is left to be imported.
func (k *killed) importedOnce(skipped int, args ...string) {
	k.t.Helper()
	var again struct{ Commits, Steps, Skipped int }
	if err := json.Unmarshal(k.ok(append([]string{"import", "--json"}, args...)...), &again); err != nil {
		k.t.Fatal(err)
	}
	if again.Commits+again.Steps != 0 || again.Skipped != skipped {
		k.t.Errorf("a third time: %+v", again)
	}
}
