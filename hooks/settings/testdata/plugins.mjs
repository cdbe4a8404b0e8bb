// Calls the plugins as their clients do, and prints what the model would get.
import { GitContext } from "./opencode.mjs"
import pi from "./pi.mjs"

const cwd = process.cwd()
const print = (name, value) => console.log(name + " " + JSON.stringify(value))

const client = { session: { get: async ({ path }) => ({ data: { id: path.id, directory: path.id === "s4" ? "/elsewhere" : cwd } }) } }
const hooks = await GitContext({ directory: cwd, client })
const event = (type, properties) => hooks.event({ event: { type, properties } })
const system = async (text) => {
  const output = { system: [text] }
  await hooks["experimental.chat.system.transform"]({ sessionID: "s1" }, output)
  return output.system
}
await event("session.created", { sessionID: "s1", info: { id: "s1", directory: cwd } })
await event("session.created", { sessionID: "s2", info: { id: "s2", directory: cwd, parentID: "s1" } })
const output = { message: { id: "msg_1", sessionID: "s1" }, parts: [{ type: "text", text: "do it" }] }
await hooks["chat.message"]({ sessionID: "s1" }, output)
print("parts", output.parts.map((p) => p.text))
await event("message.updated", { info: { id: "msg_1", sessionID: "s1", role: "user" } })
await event("session.status", { sessionID: "s1", status: { type: "busy" } })
await event("message.updated", { info: { id: "msg_2", sessionID: "s1", role: "assistant" } })
const part = (p) => event("message.part.updated", { part: { messageID: "msg_2", sessionID: "s1", ...p } })
const children = async () => {
  while (process.getActiveResourcesInfo().includes("ProcessWrap")) await new Promise((resolve) => setTimeout(resolve, 5))
}
await part({ id: "p1", type: "text", text: "do" })
await part({ id: "p1", type: "text", text: "done", time: { start: 1, end: 2 } })
await children()
await part({ id: "p2", type: "tool", tool: "edit", callID: "c1", state: { status: "running" } })
await part({ id: "p2", type: "tool", tool: "edit", callID: "c1", state: { status: "completed", metadata: { exit: 1, diff: "long" } } })
await children()
await part({ id: "p3", type: "step-finish", reason: "stop" })
await part({ id: "p4", type: "text", text: "interrupted" })
print("title", await system("You are a title generator. You output ONLY a thread title."))
print("system", await system("You are an agent."))
print("system", await system("You are an agent."))
await event("session.status", { sessionID: "s1", status: { type: "busy" } })
await event("session.status", { sessionID: "s1", status: { type: "idle" } })
await event("session.idle", { sessionID: "s1" })
await hooks["chat.message"]({ sessionID: "s2" }, { message: { id: "msg_3", sessionID: "s2" }, parts: [] })
await hooks["chat.message"]({ sessionID: "s4" }, { message: { id: "msg_4", sessionID: "s4" }, parts: [] }) // resumed here
await event("session.created", { sessionID: "s5", info: { id: "s5", directory: cwd, parentID: "s4" } })
await hooks["chat.message"]({ sessionID: "s5" }, { message: { id: "msg_5", sessionID: "s5" }, parts: [] })
await event("of a later version", undefined)
await event("session.status", {})
await hooks.dispose()

const on = {}
pi({ on: (name, handler) => (on[name] = handler) })
const context = { cwd, sessionManager: { getSessionId: () => "s3", getSessionFile: () => "s3.jsonl" } }
for (const prompt of ["one", "two"]) {
  print("pi", await on.before_agent_start({ prompt, systemPrompt: "You are pi." }, context))
}
await on.agent_end({ messages: [{ role: "user", content: "two" }] }, context)
await on.session_shutdown({ reason: "quit" }, context)
await on.before_agent_start(undefined, undefined)
