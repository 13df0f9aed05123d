import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import type { JsonObject } from "../../base/json.ts"
import type { Verb } from "../../contract/action.ts"
import type { FilesAct } from "../../contract/world.ts"
import { type TapHooks, tapWorld } from "../../provider/conformance/world-tap.ts"
import { worldWith } from "../../provider/missing-handles.ts"
import { nodeFiles } from "./adapter/node-files.ts"
import { makeTempDir, noTempDir } from "./adapter/testing/temp-dir.ts"
import { KindDriver } from "./testing/drive-kind.ts"

let temp = noTempDir
let dir = temp.path
beforeEach(() => {
  temp = makeTempDir()
  dir = temp.path
})
afterEach(() => temp.remove())

const tapped = (hooks: TapHooks): FilesAct =>
  tapWorld(worldWith({ files: nodeFiles() }), hooks).files

/** From the given call on every mutation fails, as if the process had died there. */
function dyingFiles(
  dieAt: number,
  when: "before" | "after",
): { files: FilesAct; died: () => boolean } {
  let mutations = 0
  let dead = false
  const files = tapped({
    before(call) {
      if (!call.mutates) return
      if (!dead && when === "before" && ++mutations === dieAt) dead = true
      if (dead) throw new Error("crashed")
    },
    after(call) {
      if (!call.mutates || when !== "after" || ++mutations !== dieAt) return
      dead = true
      throw new Error("crashed")
    },
  })
  return { files, died: () => dead }
}

interface Scene {
  readonly name: string
  readonly kind: "File" | "Directory"
  readonly verb: Verb
  readonly spec: () => JsonObject
  readonly before?: () => void
}

const scenes: readonly Scene[] = [
  {
    ...{ name: "a create", kind: "File", verb: "create" },
    spec: () => ({ path: `${dir}/a`, content: "new", mode: "0600" }),
  },
  {
    ...{ name: "an update", kind: "File", verb: "update" },
    spec: () => ({ path: `${dir}/a`, content: "new" }),
    before: () => writeFileSync(`${dir}/a`, "old"),
  },
  {
    ...{ name: "an adoption", kind: "File", verb: "adopt" },
    spec: () => ({ path: `${dir}/a`, content: "new" }),
    before: () => writeFileSync(`${dir}/a`, "old"),
  },
  {
    ...{ name: "a repointed symlink", kind: "File", verb: "update" },
    spec: () => ({ path: `${dir}/a`, symlink: "new" }),
    before: () => writeFileSync(`${dir}/a`, "old"),
  },
  {
    ...{ name: "a delete", kind: "File", verb: "delete" },
    spec: () => ({ path: `${dir}/a`, content: "new" }),
    before: () => writeFileSync(`${dir}/a`, "new"),
  },
  {
    ...{ name: "a directory's create", kind: "Directory", verb: "create" },
    spec: () => ({ path: `${dir}/a`, mode: "0711" }),
  },
  {
    ...{ name: "a directory's update", kind: "Directory", verb: "update" },
    spec: () => ({ path: `${dir}/a`, mode: "0711" }),
    before: () => mkdirSync(`${dir}/a`),
  },
]

/** What the engine does after a restart. */
async function recover(driver: KindDriver, { verb, spec }: Scene): Promise<void> {
  for (let round = 0; round < 4; round++) {
    const seen = await driver.observe(spec())
    if (seen.kind === "absent") {
      if (verb === "delete") return
      await driver.act("create", spec())
    } else if (seen.kind === "present") {
      const next = verb === "create" ? "update" : verb
      const same = Object.entries(driver.target(spec()).desired).every(
        ([name, value]) => seen.value[name] === value,
      )
      if (same && verb !== "delete") return
      await driver.act(next, spec(), { token: seen.token })
    }
  }
  throw new Error("it does not converge")
}

const backupDirectory = () => `${dir}/backups`
const temporaries = () => readdirSync(dir).filter((name) => name.startsWith(".setpoint-"))

describe.each(scenes)("a crash at every port call of $name", (scene) => {
  test.each(["before", "after"] as const)(
    "%s the call: it converges, nothing is lost",
    async (when) => {
      let points = 0
      for (let dieAt = 1; dieAt < 40; dieAt++) {
        temp.remove()
        temp = makeTempDir()
        dir = temp.path
        scene.before?.()
        const { files, died } = dyingFiles(dieAt, when)
        const first = new KindDriver(scene.kind, { backupDirectory: backupDirectory() }, files)
        const outcome = await first.actOnSeen(scene.verb, scene.spec()).catch(() => "crashed")
        if (!died()) break
        points++
        expect(outcome).toBe("crashed")
        checkNeverTorn(scene)
        const second = new KindDriver(scene.kind, { backupDirectory: backupDirectory() })
        await recover(second, scene)
        if (scene.verb === "adopt") checkBackup()
        // A crash between giving the name and dropping the temporary one leaves the latter behind,
        // to be removed by this object's next act.
        expect(temporaries().length).toBeLessThanOrEqual(1)
        await new KindDriver(scene.kind).actOnSeen("update", scene.spec())
        if (scene.verb !== "delete") expect(temporaries()).toEqual([])
      }
      expect(points).toBeGreaterThanOrEqual(2)
    },
  )
})

