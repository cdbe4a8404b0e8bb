package journal

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// readable takes every line but those that hold the word.
func readable(l Line) error {
	if bytes.Contains(l.Raw, []byte("unreadable")) {
		return errors.New("unreadable")
	}
	return nil
}

func TestCheck(t *testing.T) {
	t.Parallel()
	const head = `{"journal":"J","committed":"c","step":1,"id":"A"}` + "\n"
	const two, three = `{"step":2,"id":"B"}` + "\n", `{"step":3,"id":"C"}` + "\n"
	for _, c := range []struct {
		name, text string
		steps, bad int
		flaw       string // "" for none
		line       int
	}{
		{"sound", head + two + three, 2, 0, "", 0},
		{"a mark", head + two + `{"committed":"d","upto":70,"step":2,"id":"B"}` + "\n" + three, 2, 0, "", 0},
		{"torn", head + two + `{"st`, 1, 0, "", 0},
		{"replaced while steps were pending", strings.Replace(head, `"step":1`, `"step":9`, 1) + two, 1, 0, "", 0},
		{"garbage", head + two + "x\n" + three, 2, 1, "it is neither a step nor a mark", 3},
		{"a step that is none", head + `{"unreadable":1,"step":2,"id":"B"}` + "\n" + three, 1, 1, "it is neither a step nor a mark", 2},
		{"no first line", two + three, 2, 0, "the line that names the journal is missing", 1},
		{"garbage first", "x\n" + two, 1, 1, "the first line does not name a journal", 1},
		{"a mark within a line", head + two + `{"committed":"d","upto":60,"step":2,"id":"B"}` + "\n", 1, 0, "the mark names offset 60, where no earlier line ends", 3},
		{"a mark that is cut", head + `{"committed":"d","up` + "\n", 0, 1, "the mark cannot be read", 2},
		{"twice", head + two + two, 2, 0, "step 2 does not follow on step 2", 3},
		{"backwards", head + three + two, 2, 0, "step 2 does not follow on step 3", 3},
		{"behind a mark", head + two + `{"committed":"d","upto":70,"step":7,"id":"G"}` + "\n" + three, 2, 0, "step 3 does not follow on step 7", 4},
	} {
		got := Check([]byte(c.text), readable)
		if len(got.Steps) != c.steps || len(got.Bad) != c.bad || (c.flaw == "") != (len(got.Flaws) == 0) {
			t.Errorf("%s: %+v", c.name, got)
			continue
		}
		if c.flaw != "" && got.Flaws[0] != (Flaw{c.line, c.flaw}) {
			t.Errorf("%s: %+v, want line %d: %s", c.name, got.Flaws[0], c.line, c.flaw)
		}
	}
}

// Whatever this package writes is sound, however it comes to stand in a journal.
func TestCheckAcceptsWhatIsWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		path := begin(t)
		for range rapid.IntRange(1, 12).Draw(rt, "deeds") {
			j := open(t, path)
			var err error
			switch rapid.IntRange(0, 5).Draw(rt, "deed") {
			case 0:
				_, err = j.Append([][]byte{[]byte(`{"a":1}`), []byte(`{}`)}, func(after string) (string, error) { return after + "1", nil })
			case 1:
				c := read(t, path)
				err = j.Mark(Mark{Committed: "c1", Upto: c.Size, Step: rapid.IntRange(0, 30).Draw(rt, "step")})
			case 2:
				c := read(t, path)
				upto := c.Mark.Upto
				if n := len(c.Lines); n > 0 && rapid.Bool().Draw(rt, "more") {
					upto = max(upto, c.Lines[n/2].End)
				}
				err = j.Compact("K", Mark{Committed: "c2", Upto: upto})
			case 3:
				if _, err = j.TakeBack(Head{Journal: "T", Committed: "c4"}, 0); errors.Is(err, ErrNoStep) {
					err = nil
				}
			case 4:
				var lines [][]byte
				var upto int64
				for _, l := range read(t, path).Lines {
					lines, upto = append(lines, l.Raw), l.End
				}
				err = j.Restore(Head{Journal: "R", Committed: "c5"}, "c6", lines, upto)
			default:
				err = j.Filter(Head{Journal: "L", Committed: "c3"}, 0, func(l Line) ([]byte, error) {
					if l.Step%3 == 0 {
						return nil, nil
					}
					return l.Raw, nil
				})
			}
			if err != nil {
				rt.Fatal(err)
			}
			j.Close()
			data, err := os.ReadFile(path)
			if err != nil {
				rt.Fatal(err)
			}
			if c := Check(data, readable); len(c.Flaws) > 0 {
				rt.Fatalf("%+v of\n%s", c.Flaws, data)
			}
		}
	})
}

func TestMend(t *testing.T) {
	t.Parallel()
	path := begin(t)
	add(t, path, `{"action":"kept"}`, `{"action":"dropped"}`)
	if err := appendFile(path, strings.NewReader("garbage")); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path, Options{}); err == nil {
		t.Error("a journal that ends in garbage was opened")
	}
	err := Mend(t.Context(), path, Options{}, func(data []byte) (*Mended, error) {
		c := Check(data, readable)
		return &Mended{Head: Head{Journal: "M", Committed: "c9", Step: 30, ID: "Z"}, Lines: [][]byte{c.Steps[0].Raw}, Bad: c.Bad}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	c := read(t, path)
	if len(c.Lines) != 1 || len(c.After(c.Mark.Upto)) != 1 || c.Head.Journal != "M" {
		t.Errorf("mended: %+v", c)
	}
	if got := add(t, path, `{}`); got[0].Step != 31 {
		t.Errorf("the next step is %d", got[0].Step)
	}
	if torn, err := os.ReadFile(path + ".torn"); string(torn) != "garbage\n" {
		t.Errorf("set aside: %q, %v", torn, err)
	}
}
