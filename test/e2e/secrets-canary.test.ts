// Values of Secrets, tokens, keys, cookies and sign-in links are given to a real plane in many
// ways, right and wrong. Then all that it wrote, said and sent is searched for them.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { isObject, type Json, type JsonObject } from "../../src/base/json.ts"
import { disarm } from "../../src/base/protections.ts"
import { systemClock, systemRandom } from "../../src/base/system.ts"
import { aesSealer } from "../../src/plane/adapters/aes-sealer.ts"
import { Sealing } from "../../src/plane/sealing.ts"
import { openDataDirectory } from "../../src/store/engines/data-directory.ts"
import { WebhookServer } from "../conformance/webhook-server.ts"
import { requireClient } from "../tools.ts"
import { CanarySearch } from "./canary/canary-search.ts"
import { printAll, setpoint } from "./canary/client-commands.ts"
import { askRaw } from "./canary/raw-request.ts"
import { unreadable, unwelcome } from "./canary/refused-secrets.ts"
import { refuseSecrets, unwanted } from "./canary/refusing-admission.ts"
import { signIns } from "./canary/sign-ins.ts"
import { ToldOutside } from "./canary/told-outside.ts"
import { fileKey, loopResource, manifestText, PlaneRig } from "./plane/plane-rig.ts"
import { waitFor } from "./plane/wait-for.ts"

const secrets = { group: "", version: "v1", resource: "secrets" } as const
const values = {
  bySource: "canary-by-source-91c7",
  byApi: "canary-by-api-5d02",
  changed: "canary-changed-77ab",
  held: "canary-held-03fe",
  refused: "canary-refused-6e1d",
  mistyped: "canary-mistyped-b8f4",
} as const

const secret = (name: string, more: JsonObject) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: "default" },
  ...more,
})

const ref = { ...secrets, namespace: "default", name: "made" }

/** Where each may stand; and all of them do. */
const atHome = [
  "data/kubeconfig: PEM of the kubeconfig",
  "data/kubeconfig: key of the kubeconfig",
  "data/pki/ca.pem: line of data/pki/ca.pem",
  "data/pki/owner.pem: PEM of the kubeconfig",
  "data/pki/owner.pem: line of kubeconfig",
  "data/pki/sa.key: line of data/pki/sa.key",
  "data/pki/server.pem: line of data/pki/server.pem",
  "data/token: token of the owner",
]

let rig: PlaneRig | undefined
let rearm = () => {}
const outside = new ToldOutside()
const hooks = new WebhookServer()
afterEach(async () => {
  rearm()
  await rig?.close()
})

