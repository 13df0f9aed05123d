// What the demo asks the plane, over its API, to show what a key did.

import { toFault } from "../../base/faults.ts"
import { at, isArray, isObject, type Json } from "../../base/json.ts"
import type { HttpClient } from "../../client/http/http-client.ts"
import type { JournalEntry } from "../../contract/journal.ts"
import type { ApiObject } from "../../object/object.ts"
import { lazyClient } from "../lazy-client.ts"
import { entryText } from "../running/journal-lines.ts"
import type { DemoWorld } from "./world/demo-world.ts"

export interface PendingPlan {
  readonly name: string
  readonly actions: number
}

/** A replica of web, or a piece of work of the tenant. */
export interface DemoProcess {
  readonly name: string
  readonly version: string
  /** 0 when it does not run. */
  readonly pid: number
  readonly ready: boolean
  /** How often it was started. */
  readonly run: number
}

export interface DemoStatus {
  readonly objects: number
  readonly converged: number
  /** Looked at, with a reason why they are not converged. */
  readonly explained: number
  readonly source: string
  /** Manifests in the revision that is in force. */
  readonly declared: number
  readonly issue: string
  readonly plan: PendingPlan | undefined
  readonly stops: readonly string[]
  readonly oldest: string
}

const answerMs = 5000

export class DemoView {
  readonly #world: DemoWorld

  constructor(world: DemoWorld) {
    this.#world = world
  }

  /** Undefined while the plane does not answer. */
  async status(name = "site"): Promise<DemoStatus | undefined> {
    const status = await this.#ask("/setpoint/v1/status")
    const loops = at(status, "loops")
    if (status === undefined || !isArray(loops)) return undefined
    const loop = loops.find((one) => at(one, "id") === `default.${name}`)
    if (loop === undefined) return undefined
    const plan = at(loop, "plan", "name")
    const states = at(loop, "states")
    const explained = Object.values(isObject(states) ? states : {}).map(Number)
    const stops = at(status, "stops")
    const issues = at(loop, "source", "issues")
    return {
      objects: Number(at(loop, "objects")),
      converged: Number(at(loop, "converged")),
      explained: explained.reduce((sum, count) => sum + count, 0),
      source: String(at(loop, "source", "state")),
      declared: Number(at(loop, "source", "objects") ?? 0),
      issue: isArray(issues) ? String(issues[0] ?? "") : "",
      plan:
        typeof plan === "string"
          ? { name: plan, actions: Number(at(loop, "plan", "actions")) }
          : undefined,
      stops: isArray(stops) ? stops.map((stop) => String(at(stop, "text"))) : [],
      oldest: String(at(loop, "oldest", "message") ?? ""),
    }
  }

  async planReason(name: string): Promise<string> {
    const plan = await this.#ask(`/setpoint/v1/plans/${encodeURIComponent(name)}`)
    const reasons = at(plan, "reasons")
    return isArray(reasons) ? String(at(reasons[0], "message") ?? "") : ""
  }

  /** What an approval has to name: all of the plan that it covers. */
  async planHash(name: string): Promise<string> {
    const plan = await this.#ask(`/setpoint/v1/plans/${encodeURIComponent(name)}`)
    return String(at(plan, "hash") ?? "")
  }

  async planPhase(name: string): Promise<string> {
    const plan = await this.#ask(`/setpoint/v1/plans/${encodeURIComponent(name)}`)
    return String(at(plan, "phase") ?? "")
  }

  /** How often a receipt about the object was written, and what the newest one says. */
  async lastAct(object: string): Promise<{ sequence: number; text: string }> {
    const answer = await this.#ask(
      `/setpoint/v1/history?limit=20&object=${encodeURIComponent(object)}`,
    )
    const entries = at(answer, "entries")
    const receipts = (isArray(entries) ? entries : []).filter(
      (entry) => at(entry, "event", "type") === "receipt",
    )
    const last = receipts.at(-1)
    if (last === undefined) return { sequence: 0, text: "" }
    return { sequence: Number(at(last, "sequence")), text: entryText(asEntry(last)) }
  }

  /** The replicas of web, by name; empty while the plane does not answer. */
  async replicas(): Promise<readonly DemoProcess[]> {
    const group = { group: "process.setpoint.dev", version: "v1" }
    const found = await this.#list({ ...group, resource: "processes" })
    return found.filter(({ metadata }) => metadata.name.startsWith("web-")).map(readProcess)
  }

  /** "Complete" when all replicas are of the declared version and serve. */
  async rollout(): Promise<string> {
    const group = { group: "process.setpoint.dev", version: "v1" }
    const [set] = await this.#list({ ...group, resource: "processsets" })
    const conditions = set?.status?.conditions
    const all = isArray(conditions) ? conditions : []
    return String(
      at(
        all.find((one) => at(one, "type") === "Progressing"),
        "reason",
      ) ?? "",
    )
  }

  /** Replicas that the balancer sends clients to. */
  async backends(): Promise<number> {
    const group = { group: "process.setpoint.dev", version: "v1" }
    const [front] = await this.#list({ ...group, resource: "balancers" })
    return Number(front?.status?.backends ?? 0)
  }

  /** Phase of each piece of work, by name. */
  async work(): Promise<ReadonlyMap<string, string>> {
    const kind = { group: "gpu.setpoint.dev", version: "v1alpha1", resource: "workloads" }
    const found = await this.#list(kind)
    return new Map(found.map(({ metadata, status }) => [metadata.name, String(status?.phase)]))
  }

  #list(kind: { group: string; version: string; resource: string }) {
    return this.#with<readonly ApiObject[]>([], async (client) => {
      return (await client.list(kind, { namespace: "default" })).items
    })
  }

  #ask(path: string): Promise<Json | undefined> {
    return this.#with(undefined, (client) => client.call("GET", path))
  }

  async #with<T>(otherwise: T, ask: (client: HttpClient) => Promise<T>): Promise<T> {
    let client: HttpClient | undefined
    try {
      client = lazyClient(this.#world.data, { timeoutMs: answerMs })
      return await ask(client)
    } catch (error) {
      toFault(error) // Not there yet, or just killed: whoever waits asks again.
      return otherwise
    } finally {
      client?.close()
    }
  }
}

function readProcess({ metadata, spec, status }: ApiObject): DemoProcess {
  const outputs: Json | undefined = status?.outputs
  return {
    name: metadata.name,
    version: String(at(spec, "env", "VERSION") ?? ""),
    pid: Number(at(outputs, "pid") ?? 0),
    ready: at(outputs, "ready") === true,
    run: Number(at(outputs, "run") ?? 0),
  }
}

/** The journal is ours: its entries are what the contract says. */
function asEntry(value: Json): JournalEntry {
  return value as object as JournalEntry
}
