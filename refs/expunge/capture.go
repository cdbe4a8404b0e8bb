package expunge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// captureWait is how long a session that is being recorded is waited for. It may itself wait for
// this process.
const captureWait = 3 * time.Second

// captures removes expunged texts from what the hooks of agents keep of sessions: the words for the
// next commit, and events that are not recorded yet. No lock of a branch may be held: who records a
// session has its lock first.
func (op *Operation) captures(ctx context.Context) error {
	return op.eachFile(store.CaptureDir, func(path string, data []byte) error {
		if op.captured(path, data) == string(data) { // and no lock is made
			return nil
		}
		err := op.rewriteCaptured(ctx, path, captureLock(path))
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			op.warn("'%s' still contains it, and is in use; run the command again", path)
			return nil
		}
		return err
	})
}

func (op *Operation) rewriteCaptured(ctx context.Context, path, name string) (err error) {
	wait, cancel := context.WithTimeout(ctx, captureWait)
	defer cancel()
	lock, err := op.Store.Repo().Lock(wait, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	data, err := git.ReadStateFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // done with since
	}
	if err != nil {
		return fmt.Errorf("what is kept of a session: %w", err)
	}
	return op.Store.Repo().WriteStateFile(store.CaptureDir+"/"+filepath.Base(path), []byte(op.captured(path, data)))
}

// captured is the content of such a file without expunged texts. A line that a killed process has
// torn is nothing to any reader, and goes.
func (op *Operation) captured(path string, data []byte) string {
	if !strings.HasSuffix(path, ".jsonl") {
		return mapCaptureTexts(string(data), op.intent.pending.RedactText)
	}
	var left strings.Builder
	for line := range strings.Lines(string(data)) {
		if json.Valid([]byte(line)) {
			left.WriteString(mapCaptureTexts(line, op.intent.pending.RedactText))
		}
	}
	return left.String()
}
