// This file lists the codes of errors: stable names for scripts, which --json prints. The
// page gitcontext-errors(7) is made from the comments, so each constant has its sentence and
// each block its subject.

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
	// RefLocked is returned when a .lock file of a ref remains although no writer moves the ref. Remove
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
	// HeadInvalid is returned when CONTEXT_HEAD points to a ref that is no memory branch. Switch to a
	// branch.
	HeadInvalid = "head-invalid"
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
	// BranchName is returned when the name of a branch is invalid.
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
	// commits. 'git fetch --unshallow' gets them.
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
	// TextTooLarge is returned when one change would add more than context.textLimit bytes to the roadmap.
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
	// repository.
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

// Errors of merges.
const (
	// MergeConflict is returned when a merge or a sync finds conflicts, which wait to be resolved. 'git
	// context merge --status' lists them.
	MergeConflict = "merge-conflict"
	// MergeItself is returned when a branch would be merged into itself.
	MergeItself = "merge-itself"
	// MergeWaiting is returned when another merge into the branch waits to be resolved. Continue or abort
	// it first.
	MergeWaiting = "merge-waiting"
	// MergeStale is returned when the waiting merge is of another branch than the one named, or of a ref
	// that no longer exists. Abort it.
	MergeStale = "merge-stale"
	// MergeState is returned when the file of the waiting merge cannot be read.
	MergeState = "merge-state"
	// NoMerge is returned when no merge into the branch waits.
	NoMerge = "no-merge"
	// UpToDate is returned when the branch to merge is contained in the target already.
	UpToDate = "up-to-date"
	// TooManyBases is returned when the two histories have more merge bases than a merge can join.
	TooManyBases = "too-many-bases"
	// ConflictNotFound is returned when the path to resolve is not in conflict.
	ConflictNotFound = "conflict-not-found"
	// ResolutionInvalid is returned when the text that resolves a conflict is invalid for its path.
	ResolutionInvalid = "resolution-invalid"
	// SettleHow is returned when a conflict is to be settled otherwise than by ours, theirs or union.
	SettleHow = "settle-how"
)

// Errors of remotes and bundles.
const (
	// NoRemote is returned when the repository has no remote.
	NoRemote = "no-remote"
	// RemoteNotFound is returned when no remote has that name, or there are several and none is preferred.
	// Set context.remote.
	RemoteNotFound = "remote-not-found"
	// RemoteUnreachable is returned when git cannot reach the remote, or the remote refuses access. The
	// message is git's, and that of the remote, or of ssh, goes with it.
	RemoteUnreachable = "remote-unreachable"
	// SecretFound is returned when a push would send texts that contain a secret: they were written by an
	// older version or another program. The hints remove it; 'git context push --no-scan' sends it.
	SecretFound = "secret-found"
	// FirstPush is returned when a sync would send memory to a remote that has none. 'git context push'
	// does it.
	FirstPush = "first-push"
	// MappingSplit is returned when a push would begin memory on a remote that has it under its other
	// names, refs/context/ or refs/heads/context/, see context.<remote>.mapping. Clones that use different
	// names see each other's memory only after a sync. fsck has a problem of this name for a remote with both.
	MappingSplit = "mapping-split"
	// PushRefused is returned when the remote refuses a push, for example by a hook or a protected ref. What
	// the remote said goes with it.
	PushRefused = "push-refused"
	// Diverged is returned when a push would replace commits that the remote has and this repository does
	// not have. Sync first.
	Diverged = "diverged"
	// DeletedOnRemote is returned when the remote has deleted branches that changed here since. Delete
	// them here too, or push them again.
	DeletedOnRemote = "deleted-on-remote"
	// IncomingInvalid is returned when the commits of a remote or a bundle do not pass the checks.
	// Nothing was merged.
	IncomingInvalid = "incoming-invalid"
	// BundleInvalid is returned when a file is no bundle that git can read, or contains no memory.
	BundleInvalid = "bundle-invalid"
	// FileExists is returned when the file to write a bundle to exists and is no bundle of memory.
	FileExists = "file-exists"
	// NothingNew is returned when a bundle would be empty because nothing is newer than what it excludes.
	NothingNew = "nothing-new"
)

