package git

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// countedFile counts how much is read of it.
type countedFile struct {
	*bytes.Reader
	read int
}

func (c *countedFile) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.Reader.ReadAt(p, at)
	c.read += n
	return n, err
}

// Of a file that is as git writes it, bisection finds what reading it all finds. Of
// any other nothing is made up, and none is read for long.
func FuzzPackedRefs(f *testing.F) {
	head := "# pack-refs with: peeled fully-peeled sorted \n"
	one, two := strings.Repeat("1", 40), strings.Repeat("2", 40)
	f.Add([]byte(head+one+" refs/context/heads/main\n"+two+" refs/tags/v1\n^"+one+"\n"+one+" refs/zz\n"), "refs/tags/v1")
	f.Add([]byte(head+one+" refs/b\n"+two+" refs/a\n"), "refs/a")
	f.Add([]byte("# pack-refs with: peeled\n"+one+" refs/a\n"), "refs/a")
	f.Add([]byte(head+"^"+one+"\n^"+two+"\n"), "refs/a")
	f.Add([]byte(head+one+" refs/a"), "refs/a")
	f.Add([]byte(head+one+"\trefs/a\r\n\n\n"), "")
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		file := &countedFile{Reader: bytes.NewReader(data)}
		p := packedRefs{file: file, size: int64(len(data)), hexLen: 40}
		id, err := p.find(name)
		if most := 64 * (len(data) + 4096); file.read > most {
			t.Errorf("%d bytes of %d were read", file.read, len(data))
		}
		if err != nil && !errors.Is(err, errUnusual) || id != "" && !isHex(id, 40) {
			t.Fatalf("'%s', %v", id, err)
		}
		if id != "" && !bytes.Contains(data, []byte(id+" "+name+"\n")) {
			t.Fatalf("'%s' is made up", id)
		}
		refs, plain := plainRefs(data)
		if !plain {
			return
		}
		for _, prefix := range []string{"", "refs/context/heads/", name} {
			want := slices.DeleteFunc(slices.Clone(refs), func(name string) bool { return !strings.HasPrefix(name, prefix) })
			if got, err := p.below(prefix); err != nil || !slices.Equal(got, want) {
				t.Fatalf("below '%s' are %q, %v; want %q", prefix, got, err, want)
			}
		}
		for _, name := range append(refs, name) {
			id, err := p.find(name)
			if found := slices.Contains(refs, name); err != nil || (id != "") != found {
				t.Fatalf("'%s' is at '%s', which is there: %v; %v", name, id, found, err)
			}
		}
	})
}

// plainRefs reads packed-refs from the beginning, if it is as git writes it.
func plainRefs(data []byte) (names []string, ok bool) {
	head, rest, ok := strings.Cut(string(data), "\n")
	if !ok || !strings.HasPrefix(head, "# pack-refs with:") || !strings.Contains(head+" ", " sorted ") || rest != "" && !strings.HasSuffix(rest, "\n") {
		return nil, false
	}
	for line := range strings.Lines(rest) {
		line = strings.TrimSuffix(line, "\n")
		if peeled, ok := strings.CutPrefix(line, "^"); ok && isHex(peeled, 40) && len(names) > 0 {
			continue
		}
		id, name, ok := strings.Cut(line, " ")
		if !ok || !isHex(id, 40) || name == "" || len(line) > lineMax || len(names) > 0 && name <= names[len(names)-1] {
			return nil, false
		}
		names = append(names, name)
	}
	return names, len(head) < lineMax
}

