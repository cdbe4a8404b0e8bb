package peer

import (
	"strings"
	"time"
)

// parseTime parses a time in one of the forms that the dialects and agents use. A time
// without a zone is UTC.
func parseTime(s string) (time.Time, bool) {
	s = strings.Trim(strings.TrimSpace(s), "`'\"")
	if len(s) < len("2006-01-02") || len(s) > 50 {
		return time.Time{}, false
	}
	s = strings.TrimSuffix(s, " UTC")
	for _, layout := range []string{
		time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00",
		"2006-01-02 15:04:05.999999999", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02",
	} {
		if t, err := time.Parse(layout, s); err == nil && t.Year() > 0 {
			return inRange(t.UTC())
		}
	}
	return time.Time{}, false
}

// inRange refuses times that a document cannot contain.
func inRange(t time.Time) (time.Time, bool) {
	if y := t.Year(); y < 1 || y > 9999 {
		return time.Time{}, false
	}
	return t, true
}

// formatTime formats a time as the other implementations do.
func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.999999999+00:00") }

// findTime finds a time among the words of a heading.
func findTime(text string) (time.Time, bool) {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t()[]|·—,;", r) })
	for i, word := range words {
		if i+1 < len(words) {
			if t, ok := parseTime(word + " " + words[i+1]); ok {
				return t, true
			}
		}
		if t, ok := parseTime(word); ok {
			return t, true
		}
	}
	return time.Time{}, false
}
