// Which file imports which, and the rules over that graph: the order of the folders, no circles,
// nothing unused.

import { dirname, join } from "node:path/posix"
import { codeText } from "./code-text.ts"
import { type Finding, inSource, isTest, type TidyFile } from "./repository.ts"

export interface Import {
  readonly from: string
  /** A path in the repository, or the package's name. */
  readonly to: string
  readonly line: number
  readonly typeOnly: boolean
}

const statement = /(?:^|\n)\s*(import|export)(\s+type\b)?(?:[^"'`;]*?\bfrom)?\s*"([^"]+)"/g
const dynamic = /\bimport\(\s*"([^"]+)"\s*\)/g
/** How a worker is named: a string that is a file beside this one. */
const neighbour = /"((?:\.\.?\/)*[\w./-]+\.(?:ts|js))"/g

export function readImports(file: TidyFile, paths: ReadonlySet<string>): Import[] {
  const code = codeText(file.text, { keepStrings: true })
  const found = new Map<string, Import>()
  const add = (offset: number, specifier: string, typeOnly: boolean) => {
    const local = specifier.startsWith(".")
    const to = local ? join(dirname(file.path), specifier) : specifier
    const line = code.slice(0, offset).split("\n").length
    const before = found.get(to)
    if (before === undefined || (before.typeOnly && !typeOnly)) {
      found.set(to, { from: file.path, to, line, typeOnly })
    }
  }
  for (const match of code.matchAll(statement)) {
    const offset = match.index + match[0].length
    add(offset, match[3] ?? "", match[2] !== undefined)
  }
  for (const match of code.matchAll(dynamic)) add(match.index, match[1] ?? "", false)
  for (const match of code.matchAll(neighbour)) {
    const path = join(dirname(file.path), (match[1] ?? "").replace(/\.js$/, ".ts"))
    if (paths.has(path) && path !== file.path && !found.has(path)) {
      add(match.index, `./${(match[1] ?? "").replace(/\.js$/, ".ts")}`, false)
    }
  }
  return [...found.values()]
}

const order: readonly (readonly string[])[] = [
  ["base"],
  ["object"],
  ["schema"],
  ["contract"],
  ["store", "client"],
  ["api"],
  ["ledger"],
  ["informer", "queue"],
  ["guard"],
  ["actuator"],
  ["reconcile"],
  ["provider"],
  ["providers", "sources", "controllers"],
  ["plane"],
  ["cli"],
]

function folderOf(path: string): string | undefined {
  const [top, folder, ...rest] = path.split("/")
  if (top !== "src" || folder === undefined) return undefined
  return rest.length === 0 ? "" : folder
}

const rankOf = (folder: string) => order.findIndex((level) => level.includes(folder))

export function importOrder(files: readonly TidyFile[]): Finding[] {
  const paths = new Set(files.map((file) => file.path))
  return files.filter(inSource).flatMap((file) =>
    readImports(file, paths).flatMap((found) => {
      const problem = orderProblem(file, found)
      return problem === undefined ? [] : [{ path: file.path, line: found.line, message: problem }]
    }),
  )
}

/** Where the entries and the system's clock may be used; a thread of its own begins at an entry. */
const roots =
  /^src\/(plane\/|cli\/|index\.ts|client\/index\.ts|testing\.ts|api\/http\/front\/front-worker\.ts)/

function orderProblem(file: TidyFile, found: Import): string | undefined {
  const from = folderOf(file.path)
  const to = folderOf(found.to)
  if (to === undefined || from === undefined) return undefined
  if (isTest(file) || from === "" || from === "sim") return undefined
  if (found.to === "src/base/system.ts" && !roots.test(file.path)) {
    return "imports base/system.ts; take Clock and Random as ports instead"
  }
  if (to === "sim" || found.to === "src/testing.ts") return "imports sim, which only testing may"
  if (to === "") return `imports the entry ${found.to}`
  if (from === to) return siblingProblem(file.path, found.to)
  if (to === "telemetry") return undefined
  if (from === "telemetry" && to !== "base") return `telemetry imports ${to}, not only base`
  if (from === "providers" && (to === "store" || to === "api")) return `a provider imports ${to}`
  if (from === "telemetry") return undefined
  if (rankOf(from) < 0) return `src/${from} is no folder of the design`
  if (rankOf(to) < rankOf(from)) return undefined
  return `${from} imports ${to}, which is not below it`
}

/** Providers, and sources, stand alone: they share nothing but what is beside their folders. */
function siblingProblem(from: string, to: string): string | undefined {
  const [, folder, own, ...deep] = from.split("/")
  const [, , other, ...rest] = to.split("/")
  if (folder !== "providers" || own === other || rest.length === 0 || deep.length === 0) {
    return undefined
  }
  return `provider ${own} imports provider ${other}`
}

/** Circles through real imports; one of types alone does not exist when the program runs. */
export function circles(files: readonly TidyFile[]): Finding[] {
  const graph = graphOf(files, false)
  const state = new Map<string, "open" | "done">()
  const findings: Finding[] = []
  const visit = (path: string, trail: readonly string[]) => {
    if (state.get(path) === "done") return
    if (state.get(path) === "open") {
      const circle = [...trail.slice(trail.indexOf(path)), path]
      findings.push({ path, message: `circular import: ${circle.join(" -> ")}` })
      return
    }
    state.set(path, "open")
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path])
    state.set(path, "done")
  }
  for (const path of graph.keys()) visit(path, [])
  return findings
}

function graphOf(files: readonly TidyFile[], withTypes: boolean): Map<string, string[]> {
  const paths = new Set(files.map((file) => file.path))
  const sources = files.filter((file) => inSource(file) && !isTest(file))
  return new Map(
    sources.map((file) => {
      const found = readImports(file, paths).filter((one) => withTypes || !one.typeOnly)
      return [file.path, found.map((one) => one.to).filter((to) => paths.has(to))]
    }),
  )
}

const entries = ["cli/main.ts", "index.ts", "provider/index.ts", "client/index.ts", "testing.ts"]

/** What only tests need: simulated parts and what stands beside them in folders named testing. */
const forTests = /^src\/(sim\/|(.+\/)?testing\/)/

export function unusedFiles(files: readonly TidyFile[]): Finding[] {
  const graph = graphOf(files, true)
  const starts = entries.map((entry) => `src/${entry}`)
  const missing = starts.filter((entry) => !graph.has(entry))
  if (missing.length > 0) {
    const message = "this entry of the package does not exist; unused files can't be told"
    return missing.map((path) => ({ path, message }))
  }
  const paths = new Set(files.map((file) => file.path))
  const tests = files.filter((file) => isTest(file) || file.path.startsWith("test/"))
  const tested = tests.flatMap((file) => readImports(file, paths).map((found) => found.to))
  const used = reach(graph, starts)
  const usedByTests = reach(graph, tested)
  return [...graph.keys()]
    .filter((path) => !used.has(path) && !(forTests.test(path) && usedByTests.has(path)))
    .map((path) => ({ path, message: "not reachable from any entry; use it or remove it" }))
}

function reach(graph: ReadonlyMap<string, string[]>, starts: readonly string[]): Set<string> {
  const seen = new Set<string>()
  const waiting = [...starts]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue
    seen.add(path)
    waiting.push(...(graph.get(path) ?? []))
  }
  return seen
}
