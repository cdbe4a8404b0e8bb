package git

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
)

// The failures a caller decides on. They are wrapped with what was being done.
var (
	// ErrNotRepository: no git repository here or above.
	ErrNotRepository = errors.New("not a git repository")
	// ErrNotFound: the object, ref or revision does not exist.
	ErrNotFound = errors.New("not found")
	// ErrMissing: an object is not here whose full name was given, by memory itself as a rule. It is an ErrNotFound too,
	// unless a git process found out.
	ErrMissing = fmt.Errorf("%w", ErrNotFound)
	// ErrStale: a ref did not have the old value, or another process had its lock.
	// Reading it again and rebuilding may succeed.
	ErrStale = errors.New("ref has moved")
	// ErrLocked: a lock file existed for two seconds. Its owner may be at work, or dead. It comes
	// together with ErrStale, except for the lock of a reflog.
	ErrLocked = errors.New("ref is locked")
	// ErrOldGit: the git that is installed cannot do what is needed.
	ErrOldGit = errors.New("git 2.39 or newer is required")
	// ErrBadObject: a remote sends an object that git fsck refuses.
	ErrBadObject = errors.New("git refuses an object")
	// ErrUnreachable: a remote is not known, does not exist, is no repository, refuses
	// access, or does not answer.
	ErrUnreachable = errors.New("cannot be reached")
	// ErrNoAtomic: a remote cannot update several refs all or none.
	ErrNoAtomic = errors.New("cannot update refs atomically")
	// ErrEmptyBundle: what was to be bundled is known on the other side already.
	ErrEmptyBundle = errors.New("nothing to bundle")
	// ErrAmbiguous: a short object name matches several objects.
	ErrAmbiguous = errors.New("ambiguous")
)

// Error is a git process that failed.
type Error struct {
	Args   []string // arguments, without "git" itself
	Code   int      // exit code; -1 when it was killed or could not be started
	Stderr string   // standard error, its last 64 KiB at most
	Err    error    // why it was killed or not started, else nil
}

// Error gives the command and the first complaint of git. What a remote said is part of it if that is
// one line; see [Error.Said].
func (e *Error) Error() string {
	if name := e.Extension(); name != "" {
		return fmt.Sprintf("this git is too old for the repository, which has the extension '%s'", Shown(name))
	}
	what := "git"
	if name := e.subcommand(); name != "" {
		what += " " + name
	}
	words, own := overheard(e.Stderr)
	said := complaint(own)
	if len(words) == 1 {
		said = because(said, words[0])
	}
	switch {
	case e.Err != nil && said != "":
		return fmt.Sprintf("%s: %s: %v", what, said, e.Err)
	case e.Err != nil:
		return fmt.Sprintf("%s: %v", what, e.Err)
	case said != "":
		return fmt.Sprintf("%s: %s", what, said)
	}
	return fmt.Sprintf("%s: exit status %d", what, e.Code)
}

// because returns git's complaint with the one line that a remote said. That replaces a complaint
// which says only that the connection failed.
func because(complaint, word string) string {
	if said, ok := faultLine(word); ok {
		word = said
	}
	if complaint == "" || strings.HasPrefix(complaint, "Could not read from remote repository") {
		return strings.TrimSpace(word)
	}
	return complaint + ": " + strings.TrimSpace(word)
}

// Said returns what a remote said, in its order, if that is more than one line: a single line is part of
// the text of the error. The lines may contain anything, terminal escapes too.
func (e *Error) Said() []string {
	words, _ := overheard(e.Stderr)
	if len(words) < 2 {
		return nil
	}
	return words
}

