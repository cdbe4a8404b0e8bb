package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// modelDoc is a document as the naive model has it.
type modelDoc struct {
	unit  int
	id    DocID
	title string
	text  string
}

func (d modelDoc) terms() []string {
	title := Tokens(d.title)
	return slices.Concat(title, title, Tokens(d.text))
}

// modelScores is BM25 by its formula, over the documents of units that are searched.
func modelScores(docs []modelDoc, units []bool, query []string) map[DocID]float64 {
	docs = slices.DeleteFunc(slices.Clone(docs), func(d modelDoc) bool { return !units[d.unit] })
	length := 0
	for _, d := range docs {
		length += len(d.terms())
	}
	average := max(1, float64(length)) / float64(max(1, len(docs)))
	count := func(d modelDoc, term string) (n float64) {
		for _, t := range d.terms() {
			if t == term {
				n++
			}
		}
		return n
	}
	slices.Sort(query)
	scores := map[DocID]float64{}
	for _, term := range slices.Compact(query) {
		n := 0.0
		for _, d := range docs {
			if count(d, term) > 0 {
				n++
			}
		}
		for _, d := range docs {
			if f := count(d, term); f > 0 {
				idf := math.Log(1 + (float64(len(docs))-n+0.5)/(n+0.5))
				scores[d.id] += idf * f * 2.2 / (f + 1.2*(0.25+0.75*float64(len(d.terms()))/average))
			}
		}
	}
	return scores
}

func drawDocs(t *rapid.T) (docs []modelDoc, units int) {
	words := rapid.SliceOfN(rapid.SampledFrom(strings.Fields(
		"pool router parseHTTPRequest refs/git/names.go the of timeout connection 接続 café x retry_count")), 0, 12)
	units = rapid.IntRange(1, 5).Draw(t, "units")
	for i := range rapid.IntRange(0, 30).Draw(t, "docs") {
		d := modelDoc{title: strings.Join(words.Draw(t, "title"), " "), text: strings.Join(words.Draw(t, "text"), " ")}
		binary.BigEndian.PutUint32(d.id[:], uint32(i+1))
		d.unit = rapid.IntRange(0, units-1).Draw(t, "unit")
		docs = append(docs, d)
	}
	slices.SortStableFunc(docs, func(a, b modelDoc) int { return cmp.Compare(a.unit, b.unit) })
	return docs, units
}

func key(unit int) Key {
	return Key{ID: [20]byte{byte(unit)}, Kind: Kind(unit % int(kinds))}
}

// buildFrom builds the units for which in is true.
func buildFrom(b *Builder, docs []modelDoc, units int, in func(int) bool) []byte {
	for u := range units {
		if !in(u) {
			continue
		}
		b.Unit(key(u))
		for _, d := range docs {
			if d.unit == u {
				b.Document(d.id)
				b.Text(d.title, 2)
				b.Text(d.text, 1)
			}
		}
	}
	return b.Bytes()
}

func open(t interface{ Fatal(...any) }, data []byte) *Shard {
	s, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// However units are spread over shards, and merged, the ranking is the model's.
func TestRankIsTheModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		docs, units := drawDocs(t)
		where := rapid.SliceOfN(rapid.IntRange(0, 2), units, units).Draw(t, "where")
		b := NewBuilder()
		var shards []*Shard
		for i := range 3 {
			shards = append(shards, open(t, buildFrom(b, docs, units, func(u int) bool { return where[u] == i })))
		}
		searched := rapid.SliceOfN(rapid.Bool(), units, units).Draw(t, "searched")
		query := Tokens(strings.Join(rapid.SliceOfN(rapid.SampledFrom(strings.Fields(
			"pools router http names.go timeout 接続 CAFÉ retry zebra")), 1, 4).Draw(t, "query"), " "))
		want := modelScores(docs, searched, slices.Clone(query))
		check(t, shards, searched, query, want)
		merged, err := Merge(shards, func(k Key) bool { return searched[k.ID[0]] })
		if err != nil {
			t.Fatal(err)
		}
		if merged == nil {
			return
		}
		one := open(t, merged)
		for _, u := range one.Units() {
			if !searched[u.Key.ID[0]] {
				t.Fatalf("unit %v was to be left out", u.Key)
			}
		}
		check(t, []*Shard{one}, searched, query, want)
	})
}

