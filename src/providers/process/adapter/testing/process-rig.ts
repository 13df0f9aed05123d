// Real processes for tests: a directory of places, the kind over them, and a back door that finds
// what runs by reading /proc. Everything that was started in it is killed at the end.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Clock } from "../../../../base/clock.ts"
import type { JsonObject } from "../../../../base/json.ts"
import type { Random } from "../../../../base/random.ts"
import { finishAction, type Verb } from "../../../../contract/action.ts"
import type { Observation, Present } from "../../../../contract/observation.ts"
import type { ActResult, KindProvider, Target } from "../../../../contract/provider.ts"
import type { ActWorld } from "../../../../contract/world.ts"
import { environmentOf } from "../../../../provider/adapter/proc-files.ts"
import { nodeProcesses } from "../../../../provider/adapter/processes.ts"
import { worldWith } from "../../../../provider/missing-handles.ts"
import type { ProbeCalls } from "../../caretaker.ts"
import { processKinds } from "../../process-kinds.ts"
import { processSpec } from "../../process-spec.ts"
import { logFiles } from "../log-files.ts"
import { nodeProbeCalls } from "../probe-calls.ts"
import { verdictFiles } from "../verdict-files.ts"

/** What really runs, by the place it was started in. */
export interface Running {
  readonly pid: number
  readonly place: string
  readonly run: string
  readonly argv: readonly string[]
  readonly env: ReadonlyMap<string, string>
}

export function isShim({ argv }: Running): boolean {
  return argv[1]?.endsWith("process-shim.sh") === true && argv[2] === "watch"
}

/** Written down, and not yet the program that it becomes within the same process. */
function isBeginning({ argv }: Running): boolean {
  return argv[2] === "begin" || /\/(setsid|setpriv|nice)$/.test(argv[0] ?? "")
}

export function runningBelow(root: string): Running[] {
  return readdirSync("/proc").flatMap((name): Running[] => {
    if (!/^\d+$/.test(name)) return []
    try {
      const env = environmentOf(Number(name)) ?? new Map<string, string>()
      const place = env.get("SETPOINT_PLACE")
      if (place?.startsWith(`${root}/`) !== true) return []
      const argv = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").slice(0, -1)
      return argv.length === 0
        ? []
        : [{ pid: Number(name), place, run: env.get("SETPOINT_RUN") ?? "", argv, env }]
    } catch {
      return [] // It ended meanwhile.
    }
  })
}

/** A program that is being loaded shows no environment yet: only its shim is found. */
function isLoading(found: readonly Running[]): boolean {
  const programs = new Set(found.filter((one) => !isShim(one)).map(({ place }) => place))
  return found.some((one) => isShim(one) && !programs.has(one.place))
}

/** Without their shims, and each as what it becomes. */
export function programsBelow(root: string): Running[] {
  let found = runningBelow(root)
  for (let round = 0; round < 500; round++) {
    if (!found.some(isBeginning) && !isLoading(found)) break
    found = runningBelow(root)
  }
  return found.filter((one) => !isShim(one))
}

export function killAllBelow(root: string): void {
  for (let round = 0; round < 50; round++) {
    const left = runningBelow(root)
    if (left.length === 0) return
    for (const { pid } of left) {
      try {
        process.kill(pid, "SIGKILL")
      } catch {}
    }
  }
}

export interface RigOptions {
  readonly clock: Clock
  readonly random: Random
  readonly probes?: ProbeCalls
}

export class ProcessRig {
  readonly root: string
  readonly world: ActWorld
  readonly #options: RigOptions
  kind: KindProvider
  uid = "7d1c2f9e-0000-4000-8000-000000000001"

  constructor(options: RigOptions) {
    this.#options = options
    this.root = mkdtempSync(join(tmpdir(), "setpoint-process-"))
    this.world = worldWith({ processes: nodeProcesses() })
    this.kind = this.newKind()
  }

  /** As a new plane would make it: nothing in memory. */
  newKind(): KindProvider {
    const { clock, random, probes = nodeProbeCalls } = this.#options
    const ports = { clock, random, probes, verdicts: verdictFiles, logs: logFiles }
    const [kind] = processKinds({ directory: this.root, ...ports })
    if (kind === undefined) throw new Error("there is no kind")
    return kind
  }

  placeOf(id: string): string {
    return `${this.root}/${id}`
  }

  /** Defaults as the API fills them in. */
  spec(given: JsonObject): JsonObject {
    return processSpec.parse({ id: "one", backoff: { initialSeconds: 0 }, ...given }) as JsonObject
  }

  target(given: JsonObject, applied?: JsonObject): Target {
    const desired = this.spec(given)
    const identity = this.kind.identity(desired)
    const base = { uid: this.uid, object: `processes/default/${identity}`, desired, identity }
    return applied === undefined ? base : { ...base, applied: this.spec(applied) }
  }

  async observe(given: JsonObject, applied?: JsonObject): Promise<Observation> {
    const context = { world: this.world, signal: new AbortController().signal }
    const seen = await this.kind.observe?.(this.target(given, applied), context)
    if (seen === undefined) throw new Error("the kind has no observe")
    return seen
  }

  async see(given: JsonObject, applied?: JsonObject): Promise<Present> {
    const seen = await this.observe(given, applied)
    if (seen.kind !== "present") throw new Error(`it is ${JSON.stringify(seen)}`)
    return seen
  }

  async act(
    verb: Verb,
    given: JsonObject,
    options: { token?: string; applied?: JsonObject; changes?: readonly string[] } = {},
  ): Promise<ActResult> {
    const target = this.target(given, options.applied)
    const token = options.token === undefined ? {} : { token: options.token }
    const action = finishAction({
      ...{ verb, uid: target.uid, object: target.object, kind: "Process" },
      ...{ loop: "default.default", generation: 1, incarnation: 1, ...token },
      changes: (options.changes ?? []).map((path) => ({ path, why: "drift" })),
      target: target.identity,
      cause: { kind: "edit", text: "a test" },
    })
    const { signal } = new AbortController()
    const context = { world: this.world, signal, action, idempotencyKey: "k", ...token }
    if (verb === "create") return this.kind.create(target, context)
    if (verb === "delete") return this.kind.delete(target, context)
    return this.kind.update(target, context)
  }

  /** Observes, and acts on exactly what was seen. */
  async correct(given: JsonObject, changes = ["state"]): Promise<ActResult> {
    const { token } = await this.see(given)
    return this.act("update", given, { token, changes })
  }

  /** Programs that run, without their shims. */
  running(id?: string): Running[] {
    const all = programsBelow(this.root)
    return id === undefined ? all : all.filter(({ place }) => place === this.placeOf(id))
  }

  close(): void {
    killAllBelow(this.root)
    rmSync(this.root, { recursive: true, force: true })
  }
}
