// Whoever may write in a directory above a target can put a symlink there at any moment: at none of
// them does the plane change anything on the other side of it.

import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { JsonObject } from "../../base/json.ts"
import { systemClock } from "../../base/system.ts"
import type { Verb } from "../../contract/action.ts"
import { type TapHooks, tapWorld } from "../../provider/conformance/world-tap.ts"
import { worldWith } from "../../provider/missing-handles.ts"
import { nodeFiles } from "./adapter/node-files.ts"
import { makeTempDir, noTempDir } from "./adapter/testing/temp-dir.ts"
import { heldFiles } from "./adapter/unfollowed.ts"
import { KindDriver } from "./testing/drive-kind.ts"

let temp = noTempDir
let dir = temp.path
beforeEach(() => {
  temp = makeTempDir()
  dir = temp.path
})
afterEach(() => temp.remove())

interface Scene {
  readonly kind: "File" | "Directory"
  readonly verb: Verb
  readonly spec: JsonObject
  /** What is at the target's place before, and in the same place elsewhere. */
  there?(path: string): void
}

const file = (path: string) => writeFileSync(path, "old")
const directory = (path: string) => mkdirSync(path, { mode: 0o750 })

const scenes: Readonly<Record<string, Scene>> = {
  "a new file": { kind: "File", verb: "create", spec: { content: "x" } },
  "a new link": { kind: "File", verb: "create", spec: { symlink: "x" } },
  "a new link with an owner": { kind: "File", verb: "create", spec: { symlink: "x", owner: "0" } },
  "a new content": { kind: "File", verb: "update", spec: { content: "x" }, there: file },
  "a new mode": {
    kind: "File",
    verb: "update",
    spec: { content: "old", mode: "0666" },
    there: file,
  },
  "a file to delete": { kind: "File", verb: "delete", spec: { content: "old" }, there: file },
  "a new directory": { kind: "Directory", verb: "create", spec: {} },
  "a directory's mode": { kind: "Directory", verb: "update", spec: {}, there: directory },
  "a directory to delete": { kind: "Directory", verb: "delete", spec: {}, there: directory },
}

/** The target is home/sub/t; the same things lie in elsewhere/sub. */
function furnish(there?: (path: string) => void): string {
  for (const name of readdirSync(dir)) rmSync(`${dir}/${name}`, { recursive: true })
  for (const name of ["home", "elsewhere"]) {
    mkdirSync(`${dir}/${name}/sub`, { recursive: true })
    there?.(`${dir}/${name}/sub/t`)
  }
  return `${dir}/home/sub/t`
}

function swap(what: "home" | "home/sub"): void {
  renameSync(`${dir}/${what}`, `${dir}/away`)
  symlinkSync(what === "home" ? `${dir}/elsewhere` : `${dir}/elsewhere/sub`, `${dir}/${what}`)
}

/** Everything elsewhere, with its times: they tell of names that came and went. */
function picture(): readonly string[] {
  return ["", "/sub", ...readdirSync(`${dir}/elsewhere/sub`).map((name) => `/sub/${name}`)].map(
    (name) => {
      const { ino, mode, uid, mtimeNs, ctimeNs } = lstatSync(`${dir}/elsewhere${name}`, {
        bigint: true,
      })
      return [name, ino, mode, uid, mtimeNs, ctimeNs].join(" ")
    },
  )
}

async function play(scene: Scene, held: string, hooks: TapHooks): Promise<void> {
  const path = furnish(scene.there)
  const spec = { path, ...scene.spec }
  const seen = await new KindDriver(scene.kind).observe(spec)
  const token = seen.kind === "present" ? { token: seen.token } : {}
  const { files } = tapWorld(worldWith({ files: nodeFiles(held) }), hooks)
  const before = picture()
  // Refused or thrown: what counts is what is elsewhere.
  await new KindDriver(scene.kind, {}, files).act(scene.verb, spec, token).catch(() => {})
  expect(picture()).toEqual(before)
}

describe.each([
  ["directories that are held", heldFiles],
  ["a look right before", "/nowhere"],
])("with %s", (_, held) => {
  test.each(Object.entries(scenes))(
    "%s is never made or changed elsewhere",
    async (_name, scene) => {
      let calls = 0
      await play(scene, held, { before: () => void calls++ })
      expect(calls).toBeGreaterThan(3)
      for (const what of ["home", "home/sub"] as const) {
        for (let index = 1; index <= calls; index++) {
          const before = ({ number }: { number: number }) => {
            if (number === index) swap(what)
          }
          await play(scene, held, { before })
        }
      }
    },
  )
})

test("leftovers are not removed elsewhere either", async () => {
  const leftover = `.setpoint-${"0".repeat(16)}-00`
  const there = (path: string) => {
    directory(path)
    writeFileSync(`${path}/${leftover}`, "")
  }
  const spec = { path: furnish(there), mode: "0750", purge: true }
  const clock = { ...systemClock, now: () => systemClock.now() + 3_600_000 }
  const { files } = tapWorld(worldWith({ files: nodeFiles() }), {
    before: ({ name }) => void (name === "unlink" && swap("home")),
  })
  const driver = new KindDriver("Directory", { clock }, files)
  await driver.actOnSeen("update", spec).catch(() => {})
  expect(lstatSync(`${dir}/home`).isSymbolicLink()).toBe(true)
  expect(readdirSync(`${dir}/elsewhere/sub/t`)).toEqual([leftover])
})

test("below a root that is a symlink everything is made, changed and removed as ever", async () => {
  mkdirSync(`${dir}/real`)
  symlinkSync("real", `${dir}/root`)
  const place = { root: `${dir}/root` }
  const folder = { ...place, path: `${dir}/root/d` }
  const target = { ...place, path: `${dir}/root/d/f`, content: "x" }
  const [directories, files] = [new KindDriver("Directory"), new KindDriver("File")]
  expect(await directories.actOnSeen("create", folder)).toEqual({ kind: "done" })
  expect(await files.actOnSeen("create", target)).toEqual({ kind: "done" })
  expect(await files.actOnSeen("update", { ...target, content: "y" })).toEqual({ kind: "done" })
  expect(readFileSync(`${dir}/real/d/f`, "utf8")).toBe("y")
  chmodSync(`${dir}/real/d`, 0o700)
  expect(await directories.actOnSeen("update", folder)).toEqual({ kind: "done" })
  expect(lstatSync(`${dir}/real/d`).mode & 0o777).toBe(0o755)
  expect(await files.actOnSeen("delete", target)).toEqual({ kind: "done" })
  expect(await directories.actOnSeen("delete", folder)).toEqual({ kind: "done" })
  expect(readdirSync(`${dir}/real`)).toEqual([])
})
