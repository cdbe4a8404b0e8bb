package journal

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// pendingFor lists the ids of the steps that are pending for each commit that a journal knows.
func pendingFor(c *Content) map[string][]string {
	list := map[string][]string{}
	for commit, upto := range c.Taken() {
		ids := []string{}
		for _, l := range c.After(upto) {
			ids = append(ids, l.ID)
		}
		list[commit] = ids
	}
	return list
}

// commit adds steps and marks them as taken, with a text of so many bytes.
func commit(t *testing.T, path, name string, text int, steps ...string) {
	t.Helper()
	j := open(t, path)
	defer j.Close()
	n := j.step
	for _, s := range steps {
		n++
		if _, err := j.Append([][]byte{[]byte(s)}, func(string) (string, error) { return fmt.Sprintf("B%025d", n), nil }); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Mark(Mark{Committed: name, Upto: j.Size(), Said: Said{Commit: name, Entry: strings.Repeat("e", text)}}); err != nil {
		t.Fatal(err)
	}
}

// A journal that replaces another knows of every commit that it still knows what that knew,
// and is sound.
func TestCarriedMarksKeepTheirMeaning(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		path := begin(t)
		step := fmt.Sprintf(`{"action":%q}`, strings.Repeat("x", rapid.IntRange(1, 9000).Draw(rt, "size")))
		n := rapid.IntRange(1, 20).Draw(rt, "commits")
		for i := range n {
			steps := slices.Repeat([]string{step}, rapid.IntRange(0, 3).Draw(rt, "steps"))
			commit(t, path, fmt.Sprint("c", i+1), rapid.IntRange(0, 3000).Draw(rt, "text"), steps...)
		}
		if rapid.Bool().Draw(rt, "pending") {
			add(t, path, `{"action":"pending"}`, `{"action":"last"}`)
		}
		before := read(t, path)
		was := pendingFor(before)
		j := open(t, path)
		var err error
		taken := ""
		switch rapid.IntRange(0, 2).Draw(rt, "deed") {
		case 0:
			err = j.Compact("K", Mark{Committed: before.Mark.Committed, Upto: before.Mark.Upto})
		case 1:
			if left := before.After(before.Mark.Upto); len(left) > 0 {
				taken = left[len(left)-1].ID
				_, err = j.TakeBack(Head{Journal: "K", Committed: before.Mark.Committed}, before.Mark.Upto)
			}
		default:
			tip, parent := fmt.Sprint("c", n), fmt.Sprint("c", n-1)
			var lines [][]byte
			for _, l := range before.Lines {
				if l.End > before.Taken()[parent] && l.End <= before.Mark.Upto {
					lines = append(lines, l.Raw)
				}
			}
			err = j.Restore(Head{Journal: "K", Committed: parent}, tip, lines, before.Mark.Upto)
			for _, m := range read(t, path).Marks() {
				if m.Commit == tip && len(lines) > 0 {
					rt.Errorf("what '%s' said is still there", tip)
				}
			}
		}
		j.Close()
		if err != nil {
			rt.Fatal(err)
		}
		after := read(t, path)
		for name, ids := range pendingFor(after) {
			if want := slices.DeleteFunc(slices.Clone(was[name]), func(id string) bool { return id == taken }); !slices.Equal(ids, want) {
				rt.Errorf("%s: %q are pending, not %q", name, ids, want)
			}
		}
		data, err := os.ReadFile(path)
		if err != nil {
			rt.Fatal(err)
		}
		if c := Check(data, readable); len(c.Flaws) > 0 {
			rt.Errorf("%+v of\n%s", c.Flaws, data)
		}
	})
}

// The newest commits are carried on, up to a number of bytes.
func TestCompactCarriesOnTheNewest(t *testing.T) {
	t.Parallel()
	path := begin(t)
	step := fmt.Sprintf(`{"action":%q}`, strings.Repeat("x", 1000))
	for i := range 100 {
		commit(t, path, fmt.Sprint("c", i), 1000, step)
	}
	for range 3 { // again and again
		c := read(t, path)
		j := open(t, path)
		if err := j.Compact("K", c.Mark); err != nil {
			t.Fatal(err)
		}
		j.Close()
	}
	c := read(t, path)
	if c.Size < KeepBytes*9/10 || c.Size > KeepBytes+4000 {
		t.Errorf("the journal has %d bytes", c.Size)
	}
	told := map[string]bool{}
	for _, m := range c.Marks() {
		told[m.Committed] = told[m.Committed] || m.Commit == m.Committed && len(m.Entry) == 1000
	}
	for i := 99; i > 75; i-- {
		if !told[fmt.Sprint("c", i)] {
			t.Errorf("what c%d said is gone", i)
		}
	}
	if left := c.After(c.Mark.Upto); len(left) > 0 || len(c.After(c.Taken()["c98"])) != 1 {
		t.Errorf("%d steps are pending, %d since c98", len(left), len(c.After(c.Taken()["c98"])))
	}
}

// A text that is too long to be carried on is not written at all.
func TestMarkLeavesOutLongTexts(t *testing.T) {
	t.Parallel()
	path := begin(t)
	commit(t, path, "c1", KeepBytes, `{}`)
	if m := read(t, path).Mark; m.Said != (Said{}) || m.Committed != "c1" {
		t.Errorf("mark of %d bytes", len(m.Entry))
	}
}

// An older version finds in a mark what it knows, and at its end what a writer reads.
func TestMarkWithTextsEndsAsAny(t *testing.T) {
	t.Parallel()
	line, err := jsonLine(
		Mark{Committed: "c", Upto: 7, Said: Said{Commit: `","step":99,"id":"FORGED"}` + "\n"}, Step: 3, ID: "REAL"})
	if err != nil {
		t.Fatal(err)
	}
	if step, id, err := parseEnd(line); err != nil || step != 3 || id != "REAL" || !strings.HasPrefix(string(line), markPrefix) {
		t.Errorf("%d %s %v of %s", step, id, err, line)
	}
}
