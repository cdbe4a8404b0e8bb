// Package cmd is the command line of git-context: one file for each command, with its
// options, its flags, its work and, apart from that, its printer.
//
// # The command line
//
// Flags may be given before the command's name, after it, and after its arguments, as in
// git; `--` ends them, and log and diff hand the words behind it to git. A flag is written
// --flag value, --flag=value, -f value or -fvalue, switches together as -abc. A flag that
// needs a value takes the next word whatever it looks like. A repeated flag adds up where
// help says so, otherwise the last one counts. A comma is part of a value. An unknown flag
// or command is a usage error, with the nearest known one as a hint.
//
// Every command has --json, -b NAME (--branch NAME, except alone on CONTEXT, where it is a
// view), -C DIR and -h; commands that write have --agent, --session and --model. The
// environment variables GIT_CONTEXT_BRANCH, GIT_CONTEXT_AGENT, GIT_CONTEXT_SESSION and
// GIT_CONTEXT_MODEL replace flags that are not given.
//
// # Output
//
// Results go to standard output, each in one write; with --json as one document (`record
// --stdin` answers line by line, log and diff write as git does). Hints, warnings and
// errors go to standard error:
//
//	git-context: error: branch 'plna' not found
//	hint: did you mean 'plan'?
//
// or with --json {"error":{"code","message","hint"}}. On a terminal, views use colour and
// the pager by git's own rules; elsewhere they are plain text. No command asks a question.
// GIT_CONTEXT_TRACE=1 (or an absolute path) shows every child process of git.
//
// # Exit codes
//
//	0    done
//	1    failed or refused
//	2    wrong usage
//	3    conflict, waiting to be resolved
//	4    no memory in this repository
//	128  not a git repository
//
// ^C ends a command at once, as it ends any process: what was acknowledged is safe, what
// was not has not happened. A closed pipe ends it as SIGPIPE does. Neither prints a
// message.
//
// # For callers
//
// [Run] runs one command line in the environment of an [Env]. It uses nothing else but the
// repository and the files that flags name. [Main] is Run with the environment of the
// process. Runs share no state, so several may run at once.
package cmd
