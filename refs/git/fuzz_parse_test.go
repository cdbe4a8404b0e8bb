package git

import (
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/refs/git/disk"
)

// What a repository's configuration says of its layout is understood, or left to git.
func FuzzParseFormat(f *testing.F) {
	f.Add([]byte("[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n\trefStorage = reftable\n"))
	f.Add([]byte("[core]\nbare\nworktree = \"/a b\\\"c\"\nsharedRepository = 0660\n[extensions]\nworktreeConfig = yes\n"))
	f.Add([]byte("[extensions]\nsomething = new\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		found, err := parseFormat(data)
		if err != nil && !errors.Is(err, errUnusual) {
			t.Fatal(err)
		}
		if err == nil && found.hash != "sha1" && found.hash != "sha256" {
			t.Errorf("hash '%s'", found.hash)
		}
		if again, err2 := parseFormat(data); again != found || err2 != err {
			t.Errorf("%+v, then %+v", found, again)
		}
		if mode := disk.ParsePerm(found.shared).Mode(0o444); mode&0o222 != 0 {
			t.Errorf("an object would get mode %o", mode)
		}
	})
}

// The list that git writes is read as it was written, whatever the values hold.
func FuzzConfigList(f *testing.F) {
	f.Add("file:/etc/gitconfig\x00core.bare\nfalse\x00file:.git/config\x00remote.a.b.fetch\n+refs/*:refs/*\x00file:.git/config\x00x.y\x00", "remote.a.b.fetch", "10k")
	f.Add("\x00\x00", "a", "-9223372036854775808")
	f.Add("x", "A.b.C", " 0x7fffffffffffffffg")
	f.Add("o\x00a.b\nmulti\nline\x00", "a.b", "")
	f.Fuzz(func(t *testing.T, list, key, value string) {
		if c, origins, err := parseConfigList(list); err == nil {
			var back strings.Builder
			if len(origins) == 1 {
				for _, e := range c.entries {
					back.WriteString(origins[0] + "\x00" + e.key)
					if !e.bare {
						back.WriteString("\n" + e.value)
					}
					back.WriteByte(0)
				}
				if got := back.String(); strings.TrimSuffix(got, "\x00") != strings.TrimSuffix(list, "\x00") {
					t.Errorf("%q came back as %q", list, got)
				}
			}
			for _, name := range c.Subsections("remote") {
				_ = c.All("remote." + name + ".fetch")
			}
		}
		if strings.ContainsAny(key+value, "\x00") || strings.Contains(key, "\n") {
			return
		}
		c, _, err := parseConfigList("file:x\x00" + canonical(key) + "\n" + value + "\x00")
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := c.String(key); !ok || got != value {
			t.Errorf("'%s' is %q, not %q", key, got, value)
		}
		n, err := c.Int(key, 7)
		if want, ok := bigInt(value); err == nil && (!ok || want.Cmp(big.NewInt(int64(n))) != 0) {
			t.Errorf("%q is %d, not %v", value, n, want)
		}
		if b, boolErr := c.Bool(key, false); err == nil && (boolErr != nil || b != (n != 0)) {
			t.Errorf("%q is the number %d, and %v: %v", value, n, b, boolErr)
		}
	})
}

// bigInt is a number with its unit, which may be too large for us.
func bigInt(value string) (*big.Int, bool) {
	value = strings.TrimLeft(value, " \t\n\r\v\f")
	shift := uint(0)
	if value != "" {
		if at := strings.IndexByte("kmg", value[len(value)-1]|0x20); at >= 0 && !strings.HasPrefix(strings.TrimLeft(value, "+-"), "_") {
			shift, value = uint(10*(at+1)), value[:len(value)-1]
		}
	}
	n, ok := new(big.Int).SetString(value, 0)
	if !ok {
		return nil, false
	}
	return n.Lsh(n, shift), true
}

// A date that is read in process is the same instant in each form that is.
func FuzzDate(f *testing.F) {
	for _, date := range []string{"@1700000000 +0100", "1700000000 -0930", "@0 +0000", "2026-11-21T01:37:05Z", "2026-11-21T01:37:05+05:30",
		"Sat, 21 Nov 2026 01:37:05 +0000", "2026-11-21 01:37:05 -0800", "@99999999999999999999 +0000", "@1", "@-1 +0000", "20261121", "0000-00-00T00:00:00Z",
		"yesterday", "@4611686018427387903 +9999", "@1700000000 +0100 "} {
		f.Add(date)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if value == "" {
			return // is not set
		}
		at, ok := parseDate(value)
		if !ok {
			return
		}
		if at.Unix() < 0 || at.Nanosecond() != 0 {
			t.Errorf("%q is %s", value, at)
		}
		s := Signature{Name: "A", Email: "a@example.com", When: at}
		line := strings.TrimSuffix(string(s.append(nil, "")), "\n")
		if again, err := parseSignature(line); err != nil || !again.When.Equal(at) {
			t.Errorf("%q is written %q, and read as %s: %v", value, line, again.When, err)
		}
	})
}