func check(t *rapid.T, shards []*Shard, searched []bool, query []string, want map[DocID]float64) {
	var sources []Source
	for _, s := range shards {
		src := Source{Shard: s}
		for _, u := range s.Units() {
			src.Units = append(src.Units, searched[u.Key.ID[0]])
		}
		sources = append(sources, src)
	}
	hits, err := Rank(sources, query, 1000, nil, Counts{})
	if err != nil {
		t.Fatal(err)
	}
	if len(hits) != len(want) {
		t.Fatalf("%d hits, want %d", len(hits), len(want))
	}
	for i, h := range hits {
		if math.Abs(h.Score-want[h.ID]) > 1e-9 {
			t.Fatalf("%v scores %v, want %v", h.ID, h.Score, want[h.ID])
		}
		if i > 0 && h.Score > hits[i-1].Score {
			t.Fatal("not sorted")
		}
	}
}

// Among many, the best are the first of all.
func TestRankBestOfMany(t *testing.T) {
	t.Parallel()
	b := NewBuilder()
	b.Unit(key(0))
	for i := range 20_000 {
		var id DocID
		binary.BigEndian.PutUint32(id[:], uint32(i))
		b.Document(id)
		b.Text(strings.Repeat("pool ", 1+i*7919%13)+strings.Repeat("other ", i%17), 1)
	}
	src := []Source{{open(t, b.Bytes()), []bool{true}}}
	all, err := Rank(src, Tokens("pool"), 1<<20, nil, Counts{})
	if err != nil || len(all) != 20_000 {
		t.Fatal(len(all), err)
	}
	odd := func(_ Kind, id DocID) bool { return id[3]&1 == 1 }
	kept := slices.DeleteFunc(slices.Clone(all), func(h Hit) bool { return !odd(0, h.ID) })
	for _, n := range []int{0, 1, 10, 300, 5000} {
		some, err := Rank(src, Tokens("pool"), n, nil, Counts{})
		if err != nil || !slices.Equal(some, all[:n]) {
			t.Errorf("the best %d differ: %v", n, err)
		}
		if some, err = Rank(src, Tokens("pool"), n, odd, Counts{}); err != nil || !slices.Equal(some, kept[:n]) {
			t.Errorf("the best %d that are kept differ: %v", n, err)
		}
	}
}

// A byte that is not as it was written is found out before it does harm.
func TestDamageIsFound(t *testing.T) {
	t.Parallel()
	b := NewBuilder()
	b.Unit(key(0))
	for i := range 50 {
		b.Document(DocID{byte(i)})
		b.Text("pool router "+strings.Repeat("w", i), 1)
	}
	data := b.Bytes()
	whole := open(t, data)
	for at := range data {
		bad := slices.Clone(data)
		bad[at] ^= 0x41
		if s, err := Open(bytes.NewReader(bad), int64(len(bad))); err == nil {
			_, err = Merge([]*Shard{s}, func(Key) bool { return true })
			if !errors.Is(err, ErrDamaged) {
				t.Fatalf("byte %d: %v", at, err)
			}
		} else if !errors.Is(err, ErrDamaged) {
			t.Fatalf("byte %d: %v", at, err)
		}
		if _, err := Open(bytes.NewReader(data[:at]), int64(at)); !errors.Is(err, ErrDamaged) {
			t.Fatalf("cut at %d: %v", at, err)
		}
	}
	if _, err := Merge([]*Shard{whole}, func(Key) bool { return true }); err != nil {
		t.Fatal(err)
	}
}

// FuzzOpen reads files that somebody made up, their checksums right.
func FuzzOpen(f *testing.F) {
	b := NewBuilder()
	b.Unit(key(1))
	b.Document(DocID{1})
	b.Text("pool pool router", 1)
	f.Add(b.Bytes())
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Open(bytes.NewReader(seal(data)), int64(len(data)))
		if err != nil {
			return
		}
		src := Source{Shard: s, Units: make([]bool, len(s.Units()))}
		for i := range src.Units {
			src.Units[i] = true
		}
		_, _ = Rank([]Source{src}, []string{"pool", "router"}, 10, nil, Counts{})
		_, _ = Merge([]*Shard{s, s}, func(Key) bool { return true })
	})
}

// seal sets the checksums of a file, as far as they have a place in it.
func seal(data []byte) []byte {
	if len(data) < headerSize {
		return data
	}
	data = slices.Clone(data)
	le := binary.LittleEndian
	le.PutUint64(data[32:], uint64(len(data)))
	buckets := headerSize + int(le.Uint32(data[8:]))*unitSize + int(le.Uint32(data[12:]))*docSize
	end := buckets + bucketSize<<min(le.Uint32(data[16:]), 20)
	if end+checksumLen > len(data) {
		return data
	}
	rest, start := data[end+checksumLen:], 0
	for at := buckets; at < end; at += bucketSize {
		next := int(le.Uint32(data[at:]))
		if next >= start && next <= len(rest) {
			le.PutUint32(data[at+8:], checksum(rest[start:next]))
			start = next
		}
	}
	le.PutUint32(data[end:], checksum(data[:end]))
	return data
}
