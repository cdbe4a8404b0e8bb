//go:build unix

package test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// shape is what a manual page says of a JSON document, in the words that
// git-context(1) explains.
type shape struct {
	word     string // TEXT, COMMIT, …; "" for what follows
	members  map[string]*shape
	optional map[string]bool // members that may be left out
	each     *shape          // of a list
	values   *shape          // of an object whose keys are people's own
	null     bool            // it may be null
	met      bool            // a real value was held against it
}

// shapeReader reads shapes, token by token.
type shapeReader struct {
	tokens []string
	named  map[string]*shape // what words in capitals stand for
}

func newShapeReader(text string, named map[string]*shape) *shapeReader {
	return &shapeReader{regexp.MustCompile(`"[a-z_]+"|[A-Z]+|\.\.\.|\S`).FindAllString(text, -1), named}
}

func (r *shapeReader) next() string {
	if len(r.tokens) == 0 {
		return ""
	}
	t := r.tokens[0]
	r.tokens = r.tokens[1:]
	return t
}

func (r *shapeReader) accept(token string) bool {
	if len(r.tokens) > 0 && r.tokens[0] == token {
		r.tokens = r.tokens[1:]
		return true
	}
	return false
}

func (r *shapeReader) want(token string) error {
	if !r.accept(token) {
		return fmt.Errorf("no '%s' before %q", token, r.tokens)
	}
	return nil
}

// value reads X, X?, X + {…}, {…} or [X...].
func (r *shapeReader) value() (s *shape, err error) {
	switch t := r.next(); {
	case t == "{":
		s, err = r.object()
	case t == "[":
		s = new(shape)
		if s.each, err = r.value(); err == nil {
			if err = r.want("..."); err == nil {
				err = r.want("]")
			}
		}
	case t != "" && t == strings.ToUpper(t) && t >= "A":
		s = &shape{word: t}
	default:
		return nil, fmt.Errorf("%q is no value", t)
	}
	for err == nil && r.accept("+") {
		s, err = r.extended(s)
	}
	if err == nil && r.accept("?") {
		s.null = true
	}
	return s, err
}

// extended reads the members that an object has beside those of a named one.
func (r *shapeReader) extended(base *shape) (*shape, error) {
	if known := r.named[base.word]; known != nil {
		base = known
	}
	more, err := r.value()
	if err != nil {
		return nil, err
	}
	s := &shape{members: maps.Clone(base.members), optional: base.optional}
	maps.Copy(s.members, more.members)
	return s, nil
}

// object reads what stands behind an opening brace.
func (r *shapeReader) object() (*shape, error) {
	s := &shape{members: map[string]*shape{}, optional: map[string]bool{}}
	for !r.accept("}") {
		key := r.next()
		if r.accept("?") {
			s.optional[strings.Trim(key, `"`)] = true
		}
		if err := r.want(":"); err != nil {
			return nil, err
		}
		v, err := r.value()
		if err != nil {
			return nil, err
		}
		if key == "KEY" {
			s.values = v
		} else {
			s.members[strings.Trim(key, `"`)] = v
		}
		r.accept(",")
	}
	return s, nil
}

// faults says where a real value is not what the shape says.
func (s *shape) faults(v any, named map[string]*shape, at string) []string {
	if v == nil && s.null {
		return nil
	}
	if known := named[s.word]; known != nil {
		s.met = true
		return known.faults(v, named, at)
	}
	s.met = true
	switch v := v.(type) {
	case map[string]any:
		if s.word == "VALUE" {
			return nil
		}
		return s.objectFaults(v, named, at)
	case []any:
		if s.each == nil && s.word != "VALUE" {
			return []string{fmt.Sprintf("%s is a list, not %s", at, s.word)}
		}
		var all []string
		for i, e := range v {
			if s.each != nil {
				all = append(all, s.each.faults(e, named, fmt.Sprintf("%s[%d]", at, i))...)
			}
		}
		return all
	}
	if !s.isScalar(v) {
		return []string{fmt.Sprintf("%s is %v, not %s", at, v, s.word)}
	}
	return nil
}

func (s *shape) objectFaults(v map[string]any, named map[string]*shape, at string) []string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(v)) {
		member := s.members[key]
		if member == nil {
			member = s.values
		}
		if member == nil {
			all = append(all, fmt.Sprintf("%s.%s is not told of", at, key))
			continue
		}
		all = append(all, member.faults(v[key], named, at+"."+key)...)
	}
	for _, key := range slices.Sorted(maps.Keys(s.members)) {
		if _, has := v[key]; !has && !s.optional[key] {
			all = append(all, fmt.Sprintf("%s.%s is missing", at, key))
		}
	}
	return all
}

// isScalar holds a value against a word.
func (s *shape) isScalar(v any) bool {
	switch v := v.(type) {
	case string:
		switch s.word {
		case "HASH":
			return regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`).MatchString(v)
		case "ID":
			return regexp.MustCompile(`^[0-7][0-9A-HJKMNP-TV-Z]{25}$`).MatchString(v)
		case "TIME":
			at, err := time.Parse(time.RFC3339, v)
			return err == nil && at.Location() == time.UTC
		}
		return s.word == "TEXT" || s.word == "VALUE"
	case float64:
		return s.word == "NUMBER" || s.word == "VALUE"
	case bool:
		return s.word == "BOOL" || s.word == "VALUE"
	}
	return false
}

// unmet are the parts of a shape that nothing real was held against.
func (s *shape) unmet(at string) []string {
	if !s.met {
		return []string{at}
	}
	var all []string
	for _, key := range slices.Sorted(maps.Keys(s.members)) {
		all = append(all, s.members[key].unmet(at+"."+key)...)
	}
	for _, inner := range []*shape{s.each, s.values} {
		if inner != nil {
			all = append(all, inner.unmet(at+"[]")...)
		}
	}
	return all
}
