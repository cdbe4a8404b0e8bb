//go:build unix

package gogit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// texts are those of a step.
type texts struct{ Observation, Thought, Action string }

// written is what the commands acknowledged, and what git must contain because of that.
type written struct {
	*world
	steps   map[string]texts             // by id
	commits map[string][2]string         // summary and contribution, by id
	topics  map[string]map[string]string // text, by branch and key
	refs    []string                     // names beside the branches that must exist
}

// hostile are texts that look like the formats which they are stored in.
func hostile() []string {
	return []string{
		"### Step 13 · 2026-11-21T01:37:05Z · x · 01JD5K0Z3V7Q3M9K2A4B5C6D7E",
		"== Branch forged ==\n\n## Commit 9 · 2026-11-21T01:37:05Z · x · 01JD5K0Z3V7Q3M9K2A4B5C6D7E\n\nforged",
		"> quoted\n>\n>> deeper\n>",
		"\n\nempty lines around\n\n",
		"\r\ncarriage returns\r",
		"\u2028separators\u2029\u0085\v\f of lines",
		"**Action**\n\n> forged",
		"- session: forged\n- steps: 1-9 (9)",
		`back\slash \n \r \\ \`,
		"\x1b[31mred\x1b[0m\a\b\x7f",
		"\u202eright to left\u2066",
		"é e\u0301 日本語 👩‍👩‍👧 \ufeff\ufffe\U0010ffff",
		"tab\tand  two spaces  ",
		" ",
		"-----BEGIN PGP SIGNATURE-----\n\nforged\n-----END PGP SIGNATURE-----\n",
		"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\ngpgsig forged\n\nx",
		"Context-Id: 01JD5K0Z3V7Q3M9K2A4B5C6D7E\nContext-Branch: forged",
		"---\npaths: [forged]\n---\n",
		"---",
		`{"v":1,"kind":"score","score":1}`,
		"%s $(id) `id` <b>&amp;</b> *",
		"## Goal\n\\## Goal\n===\n",
		strings.Repeat("one long line ", 400),
	}
}

// writeMemory makes a memory with every kind of ref, document and note in it.
func writeMemory(t testing.TB) *written {
	t.Helper()
	w := &written{
		world: newWorld(t), steps: map[string]texts{}, commits: map[string][2]string{},
		topics: map[string]map[string]string{"main": {}},
	}
	all := hostile()
	var steps []texts
	for i := range all {
		steps = append(steps, texts{all[i], all[(i+1)%len(all)], all[(i+2)%len(all)]})
	}
	w.record(append(steps, texts{Action: "only an action"}))
	w.commit("The first", strings.Join(all[:13], "\n\n"))
	for i, text := range all[14:] {
		w.record([]texts{{fmt.Sprint("run ", i), strings.Repeat(text, 2), strings.Repeat("x", 700)}})
		w.commit(strings.TrimSpace(fmt.Sprintf("%.40s", strings.ReplaceAll(text, "\n", " "))), text)
		w.remember("main", fmt.Sprintf("topic.%d", i), text)
	}
	w.memory("remember", "lock", "One mutex", "--path", "store/pool.go", "--supersedes", "topic.1")
	w.topics["main"]["lock"] = "One mutex"
	w.writeBranches()
	w.writeRoadmap()
	w.writeNotes()
	w.memory("rollback", "main~2", "-m", "Back to what was known")
	return w
}

// record hands all steps to one command, one after another.
func (w *written) record(steps []texts) {
	w.t.Helper()
	var lines bytes.Buffer
	for i, s := range steps {
		line, err := json.Marshal(map[string]any{
			"observation": s.Observation, "thought": s.Thought, "action": s.Action, "agent": "claude code",
			"session": `a\session: 1`, "model": "m-1", "tokens": 10 + i,
		})
		if err != nil {
			w.t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	answers := bytes.Split(bytes.TrimSpace(w.run(lines.String(), "git-context", "record", "--stdin")), []byte("\n"))
	if len(answers) != len(steps) {
		w.t.Fatalf("%d answers to %d steps", len(answers), len(steps))
	}
	for i, answer := range answers {
		var v struct{ ID string }
		if err := json.Unmarshal(answer, &v); err != nil {
			w.t.Fatal(err)
		}
		w.steps[v.ID] = steps[i]
	}
}

func (w *written) commit(summary, contribution string, flags ...string) {
	w.t.Helper()
	var v struct{ ID string }
	w.json(&v, append([]string{"commit", "-m", summary, "-m", contribution}, flags...)...)
	w.commits[v.ID] = [2]string{summary, contribution}
}

func (w *written) remember(branch, key, text string) {
	w.t.Helper()
	w.run(text, "git-context", "remember", key, "-F", "-")
	w.topics[branch][key] = text
}

// writeBranches makes one branch that is merged, one that is abandoned, one that is deleted and one with
// nothing of its own, in another time zone.
func (w *written) writeBranches() {
	w.t.Helper()
	w.env = []string{"TZ=Asia/Kolkata"}
	for _, name := range []string{"exp/pool-2", "dead.end", "gone", "empty"} {
		w.memory("branch", name, "--purpose", "> purpose of "+name+"\n\n== Branch x ==")
		w.topics[name] = maps.Clone(w.topics["main"])
		if name == "empty" {
			break
		}
		w.record([]texts{{Observation: "seen on " + name, Action: "act"}})
		w.commit("Work on "+name, "It works", "--score", "0.75", "--tag", "kind=### Step 1 · forged")
		w.remember(name, "of-"+filepath.Base(name), "written on "+name)
		w.memory("switch", "main")
	}
	w.env = nil
	w.memory("switch", "main")
	w.memory("commit", "-m", "Beside it")
	w.memory("merge", "exp/pool-2", "-m", "Take the pool", "--done", "The pool is fast")
	maps.Copy(w.topics["main"], w.topics["exp/pool-2"])
	w.memory("merge", "dead.end", "--abandon")
	w.memory("branch", "-D", "gone", "--yes")
	delete(w.topics, "gone")
	w.memory("tag", "success/best", "main~1")
	w.memory("tag", "before-rewrite")
	w.refs = append(w.refs, tagPrefix+"success/best", tagPrefix+"before-rewrite", roadmapRef, notesRef)
}

func (w *written) writeRoadmap() {
	w.t.Helper()
	w.memory("roadmap", "todo", "add", "### Step 1\n- [x] forged")
	w.memory("roadmap", "decide", "Go\n## To-Do")
	w.run("free text\n\n## Goal\n", "git-context", "roadmap", "section", "Risks", "-F", "-")
	w.memory("metadata", "set", "env_config.port", "8080")
	w.memory("metadata", "set", "interfaces", "{store: [Get, Put], 'a.b': \"x: y\"}")
}

// writeNotes adds notes to memory commits, and one to a code commit.
func (w *written) writeNotes() {
	w.t.Helper()
	w.memory("note", "main", "--score", "0.25", "--outcome", "failed",
		"--tag", "why="+hostile()[0], "--review", hostile()[0])
	w.memory("note", "main", "--score", "0.5", "--tag", "why=because")
	if err := os.WriteFile(filepath.Join(w.dir, "main.go"), []byte("package main\n"), 0o666); err != nil {
		w.t.Fatal(err)
	}
	w.git("add", "main.go")
	w.commit("Code and memory", "Both at once", "--code")
}

// pack is a way in which a repository stores what it was told.
type pack struct {
	name        string
	do          []string
	loose, refs bool // that objects and refs of memory are files of their own
}

func packs() []pack {
	return []pack{
		{"loose", []string{"git", "status"}, true, true},
		{"git context gc", []string{"git-context", "gc"}, false, true},
		{"git pack-refs", []string{"git", "pack-refs", "--all"}, false, false},
		{"git gc", []string{"git", "gc", "-q"}, false, false},
	}
}
