package mcp

import (
	"cmp"
	"context"
	"errors"
	"strconv"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/search"
	"github.com/git-context/git-context/refs/store"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// place is which memory a call is about.
type place struct {
	Branch     string `json:"branch,omitempty" jsonschema:"memory branch (default: the current one)"`
	Repository string `json:"repository,omitempty" jsonschema:"folder of another repository, inside of the client's roots"`
}

// answer is what every result has besides.
type answer struct {
	Said []string `json:"said,omitempty" jsonschema:"warnings, notes and hints"`
}

// line is a command line that grows.
type line []string

func (l *line) text(flag, value string) {
	if value != "" {
		*l = append(*l, flag+"="+value)
	}
}

func (l *line) texts(flag string, values []string) {
	for _, v := range values {
		*l = append(*l, flag+"="+v)
	}
}

func (l *line) number(flag string, n int64) {
	if n != 0 {
		*l = append(*l, flag+"="+strconv.FormatInt(n, 10))
	}
}

func (l *line) toggle(flag string, on bool) {
	if on {
		*l = append(*l, flag)
	}
}

// words adds arguments, whatever they begin with.
func (l *line) words(words ...string) { *l = append(append(*l, "--"), words...) }

func (s *server) addTools(m *sdk.Server) {
	yes := true
	reads := sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true}
	tool(m, "context", "Read memory",
		"Reads the memory of this repository. Without arguments: the brief, which is what a successor needs "+
			"(goal, state of the work, decisions, open questions, to-dos, topics, other branches). Read it before you "+
			"start. Or one view: topic KEY in full, topics (the list), log (the newest steps), commit C in full, "+
			"since C, metadata SEGMENT, or branch NAME alone (purpose, progress, commits).",
		reads, s.context)
	tool(m, "recall", "Was this problem met before?",
		"Finds past commits, steps and topics about the same problem, on all branches, with their outcome. "+
			"Describe the problem in a sentence: what fails, where, with which error. Hits with 'related' only share "+
			"words. An empty list means that memory contains nothing about it.",
		reads, s.recall)
	tool(m, "record", "Record a step",
		"Appends one step to the trace: observation (what was seen), thought (what was concluded), action (what "+
			"was done); at least one. Hooks do this by themselves where they are installed.",
		sdk.ToolAnnotations{}, s.record)
	tool(m, "commit", "Commit memory",
		"Makes a memory commit of the pending steps: summary (one line), contribution (what and why, for a "+
			"successor), and changes of the roadmap: done, todo, decide. It does not commit the code.",
		sdk.ToolAnnotations{}, s.commit)
	tool(m, "remember", "Remember a fact",
		"Keeps a text under a key and replaces the text that was there; history keeps the old one. For facts that "+
			"stay true: how to test, a trap, a requirement of the user (pin it). paths names the files that it is "+
			"about: when they change, the topic is shown as stale.",
		sdk.ToolAnnotations{IdempotentHint: true}, s.remember)
	tool(m, "branch", "Memory branches",
		"Without a name: lists the memory branches. With one: makes the branch and switches to it, before an idea "+
			"that may fail; with switch: switches to one that exists. The code's branches do not change.",
		sdk.ToolAnnotations{}, s.branch)
	tool(m, "merge", "Merge a memory branch",
		"Brings the memory of branch 'name' into the current one, or into 'into', and closes it. With abandon it "+
			"merges nothing, and summary says why the idea failed. If both sides changed one text, the answer lists "+
			"the conflicts and the merge waits: settle it with prefer (ours, theirs, union), or with 'git context "+
			"resolve' and continue; abort drops it.",
		sdk.ToolAnnotations{DestructiveHint: &yes}, s.merge)
}

