package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// Init makes the missing parts of a repository's memory: the roadmap, the first branch,
// CONTEXT_HEAD, and the fetch refspecs of remotes. If all exist it changes nothing; it adds a
// goal, milestones and to-dos to a roadmap that lacks them. If this repository has no memory
// and its remote has some, it takes that over.
//
// The brief becomes a pinned topic, in a memory commit after the others.
//
// A roadmap of a remote that is left out does not keep it from the rest: it makes no other roadmap, and returns why.
//
// fail.ErrExists: the roadmap has another goal, or the branch another brief, or memory exists without
// the named branch.
func Init(ctx context.Context, s *store.Store, o InitOptions) (InitResult, error) {
	if err := cleanInit(ctx, s, &o); err != nil {
		return InitResult{}, err
	}
	branch, err := initialBranch(ctx, s, o.Branch)
	if err != nil {
		return InitResult{}, err
	}
	i := &initialization{s: s, o: o, res: &InitResult{Branch: branch}}
	if branch, err = i.adopt(ctx, branch, o.Branch != ""); err != nil {
		return *i.res, err
	}
	if err := i.checkBrief(ctx, branch); err != nil {
		return *i.res, err
	}
	if err := i.start(ctx, branch); err != nil {
		return *i.res, err
	}
	err = errors.Join(i.writeBrief(ctx, branch), i.res.leftOut)
	i.res.Created = len(i.res.Did) > 0
	return *i.res, err
}

// start makes everything but the brief, which is a change of its own on a branch that exists.
func (i *initialization) start(ctx context.Context, branch string) error {
	ses, err := i.s.Begin(ctx, i.o.Writer, "init", branch)
	if err != nil {
		return err
	}
	defer ses.Close()
	adopted := *i.res
	if err := ses.Swap(ctx, func(ctx context.Context) error {
		*i.res = adopted
		i.res.Branch = branch
		return begin(ctx, ses, i.o, i.res)
	}); err != nil {
		*i.res = InitResult{}
		return err
	}
	if err := initHead(ctx, i.s, branch, i.res); err != nil {
		return err
	}
	if err := initConfig(ctx, i.s, i.res); err != nil {
		return err
	}
	return i.s.MakeJournal(ctx, branch)
}

// initialization is one run of Init.
type initialization struct {
	s   *store.Store
	o   InitOptions
	res *InitResult
}

// initialBranch returns the branch asked for, else the current one.
func initialBranch(ctx context.Context, s *store.Store, name string) (string, error) {
	if name != "" {
		return name, store.CheckBranchName(name)
	}
	return s.Current(ctx)
}

// begin queues the roadmap and the first branch if they are missing.
func begin(ctx context.Context, ses *store.Transaction, o InitOptions, res *InitResult) error {
	s := ses.Store
	old, data, err := s.ReadRoadmap(ctx)
	if err != nil {
		return err
	}
	r := doc.ParseRoadmap(data)
	if old == "" {
		r = doc.NewRoadmap()
	}
	if err := initRoadmap(r, o); err != nil {
		return err
	}
	res.Roadmap, err = ses.WriteRoadmap(ctx, old, data, r, "Initialize the roadmap")
	if errors.Is(err, store.ErrRoadmapElsewhere) {
		res.leftOut, err = cmp.Or(res.leftOut, err), nil
	}
	if err != nil {
		return err
	}
	if res.Roadmap != old {
		res.Did = append(res.Did, "roadmap")
	}
	head, err := s.Repo().Ref(ctx, git.BranchRef(res.Branch))
	if err == nil {
		res.Head = head
		return nil
	}
	if !errors.Is(err, git.ErrNotFound) {
		return err
	}
	if err := checkNoMemory(ctx, s, res.Branch); err != nil {
		return err
	}
	code, err := s.CodeHead(ctx)
	if err != nil {
		return err
	}
	if err := s.DropLeftovers(ctx, res.Branch); err != nil {
		return err
	}
	c, err := ses.WriteBirth(ctx, store.Birth{Name: res.Branch, Purpose: o.Purpose, Roadmap: res.Roadmap,
		Goal: r.Goal(), Code: code})
	if err != nil {
		return err
	}
	res.Head = c.ID
	res.Did = append(res.Did, "branch '"+res.Branch+"'")
	return nil
}

