package transcript

import (
	"bufio"
	"context"
	"fmt"
	"io"
)

// maxLine is the longest line of `record --stdin` in bytes, the limit of a blob of memory.
const maxLine = 32 << 20

// Lines returns a function that returns the next line. A goroutine reads, so that ctx
// ends a run that waits for a line.
func Lines(ctx context.Context, in io.Reader) func() ([]byte, error) {
	type read struct {
		data []byte
		err  error
	}
	lines := make(chan read)
	go func() {
		r := bufio.NewReaderSize(in, 64<<10)
		for {
			data, err := readLine(r)
			select {
			case lines <- read{data, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return func() ([]byte, error) {
		select {
		case l := <-lines:
			return l.data, l.err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// readLine returns one line with its newline, which the last one may lack.
func readLine(r *bufio.Reader) ([]byte, error) {
	var whole []byte
	for {
		part, err := r.ReadSlice('\n')
		whole = append(whole, part...)
		switch {
		case len(whole) > maxLine:
			return nil, fmt.Errorf("longer than %d MiB", maxLine>>20)
		case err == nil, err == io.EOF && len(whole) > 0:
			return whole, nil
		case err != bufio.ErrBufferFull:
			return nil, err
		}
	}
}
