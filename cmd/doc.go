// Package cmd is the command line of git-context: one file for each command,
// with its options, its flags, its work and, apart from that, its printer.
//
// # The command line
//
// Flags stand before the command's name, after it, or after its arguments, as
// with git; `--` ends them, and behind it log and diff take options of git's
// own. A flag is given as --flag value, --flag=value, -f value or -fvalue,
// switches as -abc together; what needs a value takes the
// next word whatever it looks like. A repeated flag adds up where help says so,
// otherwise the last one counts. A comma is a comma. What is not known is wrong
// usage, with the nearest right word as a hint.
//
// Every command takes --json, -b NAME (--branch NAME, but alone on CONTEXT,
// where it is a view), -C DIR and -h; what writes takes --agent, --session and
// --model. The environment's GIT_CONTEXT_BRANCH, GIT_CONTEXT_AGENT,
// GIT_CONTEXT_SESSION and GIT_CONTEXT_MODEL stand in for flags that are not
// given.
//
// # What it prints
//
// Results go to standard output, each in one piece; with --json as one document
// (`record --stdin` answers line by line, log and diff write as git does).
// Hints, warnings and errors go to standard error:
//
//	git-context: error: branch 'plna' not found
//	hint: did you mean 'plan'?
//
// or with --json {"error":{"code","message","hint"}}. Views are shown in colour
// and through the pager by git's own rules, where standard output is a
// terminal; elsewhere they are plain text, and no question is asked.
// GIT_CONTEXT_TRACE=1 (or an absolute path) shows every child of git's.
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
// ^C ends a command at once, as it ends any process: what was acknowledged is
// safe, what was not has not happened. A reader who has closed the pipe ends it
// as SIGPIPE does. Neither is worth a message.
//
// # For callers
//
// [Run] runs one command line in the world that an [Env] describes and touches
// nothing outside of it but the repository and the files that flags name.
// [Main] is Run in the world of the process. Runs do not share anything, so
// several may go on at once.
package cmd
