package capture

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/git-context/git-context/hooks/zst"
)

// maxPacked is the plain size in bytes above which the rest of a compressed transcript is not read: it
// is in memory as a whole. Nor is what takes longer than softLimit: no later event would be faster.
const maxPacked = 256 << 20

// file is a transcript.
type file interface {
	io.ReadSeekCloser
	io.ReaderAt
}

// unpacked is the plain text of a compressed transcript.
type unpacked struct{ *bytes.Reader }

func (unpacked) Close() error { return nil }

// unpack reads the compressed transcript that a client puts in the place of an old one.
func (c *capturing) unpack(ctx context.Context) (file, error) {
	r, err := zst.Open(c.turn.Transcript + zst.Suffix)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // nothing was written
	text, err := io.ReadAll(io.LimitReader(&limited{ctx: ctx, in: r, until: time.Now().Add(softLimit)}, maxPacked))
	if err != nil {
		return nil, fmt.Errorf("cannot read the transcript: %w", err)
	}
	return unpacked{bytes.NewReader(text)}, nil
}
