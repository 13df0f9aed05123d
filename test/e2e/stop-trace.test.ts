// Gate: stops of a real plane that keeps files, judged at its system calls: no change of a target
// begins whose look at the stop file came after the stop was durable.

import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Json, JsonObject } from "../../src/base/json.ts"
import { SimRandom } from "../../src/sim/sim-random.ts"
import { requireTool } from "../tools.ts"
import { type Mutation, mutationsOf, straceCommand } from "./plane/mutation-trace.ts"
import { PlaneRig } from "./plane/plane-rig.ts"
import { pause, waitFor } from "./plane/wait-for.ts"

const strace = requireTool("strace")
const roomy = { changes: 100_000, deletes: 1000, deletesPercent: 100, window: "1s" }
const count = 24
/** With the 65 of the other file a hundred, in full. */
const trials = process.env.SETPOINT_TEST_FULL === "1" ? 35 : 5
const planeRef = {
  ...{ group: "setpoint.dev", version: "v1alpha1", resource: "planes" },
  ...{ namespace: "", name: "local" },
} as const

interface Scope {
  readonly body: JsonObject
  covers(mutation: Mutation): boolean
}

const scopes: readonly Scope[] = [
  { body: {}, covers: () => true },
  { body: { scope: "deletes" }, covers: ({ call }) => isRemoval(call) },
  { body: { loop: "default.site" }, covers: () => true },
  { body: { provider: "file" }, covers: () => true },
  {
    body: { object: "files.host.setpoint.dev/default/f0005" },
    covers: ({ call }) => /\/f0005"/.test(call),
  },
]

/** What ends a target; a temporary file is none. */
const isRemoval = (call: string) => /^unlink/.test(call) && !call.includes("/.setpoint-")

let rig: PlaneRig
beforeEach(() => {
  rig = new PlaneRig()
})
afterEach(() => rig.close())

let round = 0
/** All files get another content, and one comes or goes. */
function work(): void {
  round++
  const documents = Array.from({ length: count + (round % 2) }, (_, index) => {
    const name = `f${String(index).padStart(4, "0")}`
    const spec = { path: rig.target(name), content: `content ${round}\n` }
    return { apiVersion: "host.setpoint.dev/v1", kind: "File", metadata: { name }, spec }
  })
  const file = join(rig.base, "all.yaml")
  writeFileSync(file, documents.map((one) => JSON.stringify(one)).join("\n---\n"))
  renameSync(file, join(rig.site, "all.yaml"))
}

function right(): number {
  const names = readdirSync(rig.targets).filter((name) => !name.startsWith("."))
  return names.filter((name) => contentOf(name) === `content ${round}\n`).length
}

/** Undefined when it went between the list and the look. */
function contentOf(name: string): string | undefined {
  try {
    return readFileSync(rig.target(name), "utf8")
  } catch {
    return undefined
  }
}

const isDone = () => right() === count + (round % 2) && readdirSync(rig.targets).length === right()

async function stateOfLoop(): Promise<string> {
  const { states, oldest } = await rig.loopStatus()
  return JSON.stringify({ right: right(), states, oldest })
}

async function stopBy(body: JsonObject, way: number): Promise<void> {
  if (way === 0) {
    execFileSync("sh", ["-c", 'echo > "$1"', "sh", join(rig.data, "stop")])
  } else if (way === 1) await rig.call("POST", "stop", body)
  else await rig.client.patch(planeRef, "merge", { spec: { stop: [body] } } as Json)
}

describe.skipIf(strace.missing)("a plane that keeps files (strace)", () => {
  it(`begins no change of a target once a stop is durable: ${trials} stops`, async () => {
    const trace = join(rig.base, "trace")
    await rig.start({ prefix: straceCommand(trace) })
    await rig.loosen({ limits: roomy })
    work()
    await waitFor("all is there", () => isDone() || right())
    const random = new SimRandom(1)
    const stops: { scope: Scope; from: number; to: number }[] = []
    let caught = 0
    for (let trial = 0; trial < trials; trial++) {
      const way = trial % 3
      const scope = scopes[way === 0 ? 0 : trial % scopes.length]
      if (scope === undefined) continue
      work()
      await waitFor("work is under way", () => right() > 0)
      await pause(random.below(20))
      await stopBy(scope.body, way)
      const from = (Date.now() + 1) / 1000
      await pause(80)
      if (!isDone()) caught++
      const to = Date.now() / 1000
      stops.push({ scope, from, to })
      await rig.call("POST", "resume", scope.body)
      await waitFor("all is as declared", async () => isDone() || (await stateOfLoop()))
    }
    await rig.end("SIGTERM")
    const text = readFileSync(trace, "utf8")
    const mutations = mutationsOf(text, rig.pid, rig.targets, join(rig.data, "stop"))
    console.log(`${trials} stops, ${caught} with work left; ${mutations.length} changes traced`)
    expect(caught).toBeGreaterThan(trials / 3)
    expect(mutations.length).toBeGreaterThan(trials * count)
    expect(mutations.filter((one) => one.checks === 0)).toEqual([])
    const begun = stops.flatMap(({ scope, from, to }) =>
      mutations.filter((one) => one.checkedAt > from && one.at < to && scope.covers(one)),
    )
    expect(begun).toEqual([])
  })
})
