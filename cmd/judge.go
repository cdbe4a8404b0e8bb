package cmd

import (
	"strconv"
	"strings"

	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
	"github.com/urfave/cli/v2"
)

// judging are the flags that say what became of a milestone.
type judging struct {
	score, outcome string
	tags           cli.StringSlice
}

func (j *judging) flags() []cli.Flag {
	return []cli.Flag{
		named(&j.score, "--score X", "how good it is, from 0 to 1"),
		named(&j.outcome, "--outcome O", "what it came to: success, failed or abandoned"),
		texts(&j.tags, "--tag K=V", "a tag of its note; may be repeated"),
	}
}

func (j *judging) read() (store.Judging, error) {
	out := store.Judging{Outcome: j.outcome}
	var err error
	if out.Score, err = readScore("--score", j.score); err != nil {
		return out, err
	}
	for _, tag := range j.tags.Value() {
		key, value, ok := strings.Cut(tag, "=")
		if !ok {
			return out, usagef("flag '--tag' needs KEY=VALUE, not '%s'", tag)
		}
		out.Tags = append(out.Tags, store.NoteTag{Key: key, Value: value})
	}
	return out, nil
}

// filtering are the flags that choose milestones by what became of them.
type filtering struct{ outcome, minScore string }

func (f *filtering) flags() []cli.Flag {
	return []cli.Flag{
		named(&f.outcome, "--outcome O", "only what came to O: success, failed or abandoned, by its note or by a tag O or O/..."),
		named(&f.minScore, "--min-score X", "only what is scored X or better, from 0 to 1"),
	}
}

func (f *filtering) read() (history.Filter, error) {
	out := history.Filter{Outcome: f.outcome}
	var err error
	if out.MinScore, err = readScore("--min-score", f.minScore); err != nil {
		return out, err
	}
	return out, out.Check()
}

// readScore reads a flag's number; nil where the flag is not there.
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
