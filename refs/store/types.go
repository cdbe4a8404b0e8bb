package store

import (
	"io"
	"time"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/git"
)

// Writer says who writes: the agent, its session and model, and what the work
// cost in tokens. An empty agent becomes the committer's name.
type Writer struct {
	Agent, Session, Model string
	Tokens                int64
	Sign                  Signing
}

// Branch is a memory branch as lists and JSON show it.
type Branch struct {
	Name        string     `json:"name"`
	Tip         git.ID     `json:"tip"`
	Status      string     `json:"status"` // active, merged, abandoned
	Purpose     string     `json:"purpose"`
	CreatedFrom *string    `json:"created_from"` // the branch's name
	CreatedAt   *time.Time `json:"created_at"`
	Commits     int        `json:"commits"` // milestones its commit.md holds
	Pending     int        `json:"pending"` // steps recorded and not yet committed
	UpdatedAt   time.Time  `json:"updated_at"`
	Current     bool       `json:"current"`

	// Summary is the newest milestone's, for lists in text; empty without one.
	Summary string `json:"-"`
	// Remote is the remote a remote-tracking branch comes from, else empty.
	Remote string `json:"-"`
}

// StepRange is the steps a milestone took, by the numbers of its own branch.
type StepRange struct {
	First int `json:"first"`
	Last  int `json:"last"`
	Count int `json:"count"`
}

// Commit is a milestone as every view and result shows it.
type Commit struct {
	ID           string            `json:"id"`
	Hash         *git.ID           `json:"commit"` // nil where history does not hold it (a shallow clone)
	Branch       string            `json:"branch"`
	Time         time.Time         `json:"time"`
	Agent        string            `json:"agent"`
	Summary      string            `json:"summary"`
	Purpose      string            `json:"purpose"`
	Progress     string            `json:"progress"`
	Contribution string            `json:"contribution"`
	Steps        StepRange         `json:"steps"`
	Code         *git.ID           `json:"code"`
	Score        *float64          `json:"score"`
	Outcome      *string           `json:"outcome"`
	Tags         map[string]string `json:"tags"`
	Staleness                      // of the files that it names, where a view asked: [Store.MarkStale]

	Goal    string       `json:"-"`
	Kind    string       `json:"-"`
	Reviews []notes.Fact `json:"-"` // oldest first
}

// Step is one Observation–Thought–Action step as views show it.
type Step struct {
	ID          string    `json:"id"`
	Step        int       `json:"step"`
	Time        time.Time `json:"time"`
	Agent       string    `json:"agent"`
	Session     string    `json:"session"`
	Origin      string    `json:"origin"`
	Observation string    `json:"observation"`
	Thought     string    `json:"thought"`
	Action      string    `json:"action"`
	Pending     bool      `json:"pending"`

	// The rest of what log.md says of it, for text.
	Model  string `json:"-"`
	Source string `json:"-"`
	Tokens int64  `json:"-"`
}

// NewStep is a step to record. Source is the source's own name for it, if any
// (session or file plus index): a step whose source is already on the branch
// is answered and not repeated.
type NewStep struct {
	Observation, Thought, Action string
	Time                         time.Time // zero: now
	Agent, Session, Model        string
	Tokens                       int64
	Source                       string
}

// Recorded is the answer to one NewStep once it is safe on disk.
type Recorded struct {
	ID       string `json:"id"`
	Step     int    `json:"step"`
	Branch   string `json:"branch"`
	Known    bool   `json:"-"` // its source was already there
	Replaced bool   `json:"-"` // invalid UTF-8 or NUL became U+FFFD
}

// CommitOptions are one COMMIT.
type CommitOptions struct {
	Writer
	Branch       string // empty: the current branch
	Summary      string // one line
	Contribution string // empty: the summary
	Progress     string // empty: regenerated
	Roadmap      RoadmapChange
	Judging      Judging // what it came to: written into its note

	// Code, if not nil, makes a commit of the code too, with the same message.
	Code *CodeOptions `json:"-"`
}

// CodeOptions say how the code is changed together with memory: by git, as the user
// would run it, with their hooks, signatures, identity and index.
type CodeOptions struct {
	All      bool      // of COMMIT: with what changed in tracked files, as `git commit -a`
	Reset    bool      // of a rollback: move HEAD's branch back, instead of adding a commit
	Output   io.Writer // gets what git and its hooks print, as it comes; nil: nobody
	Terminal bool      // a person is there, whom git and its hooks may ask
}

