// The files codes*.go list the codes of errors: stable names for scripts, which --json prints. The
// page gitcontext-errors(7) is made from the comments, so each constant has its sentence and
// each block its subject; the page has the blocks in the order of the files' names. This file has
// the codes of any command and of what memory consists of.

package fail

// Errors of any command.
const (
	// Usage is returned when a command line cannot be understood. 'git context help COMMAND' lists its
	// forms.
	Usage = "usage"
	// Interrupted is returned when a signal ends a command. The command prints no error; what it
	// acknowledged before is kept.
	Interrupted = "interrupted"
	// BrokenPipe is returned when the reader of the output has closed it. The command prints no error.
	BrokenPipe = "broken-pipe"
	// Timeout is returned when the time that a caller gave runs out.
	Timeout = "timeout"
	// Failed is returned when an error has no code of its own, such as one of the file system.
	Failed = "failed"
	// NotFound is returned when something does not exist and no code names it more precisely.
	NotFound = "not-found"
	// Exists is returned when something exists already and no code names it more precisely.
	Exists = "exists"
	// Invalid is returned when an argument, a setting or a document is invalid and no code names it more
	// precisely.
	Invalid = "invalid"
	// Refused is returned when an operation is possible but refused and no code names it more precisely.
	Refused = "refused"
	// Conflict is returned when versions conflict and no code names it more precisely.
	Conflict = "conflict"
	// Stale is returned when a ref has moved since it was read and no code names it more precisely. Run
	// the command again.
	Stale = "stale"
	// Ambiguous is returned when an abbreviated hash or id matches several commits. Use more digits.
	Ambiguous = "ambiguous"
	// Busy is returned when other processes moved a ref first too often, or the branch moved or was
	// deleted meanwhile. Nothing is lost; run the command again.
	Busy = "busy"
	// RefLocked is returned when a .lock file of a ref or reflog remains although no writer moves the ref. Remove
	// the file if no git process runs.
	RefLocked = "ref-locked"
	// ConsentNeeded is returned when a command cannot be undone, or shares memory for the first time,
	// there is no terminal on which it could ask, and more than 10 entries, more than 1 % of all, or all
	// of a kind are concerned. --dry-run shows what it would do, --yes does it.
	ConsentNeeded = "consent-needed"
	// Declined is returned when the question whether to go on is not answered with yes. Nothing was changed.
	Declined = "declined"
	// ConfigInvalid is returned when a setting of git-context has an invalid value. The hint sets a valid
	// one.
	ConfigInvalid = "config-invalid"
	// DateInvalid is returned when GIT_COMMITTER_DATE cannot be read.
	DateInvalid = "date-invalid"
)

// Errors of the repository.
const (
	// NotARepository is returned when a command runs outside of a git repository.
	NotARepository = "not-a-repository"
	// OldGit is returned when the installed git is older than the oldest supported version.
	OldGit = "old-git"
	// NoMemory is returned when the repository has no memory. 'git context init' creates it.
	NoMemory = "no-memory"
	// MemoryExists is returned when init would make a branch that is missing in memory that exists. Switch
	// to a branch, or make one.
	MemoryExists = "memory-exists"
	// BriefExists is returned when init has a brief for a branch whose topic 'brief' says something else.
	// 'git context remember brief' replaces it.
	BriefExists = "brief-exists"
	// GoalExists is returned when init has a goal for a roadmap that has one already. 'git context roadmap
	// goal' changes it.
	GoalExists = "goal-exists"
	// IdentityUnknown is returned when git knows no name and email of the committer. Set user.name and
	// user.email.
	IdentityUnknown = "identity-unknown"
	// ObjectsMissing is returned when an expunge cannot delete objects because other objects are missing,
	// for example in a damaged repository.
	ObjectsMissing = "objects-missing"
	// RefBehind is returned when an expunge finds a ref that is older than its reflog says, or gone, as after the loss of its file. Run
	// git context fsck --fix.
	RefBehind = "ref-behind"
	// HeadInvalid is returned when CONTEXT_HEAD points to a ref that is no memory branch. Switch to a
	// branch.
	HeadInvalid = "head-invalid"
	// StateFile is returned when local state, the folder .git/context, contains a symbolic link, or it or git's
	// own folder a named pipe or the like, as only a repository that was unpacked from elsewhere has. Look at
	// what it is, and remove it.
	StateFile = "state-file"
	// HooksPath is returned when git does not report where its hooks are, because core.hooksPath cannot be
	// read.
	HooksPath = "hooks-path"
	// HooksRefused is returned when a hook cannot be installed or removed, for example because another
	// program manages the file.
	HooksRefused = "hooks-refused"
	// Problems is returned when fsck finds problems that it did not repair.
	Problems = "problems"
)

