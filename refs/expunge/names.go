package expunge

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// keptName is a name that contains the text. Names are not redacted: clones tell branches,
// topics and entries apart by them.
type keptName struct {
	name    string // "" if only the file is known
	label   string // "branch 'x'"
	why     string // the reason why it stays
	command string // that removes it; "" if history keeps it
}

// checkName records a name of a kind if it contains the text.
func (f *finder) checkName(kind, name, why string) {
	if f.match.in(name) {
		f.keep(keptName{name: name, label: kind + " '" + git.Shown(name) + "'", why: why})
	}
}

func (f *finder) keep(n keptName) { f.names[n.label] = n }

// checkBranchName examines a branch name. History contains it in documents and trailers even
// after the branch is gone.
func (f *finder) checkBranchName(name string) {
	f.checkName("branch", name, "history keeps it after a rename or deletion, because clones identify entries by it")
}

// checkBirth examines who made a branch; that stays.
func (f *finder) checkBirth(m *doc.Commit) {
	f.checkName("agent", m.Agent, "history keeps who made a branch")
}

// checkTopicName examines the name of a topic, which people choose, in lower case.
func (f *finder) checkTopicName(key string) {
	if !f.lower.in(key) {
		return
	}
	f.topicNames = append(f.topicNames, key)
	f.keep(keptName{name: key, label: "topic '" + git.Shown(key) + "'",
		why: "history keeps it after the topic is removed, because clones identify topics by it"})
}

// checkRefNames examines the names of refs.
func (f *finder) checkRefNames(v *Refs) {
	for _, r := range v.Branches {
		name, _ := git.BranchName(r.Name)
		f.checkBranchName(name)
	}
	for _, r := range v.tags {
		if name := strings.TrimPrefix(r.Name, git.TagPrefix); f.match.in(name) {
			f.keep(keptName{name: name, label: "tag '" + name + "'",
				command: "git context tag -d " + prose.ShellWord(name)})
		}
	}
	for _, r := range slices.Concat(v.deleted, v.tracking) {
		f.checkName("ref", r.Name, "it stays until the branch or remote that it is named after is removed")
	}
}

// checkCommitNames examines the names in a commit that are not redacted.
func (f *finder) checkCommitNames(c *git.Commit) {
	f.checkBranchName(c.Trailer(store.TrailerBranch))
	for _, who := range []git.Signature{c.Author, c.Committer} {
		f.checkName("author", who.Name+" <"+who.Email+">", "history keeps who made it")
	}
}

// checkFiles examines files in which nothing could be removed although they contain the text.
// It records those that contain it outside the known names, so that no match goes unreported.
func (f *finder) checkFiles(ctx context.Context) error {
	without := f.withoutNames()
	return ReadObjects(ctx, f.s, f.inNames, func(o git.Object) error {
		if f.match.raw([]byte(without.Replace(string(o.Data)))) {
			f.keep(keptName{label: "a name in '" + git.Shown(f.seen[o.ID][0]) + "'",
				why: "history keeps the names, numbers and dates there"})
		}
		return nil
	})
}

// withoutNames returns what removes the known names from a text.
func (f *finder) withoutNames() *strings.Replacer {
	var pairs []string
	for _, n := range f.sortedNames() {
		pairs = append(pairs, n.name, "")
	}
	return strings.NewReplacer(pairs...)
}

// sortedNames returns the names sorted by label.
func (f *finder) sortedNames() []keptName {
	var list []keptName
	for _, label := range slices.Sorted(maps.Keys(f.names)) {
		list = append(list, f.names[label])
	}
	return list
}

// nameWarnings returns a warning for each name that still contains the text.
func (f *finder) nameWarnings() []string {
	var list []string
	for _, n := range f.sortedNames() {
		holds := " contains it in its name: "
		if n.name == "" {
			holds = " contains it: "
		}
		list = append(list, n.label+holds+cmp.Or(n.command, n.why))
	}
	return list
}

// onlyNames returns the error for a text that only names contain.
func (f *finder) onlyNames() error {
	var labels, hints []string
	kept := ""
	for _, n := range f.sortedNames() {
		labels = append(labels, n.label)
		if n.command != "" {
			hints = append(hints, n.command)
		} else {
			kept = ", and history keeps names"
		}
	}
	if kept != "" {
		hints = append(hints,
			"change the secret: renaming or deleting does not remove a name from history")
	}
	return fail.New(fail.ErrRefused, fail.ExpungeNames, "the text is only in names"+kept+": "+strings.Join(labels, ", "),
		hints...)
}
