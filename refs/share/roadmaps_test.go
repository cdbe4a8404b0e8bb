package share

import (
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/refs/git"
)

// Two commits make a pair if they differ in their parents and in the commit of the roadmap alone.
func TestWithoutRoadmap(t *testing.T) {
	t.Parallel()
	hash := func(digit string) git.ID { return git.ID(strings.Repeat(digit, 40)) }
	by := git.Signature{Name: "Cay", Email: "cay@example.com", When: time.Unix(1_700_000_000, 0).UTC()}
	message := func(roadmap string) string {
		return "Subject\n\nContext-Roadmap: in the body\n\nContext-Branch: main\nContext-Roadmap: " + roadmap + "\nContext-Commits: 3\n"
	}
	made := func(change func(*git.Commit)) *git.Commit {
		c := &git.Commit{ID: hash("1"), Tree: hash("2"), Parents: []git.ID{hash("3")}, Author: by, Committer: by, Message: message(string(hash("a")) + " 2")}
		change(c)
		return c
	}
	old, named := withoutRoadmap(made(func(*git.Commit) {}))
	if named != hash("a") {
		t.Fatalf("it names '%s'", named)
	}
	for _, c := range []struct {
		what    string
		roadmap git.ID // that it names; "" for none
		pair    bool
		change  func(*git.Commit)
	}{
		{"roadmap", hash("b"), true, func(c *git.Commit) { c.Message = message(string(hash("b")) + " 2") }},
		{"parents", hash("a"), true, func(c *git.Commit) { c.ID, c.Parents = hash("4"), nil }},
		{"age", hash("b"), false, func(c *git.Commit) { c.Message = message(string(hash("b")) + " 3") }},
		{"no age", hash("b"), false, func(c *git.Commit) { c.Message = message(string(hash("b"))) }},
		{"tree", hash("a"), false, func(c *git.Commit) { c.Tree = hash("5") }},
		{"author", hash("a"), false, func(c *git.Commit) { c.Author.Name = "Eve" }},
		{"committer's date", hash("a"), false, func(c *git.Commit) { c.Committer.When = by.When.Add(time.Second) }},
		{"zone", hash("a"), false, func(c *git.Commit) { c.Author.When = by.When.In(time.FixedZone("", 3600)) }},
		{"signature", hash("a"), false, func(c *git.Commit) { c.Extra = []byte("gpgsig x\n") }},
		{"subject", hash("a"), false, func(c *git.Commit) { c.Message = "x" + c.Message }},
		{"body", hash("a"), false, func(c *git.Commit) { c.Message = strings.Replace(c.Message, "body", "BODY", 1) }},
		{"other trailer", hash("a"), false, func(c *git.Commit) { c.Message = strings.Replace(c.Message, "s: 3", "s: 4", 1) }},
		{"two roadmaps", "", false, func(c *git.Commit) { c.Message += "Context-Roadmap: " + string(hash("b")) + " 2\n" }},
		{"no roadmap", "", false, func(c *git.Commit) { c.Message = "Subject\n\nContext-Branch: main\n" }},
		{"no hash", "", false, func(c *git.Commit) { c.Message = message("x 2") }},
		{"no trailers", "", false, func(c *git.Commit) { c.Message = "Subject" }},
	} {
		bare, roadmap := withoutRoadmap(made(c.change))
		if roadmap != c.roadmap || (bare == old) != c.pair {
			t.Errorf("%s: it names '%s', pair %v", c.what, roadmap, bare == old)
		}
	}
}
