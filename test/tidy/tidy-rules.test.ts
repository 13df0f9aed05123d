// A rule that can't fail is no rule: each one on small made-up files, once broken and once kept.

import { describe, expect, it } from "vitest"
import { renderErrors } from "../../scripts/errors-page.ts"
import { ambientCalls, constructs, lengths, names, openings, pageMarkup } from "./code-rules.ts"
import { codeText } from "./code-text.ts"
import { circles, importOrder, unusedFiles } from "./imports.ts"
import { protectionSites, protectionTwins } from "./protection-rules.ts"
import type { Finding, TidyFile } from "./repository.ts"
import { dependencies, faultCodes, foreignTraces, lockfile, readmes } from "./repository-rules.ts"
import { actingWorld } from "./world-rules.ts"

const file = (path: string, text = ""): TidyFile => ({ path, text })
const messages = (findings: readonly Finding[]) => findings.map((found) => found.message)
const places = (findings: readonly Finding[]) =>
  findings.map((found) => `${found.path}:${found.line ?? 0}`)

describe("code without comments and strings", () => {
  it("keeps lines and columns", () => {
    const text = 'a // "x"\n/* b\n */ c("d\\"e", `f${g("h")}i`) / 2 + /["/]/.x\n'
    const code = codeText(text, { keepStrings: false })
    expect(code.split("\n").map((line) => line.length)).toEqual(
      text.split("\n").map((line) => line.length),
    )
    expect(code).toContain('${g(" ")}')
    for (const gone of ['x"', "b", "d", "e", "f", "h", "i"]) expect(code).not.toContain(gone)
    expect(codeText(text, { keepStrings: true })).toContain('c("d\\"e"')
  })
})

describe("the way out of the process", () => {
  const found = (path: string, text: string) => messages(actingWorld([file(path, text)]))

  it.each([
    ["src/reconcile/a.ts", "const act = (world: ActWorld) => world", "names ActWorld"],
    ["src/controllers/a.ts", "export type A = FilesAct", "names FilesAct"],
    ["src/plane/status-view.ts", "ports.actWorld.files.unlink(path)", "touches the acting world"],
    ["src/providers/dns/a.ts", "ports.actWorld", "touches the acting world"],
    ["src/plane/a.ts", 'import { guardWorld } from "../actuator/guarded-world.ts"', "only the act"],
    ["src/providers/dns/a.ts", 'import { send } from "./adapter/send.ts"', "composition root"],
    ["src/plane/a.ts", 'import { nodeFiles } from "../providers/f/adapter/n.ts"', "composition"],
    ["src/reconcile/a.ts", 'await import("../provider/adapter/http.ts")', "composition root"],
  ])("is closed to %s: %s", (path, text, message) => {
    expect(found(path, text)).toEqual([expect.stringContaining(message)])
  })

  it.each([
    ["src/actuator/a.ts", 'import { guardWorld } from "./guarded-world.ts"\nlet a: ActWorld'],
    ["src/plane/adapters/a.ts", 'import { f } from "../../providers/x/adapter/f.ts"\nactWorld'],
    ["src/providers/x/a.ts", 'import type { F } from "./adapter/f.ts"\ntype A = FilesAct'],
    ["src/providers/x/a.test.ts", 'import { f } from "./adapter/f.ts"'],
  ])("is open to %s: %s", (path, text) => expect(found(path, text)).toEqual([]))
})

