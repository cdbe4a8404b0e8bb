package doc

import (
	"errors"
	"fmt"
	"strings"
)

const (
	maxAgent  = 100      // bytes
	maxOrigin = 200      // bytes
	maxCount  = 1e18 - 1 // what parseCount reads
)

// check reports why an entry with this head cannot be written; nil if it can.
func (h *head) check(milestone bool) error {
	switch {
	case !ValidID(h.ID):
		return fmt.Errorf("'%s' is not an id", clip(h.ID))
	case h.Number < 0:
		return fmt.Errorf("the number %d is negative", h.Number)
	case int64(h.Number) > maxCount || h.Tokens > maxCount:
		return errors.New("a number has more than 18 digits")
	case h.Tokens < 0:
		return fmt.Errorf("the token count %d is negative", h.Tokens)
	case !validOrigin(h.Origin):
		return fmt.Errorf("'%s' is no name of a branch", clip(h.Origin))
	}
	if y := h.Time.UTC().Year(); y < 0 || y > 9999 {
		return fmt.Errorf("the year %d is outside of 0 to 9999", y)
	}
	if err := CheckAgent(h.Agent); err != nil {
		return err
	}
	if err := checkSteps(h.Steps); err != nil {
		return err
	}
	return errors.Join(checkField("session", h.Session), checkField("model", h.Model),
		checkField("source", h.Source), checkField("kind", h.Kind), checkExtra(h.Extra, milestone))
}

func checkSteps(s Steps) error {
	if s.First < 0 || s.Last < s.First || s.Count < 0 || s.Last > maxCount || s.Count > maxCount {
		return fmt.Errorf("%d-%d (%d) is no range of steps", s.First, s.Last, s.Count)
	}
	return nil
}

func checkField(name, text string) error {
	if err := checkText(text); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// checkExtra reports whether a caller's extra text consists of attribute lines with unknown
// keys only.
func checkExtra(extra string, milestone bool) error {
	if extra == "" {
		return nil
	}
	if err := checkField("extra attributes", extra); err != nil {
		return err
	}
	lines, ok := strings.CutSuffix(extra, "\n")
	if !ok {
		return errors.New("extra attributes do not end in a newline")
	}
	for line := range strings.SplitSeq(lines, "\n") {
		key, _, ok := splitAttribute(line)
		if !ok || knownAttribute(key, milestone) != 0 {
			return fmt.Errorf("'%s' is no extra attribute", clip(line))
		}
	}
	return nil
}

// CheckAgent reports why name cannot be an agent's name in a heading. An agent's name is 1
// to 100 of the characters A-Z a-z 0-9 . _ @ + / - and the space.
func CheckAgent(name string) error {
	if !validAgent(name) {
		return fmt.Errorf("agent name '%s' is not 1 to %d of A-Z a-z 0-9 . _ @ + / - and space", clip(name), maxAgent)
	}
	return nil
}

// AgentName derives a valid agent's name from any name, such as a committer's: each run of
// invalid characters becomes one '-'. It returns "" if no letter or digit remains.
func AgentName(name string) string {
	var b []byte
	letters := false
	for i := 0; i < len(name) && len(b) < maxAgent; i++ {
		c := name[i]
		switch {
		case agentByte(c):
			b = append(b, c)
			letters = letters || alnum(c)
		case len(b) > 0 && b[len(b)-1] != '-':
			b = append(b, '-')
		}
	}
	if !letters {
		return ""
	}
	return strings.Trim(string(b), " -")
}

func validAgent(s string) bool {
	for i := 0; i < len(s); i++ {
		if !agentByte(s[i]) {
			return false
		}
	}
	return s != "" && len(s) <= maxAgent
}

func agentByte(c byte) bool { return alnum(c) || strings.IndexByte("._@+/ -", c) >= 0 }

func alnum(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// validOrigin checks only what keeps a tag on one readable line. The caller that creates a
// branch enforces the full rules for its name.
func validOrigin(s string) bool {
	for i := 0; i < len(s); i++ {
		if !alnum(s[i]) && strings.IndexByte("._/-", s[i]) < 0 {
			return false
		}
	}
	return s != "" && len(s) <= maxOrigin && alnum(s[0])
}

func validKey(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !(alnum(c) || c == '-' || c == '_') || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return s != ""
}
