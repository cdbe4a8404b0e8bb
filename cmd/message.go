package cmd

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-context/git-context/refs"
)

// message is what -m and -F say, for the commands that make a milestone.
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

// given reports whether there was any flag.
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

// splitMessage makes a summary and a contribution of what -m and -F gave, as
// git makes a commit message of them: every -m is a paragraph, the file is the
// last one; the first line of it all is the summary, and what follows is the
// contribution. Blank paragraphs, and blank lines where two parts meet, go.
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

// firstLine gives the first line of a text that holds more than blanks.
func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(line)
}

// signing are the flags of the commands that make milestones: git's own.
type signing struct {
	sign bool
	key  string
	not  bool
}

func (s *signing) flags() []cli.Flag {
	return []cli.Flag{
		inline(&s.sign, &s.key, "-S, --gpg-sign [=KEYID]", "sign the memory commits, with KEYID (-SKEYID) or as user.signingKey says"),
		toggle(&s.not, "--no-gpg-sign", "do not sign them, whatever context.gpgSign says"),
	}
}

// signs completes who writes by what the flags say.
func (s *signing) signs(w refs.Writer) (refs.Writer, error) {
	switch {
	case s.sign && s.not:
		return w, usagef("-S and --no-gpg-sign exclude each other")
	case s.sign:
		w.Sign = refs.Signing{Mode: refs.SignAlways, Key: s.key}
	case s.not:
		w.Sign = refs.Signing{Mode: refs.SignNever}
	}
	return w, nil
}
