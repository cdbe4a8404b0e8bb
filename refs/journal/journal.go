// Package journal stores the steps that were recorded and not yet committed.
//
// A journal is one file of JSON lines for each memory branch. RECORD only appends to it: it
// runs no git process and writes no object or ref. A step is acknowledged once its line,
// with the newline, is in this file.
//
// # Format
//
// The first line names the journal and records the state of the branch when the journal was
// created:
//
//	{"journal":"01JD…","committed":"<commit>","step":12,"id":"01JD…"}
//
// The other lines are steps and marks. A step is an object of the caller with two members
// added at its end. A mark records which lines a COMMIT took:
//
//	{…,"step":13,"id":"01JD…"}
//	{"committed":"<commit>","upto":4711,"step":13,"id":"01JD…"}
//
// Every line ends with the highest step number and the newest entry id so far, so that the
// next writer learns both from the last few bytes, whatever the length of the file. No text
// inside a line can imitate that end, because JSON escapes quotation marks in strings.
//
// A mark's upto is the offset after the last line that the commit took. An offset is only
// valid together with the journal's id: compaction creates a new journal with a new id.
//
// A mark may say more before step and id: the commit object and the rendered entry of
// commit.md, and lines of its note. Together with the lines that the commit took they allow to
// make a commit again whose objects are lost, before git has packed them. For that, compaction
// carries on the newest committed lines and marks: see [KeepBytes].
//
// # Other processes and crashes
//
// A writer locks the file itself and then checks that the path still names this file,
// because compaction and rename replace it. It writes a line with a single write. Bytes
// after the last newline, which a crash left, were never acknowledged: the next writer
// moves them to a file beside the journal, with the suffix ".torn". Readers take no lock;
// they ignore what follows the last newline.
package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
)

// ErrMissing means that the branch has no journal.
var ErrMissing = errors.New("no journal")

// lockWait limits how long a writer waits for another one. An append takes microseconds, so
// that a longer wait means a stopped process.
const lockWait = 10 * time.Second

// Head is the first line of a journal.
type Head struct {
	Journal   string `json:"journal"`   // the journal's id
	Committed string `json:"committed"` // the branch's tip when the journal was created
	Step      int    `json:"step"`      // the highest step number given
	ID        string `json:"id"`        // the newest entry id on the branch
}

// Mark records that a commit took every line before Upto.
type Mark struct {
	Committed string `json:"committed"`
	Upto      int64  `json:"upto"`
	Said
	Step int    `json:"step"`
	ID   string `json:"id"`
}

// Said is what a commit says that no line does, for the case that its objects are lost. Every
// member may be missing.
type Said struct {
	Commit string `json:"commit,omitempty"` // the commit object, as git stores it
	Entry  string `json:"entry,omitempty"`  // its entry, as a commit.md of its own
	Note   string `json:"note,omitempty"`   // the lines of its note that were written with it
}

// Journal is a journal that this process has locked. One goroutine may use it.
type Journal struct {
	path string
	f    *lockedfile.File
	size int64
	step int
	id   string
	sync bool
}

// FileName returns the name of a branch's journal: the branch's name with its slashes
// percent-encoded, shortened if it is too long.
func FileName(branch string) string { return git.FileName(branch, ".jsonl") }

// OrphanName returns the name of a journal whose branch no longer exists; id is a ULID.
func OrphanName(branch, id string) string { return git.FileName(branch, ".jsonl.orphan-"+id) }

// Options configure how a journal is opened.
type Options struct {
	Sync bool // flush to disk before an append is acknowledged
}

// Begin writes the first line into the existing file at path, unless it has one already. It
// returns ErrMissing if the file does not exist.
func Begin(ctx context.Context, path string, h Head, o Options) error {
	j, err := lockFile(ctx, path, o)
	if err != nil {
		return err
	}
	defer j.Close()
	if j.size > 0 {
		return nil
	}
	line, err := jsonLine(h)
	if err != nil {
		return err
	}
	if err := j.write(line); err != nil {
		return errors.Join(err, j.Remove()) // without a first line the journal counts as missing: do not leave it
	}
	return nil
}