describe("values of Secrets, keys and tokens", () => {
  const kubectl = requireClient("kubectl-1.35")

  it("appear in no file, backup, log, trace, notification, metric or other answer", async () => {
    const plane = new PlaneRig()
    rig = plane
    const search = new CanarySearch()
    for (const [name, value] of Object.entries(values)) search.hunt(name, value)
    const receiver = await outside.open()
    await hooks.listen()
    try {
      await begin(plane, receiver)
      const keep = keeping(search)
      await signIns(plane, search, (...args) => setpoint(plane, ...args))
      await misuse(plane, search)
      await hold(plane)
      await keep("rotate", plane.call("POST", "secrets/rotate", {}))
      await mistype(plane)
      await look(plane, keep)
      printAll(plane, search, kubectl.missing ? "" : kubectl.path, values.refused)
      mkdirSync(join(plane.base, "backup"))
      setpoint(plane, "backup", join(plane.base, "backup", "copy.db"))
      await plane.end("SIGTERM")
      huntKeys(plane, search)
      gather(plane, search)
    } finally {
      await outside.close()
      await hooks.close()
    }
    // Nobody writes into what is only locked.
    expect(search.empty()).toEqual(["data/lock.db"])
    // Where a plane speaks of its source it spoke of the wrong file.
    const told = ["answer events", "answer status", "log", "notifications", "setpoint events"]
    expect(told.filter((place) => !search.holds(place, "wrong33.yaml"))).toEqual([])
    expect(search.found()).toEqual([])
    expect(search.places.length).toBeGreaterThan(90)
    // What was looked for would have been found: each stands where it may.
    expect(search.atHome().sort()).toEqual(atHome)
    await plane.start()
    await waitFor("the Secret is readable after a restart", async () => {
      const read = await plane.client.get(ref)
      return JSON.stringify(read?.data).includes(Buffer.from(values.changed).toString("base64"))
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
    expect(holding(plane.data, '"a":"canary-sealed"')).toEqual([])
    rearm = disarm("secrets-are-stored-sealed")
    await write("canary-plain")
    expect(holding(plane.data, '"a":"canary-plain"')).not.toEqual([])
  })
})

/** Every file below a directory whose bytes hold the text. */
function holding(directory: string, text: string): string[] {
  const search = new CanarySearch()
  search.hunt("it", text)
  search.directory("data", directory)
  return search.found()
}

/** A source with a Secret, a file made of it, and somebody who wants to know what goes wrong. */
async function begin(plane: PlaneRig, receiver: string): Promise<void> {
  writeFileSync(
    join(plane.site, "secret.yaml"),
    JSON.stringify(secret("declared", { stringData: { password: values.bySource } })),
  )
  plane.declare("motd", "hello\n")
  const contentFrom = { kind: "Secret", name: "declared", field: "data.password" }
  const password = { path: plane.target("password"), contentFrom }
  writeFileSync(plane.manifest("password"), manifestText("password", password))
  const args = ["--otlp-endpoint", receiver, "--log-level", "info", "--port", "0"]
  await plane.start({ args })
  await plane.converged(2)
  expect(readFileSync(plane.target("password"), "utf8")).toBe(values.bySource)
  const metadata = { name: "tells", namespace: "default" }
  const notifier = { apiVersion: "setpoint.dev/v1alpha1", kind: "Notifier", metadata }
  const resource = { group: "setpoint.dev", version: "v1alpha1", resource: "notifiers" }
  const spec = { webhook: { url: `${receiver}/notified` }, for: "0s" }
  await plane.client.create(resource, { ...notifier, spec })
}

type Keep = (name: string, task: Promise<unknown>, list?: string) => Promise<void>

/** Keeps what was answered, errors too; of a list it has to be seen that it holds something. */
function keeping(search: CanarySearch): Keep {
  return async (name, task, list) => {
    const answer = await task.catch((error: unknown) => ({ text: String(error), ...Object(error) }))
    const content = JSON.parse(JSON.stringify(answer ?? null)) as Json
    if (list !== undefined) {
      const items = isObject(content) ? Object(content[list]) : {}
      expect(`${name}: ${Object.keys(items).length > 0}`).toBe(`${name}: true`)
    }
    search.place(`answer ${name}`, typeof content === "string" ? content : JSON.stringify(content))
  }
}

/** Everything that is refused with a value at hand. */
async function misuse(plane: PlaneRig, search: CanarySearch): Promise<void> {
  const { client } = plane
  const applied = JSON.stringify({ data: { a: values.byApi } })
  const note = { "kubectl.kubernetes.io/last-applied-configuration": applied }
  const made = secret("made", { stringData: { a: values.byApi } })
  const metadata = { ...made.metadata, annotations: note }
  await client.create(secrets, { ...made, metadata })
  await client.patch(ref, "merge", { stringData: { a: values.changed } })
  await client.create(secrets, secret("plain", { stringData: { a: values.byApi } }))
  await refuseSecrets(client, hooks)
  const refused = [...unreadable(values.refused), ...unwelcome(values.refused)]
  for (const name of unwanted) {
    const data = { a: Buffer.from(values.refused).toString("base64") }
    const body = JSON.stringify(secret(name, { data }))
    const type = "application/json"
    refused.push({ ...{ name, method: "POST", path: "secrets", type, body }, status: 0 })
  }
  const answers: string[] = []
  const wanted: string[] = []
  for (const { name, path, status, ...more } of refused) {
    const said = await askRaw(plane, { ...more, path: `/api/v1/namespaces/default/${path}` })
    search.place(`refused ${name}`, said.headers + said.text)
    // Admission refuses with what it likes, and what it says names it.
    answers.push(`${name} ${status === 0 ? said.text.includes(name) : said.status}`)
    wanted.push(`${name} ${status === 0 ? true : status}`)
  }
  expect(answers).toEqual(wanted)
  const dry = { path: "/api/v1/namespaces/default/secrets?dryRun=All", type: "application/json" }
  const bound = await askRaw(plane, { ...dry, method: "POST", body: "{}" })
  expect(bound.status).toBe(400)
}

/** A plan that would write another secret into a file waits for a person. */
async function hold(plane: PlaneRig): Promise<void> {
  const loop = { ...loopResource, namespace: "default", name: "site" }
  await plane.client.patch(loop, "merge", { spec: { mode: "Propose" } })
  const declared = secret("declared", { stringData: { password: values.held } })
  writeFileSync(join(plane.site, "secret.yaml"), JSON.stringify(declared))
  await waitFor("the change of the file is held", async () => {
    return (await plane.pendingPlan()) !== undefined
  })
  expect(readFileSync(plane.target("password"), "utf8")).toBe(values.bySource)
  await waitFor("it is told", () => outside.at("/notified").includes('"Held"') || "not yet")
}

/** A Secret in the source that is no YAML; the loop says so wherever it speaks. */
async function mistype(plane: PlaneRig): Promise<void> {
  const head = "apiVersion: v1\nkind: Secret\nmetadata: {name: other}\nstringData:\n  password: "
  for (const sign of [">", "!", "*"]) {
    writeFileSync(
      join(plane.site, `wrong${sign.charCodeAt(0)}.yaml`),
      head + sign + values.mistyped,
    )
  }
  await waitFor("the loop says that its source is wrong", async () => {
    return JSON.stringify(await plane.loopStatus()).includes("wrong33.yaml")
  })
  await waitFor("it is told", () => outside.at("/notified").includes("wrong33.yaml") || "not yet")
}

/** Every view of what the plane knows; each has to hold something. */
async function look(plane: PlaneRig, keep: Keep): Promise<void> {
  const { loop } = plane
  const plan = (await plane.pendingPlan())?.name ?? "missing"
  const pin = { loop, name: "pinned", reason: "canary" }
  await keep("checkpoint", plane.call("POST", "checkpoints", pin))
  const about = encodeURIComponent(fileKey("password"))
  const declared = "object=secrets/default/declared"
  const views: [string, string?][] = [
    [`plans/${plan}`],
    [`plans/${plan}/standing`],
    [`explain?object=${about}`],
    ["explain?object=secrets/default/made"],
    [`explain?${declared}`],
    [`object?${declared}`],
    [`timeline?object=${about}`],
    [`history?object=${about}`, "entries"],
    ["history?limit=1000", "entries"],
    [`journal?loop=${loop}`],
    [`report?loop=${loop}`],
    ["status", "loops"],
    ["kinds"],
    ["objects"],
    ["plans", "plans"],
    ["secrets"],
    [`inventory?loop=${loop}`],
    [`checkpoints?loop=${loop}`],
    [`checkpoints/${loop}/pinned`],
    [`checkpoints/${loop}/pinned/diff`],
    ["audit/heads"],
    [`audit/entries?loop=${loop}`],
    ["invariants"],
    ["in-flight"],
  ]
  for (const [path, list] of views) await keep(path, plane.call("GET", path), list)
  await keep("delete", plane.client.delete({ ...ref, name: "declared" }))
  const lists = { events: "/api/v1/events", files: "/apis/host.setpoint.dev/v1/files" }
  for (const [name, path] of Object.entries(lists)) {
    await keep(name, plane.client.call("GET", path), "items")
  }
  for (const path of ["/metrics", "/readyz?verbose", "/openapi/v2"]) {
    const { status, text } = await askRaw(plane, { method: "GET", path })
    expect(`${path} ${status}`).toBe(`${path} 200`)
    await keep(path, Promise.resolve(text))
  }
}

/** Private keys of the plane, each by a line of its own and by its file. */
function huntKeys(plane: PlaneRig, search: CanarySearch): void {
  const login = readFileSync(join(plane.data, "kubeconfig"), "utf8")
  const data = /client-key-data: "?([\w+/=]+)/.exec(login)?.[1] ?? ""
  search.hunt("key of the kubeconfig", data, "data/kubeconfig")
  const pem = Buffer.from(data, "base64").toString("utf8")
  search.hunt("PEM of the kubeconfig", pem, "data/kubeconfig", "data/pki/owner.pem")
  for (const [name, text] of [["kubeconfig", pem], ...keyFiles(plane)] as const) {
    const line = /PRIVATE KEY-----\n(.{40,})\n/.exec(text)?.[1] ?? ""
    search.hunt(`line of ${name}`, line, name === "kubeconfig" ? "data/pki/owner.pem" : name)
  }
  const folder = join(plane.base, "config", "setpoint", "keys")
  const keys = readFileSync(join(folder, readdirSync(folder)[0] ?? ""), "utf8")
    .trim()
    .split("\n")
  expect(keys).toHaveLength(2)
  for (const [at, key] of keys.entries()) search.hunt(`key ${at} of Secrets`, key)
}

function keyFiles(plane: PlaneRig): [string, string][] {
  const names = ["ca.pem", "sa.key", "server.pem"]
  return names.map((name) => [
    `data/pki/${name}`,
    readFileSync(join(plane.data, "pki", name), "utf8"),
  ])
}

/** What the plane wrote, said and sent by itself. */
function gather(plane: PlaneRig, search: CanarySearch): void {
  search.directory("data", plane.data)
  search.directory("backup", join(plane.base, "backup"))
  // The rig keeps so much and no more.
  for (const text of [plane.output, plane.errors]) expect(text.length).toBeLessThan(100_000)
  search.place("output", plane.output)
  search.place("log", plane.errors)
  search.place("traces", outside.at("/v1/traces"))
  search.place("notifications", outside.at("/notified"))
}
