package code

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/cache"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// mention is a memory commit, those of its words that may be paths, and the code commits
// that it may have been written against.
type mention struct {
	c     *store.Commit
	words []string
	bases []git.ID
}

// name identifies a commit in the cache of links: its id and its hash, "-" without one.
func (m mention) name() string {
	if m.c.Hash == nil {
		return m.c.ID + " -"
	}
	return m.c.ID + " " + string(*m.c.Hash)
}

// linkedBy reports whether a fact links the commit.
func (m mention) linkedBy(f notes.Fact) bool {
	return f.CommitID == m.c.ID || m.c.Hash != nil && f.Memory == *m.c.Hash
}

// compareWithHead compares commits that the note of the code's HEAD links with HEAD too,
// and returns those for which yet another code commit could give another result. That note
// is cheap to read, and usually decides about what was committed right after its memory.
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

// withLinked adds the code commits whose notes link a commit, and returns the commits that
// gained any.
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

// linkedTo returns the code commits whose notes link commits, by mention.name. To search
// all notes takes a child, a third of the time of a snapshot. Therefore the result is
// cached until the notes move.
func linkedTo(ctx context.Context, s *store.Store, all []mention) (map[string][]git.ID, error) {
	tip, err := s.NotesTip(ctx)
	if err != nil || tip == "" {
		return nil, err
	}
	linked := linksCached(cache.Read(s.Repo(), cacheLinks), tip)
	all = slices.DeleteFunc(slices.Clone(all), func(m mention) bool { _, known := linked[m.name()]; return known })
	if len(all) == 0 {
		return linked, nil
	}
	if err := findLinks(ctx, s, all, linked); err != nil {
		return nil, err
	}
	if now, err := s.NotesTip(ctx); err != nil || now != tip { // the result may be of newer notes
		return linked, err
	}
	cache.Write(s.Repo(), cacheLinks, cachedLinks(linked, tip))
	return linked, nil
}

// findLinks searches all notes for the links of commits.
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
	mostLinks  = 1000 // commits whose links are cached
)

// cachedLinks formats links as lines: the notes commit, then the name of each memory commit
// with its code commits.
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

// linksCached parses such lines. The cache of another notes commit is ignored.
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
