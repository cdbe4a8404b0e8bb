package doc

import (
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
	"pgregory.net/rapid"
)

func TestNextIDFollows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		after := ""
		for range 20 {
			now := time.UnixMilli(rapid.Int64Range(0, 1<<48-2).Draw(t, "now"))
			id, err := NextID(now, after)
			if err != nil {
				t.Fatal(err)
			}
			if !ValidID(id) || id <= after {
				t.Fatalf("%q after %q", id, after)
			}
			if after == "" && !IDTime(id).Equal(now) {
				t.Fatalf("time %v for %v", IDTime(id), now)
			}
			after = id
		}
	})
}

func TestNextIDEdges(t *testing.T) {
	const last = "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"
	if _, err := NextID(testTime(), last); err == nil {
		t.Error("an id after the largest")
	}
	if _, err := NextID(testTime(), "x"); err == nil {
		t.Error("an id after no id")
	}
	if _, err := NextID(time.UnixMilli(-1), ""); err == nil {
		t.Error("an id before 1970")
	}
	got, err := NextID(time.UnixMilli(0), "00000000010000000000000000"[:10]+"ZZZZZZZZZZZZZZZZ")
	if err != nil || got[:10] != "0000000002" {
		t.Errorf("a full random part: %s, %v", got, err)
	}
}

// Two branches that were made from one commit, by a clock that does not move or is
// behind it, give their entries different ids: a merge takes one id for one entry.
func TestNextIDBranches(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id, err := NextID(time.UnixMilli(0), baseID)
		if err != nil || id <= baseID || seen[id] {
			t.Fatalf("%s again, or before %s: %v", id, baseID, err)
		}
		seen[id] = true
	}
}

func TestValidID(t *testing.T) {
	for id, want := range map[string]bool{
		baseID: true, "": false, baseID[1:]: false, "8" + baseID[1:]: false, "01jd5k0z3v7q3m9k2a4b5c6d7e": false,
		"01JD5K0Z3V7Q3M9K2A4B5C6D7I": false, "01JD5K0Z3V7Q3M9K2A4B5C6D7U": false, "01JD5K0Z3V7Q3M9K2A4B5C6D7é"[:26]: false,
	} {
		if ValidID(id) != want {
			t.Errorf("ValidID(%q) = %v", id, !want)
		}
	}
	for c := range 256 { // against the library's alphabet
		id := "0000000000000000000000000" + string([]byte{byte(c)})
		_, err := ulid.ParseStrict(id)
		if lower := 'a' <= c && c <= 'z'; ValidID(id) != (err == nil && !lower) {
			t.Errorf("digit %q: %v", rune(c), ValidID(id))
		}
	}
}

func TestClean(t *testing.T) {
	for _, c := range []struct {
		in, out string
		changed bool
	}{
		{"", "", false}, {"aé\n\x1b", "aé\n\x1b", false}, {"a\xff\xfeb", "a\ufffd\ufffdb", true},
		{"a\x00b", "a\ufffdb", true}, {"\ufffd", "\ufffd", false}, {"\xed\xa0\x80", "\ufffd\ufffd\ufffd", true},
	} {
		if got, changed := Clean(c.in); got != c.out || changed != c.changed {
			t.Errorf("Clean(%q) = %q, %v", c.in, got, changed)
		}
	}
}
