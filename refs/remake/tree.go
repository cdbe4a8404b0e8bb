package remake

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// key is a tree or a file at a path.
type key struct {
	path string
	id   git.ID
}

// replacement is a file with new ids.
type replacement struct {
	id    git.ID
	first string // the id of its first entry
}

// entriesOf returns the name of the live file of the kind that a path has; "" for a file without entries.
func entriesOf(path string) string {
	switch doc.KindOf(path) {
	case doc.FileLog:
		return doc.LogFile
	case doc.FileCommits:
		return doc.CommitFile
	}
	return ""
}

// below joins a folder, "" for the root, and a name.
func below(dir, name string) string { return strings.TrimPrefix(dir+"/"+name, "/") }

// scan visits the ids of the entries below a tree, each file once, and returns the largest that is not ahead.
func (w *Rewriter) scan(ctx context.Context, dir string, tree git.ID, visit func(id string)) (string, error) {
	if sound, done := w.scans[tree]; done {
		return sound, nil
	}
	list, err := w.s.Repo().Tree(ctx, tree)
	if err != nil {
		return "", err
	}
	sound := ""
	for _, e := range list {
		path := below(dir, e.Name)
		of := ""
		switch {
		case e.IsTree():
			of, err = w.scan(ctx, path, e.ID, visit)
		case entriesOf(path) != "":
			of, err = w.scanFile(ctx, entriesOf(path), e.ID, visit)
		}
		if err != nil {
			return "", fmt.Errorf("'%s': %w", path, err)
		}
		sound = max(sound, of)
	}
	w.scans[tree] = sound
	return sound, nil
}

func (w *Rewriter) scanFile(ctx context.Context, file string, blob git.ID, visit func(id string)) (string, error) {
	if sound, done := w.scans[blob]; done {
		return sound, nil
	}
	data, err := w.s.Repo().Blob(ctx, blob)
	if err != nil {
		return "", err
	}
	sound := ""
	err = doc.EachEntry(file, data, func(h doc.EntryHead, _ []byte) {
		if visit(h.ID); !w.isAhead(h.ID) {
			sound = max(sound, h.ID)
		}
	})
	if err == nil {
		w.scans[blob] = sound
	}
	return sound, err
}

// tree returns a tree with new ids. A segment is named by its first id, so that it may belong into another folder.
func (w *Rewriter) tree(ctx context.Context, dir string, id git.ID) (git.ID, error) {
	if now, done := w.trees[key{dir, id}]; done {
		return now, nil
	}
	list, err := w.s.Repo().Tree(ctx, id)
	if err != nil {
		return "", err
	}
	edit := w.s.Repo().Edit(id)
	for _, e := range list {
		path := below(dir, e.Name)
		switch {
		case e.IsTree() && (path == doc.LogDir || path == doc.CommitDir):
			err = w.segments(ctx, edit, path, path, e.ID)
		case e.IsTree() && path == doc.TopicDir:
			err = w.topics(ctx, edit, path, e.ID)
		case !e.IsTree() && doc.KindOf(path) != doc.FileUnknown:
			err = w.file(ctx, edit, path, path, e.ID)
		}
		if err != nil {
			return "", fmt.Errorf("'%s': %w", path, err)
		}
	}
	now := id
	if edit.Changed() {
		if now, err = edit.Write(ctx); err != nil {
			return "", err
		}
	}
	w.trees[key{dir, id}] = now
	return now, nil
}

// topics puts the changed files of a folder.
func (w *Rewriter) topics(ctx context.Context, edit *git.Edit, dir string, id git.ID) error {
	list, err := w.s.Repo().Tree(ctx, id)
	for _, e := range list {
		if err == nil && !e.IsTree() {
			err = w.file(ctx, edit, below(dir, e.Name), below(dir, e.Name), e.ID)
		}
	}
	return err
}

