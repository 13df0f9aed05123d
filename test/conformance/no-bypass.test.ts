// Gate: nothing bypasses the actuator. By import rule (test/tidy holds the rest), by type, and at
// run time: a hostile provider over the documented surface, and the shipped kinds.

import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, describe, expect, it } from "vitest"
import { disarm } from "../../src/base/protections.ts"
import type { KindProvider } from "../../src/contract/provider.ts"
import type { HttpRequest } from "../../src/contract/world.ts"
import type { ApiObject } from "../../src/object/object.ts"
import * as surface from "../../src/provider/index.ts"
import { worldWith } from "../../src/provider/missing-handles.ts"
import { fileKinds } from "../../src/providers/file/file-kinds.ts"
import { type MemoryFiles, memoryFiles } from "../../src/sim/memory-files.ts"
import { SimClock } from "../../src/sim/sim-clock.ts"
import { SimPlane } from "../../src/sim/sim-plane.ts"
import { SimRandom } from "../../src/sim/sim-random.ts"
import { ann } from "../sim/site.ts"
import { readImports } from "../tidy/imports.ts"
import { readRepository, root } from "../tidy/repository.ts"
import { Hostile, hostileLister, loot } from "./hostile-kind.ts"

let arm = () => {}
afterEach(() => arm())

interface Rig {
  readonly sim: SimPlane
  readonly files: MemoryFiles
  readonly sent: HttpRequest[]
  apply(object: ApiObject): Promise<void>
  /** Called before everything that would change a file. */
  onChange: (call: string) => void
}

const changing = /^(writeTemporary|chmod|chown|rename|link|symlink|mkdir|unlink|rmdir)$/

async function rigOf(kinds: readonly KindProvider[]): Promise<Rig> {
  const clock = new SimClock()
  const files = memoryFiles({ clock, random: new SimRandom(1) })
  for (const path of ["/targets", loot]) await files.mkdir(path, 0o755)
  await files.writeNew("/targets/victim", Buffer.from("old"))
  const sent: HttpRequest[] = []
  const http = {
    request: async (request: HttpRequest) => {
      sent.push({ ...request })
      return { status: 200, headers: {}, body: "" }
    },
  }
  const watched = new Proxy(files, {
    get: (target, name) => {
      if (changing.test(String(name))) rig.onChange(String(name))
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === "function" ? member.bind(target) : member
    },
  })
  const sim = new SimPlane({ clock, kinds, world: worldWith({ files: watched, http }) })
  await sim.start()
  const apply = async (object: ApiObject) => {
    const kind = sim.plane.engine.kinds.find((one) => one.provider.kind === object.kind)
    if (kind === undefined) throw new Error(`no kind ${object.kind}`)
    const client = sim.plane.client(ann)
    const applying = client.apply(kind.resource, object, { fieldManager: "ann", force: true })
    const isKnown = () => sim.plane.engine.feed?.entry(keyOf(kind, object)) !== undefined
    await clock.runUntil(isKnown, { maxMs: 10_000 })
    await applying
  }
  const rig: Rig = { sim, files, sent, apply, onChange: () => {} }
  return rig
}

const keyOf = (kind: { resource: { resource: string; group: string } }, object: ApiObject) =>
  `${kind.resource.resource}.${kind.resource.group}/default/${object.metadata.name}`

const trap = (name: string, kind = "Trap"): ApiObject => ({
  apiVersion: "hostile.example.com/v1",
  kind,
  metadata: { name, namespace: "default" },
  spec: { path: `/targets/${name}` },
})

const gone = async (files: MemoryFiles, path: string) => (await files.lstat(path)) === undefined

/** Reads are no attempt on anything; a two-faced request that was sent as a read is harmless. */
const harmless = new Set(["two-faced request"])

function expectRefused(hostile: Hostile, from: string): void {
  const mine = hostile.attempts.filter((one) => one.from === from)
  expect(mine.length).toBeGreaterThan(20)
  expect(mine.filter((one) => !one.ended)).toEqual([])
  const through = mine.filter((one) => one.refusal === undefined && !harmless.has(one.how))
  expect(through.map((one) => one.how)).toEqual([])
}

