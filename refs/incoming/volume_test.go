package incoming_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/share"
)

// What packs well is refused by what it takes once it is unpacked.
func TestBytesOfAFetch(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s := r.Open()
	memtest.OK(share.Init(t.Context(), s, share.InitOptions{}))(t)
	var topics []string
	for i := range 9 { // commands refuse so much
		topics = append(topics, fmt.Sprintf("100644 topic%d.md %s", i, r.Blob(strings.Repeat(strconv.Itoa(i), 31<<20))))
	}
	branch := git.BranchRef("main")
	root := []string{"040000 topics " + makeTree(r, topics...)}
	for line := range strings.Lines(r.Git("ls-tree", "--format=%(objectmode) %(path) %(objectname)", branch)) {
		root = append(root, strings.TrimSpace(line))
	}
	slices.SortFunc(root, func(a, b string) int { return strings.Compare(strings.Fields(a)[1], strings.Fields(b)[1]) })
	message := r.Git("log", "-1", "--format=%B", branch)
	r.Git("update-ref", branch, r.Git("commit-tree", "-p", branch, "-m", message, makeTree(r, root...)))
	c, in := cloneOf(r)
	if err := incoming.Check(t.Context(), c.Open(), in); err != nil {
		t.Errorf("with the default: %v", err)
	}
	c.Git("config", "context.maxNewEntries", "100")
	err := incoming.Check(t.Context(), c.Open(), in)
	refused(t, err, in)
	if !strings.Contains(fmt.Sprint(err), "more than 259 MiB") {
		t.Error(err)
	}
}

// So it is with what many commits have each: folders, messages, trailers, and files of entries.
func TestVolumeOfAFetch(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	memtest.OK(share.Init(t.Context(), r.Open(), share.InitOptions{}))(t)
	r.Git("config", "core.compression", "0")
	branch := git.BranchRef("main")
	main, tree := r.Git("rev-parse", branch), r.Git("rev-parse", branch+"^{tree}")
	text := memtest.OK(hex.DecodeString(r.Blob("text")))(t)
	raw := func(i int) string { // a folder of topics, of 7 MiB
		var data bytes.Buffer
		id := memtest.OK(hex.DecodeString(r.Blob(strconv.Itoa(i))))(t)
		for n := 0; data.Len() < 7<<20; n++ {
			fmt.Fprintf(&data, "100644 topic%06d.md\x00%s", n, id)
			id = text
		}
		return r.Input(data.Bytes(), "hash-object", "-t", "tree", "-w", "--stdin")
	}
	for _, test := range []struct {
		commits int
		want    string
		message func(i int) string
		tree    func(i int) string
	}{
		{23, "MiB of messages", func(i int) string { return strings.Repeat(strconv.Itoa(i%10), 3<<20) + "\n\nA: b\n" }, nil},
		{11, "MiB of trailers", func(i int) string { return "x\n\nA" + strconv.Itoa(i) + ": " + strings.Repeat("b", 900_000) }, nil},
		{80, "MiB of folders", nil, func(i int) string {
			if i%2 == 1 { // what was gone is new again
				return tree
			}
			return makeTree(r, "040000 topics "+raw(i))
		}},
		{40, "", nil, func(i int) string { return makeTree(r, "040000 topics "+raw(i)) }}, // it has what its parent has
		{80, "more than 522 MiB of folders", nil, func(i int) string { return makeTree(r, "040000 topics "+raw(i)) }},
		{9, "MiB of steps and commits", nil, func(i int) string {
			return makeTree(r, "100644 log.md "+r.Blob(strings.Repeat(strconv.Itoa(i), 31<<20)))
		}},
	} {
		at := main
		for i := range test.commits {
			message, now := "x", tree
			if test.message != nil {
				message = test.message(i)
			}
			if test.tree != nil {
				now = test.tree(i)
			}
			at = r.Input([]byte(message), "commit-tree", "-p", at, now)
		}
		in := incoming.Refs{Branches: []git.Ref{{Name: git.RemoteTracking("origin").Branches() + "main", ID: git.ID(at)}}}
		err := incoming.Check(t.Context(), r.Open(), in)
		if test.want == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		refused(t, err, in)
		if !strings.Contains(fmt.Sprint(err), test.want) {
			t.Errorf("no '%s': %v", test.want, err)
		}
	}
}

// So it is with the revisions of a large roadmap, each of which is read as a whole.
func TestVolumeOfTheRoadmap(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	memtest.OK(share.Init(t.Context(), r.Open(), share.InitOptions{}))(t)
	r.Git("config", "core.compression", "1")
	at := r.Git("rev-parse", git.RoadmapRef)
	for i := range 18 {
		tree := makeTree(r, "100644 main.md "+r.Blob(strings.Repeat(strconv.Itoa(i%10)+"\n", 15<<20)+strconv.Itoa(i)))
		at = r.Input([]byte("x"), "commit-tree", "-p", at, tree)
	}
	in := incoming.Refs{Roadmap: []git.Ref{{Name: git.RemoteTracking("origin").Roadmap(), ID: git.ID(at)}}}
	err := incoming.Check(t.Context(), r.Open(), in)
	refused(t, err, in)
	if !strings.Contains(fmt.Sprint(err), "MiB of revisions of the roadmap") {
		t.Error(err)
	}
}
