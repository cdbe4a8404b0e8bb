//go:build unix

package gogit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gopkg.in/yaml.v3"

	"github.com/go-git/go-git/v5/plumbing"
)

// same reports what differs between a value of another reader (-) and what go-git gave (+).
func (r *reader) same(of string, want, got any) {
	r.t.Helper()
	if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		r.t.Errorf("%s:\n%s", of, diff)
	}
}

// sameAsGit compares with git itself: refs, reachable objects, parents, people, messages, notes.
func (r *reader) sameAsGit(w *world) {
	r.t.Helper()
	refs := map[string]plumbing.Hash{}
	for line := range strings.Lines(w.git("for-each-ref", "--format=%(refname) %(objectname)", rootPrefix, notesRef)) {
		name, hash, _ := strings.Cut(strings.TrimSpace(line), " ")
		refs[name] = plumbing.NewHash(hash)
	}
	r.same("refs", refs, r.refs)
	memory := slices.Collect(maps.Keys(refs))
	objects := map[plumbing.Hash]bool{}
	for line := range strings.Lines(w.git(append([]string{"rev-list", "--objects", "--no-object-names"}, memory...)...)) {
		objects[plumbing.NewHash(strings.TrimSpace(line))] = true
	}
	for hash := range r.objects {
		if !objects[hash] {
			r.t.Errorf("git does not reach %s", hash)
		}
		delete(objects, hash)
	}
	r.same("objects that go-git does not reach", 0, len(objects))

	format := "--format=%H%n%T%n%P%n%an%n%ae%n%at %ad%n%cn%n%ce%n%ct %cd%n%B"
	log := w.git(append([]string{"log", "-z", "--date=format:%z", format}, memory...)...)
	want, got := map[string]string{}, map[string]string{}
	for text := range strings.SplitSeq(strings.TrimSuffix(log, "\x00"), "\x00") {
		hash, rest, _ := strings.Cut(text, "\n")
		want[hash] = rest
	}
	for hash, c := range r.commits {
		var parents []string
		for _, p := range c.ParentHashes {
			parents = append(parents, p.String())
		}
		when := func(t time.Time) string { return fmt.Sprintf("%d %s", t.Unix(), t.Format("-0700")) }
		got[hash.String()] = strings.Join([]string{
			c.TreeHash.String(), strings.Join(parents, " "), c.Author.Name, c.Author.Email, when(c.Author.When),
			c.Committer.Name, c.Committer.Email, when(c.Committer.When), c.Message,
		}, "\n")
	}
	r.same("commits", want, got)

	annotated := []string{}
	for line := range strings.Lines(w.git("notes", "--ref=context", "list")) {
		annotated = append(annotated, strings.Fields(line)[1])
	}
	r.same("annotated objects", slices.Sorted(slices.Values(annotated)), slices.Sorted(maps.Keys(r.notes)))
	for path := range r.files(r.commits[r.refs[notesRef]]) {
		if len(path) != 41 || path[2] != '/' {
			r.t.Errorf("'%s' has no fan-out of two digits", path)
		}
	}
}

// The JSON of views, as far as it is in git.
type (
	jsonBranch struct {
		Name, Tip, Status, Purpose string
		Created                    *string `json:"created_from"`
		CreatedAt                  string  `json:"created_at"`
		Commits, Pending           int
		Current                    bool
	}
	jsonStep struct {
		ID, Time, Agent, Session, Origin string
		Step                             int
		Observation, Thought, Action     string
	}
	jsonRange  struct{ First, Last, Count int }
	jsonCommit struct {
		ID, Commit, Branch, Time, Agent          string
		Summary, Purpose, Progress, Contribution string
		Steps                                    jsonRange
		Code, Outcome                            *string
		Score                                    *float64
		Tags                                     map[string]string
	}
)