// overheard divides standard error into the lines of a remote, blank ones too, without the mark "remote:"
// and without progress meters, and git's own. Lines of a server's standard error that come through ssh, and
// those of ssh, have no mark; they are all that git did not write, where it says that the connection failed.
func overheard(stderr string) (words []string, own string) {
	const failed = "fatal: Could not read from remote repository."
	stderr = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(stderr)
	stderr = strings.Replace(stderr, failed+
		"\n\nPlease make sure you have the correct access rights\nand the repository exists.\n", failed+"\n", 1)
	atStart, later := strings.Contains(stderr, failed), strings.Contains(stderr, "fatal: the remote end hung up")
	for line := range strings.SplitSeq(strings.TrimSuffix(stderr, "\n"), "\n") {
		said, marked := strings.CutPrefix(line, "remote:")
		refusal, refused := strings.CutPrefix(line, "fatal: remote error: ")
		switch {
		case isMeter(line):
		case marked:
			words = append(words, strings.TrimRight(strings.TrimPrefix(said, " "), " "))
		case refused: // the lines after it belong to it
			words, own, atStart = append(words, refusal), own+"fatal: remote error\n", true
		case line != failed && (atStart || later && !duringTransfer(line)):
			words = append(words, strings.TrimRight(line, " "))
		default:
			own += line + "\n"
		}
	}
	return words, own
}

// duringTransfer reports whether a line is git's own while objects are sent.
func duringTransfer(line string) bool {
	_, fault := faultLine(line)
	return fault || line == "" || line == "Everything up-to-date" || strings.HasPrefix(line, "send-pack: ") ||
		strings.HasPrefix(line, "fetch-pack: ")
}

// isMeter reports whether a line is part of a progress meter, of git here or at the remote.
func isMeter(line string) bool {
	line = strings.TrimSpace(strings.TrimPrefix(line, "remote:"))
	for _, prefix := range []string{"Enumerating objects: ", "Delta compression using ", "Total "} {
		if rest, ok := strings.CutPrefix(line, prefix); ok && (prefix[0] != 'T' || strings.Contains(rest, " (delta ")) {
			return true
		}
	}
	_, rest, ok := strings.Cut(line, "% (")
	count, _, closed := strings.Cut(rest, ")")
	return ok && closed && !strings.ContainsFunc(count, func(c rune) bool { return c != '/' && (c < '0' || c > '9') })
}

// Advice returns the command that git advises for a repository of an owner that it does
// not trust, and what to do about one that it is too old for; else "".
func (e *Error) Advice() string {
	switch e.Extension() {
	case "":
	case "refstorage":
		return "install git 2.45 or newer, which has reftable"
	default:
		return "install a newer git"
	}
	for line := range strings.Lines(e.Stderr) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "git config --global --add safe.directory ") {
			return line
		}
	}
	return ""
}

// Extension returns the extension of the repository's format that this git does not know, and
// without which it reads nothing there; else "".
func (e *Error) Extension() string {
	_, list, _ := strings.Cut(e.Stderr, "fatal: unknown repository extension")
	_, names, _ := strings.Cut(list, "\n")
	name, _, _ := strings.Cut(names, "\n")
	return strings.TrimSpace(name)
}

// Complained reports whether git printed an error. Its warnings, of a deprecated setting for
// example, and its hints are none: it goes on after them.
func (e *Error) Complained() bool {
	for line := range strings.Lines(e.Stderr) {
		if _, ok := faultLine(line); ok {
			return true
		}
	}
	return false
}

// Unwrap returns why the child was killed or could not be started.
func (e *Error) Unwrap() error { return e.Err }

// missed begins what git prints of a repository that lacks an object. "bad object" with a hash may be what a
// user typed.
var missed = []string{"fatal: bad tree object ", "error: bad tree object ", "fatal: unable to read tree ", "fatal: missing blob object ",
	"fatal: missing tree object ", "fatal: bad object refs/"}

// isMissed reports whether a line says that the repository lacks an object.
func isMissed(line string) bool {
	id, unread := strings.CutPrefix(line, "fatal: unable to read ")
	if !unread { // a commit below one that is here
		id, unread = strings.CutPrefix(line, "error: Could not read ")
	}
	return unread && (isHex(id, 40) || isHex(id, 64)) ||
		slices.ContainsFunc(missed, func(text string) bool { return strings.HasPrefix(line, text) })
}

// isUnfetched reports whether a line says that a partial clone lacks an object which git did not get.
func isUnfetched(line string) bool {
	return strings.HasPrefix(line, "fatal: could not fetch ") && strings.HasSuffix(line, " from promisor remote")
}

