import { execFileSync } from "node:child_process"
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { get } from "node:http"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import type { Json, JsonObject } from "../../src/base/json.ts"
import { disarm } from "../../src/base/protections.ts"
import { systemClock, systemRandom } from "../../src/base/system.ts"
import { aesSealer } from "../../src/plane/adapters/aes-sealer.ts"
import { Sealing } from "../../src/plane/sealing.ts"
import { openDataDirectory } from "../../src/store/engines/data-directory.ts"
import { program } from "../program.ts"
import { fileKey, loopResource, manifestText, PlaneRig } from "./plane/plane-rig.ts"
import { waitFor } from "./plane/wait-for.ts"

const secrets = { group: "", version: "v1", resource: "secrets" } as const
const canaries = [
  ...["canary-by-source-91c7", "canary-by-api-5d02", "canary-changed-77ab", "canary-held-03fe"],
] as const
const [bySource, byApi, changed, held] = canaries as readonly [string, string, string, string]

/** As they are, and as base64 holds them. */
const forms = (values: readonly string[]): string[] =>
  values.flatMap((value) => [value, Buffer.from(value).toString("base64").replaceAll("=", "")])

/** Every file below a directory whose bytes hold one of the texts. */
function holding(directory: string, texts: readonly string[]): string[] {
  return readdirSync(directory, { recursive: true })
    .map(String)
    .filter((name) => lstatSync(join(directory, name)).isFile())
    .flatMap((name) => {
      const bytes = readFileSync(join(directory, name))
      return texts.filter((text) => bytes.includes(text)).map((text) => `${name}: ${text}`)
    })
}

const secret = (name: string, more: JsonObject) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: "default" },
  ...more,
})

const ref = { ...secrets, namespace: "default", name: "made" }

let rig: PlaneRig | undefined
let rearm = () => {}
afterEach(async () => {
  rearm()
  await rig?.close()
})

describe("values of Secrets, keys and tokens", () => {
  it("appear in no file of the plane, no backup, no log and no other answer", async () => {
    const plane = new PlaneRig()
    rig = plane
    writeFileSync(
      join(plane.site, "secret.yaml"),
      JSON.stringify(secret("declared", { stringData: { password: bySource } })),
    )
    plane.declare("motd", "hello\n")
    const contentFrom = { kind: "Secret", name: "declared", field: "data.password" }
    const password = { path: plane.target("password"), contentFrom }
    writeFileSync(plane.manifest("password"), manifestText("password", password))
    await plane.start()
    await plane.converged(2)
    expect(readFileSync(plane.target("password"), "utf8")).toBe(bySource)
    const answers: Json[] = []
    const ask = asking(answers)
    await misuse(plane, ask)
    await hold(plane)
    await look(plane, ask)
    await ask(plane.call("POST", "secrets/rotate", {}))
    const backup = join(plane.base, "backup")
    mkdirSync(backup)
    setpoint(plane, "backup", join(backup, "copy.db"))
    const issued = setpoint(plane, "token", "create", "bob", "--kind", "human")
    const token = issued.trim().split("\n").at(-1) ?? ""
    expect(JSON.stringify((await plane.client.get(ref))?.data)).toContain(
      Buffer.from(changed).toString("base64"),
    )
    for (const view of [
      ["plan", plane.site],
      ["diff", "file", "password"],
      ["plans"],
      ["history"],
      ["get", "files", "-o", "yaml"],
    ]) {
      answers.push(setpointAny(plane, ...view))
    }
    await plane.end("SIGTERM")
    const keyFile = readFileSync(keyPath(plane), "utf8").trim().split("\n")
    expect(keyFile).toHaveLength(2)
    const searched = [...forms(canaries), token, ...keyFile]
    expect(holding(plane.data, searched)).toEqual([])
    expect(readdirSync(backup)).toContain("copy.db")
    expect(holding(backup, searched)).toEqual([])
    const told = JSON.stringify(answers) + plane.output + plane.errors
    expect(searched.filter((text) => told.includes(text))).toEqual([])
    // What was looked for would have been found: the source holds it, and so does the plane's own.
    expect(holding(plane.site, forms([held]))).not.toEqual([])
    expect(answers.length).toBeGreaterThan(25)
    await plane.start()
    await waitFor("the Secret is readable after a restart", async () => {
      const read = await plane.client.get(ref)
      return JSON.stringify(read?.data).includes(Buffer.from(changed).toString("base64"))
    })
  })

  it("would lie in the files if they were not sealed", async () => {
    const plane = new PlaneRig()
    rig = plane
    const write = async (name: string) => {
      const [clock, random] = [systemClock, systemRandom]
      const data = await openDataDirectory({
        directory: plane.data,
        clock,
        random,
        onFatal: () => {},
      })
      const keys = { read: () => [new Uint8Array(32)], add: () => {} }
      const { store } = new Sealing(data.store, aesSealer(keys, random))
      const key = `/registry/core/secrets/default/${name}`
      await store.commit([], [{ kind: "put", key, value: Buffer.from(`{"a":"${name}"}`) }])
      await data.close()
    }
    await write("canary-sealed")
    expect(holding(plane.data, ['"a":"canary-sealed"'])).toEqual([])
    rearm = disarm("secrets-are-stored-sealed")
    await write("canary-plain")
    expect(holding(plane.data, ['"a":"canary-plain"'])).not.toEqual([])
  })
})

