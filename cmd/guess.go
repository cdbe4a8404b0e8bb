package cmd

// inFull returns the command and the words that a short name means.
func inFull(name string, after []string) (string, []string) {
	switch name {
	case "goal", "milestone", "todo", "decide", "ask", "answer":
		return "roadmap", append([]string{name}, after...)
	case "st":
		return "status", after
	}
	return name, after
}

// guess returns hints for a command of another program, or for the name of a thing: what a user of
// git, jj or gh would type. It returns nil for an unknown word.
func guess(name string) []string {
	switch name {
	case "checkout", "co":
		return []string{"git context switch NAME", "git context branch NAME, for a new one"}
	case "list", "ls":
		return []string{"git context branch, git context topics or git context log"}
	case "pull":
		return []string{"git context sync"}
	case "clone":
		return []string{"git clone, then git context init"}
	case "remote":
		return []string{"git remote; git context sync REMOTE"}
	case "amend":
		return []string{"git context commit --amend"}
	case "uncommit", "reset", "revert", "abandon":
		return []string{"git context undo, git context rollback C or git context merge NAME --abandon"}
	case "cherry-pick", "rebase", "squash":
		return []string{"git context merge NAME"}
	case "new", "explore", "experiment", "fork", "try":
		return []string{"git context branch NAME --purpose TEXT"}
	case "add", "stage", "step", "observe", "think", "act":
		return []string{"git context record -o TEXT -t TEXT -a TEXT"}
	case "save", "checkpoint", "snapshot", "ci":
		return []string{"git context commit -m SUMMARY"}
	case "config", "settings":
		return []string{"git config context.KEY VALUE", "git help git-context lists the keys"}
	case "mv", "rename":
		return []string{"git context branch -m OLD NEW"}
	case "bookmark", "branches":
		return []string{"git context branch"}
	case "op", "operation":
		return []string{"git context undo"}
	case "worktree":
		return []string{"git worktree; each worktree has a current memory branch of its own"}
	case "desc":
		return []string{"git context commit -m SUMMARY"}
	case "rm", "remove", "delete", "del":
		return []string{"git context forget KEY or git context branch -d NAME"}
	case "set", "write", "learn", "keep", "pin", "memory", "mem":
		return []string{"git context remember KEY TEXT"}
	case "get", "read", "cat", "view", "open", "describe", "info":
		return []string{"git context show C, or git context topics KEY"}
	case "context", "brief", "resume", "recap", "summary":
		return []string{"git context"}
	case "grep", "find", "query":
		return []string{"git context search QUERY"}
	case "history", "reflog", "shortlog":
		return []string{"git context log"}
	case "stash", "handoff", "hand-over", "bye", "end":
		return []string{"git context handover -m SUMMARY"}
	case "plan", "task", "tasks", "issue", "pr":
		return []string{"git context roadmap"}
	case "decision", "decisions":
		return []string{"git context decide TEXT"}
	case "question", "questions":
		return []string{"git context ask TEXT"}
	case "doctor", "check", "validate":
		return []string{"git context fsck"}
	case "start", "setup", "create":
		return []string{"git context init"}
	case "uninstall", "uninit", "destroy":
		return []string{"git context deinit"}
	case "whoami":
		return []string{"git context status"}
	}
	return nil
}
