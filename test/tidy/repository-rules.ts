// Rules over the repository as a whole: read-me files, error codes, dependencies, foreign traces.

import { dirname } from "node:path/posix"
import { codeText } from "./code-text.ts"
import { type Finding, findLines, inSource, isTest, type TidyFile } from "./repository.ts"

const readmeLinesMax = 30

/** Every folder of src, and every provider and source, says what comes in and what goes out. */
export function readmes(files: readonly TidyFile[]): Finding[] {
  const folders = new Set<string>()
  for (const file of files.filter(inSource)) {
    const [, folder, part, ...rest] = file.path.split("/")
    if (part === undefined) continue
    folders.add(`src/${folder}`)
    const nested = folder === "providers" || folder === "sources"
    if (nested && rest.length > 0) folders.add(`src/${folder}/${part}`)
  }
  const present = new Set(files.map((file) => file.path))
  const missing = [...folders]
    .filter((folder) => !present.has(`${folder}/README.md`))
    .map((folder) => ({ path: folder, message: "has no README.md" }))
  const long = files
    .filter((file) => file.path.startsWith("src/") && file.path.endsWith("/README.md"))
    .filter((file) => file.text.trimEnd().split("\n").length > readmeLinesMax)
    .map((file) => ({ path: file.path, message: `longer than ${readmeLinesMax} lines` }))
  return [...missing, ...long]
}

const definition = /^\s*"(SPT-[A-Z]+-\d{3})": \{/gm
const mention = /["'`](SPT-[A-Z]+-\d{3})["'`]/g

/** Codes are forever: one definition each, in a faults.ts, used somewhere, and none made up. */
export function faultCodes(files: readonly TidyFile[]): Finding[] {
  const sources = files.filter((file) => inSource(file) && !isTest(file))
  const defined = new Map<string, string>()
  const used = new Set<string>()
  const findings: Finding[] = []
  for (const file of sources) {
    const code = codeText(file.text, { keepStrings: true })
    for (const match of code.matchAll(definition)) {
      const name = match[1] ?? ""
      const before = defined.get(name)
      const message = `${name} is defined in ${before} too`
      if (before !== undefined) findings.push({ path: file.path, message })
      if (!file.path.endsWith("/faults.ts")) {
        findings.push({ path: file.path, message: `${name} is defined outside a faults.ts` })
      }
      defined.set(name, file.path)
    }
    const rest = code.replaceAll(definition, "")
    for (const match of rest.matchAll(mention)) used.add(`${match[1]} ${file.path}`)
  }
  const names = new Set([...used].map((entry) => entry.split(" ")[0]))
  for (const [name, path] of defined) {
    if (!names.has(name)) findings.push({ path, message: `${name} is never used` })
  }
  for (const entry of used) {
    const [name = "", path = ""] = entry.split(" ")
    if (!defined.has(name)) findings.push({ path, message: `${name} is not defined anywhere` })
  }
  return findings
}

const listed = /^Runtime dependencies: (.+)\.$/m

/** A new runtime dependency needs its reason in the decision record. */
export function dependencies(files: readonly TidyFile[]): Finding[] {
  const record = "docs/decisions/0001-repo-and-runtime.md"
  const text = files.find((file) => file.path === record)?.text ?? ""
  const manifest = files.find((file) => file.path === "package.json")?.text ?? "{}"
  const real = Object.keys(JSON.parse(manifest).dependencies ?? {}).sort()
  const decided = [...(listed.exec(text)?.[1] ?? "").matchAll(/`([^`]+)`/g)].map((one) => one[1])
  if (real.join() === decided.sort().join()) return []
  return [{ path: record, message: `lists ${decided.join(", ")}; package.json ${real.join(", ")}` }]
}

// Put together from parts, so that this file does not find itself.
const machinePath = new RegExp(`(?<![\\w.$}])/(${["work", "root"].join("|")})/`)
const registry = new RegExp(["registry\\.npm", "npmmirror\\.", "artifactory\\."].join("|"), "i")
const authorship = new RegExp(["co-authored", "generated (by|with) (an? )?(ai|llm)"].join("|"), "i")

/** Nothing of the machine it was made on, and no host that packages came from. */
export function foreignTraces(files: readonly TidyFile[]): Finding[] {
  const own = (file: TidyFile) => dirname(file.path) === "test/tidy"
  return files
    .filter((file) => !own(file))
    .flatMap((file) => [
      ...findLines(file, file.text, machinePath, (match) => `a machine's path: ${match[0]}`),
      ...findLines(file, file.text, registry, (match) => `a registry's host: ${match[0]}`),
      ...findLines(file, file.text, authorship, (match) => `says how it was made: ${match[0]}`),
    ])
}

export function lockfile(files: readonly TidyFile[]): Finding[] {
  const lock = files.filter((file) => file.path === "package-lock.json")
  return lock.flatMap((file) =>
    findLines(file, file.text, /"resolved": "(\w+:\/\/[^/"]+)/, (match) => `names ${match[1]}`),
  )
}