// Is reports whether the child failed with target: ErrOldGit, ErrMissing, ErrNotFetched, or an error number of the
// system, of which git prints the text after what it could not do.
func (e *Error) Is(target error) bool {
	if target == ErrOldGit {
		return e.Extension() != ""
	}
	switch target {
	case ErrMissing:
		return slices.ContainsFunc(strings.Split(e.Stderr, "\n"), isMissed)
	case ErrNotFetched:
		return slices.ContainsFunc(strings.Split(e.Stderr, "\n"), isUnfetched)
	}
	errno, ok := systemSaid(e.Stderr)
	return ok && errors.Is(errno, target)
}

// subcommand is the first argument that is no option of git itself.
func (e *Error) subcommand() string {
	for i := 0; i < len(e.Args); i++ {
		switch arg := e.Args[i]; {
		case arg == "-c" || arg == "-C":
			i++
		case !strings.HasPrefix(arg, "-"):
			return arg
		}
	}
	return ""
}

// complaint picks the text of the first "fatal:" or "error:" line, else the first line that is
// no warning: warnings and hints may precede it. A progress meter ends its lines with a carriage
// return. The reason may be in the line after a colon. A program that signs may print nothing,
// or speak to git in lines of its own.
func complaint(stderr string) string {
	lines := strings.FieldsFunc(stderr, func(c rune) bool { return c == '\n' || c == '\r' })
	lines = slices.DeleteFunc(lines, func(line string) bool {
		return strings.TrimSpace(line) == "error:" || strings.HasPrefix(line, "[GNUPG:] ")
	})
	for i, line := range lines {
		said, ok := faultLine(line)
		switch {
		case !ok:
		case i+1 < len(lines) && strings.HasSuffix(said, ":"):
			next, ok := faultLine(lines[i+1])
			if !ok {
				next = strings.TrimSpace(lines[i+1])
			}
			return said + " " + next
		default:
			return said
		}
	}
	if len(lines) == 0 {
		return ""
	}
	first := slices.IndexFunc(lines, func(line string) bool { return !strings.HasPrefix(line, "warning: ") })
	return strings.TrimSpace(lines[max(0, first)])
}

// faultLine returns the text of a "fatal:" or "error:" line.
func faultLine(line string) (string, bool) {
	line = strings.TrimSpace(line)
	for _, prefix := range []string{"fatal: ", "error: "} {
		if said, ok := strings.CutPrefix(line, prefix); ok {
			return said, true
		}
	}
	return "", false
}

// ErrBroken: the file of a ref contains neither an object nor a ref, or another file of
// the memory is damaged. The error names it; fsck repairs it.
var ErrBroken = errors.New("is malformed")

// ErrNotFetched: this is a partial clone, which lacks the object, and git could or should not
// fetch it.
var ErrNotFetched = errors.New("this partial clone lacks the object")

// NotHere reports whether err says that an object is not here: lost, or not fetched by a partial clone.
func NotHere(err error) bool { return errors.Is(err, ErrMissing) || errors.Is(err, ErrNotFetched) }

// refusals are the reasons for which a system refuses to write: no room, a quota, no
// permission.
func refusals() []syscall.Errno {
	return []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG,
		syscall.EACCES, syscall.EPERM, syscall.EROFS, syscall.EIO}
}

// systemSaid finds in git's complaints why the system refused something. Children speak as
// in the C locale. What a remote reports of its own disk is on lines of another kind, and
// what ssh reports of a key is no complaint of git's.
func systemSaid(stderr string) (syscall.Errno, bool) {
	for line := range strings.Lines(stderr) {
		said, ok := faultLine(line)
		if !ok {
			continue
		}
		for _, errno := range refusals() {
			if strings.HasSuffix(strings.ToLower(said), ": "+errno.Error()) {
				return errno, true
			}
		}
		if strings.HasSuffix(said, "Out of diskspace") { // where a pack's write falls short
			return syscall.ENOSPC, true
		}
		if strings.HasSuffix(said, ": I/O error") { // a reftable says so of every reason
			return syscall.EIO, true
		}
	}
	return 0, false
}
