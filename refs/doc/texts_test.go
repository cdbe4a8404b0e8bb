package doc

import (
	"strings"
	"testing"
)

func TestEntryTexts(t *testing.T) {
	t.Parallel()
	steps := plainSteps(t, 3)
	steps[1].Thought, steps[1].Observation = "two\n\n**Action**\n\nlines", ""
	steps[2] = Step{ID: steps[2].ID, Number: 3, Time: testTime(), Agent: "a", Origin: "main", Action: "act\n"}
	for _, c := range []struct {
		file string
		data []byte
		want []string
	}{
		{LogFile, FormatLog(steps), []string{
			steps[0].ID + "||> API returns 500 on /users\n>\n>     panic: runtime error\n>     goroutine 12 [running]|" +
				"> The pool may not be initialised before the router asks for a connection (0)|> go test ./store -run Pool",
			steps[1].ID + "||> two\n>\n> **Action**\n>\n> lines|> go test ./store -run Pool",
			steps[2].ID + "||> act\n>",
		}},
		{CommitFile, FormatCommits([]Milestone{
			{ID: steps[0].ID, Number: 1, Time: testTime(), Agent: "a", Origin: "main", Kind: KindBirth, Purpose: "why"},
			{ID: steps[1].ID, Number: 2, Time: testTime(), Agent: "a", Origin: "main", Summary: "Did it", Goal: "g", Purpose: "p",
				Progress: "before\n**This Commit's Contribution**\n> no", Contribution: "more\nof it"},
			{ID: steps[2].ID, Number: 3, Time: testTime(), Agent: "a", Origin: "main", Summary: "Alone"},
		}), []string{
			steps[1].ID + "|Did it|> more\n> of it",
			steps[2].ID + "|Alone",
		}},
	} {
		var got []string
		err := EntryTexts(c.file, c.data, func(_ int, e EntryText) error {
			s := e.ID + "|" + string(e.Summary)
			for _, b := range e.Blocks {
				s += "|" + string(b)
			}
			got = append(got, s)
			return nil
		})
		if err != nil || strings.Join(got, "\n--\n") != strings.Join(c.want, "\n--\n") {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.file, err, strings.Join(got, "\n--\n"), strings.Join(c.want, "\n--\n"))
		}
	}
	if err := EntryTexts(LogFile, []byte("== Branch b ==\n\n### Step x\n"), nil); err == nil {
		t.Error("a damaged file gives no error")
	}
}

func BenchmarkEntryTexts(b *testing.B) {
	data := FormatLog(plainSteps(b, 100000))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if err := EntryTexts(LogFile, data, func(int, EntryText) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