// RoadmapChange revises the roadmap in the same transaction.
type RoadmapChange struct {
	Done, Todo, Decide []string
}

// CommitResult is what COMMIT made.
type CommitResult struct {
	ID      string    `json:"id"`
	Commit  git.ID    `json:"commit"`
	Branch  string    `json:"branch"`
	Summary string    `json:"summary"`
	Steps   StepRange `json:"steps"`
	Code    *git.ID   `json:"code"`

	// RoadmapAge is how many milestones ago the roadmap was last revised.
	RoadmapAge int      `json:"-"`
	Replaced   bool     `json:"-"`
	Warnings   []string `json:"-"`
}

// BranchOptions are one BRANCH.
type BranchOptions struct {
	Writer
	Name     string
	Purpose  string
	From     string // a milestone; empty: the current branch
	NoSwitch bool
}

// BranchContext is CONTEXT of one branch: `git context --branch NAME`.
type BranchContext struct {
	Branch   Branch   `json:"branch"`
	Purpose  string   `json:"purpose"`
	Progress string   `json:"progress"`
	Total    int      `json:"total"`
	Skip     int      `json:"skip"`
	Commits  []Commit `json:"commits"`
	At       *At      `json:"at"` // nil: now

	Limit int `json:"-"` // how many milestones were asked for, for paging
}

// Change is the answer of every command that made one memory commit for one
// path: a key path of metadata.yaml, a topic, a tag.
type Change struct {
	Commit git.ID `json:"commit"`
	Branch string `json:"branch"`
	Path   string `json:"path"`

	Subject   string   `json:"-"` // of the commit that was made; "" for a tag
	Unchanged bool     `json:"-"`
	Replaced  bool     `json:"-"`
	Warnings  []string `json:"-"`
}

// TopicOptions are one `remember`.
type TopicOptions struct {
	Writer
	Key        string
	Text       string
	Paths      []string // files and folders, from the code's top: clean, with slashes; "." is all of it
	Supersedes string
}

// Topic is one keyed memory.
type Topic struct {
	Key       string    `json:"key"`
	Agent     string    `json:"agent"`
	UpdatedAt time.Time `json:"updated_at"`
	Commit    git.ID    `json:"commit"` // the memory commit that wrote it as it stands
	Paths     []string  `json:"paths"`
	Staleness           // of its paths

	Text       string `json:"-"`
	Supersedes string `json:"-"`
}

// Tag is a named milestone.
type Tag struct {
	Name    string `json:"name"`
	Commit  git.ID `json:"commit"`
	ID      string `json:"id"`
	Branch  string `json:"branch"` // that the milestone was made on
	Summary string `json:"summary"`
}

// RoadmapView is main.md as `roadmap --json` gives it.
type RoadmapView struct {
	Goal       string            `json:"goal"`
	Milestones []Item            `json:"milestones"`
	Todo       []Item            `json:"todo"`
	Decisions  []string          `json:"decisions"`
	Questions  []string          `json:"questions"`
	Outcomes   []string          `json:"outcomes"`
	Sections   map[string]string `json:"sections"`
	Commit     git.ID            `json:"commit"`
	At         *At               `json:"at"` // nil: now
}

// Item is one line of a check list.
type Item struct {
	Text string `json:"text"`
	Done bool   `json:"done"`
}

// Staleness says whether the code that a topic or a milestone names is still what it
// was written against. It compares commits, that one and the code's HEAD in this worktree, by the
// ids of files and folders: an edit that is not committed is no change, neither then nor
// now.
type Staleness struct {
	// Stale is nil where it is not known: no path is named or none was ever there, HEAD is
	// unborn, or the code commit is not here (any more).
	Stale   *bool    `json:"stale"`
	Base    *git.ID  `json:"-"` // the code HEAD that it was written on; nil while that was unborn
	Changed []string `json:"-"` // the named paths that changed, in the order of the text; removed ones too
}

// At is the moment of the past that a view shows: what memory was when a memory
// commit had just been made. Facts of notes that are younger are left out, and so
// are pending steps.
type At struct {
	Commit git.ID    `json:"commit"` // the memory commit
	Time   time.Time `json:"time"`   // when it was made
	By     string    `json:"by"`     // one of the At constants
	Code   *git.ID   `json:"code"`   // the code commit that was named; nil where that was memory
	Linked *git.ID   `json:"linked"` // the code commit that the memory commit belongs to, by link or ancestor

	Rev   string `json:"-"` // what was asked for
	Asked git.ID `json:"-"` // the commit that it names, of code or of memory
}
