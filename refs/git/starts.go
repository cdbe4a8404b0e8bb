package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"unicode/utf8"
)

// Start is an object of which only the beginning of the content may be there.
type Start struct {
	Object
	Size int64 // of the whole content
}

// Whole reports whether nothing of the content is missing.
func (s Start) Whole() bool { return int64(len(s.Data)) == s.Size }

// Text returns the content, without the part of a character at its end where the rest is missing.
func (s Start) Text() []byte {
	if s.Whole() {
		return s.Data
	}
	for n := 1; n < utf8.UTFMax && n <= len(s.Data); n++ {
		if tail := s.Data[len(s.Data)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return s.Data[:len(s.Data)-n]
			}
			break
		}
	}
	return s.Data
}

// readWhole is the size, in bytes, from which on a git process that is ended early takes less time than git
// and the pipe take for the rest of an object.
const readWhole = 1 << 20

// streamed makes git write a packed blob of readWhole bytes as it inflates it, not hold it in memory first.
const streamed = "core.bigFileThreshold=512k"

// ReadStarts hands the first most bytes of blobs to each, as [Repo.ReadAll] hands whole objects, but in an
// order of its own. Memory and time do not grow with the sizes of the blobs.
func (r *Repo) ReadStarts(ctx context.Context, ids []ID, most int, each func(Start) error) error {
	infos, err := r.Infos(ctx, ids)
	if err != nil {
		return err
	}
	sizes := make(map[ID]int64, len(ids))
	var small, giants []ID
	for _, info := range infos {
		sizes[info.ID] = info.Size
		if info.Size <= max(readWhole, int64(most)) {
			small = append(small, info.ID)
		} else {
			giants = append(giants, info.ID)
		}
	}
	err = r.ReadAll(ctx, small, func(o Object) error {
		o.Data = o.Data[:min(len(o.Data), most)]
		return each(Start{o, sizes[o.ID]})
	})
	for i := 0; err == nil && i < len(giants); i++ {
		var data []byte
		if data, err = r.blobStart(ctx, giants[i], most); err == nil {
			err = each(Start{Object{giants[i], "blob", data}, sizes[giants[i]]})
		}
	}
	return err
}

// BlobStart reads the first most bytes of one blob.
func (r *Repo) BlobStart(ctx context.Context, id ID, most int) (s Start, err error) {
	if !r.IsID(string(id)) {
		return s, fmt.Errorf("'%s' is no object id", Shown(string(id)))
	}
	if o, ok := r.behind.unwritten(id); ok {
		s = Start{o, int64(len(o.Data))}
	} else if s, err = r.looseStart(id, most); errors.Is(err, fs.ErrNotExist) {
		err = r.ReadStarts(ctx, []ID{id}, most, func(packed Start) error { s = packed; return nil })
	}
	if err == nil && s.Type != "blob" {
		err = fmt.Errorf("object '%s' is a %s, not a blob", id, s.Type)
	}
	s.Data = s.Data[:min(len(s.Data), most)]
	return s, err
}

// blobStart reads the first most bytes of a blob that has more, with a git process of its own.
func (r *Repo) blobStart(ctx context.Context, id ID, most int) ([]byte, error) {
	start := &startOf{most: most}
	if err := r.ViewTo(ctx, start, nil, "-c", streamed, "cat-file", "blob", string(id)); err != nil {
		return nil, err
	}
	if len(start.data) < most {
		return nil, fmt.Errorf("cannot read object '%s': git ended after %d bytes", id, len(start.data))
	}
	return start.data, nil
}

// startOf keeps the first bytes of what is written to it, and then wants no more.
type startOf struct {
	data []byte
	most int
}

func (s *startOf) Write(p []byte) (int, error) {
	s.data = append(s.data, p[:min(len(p), s.most-len(s.data))]...)
	if len(s.data) < s.most {
		return len(p), nil
	}
	return len(p), ErrEnough
}
