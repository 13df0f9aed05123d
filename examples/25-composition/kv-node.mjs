// A very small replicated database: keys and values in a log that is synced to disk. It does what
// it is told: which role it has, in which epoch, and who its peers are. After a start it has no
// role and accepts nothing. A write counts when a majority has it on disk; a node that was told a
// higher epoch refuses everything of lower ones, so that there is at most one primary whose writes
// count.
//
//     node kv-node.mjs PORT DIRECTORY

import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from "node:fs"
import { createServer, request } from "node:http"
import { join } from "node:path"

const [port, directory] = [Number(process.argv[2]), String(process.argv[3])]
mkdirSync(directory, { recursive: true })
const logFile = join(directory, "log.jsonl")
const metaFile = join(directory, "meta.json")

const readOr = (file, other) => {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    if (error.code === "ENOENT") return other
    throw error
  }
}

/** `synced`: it has led, or has got everything from one that did. Without it, it knows nothing. */
let meta = JSON.parse(readOr(metaFile, '{"epoch":0,"owner":"","synced":false}'))
let log = readLog(readOr(logFile, ""))
let role = "none"
let peers = []
let kept = new Map(log.map(({ key, value }) => [key, value]))
let waiting = []
let senders = new Map()

/** A line that a crash cut off was never acknowledged. */
function readLog(text) {
  const entries = []
  for (const line of text.split("\n")) {
    if (line === "") continue
    try {
      entries.push(JSON.parse(line))
    } catch {
      break
    }
  }
  return entries
}

const last = () => log.at(-1) ?? { epoch: 0, n: 0 }
const place = ({ epoch, n }) => ({ epoch, n })

function write(file, text, flags) {
  const handle = openSync(file, flags)
  writeSync(handle, text)
  fsyncSync(handle)
  closeSync(handle)
}

function replaceFile(file, text) {
  write(`${file}.new`, text, "w")
  renameSync(`${file}.new`, file)
  const handle = openSync(directory, "r")
  fsyncSync(handle)
  closeSync(handle)
}

function append(entries) {
  write(logFile, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""), "a")
  log.push(...entries)
  for (const { key, value } of entries) kept.set(key, value)
}

function replaceLog(entries) {
  replaceFile(logFile, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""))
  log = entries
  kept = new Map(entries.map(({ key, value }) => [key, value]))
}

const refused = (why) => [409, { why, epoch: meta.epoch, last: place(last()) }]
const done = (body = {}) => [200, body]

function setMeta(next) {
  if (JSON.stringify(next) === JSON.stringify(meta)) return
  replaceFile(metaFile, JSON.stringify(next))
  meta = next
}

/** The control plane says which role this node has. */
function setRole(asked) {
  const { epoch, from = "own", atLeast = 0, entries = [] } = asked
  if (epoch < meta.epoch) return refused(`epoch ${meta.epoch} is in force here`)
  const same = role === "primary" && epoch === meta.epoch
  if (asked.role === "primary" && !same) {
    if (from !== "own" && log.length > 0) return refused("it has data already")
    if (from === "own" && !meta.synced) return refused("it has never had any data")
    if (from === "own" && last().n < atLeast) return refused("it has lost data")
    if (from === "backup") replaceLog(entries)
  }
  setMeta({ epoch, owner: asked.owner, synced: meta.synced || asked.role === "primary" })
  role = asked.role
  peers = asked.role === "primary" ? asked.peers : []
  if (role !== "primary")
    for (const one of waiting.splice(0)) one.answer(503, { why: "stepped down" })
  senders = new Map(peers.map((peer) => [peer, senders.get(peer) ?? { at: 0, busy: false }]))
  for (const peer of peers) sync(peer)
  return done(status())
}

const status = () => ({
  ...{ pid: process.pid, role, epoch: meta.epoch, owner: meta.owner, peers },
  ...{ empty: !meta.synced, last: place(last()) },
})

