// Gate: credentials of a repository are in no argument, variable, file, log, status, event or
// journal, neither while a fetch runs nor when it fails; webhooks only make the plane look.

import { createHmac } from "node:crypto"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { requireTool } from "../../tools.ts"
import { pause, waitFor } from "../plane/wait-for.ts"
import { GitRig, hookToken, password, username } from "./git-rig.ts"

const git = requireTool("git")
let rig: GitRig

beforeEach(() => {
  rig = new GitRig()
})
afterEach(() => rig.close())

const pair = Buffer.from(`${username}:${password}`).toString("base64")
const secrets = [password, encodeURIComponent(password), pair]
const holds = (text: string) => secrets.some((secret) => text.includes(secret))

/** Names of processes, with everything that others may see of them. */
function processes(): Map<string, string> {
  const seen = new Map<string, string>()
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    if (Number(pid) === process.pid) continue
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, "latin1")
      const variables = readFileSync(`/proc/${pid}/environ`, "latin1")
      seen.set(pid, `${words}\n${variables}`)
    } catch {} // It has ended.
  }
  return seen
}

/** Every file of the plane's folder, but for sockets. */
function* filesBelow(folder: string): Iterable<string> {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = join(folder, name)
    try {
      if (statSync(path).isFile()) yield path
    } catch {} // It was of a call that has ended.
  }
}

function told(): Promise<string> {
  const views = ["status", "history?limit=1000", "plans", "inventory"]
  const events = { group: "", version: "v1", resource: "events" }
  const loops = { group: "setpoint.dev", version: "v1alpha1", resource: "loops" }
  const { plane } = rig
  return Promise.all([
    ...views.map(async (view) => JSON.stringify(await plane.call("GET", view))),
    plane.client.list(events, { namespace: "default" }).then(JSON.stringify),
    plane.client.list(loops, { namespace: "default" }).then(JSON.stringify),
  ]).then((all) => [...all, plane.output, plane.errors, rig.cli("status").text].join("\n"))
}

describe.skipIf(git.missing)("the credentials of a repository", () => {
  it("are nowhere to be seen while a fetch runs, after it, and when it fails", async () => {
    rig.push({ a: "one\n" })
    await rig.start()
    await rig.plane.converged(1)
    const gate = rig.server.hold()
    rig.push({ a: "two\n" })
    const fetching = rig.fetch()
    const found: string[] = []
    let ran = 0
    let calls = 0
    const look = () => {
      for (const [pid, text] of processes()) {
        if (text.includes("GIT_TERMINAL_PROMPT=0")) ran++
        if (holds(text)) found.push(`${pid} ${text.slice(0, 300)}`)
      }
      for (const file of filesBelow(rig.plane.data)) {
        if (file.includes("/git/calls/")) calls++
        if (holds(readFileSync(file, "latin1"))) found.push(file)
      }
    }
    // From the first call on, and while the server keeps git waiting.
    await waitFor("a fetch waits", () => {
      look()
      return gate.waiting() > 0
    })
    for (let at = 0; at < 5; at++) {
      look()
      await pause(10)
    }
    gate.release()
    await fetching
    expect(ran).toBeGreaterThan(0)
    expect(calls).toBeGreaterThan(0)
    await waitFor(
      "the change is there",
      () => readFileSync(rig.plane.target("a"), "utf8") === "two\n",
    )
    rig.server.down = true
    await rig.fetch()
    rig.server.down = false
    await rig.secret("site-git", { username: "other", password })
    await rig.fetch()
    await rig.sourceSays("unreadable", /refuses the credentials/)
    look()
    expect(found).toEqual([])
    expect(holds(await told())).toBe(false)
    expect(readdirSync(join(rig.plane.data, "git", "calls"))).toEqual([])
  })

  it("are refused inside of an address, without being repeated", async () => {
    await rig.server.start()
    const url = rig.url.replace("http://", `http://${username}:${password}@`)
    rig.declareLoop({ url })
    const ended = await rig.plane.launch()
    expect(ended.code).not.toBe(0)
    expect(ended.errors).toContain("secretRef")
    expect(holds(ended.errors + rig.plane.output)).toBe(false)
  })
})

describe.skipIf(git.missing)("a webhook", () => {
  const send = (loop: string, headers: Readonly<Record<string, string>>, body: string | Buffer) =>
    new Promise<string>((resolve, reject) => {
      const call = request(
        {
          socketPath: join(rig.plane.data, "api.sock"),
          ...{ method: "POST", path: `/setpoint/v1/hooks/git/default/${loop}` },
          headers: { "content-type": "application/json", host: "localhost", ...headers },
        },
        (response) => {
          let text = ""
          response.on("data", (chunk) => {
            text += String(chunk)
          })
          response.on("end", () => resolve(`${response.statusCode} ${text}`))
        },
      )
      call.on("error", reject)
      call.end(body)
    })
  const sign = (body: string, key = hookToken) =>
    createHmac("sha256", key).update(body).digest("hex")

  it("makes the plane look at once, from whoever knows the token and nobody else", async () => {
    rig.push({ a: "one\n" })
    await rig.start({ webhook: { secretRef: { name: "site-hook" } } })
    await rig.plane.converged(1)
    const body = JSON.stringify({ ref: "refs/heads/main", after: "0".repeat(40) })
    const github = { "x-hub-signature-256": `sha256=${sign(body)}` }
    // Its Secret is not there yet, as little as the other loop.
    expect(await send("site", github, body)).toBe("401 ")
    await rig.secret("site-hook", { token: hookToken })
    const before = rig.server.requests
    const refused: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
      ["site", {}],
      ["site", { "x-hub-signature-256": `sha256=${sign(body, "another token, 16+")}` }],
      ["site", { "x-hub-signature-256": "sha256=" }],
      ["site", { "x-hub-signature-256": sign(`${body} `) }],
      ["site", { "x-gitlab-token": `${hookToken}x` }],
      ["site", { "x-gitlab-token": "" }],
      ["other", github],
    ]
    for (const [loop, headers] of refused) expect(await send(loop, headers, body)).toBe("401 ")
    expect(await send("site", github, Buffer.alloc(2 * 1024 * 1024))).toMatch(/^413 /)
    expect(rig.server.requests).toBe(before)

    rig.push({ a: "two\n" })
    expect(await send("site", github, body)).toBe("202 ")
    await waitFor(
      "the push is there",
      () => readFileSync(rig.plane.target("a"), "utf8") === "two\n",
    )
    rig.push({ a: "three\n" })
    expect(await send("site", { "x-gitlab-token": hookToken }, body)).toBe("202 ")
    await waitFor("it is there", () => readFileSync(rig.plane.target("a"), "utf8") === "three\n")
    const many = await Promise.all(Array.from({ length: 150 }, () => send("site", {}, body)))
    expect(many.filter((answer) => answer.startsWith("429 ")).length).toBeGreaterThan(0)
  })
})
