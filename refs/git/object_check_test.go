package git

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/git-context/git-context/internal/gittest"
)

// CheckCommit and CheckTree agree with git's own fsck on everything that ParseCommit and ParseTree can read.
func TestChecksAsGitDoes(t *testing.T) {
	t.Parallel()
	gittest.NeedSHA1(t)
	s := newSandbox(t)
	s.Git(".", "init", "-q", "repo")
	hash := func(kind, data string) string {
		s.Write("object", data)
		return s.Git("repo", "hash-object", "-w", "-t", kind, "--literally", s.Path("object"))
	}
	blob := hash("blob", "x")
	entry := func(mode string) string {
		id, err := hex.DecodeString(blob)
		if err != nil {
			t.Fatal(err)
		}
		return mode + " f\x00" + string(id)
	}
	whole := hash("tree", entry("100644"))
	const fine = "A B <a@x> 1700000000 +0000"
	objects := map[string]string{} // their content, by kind and id
	put := func(kind, data string) {
		objects[kind+" "+hash(kind, data)] = data
	}
	for _, who := range []string{
		fine, "A B <a@x> 1700000000 +99999999", "A <> 0 -0000", " <a> 1 +0000", "<a> 1 +0000", "A<a> 1 +0000", "A > B <a> 1 +0000",
		"A <a<b> 1 +0000", "A <a>b> 1 +0000", "A <a>1 +0000", "A <a> 01 +0000", "A <a> 1 +000", "A <a> 1 0000", "A <a> 1 +0000 ", "A <a>  1 +0000",
		"A <a> 9223372036854775807 +0000", "A <a> 1 +00x0", "A <a> 1 -9999", "A <a> 1  +0000", "A <a> 1\t+0000", "A\u00ad <a> 1 +0000", "A \xff <a> 1 +0000",
	} {
		for _, form := range []string{"author %s\ncommitter " + fine, "author " + fine + "\ncommitter %s", "author " + fine + "\ncommitter " + fine + "\nauthor %s"} {
			put("commit", fmt.Sprintf("tree %s\n"+form+"\n\nx\n", whole, who))
		}
	}
	both := "author " + fine + "\ncommitter " + fine + "\n"
	for _, rest := range []string{"", "\n", "\nx", "\nx\x00y\n", "gpgsig x\n y\n\nx\n", "encoding\n\nx\n", " odd\n\nx\n"} {
		put("commit", "tree "+whole+"\n"+both+rest)
	}
	put("commit", strings.TrimSuffix("tree "+whole+"\n"+both, "\n"))
	for _, mode := range []string{"100644", "0100644", "100755", "00100644"} {
		put("tree", entry(mode))
	}
	said, _ := s.Try("repo", "fsck", "--strict", "--no-dangling")
	checked := 0
	for object, data := range objects {
		kind, id, _ := strings.Cut(object, " ")
		var read, bad error
		if kind == "commit" {
			_, read = ParseCommit(ID(id), []byte(data))
			bad = CheckCommit([]byte(data))
		} else {
			_, read = ParseTree([]byte(data), 20)
			bad = CheckTree([]byte(data), 20)
		}
		git := strings.Contains(said, "error in "+object+": ")
		if read == nil && git != (bad != nil) {
			t.Errorf("%q: git refuses it: %v, we say: %v\n%s", data, git, bad, said)
		}
		checked++
	}
	if checked < 60 {
		t.Errorf("only %d objects", checked)
	}
}
