package store

import (
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
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
		if at, from := ParseCreated(created); at != nil && at.Year() >= 0 && at.Year() <= 9999 {
			name := ""
			if from != nil {
				name = *from
			}
			again, also := ParseCreated(FormatCreated(*at, name))
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
