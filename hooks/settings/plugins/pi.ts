// Runs 'git-context hook pi EVENT' at the start of a session (start), at a prompt (prompt), when the
// agent has ended its turn (turn-end) and when the session ends (end). Standard input is one JSON object:
// {"session_id", "parent_id", "cwd", "transcript_path", "prompt", "messages"}. What start and prompt print,
// {"context": TEXT}, is given to the model. A hook that fails, takes longer than two seconds or is not
// installed changes nothing.
import { spawn, spawnSync } from "node:child_process"

const limit = 2000 // milliseconds that the client waits for one of its events

const parse = (out) => {
  try {
    const context = JSON.parse(out).context
    return typeof context === "string" ? context : ""
  } catch {
    return ""
  }
}

// ask runs a hook beside the client and resolves to its context.
const ask = (event, payload, wait = limit) =>
  new Promise((resolve) => {
    if (wait <= 0) return resolve("")
    try {
      const child = spawn("git-context", ["hook", "pi", event], { cwd: payload.cwd, stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
      let out = ""
      const timer = setTimeout(() => {
        child.kill()
        resolve("")
      }, wait)
      const end = (text) => {
        clearTimeout(timer)
        resolve(text)
      }
      child.on("error", () => end(""))
      child.on("close", (code) => end(code === 0 ? parse(out) : ""))
      child.stdout.on("data", (data) => (out += data))
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(payload))
    } catch {
      resolve("")
    }
  })

// tell runs a hook to its end, so that a client that exits does not cut it off.
const tell = (event, payload) => {
  try {
    spawnSync("git-context", ["hook", "pi", event], {
      cwd: payload.cwd, input: JSON.stringify(payload), timeout: limit, killSignal: "SIGKILL", stdio: ["pipe", "ignore", "ignore"], windowsHide: true,
    })
  } catch {}
}

export default function (pi) {
  let started = { id: "", text: null } // the session whose start was run
  let prompt = ""

  const payload = (ctx, more) => {
    const manager = ctx?.sessionManager
    return {
      session_id: manager?.getSessionId?.() ?? "",
      parent_id: null,
      cwd: ctx?.cwd ?? process.cwd(),
      transcript_path: manager?.getSessionFile?.() ?? null,
      ...more,
    }
  }

  // start is run once for a session, so that the system prompt stays the same to the byte.
  const start = (ctx) => {
    const p = payload(ctx)
    if (started.text === null || started.id !== p.session_id) started = { id: p.session_id, text: ask("start", p) }
    return started.text
  }

  pi.on("before_agent_start", async (event, ctx) => {
    try {
      prompt = event.prompt ?? ""
      const until = Date.now() + limit
      const first = await start(ctx)
      const context = await ask("prompt", payload(ctx, { prompt }), until - Date.now())
      const result = {}
      if (first) result.systemPrompt = event.systemPrompt + "\n\n" + first
      if (context) result.message = { customType: "git-context", content: context, display: false }
      return result
    } catch {}
  })

  pi.on("agent_end", async (event, ctx) => {
    try {
      tell("turn-end", payload(ctx, { prompt, messages: event.messages ?? [] }))
    } catch {}
  })

  pi.on("session_shutdown", async (_event, ctx) => {
    try {
      if (started.text !== null) tell("end", payload(ctx))
    } catch {}
  })
}
