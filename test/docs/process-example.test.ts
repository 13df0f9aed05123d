// examples/20-process/five on a real plane: does what its README says, and leaves nothing behind.

import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import {
  killAllBelow,
  runningBelow,
} from "../../src/providers/process/adapter/testing/process-rig.ts"
import { ExamplePlane } from "./example-plane.ts"

describe("the example of five processes", { timeout: 180_000 }, () => {
  const plane = new ExamplePlane("20-process")
  const places = join(plane.data, "processes")
  const workers = () => {
    const all = runningBelow(places).filter(({ argv }) => argv[0] === "sleep")
    return all.map(({ pid }) => pid).sort((left, right) => left - right)
  }

  afterAll(async () => {
    await plane.close()
    killAllBelow(places)
  })

  it("starts two when five are declared and three run", async () => {
    plane.up("five")
    await plane.converged("default.five", 5)
    const before = workers()
    expect(before).toHaveLength(5)
    const killed = before.slice(0, 2)
    for (const pid of killed) process.kill(pid, "SIGKILL")
    await plane.until(() => {
      const now = workers()
      expect(now).toHaveLength(5)
      expect(now).toEqual(expect.arrayContaining(before.slice(2)))
      for (const pid of killed) expect(now).not.toContain(pid)
    })
    await plane.converged("default.five", 5)
    expect(await plane.plan("five")).toBe(0)
    const { output } = await plane.run(`cd ${plane.example} && setpoint logs worker-3`)
    expect(output).toContain("worker 3 is up")
  })
})
