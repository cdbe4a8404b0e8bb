package cmd

import (
	"github.com/urfave/cli/v2"

	"github.com/git-context/git-context/refs/store"
)

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
func (s *signing) signs(w store.Writer) (store.Writer, error) {
	switch {
	case s.sign && s.not:
		return w, usagef("-S and --no-gpg-sign exclude each other")
	case s.sign:
		w.Sign = store.Signing{Mode: store.SignAlways, Key: s.key}
	case s.not:
		w.Sign = store.Signing{Mode: store.SignNever}
	}
	return w, nil
}
