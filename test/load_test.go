//go:build unix

package test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"
)

// loadSize is how many writers work at once, how often each runs every kind of command, and how
// long they may begin another round.
type loadSize struct {
	own, shared, rounds int
	limit               time.Duration
}

// loadWriter runs one command after another, on a branch of its own or on main, and remembers
// what was acknowledged and how long each kind of command took.
type loadWriter struct {
	*agent
	topics, todos []string
	took          map[string][]time.Duration
}

// Many processes write at once in one repository, each on its own branch or all on one. All of
// them change the roadmap and the notes, and a gc of ours starts beside them. What was
// acknowledged exists once, nothing is left behind, and no command waits disproportionately long.
func TestLoad(t *testing.T) {
	t.Parallel()
	size := loadSize{own: 16, shared: 8, rounds: 1, limit: time.Minute}
	if soaking() {
		size = loadSize{own: 64, shared: 16, rounds: 20, limit: 5 * time.Minute}
	}
	w, mark := collecting(t, 200)
	writers := size.writers(w)
	begin := time.Now()
	var wg sync.WaitGroup
	for _, l := range writers {
		wg.Go(func() {
			for i := 0; i < size.rounds && time.Since(begin) < size.limit; i++ {
				l.round(i)
			}
		})
	}
	wg.Wait()
	took := time.Since(begin)
	nothingRuns(t, mark)
	steps := w.holdsLoad(writers)
	w.clean()
	t.Logf("figures: %d writers on branches of their own and %d on one, %d steps and as many commits, topics, to-dos and notes acknowledged, %s",
		size.own, size.shared, steps, took.Round(time.Second))
	fair(t, writers)
}

// writers makes the branches and who works on them.
func (size loadSize) writers(w *world) []*loadWriter {
	var list []*loadWriter
	add := func(branch string) {
		name := fmt.Sprint("writer-", len(list))
		one := *w
		one.env = append(slices.Clone(w.env), "GIT_CONTEXT_AGENT="+name)
		list = append(list, &loadWriter{agent: &agent{world: &one, name: name, branch: branch},
			took: map[string][]time.Duration{}})
	}
	for n := range size.own {
		branch := fmt.Sprint("own/", n)
		w.ok("branch", branch, "--purpose", "Bear the load", "--no-switch")
		add(branch)
	}
	for range size.shared {
		add("main")
	}
	return list
}

// round runs a command of each kind.
func (l *loadWriter) round(i int) {
	text := fmt.Sprintf("%s-%d", l.name, i)
	l.steps = append(l.steps, id(l.t, l.timed("record", "-b", l.branch, "-a", text, "--json")))
	l.timed("remember", text, "It is so", "-b", l.branch)
	l.topics = append(l.topics, text)
	commit := id(l.t, l.timed("commit", "-b", l.branch, "-m", text, "--json"))
	l.commits = append(l.commits, commit)
	l.timed("roadmap", "todo", "add", text)
	l.todos = append(l.todos, text)
	l.timed("note", commit, "--tag", "by="+l.name)
	l.timed("--branch", l.branch, "--json")
}

// timed runs a command, which must succeed.
func (l *loadWriter) timed(args ...string) []byte {
	l.t.Helper()
	begin := time.Now()
	out := l.ok(args...)
	l.took[args[0]] = append(l.took[args[0]], time.Since(begin))
	return out
}

// holdsLoad checks that every branch has exactly what its writers were told, and the roadmap
// what all were told. It returns the number of steps.
func (w *world) holdsLoad(writers []*loadWriter) (steps int) {
	w.t.Helper()
	branches, todos := map[string]*loadWriter{}, map[string]int{}
	for _, l := range writers {
		all := branches[l.branch]
		if all == nil {
			all = &loadWriter{agent: &agent{branch: l.branch}}
			branches[l.branch] = all
		}
		all.steps, all.commits = append(all.steps, l.steps...), append(all.commits, l.commits...)
		all.topics = append(all.topics, l.topics...)
		w.tagged(l)
		for _, text := range l.todos {
			todos[text]++
		}
	}
	for branch, all := range branches {
		w.holds(all.agent)
		if got := len(w.steps(branch)); got != len(all.steps) {
			w.t.Errorf("%s has %d steps, %d were acknowledged", branch, got, len(all.steps))
		}
		steps += len(all.steps)
		w.holdsTopics(branch, all.topics)
	}
	var v struct{ Todo []struct{ Text string } }
	if err := json.Unmarshal(w.ok("roadmap", "--json"), &v); err != nil {
		w.t.Fatal(err)
	}
	got := map[string]int{}
	for _, todo := range v.Todo {
		got[todo.Text]++
	}
	if !maps.Equal(got, todos) {
		w.t.Errorf("the roadmap has %d to-dos, %d were acknowledged: %v", len(got), len(todos), got)
	}
	return steps
}

// tagged checks the note of every commit of one writer.
func (w *world) tagged(l *loadWriter) {
	w.t.Helper()
	var v struct {
		Commits []struct {
			ID   string
			Tags map[string]string
		}
	}
	if err := json.Unmarshal(w.ok("--branch", l.branch, "--limit", "100000", "--json"), &v); err != nil {
		w.t.Fatal(err)
	}
	by := map[string]string{}
	for _, c := range v.Commits {
		by[c.ID] = c.Tags["by"]
	}
	for _, id := range l.commits {
		if by[id] != l.name {
			w.t.Errorf("commit %s of %s has the tag by=%s", id, l.name, by[id])
		}
	}
}

// holdsTopics checks that a branch has exactly these topics.
func (w *world) holdsTopics(branch string, want []string) {
	w.t.Helper()
	var v struct{ Topics []struct{ Key string } }
	if err := json.Unmarshal(w.ok("topics", "-b", branch, "--json"), &v); err != nil {
		w.t.Fatal(err)
	}
	var got []string
	for _, topic := range v.Topics {
		got = append(got, topic.Key)
	}
	slices.Sort(got)
	want = slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		w.t.Errorf("%s has the topics %v, not %v", branch, got, want)
	}
}

// clean checks that neither we nor git find anything wrong, and that no lock and no temporary
// file is left.
func (w *world) clean() {
	w.t.Helper()
	if kinds, _ := w.fsck(); len(kinds) > 0 {
		w.t.Errorf("fsck finds %v", kinds)
	}
	w.sound()
	w.litter()
	if left := w.packs().left; len(left) > 0 {
		w.t.Errorf("gc left %v", left)
	}
}

// A command may take so many times the mean of its kind. A wait below a few seconds says
// nothing: a busy machine may stop any process for so long.
const (
	unfair    = 30
	noWaiting = 5 * time.Second
)

// fair checks that no command waited for the others much longer than the mean of its kind.
func fair(t *testing.T, writers []*loadWriter) {
	t.Helper()
	all := map[string][]time.Duration{}
	for _, l := range writers {
		for kind, took := range l.took {
			all[kind] = append(all[kind], took...)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(all)) {
		var sum time.Duration
		for _, d := range all[kind] {
			sum += d
		}
		mean, worst := sum/time.Duration(len(all[kind])), slices.Max(all[kind])
		t.Logf("figures: %s: %d, mean %s, worst %s",
			kind, len(all[kind]), mean.Round(time.Millisecond), worst.Round(time.Millisecond))
		if worst > max(unfair*mean, noWaiting) {
			t.Errorf("one %s took %s, the mean is %s", kind, worst, mean)
		}
	}
}
