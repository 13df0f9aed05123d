// A pool over its objects: evictions go step by step, GPUs are given away only when they are known
// to be free, and a quiet pool writes nothing.

import { expect, it } from "vitest"
import type { JsonObject } from "../../base/json.ts"
import { disarm } from "../../base/protections.ts"
import { SimulatedPool } from "./testing/simulated-pool.ts"

const checkpoint = { checkpoint: { command: ["save"], graceSeconds: 20 } }

/** Fourteen workloads of one GPU run; the tenant may use fourteen. */
function fourteen(more: JsonObject = {}): SimulatedPool {
  const pool = new SimulatedPool()
  pool.node("n1", 8)
  pool.node("n2", 8)
  pool.tenant("ann", 14)
  for (let index = 0; index < 14; index++) {
    const priority = index < 6 ? 5 : index < 12 ? 1 : 0
    pool.workload(`w${String(index).padStart(2, "0")}`, "ann", { priority, ...more })
    pool.settle()
  }
  return pool
}

const mayUse = (pool: SimulatedPool, nominal: number): void =>
  pool.change("Tenant", "ann", (spec) => {
    const { a100 } = spec.quota as { readonly a100: JsonObject }
    return { ...spec, quota: { a100: { ...a100, nominal } } }
  })

/** Devices of all processes that are not known to have stopped. */
const heldDevices = (pool: SimulatedPool): string[] =>
  pool.children
    .filter(({ status }) => (status?.outputs as JsonObject | undefined)?.phase !== "Stopped")
    .map(({ spec }) => {
      const env = spec?.env as Record<string, string>
      return `${env.SETPOINT_NODE}/${env.SETPOINT_GPUS}`
    })

it("takes exactly the four least important, newest workloads back when 14 become 10", () => {
  const pool = fourteen()
  expect(pool.inPhase("Running")).toHaveLength(14)
  mayUse(pool, 10)
  pool.settle()
  expect(pool.inPhase("Waiting")).toEqual(["w10", "w11", "w12", "w13"])
  expect(heldDevices(pool)).toHaveLength(10)
  for (let round = 0; round < 5; round++) pool.settle(60)
  expect(pool.inPhase("Running")).toHaveLength(10)
  expect(pool.settle()).toBe(0)
  const { status } = pool.find("Workload", "w13") ?? {}
  expect(JSON.stringify(status)).toContain("tenant ann uses 14 a100 and may use 10: 4 too many")
})

it("saves the work before it stops a process, and says each step before it takes it", () => {
  const pool = fourteen(checkpoint)
  pool.log.length = 0
  mayUse(pool, 13)
  pool.settle()
  expect(pool.log).toEqual(["w13 is Preempting", "gpu-checkpoint.w13.0 Running"])
  expect(pool.child("gpu.w13.0")?.spec?.state).toBe("Running")
  pool.ends.set("gpu-checkpoint.w13.0", "Completed")
  pool.settle()
  expect(pool.log.slice(2)).toEqual([
    "gpu.w13.0 Stopped",
    "gpu-checkpoint.w13.0 Stopped",
    "w13 is Waiting",
  ])
})

it("saves the work once, however long the process takes to stop", () => {
  const pool = fourteen(checkpoint)
  pool.log.length = 0
  pool.held.add("gpu.w13.0")
  pool.ends.set("gpu-checkpoint.w13.0", "Completed")
  mayUse(pool, 13)
  for (let round = 0; round < 4; round++) pool.settle(20)
  expect(pool.phase("w13")).toBe("Preempting")
  expect(pool.log.filter((line) => line === "gpu-checkpoint.w13.0 Running")).toHaveLength(1)
})

it("stops a process whose checkpoint takes too long", () => {
  const pool = fourteen(checkpoint)
  mayUse(pool, 13)
  pool.settle(19)
  pool.settle(2)
  expect(pool.phase("w13")).toBe("Preempting")
  pool.settle()
  expect(pool.phase("w13")).toBe("Waiting")
})

