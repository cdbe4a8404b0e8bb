package index

import (
	"path/filepath"
	"slices"
	"testing"
)

// mostOtherWords is how many telling words a text of the class other-words may have in
// common with its case: those that the subject leaves no choice of.
const mostOtherWords = 2

// A pair that shares more words would be a paraphrase, and measured as such.
func TestOtherWordsAreOther(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"tuning", heldOut} {
		cases, pairs := labelled(t, filepath.Join("other-words", part))
		shared, texts := 0, 0
		for _, p := range pairs {
			if p.Class != "other-words" {
				continue
			}
			title, text := cases[p.Case].split()
			both := commonWords(p.Text, title+"\n"+text)
			if title == "" || len(both) > mostOtherWords {
				t.Errorf("%s has %v in common with its case", p.ID, both)
			}
			texts++
			if len(both) > 0 {
				shared++
			}
		}
		t.Logf("%s: %d of %d texts have a word in common with their case", part, shared, texts)
		if texts < 30 {
			t.Errorf("%s has only %d texts", part, texts)
		}
	}
}

// commonWords returns the terms of two texts that are neither fillers nor in most reports.
func commonWords(a, b string) (both []string) {
	in := Tokens(b)
	for _, term := range Tokens(a) {
		if slices.Contains(in, term) && !fillerWord(term) && !technicalWord(term) && !slices.Contains(both, term) {
			both = append(both, term)
		}
	}
	return both
}
