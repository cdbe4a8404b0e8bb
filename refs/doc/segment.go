package doc

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
)

const (
	// LiveLimit is the size in bytes above which the next commit seals a live file. It
	// bounds the cost of a commit, which rewrites the live file.
	LiveLimit = 8 << 10
	// SegmentLimit is the maximum size of a sealed segment in bytes, unless a single entry
	// is larger.
	SegmentLimit = 1 << 20
)

// File is a file of a memory tree.
type File struct {
	Path string // with slashes, from the root of the tree
	Data []byte
}

// SegmentPath returns the path of the sealed segment in dir ("log" or "commit") whose first
// entry is id.
//
// The directories are the first 4, next 2 and next 2 digits of the id. A new one begins
// every 12 days, 17 minutes and second, respectively. So each contains at most 1,024
// directories, and the last the segments sealed within one second.
func SegmentPath(dir, id string) string {
	if len(id) < 8 {
		return dir + "/" + id + ".md"
	}
	return dir + "/" + id[:4] + "/" + id[4:6] + "/" + id[6:8] + "/" + id + ".md"
}

// SegmentName returns the name, without directory, that a live commit.md or log.md will get
// when it is sealed; "" if it has no entries or is neither.
func SegmentName(live []byte) string {
	for line := range bytes.Lines(live) {
		for _, heading := range []string{logHeading, commitHeading} {
			if text, ok := strings.CutSuffix(string(line), "\n"); ok && strings.HasPrefix(text, heading) {
				if h, ok := parseHeading(text, heading); ok {
					return path.Base(SegmentPath("", h.ID))
				}
			}
		}
	}
	return ""
}

// Growth is the result of adding entries to commit.md or log.md.
type Growth struct {
	Live   []byte // the live file
	Sealed []File // new sealed segments, by path
}

// entryKind distinguishes the two kinds of files of entries.
type entryKind struct{ dir, heading string }

func logKind() entryKind    { return entryKind{"log", logHeading} }
func commitKind() entryKind { return entryKind{"commit", commitHeading} }

// GrowLog adds steps to the live log.md. Without steps nothing changes. Otherwise
//
//  1. a live file above LiveLimit is sealed first, whole and byte for byte, so that git
//     stores no new blob for it, and the steps begin a new one;
//  2. the steps are appended; if a merge brought younger entries, they are inserted in
//     order, and of duplicate ids the rule of UnionLog keeps one;
//  3. a result above SegmentLimit is split; the last part is the live file.
//
// The cost is linear in the size of live and of the new text. It fails on steps that do not
// pass Check, and on a live file that it cannot parse.
func GrowLog(live []byte, steps []Step) (Growth, error) {
	added := make([]rawEntry, len(steps))
	for i := range steps {
		s := &steps[i]
		if err := s.Check(); err != nil {
			return Growth{}, fmt.Errorf("step %d (%s): %w", s.Number, clip(s.ID), err)
		}
		added[i] = rawEntry{s.ID, s.Origin, s.append(make([]byte, 0, s.size()))}
	}
	return grow(logKind(), live, added)
}

// GrowCommits adds commits to the live commit.md as GrowLog adds steps.
func GrowCommits(live []byte, ms []Commit) (Growth, error) {
	added := make([]rawEntry, len(ms))
	for i := range ms {
		m := &ms[i]
		if err := m.Check(); err != nil {
			return Growth{}, fmt.Errorf("commit %d (%s): %w", m.Number, clip(m.ID), err)
		}
		added[i] = rawEntry{m.ID, m.Origin, m.append(nil)}
	}
	return grow(commitKind(), live, added)
}

func grow(k entryKind, live []byte, added []rawEntry) (Growth, error) {
	if len(added) == 0 {
		return Growth{Live: live}, nil
	}
	old, err := splitEntries(live, k.heading)
	if err != nil {
		return Growth{}, err
	}
	var sealed []File
	switch {
	case len(old) == 0: // only a tag
		live = nil
	case len(live) > LiveLimit:
		sealed = append(sealed, File{SegmentPath(k.dir, old[0].id), live})
		live, old = nil, nil
	}
	all := append(old, added...)
	if !ascending(all) {
		all, _ = dedupe(all)
		live, added = nil, all
	}
	if len(live) == 0 {
		added = all
	}
	chunks := appendChunks(live, all[:len(all)-len(added)], added)
	last := len(chunks) - 1
	for _, p := range chunks[:last] {
		sealed = append(sealed, File{SegmentPath(k.dir, p.first), p.data})
	}
	return Growth{chunks[last].data, sealed}, nil
}

// chunk is a run of entries formatted as one file.
type chunk struct {
	first string // id
	data  []byte
}

// appendChunks writes entries after live, which contains old. It starts a new chunk
// whenever one would exceed SegmentLimit.
func appendChunks(live []byte, old, entries []rawEntry) []chunk {
	p := chunk{data: slices.Clip(live)}
	var t tagWriter
	if len(old) > 0 {
		p.first, t.origin = old[0].id, old[len(old)-1].origin
	}
	var chunks []chunk
	for _, e := range entries {
		if p.first != "" && len(p.data)+e.size() > SegmentLimit {
			chunks = append(chunks, p)
			p, t = chunk{}, tagWriter{}
		}
		if p.first == "" {
			p.first = e.id
		}
		p.data = append(t.append(p.data, e.origin), e.text...)
	}
	return append(chunks, p)
}
