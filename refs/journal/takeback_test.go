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

// A line that nobody can read stays for people.
func TestTakeBackKeepsWhatCannotBeRead(t *testing.T) {
	path := begin(t)
	if err := appendFile(path, []byte("garbage\n")); err != nil {
		t.Fatal(err)
	}
	if err := appendFile(path, []byte(`{"step":8,"id":"B"}`+"\n"+`{"step":9,"id":"C"}`+"\n")); err != nil {
		t.Fatal(err)
	}
	if l, err := takeBack(t, path); err != nil || l.Step != 9 {
		t.Fatalf("%+v, %v", l, err)
	}
	if torn, err := os.ReadFile(path + ".torn"); err != nil || !strings.Contains(string(torn), "garbage") {
		t.Errorf("set aside is %q, %v", torn, err)
	}
}
