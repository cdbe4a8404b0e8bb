package settings

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

// A change of a text needs a new version, by which an install tells its own block from an older one.
func TestTextsHaveVersions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text      string
		version   int
		published []string // the beginning of the text's checksum in each version
	}{
		"texts/agents.md": {instructions, blockVersion, []string{"0a4233c9"}},
		"texts/skill.md":  {skill, skillVersion, []string{"6c437230"}},
	} {
		sum := sha256.Sum256([]byte(c.text))
		if got := hex.EncodeToString(sum[:4]); len(c.published) != c.version || c.published[c.version-1] != got {
			t.Errorf("%s: version %d has the checksum %s: add it here, and increase the version if it was released", name, c.version, got)
		}
	}
}

func TestTextsAreShort(t *testing.T) {
	t.Parallel()
	block := managed{instructions}.block("\n")
	if n := strings.Count(block, "\n") + 1; n > 12 {
		t.Errorf("the block has %d lines", n)
	}
	for line := range strings.Lines(block) {
		if len(line) > 161 {
			t.Errorf("a line has %d bytes: %s", len(line), line)
		}
	}
	if n := strings.Count(Skill(), "\n"); n > 120 {
		t.Errorf("the skill has %d lines", n)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	const begin, end = "<!-- git-context:begin v7 -->", "<!-- git-context:end -->"
	for text, want := range map[string]int{ // the version; -1 where it is an error, -2 without a block
		"":                                     -2,
		"begin\nend\n":                         -2,
		"see " + begin + "\n" + end + " above": -2,
		begin + "\nx\n" + end:                  7,
		"a\r\n" + begin + "\r\nx\r\n" + end + "\r\nb":         7,
		byteOrderMark + begin + "\n" + end + "\n":             7,
		"  " + begin + " \n\t" + end:                          7,
		"<!-- git-context:begin -->\n" + end:                  0,
		"<!-- git-context:begin x -->\n" + end:                0,
		begin + "\n":                                          -1,
		"text\n" + end + "\n":                                 -1,
		end + "\n" + begin:                                    -1,
		begin + "\n" + end + "\n" + begin + "\n" + end + "\n": -1,
		begin + "\n" + begin + "\n" + end + "\n":              -1,
	} {
		s, found, err := find(text)
		got := s.version
		switch {
		case err != nil:
			got = -1
		case !found:
			got = -2
		}
		if got != want {
			t.Errorf("%q: %d, want %d (%v)", text, got, want, err)
		}
	}
}

func TestImports(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"":                               false,
		"@AGENTS.md":                     true,
		byteOrderMark + "@AGENTS.md\r\n": true,
		"see @AGENTS.md first\n":         true,
		"@./AGENTS.md\n":                 true,
		"see `@AGENTS.md`\n":             false,
		"@docs/AGENTS.md\n":              false,
		"@AGENTS.md.old\n":               false,
		"```\n@AGENTS.md\n```\n":         false,
		"~~~\n```\n~~~\n@AGENTS.md\n":    true,
		"```sh\n```\n@AGENTS.md\n":       true,
	} {
		if got := imports(text, ImportLine, "@./"+agentsFile); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// FuzzManaged: what a block is added to comes back to the byte, and a block is added once.
func FuzzManaged(f *testing.F) {
	for _, text := range []string{
		"", "\n", "a", "a\n", "a\n\n\n", "a\r\nb", "a\r\nb\r\n", "a\r", "a\nb\r\n", byteOrderMark, byteOrderMark + "a\r\n",
		"\n\n", "\r\n", "<!-- git-context:begin", "```\na",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, found, err := find(text); found || err != nil {
			return
		}
		m := managed{"one\ntwo\n"}
		before := file{path: "f", exists: true, data: []byte(text)}
		added, err := m.add(before)
		if err != nil {
			t.Fatal(err)
		}
		after := file{path: "f", exists: true, data: added}
		if again, err := m.add(after); err != nil || string(again) != string(added) {
			t.Errorf("%q becomes %q, then %q: %v", text, added, again, err)
		}
		if got, err := m.remove(after); err != nil || got == nil || string(got) != text {
			t.Errorf("%q becomes %q, then %q: %v", text, added, got, err)
		}
		if strings.Count(string(added), "two") != 1+strings.Count(text, "two") {
			t.Errorf("%q becomes %q", text, added)
		}
	})
}
