package history

import (
	"bytes"

	"github.com/git-context/git-context/refs/git"
)

// Adders tells which commit added an entry, of the listed ones whose Context-Id names it. Git's own commands make
// a later commit with the message of an older one: that is not the commit of the entry, and what is judged, tagged and
// said of the entry is said of the commit that added it. Of those that are not in each other's history the one that is
// listed first is it, which is the newest: an entry that was rewritten has its newest commit.
//
// Commits are listed from newer to older ones. The zero Adders has none.
type Adders struct {
	parents map[git.ID][]git.ID
	of      map[string]git.ID
	visited int // by follows
}

// mostVisited limits how many commits follows visits. Only pushed copies of thousands of messages come to more; then the older
// commit is taken, without a look.
const mostVisited = 1_000_000

// List adds a commit of history.
func (a *Adders) List(c git.ID, parents []git.ID) {
	if a.parents == nil {
		a.parents, a.of = map[git.ID][]git.ID{}, map[string]git.ID{}
	}
	a.parents[c] = parents
}

// Name takes a listed commit that names an entry, and returns whether it is the one that added it, of those seen so far.
func (a *Adders) Name(entry string, c git.ID) bool {
	before, known := a.of[entry]
	if known && !a.follows(before, c) {
		return false
	}
	a.of[entry] = c
	return true
}

// Of returns the commit that added an entry; false for an entry that none names.
func (a *Adders) Of(entry string) (git.ID, bool) {
	c, known := a.of[entry]
	return c, known
}

// follows reports whether a commit has another one in its history, as far as that is listed.
func (a *Adders) follows(c, older git.ID) bool {
	seen := map[git.ID]bool{c: true}
	for queue := []git.ID{c}; len(queue) > 0; queue = queue[1:] {
		if a.visited++; a.visited > mostVisited {
			return true
		}
		for _, id := range a.parents[queue[0]] {
			if id == older {
				return true
			}
			if !seen[id] {
				seen[id] = true
				queue = append(queue, id)
			}
		}
	}
	return false
}

// ParentsOf splits what git log prints for %P.
func ParentsOf(field []byte) (parents []git.ID) {
	for id := range bytes.FieldsSeq(field) {
		parents = append(parents, git.ID(id))
	}
	return parents
}
