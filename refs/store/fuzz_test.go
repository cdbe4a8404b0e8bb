package store

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/git-context/git-context/refs/git"
)

// What stands in a file of local state is read, whoever wrote it, into what is written
// down as the same: no value in it ends the program.
func FuzzState(f *testing.F) {
	for _, text := range []string{
		`{"version":1,"target":"main","merge":{"Source":"exp"},"tip":"1","conflicts":[{"path":"topics/a.md","kind":"content","base":null,"ours":"x","theirs":"y","resolved":true,"text":null}]}`,
		`{"version":1,"target":"main","remote":"origin","bundle":true,"theirs":{"refs/context/heads/main":"1"},"conflicts":[null,{"text":"x"}]}`,
		`{"version":1,"bad":"1","good":["2"],"skipped":null,"next":"","log":[{"verdict":"good"}]}`,
		`{"version":1,"token":"T","branch":"main","tip":"1","worktree":".","head":"","commit":{"Summary":"s","Roadmap":{"Done":["x"]}}}`,
		`{"version":1,"token":"T","rollback":{"Commit":"main~1","target":"1","made":true,"said":"x"}}`,
		`{"version":1,"expunged":"entry 01JD5K0Z3V7Q3M9K2A4B5C6D7E\n","old":["1"]}`,
		"null", "[]", "{", `{"version":1e400}`, `{"conflicts":{}}`, "\x00",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, state := range []func() any{
			func() any { return new(WaitingMerge) }, func() any { return new(BisectState) },
			func() any { return new(Intent) }, func() any { return new(expungeFile) },
		} {
			one := state()
			if json.NewDecoder(bytes.NewReader(data)).Decode(one) != nil {
				continue
			}
			used(one)
			text, err := json.Marshal(one)
			if err != nil {
				t.Fatalf("%+v cannot be written: %v", one, err)
			}
			two := state()
			if err := json.Unmarshal(text, two); err != nil {
				t.Fatalf("%s cannot be read: %v", text, err)
			}
			if again, err := json.Marshal(two); err != nil || !bytes.Equal(text, again) {
				t.Errorf("%s is written again as %s: %v", text, again, err)
			}
		}
	})
}

// used does with a state what needs no repository.
func used(state any) {
	switch st := state.(type) {
	case *WaitingMerge:
		st.status()
		st.Source()
		for i := range st.Conflicts {
			st.settled(&st.Conflicts[i].Conflict)
		}
	case *BisectState:
		st.missing()
	case *Intent:
		if (st.Commit == nil) == (st.Rollback == nil) {
			return // readIntent refuses it
		}
		st.command()
		st.action()
		st.writer()
	}
}

// What git tells a hook of rewritten commits is read whole, or refused in one line.
func FuzzRewritten(f *testing.F) {
	one, two := strings.Repeat("1", 40), strings.Repeat("2", 40)
	f.Add(one + " " + two + "\n" + two + " " + one + " more\n\n")
	f.Add(one + "\n")
	f.Add("\x1b[2J " + one)
	f.Fuzz(func(t *testing.T, text string) {
		pairs, err := readRewritten(strings.NewReader(text))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q", err)
			}
			return
		}
		var out strings.Builder
		for _, p := range pairs {
			if !git.IsID(string(p.Old)) || !git.IsID(string(p.New)) {
				t.Errorf("%q gave %+v", text, p)
			}
			out.WriteString(string(p.Old + " " + p.New + "\n"))
		}
		if again, err := readRewritten(strings.NewReader(out.String())); err != nil || !slices.Equal(again, pairs) {
			t.Errorf("%v, then %v: %v", pairs, again, err)
		}
	})
}