// sameAsJSON compares with what the program prints.
func (r *reader) sameAsJSON(w *world) {
	r.t.Helper()
	var list struct{ Branches []jsonBranch }
	w.json(&list, "branch", "--all")
	names := []string{}
	for _, want := range list.Branches {
		names = append(names, want.Name)
		b := r.branches[want.Name]
		if b == nil {
			r.t.Errorf("go-git sees no branch '%s'", want.Name)
			continue
		}
		r.same("branch "+want.Name, want, r.jsonBranch(want.Name, b))
		r.branchAsJSON(w, want.Name, b)
	}
	slices.Sort(names)
	r.same("branches", names, slices.Sorted(maps.Keys(r.branches)))
	r.roadmapAsJSON(w)
	r.notesAsJSON(w)

	var tags struct {
		Tags []struct{ Name, Commit, ID string }
	}
	w.json(&tags, "tag")
	want, got := map[string]string{}, map[string]string{}
	for _, tag := range tags.Tags {
		want[tag.Name] = tag.Commit + " " + tag.ID
	}
	for ref, hash := range r.refs {
		if name, ok := strings.CutPrefix(ref, tagPrefix); ok {
			got[name] = hash.String() + " " + trailers(r.commits[hash].Message)["Context-Id"]
		}
	}
	r.same("tags", want, got)
}

// tally counts the entries of one origin.
type tally struct{ Steps, Milestones int }

// jsonBranch is what the tip's metadata and trailers say.
func (r *reader) jsonBranch(name string, b *branch) jsonBranch {
	r.t.Helper()
	var facts struct {
		Version int
		Branch  struct {
			Name, Purpose, Status string
			CreatedFrom           *string   `yaml:"created_from"`
			CreatedAt             time.Time `yaml:"created_at"`
		}
		Totals struct {
			Steps, Milestones int
			Origins           map[string]tally
		}
	}
	if err := yaml.Unmarshal(b.files["metadata.yaml"], &facts); err != nil {
		r.t.Fatal(err)
	}
	said := trailers(b.tip.Message)
	r.same(name+": purpose", strings.Fields(facts.Branch.Purpose), strings.Fields(said["Context-Purpose"]))
	r.same(name+": trailers", []string{facts.Branch.Status, strconv.Itoa(len(b.commits))},
		[]string{said["Context-Status"], said["Context-Commits"]})
	r.same(name+": totals", []int{facts.Totals.Steps, facts.Totals.Milestones, facts.Version},
		[]int{len(b.steps), len(b.commits), 1})
	maps.DeleteFunc(facts.Totals.Origins, func(_ string, n tally) bool { return n == tally{} })
	origins := map[string]tally{}
	for _, e := range slices.Concat(b.steps, b.commits) {
		o := origins[e.Origin]
		if e.Kind == "Step" {
			o.Steps++
		} else {
			o.Milestones++
		}
		origins[e.Origin] = o
	}
	r.same(name+": totals by origin", facts.Totals.Origins, origins)
	return jsonBranch{
		Name: facts.Branch.Name, Tip: b.tip.Hash.String(), Status: facts.Branch.Status, Purpose: said["Context-Purpose"],
		Created: facts.Branch.CreatedFrom, CreatedAt: facts.Branch.CreatedAt.Format(time.RFC3339Nano),
		Commits: len(b.commits), Current: name == r.current,
	}
}