async function expectNothingTaken({ files, sent }: Rig): Promise<void> {
  expect(await files.list(loot)).toEqual([])
  expect(await gone(files, "/targets/victim")).toBe(false)
  const changing = sent.filter(({ method, url }) => method !== "GET" && !url.startsWith("sim:"))
  expect(changing).toEqual([])
}

describe("a hostile provider over the documented surface", () => {
  it.each(["observe", "fingerprints", "watch"])("changes nothing from %s", async (from) => {
    const hostile = new Hostile()
    const rig = await rigOf([hostile.kind])
    await rig.apply(trap("a"))
    await rig.sim.clock.advance(10_000)
    expect(await gone(rig.files, "/targets/a")).toBe(false)
    await sweep(rig)
    expectRefused(hostile, from)
    await expectNothingTaken(rig)
    expect(hostile.refusals(from)).toContainEqual(expect.stringContaining("this handle only reads"))
  })

  it("changes nothing from list", async () => {
    const hostile = new Hostile()
    const rig = await rigOf([hostileLister(hostile)])
    await rig.apply(trap("a", "Lure"))
    await rig.sim.clock.advance(10_000)
    expectRefused(hostile, "list")
    await expectNothingTaken(rig)
  })

  it.each(["identity", "normalize"])(
    "changes nothing from %s with handles kept from an act that ended",
    async (from) => {
      const hostile = new Hostile()
      const rig = await rigOf([hostile.kind])
      await rig.apply(trap("a"))
      await rig.sim.clock.advance(10_000)
      await rig.apply({ ...trap("a"), spec: { path: "/targets/a", how: "x" } })
      await rig.sim.clock.advance(10_000)
      expectRefused(hostile, from)
      await expectNothingTaken(rig)
      const said = hostile.refusals(from).filter((one) => one?.includes("after its act ended"))
      expect(said.length).toBeGreaterThan(5)
    },
  )

  it("changes nothing after its deadline, and that is reported as unknown", async () => {
    const hostile = new Hostile()
    const rig = await rigOf([hostile.kind])
    const { clock } = rig.sim
    hostile.duringCreate = async ({ world }) => {
      await new Promise<void>((done) => void clock.after(5000, done))
      hostile.attack("late", world)
    }
    await rig.apply(trap("a"))
    await clock.advance(6000)
    expectRefused(hostile, "late")
    await expectNothingTaken(rig)
    expect(await gone(rig.files, "/targets/a")).toBe(true)
    const state = rig.sim.plane.engine.reporter.stateOf("traps.hostile.example.com/default/a")
    expect(JSON.stringify(state)).toContain("given up after 2 s")
  })

  it("is stopped in the middle of an act, whatever it does to what it was given", async () => {
    const hostile = new Hostile()
    const rig = await rigOf([hostile.kind])
    const entry = { loop: "default.default", scope: "all", by: "ann", at: "" } as const
    hostile.duringCreate = async ({ world, action }) => {
      rig.sim.stop.write([entry])
      hostile.note("disguise", "loop", async () => {
        if (!Reflect.set(action, "loop", "default.other")) throw new Error("refused")
      })
      hostile.note("disguise", "target", async () => {
        if (!Reflect.set(action, "target", "other:x")) throw new Error("refused")
      })
      hostile.attack("stopped", world)
    }
    await rig.apply(trap("a"))
    await rig.sim.clock.advance(2000)
    expect(hostile.refusals("disguise")).toEqual(["refused", "refused"])
    expectRefused(hostile, "stopped")
    await expectNothingTaken(rig)
    expect(hostile.refusals("stopped")).toContainEqual(expect.stringContaining("stopped in loop"))
  })

  it("twin: without revocation, a kept handle changes things after its act", async () => {
    arm = disarm("handles-revoked")
    const hostile = new Hostile()
    const rig = await rigOf([hostile.kind])
    await rig.apply(trap("a"))
    await rig.sim.clock.advance(10_000)
    expect(await gone(rig.files, "/targets/victim")).toBe(true)
    expect(await rig.files.list(loot)).not.toEqual([])
  })

  it("twin: without reading handles, observing changes things", async () => {
    arm = disarm("reading-handles")
    const hostile = new Hostile()
    const rig = await rigOf([hostile.kind])
    const { space } = rig.files // It does not even leave that.
    await rig.apply(trap("a"))
    await rig.sim.clock.advance(10_000)
    const taken = space.log.filter(({ path }) => path.startsWith(`${loot}/`))
    expect(taken).not.toEqual([])
  })
})