/** What the primary has written, for a replica of the same epoch. */
function takeEntries({ epoch, prev, entries }) {
  if (role !== "replica" || epoch !== meta.epoch) return refused("not a replica of this epoch")
  const at = log.findIndex((entry) => entry.n === prev.n && entry.epoch === prev.epoch)
  if (prev.n !== 0 && at < 0) return [412, place(last())]
  if (at + 1 < log.length) replaceLog(log.slice(0, at + 1))
  if (entries.length > 0) append(entries)
  setMeta({ ...meta, synced: true })
  return done(place(last()))
}

function takeAll({ epoch, entries }) {
  if (role !== "replica" || epoch !== meta.epoch) return refused("not a replica of this epoch")
  const shorter = last().epoch === epoch && last().n > (entries.at(-1)?.n ?? 0)
  if (shorter) return refused("the primary of this epoch has lost data")
  replaceLog(entries)
  setMeta({ ...meta, synced: true })
  return done(place(last()))
}

function ask(peer, path, body) {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body)
    const options = {
      host: "127.0.0.1",
      port: peer,
      path,
      method: "POST",
      agent: false,
      timeout: 1000,
    }
    const call = request(options, (answer) => {
      let read = ""
      answer.on("data", (chunk) => {
        read += chunk
      })
      answer.on("end", () => resolve({ code: answer.statusCode, body: JSON.parse(read || "{}") }))
    })
    call.on("timeout", () => call.destroy(new Error("no answer")))
    call.on("error", reject)
    call.end(text)
  })
}

/** Brings one replica up to date; called again by a timer until it is. */
async function sync(peer) {
  const sender = senders.get(peer)
  if (sender === undefined || sender.busy || role !== "primary") return
  sender.busy = true
  const { epoch } = meta
  try {
    const prev = log[sender.at - 1] ?? { epoch: 0, n: 0 }
    const body = { epoch, prev: place(prev), entries: log.slice(sender.at) }
    let answer = await ask(peer, "/append", body)
    if (answer.code === 412) answer = await ask(peer, "/snapshot", { epoch, entries: log })
    if (answer.code === 200) sender.at = answer.body.n
    else if (answer.body.epoch > meta.epoch) role = "none"
    commit()
  } catch {
    // It is tried again.
  } finally {
    sender.busy = false
  }
  if (sender.at < log.length && role === "primary") setTimeout(() => sync(peer), 100)
}

/** Answers the writes that a majority has. */
function commit() {
  const have = (n) => 1 + [...senders.values()].filter(({ at }) => at >= n).length
  waiting = waiting.filter(({ n, answer }) => {
    const enough = have(n) * 2 > peers.length + 1
    if (enough) answer(200, { n })
    return !enough
  })
}

function put(key, value, answer) {
  if (role !== "primary") return answer(503, { why: "not the primary" })
  const entry = { epoch: meta.epoch, n: last().n + 1, key, value }
  append([entry])
  waiting.push({ n: entry.n, answer, since: Date.now() })
  for (const peer of peers) sync(peer)
  commit()
}

setInterval(() => {
  for (const peer of peers) sync(peer)
  const late = waiting.filter(({ since }) => Date.now() - since > 2000)
  waiting = waiting.filter((one) => !late.includes(one))
  for (const { answer } of late) answer(503, { why: "no majority" })
}, 250)

const posts = { "/role": setRole, "/append": takeEntries, "/snapshot": takeAll }

createServer((incoming, outgoing) => {
  let text = ""
  incoming.on("data", (chunk) => {
    text += chunk
  })
  incoming.on("end", () => {
    const answer = (code, body) => {
      outgoing.writeHead(code, { "content-type": "application/json" })
      outgoing.end(JSON.stringify(body))
    }
    const { method, url = "" } = incoming
    const key = url.startsWith("/kv/") ? decodeURIComponent(url.slice(4)) : undefined
    if (method === "PUT" && key !== undefined) return put(key, text, answer)
    if (method === "POST" && posts[url]) return answer(...posts[url](JSON.parse(text)))
    if (url === "/healthz") return answer(200, {})
    if (url === "/status") return answer(200, status())
    if (url === "/dump" && role === "primary")
      return answer(200, { ...place(last()), entries: log })
    if (key !== undefined && role === "primary" && kept.has(key)) return answer(200, kept.get(key))
    return answer(404, { why: "not here" })
  })
}).listen(port, "127.0.0.1")
