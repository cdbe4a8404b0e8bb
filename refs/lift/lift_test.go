package lift_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/lift"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// Whatever a teammate asks to forget of what was written here is hidden by a sync, and all of it is back once it is refused,
// beside what was written meanwhile, here and in the clone that asked.
func TestRefuse(t *testing.T) {
	t.Parallel()
	for name, match := range map[string]string{
		"a word of everything": "cormorant", "a step": "cormorant-step", "a commit": "cormorant-commit", "a topic": "cormorant-topic",
		"a to-do": "cormorant-todo", "a branch's only commit": "cormorant-idea",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := memtest.NewFleet(t, 1)
			mine := f.Clones[0]
			write(mine)
			mine.Sync("")
			f.Join(share.InitOptions{})
			other := f.Clones[1]
			other.Adopt("idea")
			before, idea := mine.Content("main"), mine.Content("idea")

			res := other.Expunge(expunge.Options{Match: match, Yes: true})
			if res.Entries+res.Texts == 0 {
				t.Fatal("nothing was expunged")
			}
			for _, remote := range res.Remotes {
				for _, command := range remote.Commands {
					if args := strings.Fields(command); args[1] == "push" {
						other.Git(args[1:]...)
					}
				}
			}
			other.Sync("")
			mine.Sync("")
			if reflect.DeepEqual(mine.Content("main"), before) && reflect.DeepEqual(mine.Content("idea"), idea) {
				t.Fatal("nothing was hidden")
			}
			mine.Remember("main", "later", "written while it was hidden\n")

			ctx, s := t.Context(), mine.Open()
			list := memtest.OK(expunge.Requests(ctx, s))(t)
			if len(list) == 0 {
				t.Fatal("there is no request")
			}
			what := list[0].Asked
			for _, r := range list[1:] {
				what = what.Union(r.Asked)
			}
			if w := memtest.OK(lift.Refuse(ctx, s, store.Writer{}, list, what))(t); len(w) > 0 {
				t.Errorf("warnings: %q", w)
			}
			back := mine.Content("main")
			if back.Topics["later"] == "" {
				t.Error("what was written while it was hidden is gone")
			}
			delete(back.Topics, "later")
			before.Metadata, back.Metadata = nil, nil // the topic is in its totals
			if !reflect.DeepEqual(back, before) {
				t.Errorf("main is\n%+v\nand was\n%+v", back, before)
			}
			if now := mine.Content("idea"); !reflect.DeepEqual(now, idea) {
				t.Errorf("idea is\n%+v\nand was\n%+v", now, idea)
			}
			f.Settle()
			if now := other.Content("idea"); !reflect.DeepEqual(now, idea) {
				t.Errorf("in the clone that asked idea is\n%+v\nand was\n%+v", now, idea)
			}
		})
	}
}

// write writes texts that a test expunges.
func write(r *memtest.Repo) {
	r.T.Helper()
	ctx := r.T.Context()
	_, err := r.Open().Record(ctx, []store.NewStep{{Action: "look", Observation: "a cormorant-step dives"}})
	r.Must(err)
	r.Commit("main", "A cormorant-commit")
	r.Remember("main", "bird", "the cormorant-topic swims\n")
	_, err = r.Open().EditRoadmap(ctx, store.Writer{}, "add", func(m *doc.Roadmap) error {
		m.AddTodo("Feed the cormorant-todo")
		return nil
	})
	r.Must(err)
	r.Branch("idea", "main")
	r.Commit("idea", "The cormorant-idea")
}