// What `git diff` prints is read, whatever is in it: no count is below zero, or larger
// than what was printed.
func FuzzDiff(f *testing.F) {
	raw := ":100644 100644 1 2 M\x00log.md\x00:000000 100644 0 2 A\x00a b\x00"
	patch := "diff --git a/log.md b/log.md\n--- a/log.md\n+++ b/log.md\n@@ -1 +1,2 @@\n-a\n+b\n+c\n\\ No newline at end of file\ndiff --git a/x b/x\n@@ -0,0 +1 @@ f\n+y\n"
	f.Add([]byte(raw), patch)
	f.Add([]byte(raw), "diff --git a/x b/x\n@@ -1,99999999999 +1,-5 @@\n+\n\n\x1b[31m")
	f.Add([]byte("x\x00"), "@@ -1 +1 @@\n+a\n")
	f.Fuzz(func(t *testing.T, raw []byte, patch string) {
		files, err := parseRaw(raw)
		if err != nil {
			return
		}
		if len(files) != bytes.Count(raw, []byte{0})/2 {
			t.Errorf("%d files of %q", len(files), raw)
		}
		countLines(patch, files)
		sum := 0
		for _, file := range files {
			sum += file.Added + file.Deleted
			if file.Added < 0 || file.Deleted < 0 {
				t.Errorf("%+v", file)
			}
		}
		if lines := strings.Count(patch, "\n") + 1; sum > lines {
			t.Errorf("%d lines are counted of %d", sum, lines)
		}
	})
}

// What a trailer says is read as it was written, and anything else as nothing.
func FuzzTrailerValues(f *testing.F) {
	f.Add("01JD5K0Z3V7Q3M9K2A4B5C6D7E", int64(4711), "2026-11-21T01:37:05Z main", 12, 3)
	f.Add("a b", int64(-1), "0000-00-00T00:00:00Z", -1, 1<<40)
	f.Fuzz(func(t *testing.T, id string, upto int64, created string, first, count int) {
		mark := taken{Journal: id, upto: upto, id: id}
		oneWord := id != "" && !strings.ContainsFunc(id, unicode.IsSpace)
		if got, ok := ParseTaken(mark.String()); oneWord && (!ok || got != mark) {
			t.Errorf("%+v is read as %+v, %v", mark, got, ok)
		}
		ParseTaken(created)
		if at, from := parseCreated(created); at != nil && at.Year() >= 0 && at.Year() <= 9999 {
			name := ""
			if from != nil {
				name = *from
			}
			again, also := parseCreated(FormatCreated(*at, name))
			if again == nil || !again.Equal(at.Truncate(time.Second)) || strings.TrimSpace(name) != "" && (also == nil || *also != strings.TrimRight(name, " \t\n\v\f\r")) && name == strings.TrimSpace(name) {
				t.Errorf("%q: %v %v, then %v %v", created, at, from, again, also)
			}
		}
		hash, age := ParseRoadmap(id + " " + strconv.Itoa(first))
		if !strings.Contains(id, " ") && (string(hash) != id || age != first) {
			t.Errorf("'%s' and %d are read as '%s' and %d", id, first, hash, age)
		}
		_ = FormatSteps(StepRange{First: first, Last: first + count, Count: count})
		for key, value := range TrailerMap(created) {
			if strings.Contains(key+value, "\n") {
				t.Errorf("trailer %q: %q", key, value)
			}
		}
	})
}

// What is kept of lists of files, and of links, is read as it was written; what is no
// such list is none.
func FuzzCachedLists(f *testing.F) {
	f.Add("branch main 1\n2 topics/a.md\n3 log/01/a b.md\nbranch x \n", "1")
	f.Add("1\nmain 01J 2 3\nx\n", "1")
	f.Add("no branch\n \n", "")
	f.Fuzz(func(t *testing.T, text, tip string) {
		lists := map[string]branchFiles{}
		for _, l := range parseFileLists(text) {
			if _, twice := lists[l.branch]; !twice {
				lists[l.branch] = l
			}
		}
		again := map[string]branchFiles{}
		for _, l := range parseFileLists(formatFileLists(lists)) {
			again[l.branch] = l
		}
		if !reflect.DeepEqual(lists, again) {
			t.Errorf("%+v, then %+v", lists, again)
		}
		linked := linksCached(text, git.ID(tip))
		if strings.Contains(tip, "\n") || len(linked) > mostLinks {
			return
		}
		if back := linksCached(cachedLinks(linked, git.ID(tip)), git.ID(tip)); len(back) != len(linked) {
			t.Errorf("%v, then %v", linked, back)
		}
	})
}

