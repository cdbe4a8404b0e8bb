package cmd

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// Of any command line the flags stand in front, each with its whole value, and no
// argument is lost, moved among the others, or taken for a flag.
func FuzzPermute(f *testing.F) {
	for _, line := range []string{"-m\na, b\nfile\n--json", "--message=-x\n--\n-m", "-am\ntext", "-mtext\n-m=x", "-", "--", "-b", "--branch\n--json", "-b\nx\n-k\n010",
		"--metadata\nbranch", "--h", "-\n--\n--\n-x", "---", "--=", "-\x00", "--limit\n99999999999999999999", "--lines=-1", "-é"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, "\n")
		for _, c := range []*command{newContext(new(globals)), newCommit(new(globals)), newBranch(new(globals)), newLog(new(globals))} {
			ordered, err := permute(c.flags, args)
			if err != nil {
				if !errors.Is(err, errUsage) {
					t.Errorf("%q: %v", args, err)
				}
				continue
			}
			end := slices.Index(ordered, "--")
			rest := ordered[end+1:]
			for _, flag := range ordered[:end] {
				name, _, _ := strings.Cut(strings.TrimPrefix(flag, "--"), "=")
				if !strings.HasPrefix(flag, "--") || lookup(c.flags, name) == nil {
					t.Errorf("%q: flag '%s'", args, flag)
				}
			}
			at := 0
			for _, word := range rest {
				i := slices.Index(args[at:], word)
				if i < 0 {
					t.Fatalf("%q: argument '%s' is out of order", args, word)
				}
				at += i + 1
			}
			if again, err := permute(c.flags, args); err != nil || !slices.Equal(again, ordered) {
				t.Errorf("%q, then %q: %v", ordered, again, err)
			}
		}
	})
}

// A score is a number; whether it is one from 0 to 1 is asked where it is written.
func FuzzScore(f *testing.F) {
	for _, s := range []string{"", "0.5", "1", "NaN", "Inf", "-0", "1e-400", "0x1p-2", "1_0", " 1", "½"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := readScore("--score", s)
		if (err == nil && n == nil) != (s == "") || err != nil && !errors.Is(err, errUsage) {
			t.Errorf("%q: %v, %v", s, n, err)
		}
	})
}

// The nearest of some words is one of them.
func FuzzNearest(f *testing.F) {
	f.Add("comit")
	f.Add("--")
	f.Add("\xff\u0301")
	f.Add(strings.Repeat("a", 300))
	f.Fuzz(func(t *testing.T, word string) {
		words := []string{"commit", "branch", "--json", "rollback"}
		if near := nearest(word, words); near != "" && !slices.Contains(words, near) {
			t.Errorf("'%s'", near)
		}
	})
}