// A line of a reflog is read as git writes it; what is read is never but ids.
func FuzzReflogLine(f *testing.F) {
	zero, one := strings.Repeat("0", 40), strings.Repeat("1", 40)
	f.Add(zero + " " + one + " A U Thor <a@example.com> 1700000000 +0100\tcommit (initial): x")
	f.Add(zero + " " + one + " <> 1 +0000\t(context 01J) a\ttab")
	f.Add(zero + " " + one + " no reason")
	f.Add(zero + " " + one)
	f.Add("\x1b[31m" + one)
	f.Fuzz(func(t *testing.T, line string) {
		m, err := new(Repo).parseMove(line)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\x1b\n\r") {
				t.Errorf("a terminal would obey %q", err)
			}
			return
		}
		if !isHex(string(m.Old), 40) || !isHex(string(m.New), 40) || !strings.HasSuffix(line, m.Reason) {
			t.Errorf("%q is read as %+v", line, m)
		}
		who, _, _ := strings.Cut(strings.TrimPrefix(line, string(m.Old+" "+m.New+" ")), "\t")
		again, err := new(Repo).parseMove(fmt.Sprintf("%s %s %s\t%s", m.Old, m.New, who, m.Reason))
		if err != nil || again != m {
			t.Errorf("%+v is read again as %+v, %v", m, again, err)
		}
	})
}

// Names that are accepted are names to git too, and no two of them share a file.
func FuzzBranchName(f *testing.F) {
	for _, name := range branchNames() {
		f.Add(name, "main")
	}
	f.Add("a/b", "a%2Fb")
	f.Add(strings.Repeat("a/", 99)+"a", strings.Repeat("a/", 99)+"b")
	f.Fuzz(func(t *testing.T, name, other string) {
		file := FileName(name, ".json")
		if len(file) > maxStateFile && len(name) < 1000 || strings.ContainsAny(file, "/") && CheckBranchName(name) == nil {
			t.Errorf("file '%s'", file)
		}
		if CheckBranchName(name) != nil {
			return
		}
		if err := checkRefName(BranchRef(name)); err != nil || !plainRefName(BranchRef(name)) {
			t.Errorf("'%s' is accepted, and is no ref name: %v", name, err)
		}
		if CheckBranchName(other) == nil && name != other && (file == FileName(other, ".json") || lockFile(name) == lockFile(other)) {
			t.Errorf("'%s' and '%s' share a file", name, other)
		}
		if back, ok := BranchName(BranchRef(name)); !ok || back != name {
			t.Errorf("'%s' came back as '%s'", name, back)
		}
		for _, heads := range []bool{false, true} {
			ref := BranchRef(name)
			if there := NameOn(ref, heads); NameHere(there, heads) != ref {
				t.Errorf("'%s' is '%s' there, and '%s' here", ref, there, NameHere(there, heads))
			}
		}
	})
}

// branchNames are names that somebody might try.
func branchNames() []string {
	return []string{
		"main", "exp/pool", "a.b-c_d", "A", "0", "x/y/z", "-evil", "--upload-pack=x", "HEAD", "@", "a@{b", "a..b", "a.lock", "a.lock/b",
		"a/.b", "a/b.", "a//b", "/a", "a/", "", ".", "..", "a b", "a~b", "a^b", "a:b", "a?b", "a*b", "a[b", "a\\b", "a\x7fb", "a\x01b",
		"a\u202eb", "\xff", "$(id)", "a'b", "é", strings.Repeat("a", 200), strings.Repeat("a", 201), "a.LOCK", "refs/heads/x", "con", "a%2Fb",
	}
}

// plainRefName says what git-check-ref-format(1) says.
func plainRefName(ref string) bool {
	for part := range strings.SplitSeq(ref, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	bad := func(r rune) bool { return r < 0x20 || r == 0x7f || strings.ContainsRune(" ~^:?*[\\", r) }
	return strings.Contains(ref, "/") && !strings.Contains(ref, "..") && !strings.Contains(ref, "@{") &&
		!strings.HasSuffix(ref, ".") && ref != "@" && !strings.ContainsFunc(ref, bad)
}

// What is accepted git accepts, and plainRefName says what git says.
func TestBranchNamesBesideGit(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	for _, name := range branchNames() {
		if strings.Contains(name, "\x00") {
			continue
		}
		ref := BranchRef(name)
		_, err := s.Try("", "check-ref-format", ref)
		if (err == nil) != plainRefName(ref) {
			t.Errorf("'%s': git says %v, plainRefName %v", ref, err, plainRefName(ref))
		}
		if err != nil && CheckBranchName(name) == nil {
			t.Errorf("'%s' is accepted: %v", name, err)
		}
	}
}
