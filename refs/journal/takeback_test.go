package journal

import (
	"errors"
	"os"
	"strings"
	"testing"
)

func takeBack(t *testing.T, path string) (Line, error) {
	t.Helper()
	upto := read(t, path).Mark.Upto
	j := open(t, path)
	defer j.Close()
	return j.TakeBack(Head{Journal: "T", Committed: "c0"}, upto)
}

func TestTakeBack(t *testing.T) {
	path := begin(t)
	add(t, path, `{"action":"kept"}`, `{"action":"one"}`, `{"action":"two"}`)
	for _, want := range []Entry{{10, "A111"}, {9, "A11"}} {
		if got, err := takeBack(t, path); err != nil || got.Step != want.Step || got.ID != want.ID {
			t.Errorf("took back %d %s, %v; want %v", got.Step, got.ID, err, want)
		}
	}
	c := read(t, path)
	if len(c.After(c.Mark.Upto)) != 1 || c.Lines[0].ID != "A1" || c.Lines[0].Step != 8 {
		t.Fatalf("left: %+v", c)
	}
	if got := add(t, path, `{}`); got[0] != (Entry{9, "A1111"}) {
		t.Errorf("the next step is %v: the number again, another id", got[0])
	}
}

func TestTakeBackLeavesWhatIsCommitted(t *testing.T) {
	path := begin(t)
	add(t, path, `{}`)
	j := open(t, path)
	if err := j.Mark(Mark{Committed: "c1", Upto: j.Size()}); err != nil {
		t.Fatal(err)
	}
	j.Close()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := takeBack(t, path); !errors.Is(err, ErrNoStep) {
		t.Errorf("nothing is pending: %v", err)
	}
	if after, _ := os.ReadFile(path); string(after) != string(before) {
		t.Errorf("it was changed to\n%s", after)
	}
}

func TestRestore(t *testing.T) {
	path := begin(t)
	add(t, path, `{"action":"taken"}`, `{"action":"taken too"}`)
	taken := read(t, path)
	add(t, path, `{"action":"pending"}`)
	j := open(t, path)
	var lines [][]byte
	for _, l := range taken.Lines {
		lines = append(lines, l.Raw)
	}
	err := j.Restore(Head{Journal: "R", Committed: "before"}, "tip", lines, taken.Size)
	if err != nil {
		t.Fatal(err)
	}
	j.Close()
	c := read(t, path)
	upto := c.Taken()
	for commit, want := range map[string]int{"before": 3, "tip": 1} {
		if at, ok := upto[commit]; !ok || len(c.After(at)) != want {
			t.Errorf("for '%s' %d steps are pending from %d on, want %d", commit, len(c.After(at)), at, want)
		}
	}
	if c.Mark.Committed != "before" || len(c.After(c.Mark.Upto)) != 3 {
		t.Errorf("the newest mark is %+v", c.Mark)
	}
	if got := add(t, path, `{}`); got[0].Step != 11 {
		t.Errorf("the next step is %v", got[0])
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if f := Check(data, readable).Flaws; len(f) > 0 {
		t.Errorf("%+v of\n%s", f, data)
	}
}

// A line that nobody can read stays for people.
func TestTakeBackKeepsWhatCannotBeRead(t *testing.T) {
	path := begin(t)
	if err := appendFile(path, strings.NewReader("garbage")); err != nil {
		t.Fatal(err)
	}
	if err := appendFile(path, strings.NewReader(`{"step":8,"id":"B"}`+"\n"+`{"step":9,"id":"C"}`)); err != nil {
		t.Fatal(err)
	}
	if l, err := takeBack(t, path); err != nil || l.Step != 9 {
		t.Fatalf("%+v, %v", l, err)
	}
	if torn, err := os.ReadFile(path + ".torn"); err != nil || !strings.Contains(string(torn), "garbage") {
		t.Errorf("set aside is %q, %v", torn, err)
	}
}
