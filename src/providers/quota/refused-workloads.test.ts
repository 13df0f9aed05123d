// Workloads whose processes the API would not take: each is told so, and keeps nobody else from
// starting, leaving or being counted.

import { expect, it } from "vitest"
import type { JsonObject } from "../../base/json.ts"
import { SimulatedPool } from "./testing/simulated-pool.ts"

const why = "Process: cannot write this"

/** Room for one; processes with the command `bad` are refused. */
function picky(): SimulatedPool {
  const pool = new SimulatedPool()
  pool.node("n1", 1)
  pool.tenant("ann", 2)
  pool.refuses = ({ spec }) => (JSON.stringify(spec?.command) === '["bad"]' ? why : undefined)
  return pool
}

const bad: JsonObject = { process: { command: ["bad"], restart: "OnFailure" } }
const readyOf = (pool: SimulatedPool, name: string) => {
  const conditions = pool.find("Workload", name)?.status?.conditions
  return JSON.stringify(conditions)
}

it("tells a workload whose process is refused, and gives its GPU to the next one", () => {
  const pool = picky()
  pool.workload("a-bad", "ann", { ...bad, priority: 9 })
  pool.workload("b-good", "ann")
  pool.settle()
  expect([pool.phase("a-bad"), pool.phase("b-good")]).toEqual(["Waiting", "Running"])
  expect(readyOf(pool, "a-bad")).toContain(`"reason":"Invalid","message":"${why}"`)
  expect(JSON.stringify(pool.status)).toContain(why)
  expect(pool.status.waiting).toBe(1)
  expect(pool.settle()).toBe(0)
})

it("starts it when it is put right", () => {
  const pool = picky()
  pool.workload("w", "ann", bad)
  pool.settle()
  pool.change("Workload", "w", (spec) => ({ ...spec, process: { command: ["good"] } }))
  pool.settle()
  expect(pool.phase("w")).toBe("Running")
})

it("evicts nobody for a workload that can't start", () => {
  const pool = picky()
  pool.tenant("bob", 0, { borrowLimit: 1 })
  pool.workload("guest", "bob")
  pool.settle()
  pool.workload("own", "ann", bad)
  pool.settle()
  expect([pool.phase("guest"), pool.phase("own")]).toEqual(["Running", "Waiting"])
})

it("lets work that runs go on as it was when its change is refused, and can still evict it", () => {
  const pool = picky()
  pool.workload("w", "ann")
  pool.settle()
  pool.change("Workload", "w", (spec) => ({ ...spec, ...bad }))
  pool.settle()
  expect(pool.phase("w")).toBe("Running")
  expect(pool.child("gpu.w.0")?.spec).toMatchObject({ command: ["sleep", "1000"] })
  expect(readyOf(pool, "w")).toContain("goes on as before on n1/0")
  expect(pool.settle()).toBe(0)
  pool.change("GpuNode", "n1", (spec) => ({ ...spec, outOfService: true }))
  pool.settle()
  expect(pool.phase("w")).toBe("Waiting")
  expect(pool.child("gpu.w.0")?.spec?.state).toBe("Stopped")
})

it("finds room for any name, and takes no workload for another one's checkpoint", () => {
  const pool = new SimulatedPool()
  pool.node("n1", 4)
  pool.tenant("ann", 4)
  const long = `${"x".repeat(60)}.${"y".repeat(190)}`
  const names = ["w", "w.checkpoint", `${long}a`, `${long}b`]
  for (const name of names) {
    pool.workload(name, "ann", { checkpoint: { command: ["save"], graceSeconds: 20 } })
  }
  pool.settle()
  expect(pool.inPhase("Running")).toEqual(names)
  expect(pool.settle()).toBe(0)
  pool.change("GpuNode", "n1", (spec) => ({ ...spec, outOfService: true }))
  pool.settle()
  expect(pool.children).toHaveLength(8)
  expect(new Set(pool.children.map(({ metadata }) => metadata.name)).size).toBe(8)
  for (const { metadata } of pool.children) {
    expect(metadata.name).toMatch(/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/)
    const { labels = {}, annotations = {} } = metadata
    expect(Object.values(labels).every((value) => value.length <= 63)).toBe(true)
    expect(names).toContain(annotations["gpu.setpoint.dev/workload-name"])
  }
})
