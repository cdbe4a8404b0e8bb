package doc

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Segments that are added, dropped and taken back are found where they are, whether there are few or many.
func TestFindAfterEdits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for i := range fewBlocks + rapid.IntRange(-3, 3).Draw(t, "segments") {
			fmt.Fprintf(&b, "k%d: 1\n", i)
		}
		m, err := ParseMetadata([]byte(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		key := rapid.Custom(func(t *rapid.T) string {
			return fmt.Sprint("k", rapid.IntRange(fewBlocks-4, fewBlocks+6).Draw(t, "number"))
		})
		check := func(key string) {
			at := -1
			for i := range m.blocks {
				if m.blocks[i].key == key {
					at = i
				}
			}
			if b := m.find(key); at < 0 && b != nil || at >= 0 && b != &m.blocks[at] {
				t.Fatalf("'%s' is not found at %d", key, at)
			}
		}
		for range rapid.IntRange(1, 12).Draw(t, "edits") {
			switch k := key.Draw(t, "key"); rapid.IntRange(0, 5).Draw(t, "edit") {
			case 0:
				m.drop(k)
			case 1:
				m.later = map[string]bool{}
			case 2:
				_ = m.Set(k, strings.Repeat("x", rapid.SampledFrom([]int{1, MetadataMost}).Draw(t, "size"))) // refused, it is taken back
			case 3, 4:
				if m.find(k) == nil {
					m.add(k)
				}
			}
			check(key.Draw(t, "looked for"))
			check(key.Draw(t, "looked for"))
		}
	})
}

// The index of the segments is not made anew for each that is added.
func TestAddKeepsIndex(t *testing.T) { // not parallel: it measures memory
	m, err := ParseMetadata([]byte("a: 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range 5000 {
		if k := fmt.Sprint("k", i); m.find(k) == nil {
			m.add(k)
		}
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 20<<20 {
		t.Errorf("%d MB", used>>20)
	}
}
