// This file lists the codes of operations on memory and on the code; see codes.go.

package fail

// Errors of merges.
const (
	// MergeConflict is returned when a merge or a sync finds conflicts, which wait to be resolved. 'git
	// context merge --status' lists them.
	MergeConflict = "merge-conflict"
	// MergeContents is returned when a step or commit has different words on the two sides of a merge: somebody has
	// rewritten it. -X theirs takes the words of the source, -X ours those of the target.
	MergeContents = "merge-contents"
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
	// MergeUnclear is returned when a document of a remote cannot be merged, or a merge from there lacks a topic, a key or a section that both of its parents have changed,
	// or has more than eight parents or lacks too much to look at: it is not clear what to restore. The hint sets the ref back.
	MergeUnclear = "merge-unclear"
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
	// IncomingInvalid is returned when the commits of a remote or a bundle do not pass the checks, or the name of a ref
	// is too long here. Nothing of them was merged.
	IncomingInvalid = "incoming-invalid"
	// OutgoingInvalid is returned when a push or a sync leaves a ref out because every other clone would refuse its
	// commits. Another program has made them, and fsck says how to go on; or what both sides have together is refused, and the hint
	// sets the ref back there.
	OutgoingInvalid = "outgoing-invalid"
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
	// RepositorySlow is returned when one of several repositories does not answer a search in half a minute.
	RepositorySlow = "repository-slow"
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
	// ExpungeIntent is returned when the file of an interrupted expunge, or the list of what was expunged here, cannot be read.
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