describe("imports", () => {
  const order = (from: string, text: string) => messages(importOrder([file(from, text)]))

  it.each([
    ["src/base/a.ts", 'import { b } from "../object/b.ts"', "base imports object"],
    ["src/store/a.ts", 'import type { b } from "../client/b.ts"', "store imports client"],
    ["src/api/a.ts", 'export * from "../reconcile/b.ts"', "api imports reconcile"],
    ["src/plane/a.ts", 'const x = await import("../cli/b.ts")', "plane imports cli"],
    ["src/plane/a.ts", 'import {\n  b,\n} from "../sim/b.ts"', "imports sim"],
    ["src/telemetry/a.ts", 'import "../object/b.ts"', "telemetry imports object"],
    ["src/providers/file/a.ts", 'import "../dns/b.ts"', "provider file imports provider dns"],
    ["src/providers/file/a.ts", 'import "../../store/b.ts"', "a provider imports store"],
    ["src/queue/a.ts", 'import { c } from "../base/system.ts"', "imports base/system.ts"],
    ["src/queue/a.ts", 'import { c } from "../index.ts"', "imports the entry"],
    ["src/extras/a.ts", 'import { c } from "../base/b.ts"', "no folder of the design"],
  ])("%s may not: %s", (path, text, message) => {
    expect(order(path, text)).toEqual([expect.stringContaining(message)])
  })

  it.each([
    ["src/object/a.ts", 'import { b } from "../base/b.ts"'],
    ["src/plane/a.ts", 'import { systemClock } from "../base/system.ts"'],
    ["src/api/http/front/front-worker.ts", 'import { c } from "../../../base/system.ts"'],
    ["src/providers/file/adapter/a.ts", 'import "../b.ts"\nimport "../../../provider/c.ts"'],
    ["src/sim/a.ts", 'import "../plane/b.ts"'],
    ["src/testing.ts", 'import "./sim/b.ts"'],
    ["src/store/a.test.ts", 'import "../sim/b.ts"'],
    ["src/base/a.ts", '// import "../cli/b.ts"'],
  ])("%s may: %s", (path, text) => expect(order(path, text)).toEqual([]))

  it("finds a circle of real imports and lets types pass", () => {
    const a = file("src/base/a.ts", 'import { b } from "./b.ts"')
    expect(circles([a, file("src/base/b.ts", 'import { a } from "./a.ts"')])).toHaveLength(1)
    expect(circles([a, file("src/base/b.ts", 'import type { a } from "./a.ts"')])).toEqual([])
  })

  it("finds files that nothing uses, but not workers named by a string", () => {
    const entries = ["cli/main", "index", "provider/index", "client/index", "testing"]
    const all = entries.map((name) => file(`src/${name}.ts`))
    expect(unusedFiles(all.slice(1))).toHaveLength(1)
    const more = [
      file("src/store/engine.ts", 'new Worker(new URL("./worker.ts", import.meta.url))'),
      file("src/store/worker.ts"),
      file("src/store/left.ts"),
      file("src/sim/disk.ts"),
      file("src/sim/left.ts"),
      file(
        "test/sim/x.test.ts",
        'import "../../src/sim/disk.ts"\nimport "../../src/store/left.ts"',
      ),
    ]
    const main = file("src/cli/main.ts", 'import "../store/engine.ts"')
    const found = unusedFiles([...all.slice(1), main, ...more])
    expect(places(found)).toEqual(["src/store/left.ts:0", "src/sim/left.ts:0"])
  })
})

