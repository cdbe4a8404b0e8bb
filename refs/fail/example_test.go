package fail_test

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/git-context/git-context/refs/fail"
)

// An Error is its kind and its cause alike.
func ExampleNew() {
	var err error = fail.New(fail.ErrNotFound, fail.BranchNotFound, "branch 'mian' not found", "did you mean 'main'?")
	fmt.Println(err)
	fmt.Println(errors.Is(err, fail.ErrNotFound), errors.Is(err, fail.ErrConflict))

	err = &fail.Error{Kind: fail.ErrInvalid, Code: fail.Invalid, Message: "cannot read the file", Err: fs.ErrPermission}
	fmt.Println(errors.Is(err, fail.ErrInvalid), errors.Is(err, fs.ErrPermission))
	// Output:
	// branch 'mian' not found
	// true false
	// true true
}
