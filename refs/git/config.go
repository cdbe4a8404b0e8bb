package git

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Config is the configuration that git sees in this repository, from all files
// and from the environment. It does not change; it is safe for concurrent use.
// Keys are spelled as git does, "section.key" or "section.subsection.key":
// sections and keys in any case, subsections exactly.
type Config struct {
	entries []configEntry
}

// configEntry is one variable, its key in git's canonical case.
type configEntry struct {
	key, value string
	bare       bool // a key without "=": true as a boolean, no value otherwise
}

// parseConfigList reads the output of `git config --list -z --show-origin`, and
// returns with it where the variables came from.
func parseConfigList(out string) (*Config, []string, error) {
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	if out == "" {
		fields = nil
	}
	if len(fields)%2 != 0 {
		return nil, nil, errors.New("git config: cannot understand its list")
	}
	c := &Config{entries: make([]configEntry, 0, len(fields)/2)}
	var origins []string
	for i := 0; i < len(fields); i += 2 {
		if n := len(origins); n == 0 || origins[n-1] != fields[i] {
			origins = append(origins, fields[i])
		}
		key, value, ok := strings.Cut(fields[i+1], "\n")
		c.entries = append(c.entries, configEntry{key: key, value: value, bare: !ok})
	}
	return c, origins, nil
}

// canonical spells a key as git lists it.
func canonical(key string) string {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first < 0 {
		return strings.ToLower(key)
	}
	return strings.ToLower(key[:first]) + key[first:last] + strings.ToLower(key[last:])
}

func (c *Config) last(key string) (configEntry, bool) {
	key = canonical(key)
	for i := len(c.entries) - 1; i >= 0; i-- {
		if c.entries[i].key == key {
			return c.entries[i], true
		}
	}
	return configEntry{}, false
}

// String returns the last value of a variable.
func (c *Config) String(key string) (string, bool) {
	e, ok := c.last(key)
	return e.value, ok
}

// All returns every value of a variable, weakest first.
func (c *Config) All(key string) []string {
	key = canonical(key)
	var values []string
	for _, e := range c.entries {
		if e.key == key {
			values = append(values, e.value)
		}
	}
	return values
}

// Subsections returns the subsections of a section in the order in which they
// first appear: Subsections("remote") gives the names of the remotes.
func (c *Config) Subsections(section string) []string {
	prefix := strings.ToLower(section) + "."
	var names []string
	seen := map[string]bool{}
	for _, e := range c.entries {
		rest, ok := strings.CutPrefix(e.key, prefix)
		if !ok {
			continue
		}
		if end := strings.LastIndexByte(rest, '.'); end >= 0 && !seen[rest[:end]] {
			seen[rest[:end]] = true
			names = append(names, rest[:end])
		}
	}
	return names
}

// Bool returns a variable as git reads booleans: true, yes, on, false, no, off,
// a number, an empty value (false), or a key without a value (true).
func (c *Config) Bool(key string, def bool) (bool, error) {
	e, ok := c.last(key)
	if !ok {
		return def, nil
	}
	if e.bare {
		return true, nil
	}
	b, err := parseBool(e.value)
	if err != nil {
		return def, fmt.Errorf("bad boolean value '%s' for '%s'", shown(e.value), key)
	}
	return b, nil
}

// Int returns a variable as git reads numbers: with an optional k, m or g for
// 1024, 1024² or 1024³.
func (c *Config) Int(key string, def int) (int, error) {
	e, ok := c.last(key)
	if !ok {
		return def, nil
	}
	n, err := parseInt(e.value)
	if err != nil {
		return def, fmt.Errorf("bad numeric value '%s' for '%s'", shown(e.value), key)
	}
	return n, nil
}

func parseBool(value string) (bool, error) {
	switch strings.ToLower(value) {
	case "true", "yes", "on":
		return true, nil
	case "false", "no", "off", "":
		return false, nil
	}
	n, err := parseInt(value)
	return n != 0, err
}

func parseInt(value string) (int, error) {
	unit := 1
	digits := strings.TrimLeft(value, " \t\n\r\v\f")
	if n := len(digits); n > 0 {
		switch digits[n-1] {
		case 'k', 'K':
			unit = 1 << 10
		case 'm', 'M':
			unit = 1 << 20
		case 'g', 'G':
			unit = 1 << 30
		}
		if unit > 1 {
			digits = digits[:n-1]
		}
	}
	n, err := strconv.ParseInt(digits, 0, 64)
	if err != nil {
		return 0, err
	}
	if n > int64(math.MaxInt/unit) || n < int64(math.MinInt/unit) {
		return 0, strconv.ErrRange
	}
	return int(n) * unit, nil
}

// PreciousObjects reports whether no object may be deleted, as other repositories may
// borrow it (extensions.preciousObjects).
func (c *Config) PreciousObjects() (bool, error) {
	return c.Bool("extensions.preciousobjects", false)
}
