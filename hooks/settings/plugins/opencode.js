// Runs 'git-context hook opencode EVENT' at the start of a session (start), at a prompt (prompt), when a tool
// or a text has ended (activity), when the agent becomes idle (turn-end) and when the session ends (end).
// Standard input is one JSON object: {"session_id", "parent_id", "cwd", "began", "prompt", "message_id", "messages"};
// "began" is where a session began that is resumed elsewhere.
// What start and prompt print, {"context": TEXT}, is given to the model; the client does not wait for activity.
// A hook that fails, takes longer than two seconds or is not installed changes nothing.
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

// run runs a hook beside the client and resolves to what it prints, or to null if it failed.
const run = (event, payload, cwd, wait, detached = false) =>
  new Promise((resolve) => {
    if (wait <= 0) return resolve(null)
    try {
      const child = spawn("git-context", ["hook", "opencode", event], { cwd, detached, stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
      let out = ""
      const timer = setTimeout(() => {
        child.kill()
        resolve(null)
      }, wait)
      const end = (text) => {
        clearTimeout(timer)
        resolve(text)
      }
      child.on("error", () => end(null))
      child.on("close", (code) => end(code === 0 ? out : null))
      child.stdout.on("data", (data) => (out += data))
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(payload))
    } catch {
      resolve(null)
    }
  })

// ask runs a hook and resolves to its context.
const ask = async (event, payload, cwd, wait = limit) => parse(await run(event, payload, cwd, wait))

// tell runs a hook to its end: 'opencode run' does not wait for handlers when it exits.
const tell = (event, payload, cwd, timeout) => {
  try {
    spawnSync("git-context", ["hook", "opencode", event], {
      cwd, input: JSON.stringify(payload), timeout, killSignal: "SIGKILL", stdio: ["pipe", "ignore", "ignore"], windowsHide: true,
    })
  } catch {}
}

export const GitContext = async ({ directory, client }) => {
  const sessions = new Map()

  const session = (id) => {
    if (!sessions.has(id)) {
      sessions.set(id, { id, parent: null, cwd: directory, began: null, messages: new Map(), given: new Set(), busy: false, telling: false, ended: false, start: null })
    }
    return sessions.get(id)
  }

  const payload = (s, more) => {
    const { began } = sessions.get(s.parent) ?? s
    return { session_id: s.id, parent_id: s.parent, cwd: s.cwd, ...(began && began !== s.cwd && { began }), ...more }
  }

  // origin finds out where a session began that another process of the client has created.
  const origin = async (s) => {
    if (s.began) return
    let timer
    const late = new Promise((resolve) => (timer = setTimeout(resolve, limit / 4)))
    try {
      s.began = (await Promise.race([client.session.get({ path: { id: s.id } }), late]))?.data?.directory ?? null
    } catch {}
    clearTimeout(timer)
  }

  // start is run once for a session, so that the system prompt stays the same to the byte.
  const start = (s) => (s.start ??= origin(s).then(() => ask("start", payload(s), s.cwd)))

  const done = (p) =>
    (p.type === "text" && p.time?.end) || (p.type === "tool" && ["completed", "error"].includes(p.state?.status)) || p.type === "step-finish"

  const runs = (p) => p.type === "tool" && p.state?.status === "running"

  // key names a part and, of a tool, its state: a call is told when it runs and when it has ended.
  const key = (p) => (p.type === "tool" ? p.id + " " + p.state.status : p.id)

  // slim leaves out what tools say of a call besides its result, such as whole files.
  const slim = (p) => {
    if (p.type !== "tool") return p
    const { exit, filepath } = p.state.metadata ?? {}
    return { ...p, state: { ...p.state, metadata: { exit, filepath } } }
  }

  // news is what the agent said and did and no hook was given.
  const news = (s, which) => {
    const messages = []
    for (const m of s.messages.values()) {
      const parts = [...m.parts.values()].filter((p) => which(p) && !s.given.has(key(p))).map(slim)
      if (m.info.role === "assistant" && parts.length > 0) messages.push({ info: m.info, parts })
    }
    return messages
  }

  // activity gives the news to a hook, one after the other. It is detached: the user may interrupt the client.
  const activity = async (s) => {
    if (s.telling) return
    s.telling = true
    for (let messages; (messages = news(s, (p) => done(p) || runs(p))).length > 0; ) {
      const out = await run("activity", payload(s, { messages }), s.cwd, limit, process.platform !== "win32")
      if (out === null) break // the next hook is given it again
      for (const p of messages.flatMap((m) => m.parts)) s.given.add(key(p))
    }
    s.telling = false
  }

  const turnEnd = (s) => {
    if (!s.busy) return // idle is reported twice
    s.busy = false
    const messages = news(s, (p) => done(p) || runs(p) || p.type === "text")
    s.messages.clear()
    s.given.clear()
    tell("turn-end", payload(s, { messages }), s.cwd, limit)
  }

  const end = (s, timeout) => {
    if (s.ended || !s.start) return
    s.ended = true
    tell("end", payload(s), s.cwd, timeout)
  }

  const message = (s, id) => {
    if (!s.messages.has(id)) s.messages.set(id, { info: { id, sessionID: s.id }, parts: new Map() })
    return s.messages.get(id)
  }

  const handle = (type, p) => {
    switch (type) {
      case "session.created": {
        const s = session(p.info.id)
        s.parent = p.info.parentID ?? null
        s.cwd = s.began = p.info.directory ?? directory
        break
      }
      case "message.updated":
        message(session(p.info.sessionID), p.info.id).info = p.info
        break
      case "message.part.updated":
        message(session(p.part.sessionID), p.part.messageID).parts.set(p.part.id, p.part)
        if (p.part.type !== "step-finish" && done(p.part)) activity(session(p.part.sessionID)).catch(() => {})
        break
      case "session.status":
        if (p.status.type === "busy") session(p.sessionID).busy = true
        if (p.status.type === "idle") turnEnd(session(p.sessionID))
        break
      case "session.idle":
        turnEnd(session(p.sessionID))
        break
      case "session.deleted": {
        const s = sessions.get(p.info.id)
        if (s) end(s, limit)
        sessions.delete(p.info.id)
      }
    }
  }

  return {
    event: async ({ event }) => {
      try {
        handle(event.type, event.properties)
      } catch {}
    },

    "chat.message": async (input, output) => {
      try {
        const s = session(input.sessionID)
        const prompt = output.parts.filter((p) => p.type === "text" && !p.synthetic).map((p) => p.text).join("\n")
        s.messages.clear()
        s.given.clear()
        const until = Date.now() + limit
        await start(s)
        const context = await ask("prompt", payload(s, { prompt, message_id: output.message.id }), s.cwd, until - Date.now())
        if (context) {
          const { id, sessionID } = output.message
          output.parts.push({ id: "prt_" + id.replace(/^msg_/, "") + "gc", sessionID, messageID: id, type: "text", text: context, synthetic: true })
        }
      } catch {}
    },

    "experimental.chat.system.transform": async (input, output) => {
      try {
        if (!input.sessionID || output.system.some((text) => text.startsWith("You are a title generator"))) return
        const context = await start(session(input.sessionID))
        if (context) output.system.push(context)
      } catch {}
    },

    dispose: async () => {
      try {
        const until = Date.now() + limit
        for (const s of sessions.values()) {
          if (!s.parent && Date.now() < until) end(s, until - Date.now())
        }
      } catch {}
    },
  }
}
