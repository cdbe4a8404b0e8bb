package git

import "strings"

// pushClass is the meaning of one line of `git push --porcelain`.
type pushClass int

const (
	upToDate pushClass = iota
	done
	dragged // rejected because another ref of an atomic push was
	stale
	refused
	lostReport // the remote never said
)

// pushLine is one line of `git push --porcelain`.
type pushLine struct {
	ref    string // at the remote
	class  pushClass
	remote bool   // the remote's decision, not that of git here
	reason string // of a rejection
}

// parsePorcelain reads the output of `git push --porcelain` (git-push(1)):
//
//	<flag> TAB <from>:<to> TAB <summary> [SP (<reason>)]
//
// between "To <url>", once for every URL of the remote, and "Done".
func parsePorcelain(out string) []pushLine {
	var lines []pushLine
	for text := range strings.Lines(out) {
		flag, rest, ok := strings.Cut(strings.TrimSuffix(text, "\n"), "\t")
		names, summary, ok2 := strings.Cut(rest, "\t")
		_, to, ok3 := strings.Cut(names, ":")
		if !ok || !ok2 || !ok3 || len(flag) != 1 {
			continue
		}
		line := pushLine{ref: to, class: done}
		switch flag {
		case "=":
			line.class = upToDate
		case "!":
			line.reject(summary)
		}
		lines = append(lines, line)
	}
	return lines
}

// reject reads "[rejected] (reason)", "[remote rejected] (reason)",
// "[remote failure] (remote failed to report status)".
func (l *pushLine) reject(summary string) {
	kind, reason, _ := strings.Cut(summary, " (")
	l.reason = strings.TrimSuffix(reason, ")")
	l.remote = kind == "[remote rejected]"
	l.class = rejection(l.reason)
	if kind == "[remote failure]" {
		l.class = lostReport
	}
}

// The reasons of a git server that says why in lines of its own: of one ref, and of all, which a
// newer one (2.55) updates together.
const (
	failedUpdate  = "failed to update ref"
	failedUpdates = "failed to update refs"
)

// rejection classifies a reason. Those of git here and of a git server are fixed
// texts, or begin with one; hooks and other servers may say anything, so what is
// not known is not tried again.
func rejection(reason string) pushClass {
	switch reason {
	case "fetch first", "non-fast-forward", "stale info", "remote ref updated since checkout",
		failedUpdate, failedUpdates,
		"incorrect old value provided", "reference already exists", "reference does not exist", // git 2.50 and newer
		"non-fast forward", "failed to lock", "lock failure": // servers in Java
		return stale
	case "atomic push failed", "atomic push failure", "atomic transaction failed", "transaction aborted":
		return dragged
	}
	if strings.HasPrefix(reason, "cannot lock ref") && !lastingText(reason) {
		return stale
	}
	// A gc there may remove an empty object directory just as it is filled; whether
	// the disk is full is in the server's words.
	if reason == "unable to migrate objects to permanent storage" {
		return stale
	}
	return refused
}

// lastingText reports whether a server could not write a ref for a reason that
// will be there the next time too: a ref in the way of its directory, no
// permission, no space, a hook.
func lastingText(said string) bool {
	for _, text := range []string{"cannot create '", "Permission denied", "Read-only file system",
		"No space left", "unable to create directory", "aborted by", "nonexistent object", "bad ref"} {
		if strings.Contains(said, text) {
			return true
		}
	}
	return false
}

// pushWords is what was said on standard error.
type pushWords struct {
	said   []string // all lines of the remote: its hooks', and its git's
	server []string // those that are not blank
	local  string   // the complaint of git here
}

// parseWords picks the remote's lines.
func parseWords(stderr string) pushWords {
	var w pushWords
	var own string
	w.said, own = overheard(stderr)
	for _, said := range w.said {
		if said = strings.TrimSpace(said); said != "" {
			w.server = append(w.server, said)
		}
	}
	if said := complaint(own); !strings.HasPrefix(said, "failed to push some refs") {
		w.local = said
	}
	return w
}

// about returns the remote's words that name a ref, or all if none does.
func (w pushWords) about(ref string) string {
	var named []string
	for _, said := range w.server {
		if strings.Contains(said, "'"+ref+"'") {
			named = append(named, said)
		}
	}
	if named == nil {
		named = w.server
	}
	return strings.Join(named, "; ")
}

// worstLines returns the line of each ref. With several push URLs git prints one
// for each of them, and the worst counts.
func worstLines(lines []pushLine) map[string]pushLine {
	worst := make(map[string]pushLine, len(lines))
	for _, l := range lines {
		if before, ok := worst[l.ref]; !ok || l.class > before.class {
			worst[l.ref] = l
		}
	}
	return worst
}

// classify decides what became of each update. git prints a line for each, but
// not for all of an atomic push over HTTP that it rejects by itself.
//
//  1. A line that says why: that. The server's words decide where the reason
//     alone does not decide whether the next try may succeed.
//  2. No line, or one that blames another ref: stale if another ref is stale,
//     else refused if another ref is refused.
//  3. All lines blame another ref (the server's transaction failed as a whole):
//     stale, unless the server's words name what will not go away.
func classify(updates []PushUpdate, lines map[string]pushLine, words pushWords) []Pushed {
	settled := make(map[string]pushLine, len(lines))
	for ref, l := range lines {
		settled[ref] = l.settled(words)
	}
	blamed := blame(settled, words)
	pushed := make([]Pushed, len(updates))
	for i, u := range updates {
		line, ok := settled[u.Ref]
		if !ok {
			line = pushLine{class: dragged, reason: "the remote did not report on it"}
		}
		if line.class == dragged {
			line.class = blamed
		}
		pushed[i] = Pushed{Ref: u.Ref, Status: line.status(), Reason: line.explain(words)}
		if line.remote {
			pushed[i].Said = words.said
		}
	}
	return pushed
}

// settled reads the server's words where a reason alone does not decide whether the next
// try may succeed.
func (l pushLine) settled(words pushWords) pushLine {
	if l.class == stale && (l.reason == failedUpdate || l.reason == failedUpdates) && lastingText(words.about(l.ref)) {
		l.class = refused
	}
	return l
}

// blame returns the class of updates that failed because of others.
func blame(lines map[string]pushLine, words pushWords) pushClass {
	seen := map[pushClass]bool{}
	for _, l := range lines {
		seen[l.class] = true
	}
	transaction := seen[dragged] && !seen[refused] && !lastingText(strings.Join(words.server, "\n"))
	if seen[stale] || transaction {
		return stale
	}
	return refused
}

func (l pushLine) status() PushStatus {
	switch l.class {
	case upToDate:
		return PushUpToDate
	case done:
		return PushDone
	case stale:
		return PushStale
	}
	return PushRefused
}

// explain returns the reason of a rejection. Where an object could not be read here, git's complaint
// belongs to it.
func (l pushLine) explain(words pushWords) string {
	if l.class == upToDate || l.class == done {
		return ""
	}
	text := l.reason
	if text == "unpacker error" && len(words.server) == 0 && words.local != "" {
		text += ": " + words.local
	}
	const most = 1000
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}
