package history

import (
	"bytes"
	"math"
	"strconv"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Adders tells which commit added an entry, of the listed ones whose Context-Id names it. Git's own commands make
// a later commit with the message of an older one: that is not the commit of the entry, and what is judged, tagged and
// said of the entry is said of the commit that added it. Of those that are not in each other's history, as an expunge that was
// refused leaves two, the one that was made with the entry is it, see [store.Original].
//
// Commits are listed from newer to older ones, as far as dates tell; which one it is shows when all are. The zero Adders has none.
type Adders struct {
	listed  map[git.ID]listedCommit
	naming  map[string][]git.ID // by entry
	visited int                 // by follows
}

type listedCommit struct {
	parents []git.ID
	seconds int64 // its date
}

// mostVisited limits how many commits follows visits. Only pushed copies of thousands of messages come to more; then the older
// commit is taken, without a look.
const mostVisited = 1_000_000

// List adds a commit of history, with its date in seconds.
func (a *Adders) List(c git.ID, parents []git.ID, seconds int64) {
	if a.listed == nil {
		a.listed, a.naming = map[git.ID]listedCommit{}, map[string][]git.ID{}
	}
	a.listed[c] = listedCommit{parents, seconds}
}

// Name takes a listed commit that names an entry, and returns whether it is the first one listed that does.
func (a *Adders) Name(entry string, c git.ID) bool {
	a.naming[entry] = append(a.naming[entry], c)
	return len(a.naming[entry]) == 1
}

// Of returns the commit of an entry, of those listed so far; "" for an entry that none names.
func (a *Adders) Of(entry string) (first git.ID) {
	for _, c := range a.naming[entry] {
		if first == "" || a.follows(first, c) || !a.follows(c, first) &&
			store.Original(entry, c, a.listed[c].seconds, first, a.listed[first].seconds) {
			first = c
		}
	}
	return first
}

// All returns the commits of all entries.
func (a *Adders) All() map[string]git.ID {
	all := make(map[string]git.ID, len(a.naming))
	for entry := range a.naming {
		all[entry] = a.Of(entry)
	}
	return all
}

// follows reports whether a commit has another one in its history, as far as that is listed.
func (a *Adders) follows(c, older git.ID) bool {
	seen := map[git.ID]bool{c: true}
	for queue := []git.ID{c}; len(queue) > 0; queue = queue[1:] {
		if a.visited++; a.visited > mostVisited {
			return true
		}
		for _, id := range a.listed[queue[0]].parents {
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

// SecondsOf reads what git log prints for %ct. A date that git does not print is no reason to prefer a commit.
func SecondsOf(field []byte) int64 {
	seconds, err := strconv.ParseInt(string(field), 10, 64)
	if err != nil {
		return math.MaxInt64
	}
	return seconds
}
