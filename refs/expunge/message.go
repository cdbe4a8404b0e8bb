package expunge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// rewritten is a commit message without what was expunged.
type rewritten struct {
	text string
	gone bool // its entry was removed
}

// message rewrites the message of a commit whose tree and parents are rewritten:
//
//  1. a commit whose entry is removed loses its body, Context-Id and Context-Steps;
//  2. otherwise subject and body are redacted line by line;
//  3. trailers that name or count what changed are updated; Context-Last names the newest
//     remaining commit, and stays if nothing else changed;
//  4. the values of other trailers that contain people's words are redacted;
//  5. a body, and a block of trailers, in which much is redacted has the short mark, and with even more goes: who fills a message with a
//     short text must not make it impossible to expunge that text.
//
// Context-Newest stays, because new ids must be larger than any id ever given. Context-Journal
// stays too: it says which steps of a journal are committed.
func (w *Rewriter) message(ctx context.Context, old, now *git.Commit, tree rootChange,
	changed bool) (rewritten, error) {
	subject, body, block := old.Parts()
	gone := w.e.HasEntry(old.Trailer(store.TrailerID)) && block != ""
	text := store.SubjectExpunged + "\n\n"
	if !gone {
		text = w.e.RedactText(subject) + w.fitting(body, grewLittle, func(e doc.Expunged, bare bool) string {
			if bare {
				return ""
			}
			return e.RedactText(body)
		})
	}
	last := old.Trailer(store.TrailerLast)
	trailers := w.fitting(block, isBlock, func(e doc.Expunged, bare bool) string { return w.trailers(e, block, tree, gone, bare) })
	if !gone && (last == "" || !changed && text+trailers == old.Message) {
		return rewritten{text: text + trailers}, nil
	}
	newest, err := w.lastOf(ctx, now, tree)
	if err != nil {
		return rewritten{}, err
	}
	with := w.setLast(trailers, newest)
	if len(newest) > len(last) && !isBlock(with, block) {
		with = w.setLast(trailers, "") // it may name what was removed
	}
	return rewritten{text + with, gone}, nil
}

// The bounds of a part of a message, as each commit may add but so much to the sum of all messages that others take in: how many pieces
// have the long mark, and how many a mark at all; and how many bytes it may grow by, as keys that are removed do.
const (
	mostLong  = 16
	mostMarks = 1000
	mostGrown = 4 << 10
)

// fitting writes a part of a message with the first of three forms that others take in. All pieces have the same mark, also those of
// earlier expunges, and are counted together, and nothing that can be redacted is left of a bare part, so that it does not matter which of
// two came first.
func (w *Rewriter) fitting(old string, fits func(text, old string) bool, write func(e doc.Expunged, bare bool) string) string {
	long := write(w.e, false)
	if long == old {
		return old
	}
	if doc.HasShortMark(long) {
		long = write(w.e.WithLongMark(), false)
	}
	marks := doc.CountMarks([]byte(long))
	if marks <= mostLong && fits(long, old) {
		return long
	}
	if short := write(w.e.WithShortMark(), false); marks <= mostMarks && fits(short, old) {
		return short
	}
	return write(w.e.WithShortMark(), true)
}

func grewLittle(text, old string) bool { return len(text) <= len(old)+mostGrown }

// isBlock reports whether others take in trailers that have taken the place of others.
func isBlock(text, old string) bool {
	_, fault := incoming.BlockFault(text)
	return fault == "" && grewLittle(text, old)
}

// trailers rewrites a block of trailers, except Context-Last. A bare one has only those that the program makes, and none that would grow.
func (w *Rewriter) trailers(e doc.Expunged, block string, tree rootChange, gone, bare bool) string {
	var b strings.Builder
	for line := range strings.Lines(block) {
		key, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		old := len(line)
		switch {
		case !ok:
		case gone && (key == store.TrailerID || key == store.TrailerSteps):
			continue
		case key == store.TrailerCommits && tree.commitCount >= 0:
			line = trailer(key, strconv.Itoa(tree.commitCount))
		case key == store.TrailerRoadmap:
			hash, age, _ := strings.Cut(value, " ")
			if now := w.commits[git.ID(hash)]; now != "" {
				line = trailer(key, strings.TrimSuffix(string(now)+" "+age, " "))
			}
		case key == store.TrailerRemoves:
			line = trailer(key, w.removal(value))
		case keptTrailer(key):
		case bare && key != store.TrailerRestores:
			continue
		default:
			if now := e.RedactText(value); now != value {
				line = trailer(key, now)
			}
		}
		if !bare || len(line) <= old {
			b.WriteString(line)
		}
	}
	return b.String()
}

