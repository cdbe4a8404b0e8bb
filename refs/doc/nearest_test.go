package doc

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"main", "exp/pool", "rewrite"}
	for word, want := range map[string]string{
		"mian": "main", "man": "main", "Main": "main", "maims": "", "exp-pool": "exp/pool", "rewirte": "rewrite", "xyz": "", "": "",
	} {
		if got := Nearest(word, names); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
	if d := editDistance([]rune("abcd"), []rune("badc")); d != 2 {
		t.Errorf("two swaps are %d edits", d)
	}
}
