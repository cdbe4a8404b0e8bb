// Package zst reads files that may be compressed with Zstandard. Codex compresses the rollout of a
// session after seven days without a change: the plain file goes, and PATH.zst remains.
package zst

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
)

// Suffix is what the name of a compressed file has beside that of the plain one.
const Suffix = ".zst"

// maxWindow is the memory in bytes that a file may make the decoder use: what zstd itself allows.
const maxWindow = 128 << 20

// Open opens a file for reading its plain text; its first bytes tell whether it is compressed. A
// compressed file that is damaged is an error where the damage is.
func Open(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	begin := make([]byte, 4)
	n, err := f.ReadAt(begin, 0)
	if err != nil && err != io.EOF {
		return nil, errors.Join(err, f.Close())
	}
	if !bytes.Equal(begin[:n], []byte{0x28, 0xb5, 0x2f, 0xfd}) {
		return f, nil
	}
	// With a concurrency of 1 it decodes in Read, without goroutines.
	d, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &packed{f: f, d: d}, nil
}

// packed is a compressed file.
type packed struct {
	f *os.File
	d *zstd.Decoder
}

// Read returns plain text.
func (p *packed) Read(b []byte) (int, error) {
	n, err := p.d.Read(b)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("cannot decompress: %w", err)
	}
	return n, err
}

// Close closes the file.
func (p *packed) Close() error {
	p.d.Close()
	return p.f.Close()
}