describe("code", () => {
  const ambient = (path: string, text: string) => ambientCalls([file(path, text)])

  it.each([
    "const now = Date.now()",
    "const now = new Date()",
    "const x = Math.random()",
    "setTimeout(() => {}, 1)",
    "performance.now()",
    "const home = process.env.HOME",
    'await fetch("x")',
    "const id = randomUUID()",
    'import { readFile } from "node:fs/promises"',
    'import { spawn } from "node:child_process"',
  ])("finds the ambient call %s", (text) => {
    expect(ambient("src/reconcile/a.ts", text)).toHaveLength(1)
    expect(ambient("src/sim/a.ts", text)).toHaveLength(1)
    expect(ambient("src/sources/directory/adapter/a.ts", text)).toEqual([])
    expect(ambient("src/reconcile/a.test.ts", text)).toEqual([])
  })

  it("lets comments, strings, methods and types of the same names pass", () => {
    const text = '// Date.now()\nconst a = "Date.now()"\nb.fetch(x)\nclock.after(setTimeoutMs)\n'
    expect(ambient("src/api/a.ts", `${text}import type { Stats } from "node:fs"`)).toEqual([])
    const turn = "setImmediate(resolve)"
    expect(ambient("src/sim/adapter/a.ts", turn)).toEqual([])
    expect(ambient("src/sim/adapter/a.ts", "setTimeout(resolve, 1)")).toHaveLength(1)
  })

  it.each(["let a: any", "f<any>(x)", "x as unknown as Y", "export default 3", "enum A { B }"])(
    "finds the construct %s",
    (text) => expect(constructs([file("src/base/a.ts", text)])).toHaveLength(1),
  )

  it("lets words of the same letters pass", () => {
    const text = 'AbortSignal.any([a])\nconst company = "any"\n// any\nconst x = { any: 1 }\n'
    expect(constructs([file("src/base/a.ts", text)])).toEqual([])
  })

  const body = (lines: number) => "  x()\n".repeat(lines)
  it.each([
    ["a function", `export function f(a: string): void {\n${body(69)}}\n`, 1],
    ["a short function", `export function f(a: string): void {\n${body(68)}}\n`, 0],
    ["spread parameters", `function f(\n  a: string,\n): void {\n${body(67)}}\n`, 1],
    ["an arrow", `const f = async () => {\n${body(69)}}\n`, 1],
    ["a method", `class A {\n  f(): void {\n${"    x()\n".repeat(69)}  }\n}\n`, 1],
    ["a class", `class A {\n${"  x = 1\n".repeat(90)}}\n`, 0],
    ["an object", `const a = {\n${"  x: 1,\n".repeat(90)}}\n`, 0],
    ["a group of tests", `describe("x", () => {\n${'  it("y", f)\n'.repeat(90)}})\n`, 0],
    ["a test", `it("x", () => {\n${body(69)}})\n`, 1],
    ["a table of cases", `it.each([\n${"  1,\n".repeat(90)}])("x", () => {\n  x()\n})\n`, 0],
  ])("measures %s", (_, text, count) => {
    expect(lengths([file("src/base/a.ts", text)])).toHaveLength(count)
  })

  it("measures files and lines", () => {
    expect(lengths([file("a.ts", "x\n".repeat(401))])).toHaveLength(1)
    expect(lengths([file("a.ts", "x\n".repeat(400))])).toEqual([])
    const driver = "src/providers/x/testing/scenario-driver.ts"
    expect(lengths([file(driver, "x\n".repeat(81))])).toHaveLength(1)
    expect(lengths([file(driver, "x\n".repeat(80))])).toEqual([])
    expect(lengths([file("a.ts", `${"x".repeat(101)}\n`)])).toHaveLength(1)
    expect(lengths([file("a.ts", `${"x".repeat(100)}\n`)])).toEqual([])
  })

  it("wants names that say something, and a first line that does", () => {
    const bad = ["utils.ts", "string-utils.ts", "types.ts", "helpers.ts", "misc.ts", "fooBar.ts"]
    for (const name of bad) expect(names([file(`src/base/${name}`)])).toHaveLength(1)
    expect(names([file("src/base/typed-merge.ts")])).toEqual([])
    expect(openings([file("src/base/a.ts", "import x")])).toHaveLength(1)
    expect(openings([file("src/base/a.ts", "// What it is.\n")])).toEqual([])
  })
})

