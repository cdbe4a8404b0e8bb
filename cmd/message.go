package cmd

import (
	"strings"

	"github.com/git-context/git-context/refs/store"
	"github.com/urfave/cli/v2"
)

// message are the flags -m and -F of the commands that make a commit.
type message struct {
	paragraphs cli.StringSlice
	file       string
}

func (m *message) flags() []cli.Flag {
	return []cli.Flag{
		texts(&m.paragraphs, "-m, --message TEXT", "the summary; repeated, the contribution's paragraphs"),
		named(&m.file, "-F, --file FILE", "read the message, or with -m the rest of it, from FILE (- is standard input)"),
	}
}

// given reports whether any of the flags is given.
func (m *message) given() bool { return len(m.paragraphs.Value()) > 0 || m.file != "" }

func (m *message) read(env *Env) (summary, contribution string, err error) {
	file := ""
	if m.file != "" {
		if file, err = env.readText(m.file); err != nil {
			return "", "", err
		}
	}
	summary, contribution = splitMessage(m.paragraphs.Value(), file)
	return summary, contribution, nil
}

// splitMessage returns the summary and the contribution of the values of -m and -F, as git
// makes a commit message of them: every -m is a paragraph, the file is the last one; the
// first line of all is the summary, the rest the contribution. Blank paragraphs, and blank
// lines between two of them, are removed.
func splitMessage(paragraphs []string, file string) (summary, contribution string) {
	var parts []string
	for _, p := range append(paragraphs[:len(paragraphs):len(paragraphs)], strings.TrimRight(file, "\r\n")) {
		if strings.TrimSpace(p) != "" {
			parts = append(parts, p)
		}
	}
	if len(parts) == 0 {
		return "", ""
	}
	first, rest, _ := strings.Cut(strings.TrimLeft(parts[0], "\r\n"), "\n")
	parts[0] = strings.TrimLeft(rest, "\r\n")
	if parts[0] == "" {
		parts = parts[1:]
	}
	return strings.TrimSpace(first), strings.Join(parts, "\n\n")
}

// signFlags are git's flags for signing, of the commands that make commits.
type signFlags struct {
	sign bool
	key  string
	not  bool
}

func (f *signFlags) flags() []cli.Flag {
	return []cli.Flag{
		inline(&f.sign, &f.key, "-S, --gpg-sign [=KEYID]",
			"sign the memory commits, with KEYID (-SKEYID) or as user.signingKey says"),
		toggle(&f.not, "--no-gpg-sign", "do not sign them, whatever context.gpgSign says"),
	}
}

// signWriter adds to a writer how its commits are signed.
func (f *signFlags) signWriter(w store.Writer) (store.Writer, error) {
	switch {
	case f.sign && f.not:
		return w, usagef("-S and --no-gpg-sign cannot be used together")
	case f.sign:
		w.Sign = store.Signing{Mode: store.SignAlways, Key: f.key}
	case f.not:
		w.Sign = store.Signing{Mode: store.SignNever}
	}
	return w, nil
}
