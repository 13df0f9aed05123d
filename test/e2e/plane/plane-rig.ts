// A real plane in a process of its own, over a temporary folder: manifests in `site`, targets in
// `targets`, the data directory in `data`. Ended by its process id, never by name; everything is
// removed at the end.

import { type ChildProcess, spawn } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { vi } from "vitest"
import type { Json, JsonObject } from "../../../src/base/json.ts"
import { type HttpClient, httpClient } from "../../../src/client/http/http-client.ts"
import type { ApiObject } from "../../../src/object/object.ts"
import { compiled, program } from "../../program.ts"
import type { HistoryView, LoopView, PlanView, StatusView } from "./views.ts"
import { type Reached, waitFor } from "./wait-for.ts"

// A busy machine is slow; what a test waits for has deadlines of its own that say what was reached.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 180_000 })

export const fileResource = {
  group: "host.setpoint.dev",
  version: "v1",
  resource: "files",
} as const
export const loopResource = {
  group: "setpoint.dev",
  version: "v1alpha1",
  resource: "loops",
} as const

export interface StartOptions {
  /** After `up SITE`. */
  readonly args?: readonly string[]
  /** A program that runs the plane in the same process: setpriv, strace -D. */
  readonly prefix?: readonly string[]
  /** Shell commands that run first, in a mount namespace of their own. */
  readonly mounts?: string
  readonly env?: Readonly<Record<string, string>>
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly errors: string
}

export class PlaneRig {
  readonly base = mkdtempSync(join(tmpdir(), "spt-"))
  readonly site = join(this.base, "site")
  readonly targets = join(this.base, "targets")
  readonly data = join(this.base, "data")
  readonly loop: string = "default.site"
  /** Where the page must be the same plane's over restarts. */
  dashboardPort: number | undefined
  #child: ChildProcess | undefined
  #ended: Promise<Ended> | undefined
  #client: HttpClient | undefined
  output = ""
  errors = ""