describe("the repository", () => {
  it("wants a short README in every folder of src", () => {
    const code = [file("src/base/a.ts"), file("src/sources/git/a.ts"), file("src/sources/f.ts")]
    expect(readmes(code)).toHaveLength(3)
    const paths = ["src/base", "src/sources", "src/sources/git"]
    const pages = paths.map((path) => file(`${path}/README.md`, "x"))
    expect(readmes([...code, ...pages])).toEqual([])
    expect(readmes([file("src/base/README.md", "x\n".repeat(31))])).toHaveLength(1)
  })

  it("wants each fault code defined once, in a faults.ts, and used", () => {
    const row = '  "SPT-A-001": {\n    fault: "bug",\n  },\n'
    const table = file("src/a/faults.ts", row)
    const use = file("src/a/b.ts", 'throw aFault("SPT-A-001")')
    expect(faultCodes([table, use])).toEqual([])
    expect(messages(faultCodes([table]))).toEqual(["SPT-A-001 is never used"])
    expect(messages(faultCodes([use]))).toEqual(["SPT-A-001 is not defined anywhere"])
    const twice = faultCodes([table, use, file("src/b/faults.ts", row)])
    expect(messages(twice)).toEqual(["SPT-A-001 is defined in src/a/faults.ts too"])
    const elsewhere = faultCodes([file("src/a/rows.ts", row), use])
    expect(messages(elsewhere)).toEqual(["SPT-A-001 is defined outside a faults.ts"])
  })

  it("wants each protection asked once by name, disarmed by tests alone, and with a twin", () => {
    const table = file("src/base/protections.ts", 'const p = {\n  "kept": "x",\n} as const')
    const site = file("src/a/a.ts", 'if (protects("kept")) return')
    const twin = file("src/a/a.test.ts", 'const arm = disarm("kept")')
    expect(protectionSites([table, site, twin])).toEqual([])
    expect(protectionTwins([table, site, twin])).toEqual([])
    expect(messages(protectionTwins([table, site]))).toEqual(["kept has no twin"])
    const wrong = (text: string) => messages(protectionSites([table, site, file("src/b.ts", text)]))
    expect(wrong('protects("kept")')).toEqual(["kept is asked in 2 places, not in 1"])
    expect(wrong('protects("other")')).toEqual(["other is not listed"])
    expect(wrong("protects(name)")).toEqual(["protects() wants a name as text"])
    expect(wrong('import { disarm } from "./base/protections.ts"')).toEqual(["only tests disarm"])
    expect(wrong('disarm("kept")')).toEqual(["only tests disarm"])
    expect(wrong("this.#disarm()")).toEqual([])
    expect(messages(protectionSites([table]))).toEqual(["kept is asked in 0 places, not in 1"])
  })

  it("wants every runtime dependency decided", () => {
    const manifest = file("package.json", '{"dependencies":{"yaml":"1","zod":"4"}}')
    const record = "docs/decisions/0001-repo-and-runtime.md"
    const decided = file(record, "x\nRuntime dependencies: `zod`, `yaml`.\n")
    expect(dependencies([manifest, decided])).toEqual([])
    expect(dependencies([manifest])).toHaveLength(1)
    expect(dependencies([manifest, file(record, "Runtime dependencies: `zod`.")])).toHaveLength(1)
  })

  it("finds traces of a machine, a registry or an author", () => {
    const traces = [
      "cd /wo" + "rk/main",
      "https://registry.np" + "mjs.org/x",
      "Co-Auth" + "ored-By: x",
    ]
    for (const text of traces) expect(foreignTraces([file("docs/a.md", text)])).toHaveLength(1)
    expect(foreignTraces([file("docs/a.md", "framework/root/main")])).toEqual([])
  })

  it("finds hosts in the lockfile", () => {
    const lock = (text: string) => lockfile([file("package-lock.json", text)])
    expect(lock('"resolved": "https://x.example/a.tgz"')).toHaveLength(1)
    expect(lock('"resolved": "dashboard"')).toEqual([])
  })

  it("renders every code with its sentence and hint", () => {
    const row = { fault: "wait", text: "cannot do {what}", hint: "wait", status: 409 } as const
    const page = renderErrors(new Map([["SPT-A-001", row]]))
    expect(page).toContain("### SPT-A-001\n\ncannot do `{what}` (**wait**, HTTP 409)")
    expect(page).toContain("Hint: wait")
  })
})

describe("pages", () => {
  const found = (path: string, text: string) => messages(pageMarkup([file(path, text)]))

  it.each([
    ["<p dangerouslySetInnerHTML={x} />", "markup from text"],
    ["node.innerHTML = text", "markup from text"],
    ["new Function(text)", "becomes code"],
    ['<img src="https://cdn.example/a.png">', "another host"],
  ])("may not have %s", (text, message) => {
    expect(found("dashboard/src/a.tsx", text)).toEqual([expect.stringContaining(message)])
    expect(found("src/a.ts", text)).toEqual([])
  })

  it("may have text and elements", () => {
    expect(found("dashboard/src/a.tsx", "<p>{text}</p>")).toEqual([])
  })
})
