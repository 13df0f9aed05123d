// The files of this repository as plain values, so that every rule is a pure function over them.

import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"

export interface TidyFile {
  readonly path: string
  readonly text: string
}

export interface Finding {
  readonly path: string
  readonly line?: number
  readonly message: string
}

export const root = fileURLToPath(new URL("../..", import.meta.url))

/** Everything that is or could be committed, text only. */
export function readRepository(): TidyFile[] {
  const options = { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 } as const
  const list = execFileSync("git", ["ls-files", "-coz", "--exclude-standard"], options)
  const paths = [...new Set(list.split("\0"))].filter((path) => path !== "").sort()
  return paths
    .filter((path) => existsSync(root + path) && statSync(root + path).isFile())
    .map((path) => ({ path, text: readFileSync(root + path, "utf8") }))
    .filter((file) => !file.text.includes("\0"))
}

export function findingText(finding: Finding): string {
  const place = finding.line === undefined ? finding.path : `${finding.path}:${finding.line}`
  return `${place}: ${finding.message}`
}

export const isCode = (file: TidyFile) => /\.tsx?$/.test(file.path)
export const isTest = (file: TidyFile) => file.path.endsWith(".test.ts")
export const inSource = (file: TidyFile) => file.path.startsWith("src/") && isCode(file)

/** One finding per line that matches. */
export function findLines(
  file: TidyFile,
  text: string,
  pattern: RegExp,
  message: (match: RegExpExecArray) => string,
): Finding[] {
  return text.split("\n").flatMap((line, at) => {
    const match = pattern.exec(line)
    return match === null ? [] : [{ path: file.path, line: at + 1, message: message(match) }]
  })
}
