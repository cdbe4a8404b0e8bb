package git

import (
	"bytes"
	"slices"
	"testing"
)

// The beginnings of blobs are those of whole ones, loose and packed, small and giant.
func TestReadStarts(t *testing.T) {
	s, r := newRepo(t)
	const most = 5000
	blobs := map[ID][]byte{}
	var ids []ID
	for i, size := range []int{0, most - 1, most, most + 1, readWhole, readWhole + 1, 3 << 20} {
		data := bytes.Repeat([]byte{byte('a' + i), 'x', '\n'}, size/3+1)[:size]
		id := ok(r.WriteBlob(t.Context(), data))(t)
		blobs[id], ids = data, append(ids, id)
	}
	check := func(start Start, err error) {
		t.Helper()
		must(t, err)
		want := blobs[start.ID]
		if start.Size != int64(len(want)) || !bytes.Equal(start.Data, want[:min(most, len(want))]) ||
			start.Whole() != (len(want) <= most) || start.Type != "blob" {
			t.Errorf("blob of %d bytes: %d of %d, whole %v", len(want), len(start.Data), start.Size, start.Whole())
		}
	}
	for _, how := range []string{"loose", "packed"} {
		var read []ID
		must(t, r.ReadStarts(t.Context(), ids, most, func(start Start) error {
			check(start, nil)
			read = append(read, start.ID)
			return nil
		}))
		slices.Sort(read)
		if want := slices.Sorted(slices.Values(ids)); !slices.Equal(read, want) {
			t.Errorf("%s: %v instead of %v", how, read, want)
		}
		for _, id := range ids {
			check(r.BlobStart(t.Context(), id, most))
		}
		if how == "loose" {
			var names bytes.Buffer
			for _, id := range ids {
				names.WriteString(string(id) + "\n")
			}
			_ = ok(r.RunInput(t.Context(), names.Bytes(), "pack-objects", "-q", r.ObjectDir()+"/pack/pack"))(t)
			s.Git("r", "prune-packed")
		}
	}
	if _, err := r.BlobStart(t.Context(), r.EmptyTree(), most); err == nil {
		t.Error("a tree passes for a blob")
	}
}

// The beginning of a text does not end in a character; what is whole stays as it is.
func TestStartText(t *testing.T) {
	const text = "aé日"
	for n, want := range []int{0, 1, 1, 3, 3, 3, 6} {
		if got := (Start{Object{Data: []byte(text[:n])}, int64(len(text))}).Text(); string(got) != text[:want] {
			t.Errorf("%d bytes: %q", n, got)
		}
	}
	if got := (Start{Object{Data: []byte(text[:4])}, 4}).Text(); len(got) != 4 {
		t.Errorf("a whole text lost its end: %q", got)
	}
}