// branchAsJSON compares a branch's documents.
func (r *reader) branchAsJSON(w *world, name string, b *branch) {
	r.t.Helper()
	var log struct {
		Total int
		Steps []jsonStep
	}
	w.json(&log, "--log", "--steps", "100000", "-b", name)
	var steps []jsonStep
	for _, s := range b.steps {
		steps = append(steps, jsonStep{
			ID: s.ID, Time: s.Time, Agent: s.Agent, Session: s.Attributes["session"], Origin: s.Origin,
			Step: r.number(s.Number), Observation: s.text("Observation"), Thought: s.text("Thought"), Action: s.text("Action"),
		})
	}
	r.same(name+": steps", log.Steps, steps)
	r.same(name+": number of steps", log.Total, len(steps))

	var view struct {
		Total   int
		Commits []jsonCommit
	}
	w.json(&view, "--branch", name, "--limit", "100000")
	var commits []jsonCommit
	for _, c := range slices.Backward(b.commits) {
		commits = append(commits, r.jsonCommit(b, c))
	}
	r.same(name+": commits", view.Commits, commits)
	r.same(name+": number of commits", view.Total, len(commits))

	var want, read, got any
	w.json(&want, "metadata", "-b", name)
	if err := yaml.Unmarshal(b.files["metadata.yaml"], &read); err != nil {
		r.t.Fatal(err)
	}
	data, err := json.Marshal(read)
	if err == nil {
		err = json.Unmarshal(data, &got)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	r.same(name+": metadata", want, got)
	r.topicsAsJSON(w, name, b)
}

func (r *reader) number(text string) int {
	r.t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		r.t.Error(err)
	}
	return n
}

// jsonCommit joins an entry with the trailers of its commit and with its note.
func (r *reader) jsonCommit(b *branch, e entry) jsonCommit {
	r.t.Helper()
	c := jsonCommit{
		ID: e.ID, Branch: e.Origin, Time: e.Time, Agent: e.Agent, Summary: e.Summary, Purpose: e.purpose(),
		Progress: e.text("Previous Progress Summary"), Contribution: e.text("This Commit's Contribution"),
		Tags: map[string]string{},
	}
	if steps := e.Attributes["steps"]; steps != "" {
		if _, err := fmt.Sscanf(steps, "%d-%d (%d)", &c.Steps.First, &c.Steps.Last, &c.Steps.Count); err != nil {
			r.t.Errorf("steps '%s': %v", steps, err)
		}
	}
	made := b.made[e.ID]
	if made == nil {
		r.t.Errorf("no commit says that it made entry %s", e.ID)
		return c
	}
	c.Commit = made.Hash.String()
	said := trailers(made.Message)
	if code, ok := said["Code-Commit"]; ok {
		c.Code = &code
	}
	r.same("trailers of "+e.ID, []string{e.Origin, e.Agent, e.Attributes["session"]},
		[]string{said["Context-Branch"], said["Agent"], said["Session"]})
	for _, fact := range r.facts(c.Commit) {
		switch fact.Kind {
		case "score":
			c.Score = fact.Score
		case "outcome":
			c.Outcome = &fact.Outcome
		case "tag":
			c.Tags[fact.Key] = fact.Value
		}
	}
	return c
}

// fact is a line of a note.
type fact struct {
	V                             int
	ID, Kind, Key, Value, Outcome string
	Score                         *float64
	line                          string
}

// facts are a note's lines of JSON, oldest first. A line for people goes before that of a link.
func (r *reader) facts(hash string) []fact {
	r.t.Helper()
	var facts []fact
	for line := range strings.Lines(string(r.notes[hash])) {
		f := fact{line: strings.TrimSuffix(line, "\n")}
		if strings.HasPrefix(line, "Context: 01") && r.commits[plumbing.NewHash(hash)] == nil {
			continue
		}
		if err := json.Unmarshal([]byte(line), &f); err != nil || f.V != 1 || len(f.ID) != 26 || f.Kind == "" {
			r.t.Errorf("note of %s: %v: %q", hash, err, line)
		}
		facts = append(facts, f)
	}
	slices.SortFunc(facts, func(a, b fact) int { return cmp.Compare(a.ID, b.ID) })
	return facts
}

// notesAsJSON compares the notes of all memory commits, and those of code commits.
func (r *reader) notesAsJSON(w *world) {
	r.t.Helper()
	for hash := range r.notes {
		var lines []string
		for _, f := range r.facts(hash) {
			lines = append(lines, f.line)
		}
		c, memory := r.commits[plumbing.NewHash(hash)]
		if !memory {
			r.codeNote(w, hash)
			continue
		}
		if trailers(c.Message)["Context-Id"] == "" {
			r.t.Errorf("commit %s has a note and made no entry", hash)
		}
		var note struct{ Facts []json.RawMessage }
		w.json(&note, "note", hash)
		var want []string
		for _, f := range note.Facts {
			want = append(want, string(f))
		}
		r.same("note of "+hash, want, lines)
	}
}

