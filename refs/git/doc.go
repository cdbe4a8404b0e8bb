// Package git is the repository: with the packages below it, the only one that runs git,
// reads or writes objects and refs, and spells ref names. The packages above it use
// repositories, objects, refs and locks as Go values.
//
// Below it are refs/git/disk (permissions, replaced files, stamps, locks on files) and
// refs/git/process (process groups); above it is refs/git/pack (packing and purging).
//
// # What is done in process, and what git does
//
// A process of git costs 0.5 to 2 ms; a loose object read in process, 0.03 ms.
// Therefore
//
//   - a repository is found in process where it is laid out plainly and is ours
//     (Open), by `git rev-parse` everywhere else. Whether a directory of another
//     owner may be trusted is git's decision alone (safe.directory);
//   - loose refs and the sorted packed-refs file are read in process. A
//     repository with reftable, or with a form of packed-refs that cannot be
//     searched, is asked through git;
//   - loose objects are read in process, everything else (packs, alternates,
//     promised objects) comes from one `git cat-file --batch-command` child per
//     Repo, started when it is first needed;
//   - loose objects are written in process, with git's own rules for mode,
//     compression, fsync and modification time; where they have a name of the other
//     hash as well (extensions.compatObjectFormat), `git hash-object` writes them;
//   - signed commits are made by `git commit-tree -S` and judged by git log and
//     `git verify-commit`, with whatever programs and keys the user's git has;
//   - refs are moved by `git update-ref --stdin` alone (Tx), always with the old
//     value. It is the one path that is right beside every other writer;
//   - configuration is listed by `git config --list` and cached in local state,
//     keyed by inode, size and modification time of every file it came from.
//
// # Children
//
// Every child runs with LC_ALL=C, GIT_OPTIONAL_LOCKS=0, GIT_TERMINAL_PROMPT=0,
// GIT_NO_REPLACE_OBJECTS=1 and no file of grafts (in-process reads know neither
// replace refs nor grafts, and the two must agree), with GIT_DIR set to the repository that was found, without
// what a hook's environment would add (GIT_INDEX_FILE, GIT_PREFIX,
// GIT_AUTHOR_*), in a process group of its own, never with our standard input,
// and under a deadline. A child that fails is an *Error: its arguments, exit
// code and standard error.
//
// Children that talk to a remote (Fetch, Push, LsRemote) run in a session of
// their own, where neither ssh nor a credential helper finds a terminal to ask
// on, without SSH_ASKPASS and core.askPass. Those that sign have no terminal
// either, but the user's whole environment: an agent that keeps the key may ask,
// in its own way and for 50 seconds. The texts of git and of servers are
// matched in this package only, and become the errors of errors.go.
//
// # Absent is not unreadable
//
// ErrNotFound means that git, too, would report the object or ref as absent in a
// healthy repository. A corrupt object, a malformed ref, a directory that may
// not be read are other errors, and never become ErrNotFound.
//
// # Locks
//
// Processes of ours exclude each other by advisory locks on files below
// <common dir>/context/lock (Lock, TryLock), which the system releases when
// their last owner ends. Git's own lock files are taken by git, except for two
// files that no git command writes as needed: a broken ref (ReplaceBroken) and the
// list of shallow commits (refs/git/pack). A lock file of
// git's that a dead process left is found by RefLocks and Abandoned.
//
// # Settings of git's that it honours itself
//
// core.sharedRepository for every file it makes; core.compression,
// core.looseCompression, core.fsync and core.fsyncObjectFiles for loose objects;
// core.worktree, core.bare and extensions.* for the layout; committer.*, user.*
// for the committer; http.lowSpeedLimit and http.lowSpeedTime, which it sets where
// they are not set; blame.ignoreRevsFile, which it makes harmless. All others are
// read by git's children as ever.
//
// # Concurrency
//
// A *Repo may be used by several goroutines. Any number of processes, git's own
// among them, may work on the repository meanwhile. A *Tx belongs to one
// goroutine at a time.
package git
