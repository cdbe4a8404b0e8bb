package git

import (
	"context"
	"fmt"
	"strings"
)

// Identity is who commits.
type Identity struct{ Name, Email string }

// Committer returns the committer's identity by git's rules: GIT_COMMITTER_NAME
// and GIT_COMMITTER_EMAIL, then committer.*, user.*, EMAIL, all without a
// process; else what git makes up, or its error, which says what to set.
func (r *Repo) Committer(ctx context.Context) (Identity, error) {
	c, err := r.Config(ctx)
	if err != nil {
		return Identity{}, err
	}
	id := Identity{
		Name:  cleanName(r.identityPart(c, "GIT_COMMITTER_NAME", "name")),
		Email: cleanName(r.identityPart(c, "GIT_COMMITTER_EMAIL", "email")),
	}
	if strict, err := c.Bool("user.useconfigonly", false); err == nil && !strict && r.identityPart(c, "GIT_COMMITTER_EMAIL", "email") == "" {
		id.Email = cleanName(r.Getenv("EMAIL"))
	}
	if id.Name != "" && id.Email != "" {
		return id, nil
	}
	out, err := r.Run(ctx, "var", "GIT_COMMITTER_IDENT")
	if err != nil {
		return Identity{}, fmt.Errorf("the committer is unknown: %w", err)
	}
	s, err := parseSignature(strings.TrimSuffix(string(out), "\n"))
	if err != nil {
		return Identity{}, err
	}
	return Identity{Name: s.Name, Email: s.Email}, nil
}

func (r *Repo) identityPart(c *Config, variable, key string) string {
	if value := r.Getenv(variable); value != "" {
		return value
	}
	for _, section := range []string{"committer.", "user."} {
		if value, ok := c.String(section + key); ok {
			return value
		}
	}
	return ""
}

// cleanName removes what git removes: '<', '>' and line breaks, which delimit an
// identity in a commit, and punctuation and white space around it.
func cleanName(s string) string {
	s = strings.TrimFunc(s, func(c rune) bool {
		return c <= ' ' || strings.ContainsRune(`.,:;<>"\'`, c)
	})
	return strings.Map(func(c rune) rune {
		if c == '<' || c == '>' || c == '\n' || c == 0 {
			return -1
		}
		return c
	}, s)
}
