package folder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// attachmentLine begins the line of an exported step that names a file which it keeps, see peerStep.
const attachmentLine = "Attachment: "

// givenFiles are the files of a folder that its steps name, as an export writes them. Each is read when it is
// needed: all of them may be more than fits into memory.
type givenFiles struct {
	s    *store.Store
	root string            // the folder
	from map[string]string // by the path that an attachment has in the tree: where it is in the folder
	left []string          // of each step whose files cannot all be kept the path of one
}

// take cuts the files off the end of an observation. A line that names a file which is not there, or not what
// the name says, stays a line.
func (g *givenFiles) take(ctx context.Context, observation string) (rest string, list []doc.Attachment, err error) {
	rest = observation
	for len(list) < doc.MaxAttachments {
		text, path, ok := cutLast(rest)
		if _, _, known := doc.AttachmentAt(path); !ok || !known {
			break
		}
		file, err := g.read(ctx, path)
		if err != nil {
			return "", nil, err
		}
		if file == nil {
			g.left = append(g.left, path)
			break
		}
		a := doc.NewAttachment(file.Name, file.Data)
		g.from[a.Path()] = path
		list, rest = append(list, a), text
	}
	slices.Reverse(list)
	return rest, list, nil
}

// cutLast cuts the last paragraph off a text, if it names a file.
func cutLast(text string) (rest, path string, ok bool) {
	if at := strings.LastIndex(text, "\n\n"+attachmentLine); at >= 0 {
		return text[:at], text[at+len("\n\n"+attachmentLine):], true
	}
	path, ok = strings.CutPrefix(text, attachmentLine)
	return "", path, ok
}

// read reads a file as it is stored: without secrets. It is nil if there is none of that content, or if a
// secret cannot be replaced in it. It opens regular files within the folder alone.
func (g *givenFiles) read(ctx context.Context, path string) (*store.NewAttachment, error) {
	root, err := os.OpenRoot(g.root)
	if err != nil {
		return nil, err
	}
	defer root.Close() // only reads
	local := filepath.FromSlash(path)
	info, err := root.Lstat(local)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > doc.MaxAttachment {
		return nil, nil
	}
	in, err := root.Open(local)
	if err != nil {
		return nil, err
	}
	defer in.Close() // only reads
	data, err := io.ReadAll(io.LimitReader(in, doc.MaxAttachment+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read '%s': %w", prose.OneLine(filepath.Join(g.root, local), 300), err)
	}
	hash, name, _ := doc.AttachmentAt(path)
	file := store.NewAttachment{Name: name, Data: data}
	if doc.NewAttachment(name, data).Hash != hash {
		return nil, nil
	}
	err = g.s.CleanAttachment(ctx, &file)
	if errors.Is(err, fail.ErrRefused) || errors.Is(err, fail.ErrInvalid) {
		return nil, nil
	}
	return &file, err
}

// content returns the content of an attachment, for the commit that keeps it.
func (g *givenFiles) content(ctx context.Context, a doc.Attachment) ([]byte, error) {
	file, err := g.read(ctx, g.from[a.Path()])
	if err != nil {
		return nil, err
	}
	if file == nil || !a.Matches(file.Data) {
		return nil, fail.New(fail.ErrInvalid, fail.FolderInvalid,
			fmt.Sprintf("'%s' changed while it was imported", prose.OneLine(filepath.Join(g.root, g.from[a.Path()]), 300)))
	}
	return file.Data, nil
}
