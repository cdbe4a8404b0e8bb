package cmd

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// openTrace reads GIT_CONTEXT_TRACE as git reads GIT_TRACE: "1" (or "2",
// "true") is standard error, an absolute path is a file to append to, and
// nothing (or "0", "false") is no trace.
func openTrace(env *Env) (w io.Writer, closer func(), err error) {
	none := func() {}
	switch value := env.getenv("GIT_CONTEXT_TRACE"); {
	case value == "" || value == "0" || value == "false":
		return nil, none, nil
	case value == "1" || value == "2" || value == "true":
		return env.Err, none, nil
	case !filepath.IsAbs(value):
		return nil, none, usagef("GIT_CONTEXT_TRACE is '%s'; give 1 or an absolute path", value)
	default:
		f, err := os.OpenFile(value, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
		if err != nil {
			return nil, none, fmt.Errorf("cannot open the trace '%s': %w", value, cause(err))
		}
		// What a trace lost at close is not worth failing the command for.
		return f, func() { _ = f.Close() }, nil
	}
}
