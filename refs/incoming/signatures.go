package incoming

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Signatures says what is wrong with the signatures of the commits that some refs bring. It
// remembers what was checked.
type Signatures struct {
	flawed  []*git.CheckedCommit          // without a signature of a known signer, parents before their children
	first   map[git.ID]*git.CheckedCommit // for a commit that is flawed, or descends from one: the first
	checked map[git.ID]bool
}

// NewSignatures returns a record of nothing.
func NewSignatures() *Signatures {
	return &Signatures{first: map[git.ID]*git.CheckedCommit{}, checked: map[git.ID]bool{}}
}

// First returns the first commit without a good signature that a tip brings; nil for none.
func (g *Signatures) First(tip git.ID) *git.CheckedCommit { return g.first[tip] }

// Check has git check the signatures of every commit that tips reach and this
// repository's own memory does not. It judges as `git merge --verify-signatures` does: good, by
// an SSH key of gpg.ssh.allowedSignersFile or by a valid key of the keyring; with
// gpg.minTrustLevel by a key that has that trust. Who is known is what settings of this machine
// and its user say, which nothing that comes in can change.
//
// Without all, it does not look at what only tips with a flawed commit lead to, beyond a few: who
// pushes ten thousand of them, in a row or side by side, must not keep everybody waiting. Tips that
// are no commits bring none. It costs one rev-list, and what [git.Repo.VerifyCommits] costs.
func (g *Signatures) Check(ctx context.Context, s *store.Store, tips []git.ID, all bool) error {
	if len(tips) == 0 {
		return nil
	}
	limit, err := maxNewEntries(ctx, s)
	if err != nil {
		return err
	}
	list, err := s.Repo().NewCommits(ctx, tips, objectsExtra+objectsPerEntry*limit+1) // Arrived refuses more
	if err != nil {
		return err
	}
	slices.Reverse(list) // parents first
	g.inherit(list)
	for size, news := firstVerified, true; len(list) > 0; size = min(2*size, ChunkSize) {
		if news && !all {
			list = g.undecided(list, tips)
		}
		chunk, known := list[:min(size, len(list))], len(g.flawed)
		if err := g.verify(ctx, s, chunk, all); err != nil {
			return err
		}
		if news = len(g.flawed) > known; news {
			g.inherit(list)
		}
		list = list[len(chunk):]
	}
	return nil
}

// firstVerified is how many signatures are verified before the first look at what they decide; then it is twice as many, up to
// ChunkSize. A signature takes about 10 ms.
const firstVerified = 16

// undecided returns the commits of list, which is sorted parents first, that a tip or another head of the list leads to of
// which no flaw is known.
func (g *Signatures) undecided(list []git.NewCommit, tips []git.ID) []git.NewCommit {
	reached, inner := map[git.ID]bool{}, map[git.ID]bool{}
	for _, id := range tips {
		reached[id] = true
	}
	var left []git.NewCommit
	for _, n := range slices.Backward(list) {
		if g.first[n.ID] == nil && (reached[n.ID] || !inner[n.ID]) {
			reached[n.ID] = true
			left = append(left, n)
		}
		for _, p := range n.Parents {
			inner[p] = true
			reached[p] = reached[p] || reached[n.ID] && g.first[n.ID] == nil
		}
	}
	slices.Reverse(left)
	return left
}

// verify has git look at those of some commits that it has not looked at; without all, at none that descends from a flawed one.
func (g *Signatures) verify(ctx context.Context, s *store.Store, chunk []git.NewCommit, all bool) error {
	var ids []git.ID
	for _, n := range chunk {
		if !g.checked[n.ID] && (all || g.first[n.ID] == nil) {
			ids = append(ids, n.ID)
		}
	}
	checked, err := s.Repo().VerifyCommits(ctx, ids)
	if err != nil {
		return err
	}
	for i := range checked {
		c := &checked[i]
		if g.checked[c.ID] = true; !c.Known {
			g.flawed = append(g.flawed, c)
			g.first[c.ID] = cmp.Or(g.first[c.ID], c)
		}
	}
	return nil
}

// inherit passes on to commits, parents first, the first flawed commit that they descend from.
func (g *Signatures) inherit(commits []git.NewCommit) {
	for _, n := range commits {
		for _, p := range n.Parents {
			if from := g.first[p]; from != nil {
				g.first[n.ID] = from
				break
			}
		}
	}
}

// Warnings names, of each author, the first commit without a good signature and how many there are.
func (g *Signatures) Warnings() (texts []string) {
	count := map[string]int{}
	for _, c := range g.flawed {
		count[c.Author]++
	}
	for _, c := range g.flawed {
		n := count[c.Author]
		if n == 0 {
			continue
		}
		count[c.Author] = 0
		text := complaint(c)
		if n > 1 {
			text += fmt.Sprintf(" (the first of %d)", n)
		}
		texts = append(texts, text)
	}
	return texts
}

// CheckSigned refuses a commit that brings one which no known signer has signed, or only warns of
// it. what names it in messages; again is the command that takes it in all the same, if any.
func CheckSigned(ctx context.Context, s *store.Store, tip git.ID, what string, warn bool, again string) error {
	g := NewSignatures()
	if err := g.Check(ctx, s, []git.ID{tip}, warn); err != nil {
		return err
	}
	switch {
	case warn:
		for _, text := range g.Warnings() {
			s.Warn(what + ": " + text)
		}
	case g.First(tip) != nil:
		return Unverified(what, g.First(tip), again)
	}
	return nil
}

// complaint says what is wrong with the signature of a commit, and whose it says it is.
func complaint(c *git.CheckedCommit) string {
	return c.Complaint(fmt.Sprintf("commit '%s' of '%s'", c.ID.Short(), Printable(c.Author)))
}

// Unverified returns the refusal of what a ref brings because of a commit. again is the command
// that takes it in all the same.
func Unverified(what string, c *git.CheckedCommit, again string) *fail.Error {
	hints := []string{c.Remedy()}
	if again != "" {
		hints = append(hints, "to take it in all the same, this time: "+again)
	}
	return fail.New(fail.ErrRefused, fail.NotVerified, what+" is refused: "+complaint(c), hints...)
}
