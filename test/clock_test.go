//go:build unix

package test

import (
	"context"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/store"
)

// clock records a step on a branch with a clock that is some hours ahead, and commits it if there is a summary:
//
//	clock HOURS BRANCH ACTION [SUMMARY]
func clock(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 && len(args) != 4 {
		ts.Fatalf("usage: clock HOURS BRANCH ACTION [SUMMARY]")
	}
	hours, err := strconv.Atoi(args[0])
	ts.Check(err)
	vars := ts.Value(environment{}).(*testscript.Env).Vars
	ctx := context.Background()
	s, err := refs.Open(ctx, store.Options{Dir: ts.MkAbs("."), Env: append(vars[:len(vars):len(vars)], "GIT_COMMITTER_DATE="), Branch: args[1],
		Now: func() time.Time { return time.Now().Add(time.Duration(hours) * time.Hour) }})
	ts.Check(err)
	defer s.Close()
	_, err = s.Record(ctx, []store.NewStep{{Action: args[2]}})
	ts.Check(err)
	if len(args) == 4 {
		_, err = s.Commit(ctx, store.CommitOptions{Summary: args[3]})
		ts.Check(err)
	}
}
