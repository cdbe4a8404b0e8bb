package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
)

// readAttachments reads the files that --attach names.
func readAttachments(env *Env, names []string) ([]store.NewAttachment, error) {
	var list []store.NewAttachment
	for _, name := range names[:min(len(names), doc.MaxAttachments+1)] { // the store refuses more
		a, err := readAttachment(env.path(name), name)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

// readAttachment reads a file to attach; name is how the user wrote its path. It opens regular files only:
// to open a FIFO may wait forever.
func readAttachment(path, name string) (a store.NewAttachment, err error) {
	refused := func(format string, args ...any) error {
		return fail.New(fail.ErrInvalid, fail.AttachmentUnreadable,
			fmt.Sprintf("cannot attach '%s': ", name)+fmt.Sprintf(format, args...))
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return a, refused("there is no such file")
	case err != nil:
		return a, refused("%v", reason(err))
	case info.IsDir():
		return a, refused("it is a directory")
	case !info.Mode().IsRegular():
		return a, refused("it is no regular file")
	}
	a.Name = filepath.Base(name)
	if err := store.CheckAttachmentSize(name, info.Size()); err != nil {
		return a, err
	}
	f, err := os.Open(path)
	if err != nil {
		return a, refused("%v", reason(err))
	}
	defer f.Close()
	if a.Data, err = io.ReadAll(io.LimitReader(f, doc.MaxAttachment+1)); err != nil { // it may grow
		return a, refused("%v", reason(err))
	}
	return a, nil
}

// reason returns what the system says, without the path, which the message has already.
func reason(err error) error {
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// attachmentLine is an attachment in one line.
func attachmentLine(a doc.Attachment) string {
	return fmt.Sprintf("%s (%s, %s)", a.Name, render.Size(a.Size), a.Hash[:12])
}

// splitArtifact splits a word such as main:artifacts/trace.txt into a revision, which may be "", and what names
// an attachment there; false for another word.
func splitArtifact(word string) (rev, name string, ok bool) {
	at := strings.Index(word, doc.ArtifactDir+"/")
	if at > 0 && word[at-1] == ':' {
		return word[:at-1], word[at:], true
	}
	return "", word, at == 0
}

// shownAttachment is an attachment with its content: a text, or else its bytes in Base64.
type shownAttachment struct {
	doc.Attachment
	Path  string  `json:"path"`
	Text  *string `json:"text,omitempty"`
	Bytes []byte  `json:"bytes,omitempty"`
}

// showAttachment prints the bytes of an attachment, as they are unless a person reads them.
func (g *globals) showAttachment(ctx context.Context, env *Env, s *refs.Store, at, rev, name string) error {
	var tip *store.Tip
	var err error
	if rev == "" {
		tip, err = history.At(ctx, s, g.branch, at)
	} else if tip, err = history.At(ctx, s, "", rev); err == nil && at != "" {
		return usagef("--at cannot be used with '%s:'", rev)
	}
	if err != nil {
		return err
	}
	a, data, err := history.ReadAttachment(ctx, s, tip, name)
	if err != nil {
		return err
	}
	isText := utf8.Valid(data) && !bytes.ContainsRune(data, 0)
	switch {
	case g.json:
		shown := shownAttachment{Attachment: a, Path: a.Path()}
		if text := string(data); isText {
			shown.Text = &text
		} else {
			shown.Bytes = data
		}
		return showJSON(env, shown)
	case !env.Term.Out:
		return env.write(string(data))
	case isText:
		return g.view(ctx, env, nil, func(p *render.Printer) { block(p, string(data)) })
	}
	return fail.New(fail.ErrRefused, fail.Refused, fmt.Sprintf("'%s' is no text for a terminal", a.Name),
		self+" show "+a.Path()+" >FILE")
}
