package cmd

import (
	"bytes"
	"context"
	"strings"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/prose"
)

// Answer is the result of a command line that Call ran.
type Answer struct {
	Out  string   // what it printed on standard output
	Said []string // its warnings, notes and hints, one line each
	Err  *Refusal // nil: it is done. A merge with conflicts has a result and an error
}

// Refusal is an error as --json prints it.
type Refusal struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
	Said    string `json:"said,omitempty"` // by a remote
}

// Call runs one command line, without the program's name, for another program in its own process. Of env
// it uses neither streams nor terminal: standard input is empty, and no question is asked. Concurrent calls
// are safe.
func Call(ctx context.Context, env *Env, args []string) Answer {
	inner := *env
	var out, says bytes.Buffer
	inner.In, inner.Out, inner.Err, inner.Term = strings.NewReader(""), &out, &says, Terminal{}
	err := recoverPanic(ctx, &inner, args)
	a := Answer{Out: out.String()}
	for line := range strings.Lines(says.String()) {
		a.Said = append(a.Said, strings.TrimRight(line, "\n"))
	}
	if err != nil {
		a.Err = Explain(err)
	}
	return a
}

// Explain returns an error as --json prints it, without the passwords of URLs.
func Explain(err error) *Refusal {
	_, code := classify(err)
	return &Refusal{
		Code: code, Message: prose.HidePasswords(err.Error()),
		Hint: prose.HidePasswords(strings.Join(allHints(err), "\n")),
		Said: prose.HidePasswords(strings.Join(fail.Said(err), "\n")),
	}
}
