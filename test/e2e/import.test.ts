// `setpoint import` on a real host folder: manifests that adopt what exists and change nothing, a
// baseline loop that reports drift and leaves it, and nothing that had better stay out of
// manifests.

import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { afterAll, beforeAll, expect, it } from "vitest"
import { httpClient } from "../../src/client/http/http-client.ts"
import { importLocal } from "../../src/plane/adapters/import-local.ts"
import { plainZone, startBind } from "../../src/providers/dns/adapter/testing/name-servers.ts"
import { requireTool } from "../tools.ts"
import { CliRig } from "./cli-server-rig.ts"
import { waitFor } from "./plane/wait-for.ts"

const bind = requireTool("named: -v", "dig: -v", "nsupdate: -V")
const rig = new CliRig()
const app = rig.path("app")
const run = (...args: readonly string[]) => rig.run("--data", rig.path("data"), ...args)

beforeAll(() => {
  mkdirSync(rig.path("app", "conf.d"), { recursive: true })
  writeFileSync(rig.path("app", "conf.d", "a-b.conf"), "listen 80\n")
  writeFileSync(rig.path("app", "Odd name.TXT"), '\t- "x: y" \n\nno newline at the end')
  writeFileSync(rig.path("app", "blob"), Buffer.from([0, 255, 1, 254]))
  symlinkSync("conf.d/a-b.conf", rig.path("app", "current"))
  writeFileSync(rig.path("app", "password"), "canary-secret\n", { mode: 0o600 })
  writeFileSync(rig.path("app", "id"), "-----BEGIN OPENSSH PRIVATE KEY-----\ncanary-key\n")
  for (const name of ["conf.d", ".", ".."]) chmodSync(rig.path("app", name), 0o755)
})
afterAll(() => rig.close())

const targets = () =>
  ["conf.d/a-b.conf", "Odd name.TXT", "blob", "password", "id"].map((name) => {
    const path = rig.path("app", ...name.split("/"))
    return `${name} ${statSync(path).mtimeMs} ${readFileSync(path, "base64")}`
  })

const take = ["import", "all", "--scope", `path=${app}`, "--dir", rig.path("site")]

it("turns what exists into manifests that change nothing but whose it is", async () => {
  const before = targets()
  const wrote = await run(...take)
  expect(wrote).toMatchObject({ code: 0 })
  expect(wrote.stdout).toContain("6 manifests")
  expect(readdirSync(rig.path("site")).sort()).toEqual(["directories", "files"])
  const plan = await run("plan", rig.path("site"), "--output", "json")
  expect(plan.code).toBe(0)
  const { loops } = JSON.parse(plan.stdout) as {
    loops: { objects: number; actions: unknown[]; notes: { state: string }[] }[]
  }
  expect(loops.map(({ objects, actions }) => [objects, actions])).toEqual([[6, []]])
  const states = loops.flatMap(({ notes }) => notes.map(({ state }) => state))
  expect(new Set(states)).toEqual(new Set(["take"]))
  expect(targets()).toEqual(before)

  // What may be secret stays out, and is named.
  const files = readdirSync(rig.path("site", "files"))
  const texts = files.map((name) => readFileSync(rig.path("site", "files", name), "utf8"))
  expect(texts.join()).not.toContain("canary")
  const { stderr } = wrote
  expect(stderr).toContain(`left out ${rig.path("app", "password")}: not everyone may read it`)
  expect(stderr).toContain(`left out ${rig.path("app", "id")}: it holds a private key`)
})

it("writes the same files again, and over none that somebody changed", async () => {
  expect((await run(...take)).stdout).toContain("0 of them written")
  const [first = ""] = readdirSync(rig.path("site", "directories"))
  const file = rig.path("site", "directories", first)
  const text = readFileSync(file, "utf8")
  writeFileSync(file, "mine\n")
  const refused = await run(...take)
  expect(refused.stderr).toMatch(/^(left out .*\n)*error: cannot use .* \[SPT-CLI-002\]\nhint: /)
  expect(readFileSync(file, "utf8")).toBe("mine\n")
  expect(await run(...take, "--force")).toMatchObject({ code: 0 })
  expect(readFileSync(file, "utf8")).toBe(text)
})