// No option of git's that writes, runs or reads what is no memory gets through, however
// it is spelled.
func FuzzArguments(f *testing.F) {
	for _, words := range []string{"--stat\n--\n--output=x", "-S\ntext\n--format=%H", "--since\n1.day\npath", "-p\n--outpu=x", "--format\n%G?", "-O/etc/passwd",
		"--pretty=%GS", "--no-index\na\nb", "-Sx\n-G\n--ext-diff", "--all", "-n5", "--author\n--output=x", "--word-diff=color", "--date\n--ext-diff", "-U3\n-M50%", "", "-", "--="} {
		f.Add(words)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words := strings.Split(text, "\n")
		for _, read := range []func([]string) (Arguments, error){LogArguments, DiffArguments} {
			a, err := read(words)
			if err != nil {
				if strings.ContainsAny(err.Error(), "\n") {
					t.Errorf("%q", err)
				}
				continue
			}
			for _, word := range slices.Concat(a.Select, a.Show) {
				checkArgument(t, word)
			}
			if again, err := read(words); err != nil || !reflect.DeepEqual(a, again) {
				t.Errorf("%+v, then %+v", a, again)
			}
		}
	})
}

// checkArgument holds that git takes a word for the option that it was taken for: git
// completes the names of options that are cut short.
func checkArgument(t *testing.T, word string) {
	name, value, _ := strings.Cut(word, "=")
	if !strings.HasPrefix(word, "-") || word == "-" || word == "--" {
		t.Errorf("'%s' is no option", word)
	}
	for _, bad := range []string{"--output", "--ext-diff", "--textconv", "--show-signature", "--no-index", "--stdin", "--all", "--branches",
		"--tags", "--remotes", "--glob", "--reflog", "--walk-reflogs", "--exec", "--orderfile", "--max-count", "--skip", "--graph", "--color"} {
		if name == bad || strings.HasPrefix(name, "--") && len(name) > 3 && strings.HasPrefix(bad, name) && name != "--no" {
			t.Errorf("'%s' got through", word)
		}
	}
	if strings.HasPrefix(word, "-O") || strings.HasPrefix(word, "-n") || word == "-g" {
		t.Errorf("'%s' got through", word)
	}
	if (name == "--format" || name == "--pretty") && strings.Contains(value, "%G") {
		t.Errorf("'%s' runs a program", word)
	}
}

// A range is cut so that its parts make it again.
func FuzzSplitRange(f *testing.F) {
	for _, word := range []string{"main..exp", "a...b", "..", "...", "....", "a..b..c", "main~2", "^a", ""} {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word string) {
		a, dots, b := SplitRange(word)
		if a+dots+b != word || strings.Contains(a, "..") || (dots == "") != !strings.Contains(word, "..") {
			t.Errorf("%q is %q, %q, %q", word, a, dots, b)
		}
	})
}

// A step is in the journal's line what it was said to be.
func FuzzEntryLine(f *testing.F) {
	f.Add("saw\n\x1b[31m", "> thought\x00", "\xffdone\u2028", "agent", "s", "m", int64(5))
	f.Add(`","id":"forged"}`, `{"committed":"x"}`, "", "", "", "", int64(-1))
	f.Fuzz(func(t *testing.T, o, th, a, agent, session, model string, tokens int64) {
		step := NewStep{Observation: o, Thought: th, Action: a, Agent: agent, Session: session, Model: model, Tokens: tokens, Time: time.Unix(1, 0)}
		if _, err := new(Store).checkStep(&step); err != nil {
			return
		}
		line, err := json.Marshal(EntryLine{Time: step.Time, Agent: step.Agent, Session: step.Session, Model: step.Model, Tokens: step.Tokens,
			Observation: step.Observation, Thought: step.Thought, Action: step.Action})
		if err != nil || bytes.ContainsAny(line, "\n") || bytes.HasPrefix(line, []byte(`{"committed"`)) {
			t.Fatalf("%q: %v", line, err)
		}
		var got EntryLine
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatal(err)
		}
		got.ID, got.Step = "01JD5K0Z3V7Q3M9K2A4B5C6D7E", 1
		d := got.step("main", "nobody")
		if d.Observation != step.Observation || d.Thought != step.Thought || d.Action != step.Action || d.Session != session || d.Model != model {
			t.Errorf("%+v became %+v", step, d)
		}
		if err := d.Check(); err != nil {
			t.Errorf("what is recorded can never be committed: %v\n%q", err, line)
		}
	})
}
