package git

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/git-context/git-context/refs/git/disk"
)

// promises is what is known of missing objects of a partial clone.
type promises struct {
	tell atomic.Bool // see TellLost

	mu    sync.Mutex
	packs []string    // of promised objects, when that was found out
	known map[ID]bool // of missing objects: whether a remote promises them
}

// TellLost makes this repository tell the lost objects of a partial clone from those that a remote promises: what a pack from
// there contains, or leads to. Without it every missing object may be promised, which costs nothing to say.
func (r *Repo) TellLost() { r.promises.tell.Store(true) }

// NotPromised lists which of some objects are not here and promised by no remote. It fetches nothing. It fails where one may be in
// an alternate that cannot be read.
func (r *Repo) NotPromised(ctx context.Context, ids []ID) (map[ID]bool, error) {
	infos, err := r.InfosHere(ctx, ids)
	if err != nil {
		return nil, err
	}
	missing := map[ID]bool{}
	for _, info := range infos {
		if info.Type == "" {
			missing[info.ID] = true
		}
	}
	lost, err := r.unpromised(ctx, missing)
	for id := range lost {
		return lost, r.missing(ctx, string(id), nil)
	}
	return lost, err
}

// here lists which of some objects are here. It fetches nothing, whereas `git cat-file` may fetch, or end where it must not.
func (r *Repo) here(ctx context.Context, ids []ID) (map[ID]bool, error) {
	found := map[ID]bool{}
	err := r.EachReachable(ctx, ids, func(id ID) { found[id] = true },
		"--no-walk", "--ignore-missing", "--missing=allow-any", "--filter=tree:0")
	return found, err
}

// unpromised returns those of missing objects that no remote promises. What the memory of remotes leads to is found out without asking
// git, which reads all packs from there for an answer.
func (r *Repo) unpromised(ctx context.Context, missing map[ID]bool) (map[ID]bool, error) {
	packs, err := r.promisorPacks()
	if len(packs)*len(missing) == 0 || err != nil {
		return missing, err
	}
	p := &r.promises
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil || !slices.Equal(packs, p.packs) {
		p.known, p.packs = map[ID]bool{}, packs
		if err := r.promisedMemory(ctx, p); err != nil {
			return nil, err
		}
	}
	var unknown []ID
	for id := range missing {
		if _, known := p.known[id]; !known {
			unknown = append(unknown, id)
		}
	}
	slices.Sort(unknown)
	const most = 200 // git names the lost ones among its last words
	for ids := range slices.Chunk(unknown, most) {
		if err := r.askPromised(ctx, p, ids); err != nil {
			return nil, err
		}
	}
	lost := map[ID]bool{}
	for id := range missing {
		if !p.known[id] {
			lost[id] = true
		}
	}
	return lost, nil
}

// promisorPacks lists the packs that came from a remote which promises what they lead to, without extensions.
func (r *Repo) promisorPacks() ([]string, error) {
	found, err := disk.Glob(filepath.Join(r.objectDir, "pack"), "*.promisor")
	for i, path := range found {
		found[i] = strings.TrimSuffix(path, ".promisor")
	}
	slices.Sort(found)
	return found, err
}

// promisedMemory notes what the commits of memory lead to that remotes promise.
func (r *Repo) promisedMemory(ctx context.Context, p *promises) error {
	refs, err := r.Refs(ctx, strings.TrimSuffix(Root, "/"), "refs/notes")
	if err != nil {
		return err
	}
	tips := make([]ID, len(refs))
	for i, ref := range refs {
		tips[i] = ref.ID
	}
	commits, err := r.commitsHere(ctx, tips)
	if err != nil {
		return err
	}
	theirs, err := r.promisedOf(commits, p.packs)
	if err != nil || len(theirs) == 0 {
		return err
	}
	here := make(map[ID]bool, len(commits))
	for _, c := range commits {
		here[c.ID] = true
	}
	var list []ID
	for _, c := range commits { // children before their parents
		if !theirs[c.ID] {
			continue
		}
		list = append(list, c.ID)
		for _, parent := range c.Parents {
			theirs[parent] = true
			if !here[parent] {
				p.known[parent] = true
			}
		}
	}
	absent, err := r.notHere(ctx, list, "--no-walk=unsorted")
	if ExitCode(err) > 0 { // something is damaged: git is asked for each object
		return nil
	}
	for id := range absent {
		p.known[id] = true
	}
	return err
}

// commitsHere lists the commits that tips lead to and that are here, as far as they can be read, children before their parents.
func (r *Repo) commitsHere(ctx context.Context, tips []ID) ([]NewCommit, error) {
	list, err := r.History(ctx, tips)
	if err != nil && ExitCode(err) <= 0 {
		return nil, err
	}
	here := map[ID]bool{}
	for _, n := range list {
		here[n.ID] = true
	}
	lacks := func(n NewCommit) bool {
		return slices.ContainsFunc(n.Parents, func(p ID) bool { return !here[p] })
	}
	if err == nil && !slices.ContainsFunc(list, lacks) {
		slices.Reverse(list)
		return list, nil
	}
	return r.walkHere(ctx, tips)
}

