// The package as people get it: packed, installed for everybody, and run by the Nodes that it is
// promised for.

import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { InstalledPlane } from "./installed-plane.ts"
import { Packed } from "./packed.ts"
import { requireNode } from "./real-nodes.ts"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const root = fileURLToPath(new URL("../..", import.meta.url))
const nodes = { 20: requireNode(20), 22: requireNode(22), 24: requireNode(24) } as const
const pathOf = (folder: string) => `${folder}:/usr/bin:/bin`
let packed: Packed

beforeAll(() => {
  packed = new Packed()
})
afterAll(() => packed?.remove())

describe("the package", () => {
  it("holds the program, its entries, examples and papers, and nothing else", () => {
    const paths = packed.files.map(({ path }) => path)
    for (const path of ["LICENSE", "README.md", "CHANGELOG.md", "bin/process-shim.sh"]) {
      expect(paths).toContain(path)
    }
    const wanted = /^(bin|dist|examples)\/|^(LICENSE|README\.md|CHANGELOG\.md|package\.json)$/
    expect(paths.filter((path) => !wanted.test(path))).toEqual([])
    const unwanted =
      /^dist\/.*(\.test\.|\.map$|\.tsbuildinfo$|(?<!\.d)\.ts$)|^bin\/ready|setpoint-lin/
    expect(paths.filter((path) => unwanted.test(path))).toEqual([])
    console.log(`npm pack: ${packed.bytes} bytes, ${paths.length} files`)
    expect(packed.bytes).toBeLessThan(4_000_000)
  })

  it("holds every worker, page and datum that is found by its place", () => {
    const paths = new Set(packed.files.map(({ path }) => path))
    for (const worker of ["store/engines/sqlite", "store/engines/backup"]) {
      expect(paths).toContain(`dist/${worker}-worker.js`)
    }
    expect(paths).toContain("dist/plane/adapters/verify-backup-worker.js")
    expect(paths).toContain("dist/api/definitions/data/workloads.json")
  })

  it("names no place of the machine that it was made on, and no map that is not there", () => {
    const text = (path: string) => readFileSync(join(root, path), "utf8")
    const told = packed.files.map(({ path }) => path).filter((path) => !/\.(png|gif)$/.test(path))
    const found = told.filter((path) => {
      const content = text(path)
      return content.includes(root) || /sourceMappingURL=(?!data:)/.test(content)
    })
    expect(found).toEqual([])
  })
})

describe.each([22, 24] as const)("installed for everybody, under Node %i", (major) => {
  const node = nodes[major]
  it.skipIf(node.missing)("keeps a file on a clean directory, over kill -9", async (test) => {
    if (packed.offline) test.skip()
    const plane = new InstalledPlane(packed.command, pathOf(node.folder))
    try {
      expect(plane.tell("--version").out).toMatch(/^\d+\.\d+\.\d+\n$/)
      await plane.up()
      expect(plane.output).not.toMatch(/warning|experimental/i)
      await plane.heals()
      const status = plane.tell("status", "-o", "json")
      expect(status).toMatchObject({ code: 0, error: "" })
      expect(await plane.page()).toContain("<title>Setpoint")
      const copy = join(plane.base, "copy.db")
      expect(plane.tell("backup", copy)).toMatchObject({ code: 0, error: "" })
      expect(plane.tell("backup", "--verify", copy)).toMatchObject({ code: 0, error: "" })
      await plane.end("SIGKILL")
      await plane.up()
      await plane.heals()
      expect(await plane.end("SIGTERM")).toBe(0)
    } finally {
      await plane.close()
    }
  })
})

it.skipIf(nodes[20].missing)("says in one line what it needs, under Node 20", (test) => {
  if (packed.offline) test.skip()
  const plane = new InstalledPlane(packed.command, pathOf(nodes[20].folder))
  const told = plane.tell("up", plane.site)
  void plane.close()
  expect(told.code).toBe(1)
  expect(told.out).toBe("")
  expect(told.error).toMatch(/^setpoint: needs Node 22\.16 or newer \(this is v20\.\S+\); .*\n$/)
  expect(told.error.trim().split("\n")).toHaveLength(1)
})

describe("a new provider in a project of its own", () => {
  const project = () => join(packed.folder, "project")
  const write = (name: string, text: string) => writeFileSync(join(project(), name), text)
  const run = (program: string, ...args: readonly string[]) => {
    const env = { PATH: pathOf(nodes[24].folder), HOME: packed.folder }
    const options = { cwd: project(), env, timeout: 120_000 }
    const { status, stdout, stderr } = spawnSync(program, args, options)
    return { code: status, out: `${stdout}${stderr}` }
  }
  const check = () => run(join(root, "node_modules", ".bin", "tsc"), "-p", ".")

  beforeAll(() => {
    if (packed.offline) return
    mkdirSync(project())
    expect(run(packed.command, "new", "provider", "pebble", "--dir", ".").code).toBe(0)
    // As `npm install` would leave it; the tarball's own packages are where it was installed.
    const modules = join(project(), "node_modules")
    mkdirSync(modules)
    symlinkSync(packed.installed, join(modules, "setpoint"))
    symlinkSync(join(packed.installed, "node_modules", "zod"), join(modules, "zod"))
    symlinkSync(join(root, "node_modules", "@types"), join(modules, "@types"))
  })

  it("finds every entry with its types, and a wrong use is told", (test) => {
    if (packed.offline) test.skip()
    write("use.ts", useText)
    expect(check()).toEqual({ code: 0, out: "" })
    expect(run("node", "use.ts")).toEqual({ code: 0, out: "Pebble pebbles function function\n" })
    write("use.ts", useText.replace("pebble.kind", "pebble.kind * 2"))
    expect(check().out).toContain("use.ts")
    write("use.ts", "export {}\n")
  })

  it("is examined by the suite that came along: green as written, red when it is wrong", (test) => {
    if (packed.offline) test.skip()
    // All of the suite runs in test/conformance; here it is about the package.
    const examine = () => run("node", "--test", "--test-name-pattern", "absent-is-not-unknown")
    const green = examine()
    expect(green.out).toMatch(/(?:#|ℹ) pass 1/)
    expect(green.code).toBe(0)
    const good = readFileSync(join(project(), "pebble.ts"), "utf8")
    write("pebble.ts", good.replace("if (status === 404) return", "if (status !== 200) return"))
    const red = examine()
    expect(red.out).toContain("absent-is-not-unknown")
    expect(red.code).toBe(1)
  })
})

const useText = `import type { Plane } from "setpoint"
import { httpClient, type HttpClient } from "setpoint/client"
import { defineKind } from "setpoint/provider"
import { pebble } from "./pebble.ts"

export type Both = Plane | HttpClient
console.log(pebble.kind, pebble.resource, typeof httpClient, typeof defineKind)
`
