package mcp

//lint:file-ignore SA1019 the protocols that clients use today name repositories by roots

import (
	"cmp"
	"context"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-context/git-context/cmd"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// rootsWait is how long a client may take to list its roots.
const rootsWait = 5 * time.Second

// noRoots is the first protocol in which a server cannot ask for roots.
const noRoots = "2026-07-28"

// rootCache has the roots of sessions until their client says that they changed.
type rootCache struct {
	mu  sync.Mutex
	all map[*sdk.ServerSession][]string
}

func (c *rootCache) forget(session *sdk.ServerSession) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.all, session)
}

// of returns the folders that are a client's roots, and the base alone while a client that has roots names none.
// It returns none if the client has no roots, or the protocol has no question for them.
func (c *rootCache) of(ctx context.Context, session *sdk.ServerSession, can *sdk.ClientCapabilities, base string) []string {
	if can == nil || can.RootsV2 == nil {
		return nil
	}
	if p := session.InitializeParams(); p == nil || p.ProtocolVersion >= noRoots {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, has := c.all[session]; has {
		return known
	}
	ctx, cancel := context.WithTimeout(ctx, rootsWait)
	defer cancel()
	list, err := session.ListRoots(ctx, nil)
	if err != nil {
		return []string{base} // the next call asks again
	}
	dirs := []string{}
	for _, r := range list.Roots {
		if dir := folder(r.URI); dir != "" {
			dirs = append(dirs, dir)
		}
	}
	if len(dirs) == 0 {
		dirs = []string{base}
	}
	if c.all == nil {
		c.all = map[*sdk.ServerSession][]string{}
	}
	c.all[session] = dirs
	return dirs
}

// folder returns the path of a file URL; "" for another one.
func folder(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	if runtime.GOOS == "windows" {
		return filepath.FromSlash(strings.TrimPrefix(u.Path, "/"))
	}
	return u.Path
}

// directory returns where a call looks for its repository:
//
//  1. the argument, a path relative to 2 or 3, which has to be inside of a root if there are roots
//  2. the first root
//  3. CLAUDE_PROJECT_DIR, else the directory of the process
func (s *server) directory(
	ctx context.Context, session *sdk.ServerSession, can *sdk.ClientCapabilities, repository string,
) (string, error) {
	base := cmp.Or(s.getenv("CLAUDE_PROJECT_DIR"), s.options.Dir, ".")
	roots := s.roots.of(ctx, session, can, base)
	if len(roots) > 0 {
		base = roots[0]
	}
	if repository == "" {
		return base, nil
	}
	dir := cmp.Or(folder(repository), repository)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(base, dir)
	}
	if len(roots) == 0 || slices.ContainsFunc(roots, func(root string) bool { return inside(root, dir) }) {
		return dir, nil
	}
	return "", &failure{&cmd.Refusal{
		Code:    fail.PathOutside,
		Message: "'" + doc.ShortText(repository, mostLine) + "' is outside of the roots of the client",
		Hint:    "one of " + doc.ShortText(strings.Join(roots, ", "), mostText),
	}}
}

// file returns the path of a file of a repository, relative to which a call names it. One that is elsewhere is
// refused: what is attached is shared with memory.
func (s *server) file(ctx context.Context, req *sdk.CallToolRequest, repository, name string) (string, error) {
	dir, err := s.directory(ctx, req.Session, req.ClientCapabilities(), repository)
	if err != nil {
		return "", err
	}
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if inside(dir, path) {
		return path, nil
	}
	return "", &failure{&cmd.Refusal{
		Code:    fail.PathOutside,
		Message: "'" + doc.ShortText(name, mostLine) + "' is outside of the repository",
		Hint:    "copy it to " + doc.ShortText(dir, mostText),
	}}
}

// inside reports whether a folder is a root or below it, with symbolic links resolved.
func inside(root, dir string) bool {
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	} else if _, missing := os.Lstat(dir); missing == nil {
		return false // it exists and leads nowhere
	}
	rel, err := filepath.Rel(root, dir)
	return err == nil && filepath.IsLocal(rel)
}

func (s *server) getenv(key string) string {
	for _, v := range slices.Backward(s.options.Environ) {
		if value, ok := strings.CutPrefix(v, key+"="); ok {
			return value
		}
	}
	return ""
}

// client is an agent as hooks name it, the beginning of its name in the protocol, and the variable that has
// its session.
type client struct{ name, prefix, session string }

func clients() []client {
	return []client{
		{"claude-code", "claude-code", "CLAUDE_CODE_SESSION_ID"},
		{"codex", "codex", ""},
		{"copilot", "copilot", "COPILOT_AGENT_SESSION_ID"},
		{"copilot", "github-copilot", "COPILOT_AGENT_SESSION_ID"},
		{"cursor", "cursor", ""},
		{"gemini", "gemini-cli", "GEMINI_SESSION_ID"},
		{"opencode", "opencode", ""},
		{"qwen", "qwen", ""},
	}
}

// env returns the environment of a command line for a call.
func (s *server) env(dir string, req *sdk.CallToolRequest) *cmd.Env {
	name, session := "", ""
	if info := req.ClientInfo(); info != nil {
		name = info.Name
	}
	for _, c := range clients() {
		if strings.HasPrefix(strings.ToLower(name), c.prefix) {
			name, session = c.name, s.getenv(c.session)
			break
		}
	}
	if name == "codex" { // its servers get no environment
		session, _ = req.Params.Meta["sessionId"].(string)
	}
	environ := slices.Clip(s.options.Environ)
	for key, value := range map[string]string{"GIT_CONTEXT_AGENT": doc.AgentName(name), "GIT_CONTEXT_SESSION": session} {
		if value != "" && s.getenv(key) == "" {
			environ = append(environ, key+"="+value)
		}
	}
	return &cmd.Env{Dir: dir, Environ: environ, Now: s.options.Now, Program: s.options.Program}
}