  constructor() {
    mkdirSync(this.site)
    mkdirSync(this.targets)
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  get alive(): boolean {
    const child = this.#child
    return child !== undefined && child.exitCode === null && child.signalCode === null
  }

  /** Runs `setpoint up` until its API answers and knows the folder's loop. */
  async start(options: StartOptions = {}): Promise<number> {
    const ended = this.launch(options)
    const answers = async (): Promise<Reached> => {
      if (!this.alive) throw new Error(`the plane ended: ${(await ended).errors}`)
      try {
        return (await this.loopStatus()).id === this.loop
      } catch (error) {
        return `${String(error)} ${this.errors}`
      }
    }
    return waitFor("the plane starts", answers, { deadlineMs: 90_000, everyMs: 25 })
  }

  /** Starts it without waiting; resolves when the process has ended. */
  launch(options: StartOptions = {}): Promise<Ended> {
    this.output = ""
    this.errors = ""
    this.#client?.close()
    this.#client = undefined
    const up = [process.execPath, program, "--data", this.data, "up", this.site]
    const page = this.dashboardPort === undefined ? [] : ["--dashboard-port", this.dashboardPort]
    const more = [...page.map(String), ...(options.args ?? [])]
    const command = [...(options.prefix ?? []), ...up, ...more]
    const [first = "", ...args] =
      options.mounts === undefined
        ? command
        : ["unshare", "-m", "sh", "-ec", `${options.mounts}\nexec "$@"`, "sh", ...command]
    const own = { XDG_CONFIG_HOME: join(this.base, "config"), NODE_COMPILE_CACHE: compiled }
    const env = { ...process.env, ...own, ...options.env }
    const child = spawn(first, args, { env, cwd: this.base, stdio: ["ignore", "pipe", "pipe"] })
    child.stdout.on("data", (chunk) => {
      this.output = bounded(this.output + String(chunk))
    })
    child.stderr.on("data", (chunk) => {
      this.errors = bounded(this.errors + String(chunk))
    })
    this.#child = child
    this.#ended = new Promise((resolve, reject) => {
      child.once("error", reject)
      child.once("close", (code, signal) => resolve({ code, signal, errors: this.errors }))
    })
    return this.#ended
  }

  async end(signal: NodeJS.Signals): Promise<Ended> {
    if (this.#child === undefined || this.#ended === undefined) throw new Error("never started")
    this.#client?.close()
    this.#client = undefined
    if (this.alive) this.#child.kill(signal)
    return this.#ended
  }

  async close(): Promise<void> {
    if (this.#child !== undefined) await this.end("SIGKILL")
    for (const path of [this.site, this.targets, this.data]) {
      try {
        chmodSync(path, 0o755)
      } catch {} // It was taken away by the test.
    }
    rmSync(this.base, { recursive: true, force: true })
  }

  get client(): HttpClient {
    const token = readFileSync(this.#inside(join(this.data, "token")), "utf8").trim()
    this.#client ??= httpClient({ socketPath: this.#inside(join(this.data, "api.sock")), token })
    return this.#client
  }

  /** A path as the plane sees it, also when it lives in a mount namespace of its own. */
  seen(path: string): string {
    return `/proc/${this.pid}/root${path}`
  }

  #inside(path: string): string {
    return this.insideMounts ? this.seen(path) : path
  }

  /** Set when the data directory itself is on a private mount. */
  insideMounts = false

  call(method: "GET" | "POST", path: string, body?: Json): Promise<Json> {
    return this.client.call(method, `/setpoint/v1/${path}`, body)
  }

  async status(): Promise<StatusView> {
    return (await this.call("GET", "status")) as object as StatusView
  }

  async loopStatus(): Promise<LoopView> {
    const found = (await this.status()).loops.find((loop) => loop.id === this.loop)
    if (found === undefined) throw new Error(`no loop ${this.loop}`)
    return found
  }

  async history(object?: string, limit = 10_000): Promise<HistoryView["entries"]> {
    const about = object === undefined ? "" : `&object=${encodeURIComponent(fileKey(object))}`
    const view = await this.call("GET", `history?limit=${limit}${about}`)
    return (view as object as HistoryView).entries
  }

  async plans(): Promise<readonly PlanView[]> {
    const { plans } = (await this.call("GET", "plans")) as object as { plans: PlanView[] }
    return plans.filter((plan) => plan.loop === this.loop)
  }

  async pendingPlan(): Promise<PlanView | undefined> {
    return (await this.plans()).find((plan) => plan.phase === "Pending")
  }

  decide(plan: PlanView, decision: "approve" | "reject"): Promise<Json> {
    const path = `/apis/setpoint.dev/v1alpha1/namespaces/default/plans/${plan.name}/approval`
    return this.client.call("POST", path, { hash: plan.hash, decision })
  }

  async files(): Promise<readonly ApiObject[]> {
    return (await this.client.list(fileResource, { namespace: "default" })).items
  }

  file(name: string): Promise<ApiObject | undefined> {
    return this.client.get({ ...fileResource, namespace: "default", name })
  }

  /** Limits that a storm of changes does not reach. */
  async loosen(spec: JsonObject = { limits: { changes: 100_000 } }): Promise<void> {
    const ref = { ...loopResource, namespace: "default", name: "site" }
    await this.client.patch(ref, "merge", { spec })
    if ((await this.loopStatus()).inventory === 0) return // Then nobody has to agree.
    const held = async () => (await this.plans()).find((plan) => plan.summary.includes("loosen"))
    await waitFor("the loosening waits", async () => (await held()) !== undefined)
    const plan = await held()
    if (plan !== undefined) await this.decide(plan, "approve")
    const done = async () => !(await this.plans()).some((one) => one.phase === "Executing")
    await waitFor("the looser limits count", done)
  }

  /** So many objects, all of them converged, and nothing waiting. */
  converged(objects: number, deadlineMs = 120_000): Promise<number> {
    const look = async (): Promise<Reached> => {
      const loop = await this.loopStatus()
      const counts = `${loop.converged} of ${loop.objects} converged`
      if (loop.objects === objects && loop.converged === objects) return true
      return `${counts}, ${objects} wanted; ${JSON.stringify(loop.oldest ?? loop.source)}`
    }
    return waitFor(`${objects} objects converge`, look, { deadlineMs })
  }

  target(name: string): string {
    return join(this.targets, name)
  }

  manifest(name: string): string {
    return join(this.site, `${name}.yaml`)
  }

  /** Writes the manifest of one file. */
  declare(name: string, content: string, spec: JsonObject = {}): void {
    const whole = { path: this.target(name), content, ...spec }
    writeFileSync(this.manifest(name), manifestText(name, whole))
  }

  declareMany(count: number, content = (index: number) => `content ${index}\n`): string[] {
    const names = Array.from({ length: count }, (_, index) => `f${String(index).padStart(4, "0")}`)
    for (const [index, name] of names.entries()) this.declare(name, content(index))
    return names
  }
}

export function manifestText(name: string, spec: JsonObject): string {
  const object = { apiVersion: "host.setpoint.dev/v1", kind: "File", metadata: { name }, spec }
  return `${JSON.stringify(object)}\n`
}

export const fileKey = (name: string): string => `files.host.setpoint.dev/default/${name}`

const bounded = (text: string): string => text.slice(-100_000)
