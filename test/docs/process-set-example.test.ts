// examples/20-process/sets on a real plane: does what its README says, and leaves nothing behind.

import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import type { ApiObject } from "../../src/object/object.ts"
import { ExamplePlane } from "./example-plane.ts"

describe("the example of a set behind a balancer", { timeout: 180_000 }, () => {
  const plane = new ExamplePlane("20-process")
  const pids = new Set<number>()
  const manifest = (name: string) => join(plane.here, plane.example, "sets", `${name}.yaml`)

  /** Pids of the replicas by name. */
  const running = async (): Promise<Map<string, number>> => {
    const path = "/apis/process.setpoint.dev/v1/namespaces/default/processes"
    const { items } = (await plane.call("GET", path)) as object as { items: readonly ApiObject[] }
    const found = items.map(({ metadata, status }) => {
      return [metadata.name, Number(Object(status?.outputs).pid ?? 0)] as const
    })
    for (const [, pid] of found) if (pid > 0) pids.add(pid)
    return new Map(found)
  }

  afterAll(async () => {
    await running().catch(() => {}) // Whatever runs is to be ended, also after a failure.
    await plane.close()
    for (const pid of pids) {
      try {
        process.kill(pid, "SIGKILL")
      } catch {} // It ended, as it should.
    }
  })

  it("starts two when five are declared and three run", async () => {
    plane.up("sets")
    await plane.converged("default.sets", 8)
    const before = await running()
    expect((await fetch("http://127.0.0.1:18080/")).status).toBe(200)
    const text = readFileSync(manifest("web"), "utf8")
    writeFileSync(manifest("web"), text.replace("replicas: 3", "replicas: 5"))
    await plane.converged("default.sets", 10)
    const after = await running()
    expect(after.size).toBe(before.size + 2)
    for (const [name, pid] of before) expect(after.get(name)).toBe(pid)
    expect((await fetch("http://127.0.0.1:18080/")).status).toBe(200)
    expect(await plane.plan("sets")).toBe(0)
    await plane.quiet()
  })

  it("ends everything when a person says so", async () => {
    for (const name of ["web", "front"]) rmSync(manifest(name))
    await plane.until(async () => expect(await plane.pending()).toBeDefined())
    await expect(fetch("http://127.0.0.1:18080/")).resolves.toHaveProperty("status", 200)
    const plan = await plane.pending()
    if (plan !== undefined) await plane.approve(plan)
    await plane.until(async () => expect(await running()).toEqual(new Map()))
    expect(plane.content("front.json")).toBe("(absent)")
  })
})
