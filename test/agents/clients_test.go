//go:build unix

package agents

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/git-context/git-context/test/agents/model"
)

// client is how a coding agent is installed, started and checked.
type client struct {
	name    string // as of 'git context hooks install'
	pkg     string // of npm
	version string
	program string

	env      func(w *world) []string
	home     func(w *world) map[string]string // its files below the home directory
	start    []string                         // its arguments; the prompt follows
	goOn     []string                         // to go on with the newest session
	compact  []string                         // to compact the newest session by a command; nil: it cannot
	settings string                           // the project's file that an install changes
	before   string                           // the content of that file before; "" for no file
	makes    []string                         // other files of the project that the client makes

	server       string       // the project's file in which it registers servers; "": it starts none
	serverBefore string       // as before
	searches     []model.Turn // with which the model finds the tools of servers; nil: they are declared

	waits     bool // its transcripts do not say that a turn has ended: import takes it an hour later
	captures  bool // its turns are recorded, and not only the brief given
	subagents bool
	fills     int               // tokens of an answer after which it compacts by itself
	summary   string            // that its request for a summary contains; "": it is not known how it compacts
	squeezed  map[string]string // files of its home with which it compacts a history that is short
}

// clients lists the agents. This is the only place where their releases are chosen: one that is
// newer may need another flag or another trust.
func clients() []client {
	return []client{openCode(), codex(), claudeCode(), gemini(), pi(), copilot(), qwen()} // the slowest first
}

func codex() client {
	args := []string{"exec", "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust", "-m", "gpt-5.5"}
	return client{
		name: "codex", pkg: "@openai/codex", version: "0.169.0", program: "codex",
		env: func(*world) []string { return []string{"SCRIPTED_KEY=x"} },
		home: func(w *world) map[string]string {
			return map[string]string{".codex/config.toml": fmt.Sprintf(`model_provider = "scripted"
check_for_update_on_startup = false
[analytics]
enabled = false
[otel]
exporter = "none"
[model_providers.scripted]
name = "scripted"
base_url = %q
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 0
stream_max_retries = 0
[projects.%q]
trust_level = "trusted"
`, w.model.URL+"/v1", w.dir)}
		},
		start: args, goOn: append(args[:len(args):len(args)], "resume", "--last"),
		settings: ".codex/hooks.json", before: "{\"hooks\":  { \"PreCompact\": [] }}\n",
		server: ".codex/config.toml", serverBefore: "# mine\nhide_agent_reasoning = true",
		searches: []model.Turn{model.Do(model.Search("memory remember recall context record commit branch merge"))},
		captures: true, subagents: true, fills: 900_000, summary: "CONTEXT CHECKPOINT",
	}
}

func claudeCode() client {
	return client{
		name: "claude-code", pkg: "@anthropic-ai/claude-code", version: "2.1.197", program: "claude",
		env: func(w *world) []string {
			return []string{
				"ANTHROPIC_BASE_URL=" + w.model.URL, "ANTHROPIC_API_KEY=x", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
				"DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
				"IS_SANDBOX=1", // root may skip permissions in one only
			}
		},
		start: []string{"--dangerously-skip-permissions", "-p"}, goOn: []string{"--dangerously-skip-permissions", "--continue", "-p"},
		compact:  []string{"--continue", "-p", "/compact"},
		settings: ".claude/settings.json", before: "{\n   \"env\" : { \"A\":\"b\" }\n}",
		server: ".mcp.json", serverBefore: `{"mcpServers":{}, "theirs" : 1}`,
		captures: true, subagents: true, summary: "create a detailed summary",
	}
}

const geminiSettings = `{"security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"enableAutoUpdate": false}, ` +
	`"privacy": {"usageStatisticsEnabled": false}, "telemetry": {"enabled": false}}`

func gemini() client {
	return client{
		name: "gemini", pkg: "@google/gemini-cli", version: "0.61.0", program: "gemini",
		env: func(w *world) []string {
			return []string{
				"GEMINI_API_KEY=x", "GOOGLE_GEMINI_BASE_URL=" + w.model.URL, "GEMINI_CLI_TRUST_WORKSPACE=true",
				"GEMINI_CLI_NO_RELAUNCH=true", // else a signal reaches the launcher alone
			}
		},
		home: func(*world) map[string]string {
			return map[string]string{".gemini/settings.json": geminiSettings}
		},
		start: []string{"--yolo", "-m", "gemini-2.5-pro", "-p"}, goOn: []string{"--yolo", "-m", "gemini-2.5-pro", "--resume", "latest", "-p"},
		settings: ".gemini/settings.json", before: "{ \"ui\": {\"hideBanner\" : true} }\n", server: ".gemini/settings.json",
		captures: true, waits: true, summary: "raw data to be summarized",
		squeezed: map[string]string{".gemini/settings.json": strings.Replace(geminiSettings, "{", `{"model": {"compressionThreshold": 0.0001}, `, 1)},
	}
}