// walkHere is commitsHere where git does not get through.
func (r *Repo) walkHere(ctx context.Context, tips []ID) (list []NewCommit, err error) {
	edge, err := r.Shallow()
	if err != nil {
		return nil, err
	}
	cat := &catFile{} // the other one may be in use
	cat.init(r)
	defer func() { err = errors.Join(err, cat.close()) }()
	parents := map[ID][]ID{} // of those whose ancestors come first
	done := map[ID]bool{}
	for stack := slices.Clone(tips); len(stack) > 0; {
		id := stack[len(stack)-1]
		if known, opened := parents[id]; opened || done[id] {
			stack = stack[:len(stack)-1]
			if !done[id] {
				done[id], list = true, append(list, NewCommit{ID: id, Parents: known})
			}
			continue
		}
		c, err := cat.commitHere(ctx, id)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		switch {
		case err != nil: // it is missing, or damaged, which others report
			done[id] = true
		case edge[id]:
			parents[id] = nil
		default:
			parents[id] = c.Parents
			stack = append(stack, c.Parents...)
		}
	}
	slices.Reverse(list)
	return list, nil
}

// commitHere reads a commit.
func (c *catFile) commitHere(ctx context.Context, id ID) (parsed *Commit, err error) {
	o, err := c.repo.loose(id)
	if errors.Is(err, fs.ErrNotExist) {
		err = c.many(ctx, "contents", []string{string(id)}, func(s *session, rev string) (err error) {
			o, err = readAnswer(s.out, rev, c.repo.hexLen(), true)
			return err
		})
	}
	if err != nil {
		return nil, err
	}
	return ParseCommit(o.ID, o.Data)
}

// promisedOf returns which commits are in one of some packs. It reads a few bytes of each index.
func (r *Repo) promisedOf(commits []NewCommit, packs []string) (map[ID]bool, error) {
	ids := make([]ID, len(commits))
	for i, c := range commits {
		ids[i] = c.ID
	}
	left, err := rawNames(ids)
	if err != nil {
		return nil, err
	}
	found := map[ID]bool{}
	for _, pack := range packs {
		f, err := os.Open(pack + ".idx")
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		left, err = inIndex(f, left, func(raw string) { found[ID(hex.EncodeToString([]byte(raw)))] = true })
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// rawNames returns ids as an index has them.
func rawNames(ids []ID) ([]string, error) {
	names := make([]string, len(ids))
	for i, id := range ids {
		raw, err := hex.DecodeString(string(id))
		if err != nil {
			return nil, err
		}
		names[i] = string(raw)
	}
	return names, nil
}

// InIndex reports whether the index of a pack lists one of some objects. It reads a few bytes. An index of version 1 lists none.
func InIndex(path string, ids []ID) (bool, error) {
	names, err := rawNames(ids)
	if err != nil {
		return false, err
	}
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	rest, err := inIndex(f, names, func(string) {})
	return len(rest) < len(names), err
}

// inIndex hands on which of some names are in the index of a pack (gitformat-pack(5)), and returns the others. An index of version 1
// is passed over.
func inIndex(f io.ReaderAt, names []string, has func(string)) (rest []string, err error) {
	const table = 8 // where the number of names up to each first byte is
	var head [table + 256*4]byte
	if _, err := f.ReadAt(head[:], 0); errors.Is(err, io.EOF) || err == nil && string(head[:4]) != "\377tOc" {
		return names, nil
	} else if err != nil {
		return nil, err
	}
	upTo := func(first int) int64 { return int64(binary.BigEndian.Uint32(head[table+4*first:])) }
	for _, name := range names {
		from, to := int64(0), upTo(int(name[0]))
		if name[0] > 0 {
			from = upTo(int(name[0]) - 1)
		}
		at := make([]byte, len(name))
		for from < to {
			mid := (from + to) / 2
			if _, err := f.ReadAt(at, int64(len(head))+mid*int64(len(at))); err != nil {
				return nil, err
			}
			order := bytes.Compare(at, []byte(name))
			if order == 0 {
				break
			}
			if order < 0 {
				from = mid + 1
			} else {
				to = mid
			}
		}
		if from < to {
			has(name)
		} else {
			rest = append(rest, name)
		}
	}
	return rest, nil
}

// askPromised asks git which missing objects are promised. `git fsck` names those that are not; it does so before it looks
// at anything else, and fetches nothing.
func (r *Repo) askPromised(ctx context.Context, p *promises, ids []ID) error {
	args := []string{"-c", "core.multiPackIndex=false", "fsck", "--connectivity-only", "--no-dangling", "--no-progress"}
	for _, id := range ids {
		args = append(args, string(id))
	}
	err := r.EachLine(ctx, LineOptions{}, func([]byte) error { return nil }, args...)
	var died *Error
	if err != nil && (!errors.As(err, &died) || died.Code <= 0 || died.Code >= 128) {
		return err
	}
	for _, id := range ids {
		p.known[id] = died == nil || !strings.Contains(died.Stderr, "error: "+string(id)+": ")
	}
	return nil
}
