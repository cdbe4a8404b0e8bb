package git

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/go-git/go-git/v5/plumbing"
)

// LoosePath returns the file of a loose object in the repository's own directory, which
// need not exist. id must be a full object name.
func (r *Repo) LoosePath(id ID) string {
	return filepath.Join(r.objectDir, string(id[:2]), string(id[2:]))
}

// loose reads a loose object of the repository's own directory. It returns
// fs.ErrNotExist if there is none: the object may be packed, or borrowed.
func (r *Repo) loose(id ID) (Object, error) {
	raw, err := os.ReadFile(r.LoosePath(id))
	if err != nil {
		if errors.Is(err, syscall.ENOTDIR) {
			err = fs.ErrNotExist
		}
		return Object{}, fmt.Errorf("object '%s': %w", id, err)
	}
	o, err := inflate(raw)
	if err != nil {
		return Object{}, fmt.Errorf("loose object '%s' is corrupt: %w", id, err)
	}
	o.ID = id
	if got := hashObject(o.Type, o.Data, len(id)); got != id {
		return Object{}, fmt.Errorf("loose object '%s' is corrupt: its content is that of '%s'", id, got)
	}
	return o, nil
}

// maxLooseHeader is the longest "type size" of a loose object.
const maxLooseHeader = 32

// inflate decodes the file of a loose object.
func inflate(raw []byte) (Object, error) {
	z, err := zlib.NewReader(bytes.NewReader(raw))
	if err != nil {
		return Object{}, err
	}
	defer z.Close()
	// The size that the header claims is not believed before it is read.
	first := make([]byte, 8<<10)
	n, err := io.ReadFull(z, first)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return Object{}, err
	}
	first = first[:n]
	end := bytes.IndexByte(first[:min(n, maxLooseHeader)], 0)
	if end < 0 {
		return Object{}, errors.New("no header")
	}
	kind, digits, _ := bytes.Cut(first[:end], []byte(" "))
	if _, err := plumbing.ParseObjectType(string(kind)); err != nil {
		return Object{}, fmt.Errorf("bad type '%s'", shown(string(kind)))
	}
	size, err := strconv.ParseInt(string(digits), 10, 63)
	if err != nil || size < 0 {
		return Object{}, fmt.Errorf("bad size '%s'", shown(string(digits)))
	}
	body := bytes.NewBuffer(first[end+1:])
	if n == cap(first) {
		if _, err := io.Copy(body, io.LimitReader(z, size+1)); err != nil {
			return Object{}, err
		}
	}
	if int64(body.Len()) != size {
		return Object{}, fmt.Errorf("%d bytes where its header says %d", body.Len(), size)
	}
	return Object{Type: string(kind), Data: body.Bytes()}, nil
}

// hashObject returns the name of an object.
func hashObject(kind string, data []byte, hexLen int) ID {
	if hexLen == 64 {
		return sumObject(sha256.New(), kind, data)
	}
	t, err := plumbing.ParseObjectType(kind)
	if err != nil {
		return ""
	}
	return ID(plumbing.ComputeHash(t, data).String())
}

func sumObject(h hash.Hash, kind string, data []byte) ID {
	fmt.Fprintf(h, "%s %d\x00", kind, len(data))
	h.Write(data)
	return ID(hex.EncodeToString(h.Sum(nil)))
}

// LooseFile returns the file of an object, and whether it exists: it does for a loose
// object of the repository's own directory.
func (r *Repo) LooseFile(id ID) (string, bool) {
	if !isHex(string(id), r.hexLen()) {
		return "", false
	}
	path := r.LoosePath(id)
	_, err := os.Lstat(path)
	return path, err == nil
}
