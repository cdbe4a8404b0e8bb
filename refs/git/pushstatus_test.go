package git

import (
	"strings"
	"testing"
)

// What git prints, to the letter, where no server at hand would make it do so.
func TestClassify(t *testing.T) {
	t.Parallel()
	const x, y = BranchPrefix + "x", BranchPrefix + "y"
	for _, c := range []struct {
		name, out, said string
		x, y            PushStatus
	}{
		{"HTTP leaves a line out", "To http://h/s.git\n!\t1:" + x + "\t[rejected] (fetch first)\n",
			"error: atomic push failed for ref " + x + ". status: 5\n\nfatal: protocol error: bad line length character: erro\n",
			PushStale, PushStale},
		{"a line is missing, and nobody to blame", "=\t1:" + x + "\t[up to date]\n", "", PushUpToDate, PushRefused},
		{"a line is missing beside a refused one", "!\t1:" + x + "\t[remote rejected] (hook declined)\n", "", PushRefused, PushRefused},
		{"no words of a server", "!\t1:" + x + "\t[remote rejected] (atomic transaction failed)\n!\t1:" + y + "\t[remote rejected] (atomic transaction failed)\n",
			"", PushStale, PushStale},
		{"its hook", "!\t1:" + x + "\t[remote rejected] (atomic transaction failed)\n", "remote: fatal: ref updates aborted by hook        \n",
			PushRefused, PushRefused},
		{"git 2.50", "!\t1:" + x + "\t[remote rejected] (incorrect old value provided)\n!\t1:" + y + "\t[remote rejected] (refname conflict)\n",
			"", PushStale, PushRefused},
		{"a reftable that another process has locked", "!\t1:" + x + "\t[remote rejected] (failed to update refs)\n!\t1:" + y + "\t[remote rejected] (failed to update refs)\n",
			"remote: error: cannot lock references        \n", PushStale, PushStale},
		{"a hook of the refs there", "!\t1:" + x + "\t[remote rejected] (failed to update refs)\n!\t1:" + y + "\t[remote rejected] (failed to update refs)\n",
			"remote: error: in 'prepared' phase, update aborted by the reference-transaction hook        \n", PushRefused, PushRefused},
		{"a host's words", "!\t1:" + x + "\t[remote rejected] (cannot lock ref '" + x + "': is at 1 but expected 2)\n" +
			"!\t1:" + y + "\t[remote rejected] (cannot lock ref '" + y + "': '" + y + "/z' exists; cannot create '" + y + "')\n", "", PushStale, PushRefused},
		{"review", "!\t1:" + x + "\t[remote rejected] (prohibited by Gerrit: not permitted: create)\n!\t1:" + y + "\t[remote rejected] (no common ancestry)\n",
			"", PushRefused, PushRefused},
		{"Java", "!\t1:" + x + "\t[remote rejected] (failed to lock)\n!\t1:" + y + "\t[remote rejected] (transaction aborted)\n", "", PushStale, PushStale},
		{"not allowed to write", "!\t1:" + x + "\t[remote rejected] (failed to update ref)\n!\t1:" + y + "\t[remote rejected] (failed to update ref)\n",
			"remote: error: cannot lock ref '" + y + "': Unable to create '/y.lock': Permission denied        \n" +
				"remote: error: cannot lock ref '" + x + "': is at 1 but expected 2        \n", PushStale, PushRefused},
		{"whole words only", "!\t1:" + x + "\t[remote rejected] (hook: fetch first)\n \t1:" + y + "\t1..2\n", "", PushRefused, PushDone},
	} {
		got := classify([]PushUpdate{{"1", x}, {"1", y}}, worstLines(parsePorcelain(c.out)), parseWords(c.said))
		if got[0].Status != c.x || got[1].Status != c.y {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestParseWords(t *testing.T) {
	t.Parallel()
	w := parseWords("Counting objects: 100% (3/3)\rCounting objects: 100% (3/3), done.\n" +
		"remote: Resolving deltas:  50% (1/2)        \rremote: Resolving deltas: 100% (2/2), completed with 1 local object.        \n" +
		"remote: \nremote: error: GH013: rule violations found        \nremote: - no pushes        \nerror: failed to push some refs to 'x'\n")
	if got := strings.Join(w.server, "|"); got != "error: GH013: rule violations found|- no pushes" {
		t.Errorf("the server said %q", got)
	}
	if w.local != "" {
		t.Errorf("git said %q", w.local)
	}
	long := pushLine{class: refused, remote: true, reason: strings.Repeat("é", 5000)}.explain(pushWords{})
	if len(long) > 1010 || strings.ToValidUTF8(long, "?") != long {
		t.Errorf("%d bytes", len(long))
	}
}

// A server's words are anything: none makes a rejected ref a pushed one.
func FuzzPorcelain(f *testing.F) {
	f.Add("[remote rejected] (hook declined)", "remote: no\n")
	f.Add("[rejected] (atomic push failed)", "error: failed to push some refs to 'x'\n")
	f.Add("[remote failure] (", "remote: \r% (")
	f.Fuzz(func(t *testing.T, summary, said string) {
		if strings.Contains(summary, "\n") {
			return
		}
		lines := worstLines(parsePorcelain("To x\n!\t1:refs/a\t" + summary + "\n \t1:refs/b\t1..2\nDone\n"))
		got := classify([]PushUpdate{{"1", "refs/a"}, {"1", "refs/b"}}, lines, parseWords(said))
		if got[0].Status < PushStale || got[1].Status != PushDone {
			t.Errorf("%v", got)
		}
	})
}

// What the remote never said is not known, whatever it said of other refs.
func TestPushWithoutReport(t *testing.T) {
	t.Parallel()
	o := PushOptions{Remote: "http://me:secret@h/s.git", Updates: []PushUpdate{{"1", "refs/x"}, {"1", "refs/y"}}}
	failed := &Error{Args: []string{"push"}, Code: 1, Stderr: "error: failed to push some refs to 'x'\n"}
	lines := worstLines(parsePorcelain("!\t1:refs/x\t[remote failure] (remote failed to report status)\n!\t1:refs/y\t[rejected] (fetch first)\n"))
	wantErr(t, pushError(o, lines, failed), ErrUnreachable, "remote 'http://h/s.git'")
	delete(lines, "refs/x")
	must(t, pushError(o, lines, failed))
}
