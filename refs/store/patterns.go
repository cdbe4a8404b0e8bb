package store

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/prose"
)

// patterns select names, as `git tag -l` does: '*' also stands for slashes.
type patterns []string

// check returns an error for a pattern that cannot be understood. hint is a correct one.
func (x patterns) check(hint string) error {
	for _, p := range x {
		if _, err := matchName(p, ""); err != nil {
			return fail.New(fail.ErrInvalid, fail.PatternInvalid, fmt.Sprintf("'%s' is no pattern", prose.OneLine(p, 100)), hint)
		}
	}
	return nil
}

// matches reports whether a name matches one of the patterns, which were checked. Without a
// pattern every name does.
func (x patterns) matches(name string) bool {
	return len(x) == 0 || slices.ContainsFunc(x, func(p string) bool { ok, err := matchName(p, name); return ok && err == nil })
}

// matchName is path.Match where a slash is a character like others.
func matchName(pattern, name string) (bool, error) {
	const slash = "\x01" // which no name contains
	return path.Match(strings.ReplaceAll(pattern, "/", slash), strings.ReplaceAll(name, "/", slash))
}