type contextIn struct {
	place
	Topic    string `json:"topic,omitempty" jsonschema:"show this topic in full"`
	Topics   bool   `json:"topics,omitempty" jsonschema:"list the topics"`
	Log      bool   `json:"log,omitempty" jsonschema:"show the newest steps"`
	Commit   string `json:"commit,omitempty" jsonschema:"show this commit in full"`
	Since    string `json:"since,omitempty" jsonschema:"show what came since this commit or time"`
	Metadata string `json:"metadata,omitempty" jsonschema:"show this segment of the metadata, such as env_config; . is all of it"`
	At       string `json:"at,omitempty" jsonschema:"show the view as it was at a memory commit, or at a commit or tag of the code"`
	Limit    int    `json:"limit,omitempty" jsonschema:"number of steps of the log, or of commits of a branch"`
	Skip     int    `json:"skip,omitempty" jsonschema:"leave out the newest N of them"`
	Budget   int    `json:"budget,omitempty" jsonschema:"most tokens of the brief"`
	Cursor   string `json:"cursor,omitempty" jsonschema:"where a result ended, to continue it"`
}

type contextOut struct {
	Text   string `json:"text"`
	Cursor string `json:"cursor,omitempty" jsonschema:"the text continues: call again with it"`
	answer
}

func (in contextIn) line() (l line) {
	if in.Topic != "" || in.Topics {
		l = line{"topics"}
		l.text("--branch", in.Branch)
		l.text("--at", in.At)
		if in.Topic != "" {
			l.words(in.Topic)
		}
		return l
	}
	l.text("--branch", in.Branch)
	l.text("--commit", in.Commit)
	l.text("--since", in.Since)
	l.text("--at", in.At)
	l.toggle("--log", in.Log)
	l.number("--limit", int64(in.Limit))
	l.number("--skip", int64(in.Skip))
	l.number("--budget", int64(in.Budget))
	if in.Metadata == "." {
		l.toggle("--metadata", true)
	} else {
		l.text("--metadata", in.Metadata)
	}
	return l
}

func (s *server) context(ctx context.Context, req *sdk.CallToolRequest, in contextIn) (*sdk.CallToolResult, contextOut, error) {
	var out contextOut
	a, err := s.run(ctx, req, in.Repository, in.line()...)
	if err != nil {
		return nil, out, err
	}
	out.Said = short(a.Said)
	if out.Text, out.Cursor, err = pageText(a.Out, in.Cursor, mostBytes-size(out.Said)); err != nil {
		return nil, out, err
	}
	shown := out.Text
	if out.Cursor != "" {
		shown += "\n(continues: cursor " + out.Cursor + ")\n"
	}
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: shown}}}, out, nil
}

type recallIn struct {
	place
	Text          string  `json:"text" jsonschema:"the problem, in a sentence"`
	MinSimilarity float64 `json:"min_similarity,omitempty" jsonschema:"show what is at least so near, from 0 to 1 (0.8)"`
	Limit         int     `json:"limit,omitempty" jsonschema:"most hits (3)"`
	Strict        bool    `json:"strict,omitempty" jsonschema:"no related hits if nothing is so near"`
	Cursor        string  `json:"cursor,omitempty" jsonschema:"where a result ended, to continue it"`
}

type recallOut struct {
	Hits   []search.Hit `json:"hits"`
	Cursor string       `json:"cursor,omitempty" jsonschema:"there are more hits: call again with it"`
	answer
}

func (s *server) recall(ctx context.Context, req *sdk.CallToolRequest, in recallIn) (*sdk.CallToolResult, recallOut, error) {
	l := line{"recall"}
	l.text("--branch", in.Branch)
	if in.MinSimilarity != 0 {
		l.text("--min-similarity", strconv.FormatFloat(in.MinSimilarity, 'g', -1, 64))
	}
	l.number("--limit", int64(in.Limit))
	l.toggle("--strict", in.Strict)
	l.words(in.Text)
	var found search.Result
	out := recallOut{Hits: []search.Hit{}}
	said, err := decode(ctx, s, req, in.Repository, &found, l...)
	if err != nil {
		return nil, out, err
	}
	out.Said = said
	out.Hits, out.Cursor, err = pageList(found.Hits, in.Cursor, mostBytes-size(said), func(h *search.Hit) {
		h.Title, h.Snippet = clip(h.Title), clip(h.Snippet)
	})
	return nil, out, err
}

