package notes_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/git"
)

// A note that has no room for the lines of both sides stays as it is here, and keeps no other from its lines. Without other
// news the notes stay behind those that have ours in their history.
func TestUniteFull(t *testing.T) {
	var lines strings.Builder
	for i := range notes.MostLines + notes.RoomLines {
		fmt.Fprintln(&lines, "x", i)
	}
	for name, full := range map[string]string{"lines": lines.String(), "bytes": strings.Repeat("x", notes.MostBytes+notes.RoomBytes-1) + "\n"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			ctx := t.Context()
			root := w.notesCommit(git.NotesRef, two, map[git.ID]string{object(1): "ours\n", object(2): "two\n"})
			theirs := w.notesCommit(theirNotes, two, map[git.ID]string{object(1): full, object(2): "two\n"}, root)
			u, err := notes.Begin(ctx, w.repo)
			w.must(err)
			w.must(u.Unite(ctx, theirs))
			tip, moved := w.queue(u)
			if moved || tip != root || !u.Behind || u.Kept != 0 || !u.Full[object(1)] || len(u.Full) != 1 {
				t.Errorf("without news: moved %v, behind %v, kept %d, full %v", moved, u.Behind, u.Kept, u.Full)
			}
			news := w.notesCommit(theirNotes, two, map[git.ID]string{object(1): full, object(2): "news\n", object(3): "three\n"}, theirs)
			u, err = notes.Begin(ctx, w.repo)
			w.must(err)
			w.must(u.Unite(ctx, news))
			if tip, moved = w.queue(u); !moved || u.Behind || u.Kept != 1 || len(w.parents(tip)) != 2 {
				t.Errorf("with news: moved %v, behind %v, kept %d", moved, u.Behind, u.Kept)
			}
			got := w.lines(git.NotesRef)
			if want := "map[" + string(object(1)) + ":[ours] " + string(object(2)) + ":[news two] " + string(object(3)) + ":[three]]"; fmt.Sprint(got) != want {
				t.Errorf("got %v, want %s", got, want)
			}
			w.git("update-ref", git.NotesRef, string(news))
			u, err = notes.Begin(ctx, w.repo)
			w.must(err)
			if err := u.Add(ctx, object(1), []byte("more\n")); !errors.Is(err, notes.ErrTooLarge) {
				t.Errorf("Add: %v", err)
			}
			w.must(u.Restore(ctx, map[git.ID][]byte{object(1): []byte("more\n"), object(2): []byte("more\n")}, ""))
			w.queue(u)
			if got := w.lines(git.NotesRef)[string(object(2))]; fmt.Sprint(got) != "[more news]" {
				t.Errorf("restored: %v", got)
			}
		})
	}
}
