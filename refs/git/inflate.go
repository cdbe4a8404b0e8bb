package git

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-git/go-git/v5/plumbing"
)

// maxLooseHeader is the longest "type size" of a loose object.
const maxLooseHeader = 32

// inflate decodes the file of a loose object; of one with more than most bytes, those.
func inflate(raw []byte, most int) (Start, error) {
	z, err := zlib.NewReader(bytes.NewReader(raw))
	if err != nil {
		return Start{}, err
	}
	defer z.Close()
	info, body, err := looseHead(z)
	if err != nil {
		return Start{}, err
	}
	// The size that the header claims is not believed before it is read.
	whole := info.Size <= int64(most)
	more := int64(most)
	if whole {
		more = info.Size + 1
	}
	if left := more - int64(body.Len()); left > 0 { // text becomes an eighth of its size at best
		body.Grow(int(min(left, 8*int64(len(raw)))) + bytes.MinRead)
	}
	if _, err := io.Copy(body, io.LimitReader(z, more-int64(body.Len()))); err != nil {
		return Start{}, err
	}
	if have := int64(body.Len()); whole && have != info.Size || !whole && have != more {
		return Start{}, fmt.Errorf("%d bytes where its header says %d", have, info.Size)
	}
	return Start{Object{Type: info.Type, Data: body.Bytes()}, info.Size}, nil
}

// looseHead reads the header of an inflated object, and what comes with it of its content.
func looseHead(z io.Reader) (info ObjectInfo, body *bytes.Buffer, err error) {
	first := make([]byte, 8<<10)
	n, err := io.ReadFull(z, first)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return info, nil, err
	}
	first = first[:n]
	end := bytes.IndexByte(first[:min(n, maxLooseHeader)], 0)
	if end < 0 {
		return info, nil, errors.New("no header")
	}
	kind, digits, _ := bytes.Cut(first[:end], []byte(" "))
	if _, err := plumbing.ParseObjectType(string(kind)); err != nil {
		return info, nil, fmt.Errorf("bad type '%s'", Shown(string(kind)))
	}
	size, err := strconv.ParseInt(string(digits), 10, 63)
	if err != nil || size < 0 {
		return info, nil, fmt.Errorf("bad size '%s'", Shown(string(digits)))
	}
	return ObjectInfo{Type: string(kind), Size: size}, bytes.NewBuffer(first[end+1:]), nil
}
