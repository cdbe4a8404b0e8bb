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
	extra       string    // the hint where there are more than most; %s is the first of them
	program     string    // the argument, or our name, that a program with flags of its own follows
	gitArgs     *[]string // receives the words behind `--`; nil: they are arguments

	action func(ctx context.Context, env *Env, args []string) error
}

// entry is a command in the list of all: its name and summary, without the cost of
// building it.
type entry struct {
	group, name, short string
	make               func(*globals) *command
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
		{groupRecord, "init", "make the roadmap and the first memory branch", newInit},
		{groupRecord, "record", "append one Observation-Thought-Action step", newRecord},
		{groupRecord, "exec", "run a command, and record it as one step", newExec},
		{groupRecord, "commit", "make a commit of the steps recorded so far", newCommit},
		{groupRecord, "status", "show what is pending, in conflict, ahead, uncommitted or stale", newStatus},
		{groupRecord, "handover", "end a session: commit, and list what is missing", newHandover},
		{groupRecord, "undo", "take back the newest change of the branch", newUndo},
		{groupRecord, "import", "import another implementation's folder or an agent's trace", newImport},
		{groupBranch, "branch", "list, make, rename, delete or restore memory branches", newBranch},
		{groupBranch, "switch", "make another memory branch the current one", newSwitch},
		{groupBranch, "merge", "bring another branch's memory into this one", newMerge},
		{groupBranch, "resolve", "settle a conflict of a merge", newResolve},
		{groupBranch, "tag", "name a commit", newTag},
		{groupKeep, "roadmap", "show and revise the goal, milestones and to-dos", newRoadmap},
		{groupKeep, "metadata", "show and edit the structured segments of a branch", newMetadata},
		{groupKeep, "remember", "keep a topic", newRemember},
		{groupKeep, "forget", "drop a topic", newForget},
		{groupKeep, "topics", "list the topics", newTopics},
		{groupKeep, "topic", "show one topic", newTopic},
		{groupAsk, "show", "show one commit or topic in full", newShow},
		{groupAsk, "log", "list commits, as git log does", newLog},
		{groupAsk, "graph", "draw all memory branches as a picture", newGraph},
		{groupAsk, "web", "show memory as pages in a browser", newWeb},
		{groupAsk, "diff", "compare what memory says at two commits", newDiff},
		{groupAsk, "note", "add a score, an outcome or a review to a commit", newNote},
		{groupAsk, "link", "find the memory of a code commit, and back", newLink},
		{groupAsk, "blame", "say who wrote each line of a topic, and when", newBlame},
		{groupAsk, "bisect", "find the first bad commit", newBisect},
		{groupAsk, "rollback", "restore topics and roadmap of an older commit", newRollback},
		{groupAsk, "restore", "bring back what an older commit has and the branch lacks", newRestore},
		{groupAsk, "verify", "check who signed memory commits", newVerify},
		{groupAsk, "search", "find commits, steps and topics by words", newSearch},
		{groupAsk, "recall", "say whether a problem was met before", newRecall},
		{groupAsk, "repos", "list the repositories that search --all-repos searches", newRepos},
		{groupShare, "sync", "fetch, merge and push memory", newSync},
		{groupShare, "fetch", "fetch the memory of a remote, without merging", newFetch},
		{groupShare, "push", "send memory to a remote, or delete it there", newPush},
		{groupShare, "bundle", "write all memory into one file", newBundle},
		{groupShare, "unbundle", "import what bundle wrote", newUnbundle},
		{groupShare, "export", "write a folder that other implementations read", newExport},
		{groupCare, "hooks", "install, remove or check hooks of git and agents", newHooks},
		{groupCare, "instructions", "print what an agent has to know of memory", newInstructions},
		{groupCare, "mcp", "serve memory by the Model Context Protocol", newMCP},
		{groupCare, "hook", "do the work of a hook; git or an agent runs it", newHook},
		{groupCare, "fsck", "check memory, and repair it", newFsck},
		{groupCare, "gc", "pack memory, and delete obsolete state", newGC},
		{groupCare, "expunge", "forget a text or an entry everywhere", newExpunge},
		{groupCare, "deinit", "remove memory from this repository", newDeinit},
		{groupCare, "stats", "count branches, commits, steps, agents and days", newStats},
		{groupCare, "completion", "print a completion script for a shell", newCompletion},
		{groupCare, "version", "print the version", newVersion},
	}
}
