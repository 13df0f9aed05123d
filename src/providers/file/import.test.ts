// What an import takes: nothing that somebody on the host may not read, unless that is asked for.

import { beforeEach, expect, test } from "vitest"
import { importKind } from "../../provider/import-kind.ts"
import { memoryFiles } from "../../sim/memory-files.ts"
import { SimClock } from "../../sim/sim-clock.ts"
import { SimRandom } from "../../sim/sim-random.ts"
import { KindDriver } from "./testing/drive-kind.ts"

let files = memoryFiles({ clock: new SimClock(), random: new SimRandom(1) })
beforeEach(async () => {
  files = memoryFiles({ clock: new SimClock(), random: new SimRandom(1) })
  for (const path of ["/etc", "/etc/app", "/etc/ssl"]) await files.mkdir(path, 0o755)
})

async function put(path: string, mode: number, text = "text\n"): Promise<void> {
  await files.writeNew(path, Buffer.from(text))
  await files.chmod(path, mode)
}

async function imported(scope: Readonly<Record<string, string>>) {
  const { kind, world } = new KindDriver("File", {}, files)
  const { signal } = new AbortController()
  const { objects, skipped } = await importKind(kind, scope, { world, signal })
  const paths = objects.map(({ spec }) => spec?.path)
  return { paths, left: skipped.map(({ what }) => what), why: skipped[0]?.why }
}

test("what a group may read is left out like what only its owner may, and named", async () => {
  await put("/etc/motd", 0o644)
  await put("/etc/empty", 0o600, "")
  const hidden: Record<string, number> = { gshadow: 0o640, key: 0o600, shadow: 0o640, sudo: 0o440 }
  for (const [name, mode] of Object.entries(hidden)) await put(`/etc/${name}`, mode)
  expect(await imported({ path: "/etc" })).toEqual({
    paths: ["/etc/empty", "/etc/motd"],
    left: Object.keys(hidden).map((name) => `/etc/${name}`),
    why: expect.stringContaining("not everyone may read it"),
  })
  const all = await imported({ path: "/etc", private: "include" })
  expect([all.paths.length, all.left]).toEqual([6, []])
})

test("an open file in a closed directory is left out, wherever the import begins", async () => {
  await put("/etc/ssl/server.key", 0o644)
  await put("/etc/app/main.conf", 0o644)
  await files.chmod("/etc/ssl", 0o710)
  expect(await imported({ path: "/etc" })).toMatchObject({
    ...{ paths: ["/etc/app/main.conf"], left: ["/etc/ssl/server.key"] },
  })
  expect(await imported({ path: "/etc/ssl" })).toMatchObject({ paths: [] })
  await files.chmod("/etc", 0o700)
  expect(await imported({ path: "/etc/app" })).toMatchObject({
    ...{ paths: [], left: ["/etc/app/main.conf"] },
  })
})

test("a directory that everyone may pass and nobody may list hides nothing", async () => {
  await put("/etc/app/main.conf", 0o644)
  await files.chmod("/etc/app", 0o711)
  expect(await imported({ path: "/etc" })).toMatchObject({
    paths: ["/etc/app/main.conf"],
    left: [],
  })
})
