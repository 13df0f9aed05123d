// What the demo asks the plane, over its API, to show what a key did.

import { toFault } from "../../base/faults.ts"
import { at, isArray, isObject, type Json } from "../../base/json.ts"
import type { JournalEntry } from "../../contract/journal.ts"
import { lazyClient } from "../lazy-client.ts"
import { entryText } from "../running/journal-lines.ts"
import type { DemoWorld } from "./demo-world.ts"

export interface PendingPlan {
  readonly name: string
  readonly actions: number
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
  async status(): Promise<DemoStatus | undefined> {
    const status = await this.#ask("/setpoint/v1/status")
    const loops = at(status, "loops")
    if (status === undefined || !isArray(loops)) return undefined
    const loop = loops.find((one) => at(one, "id") === "default.site")
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

  async #ask(path: string): Promise<Json | undefined> {
    let client: ReturnType<typeof lazyClient> | undefined
    try {
      client = lazyClient(this.#world.data, { timeoutMs: answerMs })
      return await client.call("GET", path)
    } catch (error) {
      toFault(error) // Not there yet, or just killed: whoever waits asks again.
      return undefined
    } finally {
      client?.close()
    }
  }
}

/** The journal is ours: its entries are what the contract says. */
function asEntry(value: Json): JournalEntry {
  return value as object as JournalEntry
}

/** Asks again until there is an answer, or the time is over. */
export async function waitFor<T>(
  probe: () => Promise<T | undefined> | T | undefined,
  limitMs: number,
  everyMs = 20,
): Promise<{ readonly value: T; readonly ms: number } | undefined> {
  const started = performance.now()
  for (;;) {
    const value = await probe()
    const ms = performance.now() - started
    if (value !== undefined) return { value, ms }
    if (ms > limitMs) return undefined
    await new Promise<void>((resolve) => void setTimeout(resolve, everyMs))
  }
}
