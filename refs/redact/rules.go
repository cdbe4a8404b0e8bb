package redact

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// customKind is the kind of what a rule of the user finds: the name of the setting.
const customKind = "context.redact"

// Rules are the built-in rules and those of the user. A nil *Rules contains the built-in rules
// alone. Concurrent calls of its methods are safe.
type Rules struct {
	patterns []*regexp.Regexp
}

// Compile returns the built-in rules and regular expressions of the user (RE2 syntax). The
// first group of an expression is the secret, or all that it matches if it has no group. An
// expression may not match the empty text. Without patterns, Compile returns nil.
func Compile(patterns []string) (*Rules, error) {
	if len(patterns) == 0 {
		return nil, nil
	}
	r := &Rules{}
	for _, p := range patterns {
		re, err := regexp.Compile(p)
		if err != nil {
			return nil, fmt.Errorf("'%s' is no regular expression: %w", p, err)
		}
		if re.MatchString("") {
			return nil, fmt.Errorf("'%s' matches the empty text", p)
		}
		r.patterns = append(r.patterns, re)
	}
	return r, nil
}

// Text is like the function [Text], with the user's rules too. Where a match of one overlaps a
// secret that the built-in rules find, the secret includes both. A match of a user's rule
// is replaced as it is, even within an escape of JSON; a match in a mark is not.
func (r *Rules) Text(text string) (string, []Found) {
	found := find(text)
	if r == nil {
		return replace(text, found), found
	}
	for _, re := range r.patterns {
		for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
			f := Found{customKind, m[0], m[1]}
			if len(m) > 2 && m[2] >= 0 {
				f.Start, f.End = m[2], m[3]
			}
			if f.Start < f.End && !inMark(text, f.Start, f.End) {
				found = append(found, f)
			}
		}
	}
	found = union(found)
	return replace(text, found), found
}

// inMark reports whether a part of a text overlaps a mark.
func inMark(text string, start, end int) bool {
	const most = 64 // bytes of a mark
	from := max(0, start-most)
	for at := from; ; {
		n := strings.Index(text[at:min(len(text), end+len(markStart))], markStart)
		if n < 0 || at+n >= end {
			return false
		}
		at += n + len(markStart)
		if close := strings.IndexByte(text[at:min(len(text), at+most)], ']'); close >= 0 && at+close >= start {
			return true
		}
	}
}

// union sorts what was found and joins what overlaps, under the kind that begins first.
func union(found []Found) []Found {
	slices.SortStableFunc(found, func(a, b Found) int { return cmp.Compare(a.Start, b.Start) })
	joined := found[:0]
	for _, f := range found {
		if n := len(joined); n > 0 && f.Start < joined[n-1].End {
			joined[n-1].End = max(joined[n-1].End, f.End)
			continue
		}
		joined = append(joined, f)
	}
	return joined
}