/** The level trigger once. */
async function sweep({ sim }: Rig): Promise<void> {
  void sim.plane.loops.look("default.default")
  await sim.clock.advance(5000)
}

describe("the shipped kinds", () => {
  it("change the world only while an intent of theirs is open", async () => {
    const options = { roots: ["/"], forbidden: [], backupDirectory: "/backups" }
    const rig = await rigOf(fileKinds({ ...options, clock: new SimClock() }))
    const changes: string[] = []
    const outside: string[] = []
    rig.onChange = (call) => {
      changes.push(call)
      if (rig.sim.plane.engine.ledger.unfinished().length === 0) outside.push(call)
    }
    const file = (content: string): ApiObject => ({
      ...{ apiVersion: "host.setpoint.dev/v1", kind: "File" },
      metadata: { name: "a", namespace: "default" },
      spec: { path: "/targets/a", content },
    })
    for (const content of ["one", "two"]) {
      await rig.apply(file(content))
      await rig.sim.clock.advance(3000)
      await rig.files.overwrite("/targets/a", Buffer.from("drift"))
      await sweep(rig)
    }
    expect(Buffer.from(await rig.files.read("/targets/a", 100)).toString()).toBe("two")
    expect(changes.filter((call) => call === "rename").length).toBeGreaterThan(2)
    expect(outside).toEqual([])
  })
})

describe("the surface itself", () => {
  it("gives nothing that acts: no adapter, actuator or plane can be reached from it", () => {
    const files = readRepository().filter((one) => one.path.startsWith("src/"))
    const byPath = new Map(files.map((one) => [one.path, one]))
    const paths = new Set(byPath.keys())
    const seen = new Set<string>()
    const visit = (path: string) => {
      const file = byPath.get(path)
      if (file === undefined || seen.has(path)) return
      seen.add(path)
      for (const { to, typeOnly } of readImports(file, paths)) if (!typeOnly) visit(to)
    }
    visit("src/provider/index.ts")
    expect(seen.size).toBeGreaterThan(10)
    const reached = [...seen].filter((path) => /adapter|actuator|plane|ledger|store\//.test(path))
    expect(reached).toEqual([])
  })

  it("is what is documented, no more", () => {
    const { exports } = JSON.parse(readFileSync(`${root}package.json`, "utf8"))
    expect(exports["./provider"]).toBe("./dist/provider/index.js")
    expect(Object.keys(surface).sort()).toEqual([
      ...["absent", "atomic", "createRegistry", "defineComposite", "defineKind", "expiry"],
      ...[
        "kindPage",
        "listMap",
        "listSet",
        "payload",
        "present",
        "readField",
        "ref",
        "references",
        "resolveReferences",
      ],
      ...["scale", "secret", "unknown"],
    ])
  })
})

describe("the types", () => {
  const source = fileURLToPath(new URL("./no-bypass-errors.ts", import.meta.url))
  const compile = (text: string): string => {
    const folder = mkdtempSync(join(tmpdir(), "spt-types-"))
    try {
      for (const name of ["src", "node_modules", "package.json"]) {
        symlinkSync(`${root}${name}`, join(folder, name))
      }
      mkdirSync(join(folder, "test", "conformance"), { recursive: true })
      writeFileSync(join(folder, "test", "conformance", "types.ts"), text)
      const config = { extends: `${root}tsconfig.json`, include: ["test"] }
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
      execFileSync(`${root}node_modules/.bin/tsc`, ["-p", folder], { encoding: "utf8" })
      return ""
    } catch (error) {
      return error instanceof Error && "stdout" in error ? String(error.stdout) : String(error)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }

  it("let no reading function change anything: each line is an error", () => {
    const text = readFileSync(source, "utf8")
    expect(compile(text)).toBe("")
    const marks = text.match(/@ts-expect-error/g)?.length ?? 0
    expect(marks).toBeGreaterThan(10)
    const bare = compile(text.replaceAll("@ts-expect-error", ""))
    const lines = [...bare.matchAll(/\((\d+),\d+\): error TS/g)].map(([, line]) => line)
    expect(new Set(lines).size).toBe(marks)
  })
})
