package doc

import "strings"

// nearest returns the item whose text is most like the one given, "" if none is near: at
// most a third of the characters differ. Only beginnings count, so that a long item
// costs no more than a short one.
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

// editDistance is Levenshtein's, with two neighbours that changed places counted as
// one edit: the slip of the finger that people make most.
func editDistance(a, b []rune) int {
	var before []int // the row before the last
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