/** A guest that does not stop, and the owner of its GPUs. */
function stubbornGuest(): SimulatedPool {
  const pool = new SimulatedPool()
  pool.node("n1", 2)
  pool.tenant("ann", 2)
  pool.tenant("bob", 0, { borrowLimit: 2 })
  pool.workload("guest", "bob", { gpus: 2 })
  pool.settle()
  pool.workload("own", "ann", { gpus: 2 })
  pool.held.add("gpu.guest.0")
  for (let round = 0; round < 5; round++) pool.settle(60)
  return pool
}

it("gives no GPU away before its process is known to have stopped", () => {
  const pool = stubbornGuest()
  expect([pool.phase("guest"), pool.phase("own")]).toEqual(["Preempting", "Waiting"])
  expect(heldDevices(pool)).toEqual(["n1/0,1"])
  pool.held.clear()
  pool.settle()
  expect([pool.phase("guest"), pool.phase("own")]).toEqual(["Waiting", "Running"])
})

it("would give a GPU to two without that protection", () => {
  const arm = disarm("freed-gpus-are-proven")
  try {
    expect(heldDevices(stubbornGuest())).toEqual(["n1/0,1", "n1/0,1"])
  } finally {
    arm()
  }
})

it("evicts nobody while a node is silent, and says so", () => {
  const pool = fourteen()
  pool.node("n3", 8, { simulated: false })
  pool.hear("n3")
  pool.settle()
  expect(pool.againMs).toBe(60_001)
  pool.settle(120)
  mayUse(pool, 10)
  pool.settle()
  expect(pool.inPhase("Running")).toHaveLength(14)
  expect(JSON.stringify(pool.status)).toContain("nobody is evicted: node n3: no heartbeat since")
  pool.hear("n3")
  pool.settle(120)
  expect(pool.inPhase("Running")).toHaveLength(10)
  mayUse(pool, 9)
  pool.settle()
  expect(pool.inPhase("Running")).toHaveLength(10)
  pool.change("GpuNode", "n3", (spec) => ({ ...spec, outOfService: true }))
  pool.settle()
  expect(pool.inPhase("Running")).toHaveLength(9)
})

it("keeps a workload out for a while after its eviction, and lets it back afterwards", () => {
  const pool = fourteen()
  mayUse(pool, 13)
  pool.settle()
  mayUse(pool, 14)
  pool.settle()
  expect(pool.phase("w13")).toBe("Waiting")
  pool.settle(60)
  pool.settle()
  expect(pool.phase("w13")).toBe("Running")
  expect(pool.settle()).toBe(0)
})

it("frees the GPUs of a workload that is done, and never starts it again", () => {
  const pool = fourteen()
  pool.workload("next", "ann")
  pool.settle()
  expect(pool.phase("next")).toBe("Waiting")
  pool.ends.set("gpu.w00.0", "Completed")
  pool.settle()
  pool.settle()
  expect([pool.phase("w00"), pool.phase("next")]).toEqual(["Done", "Running"])
  mayUse(pool, 16)
  for (let round = 0; round < 3; round++) pool.settle(60)
  expect(pool.phase("w00")).toBe("Done")
})

it("starts a gang as a whole, each member with devices of its own", () => {
  const pool = new SimulatedPool()
  pool.node("n1", 3)
  pool.node("n2", 2)
  pool.tenant("ann", 8)
  pool.workload("gang", "ann", { gpus: 2, members: 2 })
  pool.workload("large", "ann", { gpus: 1, members: 2 })
  pool.settle()
  expect(heldDevices(pool).sort()).toEqual(["n1/0,1", "n2/0,1"])
  expect(pool.phase("large")).toBe("Waiting")
})

it("starts a gang anew as a whole when somebody deletes one of its processes", () => {
  const pool = new SimulatedPool()
  pool.node("n1", 4)
  pool.tenant("ann", 4)
  pool.workload("gang", "ann", { gpus: 2, members: 2 })
  pool.settle()
  pool.children = pool.children.map((child, index) => {
    const marked = { ...child.metadata, deletionTimestamp: "2030-01-01T00:00:00Z" }
    return index === 0 ? { ...child, metadata: marked } : child
  })
  pool.compose()
  pool.act()
  expect(pool.child("gpu.gang.1")?.spec?.state).toBe("Stopped")
  pool.children = pool.children.slice(1) // It is gone.
  pool.settle()
  expect(pool.phase("gang")).toBe("Running")
  expect(pool.children.map(({ spec }) => spec?.state)).toEqual(["Running", "Running"])
  expect(pool.find("Workload", "gang")?.status?.eviction).toBeUndefined()
})