// Errors of the code.
const (
	// NoWorktree is returned when a command needs the files of the code in a bare repository.
	NoWorktree = "no-worktree"
	// NothingStaged is returned when 'git context commit --code' finds nothing in the index. Add files, or
	// use -a.
	NothingStaged = "nothing-staged"
	// NothingChanged is returned when 'git context commit --code -a' finds no changed file.
	NothingChanged = "nothing-changed"
	// CodeRefused is returned when git or one of its hooks refuses the code commit. No memory commit was
	// made either.
	CodeRefused = "code-refused"
	// CodeBusy is returned when a merge, a rebase, a bisect or another operation of git is in progress.
	// Finish it or abort it.
	CodeBusy = "code-busy"
	// CodeEdited is returned when a rollback would lose changes of the code that are not committed. Commit
	// or stash them.
	CodeEdited = "code-edited"
	// CodeInTheWay is returned when a rollback would overwrite files that git does not track.
	CodeInTheWay = "code-in-the-way"
	// CodeElsewhere is returned when the code commit to return to is not in the history of HEAD. --reset
	// goes there.
	CodeElsewhere = "code-elsewhere"
	// CodeUnborn is returned when the code has no commit on its branch yet, to take back or to confirm a
	// topic for.
	CodeUnborn = "code-unborn"
	// WorkTooLarge is returned when the uncommitted code is too large to be handed over. Let git ignore the
	// largest file, or commit the code.
	WorkTooLarge = "work-too-large"
	// WorkRefused is returned when git does not save the uncommitted code, or does not apply what was handed
	// over because it would overwrite something. Nothing was changed.
	WorkRefused = "work-refused"
	// WorkNone is returned when the newest commit of the branch handed over no uncommitted code.
	WorkNone = "work-none"
	// WorkNotHere is returned when the uncommitted code that was handed over is not in this repository. A sync
	// brings it.
	WorkNotHere = "work-not-here"
	// WorkConflict is returned when handed over code conflicts with the code here. Git's conflict markers are
	// in the files.
	WorkConflict = "work-conflict"
	// CodeUnknown is returned when a memory commit names no code commit because the code had none.
	CodeUnknown = "code-unknown"
	// CodeGone is returned when the code commit of a memory commit is not in the repository. Fetch it, or
	// roll back memory alone.
	CodeGone = "code-gone"
	// CodeNotMoved is returned when git cannot change the code. Memory was not changed.
	CodeNotMoved = "code-not-moved"
	// RollbackElsewhere is returned when the branch never was at the commit to return to. Roll back the
	// branch that was.
	RollbackElsewhere = "rollback-elsewhere"
	// IntentUnfinished is returned when an interrupted 'git context commit --code' or 'git context
	// rollback --code' cannot be completed. The message says why.
	IntentUnfinished = "intent-unfinished"
	// IntentUnreadable is returned when the file of an interrupted 'git context commit --code' or 'git
	// context rollback --code' cannot be read.
	IntentUnreadable = "intent-unreadable"
)

// Errors of bisect and git's own arguments.
const (
	// Bisecting is returned when a bisect of the branch is under way. Continue it, or end it with 'git
	// context bisect reset'.
	Bisecting = "bisecting"
	// NotBisecting is returned when no bisect is in progress on the branch in this worktree.
	NotBisecting = "not-bisecting"
	// BisectIncomplete is returned when no commit of a bisect is marked bad, or none good.
	BisectIncomplete = "bisect-incomplete"
	// BisectDone is returned when a bisect has nothing left to test.
	BisectDone = "bisect-done"
	// BisectSkipped is returned when only skipped commits are left, so that the first bad one cannot be
	// determined.
	BisectSkipped = "bisect-skipped"
	// BisectContradiction is returned when a commit is marked good and bad, or a good commit follows the
	// bad one.
	BisectContradiction = "bisect-contradiction"
	// BisectMark is returned when a mark is not good, bad or skip.
	BisectMark = "bisect-mark"
	// BisectGone is returned when a commit of the bisect no longer exists in the repository.
	BisectGone = "bisect-gone"
	// BisectState is returned when the file of the bisect cannot be read.
	BisectState = "bisect-state"
	// ArgumentInvalid is returned when an option of git has no value.
	ArgumentInvalid = "argument-invalid"
	// ArgumentRefused is returned when an option of git is refused: it would write a file, run a program,
	// or show other commits than memory. The hint does the same where that is possible.
	ArgumentRefused = "argument-refused"
)

