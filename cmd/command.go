package cmd

import (
	"context"

	"github.com/urfave/cli/v2"
)

// command is one command: its help, its flags, the number of its arguments, and
// its action.
type command struct {
	name     string   // as typed; "" is CONTEXT
	usage    []string // the forms of its command line, without "git context "
	about    string   // one paragraph
	exits    []int    // its exit codes
	examples []string
	globals  *globals
	flags    []cli.Flag

	least, most int       // arguments
	needs       string    // what the user has to add when there are fewer than least
	program     string    // the argument that a program with flags of its own follows
	gitArgs     *[]string // receives the words behind `--`; nil: they are arguments

	action func(ctx context.Context, env *Env, args []string) error
}

// entry is a command in the list of all: its name and summary, without the cost of
// building it.
type entry struct {
	group, name, short string
	make               func(*globals) *command
	daily              bool // it is in the short help
}

// unlimited stands for any number of arguments.
const unlimited = 1 << 30

// The groups of the overview, in order.
const (
	groupRecord = "record the work"
	groupBranch = "explore and bring together"
	groupKeep   = "keep what is known"
	groupAsk    = "ask the history"
	groupShare  = "share it"
	groupCare   = "the rest"
)

// commands lists every command except CONTEXT, which has no name.
func commands() []entry {
	return []entry{
		{groupRecord, "init", "make the roadmap and the first memory branch", newInit, true},
		{groupRecord, "record", "append one Observation-Thought-Action step", newRecord, true},
		{groupRecord, "commit", "make a commit of the steps recorded so far", newCommit, true},
		{groupRecord, "status", "show what is pending, in conflict, ahead, uncommitted or stale", newStatus, true},
		{groupRecord, "handover", "end a session: commit, say what is missing, show the brief", newHandover, true},
		{groupRecord, "undo", "take back the newest change of the branch", newUndo, true},
		{groupRecord, "import", "take in another implementation's folder or an agent's trace", newImport, false},
		{groupBranch, "branch", "list, make, rename, delete or restore memory branches", newBranch, true},
		{groupBranch, "switch", "make another memory branch the current one", newSwitch, true},
		{groupBranch, "merge", "bring another branch's memory into this one", newMerge, true},
		{groupBranch, "resolve", "settle a conflict of a merge", newResolve, false},
		{groupBranch, "tag", "name a commit", newTag, false},
		{groupKeep, "roadmap", "show and revise the goal, milestones and to-dos", newRoadmap, true},
		{groupKeep, "metadata", "show and edit the structured segments of a branch", newMetadata, false},
		{groupKeep, "remember", "keep a topic", newRemember, true},
		{groupKeep, "forget", "drop a topic", newForget, false},
		{groupKeep, "topics", "list the topics", newTopics, false},
		{groupKeep, "topic", "show one topic", newTopic, false},
		{groupAsk, "show", "show one commit or topic in full", newShow, false},
		{groupAsk, "log", "list commits, as git log does", newLog, true},
		{groupAsk, "diff", "compare what memory says at two commits", newDiff, false},
		{groupAsk, "note", "say what became of a commit, or show what was said", newNote, false},
		{groupAsk, "link", "go from code to the memory behind it, and back", newLink, false},
		{groupAsk, "blame", "say who wrote each line of a topic, and when", newBlame, false},
		{groupAsk, "bisect", "find the commit that turned bad", newBisect, false},
		{groupAsk, "rollback", "restore what a commit had", newRollback, false},
		{groupAsk, "verify", "check who signed memory commits", newVerify, false},
		{groupAsk, "search", "find commits, steps and topics by words", newSearch, true},
		{groupAsk, "recall", "say whether a problem was met before", newRecall, false},
		{groupShare, "sync", "bring memory together with a remote's", newSync, true},
		{groupShare, "fetch", "ask a remote for its memory, without merging", newFetch, false},
		{groupShare, "push", "send memory to a remote, or delete it there", newPush, false},
		{groupShare, "bundle", "write all memory into one file", newBundle, false},
		{groupShare, "unbundle", "take in what such a file contains", newUnbundle, false},
		{groupShare, "export", "write a folder that other implementations read", newExport, false},
		{groupCare, "hooks", "install, remove or check git hooks", newHooks, false},
		{groupCare, "hook", "do what a git hook is for; git runs it", newHook, false},
		{groupCare, "fsck", "find what is wrong, and mend it", newFsck, false},
		{groupCare, "gc", "pack memory, and drop what is dead", newGC, false},
		{groupCare, "expunge", "forget a text or an entry everywhere", newExpunge, false},
		{groupCare, "stats", "count branches, commits, steps, agents and days", newStats, false},
		{groupCare, "completion", "make a shell complete command lines", newCompletion, false},
		{groupCare, "version", "say which version this is", newVersion, false},
	}
}
