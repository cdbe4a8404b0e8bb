package git

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// Damaged returns those of some objects of which git cannot read the content, or of which that does not give the hash. It reads all
// of each, and keeps none in memory. Git ends at the first; then another child goes on behind it.
func (r *Repo) Damaged(ctx context.Context, ids []ID) (list []ID, err error) {
	if _, err := r.names(ids); err != nil {
		return nil, err
	}
	meter := r.Meter("Reading packed objects", len(ids))
	defer meter.End()
	for len(ids) > 0 {
		w := &contentChecker{ids: ids, meter: meter}
		_, err := r.start(ctx, command{env: r.childEnv, args: []string{"cat-file", "--batch"}, input: idLines(ids), out: w, limit: walkTimeout})
		list = append(list, w.bad...)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case w.err != nil:
			return nil, w.err
		case err == nil && w.done == len(ids):
			return list, nil
		case err == nil:
			return nil, errors.New("git cat-file: answers are missing")
		case ExitCode(err) <= 0:
			return nil, err
		}
		if w.done < len(ids) { // else it failed at its end
			list = append(list, ids[w.done])
		}
		ids = ids[min(w.done+1, len(ids)):]
	}
	return list, nil
}

// contentChecker reads what `git cat-file --batch` prints: for each object a line, its content, and the line's end.
type contentChecker struct {
	ids   []ID
	done  int // how many have been read to their end
	bad   []ID
	err   error
	meter *Meter

	line []byte // the beginning of an answer, up to the line's end
	sum  func() ID
	to   io.Writer // the hash; nil before a content
	left int64     // of the content
}

func (w *contentChecker) Write(data []byte) (int, error) {
	n := len(data)
	for len(data) > 0 && w.err == nil {
		switch {
		case w.to == nil:
			line, rest, whole := bytes.Cut(data, []byte("\n"))
			w.line, data = append(w.line, line...), rest
			if whole {
				w.err = w.begin(string(w.line))
				w.line = w.line[:0]
			}
		case w.left > 0:
			part := data[:min(w.left, int64(len(data)))]
			_, w.err = w.to.Write(part)
			w.left -= int64(len(part))
			data = data[len(part):]
		default: // the line's end
			data = data[1:]
			w.end(w.sum() == w.ids[w.done])
		}
	}
	if w.err != nil {
		return 0, w.err
	}
	return n, nil
}

// begin reads the line before a content.
func (w *contentChecker) begin(line string) error {
	if w.done == len(w.ids) {
		return errors.New("git cat-file: an answer too many")
	}
	id := w.ids[w.done]
	if line == string(id)+" missing" {
		w.end(false)
		return nil
	}
	fields := strings.Split(line, " ")
	if len(fields) != 3 || fields[0] != string(id) || !isType(fields[1]) {
		return fmt.Errorf("git cat-file: cannot understand '%s'", Shown(line))
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil || size < 0 {
		return fmt.Errorf("git cat-file: bad size '%s'", Shown(fields[2]))
	}
	w.left = size
	return w.hash(fields[1], len(id))
}

// hash begins the hash of an object.
func (w *contentChecker) hash(kind string, hexLen int) error {
	if hexLen == 64 {
		var h hash.Hash = sha256.New()
		fmt.Fprintf(h, "%s %d\x00", kind, w.left)
		w.to, w.sum = h, func() ID { return ID(hex.EncodeToString(h.Sum(nil))) }
		return nil
	}
	t, err := plumbing.ParseObjectType(kind)
	h := plumbing.NewHasher(t, w.left)
	w.to, w.sum = h, func() ID { return ID(h.Sum().String()) }
	return err
}

// end goes on to the next object.
func (w *contentChecker) end(sound bool) {
	if !sound {
		w.bad = append(w.bad, w.ids[w.done])
	}
	w.done++
	w.to = nil
	w.meter.Add(1)
}
