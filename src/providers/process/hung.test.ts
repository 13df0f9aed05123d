// A process that its liveness probe gives up and that ends well when it is told to: it has failed.

import { existsSync } from "node:fs"
import { afterEach, expect, test, vi } from "vitest"
import type { JsonObject } from "../../base/json.ts"
import { systemClock, systemRandom } from "../../base/system.ts"
import type { Closeable } from "../../contract/world.ts"
import { ProcessRig } from "./adapter/testing/process-rig.ts"

const rig = new ProcessRig({
  ...{ clock: systemClock, random: systemRandom },
  probes: { ask: async () => ({ yes: false, why: "it hangs" }) },
})
const watches: Closeable[] = []
afterEach(() => {
  for (const one of watches.splice(0)) one.close()
  rig.close()
})

const until = <T>(look: () => T | Promise<T>) => vi.waitFor(look, { timeout: 20_000, interval: 20 })

const polite = {
  command: ["sh", "-c", "trap 'exit 0' TERM; echo up; while :; do sleep 0.05; done"],
  probes: { liveness: { tcp: {}, initialDelaySeconds: 0.2, failureThreshold: 1 } },
  backoff: { initialSeconds: 1000 },
}

async function hangs(spec: JsonObject, run: number) {
  await until(async () => {
    const { text } = await rig.world.processes.log(rig.placeOf("one"), { bytesMax: 1000 })
    expect(text).toContain("up")
    expect((await rig.see(spec)).outputs).toMatchObject({ phase: "Hung", run })
  })
}

test("is started again, later each time, and is never Completed", async () => {
  const spec = { ...polite, restart: "OnFailure" }
  await rig.act("create", spec)
  const watch = rig.kind.watch?.(rig.target(spec), rig.world, () => {})
  if (watch !== undefined) watches.push(watch)
  await hangs(spec, 1)
  expect(await rig.correct(spec)).toEqual({ kind: "done" })
  await hangs(spec, 2)
  expect(await rig.correct(spec)).toEqual({ kind: "done" })
  const seen = await rig.see(spec)
  expect(seen.outputs).toMatchObject({ phase: "BackOff", exitCode: 0, ready: false })
  expect(seen.waiting).toMatchObject({ message: expect.stringContaining("a probe gave it up") })
  rig.kind = rig.newKind()
  expect((await rig.see(spec)).outputs).toMatchObject({ phase: "BackOff" })
  expect((await rig.see({ ...spec, restart: "Never" })).outputs?.phase).toBe("Failed")
  expect(existsSync(`${rig.placeOf("one")}/hung.2`)).toBe(true)
})