it("holds the GPUs of a deleted workload until its process has ended", () => {
  const pool = new SimulatedPool()
  pool.node("n1", 1)
  pool.tenant("ann", 1)
  pool.workload("old", "ann")
  pool.settle()
  pool.remove("Workload", "old")
  pool.workload("new", "ann")
  const before = [...pool.children]
  pool.compose()
  pool.children = before // The delete waits for its guard.
  pool.compose()
  expect(pool.phase("new")).toBe("Waiting")
  pool.children = []
  pool.settle()
  expect(pool.phase("new")).toBe("Running")
})

it("does nothing when it can't be read where a process runs", () => {
  const pool = fourteen()
  const [first] = pool.children
  if (first !== undefined) {
    pool.children[0] = { ...first, metadata: { ...first.metadata, annotations: {} } }
  }
  mayUse(pool, 3)
  pool.settle()
  expect(pool.inPhase("Running")).toHaveLength(14)
  expect(pool.stalled).toContain("so no GPU is given or taken")
})

it("runs no more processes than a pool can have, and keeps the objects of those alone", () => {
  const pool = new SimulatedPool()
  for (let index = 0; index < 5; index++) pool.node(`n${index}`, 100)
  pool.tenant("ann", 500)
  for (let index = 0; index < 490; index++) pool.workload(`w${index}`, "ann")
  pool.compose()
  pool.act()
  expect(pool.inPhase("Running")).toHaveLength(480)
  const [left = ""] = pool.inPhase("Waiting")
  expect(JSON.stringify(pool.find("Workload", left)?.status)).toContain("PoolFull")
  for (const { metadata } of pool.children) pool.ends.set(metadata.name, "Completed")
  for (let round = 0; round < 4; round++) {
    pool.act()
    pool.compose()
  }
  expect(pool.inPhase("Done")).toHaveLength(480)
  expect(pool.inPhase("Running")).toHaveLength(10)
  expect(pool.children).toHaveLength(490)
})

/** Two workloads hold both GPUs of the only node. */
function fullNode(): SimulatedPool {
  const pool = new SimulatedPool()
  pool.node("n1", 2)
  const quota = { nominal: 4, guaranteed: 0, borrowLimit: 0, weight: 1 }
  const times = { minRuntimeSeconds: 0, reclaimGraceSeconds: 60 }
  pool.add("Tenant", "ann", { quota: { a100: quota, h100: quota }, ...times })
  pool.workload("first", "ann")
  pool.workload("second", "ann")
  pool.settle()
  return pool
}

it("gives no GPU twice when its node is made anew as another flavor", () => {
  const pool = fullNode()
  pool.remove("GpuNode", "n1")
  pool.node("n1", 3, { flavor: "h100" })
  pool.workload("other", "ann", { flavor: "h100" })
  pool.settle()
  expect(pool.phase("other")).toBe("Waiting")
  expect(heldDevices(pool)).toEqual(["n1/0", "n1/1"])
  expect(JSON.stringify(pool.status)).toContain("first runs on n1, which is no a100")
  for (const name of ["first", "second"]) pool.remove("Workload", name)
  pool.settle()
  pool.settle()
  expect(pool.phase("other")).toBe("Running")
})

it("gives no GPU of a node that was another pool's while that one still uses it", () => {
  const pool = fullNode()
  for (const name of ["first", "second"]) {
    pool.change("Workload", name, (spec) => ({ ...spec, pool: "old" }))
  }
  pool.children = []
  pool.workload("third", "ann")
  pool.settle()
  expect(pool.phase("third")).toBe("Waiting")
  expect(JSON.stringify(pool.status)).toContain("second of pool old still runs there")
  for (const name of ["first", "second"]) pool.remove("Workload", name)
  pool.settle()
  expect(pool.phase("third")).toBe("Running")
})