// A message is its parts, whatever they are; what is put into one as a trailer is found.
func FuzzMessage(f *testing.F) {
	f.Add("subject\n\nbody\n\nContext-Id: x\nAgent: a: b\n", "Context-Id", "01J")
	f.Add("\n\nsubject\nof two lines\n\n\n\nA: b\n", "a", "")
	f.Add("A: b", "A", " spaces ")
	f.Add("s\n\nA: b\n c\n\nnot a trailer\n", "X-Y", "\x1b[31m")
	f.Fuzz(func(t *testing.T, message, key, value string) {
		c := &Commit{Message: message}
		subject, body, trailers := c.Parts()
		if subject+body+trailers != message {
			t.Errorf("%q is not %q, %q, %q", message, subject, body, trailers)
		}
		if strings.Contains(c.Subject(), "\n") || strings.HasPrefix(c.Body(), "\n") || strings.HasSuffix(c.Body(), "\n") {
			t.Errorf("subject %q, body %q", c.Subject(), c.Body())
		}
		value = strings.TrimSpace(strings.ReplaceAll(value, "\n", " "))
		if !isTrailer(key+": ") || strings.ContainsRune(key, ':') {
			return
		}
		with := &Commit{Message: "s\n\n" + strings.Trim(body, "\n") + "\n\n" + key + ": " + value + "\n"}
		if got := with.Trailer(key); got != value {
			t.Errorf("'%s' is %q, not %q", key, got, value)
		}
		if got, want := with.Trailers(strings.ToUpper(key)), []string{value}; !slices.Equal(got, want) {
			t.Errorf("'%s' is %q, not %q", key, got, want)
		}
	})
}

// Whatever a child says, an error is one line of it, and the worst that can be made of
// it is a wrong reason.
func FuzzComplaint(f *testing.F) {
	f.Add("warning: x\nfatal: Unable to create '/x/a.lock': No space left on device\n")
	f.Add("error: cannot lock ref 'refs/context/heads/main': is at 1 but expected 2\n")
	f.Add("ssh: no\nfatal: Could not read from remote repository.\n")
	f.Add("error: remote unpack failed:\n\r100% (1/1)\rfatal: x: File too large")
	f.Add("[GNUPG:] X\nerror:\n\n")
	f.Fuzz(func(t *testing.T, said string) {
		e := &Error{Args: []string{"-c", "x", "push"}, Code: 1, Stderr: said}
		if text := e.Error(); strings.ContainsAny(text, "\r\n") || !strings.HasPrefix(text, "git push: ") || text != e.Error() {
			t.Errorf("%q", text)
		}
		if why, ok := systemSaid(said); ok && !errors.Is(e, why) {
			t.Errorf("%q is not %v", said, why)
		}
		if name := refInText(said); strings.Contains(name, "'") {
			t.Errorf("ref %q", name)
		}
		words := parseWords(said)
		text := pushLine{class: refused, remote: true, reason: "no"}.explain(words)
		if len(text) > 1010 {
			t.Errorf("%d bytes are told", len(text))
		}
		_, _ = staleText(said), unsaidText(said)
	})
}

// What `git blame --porcelain` prints is read, or refused; a line is never made up.
func FuzzBlame(f *testing.F) {
	one := strings.Repeat("1", 40)
	f.Add(one + " 1 1 2\nauthor A\nfilename topics/a.md\n\tfirst\n" + one + " 2 2\n\tsecond\n")
	f.Add(one + " 1 1 1\n")
	f.Add("\t\n")
	f.Fuzz(func(t *testing.T, out string) {
		lines, err := parseBlame(out, 40)
		if err != nil {
			return
		}
		if len(lines) > strings.Count(out, "\t") {
			t.Errorf("%d lines of %q", len(lines), out)
		}
		for _, l := range lines {
			if !isHex(string(l.Commit), 40) {
				t.Errorf("commit %q", l.Commit)
			}
		}
	})
}

// Trailers are what git takes for trailers, where a memory commit has any.
func TestTrailersLikeGit(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	for _, message := range []string{
		"s\n\nContext-Id: x\nAgent: claude code\n", "s\n\nbody: not one\nof them\n\nA: b\nC-D: e: f\n", "s\n\nA: b\n\nno trailer\n",
		"s\n\nbody\n\nA:b\nA:   c  \n", "s\nA: b\n", "s\n\nbody\nA: b\n", "s\n\nbody\n\nA: \nB: \x1b[31m\n", "s\n\nbody\n\n\n\nA: b\n",
	} {
		s.Write("m", message)
		want := s.Git("", "interpret-trailers", "--parse", s.Path("m"))
		var got []string
		_, _, block := (&Commit{Message: message}).Parts()
		for line := range strings.Lines(block) {
			key, value, _ := strings.Cut(line, ":")
			got = append(got, strings.TrimRight(key+": "+strings.TrimSpace(value), " "))
		}
		lines := strings.Split(want, "\n")
		for i := range lines {
			lines[i] = strings.TrimRight(lines[i], " ")
		}
		if want != "" && !slices.Equal(got, lines) || want == "" && got != nil {
			t.Errorf("%q: trailers %q, git has %q", message, got, lines)
		}
	}
}

// A date in a form that is read in process is what git makes of it.
func TestDatesLikeGit(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	for _, date := range []string{"@1700000000 +0100", "1700000000 -0930", "2026-11-21T01:37:05Z", "2026-11-21T01:37:05+05:30", "@0 +0000",
		"Sat, 21 Nov 2026 01:37:05 +0000", "2026-11-21 01:37:05 -0800", "@1700000000 +0000"} {
		got, ok := parseDate(date)
		if !ok {
			t.Errorf("'%s' is left to git", date)
			continue
		}
		s.Env = append(s.Env, "GIT_COMMITTER_DATE="+date)
		want, err := parseSignature(s.Git("", "var", "GIT_COMMITTER_IDENT"))
		if err != nil || !want.When.Equal(got) || want.When.Format(time.RFC3339) != got.Format(time.RFC3339) {
			t.Errorf("'%s' is %s, to git %s: %v", date, got, want.When, err)
		}
	}
}
