//go:build unix

package process_test

import (
	"context"
	"fmt"
	"os/exec"
	"time"

	"github.com/git-context/git-context/refs/git/process"
)

// Run ends a child together with the children of that child when the context ends.
func ExampleRun() {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	err := process.Run(ctx, exec.CommandContext(ctx, "sh", "-c", "sleep 60; echo done"))
	fmt.Println(err != nil, ctx.Err())
	// Output: true context deadline exceeded
}
