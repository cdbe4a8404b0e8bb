package fsck

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// checkTrailers compares the trailers of commits with their documents. checkDocuments checks
// Context-Id, Code-Commit and Context-Branch. A code commit or a roadmap that is not here may
// be elsewhere: no problem. Nor is what remotes have: a wrong word in an old message harms nothing, and no repair could
// reach it there.
func checkTrailers(ctx context.Context, c *checker) error {
	v, err := c.memory(ctx)
	if err != nil {
		return err
	}
	for _, n := range v.commits {
		x := v.statements[n.ID]
		if x == nil || !isOwn(n.Ref) {
			continue
		}
		what := v.commitFault(x)
		if x.roadmap != "" && !git.IsID(string(x.roadmap)) {
			what = fmt.Sprintf("%s: '%s' is not a full hash", store.TrailerRoadmap,
				incoming.Printable(string(x.roadmap)))
		}
		if what == "" || v.isTracked(n.ID) {
			continue
		}
		f := incoming.Flaw{Spot: n.Spot(), Kind: incoming.FlawTrailer, What: what, Cause: nil}
		v.flaws = append(v.flaws, f)
		c.report(ctx, nil, Problem{Kind: string(f.Kind), Object: string(n.ID), Message: f.Error(),
			Repair: v.repairWithout(f)})
	}
	return nil
}

// isTracked reports whether a tracking ref leads to a commit.
func (v *memory) isTracked(id git.ID) bool {
	return slices.ContainsFunc(v.tips, func(t incoming.Tip) bool {
		return !isOwn(t.Name) && v.leadsTo(t.ID, map[git.ID]bool{id: true})
	})
}

// commitFault returns how a commit's trailers differ from its entry, unless the entry is
// another commit's.
func (v *memory) commitFault(x *statement) string {
	top := v.in.Roots[x.at.Tree]
	r, read := v.records[top.Commits]
	if x.at.EntryID == "" || top.Bad || !read || r.steps == x.steps ||
		v.in.Files[incoming.FileKey{Kind: incoming.KindCommits, ID: top.Commits}].Last != x.at.EntryID {
		return ""
	}
	return fmt.Sprintf("%s says '%s', and the commit in %s '%s'", store.TrailerSteps,
		incoming.Printable(x.steps), doc.CommitFile, r.steps)
}

// checkTips compares the trailers of each branch's newest commit, which lists and new commits
// use, with its documents, and the documents with each other. Older commits do not matter.
// Mending adds a memory commit that is correct.
func checkTips(ctx context.Context, c *checker) error {
	v, err := c.memory(ctx)
	if err != nil {
		return err
	}
	flawed := v.flawed()
	for _, t := range v.tips {
		branch, ok := git.BranchName(t.Name)
		if !ok || t.Role != incoming.RoleBranch || flawed[t.ID] {
			continue
		}
		kind, faults, err := v.tipFaults(ctx, branch, t.ID)
		if err != nil {
			return err
		}
		if len(faults) == 0 {
			continue
		}
		c.report(ctx, func(ctx context.Context) error { return restate(ctx, c.s, c.w, branch) },
			Problem{Kind: kind, Object: t.Name, Repair: FixCommand,
				Message: fmt.Sprintf("branch '%s': %s", branch, strings.Join(faults, "; "))})
	}
	return nil
}

// flawed returns the commits with a reported flaw and their descendants.
func (v *memory) flawed() map[git.ID]bool {
	bad := map[git.ID]bool{}
	for _, f := range v.flaws {
		bad[f.At.ID] = true
	}
	for _, n := range v.commits { // parents come first
		if slices.ContainsFunc(n.Parents, func(p git.ID) bool { return bad[p] }) {
			bad[n.ID] = true
		}
	}
	return bad
}

// tipFaults returns what is wrong at a branch's tip. A commit without trailers, made by hand,
// is one problem whatever it changes.
func (v *memory) tipFaults(ctx context.Context, branch string, tip git.ID) (kind string, faults []string, err error) {
	x := v.statements[tip]
	if x == nil {
		return "", nil, nil
	}
	b, read, err := v.entriesOf(ctx, x.at.Tree)
	top := v.in.Roots[x.at.Tree]
	if err != nil || !read || v.in.Absent[top.Metadata] ||
		v.in.Files[incoming.FileKey{Kind: incoming.KindMetadata, ID: top.Metadata}].Bad {
		return "", nil, err
	}
	add := func(of, fault string) {
		if kind == "" {
			kind = of
		}
		faults = append(faults, fault)
	}
	if len(b.twice) > 0 {
		add("entry-twice", fmt.Sprintf("%s occurs in it twice", strings.Join(b.twice[:min(len(b.twice), 10)], ", ")))
	}
	meta := doc.NewMetadata()
	if top.Metadata != "" {
		data, err := v.s.Repo().Blob(ctx, top.Metadata)
		if err != nil {
			return "", nil, err
		}
		if meta, err = doc.ParseMetadata(data); err != nil {
			return "", nil, err
		}
	}
	if fault := b.totalsFault(meta.Totals()); fault != "" && len(b.twice) == 0 {
		add("totals-wrong", fault)
	}
	if name := meta.Branch().Name; name != branch {
		add("branch-misnamed", fmt.Sprintf("%s says that it is branch '%s'", doc.MetadataFile,
			incoming.Printable(name)))
	}
	if len(x.trailers) == 0 || x.trailers[store.TrailerBranch] == "" {
		add("trailers-missing", "its newest commit has no trailers")
		return kind, faults, nil
	}
	for _, fault := range v.stale(x, branch, b, meta) {
		add("trailers-stale", fault)
	}
	return kind, faults, nil
}

// stale returns the trailers of a branch's tip that differ from its documents.
func (v *memory) stale(x *statement, branch string, b *branchEntries, meta *doc.Metadata) (faults []string) {
	facts := meta.Branch()
	check := func(key, want string) {
		if have := x.trailers[key]; have != want && !redacted(have, want) {
			faults = append(faults, fmt.Sprintf("%s says '%s', and not '%s'", key,
				incoming.Printable(prose.OneLine(have, 100)), incoming.Printable(prose.OneLine(want, 100))))
		}
	}
	check(store.TrailerBranch, branch)
	check(store.TrailerStatus, facts.Status)
	check(store.TrailerPurpose, prose.OneLine(facts.Purpose, store.PurposeLimit))
	check(store.TrailerCreated, store.FormatCreated(facts.CreatedAt, facts.CreatedFrom))
	check(store.TrailerCommits, strconv.Itoa(meta.Totals().Commits))
	if last := v.records[v.in.Roots[x.at.Tree].Commits].newest; x.at.EntryID == "" && last != "" {
		check(store.TrailerLast, last)
	}
	newest := ""
	for _, list := range [][]int32{b.steps, b.records} {
		if n := len(list); n > 0 {
			newest = max(newest, v.entries[list[n-1]].id)
		}
	}
	if have := x.trailers[store.TrailerNewest]; have < newest || have != "" && !doc.ValidID(have) {
		faults = append(faults, fmt.Sprintf("%s says '%s', but it contains %s", store.TrailerNewest,
			incoming.Printable(have), newest))
	}
	return faults
}

// redacted reports whether one of some texts was redacted: a trailer as a whole, a document by
// lines.
func redacted(texts ...string) bool {
	return slices.ContainsFunc(texts, func(t string) bool { return doc.HasMark(t) })
}