/** Readers see the old content, the new content or nothing, never a part. */
function checkNeverTorn({ kind, spec }: Scene): void {
  if (kind !== "File" || spec().symlink !== undefined) return
  const stat = lstatSync(`${dir}/a`, { throwIfNoEntry: false })
  if (stat?.isFile()) expect(["old", "new"]).toContain(readFileSync(`${dir}/a`, "utf8"))
}

function checkBackup(): void {
  const kept = readdirSync(backupDirectory()).filter((name) => !name.startsWith("."))
  expect(kept.map((name) => readFileSync(`${backupDirectory()}/${name}`, "utf8"))).toEqual(["old"])
}

describe("races at the effect", () => {
  /** Meddles right before the given call. */
  const meddle = (name: string, how: () => void) => {
    let once = false
    return tapped({
      before(call) {
        if (once || call.name !== name) return
        once = true
        how()
      },
    })
  }

  test("a foreign file that appears before the link is not replaced", async () => {
    const files = meddle("link", () => writeFileSync(`${dir}/a`, "foreign"))
    const driver = new KindDriver("File", {}, files)
    expect(await driver.act("create", { path: `${dir}/a`, content: "x" })).toMatchObject({
      kind: "failed",
    })
    expect(readFileSync(`${dir}/a`, "utf8")).toBe("foreign")
    expect(temporaries()).toEqual([])
  })

  test("a change while the temporary file is written is not overwritten", async () => {
    writeFileSync(`${dir}/a`, "old")
    const files = meddle("writeTemporary", () => writeFileSync(`${dir}/a`, "foreign edit"))
    const driver = new KindDriver("File", {}, files)
    expect(await driver.actOnSeen("update", { path: `${dir}/a`, content: "x" })).toEqual({
      kind: "failed",
      cause: "it changed since it was observed",
      failure: { class: "Conflict" },
    })
    expect(readFileSync(`${dir}/a`, "utf8")).toBe("foreign edit")
    expect(temporaries()).toEqual([])
  })

  test.each(["update", "delete"] as const)(
    "a change before any port call of the %s but the effect itself is kept",
    async (verb) => {
      const spec = { path: `${dir}/a`, content: "x" }
      const run = async (hooks: TapHooks) => {
        writeFileSync(`${dir}/a`, "old")
        const seen = await new KindDriver("File").observe(spec)
        const token = seen.kind === "present" ? seen.token : ""
        await new KindDriver("File", {}, tapped(hooks)).act(verb, spec, { token })
      }
      const calls: string[] = []
      await run({ before: ({ name }) => void calls.push(name) })
      const effect = calls.indexOf(verb === "delete" ? "unlink" : "rename")
      expect(effect).toBeGreaterThan(4)
      for (let index = 0; index < effect; index++) {
        const before = ({ number }: { number: number }) => {
          if (number === index + 1) writeFileSync(`${dir}/a`, "foreign edit")
        }
        await run({ before })
        expect([calls[index], readFileSync(`${dir}/a`, "utf8")]).toEqual([
          calls[index],
          "foreign edit",
        ])
      }
    },
  )

  test("a directory that appears before mkdir is not taken over", async () => {
    const files = meddle("mkdir", () => mkdirSync(`${dir}/a`, { mode: 0o700 }))
    const driver = new KindDriver("Directory", {}, files)
    expect(await driver.act("create", { path: `${dir}/a` })).toMatchObject({ kind: "failed" })
    expect(lstatSync(`${dir}/a`).mode & 0o777).toBe(0o700)
  })

  test("whoever gave up waiting gets no late change", async () => {
    const giveUp = new AbortController()
    const files = meddle("writeTemporary", () => giveUp.abort())
    const driver = new KindDriver("File", {}, files)
    const late = driver.act("create", { path: `${dir}/a`, content: "x" }, { signal: giveUp.signal })
    await expect(late).rejects.toThrow("the time for this call is over")
    await vi.waitFor(() => expect(readdirSync(dir)).toEqual([]), { timeout: 10_000 })
  })
})

test("an error of the disk is thrown, since nobody knows what it did", async () => {
  const files = { ...nodeFiles() }
  const fails: FilesAct = {
    ...files,
    rename: async () => {
      throw Object.assign(new Error("cannot rename: EIO"), { details: { errno: "EIO" } })
    },
  }
  writeFileSync(`${dir}/a`, "old")
  const driver = new KindDriver("File", {}, fails)
  await expect(driver.actOnSeen("update", { path: `${dir}/a`, content: "x" })).rejects.toThrow(
    "EIO",
  )
  expect(readdirSync(dir)).toEqual(["a"])
})

test("leftovers of other objects are not ours to remove", async () => {
  const foreign = ".setpoint-0123456789abcdef-0123456789abcdef"
  writeFileSync(`${dir}/${foreign}`, "")
  const driver = new KindDriver("File")
  await driver.act("create", { path: `${dir}/a`, content: "x" })
  expect(readdirSync(dir).sort()).toEqual([foreign, "a"])
})
