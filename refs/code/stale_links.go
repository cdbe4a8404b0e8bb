package code

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// mention is a milestone, the words of it that may be paths, and the code commits that it
// may have been written against.
type mention struct {
	c     *store.Commit
	words []string
	bases []git.ID
}

// name is what the links of a milestone are looked for by: its id and its hash, "-" where
// it has none.
func (m mention) name() string {
	if m.c.Hash == nil {
		return m.c.ID + " -"
	}
	return m.c.ID + " " + string(*m.c.Hash)
}

// linkedBy reports whether a fact links the milestone.
func (m mention) linkedBy(f notes.Fact) bool {
	return f.CommitID == m.c.ID || m.c.Hash != nil && f.Memory == *m.c.Hash
}

// compareWithHead compares milestones that the note of the code's HEAD links with HEAD too, and
// gives back those of which yet another code commit could say otherwise. That note is
// quickly read, and mostly settles what was committed right behind its milestone.
func compareWithHead(ctx context.Context, s *store.Store, all []mention) (open []mention, err error) {
	head, err := s.CodeHead(ctx)
	if err != nil || head == "" {
		return nil, err
	}
	facts, err := LinksOf(ctx, s, head)
	if err != nil {
		return nil, err
	}
	var linked []mention
	for _, m := range all {
		if slices.ContainsFunc(facts, m.linkedBy) && !slices.Contains(m.bases, head) {
			m.bases = append(m.bases, head)
			linked = append(linked, m)
		} else {
			open = append(open, m)
		}
	}
	still, err := compare(ctx, s, linked)
	return append(open, still...), err
}

// withLinked adds to milestones the code commits whose notes link them, and gives back
// those that gained any.
func withLinked(ctx context.Context, s *store.Store, all []mention) ([]mention, error) {
	linked, err := linkedTo(ctx, s, all)
	var with []mention
	for _, m := range all {
		had := len(m.bases)
		for _, code := range linked[m.name()] {
			if !slices.Contains(m.bases, code) {
				m.bases = append(m.bases, code)
			}
		}
		if len(m.bases) > had {
			with = append(with, m)
		}
	}
	return with, err
}

// linkedTo is the code commits whose notes link milestones, by their names. To look through
// all notes takes a child, which would be a third of what a snapshot takes: what was found
// in the notes of a commit stays in the cache until they move on.
func linkedTo(ctx context.Context, s *store.Store, all []mention) (map[string][]git.ID, error) {
	tip, err := s.NotesTip(ctx)
	if err != nil || tip == "" {
		return nil, err
	}
	linked := linksCached(s.ReadCache(cacheLinks), tip)
	all = slices.DeleteFunc(slices.Clone(all), func(m mention) bool { _, known := linked[m.name()]; return known })
	if len(all) == 0 {
		return linked, nil
	}
	if err := findLinks(ctx, s, all, linked); err != nil {
		return nil, err
	}
	if now, err := s.NotesTip(ctx); err != nil || now != tip { // what was found may be of later notes
		return linked, err
	}
	s.WriteCache(cacheLinks, cachedLinks(linked, tip))
	return linked, nil
}

// findLinks looks for the links of milestones in all notes.
func findLinks(ctx context.Context, s *store.Store, all []mention, linked map[string][]git.ID) error {
	var texts []string
	for _, m := range all {
		linked[m.name()] = nil
		if texts = append(texts, m.c.ID); m.c.Hash != nil {
			texts = append(texts, string(*m.c.Hash))
		}
	}
	return EachLink(ctx, s, texts, func(code git.ID, f notes.Fact) {
		for _, m := range all {
			if name := m.name(); m.linkedBy(f) && !slices.Contains(linked[name], code) {
				linked[name] = append(linked[name], code)
			}
		}
	})
}

const (
	cacheLinks = "links"
	mostLinks  = 1000 // milestones whose links are kept
)

// cachedLinks writes links down as lines: the notes commit that they are of, then the
// name of each milestone with its code commits.
func cachedLinks(linked map[string][]git.ID, tip git.ID) string {
	var b bytes.Buffer
	b.WriteString(string(tip) + "\n")
	left := mostLinks
	for name, codes := range linked {
		if left--; left < 0 {
			break
		}
		b.WriteString(name)
		for _, code := range codes {
			b.WriteString(" " + string(code))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// linksCached reads such lines; of another notes commit they say nothing.
func linksCached(text string, tip git.ID) map[string][]git.ID {
	linked := map[string][]git.ID{}
	rest, ok := strings.CutPrefix(text, string(tip)+"\n")
	if !ok {
		return linked
	}
	for line := range strings.Lines(rest) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		var codes []git.ID
		for _, w := range words[2:] {
			codes = append(codes, git.ID(w))
		}
		linked[words[0]+" "+words[1]] = codes
	}
	return linked
}
