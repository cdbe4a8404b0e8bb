package cmd

import (
	"strconv"
	"strings"
	"time"
)

// parseTime reads RFC 3339, or git's @SECONDS; an empty text is no time.
func parseTime(s string) (t time.Time, ok bool) {
	if s == "" {
		return time.Time{}, true
	}
	if digits, unix := strings.CutPrefix(s, "@"); unix {
		seconds, err := strconv.ParseInt(digits, 10, 64)
		return time.Unix(seconds, 0).UTC(), err == nil
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	return t.UTC(), err == nil
}