func trailer(key, value string) string { return fmt.Sprintf("%s: %s\n", key, value) }

// removal redacts the record of what a commit removed: the keys of metadata.yaml alone, as they are redacted there. The record
// has to stay, as history does: else the absence is taken for a loss, and what was removed comes back.
func (w *Rewriter) removal(value string) string {
	if path, ok := strings.CutPrefix(value, doc.MetadataFile+"#"); ok {
		if now := w.e.RedactPath(path); now != path {
			return store.KeyRecord(now)
		}
	}
	return value
}

// removedKeys are the keys that a record of a removal names, which people choose; none where it names a file.
func removedKeys(value string) []string {
	path, ok := strings.CutPrefix(value, doc.MetadataFile+"#")
	if !ok {
		return nil
	}
	return doc.PathKeys(path)
}

// keptTrailer reports whether the program itself makes a trailer's value: names, ids, hashes and numbers.
func keptTrailer(key string) bool {
	switch key {
	case store.TrailerID, store.TrailerBranch, store.TrailerSteps, store.TrailerCommits, store.TrailerCreated,
		store.TrailerStatus, store.TrailerCode, store.TrailerLink, store.TrailerNewest, store.TrailerJournal,
		store.TrailerTokens:
		return true
	}
	return false
}

// setLast puts Context-Last into a block of trailers, or removes it if last is "".
func (w *Rewriter) setLast(block, last string) string {
	lines := slices.Collect(strings.Lines(block))
	at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, store.TrailerLast+": ") })
	if at < 0 { // after Context-Branch, as in a memory commit without an entry
		at = 1 + slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, store.TrailerBranch+": ") })
	} else {
		lines = slices.Delete(lines, at, at+1)
	}
	if last != "" {
		lines = slices.Insert(lines, at, trailer(store.TrailerLast, last))
	}
	return strings.Join(lines, "")
}

// lastOf returns the summary of the newest commit that a rewritten commit knows: the last one
// in its live commit.md, else what its parents say. It looks at rewritten objects alone, so
// that rewriting in several runs gives the same result as one run.
func (w *Rewriter) lastOf(ctx context.Context, now *git.Commit, tree rootChange) (string, error) {
	last, err := w.newestIn(ctx, tree.commitFile)
	for _, p := range now.Parents {
		if err != nil || last != "" {
			break
		}
		last, err = w.lastBelow(ctx, p)
	}
	return last, err
}

// lastBelow returns what a parent says.
func (w *Rewriter) lastBelow(ctx context.Context, id git.ID) (string, error) {
	if last, ok := w.last[id]; ok {
		return last, nil
	}
	c, err := w.s.Repo().Commit(ctx, id)
	if err != nil {
		return "", orAbsent(err) // the edge of a shallow clone
	}
	return store.LastSummary(c), nil
}

// newestIn returns the summary of the last commit in a commit.md, "" if it contains none.
func (w *Rewriter) newestIn(ctx context.Context, id git.ID) (string, error) {
	if last, ok := w.newest[id]; ok || id == "" {
		return last, nil
	}
	data, err := w.s.Repo().Blob(ctx, id)
	if err != nil {
		return "", err
	}
	commits, err := doc.ParseCommits(data)
	if err != nil {
		return "", fmt.Errorf("%s: %w", doc.CommitFile, err)
	}
	for _, m := range slices.Backward(commits) {
		if m.Kind != doc.KindBirth {
			w.newest[id] = prose.OneLine(m.Summary, store.PurposeLimit)
			break
		}
	}
	return w.newest[id], nil
}

// orAbsent turns "not found" into nil.
func orAbsent(err error) error {
	if errors.Is(err, git.ErrNotFound) {
		return nil
	}
	return err
}
