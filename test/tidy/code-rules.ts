// Rules over the text of single files: ambient calls, lengths, names, forbidden constructs.

import { basename } from "node:path/posix"
import { codeText } from "./code-text.ts"
import { type Finding, findLines, inSource, isCode, isTest, type TidyFile } from "./repository.ts"

const adapters = [
  /^src\/base\/system\.ts$/,
  /^src\/store\/engines\//,
  /^src\/(api|client)\/http\//,
  /^src\/provider\/adapter\//,
  /^src\/(providers|sources)\/[^/]+\/adapter\//,
  // What tests bring to try a provider against: servers, directories, namespaces.
  /^src\/providers\/[^/]+\/testing\//,
  /^src\/plane\/adapters\//,
  /^src\/cli\//,
]

const calls: readonly RegExp[] = [
  /\bDate\.now\b/,
  /\bnew Date\(\)/,
  /\bMath\.random\b/,
  /(?<![.\w])(setTimeout|setInterval|setImmediate)\(/,
  /\bperformance\.now\b/,
  /\bprocess\.(env|hrtime|argv|cwd)\b/,
  /(?<![.\w])(?<!function )fetch\(/,
  /\b(randomUUID|randomBytes|getRandomValues)\(/,
]
const world = "fs|net|http|https|http2|tls|dgram|dns|os|child_process|worker_threads|sqlite"
const modules = new RegExp(`\\b(?:from|import\\()\\s*"(node:(?:${world})(?:/\\w+)?)"`)
/** An immediate is how the simulator lets promises settle; it waits for no time. */
const immediate = /^src\/sim\/adapter\/.*\nsetImmediate\(/

/** The core runs inside the simulator: time, chance and the world come in through ports. */
export function ambientCalls(files: readonly TidyFile[]): Finding[] {
  const core = files.filter((file) => inSource(file) && !isTest(file))
  return core
    .filter((file) => !adapters.some((adapter) => adapter.test(file.path)))
    .flatMap((file) => {
      const code = codeText(file.text, { keepStrings: false })
      const called = calls.flatMap((pattern) =>
        findLines(file, code, pattern, (match) => `${match[0]} outside a named adapter`),
      )
      const text = codeText(file.text, { keepStrings: true })
      const imported = findLines(file, text, modules, (match) => {
        return `imports ${match[1]} outside a named adapter`
      })
      // A type alone does nothing.
      const typed = (found: Finding) => {
        return /^\s*import type\b/.test(file.text.split("\n")[(found.line ?? 1) - 1] ?? "")
      }
      const allowed = (found: Finding) => immediate.test(`${found.path}\n${found.message}`)
      return [...called, ...imported.filter((found) => !typed(found))].filter(
        (found) => !allowed(found),
      )
    })
}

export function constructs(files: readonly TidyFile[]): Finding[] {
  const rules: readonly [RegExp, string][] = [
    [/(?<![.\w])any\b(?!\s*[(:?])/, "`any`: say what it is, or unknown"],
    [/\bas unknown as\b/, "`as unknown as`: narrow with a check instead"],
    [/\bexport default\b/, "default export: name it"],
    [/\b(enum|namespace)\s+\w+\s*\{/, "not erasable syntax"],
  ]
  return files
    .filter((file) => isCode(file) && file.path !== "vitest.config.ts")
    .flatMap((file) => {
      const code = codeText(file.text, { keepStrings: false })
      return rules.flatMap(([pattern, message]) => findLines(file, code, pattern, () => message))
    })
}

export const linesMax = 400
export const columnsMax = 100
export const functionLinesMax = 70

const driverLinesMax = 80

export function lengths(files: readonly TidyFile[]): Finding[] {
  return files.filter(isCode).flatMap((file) => {
    const lines = file.text.trimEnd().split("\n")
    const findings: Finding[] = []
    // A driver that needs more does what the scenario suite should do.
    const most = /(^|\/)scenario-driver\.ts$/.test(file.path) ? driverLinesMax : linesMax
    if (lines.length > most) {
      findings.push({ path: file.path, message: `${lines.length} lines, at most ${most}` })
    }
    for (const [at, line] of lines.entries()) {
      if (line.length <= columnsMax || /https?:\/\//.test(line)) continue
      const message = `${line.length} columns, at most ${columnsMax}`
      findings.push({ path: file.path, line: at + 1, message })
    }
    return [...findings, ...longFunctions(file)]
  })
}

const opensFunction = /(=>|\)(: [^=]+)?) \{$/
const notFunction = /^(\} )?(if|for|while|switch|catch|else|do|try|return \{|class|interface)\b/
/** `prove` and `replay` make a test and its twins, `step` one that builds on others. */
const testCase = /^(describe|it|test|prove|replay|step|stepMore)\b/

/** By indentation, as the formatter leaves it: from the first line to the `}` below it. */
function longFunctions(file: TidyFile): Finding[] {
  const lines = codeText(file.text, { keepStrings: false }).split("\n")
  const indent = (line: string) => line.length - line.trimStart().length
  return lines.flatMap((line, at) => {
    const trimmed = line.trim()
    if (!opensFunction.test(line.trimEnd()) || notFunction.test(trimmed)) return []
    let start = at
    // Parameters over several lines: the beginning is the line above at the same depth.
    while (/^[)}\]]/.test((lines[start] ?? "").trim()) && start > 0) {
      start--
      while (
        start > 0 &&
        (indent(lines[start] ?? "") > indent(line) || lines[start]?.trim() === "")
      )
        start--
    }
    const head = (lines[start] ?? "").trim()
    if (notFunction.test(head)) return []
    // The rows of a table of cases are no function, and a group of tests is not one either.
    if (testCase.test(head)) start = at
    const end = lines.findIndex((other, index) => {
      return index > at && indent(other) === indent(line) && other.trim().startsWith("}")
    })
    const body = lines.slice(at + 1, end)
    const inner = (other: string) => indent(other) === indent(line) + 2
    if (body.some((other) => inner(other) && testCase.test(other.trim()))) return []
    const length = end - start + 1
    if (end < 0 || length <= functionLinesMax) return []
    const message = `function of ${length} lines, at most ${functionLinesMax}`
    return [{ path: file.path, line: start + 1, message }]
  })
}

const vague = /^(utils?|helpers?|commons?|misc|types?)([.-]|$)|[.-](utils?|helpers?|types)\./

export function names(files: readonly TidyFile[]): Finding[] {
  return files.filter(isCode).flatMap((file) => {
    const findings: Finding[] = []
    const name = basename(file.path)
    if (vague.test(name)) findings.push({ path: file.path, message: "a name that says nothing" })
    if (!/^[a-z0-9]+([-.][a-z0-9]+)*\.tsx?$/.test(name)) {
      findings.push({ path: file.path, message: "file names are kebab-case" })
    }
    return findings
  })
}

const inDashboard = (file: TidyFile) => isCode(file) && file.path.startsWith("dashboard/src/")

/** What a page shows is text: markup is made by the program alone, and no other host is asked. */
export function pageMarkup(files: readonly TidyFile[]): Finding[] {
  const markup = /\b(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML)\b/
  const rules: readonly [RegExp, string][] = [
    [markup, "markup from text: make elements instead"],
    [/\bdocument\.write\b|\beval\(|\bnew Function\b/, "text that becomes code"],
    [/https?:\/\/(?!www\.w3\.org\/)/, "names another host"],
  ]
  const shown = files.filter((file) => /^dashboard\/src\/.*\.(tsx?|css|html|svg)$/.test(file.path))
  return shown.flatMap((file) =>
    rules.flatMap(([pattern, message]) => findLines(file, file.text, pattern, () => message)),
  )
}

/** The first lines of a source file say what it is for. */
export function openings(files: readonly TidyFile[]): Finding[] {
  return files
    .filter((file) => inSource(file) || inDashboard(file))
    .filter((file) => !isTest(file) && !file.text.startsWith("// "))
    .map((file) => ({ path: file.path, line: 1, message: "does not start with what it is for" }))
}