function keyPath(plane: PlaneRig): string {
  const folder = join(plane.base, "config", "setpoint", "keys")
  return join(folder, readdirSync(folder)[0] ?? "")
}

function setpoint(plane: PlaneRig, ...args: readonly string[]): string {
  const env = { ...process.env, XDG_CONFIG_HOME: join(plane.base, "config") }
  const options = { encoding: "utf8", env } as const
  return execFileSync(process.execPath, [program, "--data", plane.data, ...args], options)
}

/** What it prints, whatever its exit code says. */
function setpointAny(plane: PlaneRig, ...args: readonly string[]): string {
  try {
    return setpoint(plane, ...args)
  } catch (error) {
    const { stdout = "", stderr = "" } = Object(error) as { stdout?: string; stderr?: string }
    return `${stdout}${stderr}`
  }
}

type Ask = (task: Promise<unknown>) => Promise<void>

/** Keeps what was answered, errors too. */
function asking(answers: Json[]): Ask {
  return async (task) => {
    const answer = await task.catch((error: unknown) => ({
      text: String(error),
      ...Object(error),
    }))
    answers.push(JSON.parse(JSON.stringify(answer ?? null)))
  }
}

/** Everything that is refused with a value at hand. */
async function misuse(plane: PlaneRig, ask: Ask): Promise<void> {
  const { client } = plane
  const applied = JSON.stringify({ data: { a: byApi } })
  const note = { "kubectl.kubernetes.io/last-applied-configuration": applied }
  const made = secret("made", { stringData: { a: byApi } })
  const metadata = { ...made.metadata, annotations: note }
  const { metadata: stored } = await client.create(secrets, { ...made, metadata })
  await client.patch(ref, "merge", { stringData: { a: changed } })
  const stale = { ...metadata, resourceVersion: stored.resourceVersion ?? "" }
  await ask(client.update(secrets, { ...made, metadata: stale }))
  await ask(client.create(secrets, made))
  await ask(client.create(secrets, secret("bad", { data: { a: `${byApi}@` } })))
  await ask(client.create(secrets, secret("bad", { data: { a: { b: byApi } } })))
  await ask(client.create(secrets, secret("bad", { stringData: [byApi] })))
  await ask(client.create(secrets, secret("bad", { stringData: { a: [byApi] } })))
  await ask(
    client.create(secrets, secret("bad", { type: "kubernetes.io/tls", stringData: { a: byApi } })),
  )
  await ask(client.patch(ref, "merge", { type: "other" }))
  await ask(client.apply(secrets, made, { fieldManager: "else" }))
  await ask(client.delete({ ...ref, name: "declared" }))
  await ask(plane.call("GET", "explain?object=secrets/default/made"))
  await ask(plane.call("GET", "explain?object=secrets/default/declared"))
}

/** A plan that would write another secret into a file waits for a person. */
async function hold(plane: PlaneRig): Promise<void> {
  const loop = { ...loopResource, namespace: "default", name: "site" }
  await plane.client.patch(loop, "merge", { spec: { mode: "Propose" } })
  const declared = secret("declared", { stringData: { password: held } })
  writeFileSync(join(plane.site, "secret.yaml"), JSON.stringify(declared))
  await waitFor("the change of the file is held", async () => {
    return (await plane.pendingPlan()) !== undefined
  })
  expect(readFileSync(plane.target("password"), "utf8")).toBe(bySource)
}

/** Every view of what the plane knows; each has to answer. */
async function look(plane: PlaneRig, askAny: Ask): Promise<void> {
  const { client } = plane
  const loop = plane.loop
  const ask: Ask = async (task) => {
    await task
    await askAny(task)
  }
  const plan = (await plane.pendingPlan())?.name ?? "missing"
  await ask(plane.call("POST", "checkpoints", { loop, name: "pinned", reason: "canary" }))
  const about = encodeURIComponent(fileKey("password"))
  for (const path of [
    ...[`plans/${plan}`, `explain?object=${about}`, `history?object=${about}`],
    ...[
      "status",
      "kinds",
      "history?limit=1000",
      `report?loop=${loop}`,
      "plans",
      "secrets",
      "inventory",
    ],
    ...["checkpoints", `checkpoints/${loop}/pinned`, `checkpoints/${loop}/pinned/diff`],
    ...["audit/heads", `audit/entries?loop=${loop}`],
  ]) {
    await ask(plane.call("GET", path))
  }
  for (const path of ["/api/v1/events", "/api/v1/configmaps"]) await ask(client.call("GET", path))
  for (const path of ["/metrics", "/readyz?verbose"]) await ask(readText(plane, path))
}

function readText(plane: PlaneRig, path: string): Promise<string> {
  const token = readFileSync(join(plane.data, "token"), "utf8").trim()
  const headers = { authorization: `Bearer ${token}` }
  return new Promise((resolve, reject) => {
    get({ socketPath: join(plane.data, "api.sock"), path, headers }, async (response) => {
      if (response.statusCode !== 200) reject(new Error(`${path}: ${response.statusCode}`))
      resolve((await response.setEncoding("utf8").toArray()).join(""))
    }).once("error", reject)
  })
}
