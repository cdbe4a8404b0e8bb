package notes

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

// IsText reports whether an expunge may replace a string in the JSON of a fact. It may not replace the words of the format, such as
// "score" and "review": a fact without them cannot be read. member is the name of the member that has the string as its value, "" for the
// name of a member itself.
//
// The name of a branch is no text either: it stays in trailers and entries, too.
func IsText(member, s string) bool {
	switch member {
	case "":
		return !members()[s]
	case "kind":
		return !slices.Contains([]string{KindCommit, KindScore, KindOutcome, KindTag, KindReview, KindLink}, s)
	case "outcome":
		return !slices.Contains(Outcomes(), s)
	case "branch":
		return false
	case "time":
		_, err := time.Parse(time.RFC3339Nano, s)
		return err != nil
	case "steps":
		return strings.Trim(s, "0123456789-") != ""
	}
	return !validID(s)
}

// members are the names that a fact's members have in JSON.
var members = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for f := range reflect.TypeFor[Fact]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names[name] = true
	}
	return names
})

// Damaged returns the first line of a note that begins as one of ours and is no fact; "" for none. Other programs own all other lines.
func Damaged(note []byte) string {
	for line := range bytes.Lines(note) {
		line = bytes.TrimSpace(line)
		if bytes.HasPrefix(line, []byte(`{"v":1,`)) && len(Parse(line)) == 0 {
			return string(line)
		}
	}
	return ""
}
