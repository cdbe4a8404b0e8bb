package index

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestTelling(t *testing.T) {
	t.Parallel()
	const text = "not every test of the goroutine fails because the goroutine leaks in error code 17"
	got := RarestTerms(text, 2)
	if want := []string{"goroutin", "leak"}; !slices.Equal(got, want) {
		t.Errorf("the most telling are %q, not %q", got, want)
	}
	if got := RarestTerms(text, 100); len(got) != 10 {
		t.Errorf("all are %q", got)
	}
	if got := RarestTerms("the of ?!", 5); len(got) != 0 {
		t.Errorf("of nothing, %q", got)
	}
	if got := RarestTerms(strings.Repeat("pool drain ", 5_000), 5); len(got) != 2 {
		t.Errorf("of a long text, %q", got)
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	shard := func(texts ...string) Source {
		b := NewBuilder()
		b.Unit(Key{})
		for i, text := range texts {
			b.Document(DocID{byte(i + 1)})
			b.Text(text, 1)
		}
		data := b.Bytes()
		s, err := Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		return Source{Shard: s, Units: []bool{true}}
	}
	sources := []Source{shard("the pool", "a pool and a pool", "drain"), shard("pool drain")}
	for term, want := range map[string]int{"pool": 3, "drain": 2, "nothing": 0} {
		holding, all, err := Count(sources, term)
		if holding != want || all != 4 || err != nil {
			t.Errorf("Count(%s) = %d of %d, %v; want %d of 4", term, holding, all, err, want)
		}
	}
}