// Errors of search and recall.
const (
	// QueryEmpty is returned when a query has no word to search for.
	QueryEmpty = "query-empty"
	// QueryTooLarge is returned when a query is larger than the limit.
	QueryTooLarge = "query-too-large"
	// SearchIn is returned when a search is restricted to an unknown kind of text.
	SearchIn = "search-in"
	// SearchBranches is returned when a search gets one branch and all of them.
	SearchBranches = "search-branches"
	// SearchFilter is returned when a search for steps or topics is filtered by score or outcome, which
	// only commits have.
	SearchFilter = "search-filter"
	// SearchLimit is returned when the number of hits of a search is out of range.
	SearchLimit = "search-limit"
	// RepositoriesNone is returned when no repository is listed for --all-repos, or none can be searched.
	RepositoriesNone = "repositories-none"
	// RepositoryUnlisted is returned when a repository to remove from the list is not in it.
	RepositoryUnlisted = "repository-unlisted"
	// RecallEmpty is returned when the text to recall for has no word to compare.
	RecallEmpty = "recall-empty"
	// RecallTooLarge is returned when the text to recall for is larger than the limit.
	RecallTooLarge = "recall-too-large"
	// RecallLimit is returned when the number of hits of a recall is out of range.
	RecallLimit = "recall-limit"
	// SimilarityInvalid is returned when the least similarity is not between 0 and 1.
	SimilarityInvalid = "similarity-invalid"
)

// Errors of expunge.
const (
	// ExpungeWhat is returned when an expunge gets neither a text nor an id.
	ExpungeWhat = "expunge-what"
	// MatchEmpty is returned when the text to expunge is white space.
	MatchEmpty = "match-empty"
	// MatchRedaction is returned when the text to expunge is part of the placeholder that replaces
	// expunged texts.
	MatchRedaction = "match-redaction"
	// EntryNotFound is returned when no step and no commit has the id to expunge.
	EntryNotFound = "entry-not-found"
	// NothingHolds is returned when no part of memory contains the text to expunge.
	NothingHolds = "nothing-holds"
	// ExpungeNames is returned when the text to expunge occurs only in names, such as those of branches.
	// The hints rename or delete them where that is possible.
	ExpungeNames = "expunge-names"
	// ExpungeIncomplete is returned when an object would still contain the text after an expunge. Nothing
	// was changed.
	ExpungeIncomplete = "expunge-incomplete"
	// ExpungeIntent is returned when the file of an interrupted expunge cannot be read.
	ExpungeIntent = "expunge-intent"
	// ExpungedFull is returned when the list of what was expunged would exceed its limit. Give a longer
	// text, which occurs in fewer places.
	ExpungedFull = "expunged-full"
	// ObjectsPrecious is returned when objects must not be deleted because extensions.preciousObjects is
	// set.
	ObjectsPrecious = "objects-precious"
	// ExpungedElsewhere is returned when a remote has expunged entries that exist here. 'git context
	// expunge --from' follows it.
	ExpungedElsewhere = "expunged-elsewhere"
	// ExpungedOnRemote is returned when a remote still contains text that was expunged here. The hints
	// remove it there.
	ExpungedOnRemote = "expunged-on-remote"
	// ExpungeAsked is returned when a remote asks to forget what was written here, has not forgotten it
	// itself, and nobody has answered: 'git context expunge --from REMOTE' with --dry-run, --yes or --refuse.
	ExpungeAsked = "expunge-asked"
	// ExpungeWhy is returned when the reason for an expunge contains the text that it removes.
	ExpungeWhy = "expunge-why"

	// ExpungeSpent is returned when the numbers of a tombstone are used up.
	ExpungeSpent = "expunge-spent"
	// NothingAsked is returned when there is nothing to refuse: no request of that remote waits.
	NothingAsked = "nothing-asked"
	// NothingExpunged is returned when the remote has expunged nothing that exists here.
	NothingExpunged = "nothing-expunged"
)

// Errors of folders.
const (
	// FolderNotFound is returned when the folder does not exist, or contains no memory of another program.
	FolderNotFound = "folder-not-found"
	// FolderUnreadable is returned when the folder is a file, or cannot be read.
	FolderUnreadable = "folder-unreadable"
	// TranscriptForeign is returned when a file is not a transcript of the agent that was named. The hint
	// names the agent whose it is, or those that are known.
	TranscriptForeign = "transcript-foreign"
	// FolderInvalid is returned when a file in the folder has a format that cannot be read.
	FolderInvalid = "folder-invalid"
	// FolderAmbiguous is returned when the folder contains .GCC and .gcc. Name one of them.
	FolderAmbiguous = "folder-ambiguous"
	// FolderExists is returned when the folder to export to exists already.
	FolderExists = "folder-exists"
	// DialectUnknown is returned when the kind of folder to export is not a known one.
	DialectUnknown = "dialect-unknown"
)
