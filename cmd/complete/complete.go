// Package complete finds the words that a shell may put in the place of the one that is
// being typed. It reads the usage lines and flags of a command, which package cmd hands
// over with the words typed so far, and the names that memory contains. It writes nothing
// and asks no remote.
//
// [Find] finds the candidates, [Words] and [Result.Write] speak the languages of the
// shells, and [Script] is what a shell reads to ask.
package complete

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/render"
)

// Line is a command line up to the word that is completed.
type Line struct {
	Usage   []string // the usage lines of the command, each from its name on
	Flags   []Flag   // of the command
	Args    []string // the command's name and the arguments before Word
	Given   []string // the flags before Word, each by its first name
	Value   *Flag    // whose value Word is; nil for none
	Literal bool     // Word follows `--`: it is no flag
	Lead    string   // the part of the typed word that stays: --branch=
	Word    string   // the rest of it
}

// Flag is a flag of a command.
type Flag struct {
	Names    []string // with their dashes
	Value    string   // the placeholder of its value, such as NAME; "" for a switch
	About    string
	Repeated bool // it may be given more than once
}

// long returns the longest name of a flag.
func (f Flag) long() string {
	return slices.MaxFunc(f.Names, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
}

// Candidate is a word that may be put in the place of the one that is completed.
type Candidate struct {
	Word  string `json:"word"`
	About string `json:"about"` // one line
	Kind  string `json:"kind"`  // zsh lists each kind by itself
}

// Result is the answer to a shell.
type Result struct {
	Candidates []Candidate `json:"candidates"`
	Shell      string      `json:"shell"` // what the shell completes by itself: files, directories, or ""
}

// Source is where candidates come from.
type Source struct {
	Commands []Candidate
	Open     func(context.Context) (*refs.Store, error) // called at most once; Find closes the Store
	Describe bool                                       // read commits to say what each name is
}

// Find returns the candidates for a word. Beside an error, which says why memory could not
// be read, it returns those that need no memory.
func Find(ctx context.Context, line Line, source Source) (Result, error) {
	f := finder{Line: line, Source: source, seen: map[string]bool{}, asked: map[string]bool{}}
	f.result.Candidates = []Candidate{}
	err := f.find(ctx)
	if f.store != nil {
		err = cmp.Or(err, f.store.Close())
	}
	return f.result, err
}

// finder gathers candidates.
type finder struct {
	Line
	Source
	result Result
	seen   map[string]bool // the words of the candidates
	asked  map[string]bool // the names of the meanings that memory was asked for
	store  *refs.Store     // nil until it is needed
}

func (f *finder) find(ctx context.Context) error {
	if f.Value != nil {
		return f.offer(ctx, place{f.Value.long() + " " + f.Value.Value, f.Value.Value})
	}
	places, flag := f.places(), strings.HasPrefix(f.Word, "-")
	if !f.Literal && (flag || len(places) == 0 && f.Word == "") {
		f.flags()
		return nil
	}
	var err error
	for _, p := range places {
		err = cmp.Or(err, f.offer(ctx, p))
	}
	return err
}

// flags offers the flags that are not given yet, each by its longest name, or by the one
// that is typed.
func (f *finder) flags() {
	for _, flag := range f.Flags {
		switch {
		case slices.Contains(f.Given, flag.Names[0]) && !flag.Repeated:
		case slices.Contains(flag.Names, f.Word):
			f.add("options", flag.About, f.Word)
		default:
			f.add("options", flag.About, flag.long())
		}
	}
}

// add offers words, each once. Names come from other people: a word that could not be
// typed, or that a terminal would not show as it is, is left out.
func (f *finder) add(kind, about string, words ...string) {
	for _, w := range words {
		w = f.Lead + w
		if f.seen[w] || w == "" || strings.ContainsAny(w, "\t\n\r") || render.Safe(w) != w {
			continue
		}
		f.seen[w] = true
		about = strings.Join(strings.Fields(render.Safe(about)), " ")
		f.result.Candidates = append(f.result.Candidates, Candidate{w, about, kind})
	}
}
