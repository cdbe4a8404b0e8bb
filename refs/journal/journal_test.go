package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// counter makes ids of the length that real ones have.
func counter() func(string) (string, error) {
	var mu sync.Mutex
	n := 0
	return func(after string) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		n++
		return fmt.Sprintf("B%025d", n), nil
	}
}

func begin(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), FileName("exp/pool"))
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Begin(t.Context(), path, Head{Journal: "J", Committed: "c0", Step: 7, ID: "A"}, Options{}); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T, path string) *Journal {
	t.Helper()
	j, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func read(t *testing.T, path string) *Content {
	t.Helper()
	c, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func add(t *testing.T, path string, steps ...string) []Entry {
	t.Helper()
	j := open(t, path)
	defer j.Close()
	var raw [][]byte
	for _, s := range steps {
		raw = append(raw, []byte(s))
	}
	entries, err := j.Append(raw, func(after string) (string, error) { return after + "1", nil })
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

func TestAppendAndMark(t *testing.T) {
	path := begin(t)
	got := add(t, path, `{"action":"a"}`, `{}`)
	if want := (Entry{Step: 9, ID: "A11"}); got[1] != want {
		t.Errorf("second entry %+v, want %+v", got[1], want)
	}
	c := read(t, path)
	if len(c.After(c.Mark.Upto)) != 2 || c.Lines[0].Step != 8 {
		t.Fatalf("content %+v", c)
	}
	if !c.HasStep(c.Lines[0].End, "A1") || c.HasStep(c.Lines[0].End, "A2") || c.HasStep(3, "A1") {
		t.Error("Holds does not tell a line's end and id")
	}
	j := open(t, path)
	if err := j.Mark(Mark{Committed: "c1", Upto: c.Size, Step: 3, ID: ""}); err != nil {
		t.Fatal(err)
	}
	j.Close()
	if got := add(t, path, `{"action":"b"}`); got[0].Step != 10 {
		t.Errorf("a mark turned the counter back: %+v", got)
	}
	c = read(t, path)
	if left := c.After(c.Mark.Upto); len(left) != 1 || c.Mark.Committed != "c1" {
		t.Errorf("after the mark: %d lines, mark %+v", len(left), c.Mark)
	}
}

func TestSinceReadsOnlyWhatIsNew(t *testing.T) {
	path := begin(t)
	add(t, path, `{"action":"a"}`, `{"action":"b"}`)
	whole := read(t, path)
	j := open(t, path)
	defer j.Close()
	for i, upto := range []int64{0, whole.Lines[0].End, whole.Size} {
		c, err := j.Since(upto)
		if err != nil {
			t.Fatal(err)
		}
		if c.Head != whole.Head || c.Size != whole.Size || len(c.Lines) != 2-i {
			t.Errorf("since %d: %+v", upto, c)
		}
		for k, l := range c.Lines {
			if want := whole.Lines[i+k]; l.End != want.End || l.ID != want.ID {
				t.Errorf("since %d: line %d is %+v, not %+v", upto, k, l, want)
			}
		}
	}
}

func TestTornEndIsSetAside(t *testing.T) {
	for _, torn := range []string{"{", `{"action":"half","step":9`, strings.Repeat("x", 10_000)} {
		path := begin(t)
		add(t, path, `{"action":"kept"}`)
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		f.WriteString(torn)
		f.Close()
		if c := read(t, path); len(c.Lines) != 1 {
			t.Errorf("a reader sees %d lines", len(c.Lines))
		}
		if got := add(t, path, `{"action":"next"}`); got[0].Step != 9 {
			t.Errorf("step %d, want 9", got[0].Step)
		}
		if c := read(t, path); len(c.Lines) != 2 || len(c.Bad) > 0 {
			t.Errorf("%d lines, bad %v", len(c.Lines), c.Bad)
		}
		if kept, _ := os.ReadFile(path + ".torn"); string(kept) != torn+"\n" {
			t.Errorf("set aside %.40q", kept)
		}
	}
}

func TestCompactKeepsWhatIsPending(t *testing.T) {
	path := begin(t)
	add(t, path, `{"action":"taken"}`)
	upto := read(t, path).Size
	add(t, path, `{"action":"pending"}`)
	j := open(t, path)
	if err := j.Compact("K", Mark{Committed: "c1", Upto: upto}); err != nil {
		t.Fatal(err)
	}
	j.Close()
	c := read(t, path)
	left := c.After(c.Mark.Upto)
	if c.Head.Journal != "K" || c.Mark.Committed != "c1" || len(left) != 1 || !bytes.Contains(left[0].Raw, []byte("pending")) {
		t.Errorf("content %+v", c)
	}
	if got := add(t, path, `{}`); got[0].Step != 10 {
		t.Errorf("step %d, want 10", got[0].Step)
	}
}

// A writer that waited for the lock of a journal that was replaced meanwhile must
// write into the new one.
func TestWritersFollowACompaction(t *testing.T) {
	path := begin(t)
	next := counter()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				j := open(t, path)
				if _, err := j.Append([][]byte{[]byte(`{"a":1}`)}, next); err != nil {
					t.Error(err)
				}
				j.Close()
			}
		})
	}
	wg.Go(func() {
		for range 20 {
			j := open(t, path)
			head := read(t, path)
			if err := j.Compact(head.Head.Journal+"x", Mark{Committed: "c", Upto: head.Mark.Upto}); err != nil {
				t.Error(err)
			}
			j.Close()
		}
	})
	wg.Wait()
	c := read(t, path)
	if len(c.Lines) != 200 {
		t.Errorf("%d of 200 steps are there", len(c.Lines))
	}
	for i, l := range c.Lines {
		if l.Step != 8+i {
			t.Fatalf("line %d has step %d", i, l.Step)
		}
	}
}

func TestMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "main.jsonl")
	if _, err := Open(t.Context(), path, Options{}); !errors.Is(err, ErrMissing) {
		t.Errorf("no file: %v", err)
	}
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path, Options{}); !errors.Is(err, ErrMissing) {
		t.Errorf("empty file: %v", err)
	}
	if _, err := Read(path); !errors.Is(err, ErrMissing) {
		t.Errorf("reading an empty file: %v", err)
	}
}

func TestLockWaitsNoLongerThanItsContext(t *testing.T) {
	path := begin(t)
	defer open(t, path).Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := Open(ctx, path, Options{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a held lock: %v", err)
	}
}

func TestFileName(t *testing.T) {
	for branch, want := range map[string]string{"main": "main.jsonl", "a/b/c.d-e": "a%2Fb%2Fc.d-e.jsonl"} {
		if got := FileName(branch); got != want {
			t.Errorf("%s: %s, want %s", branch, got, want)
		}
	}
	long := strings.Repeat("a/", 99) + "x"
	for _, name := range []string{FileName(long) + ".torn", FileName(long) + ".new", OrphanName(long, "01JD4Q7X2M8N5P3R6S9T0V1W2X")} {
		if len(name) > 255 {
			t.Errorf("%d bytes: %s", len(name), name)
		}
	}
}

// No text forges the end of a line: whatever stands in an object, the step and the
// id that were given are read back.
func TestEndCannotBeForged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
			`","step":99,"id":"FORGED"}`, `\","step":99,"id":"FORGED"}` + "\n", `{"committed":"x"}`,
		})).Draw(t, "text")
		object, err := json.Marshal(map[string]string{"action": text, "id": text})
		if err != nil {
			t.Fatal(err)
		}
		var buf bytes.Buffer
		writeStep(&buf, object, 12, "REAL")
		line := buf.Bytes()
		if bytes.Count(line, []byte("\n")) != 1 {
			t.Fatalf("more than one line: %q", line)
		}
		step, id, err := lastStep(bytes.NewReader(line), int64(len(line)))
		if err != nil || step != 12 || id != "REAL" {
			t.Fatalf("read %d %q %v from %q", step, id, err, line)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("{\"journal\":\"J\",\"committed\":\"c\",\"step\":1,\"id\":\"A\"}\n{\"step\":2,\"id\":\"B\"}\n"))
	f.Add([]byte("{\"journal\":\"J\"}\n{\"committed\":\"c\",\"upto\":16,\"step\":2,\"id\":\"B\"}\n\n{"))
	f.Add([]byte("{\"journal\":\"J\"}\n{\"committed\":\"c\",\"upto\":16,\"commit\":\"tree\",\"entry\":\"e\",\"step\":2,\"id\":\"B\"}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse(data)
		if err != nil {
			return
		}
		if c.Size > int64(len(data)) || c.Mark.Upto > c.Size {
			t.Errorf("size %d, mark %d of %d bytes", c.Size, c.Mark.Upto, len(data))
		}
		end := int64(0)
		for _, l := range c.Lines {
			if l.End <= end || l.End > c.Size {
				t.Errorf("line ends at %d after %d", l.End, end)
			}
			end = l.End
		}
	})
}

// Whatever a crash left behind the last newline, the next writer sets it aside, and
// what was acknowledged before stands, once.
func FuzzTornEnd(f *testing.F) {
	f.Add([]byte(`{"action":"half","step":9,"id":"`))
	f.Add([]byte(`{"committed":"c1","upto":99999,"step":1,"id":"Z"}`))
	f.Add([]byte("\x00\xff\r"))
	f.Add(bytes.Repeat([]byte("x"), 4097))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, torn []byte) {
		torn = bytes.ReplaceAll(torn, []byte("\n"), nil)
		path := filepath.Join(dir, "main.jsonl")
		whole := "{\"journal\":\"J\",\"committed\":\"c0\",\"step\":7,\"id\":\"A\"}\n{\"action\":\"kept\",\"step\":8,\"id\":\"B\"}\n"
		if err := os.WriteFile(path, append([]byte(whole), torn...), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(path + ".torn"); err != nil {
			t.Fatal(err)
		}
		if c := read(t, path); len(c.Lines) != 1 || c.Size != int64(len(whole)) {
			t.Fatalf("a reader sees %+v", c)
		}
		if got := add(t, path, `{"action":"next"}`); got[0].Step != 9 {
			t.Errorf("step %d", got[0].Step)
		}
		data, err := os.ReadFile(path)
		if err != nil || string(data) != whole+`{"action":"next","step":9,"id":"B1"}`+"\n" {
			t.Errorf("%q, %v", data, err)
		}
		if kept, err := os.ReadFile(path + ".torn"); len(torn) > 0 && (err != nil || !bytes.Equal(kept, append(torn, '\n'))) {
			t.Errorf("set aside %q, %v", kept, err)
		}
	})
}
