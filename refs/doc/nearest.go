package doc

import "strings"

// Nearest returns the name most similar to the given one; "" if none is similar.
func Nearest(name string, names []string) string {
	items := make([]itemAt, len(names))
	for i, n := range names {
		items[i].Text = n
	}
	return nearest(name, items)
}

// nearest returns the text of the item most similar to text: at most a third of the
// characters may differ; "" if there is none. It compares only the first 64 characters, so
// that long items cost no more than short ones.
func nearest(text string, items []itemAt) string {
	const most = 64
	want := firstRunes(strings.ToLower(text), most)
	best, distance := "", len(want)/3+1
	for _, it := range items {
		if d := editDistance(want, firstRunes(strings.ToLower(it.Text), len(want)+2)); d < distance {
			best, distance = it.Text, d
		}
	}
	return best
}

func firstRunes(s string, n int) []rune {
	var runes []rune
	for _, r := range s {
		if len(runes) == n {
			break
		}
		runes = append(runes, r)
	}
	return runes
}

// editDistance is the Levenshtein distance, with a transposition of neighbours, the most
// common typing error, counted as one edit.
func editDistance(a, b []rune) int {
	var before []int // the row before last
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i, ca := range a {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j, cb := range b {
			cost := 1
			if ca == cb {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && ca == b[j-1] && a[i-1] == cb {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
