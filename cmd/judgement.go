package cmd

import (
	"strconv"
	"strings"

	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
	"github.com/urfave/cli/v2"
)

// noteFlags are the flags that say what became of a commit.
type noteFlags struct {
	score, outcome string
	tags           cli.StringSlice
}

func (f *noteFlags) flags() []cli.Flag {
	return []cli.Flag{
		named(&f.score, "--score X", "how good it is, from 0 to 1"),
		named(&f.outcome, "--outcome O", "the outcome: success, failed or abandoned"),
		texts(&f.tags, "--tag K=V", "a tag of its note; may be repeated"),
	}
}

func (f *noteFlags) read() (store.Judgement, error) {
	out := store.Judgement{Outcome: f.outcome}
	var err error
	if out.Score, err = readScore("--score", f.score); err != nil {
		return out, err
	}
	for _, tag := range f.tags.Value() {
		key, value, ok := strings.Cut(tag, "=")
		if !ok {
			return out, usagef("flag '--tag' needs KEY=VALUE, not '%s'", tag)
		}
		out.Tags = append(out.Tags, store.NoteTag{Key: key, Value: value})
	}
	return out, nil
}

// filterFlags are the flags that choose commits by what became of them.
type filterFlags struct{ outcome, minScore string }

func (f *filterFlags) flags() []cli.Flag {
	return []cli.Flag{
		named(&f.outcome, "--outcome O",
			"only commits with the outcome O, which is success, failed or abandoned, by note or by a tag O or O/..."),
		named(&f.minScore, "--min-score X", "only commits with a score of at least X, from 0 to 1"),
	}
}

func (f *filterFlags) read() (history.Filter, error) {
	out := history.Filter{Outcome: f.outcome}
	var err error
	if out.MinScore, err = readScore("--min-score", f.minScore); err != nil {
		return out, err
	}
	return out, out.Check()
}

// readScore reads the number of a flag; nil where the flag is not given.
func readScore(flag, value string) (*float64, error) {
	if value == "" {
		return nil, nil
	}
	score, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return nil, usagef("flag '%s' needs a number from 0 to 1, not '%s'", flag, value)
	}
	return &score, nil
}