// codeNote compares the links of a code commit.
func (r *reader) codeNote(w *world, hash string) {
	r.t.Helper()
	if kind, err := r.typeOf(plumbing.NewHash(hash)); err != nil || kind != plumbing.CommitObject {
		r.t.Errorf("a note is of %s, a %s: %v", hash, kind, err)
	}
	var link struct{ Memory []jsonCommit }
	w.json(&link, "link", hash)
	var want, got []string
	for _, c := range link.Memory {
		want = append(want, c.Commit)
	}
	for _, f := range r.facts(hash) {
		var v struct{ Memory string }
		if err := json.Unmarshal([]byte(f.line), &v); err != nil || f.Kind != "link" {
			r.t.Errorf("a code commit's note has the line %q: %v", f.line, err)
		}
		got = append(got, v.Memory)
		id := trailers(r.commits[plumbing.NewHash(v.Memory)].Message)["Context-Id"]
		if !strings.Contains(string(r.notes[hash]), "Context: "+id) {
			r.t.Errorf("the note of %s does not name %s to people:\n%s", hash, id, r.notes[hash])
		}
	}
	for _, memory := range got {
		if !slices.Contains(want, memory) {
			r.t.Errorf("link %s gives %v, its note %v", hash, want, got)
		}
	}
}

func (r *reader) roadmapAsJSON(w *world) {
	r.t.Helper()
	var want struct {
		Commit, Goal        string
		Sections            map[string]string
		Todo                []struct{ Text string }
		Decisions, Outcomes []string
	}
	w.json(&want, "roadmap")
	r.same("roadmap's commit", want.Commit, r.refs[roadmapRef].String())
	text := string(r.roadmap)
	for _, part := range append(append([]string{want.Goal}, want.Decisions...), want.Outcomes...) {
		first, _, _ := strings.Cut(part, "\n")
		if !strings.Contains(text, first) {
			r.t.Errorf("main.md does not contain %q", first)
		}
	}
}

// topic is a keyed text, and the front matter before it.
type topic struct {
	Text, Supersedes string
	Paths            []string
}

func (r *reader) topic(b *branch, path string) topic {
	r.t.Helper()
	v := topic{Text: string(b.files[path])}
	front, ok := strings.CutPrefix(v.Text, "---\n")
	if !ok {
		return v
	}
	// The line that ends it may follow at once.
	matter, text, ended := strings.Cut("\n"+front, "\n---\n")
	if !ended {
		return v
	}
	if err := yaml.Unmarshal([]byte(matter), &v); err != nil {
		r.t.Errorf("%s: %v", path, err)
	}
	v.Text = text
	return v
}

func (r *reader) topicsAsJSON(w *world, name string, b *branch) {
	r.t.Helper()
	keys, superseded := map[string]bool{}, map[string]bool{}
	for path := range b.files {
		if key, ok := strings.CutPrefix(path, "topics/"); ok {
			key = strings.TrimSuffix(key, ".md")
			keys[key] = true
			var want topic
			w.json(&want, "topic", key, "-b", name)
			got := r.topic(b, path)
			superseded[got.Supersedes] = true
			r.same(name+": topic "+key, want, got)
		}
	}
	var list struct {
		Topics []struct{ Key string }
	}
	w.json(&list, "topics", "-b", name)
	listed := map[string]bool{}
	for _, t := range list.Topics {
		listed[t.Key] = true
	}
	maps.DeleteFunc(keys, func(key string, _ bool) bool { return superseded[key] })
	r.same(name+": topics", listed, keys)
}
