// The same kinds on the simulator's files: what the plane is simulated with behaves like the real
// thing through a whole life of a target.

import { beforeEach, expect, test } from "vitest"
import { memoryFiles } from "../../sim/memory-files.ts"
import { SimClock } from "../../sim/sim-clock.ts"
import { SimRandom } from "../../sim/sim-random.ts"
import { KindDriver } from "./testing/drive-kind.ts"

let clock = new SimClock()
let files = memoryFiles({ clock, random: new SimRandom(1) })
beforeEach(() => {
  clock = new SimClock()
  files = memoryFiles({ clock, random: new SimRandom(1) })
})

const names = async (path: string) => (await files.list(path)).map(({ name }) => name).sort()

test("a directory and a file live and die", async () => {
  const options = { clock, backupDirectory: "/backups" }
  const directory = new KindDriver("Directory", options, files)
  const file = new KindDriver("File", options, files)
  const spec = { path: "/etc/app.conf", content: "a = 1\n", owner: "root" }
  expect(await file.observe(spec)).toMatchObject({ kind: "unknown", stuck: true })
  expect(await directory.act("create", { path: "/etc" })).toEqual({ kind: "done" })
  expect(await file.observe(spec)).toMatchObject({ kind: "absent" })
  expect(await file.act("create", spec)).toEqual({ kind: "done" })
  expect(await file.observe(spec)).toMatchObject({ kind: "present", value: spec })
  expect(await directory.actOnSeen("delete", { path: "/etc" })).toMatchObject({ kind: "failed" })

  await files.overwrite("/etc/app.conf", Buffer.from("a = 2\n"))
  expect(await file.observe(spec)).toMatchObject({ value: { content: "a = 2\n" } })
  expect(await file.actOnSeen("adopt", spec)).toMatchObject({ kind: "done" })
  expect(await names("/backups")).toHaveLength(1)
  expect(await file.actOnSeen("update", { ...spec, mode: "0600" })).toEqual({ kind: "done" })
  expect(await file.observe(spec)).toMatchObject({ value: { mode: "0600" } })
  expect(await names("/etc")).toEqual(["app.conf"])

  expect(await file.actOnSeen("delete", spec)).toEqual({ kind: "done" })
  expect(await directory.actOnSeen("delete", { path: "/etc" })).toEqual({ kind: "done" })
  expect(await names("/")).toEqual(["backups"])
})

test("a hint for the name wakes the target, one for another name does not", async () => {
  const file = new KindDriver("File", { clock }, files)
  let wakes = 0
  const target = file.target({ path: "/a", content: "x" })
  const watch = file.kind.watch?.(target, file.world, () => wakes++)
  await files.writeNew("/b", Buffer.from("b"))
  await clock.advance(10)
  expect(wakes).toBe(0)
  await files.writeNew("/a", Buffer.from("a"))
  await clock.advance(10)
  expect(wakes).toBe(1)
  watch?.close()
})

test("content changed within one millisecond of the last look is still noticed", async () => {
  const file = new KindDriver("File", { clock }, files)
  const spec = { path: "/a", content: "x" }
  await files.writeNew("/a", Buffer.from("x"))
  expect(await file.observe(spec)).toMatchObject({ value: { content: "x" } })
  await files.overwrite("/a", Buffer.from("y"))
  expect(await file.observe(spec)).toMatchObject({ value: { content: "y" } })
})
