package store

import (
	"context"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
)

// Authored is who wrote a text, as its commit says. That is a claim: only a signature proves it.
type Authored struct {
	Author  *string `json:"author"`  // "NAME <EMAIL>"; nil if the commit is not known
	Foreign *bool   `json:"foreign"` // it is not the identity that commits in this clone; nil likewise
}

// Same reports whether both are of one known author.
func (a Authored) Same(b Authored) bool {
	return a.Author != nil && b.Author != nil && *a.Author == *b.Author
}

// By returns the author of a text. The identity of this clone is what git's settings and
// GIT_COMMITTER_* say; without one, nobody's texts are its own. It costs no process.
func (s *Store) By(ctx context.Context, name, email string) (Authored, error) {
	own, err := s.repo.ConfiguredCommitter(ctx)
	if err != nil {
		return Authored{}, err
	}
	author, foreign := name+" <"+email+">", own.Name == "" || own.Name != name || !strings.EqualFold(own.Email, email)
	return Authored{&author, &foreign}, nil
}

// ByCommit returns the author of a commit.
func (s *Store) ByCommit(ctx context.Context, c *git.Commit) (Authored, error) {
	return s.By(ctx, c.Author.Name, c.Author.Email)
}

// IsForeign reports whether somebody else is known to have written it.
func (a Authored) IsForeign() bool { return a.Foreign != nil && *a.Foreign }

// Name returns the name of somebody else who wrote it, with the agent whose name the text has
// if that is another: "Eve", "codex of Eve". For a text of this clone, and for one whose author
// is not known, it is the agent's name.
func (a Authored) Name(agent string) string {
	if !a.IsForeign() {
		return agent
	}
	name := a.Identity()
	if agent == "" || agent == name || agent == doc.AgentName(name) {
		return name
	}
	return agent + " of " + name
}

// Identity returns the author's name without the address; "" if the author is not known.
func (a Authored) Identity() string {
	if a.Author == nil {
		return ""
	}
	name, _, _ := strings.Cut(*a.Author, " <")
	return name
}

// Address returns the author's address in angle brackets; "" if the author is not known.
func (a Authored) Address() string {
	if a.Author == nil {
		return ""
	}
	_, address, _ := strings.Cut(*a.Author, " <")
	return "<" + address
}