// Errors of branches.
const (
	// BranchName is returned when the name of a branch is invalid, or that of what a new branch starts from.
	BranchName = "branch-name"
	// BranchNotFound is returned when no branch of that name exists here or on the remote that was asked.
	BranchNotFound = "branch-not-found"
	// BranchExists is returned when the name of a new branch is taken, or cannot exist beside one that is:
	// they differ only by case, or one is a folder of the other.
	BranchExists = "branch-exists"
	// BranchAmbiguous is returned when several remotes have the branch and none is preferred. Set
	// context.remote.
	BranchAmbiguous = "branch-ambiguous"
	// BranchRemote is returned when the branch to abandon is a remote's.
	BranchRemote = "branch-remote"
	// BranchClosed is returned when the branch to merge is merged or abandoned already.
	BranchClosed = "branch-closed"
	// BranchCurrent is returned when the branch to delete is the current one of a worktree. Switch that
	// worktree to another branch.
	BranchCurrent = "branch-current"
	// BranchPending is returned when the branch to delete has steps that are not committed. Commit them,
	// or delete with -D.
	BranchPending = "branch-pending"
	// BranchUnmerged is returned when the branch to delete has commits that no other branch contains.
	// Merge it, or delete with -D.
	BranchUnmerged = "branch-unmerged"
	// BranchBusy is returned when a hook of git writes to the branch whose commit or rollback runs that
	// hook. Write to another branch, or record steps.
	BranchBusy = "branch-busy"
	// NotSwitched is returned when a branch was made but CONTEXT_HEAD could not be changed to it. 'git
	// context switch' does that.
	NotSwitched = "not-switched"
)

// Errors of revisions.
const (
	// CommitNotFound is returned when no commit of memory or of code has that name.
	CommitNotFound = "commit-not-found"
	// MemoryCommitNotFound is returned when no memory commit has that name, or the branch has none yet.
	MemoryCommitNotFound = "milestone-not-found"
	// Shallow is returned when no commit of that name is here, and the shallow clone lacks older memory
	// commits; or what is expunged may be in those. 'git fetch --unshallow' gets them.
	Shallow = "shallow"
	// NoEntry is returned when the name means a memory commit without an entry in commit.md, for
	// example one that wrote a topic.
	NoEntry = "no-milestone"
	// NotMemory is returned when a code commit is named where a memory commit is needed.
	NotMemory = "not-memory"
	// NotCode is returned when a memory commit is named where a code commit is needed.
	NotCode = "not-code"
	// NotCommitted is returned when the line of code that is asked for is not committed and so has no
	// memory commit.
	NotCommitted = "not-committed"
	// NotYet is returned when the branch has no commit as old as the moment that is asked for, or did not
	// contain the commit at that moment.
	NotYet = "not-yet"
	// NoMergeBase is returned when a range A...B names two commits without a common ancestor. Use A..B.
	NoMergeBase = "no-merge-base"
	// RangeInvalid is returned when a diff gets a range and a further commit.
	RangeInvalid = "range-invalid"
	// NotVerified is returned when the signature of a commit is missing or not accepted.
	NotVerified = "not-verified"
)