it("writes what not everyone may read for nobody else's eyes", async () => {
  const secrets = [...take, "--scope", "private=include", "--dir", rig.path("private")]
  const modes = () => {
    const files = readdirSync(rig.path("private", "files"))
    return new Set(files.map((name) => statSync(rig.path("private", "files", name)).mode & 0o777))
  }
  expect(await run(...secrets)).toMatchObject({ code: 0 })
  expect(modes()).toEqual(new Set([0o600]))
  for (const name of readdirSync(rig.path("private", "files"))) {
    chmodSync(rig.path("private", "files", name), 0o644)
  }
  expect(await run(...secrets)).toMatchObject({ code: 0 })
  expect(modes()).toEqual(new Set([0o600]))
})

it("refuses what it can't understand with a sentence and a hint", async () => {
  const { signal } = new AbortController()
  const wrong: [string, string, Record<string, string>][] = [
    ["SPT-IMPORT-001", "spoon", {}],
    ["SPT-IMPORT-002", "all", {}],
    ["SPT-IMPORT-003", "file", { path: app, spoon: "x" }],
    ["SPT-PROV-040", "file", {}],
    ["SPT-FILE-004", "file", { path: "relative" }],
    ["SPT-FILE-004", "file", { path: rig.path("nowhere") }],
  ]
  for (const [code, kind, scope] of wrong) {
    const asked = importLocal({ kinds: [kind], scope, signal }, { directory: rig.path("data") })
    await expect(asked).rejects.toMatchObject({ code, hint: expect.stringMatching(/\w/) })
  }
})

it.skipIf(bind.missing)("takes a zone from its server, and from its file", async () => {
  const directory = rig.path("bind")
  mkdirSync(directory)
  const records = 'www 60 A 192.0.2.1\nwww 60 A 192.0.2.2\nmail MX 10 www\ntext TXT "a; b"\n'
  const zones = { "example.org": plainZone(records) }
  const server = await startBind({ directory, zones })
  try {
    const place = ["--scope", `server=${server.address}`, "--scope", `keyFile=${server.keyFile}`]
    const zone = ["recordset", "--scope", "zone=example.org"]
    const args = ["import", ...zone, ...place, "--dir", rig.path("dns")]
    expect(await run(...args)).toMatchObject({ code: 0 })
    const names = readdirSync(rig.path("dns", "recordsets"))
    expect(names).toHaveLength(4)
    expect(await run("plan", rig.path("dns"))).toMatchObject({ code: 0 })
    const file = ["--scope", `zoneFile=${rig.path("bind", "example.org.zone")}`]
    const { stdout } = await run("import", ...zone, ...file, "--output", "json")
    expect((JSON.parse(stdout) as { objects: unknown[] }).objects).toHaveLength(4)
  } finally {
    await server.stop()
  }
})

it("makes a baseline loop that reports drift and leaves it alone", async () => {
  mkdirSync(rig.path("empty"))
  const plane = rig.start("--data", rig.path("data"), "up", rig.path("empty"))
  await plane.said(/watching/)
  const scope = `path=${rig.path("app", "conf.d")}`
  const made = await run("import", "all", "--scope", scope, "--observe", "baseline")
  expect(made).toMatchObject({ code: 0, stderr: "" })
  const token = readFileSync(rig.path("data", "token"), "utf8").trim()
  const client = httpClient({ socketPath: rig.path("data", "api.sock"), token })
  const files = { group: "host.setpoint.dev", version: "v1", resource: "files" }
  const objects = async () => JSON.stringify(await client.list(files, { namespace: "default" }))
  await waitFor("the baseline is as declared", async () =>
    (await objects()).includes('"reason":"Converged"'),
  )
  const target = rig.path("app", "conf.d", "a-b.conf")
  writeFileSync(target, "listen 8080\n")
  await waitFor("the drift is reported", async () =>
    (await objects()).includes("in mode Observe: it only reports"),
  )
  expect(readFileSync(target, "utf8")).toBe("listen 8080\n")
  const { stdout } = await run("status")
  expect(stdout).toContain("default.baseline  Observe  1 of 2 as declared")
  client.close()
  await plane.end()
  expect(readFileSync(target, "utf8")).toBe("listen 8080\n")
})
