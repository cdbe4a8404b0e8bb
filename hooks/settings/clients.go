package settings

import (
	_ "embed"
	"fmt"
	"strings"
)

// Client is a coding agent.
type Client struct {
	Name   string  // as in commands, such as "claude-code"
	Title  string  // as its maker writes it
	Events []Event // for which hooks are installed
	Trust  string  // what a person does once before the hooks run; "" where nothing is needed

	project, user string   // its files: below the worktree, and below base or the directory of movedBy
	alsoProject   []string // files that the client reads too
	alsoUser      []string
	base          string // below the home directory
	movedBy       string // the environment variable that moves the user's files
	movedTo       string // below the directory of the variable
	own           bool   // the file contains nothing but our hooks
	version       bool   // the file has a member "version"
	entry         func(c Client, e Event) any
	plugin        string // the text of a plugin, in place of an entry

	server server // where it is told of servers; of pi nowhere

	imports     string // the file of instructions that it reads in place of AGENTS.md, and that can import it
	alsoImports string // another such file, one folder deeper; it counts and is never edited
	skills      string // its own folder of skills, where it does not read that of all agents
}

// Event is an event of a client, in the client's spelling.
type Event struct {
	Name    string
	Timeout int // in the client's unit
}

// Clients returns all clients, sorted by name. Events and files are those of the releases of
// November 2026.
func Clients() []Client {
	return []Client{claudeCode(), codex(), copilot(), cursor(), gemini(), openCode(), pi(), qwen()}
}

// Names returns the names of all clients.
func Names() []string {
	var names []string
	for _, c := range Clients() {
		names = append(names, c.Name)
	}
	return names
}

// Find returns the client of that name.
func Find(name string) (Client, bool) {
	for _, c := range Clients() {
		if c.Name == name {
			return c, true
		}
	}
	return Client{}, false
}

func claudeCode() Client {
	return Client{
		Name: "claude-code", Title: "Claude Code",
		// A SessionEnd hook without a timeout is killed after 1.5 s.
		Events: append(events(10, "SessionStart", "UserPromptSubmit", "Stop", "StopFailure", "SubagentStop"),
			Event{"SessionEnd", 5}),
		project: ".claude/settings.json", alsoProject: []string{".claude/settings.local.json"},
		user: "settings.json", base: ".claude", movedBy: "CLAUDE_CONFIG_DIR",
		entry:   group,
		imports: "CLAUDE.md", alsoImports: ".claude/CLAUDE.md", skills: ".claude/skills",
		server: server{
			project: []string{".mcp.json"}, user: []string{".claude.json"}, member: "mcpServers", entry: ours(),
			asks: "Claude Code asks once before it starts the server of a project",
		},
	}
}

func codex() Client {
	return Client{
		Name: "codex", Title: "Codex",
		// Codex warns at every start about a longer timeout of SessionEnd.
		Events: append(events(10, "SessionStart", "UserPromptSubmit", "Stop", "SubagentStop", "Interrupt"),
			Event{"SessionEnd", 3}),
		project: ".codex/hooks.json", alsoProject: []string{".codex/config.toml"},
		user: "hooks.json", alsoUser: []string{"config.toml"}, base: ".codex", movedBy: "CODEX_HOME",
		entry: group,
		Trust: "open /hooks in Codex once and trust them; a project has to be trusted, too",
		server: server{
			project: []string{".codex/config.toml"}, user: []string{"config.toml"}, base: ".codex",
			member: "mcp_servers", entry: ours(),
			asks: "Codex starts the server of a project only where it trusts that",
		},
	}
}

func gemini() Client {
	return Client{
		Name: "gemini", Title: "Gemini CLI",
		Events:  append(events(10_000, "SessionStart", "BeforeAgent", "AfterAgent"), Event{"SessionEnd", 5_000}), // ms
		project: ".gemini/settings.json",
		user:    "settings.json", base: ".gemini", movedBy: "GEMINI_CLI_HOME", movedTo: ".gemini",
		entry:   group,
		imports: "GEMINI.md",
		server: server{
			project: []string{".gemini/settings.json"}, user: []string{"settings.json"}, base: ".gemini",
			member: "mcpServers", entry: ours(),
		},
	}
}

func copilot() Client {
	return Client{
		Name: "copilot", Title: "Copilot CLI",
		Events:      events(10, "sessionStart", "userPromptSubmitted", "agentStop", "subagentStop", "sessionEnd"),
		project:     ".github/hooks/git-context.json",
		alsoProject: []string{".github/copilot/settings.json", ".github/copilot/settings.local.json"},
		user:        "hooks/git-context.json", alsoUser: []string{"settings.json"},
		base: ".copilot", movedBy: "COPILOT_HOME",
		own: true, version: true,
		entry: func(c Client, e Event) any {
			return object{{"type", "command"}, {"bash", c.Line(e.Name)}, {"powershell", c.powershell(e.Name)}, {"timeoutSec", e.Timeout}}
		},
		server: server{
			project: []string{".github/mcp.json"}, user: []string{"mcp-config.json"}, base: ".copilot", member: "mcpServers",
			entry: append(append(object{{"type", "local"}}, ours()...), member{"tools", list{"*"}}),
		},
	}
}

