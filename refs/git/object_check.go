package git

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// CheckCommit returns what git's fsck has against the content of a commit that [ParseCommit] can read. A fetch with
// fetch.fsckObjects refuses such a commit, so a clone that has it from elsewhere could not share what is on top of it.
func CheckCommit(data []byte) error {
	if at := bytes.IndexByte(data, 0); at >= 0 {
		return fmt.Errorf("byte %d is NUL", at)
	}
	head, _, found := bytes.Cut(data, []byte("\n\n"))
	if !found && !bytes.HasSuffix(data, []byte("\n")) {
		return errors.New("its header has no end")
	}
	for line := range strings.Lines(string(head) + "\n") {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if key != "author" && key != "committer" {
			continue
		}
		if err := checkIdentity(value); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		if key == "committer" { // git looks at no header behind it
			break
		}
	}
	return nil
}

// checkIdentity checks "Name <email> seconds zone" as git's fsck does.
func checkIdentity(line string) error {
	name, rest, ok := strings.Cut(line, "<")
	switch {
	case !ok:
		return errors.New("no address")
	case strings.Contains(name, ">"):
		return errors.New("bad name")
	case !strings.HasSuffix(name, " "):
		return errors.New("no space before the address")
	}
	address, rest, ok := strings.Cut(rest, ">")
	if !ok || strings.Contains(address, "<") {
		return errors.New("bad address")
	}
	when, ok := strings.CutPrefix(rest, " ")
	if !ok {
		return errors.New("no space before the date")
	}
	seconds, zone, ok := strings.Cut(strings.TrimLeft(when, " \t"), " ")
	n, err := strconv.ParseUint(seconds, 10, 64)
	switch {
	case !ok || err != nil || n > math.MaxInt64:
		return errors.New("bad date")
	case seconds[0] == '0' && len(seconds) > 1:
		return errors.New("zero-padded date")
	case len(zone) != 5 || zone[0] != '+' && zone[0] != '-' || strings.Trim(zone[1:], "0123456789") != "":
		return errors.New("bad time zone")
	}
	return nil
}

// CheckTree returns what git's fsck has against the modes in the content of a tree that [ParseTree] can read. It does not
// check names and their order: that is for the caller, who knows which names belong there.
func CheckTree(data []byte, hashLen int) error {
	for len(data) > 0 {
		if data[0] == '0' {
			return errors.New("it has a zero-padded mode")
		}
		data = data[bytes.IndexByte(data, 0)+1+hashLen:]
	}
	return nil
}