const qwenSettings = `{"security": {"auth": {"selectedType": "openai"}}, "general": {"disableAutoUpdate": true, "enableAutoUpdate": false}, ` +
	`"privacy": {"usageStatisticsEnabled": false}, "telemetry": {"enabled": false}, "$version": 4}`

func qwen() client {
	args := []string{"--yolo", "--auth-type", "openai"}
	return client{
		name: "qwen", pkg: "@qwen-code/qwen-code", version: "0.15.10", program: "qwen",
		env: func(w *world) []string {
			return []string{"OPENAI_API_KEY=x", "OPENAI_BASE_URL=" + w.model.URL + "/v1", "OPENAI_MODEL=scripted-model",
				"QWEN_CODE_NO_RELAUNCH=true"} // else a signal reaches the launcher alone
		},
		home:  func(*world) map[string]string { return map[string]string{".qwen/settings.json": qwenSettings} },
		start: append(args[:len(args):len(args)], "-p"), goOn: append(args[:len(args):len(args)], "--continue", "-p"),
		settings: ".qwen/settings.json", before: "{ \"ui\": {\"hideBanner\" : true}, \"$version\": 4 }\n", server: ".qwen/settings.json",
		searches: []model.Turn{model.Do(model.Search("remember record")), // one finds five at most
			model.Do(model.Search("branch commit context merge recall"))},
		captures: true, // what its subagents do is in no transcript
	}
}

func pi() client {
	args := []string{"--provider", "scripted", "--model", "scripted-model"}
	return client{
		name: "pi", pkg: "@mariozechner/pi-coding-agent", version: "0.73.1", program: "pi",
		env: func(*world) []string { return []string{"PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1"} },
		home: func(w *world) map[string]string {
			return map[string]string{".pi/agent/models.json": `{"providers": {"scripted": {"baseUrl": ` + strconv.Quote(w.model.URL+"/v1") +
				`, "api": "openai-completions", "apiKey": "x", "models": [{"id": "scripted-model", "contextWindow": 200000, "maxTokens": 8000}]}}}`}
		},
		start: append(args[:len(args):len(args)], "-p"), goOn: append(args[:len(args):len(args)], "-c", "-p"),
		settings: ".pi/extensions/git-context.ts",
		captures: true, fills: 195_000, summary: "context summarization assistant",
		squeezed: map[string]string{".pi/agent/settings.json": `{"compaction": {"enabled": true, "reserveTokens": 16384, "keepRecentTokens": 10}}`},
	}
}

func copilot() client {
	args := []string{"--allow-all-tools", "--allow-all-paths", "--no-color"}
	return client{
		name: "copilot", pkg: "@github/copilot", version: "1.0.102", program: "copilot",
		env: func(w *world) []string {
			return []string{
				"COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false", "COPILOT_PROVIDER_BASE_URL=" + w.model.URL + "/v1",
				"COPILOT_PROVIDER_API_KEY=x", "COPILOT_MODEL=gpt-4.1",
			}
		},
		home: func(w *world) map[string]string {
			return map[string]string{".copilot/config.json": `{"trusted_folders": [` + strconv.Quote(w.dir) + `]}`}
		},
		start: append(args[:len(args):len(args)], "--trust-folder", "-p"), goOn: append(args[:len(args):len(args)], "--continue", "-p"),
		settings: ".github/hooks/git-context.json", server: ".github/mcp.json",
		captures: true, subagents: true,
	}
}

func openCode() client {
	return client{
		name: "opencode", pkg: "opencode-ai", version: "1.18.33", program: "opencode",
		env: func(w *world) []string {
			return []string{
				"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_SHARE=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
				// It asks for its plugin package at each start, and for a minute if it gets no answer.
				"NPM_CONFIG_REGISTRY=" + w.model.URL + "/", "npm_config_registry=" + w.model.URL + "/",
			}
		},
		home: func(w *world) map[string]string {
			return map[string]string{".config/opencode/opencode.json": `{"autoupdate": false, "share": "disabled", "permission": "allow", ` +
				`"model": "scripted/scripted-model", "small_model": "scripted/scripted-model", "provider": {"scripted": {` +
				`"npm": "@ai-sdk/openai-compatible", "name": "scripted", "options": {"apiKey": "x", "baseURL": ` + strconv.Quote(w.model.URL+"/v1") +
				`}, "models": {"scripted-model": {"name": "Scripted", "limit": {"context": 200000, "output": 8000}, "tool_call": true}}}}}`}
		},
		start: []string{"run"}, goOn: []string{"run", "-c"},
		settings: ".opencode/plugins/git-context.js", makes: []string{".opencode/.gitignore"}, server: "opencode.json",
		captures: true, subagents: true, fills: 250_000, summary: "context summarization agent",
	}
}

// release is how the client is installed.
func (c client) release() release {
	return release{c.name, c.version, c.program, []string{c.pkg + "@" + c.version}}
}

// path is the client's program.
func (c client) path(all string) string { return c.release().path(all) }