// checkNoMemory refuses to start a second, unrelated history: BRANCH makes other branches.
func checkNoMemory(ctx context.Context, s *store.Store, branch string) error {
	names, err := s.BranchNames(ctx)
	if err != nil || len(names) == 0 {
		return err
	}
	return fail.New(fail.ErrExists, fail.MemoryExists,
		fmt.Sprintf("this repository has memory already, and no memory branch '%s'", branch),
		"git context switch "+names[0], "git context branch "+branch)
}

// cleanInit makes the texts of an Init fit.
func cleanInit(ctx context.Context, s *store.Store, o *InitOptions) error {
	texts := []*string{&o.Goal, &o.Purpose, &o.Brief}
	for _, list := range []*[]string{&o.Milestones, &o.Todo} {
		*list = slices.Clone(*list)
		for i := range *list {
			texts = append(texts, &(*list)[i])
		}
	}
	_, err := s.Clean(ctx, texts...)
	return err
}

// initRoadmap adds what the roadmap lacks. It does not replace a goal: `roadmap goal` does
// that.
func initRoadmap(r *doc.Roadmap, o InitOptions) error {
	if o.Goal != "" && r.Goal() != o.Goal {
		if r.Goal() != "" {
			return fail.New(fail.ErrExists, fail.GoalExists, "the roadmap has a goal already",
				"git context roadmap goal TEXT")
		}
		r.SetGoal(o.Goal)
	}
	for _, text := range o.Milestones {
		r.AddMilestone(text)
	}
	for _, text := range o.Todo {
		r.AddTodo(text)
	}
	return nil
}

// initHead points this worktree's CONTEXT_HEAD to the branch unless it points to one.
func initHead(ctx context.Context, s *store.Store, branch string, res *InitResult) error {
	_, err := s.Repo().SymbolicRef(ctx, git.HeadName)
	if err == nil {
		return nil
	}
	if !errors.Is(err, git.ErrNotFound) {
		return err
	}
	if err := s.Repo().SetSymbolicRef(ctx, git.HeadName, git.BranchRef(branch), "context init"); err != nil {
		return err
	}
	res.Did = append(res.Did, git.HeadName)
	return nil
}

// initConfig adds the refspecs with which a plain `git fetch` brings memory, to each remote
// that has a refspec: in a bare clone ours would be the only one, and a plain fetch would fetch
// nothing else.
func initConfig(ctx context.Context, s *store.Store, res *InitResult) error {
	cfg, err := s.Repo().Config(ctx)
	if err != nil {
		return err
	}
	defer s.Repo().InvalidateConfig()
	for _, remote := range cfg.Subsections("remote") {
		have := cfg.All("remote." + remote + ".fetch")
		if len(have) == 0 || !git.IsRemoteName(remote) {
			continue
		}
		added, err := dropOtherRefspecs(ctx, s, cfg, remote, have)
		if err != nil {
			return err
		}
		for _, spec := range WantedRefspecs(cfg, remote) {
			if slices.Contains(have, spec) {
				continue
			}
			if _, err := s.Repo().Run(ctx, "config", "--add", "remote."+remote+".fetch", spec); err != nil {
				return fmt.Errorf("add a fetch refspec to remote '%s': %w", remote, err)
			}
			fault.Point("after-config")
			added = true
		}
		if added {
			res.Did = append(res.Did, "fetch refspecs of '"+remote+"'")
		}
	}
	if _, ok := cfg.String(notes.StrategyKey); ok {
		return nil
	}
	if _, err := s.Repo().Run(ctx, "config", notes.StrategyKey, notes.Strategy); err != nil {
		return fmt.Errorf("set %s: %w", notes.StrategyKey, err)
	}
	res.Did = append(res.Did, notes.StrategyKey)
	return nil
}

