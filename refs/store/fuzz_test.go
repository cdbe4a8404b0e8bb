package store

import (
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/git-context/git-context/refs/git"
)

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