type recordIn struct {
	place
	Observation string `json:"observation,omitempty" jsonschema:"what was seen"`
	Thought     string `json:"thought,omitempty" jsonschema:"what was concluded"`
	Action      string `json:"action,omitempty" jsonschema:"what was done"`

	Attach []string `json:"attach,omitempty" jsonschema:"files of the repository to keep with the step, each of at most 1 MiB"`

	Time   string `json:"time,omitempty" jsonschema:"when, as 2026-11-21T01:37:05Z (now)"`
	Model  string `json:"model,omitempty" jsonschema:"your model"`
	Tokens int64  `json:"tokens,omitempty" jsonschema:"what the step cost"`
}

type recordOut struct {
	store.Recorded
	answer
}

func (s *server) record(ctx context.Context, req *sdk.CallToolRequest, in recordIn) (*sdk.CallToolResult, recordOut, error) {
	l := line{"record"}
	l.text("--branch", in.Branch)
	l.text("--observation", in.Observation)
	l.text("--thought", in.Thought)
	l.text("--action", in.Action)
	for _, file := range in.Attach {
		path, err := s.file(ctx, req, in.Repository, file)
		if err != nil {
			return nil, recordOut{}, err
		}
		l.text("--attach", path)
	}
	l.text("--time", in.Time)
	l.text("--model", in.Model)
	l.number("--tokens", in.Tokens)
	var out recordOut
	said, err := decode(ctx, s, req, in.Repository, &out.Recorded, l...)
	out.Said = said
	return nil, out, err
}

// roadmap are changes of the roadmap.
type roadmap struct {
	Done   []string `json:"done,omitempty" jsonschema:"milestones or to-dos of the roadmap to tick"`
	Todo   []string `json:"todo,omitempty" jsonschema:"to-dos to add to the roadmap"`
	Decide []string `json:"decide,omitempty" jsonschema:"decisions to add to the roadmap, each with its reason"`
}

func (r roadmap) add(l *line) {
	l.texts("--done", r.Done)
	l.texts("--todo", r.Todo)
	l.texts("--decide", r.Decide)
}

type commitIn struct {
	place
	Summary      string  `json:"summary" jsonschema:"one line: what is done or understood"`
	Contribution string  `json:"contribution,omitempty" jsonschema:"what and why, for a successor"`
	Progress     string  `json:"progress,omitempty" jsonschema:"the progress of the whole branch, in place of the one made from the last commit"`
	Outcome      string  `json:"outcome,omitempty" jsonschema:"success, failed or another word"`
	Score        float64 `json:"score,omitempty" jsonschema:"how good the result is, from 0 to 1"`
	roadmap
}

type commitOut struct {
	store.CommitResult
	answer
}

func (s *server) commit(ctx context.Context, req *sdk.CallToolRequest, in commitIn) (*sdk.CallToolResult, commitOut, error) {
	l := line{"commit", "--message=" + in.Summary}
	l.text("--message", in.Contribution)
	l.text("--branch", in.Branch)
	l.text("--progress", in.Progress)
	l.text("--outcome", in.Outcome)
	if in.Score != 0 {
		l.text("--score", strconv.FormatFloat(in.Score, 'g', -1, 64))
	}
	in.add(&l)
	var out commitOut
	said, err := decode(ctx, s, req, in.Repository, &out.CommitResult, l...)
	out.Said, out.Summary = said, clip(out.Summary)
	return nil, out, err
}

type rememberIn struct {
	place
	Key        string   `json:"key" jsonschema:"a-z, 0-9, dot, dash and underscore, such as db-pool"`
	Text       string   `json:"text,omitempty" jsonschema:"the fact; leave it out to change only the pin, or to confirm"`
	Paths      []string `json:"paths,omitempty" jsonschema:"files or folders that it is about"`
	Supersedes string   `json:"supersedes,omitempty" jsonschema:"key of the topic that this one replaces"`
	Pin        bool     `json:"pin,omitempty" jsonschema:"show it before others, and in full"`
	Unpin      bool     `json:"unpin,omitempty" jsonschema:"remove the pin"`
	Confirm    bool     `json:"confirm,omitempty" jsonschema:"the topic is true of the code as it is now"`
}

