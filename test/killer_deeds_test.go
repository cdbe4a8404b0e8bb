//go:build unix

package test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// deed is a kind of command, as often as agents use it.
type deed struct {
	weight int
	args   func(a *killActor) (args []string, stdin string) // nil: not now
	ack    func(a *killActor, args []string, out []byte, err error)
}

func deeds() []deed {
	plain := func(weight int, args func(a *killActor) []string) deed {
		return deed{weight, func(a *killActor) ([]string, string) { return args(a), "" }, nil}
	}
	return []deed{
		{25, func(a *killActor) ([]string, string) { return a.on("record", "-a", a.word("step")), "" }, ackSteps},
		{15, func(a *killActor) ([]string, string) {
			return a.on("record", "--stdin"), lines(a.word("session")+":", 1+a.rng.IntN(200))
		}, ackSteps},
		{15, func(a *killActor) ([]string, string) { return a.on("commit", "-m", a.word("Milestone")), "" }, ackMilestone},
		{5, func(a *killActor) ([]string, string) {
			return a.on("commit", "-m", a.word("Judged"), "--score", "0.5", "--todo", a.word("todo")), ""
		}, ackMilestone},
		{3, func(a *killActor) ([]string, string) { return a.stage(), "" }, ackMilestone},
		{4, func(a *killActor) ([]string, string) {
			return a.on("remember", a.word("topic"), "It is so"), ""
		}, func(a *killActor, args []string, _ []byte, err error) {
			if err == nil {
				a.topics = append(a.topics, [2]string{branchOf(args), args[1]})
			}
		}},
		plain(1, (*killActor).forgetOne),
		plain(3, func(a *killActor) []string { return a.on("metadata", "set", "interfaces."+a.word("shape"), "round") }),
		plain(3, func(a *killActor) []string { return a.on("roadmap", "todo", "add", a.word("do")) }),
		plain(3, func(a *killActor) []string {
			return []string{"note", "CONTEXT_HEAD", "--tag", "by=" + a.name, "--json"}
		}),
		plain(2, func(a *killActor) []string { return a.on("tag", a.word("tag")) }),
		plain(2, func(a *killActor) []string { return []string{"switch", a.branch(), "--json"} }),
		{5, (*killActor).newBranch, func(a *killActor, args []string, _ []byte, err error) {
			if err == nil {
				a.comes(args[1])
			}
		}},
		{4, (*killActor).mergeOne, func(a *killActor, _ []string, out []byte, _ error) { a.made("main", out) }},
		{2, (*killActor).renameOne, func(a *killActor, args []string, _ []byte, err error) {
			if err == nil {
				a.comes(args[3])
			}
		}},
		plain(2, (*killActor).deleteOne),
		{1, (*killActor).rollbackOne, ackMilestone},
		{1, func(a *killActor) ([]string, string) { return a.on("import", "--from", "swe-agent", a.k.trace), "" }, nil},
		plain(7, func(*killActor) []string { return []string{"sync", "--json"} }),
		plain(1, func(*killActor) []string { return []string{"fetch", "--json"} }),
		plain(1, func(a *killActor) []string { return []string{"bundle", a.k.dir + "/" + a.name + ".bundle", "--json"} }),
		plain(1, func(a *killActor) []string { return []string{"export", a.folder(), "--json"} }),
		plain(1, func(*killActor) []string { return []string{"fsck", "--fix", "--json"} }),
		plain(2, func(*killActor) []string { return []string{"gc", "--json"} }),
	}
}

// choose picks a kind by weight.
func (a *killActor) choose() deed {
	list := deeds()
	all := 0
	for _, d := range list {
		all += d.weight
	}
	n := a.rng.IntN(all)
	for _, d := range list {
		if n -= d.weight; n < 0 {
			return d
		}
	}
	return list[0]
}

// word is a text that nothing else has.
func (a *killActor) word(what string) string {
	return fmt.Sprintf("%s-%s-%d", what, a.name, a.k.counter.Add(1))
}