func cursor() Client {
	return Client{
		Name: "cursor", Title: "Cursor",
		Events: events(10, "sessionStart", "beforeSubmitPrompt", "postToolUse", "postToolUseFailure", "afterAgentResponse", "stop",
			"subagentStop", "sessionEnd"),
		project: ".cursor/hooks.json",
		user:    "hooks.json", base: ".cursor",
		version: true,
		entry: func(c Client, e Event) any {
			return object{{"command", c.Line(e.Name)}, {"timeout", e.Timeout}}
		},
		server: server{
			project: []string{".cursor/mcp.json"}, user: []string{"mcp.json"}, base: ".cursor", member: "mcpServers", entry: ours(),
			asks: "turn the server on in the settings of Cursor, or with 'agent mcp enable " + ServerName + "'",
		},
	}
}

//go:embed plugins/opencode.js
var openCodePlugin string

//go:embed plugins/pi.ts
var piPlugin string

func openCode() Client {
	return Client{
		Name: "opencode", Title: "OpenCode",
		Events:  events(0, "start", "prompt", "activity", "turn-end", "end"),
		project: ".opencode/plugins/git-context.js", alsoProject: []string{".opencode/plugin/git-context.js"},
		user: "opencode/plugins/git-context.js", alsoUser: []string{"opencode/plugin/git-context.js"},
		base: ".config", movedBy: "XDG_CONFIG_HOME",
		own: true, plugin: openCodePlugin,
		server: server{
			project: []string{"opencode.json", "opencode.jsonc"},
			user:    []string{"opencode/opencode.json", "opencode/opencode.jsonc"}, base: ".config", member: "mcp",
			entry:  object{{"type", "local"}, {"command", list{"git", "context", "mcp"}}},
			behind: object{{"$schema", "https://opencode.ai/config.json"}},
		},
	}
}

func pi() Client {
	return Client{
		Name: "pi", Title: "pi",
		Events:  events(0, "start", "prompt", "turn-end", "end"),
		project: ".pi/extensions/git-context.ts",
		user:    "extensions/git-context.ts", base: ".pi/agent", movedBy: "PI_CODING_AGENT_DIR",
		own: true, plugin: piPlugin,
	}
}

func qwen() Client {
	return Client{
		Name: "qwen", Title: "Qwen Code",
		Events:  events(10_000, "UserPromptSubmit", "Stop"), // ms; without a terminal it runs no SessionStart
		project: ".qwen/settings.json",
		user:    "settings.json", base: ".qwen", movedBy: "QWEN_HOME",
		entry: group,
		server: server{
			project: []string{".qwen/settings.json"}, user: []string{"settings.json"}, base: ".qwen",
			member: "mcpServers", entry: ours(),
		},
	}
}

func events(timeout int, names ...string) []Event {
	var all []Event
	for _, n := range names {
		all = append(all, Event{n, timeout})
	}
	return all
}

// group is the entry of Claude Code, and of the clients that took its form over.
func group(c Client, e Event) any {
	return object{{"hooks", list{object{
		{"type", "command"}, {"command", c.Line(e.Name)}, {"timeout", e.Timeout},
	}}}}
}

// Line returns the command of an event, for a POSIX shell. It must not change between versions:
// Codex runs only the line that a person trusted. It ends with 0 where git-context is not installed,
// because some clients stop the user's prompt at any other status.
func (c Client) Line(event string) string {
	return fmt.Sprintf("command -v git-context >/dev/null 2>&1 && git-context hook %s %s || true", c.Name, event)
}

func (c Client) powershell(event string) string {
	return fmt.Sprintf("if (Get-Command git-context -ErrorAction SilentlyContinue) { git-context hook %s %s }; exit 0", c.Name, event)
}

// calls reports whether a text runs the hook of this client: whether it contains the words
// 'git-context hook CLIENT', also with a path, as 'git context' or in quotes.
func (c Client) calls(text string) bool {
	words := wordsOf(text)
	for i, w := range words {
		if w == "hook" && i+1 < len(words) && words[i+1] == c.Name && runsUs(words[:i]) {
			return true
		}
	}
	return false
}

// wordsOf returns the words of a command line, of JSON or of a program's text.
func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`,;()[]{}", r) })
}

// runsUs reports whether words end with 'git-context' or 'git context', also with a path.
func runsUs(words []string) bool {
	n := len(words)
	return n > 0 && (program(words[n-1]) == "git-context" ||
		program(words[n-1]) == "context" && n > 1 && strings.HasSuffix(words[n-2], "git"))
}

// program returns the name of the program of a word, without its path.
func program(word string) string {
	if at := strings.LastIndexAny(word, `/\`); at >= 0 {
		word = word[at+1:]
	}
	return strings.TrimSuffix(strings.ToLower(word), ".exe")
}