// segments puts the changed segments of a folder.
func (w *Rewriter) segments(ctx context.Context, edit *git.Edit, root, dir string, id git.ID) error {
	list, err := w.s.Repo().Tree(ctx, id)
	if err != nil {
		return err
	}
	for _, e := range list {
		path := below(dir, e.Name)
		switch {
		case e.IsTree():
			err = w.segments(ctx, edit, root, path, e.ID)
		case entriesOf(path) != "":
			var b replacement
			if b, err = w.blob(ctx, entriesOf(path), e.ID); err == nil && b.id != e.ID {
				err = w.file(ctx, edit, path, doc.SegmentPath(root, b.first), e.ID)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// file puts a file with new ids, under another path if to differs.
func (w *Rewriter) file(ctx context.Context, edit *git.Edit, path, to string, id git.ID) error {
	b, err := w.blob(ctx, entriesOf(path), id)
	if err != nil || b.id == id && path == to {
		return err
	}
	if path != to {
		if err := edit.Remove(ctx, path); err != nil {
			return err
		}
	}
	return edit.Put(ctx, to, b.id)
}

// blob returns a file with new ids, its entries in their order; kind is "" for a file without entries.
func (w *Rewriter) blob(ctx context.Context, kind string, id git.ID) (replacement, error) {
	if b, done := w.blobs[key{kind, id}]; done {
		return b, nil
	}
	data, err := w.s.Repo().Blob(ctx, id)
	if err != nil {
		return replacement{}, err
	}
	now := w.renamed(data)
	b := replacement{id: id}
	if kind != "" && !bytes.Equal(now, data) {
		if now, b.first, err = ordered(kind, now); err != nil {
			return b, err
		}
	}
	if !bytes.Equal(now, data) {
		if b.id, err = w.s.Repo().WriteBlob(ctx, now); err != nil {
			return b, err
		}
	}
	w.blobs[key{kind, id}] = b
	return b, nil
}

// ordered returns a document with its entries in the order of their ids, and the first id. Entries of lines of
// history that were merged may change places, because each line has ids of its own times.
func ordered(kind string, data []byte) ([]byte, string, error) {
	var ids []string
	err := doc.EachEntry(kind, data, func(h doc.EntryHead, _ []byte) { ids = append(ids, strings.Clone(h.ID)) })
	if err != nil || len(ids) == 0 {
		return data, "", err
	}
	if slices.IsSorted(ids) {
		return data, ids[0], nil
	}
	if kind == doc.CommitFile {
		list, err := doc.ParseCommits(data)
		slices.SortFunc(list, func(a, b doc.Commit) int { return strings.Compare(a.ID, b.ID) })
		return doc.FormatCommits(list), slices.Min(ids), err
	}
	list, err := doc.ParseLog(data)
	slices.SortFunc(list, func(a, b doc.Step) int { return strings.Compare(a.ID, b.ID) })
	return doc.FormatLog(list), slices.Min(ids), err
}

// message returns the message of a commit with new ids. Context-Journal stays, as it is compared with the lines of
// a journal.
func (w *Rewriter) message(c *git.Commit) string {
	subject, body, block := c.Parts()
	var b strings.Builder
	b.Write(w.renamed([]byte(subject + body)))
	for text := range strings.Lines(block) {
		if !strings.HasPrefix(text, store.TrailerJournal+": ") {
			text = string(w.renamed([]byte(text)))
		}
		b.WriteString(text)
	}
	return b.String()
}

// renamed returns a text in which the ids and the hashes of commits that have been replaced, as whole words, are
// the new ones. It is the text itself if there are none.
func (w *Rewriter) renamed(text []byte) []byte {
	var out []byte
	done := 0
	for at := 0; at < len(text); {
		end := at
		for end < len(text) && isWord(text[end]) {
			end++
		}
		if now := w.word(text[at:end]); now != "" {
			out = append(append(out, text[done:at]...), now...)
			done = end
		}
		at = end + 1
	}
	if done == 0 {
		return text
	}
	return append(out, text[done:]...)
}

// word returns the replacement of a word; "" for none.
func (w *Rewriter) word(word []byte) string {
	switch len(word) {
	case 26:
		return w.ids[string(word)]
	case 40, 64:
		return string(w.commits[git.ID(word)])
	}
	return ""
}

func isWord(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