// InitOptions describe an init. Empty fields change nothing.
type InitOptions struct {
	store.Writer
	Goal       string
	Milestones []string
	Todo       []string
	Purpose    string
	Brief      string // what the user wants, in the user's words
	Branch     string // --initial-branch; else context.defaultBranch, else main
}

// OtherRefspecs returns those of the fetch refspecs of a remote that init made for the mapping that is not set
// any more. Two refspecs into one tracking ref make every plain fetch fail where the remote has both names.
func OtherRefspecs(cfg *git.Config, name string, have []string) []string {
	mapping, _ := cfg.String("context." + name + ".mapping")
	list := git.MemoryRefspecs(git.RemoteTracking(name), mapping != remote.MappingHeads)
	return slices.DeleteFunc(list, func(spec string) bool { return !slices.Contains(have, spec) })
}

// dropOtherRefspecs removes them.
func dropOtherRefspecs(ctx context.Context, s *store.Store, cfg *git.Config, name string, have []string) (bool, error) {
	dropped := false
	for _, spec := range OtherRefspecs(cfg, name, have) {
		if _, err := s.Repo().Run(ctx, "config", "--fixed-value", "--unset-all", "remote."+name+".fetch", spec); err != nil {
			return dropped, fmt.Errorf("remove a fetch refspec from remote '%s': %w", name, err)
		}
		fault.Point("after-config")
		dropped = true
	}
	return dropped, nil
}

// InitResult is what Init made or found.
type InitResult struct {
	Branch  string `json:"branch"`
	Head    git.ID `json:"head"`
	Roadmap git.ID `json:"roadmap"`
	Created bool   `json:"created"` // false when nothing changed

	Did      []string `json:"-"` // what changed, a phrase each
	Warnings []string `json:"-"`

	leftOut error // why the roadmap of a remote is not here
}

// WantedRefspecs returns the fetch refspecs that init gives a remote. If only some branches are
// followed, a plain fetch brings none.
func WantedRefspecs(cfg *git.Config, name string) []string {
	list := git.FetchRefspecs(name)
	if mapping, _ := cfg.String("context." + name + ".mapping"); mapping == remote.MappingHeads {
		list = git.MemoryRefspecs(git.RemoteTracking(name), true)
	}
	if remote.Followed(cfg, name) != nil {
		branches := git.RemoteTracking(name).Branches()
		list = slices.DeleteFunc(list, func(spec string) bool { return strings.Contains(spec, ":"+branches) })
	}
	return list
}

// BriefKey is the key of the topic that keeps what the user wants.
const BriefKey = "brief"

// checkBrief refuses to replace a brief before anything is made.
func (i *initialization) checkBrief(ctx context.Context, branch string) error {
	if i.o.Brief == "" {
		return nil
	}
	if there, err := i.s.HasBranch(ctx, branch); err != nil || !there {
		return err
	}
	tip, err := i.s.Tip(ctx, branch)
	if err != nil {
		return err
	}
	data, err := tip.OptionalDocument(ctx, doc.TopicPath(BriefKey))
	if err != nil || data == nil {
		return err
	}
	if t, err := doc.ParseTopic(data); err == nil && t.Text == i.o.Brief {
		return nil
	}
	return fail.New(fail.ErrExists, fail.BriefExists, "branch '"+branch+"' has a brief already",
		"git context remember "+BriefKey+" TEXT")
}

// writeBrief keeps the brief as a pinned topic.
func (i *initialization) writeBrief(ctx context.Context, branch string) error {
	if i.o.Brief == "" {
		return nil
	}
	pin := true
	ch, err := i.s.Remember(ctx, store.TopicOptions{Writer: i.o.Writer, Branch: branch, Key: BriefKey, Text: i.o.Brief, Pin: &pin})
	if err != nil || ch.Unchanged {
		return err
	}
	i.res.Head = ch.Commit
	i.res.Did = append(i.res.Did, "topic '"+BriefKey+"'")
	i.res.Warnings = append(i.res.Warnings, ch.Warnings...)
	return nil
}