type rememberOut struct {
	store.Change
	answer
}

func (s *server) remember(ctx context.Context, req *sdk.CallToolRequest, in rememberIn) (*sdk.CallToolResult, rememberOut, error) {
	l := line{"remember"}
	l.text("--branch", in.Branch)
	l.texts("--path", in.Paths)
	l.text("--supersedes", in.Supersedes)
	l.toggle("--pin", in.Pin)
	l.toggle("--unpin", in.Unpin)
	l.toggle("--confirm", in.Confirm)
	if in.Text != "" {
		l.words(in.Key, in.Text)
	} else {
		l.words(in.Key)
	}
	var out rememberOut
	said, err := decode(ctx, s, req, in.Repository, &out.Change, l...)
	out.Said = said
	return nil, out, err
}

type branchIn struct {
	Name       string `json:"name,omitempty" jsonschema:"the branch to make, or with switch to switch to; none: list all"`
	Purpose    string `json:"purpose,omitempty" jsonschema:"why the new branch exists"`
	From       string `json:"from,omitempty" jsonschema:"commit to start from instead of the current branch"`
	NoSwitch   bool   `json:"no_switch,omitempty" jsonschema:"make the branch and stay on the current one"`
	Switch     bool   `json:"switch,omitempty" jsonschema:"switch to the branch, which exists; - is the previous one"`
	Cursor     string `json:"cursor,omitempty" jsonschema:"where a list ended, to continue it"`
	Repository string `json:"repository,omitempty" jsonschema:"folder of another repository, inside of the client's roots"`
}

type branchOut struct {
	Branches []store.Branch `json:"branches" jsonschema:"all, or the one that was made or switched to"`
	Cursor   string         `json:"cursor,omitempty" jsonschema:"there are more: call again with it"`
	answer
}

func (s *server) branch(ctx context.Context, req *sdk.CallToolRequest, in branchIn) (*sdk.CallToolResult, branchOut, error) {
	out := branchOut{Branches: []store.Branch{}}
	l := line{"branch"}
	if in.Switch {
		l[0] = "switch"
	}
	l.text("--purpose", in.Purpose)
	l.text("--from", in.From)
	l.toggle("--no-switch", in.NoSwitch)
	if in.Name != "" || in.Switch {
		if in.Name != "" {
			l.words(in.Name)
		}
		var one store.Branch
		said, err := decode(ctx, s, req, in.Repository, &one, l...)
		one.Purpose = clip(one.Purpose)
		out.Branches, out.Said = append(out.Branches, one), said
		return nil, out, err
	}
	said, err := decode(ctx, s, req, in.Repository, &out, l...)
	if err != nil {
		return nil, out, err
	}
	out.Said = said
	out.Branches, out.Cursor, err = pageList(out.Branches, in.Cursor, mostBytes-size(said), func(b *store.Branch) {
		b.Purpose, b.Why = clip(b.Purpose), clip(b.Why)
	})
	return nil, out, err
}