// Errors of steps and commits.
const (
	// StepEmpty is returned when a step has no observation, no thought and no action.
	StepEmpty = "step-empty"
	// StepTooLarge is returned when a step is larger than the limit. Shorten it, or record several.
	StepTooLarge = "step-too-large"
	// AttachmentTooLarge is returned when a file to attach has more than 1 MiB, or a step more than 16 of them.
	AttachmentTooLarge = "attachment-too-large"
	// AttachmentNotFound is returned when a branch has no attachment of that name or hash.
	AttachmentNotFound = "attachment-not-found"
	// AttachmentUnreadable is returned when a file to attach does not exist, cannot be read, or is no regular
	// file. Nothing was recorded.
	AttachmentUnreadable = "attachment-unreadable"
	// AttachmentSecret is returned when a file to attach contains a secret and is no text. In a text the secret
	// is replaced by a mark.
	AttachmentSecret = "attachment-secret"
	// SummaryEmpty is returned when a commit has no summary.
	SummaryEmpty = "summary-empty"
	// CommitTooLarge is returned when a commit, with all its texts, is larger than the limit.
	CommitTooLarge = "milestone-too-large"
	// AgentName is returned when the name of the agent is invalid.
	AgentName = "agent-name"
	// SessionInvalid is returned when the session is not one printable line of at most 1000 bytes.
	SessionInvalid = "session-invalid"
	// ModelInvalid is returned when the model is not one printable line of at most 1000 bytes.
	ModelInvalid = "model-invalid"
	// SourceInvalid is returned when the source of a step is not one printable line of at most 1000 bytes.
	SourceInvalid = "source-invalid"
	// TextTooLarge is returned when one change would add more than context.textLimit bytes to the roadmap, and when a
	// document or folder would grow beyond what every repository takes in.
	TextTooLarge = "text-too-large"
	// TokensInvalid is returned when the number of tokens is negative or too large.
	TokensInvalid = "tokens-invalid"
	// TimeInvalid is returned when the year of a step's time is outside of 0 to 9999.
	TimeInvalid = "time-invalid"
	// NothingPending is returned when the last pending step is to be taken back and none is pending.
	NothingPending = "nothing-pending"
	// NotUndone is returned when the newest change of a branch is of a kind that cannot be amended or
	// undone, such as a merge or a rollback. The hint names the command that reverts it.
	NotUndone = "not-undone"
	// CommitShared is returned when a commit is to be replaced or taken back that a remote has, or may
	// have had. Roll back, which adds a commit.
	CommitShared = "commit-shared"
	// CommitNeeded is returned when a commit is to be replaced or taken back that another branch contains,
	// a tag names or a code commit is linked with.
	CommitNeeded = "commit-needed"
	// SignFailed is returned when a memory commit cannot be signed. Nothing was written; the message is
	// that of the program that signs.
	SignFailed = "sign-failed"
	// SignTimeout is returned when the program that signs does not answer in time, for example because it
	// waits for a passphrase.
	SignTimeout = "sign-timeout"
)

// Errors of judgements.
const (
	// OutcomeInvalid is returned when an outcome is not one of the known ones.
	OutcomeInvalid = "outcome-invalid"
	// ScoreInvalid is returned when a score is not between 0 and 1.
	ScoreInvalid = "score-invalid"
	// ReviewTooLarge is returned when a review is larger than the limit.
	ReviewTooLarge = "review-too-large"
	// NoteFull is returned when the note of a commit has no room for what is said of it.
	NoteFull = "note-full"
	// TagInvalid is returned when a tag of a note is not KEY=VALUE on one printable line.
	TagInvalid = "tag-invalid"
	// NoteNotWritten is returned when a commit was made but its judgement could not be written. 'git
	// context note' writes it.
	NoteNotWritten = "note-not-written"
)

// Errors of tags.
const (
	// TagName is returned when the name of a tag is invalid, or reads like a hash or an id.
	TagName = "tag-name"
	// TagNotFound is returned when no tag of that name exists here or on the remote that was asked.
	TagNotFound = "tag-not-found"
	// TagExists is returned when the name of a new tag is taken, or cannot exist beside one that is: they
	// differ only by case, or one is a folder of the other.
	TagExists = "tag-exists"
	// PatternInvalid is returned when a pattern of names cannot be read.
	PatternInvalid = "pattern-invalid"
)

// Errors of documents.
const (
	// DocumentNotFound is returned when the branch has no document of that path, or the repository no
	// roadmap.
	DocumentNotFound = "document-not-found"
	// SegmentNotFound is returned when the metadata have no segment of that path.
	SegmentNotFound = "segment-not-found"
	// MetadataInvalid is returned when the metadata cannot be read, or would be invalid with the new
	// value.
	MetadataInvalid = "metadata-invalid"
	// MetadataOwned is returned when only git-context writes that segment of the metadata. 'git context
	// metadata refresh' renews it.
	MetadataOwned = "metadata-owned"
	// RoadmapNotFound is returned when the roadmap of that moment does not exist, or is not in a shallow
	// repository, and when a remote has the roadmap and it was not taken in: no other one is made.
	RoadmapNotFound = "roadmap-not-found"
	// ItemNotFound is returned when no item of the roadmap has that text or number, or several have it.
	ItemNotFound = "item-not-found"
	// ItemEmpty is returned when an item of the roadmap has no text.
	ItemEmpty = "item-empty"
	// TopicKey is returned when the key of a topic is invalid, or a topic supersedes itself.
	TopicKey = "topic-key"
	// TopicPath is returned when a path of a topic is not relative to the top of the code.
	TopicPath = "topic-path"
	// PathOutside is returned when a path is outside of the repository.
	PathOutside = "path-outside"
	// TopicNotFound is returned when the branch has no topic of that key.
	TopicNotFound = "topic-not-found"
	// TopicForgotten is returned when the topic was removed from the branch. The hint shows its lines
	// before that.
	TopicForgotten = "topic-forgotten"
	// TopicTooLarge is returned when a topic is larger than the limit.
	TopicTooLarge = "topic-too-large"
)
