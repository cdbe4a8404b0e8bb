package git

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// CommitterDate returns GIT_COMMITTER_DATE, and whether it is set. "@<seconds>
// <zone>", "<seconds> <zone>", RFC 3339 and RFC 2822 are read in process; git
// reads its other forms.
func (r *Repo) CommitterDate() (time.Time, bool, error) {
	value := r.Getenv("GIT_COMMITTER_DATE")
	if value == "" {
		return time.Time{}, false, nil
	}
	if t, ok := parseDate(value); ok {
		return t, true, nil
	}
	env := []string{"GIT_COMMITTER_NAME=x", "GIT_COMMITTER_EMAIL=x"}
	out, err := r.RunEnv(context.Background(), env, nil, "var", "GIT_COMMITTER_IDENT")
	if err != nil {
		return time.Time{}, true, fmt.Errorf("bad GIT_COMMITTER_DATE '%s': %w", shown(value), err)
	}
	s, err := parseSignature(strings.TrimSuffix(string(out), "\n"))
	return s.When, true, err
}

// parseDate reads the forms that scripts use.
func parseDate(value string) (time.Time, bool) {
	seconds, zone, _ := strings.Cut(strings.TrimPrefix(value, "@"), " ")
	// Fewer digits without "@" are a year or a date to git.
	if n, err := strconv.ParseUint(seconds, 10, 62); err == nil && (value[0] == '@' || n >= 1e8) && isZone(zone) {
		return time.Unix(int64(n), 0).In(parseZone(zone)), true
	}
	for _, layout := range []string{time.RFC3339, "Mon, 2 Jan 2006 15:04:05 -0700", "2006-01-02 15:04:05 -0700"} {
		if t, err := time.Parse(layout, value); err == nil && t.Unix() >= 0 {
			return t.Truncate(time.Second), true
		}
	}
	return time.Time{}, false
}

// isZone reports whether s is a time zone as git writes it, such as "+0530".
func isZone(s string) bool {
	if len(s) != 5 || s[0] != '+' && s[0] != '-' {
		return false
	}
	_, err := strconv.ParseUint(s[1:], 10, 16)
	return err == nil
}

// parseZone makes a location of a zone as git writes it.
func parseZone(s string) *time.Location {
	n, err := strconv.Atoi(s)
	if err != nil || n == 0 {
		return time.UTC
	}
	return time.FixedZone("", (n/100)*3600+(n%100)*60)
}
