package git

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
)

// NamedObject is an object, and the path at which it was found first: "" for a commit
// and for the tree of one.
type NamedObject struct {
	ID   ID
	Path string
}

// History lists the commits that tips reach, parents before their children, with their
// parents as they stand (those beyond the edge of a shallow clone left out). It is one
// child, and a few words of memory for each commit.
func (r *Repo) History(ctx context.Context, tips []ID) ([]NewCommit, error) {
	out, err := r.reach(ctx, tips, "--topo-order", "--parents")
	if err != nil {
		return nil, err
	}
	list, err := r.parentLines(out)
	slices.Reverse(list)
	return list, err
}

// Objects lists every object that tips reach and those of not do not, each once.
func (r *Repo) Objects(ctx context.Context, tips, not []ID) ([]NamedObject, error) {
	all := slices.Clone(tips)
	for _, id := range not {
		all = append(all, "^"+id)
	}
	out, err := r.reach(ctx, all, "--objects")
	if err != nil {
		return nil, err
	}
	list := make([]NamedObject, 0, bytes.Count(out, []byte("\n")))
	for line := range strings.Lines(string(out)) {
		id, path, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !isHex(id, r.hexLen()) {
			return nil, fmt.Errorf("git rev-list: cannot understand '%s'", shown(line))
		}
		list = append(list, NamedObject{ID(id), path})
	}
	return list, nil
}

// reach runs rev-list from tips; a tip that begins with '^' is left out, with all that
// it reaches.
func (r *Repo) reach(ctx context.Context, tips []ID, args ...string) ([]byte, error) {
	if len(tips) == 0 {
		return nil, nil
	}
	var in bytes.Buffer
	for _, id := range tips {
		if !isHex(strings.TrimPrefix(string(id), "^"), r.hexLen()) {
			return nil, fmt.Errorf("'%s' is no object id", shown(string(id)))
		}
		fmt.Fprintln(&in, id)
	}
	return r.RunInput(ctx, in.Bytes(), append(append([]string{"rev-list"}, args...), "--stdin")...)
}

// Unreachable lists the objects that no ref and no index leads to, in no order; what
// only a reflog leads to is among them. It walks the whole repository once, as
// `git fsck --connectivity-only` does, and does not mind what else is wrong there.
func (r *Repo) Unreachable(ctx context.Context) ([]ID, error) {
	out, err := r.Run(ctx, "fsck", "--unreachable", "--no-reflogs", "--connectivity-only", "--no-progress", "--no-dangling")
	if code := ExitCode(err); err != nil && (code <= 0 || code >= 128) {
		return nil, err
	}
	var ids []ID
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) == 3 && f[0] == "unreachable" && isHex(f[2], r.hexLen()) {
			ids = append(ids, ID(f[2]))
		}
	}
	return r.unreached(ctx, ids)
}

// unreached removes from ids what refs and indexes reach after all, and fetches
// nothing: `git fsck` follows no commit that a remote promises.
func (r *Repo) unreached(ctx context.Context, ids []ID) ([]ID, error) {
	partial, err := r.Partial()
	if err != nil || !partial || len(ids) == 0 {
		return ids, err
	}
	reached := map[ID]bool{}
	err = r.EachReachable(ctx, nil, func(id ID) { reached[id] = true }, "--missing=allow-any", "--all", "--indexed-objects")
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(ids, func(id ID) bool { return reached[id] }), nil
}

// EachReachable hands each every object that tips, and what args add in the words of
// git-rev-list(1) ("--all", "--reflog"), reach, each object once and in no order. It is
// one child, and takes no memory for what it lists.
func (r *Repo) EachReachable(ctx context.Context, tips []ID, each func(ID), args ...string) error {
	full := append([]string{"rev-list", "--objects", "--no-object-names"}, args...)
	return r.EachLine(ctx, LineOptions{Input: idLines(tips)}, func(line []byte) error {
		if !isHex(string(line), r.hexLen()) {
			return fmt.Errorf("git rev-list: cannot understand '%s'", shown(string(line)))
		}
		each(ID(line))
		return nil
	}, append(full, "--stdin")...)
}

// idLines is an id on each line, for a command's --stdin.
func idLines(ids []ID) *bytes.Buffer {
	var in bytes.Buffer
	for _, id := range ids {
		fmt.Fprintln(&in, id)
	}
	return &in
}

// Parts cuts the message before its body and before its trailers, so that the three
// joined are the message. Where a part is missing it is "".
func (c *Commit) Parts() (subject, body, trailers string) {
	lead := len(c.Message) - len(strings.TrimLeft(c.Message, "\n"))
	at := strings.Index(c.Message[lead:], "\n\n")
	if at < 0 {
		return c.Message, "", ""
	}
	at += lead + 2
	subject, rest := c.Message[:at], c.Message[at:]
	text, block := splitTrailers(rest)
	if block == "" {
		return subject, rest, ""
	}
	if text == "" && !strings.HasPrefix(rest, "\n\n") {
		return subject, "", rest
	}
	return subject, rest[:len(text)+2], rest[len(text)+2:]
}

// Unsigned returns Extra without the signatures, which hold for one content alone.
func (c *Commit) Unsigned() []byte {
	var kept []byte
	drop := false
	for line := range bytes.Lines(c.Extra) {
		if line[0] != ' ' { // else it goes on the header above
			drop = bytes.HasPrefix(line, []byte("gpgsig"))
		}
		if !drop {
			kept = append(kept, line...)
		}
	}
	return kept
}