// branch chooses where to work: mostly on main, else on a branch of this clone's own.
func (a *killActor) branch() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.alive) == 0 || a.rng.IntN(3) > 0 {
		return "main"
	}
	return a.alive[a.rng.IntN(len(a.alive))]
}

// on adds where to work to a command.
func (a *killActor) on(args ...string) []string {
	return append(args, "-b", a.branch(), "--json")
}

// branchOf is what on added.
func branchOf(args []string) string { return args[slices.Index(args, "-b")+1] }

func ackSteps(a *killActor, args []string, out []byte, _ error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	branch := branchOf(args)
	a.steps[branch] = append(a.steps[branch], answered(bufio.NewScanner(bytes.NewReader(out)))...)
	a.touched[branch] = true
}

func ackMilestone(a *killActor, args []string, out []byte, _ error) { a.made(branchOf(args), out) }

// made takes down a milestone that was acknowledged, if the answer is whole. A rollback
// that has nothing to take back answers with where it stands already, on whatever branch
// that is.
func (a *killActor) made(branch string, out []byte) {
	var v struct{ ID, Branch string }
	if json.Unmarshal(out, &v) != nil || v.ID == "" || v.Branch != branch {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.milestones[branch] = append(a.milestones[branch], v.ID)
	a.touched[branch] = true
}

// stage changes a file of this worktree for a commit of both, where nobody else does.
func (a *killActor) stage() []string {
	if filepath.Base(a.dir) == "code" {
		return nil
	}
	if err := os.WriteFile(filepath.Join(a.dir, "f"), []byte(a.word("text")), 0o666); err != nil {
		a.t.Error(err)
	}
	return a.on("commit", "--code", "-a", "-m", a.word("Both"))
}

// folder is a new one.
func (a *killActor) folder() string {
	path := filepath.Join(a.k.dir, a.word("folder"))
	if err := os.Mkdir(path, 0o777); err != nil {
		a.t.Error(err)
	}
	return path
}

func (a *killActor) forgetOne() []string {
	if len(a.topics) == 0 {
		return nil
	}
	topic := a.topics[0]
	a.topics = a.topics[1:]
	return []string{"forget", topic[1], "-b", topic[0], "--json"}
}

// maxAlive is how many branches a clone works on.
const maxAlive = 4

func (a *killActor) newBranch() ([]string, string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.alive) >= maxAlive {
		return nil, ""
	}
	return []string{"branch", a.word("exp"), "--purpose", "Try", "--no-switch", "--json"}, ""
}

// comes adds a branch to those that are worked on.
func (a *killActor) comes(branch string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.alive = append(a.alive, branch)
	a.touched[branch] = true
}

// goes takes a branch from those that are worked on; "" for none.
func (a *killActor) goes() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.alive) == 0 {
		return ""
	}
	i := a.rng.IntN(len(a.alive))
	name := a.alive[i]
	a.alive = slices.Delete(a.alive, i, i+1)
	a.touched[name] = true
	return name
}

func (a *killActor) mergeOne() ([]string, string) {
	name := a.goes()
	if name == "" {
		return nil, ""
	}
	return []string{"merge", name, "--into", "main", "-m", a.word("Merge"), "--json"}, ""
}

func (a *killActor) renameOne() ([]string, string) {
	name := a.goes()
	if name == "" {
		return nil, ""
	}
	to := a.word("other")
	a.mu.Lock()
	defer a.mu.Unlock()
	a.renamed[name] = to
	return []string{"branch", "-m", name, to, "--json"}, ""
}

func (a *killActor) deleteOne() []string {
	name := a.goes()
	if name == "" {
		return nil
	}
	return []string{"branch", "-D", name, "--yes", "--json"}
}

func (a *killActor) rollbackOne() ([]string, string) {
	name := a.branch()
	if name == "main" { // others, elsewhere, build on what it says
		return nil, ""
	}
	return []string{"rollback", name + "~1", "-b", name, "--json"}, ""
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