type mergeIn struct {
	Name         string `json:"name,omitempty" jsonschema:"the branch to merge or to abandon"`
	Into         string `json:"into,omitempty" jsonschema:"the branch to merge into, instead of the current one"`
	Summary      string `json:"summary,omitempty" jsonschema:"what the merge brings; with abandon: why the idea failed"`
	Contribution string `json:"contribution,omitempty" jsonschema:"more, for a successor"`
	Purpose      string `json:"purpose,omitempty" jsonschema:"the new purpose of the target"`
	roadmap
	Prefer     string `json:"prefer,omitempty" jsonschema:"settle every conflict: ours, theirs or union"`
	Keep       bool   `json:"keep,omitempty" jsonschema:"leave the merged branch open"`
	Abandon    bool   `json:"abandon,omitempty" jsonschema:"close the branch as abandoned and merge nothing"`
	DryRun     bool   `json:"dry_run,omitempty" jsonschema:"say what would be merged and what would conflict; change nothing"`
	Continue   bool   `json:"continue,omitempty" jsonschema:"finish the merge that waits, once its conflicts are resolved"`
	Abort      bool   `json:"abort,omitempty" jsonschema:"drop the merge that waits"`
	Status     bool   `json:"status,omitempty" jsonschema:"list the conflicts that wait"`
	Cursor     string `json:"cursor,omitempty" jsonschema:"with status: where the list of conflicts ended, to continue it"`
	Repository string `json:"repository,omitempty" jsonschema:"folder of another repository, inside of the client's roots"`
}

// mergeOut is merge.Result without the view of the source, or with Source and Target a merge.Status.
type mergeOut struct {
	ID        *string              `json:"id"`
	Commit    *string              `json:"commit"`
	Branch    string               `json:"branch"`
	Merged    string               `json:"merged"`
	Source    string               `json:"source,omitempty"`
	Target    string               `json:"target,omitempty"`
	Steps     int                  `json:"steps"`
	Commits   int                  `json:"commits"`
	Topics    []merge.TopicChange  `json:"topics"`
	Disagree  []merge.Disagreement `json:"disagree"`
	Conflicts []store.Conflict     `json:"conflicts"`
	UpToDate  bool                 `json:"up_to_date"`
	Code      string               `json:"code,omitempty" jsonschema:"of the error: merge-conflict, where the merge waits"`
	Message   string               `json:"message,omitempty" jsonschema:"of the error"`
	Hint      string               `json:"hint,omitempty" jsonschema:"of the error"`
	Cursor    string               `json:"cursor,omitempty" jsonschema:"there are more conflicts: call with status and this cursor"`
	answer
}

func (in mergeIn) line() line {
	l := line{"merge"}
	l.text("--into", in.Into)
	l.text("--message", in.Summary)
	l.text("--message", in.Contribution)
	l.text("--purpose", in.Purpose)
	in.add(&l)
	l.text("-X", in.Prefer)
	l.toggle("--keep", in.Keep)
	l.toggle("--abandon", in.Abandon)
	l.toggle("--dry-run", in.DryRun)
	l.toggle("--continue", in.Continue)
	l.toggle("--abort", in.Abort)
	l.toggle("--status", in.Status)
	if in.Name != "" {
		l.words(in.Name)
	}
	return l
}

func (s *server) merge(ctx context.Context, req *sdk.CallToolRequest, in mergeIn) (*sdk.CallToolResult, mergeOut, error) {
	var out mergeOut
	said, err := decode(ctx, s, req, in.Repository, &out, in.line()...)
	var failed *failure
	conflicts := errors.As(err, &failed) && failed.Refusal.Code == fail.MergeConflict && len(out.Conflicts) > 0
	if err != nil && !conflicts {
		return nil, out, err
	}
	out.Said = said
	out.Topics = cut(out.Topics, 50)
	out.Disagree = cut(out.Disagree, 2)
	for i := range out.Disagree {
		d := &out.Disagree[i]
		d.Ours.Text, d.Theirs.Text = clip(d.Ours.Text), clip(d.Theirs.Text)
	}
	res := &sdk.CallToolResult{}
	if conflicts {
		res.IsError = true
		out.Code, out.Message, out.Hint = failed.Refusal.Code, failed.Refusal.Message, failed.Refusal.Hint
	}
	all := out.Conflicts
	out.Conflicts = []store.Conflict{}
	out.Conflicts, out.Cursor, err = pageList(all, in.Cursor, mostBytes-size(out), func(c *store.Conflict) {
		for _, text := range []*string{c.Base, c.Ours, c.Theirs} {
			if text != nil {
				*text = clip(*text)
			}
		}
	})
	out.Branch = cmp.Or(out.Branch, out.Target)
	return res, out, err
}
