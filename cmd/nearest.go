package cmd

import (
	"strings"

	"github.com/git-context/git-context/refs/doc"
)

// nearest gives the candidate that a mistyped or shortened word most likely
// meant, or "" when none is near.
func nearest(word string, candidates []string) string {
	letters := strings.TrimLeft(word, "-")
	for _, c := range candidates {
		bare := strings.TrimLeft(c, "-")
		if bare == letters || len(letters) > 1 && strings.HasPrefix(bare, letters) {
			return c
		}
	}
	return doc.Nearest(word, candidates)
}
