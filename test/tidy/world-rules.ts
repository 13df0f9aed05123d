// Nothing goes around the actuator: who may name acting handles, who may make guarded ones, and who
// may import the code that really touches the world.

import { codeText } from "./code-text.ts"
import { readImports } from "./imports.ts"
import { type Finding, findLines, inSource, isTest, type TidyFile } from "./repository.ts"

/** Where acting handles may be named: who defines, guards, hands in or is handed them. */
const actingNames = [
  /^src\/(contract|actuator|provider|providers|sim)\//,
  /^src\/plane\/(ports\.ts|adapters\/)/,
]
/** Where the unguarded handles themselves may be touched: made, passed on, guarded. */
const actingValues = [
  /^src\/(actuator|sim)\//,
  /^src\/plane\/(ports\.ts|engine\.ts|(adapters|testing)\/)/,
]
/** The code that touches the world, and who may have it. */
const adapter = /^src\/(provider|providers\/[^/]+)\/adapter\//
const adapterUsers = [/^src\/plane\/adapters\//, /^src\/cli\//, /^src\/testing\.ts$/, /\/testing\//]

const isIn = (places: readonly RegExp[], path: string) => places.some((one) => one.test(path))

export function actingWorld(files: readonly TidyFile[]): Finding[] {
  const sources = files.filter((file) => inSource(file) && !isTest(file))
  const paths = new Set(files.map((file) => file.path))
  return sources.flatMap((file) => {
    const code = codeText(file.text, { keepStrings: false })
    const named = isIn(actingNames, file.path)
      ? []
      : findLines(file, code, /\b(ActWorld|FilesAct)\b/, ([name]) => `names ${name}`)
    const touched = isIn(actingValues, file.path)
      ? []
      : findLines(file, code, /\bactWorld\b/, () => "touches the acting world")
    const imported = readImports(file, paths).flatMap(({ to, line, typeOnly }) => {
      const problem = typeOnly ? undefined : importProblem(file.path, to)
      return problem === undefined ? [] : [{ path: file.path, line, message: problem }]
    })
    return [...named, ...touched, ...imported]
  })
}

function importProblem(from: string, to: string): string | undefined {
  const isGuard = /^src\/actuator\/(guarded-world|act-gate)\.ts$/.test(to)
  if (isGuard && !from.startsWith("src/actuator/")) return `imports ${to}; only the actuator may`
  if (!adapter.test(to) || adapter.test(from)) return undefined
  return isIn(adapterUsers, from) ? undefined : `imports ${to}; only the composition root may`
}
