package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/redact"
)

// Clean makes texts fit to be stored, before a byte of them reaches a journal or an object: valid UTF-8
// without NUL, a mark in the place of each secret (package redact), and at most context.textLimit bytes
// each, see [doc.Cut]. It reports whether U+FFFD replaced bytes; Close says which secrets were found, and
// what was cut.
// fail.ErrInvalid for a pattern of context.redact that is none, and for a limit that is none.
func (s *Store) Clean(ctx context.Context, texts ...*string) (replaced bool, err error) {
	if replaced, err = s.CleanDocument(ctx, texts...); err != nil {
		return false, err
	}
	limit, err := s.textLimit(ctx)
	if err != nil {
		return false, err
	}
	for _, t := range texts {
		size := len(*t)
		var cut bool
		if *t, cut = doc.Cut(*t, limit); cut {
			s.Warn(fmt.Sprintf("a text of %d bytes was cut to %d, with the length and the hash of the whole; see %s", size, limit, keyTextLimit))
		}
	}
	return replaced, nil
}

// CleanDocument is Clean without the limit, for a whole document: its end must not go.
func (s *Store) CleanDocument(ctx context.Context, texts ...*string) (replaced bool, err error) {
	rules, err := s.Redaction(ctx)
	if err != nil {
		return false, err
	}
	for _, t := range texts {
		var did bool
		*t, did = doc.Clean(*t)
		replaced = replaced || did
		s.redact(rules, t)
	}
	return replaced, nil
}

// checkStep makes a step fit to be recorded, and reports whether its text had to
// be changed.
func (s *Store) checkStep(ctx context.Context, step *NewStep) (replaced bool, err error) {
	if replaced, err = s.Clean(ctx, &step.Observation, &step.Thought, &step.Action); err != nil {
		return false, err
	}
	if step.Time.IsZero() {
		if step.Time, err = s.Stamp(); err != nil {
			return false, err
		}
	}
	step.Time = step.Time.UTC()
	if err := step.check(); err != nil {
		return false, err
	}
	return replaced, s.cleanAttachments(ctx, step)
}

// check refuses what a step cannot contain.
func (step *NewStep) check() error {
	size := len(step.Observation) + len(step.Thought) + len(step.Action)
	switch {
	case size == 0:
		return fail.New(fail.ErrInvalid, fail.StepEmpty, "a step needs an observation, a thought or an action",
			"git context record -o TEXT -t TEXT -a TEXT")
	case size > MaxStep:
		return fail.New(fail.ErrInvalid, fail.StepTooLarge,
			fmt.Sprintf("the step has %d bytes; at most %d can be recorded", size, MaxStep))
	}
	if err := checkTokens(step.Tokens); err != nil {
		return err
	}
	if y := step.Time.UTC().Year(); y < 0 || y > 9999 { // what a document can contain
		return fail.New(fail.ErrInvalid, fail.TimeInvalid, fmt.Sprintf("the year %d is outside of 0 to 9999", y))
	}
	if step.Agent != "" {
		if err := CheckAgent(step.Agent); err != nil {
			return err
		}
	}
	for _, v := range []struct{ what, code, value string }{
		{"session", fail.SessionInvalid, step.Session}, {"model", fail.ModelInvalid, step.Model},
		{"source", fail.SourceInvalid, step.Source},
	} {
		if err := CheckLine(v.what, v.code, v.value); err != nil {
			return err
		}
	}
	return nil
}

// CleanValue is Clean for the value of a name, which may be what says that it is a secret.
func (s *Store) CleanValue(ctx context.Context, name string, value *string) (replaced bool, err error) {
	if replaced, err = s.Clean(ctx, value); err != nil {
		return false, err
	}
	named := name + " = " + *value
	if _, err = s.CleanDocument(ctx, &named); err != nil { // the value is within the limit
		return false, err
	}
	if rest, ok := strings.CutPrefix(named, name+" = "); ok {
		*value = rest
	}
	return replaced, nil
}

func (s *Store) redact(rules *redact.Rules, text *string) {
	clean, found := rules.Text(*text)
	if len(found) == 0 {
		return
	}
	*text = clean
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range found {
		s.redacted[f.Kind] = true
	}
}

// Redaction returns the rules of context.redact beside the built-in ones.
func (s *Store) Redaction(ctx context.Context) (*redact.Rules, error) {
	cfg, err := s.repo.Config(ctx)
	if err != nil {
		return nil, err
	}
	patterns := cfg.All(KeyRedact)
	if len(patterns) == 0 {
		return nil, nil
	}
	rules, err := redact.Compile(patterns)
	if err != nil {
		return nil, fail.New(fail.ErrInvalid, fail.ConfigInvalid, KeyRedact+": "+err.Error(), "git config --get-all "+KeyRedact)
	}
	return rules, nil
}

// Cleaner returns a function that replaces the secrets in a text by marks, for a text that is cut before it is
// stored: half of a secret is not recognized. The settings are read once. Close says which secrets were found.
// The function may be called concurrently.
// fail.ErrInvalid for a pattern of context.redact that is none.
func (s *Store) Cleaner(ctx context.Context) (func(text string) string, error) {
	rules, err := s.Redaction(ctx)
	if err != nil {
		return nil, err
	}
	return func(text string) string {
		s.redact(rules, &text)
		return text
	}, nil
}

// warnRedacted says which kinds of secrets were replaced since it was called last.
func (s *Store) warnRedacted() {
	s.mu.Lock()
	kinds := slices.Sorted(maps.Keys(s.redacted))
	clear(s.redacted)
	s.mu.Unlock()
	if len(kinds) > 0 {
		s.Warn("secrets were replaced by marks, and not stored: " + strings.Join(kinds, ", "))
	}
}