// Open locks the journal at path, waiting up to 10 seconds for other writers, and repairs a
// torn end. It returns ErrMissing if there is none. If its last line is invalid, the error
// wraps git.ErrBroken.
func Open(ctx context.Context, path string, o Options) (*Journal, error) {
	j, err := lockFile(ctx, path, o)
	if err != nil {
		return nil, err
	}
	if j.size == 0 {
		// A crash between creating the file and writing its first line.
		return nil, errors.Join(ErrMissing, j.Close())
	}
	if j.step, j.id, err = lastStep(j.f, j.size); err != nil {
		return nil, errors.Join(fmt.Errorf("journal '%s' %w: %w", path, git.ErrBroken, err), j.Close())
	}
	return j, nil
}

// lockFile opens and locks path, repeatedly until path names the locked file, and removes a
// torn end.
func lockFile(ctx context.Context, path string, o Options) (*Journal, error) {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	for {
		f, err := openLocked(ctx, path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, ErrMissing
		}
		if err != nil {
			return nil, fmt.Errorf("lock journal: %w", notRegular(path, err))
		}
		size, current, err := stillNamed(f, path)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if current {
			j := &Journal{path: path, f: f, size: size, sync: o.Sync}
			if err := j.cutTorn(); err != nil {
				return nil, errors.Join(err, j.Close())
			}
			return j, nil
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
}

// openLocked waits in the kernel, without polling, until ctx is done.
func openLocked(ctx context.Context, path string) (*lockedfile.File, error) {
	type opened struct {
		f   *lockedfile.File
		err error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := lockedfile.OpenFile(path, os.O_RDWR|os.O_APPEND|git.OpenFlags, 0)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		return o.f, o.err
	case <-ctx.Done():
		go func() {
			if o := <-done; o.err == nil {
				o.f.Close() // locked after the timeout: nothing was written through it
			}
		}()
		return nil, &fs.PathError{Op: "lock", Path: path, Err: ctx.Err()}
	}
}

// notRegular returns a *git.NotRegularError instead of an error that opening such a path gave.
func notRegular(path string, err error) error {
	if info, err1 := os.Lstat(path); err1 == nil && !info.Mode().IsRegular() {
		return &git.NotRegularError{Path: path, Mode: info.Mode().Type()}
	}
	return err
}

// stillNamed reports whether path still names the file f, and the size of f.
func stillNamed(f *lockedfile.File, path string) (size int64, ok bool, err error) {
	held, err := f.Stat()
	if err != nil {
		return 0, false, err
	}
	named, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	if !named.Mode().IsRegular() {
		return 0, false, &git.NotRegularError{Path: path, Mode: named.Mode().Type()}
	}
	return held.Size(), os.SameFile(held, named), nil
}

// Size returns the offset after the last line.
func (j *Journal) Size() int64 { return j.size }

// Entry is the number and the id that Append gave a step.
type Entry struct {
	Step int
	ID   string
}

// Append adds steps, each a JSON object without the members step and id, in one write, and
// returns their numbers and ids. Either all steps are in the file or none. next must return
// an id that is greater than its argument.
func (j *Journal) Append(steps [][]byte, next func(after string) (string, error)) ([]Entry, error) {
	var buf bytes.Buffer
	entries := make([]Entry, 0, len(steps))
	step, id := j.step, j.id
	for _, s := range steps {
		var err error
		if id, err = next(id); err != nil {
			return nil, err
		}
		step++
		entries = append(entries, Entry{Step: step, ID: id})
		writeStep(&buf, s, step, id)
	}
	if err := j.write(buf.Bytes()); err != nil {
		return nil, err
	}
	j.step, j.id = step, id
	return entries, nil
}

// Mark records that a commit took every line before m.Upto. It raises m's step and id to
// those of the existing lines.
func (j *Journal) Mark(m Mark) error {
	m.Step, m.ID = max(m.Step, j.step), max(m.ID, j.id)
	m.fit()
	line, err := jsonLine(m)
	if err != nil {
		return err
	}
	if err := j.write(line); err != nil {
		return err
	}
	j.step, j.id = m.Step, m.ID
	return nil
}

// Close releases the lock.
func (j *Journal) Close() error { return j.f.Close() }

// write appends data with one write. It undoes a partial write, so that a full disk leaves
// the file unchanged.
func (j *Journal) write(data []byte) error {
	n, err := j.f.Write(data)
	fault.Point("after-append")
	if err == nil && j.sync {
		err = syncData(j.f)
	}
	if err != nil {
		if n > 0 {
			err = errors.Join(err, j.f.Truncate(j.size))
		}
		return fmt.Errorf("write journal: %w", err)
	}
	j.size += int64(n)
	return nil
}

// jsonLine encodes a head or a mark as a line, with its newline.
func jsonLine(v any) ([]byte, error) {
	line, err := json.Marshal(v)
	return append(line, '\n'), err
}

// cutTorn moves the bytes after the last newline to the file with the suffix ".torn", without the zeros at their end,
// which a power cut leaves.
func (j *Journal) cutTorn() error {
	if j.size == 0 {
		return nil
	}
	end, err := lastNewline(j.f, j.size)
	if err != nil || end == j.size {
		return err
	}
	data, err := lastOf(j.f, j.size, func(part []byte) int { return len(bytes.TrimRight(part, "\x00")) })
	if err != nil {
		return err
	}
	if err := appendFile(j.path+".torn", io.NewSectionReader(j.f, end, max(data-end, 0))); err != nil {
		return err
	}
	fault.Point("after-torn-kept")
	if err := j.f.Truncate(end); err != nil {
		return fmt.Errorf("mend journal: %w", err)
	}
	j.size = end
	return nil
}

// appendFile appends a line.
func appendFile(path string, line io.Reader) error {
	f, err := git.OpenStateFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, io.MultiReader(line, bytes.NewReader([]byte{'\n'})))
	return errors.Join(err, f.Close())
}

// writeStep writes the line of one step: the caller's object with step and id as its last
// members.
func writeStep(buf *bytes.Buffer, object []byte, step int, id string) {
	body := bytes.TrimSuffix(object, []byte("}"))
	buf.Write(body)
	if len(body) > 1 {
		buf.WriteByte(',')
	}
	buf.WriteString(`"step":`)
	buf.WriteString(strconv.Itoa(step))
	buf.WriteString(`,"id":"`)
	buf.WriteString(id)
	buf.WriteString("\"}\n")
}

// lastStep parses the end of the last line.
func lastStep(r io.ReaderAt, size int64) (int, string, error) {
	tail := make([]byte, min(size, 80)) // the two members take at most 58 bytes
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil && err != io.EOF {
		return 0, "", err
	}
	return parseEnd(tail)
}

// parseEnd parses step and id at the end of a line.
func parseEnd(line []byte) (step int, id string, err error) {
	bad := errors.New("the last line has no step and id")
	rest, ok := bytes.CutSuffix(line, []byte("\"}\n"))
	if !ok {
		return 0, "", bad
	}
	i := bytes.LastIndex(rest, []byte(`,"id":"`))
	if i < 0 {
		return 0, "", bad
	}
	id = string(rest[i+len(`,"id":"`):])
	k := bytes.LastIndex(rest[:i], []byte(`"step":`))
	if k < 0 {
		return 0, "", bad
	}
	step, err = strconv.Atoi(string(rest[k+len(`"step":`) : i]))
	if err != nil {
		return 0, "", bad
	}
	return step, id, nil
}

// lastNewline returns the offset after the last newline.
func lastNewline(r io.ReaderAt, size int64) (int64, error) {
	return lastOf(r, size, func(part []byte) int { return bytes.LastIndexByte(part, '\n') + 1 })
}

// lastOf returns the offset after the last byte that after finds, which returns its offset in a part; 0 if there is
// none. It reads backwards.
func lastOf(r io.ReaderAt, size int64, after func(part []byte) int) (int64, error) {
	buf := make([]byte, 1)
	for end := size; end > 0; {
		n := min(end, int64(len(buf))) // nearly every file ends with a newline: first read one byte
		if _, err := r.ReadAt(buf[:n], end-n); err != nil && err != io.EOF {
			return 0, fmt.Errorf("read journal: %w", err)
		}
		if i := after(buf[:n]); i > 0 {
			return end - n + int64(i), nil
		}
		end -= n
		if len(buf) < 64<<10 {
			buf = make([]byte, min(64*len(buf), 64<<10))
		}
	}
	return 0, nil
}
